"""Throughput: the time of an operator on tensors of any size, dtype and layout, and of its peers and the ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from .. import buffers
from ..cases import Case, traffic
from ..results import CEILING, Cell, Run, form_of
from ..timing import Contender, interleaved
from . import contenders
from .contenders import Loaded


@dataclass(frozen=True)
class Conditions:
    """The conditions of a cell."""

    dtype: str
    layout: str
    size: int
    cache: str  # "warm" or "cold"
    threads: int  # 0 for the default


def measure(
    case: Case,
    under: Conditions,
    loaded: Loaded,
    device: Any,
    seconds: float,
    run: Run,
    *,
    row: int = buffers.ROW,
    deviation: float = 1.0,
    cache_bytes: int | None = None,
) -> Cell:
    """The cell of a case. Buffers larger than the caches are always cold."""
    pool = case.pool(under.dtype, deviation)
    host = case.tensors(under.layout, under.size, pool, row)
    shape = max((t.shape for t in (*host.inputs, *host.outputs) if t is not None), key=prod)
    read, written = traffic(host)
    needed = buffers.sets(host, cache_bytes or device.cache_bytes)
    is_cold = under.cache == "cold" or needed == 1
    first = device.put(host)
    bound = contenders.right(case, under.dtype, loaded, device, first, run)
    others = range(needed - 1 if is_cold else 0)
    sets = [first, *(device.put(case.tensors(under.layout, under.size, pool, row)) for _ in others)]
    all_contenders = [Contender(key, [b.bind(t) for t in sets], b.within) for key, b in bound.items()]
    all_contenders += device.ceilings(host, len(sets))
    taken = interleaved(all_contenders, seconds, is_cold, clock=device.clock)
    times = {c.key: t for c, t in zip(all_contenders, taken, strict=True)}
    ceilings = {key: times.pop(key) for key in list(times) if key.startswith(CEILING)}
    fastest = min(ceilings, key=lambda key: ceilings[key].median)
    return Cell(
        case.title, case.operator.name, dict(case.attributes), under.dtype, under.layout, under.size, shape,
        device.threads(under.threads), "cold" if is_cold else "warm", len(sets), read, written, form_of(fastest),
        {**times, CEILING: ceilings[fastest]},
    )  # fmt: skip
