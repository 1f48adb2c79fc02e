"""The figures of sweeps as a table: for the terminal, and between the markers of a document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from ...base.dtypes import BY_NAME
from ...writing import documents
from .. import standards
from ..oracle import few_digits
from .resumption import SweepState
from .sweep import ABSOLUTE, Item, SweepErrors

PART = "exhaustive"  # the name of the part in a document
HEADINGS = (
    "operator", "attributes", "dtype", "numbers", "ULP", "at x", "mean", "bound", "terms", "absolute",
    "ULP, random", "ULP, PyTorch",
)  # fmt: skip


def rows(done: Iterable[SweepState]) -> Iterator[tuple[str, ...]]:
    """A row of cells for each operator, attributes and dtype of a sweep."""
    groups: dict[tuple[str, str, str], dict[str, SweepState]] = {}
    for state in done:
        groups.setdefault((state.item.operator.name, state.item.words, state.item.dtype), {})[state.item.kind] = state
    for names, kinds in groups.items():
        if "ones" not in kinds:
            continue
        item, errors = kinds["ones"].item, kinds["ones"].errors
        faults = sum(map(fault_count, kinds.values()))
        yield (
            *names, _numbers(item), _ulps(errors),
            _x(errors.largest["ulps"][1], item.dtype) if errors.error("ulps") else "",
            f"{errors.mean:.3f}",
            f"{faults} BEYOND" if faults else f"{standards.bounds(item.operator, item.dtype)[0]:g}",
            "" if (terms := errors.error("terms")) is None else few_digits(terms),
            "" if (absolute := errors.error("absolute")) is None else f"{absolute:.1e}",
            *(_ulps(kinds[kind].errors) if kind in kinds else "" for kind in ("random", "PyTorch")),
        )  # fmt: skip


def fault_count(state: SweepState) -> int:
    """The number of tried numbers at which our results break a bound. PyTorch does not promise these bounds."""
    if state.item.kind == "PyTorch":
        return 0
    return state.errors.faults + ((state.errors.error("absolute") or 0) > ABSOLUTE)


def fault_lines(state: SweepState) -> Iterator[str]:
    """A line for each output that breaks a bound, with the numbers where it does."""
    remark = ", with random other numbers" if state.item.kind == "random" else ""
    for name, errors in state.outputs.items():
        if errors.faults:
            at = ", ".join(_x(bits, state.item.dtype) for bits in errors.first)
            call = f"{state.item.operator.name}({state.item.words}), {state.item.dtype}"
            yield f"{call}: {name} is beyond the bound at {errors.faults:,} numbers{remark}, the first x = {at}"


def markdown(done: Iterable[SweepState]) -> str:
    """The rows as a Markdown table."""
    return documents.table(HEADINGS, rows(done))


def _numbers(item: Item) -> str:
    bits = 8 * BY_NAME[item.dtype].itemsize
    if item.every == 1:
        return "all 65,536" if bits == 16 else f"all 2^{bits}"
    return f"{item.count:,}, one in {item.every}"


def _ulps(errors: SweepErrors) -> str:
    """The largest error, and in brackets, if much smaller, the error that rounding exp's argument cannot explain."""
    ulps, beyond = errors.error("ulps"), errors.error("beyond")
    if ulps is None or beyond is None:
        return ""
    is_alike = ulps < beyond + 1 or math.isinf(ulps)
    return few_digits(ulps) if is_alike else f"{few_digits(ulps)} ({few_digits(beyond)})"


def _x(bits: int, dtype: str) -> str:
    """The number with these bits."""
    kind = BY_NAME[dtype].numpy
    with np.errstate(invalid="ignore"):  # NaN may be signalling
        return f"{float(np.array([bits], f'u{kind.itemsize}').view(kind).astype(np.float64)[0]):.9g}"
