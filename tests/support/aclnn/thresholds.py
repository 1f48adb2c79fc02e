"""What phase one of the functions of ReLU, thresholds and clamps must answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tests.support.aclnn.checks import (
    DTYPE_LISTED,
    INVALID,
    Row,
    broadcasts,
    casts,
    document_nonempty,
    dtype_listed,
    dtypes_equal,
    kernel,
    null,
    rank_limit,
    real,
    result_casts,
    shapes_equal,
    unnumbered,
)
from tests.support.aclnn.functions import OUTPUTS
from tests.support.aclnn.values import COMPLEX, INTEGERS, Call, convertible, promoted


def relu(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield dtype_listed("self")
    yield Row("UINT8 in document", INVALID, ("self",), lambda c: c["self"].dtype == "UINT8", ("self",),
              DTYPE_LISTED, "dtype", is_numbered=False, rules="document")  # fmt: skip
    yield dtypes_equal("out", "self")
    yield from map(rank_limit, ("self", "out"))
    yield shapes_equal("out", "self")


def add_relu(function: str) -> Iterator[Row]:
    (out,) = OUTPUTS[function]
    first = out if out == "selfRef" else "self"
    yield from null(*dict.fromkeys((first, "other", "alpha", out)))
    yield dtype_listed(first)
    yield dtype_listed("other")
    pair = (first, "other")

    def cannot(c: Call) -> bool:
        result = promoted(c[first].dtype, c["other"].dtype)
        return result is not None and not convertible(c["alpha"].dtype, result)

    yield Row("alpha conversion", INVALID, (*pair, "alpha"), cannot, ("alpha",), "convert", "dtype")
    yield result_casts(*pair, out)
    yield from map(rank_limit, pair)
    yield from broadcasts(*pair, out)
    if out == "out":
        yield kernel(out)


def unheld(name: str, tensor: str) -> Row:
    """This project's decision: a float beyond the tensor's integers has no conversion."""

    def beyond(c: Call) -> bool:
        if c[tensor].dtype not in INTEGERS or c[name].dtype in (*INTEGERS, "BOOL", *COMPLEX):
            return False
        limits = np.iinfo(c[tensor].dtype.lower())
        return not (math.isfinite(c[name].double) and limits.min <= int(c[name].double) <= limits.max)

    return Row(
        f"{name} of integers", INVALID, (tensor, name), beyond, (name,), "must lie in", "value", is_numbered=False
    )


def threshold(function: str) -> Iterator[Row]:
    (out,) = OUTPUTS[function]
    first = out if out == "selfRef" else "self"
    yield from null(*dict.fromkeys((first, out, "threshold", "value")))
    yield dtype_listed(first)
    yield from (unnumbered(real(n)) for n in ("threshold", "value"))
    yield from (unheld(n, first) for n in ("threshold", "value"))
    if first == out:
        yield rank_limit(first)
        return
    yield casts("self", "out")
    yield rank_limit("self")
    yield shapes_equal("out", "self")
    yield kernel("out")


def threshold_backward(function: str) -> Iterator[Row]:
    yield from null("threshold", "out", "gradOutput", "self")
    for n in ("gradOutput", "self"):  # whose list depends on the threshold
        row = dtype_listed(n)
        yield replace(row, uses=(n, "threshold"))
    yield unnumbered(real("threshold"))
    yield dtypes_equal("self", "gradOutput")
    yield dtypes_equal("out", "self")
    yield from map(rank_limit, ("gradOutput", "self"))
    yield from broadcasts("gradOutput", "self", "out")


def hardtanh(function: str) -> Iterator[Row]:
    (out,) = OUTPUTS[function]
    first = out if out == "selfRef" else "self"
    bounds = ("clipValueMin", "clipValueMax")
    yield from null(*dict.fromkeys((first, *bounds, out)))
    yield from map(dtype_listed, (first, *bounds))
    if first != out:
        yield dtypes_equal("out", "self")
    yield rank_limit(first)
    if first != out:
        yield shapes_equal("out", "self")

    def crossed(c: Call) -> bool:
        low, high = (c[name] for name in bounds)
        if low.dtype in INTEGERS and math.isfinite(high.double):
            return low.integer > high.integer
        return low.double > high.double

    yield from (unheld(n, first) for n in bounds)
    yield Row("bounds", INVALID, bounds, crossed, bounds, "needs", "value")


def hardtanh_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "out")
    yield from null("self", "gradOutput", "out", "min", "max")
    yield from map(dtype_listed, names)
    yield from (unnumbered(real(n)) for n in ("min", "max"))
    yield dtypes_equal("self", "gradOutput")
    yield from map(rank_limit, names[:2])
    yield shapes_equal("self", "gradOutput")
    yield unnumbered(shapes_equal("out", "gradOutput"))  # not compared there; a decision of this project
    yield document_nonempty("gradOutput")
