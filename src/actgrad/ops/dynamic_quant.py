"""Quantisation to INT8 with a scale for each row."""

from ..base.definition import C, Torch
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs, maximum, where
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, has_dtype, supported
from ..contract.quantisation_rules import (
    groups_of_rows,
    index_supported,
    kernel_writes,
    output_supported,
    quantised_shape,
    scales_of_row,
)
from ..contract.shape_rules import rank, result_shape

LARGEST = 127.0  # of INT8
HALF_STEPS = 127.5  # from the least number of INT8 to the largest
LEAST_SCALE = 1e-12  # of an asymmetric scale


def magnitude(x):
    """abs(x)"""
    return abs(x)


def smoothed_magnitude(x, smooth_scales):
    """abs(x * smooth_scales)"""
    return abs(x * smooth_scales)


def scale_of_row(largest):
    """max(abs(x)) / 127"""
    return maximum(largest, 0.0) / LARGEST


def dynamic_quant_formula(x, largest, scale):
    """round(x / scale), where scale = max(abs(x)) / 127 of the row"""
    return x / scale


def smoothed_dynamic_quant_formula(x, smooth_scales, largest, scale):
    """round(v / scale), where v = x * smooth_scales and scale = max(abs(v)) / 127 of the row"""
    return x * smooth_scales / scale


def value(x):
    """x"""
    return x


def smoothed_value(x, smooth_scales):
    """x * smooth_scales"""
    return x * smooth_scales


def negative(x):
    """-x"""
    return -x


def smoothed_negative(x, smooth_scales):
    """-x * smooth_scales"""
    return -x * smooth_scales


def scale_of_range(lowest, highest):
    """max((max(x) - min(x)) / 255, 1e-12), where lowest is -min(x)"""
    return maximum((0.5 * highest + 0.5 * lowest) / HALF_STEPS, LEAST_SCALE)  # their sum may overflow


def offset_of_range(lowest, highest, scale):
    """127 - max(x) / scale; 127 in a row without numbers"""
    return where(highest + lowest >= 0, LARGEST - highest / scale, LARGEST)


def asymmetric_formula(x, lowest, highest, scale, offset):
    """round(x / scale + offset)"""
    return x / scale + offset


def smoothed_asymmetric_formula(x, smooth_scales, lowest, highest, scale, offset):
    """round(v / scale + offset), where v = x * smooth_scales"""
    return x * smooth_scales / scale + offset


PRODUCTS = "Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910"
PAPER = "Xiao et al. 2022, https://arxiv.org/abs/2211.10438"
SMOOTHING = (
    "With smooth_scales, x is first multiplied by it. smooth_scales has one number for each element of a row. With "
    "group_index, it has such a row for each group of rows. group_index has the end of each group, which is the number "
    "of the first row behind it. round takes the nearest integer, and the even one of two."
)
OTHER_DTYPES = (
    "out of INT4, INT32 (8 numbers of INT4 in one), FLOAT8 or HIFLOAT8: the checks of CANN let these pass on some "
    "products. actgrad has no kernel for them and returns 561103."
)


def checks(*outputs: str):
    """The checks of both operators. `outputs` are the float32 ones."""
    return (
        supported("x", products=PRODUCTS),
        equal("smooth_scales", to="x"),
        index_supported("group_index", beside="smooth_scales"),
        output_supported("out"),
        *(has_dtype(name, "float32") for name in outputs),
        rank("x", minimum=2),
        groups_of_rows("group_index", beside="smooth_scales", dtype="int32"),
        scales_of_row("smooth_scales", of="x"),
        quantised_shape("out", of="x"),
        result_shape(*outputs),
        kernel_writes("out"),
    )


dynamic_quant_asymmetric = Operator(
    "dynamic_quant_asymmetric(Tensor x, Tensor? smooth_scales, Tensor? group_index) -> (Tensor out, Tensor scale, "
    "Tensor offset)",
    summary="out = round(x / scale + offset) and scale = max((max(x) + max(-x)) / 255, 1e-12) and offset = 127 - "
    "max(x) / scale along the last dimension; out is int8, and scale and offset are float32 with one element for each "
    "row\n\n"
    f"{SMOOTHING} NaN becomes 0. A row with an infinity has an infinite scale, only zeros, and an offset that is NaN.",
    paper=PAPER,
    formula={False: asymmetric_formula, True: smoothed_asymmetric_formula},
    switch="smooth_scales",
    reads=ScaledRows(
        passes=(
            {
                "lowest": largest({False: negative, True: smoothed_negative}),
                "highest": largest({False: value, True: smoothed_value}),
            },
            {"scale": once(scale_of_range)},
            {"offset": once(offset_of_range)},
        ),
        scales=("smooth_scales",),
    ),
    row_groups="group_index",
    output_dtypes={"out": "int8", "scale": "float32", "offset": "float32"},
    dtypes="float16 bfloat16",
    checks=checks("scale", "offset"),
    differences=(
        "Least scale: Ascend910B has 1e-12. No source says what other products have. actgrad has 1e-12 on all.",
        OTHER_DTYPES,
    ),
    torch=Torch("dynamic_quant_asymmetric(x, smooth_scales, group_index)"),
    ir="DynamicQuantV2(x, smooth_scales?, group_index?, dst_type=_:2, is_symmetrical=_:False, quant_mode=_:pertoken, "
    "dst_type_max=_:0.0) -> (y, scale, offset)",
)

dynamic_quant = Operator(
    "dynamic_quant(Tensor x, Tensor? smooth_scales, Tensor? group_index) -> (Tensor out, Tensor scale)",
    summary="out = round(x / scale) and scale = max(abs(x)) / 127 along the last dimension; out is int8, and scale is "
    "float32 with one element for each row\n\n"
    f"{SMOOTHING} NaN counts as 0. In a row of zeros, out and scale are 0.",
    paper=PAPER,
    formula={False: dynamic_quant_formula, True: smoothed_dynamic_quant_formula},
    switch="smooth_scales",
    reads=ScaledRows(
        passes=({"largest": largest({False: magnitude, True: smoothed_magnitude})}, {"scale": once(scale_of_row)}),
        scales=("smooth_scales",),
    ),
    row_groups="group_index",
    output_dtypes={"out": "int8", "scale": "float32"},
    dtypes="float16 bfloat16",
    checks=checks("scale"),
    differences=(
        "NaN and infinity: no source says how the chips reduce and convert them. In actgrad NaN counts as 0. A row "
        "with an infinity has an infinite scale and only zeros.",
        OTHER_DTYPES,
    ),
    torch=Torch("dynamic_quant(x, smooth_scales, group_index)"),
    aclnn=(
        C(
            "DynamicQuant",
            {"group_index": None},
            parameters="x smoothScalesOptional yOut scaleOut",
            unusual_const="yOut scaleOut",
        ),
        C(
            "DynamicQuantV2",
            parameters="x smoothScalesOptional groupIndexOptional dstType yOut scaleOut offsetOut",
            ignored="dstType",
            refused="offsetOut",
            otherwise=dynamic_quant_asymmetric,
            unusual_const="yOut scaleOut",
        ),
    ),
    ir="DynamicQuant(x, smooth_scales?, group_index?, dst_type=_:2) -> (y, scale)",
)
