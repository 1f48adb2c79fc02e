"""CANN's law of glu."""

from ...checks.dtype_rules import convertible, equal
from ...checks.halves_rules import dim_in_range, even, half
from ...checks.shape_rules import same_shape
from ...ops.glu import glu, glu_backward
from ..rules.law import C, Law, Parameter
from ..rules.rule import rank, supported

Law(
    glu,
    dtypes="float32 float16 float64 bfloat16",
    checks=(
        supported("self", "out"),
        convertible("out"),
        rank("self", "out"),
        rank("self", minimum=1),
        dim_in_range("self"),
        even("self"),
        half("out", of="self"),
    ),
    functions=(C("Glu", parameters=("self", "dim", Parameter("out", is_const=True))),),
    graph=("GLU(x=self, dim=-1) -> y",),
    differences_file="glu.md",
)

Law(
    glu_backward,
    dtypes="float32 float16 float64 bfloat16",
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
    functions=(
        C(
            "GluBackward",
            parameters=("gradOut", "self", "dim", Parameter("out", is_const=True)),
            null_order="self grad_output grad_input dim",
        ),
    ),
    graph=("GLUGrad(y_grad=grad_output, x=self, dim=-1) -> x_grad",),
    differences_file="glu.md",
)
