"""CANN's law of gelu_quant."""

from ...base.errors import InvalidArgument, KernelMissing, NullArgument, ProductRefused, quote
from ...checks.dtype_rules import equal
from ...checks.quantisation_rules import dtype_numbered
from ...checks.shape_rules import result_shape, same_shape
from ...ops.gelu_quant import (
    NO_MIXED_HALVES,
    ONE_SIZE,
    SCALE_BESIDE_OFFSET,
    SIZE_OF_ROW,
    WIDE_SCALE,
    gelu_quant,
    static_gelu_quant,
)
from ..rules.law import ATTRIBUTE_RULES, C, Law, Parameter
from ..rules.rule import (
    Origin,
    When,
    has_dtype,
    kernel_writes,
    nonempty,
    one_dtype_of,
    only_documents,
    rank,
    rule_from,
    supported,
)

PRODUCT = "Ascend950"


def while_planning(check):
    """A check that CANN makes when it plans the kernel. Its status is 561103, although the document says 161002."""
    return (*only_documents((check,)), rule_from(check, c_error=KernelMissing, origin=Origin.OPERATOR))


def checks(*scales):
    """The checks of both modes. `scales` is the output of scales, if the operator has it."""
    return (
        (SCALE_BESIDE_OFFSET,),
        supported("self"),
        one_dtype_of("out", "int8 float8_e4m3fn float8_e5m2 hifloat8"),
        supported("input_scale"),
        (NO_MIXED_HALVES,),
        equal("input_offset", to="input_scale"),
        *(has_dtype(name, "float32") for name in scales),
        ATTRIBUTE_RULES,
        dtype_numbered("out", "dst_type"),
        rank("self", minimum=2 if scales else 0),
        result_shape(*scales),
        (ONE_SIZE,),
        same_shape("out", to="self"),
        tuple(rule_from(check, when=When.LIMITS) for check in nonempty("self", "input_scale", "input_offset", "out")),
        while_planning(SIZE_OF_ROW),
        while_planning(WIDE_SCALE),
        kernel_writes("out"),
    )


Law(
    static_gelu_quant,
    products=PRODUCT,
    checks=checks(),
    differences_file="gelu_quant.md",
)


def operator_of_mode(arguments, product):
    """The operator that computes a call of aclnnGeluQuant: gelu_quant, or static_gelu_quant in the static mode.

    `arguments` has the arguments by their names in C. Raises the errors of the rules that CANN tests first, and of the
    rules on arguments that the operators do not have.
    """
    if product.name != PRODUCT:
        raise ProductRefused(f"aclnnGeluQuant: not available on {product}; {PRODUCT} has it; choose this product")
    mode, rounding, y = arguments["quantMode"], arguments["roundMode"], arguments["y"]
    if mode is None:
        raise NullArgument("aclnnGeluQuant: quantMode must not be a null pointer; pass a text")
    if not mode.startswith(("dynamic", "static")):
        raise InvalidArgument(f"aclnnGeluQuant: quantMode is {quote(mode)}; it must be 'dynamic' or 'static'; pass one")
    if rounding is None:
        raise NullArgument("aclnnGeluQuant: roundMode must not be a null pointer; pass a text")
    is_static = mode.startswith("static")
    needed = (*("self", "approximate", "y"), "inputScaleOptional" if is_static else "outScaleOptional")
    operator = static_gelu_quant if is_static else gelu_quant
    if any(arguments[name] is None for name in needed):
        return operator  # which refuses the null pointer
    if is_static and arguments["outScaleOptional"] is not None:
        raise InvalidArgument(
            "aclnnGeluQuant: outScaleOptional is given; it must be null in the static mode; pass null"
        )
    is_hifloat8 = getattr(getattr(y, "dtype", None), "name", "") == "hifloat8"
    if rounding not in (("round", "hybrid") if is_hifloat8 else ("rint",)):
        expected = "'round' or 'hybrid' for HIFLOAT8, and 'rint' for other dtypes"
        raise InvalidArgument(f"aclnnGeluQuant: roundMode is {quote(rounding)}; it must be {expected}; pass it")
    return operator


Law(
    gelu_quant,
    products=PRODUCT,
    checks=checks("out_scale"),
    functions=(
        C(
            "GeluQuant",
            parameters=(
                "self",
                "inputScaleOptional",
                "inputOffsetOptional",
                Parameter("approximate", "text", is_const=True),
                Parameter("quantMode", "text", is_ignored=True, is_const=True, example="dynamic"),
                Parameter("roundMode", "text", is_ignored=True, is_const=True, example="rint"),
                "dstType",
                Parameter("y", is_const=True),
                Parameter("outScaleOptional", is_const=True),
            ),
            chooses=operator_of_mode,
        ),
    ),
    graph=(
        "GeluQuant(x=self, input_scale?, input_offset?, approximate=approximate:none, quant_mode=_:dynamic, "
        "dst_type=2, round_mode=_:rint) -> (y, out_scale)",
    ),
    differences_file="gelu_quant.md",
)
