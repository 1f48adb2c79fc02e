"""The differentiable functions as type checkers and editors see them."""

import torch

__all__ = ["elu", "geglu", "geglu_two", "gelu", "leaky_relu", "selu"]

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

def gelu(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """The Gaussian error linear unit of each element; approximate is "none" (0) or "tanh" (1).

    x * Phi(x), Phi the distribution function of the standard normal distribution

    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3 * x**3)
    """

def geglu(
    input: torch.Tensor,
    dim: int = -1,
    approximate: str = "none",
    activate_left: bool = False,
    *,
    save: str = "auto",
) -> torch.Tensor:
    """One half of the input along dim times GELU of the other (the upper one, or activate_left the lower):
    GeGLU without its second result, which then costs neither time nor memory.

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'gelu'.
    By default it is the input.
    """

def geglu_two(x: torch.Tensor, gate: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """GeGLU of two tensors: self * gelu(gate), of each pair of elements."""
