"""Our forms of a call and the peers', bound to tensors; each is run and compared with the reference first."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from .. import verify
from ..buffers import Tensors
from ..cases import Case
from ..peers import peer
from ..peers.peer import Bind, Bound, NotApplicable, Peer, Unavailable
from ..peers.table import PEERS
from ..results import OURS, Key, Run

Loaded = dict[str, tuple[Peer, Any]]


def load(names: Sequence[str], run: Run) -> Loaded:
    """The peers of these names that are installed, with their libraries."""
    found = {}
    for name in names:
        try:
            found[name] = (PEERS[name], PEERS[name].load())
        except Unavailable as reason:
            run.note(f"{name}: {reason}")
    return found


def torch_of(loaded: Loaded) -> Any:
    """PyTorch where a peer is of it, else None."""
    return next((library for other, library in loaded.values() if other.load is peer.torch), None)


def ours(case: Case, torch: Any) -> dict[Key, Bound]:
    """The call into given memory, and the call that allocates; the latter on PyTorch's tensors, if any."""

    def given_memory(tensors: Tensors) -> Any:
        return partial(case.operator, *tensors.inputs, out=tensors.out, **case.attributes)

    def allocating(tensors: Tensors) -> Any:
        given = [t if torch is None else peer.to_torch(torch, t) for t in tensors.inputs]
        return partial(case.operator, *given, **case.attributes)

    return {f"{OURS} out": Bound(given_memory), f"{OURS} new": Bound(allocating)}


def theirs(case: Case, loaded: Loaded, run: Run) -> Iterator[tuple[Key, Peer, Bound]]:
    """The forms of the peers that have one for a case."""
    for name, (other, library) in loaded.items():
        for form, make in other.forms.items():
            try:
                bind: Bind = make(library, case)
            except NotApplicable:
                continue
            except Unavailable as reason:
                run.note(f"{name}: {reason}")
            except Exception as fault:
                run.note(f"{name}: {case.title}: {peer.reason(fault)}")
            else:
                yield f"{name} {form}", other, Bound(bind, partial(other.within, library, case))


def right(case: Case, dtype: str, loaded: Loaded, device: Any, tensors: Tensors, run: Run) -> dict[Key, Bound]:
    """Ours, and the peers that compute the same. WrongResult for ours; a peer is skipped with a note."""
    standard = verify.standard(case, device, tensors)
    found = ours(case, device.torch or sys.modules.get("torch"))
    for key, bound in found.items():
        device.spoil(tensors.outputs)
        returned = device.arrays(bound.bind(tensors)())
        standard.check(key, tensors.outputs if key.endswith("out") else returned, verify.OURS_ROUNDINGS)
    for key, other, bound in theirs(case, loaded, run):
        if check_peer(key, other, bound, standard, run, dtype):
            found[key] = bound
    return found


def check_peer(key: Key, other: Peer, bound: Bound, standard: verify.Standard, run: Run, dtype: str) -> bool:
    """Whether a peer computes the same; a note says why not."""
    case, device, tensors = standard.case, standard.device, standard.tensors
    device.spoil(tensors.outputs)
    try:
        with bound.within():
            returned = bound.bind(tensors)()
        if other.results is not None:
            returned = other.results(case, tensors, returned)
        is_given = key.endswith("out") and other.results is None
        standard.check(key, tensors.outputs if is_given else device.arrays(returned), verify.PEER_ROUNDINGS)
    except NotApplicable:
        return False
    except Unavailable as reason:
        run.note(f"{other.name}: {reason}")
    except verify.WrongResult as fault:
        run.note(f"{other.name} left out: {fault}")
    except Exception as fault:  # no compiler, an unknown dtype: skip the peer, keep our result
        run.note(f"{other.name}: {case.title}, {dtype}: {peer.reason(fault)}")
    else:
        return True
    return False
