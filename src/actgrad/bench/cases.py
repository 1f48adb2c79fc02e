"""What is measured: an operator with its attributes, once for each formula that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.dtypes import BY_NAME
from ..base.loop import Operand
from ..calls.operator import Operator
from ..calls.plan import Plan
from ..conformance import oracle
from .buffers import Pool, Tensors


@dataclass(frozen=True)
class Case:
    """An operator with attributes; all not named keep their defaults."""

    operator: Operator
    attributes: Mapping[str, Any]
    with_optional: bool  # whether its optional tensors are given
    title: str

    @property
    def is_gated(self) -> bool:
        return bool(self.operator.access.packed)

    @property
    def all_attributes(self) -> dict[str, Any]:
        return {**self.operator.defaults, **self.attributes}

    @property
    def scalars(self) -> list[float]:
        """The attributes that the formula takes."""
        return [float(self.all_attributes[a.name]) for a in self.operator.schema.attributes if a.type == "Scalar"]

    def pool(self, dtype: str, deviation: float = 1.0) -> Pool:
        """Numbers to fill the case's tensors with; where it takes a result, that is one."""
        pool = Pool(BY_NAME[dtype].numpy, deviation=deviation)
        forward = self.operator.gradient_of
        if forward is not None and oracle.takes_result(self.operator, self.all_attributes):
            shared = {name: value for name, value in self.all_attributes.items() if name in forward.defaults}
            pool.main = np.asarray(forward(pool.main, backend="reference", **shared))
        return pool

    def plan(self, tensors: Tensors) -> Plan:
        return self.operator.plan(*tensors.inputs, out=tensors.out, **self.attributes)


def cases(operator: Operator) -> list[Case]:
    """One case per formula, and per way of giving the optional tensors."""
    is_switched = isinstance(operator.formula, Mapping) and isinstance(operator.switch, str)
    keys = tuple(operator.formula) if is_switched and isinstance(operator.formula, Mapping) else (None,)
    optional = [a.name for a in operator.schema.tensors if a.is_optional]
    found = []
    for key in keys:
        attributes = {} if key is None else {str(operator.switch): key}
        for with_optional in (True, False) if optional else (False,):
            words = [operator.name]
            if key is True or isinstance(key, str):
                words.append(str(operator.switch) if key is True else key)
            words += [f"no {name}" for name in optional if not with_optional]
            found.append(Case(operator, attributes, with_optional, " ".join(words)))
    return found


def traffic(plan: Plan) -> tuple[int, int]:
    """The bytes that a call must read and must write: each element of each operand once, and no more.

    What is read to fill cache lines that are then overwritten, or skipped over by strides, does not count.
    """
    loop = plan.computation.loop

    def size(operand: Operand) -> int:
        elements = 1
        for count, stride in zip(loop.shape, operand.strides, strict=True):
            elements *= count if stride else 1  # an expanded element is one
        return elements * operand.dtype.itemsize

    return sum(map(size, loop.inputs)), sum(map(size, loop.outputs))
