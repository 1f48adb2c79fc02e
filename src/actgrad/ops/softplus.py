"""Softplus, a smooth ReLU."""

from ..base.definition import Dtypes, Integers, Torch
from ..base.xp import abs, exp, log1p, maximum, sigmoid, where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, supported
from ..checks.shape_rules import same_shape


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
    torch=Torch("softplus(beta, threshold)", module="Softplus"),
)

bnll = Operator(
    "bnll(Tensor self) -> Tensor out",
    summary="log(1 + exp(x))",
    paper="Caffe, https://caffe.berkeleyvision.org/tutorial/layers/bnll.html",
    formula=bnll_formula,
    torch=Torch("bnll", module="BNLL"),
)

softplus_backward = Operator(
    "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor grad_input",
    summary="grad_output if beta * self > threshold, else grad_output * sigmoid(beta * self)",
    formula=softplus_derivative,
    gradient_of=softplus,
    integers=Integers(dtype="float32"),
    dtypes=Dtypes("int8 int16 int32 int64 uint8 bool"),
    preconditions=(
        supported("grad_output", "self"),
        convertible("grad_input"),
        same_shape("self", "grad_input", to="grad_output"),
    ),
)
