"""SiTU-GLU, a gated linear unit whose gate and values are bounded by tanh."""

from ..base.access import Halves
from ..base.definition import Switch, Torch
from ..base.xp import sigmoid, tanh
from ..calls.operator import Operator


def is_bounded(attributes):
    """Whether the formula also applies tanh to `up`."""
    return attributes["linear_beta"] > 0


def situ(x, beta):
    """beta * tanh(x / beta) * sigmoid(x)"""
    return beta * tanh(x / beta) * sigmoid(x)


def situ_derivative(x, beta):
    """s * (1 - t**2 + beta * t * (1 - s)), t = tanh(x / beta), s = sigmoid(x)"""
    return sigmoid(x) * (tanh_derivative(x / beta) + beta * tanh(x / beta) * sigmoid(-x))


def tanh_derivative(x):
    """1 - tanh(x)**2 = 4 * s * (1 - s), s = sigmoid(2 * x); this form is exact, even if tanh(x) is almost 1"""
    return 4.0 * sigmoid(2.0 * x) * sigmoid(-2.0 * x)


def situ_glu_formula(gate, up, beta, linear_beta):
    """beta * tanh(gate / beta) * sigmoid(gate) * up"""
    return situ(gate, beta) * up


def situ_glu_bounded(gate, up, beta, linear_beta):
    """beta * tanh(gate / beta) * sigmoid(gate) * linear_beta * tanh(up / linear_beta), if linear_beta > 0"""
    return situ(gate, beta) * (linear_beta * tanh(up / linear_beta))


def situ_glu_derivatives(gate, up, beta, linear_beta):
    """by gate: situ'(gate) * up, by up: situ(gate), for situ(x) = beta * tanh(x / beta) * sigmoid(x)"""
    return situ_derivative(gate, beta) * up, situ(gate, beta)


def situ_glu_bounded_derivatives(gate, up, beta, linear_beta):
    """by gate: situ'(gate) * h(up), by up: situ(gate) * h'(up), for h(x) = linear_beta * tanh(x / linear_beta),
    if linear_beta > 0"""
    z = up / linear_beta
    return situ_derivative(gate, beta) * (linear_beta * tanh(z)), situ(gate, beta) * tanh_derivative(z)


situ_glu = Operator(
    "situ_glu(Tensor x, int dim=-1, Scalar beta=1, Scalar linear_beta=0, bool activate_left=True) -> Tensor out",
    summary="beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of x along "
    "dim; out has half the size of x along dim\n\n"
    "With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper. activate_left=False "
    "swaps the roles of lower and upper.",
    paper="CANN, https://github.com/hicann/ops-nn/tree/master/activation/situ_glu",
    formula=Switch(is_bounded, {False: situ_glu_formula, True: situ_glu_bounded}),
    layout=Halves(("x",), active="activate_left"),
    torch=Torch("situ_glu(dim, beta, linear_beta, activate_left)", module="SiTUGLU"),
)

situ_glu_backward = Operator(
    "situ_glu_backward(Tensor grad_output, Tensor x, int dim=-1, Scalar beta=1, Scalar linear_beta=0, "
    "bool activate_left=True) -> Tensor grad_input",
    summary="grad_lower = grad_output * upper * s * (1 - t**2 + beta * t * (1 - s)) and grad_upper = grad_output * "
    "beta * t * s, where t = tanh(lower / beta) and s = sigmoid(lower) and lower and upper are the halves of x along "
    "dim; grad_input packs grad_lower and grad_upper as x packs its halves\n\n"
    "With linear_beta > 0, the formula is the derivative of situ_glu's other form. activate_left=False swaps the "
    "roles of lower and upper.",
    formula=Switch(is_bounded, {False: situ_glu_derivatives, True: situ_glu_bounded_derivatives}),
    gradient_of=situ_glu,
)
