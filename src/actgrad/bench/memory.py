"""Peak memory: what one call takes beyond the tensors that it is given, its own result included.

The kernel counts the pages that a process has touched (VmHWM in /proc/self/status, reset through clear_refs); so it
sees every allocator's memory, and pages that are never written to cost nothing.
"""

from __future__ import annotations

import gc
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from ..dtypes import BY_NAME
from . import buffers, peers
from .cases import Case
from .peers import Peer, Unavailable
from .results import OURS, Key, Memory, Notes, title
from .timing import Call

SIZE = 128 << 20  # bytes of the largest tensor; its halves too are above what malloc may keep back (32 MiB)
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def is_available() -> bool:
    """Whether the kernel lets a process reset its own peak."""
    try:
        _RESET.write_text(_RESET_PEAK)
        return "VmHWM" in _STATUS.read_text()
    except OSError:
        return False


def measure(case: Case, dtype: str, loaded: dict[str, tuple[Peer, Any]], notes: Notes) -> Memory:
    """The peak of a call of ours and of each peer, on contiguous tensors."""
    shape = buffers.shape_of("contiguous", SIZE // BY_NAME[dtype].itemsize, case.is_gated)
    tensors = buffers.make(case.operator, "contiguous", shape, case.pool(dtype), case.with_optional)
    small_shape = buffers.shape_of("contiguous", 64, case.is_gated)
    small = buffers.make(case.operator, "contiguous", small_shape, case.pool(dtype), case.with_optional)
    torch = next((library for peer, library in loaded.values() if peer.load is peers.torch), None)

    def ours(given: buffers.Tensors) -> Call:
        arrays = given.inputs if torch is None else tuple(peers.to_torch(torch, t) for t in given.inputs)
        return partial(case.operator, *arrays, **case.attributes)

    binds: dict[Key, Any] = {(OURS, "out"): lambda t: case.plan(t).run, (OURS, "new"): ours}
    for name, (peer, library) in loaded.items():
        for form, make in peer.forms.items():
            try:
                binds[name, form] = make(library, case, "contiguous")
            except Unavailable:
                continue
    peaks: dict[Key, int] = {}
    for key, bind in binds.items():
        try:
            bind(small)()  # what a first call sets up for good is not the call's
            call = bind(tensors)
            call()  # nor is what torch.compile and jax.jit set up for a shape
        except Exception as fault:
            notes.add(f"memory: {title(key)}: {case.title}: {peers.reason(fault)}")
            continue
        peaks[key] = peak(call)
    output = sum(t.nbytes for t in tensors.outputs)
    return Memory(case.title, case.operator.name, dict(case.attributes), dtype, prod(shape), output, peaks)


def peak(call: Call) -> int:
    """The bytes by which a call raises the process's resident memory at its peak."""
    gc.collect()
    _RESET.write_text(_RESET_PEAK)
    before = _status("VmRSS")
    result = call()
    after = _status("VmHWM")
    del result
    return max(0, after - before)


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) << 10
