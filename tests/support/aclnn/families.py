"""What phase one of the functions of sigmoid's, SiLU's, ReLU's, hardswish's and GELU's families must answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.support.aclnn.checks import (
    DTYPE_LISTED,
    INVALID,
    PRODUCTS,
    RANK,
    TILING,
    Row,
    broadcasts,
    chip_has,
    document_rank,
    dtype_listed,
    dtypes_equal,
    kernel,
    meets,
    memory,
    null,
    rank_limit,
    real,
    result_casts,
    shapes_equal,
    short,
    unnumbered,
)
from tests.support.aclnn.clipped import clipped_swiglu, clipped_swiglu_grad, fatrelu_mul, rrelu_with_noise, swiglu_group
from tests.support.aclnn.functions import GENERATED, OUTPUTS
from tests.support.aclnn.shrinks import (
    gelu_mul,
    hardshrink,
    hardshrink_backward,
    heaviside,
    shrink,
    situ_glu,
    situ_glu_grad,
    softshrink,
    softshrink_backward,
    squared_relu,
)
from tests.support.aclnn.smooth import (
    celu,
    erfinv,
    fast_gelu,
    fast_gelu_backward,
    formats_equal,
    glu,
    glu_backward,
    log_sigmoid,
    log_sigmoid_backward,
    mish,
    mish_backward,
    softplus,
    softplus_backward,
)
from tests.support.aclnn.softmax import log_softmax, log_softmax_backward, softmax, softmax_backward
from tests.support.aclnn.swiglu import swiglu, swiglu_grad
from tests.support.aclnn.thresholds import add_relu, hardtanh, hardtanh_backward, relu, threshold, threshold_backward
from tests.support.aclnn.values import INTEGERS, Call, convertible, promoted


def only(name: str, *dtypes: str) -> Row:
    """A document that lists fewer dtypes than the source."""
    return Row(f"{name} dtype in document", INVALID, (name,), lambda c: c[name].dtype not in dtypes, (name,),
               DTYPE_LISTED, "dtype", is_numbered=False, rules="document")  # fmt: skip


def within(*names: str, minimum: int = 0) -> Iterator[Row]:
    """Ranks by a document alone."""
    for n in names:

        def outside(c: Call, n: str = n) -> bool:
            return not minimum <= len(c[n].shape) <= 8

        yield Row(f"{n} rank in document", INVALID, (n,), outside, (n,), RANK, "shape",
                  is_numbered=False, rules="document")  # fmt: skip


def private(name: str) -> Row:
    """A format that is more than an order of dimensions."""

    def is_private(c: Call) -> bool:
        return "FRACTAL" in c[name].format or "C0" in c[name].format

    return Row(f"{name} private format", INVALID, (name,), is_private, (name,), "(?i)format", "shape")


def plain_in_place(function: str) -> Iterator[Row]:
    (name,) = OUTPUTS[function]
    yield from null(name)
    yield dtype_listed(name)
    yield from within(name) if short(function) == "Hardswish" else (rank_limit(name),)


# Sigmoid and tanh.


def sigmoid(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield dtype_listed("self", anywhere=True)
    yield dtype_listed("out")
    yield chip_has("self")
    yield from (only(n, "FLOAT", "FLOAT16", "BF16") for n in ("self", "out"))
    yield shapes_equal("out", "self")
    yield rank_limit("self")


def sigmoid_in_place(function: str) -> Iterator[Row]:
    yield from null("selfRef")
    yield dtype_listed("selfRef")
    yield rank_limit("selfRef")


def sigmoid_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "output", "gradInput")
    yield from null(*names)
    yield from (dtype_listed(n, anywhere=True) for n in names)
    yield chip_has("gradOutput")
    yield from map(rank_limit, names[:2])
    yield result_casts(*names)
    yield from broadcasts(*names)
    yield from within(*names[:2], minimum=1)


def tanh(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield only("out", "FLOAT", "FLOAT16", "BF16")
    yield Row("out conversion", INVALID, ("self", "out"),
              lambda c: not convertible("FLOAT" if c["self"].dtype in (*INTEGERS, "BOOL") else c["self"].dtype,
                                        c["out"].dtype), ("out",), "convert", "dtype", rules="operator")  # fmt: skip
    yield from formats_equal("out", to="self")
    yield private("self")
    yield rank_limit("self")
    yield shapes_equal("out", "self")


def tanh_in_place(function: str) -> Iterator[Row]:
    yield from null("selfRef")
    yield dtype_listed("selfRef")
    yield private("selfRef")
    yield rank_limit("selfRef")


def tanh_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "output", "gradInput")
    yield from null(*names)
    yield from map(dtype_listed, names)
    yield from (dtypes_equal(n, "gradOutput") for n in names[1:])
    yield from map(rank_limit, names[:2])
    yield from broadcasts(*names)


# SiLU and Swish.


def silu(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from (dtype_listed(n, anywhere=True) for n in ("self", "out"))
    yield dtypes_equal("out", "self")
    yield chip_has("self")
    yield shapes_equal("out", "self")


def silu_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null(*names)
    yield from (dtype_listed(n, anywhere=True) for n in names)

    def unlike(c: Call) -> bool:
        a, b, out = (c[n].dtype for n in names)
        if c.product == "Ascend950" and a != b:
            return out != "FLOAT"
        return not a == b == out

    yield Row("dtypes alike", INVALID, names, unlike, ("gradInput",), "equal|FLOAT", "dtype")
    yield chip_has("gradOutput")
    yield Row("dtypes in document", INVALID, names, lambda c: len({c[n].dtype for n in names}) > 1, ("gradOutput",),
              "equal|FLOAT", "dtype", is_numbered=False, rules="document", products=("Ascend950",))  # fmt: skip
    yield from map(rank_limit, names[:2])
    elsewhere = tuple(p for p in PRODUCTS if p != "Ascend950")
    yield replace(shapes_equal("self", "gradOutput"), products=elsewhere)
    yield replace(shapes_equal("gradInput", "gradOutput"), products=elsewhere, names=("gradInput",))
    yield from (replace(row, products=("Ascend950",)) for row in broadcasts(*names))
    yield document_rank(function, of=names[:2])


def swish(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from (dtype_listed(n, anywhere=True) for n in ("self", "out"))
    yield dtypes_equal("out", "self")
    yield chip_has("self")
    yield given_real("betaOptional")
    yield from map(rank_limit, ("self", "out"))
    yield shapes_equal("out", "self")


def given_real(name: str) -> Row:
    """A scalar that may be null, but not complex."""
    row = real(name)
    return replace(row, uses=(), when=lambda c: c[name] is not None and row.when(c))


def swish_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null(*names)
    yield from (dtype_listed(n, anywhere=True) for n in names[:2])
    yield given_real("betaOptional")
    yield dtypes_equal("gradOutput", "gradInput")
    yield dtypes_equal("self", "gradInput")
    yield chip_has("gradOutput")
    yield from map(rank_limit, names)
    yield shapes_equal("self", "gradOutput")
    yield shapes_equal("gradInput", "gradOutput")


# Hardsigmoid and hardswish.


def hardsigmoid(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield dtype_listed("self")
    yield rank_limit("self")
    yield shapes_equal("out", "self")
    yield dtypes_equal("out", "self")
    yield Row("formats", INVALID, ("self", "out"), lambda c: c["self"].format != c["out"].format, ("self", "out"),
              "(?i)format", "value")  # fmt: skip


def hardsigmoid_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "out")
    yield from null(*names)
    yield from map(dtype_listed, names[:2])
    yield result_casts(*names)
    yield from map(rank_limit, names)
    yield shapes_equal("self", "gradOutput")
    yield shapes_equal("out", "self")
    yield kernel("out")


def hardswish(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield from map(dtype_listed, ("self", "out"))
    yield shapes_equal("out", "self")
    yield document_rank(function, minimum=0)


def hardswish_backward(function: str) -> Iterator[Row]:
    yield from null("gradOutput", "self", "out")
    yield dtype_listed("self")
    yield dtype_listed("gradOutput")
    yield dtypes_equal("gradOutput", "self")
    yield dtypes_equal("out", "self")
    yield from map(rank_limit, ("gradOutput", "self"))
    yield shapes_equal("gradOutput", "self")
    yield shapes_equal("out", "self")
    if function.endswith("V2"):
        yield document_rank(function)


# GELU and PReLU.


def gelu(function: str) -> Iterator[Row]:
    yield from null("self", "out")
    yield dtype_listed("self")
    yield dtypes_equal("out", "self")
    yield from map(private, ("self", "out"))
    yield rank_limit("self")
    yield shapes_equal("out", "self")


def gelu_v2(function: str) -> Iterator[Row]:
    yield from null("x", "y")
    yield dtypes_equal("y", "x")
    yield dtype_listed("x")
    yield shapes_equal("y", "x")
    yield rank_limit("x", is_numbered=False)


def gelu_backward(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null(*names)
    yield meets(*names[:2])
    # The output is not checked there; its conversion is this project's decision.
    yield unnumbered(result_casts(*names))
    yield from map(rank_limit, names[:2])
    yield from broadcasts(*names)
    yield kernel("gradInput")


def gelu_backward_v2(function: str) -> Iterator[Row]:
    names = ("gradOutput", "self", "gradInput")
    yield from null(*names, "approximate")
    yield meets(*names[:2])

    def differs(c: Call) -> bool:
        result = promoted(c["gradOutput"].dtype, c["self"].dtype)
        return result is not None and c["gradInput"].dtype != result

    yield Row("gradInput dtype", INVALID, names, differs, ("gradInput",), "equal", "dtype")
    yield from broadcasts(*names)
    yield Row("approximate", INVALID, ("approximate",), lambda c: c["approximate"] not in ("none", "tanh"),
              ("approximate",), "approximate", "value")  # fmt: skip
    yield from within(*names[:2])


def prelu(function: str) -> Iterator[Row]:
    names = ("self", "weight", "out")
    yield from null(*names)
    yield from map(dtype_listed, names)
    yield from map(rank_limit, names)
    yield shapes_equal("out", "self")

    def wrong(c: Call) -> bool:
        shape = c["self"].shape
        return c["weight"].size not in (1, shape[1] if len(shape) > 1 else 1)

    yield Row("weight count", INVALID, ("self", "weight"), wrong, ("weight",), r"shape \(", "shape")


TABLES: dict[str, Callable[[str], Iterator[Row]]] = {
    "Sigmoid": sigmoid, "InplaceSigmoid": sigmoid_in_place, "SigmoidBackward": sigmoid_backward,
    "Tanh": tanh, "InplaceTanh": tanh_in_place, "TanhBackward": tanh_backward,
    "Silu": silu, "SiluBackward": silu_backward, "Swish": swish, "SwishBackward": swish_backward,
    "SwiGlu": swiglu, "SwiGluGrad": swiglu_grad,
    "Relu": relu, "InplaceRelu": plain_in_place, "AddRelu": add_relu, "InplaceAddRelu": add_relu,
    "Threshold": threshold, "InplaceThreshold": threshold, "ThresholdBackward": threshold_backward,
    "Hardtanh": hardtanh, "InplaceHardtanh": hardtanh, "HardtanhBackward": hardtanh_backward,
    "Hardsigmoid": hardsigmoid, "InplaceHardsigmoid": plain_in_place, "HardsigmoidBackward": hardsigmoid_backward,
    "Hardswish": hardswish, "InplaceHardswish": plain_in_place,
    "HardswishBackward": hardswish_backward, "HardswishBackwardV2": hardswish_backward,
    "Gelu": gelu, "GeluV2": gelu_v2, "GeluBackward": gelu_backward, "GeluBackwardV2": gelu_backward_v2,
    "Softmax": softmax, "SoftmaxBackward": softmax_backward,
    "LogSoftmax": log_softmax, "LogSoftmaxBackward": log_softmax_backward,
    "Prelu": prelu, "Celu": celu, "InplaceCelu": celu, "Erfinv": erfinv, "InplaceErfinv": erfinv,
    "FastGelu": fast_gelu, "FastGeluBackward": fast_gelu_backward,
    "LogSigmoid": log_sigmoid, "LogSigmoidForward": log_sigmoid, "LogSigmoidBackward": log_sigmoid_backward,
    "Mish": mish, "InplaceMish": plain_in_place, "MishBackward": mish_backward,
    "Softplus": softplus, "SoftplusBackward": softplus_backward,
    "Hardshrink": hardshrink, "HardshrinkBackward": hardshrink_backward,
    "Softshrink": softshrink, "SoftshrinkBackward": softshrink_backward, "Shrink": shrink,
    "Heaviside": heaviside, "SquaredRelu": squared_relu, "Glu": glu, "GluBackward": glu_backward,
    "GeluMul": gelu_mul, "SituGlu": situ_glu, "SituGluGrad": situ_glu_grad,
    "ClippedSwiglu": clipped_swiglu, "ClippedSwigluV2": clipped_swiglu, "ClippedSwigluGrad": clipped_swiglu_grad,
    "SwigluGroup": swiglu_group, "FatreluMul": fatrelu_mul,
    "RReluWithNoise": rrelu_with_noise, "InplaceRReluWithNoise": rrelu_with_noise,
}  # fmt: skip


def rows(function: str) -> Iterator[Row]:
    """A function's own checks in order, and those of its memory."""
    own, of_memory = list(TABLES[function.removeprefix("aclnn")](function)), list(memory(function))
    late = [row for row in own if row.status == TILING or row.stage == "kernel"]
    yield from (row for row in own if row not in late)
    if function in GENERATED:  # a tensor that is no more counts before a kernel is planned
        yield from (row for row in of_memory if row.name.endswith("destroyed"))
        yield from late
        yield from (row for row in of_memory if not row.name.endswith("destroyed"))
    else:
        yield from of_memory
        yield from late
