"""The sweeps of a run, one after another on all cores. Their state is on disk, so an interrupted run can continue."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ... import aten, backends
from ...base.dtypes import BY_NAME
from ...base.folders import user_cache
from ...calls.operator import Operator
from ...checks import law
from .. import oracle
from ..files import state
from ..measurement import in_threads
from . import mpmath_check
from .sweep import PASSES, Item, Sweep, SweepErrors

PART = 1 << 19  # numbers that a thread tries at a time
#: The files of code that computes and measures, besides the modules of the formulas.
CODE = (
    "aten.py", "backends/**/*.py", "base/access/*.py", "base/computation.py", "base/xp.py", "ops/*.py",
    "judge/*.py", "judge/exhaustive/sweep.py",
)  # fmt: skip


# The state on disk


@dataclass
class State:
    """The progress of a sweep: how many numbers were tried, the exact values' sources, the errors of each output."""

    item: Item
    done: int = 0
    verified: str = ""
    outputs: dict[str, SweepErrors] = field(default_factory=dict)

    @property
    def errors(self) -> SweepErrors:
        """The errors of all outputs together."""
        return sum(self.outputs.values(), SweepErrors())

    @property
    def document(self) -> dict[str, Any]:
        """The content of its file."""
        outputs = {name: vars(errors) for name, errors in self.outputs.items()}
        document = {"attributes": self.item.words, "fingerprint": fingerprint(self.item), "done": self.done}
        return {**document, "verified": self.verified, "outputs": outputs}


def default_folder() -> Path | None:
    """The default folder of the states, or None if the user has no home folder."""
    base = user_cache()
    return None if base is None else base / "actgrad-exhaustive"


def state_file(folder: Path, item: Item, every: str = "") -> Path:
    """The file of a sweep's state. `every` may be a pattern that matches the same task with other thinnings."""
    judge = law.current()
    product = "" if judge is None else judge.description["product"].removeprefix("none")
    digest = hashlib.sha256(f"{item.words}\n{product}".encode()).hexdigest()[:12]
    return folder / f"{item.operator.name}-{item.dtype}-{item.kind}-{every or item.every}-{digest}.json"


def load(folder: Path, item: Item) -> State:
    """The state of a sweep. It is new if this version of the code has computed nothing yet."""

    def parse(document: Any) -> State:
        if document["fingerprint"] != fingerprint(item):
            return State(item)
        errors = {name: SweepErrors(**fields) for name, fields in document["outputs"].items()}
        return State(item, int(document["done"]), str(document["verified"]), errors)

    return state.load(state_file(folder, item), parse) or State(item)


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


def finished(folder: Path, tasks: Sequence[Item]) -> tuple[list[State], list[Item]]:
    """For each task, the finished sweep with the most numbers; and the tasks that have no finished sweep."""
    best, stale = [], []
    for item in tasks:
        words = [path.stem.split("-")[-2] for path in folder.glob(state_file(folder, item, "*").name)]
        strides = sorted(int(word) for word in words if word.isdecimal())
        states = (load(folder, replace(item, every=every)) for every in strides)
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


def sweep_all(tasks: Sequence[Item], folder: Path, advance: Callable[[Item, int], None]) -> Iterator[State]:
    """Do the sweeps, or take their states from `folder`. `advance` gets the number of tried numbers."""
    with ExitStack() as stack:  # each kernel computes on one thread, because every core already has a sweep
        backends.set_num_threads(1)
        stack.callback(backends.set_num_threads, 0)
        if any(item.kind == "PyTorch" for item in tasks):
            torch = importlib.import_module("torch")
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(1)
        for item in tasks:
            yield _swept(item, folder, advance)


def _swept(item: Item, folder: Path, advance: Callable[[Item, int], None]) -> State:
    swept = load(folder, item)
    advance(item, swept.done)
    if swept.done == item.count:
        return swept
    idle = [Sweep(item)]  # one per thread
    if not swept.verified:
        swept.verified = _verified(idle[0])
        swept.outputs = {lane.name: SweepErrors() for lane in idle[0].call.outputs}

    def measure(part: slice) -> list[SweepErrors]:
        sweep = idle.pop() if idle else Sweep(item)
        errors = sweep.measure(part.start, part.stop)
        idle.append(sweep)
        return errors

    parts = (slice(start, min(start + PART, item.count)) for start in range(swept.done, item.count, PART))
    with state.saving(state_file(folder, item), lambda: swept.document) as save:
        for part, errors in in_threads(measure, parts):
            swept.outputs = {n: sum_ + one for (n, sum_), one in zip(swept.outputs.items(), errors, strict=True)}
            swept.done = part.stop
            advance(item, part.stop - part.start)
            save()
    return swept


def _verified(sweep: Sweep) -> str:
    """Compare the exact values with NumPy and mpmath, on a sample of the whole dtype. Return the sources that agree."""
    step = (1 << 8 * BY_NAME[sweep.item.dtype].itemsize) // sweep.chunk
    sweep.fill((np.arange(sweep.chunk, dtype=np.uint64) * np.uint64(step)).astype(sweep.bits(0, 1).dtype))
    lanes = sweep.lanes(slice(0, sweep.chunk))
    with np.errstate(invalid="ignore"):
        finite = np.flatnonzero(np.isfinite(lanes[sweep.call.main].astype(np.float64)))
    few = finite[:: -(-len(finite) // mpmath_check.SAMPLED)]
    sweep.golden.verify([lane[finite[:: -(-len(finite) // 1024)]] for lane in lanes])
    agrees = mpmath_check.verify(sweep.golden, [lane[few] for lane in lanes], sweep.item.operator.name)
    return sweep.golden.source + (f", and against mpmath at {len(few)} numbers" if agrees else "")
