"""What phase one of SwiGLU's functions must answer. The build generates them, with statuses of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from tests.support.aclnn.checks import (
    INVALID,
    TILING,
    Row,
    Test,
    document_nonempty,
    dtype_listed,
    dtypes_equal,
    null,
    product,
)
from tests.support.aclnn.values import ITEMSIZE, Call


def tilings(out: str, *rows: Row) -> Iterator[Row]:
    """Rows where a generated function plans its kernel, unless its output is empty; by the document always, 161002."""
    for row in rows:
        yield replace(row, name=f"{row.name} in document", rules="document")
    for row in rows:

        def planned(c: Call, row: Row = row) -> bool:
            return c[out].size > 0 and row.when(c)

        yield replace(row, status=TILING, rules="operator", when=planned, uses=(*row.uses, out))


def in_range(c: Call) -> bool:
    rank = max(len(c["x"].shape), 1)
    return -rank <= c["dim"] < rank


def halves(c: Call) -> bool:
    """Whether x can be halved along dim."""
    return in_range(c) and bool(c["x"].shape) and c["x"].shape[c["dim"]] % 2 == 0


def half(c: Call) -> tuple[int, ...]:
    """The shape of a half of x."""
    at = c["dim"] % len(c["x"].shape)
    return tuple(n // 2 if k == at else n for k, n in enumerate(c["x"].shape))


def dim_rows() -> Iterator[Row]:
    yield Row("dim", INVALID, ("x",), lambda c: not in_range(c), ("dim",), r"\[-", "value")
    yield Row(
        "x odd", INVALID, ("x",), lambda c: in_range(c) and not halves(c), ("x",), "odd|dimension to halve", "value"
    )


def blocks(c: Call) -> bool:
    """Whether Ascend310P cannot move a half in whole blocks."""
    if not halves(c):
        return False
    return prod(c["x"].shape[c["dim"] % len(c["x"].shape) :]) // 2 * ITEMSIZE.get(c["x"].dtype, 1) % 64 != 0


def last_rows(fits: Test) -> Iterator[Row]:
    """The rule of Ascend310P, and this project's: the output has the result's shape, or as many elements in a row."""
    yield Row("x blocks", INVALID, ("x",), blocks, ("x",), "64", "value", products=("Ascend310P",))
    yield Row("out shape", INVALID, ("x", "out"), lambda c: halves(c) and not fits(c), ("out",), r"shape \(", "value")


def has_shape(c: Call, shape: tuple[int, ...]) -> bool:
    out = c["out"]
    steps = tuple(prod(out.shape[k + 1 :]) for k in range(len(out.shape)))
    in_a_row = out.size == 0 or all(
        n == 1 or step == own for n, step, own in zip(out.shape, out.steps, steps, strict=True)
    )
    return out.shape == shape or (in_a_row and out.size == prod(shape))


def swiglu(function: str) -> Iterator[Row]:
    yield from null("x", "out")
    yield product(function)
    yield dtype_listed("x")
    yield dtypes_equal("out", "x")
    yield replace(document_nonempty("x"), products=("Ascend310P",))
    yield from tilings("out", *dim_rows(), *last_rows(lambda c: has_shape(c, half(c))))


def swiglu_grad(function: str) -> Iterator[Row]:
    yield from null("yGrad", "x", "out")
    yield product(function)
    yield dtype_listed("yGrad")
    yield dtypes_equal("x", "yGrad")
    yield dtypes_equal("out", "yGrad")
    yield from map(document_nonempty, ("yGrad", "x"))

    def ranks(c: Call) -> bool:
        return len(c["yGrad"].shape) != len(c["x"].shape)

    def not_half(c: Call) -> bool:
        return halves(c) and c["yGrad"].shape != half(c) and not ranks(c)

    yield from tilings(
        "out",
        Row("ranks", INVALID, ("yGrad", "x"), ranks, ("yGrad", "x"), "dimension", "value"),
        *dim_rows(),
        Row("yGrad half", INVALID, ("yGrad", "x"), not_half, ("yGrad", "x"), "half|halve", "value"),
        *last_rows(lambda c: has_shape(c, c["x"].shape)),
    )
