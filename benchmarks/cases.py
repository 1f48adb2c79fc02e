"""Cases: an operator with its attributes, once for each formula that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from . import buffers, subject
from .buffers import Pool, Tensors


@dataclass(frozen=True)
class Case:
    """An operator with attributes; all others keep their defaults."""

    operator: Any
    attributes: Mapping[str, Any]
    with_optional: bool  # whether its optional tensors are given
    title: str

    @property
    def is_gated(self) -> bool:
        return bool(subject.packed(self.operator))

    @property
    def activates_lower(self) -> bool:
        return subject.activates_lower(self.operator, self.all_attributes)

    @property
    def all_attributes(self) -> dict[str, Any]:
        return {**self.operator.defaults, **self.attributes}

    def pool(self, dtype: str, deviation: float = 1.0) -> Pool:
        """Numbers to fill the tensors with; the main tensor gets results of the forward pass where it takes these."""
        pool = Pool(subject.NUMPY[dtype], deviation=deviation)
        forward = self.operator.gradient_of
        if forward is not None and subject.takes_result(self.operator, self.all_attributes):
            shared = {name: value for name, value in self.all_attributes.items() if name in forward.defaults}
            pool.main = np.asarray(forward(pool.main, backend="reference", **shared))
        return pool

    def tensors(self, layout: str, size: int, pool: Pool, row: int = buffers.ROW) -> Tensors:
        """The tensors of one call, the largest of about `size` elements."""
        shape = buffers.shape_of(layout, size, self.is_gated, row)
        return buffers.make(self.operator, layout, shape, pool, self.with_optional)

    def plan(self, tensors: Tensors) -> Any:
        return self.operator.plan(*tensors.inputs, out=tensors.out, **self.attributes)


def cases(operator: Any) -> list[Case]:
    """One case per formula, and per way of giving the optional tensors."""
    is_switched = isinstance(operator.formula, Mapping) and operator.switch in operator.defaults
    optional = [a.name for a in operator.schema.tensors if a.is_optional]
    found = []
    for key in tuple(operator.formula) if is_switched else (None,):
        attributes = {} if key is None else {operator.switch: key}
        for with_optional in (True, False) if optional else (False,):
            words = [operator.name]
            if key is True or isinstance(key, str):
                words.append(operator.switch if key is True else key)
            words += [f"no {name}" for name in optional if not with_optional]
            found.append(Case(operator, attributes, with_optional, " ".join(words)))
    return found


def traffic(tensors: Tensors) -> tuple[int, int]:
    """The bytes that a call must read and must write: each element of each tensor once, an expanded one once.

    Cache lines that are filled only to be overwritten, and elements that strides skip, do not count.
    """

    def size(tensor: Any) -> int:
        strides = tensor.strides if isinstance(tensor, np.ndarray) else tensor.stride()
        return prod(n for n, stride in zip(tensor.shape, strides, strict=True) if stride) * int(tensor.itemsize)

    return sum(size(t) for t in tensors.inputs if t is not None), sum(map(size, tensors.outputs))
