"""What sweeps found, as a table: for the terminal, and between the markers of a document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ...documents import markers
from ...dtypes import BY_NAME
from ...testing import few_digits
from .. import standards
from .item import Extreme, Found, Item, together
from .schedule import Done
from .state import Folder
from .sweep import ABSOLUTE, is_absolute

PART = "exhaustive"  # of a document
BEGIN, END = markers(PART)
HEADINGS = (
    "operator", "attributes", "dtype", "numbers", "ULP", "at x", "mean", "bound", "terms", "absolute",
    "ULP, random", "ULP, PyTorch",
)  # fmt: skip


def rows(done: Iterable[Done]) -> Iterator[tuple[str, ...]]:
    """The cells of each operator, attributes and dtype of which the numbers were gone through."""
    groups: dict[tuple[str, str, str], dict[str, Done]] = {}
    for one in done:
        key = (one.item.operator.name, one.item.words, one.item.dtype)
        groups.setdefault(key, {})[one.item.kind] = one
    for (operator, words, dtype), kinds in groups.items():
        if "ones" not in kinds:
            continue
        item, found = kinds["ones"].item, _found(kinds["ones"])
        faults = sum(fault_count(one) for one in kinds.values())
        yield (
            operator,
            words,
            dtype,
            _numbers(item),
            _ulps(found),
            _at(found.ulps, dtype),
            f"{found.mean:.3f}",
            f"{faults} BEYOND" if faults else f"{standards.bounds(item.operator, dtype)[0]:g}",
            "" if found.terms is None else few_digits(found.terms.error),
            f"{found.absolute.error:.1e}" if found.absolute is not None and is_absolute(item) else "",
            _ulps(_found(kinds["random"])) if "random" in kinds else "",
            _ulps(_found(kinds["PyTorch"])) if "PyTorch" in kinds else "",
        )


def fault_count(one: Done) -> int:
    """How many numbers are beyond the bounds: of ours, since PyTorch never promised these."""
    if one.item.kind == "PyTorch":
        return 0
    found = _found(one)
    is_far = is_absolute(one.item) and found.absolute is not None and found.absolute.error > ABSOLUTE
    return found.faults + is_far


def fault_lines(one: Done) -> Iterator[str]:
    """Each output that is beyond a bound, and where."""
    for name, found in one.state.outputs.items():
        if found.faults:
            at = ", ".join(_x(bits, one.item.dtype) for bits in found.first)
            others = {"ones": "", "random": ", with random other numbers"}[one.item.kind]
            call = f"{one.item.operator.name}({one.item.words}), {one.item.dtype}"
            yield f"{call}: {name} is beyond the bound at {found.faults:,} numbers{others}, the first x = {at}"


def markdown(done: Iterable[Done]) -> str:
    """The rows as a Markdown table."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "| --- " * len(HEADINGS) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows(done)]
    return "\n".join(lines) + "\n"


def finished(folder: Folder, wanted: Sequence[Item], marks: Sequence[str]) -> tuple[list[Done], list[Item]]:
    """Of each sweep the most complete one in a folder that is finished, and those that only other code has done.

    `marks` are the fingerprints of the code.
    """
    found, stale = [], []
    for item, mark in zip(wanted, marks, strict=True):
        best: Item | None = None
        is_there = False
        for path in folder.path.glob(f"{item.operator.name}-{item.dtype}-{item.kind}-*.json"):
            every = _every(path)
            same = Item(item.operator, item.attributes, item.dtype, item.kind, every) if every else None
            if same is None or folder.file(same) != path or (best is not None and best.every <= same.every):
                continue
            is_there = True
            if folder.load(same, mark).done == same.count:
                best = same
        if best is not None:
            found.append(Done(best, folder.load(best, mark)))
        elif is_there:
            stale.append(item)
    return found, stale


def _every(path: Path) -> int:
    """Of how many numbers a state tried one; 0 for a file that is none."""
    try:
        every = json.loads(path.read_text(encoding="utf-8"))["every"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return every if type(every) is int and every > 0 else 0


def _found(one: Done) -> Found:
    return together(list(one.state.outputs.values()))


def _numbers(item: Item) -> str:
    bits = 8 * BY_NAME[item.dtype].itemsize
    if item.every == 1:
        return "all 65,536" if bits == 16 else f"all 2^{bits}"
    return f"{item.count:,}, one in {item.every}"


def _ulps(found: Found) -> str:
    """The largest error; in brackets less what a rounded argument of exp explains, where that is much."""
    if found.ulps is None:
        return ""
    text = few_digits(found.ulps.error)
    if found.beyond is None or found.ulps.error < found.beyond.error + 1 or math.isinf(found.ulps.error):
        return text
    return f"{text} ({few_digits(found.beyond.error)})"


def _at(extreme: Extreme | None, dtype: str) -> str:
    return "" if extreme is None or extreme.error == 0 else _x(extreme.bits, dtype)


def _x(bits: int, dtype: str) -> str:
    kind = BY_NAME[dtype].numpy
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return f"{float(np.array([bits], f'u{kind.itemsize}').view(kind).astype(np.float64)[0]):.9g}"
