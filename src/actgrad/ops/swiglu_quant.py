"""SwiGLU followed by quantisation to INT8."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs, exp_times, maximum, minimum, where
from ..calls.operator import Operator
from ..contract import Check
from ..contract.dtype_rules import has_dtype, supported
from ..contract.halves_rules import even, groups, half
from ..contract.kinds import TILED_VALUES
from ..contract.quantisation_rules import kernel_writes, one_dtype_of, scales_of_groups
from ..contract.shape_rules import nonempty, rank, result_shape
from ..contract.stages import document, tiling
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


def whole_bytes(call):
    """Two numbers of INT4 lie in a byte, and half of a row has whole bytes."""
    out, size = call.tensors.get("out"), call.inputs["x"].shape[-1]
    if out is None or out.dtype.name != "int4" or size % 4 == 0:
        return None
    return f"a row of x has {size} elements, and out is int4; a row must have a multiple of 4; pad x"


WHOLE_BYTES = Check("a row of x has a multiple of 4 elements if out is INT4", whole_bytes, about=("x", "out"))

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
    formula={"static": static_formula, "dynamic": dynamic_formula},
    switch="quant_mode",
    absent={"smooth_scales": 1.0, "offsets": -0.0},  # -0.0 + x is x, also for -0.0
    reads=ScaledRows(
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
    row_groups="group_index",
    groups_are_counts="group_list_type",
    rest="computed",
    output_dtypes={"out": "int8", "scale": "float32"},
    dtype_attribute="dst_type",
    requires={
        "group_list_type 0 or 1": lambda a, product: a["group_list_type"] in (0, 1),
        "dst_type 2 (INT8) or 29 (INT4)": lambda a, product: a["dst_type"] in (INT8, INT4),
    },
    checks=(
        supported("x"),
        has_dtype("smooth_scales", "float32"),
        has_dtype("offsets", "float32"),
        has_dtype("group_index", "int32"),
        one_dtype_of("out", "int8 int4"),
        has_dtype("scale", "float32"),
        TILED_VALUES,
        tiling(
            rank("x", minimum=2),
            document(nonempty("x")),
            even("x", dim=""),
            (WHOLE_BYTES,),
            groups("group_index", 1, 1024),
            scales_of_groups("smooth_scales", "offsets", of="x"),
            half("out", of="x", dim=""),
            result_shape("scale"),
        ),
        kernel_writes("out"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B",
    generated=True,
    differences=(
        "Wrong shapes and values: the source ignores the result of its checks and returns success without computing "
        "anything. The documents have status 161002. actgrad returns 561002, and 161002 under the documents' rules.",
        "quant_mode dynamic_msd: the source takes it and computes the static mode. actgrad refuses it.",
        "INT4: CANN has it as a dtype of out. actgrad has no kernel for it and returns 561103.",
        "NaN and infinity: no source says how the chips reduce and convert them. In actgrad NaN counts as 0. A row "
        "with an infinity has scale 0 and only zeros.",
    ),
    torch=Torch("swiglu_quant(x, smooth_scales, offsets, group_index, activate_left, quant_mode, group_list_type)"),
    aclnn=(
        C(
            "SwiGluQuant",
            {"group_list_type": 0, "dst_type": INT8},
            parameters="x smoothScalesOptional offsetsOptional groupIndexOptional activateLeft quantModeOptional yOut "
            "scaleOut",
            text="quant_mode",
            optional="quant_mode",
            unusual_const="yOut scaleOut",
        ),
        C(
            "SwiGluQuantV2",
            parameters="x smoothScalesOptional offsetsOptional groupIndexOptional activateLeft quantModeOptional "
            "groupListType dstType yOut scaleOut",
            text="quant_mode",
            optional="quant_mode",
            unusual_const="yOut scaleOut",
        ),
    ),
    ir="SwiGluQuant(x, smooth_scales?, offsets?, group_index?, activate_left=False, quant_mode=quant_mode:dynamic, "
    "group_list_type=0, dst_type=2) -> (y, scale)",
)
