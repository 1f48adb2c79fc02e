"""The sweeps of a run, one after another on all cores, and their state on disk: an interrupted sweep goes on."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from ... import aten, backends
from ...base import products
from ...base.dtypes import BY_NAME
from ...base.errors import system_fault
from ...base.folders import user_cache
from ...calls.operator import Operator
from ...contract import allowed_dtypes
from ...writing import outputs
from .. import oracle
from ..files.sizes import UnreadableFile
from ..measurement import in_threads
from . import mpmath_check
from .sweep import PASSES, Item, Sweep, SweepErrors

PART = 1 << 19  # numbers that a thread takes at a time
SAVE_SECONDS = 5.0
#: The code that computes and measures, besides the modules of the formulas.
_CODE = (
    "aten.py", "backends/**/*.py", "base/access.py", "base/computation.py", "base/xp.py", "ops/*.py",
    "conformance/*.py", "conformance/exhaustive/sweep.py",
)  # fmt: skip


# The state on disk


@dataclass
class State:
    """How far a sweep is."""

    done: int = 0  # numbers, from the first
    outputs: dict[str, SweepErrors] = field(default_factory=dict)
    verified: str = ""  # the sources that confirm its exact values


@dataclass(frozen=True)
class Done:
    """A sweep that is finished."""

    item: Item
    state: State


def default_folder() -> Path | None:
    """The folder of the states unless another one is named; None without a home folder."""
    base = user_cache()
    return None if base is None else base / "actgrad-exhaustive"


class Folder:
    """The states in one folder, a file each, written whole or not at all."""

    def __init__(self, path: Path):
        self.path = path

    def file(self, item: Item, every: str = "") -> Path:
        """The file of a sweep's state; `every` is a pattern for other thinnings of the same task."""
        product = products.chosen()
        digest = hashlib.sha256(f"{item.words}\n{product.name if product else ''}".encode()).hexdigest()[:12]
        return self.path / f"{item.operator.name}-{item.dtype}-{item.kind}-{every or item.every}-{digest}.json"

    def load(self, item: Item) -> State:
        """The state of a sweep; a new one where this code has found nothing yet."""
        path = self.file(item)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["fingerprint"] != fingerprint(item):
                return State()
            errors = {name: SweepErrors.of_json(plain) for name, plain in document["outputs"].items()}
            return State(int(document["done"]), errors, str(document["verified"]))
        except FileNotFoundError:
            return State()
        except OSError as error:
            raise UnreadableFile(f"{path}: {system_fault(error)}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            cause = " ".join(f"{type(error).__name__}: {error}".split())
            raise UnreadableFile(f"{path}: is damaged ({cause}); it must be the state of a sweep; remove it") from error

    def save(self, item: Item, state: State) -> None:
        """Write the state of a sweep."""
        self.path.mkdir(parents=True, exist_ok=True)
        document = {
            "operator": item.operator.name, "attributes": item.words, "dtype": item.dtype, "kind": item.kind,
            "every": item.every, "fingerprint": fingerprint(item), "done": state.done,
            "verified": state.verified, "outputs": {name: vars(errors) for name, errors in state.outputs.items()},
        }  # fmt: skip
        outputs.write(self.file(item), json.dumps(document, indent=1) + "\n")

    def finished(self, item: Item) -> tuple[Done | None, bool]:
        """The finished sweep of this task that tried the most numbers, and whether any state of the task exists."""
        strides = [path.stem.split("-")[-2] for path in self.path.glob(self.file(item, "*").name)]
        for every in sorted(int(word) for word in strides if word.isdecimal()):
            same = replace(item, every=every)
            state = self.load(same)
            if state.done == same.count:
                return Done(same, state), True
        return None, bool(strides)


def fingerprint(item: Item) -> str:
    """The digest of the code that does a sweep: other code makes its state worthless."""
    tensors = oracle.tensors(item.operator, item.attributes, np.zeros(1, BY_NAME[item.dtype].numpy))
    computation = item.operator.plan(*tensors, backend="reference", **item.attributes).computation
    modules = [sys.modules.get(formula.__module__) for formula in computation.formulas]
    sources = [Path(m.__file__).read_bytes() for m in modules if m is not None and m.__file__ is not None]
    names = [formula.__qualname__ for formula in computation.formulas]
    words = repr((names, computation.scalars, computation.compute))
    return hashlib.sha256(b"".join([_sources(), *sources, words.encode()])).hexdigest()[:24]


@cache
def _sources() -> bytes:
    paths = sorted(path for pattern in _CODE for path in Path(__file__).parents[2].glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).digest()


def finished(folder: Folder, tasks: Sequence[Item]) -> tuple[list[Done], list[Item]]:
    """The finished sweeps in a folder, the most complete of each task, and tasks that only other code has done."""
    states = [(item, *folder.finished(item)) for item in tasks]
    done = [best for _, best, _ in states if best is not None]
    return done, [item for item, best, exists in states if exists and best is None]


# The sweeps


def items(operators: Sequence[Operator], dtypes: Sequence[str], every: int, only_defaults: bool = False) -> list[Item]:
    """The sweeps to be done, short ones first; `every` thins dtypes of more than two bytes.

    An operator that is part of another one is swept with that. One whose elements see their rows is not swept.
    """
    product = products.chosen()
    has_torch = importlib.util.find_spec("torch") is not None
    tasks = []
    for dtype in dtypes:
        for operator in operators:
            is_taken = dtype in allowed_dtypes(operator.definition, product)
            if not is_taken or operator.part_of in operators or operator.access.terms:
                continue
            has_kind = {"random": _has_others(operator), "PyTorch": has_torch and operator.name in aten.ATEN}
            kinds = [(kind, stride) for kind, stride in PASSES.items() if has_kind.get(kind, True)]
            is_long = BY_NAME[dtype].itemsize > 2
            for attributes in oracle.attribute_cases(operator, product)[: 1 if only_defaults else None]:
                tasks += [Item(operator, attributes, dtype, k, max(every, n) if is_long else 1) for k, n in kinds]
    return tasks


def _has_others(operator: Operator) -> bool:
    """Whether an operator takes numbers besides x."""
    tensors = oracle.tensors(operator, oracle.attribute_cases(operator)[0], np.zeros(2, np.float32))
    return sum(tensor.size for tensor in tensors) > 2


def run(tasks: Sequence[Item], folder: Folder, advance: Callable[[Item, int], None]) -> Iterator[Done]:
    """Do the sweeps, or take over their states from `folder`; `advance` learns how many numbers are done."""
    with _one_thread_each(any(item.kind == "PyTorch" for item in tasks)):
        for item in tasks:
            yield Done(item, _swept(item, folder, advance))


def _swept(item: Item, folder: Folder, advance: Callable[[Item, int], None]) -> State:
    state = folder.load(item)
    advance(item, state.done)
    if state.done == item.count:
        return state
    if not state.verified:
        first = Sweep(item)
        state.verified = _verified(first)
        state.outputs = {lane.name: SweepErrors() for lane in first.call.outputs}
    local = threading.local()

    def part(at: slice) -> list[SweepErrors]:
        if not hasattr(local, "sweep"):
            local.sweep = Sweep(item)
        errors: list[SweepErrors] = local.sweep.run(at.start, at.stop)
        return errors

    saved = time.monotonic()
    parts = (slice(start, min(start + PART, item.count)) for start in range(state.done, item.count, PART))
    try:
        for at, errors in in_threads(part, parts):
            state.outputs = {n: sum_ + one for (n, sum_), one in zip(state.outputs.items(), errors, strict=True)}
            state.done = at.stop
            advance(item, at.stop - at.start)
            if time.monotonic() - saved > SAVE_SECONDS:
                folder.save(item, state)
                saved = time.monotonic()
    finally:  # an interruption too
        if state.done:
            folder.save(item, state)
    return state


def _verified(sweep: Sweep) -> str:
    """Compare the exact values with NumPy and mpmath all over the dtype; name the sources that agree."""
    step = (1 << 8 * BY_NAME[sweep.item.dtype].itemsize) // sweep.chunk
    sweep.fill((np.arange(sweep.chunk, dtype=np.uint64) * np.uint64(step)).astype(sweep.bits(0, 1).dtype))
    lanes = sweep.lanes(slice(0, sweep.chunk))
    with np.errstate(invalid="ignore"):
        finite = np.flatnonzero(np.isfinite(lanes[sweep.call.main].astype(np.float64)))
    few = finite[:: -(-len(finite) // mpmath_check.SAMPLED)]
    sweep.golden.verify([lane[finite[:: -(-len(finite) // 1024)]] for lane in lanes])
    agrees = mpmath_check.check(sweep.golden, [lane[few] for lane in lanes], sweep.item.operator.name)
    return sweep.golden.source + (f", and against mpmath at {len(few)} numbers" if agrees else "")


@contextmanager
def _one_thread_each(with_torch: bool) -> Iterator[None]:
    """Within, each kernel computes on one thread: every core has a sweep already."""
    with ExitStack() as stack:
        backends.set_num_threads(1)
        stack.callback(backends.set_num_threads, 0)
        if with_torch:
            torch = importlib.import_module("torch")
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(1)
        yield
