"""ELU, the exponential linear unit."""

from ..base.definition import Torch
from ..base.dtypes import FLOAT32_ZERO
from ..base.xp import exp, expm1, where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, equal, real, supported
from ..contract.shape_rules import rank, same_shape
from ..contract.stages import document


def elu_formula(x, alpha, scale, input_scale):
    """scale * (x if x > 0 else alpha * (exp(input_scale * x) - 1))"""
    negative = where(x > 0, 0.0, x)  # keeps exp finite if x > 0, although `where` discards the value
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
    summary="scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)",
    paper="Clevert et al. 2016, https://arxiv.org/abs/1511.07289",
    formula=elu_formula,
    dtypes="float32 float16 float64 bfloat16",
    bfloat16_everywhere=True,
    checks=(
        supported("self"),
        real("scale", "alpha", "input_scale"),
        document(supported("out")),
        convertible("out"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    differences=(
        "Infinite or NaN alpha or input_scale: the source uses another formula, and the documents do not mention the "
        "case. actgrad computes the formula.",
        "float64, and bfloat16 on Ascend910: the documents of Elu and InplaceElu differ. The source has one list for "
        "both functions and all products. actgrad follows the source.",
        "Ascend310B: a README lists the operator, and the documents do not. actgrad does not have it there.",
        "x near 0: the kernel changes between a polynomial and exp(x) - 1. actgrad computes expm1 for every x.",
    ),
    torch=Torch("elu(alpha, inplace, *, scale, input_scale, save)", module="ELU"),
    aclnn="Elu",
    ir="Elu(x=self, alpha=1.0, scale=1.0, input_scale=1.0) -> y",
)

elu_backward = Operator(
    "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, "
    "Tensor self_or_result) -> Tensor grad_input",
    summary="scale * grad_output if x > 0, else scale * alpha * input_scale * exp(input_scale * x) * grad_output, "
    "where x = self_or_result\n\n"
    "With is_result, self_or_result is y = elu(x): scale * grad_output if y > 0, else input_scale * (y + scale * "
    "alpha) * grad_output. The result has the sign of the input only if alpha, scale and input_scale are not "
    "negative. A negative alpha is refused with is_result; negative scales are computed by this formula.",
    formula={False: elu_derivative, True: elu_derivative_from_result},
    switch="is_result",
    gradient_of=elu,
    reads_result="self_or_result",
    result_flag="is_result",
    requires={"alpha >= 0 when is_result": lambda a, product: not (a["is_result"] and a["alpha"] < -FLOAT32_ZERO)},
    result_suffices={
        "alpha >= 0": lambda a, product: a["alpha"] >= 0,
        "scale > 0": lambda a, product: a["scale"] > 0,
        "input_scale > 0": lambda a, product: a["input_scale"] > 0,
    },
    checks=(
        equal("self_or_result", to="grad_output"),
        supported("grad_output"),
        real("alpha", "scale", "input_scale"),
        document(supported("grad_input")),
        convertible("grad_input"),
        same_shape("self_or_result", "grad_input", to="grad_output"),
        rank("grad_output"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    differences=(
        "bfloat16: an older document has it only on Ascend910B. The README and the source also have it on Ascend950 "
        "and Ascend910_93. actgrad follows the source.",
        "dtype of grad_input: a table in the documents lists float32, float16 and bfloat16. A sentence there and the "
        "source allow every dtype that a float converts to, also complex numbers. actgrad follows the sentence, and "
        "the table under the documents' rules.",
        "Negative alpha with is_result: the README and the source refuse it, and the older document does not mention "
        "it. actgrad refuses it after rounding alpha to float32, as the source does. actgrad computes negative "
        "scales.",
        "Names: the documents exchange the descriptions of grad_output and grad_input. actgrad follows the formula.",
        "grad_input of a wider dtype: the operator first rounds to the dtype of grad_output. actgrad rounds once.",
    ),
    aclnn="EluBackward",
    ir=(
        "EluGradV2(grads=grad_output, activations=self_or_result, "
        "alpha=1.0, scale=1.0, input_scale=1.0, is_result=False) -> y",
        "EluGrad(grads=grad_output, activations=self_or_result; "
        "alpha=1.0, scale=1.0, input_scale=1.0, is_result=True, broadcast) -> y",
    ),
)
