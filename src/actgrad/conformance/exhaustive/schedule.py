"""The sweeps that were asked for, one after another, each on all cores, with what earlier runs found."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from ... import backends
from ...backends import cores
from ...base import products
from ...base.dtypes import BY_NAME
from ...calls.operator import Operator
from ...contract import allowed_dtypes
from .. import oracle
from ..elements import Array
from ..measurement import in_threads
from . import precise
from .item import PASSES, Found, Item
from .state import Folder, State, fingerprint
from .sweep import Sweep

PART = 1 << 19  # numbers that a thread takes at a time
SAVE_SECONDS = 5.0
Advance = Callable[[int], None]


@dataclass(frozen=True)
class Done:
    """A sweep that is finished."""

    item: Item
    state: State


def items(operators: Sequence[Operator], dtypes: Sequence[str], every: int) -> list[Item]:
    """The sweeps to be done, short ones first; `every` thins those of dtypes that have more than two bytes.

    What an operator computes that is part of another one is swept with that.
    """
    product = products.chosen()
    kinds = [kind for kind in PASSES if kind != "PyTorch" or importlib.util.find_spec("torch") is not None]
    found = []
    for dtype in dtypes:
        is_long = BY_NAME[dtype].itemsize > 2
        for operator in operators:
            if dtype not in allowed_dtypes(operator.definition, product) or operator.part_of in operators:
                continue
            holds = operator.requires.values()
            for attributes in oracle.attribute_cases(operator):
                if not all(rule(attributes, product) for rule in holds):
                    continue
                for kind in kinds:
                    if kind == "PyTorch" and operator.name not in oracle.ATEN:
                        continue
                    if kind == "random" and not _has_others(operator):
                        continue
                    thinned = max(every, PASSES[kind]) if is_long else 1
                    found.append(Item(operator, attributes, dtype, kind, thinned))
    return found


def _has_others(operator: Operator) -> bool:
    """Whether an operator takes numbers besides x."""
    sweep = oracle.tensors(operator, oracle.attribute_cases(operator)[0], np.zeros(2, np.float32))
    return sum(tensor.size for tensor in sweep) > 2


def run(wanted: Sequence[Item], folder: Folder, advance: Callable[[Item, int], None]) -> Iterator[Done]:
    """Do the sweeps, or take over what `folder` has of them; `advance` is told of numbers that are dealt with."""
    with _alone():
        for item in wanted:
            yield Done(item, _swept(item, folder, lambda count, item=item: advance(item, count)))  # type: ignore[misc]


def marks(wanted: Sequence[Item]) -> list[str]:
    """The fingerprints of the code that does these sweeps."""
    found = []
    for item in wanted:
        tensors = oracle.tensors(item.operator, item.attributes, np.zeros(1, BY_NAME[item.dtype].numpy))
        found.append(fingerprint(item.operator.plan(*tensors, backend="reference", **item.attributes).computation))
    return found


def _swept(item: Item, folder: Folder, advance: Advance) -> State:
    first = Sweep(item)
    mark = fingerprint(first.call.computation)
    state = folder.load(item, mark)
    advance(state.done)
    if state.done == item.count:
        return state
    if not state.verified:
        state.verified = _verify(first)
        state.outputs = {lane.name: Found() for lane in first.call.outputs}
    names = list(state.outputs)
    sweeps: SimpleQueue[Sweep] = SimpleQueue()
    for sweep in (first, *(Sweep(item) for _ in range(cores() - 1))):
        sweeps.put(sweep)

    def part(at: slice) -> list[Found]:
        sweep = sweeps.get()
        try:
            return sweep.run(at.start, at.stop)
        finally:
            sweeps.put(sweep)

    saved = time.monotonic()
    parts = (slice(s, min(s + PART, item.count)) for s in range(state.done, item.count, PART))
    try:
        for at, found in in_threads(part, parts):
            for name, one in zip(names, found, strict=True):
                state.outputs[name] += one
            state.done = at.stop
            advance(at.stop - at.start)
            if time.monotonic() - saved > SAVE_SECONDS:
                folder.save(item, mark, state)
                saved = time.monotonic()
    finally:  # an interruption too
        if state.done:
            folder.save(item, mark, state)
    return state


def _verify(sweep: Sweep) -> str:
    """Hold the exact values against NumPy and mpmath; what they were held against."""
    sweep.fill(_sample(sweep))
    lanes = sweep.lanes(slice(0, sweep.chunk))
    with np.errstate(invalid="ignore"):
        sample = np.flatnonzero(np.isfinite(lanes[sweep.call.main].astype(np.float64)))
    few = sample[:: -(-len(sample) // precise.SAMPLED)]
    sweep.golden.verify([lane[sample[:: -(-len(sample) // 1024)]] for lane in lanes])
    held = precise.check(sweep.golden, [lane[few] for lane in lanes], sweep.item.operator.name)
    return sweep.golden.source + (f", and against mpmath at {len(few)} numbers" if held else "")


def _sample(sweep: Sweep) -> Array:
    """The bits of numbers all over a dtype."""
    count = 1 << 8 * BY_NAME[sweep.item.dtype].itemsize
    return (np.arange(sweep.chunk, dtype=np.uint64) * np.uint64(count // sweep.chunk)).astype(sweep.bits(0, 1).dtype)


@contextmanager
def _alone() -> Iterator[None]:
    """Within, each kernel computes on one thread: there is a sweep for each core already."""
    torch = importlib.import_module("torch") if importlib.util.find_spec("torch") is not None else None
    torch_before = torch.get_num_threads() if torch is not None else 0
    backends.set_num_threads(1)
    if torch is not None:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        backends.set_num_threads(0)
        if torch is not None:
            torch.set_num_threads(torch_before)
