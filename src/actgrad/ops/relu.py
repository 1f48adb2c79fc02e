"""ReLU, thresholds and clamps."""

from ..base.access import Bits
from ..base.definition import Dtypes, Integers, Result, Roles, Torch
from ..base.xp import maximum, minimum, where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, integer_for_integers, promoted, supported
from ..checks.shape_rules import broadcastable, result_shape

PAPER = "Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf"


def relu_formula(x):
    """x if x > 0 else 0"""
    return where(x <= 0, 0, x)


def relu_gradient_from_result(g, y):
    """g if y > 0 else 0, for y = relu(x)"""
    return where(y <= 0, 0, g)


def relu_and_bit(x):
    """x if x > 0 else 0, and 1 if x > 0 else 0"""
    return where(x <= 0, 0, x), where(x > 0, 1, 0)


def gradient_by_bit(g, bit):
    """g if bit > 0 else 0"""
    return where(bit > 0, g, 0)


def threshold_formula(x, threshold, value):
    """x if x > threshold else value"""
    return where(x <= threshold, value, x)


def threshold_gradient(g, x, threshold):
    """g if x > threshold else 0"""
    return where(x <= threshold, 0, g)


def add_relu_formula(x, y, alpha):
    """relu(x + alpha * y)"""
    return relu_formula(x + alpha * y)


def hardtanh_formula(x, min_val, max_val):
    """min(max(x, min_val), max_val)"""
    return minimum(maximum(x, min_val), max_val)


def hardtanh_gradient(g, x, min_val, max_val):
    """g if min_val < x < max_val else 0"""
    return where(x <= min_val, 0, where(x >= max_val, 0, g))


relu = Operator(
    "relu(Tensor self) -> Tensor out",
    summary="max(x, 0)",
    paper=PAPER,
    formula=relu_formula,
    integers=Integers(formula=relu_formula),
    dtypes=Dtypes("int8 uint8 int32 int64"),
    torch=Torch("relu(inplace)", module="ReLU"),
)

relu_with_mask = Operator(
    "relu_with_mask(Tensor x) -> (Tensor out, Tensor mask)",
    summary="out = max(x, 0) and mask = 1 if x > 0, else 0; mask is uint8, a byte has the bits of eight elements\n\n"
    "The bits of a byte belong to eight elements along the last dimension, whose size must be a multiple of 8. The "
    "first element has the lowest bit. NaN has the bit 0.",
    paper=PAPER,
    formula=relu_and_bit,
    layout=Bits("mask"),
    integers=Integers(formula=relu_and_bit),
    dtypes=Dtypes("int8 uint8 int32 int64", outputs={"mask": "uint8"}),
    torch=Torch("relu_with_mask"),
)

relu_with_mask_backward = Operator(
    "relu_with_mask_backward(Tensor grad_output, Tensor mask) -> Tensor grad_input",
    summary="grad_output if mask > 0, else 0; mask is uint8, a byte has the bits of eight elements",
    formula=gradient_by_bit,
    gradient_of=relu_with_mask,
    layout=Bits("mask"),
    roles=Roles(takes_gradient=True),
    integers=Integers(formula=gradient_by_bit, in_floats=True),
    dtypes=Dtypes("int8 uint8 int32"),
)

relu_backward = Operator(
    "relu_backward(Tensor grad_output, Tensor result) -> Tensor grad_input",
    summary="grad_output if result > 0, else 0; result = relu(x)\n\n"
    "The input of relu gives the same gradient and may be passed instead.",
    formula=relu_gradient_from_result,
    gradient_of=relu,
    roles=Roles(takes_gradient=True, orders_results="result"),
    result=Result("result"),
    integers=Integers(formula=relu_gradient_from_result),
    dtypes=Dtypes("int8 uint8 int32 int64"),
    broadcasts=True,
)

threshold = Operator(
    "threshold(Tensor self, Scalar threshold=0, Scalar value=0) -> Tensor out",
    summary="x if x > threshold, else value",
    paper="PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html",
    formula=threshold_formula,
    integers=Integers(formula=threshold_formula),
    dtypes=Dtypes("int8 uint8 int32 int64 int16"),
    torch=Torch("threshold(threshold, value, inplace)", module="Threshold"),
)

threshold_backward = Operator(
    "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor grad_input",
    summary="grad_output if self > threshold, else 0",
    formula=threshold_gradient,  # for integers too, threshold is read as a float
    gradient_of=threshold,
    roles=Roles(takes_gradient=True, orders_results="self"),
    dtypes=Dtypes("int8 uint8 int32 int64"),
    broadcasts=True,
)

add_relu = Operator(
    "add_relu(Tensor self, Tensor other, Scalar alpha=1) -> Tensor out",
    summary="max(self + alpha * other, 0)",
    paper="Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf",
    formula=add_relu_formula,
    integers=Integers(formula=add_relu_formula),
    dtypes=Dtypes("int8 uint8 int32 int64 int16"),
    broadcasts=True,
    preconditions=(
        supported("self"),
        promoted("self", "other"),
        convertible("out"),
        broadcastable("other", to="self"),
        result_shape("out"),
        integer_for_integers("alpha"),
    ),
    torch=Torch("add_relu(input, other, alpha)"),
)

hardtanh = Operator(
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor out",
    summary="min(max(x, min_val), max_val)",
    paper="PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html",
    formula=hardtanh_formula,
    integers=Integers(formula=hardtanh_formula),
    dtypes=Dtypes("int8 int16 int32 int64 uint8"),
    requires={"min_val <= max_val": lambda attributes: not attributes["min_val"] > attributes["max_val"]},
    torch=Torch(
        "hardtanh(min_val, max_val, inplace)",
        module="Hardtanh",
        former_names={"min_value": "min_val", "max_value": "max_val"},
    ),
)

hardtanh_backward = Operator(
    "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor grad_input",
    summary="grad_output if min_val < self < max_val, else 0\n\n"
    "By the documents' rules (actgrad.rules('document')) the bounds belong to the first case: min_val <= self <= "
    "max_val.",
    formula=hardtanh_gradient,
    gradient_of=hardtanh,
    roles=Roles(takes_gradient=True),
)
