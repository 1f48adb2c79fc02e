"""ReLU, thresholds and clamps."""

from ..base.access import Bits
from ..base.definition import C, Torch
from ..base.errors import InvalidDtype
from ..base.products import by_documents
from ..base.xp import maximum, minimum, where
from ..calls.operator import Operator
from ..contract import Check, Origin, When
from ..contract.dtype_rules import convertible, equal, promoted, real, scalar_converts, scalar_supported, supported
from ..contract.shape_rules import broadcastable, nonempty, rank, result_shape, same_shape
from ..contract.stages import document

FLOATS = "float32 float16 bfloat16"
INTEGERS = "int8 uint8 int32 int64"
PAPER = "Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf"
WITH_MASKS = "Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910"  # products with masks of bits
TAKEN_FOR_0 = 2.0**-23 + 2.0**-47  # the source treats thresholds up to this size as 0: 2**-23 in float32


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


def hardtanh_gradient_of_documents(g, x, min_val, max_val):
    """g if min_val <= x <= max_val else 0, by the documents' rules"""
    return where(x < min_val, 0, where(x > max_val, 0, g))


def int64_of_950(name):
    """INT64 has the kernel of Ascend950's ReLU."""

    def fault(call):
        is_int64 = call.inputs[name].dtype.name == "int64"
        is_zero = abs(call.attributes["threshold"]) <= TAKEN_FOR_0
        if not is_int64 or (call.product.name == "Ascend950" and is_zero):
            return None
        threshold = call.attributes["threshold"]
        expected = "int64 needs Ascend950 and threshold 0"
        return f"{name} is int64, threshold is {threshold}{call.on_product}; {expected}; convert {name} to int32"

    rule = f"{name} is int64 only on Ascend950 and only if threshold is 0"
    return (Check(rule, fault, InvalidDtype, When.PRODUCT, Origin.OPERATOR, (name, "threshold")),)


relu = Operator(
    "relu(Tensor self) -> Tensor out",
    summary="max(x, 0)",
    paper=PAPER,
    formula=relu_formula,
    integer_formula=relu_formula,
    dtypes=f"{FLOATS} {INTEGERS}",
    checks=(supported("self"), equal("out", to="self"), rank("self", "out"), same_shape("out", to="self")),
    differences=(
        "UINT8: the documents list it only for the in-place function, and the source for both. actgrad "
        "follows the source.",
    ),
    torch=Torch("relu(inplace)", module="ReLU"),
    aclnn=C(
        "Relu",
        unusual_const="out",
        out_checks=(document(supported("self", dtypes=f"{FLOATS} int8 int32 int64", everywhere=True)),),
    ),
    ir="Relu(x=self) -> y",
)

relu_with_mask = Operator(
    "relu_with_mask(Tensor x) -> (Tensor out, Tensor mask)",
    summary="out = max(x, 0) and mask = 1 if x > 0, else 0; mask is uint8, a byte has the bits of eight elements\n\n"
    "The bits of a byte belong to eight elements along the last dimension, whose size must be a multiple of 8. The "
    "first element has the lowest bit. NaN has the bit 0.",
    paper=PAPER,
    formula=relu_and_bit,
    integer_formula=relu_and_bit,
    reads=Bits("mask"),
    output_dtypes={"mask": "uint8"},
    dtypes=f"{FLOATS} {INTEGERS}",
    products=WITH_MASKS,
    differences=(
        "Mask: on Ascend950, the mask has data type UINT1 and the shape of x. On other products, it has UINT1 or "
        "UINT8 and five dimensions, for images. In actgrad, the mask has UINT8. A byte has the bits of eight elements, "
        "so the last dimension of x must be a multiple of eight.",
    ),
    torch=Torch("relu_with_mask"),
    ir="ReluV2(x) -> (y, mask)",
)

relu_with_mask_backward = Operator(
    "relu_with_mask_backward(Tensor grad_output, Tensor mask) -> Tensor grad_input",
    summary="grad_output if mask > 0, else 0; mask is uint8, a byte has the bits of eight elements",
    formula=gradient_by_bit,
    integer_formula=gradient_by_bit,
    integers_as_floats=True,
    gradient_of=relu_with_mask,
    takes_gradient=True,
    reads=Bits("mask"),
    dtypes=f"{FLOATS} int8 uint8 int32",
    products=WITH_MASKS,
    ir="ReluGradV2(gradients=grad_output, mask) -> backprops",
)

relu_backward = Operator(
    "relu_backward(Tensor grad_output, Tensor result) -> Tensor grad_input",
    summary="grad_output if result > 0, else 0; result = relu(x)\n\n"
    "The input of relu gives the same gradient and may be passed instead.",
    formula=relu_gradient_from_result,
    integer_formula=relu_gradient_from_result,
    takes_gradient=True,
    gradient_of=relu,
    reads_result="result",
    dtypes=f"{FLOATS} {INTEGERS}",
    layout_of="result",
    broadcasts=True,
    checks=(
        supported("grad_output"),
        equal("result", "grad_input", to="grad_output"),
        rank("grad_output", "result"),
        broadcastable("result", to="grad_output"),
        result_shape("grad_input"),
    ),
    ir="ReluGrad(gradients=grad_output, features=result) -> backprops",
)

threshold = Operator(
    "threshold(Tensor self, Scalar threshold=0, Scalar value=0) -> Tensor out",
    summary="x if x > threshold, else value",
    paper="PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html",
    formula=threshold_formula,
    integer_formula=threshold_formula,
    dtypes=f"{FLOATS} {INTEGERS} int16",
    checks=(
        supported("self"),
        real("threshold", "value"),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    differences=(
        "out of a dtype that the result cannot convert to: the source for Ascend950 takes it. actgrad refuses it.",
        "Float scalar with integers: the source converts the scalar. C has no rule for NaN and for numbers outside "
        "the range of the integers. actgrad refuses these.",
    ),
    torch=Torch("threshold(threshold, value, inplace)", module="Threshold"),
    aclnn=C("Threshold", null_order="self out threshold value"),
)

threshold_backward = Operator(
    "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor grad_input",
    summary="grad_output if self > threshold, else 0",
    formula=threshold_gradient,  # for integers too, threshold is read as a float
    takes_gradient=True,
    gradient_of=threshold,
    dtypes=f"{FLOATS} {INTEGERS}",
    layout_of="self",
    broadcasts=True,
    checks=(
        supported("grad_output"),
        int64_of_950("grad_output"),
        supported("self"),
        int64_of_950("self"),
        real("threshold"),
        equal("self", "grad_input", to="grad_output"),
        rank("grad_output", "self"),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
    ),
    differences=(
        "Threshold with abs(threshold) <= 2**-23: the source uses 0 instead. actgrad uses the threshold.",
        "Infinite gradient of an element below the threshold: with threshold 0 the kernel returns NaN. actgrad "
        "returns 0.",
        "INT64: the documents list it for all newer products, and the source does not. actgrad follows the source.",
    ),
    aclnn=C(
        "ThresholdBackward",
        parameters="gradOutput self threshold out",
        null_order="threshold grad_input grad_output self",
    ),
    ir="ThresholdGradV2D(gradients=grad_output, features=self, threshold=1.0) -> backprops",
)

add_relu = Operator(
    "add_relu(Tensor self, Tensor other, Scalar alpha=1) -> Tensor out",
    summary="max(self + alpha * other, 0)",
    paper="Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf",
    formula=add_relu_formula,
    integer_formula=add_relu_formula,
    dtypes=f"{FLOATS} {INTEGERS} int16",
    broadcasts=True,
    checks=(
        supported("self", "other"),
        promoted("self", "other"),
        scalar_converts("alpha"),
        convertible("out"),
        rank("self", "other"),
        broadcastable("other", to="self"),
        result_shape("out"),
    ),
    differences=(
        "In place, with a null pointer and wrong shapes: the source reports the shapes first. actgrad reports the "
        "null pointer.",
    ),
    torch=Torch("add_relu(input, other, alpha)"),
    aclnn=C("AddRelu", unusual_const="alpha", overwrites_first=True),
)


OF_HARDTANH = f"{FLOATS} float64 int8 int16 int32 int64 uint8"

hardtanh = Operator(
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor out",
    summary="min(max(x, min_val), max_val)",
    paper="PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html",
    formula=hardtanh_formula,
    integer_formula=hardtanh_formula,
    dtypes=OF_HARDTANH,
    checks=(
        supported("self"),
        scalar_supported("min_val", OF_HARDTANH),
        scalar_supported("max_val", OF_HARDTANH),
        equal("out", to="self"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    requires={"min_val <= max_val": lambda attributes, product: not attributes["min_val"] > attributes["max_val"]},
    differences=(
        "Integer min_val: the source converts max_val to an integer before it compares them. actgrad compares the "
        "numbers.",
        "min_val and max_val of BOOL: the documents list it, and the source does not. actgrad follows the source.",
        "Float scalar with integers: the source converts the scalar. C has no rule for NaN and for numbers outside "
        "the range of the integers. actgrad refuses these.",
    ),
    torch=Torch(
        "hardtanh(min_val, max_val, inplace)",
        module="Hardtanh",
        former_names={"min_value": "min_val", "max_value": "max_val"},
        bounds=("min_val", "max_val"),
    ),
    aclnn=C("Hardtanh", parameters="self clipValueMin clipValueMax out"),
)

hardtanh_backward = Operator(
    "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor grad_input",
    summary="grad_output if min_val < self < max_val, else 0\n\n"
    "By the documents' rules (actgrad.rules('document')) the bounds belong to the first case: min_val <= self <= "
    "max_val.",
    formula={False: hardtanh_gradient, True: hardtanh_gradient_of_documents},
    switch=lambda attributes, product: by_documents(),
    takes_gradient=True,
    gradient_of=hardtanh,
    checks=(
        supported("grad_output", "self", "grad_input"),
        real("min_val", "max_val"),
        equal("self", to="grad_output"),
        convertible("grad_input", origin=Origin.ACTGRAD),
        rank("grad_output", "self"),
        same_shape("self", to="grad_output"),
        same_shape("grad_input", to="grad_output"),
        document(nonempty("grad_output")),
    ),
    differences=(
        "self equal to a bound: the formula of the documents returns the gradient, and the kernel returns 0. actgrad "
        "returns 0, and the gradient under the documents' rules.",
        "Shape of out: CANN does not check it. actgrad requires the shape of the inputs.",
    ),
    aclnn=C(
        "HardtanhBackward",
        parameters="gradOutput self min max out",
        null_order="self grad_output grad_input min_val max_val",
    ),
    ir="HardtanhGrad(result=self, grad=grad_output, min_val=-1.0, max_val=1.0) -> y",
)
