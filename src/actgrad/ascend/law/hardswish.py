"""CANN's law of hardswish."""

from ...checks.dtype_rules import convertible, equal, number_for_integers
from ...checks.shape_rules import same_shape
from ...ops.hardswish import hardsigmoid, hardsigmoid_backward, hardswish, hardswish_backward
from ..rules.law import C, InPlace, Law, Parameter
from ..rules.rule import Origin, limited, only_documents, rank, same_format, supported

FIXED = {"alpha": 1.0 / 6.0, "beta": 0.5}  # the values in the C functions

#: The checks of the gradient of hardswish.
BACKWARD = (
    supported("self", "grad_output"),
    equal("grad_output", to="self"),
    equal("grad_input", to="self"),
    rank("grad_output", "self"),
    same_shape("self", "grad_input", to="grad_output"),
)

Law(
    hardsigmoid,
    dtypes="float32 float16 int32 bfloat16",
    checks=(
        supported("self"),
        rank("self"),
        same_shape("out", to="self"),
        equal("out", to="self"),
        same_format("out", to="self"),
        limited(number_for_integers("alpha", "beta"), origin=Origin.ACTGRAD),
    ),
    functions=(C("Hardsigmoid", fixed=FIXED, in_place=InPlace("self", is_const=True)),),
    graph=("HardSigmoid(input_x=self, alpha=0.16666666, beta=0.5) -> output_y",),
)

Law(
    hardsigmoid_backward,
    checks=(
        supported("grad_output", "self"),
        convertible("grad_input"),
        rank("grad_output", "self", "grad_input"),
        same_shape("self", "grad_input", to="grad_output"),
    ),
    functions=(C("HardsigmoidBackward", parameters=("gradOutput", "self", "out"), fixed=FIXED),),
    graph=("HardSigmoidGrad(grads=grad_output, input_x=self, alpha=0.16666666, beta=0.5) -> y",),
)

Law(
    hardswish,
    checks=(supported("self", "out"), convertible("out"), same_shape("out", to="self"), only_documents(rank("self"))),
    functions=(
        C("Hardswish", parameters=("self", Parameter("out", is_const=True)), in_place=InPlace("self", is_const=True)),
    ),
    graph=("HardSwish(x=self) -> y",),
    differences_file="hardswish.md",
)

Law(
    hardswish_backward,
    checks=BACKWARD,
    functions=(
        C("HardswishBackward", parameters=("gradOutput", "self", "out"), fixed={"closed": True}),
        C(
            "HardswishBackwardV2",
            parameters=("gradOutput", "self", "out"),
            fixed={"closed": False},
            checks=(*BACKWARD, only_documents(rank("grad_output", minimum=1))),
        ),
    ),
    graph=(
        "HardSwishGrad(grad_output, self; closed=True) -> grad_input",
        "HardSwishGradV2(gradOutput=grad_output, self; closed=False) -> out",
    ),
    differences_file="hardswish.md",
)
