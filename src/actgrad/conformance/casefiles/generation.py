"""Cases as the mixed tolerance demands them, from the registry; a seed gives the same cases again.

Each dtype with each class of attributes, in 1 to 8 dimensions of sizes 2^k and 2^k - 1, half of them on U[-5, 5] and
half on N(mu, sigma) with mu in [-5, 5] and sigma in [0.1, 2]; then nothing, one element, the bounds of the dtype, the
tails, zeros, infinities and NaN; the forward pass's results for such numbers (cascades); in place; and, where the
operator broadcasts, other shapes and dtypes beside each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, count, islice
from math import inf, log, nan, prod
from typing import Any

import ml_dtypes
import numpy as np

from ...aclnn.signatures import Signature
from ...base.dtypes import BY_NAME, promote
from ...calls.operator import Operator
from .. import oracle
from . import interface
from .case_model import Described, Scalar, Tensor, Values

STANDARDS = {"v2": "the mixed tolerance, in force since July 2026"}
LARGEST = 1 << 14  # elements of a tensor
UNIFORM = Values(-5.0, 5.0)
NORMAL = Values(-5.0, 5.0, (0.1, 2.0))
_SIZES = sorted({1, *(2**k - d for k in range(2, 9) for d in (0, 1))})


def generate(operator: Operator, number: int | None, largest: int, seed: int) -> list[Described]:
    """`number` cases of an operator, evenly of all kinds; None for each kind once."""
    maker = _Maker(operator, largest, np.random.default_rng((seed, *operator.name.encode())))
    once = list(maker.round())
    number = len(once) if number is None else number
    few = min(number, len(once))
    more = (case for _ in count() for case in maker.round())
    cases = [*(once[k * len(once) // few] for k in range(few)), *islice(more, number - few)]
    # The seeds of their numbers come last, so that a case keeps its seed beside other cases.
    return [replace(case, name=f"{operator.name} {k} {case.name}", seed=seed + k) for k, case in enumerate(cases)]


@dataclass
class _Maker:
    """Makes cases of one operator; each round has all kinds, with other shapes."""

    operator: Operator
    largest: int
    rng: np.random.Generator
    rank: int = 0

    def round(self) -> Iterator[Described]:
        """Every kind of case once."""
        operator = self.operator
        attributes = oracle.attribute_cases(operator)
        for dtype in operator.dtypes:
            for own in attributes:
                for name, values in (("uniform", UNIFORM), ("normal", NORMAL)):
                    yield self.case(name, own, dtype, values)
        for k, dtype in enumerate(operator.dtypes):
            for n, (name, values, shape) in enumerate(_special(dtype)):
                yield self.case(name, attributes[(n + k) % len(attributes)], dtype, values, shape)
        yield from self.cascades(attributes)
        yield from self.in_place(attributes)
        if operator.broadcasts:
            yield from self.broadcast(attributes)

    def case(
        self, name: str, attributes: dict[str, Any], dtype: str, values: Values, shape: tuple[int, ...] | None = None
    ) -> Described:
        """A case whose tensors are all of one dtype, and all of such numbers."""
        shape = self.shape() if shape is None else shape
        own = dict(attributes)
        if self.operator.access.dim and shape:
            own[self.operator.access.dim] = int(self.rng.integers(-len(shape), len(shape)))
        signature = self.signature(own)
        operator = self.operator

        def whole(name: str) -> tuple[int, ...]:
            return operator.access.whole_shape(name, shape, own) if shape else shape

        inputs = {n: Tensor(dtype, whole(n), values) for n in operator.schema.tensor_names}
        outputs = {n: Tensor(dtype, whole(n)) for n in operator.schema.outputs}
        return Described(name, {}, signature, inputs, outputs, self.scalars(signature, own))

    def signature(self, attributes: dict[str, Any]) -> Signature:
        """One of the operator's functions that has these attributes, another one each time."""
        fitting = [
            s for s in interface.of(self.operator)
            if not s.in_place and all(attributes[n] == value for n, value in s.fixed.items())
        ]  # fmt: skip
        return fitting[int(self.rng.integers(len(fitting)))]

    def scalars(self, signature: Signature, attributes: dict[str, Any]) -> dict[str, Scalar]:
        """The attributes as a function takes them: choices by their number."""
        operator = self.operator
        found = {}
        for parameter in interface.inputs(signature):
            if parameter.type == "Tensor":
                continue
            value = attributes[parameter.argument]
            if operator.choices and parameter.argument == operator.switch:
                value = operator.choices.index(value)
            found[parameter.argument] = Scalar(float(value) if parameter.type == "Scalar" else value)
        return found

    def shape(self) -> tuple[int, ...]:
        """The next number of dimensions from 1 to 8, of sizes 2^k and 2^k - 1."""
        self.rank = self.rank % 8 + 1
        room, found = self.largest // 2, []
        for left in range(self.rank, 0, -1):
            # Every dimension gets an equal share; the last one gets the rest.
            most = max(1, int(room ** (1 / left)) * (2 if left > 1 else 1))
            fitting = [n for n in _SIZES if n <= min(most, room)] or [1]
            size = fitting[int(self.rng.integers(max(0, len(fitting) - 6), len(fitting)))]
            found.append(size)
            room //= size
        return tuple(found[k] for k in self.rng.permutation(self.rank))

    def cascades(self, attributes: list[dict[str, Any]]) -> Iterator[Described]:
        """Cases whose tensors are results of the forward pass."""
        operator = self.operator
        if operator.gradient_of is None:
            return
        optional = [a.name for a in operator.schema.tensors if a.is_optional]
        for dtype in operator.dtypes:
            for own in attributes:
                names = [*optional, *([operator.definition.main] if oracle.takes_result(operator, own) else [])]
                for values in (UNIFORM, NORMAL) if names else ():
                    case = self.case("cascade", own, dtype, values)
                    results = {n: replace(case.inputs[n], values=replace(values, is_result=True)) for n in names}
                    yield replace(case, inputs={**case.inputs, **results})

    def in_place(self, attributes: list[dict[str, Any]]) -> Iterator[Described]:
        """The functions that have one tensor for input and output."""
        for signature in interface.of(self.operator):
            if signature.in_place:
                for k, dtype in enumerate(self.operator.dtypes):
                    own = attributes[k % len(attributes)]
                    case = self.case("in-place", own, dtype, UNIFORM)
                    yield replace(case, signature=signature, outputs={})

    def broadcast(self, attributes: list[dict[str, Any]]) -> Iterator[Described]:
        """Tensors of different shapes, and of different dtypes."""
        operator, names = self.operator, self.operator.schema.tensor_names
        pairs = [((31, 1), (1, 32)), ((16, 15), (15,)), ((), (7, 8)), ((4, 1, 63), (4, 8, 1)), ((1,), (2, 1, 3, 1))]
        for k, shapes in enumerate(pairs):
            yield self._mixed("broadcast", attributes[k % len(attributes)], dict(zip(names, shapes, strict=False)), {})
        for k, dtypes in enumerate(combinations(operator.dtypes, 2)):
            shape = self.shape()
            for pair in (dtypes, dtypes[::-1]):
                own = attributes[k % len(attributes)]
                yield self._mixed("promotion", own, dict.fromkeys(names, shape), dict(zip(names, pair, strict=False)))

    def _mixed(
        self, name: str, attributes: dict[str, Any], shapes: dict[str, tuple[int, ...]], dtypes: dict[str, str]
    ) -> Described:
        case = self.case(name, attributes, self.operator.dtypes[0], UNIFORM, ())
        inputs = {n: replace(t, shape=shapes.get(n, ()), dtype=dtypes.get(n, t.dtype)) for n, t in case.inputs.items()}
        shape = np.broadcast_shapes(*(tensor.shape for tensor in inputs.values()))
        first, *others = (BY_NAME[tensor.dtype] for tensor in inputs.values())
        dtype = reduce(lambda a, b: promote(a, b) or a, others, first)
        return replace(case, inputs=inputs, outputs={n: Tensor(dtype.name, shape) for n in case.outputs})


def _special(dtype: str) -> Iterator[tuple[str, Values, tuple[int, ...] | None]]:
    """Name, numbers and shape of the cases at the ends of a dtype; None for any shape."""
    yield "empty", UNIFORM, (0,)
    yield "empty", UNIFORM, (4, 0, 3)
    yield "one", UNIFORM, (1,)
    yield "zeros", Values(0.0, 0.0), None
    kind = BY_NAME[dtype]
    if kind.kind != "float":
        limits = np.iinfo(kind.numpy)
        yield "bounds", Values(float(limits.min), float(limits.max)), None
        return
    limits = ml_dtypes.finfo(kind.numpy)
    most, tiny = float(limits.max), float(limits.smallest_normal)
    end = log(most)
    for values in (Values(-most, -most), Values(most, most), Values(-most, most), Values(-tiny, tiny)):
        yield "bounds", values, None
    yield "tail", Values(-1.25 * end, -0.75 * end), None
    for value in (inf, -inf, nan):
        yield str(value), Values(value, value), None


def elements(case: Described) -> int:
    """Numbers that a case computes."""
    return sum(prod(tensor.shape) for tensor in case.outputs.values())
