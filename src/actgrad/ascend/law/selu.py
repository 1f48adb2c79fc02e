"""CANN's law of selu."""

from ...checks.dtype_rules import convertible, equal
from ...checks.shape_rules import same_shape
from ...ops.elu import elu_derivative_from_result
from ...ops.selu import ALPHA, SCALE, selu, selu_backward, selu_backward_from_input, selu_derivative_950
from ..rules.law import C, Law
from ..rules.rule import Origin, limited, nd_format, nonempty, only_documents, rank, supported


def selu_derivative_from_result_950(y):
    """SCALE if y > 0 else y + SCALE * ALPHA, for y = selu(x), on Ascend950"""
    return elu_derivative_from_result(y, ALPHA, SCALE, 1.0)


Law(
    selu,
    products="Ascend950 Ascend910_93 Ascend910B Ascend910",
    dtypes="float32 float16 int32 int8 bfloat16",
    checks=(
        supported("self", "out"),
        only_documents(equal("out", to="self")),
        limited(convertible("out"), origin=Origin.ACTGRAD),  # CANN also casts a float result to integers
        only_documents(nd_format("self", "out")),
        only_documents(rank("self", minimum=1)),
        same_shape("out", to="self"),
    ),
    functions=(C("Selu"),),
    graph=("Selu(x=self) -> y",),
    differences_file="selu.md",
)

Law(
    selu_backward,
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    dtypes="float32 float16 int32 int8 bfloat16",
    checks=(
        equal("result", "grad_input", to="grad_output"),
        supported("grad_output"),
        only_documents(nd_format("grad_output", "result", "grad_input")),
        only_documents(rank("grad_output", minimum=1)),
        same_shape("result", "grad_input", to="grad_output"),
        only_documents(nonempty("result")),
    ),
    formulas={"Ascend950": selu_derivative_from_result_950},
    functions=(C("SeluBackward"),),
    graph=("SeluGrad(gradients=grad_output, outputs=result) -> y",),
    differences_file="selu.md",
)

Law(
    selu_backward_from_input,
    dtypes="float32 float16 int32 int8 bfloat16",
    formulas={"Ascend950": selu_derivative_950},
)
