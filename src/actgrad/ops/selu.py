"""SELU, the self-normalising ELU (Klambauer et al. 2017, https://arxiv.org/abs/1706.02515)."""

from ..checks.dtypes import document_equal, equal, supported
from ..checks.rules import document_format, document_nonempty, document_rank, same_shape
from ..op import Operator
from ..xp import where
from .elu import elu_derivative, elu_derivative_from_result, elu_formula

ALPHA = 1.6732632423543772848170429916717
SCALE = 1.0507009873554804934193349852946


def selu_formula(x):
    """SCALE * (x if x > 0 else ALPHA * (exp(x) - 1)), ALPHA = 1.67326324..., SCALE = 1.05070098..."""
    return elu_formula(x, ALPHA, SCALE, 1.0)


def selu_derivative(x):
    """SCALE if x > 0 else SCALE * ALPHA * exp(x)"""
    return elu_derivative(x, ALPHA, SCALE, 1.0)


def selu_derivative_from_result(y):
    """SCALE if y >= 0 else y + SCALE * ALPHA, for y = selu(x)"""
    return where(y >= 0, SCALE, y + SCALE * ALPHA)


def selu_derivative_from_result_950(y):
    """SCALE if y > 0 else y + SCALE * ALPHA: on Ascend950 zero belongs to the negative branch"""
    return elu_derivative_from_result(y, ALPHA, SCALE, 1.0)


selu = Operator(
    "selu(Tensor self) -> Tensor out",
    summary="The scaled exponential linear unit of each element; integers are rounded to nearest even and saturate.",
    formula=selu_formula,
    dtypes="float32 float16 int32 int8 bfloat16",
    checks=(
        supported("self", "out"),
        document_equal("out", to="self"),
        document_format("self", "out"),
        document_rank("self", least=1),
        same_shape("out", to="self"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend910",
    aclnn="Selu",
    ir="Selu(x) -> y",
)

selu_backward = Operator(
    "selu_backward(Tensor grad_output, Tensor result) -> Tensor grad_input",
    summary="The gradient of SELU's input, from its result; integers are rounded to nearest even and saturate.",
    formula={False: selu_derivative_from_result, True: selu_derivative_from_result_950},
    switch=lambda attributes, product: product is not None and product.name == "Ascend950",
    gradient_of=selu,
    dtypes="float32 float16 int32 int8 bfloat16",
    checks=(
        equal("result", "grad_input", to="grad_output"),
        supported("grad_output"),
        document_format("grad_output", "result", "grad_input"),
        document_rank("grad_output", least=1),
        same_shape("result", "grad_input", to="grad_output"),
        document_nonempty("result"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    aclnn="SeluBackward",
    ir="SeluGrad(gradients, outputs) -> y",
)
