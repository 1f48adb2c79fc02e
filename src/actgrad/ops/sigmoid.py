"""The logistic function and the hyperbolic tangent."""

from ..base.definition import Dtypes, Integers, Result, Switch, Torch
from ..base.xp import conjugate
from ..base.xp import sigmoid as logistic
from ..base.xp import tanh as hyperbolic_tangent
from ..calls.operator import Operator


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
    integers=Integers(dtype="float32"),
    dtypes=Dtypes("complex64 complex128 int8 int16 int32 int64 uint8 bool"),
    torch=Torch("sigmoid(inplace, *, save)", module="Sigmoid"),
)

sigmoid_backward = Operator(
    "sigmoid_backward(Tensor grad_output, Tensor output, bool complex_conj=True) -> Tensor grad_input",
    summary="grad_output * output * (1 - output); output = sigmoid(x)\n\n"
    "For complex numbers, complex_conj=True takes the conjugate of output * (1 - output).",
    formula=Switch("complex_conj", {True: sigmoid_derivative_from_result, False: sigmoid_derivative_not_conjugated}),
    gradient_of=sigmoid,
    result=Result("output"),
    dtypes=Dtypes("complex64 complex128"),
    broadcasts=True,
)

tanh = Operator(
    "tanh(Tensor self) -> Tensor out",
    summary="tanh(x)\n\nIntegers give float32.",
    paper="LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf",
    formula=tanh_formula,
    integers=Integers(dtype="float32"),
    dtypes=Dtypes("int8 int16 int32 int64 uint8 bool complex64 complex128"),
    torch=Torch("tanh(inplace, *, save)", module="Tanh"),
)

tanh_backward = Operator(
    "tanh_backward(Tensor grad_output, Tensor output) -> Tensor grad_input",
    summary="grad_output * (1 - output**2); output = tanh(x)\n\n"
    "For complex numbers, the conjugate of 1 - output**2 is taken.",
    formula=tanh_derivative_from_result,
    gradient_of=tanh,
    result=Result("output"),
    dtypes=Dtypes("complex64 complex128"),
    broadcasts=True,
)
