"""The figures of sweeps as a table: for the terminal, and between the markers of a document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from ...base.dtypes import BY_NAME
from ...writing import documents
from .. import standards
from ..oracle import few_digits
from .resumption import Done
from .sweep import ABSOLUTE, Item, SweepErrors, together

PART = "exhaustive"  # of a document
HEADINGS = (
    "operator", "attributes", "dtype", "numbers", "ULP", "at x", "mean", "bound", "terms", "absolute",
    "ULP, random", "ULP, PyTorch",
)  # fmt: skip


def rows(done: Iterable[Done]) -> Iterator[tuple[str, ...]]:
    """The cells of each operator, attributes and dtype that a sweep tried."""
    groups: dict[tuple[str, str, str], dict[str, Done]] = {}
    for one in done:
        groups.setdefault((one.item.operator.name, one.item.words, one.item.dtype), {})[one.item.kind] = one
    for names, kinds in groups.items():
        if "ones" not in kinds:
            continue
        item, errors = kinds["ones"].item, _errors(kinds["ones"])
        faults = sum(map(fault_count, kinds.values()))
        yield (
            *names, _numbers(item), _ulps(errors),
            "" if errors.ulps is None or errors.ulps.error == 0 else _x(errors.ulps.bits, item.dtype),
            f"{errors.mean:.3f}",
            f"{faults} BEYOND" if faults else f"{standards.bounds(item.operator, item.dtype)[0]:g}",
            "" if errors.terms is None else few_digits(errors.terms.error),
            "" if errors.absolute is None else f"{errors.absolute.error:.1e}",
            *(_ulps(_errors(kinds[kind])) if kind in kinds else "" for kind in ("random", "PyTorch")),
        )  # fmt: skip


def fault_count(one: Done) -> int:
    """The numbers where our results break a bound; PyTorch never promised these bounds."""
    if one.item.kind == "PyTorch":
        return 0
    errors = _errors(one)
    return errors.faults + (errors.absolute is not None and errors.absolute.error > ABSOLUTE)


def fault_lines(one: Done) -> Iterator[str]:
    """Each output that breaks a bound, and where."""
    remark = ", with random other numbers" if one.item.kind == "random" else ""
    for name, errors in one.state.outputs.items():
        if errors.faults:
            at = ", ".join(_x(bits, one.item.dtype) for bits in errors.first)
            call = f"{one.item.operator.name}({one.item.words}), {one.item.dtype}"
            yield f"{call}: {name} is beyond the bound at {errors.faults:,} numbers{remark}, the first x = {at}"


def markdown(done: Iterable[Done]) -> str:
    """The rows as a Markdown table."""
    return documents.table(HEADINGS, rows(done))


def _errors(one: Done) -> SweepErrors:
    return together(list(one.state.outputs.values()))


def _numbers(item: Item) -> str:
    bits = 8 * BY_NAME[item.dtype].itemsize
    if item.every == 1:
        return "all 65,536" if bits == 16 else f"all 2^{bits}"
    return f"{item.count:,}, one in {item.every}"


def _ulps(errors: SweepErrors) -> str:
    """The largest error; in brackets, if much smaller, the error that a rounded argument of exp leaves unexplained."""
    if errors.ulps is None:
        return ""
    text = few_digits(errors.ulps.error)
    if errors.beyond is None or errors.ulps.error < errors.beyond.error + 1 or math.isinf(errors.ulps.error):
        return text
    return f"{text} ({few_digits(errors.beyond.error)})"


def _x(bits: int, dtype: str) -> str:
    """The number of these bits."""
    kind = BY_NAME[dtype].numpy
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return f"{float(np.array([bits], f'u{kind.itemsize}').view(kind).astype(np.float64)[0]):.9g}"
