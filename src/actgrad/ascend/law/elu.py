"""CANN's law of elu."""

from ...checks.dtype_rules import convertible, equal, real
from ...checks.shape_rules import same_shape
from ...ops.elu import elu, elu_backward
from ..rules.law import C, Law
from ..rules.rule import only_documents, rank, supported

Law(
    elu,
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    dtypes="float32 float16 float64 bfloat16",
    bfloat16_everywhere=True,
    checks=(
        supported("self"),
        real("scale", "alpha", "input_scale"),
        only_documents(supported("out")),
        convertible("out"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    functions=(C("Elu"),),
    graph=("Elu(x=self, alpha=1.0, scale=1.0, input_scale=1.0) -> y",),
    differences_file="elu.md",
)

Law(
    elu_backward,
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    checks=(
        equal("self_or_result", to="grad_output"),
        supported("grad_output"),
        real("alpha", "scale", "input_scale"),
        only_documents(supported("grad_input")),
        convertible("grad_input"),
        same_shape("self_or_result", "grad_input", to="grad_output"),
        rank("grad_output"),
    ),
    functions=(C("EluBackward"),),
    graph=(
        "EluGradV2(grads=grad_output, activations=self_or_result, "
        "alpha=1.0, scale=1.0, input_scale=1.0, is_result=False) -> y",
        "EluGrad(grads=grad_output, activations=self_or_result; "
        "alpha=1.0, scale=1.0, input_scale=1.0, is_result=True, broadcast) -> y",
    ),
    differences_file="elu.md",
)
