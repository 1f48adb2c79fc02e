"""Test cases for actgrad's own backends, and the verdict on each case.

The cases call every operator with all flags, on usual and special numbers, in all layouts, and with many shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product as combined
from math import prod
from typing import Any

import numpy as np

from .. import aten, backends
from ..backends.reference import rounded
from ..base.dtypes import BY_NAME
from ..base.errors import BackendUnavailable, InvalidArgument, UnsupportedOnProduct, either, library
from ..calls.operator import Operator
from ..checks import law
from . import golden, oracle, standards
from .elements import Array
from .judging import judge
from .profiles import CANN
from .standards import NAMES, REPEAT, RUNS, STANDARDS
from .verdict import Verdict

USUAL, SLOW_USUAL = (1 << 15) - 1, (1 << 11) - 1  # elements of a case. The second is for slow longdouble arithmetic
SPECIAL = 2048
#: The standards for special numbers. The other standards were published only for usual numbers.
SPECIAL_STANDARDS = ("mixed", "ulp", "nonfinite")
#: Shapes with 1 to 8 dimensions and sizes 2^k and 2^k - 1, with one element, without dimensions, and without elements.
SHAPES = (
    (1024,), (31, 32), (7, 16, 31), (3, 8, 7, 16), (2, 3, 4, 7, 8), (2, 1, 3, 4, 7, 2), (2, 1, 3, 2, 3, 4, 3),
    (2, 1, 2, 3, 1, 4, 3, 2), (1,), (), (0,), (4, 0, 3),
)  # fmt: skip


Layout = Callable[[Array], Array]  # a function that returns the same numbers in another layout

LAYOUTS: dict[str, Layout] = {
    "contiguous": partial(np.array, order="C"),
    "transposed": partial(np.array, order="F"),
    "every other element": lambda array: np.repeat(array, 2, axis=-1)[..., 1::2] if array.ndim else array,
    "backwards": lambda array: np.flip(np.flip(array).copy()),
}


@dataclass(frozen=True)
class BackendCase:
    """A test case: a call. `layout` makes its outputs. `in_place` is the index of an input that the call overwrites."""

    operator: Operator
    attributes: dict[str, Any]
    dtype: str
    name: str
    standards: tuple[str, ...]
    inputs: tuple[Array | None, ...] = field(repr=False)
    layout: Layout = field(default=LAYOUTS["contiguous"], repr=False)
    in_place: int | None = None
    of_file: bool = False


def cases(operator: Operator, dtype: str, seed: int = 0) -> Iterator[BackendCase]:
    """All cases of an operator in one dtype. The same seed gives the same numbers."""
    every = oracle.attribute_cases(operator, law.current())
    attribute_cases = [oracle.attributes_for(operator, attributes, dtype) for attributes in every]
    for k, attributes in enumerate(attribute_cases):
        rng = np.random.default_rng((seed, k))
        make = partial(BackendCase, operator, attributes, dtype)
        usual = _usual(operator, attributes, dtype, rng)
        yield make("usual", tuple(NAMES), usual)
        if operator.given_value:
            yield make("optional given", tuple(STANDARDS), (*with_value(operator, attributes, usual).values(),))
        yield make("special", SPECIAL_STANDARDS, special_tensors(operator, attributes, dtype, rng))
    rng = np.random.default_rng((seed, len(attribute_cases)))
    no_negative = [a for a in attribute_cases if not any(isinstance(v, float) and v < 0 for v in a.values())]
    attributes = (no_negative or attribute_cases)[-1]
    yield from _layouts(operator, attributes, dtype, rng)


def with_value(
    operator: Operator, attributes: dict[str, Any], tensors: tuple[Array | None, ...]
) -> dict[str, Array | None]:
    """The tensors by name. The optional tensor with the forward operator's second output is among them."""
    by_name = dict(zip(operator.schema.tensor_names, tensors, strict=True))
    if operator.given_value:
        value = oracle.forward_results(operator, attributes, by_name[operator.definition.main])[1]
        by_name[operator.given_value] = value
    return by_name


def numbers(dtype: str, count: int, rng: np.random.Generator) -> Array:
    """Random numbers: half U[-5, 5], half N(mu, sigma), where mu is in [-5, 5] and sigma in [0.1, 2].

    For integers, half are small, and half are from the whole range.
    """
    kind = BY_NAME[dtype]
    if kind.kind != "float":
        minimum, maximum = oracle.ends(dtype)
        small = rng.integers(max(-20, minimum), min(20, maximum), count, endpoint=True)
        return np.where(rng.random(count) < 0.5, small, rng.integers(minimum, maximum, count)).astype(kind.numpy)
    half = count // 2
    normal = rng.normal(rng.uniform(-5, 5), rng.uniform(0.1, 2), count - half)
    return np.asarray(rng.permutation(np.concatenate([rng.uniform(-5, 5, half), normal])).astype(kind.numpy))


def _usual(operator: Operator, attributes: dict[str, Any], dtype: str, rng: np.random.Generator) -> tuple[Any, ...]:
    count = SLOW_USUAL if BY_NAME[dtype].compute == "float64" else USUAL
    x = as_result(operator, attributes, numbers(dtype, count, rng))
    return oracle.paired(
        operator, attributes, x.reshape(operator.access.row(count)), lambda: numbers(dtype, count, rng)
    )


def special_tensors(
    operator: Operator, attributes: dict[str, Any], dtype: str, rng: np.random.Generator, rows: int = 0
) -> tuple[Any, ...]:
    """The tensors with all pairs of special values, all special values with 1, and numbers with every exponent.

    For integers, all pairs of small numbers and of the ends of the range. With `rows`, the elements have this number of
    rows, and the last row repeats the first elements. Otherwise the layout chooses the shape.
    """
    if BY_NAME[dtype].kind != "float":
        minimum, maximum = oracle.ends(dtype)
        some = np.clip([0, 1, -1, 2, -2, 3, maximum, minimum, maximum - 1, minimum + 1], minimum, maximum).astype(
            BY_NAME[dtype].numpy
        )
        first, second = np.meshgrid(some, some)
        return _pairs(operator, attributes, first.ravel(), second.ravel(), rows)
    special, rest = oracle.special_values(dtype), oracle.stratified(dtype, SPECIAL, rng)
    x, other = (a.ravel() for a in np.meshgrid(special, special))
    if operator.access.sees_rows:  # make rows of two elements
        pairs = as_result(operator, attributes, np.stack([x, other], axis=1))
        return oracle.paired(operator, attributes, pairs, lambda: np.ones_like(pairs))
    ones = np.ones(len(special) + len(rest), special.dtype)
    x = as_result(operator, attributes, np.concatenate([x, special, rest]))
    other = np.concatenate([other, ones])
    # Leave out pairs for which rounding decides the result: a very large number or infinity, times a factor that is
    # subnormal or nearly cancels. Or such a number plus a term that overflows.
    with np.errstate(invalid="ignore"):
        size, other_size = np.abs(x.astype(np.float64)), np.abs(other.astype(np.float64))
    expected = golden.expected(operator, oracle.tensors(operator, attributes, x), attributes)
    decided = [((e.is_normal & ~e.cancels) | ~np.isfinite(e.values)).reshape(-1, len(x)) for e in expected]
    is_usable = (other_size <= 2) | np.concatenate(decided).all(axis=0)
    if operator.gradient_of is None and not operator.roles.multiplies:
        is_usable &= (other_size <= 2) | ~((size > 2) & (size < np.inf))
        if (
            sum(not a.is_optional for a in operator.schema.tensors) > 2
        ):  # the product of two of three tensors may overflow
            with np.errstate(over="ignore", invalid="ignore"):
                is_usable &= (other_size <= 2) | ~(other_size < np.inf)
                is_usable &= ~(size < np.inf) | ~(size * other_size > float(np.finfo(BY_NAME[dtype].compute).max))
    for e in expected:
        is_usable &= ~e.overflows.reshape(-1, len(x)).any(axis=0) | (other_size == 1)
        is_usable &= ~e.is_magnified.reshape(-1, len(x)).any(axis=0)
    return _pairs(operator, attributes, x[is_usable], other[is_usable], rows)


def _pairs(operator: Operator, attributes: dict[str, Any], x: Array, other: Array, rows: int) -> tuple[Any, ...]:
    """The tensors of a call that computes with x[k] and other[k] at the same index."""
    if rows:
        shape = rows, -(-x.size // rows)
        return oracle.paired(operator, attributes, np.resize(x, shape), lambda: np.resize(other, shape))
    return oracle.paired(operator, attributes, x.reshape(operator.access.row(x.size)), lambda: other)


def as_result(operator: Operator, attributes: dict[str, Any], x: Array) -> Array:
    """x, or the forward operator's result at x if the operator reads this result."""
    if not operator.definition.takes_result(attributes):
        return x
    try:
        return oracle.forward_results(operator, attributes, x)[0]
    except UnsupportedOnProduct:  # a product may have only the backward pass
        return x


def _layouts(
    operator: Operator, attributes: dict[str, Any], dtype: str, rng: np.random.Generator
) -> Iterator[BackendCase]:
    """A case for each shape. Each case uses the next layout."""
    dim = operator.access.dimension_attribute

    def shaped(setting: dict[str, Any], shape: tuple[int, ...]) -> tuple[Any, ...]:
        def some() -> Array:
            return numbers(dtype, prod(shape), rng).reshape(shape)

        return oracle.paired(operator, setting, some(), some)

    for k, shape in enumerate(SHAPES):
        if (dim or operator.access.is_packed) and not shape:
            continue
        name, layout = list(LAYOUTS.items())[k % len(LAYOUTS)]
        setting = {**attributes, dim: int(rng.integers(-len(shape), len(shape)))} if dim else attributes
        words = f"{'x'.join(map(str, shape)) or 'no dimension'}, {name}"
        placed = tuple(None if a is None else layout(a) for a in shaped(setting, shape))
        yield BackendCase(operator, setting, dtype, words, SPECIAL_STANDARDS, placed, layout)
    if operator.broadcasts:
        shapes = broadcast_shapes(operator, attributes, dtype)
        of_shapes = {shape: shaped(attributes, shape) for shape in dict.fromkeys(shapes)}
        name = " with ".join("x".join(map(str, shape)) for shape in dict.fromkeys(shapes))
        tensors = tuple(of_shapes[shape][k] for k, shape in enumerate(shapes))
    else:
        pairs = zip(operator.schema.tensor_names, shaped(attributes, (16, 4, 2)), strict=True)
        name = "16x4x2, expanded"
        tensors = tuple(
            a if a is None or not operator.access.brings_elements(tensor) else np.broadcast_to(a[:1], a.shape)
            for tensor, a in pairs
        )
    yield BackendCase(operator, attributes, dtype, name, SPECIAL_STANDARDS, tensors)


def broadcast_shapes(operator: Operator, attributes: dict[str, Any], dtype: str) -> tuple[tuple[int, ...], ...]:
    """A shape for each tensor, which the call broadcasts to 31x32.

    The last required tensor has the shape 1x32 and the others 31x1, if the checks accept these shapes. For a tensor
    along a dimension, the shape is the shape of the elements.
    """
    column, row, full = (31, 1), (1, 32), (31, 32)
    tensors, of_dtype = operator.schema.tensors, BY_NAME[dtype].numpy
    required = [not a.is_optional for a in tensors]
    last = max(k for k, is_required in enumerate(required) if is_required)
    usual = tuple(row if k == last else column for k in range(len(tensors)))
    for shapes in (usual, *combined((full, row, column), repeat=len(tensors))):
        if len({shape for shape, is_required in zip(shapes, required, strict=True) if is_required}) == 1:
            continue
        tensor_shapes = [
            operator.access.whole_shape(a.name, s, attributes) for a, s in zip(tensors, shapes, strict=True)
        ]
        arrays = [None if a.is_optional else np.empty(s, of_dtype) for a, s in zip(tensors, tensor_shapes, strict=True)]
        with suppress(InvalidArgument):
            operator.plan(*arrays, backend="reference", **attributes)
            return shapes
    return (full,) * len(tensors)


def garbage(array: Array) -> None:
    """Fill an output with numbers that no call computes. They show elements that the call does not write."""
    if array.dtype.kind in "iu":
        array[...] = rounded(np.full((), -77.0), BY_NAME[array.dtype.name])
    else:
        array[...] = np.nan


# Verdicts


def judge_case(
    case: BackendCase,
    backend: str,
    names: Iterable[str],
    strict: bool = False,
    deciding: Collection[str] | None = None,
    profile: str = CANN,
) -> Verdict | None:
    """The verdict on a case of a backend. None if no standard applies, or if the rules in force refuse the call."""
    names = [name for name in names if name in case.standards]
    if not names:
        return None
    try:
        plan = case.operator.plan(*case.inputs, backend="reference", **case.attributes)
    except (InvalidArgument, UnsupportedOnProduct):
        if not law.is_any_in_force():
            raise
        return None
    outputs = tuple(case.layout(np.empty(array.shape, array.dtype)) for array in oracle.as_tuple(plan.result))
    verdict = compute_and_judge(case, backend, outputs, names, strict, deciding, profile)
    return replace(verdict, dtype=case.dtype, case=case.name)


def compute_and_judge(
    case: BackendCase,
    backend: str,
    outputs: tuple[Array, ...],
    names: Iterable[str],
    strict: bool,
    deciding: Collection[str] | None = None,
    profile: str = CANN,
) -> Verdict:
    """Compute a case on a backend, into `outputs`, and return the verdict."""
    for array in outputs:
        if _keeps_rows(case):
            array[...] = np.zeros((), array.dtype)
        else:
            garbage(array)
    compute(case, backend, outputs)
    verdict = judge(
        case.operator, case.attributes, case.inputs, outputs, measured=names, deciding=deciding, strict=strict,
        with_power=case.of_file, profile=profile,
    )  # fmt: skip
    if REPEAT not in names:
        return verdict
    first, different = [array.tobytes() for array in outputs], 0
    for _ in range(RUNS - 1):
        again = tuple(np.empty_like(array) for array in outputs)
        compute(case, backend, again)
        different += [array.tobytes() for array in again] != first
    return replace(verdict, repeat=standards.repeat(RUNS, different))


def _keeps_rows(case: BackendCase) -> bool:
    """Whether a tensor says which rows the call computes, and the others keep their values: 0 in a new result."""
    definition = case.operator.definition
    given = dict(zip(definition.schema.tensor_names, case.inputs, strict=False))
    names = (definition.ragged.counter, definition.ragged.groups)
    return definition.ragged.rest == "kept" and any(given.get(name) is not None for name in names)


def compute(case: BackendCase, backend: str, outputs: tuple[Array, ...]) -> None:
    """Compute a case on a backend, into `outputs`."""
    if "cpu" in backends.DEVICES[backend]:
        out, inputs = outputs if len(outputs) > 1 else outputs[0], list(case.inputs)
        if case.in_place is not None:
            outputs[0][...] = inputs[case.in_place]
            inputs[case.in_place] = outputs[0]
        with np.errstate(all="ignore"):
            case.operator(*inputs, out=out, backend=backend, **case.attributes)
        return
    torch = library("torch", f"backend {backend!r} needs PyTorch", "gpu", BackendUnavailable)
    if not torch.cuda.is_available():
        devices = either(backends.DEVICES[backend])
        raise BackendUnavailable(
            f"backend is {backend!r}, but PyTorch finds no GPU; it needs {devices}; choose --backend cpu or repair "
            "the driver"
        )
    tensors = [None if a is None else aten.to_torch(torch, np.ascontiguousarray(a)).cuda() for a in case.inputs]
    results = oracle.as_tuple(case.operator(*tensors, backend=backend, **case.attributes))
    for array, result in zip(outputs, results, strict=True):
        array[...] = aten.from_torch(torch, result.cpu())
