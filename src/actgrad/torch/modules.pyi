"""The modules as type checkers and editors see them."""

import torch

__all__ = [
    "BNLL",
    "CELU",
    "ELU",
    "GEGLU",
    "GELU",
    "GLU",
    "SELU",
    "FastGELU",
    "FastGELUV2",
    "GELUMul",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "ScaledCELU",
    "Shrink",
    "SiLU",
    "SiTUGLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SquaredReLU",
    "SwiGLU",
    "Swish",
    "Tanh",
    "Threshold",
]

class CELU(torch.nn.Module):
    """x where x > 0, else alpha * (exp(x / alpha) - 1), of each element x.

    The module of `actgrad.torch.celu`, which has the details.
    """

    alpha: float
    inplace: bool
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ScaledCELU(torch.nn.Module):
    """alpha3 * x where x > 0, else alpha1 * (exp(x / alpha2) - 1), of each element x.

    The module of `actgrad.torch.scaled_celu`, which has the details.
    """

    alpha1: float
    alpha2: float
    alpha3: float
    def __init__(self, alpha1: float = 1.0, alpha2: float = 1.0, alpha3: float = 1.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ELU(torch.nn.Module):
    """The exponential linear unit of each element.

    The module of `actgrad.torch.elu`, which has the details.
    """

    alpha: float
    inplace: bool
    scale: float
    input_scale: float
    save: str
    def __init__(
        self,
        alpha: float = 1.0,
        inplace: bool = False,
        *,
        scale: float = 1.0,
        input_scale: float = 1.0,
        save: str = "auto",
    ) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SELU(torch.nn.Module):
    """The scaled exponential linear unit of each element; integers are rounded to nearest even and saturate.

    The module of `actgrad.torch.selu`, which has the details.
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SiLU(torch.nn.Module):
    """x * sigmoid(x) of each element x.

    The module of `actgrad.torch.silu`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Swish(torch.nn.Module):
    """x * sigmoid(beta * x) of each element x.

    The module of `actgrad.torch.swish`, which has the details.
    """

    beta: float
    def __init__(self, beta: float = 1.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class FastGELU(torch.nn.Module):
    """x * sigmoid(1.702 * x) of each element x, which is near GELU.

    The module of `actgrad.torch.fast_gelu`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class FastGELUV2(torch.nn.Module):
    """x times an approximation of the normal distribution by two parabolas, of each element x.

    The module of `actgrad.torch.fast_gelu_v2`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GELU(torch.nn.Module):
    """The Gaussian error linear unit of each element; approximate is "none" (0) or "tanh" (1).

    The module of `actgrad.torch.gelu`, which has the details.
    """

    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GEGLU(torch.nn.Module):
    """One half of the input along dim times GELU of the other (the upper one, or activate_left the lower):
    GeGLU without its second result, which then costs neither time nor memory.

    The module of `actgrad.torch.geglu`, which has the details.
    """

    dim: int
    approximate: str
    activate_left: bool
    save: str
    def __init__(
        self, dim: int = -1, approximate: str = "none", activate_left: bool = False, *, save: str = "auto"
    ) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GELUMul(torch.nn.Module):
    """GELU of the lower half of the input, times the upper half; approximate is "none" (0) or "tanh" (1).

    The module of `actgrad.torch.gelu_mul`, which has the details.
    """

    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GLU(torch.nn.Module):
    """The lower half of the input along dim, times the logistic function of the upper half.

    The module of `actgrad.torch.glu`, which has the details.
    """

    dim: int
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardshrink(torch.nn.Module):
    """Each element, 0 in place of one of at most lambd in size.

    The module of `actgrad.torch.hardshrink`, which has the details.
    """

    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardsigmoid(torch.nn.Module):
    """alpha * x + beta of each element x, clamped to [0, 1]; that of integers truncated.

    The module of `actgrad.torch.hardsigmoid`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardswish(torch.nn.Module):
    """x * hardsigmoid(x) of each element x.

    The module of `actgrad.torch.hardswish`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LeakyReLU(torch.nn.Module):
    """Each element, where it is not positive times negative_slope.

    The module of `actgrad.torch.leaky_relu`, which has the details.
    """

    negative_slope: float
    inplace: bool
    save: str
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softmax(torch.nn.Module):
    """The powers of e of each row's elements, divided by their sum.

    The module of `actgrad.torch.softmax`, which has the details.
    """

    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LogSoftmax(torch.nn.Module):
    """The logarithm of softmax: each element less the logarithm of the sum of its row's powers of e.

    The module of `actgrad.torch.log_softmax`, which has the details.
    """

    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LogSigmoid(torch.nn.Module):
    """The logarithm of the logistic function of each element.

    The module of `actgrad.torch.logsigmoid`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Mish(torch.nn.Module):
    """x * tanh(softplus(x)) of each element x.

    The module of `actgrad.torch.mish`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class PReLU(torch.nn.PReLU):
    """x where x > 0, else the weight of its channel times x.

    The module of `actgrad.torch.prelu`, which has the details.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ReLU(torch.nn.Module):
    """Each element, 0 in place of a negative one.

    The module of `actgrad.torch.relu`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Threshold(torch.nn.Module):
    """Each element, value in place of one up to threshold.

    The module of `actgrad.torch.threshold`, which has the details.
    """

    threshold: float
    value: float
    inplace: bool
    def __init__(self, threshold: float = 0.0, value: float = 0.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardtanh(torch.nn.Module):
    """Each element, clamped to [min_val, max_val].

    The module of `actgrad.torch.hardtanh`, which has the details.
    """

    min_val: float
    max_val: float
    inplace: bool
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ReLU6(torch.nn.Module):
    """Each element, clamped to [0, 6].

    The module of `actgrad.torch.relu6`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Sigmoid(torch.nn.Module):
    """The logistic function of each element; that of integers in float32.

    The module of `actgrad.torch.sigmoid`, which has the details.
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Tanh(torch.nn.Module):
    """The hyperbolic tangent of each element; that of integers in float32.

    The module of `actgrad.torch.tanh`, which has the details.
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SiTUGLU(torch.nn.Module):
    """beta * tanh(gate / beta) * sigmoid(gate) * up of the halves gate and up of x along dim.
    With linear_beta > 0 up is linear_beta * tanh(up / linear_beta); activate_left: the lower half is the gate.

    The module of `actgrad.torch.situ_glu`, which has the details.
    """

    dim: int
    beta: float
    linear_beta: float
    activate_left: bool
    def __init__(
        self, dim: int = -1, beta: float = 1.0, linear_beta: float = 0.0, activate_left: bool = True
    ) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softplus(torch.nn.Module):
    """log(1 + exp(beta * x)) / beta of each element x; x where beta * x > threshold.

    The module of `actgrad.torch.softplus`, which has the details.
    """

    beta: float
    threshold: float
    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class BNLL(torch.nn.Module):
    """log(1 + exp(x)) of each element x, the binomial normal log likelihood of Caffe.

    The module of `actgrad.torch.bnll`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softshrink(torch.nn.Module):
    """Each element, moved towards 0 by lambd; 0 in place of one of at most lambd in size.

    The module of `actgrad.torch.softshrink`, which has the details.
    """

    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Shrink(torch.nn.Module):
    """Each element, moved towards 0 by bias; 0 in place of one of at most lambd in size.

    The module of `actgrad.torch.shrink`, which has the details.
    """

    lambd: float
    bias: float
    def __init__(self, lambd: float = 0.5, bias: float = 0.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softsign(torch.nn.Module):
    """x / (1 + abs(x)) of each element x.

    The module of `actgrad.torch.softsign`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SquaredReLU(torch.nn.Module):
    """The square of each element, 0 in place of that of a negative one.

    The module of `actgrad.torch.squared_relu`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SwiGLU(torch.nn.Module):
    """SiLU of the lower half of x along dim, times the upper half.

    The module of `actgrad.torch.swiglu`, which has the details.
    """

    dim: int
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...
