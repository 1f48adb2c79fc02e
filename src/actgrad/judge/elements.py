"""The elements of a call: a lane for each operand and each result of the formula. All lanes have the same shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from .. import checks
from ..backends.reference import ReferenceKernel, rounded
from ..base import xp
from ..base.access import Access, split
from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError, InvalidArgument, InvalidDtype
from ..base.loop import TensorMeta, row_major
from ..calls import counted_kernel
from ..calls.operator import Operator
from ..checks import law
from ..checks.docstrings import ExampleCall
from ..checks.law import LawInForce
from . import error_bounds
from .error_bounds import Sized
from .oracle import as_tuple

Array = np.ndarray[Any, np.dtype[Any]]
At = slice | Array  # positions of elements in row-major order


@dataclass(frozen=True)
class Lane:
    """An operand or a result of the formula: a tensor or a half of a tensor, broadcast to the shape of all lanes."""

    name: str
    array: Any  # an Array, or a Sized for a statistic of rows
    shape: tuple[int, ...] = ()  # the shape of the tensor
    numbers: Callable[[], Array] | None = None  # for a half of a tensor: the positions of its elements in the tensor

    def take(self, at: At) -> Any:
        """The elements at these positions, as a 1-D array."""
        if isinstance(self.array, Sized):
            return self.array.map(lambda part: Lane(self.name, part).take(at))
        if isinstance(at, slice):
            return self.array.reshape(-1)[at] if self.array.flags.c_contiguous else self.array.flat[at]
        return self.array[np.unravel_index(at, self.array.shape)] if self.array.shape else self.array.reshape(-1)[at]

    def index(self, position: int) -> tuple[int, ...]:
        """The index of an element in its tensor."""
        if self.numbers is not None:
            position, shape = self.numbers().flat[position], self.shape
        else:
            shape = self.array.shape
        return tuple(map(int, np.unravel_index(position, shape))) if shape else ()


@dataclass(frozen=True)
class Elements:
    """A call, the operands of its formula and the actual results."""

    operator: Operator
    attributes: dict[str, Any]  # all attributes
    tensors: tuple[Array | None, ...]  # the call's inputs
    out: Any  # arrays with the shapes and dtypes of the outputs. Nothing reads or writes their elements
    computation: Computation
    inputs: tuple[Lane, ...]
    outputs: tuple[Lane, ...]  # the outputs that are judged
    numbers: tuple[int, ...]  # the position of each judged output among the formula's results
    main: int  # the position of x among the inputs
    statistics_axes: tuple[int, ...] = ()  # the dimensions of a row
    rest: Lane | None = None  # whether an element lies in a row that the call does not compute. Its results are 0

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.inputs[0].array.shape

    @property
    def x(self) -> Lane:
        return self.inputs[self.main]

    def in_rest(self, at: At) -> Array:
        """Which elements at these positions lie in rows that the call does not compute."""
        if self.rest is None:
            return np.zeros(len(np.arange(self.size)[at]), bool)
        rest: Array = self.rest.take(at)
        return rest

    def cleared(self, exact: Sequence[Array], at: At) -> list[Array]:
        """The formula's results at these positions, with 0 in the rows that the call does not compute."""
        if self.rest is None:
            return list(exact)
        is_rest = self.in_rest(at)
        return [np.where(is_rest, np.zeros((), values.dtype), values) for values in exact]


def is_judged(dtype: str) -> bool:
    """Whether tensors of a dtype are judged. Only the reference backend computes complex numbers, so they are not."""
    return BY_NAME[dtype].kind != "complex"


def judged_dtypes(operator: Operator, judge: LawInForce | None) -> list[str]:
    """The dtypes of an operator that are judged."""
    return _without_optional_tensors(
        operator, operator.input_dtypes if judge is None else judge.dtypes(operator.definition)
    )


def case_dtypes(operator: Operator) -> list[str]:
    """The dtypes for case files: the dtypes of the law in force, or of CANN's list."""
    judge = law.current()
    if judge is not None or law.slots is None:
        return judged_dtypes(operator, judge)
    return _without_optional_tensors(operator, operator.law.dtype_names)


def case_laws(operator: Operator) -> list[LawInForce | None]:
    """The laws for case files, one of which must take a case: the law in force, or the laws of CANN's products."""
    judge, laws = law.current(), list[LawInForce | None]()
    if judge is not None or law.slots is None:
        return [judge]
    for product in operator.law.product_names:
        with law.slots.choosing(product):
            laws.append(law.current())
    return laws


def _without_optional_tensors(operator: Operator, dtypes: Iterable[str]) -> list[str]:
    """The judged ones of these dtypes, without those that need an optional tensor: the cases have no such tensors."""
    definition, judged = operator.definition, [name for name in dtypes if is_judged(name)]
    sample, possible = ExampleCall(definition, has_whole_blocks=True), []
    for name in judged:
        metas: dict[str, TensorMeta | None] = {}
        for tensor, shape in sample.shapes.items():
            dtype = BY_NAME[(*definition.dtypes_of(tensor), name)[0]]
            metas[tensor] = TensorMeta(dtype, shape, row_major(shape, dtype.itemsize))
        with suppress(ActgradError):
            checks.run(checks.Call(definition, metas, sample.attributes))
            possible.append(name)
    return possible or judged


def elements(
    operator: Operator, attributes: dict[str, Any], inputs: tuple[Array | None, ...], actual: tuple[Array | None, ...]
) -> Elements:
    """The elements of a call. An actual output is None if it is not judged. Raises the errors of the call."""
    fresh = tuple(None if array is None else np.empty(array.shape, array.dtype) for array in actual)
    out = fresh if len(fresh) > 1 else fresh[0]
    plan = operator.plan(*inputs, out=out, backend="reference", **attributes)
    present = zip(operator.schema.tensor_names, inputs, strict=False)
    tensors = {n: array for n, array in present if array is not None and n in operator.element_tensors}
    pairs = zip(operator.schema.outputs, actual, strict=True)
    results = {name: array for name, array in pairs if array is not None}
    for name, array in (*tensors.items(), *results.items()):
        if not is_judged(array.dtype.name):
            raise InvalidDtype(
                f"{operator.name}: {name} is {array.dtype}; check judges real numbers; pass a real {name}"
            )
    access, attributes = operator.access, plan.attributes
    shapes = {name: array.shape for name, array in tensors.items()}
    shape = access.elements_shape(shapes, attributes)
    rows = _rows(operator, attributes, inputs, shape)
    named_lanes = [
        (name, lane)
        for name, array in tensors.items()
        for lane in _lanes_of_rows(operator, rows, name, array, attributes, shape)
    ]
    main = [name for name, _ in named_lanes].index(operator.definition.main)
    lanes = [lane for _, lane in named_lanes]
    outputs: list[Lane | None] = []  # a lane for each result of the formula
    for name in operator.schema.outputs:
        result, expected = results.get(name), access.result_shape(name, shape, attributes, shapes)
        if result is None:
            outputs += [None] * len(access.parts(name, expected, attributes))
            continue
        if result.size != prod(expected):  # some C functions accept an empty output of any shape
            fault = f"{operator.name}: {name} has shape {result.shape}"
            raise InvalidArgument(f"{fault}; it must be {expected}, the shape of the result; write it with that shape")
        outputs += _lanes(access, name, result.reshape(expected), attributes, shape)
    whole = shape
    axes = access.row_dimensions(len(shape), attributes, shapes)
    blocks = access.blocks(shape[-1], attributes) if shape else ()
    if blocks:
        shape, axes = (*shape[:-1], *blocks, shape[-1] // max(prod(blocks), 1)), (-1,)
    lanes += statistics(plan.computation, lanes, partial(error_bounds.combine, shape, axes))
    numbers = tuple(k for k, lane in enumerate(outputs) if lane is not None)
    parts = tuple(lanes), tuple(filter(None, outputs)), numbers
    rest = None
    if rows is not None and rows.are_cleared and rows.in_rest.any():
        rest = Lane("rest", np.broadcast_to(_aligned(rows.in_rest, len(whole)), whole).reshape(lanes[0].array.shape))
    return Elements(operator, attributes, inputs, out, plan.computation, *parts, main, axes, rest)


def new_elements(
    operator: Operator, attributes: dict[str, Any], inputs: Sequence[Array | None], out_dtype: Any = None
) -> Elements:
    """The elements of a call with new, unwritten outputs. `out_dtype` is their dtype, by default the operator's."""
    results = as_tuple(operator.plan(*inputs, backend="reference", **attributes).result)
    outputs = tuple(np.empty(array.shape, out_dtype or array.dtype) for array in results)
    return elements(operator, attributes, tuple(inputs), outputs)


def statistics(
    computation: Computation,
    lanes: Sequence[Lane],
    combine: Callable[[str, Any], Any],
    functions: Mapping[str, Any] = error_bounds.FUNCTIONS,
) -> list[Lane]:
    """The statistics of each element's row, as lanes. `combine(kind, terms)` returns a statistic."""
    rows, shape = computation.statistics, lanes[0].array.shape
    if rows is None:
        return []
    precision, count = ReferenceKernel(computation).precision, len(lanes)
    with np.errstate(all="ignore"):
        arrays = (*(lane.array for lane in lanes), *computation.scalars)
        numbers = [error_bounds.exactly(np.asarray(array).astype(precision)) for array in arrays]
        terms = [_as_written(computation, k, xp.bind(t, functions)) for k, t in enumerate(computation.formulas[1:])]
        results = rows.compute(terms, numbers[:count], numbers[count:], combine)
    sized = map(error_bounds.number, results)  # a term may return a constant
    return [Lane("statistic", each.map(lambda part: np.broadcast_to(part, shape))) for each in sized]


def _as_written(computation: Computation, number: int, term: Callable[..., Any]) -> Callable[..., Any]:
    """A term. If the formula reads the stored, rounded statistic, the result of the term is rounded too."""
    dtype = computation.written_dtype(number)
    if dtype is None:
        return term

    def written(*arguments: Any) -> Sized:
        each = error_bounds.number(term(*arguments))
        value = rounded(each.value, dtype).astype(each.value.dtype)
        overflows = np.isinf(value) & np.isfinite(each.value)
        return Sized(
            np.where(overflows, each.value, value), each.size, np.where(overflows, np.inf, each.argument_error)
        )

    return written


@dataclass(frozen=True)
class _Rows:
    """The rows of a call with a tensor that counts or groups rows. The arrays have an element for each row."""

    in_rest: Array  # whether a row lies behind the counted rows, or behind the last group
    are_cleared: bool  # whether the results of these rows are 0
    groups: Array | None = None  # the number of each row's group
    count: int = 0  # the number of groups


def _rows(
    operator: Operator, attributes: dict[str, Any], inputs: tuple[Array | None, ...], shape: tuple[int, ...]
) -> _Rows | None:
    """The rows of a call, or None if no tensor counts or groups them. `shape` is the shape of the elements."""
    definition, named = operator.definition, dict(zip(operator.schema.tensor_names, inputs, strict=False))
    counts, index = named.get(definition.ragged.counter), named.get(definition.ragged.groups)
    if counts is not None:
        sizes = shape[: definition.access.dimension(attributes, len(shape))]
        number = counted_kernel.counted_rows(counts, prod(sizes))
        return _Rows((np.arange(prod(sizes)) >= number).reshape(sizes), True)
    if index is None:
        return None
    sizes, kind = shape[:-1], definition.ragged.are_counts
    are_counts = kind if isinstance(kind, bool) else attributes[kind] == 1
    ends = counted_kernel.group_ends(index.tolist(), are_counts, prod(sizes))
    numbers = np.searchsorted(ends, np.arange(prod(sizes)), side="right").reshape(sizes)
    return _Rows(numbers >= len(ends), definition.ragged.rest in ("kept", "cleared"), numbers, max(index.size, 1))


def _lanes_of_rows(
    operator: Operator,
    rows: _Rows | None,
    name: str,
    array: Array,
    attributes: dict[str, Any],
    shape: tuple[int, ...],
) -> Iterator[Lane]:
    """The parts of a tensor, with the numbers of each row's group if the tensor has a row for each group."""
    access = operator.access
    is_of_groups = rows is not None and rows.groups is not None and name in access.grouped_tensors
    if rows is None or rows.groups is None or not is_of_groups:
        yield from _lanes(access, name, array, attributes, shape)
        return
    positions = np.arange(array.size).reshape(array.shape)
    if array.shape == (rows.count,):  # one number for each group
        positions = positions[:, None]
    elif array.ndim == 1:  # the row of the only group
        positions = positions[None]
    positions = positions[np.minimum(rows.groups, len(positions) - 1)]
    for lane in _lanes(access, name, positions, attributes, shape):
        values = array.reshape(-1)[lane.array]
        if not rows.are_cleared and name in operator.definition.defaults_of_tensors:  # computed as without this tensor
            values = np.where(
                _aligned(rows.in_rest, lane.array.ndim),
                values.dtype.type(operator.definition.defaults_of_tensors[name]),
                values,
            )
        yield Lane(lane.name, values, array.shape, partial(np.asarray, lane.array))


def _aligned(of_rows: Array, rank: int) -> Array:
    """An array with an element for each row, for arrays of `rank` dimensions."""
    return of_rows.reshape(*of_rows.shape, *[1] * (rank - of_rows.ndim))


def _lanes(
    access: Access, name: str, array: Array, attributes: dict[str, Any], shape: tuple[int, ...]
) -> Iterator[Lane]:
    """The parts of a tensor, each broadcast to `shape`. If rows are cut into blocks, a block is a row of the lanes."""
    blocks = access.blocks(shape[-1], attributes) if shape else ()
    cut = (*shape[:-1], *blocks, shape[-1] // max(prod(blocks), 1)) if blocks else shape

    def views(tensor: Array) -> list[Array]:
        if blocks and access.is_statistic(name):
            return [tensor[..., None]]
        parts = split(access, name, tensor, attributes, len(shape))
        return [np.broadcast_to(part, shape).reshape(cut) for part in parts] if blocks else parts

    parts = access.parts(name, array.shape, attributes)
    for k, (part, view) in enumerate(zip(parts, views(np.asarray(array)), strict=True)):
        numbers = None if part is None else lambda k=k: views(np.arange(array.size).reshape(array.shape))[k]
        yield Lane(name if part is None else f"{name}, {part.name}", np.broadcast_to(view, cut), array.shape, numbers)
