"""ELU, the exponential linear unit (Clevert et al. 2016, https://arxiv.org/abs/1511.07289)."""

from ..op import Operator
from ..xp import exp, expm1, where


def elu_formula(x, alpha, scale, input_scale):
    """scale * (x if x > 0 else alpha * (exp(input_scale * x) - 1))"""
    negative = where(x > 0, 0.0, x)  # exp must stay finite in the lanes `where` discards
    return where(x > 0, scale * x, scale * alpha * expm1(input_scale * negative))


def elu_derivative(x, alpha, scale, input_scale):
    """scale if x > 0 else scale * alpha * input_scale * exp(input_scale * x)"""
    negative = where(x > 0, 0.0, x)
    return where(x > 0, scale, scale * alpha * input_scale * exp(input_scale * negative))


def elu_derivative_from_result(y, alpha, scale, input_scale):
    """scale if y > 0 else input_scale * (y + scale * alpha), for y = elu(x), which has the sign of x"""
    return where(y > 0, scale, input_scale * (y + scale * alpha))


elu = Operator(
    "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor out",
    summary="The exponential linear unit of each element.",
    formula=elu_formula,
    dtypes="float32 float16 float64 bfloat16",
    bfloat16_everywhere=True,
    document_rank=(0, 8),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    aclnn="Elu",
    ir="Elu",
)

elu_backward = Operator(
    "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, "
    "Tensor self_or_result) -> Tensor grad_input",
    summary="The gradient of ELU's input, from its input or (is_result) from its result.\n\n"
    "The result tells the input's sign only where alpha, scale and input_scale are not negative; a negative alpha is\n"
    "refused with is_result, negative scales are computed as they are.",
    formula={False: elu_derivative, True: elu_derivative_from_result},
    switch="is_result",
    gradient_of=elu,
    requires={"alpha >= 0 when is_result": lambda a, product: not (a["is_result"] and a["alpha"] < 0)},
    document_rank=(0, 8),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    aclnn="EluBackward",
    ir="EluGradV2",
)
