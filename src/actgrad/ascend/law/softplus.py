"""CANN's law of softplus."""

from ...checks.dtype_rules import convertible, real
from ...checks.shape_rules import same_shape
from ...ops.softplus import bnll, softplus, softplus_backward
from ..rules.law import C, Law
from ..rules.rule import rank, scalar_converts, supported

FLOATS = "float32 float16 float64 bfloat16"

Law(
    softplus,
    checks=(
        supported("self"),
        scalar_converts("beta"),
        scalar_converts("threshold"),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    functions=(C("Softplus", in_place=None),),
    graph=("SoftplusV2(x=self, beta=1.0, threshold=20.0) -> y", "Softplus(x=self; beta=1.0, threshold=inf) -> y"),
    differences_file="softplus.md",
)

Law(
    bnll,
    dtypes="float32 float16 float64",
    graph=("BNLL(x=self) -> y",),
    differences_file="softplus.md",
)

Law(
    softplus_backward,
    dtypes="float32 float16 float64 bfloat16 int8 int16 int32 int64 uint8 bool",
    checks=(
        supported("grad_output", dtypes=FLOATS),
        supported("self"),
        supported("grad_input", dtypes=FLOATS),
        real("beta", "threshold"),
        convertible("grad_input"),
        rank("grad_output", "self", "grad_input"),
        same_shape("self", to="grad_output"),
        same_shape("grad_input", to="grad_output"),
    ),
    functions=(C("SoftplusBackward"),),
    graph=(
        "SoftplusV2Grad(input_gradients=grad_output, input_features=self, beta=1.0, threshold=20.0) "
        "-> output_backprops",
        "SoftplusGrad(gradients=grad_output, features=self; beta=1.0, threshold=inf, broadcast) -> backprops",
    ),
    differences_file="softplus.md",
)
