"""What phase one of the functions of softmax and of its logarithm must answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tests.support.aclnn.checks import (
    INVALID,
    Row,
    casts,
    dtype_listed,
    dtypes_equal,
    kernel,
    null,
    rank_limit,
    shapes_equal,
    unnumbered,
)
from tests.support.aclnn.values import Call


def dim_row(name: str) -> Row:
    """A tensor without dimensions counts as one of rank 1."""

    def wrong(c: Call) -> bool:
        rank = max(len(c[name].shape), 1)
        return not -rank <= c["dim"] < rank

    return Row("dim", INVALID, (name, "dim"), wrong, ("dim",), r"\[-", "value")


def unless_empty(rows: Iterable[Row], *names: str, tested_on: str = "") -> Iterator[Row]:
    """These rows where no tensor is empty, and on the products that test empty ones too."""
    for row in rows:

        def when(c: Call, row: Row = row) -> bool:
            is_empty = any(c[name] is not None and c[name].size == 0 for name in names)
            return (not is_empty or c.product == tested_on) and row.when(c)

        yield replace(row, when=when)


#: A decision of this project; no check finds it there.
LAST = unnumbered(casts("gradOutput", "out"), stage="value")


def softmax(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    rows = (dtype_listed("self"), dtype_listed("out"), dim_row("self"), rank_limit("self"), shapes_equal("out", "self"))
    yield from unless_empty(rows, "self")


def softmax_backward(function: str) -> Iterator[Row]:
    yield from null("gradOutput", "output", "out")
    rows = (
        dtype_listed("gradOutput"), dtype_listed("output"), dtypes_equal("output", "gradOutput"),
        dim_row("gradOutput"), rank_limit("gradOutput"), rank_limit("output"), shapes_equal("output", "gradOutput"),
        shapes_equal("out", "gradOutput"), LAST,
    )  # fmt: skip
    yield from unless_empty(rows, "gradOutput", "output", tested_on="Ascend950")
    yield kernel("out")


def log_softmax(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield dim_row("self")
    yield from map(dtype_listed, ("self", "out"))
    yield rank_limit("self")
    yield shapes_equal("out", "self")


def log_softmax_backward(function: str) -> Iterator[Row]:
    yield from null("output", "gradOutput", "out")
    rows = (
        dtype_listed("output"), dtype_listed("gradOutput"), dtypes_equal("output", "gradOutput"),
        rank_limit("gradOutput"), rank_limit("output"), shapes_equal("output", "gradOutput"),
        shapes_equal("out", "gradOutput"), dim_row("gradOutput"), LAST,
    )  # fmt: skip
    yield from unless_empty(rows, "gradOutput", "output", tested_on="Ascend950")
    yield kernel("out")
