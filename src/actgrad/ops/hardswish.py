"""Hard swish and hard sigmoid: swish and sigmoid, approximated by straight lines."""

from ..base.definition import C, Torch
from ..base.xp import maximum, minimum, where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, equal, number_for_integers, supported
from ..contract.shape_rules import rank, same_format, same_shape
from ..contract.stages import document
from .silu import scaled

ONE_IN_FLOAT32 = 1.0 - 2.0**-25  # it rounds to 1 in float32, as 3 * alpha + beta does if alpha is rounded down


def hardsigmoid_formula(x, alpha, beta):
    """min(max(alpha * x + beta, 0), 1), where 0 * x is 0 also for infinite x"""
    return minimum(maximum(scaled(x, alpha) + beta, 0.0), 1.0)


def hardsigmoid_of_integers(x, alpha, beta):
    """1 if alpha * x + beta, rounded to float32, is at least 1, else 0; this is hardsigmoid, truncated"""
    return where(scaled(x, alpha) + beta >= ONE_IN_FLOAT32, 1.0, 0.0)


def hardsigmoid_gradient(g, x, alpha, beta):
    """alpha * g if -beta < alpha * x < 1 - beta else 0"""
    u = alpha * x  # compare u with 1 - beta, because u + beta already rounds to 1 for some u below 1 - beta
    return where(u > -beta, where(u < 1.0 - beta, alpha * g, 0.0), 0.0)


def hardswish_formula(x):
    """x if x >= 3, 0 if x <= -3, else x * (x + 3) / 6"""
    near = minimum(maximum(x, -3.0), 3.0)
    return where(x >= 3.0, x, near * (near + 3.0) / 6.0)


def hardswish_gradient(g, x):
    """g if x >= 3, 0 if x <= -3, else g * (x / 3 + 1 / 2)"""
    near = minimum(maximum(x, -3.0), 3.0)
    return where(x <= -3.0, 0.0, where(x < 3.0, g * ((2.0 * near + 3.0) / 6.0), g))


def hardswish_gradient_closed(g, x):
    """g if x > 3, 0 if x < -3, else g * (x / 3 + 1 / 2)"""
    near = minimum(maximum(x, -3.0), 3.0)
    return where(x < -3.0, 0.0, where(x <= 3.0, g * ((2.0 * near + 3.0) / 6.0), g))


FIXED = {"alpha": 1.0 / 6.0, "beta": 0.5}  # the values in the C functions

#: The checks of the gradient of hardswish.
BACKWARD = (
    supported("self", "grad_output"),
    equal("grad_output", to="self"),
    equal("grad_input", to="self"),
    rank("grad_output", "self"),
    same_shape("self", "grad_input", to="grad_output"),
)

hardsigmoid = Operator(
    "hardsigmoid(Tensor self, Scalar alpha=0.16666666666666666, Scalar beta=0.5) -> Tensor out",
    summary="min(max(alpha * x + beta, 0), 1)\n\nInteger results are truncated: 1 if alpha * x + beta >= 1, else 0.",
    paper="Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244",
    formula=hardsigmoid_formula,
    integer_formula=hardsigmoid_of_integers,
    integers_as_floats=True,
    dtypes="float32 float16 int32 bfloat16",
    checks=(
        supported("self"),
        rank("self"),
        same_shape("out", to="self"),
        equal("out", to="self"),
        same_format("out", to="self"),
        number_for_integers("alpha", "beta"),
    ),
    torch=Torch("hardsigmoid(inplace)", module="Hardsigmoid"),
    aclnn=C("Hardsigmoid", FIXED, reference="self", const_reference=True),
    ir="HardSigmoid(input_x=self, alpha=0.16666666, beta=0.5) -> output_y",
)

hardsigmoid_backward = Operator(
    "hardsigmoid_backward(Tensor grad_output, Tensor self, Scalar alpha, Scalar beta) -> Tensor grad_input",
    summary="alpha * grad_output if -beta < alpha * self < 1 - beta, else 0",
    formula=hardsigmoid_gradient,
    takes_gradient=True,
    gradient_of=hardsigmoid,
    checks=(
        supported("grad_output", "self"),
        convertible("grad_input"),
        rank("grad_output", "self", "grad_input"),
        same_shape("self", "grad_input", to="grad_output"),
    ),
    aclnn=C("HardsigmoidBackward", FIXED, parameters="gradOutput self out"),
    ir="HardSigmoidGrad(grads=grad_output, input_x=self, alpha=0.16666666, beta=0.5) -> y",
)

hardswish = Operator(
    "hardswish(Tensor self) -> Tensor out",
    summary="x * min(max(x + 3, 0), 6) / 6",
    paper="Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244",
    formula=hardswish_formula,
    checks=(supported("self", "out"), convertible("out"), same_shape("out", to="self"), document(rank("self"))),
    differences=("Large x: the kernel returns x * 6 * (1 / 6). actgrad returns x.",),
    torch=Torch("hardswish(inplace)", module="Hardswish"),
    aclnn=C("Hardswish", reference="self", const_reference=True, unusual_const="out"),
    ir="HardSwish(x=self) -> y",
)

hardswish_backward = Operator(
    "hardswish_backward(Tensor grad_output, Tensor self, bool closed=False) -> Tensor grad_input",
    summary="0 if self <= -3, grad_output if self >= 3, else grad_output * (self / 3 + 1 / 2)\n\n"
    "With closed=True, -3 and 3 belong to the middle branch.",
    formula={False: hardswish_gradient, True: hardswish_gradient_closed},
    switch="closed",
    takes_gradient=True,
    gradient_of=hardswish,
    checks=BACKWARD,
    differences=("x == -3 and x == 3: the two C functions differ, as the two values of closed do.",),
    aclnn=(
        C("HardswishBackward", {"closed": True}, parameters="gradOutput self out"),
        C(
            "HardswishBackwardV2",
            {"closed": False},
            parameters="gradOutput self out",
            checks=(*BACKWARD, document(rank("grad_output", minimum=1))),
        ),
    ),
    ir=(
        "HardSwishGrad(grad_output, self; closed=True) -> grad_input",
        "HardSwishGradV2(gradOutput=grad_output, self; closed=False) -> out",
    ),
)
