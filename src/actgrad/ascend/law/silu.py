"""CANN's law of silu."""

from ...base.errors import InvalidDtype
from ...checks.dtype_rules import convertible, equal, real
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.silu import silu, silu_backward, swish, swish_backward
from ..rules.law import C, Law, Parameter
from ..rules.rule import Origin, Rule, When, except_on, on_chip, only_documents, product_of, rank, supported


def fault_of_mixture(call):
    """A message about dtypes that differ, or None. Only Ascend950 allows different dtypes, if grad_input is FLOAT."""
    dtypes = {name: meta.dtype.name for name, meta in (*call.inputs.items(), *call.outputs.items())}
    if len(set(dtypes.values())) == 1:
        return None
    if str(product_of(call)) == "Ascend950" and dtypes["grad_input"] == "float32":
        if dtypes["grad_output"] != dtypes["self"]:
            return None
        return f"grad_input is float32; it must be {dtypes['self']}, the dtype of the inputs; convert grad_input"
    words = ", ".join(f"{name} is {dtype}" for name, dtype in dtypes.items())
    return f"{words}; their dtypes must be equal; convert them to one dtype"


EQUAL_DTYPES = Rule(
    "the dtypes are equal; on Ascend950 the inputs' may differ, with a FLOAT grad_input",
    fault_of_mixture,
    InvalidDtype,
    when=When.PRODUCT,
    origin=Origin.OPERATOR,
    about=("grad_output", "self", "grad_input"),
)

Law(
    silu,
    checks=(
        supported("self", "out", everywhere=True),
        equal("out", to="self"),
        on_chip("self"),
        same_shape("out", to="self"),
    ),
    functions=(C("Silu", in_place=None),),
)

Law(
    silu_backward,
    checks=(
        supported("grad_output", "self", "grad_input", everywhere=True),
        (EQUAL_DTYPES,),
        on_chip("grad_output"),
        only_documents(equal("self", "grad_input", to="grad_output")),
        convertible("grad_input"),
        rank("grad_output", "self"),
        only_documents(rank("grad_output", "self", minimum=1)),
        except_on("Ascend950", same_shape("self", "grad_input", to="grad_output")),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
    ),
    functions=(C("SiluBackward"),),
    graph=("SiluGrad(dy=grad_output, x=self) -> dx",),
    differences_file="silu.md",
)

Law(
    swish,
    checks=(
        supported("self", "out", everywhere=True),
        equal("out", to="self"),
        on_chip("self"),
        real("beta"),
        rank("self", "out"),
        same_shape("out", to="self"),
    ),
    functions=(
        C("Swish", parameters=("self", Parameter("betaOptional", null_means_default=True), "out"), in_place=None),
    ),
    graph=("Swish(x=self, scale=beta:1.0) -> y",),
)

Law(
    swish_backward,
    checks=(
        supported("grad_output", "self", everywhere=True),
        real("beta"),
        equal("grad_input", "self", to="grad_output"),
        on_chip("grad_output"),
        rank("grad_output", "self", "grad_input"),
        same_shape("self", "grad_input", to="grad_output"),
    ),
    functions=(
        C(
            "SwishBackward",
            parameters=("gradOutput", "self", Parameter("betaOptional", null_means_default=True), "gradInput"),
        ),
    ),
    graph=("SwishGrad(grad=grad_output, x=self, y=_, scale=beta:1.0) -> grad_x",),
)
