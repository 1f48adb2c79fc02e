"""Fast GELU, two approximations of GELU."""

from ..base.definition import Torch
from ..base.xp import abs, maximum, minimum, sigmoid_times, where
from ..calls.operator import Operator
from .silu import QUICK, X_LIMIT, silu_derivative

# The parabolas of fast GELU V2: 0.1444 * (1.769 - 0.7071 * abs(x))**2 = CURVATURE * (TURN - abs(x))**2.
CURVATURE, TURN = 0.1444 * 0.7071**2, 1.769 / 0.7071

TURN_SHORT = 163955 / 65536  # close to TURN, and exact in float32

V2_LIMIT = 4.0  # above TURN. This limit on abs(x) avoids infinity * 0


def fast_gelu_formula(x):
    """x * sigmoid(1.702 * x)"""
    return sigmoid_times(QUICK * x, maximum(x, -X_LIMIT))


def fast_gelu_derivative(x):
    """s * (1 + 1.702 * x * (1 - s)), s = sigmoid(1.702 * x)"""
    return silu_derivative(QUICK * x)


def before_turn(a):
    """TURN - a with a single rounding, for a <= TURN. The second line adds the rounding error of the first."""
    near = TURN_SHORT - a
    return near + (((TURN_SHORT - near) - a) + (TURN - TURN_SHORT))


def fast_gelu_v2_formula(x):
    """x - x * q if x > 0 else x * q, q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2"""
    d = maximum(before_turn(minimum(abs(x), V2_LIMIT)), 0.0)
    q = CURVATURE * d * d
    return where(x > 0, x * (1.0 - q), maximum(x, -V2_LIMIT) * q)


def fast_gelu_v2_derivative(x):
    """1 - s if x > 0 else s, s = 0.1444 * d * (d - 2 * 0.7071 * abs(x)), d = max(1.769 - 0.7071 * abs(x), 0)"""
    a = minimum(abs(x), V2_LIMIT)
    d = maximum(before_turn(a), 0.0)
    s = CURVATURE * d * ((TURN_SHORT - 3.0 * a) + (TURN - TURN_SHORT))
    return where(x > 0, 1.0 - s, s)


fast_gelu = Operator(
    "fast_gelu(Tensor self) -> Tensor out",
    summary="x * sigmoid(1.702 * x); close to GELU",
    paper="Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415",
    formula=fast_gelu_formula,
    torch=Torch("fast_gelu", module="FastGELU"),
)

fast_gelu_backward = Operator(
    "fast_gelu_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output * s * (1 + 1.702 * self * (1 - s)), where s = sigmoid(1.702 * self)",
    formula=fast_gelu_derivative,
    gradient_of=fast_gelu,
)

fast_gelu_v2 = Operator(
    "fast_gelu_v2(Tensor self) -> Tensor out",
    summary="x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU",
    paper="Kim et al. 2021 (I-BERT), https://arxiv.org/abs/2101.01321",
    formula=fast_gelu_v2_formula,
    torch=Torch("fast_gelu_v2", module="FastGELUV2"),
)

fast_gelu_v2_backward = Operator(
    "fast_gelu_v2_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="(1 - s) * grad_output if self > 0, else s * grad_output, where d = max(1.769 - 0.7071 * abs(self), 0) "
    "and s = 0.1444 * d * (d - 1.4142 * abs(self))",
    formula=fast_gelu_v2_derivative,
    gradient_of=fast_gelu_v2,
)
