"""Optional tensors of a call: dtypes and shapes that the checks accept, and numbers.

Nothing here knows an operator. The search tries shapes that follow from the layout, and the checks of the operator, or
of the law in force, say which of them fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import Any, cast

import numpy as np

from ... import checks
from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError
from ...base.loop import TensorMeta, row_major
from ...calls.operator import Operator
from ...checks import law
from ..elements import Array

GROUPS = 3
Shape = tuple[int, ...]
#: Shapes of elements that find out which tensors fit together: for rows of any length, and for rows of whole blocks.
_SMALL: tuple[Shape, ...] = ((3, 4, 8), (3, 4, 128))


def names_of(operator: Operator) -> list[str]:
    """The optional tensors of an operator."""
    return [argument.name for argument in operator.schema.tensors if argument.is_optional]


def meta(dtype: str, shape: Shape) -> TensorMeta:
    """A contiguous tensor."""
    return TensorMeta(BY_NAME[dtype], shape, row_major(shape, BY_NAME[dtype].itemsize))


def required_metas(
    operator: Operator, attributes: Mapping[str, Any], dtype: str, elements: Shape
) -> dict[str, TensorMeta | None]:
    """The tensors that a call must have, for elements of this shape and dtype. Optional tensors are None."""
    definition = operator.definition
    return {
        a.name: None
        if a.is_optional
        else meta((*definition.dtypes_of(a.name), dtype)[0], operator.access.whole_shape(a.name, elements, attributes))
        for a in operator.schema.tensors
    }


def is_accepted(operator: Operator, attributes: Mapping[str, Any], metas: Mapping[str, TensorMeta | None]) -> bool:
    """Whether the law in force, or the operator's own checks, accept a call."""
    try:
        checks.run(checks.Call(operator.definition, dict(metas), dict(attributes), law=law.current()))
    except ActgradError:
        return False
    return True


def completed(
    operator: Operator,
    attributes: Mapping[str, Any],
    required: Mapping[str, TensorMeta | None],
    elements: Shape,
    present: Sequence[str],
    rng: np.random.Generator,
) -> dict[str, TensorMeta | None] | None:
    """The tensors of a call with these optional tensors. None if the checks refuse all that were tried.

    Each tensor that the first failing check is about gets the candidate with which the call passes the most checks, in
    their order.
    """
    definition, judge = operator.definition, law.current()
    in_order = checks.checks_under(definition, judge)

    def passed(metas: Mapping[str, TensorMeta | None]) -> int:
        call = checks.Call(definition, dict(metas), dict(attributes), law=judge)
        return next((k for k, check in enumerate(in_order) if check.test(call) is not None), len(in_order))

    metas = dict(required)
    if not present:
        return metas if passed(metas) == len(in_order) else None
    is_wide = bool(rng.random() < 0.5)
    index = (definition.ragged.counter, definition.ragged.groups)
    main = metas[definition.main]
    assert main is not None, "the main tensor is never optional"
    shapes = [
        *dict.fromkeys(shape for name in present for shape in _shapes(operator, attributes, name, main, elements))
    ]
    shapes = [shapes[k] for k in rng.permutation(len(shapes))]
    for wide_first in (is_wide, not is_wide):
        floats = ("float32", main.dtype.name) if wide_first else (main.dtype.name, "float32")
        candidates = {
            name: [meta("int64", (GROUPS,)), meta("int32", (GROUPS,))]
            if name in index
            else [
                meta(dtype, shape)
                for dtype in dict.fromkeys((*definition.dtypes_of(name), *floats, "int32"))
                for shape in shapes
            ]
            for name in present
        }
        longest = max(map(len, candidates.values()))
        alike = [
            {**required, **{name: tries[k % len(tries)] for name, tries in candidates.items()}} for k in range(longest)
        ]
        first = passed(alike[0])
        others = {*definition.schema.tensor_names} - {definition.main}
        if first < len(in_order) and (about := {*in_order[first].about}) and not about & others:
            return None  # no shape and no dtype of the optional tensors helps
        counts = [passed(metas) for metas in alike]
        best = max(counts)
        metas, before = alike[counts.index(best)], -1
        while before < best < len(in_order):
            before, movable = best, {*in_order[best].about} & {*present} or {*present}
            for name, tries in candidates.items():
                for one in tries if name in movable else ():
                    if best < len(in_order) and (count := passed({**metas, name: one})) > best:
                        metas, best = {**metas, name: one}, count
        if best == len(in_order):
            return metas
    return None


def _shapes(
    operator: Operator, attributes: Mapping[str, Any], name: str, main: TensorMeta, elements: Shape
) -> list[Shape]:
    """Shapes that an optional tensor may have: of elements, of rows, of groups, and of rows for groups."""
    row, whole_row = elements[-1:], main.shape[-1:]
    return [
        operator.access.whole_shape(name, elements, dict(attributes)), (GROUPS, *row), (GROUPS, *whole_row), (1, *row),
        row, whole_row, (1,), (GROUPS,), elements[:-1], (*elements[:-1], 1), elements, main.shape,
    ]  # fmt: skip


@cache
def _patterns(operator: Operator, dtype: str, settings: tuple[tuple[Any, ...], ...], dim: int, judge: Any) -> Any:
    names = names_of(operator)
    sizes = range(len(names) + 1) if len(names) <= 3 else (0, 1, 2, 3, len(names) - 1, len(names))
    rng = np.random.default_rng(0)
    scalars = operator.schema.scalars  # no rule on tensors depends on these numbers
    found: dict[tuple[str, ...], list[int]] = {}
    for pattern in (p for size in sizes for p in combinations(names, size)):
        fits: dict[tuple[Any, ...], bool] = {}
        for k, setting in enumerate(settings):
            key = tuple((name, value) for name, value in setting if name not in scalars)
            if key not in fits:
                fits[key] = _fits(operator, dict(setting), dtype, pattern, dim, rng)
            if fits[key]:
                found.setdefault(pattern, []).append(k)
    return found


def _fits(
    operator: Operator,
    attributes: dict[str, Any],
    dtype: str,
    pattern: Sequence[str],
    dim: int,
    rng: np.random.Generator,
) -> bool:
    if operator.access.dimension_attribute:
        attributes[operator.access.dimension_attribute] = dim
    for elements in _SMALL if operator.access.blocks(_SMALL[-1][-1], attributes) else _SMALL[:1]:
        required = required_metas(operator, attributes, dtype, elements)
        if completed(operator, attributes, required, elements, pattern, rng) is not None:
            return True
    return False


def patterns(
    operator: Operator, dtype: str, settings: Sequence[Mapping[str, Any]], dim: int = -1
) -> dict[tuple[str, ...], list[int]]:
    """The sets of optional tensors that a call may have, each with the indices of the settings that allow the set.

    `dim` is the dimension of the call, if the operator has such an attribute.
    """
    keys, judge = tuple(tuple(setting.items()) for setting in settings), cast(Any, law.current())
    result: dict[tuple[str, ...], list[int]] = _patterns(operator, dtype, keys, dim, judge)
    return result


# Numbers


def values(
    operator: Operator,
    attributes: Mapping[str, Any],
    name: str,
    described: TensorMeta,
    elements: Shape,
    rng: np.random.Generator,
    has_edges: bool = False,
    is_exact: bool = False,
) -> Array:
    """Numbers for an optional tensor. With `has_edges`, groups are empty, or end at the first or the last row.

    With `is_exact`, products with these numbers and sums are not rounded, so that they overflow nowhere.
    """
    definition = operator.definition
    dtype = described.dtype.numpy
    if name in (definition.ragged.counter, definition.ragged.groups):
        dimension = operator.access.dimension(dict(attributes), len(elements))
        rows = prod(elements[:-1] if dimension is None else elements[:dimension])
        return _index(operator, attributes, name, described.shape[0], rows, rng, has_edges).astype(dtype)
    count = prod(described.shape)
    if described.dtype.kind != "float":
        return rng.integers(-100, 101, count).astype(dtype).reshape(described.shape)
    is_offset = definition.defaults_of_tensors.get(name, 1.0) == 0
    if is_exact:
        signs = rng.choice((-1.0, 1.0), count)
        return (np.full(count, -0.0) if is_offset else signs).astype(dtype).reshape(described.shape)
    if is_offset:
        return rng.uniform(-5, 5, count).astype(dtype).reshape(described.shape)
    sizes = rng.uniform(0.25, 2, count) * rng.choice((-1.0, 1.0), count)
    return sizes.astype(dtype).reshape(described.shape)


def _index(
    operator: Operator,
    attributes: Mapping[str, Any],
    name: str,
    count: int,
    rows: int,
    rng: np.random.Generator,
    has_edges: bool,
) -> Array:
    """The sizes or the ends of groups of rows."""
    ragged = operator.definition.ragged
    is_whole = ragged.rest == "refused" or rng.random() < 0.3
    if has_edges:
        edges = [[0, rows, rows], [rows, rows, rows], [0, 0, rows]]
        edges += [] if is_whole else [[0, 0, 0], [0, rows // 2, rows // 2]]
        ends = np.array(edges[int(rng.integers(len(edges)))])
    else:
        last = rows if is_whole else int(rng.integers(rows // 2, rows + 1))
        ends = np.sort(np.append(rng.integers(0, last + 1, count - 1), last))
    are_counts = ragged.are_counts if isinstance(ragged.are_counts, bool) else attributes[ragged.are_counts] == 1
    return np.diff(ends, prepend=0) if name == ragged.counter or are_counts else ends
