"""The sweeps of a run, cut into parts. A state keeps the errors of each part, so an interrupted run can continue."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ... import aten, backends
from ...base.dtypes import BY_NAME
from ...base.folders import user_cache
from ...calls.operator import Operator
from ...checks import law
from .. import oracle, runner, state
from ..files import operator_files
from ..measurement import retain_memory
from ..runner import Execute
from . import mpmath_check
from .sweep import PASSES, Item, Sweep, SweepErrors

PART = 1 << 22  # numbers that a thread tries at a time, in some tenths of a second
#: The files of code that computes and measures, besides the modules of the formulas.
CODE = (
    "aten.py", "backends/**/*.py", "base/access/*.py", "base/computation.py", "base/xp.py", "ops/*.py",
    "judge/*.py", "judge/exhaustive/sweep.py",
)  # fmt: skip


# The state on disk


@dataclass
class SweepState:
    """The progress of a sweep: how many numbers were tried, the exact values' source, the errors of each output."""

    item: Item
    done: int = 0
    verified: str = ""
    outputs: dict[str, SweepErrors] = field(default_factory=dict)

    @property
    def errors(self) -> SweepErrors:
        """The errors of all outputs together."""
        return sum(self.outputs.values(), SweepErrors())


def default_folder() -> Path | None:
    """The default folder of the states, or None if the user has no home folder."""
    base = user_cache()
    return None if base is None else base / "actgrad-exhaustive"


def state_file(folder: Path) -> Path:
    """The file with the states of all sweeps."""
    return folder / "sweeps.sqlite"


def _name(item: Item) -> str:
    """The beginning of the names of a sweep's parts in the state, without the thinning."""
    judge = law.current()
    product = "" if judge is None else judge.description["product"].removeprefix("none")
    return "/".join([item.operator.name, item.dtype, item.kind, item.words, product, ""])


def _parts(item: Item) -> Iterator[tuple[str, int, int]]:
    """The parts of a sweep: the name in the state, the first number, and the number behind the last."""
    for start in range(0, item.count, PART):
        stop = min(start + PART, item.count)
        yield f"{_name(item)}{item.every}/{start}-{stop}", start, stop


def load(kept: state.State, item: Item) -> SweepState:
    """The state of a sweep: the parts that this version of the code has computed."""
    swept, digest = SweepState(item), fingerprint(item)
    for name, start, stop in _parts(item):
        part = kept.get(name)
        if part is not None and part["fingerprint"] == digest:
            _add(swept, start, stop, part)
    return swept


def _add(swept: SweepState, start: int, stop: int, part: Mapping[str, Any]) -> None:
    """Add the errors of a part."""
    swept.done += stop - start
    swept.verified = swept.verified or part["verified"]
    for name, fields in part["outputs"].items():
        swept.outputs[name] = swept.outputs.get(name, SweepErrors()) + SweepErrors(**fields)


def fingerprint(item: Item) -> str:
    """The digest of the code that a sweep uses. A state of other code is not used."""
    tensors = oracle.tensors(item.operator, item.attributes, np.zeros(1, BY_NAME[item.dtype].numpy))
    computation = item.operator.plan(*tensors, backend="reference", **item.attributes).computation
    files = [Path(formula.__code__.co_filename) for formula in computation.formulas]
    words = [formula.__qualname__ for formula in computation.formulas], computation.scalars, computation.compute
    parts = [
        state.code_digest(*CODE).encode(),
        *(file.read_bytes() for file in files if file.is_file()),
        repr(words).encode(),
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:24]


def finished(folder: Path, tasks: Sequence[Item]) -> tuple[list[SweepState], list[Item]]:
    """For each task, the finished sweep with the most numbers; and the tasks that have no finished sweep."""
    best, stale = [], []
    with state.opened(state_file(folder)) as kept:
        for item in tasks:
            name = _name(item)
            strides = {int(part[len(name) :].partition("/")[0]) for part in kept.names(name)}
            states = (load(kept, replace(item, every=every)) for every in sorted(strides))
            swept = next((one for one in states if one.done == one.item.count), None)
            if swept is not None:
                best.append(swept)
            elif strides:
                stale.append(item)
    return best, stale


# The sweeps


def items(operators: Sequence[Operator], dtypes: Sequence[str], every: int, only_defaults: bool = False) -> list[Item]:
    """The sweeps to do, short sweeps first. `every` thins dtypes of more than two bytes.

    If an operator is part of another operator, the other operator's sweep includes it. Operators whose elements use
    statistics of their rows, and operators that quantise their result, have no sweep.
    """
    judge = law.current()
    has_torch = importlib.util.find_spec("torch") is not None
    tasks: list[Item] = []
    for dtype in dtypes:
        for operator in operators:
            is_taken = dtype in (operator.input_dtypes if judge is None else judge.dtypes(operator.definition))
            if not is_taken or operator.part_of in operators or not has_sweep(operator):
                continue
            has_kind = {"random": _has_others(operator), "PyTorch": has_torch and operator.name in aten.ATEN}
            kinds = [(kind, stride) for kind, stride in PASSES.items() if has_kind.get(kind, True)]
            is_long = BY_NAME[dtype].itemsize > 2
            for attributes in oracle.attribute_cases(operator, judge)[: 1 if only_defaults else None]:
                tasks += [Item(operator, attributes, dtype, k, max(every, n) if is_long else 1) for k, n in kinds]
    return tasks


def has_sweep(operator: Operator) -> bool:
    """Whether the operator's elements are measured in ULP one by one: not in rows, and not quantised."""
    return not operator.access.sees_rows and not operator.definition.dtypes_of(operator.schema.outputs[0])


def _has_others(operator: Operator) -> bool:
    """Whether an operator takes numbers besides x."""
    tensors = oracle.tensors(operator, oracle.attribute_cases(operator)[0], np.zeros(2, np.float32))
    return sum(tensor.size for tensor in tensors) > 2


def sweep_all(
    tasks: Sequence[Item],
    folder: Path,
    advance: Callable[[Item, int], None],
    execute: Execute = runner.in_threads,
    operators: Sequence[str] | None = None,
) -> Iterator[SweepState]:
    """Do the sweeps, or take their parts from the state in `folder`, and yield them in the order of the tasks.

    `advance` gets the number of tried numbers. `operators` is the path and the digest of a file that defines operators.
    """
    parts = {name: (item, start, stop) for item in tasks for name, start, stop in _parts(item)}
    calls = ((name, (_plain(item), start, stop, operators)) for name, (item, start, stop) in parts.items())
    with ExitStack() as stack:  # each kernel computes on one thread, because every core already has a part
        backends.set_num_threads(1)
        stack.callback(backends.set_num_threads, 0)
        if any(item.kind == "PyTorch" for item in tasks):
            torch = importlib.import_module("torch")
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(1)
        retain_memory()
        kept = stack.enter_context(state.opened(state_file(folder)))
        results = stack.enter_context(closing(runner.run(_swept, calls, execute, kept)))
        found: dict[str, Any] = {}
        for item in tasks:
            names = [name for name, _, _ in _parts(item)]
            while any(name not in found for name in names):
                name, part = next(results)
                found[name] = part
                arrived, start, stop = parts[name]
                advance(arrived, stop - start)
            swept = SweepState(item)
            for name in names:  # in order, so that sums are the same wherever the parts were computed
                _add(swept, *parts[name][1:], found.pop(name))
            yield swept


def _plain(item: Item) -> tuple[Any, ...]:
    """An item for a process that may not know its operator yet."""
    return item.operator.name, item.attributes, item.dtype, item.kind, item.every


def _swept(argument: tuple[Any, ...], before: Any) -> dict[str, Any]:
    """The errors of a part of a sweep."""
    (name, *others), start, stop, operators = argument
    if operators is not None:
        operator_files.load_same(*operators)
    item = Item(Operator.registered(name), *others)
    digest = fingerprint(item)
    if before is not None and before["fingerprint"] == digest:
        return before
    sweep = Sweep(item)
    verified = _verified(sweep, start == 0)
    errors = sweep.measure(start, stop)
    names = [lane.name for lane in sweep.call.outputs]
    outputs = {name: vars(one) for name, one in zip(names, errors, strict=True)}
    return {"fingerprint": digest, "verified": verified, "outputs": outputs}


def _verified(sweep: Sweep, with_mpmath: bool) -> str:
    """Compare the exact values with NumPy and mpmath, on a sample of the whole dtype. Return the sources that agree.

    Without `with_mpmath`, only with NumPy, whose values count from then on if the two differ. The text is empty then.
    """
    step = (1 << 8 * BY_NAME[sweep.item.dtype].itemsize) // sweep.chunk
    sweep.fill((np.arange(sweep.chunk, dtype=np.uint64) * np.uint64(step)).astype(sweep.bits(0, 1).dtype))
    lanes = sweep.lanes(slice(0, sweep.chunk))
    with np.errstate(invalid="ignore"):
        finite = np.flatnonzero(np.isfinite(lanes[sweep.call.main].astype(np.float64)))
    sweep.golden.verify([lane[finite[:: -(-len(finite) // 1024)]] for lane in lanes])
    if not with_mpmath:
        return ""
    few = finite[:: -(-len(finite) // mpmath_check.SAMPLED)]
    agrees = mpmath_check.verify(sweep.golden, [lane[few] for lane in lanes], sweep.item.operator.name)
    return sweep.golden.source + (f", and against mpmath at {len(few)} numbers" if agrees else "")
