"""PReLU, leaky ReLU with a slope for each channel."""

from ..base.access import Along
from ..base.definition import C, Torch
from ..base.rows import RowsAlong, total
from ..base.xp import where
from ..calls.operator import Operator
from ..contract import Check
from ..contract.dtype_rules import convertible, equal, promoted, supported
from ..contract.shape_rules import along, broadcasts_to, rank, same_shape


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
    reads=Along("weight", 1),
    checks=(
        supported("self", "weight", "out"),
        promoted("self", "weight"),
        convertible("out"),
        rank("self", "weight", "out"),
        same_shape("out", to="self"),
        along("weight", to="self"),
    ),
    torch=Torch("prelu(input, weight)", module="PReLU(weight)"),
    aclnn="Prelu",
    ir="PRelu(x=self, weight) -> y",
)


def fault_of_weight_gradient(call):
    """The message about a grad_weight that has neither one dimension nor the shape of a single weight, or None."""
    weight, meta = call.inputs["weight"], call.tensors.get("grad_weight")
    expected = weight.shape if weight.size == 1 else (weight.size,)
    if meta is None or meta.shape == expected:
        return None
    return f"grad_weight has shape {meta.shape}; it must be {expected}; allocate grad_weight with that shape"


ONE_DIMENSION = Check(
    "grad_weight has one dimension, or the shape of a single weight", fault_of_weight_gradient, about=("grad_weight",)
)
RANKS_AND_WEIGHTS = (
    rank("self", "weight", "grad_output", "grad_self", "grad_weight"),
    same_shape("grad_self", to="self"),
    along("weight", to="self"),
)

prelu_backward = Operator(
    "prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor grad_self, Tensor grad_weight)",
    summary="grad_self = (grad_output if self > 0, else weight * grad_output) and grad_weight = sum(0 if self > 0, "
    "else self * grad_output) over each channel\n\n"
    "A channel is one index of dimension 1. With a weight of one element, grad_weight is the sum over all elements.",
    formula=prelu_gradient,
    gradient_of=prelu,
    layout_of="self",
    takes_gradient=True,
    reads=RowsAlong(passes=({"grad_weight": total(weight_gradient)},), tensor="weight"),
    checks=(
        supported("self"),
        promoted("self", "weight", "grad_output"),
        *RANKS_AND_WEIGHTS,
        same_shape("grad_weight", to="weight"),
        broadcasts_to("grad_output", to="self"),
    ),
    differences=(
        "Ascend310P and Ascend310B: the source has the operator, and the documents do not. actgrad has it.",
        "Sum: CANN rounds each x * grad to the dtype of the tensors. actgrad does not round before the sum.",
        "Empty input: CANN does not write grad_weight. actgrad writes zeros.",
    ),
    aclnn=C(
        "PreluBackward",
        parameters="gradOutput self weight gradInput gradWeight",
        checks=(
            supported("self"),
            equal("grad_output", "weight", "grad_self", "grad_weight", to="self"),
            *RANKS_AND_WEIGHTS,
            (ONE_DIMENSION,),
            broadcasts_to("grad_output", to="self"),
        ),
    ),
    ir="PReluGrad(grads=grad_output, features=self, weights=weight) -> (dx, da)",
)

p_relu_grad_reduce = Operator(
    "p_relu_grad_reduce(Tensor updates, Tensor weights) -> Tensor da",
    summary="sum(updates) over each channel\n\n"
    "A channel is one index of dimension 1. With weights of one element, da is the sum over all elements.",
    paper="He et al. 2015, https://arxiv.org/abs/1502.01852",
    formula=channel_total,
    reads=RowsAlong(passes=({"da": total(update)},), tensor="weights"),
    checks=(
        supported("updates"),
        equal("weights", to="updates"),
        convertible("da"),
        rank("updates", "weights"),
        along("weights", to="updates"),
        same_shape("da", to="weights"),
    ),
    differences=(
        "Shapes: no document states them. actgrad uses the shapes of PReluGrad, because this operator is its "
        "second half.",
    ),
    ir="PReluGradReduce(grads=_, features=_, weights, updates) -> da",
)
