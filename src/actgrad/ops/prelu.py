"""PReLU, leaky ReLU with a slope for each channel (He et al. 2015, https://arxiv.org/abs/1502.01852)."""

from ..base.access import Along
from ..base.definition import Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, promoted, supported
from ..contract.shape_rules import along, rank, same_shape


def prelu_formula(x, weight):
    """x if x > 0 else weight * x"""
    return where(x > 0, x, weight * x)


prelu = Operator(
    "prelu(Tensor self, Tensor weight) -> Tensor out",
    summary="x where x > 0, else the weight of its channel times x.",
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
    differences=("The shape of weight: the source takes any of as many elements as channels. Here: one dimension.",),
    torch=Torch("prelu(input, weight)"),
    aclnn="Prelu",
    ir="PRelu(x=self, weight) -> y",
)
