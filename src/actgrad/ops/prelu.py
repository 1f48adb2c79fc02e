"""PReLU, leaky ReLU with a slope for each channel."""

from ..base.access import Along
from ..base.definition import Roles, Torch
from ..base.rows import RowsAlong, total
from ..base.xp import where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, promoted, supported
from ..checks.shape_rules import along, broadcasts_to, same_shape


def prelu_formula(x, weight):
    """x if x > 0 else weight * x"""
    return where(x > 0, x, weight * x)


def prelu_gradient(grad, x, weight, grad_weight):
    """g if x > 0 else weight * g"""
    return where(x > 0, grad, weight * grad)


def weight_gradient(grad, x, weight):
    """0 if x > 0 else x * grad"""
    return where(x > 0, 0.0, x * grad)


def update(updates, weights):
    """updates"""
    return updates


def channel_total(updates, weights, da):
    """da = sum(updates) over a channel"""
    return ()


prelu = Operator(
    "prelu(Tensor self, Tensor weight) -> Tensor out",
    summary="self if self > 0, else weight * self; weight has one element, or one per channel (dimension 1 of self)",
    paper="He et al. 2015, https://arxiv.org/abs/1502.01852",
    formula=prelu_formula,
    layout=Along("weight", 1),
    preconditions=(
        supported("self"),
        promoted("self", "weight"),
        convertible("out"),
        same_shape("out", to="self"),
        along("weight", to="self"),
    ),
    torch=Torch("prelu(input, weight)", module="PReLU(weight)"),
)

prelu_backward = Operator(
    "prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor grad_self, Tensor grad_weight)",
    summary="grad_self = (grad_output if self > 0, else weight * grad_output) and grad_weight = sum(0 if self > 0, "
    "else self * grad_output) over each channel\n\n"
    "A channel is one index of dimension 1. With a weight of one element, grad_weight is the sum over all elements.",
    formula=prelu_gradient,
    gradient_of=prelu,
    layout=RowsAlong(passes=({"grad_weight": total(weight_gradient)},), tensor="weight"),
    roles=Roles(takes_gradient=True, orders_results="self"),
    preconditions=(
        supported("self"),
        promoted("self", "weight", "grad_output"),
        convertible("grad_self", "grad_weight"),
        same_shape("grad_self", to="self"),
        along("weight", to="self"),
        same_shape("grad_weight", to="weight"),
        broadcasts_to("grad_output", to="self"),
    ),
)

p_relu_grad_reduce = Operator(
    "p_relu_grad_reduce(Tensor updates, Tensor weights) -> Tensor da",
    summary="sum(updates) over each channel\n\n"
    "A channel is one index of dimension 1. With weights of one element, da is the sum over all elements.",
    paper="He et al. 2015, https://arxiv.org/abs/1502.01852",
    formula=channel_total,
    layout=RowsAlong(passes=({"da": total(update)},), tensor="weights"),
)
