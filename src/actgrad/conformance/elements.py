"""A call seen element by element: flat lanes, one for each number that the formula meets and each that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..base.access import GATED
from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.errors import InvalidDtype
from ..calls.operator import Operator

Array = np.ndarray[Any, np.dtype[Any]]
At = slice | Array  # elements by their place in the order of rows


@dataclass(frozen=True)
class Lane:
    """One operand of the formula, or one result: a tensor, broadcast, or a half of one."""

    name: str
    array: Array  # of the shape that all lanes have
    start: tuple[int, ...]  # the index of its first element in the tensor

    def take(self, at: At) -> Array:
        """Some elements, as a 1-D array."""
        if isinstance(at, slice):
            return self.array.reshape(-1)[at] if self.array.flags.c_contiguous else self.array.flat[at]
        return self.array[np.unravel_index(at, self.array.shape)] if self.array.shape else self.array.reshape(-1)[at]

    def index(self, place: int) -> tuple[int, ...]:
        """Where an element is in its tensor."""
        here = np.unravel_index(place, self.array.shape) if self.array.shape else ()
        return tuple(int(i) + first for i, first in zip(here, self.start, strict=True))


@dataclass(frozen=True)
class Elements:
    """What was computed, from what, and what came out."""

    operator: Operator
    attributes: dict[str, Any]  # all of them
    computation: Computation
    inputs: tuple[Lane, ...]
    outputs: tuple[Lane, ...]  # those to be judged
    numbers: tuple[int, ...]  # of each of these among the formula's results
    main: int  # the input that the formula is a function of: x

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.inputs[0].array.shape

    @property
    def x(self) -> Lane:
        return self.inputs[self.main]


def elements(
    operator: Operator, attributes: dict[str, Any], inputs: tuple[Array | None, ...], actual: tuple[Array | None, ...]
) -> Elements:
    """A call with its outputs, None where one is not judged; the errors are those of the call itself."""
    # Fresh memory of the outputs' shapes and dtypes: it is checked as outputs are, and never touched.
    out = tuple(None if array is None else np.empty(array.shape, array.dtype) for array in actual)
    plan = operator.plan(*inputs, out=out if len(out) > 1 else out[0], backend="reference", **attributes)
    given = {n: array for n, array in zip(operator.schema.tensor_names, inputs, strict=False) if array is not None}
    named = zip(operator.schema.outputs, actual, strict=True)
    results = {name: array for name, array in named if array is not None}
    for name, array in results.items():
        if BY_NAME[array.dtype.name].kind not in ("float", "int"):
            raise InvalidDtype(
                f"{operator.name}: {name} is {array.dtype}; only floats and signed integers can be judged"
            )
    if operator.layout == GATED:
        return _gated(operator, plan.attributes, plan.computation, given, results)
    shape = np.broadcast_shapes(*(array.shape for array in given.values()))
    return Elements(
        operator,
        plan.attributes,
        plan.computation,
        tuple(whole(name, np.broadcast_to(array, shape)) for name, array in given.items()),
        tuple(whole(name, array) for name, array in results.items()),
        tuple(operator.schema.outputs.index(name) for name in results),
        len(given) - 1,
    )


def _gated(
    operator: Operator,
    attributes: dict[str, Any],
    computation: Computation,
    given: dict[str, Array],
    results: dict[str, Array],
) -> Elements:
    packed, dim, is_left = given.pop("self"), attributes["dim"], attributes["activate_left"]
    active, other = halves("self", packed, dim, is_left)
    whole_results = tuple(whole(name, array) for name, array in results.items())
    if operator.gradient_of is None:
        numbers = tuple(operator.schema.outputs.index(name) for name in results)
        return Elements(operator, attributes, computation, (active, other), whole_results, numbers, 0)
    first, *rest = (whole(name, array) for name, array in given.items())
    outputs = halves(whole_results[0].name, whole_results[0].array, dim, is_left)
    return Elements(operator, attributes, computation, (first, active, other, *rest), outputs, (0, 1), 1)


def whole(name: str, array: Array) -> Lane:
    """All of a tensor as one lane."""
    return Lane(name, np.asarray(array), (0,) * array.ndim)


def halves(name: str, packed: Array, dim: int, is_left: bool) -> tuple[Lane, Lane]:
    """The active half of a gated tensor, and the other."""
    dim %= packed.ndim
    half = packed.shape[dim] // 2
    before = (slice(None),) * dim
    below, above = (*before, slice(0, half)), (*before, slice(half, None))
    start = tuple(half if d == dim else 0 for d in range(packed.ndim))
    lower = Lane(f"{name}, lower half", np.asarray(packed[below]), (0,) * packed.ndim)
    upper = Lane(f"{name}, upper half", np.asarray(packed[above]), start)
    return (lower, upper) if is_left else (upper, lower)
