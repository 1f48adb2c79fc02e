"""Peak memory: what one call takes beyond the tensors that it is given, its own result included."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

from ..base.dtypes import BY_NAME
from . import buffers, peer
from .cases import Case
from .devices import Device
from .peer import Bound, NotApplicable, Peer, Unavailable
from .results import OURS, Key, Memory, Notes, title
from .timing import Call

SIZE = 128 << 20  # bytes of the largest tensor; its halves too are above what malloc may keep back (32 MiB)


def measure(case: Case, dtype: str, loaded: dict[str, tuple[Peer, Any]], device: Device, notes: Notes) -> Memory:
    """The peak of a call of ours and of each peer, on contiguous tensors."""
    shape = buffers.shape_of("contiguous", SIZE // BY_NAME[dtype].itemsize, case.is_gated)
    host = buffers.make(case.operator, "contiguous", shape, case.pool(dtype), case.with_optional)
    output = sum(t.nbytes for t in host.outputs)
    tensors = device.put(host)
    small_shape = buffers.shape_of("contiguous", 64, case.is_gated)
    small = device.put(buffers.make(case.operator, "contiguous", small_shape, case.pool(dtype), case.with_optional))
    torch = device.torch or next((library for other, library in loaded.values() if other.load is peer.torch), None)

    def ours(given: buffers.Tensors) -> Call:
        arrays = given.inputs if torch is None else tuple(peer.to_torch(torch, t) for t in given.inputs)
        return partial(case.operator, *arrays, **case.attributes)

    bounds: dict[Key, Bound] = {(OURS, "out"): Bound(lambda t: case.plan(t).run), (OURS, "new"): Bound(ours)}
    for name, (other, library) in loaded.items():
        for form, make in other.forms.items():
            try:
                bounds[name, form] = Bound(make(library, case, "contiguous"), partial(other.within, library, case))
            except Unavailable:
                continue
    peaks: dict[Key, int] = {}
    for key, (bind, within) in bounds.items():
        try:
            with within():
                bind(small)()  # what a first call sets up for good is not the call's
                call = bind(tensors)
                call()  # nor is what torch.compile and jax.jit set up for a shape
                peaks[key] = device.peak(call)
        except NotApplicable:
            continue
        except Exception as fault:
            notes.add(f"memory: {title(key)}: {case.title}: {peer.reason(fault)}")
    return Memory(case.title, case.operator.name, dict(case.attributes), dtype, prod(shape), output, peaks)
