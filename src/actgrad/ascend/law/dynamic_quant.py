"""CANN's law of dynamic_quant."""

from ...checks.dtype_rules import equal
from ...checks.quantisation_rules import index_supported, kernel_reads, quantised_shape, rows_in_groups, scales_of_row
from ...checks.shape_rules import result_shape
from ...ops.dynamic_quant import QUANTISED_DTYPES, dynamic_quant, dynamic_quant_asymmetric
from ..rules.law import C, Law, Parameter
from ..rules.rule import has_dtype, kernel_writes, output_supported, rank, supported

#: Product -> the numbers of dtypes to which it quantises. The key "" is for calls without a product.
NUMBERS = {"": (2, 29, 34, 35, 36), "Ascend950": (2, 29, 34, 35, 36), "Ascend310P": (2,), "Ascend910": (2,)}

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910"

REQUIRES = {
    "dst_type 2 (INT8), or 29 (INT4) except on Ascend310P and Ascend910, or on Ascend950 34 (HIFLOAT8), 35 "
    "(FLOAT8_E5M2) or 36 (FLOAT8_E4M3FN)": lambda a, product: (
        a["dst_type"] in NUMBERS.get(product.name if product else "", (2, 29))
    )
}


def checks(*outputs: str):
    """The checks of both operators. `outputs` are the outputs in float32."""
    return (
        supported("x", products=PRODUCTS),
        equal("smooth_scales", to="x"),
        index_supported("group_index", companion="smooth_scales"),
        output_supported("out"),
        *(has_dtype(name, "float32") for name in outputs),
        rank("x", minimum=2),
        rows_in_groups("group_index", companion="smooth_scales"),
        scales_of_row("smooth_scales", of="x"),
        quantised_shape("out", of="x"),
        result_shape(*outputs),
        kernel_reads("group_index", "int32", companion="smooth_scales", unless_empty="x"),
        kernel_writes("out"),
    )


Law(
    dynamic_quant_asymmetric,
    dtypes="float16 bfloat16",
    checks=checks("scale", "offset"),
    requires=REQUIRES,
    graph=(
        "DynamicQuantV2(x, smooth_scales?, group_index?, dst_type=2, is_symmetrical=_:False, quant_mode=_:pertoken, "
        "dst_type_max=_:0.0) -> (y, scale, offset)",
    ),
    differences_file="dynamic_quant.md",
)

Law(
    dynamic_quant,
    dtypes="float16 bfloat16",
    checks=checks("scale"),
    requires=REQUIRES,
    functions=(
        C(
            "DynamicQuant",
            parameters=(
                "x",
                "smoothScalesOptional",
                Parameter("yOut", is_const=True),
                Parameter("scaleOut", is_const=True),
            ),
            fixed={"group_index": None, "dst_type": QUANTISED_DTYPES["int8"]},
        ),
        C(
            "DynamicQuantV2",
            parameters=(
                "x",
                "smoothScalesOptional",
                "groupIndexOptional",
                Parameter("dstType", "int", is_ignored=True),
                Parameter("yOut", is_const=True),
                Parameter("scaleOut", is_const=True),
                Parameter("offsetOut", must_be_null=True),
            ),
            fixed={"dst_type": QUANTISED_DTYPES["int8"]},
            otherwise=dynamic_quant_asymmetric,
        ),
    ),
    graph=("DynamicQuant(x, smooth_scales?, group_index?, dst_type=2) -> (y, scale)",),
    differences_file="dynamic_quant.md",
)
