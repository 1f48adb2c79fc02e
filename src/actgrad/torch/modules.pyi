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
    """x if x > 0, else alpha * (exp(x / alpha) - 1)

    The module of `actgrad.torch.celu`, which has the details.
    """

    alpha: float
    inplace: bool
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ScaledCELU(torch.nn.Module):
    """alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)

    The module of `actgrad.torch.scaled_celu`, which has the details.
    """

    alpha1: float
    alpha2: float
    alpha3: float
    def __init__(self, alpha1: float = 1.0, alpha2: float = 1.0, alpha3: float = 1.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ELU(torch.nn.Module):
    """scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)

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
    """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
    1.6732632423543773

    Integers are computed as floats, rounded to the nearest even number, and saturate.

    The module of `actgrad.torch.selu`, which has the details.
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SiLU(torch.nn.Module):
    """x * sigmoid(x)

    The module of `actgrad.torch.silu`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Swish(torch.nn.Module):
    """x * sigmoid(beta * x)

    The module of `actgrad.torch.swish`, which has the details.
    """

    beta: float
    def __init__(self, beta: float = 1.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class FastGELU(torch.nn.Module):
    """x * sigmoid(1.702 * x); close to GELU

    The module of `actgrad.torch.fast_gelu`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class FastGELUV2(torch.nn.Module):
    """x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU

    The module of `actgrad.torch.fast_gelu_v2`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GELU(torch.nn.Module):
    """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x +
    0.044715 * x**3)))

    approximate is 'none' (0) or 'tanh' (1).

    The module of `actgrad.torch.gelu`, which has the details.
    """

    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GEGLU(torch.nn.Module):
    """lower * gelu(upper), where lower and upper are the halves of input along dim; out has half the size
    of input along dim

    This is geglu without its second result, which then costs neither time nor memory.
    activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh
    form.

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
    """gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size
    of input along dim

    approximate='tanh' (1) takes GELU's tanh form.

    The module of `actgrad.torch.gelu_mul`, which has the details.
    """

    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GLU(torch.nn.Module):
    """lower * sigmoid(upper), where lower and upper are the halves of input along dim; out has half the
    size of input along dim

    The module of `actgrad.torch.glu`, which has the details.
    """

    dim: int
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardshrink(torch.nn.Module):
    """x if abs(x) > lambd, else 0

    The module of `actgrad.torch.hardshrink`, which has the details.
    """

    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardsigmoid(torch.nn.Module):
    """min(max(alpha * x + beta, 0), 1)

    Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

    The module of `actgrad.torch.hardsigmoid`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardswish(torch.nn.Module):
    """x * min(max(x + 3, 0), 6) / 6

    The module of `actgrad.torch.hardswish`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LeakyReLU(torch.nn.Module):
    """x if x > 0, else negative_slope * x

    The module of `actgrad.torch.leaky_relu`, which has the details.
    """

    negative_slope: float
    inplace: bool
    save: str
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softmax(torch.nn.Module):
    """exp(x) / sum(exp(x)) along dim

    The module of `actgrad.torch.softmax`, which has the details.
    """

    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LogSoftmax(torch.nn.Module):
    """x - log(sum(exp(x))) along dim

    The module of `actgrad.torch.log_softmax`, which has the details.
    """

    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LogSigmoid(torch.nn.Module):
    """-log(1 + exp(-x))

    The module of `actgrad.torch.logsigmoid`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Mish(torch.nn.Module):
    """x * tanh(log(1 + exp(x)))

    The module of `actgrad.torch.mish`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class PReLU(torch.nn.PReLU):
    """input if input > 0, else weight * input; weight has one element, or one for each channel (dimension
    1 of input)

    The module of `actgrad.torch.prelu`, which has the details.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ReLU(torch.nn.Module):
    """max(x, 0)

    The module of `actgrad.torch.relu`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Threshold(torch.nn.Module):
    """x if x > threshold, else value

    The module of `actgrad.torch.threshold`, which has the details.
    """

    threshold: float
    value: float
    inplace: bool
    def __init__(self, threshold: float = 0.0, value: float = 0.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardtanh(torch.nn.Module):
    """min(max(x, min_val), max_val)

    The module of `actgrad.torch.hardtanh`, which has the details.
    """

    min_val: float
    max_val: float
    inplace: bool
    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ReLU6(torch.nn.Module):
    """min(max(x, 0), 6)

    The module of `actgrad.torch.relu6`, which has the details.
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Sigmoid(torch.nn.Module):
    """1 / (1 + exp(-x))

    Integers give float32.

    The module of `actgrad.torch.sigmoid`, which has the details.
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Tanh(torch.nn.Module):
    """tanh(x)

    Integers give float32.

    The module of `actgrad.torch.tanh`, which has the details.
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SiTUGLU(torch.nn.Module):
    """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of input
    along dim; out has half the size of input along dim

    With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper.
    activate_left=False swaps the roles of lower and upper.

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
    """x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

    The module of `actgrad.torch.softplus`, which has the details.
    """

    beta: float
    threshold: float
    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class BNLL(torch.nn.Module):
    """log(1 + exp(x))

    The module of `actgrad.torch.bnll`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softshrink(torch.nn.Module):
    """sign(x) * max(abs(x) - lambd, 0)

    NaN gives NaN, and 0 on Ascend950.

    The module of `actgrad.torch.softshrink`, which has the details.
    """

    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Shrink(torch.nn.Module):
    """x - bias if x > lambd, x + bias if x < -lambd, else 0

    NaN gives NaN, and 0 on Ascend950.

    The module of `actgrad.torch.shrink`, which has the details.
    """

    lambd: float
    bias: float
    def __init__(self, lambd: float = 0.5, bias: float = 0.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softsign(torch.nn.Module):
    """x / (1 + abs(x))

    The module of `actgrad.torch.softsign`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SquaredReLU(torch.nn.Module):
    """max(x, 0)**2

    The module of `actgrad.torch.squared_relu`, which has the details.
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SwiGLU(torch.nn.Module):
    """silu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size
    of input along dim

    The module of `actgrad.torch.swiglu`, which has the details.
    """

    dim: int
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...
