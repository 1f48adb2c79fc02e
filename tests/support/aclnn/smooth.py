"""What phase one of the functions of CELU, erfinv, fast GELU, log-sigmoid, Mish, softplus and GLU must answer."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.aclnn.checks import (
    INVALID,
    RANK,
    Row,
    broadcasts,
    casts,
    document_nonempty,
    document_rank,
    dtype_listed,
    dtypes_equal,
    kernel,
    null,
    rank_limit,
    real,
    shapes_equal,
    unnumbered,
)
from tests.support.aclnn.functions import OUTPUTS
from tests.support.aclnn.values import Call, convertible


def celu(function: str) -> Iterator[Row]:
    (out,) = OUTPUTS[function]
    first = out if out == "selfRef" else "self"
    yield from null(*dict.fromkeys((first, "alpha", out)))
    yield dtype_listed(first)
    yield real("alpha")
    if first != out:
        yield casts(first, out)
    yield rank_limit(first)
    if first != out:
        yield shapes_equal(out, first)
    yield Row("alpha 0 or NaN", INVALID, ("alpha",), lambda c: not abs(c["alpha"].single) > 0, ("alpha",), "alpha",
              "value")  # fmt: skip
    if first != out:
        yield kernel(out)


def erfinv(function: str) -> Iterator[Row]:
    (out,) = OUTPUTS[function]
    first = out if out == "selfRef" else "self"
    yield from null(*dict.fromkeys((first, out)))
    yield dtype_listed(first)

    def cannot(c: Call) -> bool:
        source = c[first].dtype
        is_whole = source == "BOOL" or "INT" in source
        return not convertible("FLOAT" if is_whole else source, c[out].dtype)

    yield Row(f"{out} conversion", INVALID, (first, out), cannot, (out,), "convert", "dtype")
    if first != out:
        yield shapes_equal(out, first)
    yield rank_limit(first)
    if first != out:
        yield kernel(out)


def formats_equal(*names: str, to: str) -> Iterator[Row]:
    for n in names:
        yield Row(f"{n} format", INVALID, (n, to), lambda c, n=n: c[n].format != c[to].format, (n, to),
                  "(?i)format", "value")  # fmt: skip


def fast_gelu(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield dtypes_equal("out", "self")
    yield dtype_listed("self")
    yield shapes_equal("out", "self")
    yield rank_limit("self")
    yield from formats_equal("out", to="self")


def fast_gelu_backward(function: str) -> Iterator[Row]:
    yield from null("gradOutput", "self", "gradInput")
    yield dtypes_equal("self", "gradOutput")
    yield dtypes_equal("gradInput", "gradOutput")
    yield dtype_listed("self")
    yield shapes_equal("self", "gradOutput")
    yield shapes_equal("gradInput", "gradOutput")
    yield rank_limit("self")
    yield from formats_equal("gradInput", "gradOutput", to="self")


def log_sigmoid(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield dtypes_equal("out", "self")
    yield shapes_equal("out", "self")
    yield document_rank(function, of=("self",))


def log_sigmoid_backward(function: str) -> Iterator[Row]:
    yield from null("gradOutput", "self", "buffer", "gradInput")
    yield from map(dtype_listed, ("gradOutput", "self"))
    yield dtypes_equal("gradInput", "gradOutput")
    yield dtypes_equal("self", "gradInput")
    yield shapes_equal("gradInput", "gradOutput")
    yield shapes_equal("self", "gradInput")
    yield document_rank(function, of=("self", "gradOutput", "gradInput"))


def mish(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield dtypes_equal("out", "self")
    yield from map(rank_limit, ("self", "out"))
    yield shapes_equal("out", "self")


def mish_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null(*names)
    yield casts("self", "gradInput")
    yield from map(dtype_listed, names)
    yield from map(document_nonempty, names[:2])
    yield from map(rank_limit, names)
    yield from broadcasts(*names)


def scalar_casts(scalar: str, to: str) -> Row:
    return Row(f"{scalar} conversion", INVALID, (scalar, to), lambda c: not convertible(c[scalar].dtype, c[to].dtype),
               (scalar,), "convert|complex", "dtype")  # fmt: skip


def softplus(function: str) -> Iterator[Row]:
    yield from null("self", "beta", "threshold", "out")
    yield dtype_listed("self")
    yield from (scalar_casts(n, "self") for n in ("beta", "threshold"))
    yield casts("self", "out")
    yield rank_limit("self")
    yield shapes_equal("out", "self")
    yield kernel("out")


def softplus_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null("gradOutput", "self", "beta", "threshold", "gradInput")  # the scalars: a decision of this project
    yield from map(dtype_listed, names)
    yield from (unnumbered(real(n)) for n in ("beta", "threshold"))
    yield from map(rank_limit, names)
    yield shapes_equal("self", "gradOutput")
    yield shapes_equal("gradInput", "self")


def glu_shapes(packed: str, half: str) -> Iterator[Row]:
    def outside(c: Call) -> bool:
        rank = len(c[packed].shape)
        return rank > 0 and not -rank <= c["dim"] < rank

    def odd(c: Call) -> bool:
        return bool(c[packed].shape) and not outside(c) and c[packed].shape[c["dim"]] % 2 == 1

    def other(c: Call) -> bool:
        shape = c[packed].shape
        if not shape or outside(c) or odd(c):
            return False
        at = c["dim"] % len(shape)
        return c[half].shape != tuple(n // 2 if k == at else n for k, n in enumerate(shape))

    yield Row(f"{packed} rank 0", INVALID, (packed,), lambda c: not c[packed].shape, (packed,), RANK, "shape")
    yield Row("dim", INVALID, (packed,), outside, ("dim",), r"\[-", "shape")
    yield Row(f"{packed} odd", INVALID, (packed,), odd, (packed,), "odd|even", "shape")
    yield Row(f"{half} half", INVALID, (packed, half), other, (half,), "half|halve", "shape")


def glu(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield from map(rank_limit, ("self", "out"))
    yield from glu_shapes("self", "out")


def glu_backward(function: str) -> Iterator[Row]:
    yield from null("self", "gradOut", "out")
    yield dtype_listed("self")
    yield dtypes_equal("gradOut", "self")
    yield dtypes_equal("out", "self")
    yield from map(rank_limit, ("self", "out", "gradOut"))
    yield from glu_shapes("self", "gradOut")
    yield shapes_equal("out", "self")
