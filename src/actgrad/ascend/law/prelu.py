"""CANN's law of prelu."""

from ...checks.dtype_rules import convertible, equal, promoted
from ...checks.shape_rules import along, broadcasts_to, same_shape
from ...ops.prelu import p_relu_grad_reduce, prelu, prelu_backward
from ..rules.law import C, Law
from ..rules.rule import Rule, rank, supported

Law(
    prelu,
    checks=(
        supported("self", "weight", "out"),
        promoted("self", "weight"),
        convertible("out"),
        rank("self", "weight", "out"),
        same_shape("out", to="self"),
        along("weight", to="self"),
    ),
    functions=(C("Prelu"),),
    graph=("PRelu(x=self, weight) -> y",),
)


def fault_of_weight_gradient(call):
    """The message about a grad_weight that has neither one dimension nor the shape of a single weight, or None."""
    weight, meta = call.inputs["weight"], call.tensors.get("grad_weight")
    expected = weight.shape if weight.size == 1 else (weight.size,)
    if meta is None or meta.shape == expected:
        return None
    return f"grad_weight has shape {meta.shape}; it must be {expected}; allocate grad_weight with that shape"


ONE_DIMENSION = Rule(
    "grad_weight has one dimension, or the shape of a single weight",
    fault_of_weight_gradient,
    about=("grad_weight",),
)

RANKS_AND_WEIGHTS = (
    rank("self", "weight", "grad_output", "grad_self", "grad_weight"),
    same_shape("grad_self", to="self"),
    along("weight", to="self"),
)

Law(
    prelu_backward,
    checks=(
        supported("self"),
        promoted("self", "weight", "grad_output"),
        *RANKS_AND_WEIGHTS,
        same_shape("grad_weight", to="weight"),
        broadcasts_to("grad_output", to="self"),
    ),
    functions=(
        C(
            "PreluBackward",
            parameters=("gradOutput", "self", "weight", "gradInput", "gradWeight"),
            checks=(
                supported("self"),
                equal("grad_output", "weight", "grad_self", "grad_weight", to="self"),
                *RANKS_AND_WEIGHTS,
                (ONE_DIMENSION,),
                broadcasts_to("grad_output", to="self"),
            ),
        ),
    ),
    graph=("PReluGrad(grads=grad_output, features=self, weights=weight) -> (dx, da)",),
    differences_file="prelu.md",
)

Law(
    p_relu_grad_reduce,
    checks=(
        supported("updates"),
        equal("weights", to="updates"),
        convertible("da"),
        rank("updates", "weights"),
        along("weights", to="updates"),
        same_shape("da", to="weights"),
    ),
    graph=("PReluGradReduce(grads=_, features=_, weights, updates) -> da",),
    differences_file="prelu.md",
)
