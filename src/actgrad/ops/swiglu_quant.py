"""SwiGLU followed by quantisation to INT8."""

from ..base.access import Halves
from ..base.definition import Dtypes, Ragged, Switch, Torch
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs, exp_times, maximum, minimum, where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, has_dtype, supported
from ..checks.halves_rules import even, groups, half
from ..checks.quantisation_rules import scales_of_groups
from ..checks.shape_rules import result_shape
from .dynamic_quant import LARGEST
from .silu import X_LIMIT

INFINITY = float("inf")

INT8, INT4 = 2, 29  # aclDataType


def swiglu_value(a, b):
    """silu(a) * b, for a > 0 as a * b - tail, because a * b is exact for numbers of 16 bits"""
    power = -abs(a)
    tail = exp_times(power, minimum(maximum(a, -X_LIMIT), X_LIMIT)) / (1.0 + exp_times(power, 1.0)) * b
    product = a * b
    return where(a > 0.0, where(abs(tail) < INFINITY, product - tail, product), tail)


def smoothed_value(a, b, smooth_scales, offsets):
    """silu(a) * b * smooth_scales"""
    return swiglu_value(a, b) * smooth_scales


def shifted_value(a, b, smooth_scales, offsets):
    """silu(a) * b * smooth_scales + offsets"""
    return swiglu_value(a, b) * smooth_scales + offsets


def smoothed_magnitude(a, b, smooth_scales, offsets):
    """abs(silu(a) * b * smooth_scales)"""
    return abs(smoothed_value(a, b, smooth_scales, offsets))


def reciprocal_scale(largest, largest_value):
    """127 / max(abs(v))"""
    return LARGEST / maximum(largest, 0.0)


def no_scale(largest, largest_value):
    """0"""
    return 0.0


def dynamic_formula(v, largest, largest_value, scale):
    """round(v * scale), where v = silu(a) * b * smooth_scales and scale = 127 / max(abs(v)) of the row"""
    return v * scale


def static_formula(v, largest, largest_value, scale):
    """round(v), where v = silu(a) * b * smooth_scales + offsets"""
    return v


swiglu_quant = Operator(
    "swiglu_quant(Tensor x, Tensor? smooth_scales, Tensor? offsets, Tensor? group_index, bool activate_left=False, "
    "int quant_mode=1, int group_list_type=0, int dst_type=2) -> (Tensor out, Tensor scale)",
    summary="out = round(v * scale) and scale = 127 / max(abs(v)) along the last dimension, where v = silu(upper) * "
    "lower and lower and upper are the halves of x along the last dimension; out is int8, and scale is float32 with "
    "one element for each row\n\n"
    "With activate_left, v = silu(lower) * upper. With smooth_scales, v is multiplied by it. With quant_mode='static', "
    "out = round(v + offsets), and scale is 0. smooth_scales and offsets have shape (1,), or (1, n) for rows of n "
    "elements. With group_index, they have a number or a row for each group of rows, instead of 1. group_index has the "
    "end of each group, which is the number of the first row behind it. With group_list_type=1, it has the number of "
    "rows of each group. Rows behind the last group are computed without smooth_scales and offsets. round takes the "
    "nearest integer, and the even one of two. NaN counts as 0. In a row of zeros, out is 0 and scale is infinite. "
    "The error of scale is at most 1.5 ULP for x of 16 bits, and 2.5 ULP for float32, without smooth_scales, if silu "
    "takes numbers above -80. Below -80, silu underflows in float32, so v loses digits and may be 0.",
    paper="Xiao et al. 2022, https://arxiv.org/abs/2211.10438",
    formula=Switch("quant_mode", {"static": static_formula, "dynamic": dynamic_formula}),
    layout=ScaledRows(
        passes=(
            {
                "largest": largest(smoothed_magnitude),
                "largest_value": largest({"static": shifted_value, "dynamic": smoothed_value}),  # which elements see
            },
            {"scale": once({"static": no_scale, "dynamic": reciprocal_scale})},
        ),
        replaces_inputs=True,
        scales=("smooth_scales", "offsets"),
        halves=Halves(("x",), active="activate_left", dim=""),
    ),
    ragged=Ragged(groups="group_index", are_counts="group_list_type", rest="computed"),
    defaults_of_tensors={"smooth_scales": 1.0, "offsets": -0.0},  # -0.0 + x is x, also for -0.0
    dtypes=Dtypes(outputs={"out": "int8", "scale": "float32"}, attribute="dst_type"),
    preconditions=(
        supported("x"),
        has_dtype("smooth_scales", "float32"),
        has_dtype("offsets", "float32"),
        has_dtype("group_index", "int32"),
        convertible("out", "scale"),
        even("x", dim=""),
        groups("group_index"),
        scales_of_groups("smooth_scales", "offsets", of="x"),
        half("out", of="x", dim=""),
        result_shape("scale"),
    ),
    requires={
        "group_list_type 0 or 1": lambda a: a["group_list_type"] in (0, 1),
        "dst_type 2 (INT8) or 29 (INT4)": lambda a: a["dst_type"] in (INT8, INT4),
    },
    torch=Torch("swiglu_quant(x, smooth_scales, offsets, group_index, activate_left, quant_mode, group_list_type)"),
)
