"""CANN's law of dequant_swiglu_quant."""

from math import prod

from ...checks.halves_rules import even, groups, half
from ...checks.shape_rules import result_shape
from ...ops.dequant_swiglu_quant import (
    DTYPE_OF_BIAS,
    GROUP_COUNTS,
    INTERLEAVED,
    TENSORS_OF_INTEGERS,
    TENSORS_OF_MODE,
    dequant_swiglu_quant,
    one_scale_for_each_row,
    shapes_of_scales,
)
from ..rules.law import ATTRIBUTE_RULES_IN_TILING, C, Law, Parameter
from ..rules.rule import (
    Origin,
    Rule,
    When,
    has_dtype,
    in_tiling,
    is_c_call,
    nonempty,
    one_dtype_of,
    only_documents,
    rank,
    rule_from,
    supported,
)

BLOCK = 64  # with groups, the number of elements in a row of x is a multiple of this number

BUFFER = 195_484  # bytes of a vector core's memory that a row may fill, with groups


def as_many_scales_as_rows(call):
    """In C, `activation_scale` may have any shape with one element for each row of x."""
    scale, rows = call.tensors.get("activation_scale"), call.inputs["x"].shape[:-1]
    if scale is None or (is_c_call(call) and scale.size == prod(rows)):
        return None
    return one_scale_for_each_row(call)


def rows_in_groups(call):
    """With groups, x is int32 or bfloat16, and its rows have whole blocks that fit into a core's memory."""
    x, mode = call.inputs["x"], call.attributes["swiglu_mode"]
    if call.row_groups is None:
        if mode == 0:
            return None
        return f"swiglu_mode is {mode} without group_index; the kernel{call.place} then computes 0; pass group_index"
    if x.dtype.name not in ("int32", "bfloat16"):
        return f"x is {x.dtype}; with group_index it must be int32 or bfloat16{call.place}; convert x"
    bytes_of_element = 37 + 8 * ("bias" in call.inputs) + 5 * (mode == INTERLEAVED)
    bytes_of_element += 4 * (call.attributes["quant_mode"] == "static")
    longest, size = BUFFER // bytes_of_element // 32 * BLOCK, x.shape[-1]
    if size % BLOCK == 0 and size <= longest:
        return None
    must = f"with group_index it must be a multiple of {BLOCK}, at most {longest}{call.place}"
    return f"a row of x has {size} elements; {must}; pad or split x"


AS_MANY_SCALES_AS_ROWS = Rule(
    "activation_scale has one element for each row of x",
    as_many_scales_as_rows,
    about=("activation_scale", "x"),
)

ROWS_IN_GROUPS = Rule(
    "with group_index, a row of x has whole blocks that fit into a core's memory, of int32 or bfloat16; without, "
    "swiglu_mode is 0",
    rows_in_groups,
    when=When.PRODUCT,
    about=("x", "swiglu_mode"),
)

LEFT_IN_PAIRS = Rule(
    "activate_left is true in swiglu_mode 1",
    lambda call: (
        "activate_left is False, but swiglu_mode is 1; the documents require True; pass True"
        if call.attributes["swiglu_mode"] == INTERLEAVED and not call.attributes["activate_left"]
        else None
    ),
    about=("activate_left",),
)

PARAMETERS = (
    "x weightScaleOptional activationScaleOptional biasOptional quantScaleOptional quantOffsetOptional "
    "groupIndexOptional activateLeft quantModeOptional"
)

Law(
    dequant_swiglu_quant,
    products="Ascend910_93 Ascend910B",
    dtypes="float16 bfloat16 int32",
    checks=(
        supported("x"),
        has_dtype("weight_scale", "float32"),
        has_dtype("activation_scale", "float32"),
        (DTYPE_OF_BIAS,),
        has_dtype("quant_scale", "float32"),
        has_dtype("quant_offset", "float32"),
        has_dtype("group_index", "int64"),
        one_dtype_of("out", "int8"),
        has_dtype("scale", "float32"),
        in_tiling(
            rank("x", minimum=2),
            only_documents(nonempty("x")),
            even("x", dim=""),
            (ROWS_IN_GROUPS,),
        ),
        ATTRIBUTE_RULES_IN_TILING,
        in_tiling(
            only_documents((LEFT_IN_PAIRS,)),
            groups("group_index", 1),
            (TENSORS_OF_INTEGERS,),
            (shapes_of_scales("weight_scale"), AS_MANY_SCALES_AS_ROWS, shapes_of_scales("bias")),
            (TENSORS_OF_MODE,),
            (shapes_of_scales("quant_scale"), shapes_of_scales("quant_offset")),
            half("out", of="x", dim=""),
            result_shape("scale"),
        ),
        (rule_from(GROUP_COUNTS, origin=Origin.ACTGRAD),),
    ),
    functions=(
        C(
            "DequantSwigluQuant",
            parameters=(
                "x",
                "weightScaleOptional",
                "activationScaleOptional",
                "biasOptional",
                "quantScaleOptional",
                "quantOffsetOptional",
                "groupIndexOptional",
                "activateLeft",
                Parameter("quantModeOptional", "text", null_means_default=True),
                Parameter("yOut", is_const=True),
                Parameter("scaleOut", is_const=True),
            ),
            fixed={"swiglu_mode": 0, "clamp_limit": 7.0, "glu_alpha": 1.702, "glu_bias": 1.0},
        ),
        C(
            "DequantSwigluQuantV2",
            parameters=(
                "x",
                "weightScaleOptional",
                "activationScaleOptional",
                "biasOptional",
                "quantScaleOptional",
                "quantOffsetOptional",
                "groupIndexOptional",
                "activateLeft",
                Parameter("quantModeOptional", "text", null_means_default=True),
                Parameter("dstType", constant=2),
                Parameter("roundModeOptional", constant="rint"),
                Parameter("activateDim", constant=-1),
                "swigluMode",
                Parameter("clampLimit", "double"),
                Parameter("gluAlpha", "double"),
                Parameter("gluBias", "double"),
                Parameter("yOut", is_const=True),
                Parameter("scaleOut", is_const=True),
            ),
        ),
    ),
    is_autogenerated_in_cann=True,
    graph=(
        "DequantSwigluQuant(x, weight_scale?, activation_scale?, bias?, quant_scale?, quant_offset?, group_index?, "
        "activate_left=False, quant_mode=quant_mode:static, dst_type=_:2, round_mode=_:rint, activate_dim=_:-1, "
        "swiglu_mode=0, clamp_limit=7.0, glu_alpha=1.702, glu_bias=1.0) -> (y, scale)",
    ),
    differences_file="dequant_swiglu_quant.md",
)
