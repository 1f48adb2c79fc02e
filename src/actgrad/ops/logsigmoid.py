"""The logarithm of the logistic function, for losses of two classes."""

from ..base.definition import C, Torch
from ..base.xp import abs, exp, log1p, minimum, sigmoid
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.shape_rules import rank, same_shape
from ..contract.stages import document

HEADER = "aclnn_logsigmoid.h"
DIFFERENCES = (
    "Number of dimensions: the documents allow 1 to 8, and the source has no limit. actgrad has the limit "
    "only under the documents' rules.",
)


def logsigmoid_formula(x):
    """log(1 / (1 + exp(-x)))"""
    return minimum(x, 0.0) - log1p(exp(-abs(x)))


def logsigmoid_derivative(x):
    """1 / (1 + exp(x))"""
    return sigmoid(-x)


logsigmoid = Operator(
    "logsigmoid(Tensor self) -> Tensor out",
    summary="-log(1 + exp(-x))",
    paper="PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html",
    formula=logsigmoid_formula,
    checks=(
        supported("self", "out"),
        equal("out", to="self"),
        document(rank("self", minimum=1)),
        same_shape("out", to="self"),
    ),
    differences=(
        *DIFFERENCES,
        "buffer of aclnnLogSigmoidForward: no kernel of CANN writes to it. actgrad does not either.",
    ),
    torch=Torch("logsigmoid", module="LogSigmoid"),
    aclnn=(
        C("LogSigmoid", header=HEADER, in_place=False),
        C(
            "LogSigmoidForward",
            parameters="self out buffer",
            unread="buffer?",
            unusual_const="buffer",
            header=HEADER,
            in_place=False,
        ),
    ),
    ir="LogSigmoid(x=self) -> y",
)

logsigmoid_backward = Operator(
    "logsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output * sigmoid(-self)",
    formula=logsigmoid_derivative,
    gradient_of=logsigmoid,
    checks=(
        supported("grad_output", "self"),
        equal("grad_input", "self", to="grad_output"),
        document(rank("self", minimum=1)),
        same_shape("grad_input", "self", to="grad_output"),
    ),
    differences=(*DIFFERENCES, "buffer: CANN requires it and does not read it. actgrad does the same."),
    aclnn=C(
        "LogSigmoidBackward",
        parameters="gradOutput self buffer gradInput",
        unread="buffer",
        header="aclnn_logsigmoid_backward.h",
    ),
    ir="LogSigmoidGrad(grads=grad_output, features=self) -> backprops",
)
