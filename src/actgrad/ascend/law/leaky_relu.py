"""CANN's law of leaky_relu."""

from ...checks.dtype_rules import convertible, real
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.leaky_relu import leaky_relu, leaky_relu_backward
from ..rules.law import ATTRIBUTE_RULES, C, Law
from ..rules.rule import When, limited, only_documents, rank, scalar_on_product, scalar_supported, supported

Law(
    leaky_relu,
    products="Ascend950 Ascend910_93 Ascend910B Ascend910",
    dtypes="float32 float16 float64 bfloat16",
    checks=(
        supported("self"),
        limited(real("negative_slope"), when=When.UNTYPED),  # a complex slope in a C call acts as 0
        scalar_on_product("negative_slope"),
        only_documents(supported("out")),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    functions=(C("LeakyRelu"),),
    graph=("LeakyRelu(x=self, negative_slope=0.0) -> y",),
    differences_file="leaky_relu.md",
)

Law(
    leaky_relu_backward,
    products="Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910",
    dtypes="float32 float16 float64 bfloat16",
    checks=(
        supported("grad_output", "self"),
        scalar_supported("negative_slope", "float32 float16 float64 int32 int64 int8 bool int16 uint8 bfloat16"),
        only_documents(supported("out")),
        rank("grad_output", "self"),
        broadcastable("self", to="grad_output"),
        result_shape("out"),
        ATTRIBUTE_RULES,
        convertible("out"),
    ),
    functions=(C("LeakyReluBackward"),),
    graph=("LeakyReluGrad(gradients=grad_output, features=self, negative_slope=0.0) -> backprops",),
    differences_file="leaky_relu.md",
)
