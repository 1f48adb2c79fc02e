"""The logarithm of the logistic function, for losses of two classes."""

from ..base.definition import Torch
from ..base.xp import abs, exp, log1p, minimum, sigmoid
from ..calls.operator import Operator


def logsigmoid_formula(x):
    """log(1 / (1 + exp(-x)))"""
    return minimum(x, 0.0) - log1p(exp(-abs(x)))


def logsigmoid_derivative(x):
    """1 / (1 + exp(x))"""
    return sigmoid(-x)


logsigmoid = Operator(
    "logsigmoid(Tensor self) -> Tensor out",
    summary="-log(1 + exp(-x))",
    paper="PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html",
    formula=logsigmoid_formula,
    torch=Torch("logsigmoid", module="LogSigmoid"),
)

logsigmoid_backward = Operator(
    "logsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output * sigmoid(-self)",
    formula=logsigmoid_derivative,
    gradient_of=logsigmoid,
)
