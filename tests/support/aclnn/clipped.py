"""What phase one of the functions of clipped SwiGLU, SwiGLU of groups, FATReLU and randomized ReLU must answer."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from tests.support.aclnn.checks import (
    DTYPE_LISTED,
    INVALID,
    NO_KERNEL,
    Row,
    document_nonempty,
    document_rank,
    dtype_listed,
    dtypes_equal,
    null,
    product,
    shapes_equal,
)
from tests.support.aclnn.functions import OUTPUTS
from tests.support.aclnn.shrinks import half_row
from tests.support.aclnn.smooth import formats_equal
from tests.support.aclnn.swiglu import dim_rows, halves, has_shape, tilings
from tests.support.aclnn.values import FLOATS, Call


def has_dtype(name: str, dtype: str) -> Row:
    return Row(f"{name} dtype", INVALID, (name,), lambda c: c[name].dtype != dtype, (name,), DTYPE_LISTED, "dtype")


def group_rank() -> Row:
    name = "groupIndexOptional"
    return Row("groups rank", INVALID, (name,), lambda c: len(c[name].shape) != 1, (name,), "dimension", "value")


def group_count(maximum: int, products: tuple[str, ...]) -> Row:
    name = "groupIndexOptional"
    return Row("groups", INVALID, (name,), lambda c: not 1 <= c[name].size <= maximum, (name,), "elements", "value",
               products=products)  # fmt: skip


def clipped_swiglu(function: str) -> Iterator[Row]:
    yield from null("x", "out")
    yield product(function)
    yield dtype_listed("x")
    yield dtypes_equal("out", "x")
    yield has_dtype("groupIndexOptional", "INT64")
    yield document_rank(function, of=("x",))
    newest = ("Ascend950",)
    mode = Row("clampMode", INVALID, (), lambda c: c.arguments.get("clampMode", 0) not in (0, 1), ("clampMode",),
               "one of", "value", products=newest)  # fmt: skip
    yield from tilings(
        "out",
        *dim_rows(),
        group_rank(),
        half_row("out"),
        *([mode] if function.endswith("V2") else []),
        Row("limit", INVALID, (), lambda c: not c["limit"] > 0, ("limit",), "limit > 0", "value", products=newest),
        group_count(8192, newest),
    )


def clipped_swiglu_grad(function: str) -> Iterator[Row]:
    yield from null("gradY", "x", "gradXOut")
    yield product(function)
    yield dtype_listed("gradY")
    yield dtypes_equal("x", "gradY")
    yield dtypes_equal("gradXOut", "gradY")
    yield has_dtype("groupIndexOptional", "INT64")
    yield document_rank(function, of=("x",))
    yield from map(document_nonempty, ("gradY", "x"))

    def unlike(c: Call) -> bool:
        return halves(c) and c["gradXOut"].shape != c["x"].shape

    yield from tilings(
        "gradXOut",
        Row("limit", INVALID, (), lambda c: not c["limit"] > 0, ("limit",), "limit > 0", "value"),
        *dim_rows(),
        half_row("gradY"),
        group_rank(),
        Row("gradXOut shape", INVALID, ("x", "gradXOut"), unlike, ("gradXOut",), r"shape \(", "value"),
    )


def swiglu_group(function: str) -> Iterator[Row]:
    yield from null("x", "out")
    yield product(function)
    yield dtype_listed("x")
    yield dtypes_equal("out", "x")
    yield has_dtype("weightOptional", "FLOAT")
    yield has_dtype("groupIndexOptional", "INT64")
    yield document_rank(function, of=("x",))
    yield document_nonempty("x")

    def odd(c: Call) -> bool:
        return not c["x"].shape or c["x"].shape[-1] % 2 == 1

    def bad_weight(c: Call) -> bool:
        rows = c["x"].shape[:-1]
        return not odd(c) and c["weightOptional"].size != prod(rows)

    def bad_out(c: Call) -> bool:
        return not odd(c) and c["out"].shape != (*c["x"].shape[:-1], c["x"].shape[-1] // 2)

    def bad_limit(c: Call) -> bool:
        return not (c["clampLimit"] == -1 or c["clampLimit"] > 0)

    yield from tilings(
        "out",
        Row("clampLimit", INVALID, (), bad_limit, ("clampLimit",), "> 0", "value"),
        Row("x odd", INVALID, ("x",), odd, ("x",), "odd|dimension to halve", "value"),
        Row("weight rows", INVALID, ("x", "weightOptional"), bad_weight, ("weightOptional",), r"shape \(", "value"),
        group_rank(),
        group_count(1 << 62, ("Ascend950",)),
        Row("out half", INVALID, ("x", "out"), bad_out, ("out",), "half|halve", "value"),
    )


def fatrelu_mul(function: str) -> Iterator[Row]:
    yield from null("input", "threshold", "out")
    yield product(function)
    yield dtype_listed("input")
    yield dtypes_equal("threshold", "input")
    yield dtypes_equal("out", "input")
    yield document_rank(function, 0, of=("input",))

    def shape(c: Call) -> tuple[int, ...]:
        return c["input"].shape if len(c["input"].shape) > 1 else (1, 2)

    def row(name: str, when: object, says: str) -> Row:
        return Row(name, INVALID, ("input",), when, ("input",), says, "value")  # type: ignore[arg-type]

    def unlike(c: Call) -> bool:
        whole = shape(c)
        return whole[-1] % 2 == 0 and not has_shape(c, (*whole[:-1], whole[-1] // 2))

    yield from tilings(
        "out",
        row("input rank", lambda c: len(c["input"].shape) < 2, "dimension"),
        Row("threshold count", INVALID, ("threshold",), lambda c: c["threshold"].size != 1,
            ("threshold",), "one element", "value"),
        row("input empty rows", lambda c: shape(c)[-1] == 0, "1 to 1024"),
        row("input long", lambda c: shape(c)[-1] > 1024, "1 to 1024"),
        row("input many", lambda c: prod(shape(c)[:-1]) > 200_000, "200000"),
        row("input odd", lambda c: shape(c)[-1] % 2 == 1, "odd"),
        Row("out shape", INVALID, ("input", "out"), unlike, ("out",), r"shape \(", "value"),
    )  # fmt: skip


def rrelu_with_noise(function: str) -> Iterator[Row]:
    (out,) = OUTPUTS[function]
    yield from null(*dict.fromkeys(("self", "noise", "lower", "upper", out)))
    yield from map(dtype_listed, dict.fromkeys(("self", "noise", out)))
    if out != "self":
        yield dtypes_equal(out, "self")
    yield dtypes_equal("noise", "self")
    for n in ("lower", "upper"):  # of one list on every product
        yield Row(f"{n} dtype", INVALID, (n,), lambda c, n=n: c[n].dtype not in FLOATS, (n,), n, "dtype")
    if out != "self":
        yield shapes_equal(out, "self")
    yield Row("noise count", INVALID, ("self", "noise"), lambda c: c["training"] and c["noise"].size < c["self"].size,
              ("noise",), "elements", "shape")  # fmt: skip
    for n in ("self", "noise"):
        yield Row(f"{n} rank", INVALID, (n,), lambda c, n=n: len(c[n].shape) > 32, (n,), "dimension", "shape")
    yield from formats_equal("noise" if out == "self" else "self", *(["noise"] if out != "self" else []), to=out)

    def drawn(c: Call) -> bool:
        return c["training"] and c["self"].size > 0 and c["noise"].size > 0

    yield Row("training", NO_KERNEL, ("self", "noise"), drawn, ("training",), "training", "kernel")
