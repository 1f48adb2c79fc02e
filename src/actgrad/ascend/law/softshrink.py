"""CANN's law of softshrink."""

from ...base.dtypes import FLOAT32_ZERO
from ...checks.dtype_rules import convertible, real
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.softshrink import shrink, shrink_formula_950, softshrink, softshrink_backward
from ..rules.law import ATTRIBUTE_RULES, C, Law
from ..rules.rule import Origin, limited, only_on, rank, same_format, supported

# If a product is in force, lambd is rounded to float32, so a tiny negative lambd is 0.
NOT_NEGATIVE = {"lambd >= 0": lambda a, product: not a["lambd"] < (-FLOAT32_ZERO if product else 0)}


def softshrink_formula_950(x, lambd):
    """x - lambd if x > lambd, x + lambd if x < -lambd, else 0 (also for NaN), on Ascend950"""
    return shrink_formula_950(x, lambd, lambd)


Law(
    softshrink,
    checks=(
        supported("self", "out"),
        real("lambd"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    requires=NOT_NEGATIVE,
    formulas={"Ascend950": softshrink_formula_950},
    functions=(C("Softshrink", in_place=None),),
    graph=("Softshrink(x=self, lambd=0.5) -> y",),
    differences_file="softshrink.md",
)

Law(
    softshrink_backward,
    checks=(
        supported("grad_output", "self", "grad_input", everywhere=True),
        only_on("Ascend310P Ascend910", supported("grad_output", "self", "grad_input")),
        real("lambd"),
        rank("grad_output", "self"),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
        ATTRIBUTE_RULES,
        limited(convertible("grad_input"), origin=Origin.ACTGRAD),
    ),
    requires=NOT_NEGATIVE,
    functions=(C("SoftshrinkBackward", parameters=("gradOutput", "self", "lambda", "gradInput")),),
    graph=("SoftShrinkGrad(input_grad=grad_output, input_x=self, lambd=0.5) -> output_y",),
    differences_file="softshrink.md",
)

Law(
    shrink,
    dtypes="float32 float16",
    checks=(
        supported("self", "out"),
        real("lambd", "bias"),
        same_shape("out", to="self"),
        ATTRIBUTE_RULES,
        same_format("out", to="self"),
    ),
    requires=NOT_NEGATIVE,
    formulas={"Ascend950": shrink_formula_950},
    functions=(C("Shrink", in_place=None),),
    graph=("Shrink(input_x=self, lambd=0.5, bias=0.0) -> output_y",),
    differences_file="softshrink.md",
)
