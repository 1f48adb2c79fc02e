"""The modules as type checkers and editors see them."""

import torch

__all__ = ["ELU", "GEGLU", "GELU", "SELU", "LeakyReLU"]

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

class LeakyReLU(torch.nn.Module):
    """Each element, where it is not positive times negative_slope.

    The module of `actgrad.torch.leaky_relu`, which has the details.
    """

    negative_slope: float
    inplace: bool
    save: str
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto") -> None: ...
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
