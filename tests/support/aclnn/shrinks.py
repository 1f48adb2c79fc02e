"""What phase one of the functions of the shrinkages, Heaviside's step, squared ReLU and two gated units must answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from tests.support.aclnn.checks import (
    INVALID,
    Row,
    broadcast,
    broadcasts,
    document_rank,
    dtype_listed,
    dtypes_equal,
    null,
    product,
    rank_limit,
    real,
    shapes_equal,
    unnumbered,
)
from tests.support.aclnn.swiglu import dim_rows, half, halves, has_shape, tilings
from tests.support.aclnn.values import Call


def not_negative(name: str) -> Row:
    return Row(f"{name} negative", INVALID, (name,), lambda c: c[name].single < 0, (name,), ">= 0", "value")


def hardshrink(function: str) -> Iterator[Row]:
    yield from null("self", "lambd", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield unnumbered(real("lambd"))
    yield shapes_equal("out", "self")
    yield rank_limit("self")


def hardshrink_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null("gradOutput", "self", "lambd", "gradInput")
    yield from map(dtype_listed, names)
    yield unnumbered(real("lambd"))
    yield from map(rank_limit, names)
    for row in broadcasts(*names):  # of an empty tensor they are not compared

        def differ(c: Call, row: Row = row) -> bool:
            return c["gradOutput"].size > 0 and c["self"].size > 0 and row.when(c)

        yield replace(row, when=differ)


def softshrink(function: str) -> Iterator[Row]:
    yield from null("self", "lambd", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield unnumbered(real("lambd"))
    yield shapes_equal("out", "self")
    yield rank_limit("self")
    yield not_negative("lambd")


def softshrink_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null("gradOutput", "self", "lambda", "gradInput")
    yield from map(dtype_listed, names)
    yield unnumbered(real("lambda"))
    yield from map(rank_limit, names[:2])
    yield from broadcasts(*names)
    yield not_negative("lambda")


def shrink(function: str) -> Iterator[Row]:
    yield from null("self", "lambd", "bias", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield from (unnumbered(real(n)) for n in ("lambd", "bias"))
    yield shapes_equal("out", "self")
    yield not_negative("lambd")
    yield Row("formats", INVALID, ("self", "out"), lambda c: c["self"].format != c["out"].format, ("self", "out"),
              "(?i)format", "value")  # fmt: skip


def heaviside(function: str) -> Iterator[Row]:
    names = ("input", "values", "out")
    yield from null(*names)
    yield from map(dtype_listed, names)
    yield from map(rank_limit, names[:2])

    def is_empty(c: Call) -> bool:
        return any(c[n].size == 0 for n in names)

    def apart(c: Call) -> bool:
        return not is_empty(c) and broadcast(c["input"].shape, c["values"].shape) is None

    yield Row("broadcast", INVALID, names, apart, names[:2], "broadcast", "shape")

    def differs(c: Call) -> bool:  # a strided output of another shape is refused by this project
        shape = broadcast(c["input"].shape, c["values"].shape)
        return not is_empty(c) and shape is not None and not has_shape(c, shape)

    yield Row("out count", INVALID, names, differs, ("out",), r"shape \(", "shape")


def squared_relu(function: str) -> Iterator[Row]:
    yield from null("input", "out")
    yield product(function)
    yield dtype_listed("input")
    yield dtypes_equal("out", "input")
    yield document_rank(function, of=("input",))
    yield from tilings("out", Row("out count", INVALID, ("input", "out"), lambda c: not has_shape(c, c["input"].shape),
                                  ("out",), r"shape \(", "value"))  # fmt: skip


def gelu_mul(function: str) -> Iterator[Row]:
    yield from null("input", "out")
    yield product(function)
    yield dtype_listed("input")
    yield dtypes_equal("out", "input")
    yield document_rank(function, 0, of=("input",))

    def size(c: Call) -> int:
        return c["input"].shape[-1] if len(c["input"].shape) > 1 else 2

    def rows(c: Call) -> int:
        return prod(c["input"].shape[:-1]) if len(c["input"].shape) > 1 else 1

    def row(name: str, when: object, names: tuple[str, ...], says: str) -> Row:
        return Row(name, INVALID, ("input",), when, names, says, "value")  # type: ignore[arg-type]

    def unlike(c: Call) -> bool:
        shape = c["input"].shape
        return len(shape) > 1 and shape[-1] % 2 == 0 and not has_shape(c, (*shape[:-1], shape[-1] // 2))

    yield from tilings(
        "out",
        row("approximate", lambda c: c["approximateOptional"] not in (None, "none", "tanh"), ("approximateOptional",),
            "approximate"),
        row("input rank", lambda c: len(c["input"].shape) < 2, ("input",), "dimension"),
        row("input empty rows", lambda c: size(c) == 0, ("input",), "1 to 1024"),
        row("input long", lambda c: size(c) > 1024, ("input",), "1 to 1024"),
        row("input many", lambda c: rows(c) > 200_000, ("input",), "200000"),
        row("input odd", lambda c: size(c) % 2 == 1, ("input",), "odd"),
        Row("out shape", INVALID, ("input", "out"), unlike, ("out",), r"shape \(", "value"),
    )  # fmt: skip


def situ_glu(function: str) -> Iterator[Row]:
    yield from null("x", "out")
    yield product(function)
    yield dtype_listed("x")
    yield dtypes_equal("out", "x")
    yield document_rank(function, of=("x",))
    yield from tilings("out", *dim_rows(), half_row("out"))


def half_row(name: str) -> Row:
    def unlike(c: Call) -> bool:
        return halves(c) and c[name].shape != half(c)

    return Row(f"{name} half", INVALID, ("x", name), unlike, (name,), "half|halve", "value")


def situ_glu_grad(function: str) -> Iterator[Row]:
    yield from null("gradY", "x", "out")
    yield product(function)
    yield dtype_listed("gradY")
    yield dtypes_equal("x", "gradY")
    yield dtypes_equal("out", "gradY")
    yield document_rank(function, of=("x",))
    # The output's shape is not compared there; a decision of this project.
    unlike = Row("out shape", INVALID, ("x", "out"), lambda c: halves(c) and c["out"].shape != c["x"].shape,
                 ("out",), r"shape \(", "value")  # fmt: skip
    yield from tilings("out", *dim_rows(), half_row("gradY"), unlike)
