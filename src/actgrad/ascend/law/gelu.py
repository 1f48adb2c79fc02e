"""CANN's law of gelu."""

from ...checks.dtype_rules import convertible, equal, promoted, result_dtype_of
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.gelu import gelu, gelu_backward
from ..rules.law import C, Law, Parameter
from ..rules.rule import Origin, limited, only_documents, public_format, rank, supported

#: Checks of the C functions. In Python, an output may have any dtype to which a float converts.
LIMITS = (rank("self"), same_shape("out", to="self"))

GRADIENT = (broadcastable("self", to="grad_output"), result_shape("grad_input"))

Law(
    gelu,
    functions=(
        C(
            "Gelu",
            fixed={"approximate": "tanh"},
            in_place=None,
            checks=(supported("self"), equal("out", to="self"), public_format("self", "out"), *LIMITS),
        ),
        C(
            "GeluV2",
            parameters=("x", Parameter("approximate", other_numbers_mean_first=True), "y"),
            in_place=None,
            checks=(equal("out", to="self"), supported("self"), *LIMITS),
        ),
    ),
    graph=("GeluV2(x=self, approximate=approximate:none) -> y", "Gelu(x=self; approximate=tanh) -> y"),
    differences_file="gelu.md",
)

Law(
    gelu_backward,
    functions=(
        C(
            "GeluBackward",
            parameters=("gradOutput", "self", Parameter("gradInput", is_const=True)),
            fixed={"approximate": "tanh"},
            checks=(
                promoted("grad_output", "self"),
                limited(convertible("grad_input"), origin=Origin.ACTGRAD),
                rank("grad_output", "self"),
                *GRADIENT,
            ),
        ),
        C(
            "GeluBackwardV2",
            parameters=("gradOutput", "self", Parameter("approximate", "text"), "gradInput"),
            checks=(
                promoted("grad_output", "self"),
                result_dtype_of("grad_input"),
                *GRADIENT,
                only_documents(rank("grad_output", "self")),
            ),
        ),
    ),
    graph=(
        "GeluGradV2(dy=grad_output, x=self, approximate=approximate:none) -> z",
        "GeluGrad(dy=grad_output, x=self, y=_; approximate=tanh) -> z",
    ),
    differences_file="gelu.md",
)
