"""CANN's law of fast_gelu."""

from ...checks.dtype_rules import equal
from ...checks.shape_rules import same_shape
from ...ops.fast_gelu import fast_gelu, fast_gelu_backward, fast_gelu_v2
from ..rules.law import C, Law
from ..rules.rule import rank, same_format, supported

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B"

Law(
    fast_gelu,
    checks=(
        equal("out", to="self"),
        supported("self", products=PRODUCTS),
        same_shape("out", to="self"),
        rank("self"),
        same_format("out", to="self"),
    ),
    functions=(C("FastGelu", in_place=None),),
    graph=("FastGelu(x=self) -> y",),
    differences_file="fast_gelu.md",
)

Law(
    fast_gelu_backward,
    checks=(
        equal("self", "grad_input", to="grad_output"),
        supported("self", products=PRODUCTS),
        same_shape("self", "grad_input", to="grad_output"),
        rank("self"),
        same_format("grad_input", "grad_output", to="self"),
    ),
    functions=(C("FastGeluBackward"),),
    graph=("FastGeluGrad(dy=grad_output, x=self) -> z",),
    differences_file="fast_gelu.md",
)

Law(
    fast_gelu_v2,
    graph=("FastGeluV2(x=self) -> y",),
    differences_file="fast_gelu.md",
)
