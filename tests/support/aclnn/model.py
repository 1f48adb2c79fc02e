"""What phase one of every aclnn function must answer: its table of checks, in order.

Written from the operators' contract alone, sharing nothing with the package under test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from tests.support.aclnn import families
from tests.support.aclnn.checks import (
    DTYPE_LISTED,
    INVALID,
    RANK,
    SUCCESS,
    Row,
    Test,
    broadcasts,
    casts,
    document_nonempty,
    document_rank,
    dtype_listed,
    dtypes_equal,
    format_nd,
    kernel,
    memory,
    null,
    output_listed,
    product,
    rank_limit,
    real,
    result_casts,
    shapes_equal,
    with_bf16,
)
from tests.support.aclnn.functions import tensors
from tests.support.aclnn.values import Call


def elu_backward() -> Iterator[Row]:
    yield from null("gradOutput", "alpha", "scale", "inputScale", "selfOrResult", "gradInput")
    yield product("aclnnEluBackward")
    yield dtypes_equal("selfOrResult", "gradOutput")
    yield dtype_listed("gradOutput")
    yield from map(real, ("alpha", "scale", "inputScale"))
    yield casts("gradOutput", "gradInput")
    yield output_listed("gradInput")
    yield shapes_equal("selfOrResult", "gradOutput")
    yield shapes_equal("gradInput", "gradOutput")
    yield rank_limit("gradOutput")
    yield Row("alpha negative", INVALID, ("alpha", "isResult"), lambda c: c["isResult"] and c["alpha"].single < 0,
              ("alpha", "isResult"), "alpha >= 0", "value")  # fmt: skip
    yield from memory("aclnnEluBackward")
    yield kernel("gradInput")


def elu(function: str, x: str, out: str) -> Iterator[Row]:
    yield from null(*dict.fromkeys((x, "alpha", "scale", "inputScale", out)))
    yield product(function)
    yield dtype_listed(x)
    yield from map(real, ("scale", "alpha", "inputScale"))
    if x != out:
        yield casts(x, out)
        yield output_listed(out)
        yield shapes_equal(out, x)
    yield rank_limit(x)
    yield from memory(function)
    if x != out:
        yield kernel(out)


def selu(function: str, x: str, out: str) -> Iterator[Row]:
    yield from null(*dict.fromkeys((x, out)))
    yield product(function)
    yield dtype_listed(x)
    if x != out:
        yield dtype_listed(out)
        yield replace(casts(x, out), is_numbered=False)
        yield dtypes_equal(out, x, is_numbered=False, rules="document")
        yield shapes_equal(out, x)
    yield document_rank(function)
    yield from map(format_nd, tensors(function))
    yield from memory(function)


def selu_backward() -> Iterator[Row]:
    yield from null("gradOutput", "result", "gradInput")
    yield product("aclnnSeluBackward")
    yield dtypes_equal("result", "gradOutput")
    yield dtypes_equal("gradInput", "gradOutput")
    yield dtype_listed("gradOutput")
    yield shapes_equal("result", "gradOutput")
    yield shapes_equal("gradInput", "gradOutput")
    yield document_rank("aclnnSeluBackward")
    yield from map(format_nd, tensors("aclnnSeluBackward"))
    yield document_nonempty("result")
    yield from memory("aclnnSeluBackward")


def leaky_relu(function: str, x: str, out: str) -> Iterator[Row]:
    yield from null(*dict.fromkeys((x, "negativeSlope", out)))
    yield product(function)
    yield dtype_listed(x)
    # The matrix of products takes BF16 from the slope, too, where the chip has none.
    yield Row("negativeSlope dtype", INVALID, ("negativeSlope",), lambda c: c["negativeSlope"].dtype == "BF16",
              ("negativeSlope",), DTYPE_LISTED, "dtype", is_numbered=False, products=("Ascend910",))  # fmt: skip
    if x != out:
        yield casts(x, out)
        yield output_listed(out)
    yield rank_limit(x)
    if x != out:
        yield shapes_equal(out, x)
    yield from memory(function)
    if x != out:
        yield kernel(out)


def leaky_relu_backward() -> Iterator[Row]:
    yield from null("gradOutput", "self", "negativeSlope", "out")
    yield product("aclnnLeakyReluBackward")
    yield dtype_listed("gradOutput")
    yield dtype_listed("self")

    def slope_listed(c: Call) -> bool:
        real = ("FLOAT", "FLOAT16", "DOUBLE", "INT32", "INT64", "INT8", "BOOL", "INT16", "UINT8")
        return c["negativeSlope"].dtype not in with_bf16(c, *real)

    yield Row("negativeSlope dtype", INVALID, ("negativeSlope",), slope_listed, ("negativeSlope",), DTYPE_LISTED,
              "dtype")  # fmt: skip
    yield rank_limit("gradOutput")
    yield rank_limit("self")

    yield from broadcasts("gradOutput", "self", "out")
    yield Row("negativeSlope negative", INVALID, ("negativeSlope", "selfIsResult"),
              lambda c: c["selfIsResult"] and c["negativeSlope"].double < 0,
              ("negativeSlope", "selfIsResult"), "negativeSlope >= 0", "value")  # fmt: skip

    yield result_casts("gradOutput", "self", "out")
    # Conversion comes last here, so where a list of outputs would stand is open.
    yield output_listed("out", stage=None)
    yield from memory("aclnnLeakyReluBackward")
    yield kernel("out")


def approximate_rows() -> Iterator[Row]:
    yield Row("approximate", INVALID, (), lambda c: c["approximate"] not in (0, 1), ("approximate",), "approximate",
              "value")  # fmt: skip
    yield Row("approximate 0", INVALID, (), lambda c: c["approximate"] == 0, ("approximate",), "Ascend310P", "value",
              is_numbered=False, products=("Ascend310P",))  # fmt: skip


def dim_rows(outside: Test) -> Iterator[Row]:
    """A dimension that a tensor of rank 0 cannot have, whatever `dim` says, is that tensor's fault."""
    yield Row("self rank 0", INVALID, ("self",), lambda c: not c["self"].shape, ("self",), RANK, "value")
    yield Row("dim", INVALID, ("self",), lambda c: bool(c["self"].shape) and outside(c), ("dim",), r"\[-", "value")


def geglu(function: str) -> Iterator[Row]:
    outputs = ("out", "outGelu")
    yield from null("self", *outputs)
    yield product(function)
    yield from map(dtype_listed, ("self", *outputs))
    for name in outputs:
        row = dtypes_equal(name, "self")
        yield replace(row, when=lambda c, row=row: c["self"].size > 0 and len(c["self"].shape) > 0 and row.when(c))
    yield from map(rank_limit, ("self", *outputs))

    def outside(c: Call) -> bool:
        n = len(c["self"].shape)
        return not -n <= c["dim"] < n

    yield from dim_rows(outside)

    def size(c: Call, n: str) -> int:
        return 0 if outside(c) else c[n].shape[c["dim"]]

    def not_half(c: Call, n: str) -> bool:  # where ranks differ, which dimension is meant is open: the next rows tell
        return len(c[n].shape) == len(c["self"].shape) and 2 * size(c, n) != size(c, "self")

    yield Row("self odd", INVALID, ("self",), lambda c: size(c, "self") % 2 == 1, ("self",), "even|odd", "shape")
    for n in outputs:
        yield Row(f"{n} half", INVALID, ("self", n), lambda c, n=n: not_half(c, n), (n,), "half of that", "shape")
    for n in outputs:
        yield Row(f"{n} rank differs", INVALID, ("self", n), lambda c, n=n: len(c[n].shape) != len(c["self"].shape),
                  (n,), r"shape \(|dimensions|half", "shape")  # fmt: skip

    def others_differ(c: Call, n: str) -> bool:
        a, b = c["self"].shape, c[n].shape
        if len(a) != len(b) or outside(c):
            return False
        return any(p != q for k, (p, q) in enumerate(zip(a, b, strict=True)) if k != c["dim"] % len(a))

    for n in outputs:
        yield Row(f"{n} shape", INVALID, ("self", n), lambda c, n=n: others_differ(c, n), (n,), r"shape \(", "shape")
    yield from approximate_rows()
    yield from memory(function)


def geglu_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gelu", "gradInput")
    yield from null(*names)
    yield product(function)
    yield dtype_listed("gradOutput")
    for name in names[1:]:
        yield dtypes_equal(name, "gradOutput")
    yield shapes_equal("gelu", "gradOutput")
    yield shapes_equal("gradInput", "self")

    def outside(c: Call) -> bool:
        n = len(c["self"].shape)
        return not -n <= c["dim"] < n

    yield from dim_rows(outside)

    def ranks_differ(c: Call) -> bool:
        return 0 < len(c["self"].shape) != len(c["gradOutput"].shape)

    yield Row("gradOutput rank differs", INVALID, ("self", "gradOutput"), ranks_differ, ("gradOutput",),
              r"shape \(|dimensions|half", "shape")  # fmt: skip

    def not_half(c: Call) -> bool:
        a, b = c["self"].shape, c["gradOutput"].shape
        if outside(c) or len(a) != len(b):
            return False
        at = c["dim"] % len(b)
        return any(p != (2 * q if k == at else q) for k, (p, q) in enumerate(zip(a, b, strict=True)))

    yield Row("gradOutput half", INVALID, ("self", "gradOutput"), not_half, (),
              r"\b(gradOutput|self)\b.*(shape \(|half|odd|even)", "shape")  # fmt: skip
    yield from approximate_rows()
    yield document_rank(function)
    yield from memory(function)


@cache
def rows(function: str) -> tuple[Row, ...]:
    """A function's checks in order."""
    made = {
        "aclnnElu": lambda: elu(function, "self", "out"),
        "aclnnInplaceElu": lambda: elu(function, "selfRef", "selfRef"),
        "aclnnEluBackward": elu_backward,
        "aclnnSelu": lambda: selu(function, "self", "out"),
        "aclnnInplaceSelu": lambda: selu(function, "selfRef", "selfRef"),
        "aclnnSeluBackward": selu_backward,
        "aclnnLeakyRelu": lambda: leaky_relu(function, "self", "out"),
        "aclnnInplaceLeakyRelu": lambda: leaky_relu(function, "selfRef", "selfRef"),
        "aclnnLeakyReluBackward": leaky_relu_backward,
    }.get(function)
    if "GeGlu" in function:
        made = (lambda: geglu_backward(function)) if function.endswith("Backward") else lambda: geglu(function)
    return tuple(made() if made else families.rows(function))


def faults(call: Call) -> list[Row]:
    """The rows at which a call is at fault, in order."""
    return [row for row in rows(call.function) if row.holds(call)]


def status(call: Call) -> int:
    """What phase one must return."""
    return next((row.status for row in rows(call.function) if row.holds(call)), SUCCESS)
