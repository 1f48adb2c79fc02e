"""Results are compared with the float64 reference before anything is timed; a wrong result is not timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import actgrad

from . import buffers
from .buffers import Array, Tensors
from .cases import Case

#: Allowed errors, in units of rounding of the largest term. Peers round after each step, and their GELU is inexact in
#: the tail.
OURS_ROUNDINGS, PEER_ROUNDINGS = 8, 32


class WrongResult(actgrad.ActgradError):
    """A call that was to be timed computes something else."""


@dataclass(frozen=True)
class Standard:
    """The exact results of a call at some of its elements."""

    case: Case
    device: Any
    tensors: Tensors
    exact: tuple[Array, ...]  # float64, or integers
    size: Array  # a bound of the terms of each element, at least 1

    def check(self, name: str, results: Sequence[Any], roundings: int) -> None:
        """Raise WrongResult where a result is off by more than so many roundings."""
        inputs = self.tensors.inputs
        sampled = buffers.sample([*inputs, *results], self.case.is_gated, self.device.take)[len(inputs) :]
        for output, got, exact in zip(self.case.operator.schema.outputs, sampled, self.exact, strict=True):
            assert got is not None
            if exact.dtype.kind in "iu":
                allowed: Any = 1  # a tie that is not quite one may be rounded either way
            else:
                terms = np.maximum(np.tile(self.size, exact.size // self.size.size), np.abs(exact))
                allowed = roundings * float(ml_dtypes.finfo(got.dtype).eps) * terms
            computed = got.astype(np.float64)
            with np.errstate(invalid="ignore"):
                is_near = np.abs(computed - exact) <= allowed
            faults = ~(is_near | (computed == exact) | (np.isnan(computed) & np.isnan(exact)))
            if faults.any():
                first, count = int(np.argmax(faults)), np.count_nonzero(faults)
                raise WrongResult(
                    f"{self.case.title}, {name}: {output} is wrong in {count} of {got.size} elements "
                    f"looked at, for example {got[first]} for {exact[first]}; wrong results are not timed"
                )


def standard(case: Case, device: Any, tensors: Tensors) -> Standard:
    """The exact results of a call on tensors of a device."""
    sampled = buffers.sample([*tensors.inputs, *tensors.outputs], case.is_gated, device.take)[: len(tensors.inputs)]
    wide = [a if a is None or a.dtype.kind in "iu" else a.astype(np.float64) for a in sampled]
    exact = case.operator(*wide, backend="reference", **case.attributes)
    exact = exact if isinstance(exact, tuple) else (exact,)
    given = [np.abs(a) for a in wide if a is not None]
    count = min(a.size for a in (*given, *exact))  # of elements; packed tensors have two of each
    size = np.prod([np.maximum(1, a.reshape(-1, count)).prod(0) for a in given], axis=0)
    return Standard(case, device, tensors, exact, size)
