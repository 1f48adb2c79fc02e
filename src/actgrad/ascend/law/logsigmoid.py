"""CANN's law of logsigmoid."""

from ...checks.dtype_rules import equal
from ...checks.shape_rules import same_shape
from ...ops.logsigmoid import logsigmoid, logsigmoid_backward
from ..rules.law import C, Law, Parameter
from ..rules.rule import only_documents, rank, supported

HEADER = "aclnn_logsigmoid.h"

Law(
    logsigmoid,
    checks=(
        supported("self", "out"),
        equal("out", to="self"),
        only_documents(rank("self", minimum=1)),
        same_shape("out", to="self"),
    ),
    functions=(
        C("LogSigmoid", header=HEADER, in_place=None),
        C(
            "LogSigmoidForward",
            parameters=(
                "self",
                "out",
                Parameter("buffer", "Tensor", is_ignored=True, may_be_null=True, is_const=False),
            ),
            header=HEADER,
            in_place=None,
        ),
    ),
    graph=("LogSigmoid(x=self) -> y",),
    differences_file="logsigmoid.md",
)

Law(
    logsigmoid_backward,
    checks=(
        supported("grad_output", "self"),
        equal("grad_input", "self", to="grad_output"),
        only_documents(rank("self", minimum=1)),
        same_shape("grad_input", "self", to="grad_output"),
    ),
    functions=(
        C(
            "LogSigmoidBackward",
            parameters=("gradOutput", "self", Parameter("buffer", "Tensor", is_ignored=True), "gradInput"),
            header="aclnn_logsigmoid_backward.h",
        ),
    ),
    graph=("LogSigmoidGrad(grads=grad_output, features=self) -> backprops",),
    differences_file="logsigmoid.md",
)
