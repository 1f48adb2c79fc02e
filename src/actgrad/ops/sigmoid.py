"""The logistic function and the hyperbolic tangent."""

from ..base.definition import C, Torch
from ..base.xp import conjugate
from ..base.xp import sigmoid as logistic
from ..base.xp import tanh as hyperbolic_tangent
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, on_chip, promoted, supported
from ..contract.shape_rules import broadcastable, rank, result_shape, same_shape
from ..contract.stages import document

FLOATS = "float32 float16 float64 complex64 complex128 bfloat16"
NUMBERS = f"{FLOATS} int8 int16 int32 int64 uint8 bool"
#: The checks of sigmoid and tanh, and of their gradients.
FORWARD = (
    supported("self", everywhere=True),
    supported("out", dtypes=FLOATS, everywhere=True),
    on_chip("self"),
    same_shape("out", to="self"),
    rank("self"),
)
BACKWARD = (
    supported("grad_output", "output", "grad_input", everywhere=True),
    on_chip("grad_output"),
    rank("grad_output", "output"),
    promoted("grad_output", "output"),
    convertible("grad_input"),
    broadcastable("output", to="grad_output"),
    result_shape("grad_input"),
)
DIFFERENCES = (
    "Integers, float64 and complex numbers: the source lists them for both functions, and the documents only for the "
    "in-place function. actgrad follows the source. The reference backend computes complex numbers.",
)


def sigmoid_formula(x):
    """1 / (1 + exp(-x))"""
    return logistic(x)


def sigmoid_derivative_from_result(y):
    """y * (1 - y), for y = sigmoid(x); for complex numbers, the conjugate"""
    return conjugate((1.0 - y) * y)


def sigmoid_derivative_not_conjugated(y):
    """y * (1 - y), for y = sigmoid(x)"""
    return (1.0 - y) * y


def tanh_formula(x):
    """tanh(x)"""
    return hyperbolic_tangent(x)


def tanh_derivative_from_result(y):
    """1 - y**2 = (1 - y) * (1 + y), for y = tanh(x); for complex numbers, the conjugate"""
    return conjugate((1.0 - y) * (1.0 + y))


sigmoid = Operator(
    "sigmoid(Tensor self) -> Tensor out",
    summary="1 / (1 + exp(-x))\n\nIntegers give float32.",
    paper="LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf",
    formula=sigmoid_formula,
    dtypes=NUMBERS,
    integer_result="float32",
    checks=FORWARD,
    differences=DIFFERENCES,
    torch=Torch("sigmoid(inplace, *, save)", module="Sigmoid"),
    aclnn=C(
        "Sigmoid",
        in_place_checks=(supported("self", dtypes=FLOATS),),
        out_checks=(document(supported("self", "out", dtypes="float32 float16 bfloat16", everywhere=True)),),
    ),
    ir="Sigmoid(x=self) -> y",
)

sigmoid_backward = Operator(
    "sigmoid_backward(Tensor grad_output, Tensor output, bool complex_conj=True) -> Tensor grad_input",
    summary="grad_output * output * (1 - output); output = sigmoid(x)\n\n"
    "For complex numbers, complex_conj=True takes the conjugate of output * (1 - output).",
    formula={True: sigmoid_derivative_from_result, False: sigmoid_derivative_not_conjugated},
    switch="complex_conj",
    gradient_of=sigmoid,
    reads_result="output",
    broadcasts=True,
    dtypes=FLOATS,
    checks=(*BACKWARD, document(rank("grad_output", "output", minimum=1))),
    aclnn=C("SigmoidBackward", {"complex_conj": True}),
    ir="SigmoidGrad(y=output, dy=grad_output, complex_conj=False) -> z",
)

tanh = Operator(
    "tanh(Tensor self) -> Tensor out",
    summary="tanh(x)\n\nIntegers give float32.",
    paper="LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf",
    formula=tanh_formula,
    dtypes=NUMBERS,
    integer_result="float32",
    checks=FORWARD,
    has_document=False,
    differences=("Checks: the operator is in another repository of CANN. actgrad uses the checks of sigmoid.",),
    torch=Torch("tanh(inplace, *, save)", module="Tanh"),
    aclnn=C("Tanh", in_place_checks=(supported("self", dtypes=FLOATS),)),
    ir="Tanh(x=self) -> y",
)

tanh_backward = Operator(
    "tanh_backward(Tensor grad_output, Tensor output) -> Tensor grad_input",
    summary="grad_output * (1 - output**2); output = tanh(x)\n\n"
    "For complex numbers, the conjugate of 1 - output**2 is taken.",
    formula=tanh_derivative_from_result,
    gradient_of=tanh,
    reads_result="output",
    broadcasts=True,
    dtypes=FLOATS,
    checks=BACKWARD,
    has_document=False,
    differences=(
        "Checks: the operator is in another repository of CANN. actgrad uses the checks of sigmoid_backward.",
    ),
    aclnn="TanhBackward",
    ir="TanhGrad(y=output, dy=grad_output) -> z",
)
