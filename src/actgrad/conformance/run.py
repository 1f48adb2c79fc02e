"""Our own backends before the judge: each case computed, its outputs filled with garbage before."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import backends, products, testing
from ..errors import BackendUnavailable, InvalidArgument, UnsupportedOnProduct
from . import standards
from .cases import Case, garbage
from .elements import Array
from .judging import judge
from .standards import REPEAT, RUNS
from .verdict import Verdict


@dataclass(frozen=True)
class Result:
    """A verdict, and what of."""

    operator: str
    dtype: str
    case: str
    verdict: Verdict


def check(case: Case, backend: str, asked: Iterable[str], strict: bool = False) -> Result | None:
    """What the judge says of one case on a backend; None where the rules that were chosen refuse such a call."""
    asked = [name for name in asked if name in case.standards]
    try:
        outputs = _outputs(case)
    except (InvalidArgument, UnsupportedOnProduct):
        if not products.any_chosen():
            raise
        return None
    compute(case, backend, outputs)
    verdict = judge(case.operator, case.attributes, case.inputs, outputs, asked=asked, strict=strict)
    if REPEAT in asked:
        verdict = replace(verdict, repeat=repeat(case, backend, outputs))
    return Result(case.operator.name, case.dtype, case.name, verdict)


def _outputs(case: Case) -> tuple[Array, ...]:
    plan = case.operator.plan(*case.inputs, backend="reference", **case.attributes)
    outputs = tuple(case.out(array.shape, array.dtype) for array in testing.as_tuple(plan.result))
    for array in outputs:
        garbage(array)
    return outputs


def compute(case: Case, backend: str, outputs: tuple[Array, ...]) -> None:
    """Compute a case on a backend, into `outputs`."""
    if "cpu" in backends.DEVICES[backend]:
        out = outputs if len(outputs) > 1 else outputs[0]
        with np.errstate(all="ignore"):
            case.operator(*case.inputs, out=out, backend=backend, **case.attributes)
        return
    torch, device = _torch(backend)
    tensors = [None if a is None else testing.to_torch(torch, np.ascontiguousarray(a)).to(device) for a in case.inputs]
    results = testing.as_tuple(case.operator(*tensors, backend=backend, **case.attributes))
    for array, result in zip(outputs, results, strict=True):
        array[...] = testing.from_torch(torch, result.cpu())


def _torch(backend: str) -> tuple[Any, str]:
    """PyTorch, and the device on which a backend computes."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise BackendUnavailable(f"backend {backend!r} needs PyTorch ({error}); pip install 'actgrad[gpu]'") from error
    if not torch.cuda.is_available():
        devices = " and ".join(backends.DEVICES[backend])
        raise BackendUnavailable(f"backend {backend!r} computes on {devices}; PyTorch sees none here")
    return torch, "cuda"


def repeat(case: Case, backend: str, outputs: tuple[Array, ...]) -> standards.Outcome:
    """Whether further runs of a case give the bits of the first."""
    first = [array.tobytes() for array in outputs]
    different = 0
    for _ in range(RUNS - 1):
        again = tuple(np.empty_like(array) for array in outputs)
        compute(case, backend, again)
        different += [array.tobytes() for array in again] != first
    return standards.repeat(RUNS, different)
