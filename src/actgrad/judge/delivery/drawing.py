"""The cases of a delivery: tensors of mixed numbers in sizes that show mistakes. No case accepts a wrong output.

design.py says which cases there are. Each tensor mixes ordinary numbers, large and small numbers, and a few special
values. If the standards would accept a wrong output of a case, the case is drawn again with milder numbers and shorter
rows. Cases of some kinds may be weak, and are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError, either
from ...calls.operator import Operator
from ...checks import law
from .. import backend_cases, oracle
from ..elements import Array, Elements, is_judged, judged_dtypes, new_elements
from ..golden import Golden
from ..power import power, weaknesses
from ..standards import IN_FORCE
from . import design, optional_tensors
from .design import CasePlan
from .manifest import DeliveryCase, TensorFile
from .optional_tensors import Shape

DTYPES = ("float16", "bfloat16", "float32")
#: Shapes of elements. The last size is the length of the rows. No size is a multiple of 64.
SHAPES = (
    (1031,), (37, 29), (5, 7, 31), (129, 15), (3, 5, 7, 11), (2531,), (77, 65), (9, 3, 43), (257, 10),
    (2, 3, 5, 3, 7, 3), (65, 33), (601,), (19, 5, 17), (131, 6), (2, 2, 3, 5, 43),
)  # fmt: skip
#: More than three tiles of 4,096 elements, and a remainder.
TILES = ((12_301,), (3, 4_099), (5, 2_579), (7, 43, 41), (4_999, 3), (13, 5, 11, 19))
LONG_ROWS = ((3, 2_053), (5, 1_543), (7, 1_901), (2, 3, 1_861), (9, 1_447))
LONG = 1_024  # elements of a row that a kernel may treat differently from those behind them
PEAKS = 0.012  # peaks before and behind LONG, relative to the row's elements: the mixed tolerance ignores 1 %
SMALL = ((3, 7), (61,), (2, 5, 11), (15, 9))
ONE = ((1,), (1, 1), (1, 1, 1))
#: Kind -> shapes. Other kinds have SHAPES.
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "tiles": TILES,
    "long rows": LONG_ROWS,
    "other dimension": (*(shape for shape in SHAPES if len(shape) > 1), (3, 1_031, 4), (2, 1_100, 3, 2)),
    "small": SMALL,
    "zeros": ((7, 9), (5, 3, 7)),
    "one element": ONE,
    "group boundaries": tuple(shape for shape in SHAPES if len(shape) > 1),
    "transposed": tuple(shape for shape in SHAPES if len(shape) > 1),
}
_MULTIPLES = (2, 8, 16, 64, 128)  # a dimension may have to be a multiple of one of these
TRIES = 12


@dataclass(frozen=True)
class Mixture:
    """The mix of numbers in tensors: how many elements are large or small, and how many are special."""

    dtype: str
    rng: np.random.Generator
    mildness: int = 0  # from 0 (large, small and special numbers) to only ordinary numbers

    def draw(self, shape: tuple[int, ...], has_rows: bool = False) -> Array:
        """A tensor of these numbers, with at most 8 special values."""
        rng, count, kind = self.rng, prod(shape), BY_NAME[self.dtype]
        if kind.kind != "float":
            return backend_cases.numbers(self.dtype, count, rng).reshape(shape)
        numbers = np.where(rng.random(count) < 0.5, rng.uniform(-5, 5, count), rng.normal(0, 1.5, count))
        if self.mildness < 2:
            sizes = 10.0 ** rng.uniform(-4, 1.5 if has_rows else 3, count)
            numbers = np.where(rng.random(count) < 0.06, np.copysign(sizes, numbers), numbers)
        values = numbers.astype(kind.numpy)
        if self.mildness < 3 and count >= 48:
            special = oracle.special_values(kind.numpy)[: -2 if self.mildness else None]
            large = np.abs(special.astype(np.float64)) > 1e3
            special = special[~large | np.isinf(special.astype(np.float64))] if not has_rows else special[~large]
            if has_rows:
                special = special[np.isfinite(special.astype(np.float64))]
            values[rng.permutation(count)[: min(8, count // 64 + 1)]] = rng.choice(special, min(8, count // 64 + 1))
        return values.reshape(shape)


def dtypes_of(operator: Operator, names: Sequence[str]) -> list[str]:
    """The dtypes among these names that an operator takes, on the chosen product if there is one."""
    judge = law.current()
    taken = operator.input_dtypes if judge is None else judge.dtypes(operator.definition)
    dtypes = [name for name in names if name in taken and is_judged(name)]
    if not dtypes:
        expected = f"it takes {either(judged_dtypes(operator, judge))}"
        raise ActgradError(f"{operator.name}: --dtypes is {', '.join(names)}; {expected}; change --dtypes")
    return dtypes


def draw(
    operator: Operator, names: Sequence[str], number: int | None, seed: int
) -> Iterator[tuple[DeliveryCase, dict[str, Array]]]:
    """Draw cases of an operator, and the inputs of each. The same seed draws the same cases.

    `number` is the number of cases, or None for one case in each cell, see design.py.
    """
    for k, plan in enumerate(design.plans(operator, dtypes_of(operator, names), number, seed)):
        yield _Drawer(operator, plan, f"{operator.name}-{k + 1:04}", (seed, k)).case()


def draw_planned(operator: Operator, plan: CasePlan, name: str, seed: int) -> tuple[DeliveryCase, dict[str, Array]]:
    """The case of a plan, and its inputs."""
    return _Drawer(operator, plan, name, (seed, 0)).case()


class _Unfit(Exception):
    """The checks refuse the optional tensors of a case for tensors of this shape."""


class _Drawer:
    """Makes one case. If a wrong output would be accepted, it draws again: milder numbers, then other attributes."""

    def __init__(self, operator: Operator, plan: CasePlan, name: str, seed: tuple[int, int]) -> None:
        self.operator, self.plan, self.name = operator, plan, name
        self.rng = np.random.default_rng((*seed, *operator.name.encode()))

    def case(self) -> tuple[DeliveryCase, dict[str, Array]]:
        """The case, and its inputs."""
        plan, drawn = self.plan, None
        is_special, shape, special = plan.kind in design.SPECIAL, self._shape(), ""
        for attempt in range(TRIES):
            setting = self._setting(shape, attempt, is_special)
            try:
                drawn = setting, self._tensors(setting, shape, attempt // 3)
            except _Unfit:
                shape = self._shape()
                continue
            if is_special:
                has_zeros = plan.kind == "large numbers" and self.operator.access.sees_rows
                special = f"zeros and {plan.kind}" if has_zeros else plan.kind
                break
            weak = weaknesses_of(self.operator, *drawn)
            special = f"accepts {', '.join(weak)}" if weak else ""
            if not (weak or _magnifies(self.operator, *drawn)):
                break
            if attempt % 3 == 2 and self.operator.access.sees_rows and plan.kind not in ("long rows", "tiles"):
                shape = _shorter(shape)  # in shorter rows, each result is larger
        if drawn is None:
            words = f"{plan.dtype} {plan.kind} with {', '.join(plan.optional) or design.NONE_GIVEN}"
            expected = "its checks must accept a drawn shape"
            raise ActgradError(f"{self.operator.name}: no case {words}; {expected}; leave the operator out")
        setting, tensors = drawn
        plan_of_call = self.operator.plan(*tensors.values(), backend="reference", **_named(setting))
        outputs = oracle.as_tuple(plan_of_call.result)
        return described(self.operator, self.name, setting, tensors, outputs, special, plan.kind)

    def _shape(self) -> Shape:
        shapes = _SHAPES.get(self.plan.kind, SHAPES)
        return shapes[int(self.rng.integers(len(shapes)))]

    def _setting(self, shape: Shape, attempt: int, is_special: bool) -> dict[str, Any]:
        setting, dim = dict(self.plan.attributes), self.operator.access.dimension_attribute
        if attempt >= 3 * TRIES // 4 and not is_special and self.operator.schema.scalars:
            # The attributes may make all elements equal.
            first = oracle.attribute_cases(self.operator, law.current())[0]
            setting |= {name: first[name] for name in self.operator.schema.scalars}
        if dim:
            setting[dim] = -1
            if self.plan.kind == "other dimension":
                setting[dim] = int(self.rng.integers(len(shape) - 1)) - len(shape) * int(self.rng.integers(2))
            elif self.plan.kind == "usual" and attempt < TRIES // 3:
                setting[dim] = int(self.rng.integers(-len(shape), len(shape)))
        return setting

    def _tensors(self, setting: dict[str, Any], shape: Shape, mildness: int) -> dict[str, Array | None]:
        """The tensors of a call. If the operator takes results of the forward pass, they are computed."""
        operator, kind, dtype, rng = self.operator, self.plan.kind, self.plan.dtype, self.rng
        names, dim = operator.schema.tensor_names, operator.access.dimension_attribute
        if kind == "special values":
            rows = 8 if self.plan.optional else 0
            tensors = backend_cases.special_tensors(operator, setting, dtype, rng, rows)
        elif kind == "broadcast":
            shapes = backend_cases.broadcast_shapes(operator, setting, dtype)
            mixture = Mixture(dtype, rng, mildness)
            of_shapes = {one: self._paired(setting, one, mixture) for one in dict.fromkeys(shapes)}
            tensors = tuple(of_shapes[one][k] for k, one in enumerate(shapes))
        else:
            fitting = self._fitting(setting, shape, -1 if not dim else setting[dim])
            mixture = Mixture(dtype, rng, 3 if kind in design.SPECIAL else mildness)
            tensors = self._paired(setting, fitting, mixture)
        by_name = dict(zip(names, tensors, strict=True))
        self._add_optional(setting, by_name)
        if kind in ("transposed", "strided"):
            return {n: None if a is None else laid_out(a, kind) for n, a in by_name.items()}
        return by_name

    def _paired(self, setting: dict[str, Any], shape: Shape, mixture: Mixture) -> tuple[Array | None, ...]:
        """The required tensors, for elements of this shape."""
        operator, has_rows = self.operator, self.operator.access.sees_rows
        x = backend_cases.as_result(operator, setting, self._main(setting, shape, mixture))
        return oracle.paired(operator, setting, x, lambda: mixture.draw(shape, has_rows))

    def _main(self, setting: dict[str, Any], shape: Shape, mixture: Mixture) -> Array:
        """The main tensor before the forward pass."""
        kind, rng, count = self.plan.kind, self.rng, prod(shape)
        dtype = BY_NAME[self.plan.dtype].numpy
        has_rows = self.operator.access.sees_rows
        if kind == "zeros":
            zeros = np.copysign(0.0, rng.random(count) - 0.5) if BY_NAME[self.plan.dtype].kind == "float" else 0
            return np.broadcast_to(np.asarray(zeros), (count,)).astype(dtype).reshape(shape)
        if kind == "large numbers":
            limit = oracle.LARGE_IN_ROWS
            numbers = np.copysign(10.0 ** rng.uniform(1, 4, count), rng.random(count) - 0.5)
            if has_rows:  # a few rows of zeros, whose sums are exact
                numbers = rng.uniform(-limit, limit, count)
                numbers[: prod(shape[-1:]) * min(3, count // prod(shape[-1:]) // 2)] = 0
            return numbers.astype(dtype).reshape(shape)
        if kind == "edges":
            return rng.choice(edges(setting, self.plan.dtype), count).reshape(shape)
        if kind == "long rows" and has_rows and BY_NAME[self.plan.dtype].kind == "float":
            return peaked(shape, rng).astype(dtype)
        return mixture.draw(shape, has_rows)

    def _fitting(self, setting: dict[str, Any], shape: Shape, dim: int) -> Shape:
        """This shape, or the next one that the checks accept. Raises _Unfit if they refuse all."""
        for multiple in (1, *_MULTIPLES):
            sizes = list(shape)
            sizes[dim] = -(-sizes[dim] // multiple) * multiple
            metas = optional_tensors.required_metas(self.operator, setting, self.plan.dtype, tuple(sizes))
            rng = np.random.default_rng(0)
            if (
                optional_tensors.completed(self.operator, setting, metas, tuple(sizes), self.plan.optional, rng)
                is not None
            ):
                return tuple(sizes)
        raise _Unfit

    def _add_optional(self, setting: dict[str, Any], tensors: dict[str, Array | None]) -> None:
        """Fill the optional tensors that the case has."""
        operator = self.operator
        if not self.plan.optional:
            return
        arrays = {name: array for name, array in tensors.items() if array is not None}
        shapes = {name: array.shape for name, array in arrays.items() if name in operator.element_tensors}
        elements = operator.access.elements_shape(shapes, setting)
        required = {n: None if a is None else optional_tensors.meta(a.dtype.name, a.shape) for n, a in tensors.items()}
        metas = optional_tensors.completed(operator, setting, required, elements, self.plan.optional, self.rng)
        if metas is None:
            raise _Unfit
        for name in self.plan.optional:
            if name == operator.given_value:
                main = arrays[operator.definition.main]
                tensors[name] = oracle.forward_results(operator, setting, main)[1]
                continue
            described_tensor, has_edges = metas[name], self.plan.kind == "group boundaries"
            is_exact = self.plan.kind == "special values"
            assert described_tensor is not None, "a tensor of the plan"
            tensors[name] = optional_tensors.values(
                operator, setting, name, described_tensor, elements, self.rng, has_edges, is_exact
            )
        if (
            arrays[operator.definition.main].dtype.kind in "iu"
        ):  # int32 is dequantised: x * scale must be a small number
            for name, default in operator.definition.defaults_of_tensors.items():
                array = tensors[name]
                if default == 1 and name in self.plan.optional and array is not None:
                    tensors[name] = (array / 100).astype(array.dtype)


def _shorter(shape: Shape) -> Shape:
    """About as many elements, in rows of a third."""
    if len(shape) == 1:
        return -(-shape[0] // 13), 13
    length = max(3, shape[-1] // 3)
    return -(-prod(shape) // length) | 1, length


def peaked(shape: Shape, rng: np.random.Generator) -> Array:
    """Rows of small numbers with a few peaks, which make up the sum of exp. Each end of a row has peaks."""
    numbers = rng.uniform(-4, 1, shape)
    for part in (numbers[..., :LONG], numbers[..., LONG:]):
        at = np.argsort(rng.random(part.shape), axis=-1)[..., : int(PEAKS * shape[-1]) + 1]
        np.put_along_axis(part, at, rng.uniform(8.6, 9, at.shape), axis=-1)
    return numbers


def edges(attributes: dict[str, Any], dtype: str) -> Array:
    """Numbers at which formulas change: those of the attributes, integers and halves, and the neighbours of each."""
    kind = BY_NAME[dtype]
    numbers = [*np.arange(-8, 8.5, 0.5), 20.0, -20.0]
    numbers += [sign * v for v in attributes.values() if isinstance(v, float) and np.isfinite(v) for sign in (1, -1)]
    at = np.array(numbers).astype(kind.numpy)
    bits = at[at != 0].view(f"u{kind.itemsize}")
    return np.unique(np.concatenate([at, (bits + 1).view(kind.numpy), (bits - 1).view(kind.numpy)]))


def laid_out(array: Array, kind: str) -> Array:
    """The same numbers: in the order of the transposed tensor, or as every other element of the memory."""
    if kind == "transposed":
        return np.asfortranarray(array)
    return np.repeat(array, 2, axis=-1)[..., 1::2] if array.ndim else array


def described(
    operator: Operator,
    name: str,
    attributes: dict[str, Any],
    tensors: dict[str, Array | None],
    outputs: Sequence[Array],
    special: str,
    kind: str = "",
) -> tuple[DeliveryCase, dict[str, Array]]:
    """A case for a manifest, and its inputs."""
    results = dict(zip(operator.schema.outputs, outputs, strict=True))
    present = {tensor: array for tensor, array in tensors.items() if array is not None}

    def files(arrays: dict[str, Array]) -> dict[str, TensorFile]:
        return {n: TensorFile(f"{name}/{n}.npy", a.dtype.name, a.shape) for n, a in arrays.items()}

    def with_strides(file: TensorFile, array: Array) -> TensorFile:
        strides = tuple(step // array.itemsize for step in array.strides)
        return file if array.flags.c_contiguous else replace(file, strides=strides)

    judge = law.current()
    product = None if judge is None else judge.description["product"]
    product = None if product == "none" else product
    inputs = {n: with_strides(file, present[n]) for n, file in files(present).items()}
    return DeliveryCase(name, operator.name, attributes, product, inputs, files(results), special, kind), present


def _named(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


def weaknesses_of(operator: Operator, attributes: dict[str, Any], tensors: dict[str, Array | None]) -> list[str]:
    """The wrong outputs that the standard in force would accept if it looked only at finite results."""
    call = _call(operator, attributes, tensors)
    return weaknesses(power(call, Golden(call.computation), IN_FORCE, False, only_finite=True))


def _magnifies(operator: Operator, attributes: dict[str, Any], tensors: dict[str, Array | None]) -> bool:
    """Whether rounding an attribute would change a result by more than the standard allows, as in exp(-80 / alpha)."""
    call = _call(operator, attributes, tensors)
    if not operator.schema.scalars or call.computation.statistics is not None:
        return False
    lanes = [lane.take(slice(0, call.size)) for lane in call.inputs]
    expected = Golden(call.computation).expected(lanes, call.outputs[0].array.dtype)
    return any(bool(part.is_magnified.any()) for part in expected)


def _call(operator: Operator, attributes: dict[str, Any], tensors: dict[str, Array | None]) -> Elements:
    return new_elements(operator, _named(attributes), tuple(tensors.values()))
