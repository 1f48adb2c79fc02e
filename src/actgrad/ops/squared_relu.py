"""Squared ReLU."""

from ..base.definition import C, Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.shape_rules import rank, result_shape
from ..contract.stages import document, tiling


def squared_relu_formula(x):
    """x**2 if x > 0 else 0"""
    positive = where(x <= 0, 0.0, x)
    return positive * positive


def squared_relu_derivative(x):
    """2 * x if x > 0 else 0"""
    return where(x <= 0, 0.0, 2.0 * x)


squared_relu = Operator(
    "squared_relu(Tensor self) -> Tensor out",
    summary="max(x, 0)**2",
    paper="So et al. 2021, https://arxiv.org/abs/2109.08668",
    formula=squared_relu_formula,
    checks=(
        supported("self"),
        equal("out", to="self"),
        document(rank("self", minimum=1)),
        tiling(result_shape("out", or_in_a_row=True)),
    ),
    products="Ascend950 Ascend910_93 Ascend910B",
    generated=True,
    differences=(
        "Number of dimensions: the documents allow 1 to 8, and the definition has no limit. actgrad has the limit "
        "only under the documents' rules.",
        "Shape of out: CANN does not check it. actgrad requires the shape of the result, or a contiguous tensor with "
        "as many elements.",
    ),
    torch=Torch("squared_relu", module="SquaredReLU"),
    aclnn=C("SquaredRelu", parameters="input out", unusual_const="out", in_place=False),
    ir="SquaredRelu(x=self) -> y",
)

squared_relu_backward = Operator(
    "squared_relu_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="2 * max(self, 0) * grad_output",
    formula=squared_relu_derivative,
    gradient_of=squared_relu,
)
