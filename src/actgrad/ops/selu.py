"""SELU, the self-normalising ELU."""

from ..base.definition import Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..contract import Origin
from ..contract.dtype_rules import convertible, equal, supported
from ..contract.shape_rules import nd_format, nonempty, rank, same_shape
from ..contract.stages import document
from .elu import elu_derivative, elu_derivative_from_result, elu_formula

ALPHA = 1.6732632423543772848170429916717
SCALE = 1.0507009873554804934193349852946


def selu_formula(x):
    """SCALE * (x if x > 0 else ALPHA * (exp(x) - 1)), ALPHA = 1.67326324..., SCALE = 1.05070098..."""
    return elu_formula(x, ALPHA, SCALE, 1.0)


def selu_derivative(x):
    """SCALE if x >= 0 else SCALE * ALPHA * exp(x)"""
    return where(x >= 0, SCALE, selu_derivative_950(x))


def selu_derivative_950(x):
    """SCALE if x > 0 else SCALE * ALPHA * exp(x), on Ascend950"""
    return elu_derivative(x, ALPHA, SCALE, 1.0)


def selu_derivative_from_result(y):
    """SCALE if y >= 0 else y + SCALE * ALPHA, for y = selu(x)"""
    return where(y >= 0, SCALE, y + SCALE * ALPHA)


def selu_derivative_from_result_950(y):
    """SCALE if y > 0 else y + SCALE * ALPHA, for y = selu(x), on Ascend950"""
    return elu_derivative_from_result(y, ALPHA, SCALE, 1.0)


def is_on_950(product):
    """Whether the product is Ascend950, whose kernel uses the negative branch at 0."""
    return product is not None and product.name == "Ascend950"


selu = Operator(
    "selu(Tensor self) -> Tensor out",
    summary="scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha = "
    "1.6732632423543773\n\n"
    "Integers are computed as floats, rounded to the nearest even number, and saturate.",
    paper="Klambauer et al. 2017, https://arxiv.org/abs/1706.02515",
    formula=selu_formula,
    dtypes="float32 float16 int32 int8 bfloat16",
    checks=(
        supported("self", "out"),
        document(equal("out", to="self")),
        convertible("out", origin=Origin.ACTGRAD),  # CANN also casts a float result to integers
        document(nd_format("self", "out")),
        document(rank("self", minimum=1)),
        same_shape("out", to="self"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend910",
    differences=(
        "out of another dtype than self: the documents refuse it, and the source converts. actgrad converts, except a "
        "float result to integers. Under the documents' rules it refuses.",
        "Integers: no document has a rule, and the kernels truncate or wrap around. actgrad rounds to nearest even "
        "and saturates.",
        "Number of dimensions and format: the documents require 1 to 8 dimensions and ND, and the source checks "
        "neither. actgrad checks them only under the documents' rules.",
        "Ascend950: the README and the source have the operator, and the document does not. actgrad has it.",
    ),
    torch=Torch("selu(inplace, *, save)", module="SELU"),
    aclnn="Selu",
    ir="Selu(x=self) -> y",
)

selu_backward = Operator(
    "selu_backward(Tensor grad_output, Tensor result) -> Tensor grad_input",
    summary="scale * grad_output if result >= 0, else (result + scale * alpha) * grad_output, where scale = "
    "1.0507009873554805 and alpha = 1.6732632423543773; result = selu(x)\n\n"
    "On Ascend950 a result of 0 belongs to the second case. Integers are computed as floats, rounded to the "
    "nearest even number, and saturate.",
    formula={False: selu_derivative_from_result, True: selu_derivative_from_result_950},
    switch=lambda attributes, product: is_on_950(product),
    gradient_of=selu,
    reads_result="result",
    dtypes="float32 float16 int32 int8 bfloat16",
    checks=(
        equal("result", "grad_input", to="grad_output"),
        supported("grad_output"),
        document(nd_format("grad_output", "result", "grad_input")),
        document(rank("grad_output", minimum=1)),
        same_shape("result", "grad_input", to="grad_output"),
        document(nonempty("result")),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    differences=(
        "result == 0: the formula of the documents and most kernels use the positive branch. The kernel of Ascend950, "
        "its example and PyTorch use the negative branch. actgrad uses the negative branch on Ascend950, and the "
        "positive branch elsewhere.",
        "SCALE: the formula of the documents leaves it out, and everything else includes it. actgrad includes it.",
        "Empty result: the documents do not support it, and the source accepts it. actgrad accepts it, and refuses it "
        "under the documents' rules.",
        "Number of dimensions and format: the documents require 1 to 8 dimensions and ND, and the source checks "
        "neither. actgrad checks them only under the documents' rules.",
        "Unequal shapes: an error text mentions broadcasting. The table and the source require equal shapes, and so "
        "does actgrad.",
        "Integers: no document has a rule, and the kernels compute in half precision or truncate. actgrad computes in "
        "float32 (int32 in float64), rounds to nearest even and saturates.",
        "Ascend950: newer documents and the source have the operator, and the document does not. actgrad has it.",
    ),
    aclnn="SeluBackward",
    ir="SeluGrad(gradients=grad_output, outputs=result) -> y",
)

selu_backward_from_input = Operator(
    "selu_backward_from_input(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="scale * grad_output if self >= 0, else scale * alpha * exp(self) * grad_output, where scale = "
    "1.0507009873554805 and alpha = 1.6732632423543773\n\n"
    "On Ascend950 an input of 0 belongs to the second case. In half precision this gradient is more exact than "
    "selu_backward, which sees only the rounded result. Integers are computed as floats, rounded to the nearest even "
    "number, and saturate.",
    formula={False: selu_derivative, True: selu_derivative_950},
    switch=lambda attributes, product: is_on_950(product),
    gradient_of=selu,
    dtypes="float32 float16 int32 int8 bfloat16",
)
