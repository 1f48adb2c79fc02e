"""CANN's law of log_softmax."""

from ...checks.dtype_rules import convertible, equal
from ...checks.halves_rules import dim_in_range
from ...checks.shape_rules import result_shape, same_shape
from ...ops.log_softmax import log_softmax, log_softmax_backward, softmax_cross_entropy_with_logits
from ..rules.law import C, Law, Parameter
from ..rules.rule import Origin, limited, rank, supported, unless_empty

Law(
    log_softmax,
    dtypes="float32 float16 float64 bfloat16",
    checks=(
        dim_in_range("self"),
        supported("self", "out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    functions=(C("LogSoftmax", header="aclnn_logsoftmax.h"),),
    graph=("LogSoftmaxV2(logits=self, axes=dim:-1) -> logsoftmax",),
    differences_file="log_softmax.md",
)

Law(
    log_softmax_backward,
    checks=(
        unless_empty(
            ("grad_output", "output"),
            supported("output", "grad_output"),
            equal("output", to="grad_output"),
            rank("grad_output", "output"),
            same_shape("output", "grad_input", to="grad_output"),
            dim_in_range("grad_output"),
            limited(convertible("grad_input"), origin=Origin.ACTGRAD),
            tested_on="Ascend950",
        ),
    ),
    functions=(
        C(
            "LogSoftmaxBackward",
            parameters=("gradOutput", "output", "dim", "out"),
            header="aclnn_logsoftmax_backward.h",
            null_order="output grad_output grad_input dim",
        ),
    ),
    graph=("LogSoftmaxGrad(grad=grad_output, x=output, axis=dim:-1) -> y",),
)

Law(
    softmax_cross_entropy_with_logits,
    checks=(
        supported("features", "labels", "loss", "backprop"),
        equal("loss", "backprop", to="features"),
        rank("features", "labels"),
        rank("features", "labels", minimum=2, maximum=2),
        same_shape("labels", to="features"),
        result_shape("loss", "backprop", or_in_a_row=True),
    ),
    functions=(
        C(
            "SoftmaxCrossEntropyWithLogits",
            parameters=("features", Parameter("labels", is_const=False), "loss", "backprop"),
        ),
    ),
    graph=("SoftmaxCrossEntropyWithLogits(features, labels) -> (loss, backprop)",),
    differences_file="log_softmax.md",
)
