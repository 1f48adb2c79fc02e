"""SiLU and Swish: x times a logistic function."""

from ..base.definition import C, Torch
from ..base.errors import InvalidDtype
from ..base.xp import abs, maximum, minimum, sigmoid, sigmoid_times, where
from ..calls.operator import Operator
from ..contract import Check, Origin, When
from ..contract.dtype_rules import convertible, equal, on_chip, real, supported
from ..contract.shape_rules import broadcastable, rank, result_shape, same_shape
from ..contract.stages import document, off

X_LIMIT = 1000.0  # the result is 0 for x < -X_LIMIT in every dtype. The limit avoids infinity * 0
LARGE = 2.0**60
QUICK = 1.702  # the factor in GELU's approximation x * sigmoid(1.702 * x)


def silu_formula(x):
    """x * sigmoid(x)"""
    return sigmoid_times(x, maximum(x, -X_LIMIT))


def silu_derivative(x):
    """s * (1 + x * (1 - s)), s = sigmoid(x)"""
    # sigmoid(-x) is 1 - s without the rounding error of the subtraction.
    return sigmoid_times(x, 1.0 + minimum(maximum(x, -X_LIMIT), X_LIMIT) * sigmoid(-x))


def swish_formula(x, beta):
    """x * sigmoid(beta * x)"""
    z = scaled(x, beta)
    # sigmoid_times takes a factor of at most LARGE where sigmoid(z) is not 1. A power of two as a factor is exact.
    # In float32, sigmoid(z) is at least 2**-188, so results of z < -129 and a larger x are below 2**-60, but no more.
    rest = where(abs(x) > LARGE, where(z < -X_LIMIT, 1.0, x / LARGE), 1.0)
    factor = where(z < -X_LIMIT, 0.0 * maximum(minimum(x, 1.0), -1.0), where(rest == 1.0, x, LARGE))
    return sigmoid_times(z, factor) * rest


def swish_derivative(x, beta):
    """s * (1 + beta * x * (1 - s)), s = sigmoid(beta * x)"""
    return silu_derivative(scaled(x, beta))


def scaled(x, beta):
    """beta * x, or 0 if beta is 0 and x is infinite"""
    z = beta * x
    return where(z == z, z, beta * maximum(minimum(x, 1.0), -1.0))


def fault_of_mixture(call):
    """A message about dtypes that differ, or None. Only Ascend950 allows different dtypes, if grad_input is FLOAT."""
    dtypes = {name: meta.dtype.name for name, meta in (*call.inputs.items(), *call.outputs.items())}
    if len(set(dtypes.values())) == 1:
        return None
    if call.product.name == "Ascend950" and dtypes["grad_input"] == "float32":
        if dtypes["grad_output"] != dtypes["self"]:
            return None
        return f"grad_input is float32; it must be {dtypes['self']}, the dtype of the inputs; convert grad_input"
    words = ", ".join(f"{name} is {dtype}" for name, dtype in dtypes.items())
    return f"{words}; their dtypes must be equal; convert them to one dtype"


EQUAL_DTYPES = Check(
    "the dtypes are equal; on Ascend950 the inputs' may differ, with a FLOAT grad_input",
    fault_of_mixture, InvalidDtype, When.PRODUCT, Origin.OPERATOR, ("grad_output", "self", "grad_input"),
)  # fmt: skip

silu = Operator(
    "silu(Tensor self) -> Tensor out",
    summary="x * sigmoid(x)",
    paper="Elfwing et al. 2017, https://arxiv.org/abs/1702.03118",
    formula=silu_formula,
    checks=(
        supported("self", "out", everywhere=True),
        equal("out", to="self"),
        on_chip("self"),
        same_shape("out", to="self"),
    ),
    torch=Torch("silu(inplace)", module="SiLU"),
    aclnn=C("Silu", in_place=False),
)

silu_backward = Operator(
    "silu_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output * s * (1 + self * (1 - s)), where s = sigmoid(self)",
    formula=silu_derivative,
    gradient_of=silu,
    broadcasts=True,
    checks=(
        supported("grad_output", "self", "grad_input", everywhere=True),
        (EQUAL_DTYPES,),
        on_chip("grad_output"),
        document(equal("self", "grad_input", to="grad_output")),
        convertible("grad_input"),
        rank("grad_output", "self"),
        document(rank("grad_output", "self", minimum=1)),
        off("Ascend950", same_shape("self", "grad_input", to="grad_output")),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
    ),
    differences=(
        "Unequal dtypes and shapes: Ascend950 takes them, and so does actgrad. Under the documents' rules the dtypes "
        "must be equal.",
    ),
    aclnn="SiluBackward",
    ir="SiluGrad(dy=grad_output, x=self) -> dx",
)

swish = Operator(
    "swish(Tensor self, Scalar beta=1) -> Tensor out",
    summary="x * sigmoid(beta * x)",
    paper="Ramachandran et al. 2017, https://arxiv.org/abs/1710.05941",
    formula=swish_formula,
    checks=(
        supported("self", "out", everywhere=True),
        equal("out", to="self"),
        on_chip("self"),
        real("beta"),
        rank("self", "out"),
        same_shape("out", to="self"),
    ),
    torch=Torch("swish(beta)", module="Swish"),
    aclnn=C("Swish", parameters="self betaOptional out", optional="beta", in_place=False),
    ir="Swish(x=self, scale=beta:1.0) -> y",
)

swish_backward = Operator(
    "swish_backward(Tensor grad_output, Tensor self, Scalar beta) -> Tensor grad_input",
    summary="grad_output * s * (1 + beta * self * (1 - s)), where s = sigmoid(beta * self)",
    formula=swish_derivative,
    gradient_of=swish,
    checks=(
        supported("grad_output", "self", everywhere=True),
        real("beta"),
        equal("grad_input", "self", to="grad_output"),
        on_chip("grad_output"),
        rank("grad_output", "self", "grad_input"),
        same_shape("self", "grad_input", to="grad_output"),
    ),
    aclnn=C("SwishBackward", parameters="gradOutput self betaOptional gradInput", optional="beta"),
    ir="SwishGrad(grad=grad_output, x=self, y=_, scale=beta:1.0) -> grad_x",
)
