"""Leaky ReLU."""

from ..base.definition import Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..contract import VALUES, When
from ..contract.dtype_rules import convertible, real, scalar_on_product, scalar_supported, supported
from ..contract.shape_rules import broadcastable, rank, result_shape, same_shape
from ..contract.stages import document


def leaky_relu_formula(x, negative_slope):
    """x if x > 0 else negative_slope * x"""
    return where(x > 0, x, negative_slope * x)


def leaky_relu_derivative(x, negative_slope):
    """1 if x > 0 else negative_slope; x may be the result, which has the sign of the input if negative_slope >= 0"""
    return where(x > 0, 1.0, negative_slope)


leaky_relu = Operator(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor out",
    summary="x if x > 0, else negative_slope * x",
    paper="Maas et al. 2013, https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf",
    formula=leaky_relu_formula,
    dtypes="float32 float16 float64 bfloat16",
    checks=(
        supported("self"),
        real("negative_slope", when=When.UNTYPED),  # a complex slope in a C call acts as 0
        scalar_on_product("negative_slope"),
        document(supported("out")),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend910",
    differences=(
        "Complex slope: the source takes it and computes with 0. The C function of actgrad does the same, and the "
        "Python function raises TypeError.",
        "Infinite or NaN slope: in the formula of the documents, a sum, positive elements become NaN. In the kernel "
        "they stay, and in actgrad too.",
        "float64: the documents list it only for Ascend910 and for the in-place function, and the source takes it "
        "everywhere. actgrad follows the source.",
    ),
    torch=Torch("leaky_relu(negative_slope, inplace, *, save)", module="LeakyReLU"),
    aclnn="LeakyRelu",
    ir="LeakyRelu(x=self, negative_slope=0.0) -> y",
)

leaky_relu_backward = Operator(
    "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor out",
    summary="grad_output if self > 0, else negative_slope * grad_output\n\n"
    "With self_is_result, self is the result of leaky_relu. The result has the sign of the input, because a "
    "negative negative_slope is refused then.",
    formula=leaky_relu_derivative,
    gradient_of=leaky_relu,
    reads_result="self",
    result_flag="self_is_result",
    layout_of="self",
    broadcasts=True,
    dtypes="float32 float16 float64 bfloat16",
    requires={
        "negative_slope >= 0 when self_is_result": lambda a, product: (
            not (a["self_is_result"] and a["negative_slope"] < 0)
        )
    },
    checks=(
        supported("grad_output", "self"),
        scalar_supported("negative_slope", "float32 float16 float64 int32 int64 int8 bool int16 uint8 bfloat16"),
        document(supported("out")),
        rank("grad_output", "self"),
        broadcastable("self", to="grad_output"),
        result_shape("out"),
        VALUES,
        convertible("out"),
    ),
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    differences=(
        "self == 0: by the description the slope applies below 0, and by the formula also at 0. actgrad applies it at "
        "0.",
        "Integer and bool out: a sentence in the documents allows them, and the conversion rule does not. actgrad "
        "refuses them.",
        "bfloat16: the README allows it on every product. The newer documents and the source do not allow it on "
        "Ascend310P and Ascend910. actgrad follows the source.",
        "Slope with float64 tensors: the source rounds the slope to float. The C function of actgrad does the same, "
        "and the Python function does not round.",
        "Empty gradient with a self of one element: the source calls its kernel. actgrad has nothing to compute.",
        "Sign of the slope with self_is_result: actgrad checks it before rounding, and before the dtype of out.",
    ),
    aclnn="LeakyReluBackward",
    ir="LeakyReluGrad(gradients=grad_output, features=self, negative_slope=0.0) -> backprops",
)
