"""Throughput: how long an operator takes on tensors of any size, dtype and layout, beside its peers and the ceiling."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..backends import get_num_threads, set_num_threads
from . import buffers, ceiling, machine, peers, verify
from .buffers import Tensors
from .cases import Case, traffic
from .peers import Bind, NotApplicable, Peer, Unavailable
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
        peer = peers.PEERS[name]
        try:
            found[name] = (peer, peer.load())
        except Unavailable as reason:
            notes.add(f"{name}: {reason}")
    return found


def measure(
    case: Case,
    under: Conditions,
    loaded: dict[str, tuple[Peer, Any]],
    seconds: float,
    notes: Notes,
    *,
    row: int = buffers.ROW,
    cache_bytes: int | None = None,
) -> Cell:
    """The cell of a case. Buffers that are larger than the caches are cold, whatever was asked for."""
    shape = buffers.shape_of(under.layout, under.size, case.is_gated, row)
    pool = case.pool(under.dtype)

    def make() -> Tensors:
        return buffers.make(case.operator, under.layout, shape, pool, case.with_optional)

    first = make()
    needed = buffers.sets(first, cache_bytes or machine.last_cache_bytes())
    is_cold = under.cache == "cold" or needed == 1
    plan = case.plan(first)
    bound, error = _checked(case, under, loaded, first, notes)
    sets = [first] + [make() for _ in range(needed - 1 if is_cold else 0)]
    contenders = [Contender(*key, [bind(t) for t in sets]) for key, bind in bound.items()]
    described = ceiling.computation(plan)
    memory = [ceiling.tensors(described) for _ in sets]
    forms = ceiling.forms(described)  # kept here until everything is timed
    contenders += [Contender(CEILING, f.name, [f.bind(m) for m in memory]) for f in forms]
    times = {(c.name, c.form): t for c, t in zip(contenders, interleaved(contenders, seconds, is_cold), strict=True)}
    fastest = min(forms, key=lambda f: times[CEILING, f.name].median).name
    times[CEILING, "out"] = times[CEILING, fastest]
    for form in forms:
        del times[CEILING, form.name]
    return Cell(
        case=case.title,
        operator=case.operator.name,
        attributes=dict(case.attributes),
        dtype=under.dtype,
        layout=under.layout,
        size=under.size,
        shape=shape,
        threads=under.threads or get_num_threads(),
        cache="cold" if is_cold else "warm",
        sets=len(sets),
        **dict(zip(("read", "written"), traffic(plan), strict=True)),
        error_ulp=error,
        ceiling=fastest,
        times=times,
    )


def _checked(
    case: Case, under: Conditions, loaded: dict[str, tuple[Peer, Any]], tensors: Tensors, notes: Notes
) -> tuple[dict[Key, Bind], float]:
    """Ours and the peers that have something to offer and are right, and our largest error."""
    standard = verify.standard(case, tensors)
    bound: dict[Key, Bind] = {(OURS, "out"): lambda t: case.plan(t).run, (OURS, "new"): _allocating(case)}
    error = 0.0
    for (name, form), bind in bound.items():
        buffers.spoil(tensors.outputs)
        results = peers.to_numpy(bind(tensors)())
        error = max(error, standard.check_ours(f"{name} {form}", tensors.outputs if form == "out" else results))
    for name, (peer, library) in loaded.items():
        for form, make in peer.forms.items():
            buffers.spoil(tensors.outputs)
            try:
                bind = make(library, case, under.layout)
                returned = bind(tensors)()
                standard.check_peer(f"{name} {form}", tensors.outputs if form == "out" else peers.to_numpy(returned))
            except NotApplicable:
                continue
            except Unavailable as reason:
                notes.add(f"{name}: {reason}")
            except verify.WrongResult as fault:
                notes.add(f"{name} left out: {fault}")
            except Exception as fault:
                # Whatever another library cannot do (no compiler, a dtype that it lacks): it is left out, not we.
                notes.add(f"{name}: {case.title}, {under.dtype}: {peers.reason(fault)}")
            else:
                bound[name, form] = bind
    return bound, error


def _allocating(case: Case) -> Bind:
    """The call that allocates, on PyTorch's tensors where PyTorch is loaded."""
    torch = sys.modules.get("torch")

    def bind(tensors: Tensors) -> Any:
        given = [t if torch is None else peers.to_torch(torch, t) for t in tensors.inputs]
        return partial(case.operator, *given, **case.attributes)

    return bind


def set_threads(threads: int) -> None:
    """The same number of threads for both sides; 0 is the default."""
    set_num_threads(threads)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(threads or get_num_threads())
