"""CANN's law of softmax."""

from ...checks.dtype_rules import convertible, equal, promoted
from ...checks.halves_rules import dim_in_range
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.softmax import confusion_softmax_grad, softmax, softmax_backward, softmax_grad_ext
from ..rules.law import C, Law
from ..rules.rule import Origin, limited, rank, supported, unless_empty

Law(
    softmax,
    dtypes="float32 float16 float64 bfloat16",
    checks=(
        unless_empty(
            ("self",),
            supported("self", "out"),
            dim_in_range("self"),
            rank("self"),
            same_shape("out", to="self"),
        ),
    ),
    functions=(C("Softmax"),),
    graph=("SoftmaxV2(x=self, axes=dim:-1, half_to_float=_:False) -> y",),
    differences_file="softmax.md",
)

Law(
    softmax_backward,
    checks=(
        unless_empty(
            ("grad_output", "output"),
            supported("grad_output", "output"),
            equal("output", to="grad_output"),
            dim_in_range("grad_output"),
            rank("grad_output", "output"),
            same_shape("output", "grad_input", to="grad_output"),
            limited(convertible("grad_input"), origin=Origin.ACTGRAD),
            tested_on="Ascend950",
        ),
    ),
    functions=(C("SoftmaxBackward", parameters=("gradOutput", "output", "dim", "out")),),
    graph=("SoftmaxGrad(softmax=output, grad_softmax=grad_output, axes=dim:-1) -> grad_x",),
)

Law(
    confusion_softmax_grad,
    checks=(
        supported("grad", "x"),
        promoted("grad", "x"),
        broadcastable("x", to="grad"),
        result_shape("out"),
        convertible("out"),
    ),
    graph=("ConfusionSoftmaxGrad(grad, x) -> y",),
)

Law(
    softmax_grad_ext,
    checks=(
        supported("grad", "x1", "x2"),
        promoted("grad", "x1", "x2"),
        same_shape("x1", to="grad"),
        broadcastable("x2", to="grad"),
        dim_in_range("grad"),
        result_shape("out"),
        convertible("out"),
    ),
    graph=("SoftmaxGradExt(grad, x1, x2, axes=dim:1, keep_dims=_:True) -> y",),
)
