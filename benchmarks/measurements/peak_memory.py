"""Peak memory: the memory that one call takes beyond its given tensors, its own result included."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import subject
from ..cases import Case
from ..peers import peer
from ..peers.peer import NotApplicable
from ..results import Key, Memory, Run
from . import contenders
from .contenders import Loaded

SIZE = 128 << 20  # bytes of the largest tensor; its halves too are above what malloc may keep back (32 MiB)


def measure(case: Case, dtype: str, loaded: Loaded, device: Any, run: Run) -> Memory:
    """The peak of a call of ours and of each peer, on contiguous tensors."""
    pool = case.pool(dtype)
    host = case.tensors("contiguous", SIZE // subject.NUMPY[dtype].itemsize, pool)
    size = max(prod(t.shape) for t in (*host.inputs, *host.outputs) if t is not None)
    output = sum(t.nbytes for t in host.outputs)
    tensors, small = device.put(host), device.put(case.tensors("contiguous", 64, pool))
    bounds = contenders.ours(case, device.torch or contenders.torch_of(loaded))
    bounds |= {key: bound for key, _, bound in contenders.theirs(case, loaded, run)}
    peaks: dict[Key, int] = {}
    for key, (bind, within) in bounds.items():
        try:
            with within():
                bind(small)()  # a first call sets up its library for good
                call = bind(tensors)
                call()  # torch.compile and jax.jit set up a shape
                peaks[key] = device.peak(call)
        except NotApplicable:
            continue
        except Exception as fault:
            run.note(f"memory: {key}: {case.title}: {peer.reason(fault)}")
    return Memory(case.title, case.operator.name, dict(case.attributes), dtype, size, output, peaks)
