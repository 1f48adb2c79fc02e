"""The differentiable functions as type checkers and editors see them."""

import torch

__all__ = [
    "add_relu",
    "bnll",
    "celu",
    "clipped_swiglu",
    "elu",
    "erfinv",
    "fast_gelu",
    "fast_gelu_v2",
    "fatrelu_mul",
    "fused_bias_leaky_relu",
    "geglu",
    "geglu_two",
    "gelu",
    "gelu_mul",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "heaviside",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu6_d",
    "scaled_celu",
    "selu",
    "shrink",
    "sigmoid",
    "silu",
    "situ_glu",
    "softmax",
    "softplus",
    "softshrink",
    "softsign",
    "squared_relu",
    "swiglu",
    "swiglu_group",
    "swiglu_two",
    "swish",
    "tanh",
    "threshold",
    "threshold_tensor",
    "unit_step",
]

def celu(input: torch.Tensor, alpha: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """x where x > 0, else alpha * (exp(x / alpha) - 1), of each element x.

        x if x > 0 else alpha * (exp(x / alpha) - 1)

    `inplace` overwrites the input with the result.
    """

def scaled_celu(input: torch.Tensor, alpha1: float = 1.0, alpha2: float = 1.0, alpha3: float = 1.0) -> torch.Tensor:
    """alpha3 * x where x > 0, else alpha1 * (exp(x / alpha2) - 1), of each element x.

    alpha3 * x if x > 0 else alpha1 * (exp(x / alpha2) - 1)
    """

def elu(
    input: torch.Tensor,
    alpha: float = 1.0,
    inplace: bool = False,
    *,
    scale: float = 1.0,
    input_scale: float = 1.0,
    save: str = "auto",
) -> torch.Tensor:
    """The exponential linear unit of each element.

        scale * (x if x > 0 else alpha * (exp(input_scale * x) - 1))

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def selu(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """The scaled exponential linear unit of each element; integers are rounded to nearest even and saturate.

        SCALE * (x if x > 0 else ALPHA * (exp(x) - 1)), ALPHA = 1.67326324..., SCALE = 1.05070098...

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'result', 'input'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def silu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * sigmoid(x) of each element x.

        x * sigmoid(x)

    `inplace` overwrites the input with the result.
    """

def swish(input: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    """x * sigmoid(beta * x) of each element x.

    x * sigmoid(beta * x)
    """

def clipped_swiglu(
    x: torch.Tensor,
    group_index: torch.Tensor | None = None,
    dim: int = -1,
    alpha: float = 1.702,
    limit: float = 7.0,
    bias: float = 1.0,
    interleaved: bool = True,
    clamp_mode: str = "input",
) -> torch.Tensor:
    """Swish of one clamped half of x, times the other, clamped, plus bias.
    clamp_mode is input (0) or swish (1), which limit bounds. Interleaved halves are the even and odd elements of
    all dimensions from dim on. group_index counts the rows before dim that are computed: further rows of a given
    output stay as they are, of a fresh one they are 0.

        swish(min(a, limit), alpha) * (clamp(b, limit) + bias)

        min(silu(a), limit) * clamp(b, limit)
    """

def erfinv(input: torch.Tensor) -> torch.Tensor:
    """The inverse error function of each element; that of integers in float32.

    y with erf(y) = x; NaN where abs(x) > 1
    """

def fast_gelu(input: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(1.702 * x) of each element x, which is near GELU.

    x * sigmoid(1.702 * x)
    """

def fast_gelu_v2(input: torch.Tensor) -> torch.Tensor:
    """x times an approximation of the normal distribution by two parabolas, of each element x.

    x - x * q if x > 0 else x * q, q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2
    """

def fatrelu_mul(input: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    """The lower half of the input where it is above threshold, else 0, times the upper half.

    (a if a > threshold else 0) * b

    (a if a >= threshold else 0) * b
    """

def fused_bias_leaky_relu(
    input: torch.Tensor, bias: torch.Tensor, negative_slope: float = 0.2, scale: float = 1.414213562373
) -> torch.Tensor:
    """scale times the leaky ReLU of self + bias, which have one shape.

    scale * leaky_relu(x + bias, negative_slope)
    """

def gelu(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """The Gaussian error linear unit of each element; approximate is "none" (0) or "tanh" (1).

    x * Phi(x), Phi the distribution function of the standard normal distribution

    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3 * x**3)
    """

def geglu(
    input: torch.Tensor, dim: int = -1, approximate: str = "none", activate_left: bool = False, *, save: str = "auto"
) -> torch.Tensor:
    """One half of the input along dim times GELU of the other (the upper one, or activate_left the lower):
    GeGLU without its second result, which then costs neither time nor memory.

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'gelu'.
    By default it is the input.
    """

def geglu_two(x: torch.Tensor, gate: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """GeGLU of two tensors: self * gelu(gate), of each pair of elements."""

def gelu_mul(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """GELU of the lower half of the input, times the upper half; approximate is "none" (0) or "tanh" (1)."""

def glu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The lower half of the input along dim, times the logistic function of the upper half."""

def hardshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """Each element, 0 in place of one of at most lambd in size.

    0 if abs(x) <= lambd else x
    """

def hardsigmoid(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """alpha * x + beta of each element x, clamped to [0, 1]; that of integers truncated.

        min(max(alpha * x + beta, 0), 1), where 0 * x is 0 also for infinite x

    `inplace` overwrites the input with the result.
    """

def hardswish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * hardsigmoid(x) of each element x.

        x if x >= 3, 0 if x <= -3, else x * (x + 3) / 6

    `inplace` overwrites the input with the result.
    """

def heaviside(input: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """1 where input > 0, the element of values where input is 0, else 0.

    1 if x > 0, value if x == 0, else 0, also for NaN
    """

def unit_step(input: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
    """1 where an element is above threshold, else 0.

    1 if x > threshold else 0, also for NaN
    """

def leaky_relu(
    input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto"
) -> torch.Tensor:
    """Each element, where it is not positive times negative_slope.

        x if x > 0 else negative_slope * x

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def softmax(input: torch.Tensor, dim: int | None = None, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The powers of e of each row's elements, divided by their sum.

        exp(x - m) / sum(exp(x - m)), where m is the largest x of the row

    `dtype` is what the input is converted to first.
    """

def log_softmax(input: torch.Tensor, dim: int | None = None, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The logarithm of softmax: each element less the logarithm of the sum of its row's powers of e.

        x - m - log(sum(exp(x - m))), where m is the largest x of the row

    `dtype` is what the input is converted to first.
    """

def logsigmoid(input: torch.Tensor) -> torch.Tensor:
    """The logarithm of the logistic function of each element.

    log(1 / (1 + exp(-x)))
    """

def mish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * tanh(softplus(x)) of each element x.

        x * tanh(log(1 + exp(x))) = x * (p**2 - 1) / (p**2 + 1), p = 1 + exp(x)

    `inplace` overwrites the input with the result.
    """

def prelu(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """x where x > 0, else the weight of its channel times x.

    x if x > 0 else weight * x
    """

def relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Each element, 0 in place of a negative one.

        x if x > 0 else 0

    `inplace` overwrites the input with the result.
    """

def threshold(input: torch.Tensor, threshold: float = 0.0, value: float = 0.0, inplace: bool = False) -> torch.Tensor:
    """Each element, value in place of one up to threshold.

        x if x > threshold else value

    `inplace` overwrites the input with the result.
    """

def add_relu(input: torch.Tensor, other: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """ReLU of self + alpha * other.

    relu(x + alpha * y)
    """

def hardtanh(input: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """Each element, clamped to [min_val, max_val].

        min(max(x, min_val), max_val)

    `inplace` overwrites the input with the result.
    """

def relu6(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Each element, clamped to [0, 6].

        min(max(x, 0), 6)

    `inplace` overwrites the input with the result.
    """

def relu6_d(input: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """Each element, clamped to [0, 6 * scale]; 6 * scale where that is negative.

    min(max(x, 0), 6 * scale)
    """

def sigmoid(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """The logistic function of each element; that of integers in float32.

        1 / (1 + exp(-x))

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def tanh(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """The hyperbolic tangent of each element; that of integers in float32.

        tanh(x)

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def situ_glu(
    input: torch.Tensor, dim: int = -1, beta: float = 1.0, linear_beta: float = 0.0, activate_left: bool = True
) -> torch.Tensor:
    """beta * tanh(gate / beta) * sigmoid(gate) * up of the halves gate and up of x along dim.
    With linear_beta > 0 up is linear_beta * tanh(up / linear_beta); activate_left: the lower half is the gate.

        beta * tanh(gate / beta) * sigmoid(gate) * up

        beta * tanh(gate / beta) * sigmoid(gate) * linear_beta * tanh(up / linear_beta)
    """

def softplus(input: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    """log(1 + exp(beta * x)) / beta of each element x; x where beta * x > threshold.

    x if beta * x > threshold else log(1 + exp(beta * x)) / beta
    """

def bnll(input: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x)) of each element x, the binomial normal log likelihood of Caffe.

    log(1 + exp(x))
    """

def softshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """Each element, moved towards 0 by lambd; 0 in place of one of at most lambd in size.

    x - lambd if x > lambd, x + lambd if x < -lambd, else 0

    x - lambd if x > lambd, x + lambd if x < -lambd, else 0, also for NaN
    """

def shrink(input: torch.Tensor, lambd: float = 0.5, bias: float = 0.0) -> torch.Tensor:
    """Each element, moved towards 0 by bias; 0 in place of one of at most lambd in size.

    x - bias if x > lambd, x + bias if x < -lambd, else 0

    x - bias if x > lambd, x + bias if x < -lambd, else 0, also for NaN
    """

def softsign(input: torch.Tensor) -> torch.Tensor:
    """x / (1 + abs(x)) of each element x.

    x / (1 + abs(x))
    """

def squared_relu(input: torch.Tensor) -> torch.Tensor:
    """The square of each element, 0 in place of that of a negative one.

    x**2 if x > 0 else 0
    """

def swiglu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """SiLU of the lower half of x along dim, times the upper half."""

def swiglu_two(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """SwiGLU of two tensors: self * silu(gate), of each pair of elements."""

def swiglu_group(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    group_index: torch.Tensor | None = None,
    clamp_limit: float = -1.0,
) -> torch.Tensor:
    """SiLU of the lower half of x along its last dimension, times the upper half and the weight of the row.
    A clamp_limit above 0 clamps the halves. group_index counts the rows that are computed: further rows of a given
    output stay as they are, of a fresh one they are 0.

        silu(min(a, c)) * min(max(b, -c), c), c = clamp_limit if clamp_limit > 0 else infinity

        The same times weight.
    """

def threshold_tensor(input: torch.Tensor, threshold: torch.Tensor, value: torch.Tensor | None = None) -> torch.Tensor:
    """Each element, value in place of one up to threshold; 0 without a value. The tensors are broadcast.

    x if x > threshold else 0

    x if x > threshold else value
    """
