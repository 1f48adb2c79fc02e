"""CANN's law of mish."""

from ...checks.dtype_rules import convertible, equal
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.mish import mish, mish_backward
from ..rules.law import C, Law
from ..rules.rule import nonempty, only_documents, rank, supported

Law(
    mish,
    checks=(supported("self", "out"), equal("out", to="self"), rank("self", "out"), same_shape("out", to="self")),
    functions=(C("Mish"),),
    graph=("Mish(x=self) -> y",),
)

Law(
    mish_backward,
    checks=(
        convertible("grad_input", source="self"),
        supported("grad_output", "self", "grad_input"),
        only_documents(nonempty("grad_output", "self")),
        rank("grad_output", "self", "grad_input"),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
    ),
    functions=(C("MishBackward"),),
    graph=("MishGrad(grad=grad_output, x=self, tanhx=_?) -> x_grad",),
    differences_file="mish.md",
)
