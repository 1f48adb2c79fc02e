"""Whether what is about to be timed is right, against the float64 reference; what is wrong is not timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ..base.errors import ActgradError
from ..conformance import oracle
from . import buffers
from .buffers import Array, Tensors
from .cases import Case
from .devices import Device

#: Allowed to us: ULP, and where terms cancel units of the larger one; for 16 bits and for the others.
NARROW, WIDE = (1.0, 8.0), (12.0, 16.0)
#: Allowed to peers: units of rounding of the terms. They round after each step, and their GELU has no small tail.
PEER_UNITS = 32


class WrongResult(ActgradError):
    """What was to be timed computes something else."""


@dataclass(frozen=True)
class Standard:
    """What a call must give in some of its elements."""

    case: Case
    device: Device
    tensors: Tensors
    expected: tuple[oracle.Expected, ...]  # empty for integers
    integers: tuple[Array, ...]

    def check_ours(self, name: str, results: Sequence[Any]) -> float:
        """The largest error in ULP, but for elements in which terms cancel; WrongResult if it is too large."""
        worst = 0.0
        for k, got in enumerate(self._sampled(results)):
            if self.integers:
                self._check_integers(name, k, got)
                continue
            expected = self.expected[k]
            self._refuse(name, k, got, expected.values, expected.faults(got, *(NARROW if got.itemsize == 2 else WIDE)))
            worst = max(worst, float(np.max(np.where(expected.cancels, 0, expected.errors(got)), initial=0)))
        return worst

    def check_peer(self, name: str, results: Sequence[Any]) -> None:
        """WrongResult if a peer does not compute the same within what its precision allows."""
        for k, got in enumerate(self._sampled(results)):
            if self.integers:
                self._check_integers(name, k, got)
                continue
            expected, eps = self.expected[k], float(ml_dtypes.finfo(got.dtype).eps)
            error = np.abs(got.astype(np.float64) - expected.values.astype(np.float64))
            allowed = PEER_UNITS * eps * (1 + np.abs(expected.values) + expected.size)
            self._refuse(name, k, got, expected.values, ~(error <= allowed))

    def _check_integers(self, name: str, k: int, got: Array) -> None:
        distance = np.abs(got.astype(np.int64) - self.integers[k].astype(np.int64))
        self._refuse(name, k, got, self.integers[k], distance > 1)  # what is almost a tie may go either way

    def _refuse(self, name: str, k: int, got: Array, exact: Array, faults: Array) -> None:
        if faults.any():
            first, output = int(np.argmax(faults)), self.case.operator.schema.outputs[k]
            raise WrongResult(
                f"{self.case.title}, {name}: {output} is wrong in {np.count_nonzero(faults)} of {got.size} elements "
                f"looked at, for example {got[first]} for {exact[first]}; wrong results are not timed"
            )

    def _sampled(self, results: Sequence[Any]) -> list[Array]:
        inputs = self.tensors.inputs
        sampled = buffers.sample([*inputs, *results], self.case.is_gated, self.device.take)[len(inputs) :]
        return [a for a in sampled if a is not None]


def standard(case: Case, device: Device, tensors: Tensors) -> Standard:
    """What a call on `tensors` must give, which are on the device."""
    count, operator, attributes = len(tensors.inputs), case.operator, dict(case.attributes)
    sampled = buffers.sample([*tensors.inputs, *tensors.outputs], case.is_gated, device.take)
    inputs, outputs = sampled[:count], sampled[count:]
    if all(a is not None and a.dtype.kind in "iu" for a in outputs):
        results = oracle.as_tuple(operator(*inputs, backend="reference", **attributes))
        return Standard(case, device, tensors, (), results)
    return Standard(case, device, tensors, oracle.expected(operator, inputs, case.all_attributes), ())
