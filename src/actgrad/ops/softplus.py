"""Softplus, a smooth ReLU."""

from ..base.definition import C, Torch
from ..base.xp import abs, exp, log1p, maximum, sigmoid, where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, real, scalar_converts, supported
from ..contract.shape_rules import rank, same_shape

FLOATS = "float32 float16 float64 bfloat16"
NUMBERS = f"{FLOATS} int8 int16 int32 int64 uint8 bool"


def softplus_formula(x, beta, threshold):
    """x if beta * x > threshold else log(1 + exp(beta * x)) / beta"""
    z = beta * x
    return where(z > threshold, x, (maximum(z, 0.0) + log1p(exp(-abs(z)))) / beta)


def bnll_formula(x):
    """log(1 + exp(x))"""
    return maximum(x, 0.0) + log1p(exp(-abs(x)))


def softplus_derivative(x, beta, threshold):
    """1 if beta * x > threshold else sigmoid(beta * x)"""
    z = beta * x
    return where(z > threshold, 1.0, sigmoid(z))


softplus = Operator(
    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor out",
    summary="x if beta * x > threshold, else log(1 + exp(beta * x)) / beta",
    paper="Dugas et al. 2001, "
    "https://papers.nips.cc/paper/1920-incorporating-second-order-functional-knowledge-for-better-option-pricing",
    formula=softplus_formula,
    checks=(
        supported("self"),
        scalar_converts("beta"),
        scalar_converts("threshold"),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    differences=(
        "Ascend950: the source has a dtype list and a kernel, and the documents do not have the operator. actgrad has "
        "it.",
        "beta with abs(beta) <= 2**-23: the kernel returns infinity. actgrad computes the formula.",
    ),
    torch=Torch("softplus(beta, threshold)", module="Softplus"),
    aclnn=C("Softplus", in_place=False),
    ir=("SoftplusV2(x=self, beta=1.0, threshold=20.0) -> y", "Softplus(x=self; beta=1.0, threshold=inf) -> y"),
)

bnll = Operator(
    "bnll(Tensor self) -> Tensor out",
    summary="log(1 + exp(x))",
    paper="Caffe, https://caffe.berkeleyvision.org/tutorial/layers/bnll.html",
    formula=bnll_formula,
    dtypes="float32 float16 float64",
    differences=(
        "abs(x) > 10: the kernel uses exp(-abs(x)) instead of the logarithm. actgrad computes the logarithm.",
    ),
    torch=Torch("bnll", module="BNLL"),
    ir="BNLL(x=self) -> y",
)

softplus_backward = Operator(
    "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor grad_input",
    summary="grad_output if beta * self > threshold, else grad_output * sigmoid(beta * self)",
    formula=softplus_derivative,
    gradient_of=softplus,
    dtypes=NUMBERS,
    integer_result="float32",
    checks=(
        supported("grad_output", dtypes=FLOATS),
        supported("self"),
        supported("grad_input", dtypes=FLOATS),
        real("beta", "threshold"),
        convertible("grad_input"),
        rank("grad_output", "self", "grad_input"),
        same_shape("self", to="grad_output"),
        same_shape("grad_input", to="grad_output"),
    ),
    differences=(
        "Null beta or threshold: the source does not check for null. actgrad returns 161001.",
        "DOUBLE: the source computes in FLOAT. actgrad computes in DOUBLE.",
    ),
    aclnn="SoftplusBackward",
    ir=(
        "SoftplusV2Grad(input_gradients=grad_output, input_features=self, beta=1.0, threshold=20.0) "
        "-> output_backprops",
        "SoftplusGrad(gradients=grad_output, features=self; beta=1.0, threshold=inf, broadcast) -> backprops",
    ),
)
