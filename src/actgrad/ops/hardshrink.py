"""Hard shrinkage, which sets small elements to 0."""

from ..base.definition import C, Torch
from ..base.xp import abs, where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, promoted, real, supported
from ..contract.shape_rules import broadcastable, rank, result_shape, same_shape
from ..contract.stages import on, unless_empty


def hardshrink_formula(x, lambd):
    """0 if abs(x) <= lambd else x"""
    return where(abs(x) <= lambd, 0.0, x)


def hardshrink_gradient(g, x, lambd):
    """0 if abs(x) <= max(lambd, 0) else g"""
    return where(abs(x) <= lambd, 0.0, where(abs(x) <= 0, 0.0, g))


hardshrink = Operator(
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor out",
    summary="x if abs(x) > lambd, else 0",
    paper="Donoho and Johnstone 1994, https://doi.org/10.1093/biomet/81.3.425",
    formula=hardshrink_formula,
    checks=(
        supported("self", "out", everywhere=True),
        on("Ascend310P Ascend910", supported("self", "out")),
        real("lambd"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    differences=(
        "Ascend950: the README and the source have the operator, and the documents do not. actgrad has it.",
        "Ascend310B: the source takes BFLOAT16, although the lists of other operators leave it out there. actgrad "
        "takes it too.",
    ),
    torch=Torch("hardshrink(lambd)", module="Hardshrink", shows_values_alone=True),
    aclnn=C("Hardshrink", in_place=False),
    ir="HardShrink(input_x=self, lambd=0.5) -> output_y",
)

hardshrink_backward = Operator(
    "hardshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor grad_input",
    summary="0 if abs(self) <= max(lambd, 0), else grad_output",
    formula=hardshrink_gradient,
    takes_gradient=True,
    gradient_of=hardshrink,
    broadcasts=True,
    checks=(
        supported("grad_output", "self", "grad_input"),
        real("lambd"),
        rank("grad_output", "self", "grad_input"),
        promoted("grad_output", "self"),
        convertible("grad_input"),
        unless_empty(("grad_output", "self"), broadcastable("self", to="grad_output"), result_shape("grad_input")),
    ),
    differences=("Unequal dtypes: the documents refuse them, and the source promotes them. actgrad promotes them.",),
    aclnn="HardshrinkBackward",
    ir="HardShrinkGrad(gradients=grad_output, features=self, lambd=0.5) -> backprops",
)
