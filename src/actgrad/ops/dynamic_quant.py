"""Quantisation to INT8 or to floats of 8 bits, with a scale for each row."""

from ..base.definition import Dtypes, Ragged, Switch, Torch
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs, maximum, where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, equal, supported
from ..checks.quantisation_rules import index_supported, kernel_reads, quantised_shape, rows_in_groups, scales_of_row
from ..checks.shape_rules import result_shape

LARGEST = 127.0  # of INT8

HALF_STEPS = 127.5  # the difference of the largest and the least number of INT8

#: The dtypes of quantised outputs, with their numbers (aclDataType).
QUANTISED_DTYPES = {"int8": 2, "float8_e5m2": 35, "float8_e4m3fn": 36}

LEAST_SCALE = 1e-12  # of an asymmetric scale


def largest_int8():
    """127"""
    return LARGEST


def largest_e5m2():
    """57344"""
    return 57344.0


def largest_e4m3fn():
    """448"""
    return 448.0


#: The largest number of the dtype of `out`.
LIMIT = {"int8": largest_int8, "float8_e5m2": largest_e5m2, "float8_e4m3fn": largest_e4m3fn}


def divided(v, scale):
    """v / scale, but 0 for v = 0, also in a row of zeros"""
    return where(v == 0, v, v / scale)


def magnitude(x, limit):
    """abs(x)"""
    return abs(x)


def smoothed_magnitude(x, smooth_scales, limit):
    """abs(x * smooth_scales)"""
    return abs(x * smooth_scales)


def scale_of_row(limit, largest):
    """max(abs(x)) / limit"""
    return maximum(largest, 0.0) / limit


def dynamic_quant_formula(x, limit, largest, scale):
    """round(x / scale), where scale = max(abs(x)) / limit of the row, and limit is the largest number of out"""
    return divided(x, scale)


def smoothed_dynamic_quant_formula(x, smooth_scales, limit, largest, scale):
    """round(v / scale), where v = x * smooth_scales and scale = max(abs(v)) / limit of the row, and limit is the
    largest number of out"""
    return divided(x * smooth_scales, scale)


def value(x, limit):
    """x"""
    return x


def smoothed_value(x, smooth_scales, limit):
    """x * smooth_scales"""
    return x * smooth_scales


def negative(x, limit):
    """-x"""
    return -x


def smoothed_negative(x, smooth_scales, limit):
    """-x * smooth_scales"""
    return -x * smooth_scales


def scale_of_int8_range(limit, lowest, highest):
    """max((max(x) - min(x)) / 255, 1e-12), where lowest is -min(x)"""
    return maximum((0.5 * highest + 0.5 * lowest) / HALF_STEPS, LEAST_SCALE)  # their sum may overflow


def scale_of_float8_range(limit, lowest, highest):
    """max((max(x) - min(x)) / (2 * limit), 1e-12), where lowest is -min(x)"""
    return maximum((0.5 * highest + 0.5 * lowest) / limit, LEAST_SCALE)


#: By the dtype of `out`.
SCALE_OF_RANGE = {
    "int8": scale_of_int8_range,
    "float8_e5m2": scale_of_float8_range,
    "float8_e4m3fn": scale_of_float8_range,
}


def offset_of_range(limit, lowest, highest, scale):
    """limit - max(x) / scale; limit in a row without numbers"""
    return where(highest + lowest < 0, limit, limit - highest / scale)  # their sum may be NaN


def asymmetric_formula(x, limit, lowest, highest, scale, offset):
    """round(x / scale + offset)"""
    return x / scale + offset


def smoothed_asymmetric_formula(x, smooth_scales, limit, lowest, highest, scale, offset):
    """round(v / scale + offset), where v = x * smooth_scales"""
    return x * smooth_scales / scale + offset


PAPER = "Xiao et al. 2022, https://arxiv.org/abs/2211.10438"

SMOOTHING = (
    "With smooth_scales, x is first multiplied by it. smooth_scales has one number for each element of a row. With "
    "group_index, it has such a row for each group of rows. group_index has the end of each group, which is the number "
    "of the first row behind it. round takes the nearest integer, and the even one of two."
)

FLOAT8 = (
    "dst_type is the number of the dtype of a new out: 2 (INT8), 35 (FLOAT8_E5M2) or 36 (FLOAT8_E4M3FN). For FLOAT8, "
    "the largest number 57344 or 448 takes the place of 127, NaN stays NaN, and larger numbers saturate. On hardware, "
    "only Ascend950 has FLOAT8."
)

dynamic_quant_asymmetric = Operator(
    "dynamic_quant_asymmetric(Tensor x, Tensor? smooth_scales, Tensor? group_index, int dst_type=2) -> (Tensor out, "
    "Tensor scale, Tensor offset)",
    summary="out = round(x / scale + offset) and scale = max((max(x) + max(-x)) / 255, 1e-12) and offset = 127 - "
    "max(x) / scale along the last dimension; out is int8, and scale and offset are float32 with one element for each "
    "row\n\n"
    f"{SMOOTHING} NaN becomes 0. A row with an infinity has an infinite scale, only zeros, and an offset that is NaN. "
    f"If all its numbers are the same infinity, scale is NaN. {FLOAT8}",
    paper=PAPER,
    formula=Switch("smooth_scales", {False: asymmetric_formula, True: smoothed_asymmetric_formula}),
    layout=ScaledRows(
        passes=(
            {"limit": once(LIMIT)},
            {
                "lowest": largest({False: negative, True: smoothed_negative}),
                "highest": largest({False: value, True: smoothed_value}),
            },
            {"scale": once(SCALE_OF_RANGE)},
            {"offset": once(offset_of_range)},
        ),
        scales=("smooth_scales",),
    ),
    ragged=Ragged(groups="group_index", rest="refused"),
    dtypes=Dtypes(
        outputs={"out": " ".join(QUANTISED_DTYPES), "scale": "float32", "offset": "float32"}, attribute="dst_type"
    ),
    preconditions=(
        supported("x"),
        equal("smooth_scales", to="x"),
        index_supported("group_index", companion="smooth_scales"),
        convertible("out", "scale", "offset"),
        rows_in_groups("group_index", companion="smooth_scales"),
        scales_of_row("smooth_scales", of="x"),
        quantised_shape("out", of="x"),
        result_shape("scale", "offset"),
        kernel_reads("group_index", "int32", companion="smooth_scales", unless_empty="x"),
    ),
    requires={
        "dst_type 2 (INT8), 29 (INT4), 34 (HIFLOAT8), 35 (FLOAT8_E5M2) or 36 (FLOAT8_E4M3FN)": lambda a: (
            a["dst_type"] in (2, 29, 34, 35, 36)
        )
    },
    torch=Torch("dynamic_quant_asymmetric(x, smooth_scales, group_index, dst_type)"),
)

dynamic_quant = Operator(
    "dynamic_quant(Tensor x, Tensor? smooth_scales, Tensor? group_index, int dst_type=2) -> (Tensor out, Tensor scale)",
    summary="out = round(x / scale) and scale = max(abs(x)) / 127 along the last dimension; out is int8, and scale is "
    "float32 with one element for each row\n\n"
    f"{SMOOTHING} NaN counts as 0. In a row of zeros, out and scale are 0. {FLOAT8}",
    paper=PAPER,
    formula=Switch("smooth_scales", {False: dynamic_quant_formula, True: smoothed_dynamic_quant_formula}),
    layout=ScaledRows(
        passes=(
            {"limit": once(LIMIT)},
            {"largest": largest({False: magnitude, True: smoothed_magnitude})},
            {"scale": once(scale_of_row)},
        ),
        scales=("smooth_scales",),
    ),
    ragged=Ragged(groups="group_index", rest="refused"),
    dtypes=Dtypes(outputs={"out": " ".join(QUANTISED_DTYPES), "scale": "float32"}, attribute="dst_type"),
    preconditions=(
        supported("x"),
        equal("smooth_scales", to="x"),
        index_supported("group_index", companion="smooth_scales"),
        convertible("out", "scale"),
        rows_in_groups("group_index", companion="smooth_scales"),
        scales_of_row("smooth_scales", of="x"),
        quantised_shape("out", of="x"),
        result_shape("scale"),
        kernel_reads("group_index", "int32", companion="smooth_scales", unless_empty="x"),
    ),
    requires={
        "dst_type 2 (INT8), 29 (INT4), 34 (HIFLOAT8), 35 (FLOAT8_E5M2) or 36 (FLOAT8_E4M3FN)": lambda a: (
            a["dst_type"] in (2, 29, 34, 35, 36)
        )
    },
    torch=Torch("dynamic_quant(x, smooth_scales, group_index, dst_type)"),
)
