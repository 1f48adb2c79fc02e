"""GLU, the gated linear unit."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..base.xp import sigmoid
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, equal, supported
from ..contract.halves_rules import dim_in_range, even, half
from ..contract.shape_rules import rank, same_shape

FLOATS = "float32 float16 float64 bfloat16"


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
    reads=Halves(("self",), active="upper"),
    multiplies="other",
    dtypes=FLOATS,
    checks=(
        supported("self", "out"),
        convertible("out"),
        rank("self", "out"),
        rank("self", minimum=1),
        dim_in_range("self"),
        even("self"),
        half("out", of="self"),
    ),
    differences=(
        "Ascend310P and Ascend910: the documents and the source have the operator, and the README does not. "
        "actgrad has it.",
    ),
    torch=Torch("glu(dim)", module="GLU"),
    aclnn=C("Glu", unusual_const="out"),
    ir="GLU(x=self, dim=-1) -> y",
)

glu_backward = Operator(
    "glu_backward(Tensor grad_output, Tensor self, int dim=-1) -> Tensor grad_input",
    summary="grad_lower = grad_output * s and grad_upper = grad_output * lower * s * (1 - s), where s = "
    "sigmoid(upper) and lower and upper are the halves of self along dim; grad_input packs grad_lower and grad_upper "
    "as self packs its halves",
    formula=glu_gate_derivative,
    gradient_of=glu,
    layout_of=None,
    dtypes=FLOATS,
    checks=(
        supported("self"),
        equal("grad_output", "grad_input", to="self"),
        rank("self", "grad_input", "grad_output"),
        rank("self", minimum=1),
        dim_in_range("self"),
        even("self"),
        half("grad_output", of="self"),
        same_shape("grad_input", to="self"),
    ),
    differences=(
        "BFLOAT16 on products other than Ascend950: several operators in a row round four times. actgrad rounds once.",
    ),
    aclnn=C(
        "GluBackward",
        parameters="gradOut self dim out",
        unusual_const="out",
        null_order="self grad_output grad_input dim",
    ),
    ir="GLUGrad(y_grad=grad_output, x=self, dim=-1) -> x_grad",
)
