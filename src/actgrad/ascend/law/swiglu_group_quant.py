"""CANN's law of swiglu_group_quant."""

from ...base.errors import InvalidDtype, TilingFailed
from ...checks.halves_rules import counting, even, groups, half
from ...checks.quantisation_rules import dtype_numbered
from ...checks.shape_rules import result_shape
from ...ops.swiglu_group_quant import DTYPES, MX, SCALE_OF_MODE, WITHOUT_KERNEL, swiglu_group_quant, whole_blocks
from ..rules.law import ATTRIBUTE_RULES_IN_TILING, C, Law, Parameter
from ..rules.rule import (
    Origin,
    Rule,
    has_dtype,
    in_tiling,
    kernel_writes,
    nonempty,
    one_dtype_of,
    only_documents,
    product_of,
    rank,
    rule_from,
    supported,
)
from .swiglu_group import AS_MANY_WEIGHTS_AS_ROWS

PRODUCT = "Ascend950"


def whole_blocks_of_product(call):
    """On a product, a row has whole blocks of 256 elements of x."""
    size = call.inputs["x"].shape[-1]
    if product_of(call) is None:
        return whole_blocks(call)
    if size and size % 256 == 0:
        return None
    return f"a row of x has {size} elements{call.place}; it must have a multiple of 256; pad x"


def rank_of_mode(call):
    """With quant_mode 1, scale has one dimension more than x, and at most 8."""
    rank = len(call.inputs["x"].shape)
    if product_of(call) is None or call.attributes["quant_mode"] != MX or rank <= 7:
        return None
    return f"x has {rank} dimensions; with quant_mode=1 it must have at most 7{call.place}; reshape x"


def dtypes_together(call):
    """In CANN, x is float32 only if out is HIFLOAT8. HIFLOAT8 needs float32 scales, and FLOAT4 needs FLOAT8_E8M0."""
    out, scale = (meta.dtype.name if (meta := call.tensors.get(name)) else "" for name in ("out", "scale"))
    x, is_hifloat8 = call.inputs["x"].dtype.name, out == "hifloat8"
    if product_of(call) is None or (
        (x != "float32" or is_hifloat8)
        and (not is_hifloat8 or scale == "float32")
        and (not out.startswith("float4") or scale == "float8_e8m0fnu")
    ):
        return None
    return f"x is {x}, out is {out} and scale is {scale}; CANN has no such dtypes together; convert one of them"


def operator_of_call(arguments, product):
    """swiglu_group_quant, unless a tensor that only the checks of CANN look at has a wrong dtype.

    `arguments` has the arguments by their names in C.
    """
    dtypes = {name: getattr(getattr(value, "dtype", None), "name", "") for name, value in arguments.items()}
    required = [arguments[name] for name in ("x", "yOut", "yScaleOut", "yOriginOut")]
    if product.name != PRODUCT or any(each is None for each in required):
        return swiglu_group_quant  # which refuses the call
    for name, expected in (("yOriginOut", dtypes["x"]), ("scaleOptional", "float32")):
        if arguments[name] is not None and dtypes[name] != expected:
            fault = f"aclnnSwigluGroupQuant: {name} is {dtypes[name]}"
            raise InvalidDtype(f"{fault}; it must be {expected}; convert {name}")
    return swiglu_group_quant


TOGETHER = Rule(
    "x, out and scale have dtypes that fit together",
    dtypes_together,
    InvalidDtype,
    about=("x",),
)

RANK_OF_MODE = Rule(
    "x has at most 7 dimensions if quant_mode is 1",
    rank_of_mode,
    about=("x", "quant_mode"),
)

WHOLE_BLOCKS_OF_PRODUCT = Rule(
    "a row of x has whole blocks",
    whole_blocks_of_product,
    about=("x", "quant_mode"),
)

Law(
    swiglu_group_quant,
    products=PRODUCT,
    dtypes="float16 bfloat16",
    checks=(
        supported("x", dtypes="float32 float16 bfloat16"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        has_dtype("group_index", "int64"),
        one_dtype_of("out", f"{DTYPES} float4_e2m1fn float4_e1m2 hifloat8"),
        one_dtype_of("scale", "float32 float8_e8m0fnu"),
        (TOGETHER, rule_from(WITHOUT_KERNEL, origin=Origin.ACTGRAD)),
        ATTRIBUTE_RULES_IN_TILING,
        in_tiling(
            rank("x", minimum=2),
            only_documents(nonempty("x")),
            even("x", dim=""),
            (WHOLE_BLOCKS_OF_PRODUCT,),
            (AS_MANY_WEIGHTS_AS_ROWS,),
            counting("group_index"),
            groups("group_index"),
            (RANK_OF_MODE,),
            dtype_numbered("out", "dst_type"),
            (SCALE_OF_MODE,),
            half("out", of="x", dim=""),
            result_shape("scale"),
        ),
        kernel_writes("out"),
    ),
    functions=(
        C(
            "SwigluGroupQuant",
            parameters=(
                "x",
                "weightOptional",
                "groupIndexOptional",
                Parameter("scaleOptional", "Tensor", is_ignored=True, may_be_null=True),
                "dstType",
                "quantMode",
                "blockSize",
                "roundScale",
                Parameter("clampLimit", "double"),
                Parameter("dstTypeMax", "double", is_ignored=True),
                Parameter("outputOrigin", constant=False, refusal=TilingFailed),
                Parameter("yOut", is_const=True),
                Parameter("yScaleOut", is_const=True),
                Parameter("yOriginOut", "Tensor", is_ignored=True),
            ),
            chooses=operator_of_call,
        ),
    ),
    is_autogenerated_in_cann=True,
    graph=(
        "SwigluGroupQuant(x, weight?, group_index?, scale=_?, dst_type=36, quant_mode=0, block_size=0, "
        "round_scale=False, clamp_limit=-1.0, dst_type_max=_:15.0, output_origin=_:False) -> (y, y_scale, y_origin=_)",
    ),
    differences_file="swiglu_group_quant.md",
)
