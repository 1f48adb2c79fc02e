"""ELU, the exponential linear unit."""

from ..base.definition import Result, Switch, Torch
from ..base.dtypes import FLOAT32_ZERO
from ..base.xp import exp, expm1, where
from ..calls.operator import Operator


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
    torch=Torch("elu(alpha, inplace, *, scale, input_scale, save)", module="ELU"),
)

elu_backward = Operator(
    "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, "
    "Tensor self_or_result) -> Tensor grad_input",
    summary="scale * grad_output if x > 0, else scale * alpha * input_scale * exp(input_scale * x) * grad_output, "
    "where x = self_or_result\n\n"
    "With is_result, self_or_result is y = elu(x): scale * grad_output if y > 0, else input_scale * (y + scale * "
    "alpha) * grad_output. The result has the sign of the input only if alpha, scale and input_scale are not "
    "negative. A negative alpha is refused with is_result; negative scales are computed by this formula.",
    formula=Switch("is_result", {False: elu_derivative, True: elu_derivative_from_result}),
    gradient_of=elu,
    result=Result(
        "self_or_result",
        flag="is_result",
        suffices={
            "alpha >= 0": lambda a: a["alpha"] >= 0,
            "scale > 0": lambda a: a["scale"] > 0,
            "input_scale > 0": lambda a: a["input_scale"] > 0,
        },
    ),
    requires={"alpha >= 0 when is_result": lambda a: not (a["is_result"] and a["alpha"] < -FLOAT32_ZERO)},
)
