"""Dequantisation, SwiGLU and quantisation to INT8, in a model with INT8 between two matrix products."""

from ..base import xp
from ..base.definition import Dtypes, Ragged, Switch, Torch
from ..base.errors import InvalidDtype, KernelMissing, either
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs
from ..calls.operator import Operator
from ..checks import Check
from ..checks.dtype_rules import convertible, has_dtype, supported
from ..checks.halves_rules import even, groups, half
from ..checks.shape_rules import result_shape
from .clipped_swiglu import clipped_swiglu_formula, clipped_swish_formula
from .dynamic_quant import LARGEST, scale_of_row
from .swiglu_group import WeightedHalves
from .swiglu_quant import swiglu_value

INTERLEAVED = 1  # the swiglu_mode in which the halves are the even and the odd elements

BIASES = ("float32", "float16", "bfloat16", "int32")


def gate(a, b, clamp_limit, glu_alpha, glu_bias):
    """silu(a) * b"""
    return swiglu_value(a, b)


def clipped_gate(a, b, clamp_limit, glu_alpha, glu_bias):
    """swish(min(a, clamp_limit), glu_alpha) * (clamp(b, clamp_limit) + glu_bias)"""
    return clipped_swiglu_formula(a, b, glu_alpha, clamp_limit, glu_bias)


def clipped_swish_gate(a, b, clamp_limit, glu_alpha, glu_bias):
    """min(silu(a), clamp_limit) * clamp(b, clamp_limit)"""
    return clipped_swish_formula(a, b, glu_alpha, clamp_limit, glu_bias)


def dequantised(x, weight_scale, activation_scale, bias):
    """x * weight_scale * activation_scale + bias"""
    return x * weight_scale * activation_scale + bias


def dequantised_sum(x, weight_scale, activation_scale, bias):
    """(x + bias) * weight_scale * activation_scale"""
    return (x + bias) * weight_scale * activation_scale


def smoothed(v, quant_scale, quant_offset):
    """v * quant_scale"""
    return v * quant_scale


def smoothed_magnitude(v, quant_scale, quant_offset):
    """abs(v * quant_scale)"""
    return abs(v * quant_scale)


def scaled(v, quant_scale, quant_offset):
    """v / quant_scale + quant_offset"""
    return v / quant_scale + quant_offset


def term(
    a, b, weight_of_a, weight_of_b, activation_scale, bias_of_a, bias_of_b, quant_scale, quant_offset,
    clamp_limit, glu_alpha, glu_bias,
):  # fmt: skip
    """smoothed(gate(dequantised(a), dequantised(b)))"""
    first = dequantised(a, weight_of_a, activation_scale, bias_of_a)
    second = dequantised(b, weight_of_b, activation_scale, bias_of_b)
    return smoothed(gate(first, second, clamp_limit, glu_alpha, glu_bias), quant_scale, quant_offset)


GATES = (gate, clipped_gate, clipped_gate, clipped_swish_gate)  # by swiglu_mode


def variant(attributes, dtypes):
    """The swiglu_mode, and whether bias has integers."""
    return attributes["swiglu_mode"], "bias" in dtypes and dtypes["bias"].kind == "int"


def terms(end):
    """The term of each variant whose last step is `end`."""
    return {
        (mode, adds_first): xp.with_parts(
            term, gate=formula, dequantised=dequantised_sum if adds_first else dequantised, smoothed=end
        )
        for mode, formula in enumerate(GATES)
        for adds_first in (False, True)
    }


def dynamic_formula(v, largest, largest_value, scale, clamp_limit, glu_alpha, glu_bias):
    """round(v / scale), where v = swiglu * quant_scale and scale = max(abs(v)) / 127 of the row"""
    return v / scale


def static_formula(v, largest, largest_value, scale, clamp_limit, glu_alpha, glu_bias):
    """round(v), where v = swiglu / quant_scale + quant_offset"""
    return v


def dynamic_scale(largest, largest_value, clamp_limit, glu_alpha, glu_bias):
    """max(abs(v)) / 127"""
    return scale_of_row(LARGEST, largest)


def no_scale(largest, largest_value, clamp_limit, glu_alpha, glu_bias):
    """0"""
    return 0.0


class ModeHalves(WeightedHalves):
    """Halves. In one swiglu_mode, they are the even and the odd elements, and the even elements are active."""

    def is_interleaved(self, attributes):
        """Whether the halves are the even and the odd elements."""
        return attributes["swiglu_mode"] == INTERLEAVED

    def is_lower(self, attributes):
        """Whether the lower half is the active one."""
        return self.is_interleaved(attributes) or super().is_lower(attributes)


def dtype_of_bias(call):
    """bias has the dtypes of the definition's columns: with integers any of BIASES, otherwise float32."""
    bias, integers = call.tensors.get("bias"), call.inputs["x"].dtype.name == "int32"
    allowed = BIASES if integers else BIASES[:1]
    if bias is None or bias.dtype.name in allowed:
        return None
    return f"bias is {bias.dtype}; it must be {either(allowed)}, because x is {call.inputs['x'].dtype}; convert bias"


def tensors_of_integers(call):
    """x of int32 needs weight_scale, because it is dequantised. Other x must not have the tensors of dequantisation."""
    dtype, names = call.inputs["x"].dtype, ("weight_scale", "activation_scale", "bias")
    if dtype.name == "int32" and call.tensors.get("weight_scale") is None:
        return "weight_scale is None, but x is int32; it must have the scale of each element of a row; pass it"
    extra = [name for name in names if call.tensors.get(name) is not None]
    if dtype.name == "int32" or not extra:
        return None
    return f"{extra[0]} is given, but x is {dtype}; only int32 is dequantised; leave out {' and '.join(extra)}"


def tensors_of_mode(call):
    """quant_offset needs quant_scale and the static mode. With groups, the static mode needs both."""
    scale, offset = (call.tensors.get(name) for name in ("quant_scale", "quant_offset"))
    if call.attributes["quant_mode"] == "dynamic":
        return "quant_offset is given, but quant_mode is 'dynamic'; it must be None; leave it out" if offset else None
    if scale is None and offset is None and call.row_groups is not None:
        return "quant_scale is None, but quant_mode is 'static' with group_index; it must be a tensor; pass it"
    if (scale is None) is (offset is None):
        return None
    name, other = ("quant_offset", "quant_scale") if offset is None else ("quant_scale", "quant_offset")
    return f"{name} is None, but {other} is given; quant_mode 'static' needs both; pass {name}"


def shapes_of(call, name):
    """The shapes that a tensor of scales may have."""
    is_quantising = name in ("quant_scale", "quant_offset")
    row = call.inputs["x"].shape[-1] // (2 if is_quantising else 1)
    groups = 1 if call.row_groups is None else (*call.row_groups.shape, 1)[0]
    shapes = [(groups, row), *([(row,)] if groups == 1 else [])]
    if not is_quantising or (call.row_groups is not None and call.attributes["quant_mode"] == "dynamic"):
        return shapes
    return [(groups, row), (groups,)] if call.row_groups is not None else [*shapes, (1,)]


def shapes_of_scales(name):
    """The check of the shape of a tensor of scales."""

    def test(call):
        meta = call.tensors.get(name)
        if meta is None or meta.shape in (allowed := shapes_of(call, name)):
            return None
        words = either([str(shape) for shape in allowed])
        return f"{name} has shape {meta.shape}; it must be {words}, by groups and elements of a row; reshape {name}"

    return Check(f"{name} has a number for each element of a row, or such a row for each group", test, about=(name,))


def one_scale_for_each_row(call):
    """`activation_scale` has the shape of the rows."""
    scale, rows = call.tensors.get("activation_scale"), call.inputs["x"].shape[:-1]
    if scale is None or scale.shape in (rows, (*rows, 1)):
        return None
    return (
        f"activation_scale has shape {scale.shape}; it must be {rows}, one element for each row of x; reshape "
        "activation_scale"
    )


def group_counts(call):
    """group_index has one number for each group."""
    meta = call.row_groups
    if meta is None or len(meta.shape) == 1:
        return None
    return f"group_index has shape {meta.shape}; actgrad takes one number for each group; pass one dimension"


DTYPE_OF_BIAS = Check("bias has a dtype that goes with x", dtype_of_bias, InvalidDtype, about=("bias", "x"))

TENSORS_OF_INTEGERS = Check(
    "x of int32 has weight_scale, and only such x may have activation_scale and bias", tensors_of_integers, about=("x",)
)

TENSORS_OF_MODE = Check("quant_mode has the tensors that it needs", tensors_of_mode, about=("quant_mode",))

ONE_SCALE_FOR_EACH_ROW = Check(
    "activation_scale has one element for each row of x", one_scale_for_each_row, about=("activation_scale", "x")
)

GROUP_COUNTS = Check("group_index has one dimension", group_counts, KernelMissing, about=("group_index",))

SCALES = ("weight_scale", "bias", "quant_scale", "quant_offset")

dequant_swiglu_quant = Operator(
    "dequant_swiglu_quant(Tensor x, Tensor? weight_scale, Tensor? activation_scale, Tensor? bias, Tensor? quant_scale, "
    "Tensor? quant_offset, Tensor? group_index, bool activate_left=False, int quant_mode=0, int swiglu_mode=0, "
    "Scalar clamp_limit=7, Scalar glu_alpha=1.702, Scalar glu_bias=1) -> (Tensor out, Tensor scale)",
    summary="out = round(v) and scale = 0, where v = silu(upper) * lower and lower and upper are the halves of x along "
    "the last dimension; out is int8, and scale is float32 with one element for each row\n\n"
    "x of int32 has weight_scale, and may have activation_scale and bias: lower and upper are then the halves of x * "
    "weight_scale * activation_scale + bias. A bias of int32 is added to x before the products. With quant_scale and "
    "quant_offset, out = round(v / quant_scale + quant_offset). With quant_mode='dynamic', v is multiplied by "
    "quant_scale, scale = max(abs(v)) / 127 of each row, and out = round(v / scale). With activate_left, silu takes "
    "lower. weight_scale and bias have one number for each element of a row of x, quant_scale and quant_offset for "
    "each element of a row of out. With group_index, they have such a row for each group of rows, and with "
    "quant_mode='static' quant_scale and quant_offset may have one number for each group. activation_scale has one "
    "number for each row. group_index has the number of rows of each group. Rows behind the last group are 0 in new "
    "results and unchanged in out=. swiglu_mode=1 takes the even elements as upper and the odd ones as lower, and "
    "computes swish(min(upper, clamp_limit), glu_alpha) * (clamp(lower, -clamp_limit, clamp_limit) + glu_bias). "
    "swiglu_mode=2 computes the same of halves. swiglu_mode=3 computes min(silu(upper), clamp_limit) * clamp(lower, "
    "-clamp_limit, clamp_limit). round takes the nearest integer, and the even one of two. NaN counts as 0. In a row "
    "of zeros, out and scale are 0. For x of int32, the arithmetic is in float64, and scale is rounded once.",
    paper="Xiao et al. 2022, https://arxiv.org/abs/2211.10438",
    formula=Switch("quant_mode", {"static": static_formula, "dynamic": dynamic_formula}, variant),
    layout=ScaledRows(
        passes=(
            {
                "largest": largest({"static": terms(scaled), "dynamic": terms(smoothed_magnitude)}),
                "largest_value": largest({"static": terms(scaled), "dynamic": terms(smoothed)}),  # which elements see
            },
            {"scale": once({"static": no_scale, "dynamic": dynamic_scale})},
        ),
        replaces_inputs=True,
        scales=SCALES,
        halves=ModeHalves(("x", "weight_scale", "bias"), active="activate_left", dim="", tensor="activation_scale"),
    ),
    ragged=Ragged(groups="group_index", are_counts=True, rest="kept"),
    defaults_of_tensors={
        "weight_scale": 1.0,
        "activation_scale": 1.0,
        "bias": -0.0,
        "quant_scale": 1.0,
        "quant_offset": -0.0,
    },
    dtypes=Dtypes("int32", outputs={"out": "int8", "scale": "float32"}),
    preconditions=(
        supported("x"),
        has_dtype("weight_scale", "float32"),
        has_dtype("activation_scale", "float32"),
        (DTYPE_OF_BIAS,),
        has_dtype("quant_scale", "float32"),
        has_dtype("quant_offset", "float32"),
        has_dtype("group_index", "int64"),
        convertible("out", "scale"),
        even("x", dim=""),
        groups("group_index"),
        (TENSORS_OF_INTEGERS,),
        (shapes_of_scales("weight_scale"), ONE_SCALE_FOR_EACH_ROW, shapes_of_scales("bias")),
        (TENSORS_OF_MODE,),
        (shapes_of_scales("quant_scale"), shapes_of_scales("quant_offset")),
        half("out", of="x", dim=""),
        result_shape("scale"),
        (GROUP_COUNTS,),
    ),
    requires={
        "swiglu_mode 0 to 3": lambda a: 0 <= a["swiglu_mode"] <= 3,
        "clamp_limit > 0 if swiglu_mode > 0": lambda a: a["swiglu_mode"] == 0 or a["clamp_limit"] > 0,
    },
    torch=Torch(
        "dequant_swiglu_quant(x, weight_scale, activation_scale, bias, quant_scale, quant_offset, group_index, "
        "activate_left, quant_mode, swiglu_mode, clamp_limit, glu_alpha, glu_bias)"
    ),
)
