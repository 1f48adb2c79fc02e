"""The logistic function and the hyperbolic tangent."""

from ..base.definition import C, Torch
from ..base.xp import conjugate
from ..base.xp import sigmoid as logistic
from ..base.xp import tanh as hyperbolic_tangent
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, equal, on_chip, promoted, supported
from ..contract.shape_rules import broadcastable, public_format, rank, result_shape, same_format, same_shape
from ..contract.stages import document

FLOATS = "float32 float16 float64 complex64 complex128 bfloat16"
NUMBERS = f"{FLOATS} int8 int16 int32 int64 uint8 bool"
HALVES = "float32 float16 bfloat16"


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
    checks=(
        supported("self", everywhere=True),
        supported("out", dtypes=FLOATS, everywhere=True),
        on_chip("self"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    differences=(
        "Integers, float64 and complex numbers: the source lists them for both functions, and the documents only for "
        "the in-place function. actgrad follows the source. The reference backend computes complex numbers.",
    ),
    torch=Torch("sigmoid(inplace, *, save)", module="Sigmoid"),
    aclnn=C(
        "Sigmoid",
        in_place_checks=(supported("self", dtypes=FLOATS),),
        out_checks=(document(supported("self", "out", dtypes=HALVES, everywhere=True)),),
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
    checks=(
        supported("grad_output", "output", "grad_input", everywhere=True),
        on_chip("grad_output"),
        rank("grad_output", "output"),
        promoted("grad_output", "output"),
        convertible("grad_input"),
        broadcastable("output", to="grad_output"),
        result_shape("grad_input"),
        document(rank("grad_output", "output", minimum=1)),
    ),
    aclnn=C("SigmoidBackward", {"complex_conj": True}),
    ir="SigmoidGrad(y=output, dy=grad_output, complex_conj=False) -> z",
)

tanh = Operator(
    "tanh(Tensor self) -> Tensor out",
    summary="tanh(x)\n\nIntegers give float32.",
    paper="LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf",
    formula=tanh_formula,
    dtypes=f"{HALVES} int8 int16 int32 int64 uint8 bool",
    further_dtypes="complex64 complex128",
    integer_result="float32",
    checks=(
        supported("self"),
        supported("out"),
        document(supported("out", dtypes=HALVES)),
        convertible("out"),
        same_format("out", to="self"),
        public_format("self"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    differences=(
        "Integers: the source lists integers and bool also for out, but tanh of integers is float32, which does not "
        "convert to them. So both functions refuse such an out.",
        "float64 and complex numbers: no product takes them. Without a product, actgrad computes them, the complex "
        "numbers with the reference backend.",
    ),
    torch=Torch("tanh(inplace, *, save)", module="Tanh"),
    aclnn=C("Tanh", in_place_checks=(supported("self", dtypes=HALVES),)),
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
    dtypes=f"{HALVES} float64",
    further_dtypes="complex64 complex128",
    checks=(
        supported("grad_output", "output", "grad_input"),
        equal("output", "grad_input", to="grad_output"),
        rank("grad_output", "output"),
        broadcastable("output", to="grad_output"),
        result_shape("grad_input"),
    ),
    differences=("Complex numbers: no product takes them. Without a product, the reference backend computes them.",),
    aclnn="TanhBackward",
    ir="TanhGrad(y=output, dy=grad_output) -> z",
)
