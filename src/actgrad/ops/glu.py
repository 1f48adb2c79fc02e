"""GLU, the gated linear unit."""

from ..base.access import Halves
from ..base.definition import Roles, Torch
from ..base.xp import sigmoid
from ..calls.operator import Operator


def glu_gate(x):
    """sigmoid(x)"""
    return sigmoid(x)


def glu_gate_derivative(x):
    """s * (1 - s), s = sigmoid(x)"""
    return sigmoid(x) * sigmoid(-x)


glu = Operator(
    "glu(Tensor self, int dim=-1) -> Tensor out",
    summary="lower * sigmoid(upper), where lower and upper are the halves of self along dim; out has half the size "
    "of self along dim",
    paper="Dauphin et al. 2017, https://arxiv.org/abs/1612.08083",
    formula=glu_gate,
    layout=Halves(("self",), active="upper"),
    roles=Roles(multiplies="other"),
    torch=Torch("glu(dim)", module="GLU"),
)

glu_backward = Operator(
    "glu_backward(Tensor grad_output, Tensor self, int dim=-1) -> Tensor grad_input",
    summary="grad_lower = grad_output * s and grad_upper = grad_output * lower * s * (1 - s), where s = "
    "sigmoid(upper) and lower and upper are the halves of self along dim; grad_input packs grad_lower and grad_upper "
    "as self packs its halves",
    formula=glu_gate_derivative,
    gradient_of=glu,
    roles=Roles(orders_results=None),
)
