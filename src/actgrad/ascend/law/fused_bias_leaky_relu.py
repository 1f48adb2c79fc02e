"""CANN's law of fused_bias_leaky_relu."""

from ...ops.fused_bias_leaky_relu import fused_bias_leaky_relu, fused_bias_leaky_relu_backward
from ..rules.law import Law

Law(
    fused_bias_leaky_relu,
    dtypes="float32 float16 float64",
    graph=("FusedBiasLeakyRelu(x=self, bias, negative_slope=0.2, scale=1.414213562373) -> y",),
)

Law(
    fused_bias_leaky_relu_backward,
    dtypes="float32 float16 float64",
    graph=(
        "FusedBiasLeakyReluGrad(y_grad=grad_output, features, negative_slope=0.2, scale=1.414213562373; broadcast) "
        "-> x_grad",
    ),
    differences_file="fused_bias_leaky_relu.md",
)
