"""Makes the cases that the mixed tolerance requires, from the registry. The same seed makes the same cases.

Each dtype with each class of attributes has cases in 1 to 8 dimensions of sizes 2^k and 2^k - 1. Half of them draw
numbers from U[-5, 5], and half from N(mu, sigma) with mu in [-5, 5] and sigma in [0.1, 2]. Special cases have no
element, one element, the bounds of the dtype, the tails, zeros, infinities and NaN. Other cases take results of the
forward pass (cascades), compute in place, or combine different shapes and dtypes if the operator broadcasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice, permutations, product
from math import inf, log, nan
from typing import Any

import ml_dtypes
import numpy as np

from ... import checks
from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError
from ...base.loop import TensorMeta, row_major
from ...calls.operator import Operator
from ...checks.law import LawInForce
from ...judge import oracle
from ...judge.delivery import design, optional_tensors
from ...judge.elements import case_dtypes, case_laws
from ..aclnn.signatures import Signature
from . import interface
from .case_model import FileCase, Scalar, Tensor, Values

STANDARDS = {"v2": "the mixed tolerance, of July 2026"}
LARGEST = 1 << 14  # elements of a tensor
UNIFORM = Values(-5.0, 5.0)
NORMAL = Values(-5.0, 5.0, (0.1, 2.0))
_SIZES = sorted({1, *(2**k - d for k in range(2, 9) for d in (0, 1))})


def generate(operator: Operator, number: int | None, largest: int, seed: int) -> list[FileCase]:
    """`number` cases of an operator, with equal shares of all kinds. None means one case of each kind."""
    maker = _maker(operator, largest, seed)
    once = list(maker.round())
    number = len(once) if number is None else number
    few = min(number, len(once))
    more = (case for _ in count() for case in maker.round())
    cases = [*(once[k * len(once) // few] for k in range(few)), *islice(more, number - few)]
    # Seeds are assigned at the end, so that case k always has the seed `seed + k`.
    return [replace(case, name=f"{operator.name} {k} {case.name}", seed=seed + k) for k, case in enumerate(cases)]


def coverage(operator: Operator, cases: Sequence[FileCase], largest: int, seed: int) -> design.Coverage:
    """How many of these cases are in each cell: each dtype with each kind of case, and each optional tensor."""
    maker = _maker(operator, largest, seed)
    once = [(case.name, case) for case in maker.round()]
    kinds, first = list(dict.fromkeys(kind for kind, _ in once)), once[0][0]
    counts = {cell: 0 for kind, case in once for cell in _cells(operator, kind, case)}
    for dtype in maker.dtypes:
        possible = optional_tensors.patterns(operator, dtype, design.settings_of(operator, dtype))
        for name in optional_tensors.names_of(operator):
            if any(name in pattern for pattern in possible):
                counts.setdefault((operator.name, dtype, name, first), 0)
    for case in cases:
        for cell in _cells(operator, case.name.rpartition(" ")[2], case):
            counts[cell] = counts.get(cell, 0) + 1
    return design.Coverage(counts, kinds)


def _cells(operator: Operator, kind: str, case: FileCase) -> Iterator[tuple[str, str, str, str]]:
    """The cells that a case covers: operator, dtype, state of the optional tensors, kind."""
    given = [name for name in optional_tensors.names_of(operator) if name in case.inputs]
    for state in given or [design.NONE_GIVEN]:
        yield operator.name, case.inputs[operator.definition.main].dtype, state, kind


def _maker(operator: Operator, largest: int, seed: int) -> _Maker:
    return _Maker(operator, largest, np.random.default_rng((seed, *operator.name.encode())))


@dataclass
class _Maker:
    """Makes cases of one operator. Each round has all kinds of cases. The shapes differ from round to round."""

    operator: Operator
    largest: int
    rng: np.random.Generator
    rank: int = 0

    @property
    def dtypes(self) -> list[str]:
        return case_dtypes(self.operator)

    def round(self) -> Iterator[FileCase]:
        """One case of each kind."""
        operator = self.operator
        attributes = oracle.attribute_cases(operator, checks.law.current())
        for dtype in self.dtypes:
            for setting in attributes:
                for name, values in (("uniform", UNIFORM), ("normal", NORMAL)):
                    yield self.case(name, setting, dtype, values)
        for k, dtype in enumerate(self.dtypes):
            for n, (name, values, shape) in enumerate(_special(dtype)):
                if operator.access.sees_rows and max(-values.low, values.high) == oracle.ends(dtype)[1]:
                    continue  # totals of such numbers are infinite
                yield self.case(name, attributes[(n + k) % len(attributes)], dtype, values, shape)
            if operator.access.sees_rows and BY_NAME[dtype].kind == "float":
                limit = oracle.LARGE_IN_ROWS
                yield self.case("large", attributes[k % len(attributes)], dtype, Values(-limit, limit))
        yield from self.cascades(attributes)
        yield from self.in_place(attributes)
        if operator.broadcasts:
            yield from self.broadcast(attributes)

    def case(
        self, name: str, attributes: dict[str, Any], dtype: str, values: Values, shape: tuple[int, ...] | None = None
    ) -> FileCase:
        """A case in which all tensors have the same dtype and the same kind of numbers."""
        shape = self.shape() if shape is None else shape
        setting = oracle.attributes_for(self.operator, attributes, dtype)
        dim = self.operator.access.dimension_attribute
        if dim and shape:
            setting[dim] = int(self.rng.integers(-len(shape), len(shape)))
        operator, signature = self.operator, self.signature(setting)

        def full_shape(name: str) -> tuple[int, ...]:
            return operator.access.whole_shape(name, shape, setting) if shape or not dim else shape

        names = [a.name for a in operator.schema.tensors if not a.is_optional or a.name == operator.given_value]
        dtypes_of = operator.definition.dtypes_of
        inputs = {n: Tensor((*dtypes_of(n), dtype)[0], full_shape(n), values) for n in names}
        outputs = self.outputs(self.call(inputs, setting))
        inputs |= {
            p.argument: Tensor(dtype, shape, values) for p in interface.case_parameters(signature) if p.is_unread
        }
        return FileCase(name, {}, signature, inputs, outputs, self.scalars(signature, setting))

    def call(self, inputs: dict[str, Tensor], attributes: dict[str, Any]) -> checks.Call:
        """The call of a case."""
        metas = {n: TensorMeta(BY_NAME[t.dtype], t.shape, row_major(t.shape, 1)) for n, t in inputs.items()}
        return checks.Call(self.operator.definition, {**metas}, attributes)

    def outputs(self, call: checks.Call) -> dict[str, Tensor]:
        """The results of a call."""
        pairs = zip(self.operator.schema.outputs, checks.result_shapes(call), strict=True)
        return {name: Tensor(checks.output_dtype(call, name).name, shape) for name, shape in pairs}

    def signature(self, attributes: dict[str, Any]) -> Signature:
        """One of the operator's functions with these attributes, chosen at random."""
        functions = interface.functions_of(self.operator)
        fitting = [s for s in functions if not s.in_place and _has(s, attributes)]
        fitting = fitting or [interface.own_signature(self.operator)]
        return fitting[int(self.rng.integers(len(fitting)))]

    def scalars(self, signature: Signature, attributes: dict[str, Any]) -> dict[str, Scalar]:
        """The attributes for a function. A choice becomes its number. A default becomes null, if null is allowed."""
        operator, scalars = self.operator, {}
        for parameter in (p for p in interface.inputs(signature) if p.type != "Tensor"):
            name, value = parameter.argument, attributes[parameter.argument]
            if interface.may_be_null(signature, parameter) and value == operator.defaults[name]:
                continue
            if operator.choices and name == operator.switch and parameter.type == "int":
                value = operator.choices.index(value)
            scalars[name] = Scalar(float(value) if parameter.type in ("Scalar", "double") else value)
        return scalars

    def shape(self) -> tuple[int, ...]:
        """A shape with sizes 2^k and 2^k - 1. The number of dimensions cycles from 1 to 8."""
        self.rank = self.rank % 8 + 1
        room, sizes = self.largest // (8 if self.operator.access.has_bits else 2), []
        for left in range(self.rank, 0, -1):
            # Every dimension gets an equal share. The last one gets the rest.
            maximum = max(1, int(room ** (1 / left)) * (2 if left > 1 else 1))
            fitting = [n for n in _SIZES if n <= min(maximum, room)] or [1]
            size = fitting[int(self.rng.integers(max(0, len(fitting) - 6), len(fitting)))]
            sizes.append(size)
            room //= size
        return tuple(sizes[k] for k in self.rng.permutation(self.rank))

    def cascades(self, attributes: list[dict[str, Any]]) -> Iterator[FileCase]:
        """Cases with results of the forward pass as tensors."""
        definition = self.operator.definition
        for dtype, setting in product(self.dtypes, attributes):
            names = [definition.main] if definition.takes_result(setting) else []
            names += filter(None, [definition.given_value])
            for values in (UNIFORM, NORMAL) if names else ():
                case = self.case("cascade", setting, dtype, values)
                results = {n: replace(case.inputs[n], is_result=True) for n in names}
                yield replace(case, inputs={**case.inputs, **results})

    def in_place(self, attributes: list[dict[str, Any]]) -> Iterator[FileCase]:
        """Cases of the functions that compute in place."""
        for signature in interface.functions_of(self.operator):
            if signature.in_place:
                fitting = [setting for setting in attributes if _has(signature, setting)]
                for k, dtype in enumerate(self.dtypes):
                    setting = oracle.attributes_for(self.operator, fitting[k % len(fitting)], dtype)
                    case = self.case("in-place", setting, dtype, UNIFORM)
                    if all(tensor.dtype == dtype for tensor in case.outputs.values()):
                        scalars = self.scalars(signature, setting)
                        yield replace(case, signature=signature, attributes=scalars, outputs={})

    def broadcast(self, attributes: list[dict[str, Any]]) -> Iterator[FileCase]:
        """Cases with tensors of different shapes and dtypes, if the operator takes such tensors."""
        names = self.operator.schema.tensor_names
        pairs = [((31, 1), (1, 32)), ((16, 15), (15,)), ((), (7, 8)), ((4, 1, 63), (4, 8, 1)), ((1,), (2, 1, 3, 1))]
        first = self.dtypes[0]
        mixed: list[tuple[str, Any, Any]] = [("broadcast", shapes, (first, first)) for shapes in pairs]
        mixed += [("promotion", (self.shape(),) * len(names), dtypes) for dtypes in permutations(self.dtypes, 2)]
        for k, (name, shapes, dtypes) in enumerate(mixed):
            setting = attributes[k % len(attributes)]
            case = self.case(name, setting, first, UNIFORM, ())
            shape_of, dtype_of = (dict(zip(names, parts, strict=False)) for parts in (shapes, dtypes))
            changes = {n: {"shape": shape_of.get(n, ()), "dtype": dtype_of.get(n, first)} for n in case.inputs}
            inputs = {n: replace(tensor, **changes[n]) for n, tensor in case.inputs.items()}
            if any(self.takes(judge, inputs, setting) for judge in case_laws(self.operator)):
                yield replace(case, inputs=inputs, outputs=self.outputs(self.call(inputs, setting)))

    def takes(self, judge: LawInForce | None, inputs: dict[str, Tensor], attributes: dict[str, Any]) -> bool:
        """Whether a case keeps the rules of a law, or the operator's own rules if there is none."""
        call = self.call(inputs, attributes)
        try:
            checks.run(call)  # only then it has results
            checks.run(self.call(inputs | self.outputs(call), attributes).changed(law=judge))
        except ActgradError:
            return False
        return True


def _has(signature: Signature, attributes: dict[str, Any]) -> bool:
    """Whether these attributes have the values that a function fixes."""
    return all(attributes[name] == value for name, value in signature.fixed.items())


def _special(dtype: str) -> Iterator[tuple[str, Values, tuple[int, ...] | None]]:
    """Yield name, numbers and shape of the special cases of a dtype. A shape of None means any shape."""
    yield from (("empty", UNIFORM, (0,)), ("empty", UNIFORM, (4, 0, 3)), ("one", UNIFORM, (1,)))
    minimum, maximum = map(float, oracle.ends(dtype))
    ranges = [("zeros", 0.0, 0.0), ("bounds", minimum, maximum)]
    if BY_NAME[dtype].kind == "float":
        tiny, end = float(ml_dtypes.finfo(BY_NAME[dtype].numpy).smallest_normal), log(maximum)
        ranges[1:1] = [("bounds", minimum, minimum), ("bounds", maximum, maximum)]
        ranges += [("bounds", -tiny, tiny), ("tail", -1.25 * end, -0.75 * end)]
        ranges += [(str(value), value, value) for value in (inf, -inf, nan)]
    yield from ((name, Values(low, high), None) for name, low, high in ranges)
