"""Soft shrinkage, which moves elements towards 0."""

from ..base.definition import C, Torch
from ..base.dtypes import FLOAT32_ZERO
from ..base.xp import abs, where
from ..calls.operator import Operator
from ..contract import Origin
from ..contract.dtype_rules import convertible, real, supported
from ..contract.kinds import VALUES
from ..contract.shape_rules import broadcastable, rank, result_shape, same_format, same_shape
from ..contract.stages import on
from .selu import is_on_950

# If a product is in force, lambd is rounded to float32, so a tiny negative lambd is 0.
NOT_NEGATIVE = {"lambd >= 0": lambda a, product: not a["lambd"] < (-FLOAT32_ZERO if product else 0)}
DIFFERENCES = ("NaN: the kernel of Ascend950 returns 0. actgrad returns 0 on Ascend950, and NaN elsewhere.",)


def shrink_formula(x, lambd, bias):
    """x - bias if x > lambd, x + bias if x < -lambd, else 0"""
    return where(x == x, shrink_formula_950(x, lambd, bias), x)


def shrink_formula_950(x, lambd, bias):
    """x - bias if x > lambd, x + bias if x < -lambd, else 0 (also for NaN), on Ascend950"""
    return where(x > lambd, x - bias, where(x < -lambd, x + bias, 0.0))


def softshrink_formula(x, lambd):
    """x - lambd if x > lambd, x + lambd if x < -lambd, else 0"""
    return shrink_formula(x, lambd, lambd)


def softshrink_formula_950(x, lambd):
    """x - lambd if x > lambd, x + lambd if x < -lambd, else 0 (also for NaN), on Ascend950"""
    return shrink_formula_950(x, lambd, lambd)


def softshrink_gradient(g, x, lambd):
    """0 if abs(x) <= lambd else g"""
    return where(abs(x) <= lambd, 0.0, g)


softshrink = Operator(
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor out",
    summary="sign(x) * max(abs(x) - lambd, 0)\n\nNaN gives NaN, and 0 on Ascend950.",
    paper="Donoho 1995, https://doi.org/10.1109/18.382009",
    formula={False: softshrink_formula, True: softshrink_formula_950},
    switch=lambda attributes, product: is_on_950(product),
    checks=(
        supported("self", "out"),
        real("lambd"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    requires=NOT_NEGATIVE,
    differences=DIFFERENCES,
    torch=Torch("softshrink(lambd)", module="Softshrink", shows_values_alone=True),
    aclnn=C("Softshrink", in_place=False),
    ir="Softshrink(x=self, lambd=0.5) -> y",
)

softshrink_backward = Operator(
    "softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor grad_input",
    summary="0 if abs(self) <= lambd, else grad_output",
    formula=softshrink_gradient,
    takes_gradient=True,
    gradient_of=softshrink,
    broadcasts=True,
    checks=(
        supported("grad_output", "self", "grad_input", everywhere=True),
        on("Ascend310P Ascend910", supported("grad_output", "self", "grad_input")),
        real("lambd"),
        rank("grad_output", "self"),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
        VALUES,
        convertible("grad_input", origin=Origin.ACTGRAD),
    ),
    requires=NOT_NEGATIVE,
    differences=("grad_input of another dtype than the result: CANN does not check it. actgrad converts.",),
    aclnn=C("SoftshrinkBackward", parameters="gradOutput self lambda gradInput"),
    ir="SoftShrinkGrad(input_grad=grad_output, input_x=self, lambd=0.5) -> output_y",
)

shrink = Operator(
    "shrink(Tensor self, Scalar lambd=0.5, Scalar bias=0) -> Tensor out",
    summary="x - bias if x > lambd, x + bias if x < -lambd, else 0\n\nNaN gives NaN, and 0 on Ascend950.",
    paper="ONNX, https://onnx.ai/onnx/operators/onnx__Shrink.html",
    formula={False: shrink_formula, True: shrink_formula_950},
    switch=lambda attributes, product: is_on_950(product),
    dtypes="float32 float16",
    checks=(
        supported("self", "out"),
        real("lambd", "bias"),
        same_shape("out", to="self"),
        VALUES,
        same_format("out", to="self"),
    ),
    requires=NOT_NEGATIVE,
    differences=(
        *DIFFERENCES,
        "Ascend910: the documents do not have the operator, and the source does not check the product. actgrad has it.",
    ),
    torch=Torch("shrink(lambd, bias)", module="Shrink"),
    aclnn=C("Shrink", in_place=False),
    ir="Shrink(input_x=self, lambd=0.5, bias=0.0) -> output_y",
)
