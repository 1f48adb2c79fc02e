"""Throughput: how long an operator takes on tensors of any size, dtype and layout, beside its peers and the ceiling."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import buffers, peer, verify
from .buffers import Tensors
from .cases import Case, traffic
from .devices import Device
from .peer import Bind, Bound, NotApplicable, Peer, Unavailable
from .peers import PEERS
from .results import CEILING, OURS, Cell, Key, Notes
from .timing import Contender, interleaved


@dataclass(frozen=True)
class Conditions:
    """What a case is measured under."""

    dtype: str
    layout: str
    size: int
    cache: str  # "warm" or "cold"
    threads: int  # 0 for the default


def load(names: Sequence[str], notes: Notes) -> dict[str, tuple[Peer, Any]]:
    """The peers of these names that are installed, with their libraries."""
    found = {}
    for name in names:
        try:
            found[name] = (PEERS[name], PEERS[name].load())
        except Unavailable as reason:
            notes.add(f"{name}: {reason}")
    return found


def measure(
    case: Case,
    under: Conditions,
    loaded: dict[str, tuple[Peer, Any]],
    device: Device,
    seconds: float,
    notes: Notes,
    *,
    row: int = buffers.ROW,
    deviation: float = 1.0,
    cache_bytes: int | None = None,
) -> Cell:
    """The cell of a case. Buffers that are larger than the caches are cold, whatever was asked for."""
    shape = buffers.shape_of(under.layout, under.size, case.is_gated, row)
    pool = case.pool(under.dtype, deviation)

    def make() -> Tensors:
        return buffers.make(case.operator, under.layout, shape, pool, case.with_optional)

    host = make()
    needed = buffers.sets(host, cache_bytes or device.cache_bytes)
    is_cold = under.cache == "cold" or needed == 1
    first = device.put(host)
    plan = case.plan(first)
    bound, error = _checked(case, under, loaded, device, first, notes)
    sets = [first] + [device.put(make()) for _ in range(needed - 1 if is_cold else 0)]
    contenders = [Contender(*key, [b.bind(t) for t in sets], b.within) for key, b in bound.items()]
    ceilings = device.ceilings(plan, len(sets))
    taken = interleaved([*contenders, *ceilings], seconds, is_cold, clock=device.clock)
    times = {(c.name, c.form): t for c, t in zip([*contenders, *ceilings], taken, strict=True)}
    fastest = min((c.form for c in ceilings), key=lambda form: times[CEILING, form].median)
    times[CEILING, "out"] = times[CEILING, fastest]
    for form in {c.form for c in ceilings}:
        del times[CEILING, form]
    return Cell(
        case=case.title,
        operator=case.operator.name,
        attributes=dict(case.attributes),
        dtype=under.dtype,
        layout=under.layout,
        size=under.size,
        shape=shape,
        threads=device.threads(under.threads),
        cache="cold" if is_cold else "warm",
        sets=len(sets),
        **dict(zip(("read", "written"), traffic(plan), strict=True)),
        error_ulp=error,
        ceiling=fastest,
        times=times,
    )


def _checked(
    case: Case,
    under: Conditions,
    loaded: dict[str, tuple[Peer, Any]],
    device: Device,
    tensors: Tensors,
    notes: Notes,
) -> tuple[dict[Key, Bound], float]:
    """Ours and the peers that have something to offer and are right, and our largest error."""
    standard = verify.standard(case, device, tensors)
    bound = {(OURS, "out"): Bound(lambda t: case.plan(t).run), (OURS, "new"): Bound(_allocating(case))}
    error = 0.0
    for (name, form), ours in bound.items():
        device.spoil(tensors.outputs)
        results = device.arrays(ours.bind(tensors)())
        error = max(error, standard.check_ours(f"{name} {form}", tensors.outputs if form == "out" else results))
    for name, (other, library) in loaded.items():
        within = partial(other.within, library, case)
        for form, make in other.forms.items():
            device.spoil(tensors.outputs)
            try:
                bind = make(library, case, under.layout)
                with within():
                    returned = bind(tensors)()
                if other.results is not None:
                    returned = other.results(case, tensors, returned)
                is_given = form == "out" and other.results is None
                standard.check_peer(f"{name} {form}", tensors.outputs if is_given else device.arrays(returned))
            except NotApplicable:
                continue
            except Unavailable as reason:
                notes.add(f"{name}: {reason}")
            except verify.WrongResult as fault:
                notes.add(f"{name} left out: {fault}")
            except Exception as fault:
                # Whatever another library cannot do (no compiler, a dtype that it lacks): it is left out, not we.
                notes.add(f"{name}: {case.title}, {under.dtype}: {peer.reason(fault)}")
            else:
                bound[name, form] = Bound(bind, within)
    return bound, error


def _allocating(case: Case) -> Bind:
    """The call that allocates, on PyTorch's tensors where PyTorch is loaded."""
    torch = sys.modules.get("torch")

    def bind(tensors: Tensors) -> Any:
        given = [t if torch is None else peer.to_torch(torch, t) for t in tensors.inputs]
        return partial(case.operator, *given, **case.attributes)

    return bind
