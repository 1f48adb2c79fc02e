"""Quantisation to INT8 with a scale for each row."""

from ..base.definition import C, Torch
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs, maximum
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


def size(x):
    """abs(x)"""
    return abs(x)


def size_of_smoothed(x, smooth_scales):
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


dynamic_quant = Operator(
    "dynamic_quant(Tensor x, Tensor? smooth_scales, Tensor? group_index) -> (Tensor out, Tensor scale)",
    summary="out = round(x / scale) and scale = max(abs(x)) / 127 along the last dimension; out is int8, and scale is "
    "float32 with one element for each row\n\n"
    "With smooth_scales, x is first multiplied by it. smooth_scales has one number for each element of a row. With "
    "group_index, it has such a row for each group of rows. group_index has the end of each group, which is the number "
    "of the first row behind it. round takes the nearest integer, and the even one of two. NaN counts as 0. In a row "
    "of zeros, out and scale are 0.",
    paper="Xiao et al. 2022, https://arxiv.org/abs/2211.10438",
    formula={False: dynamic_quant_formula, True: smoothed_dynamic_quant_formula},
    switch="smooth_scales",
    reads=ScaledRows(
        passes=({"largest": largest({False: size, True: size_of_smoothed})}, {"scale": once(scale_of_row)}),
        scales=("smooth_scales",),
    ),
    row_groups="group_index",
    output_dtypes={"out": "int8", "scale": "float32"},
    dtypes="float16 bfloat16",
    checks=(
        supported("x", products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910"),
        equal("smooth_scales", to="x"),
        index_supported("group_index", beside="smooth_scales"),
        output_supported("out"),
        has_dtype("scale", "float32"),
        rank("x", minimum=2),
        groups_of_rows("group_index", beside="smooth_scales", dtype="int32"),
        scales_of_row("smooth_scales", of="x"),
        quantised_shape("out", of="x"),
        result_shape("scale"),
        kernel_writes("out"),
    ),
    differences=(
        "NaN and infinity: no source says how the chips reduce and convert them. In actgrad NaN counts as 0. A row "
        "with an infinity has an infinite scale and only zeros.",
        "out of INT4, INT32 (8 numbers of INT4 in one), FLOAT8 or HIFLOAT8: the checks of CANN let these pass on some "
        "products. actgrad has no kernel for them and returns 561103.",
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
            unusual_const="yOut scaleOut",
        ),
    ),
    ir="DynamicQuant(x, smooth_scales?, group_index?, dst_type=_:2) -> (y, scale)",
)
