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

    Args:
        alpha (float): Required: alpha neither 0 nor NaN. Default: 1.0.
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; alpha can be converted to
            float.
        InvalidArgument: a rule on shapes is broken, or a rule on values: alpha neither 0 nor NaN.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if x > 0 else alpha * (exp(x / alpha) - 1)

    Source:
        Barron 2017, https://arxiv.org/abs/1704.07483

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.CELU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    alpha: float
    inplace: bool
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ScaledCELU(torch.nn.Module):
    """alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)

    Args:
        alpha1 (float): Any number. Default: 1.0.
        alpha2 (float): Required: alpha2 neither 0 nor NaN. Default: 1.0.
        alpha3 (float): Any number. Default: 1.0.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; alpha1, alpha2, alpha3 can be
            converted to float.
        InvalidArgument: a rule on shapes is broken, or a rule on values: alpha2 neither 0 nor NaN.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        alpha3 * x if x > 0 else alpha1 * (exp(x / alpha2) - 1)

    Source:
        Barron 2017, https://arxiv.org/abs/1704.07483

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.ScaledCELU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    alpha1: float
    alpha2: float
    alpha3: float
    def __init__(self, alpha1: float = 1.0, alpha2: float = 1.0, alpha3: float = 1.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ELU(torch.nn.Module):
    """scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)

    Args:
        alpha (float): Any number. Default: 1.0.
        inplace (bool): Overwrite the input with the result. Default: False.
        scale (float): Any number. Default: 1.0.
        input_scale (float): Any number. Default: 1.0.
        save (str): Tensor that is saved for backward: 'auto', 'input', 'result'. Default: 'auto'.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result (save='result'), by default in float32 and float64 if alpha >= 0 and scale > 0 and
            input_scale > 0. In float16 and bfloat16 it is saved by default if the gradient needs only signs.
        Otherwise input (save='input').

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; scale, alpha, input_scale can
            be converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        scale * (x if x > 0 else alpha * (exp(input_scale * x) - 1))

    Source:
        Clevert et al. 2016, https://arxiv.org/abs/1511.07289

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.ELU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
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

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.
        save (str): Tensor that is saved for backward: 'auto', 'result', 'input'. Default: 'auto'.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result (save='result'), by default in float32 and float64. In float16 and bfloat16 it is saved by
            default if the gradient needs only signs.
        Otherwise input (save='input').

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        SCALE * (x if x > 0 else ALPHA * (exp(x) - 1)), ALPHA = 1.67326324..., SCALE = 1.05070098...

    Source:
        Klambauer et al. 2017, https://arxiv.org/abs/1706.02515

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.SELU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SiLU(torch.nn.Module):
    """x * sigmoid(x)

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x * sigmoid(x)

    Source:
        Elfwing et al. 2017, https://arxiv.org/abs/1702.03118

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.SiLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Swish(torch.nn.Module):
    """x * sigmoid(beta * x)

    Args:
        beta (float): Any number. Default: 1.0.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; beta can be converted to
            float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x * sigmoid(beta * x)

    Source:
        Ramachandran et al. 2017, https://arxiv.org/abs/1710.05941

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Swish()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    beta: float
    def __init__(self, beta: float = 1.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class FastGELU(torch.nn.Module):
    """x * sigmoid(1.702 * x); close to GELU

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x * sigmoid(1.702 * x)

    Source:
        Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.FastGELU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class FastGELUV2(torch.nn.Module):
    """x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x - x * q if x > 0 else x * q, q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2

    Source:
        Kim et al. 2021 (I-BERT), https://arxiv.org/abs/2101.01321

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.FastGELUV2()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GELU(torch.nn.Module):
    """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    x**3)))

    approximate is 'none' (0) or 'tanh' (1).

    Args:
        approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
        approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
            * x**3)

    Source:
        Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.GELU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GEGLU(torch.nn.Module):
    """lower * gelu(upper), where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    This is geglu without its second result, which then costs neither time nor memory. activate_left=True swaps
    the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

    Args:
        dim (int): Dimension, from -rank to rank - 1. Default: -1.
        approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
        activate_left (bool): Default: False.
        save (str): Tensor that is saved for backward: 'auto', 'input', 'gelu'. Default: 'auto'.

    Shape:
        input (2, 4) -> result (2, 2), for example.
        input has an even size along dim.
        result has the shape of input, halved along dim.
        result has the shape of the result.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.
        Also gelu (save='gelu').

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element, which is multiplied by the other half:
        approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
        approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
            * x**3)

    Source:
        Shazeer 2020, https://arxiv.org/abs/2002.05202

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.GEGLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
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
    """gelu(lower) * upper, where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    approximate='tanh' (1) takes GELU's tanh form.

    Args:
        approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.

    Shape:
        input (2, 4) -> result (2, 2), for example.
        input has an even size along dim.
        result has the shape of the result, or as many elements in a row.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element, which is multiplied by the other half:
        approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
        approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
            * x**3)

    Source:
        Shazeer 2020, https://arxiv.org/abs/2002.05202

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.GELUMul()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class GLU(torch.nn.Module):
    """lower * sigmoid(upper), where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    Args:
        dim (int): Dimension, from -rank to rank - 1. Default: -1.

    Shape:
        input (2, 4) -> result (2, 2), for example.
        input has an even size along dim.
        result has the shape of input, halved along dim.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element, which is multiplied by the other half:
        sigmoid(x)

    Source:
        Dauphin et al. 2017, https://arxiv.org/abs/1612.08083

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.GLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

    dim: int
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardshrink(torch.nn.Module):
    """x if abs(x) > lambd, else 0

    Args:
        lambd (float): Any number. Default: 0.5.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; lambd can be converted to
            float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        0 if abs(x) <= lambd else x

    Source:
        Donoho and Johnstone 1994, https://doi.org/10.1093/biomet/81.3.425

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Hardshrink()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardsigmoid(torch.nn.Module):
    """min(max(alpha * x + beta, 0), 1)

    Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        min(max(alpha * x + beta, 0), 1), where 0 * x is 0 also for infinite x

    Source:
        Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Hardsigmoid()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardswish(torch.nn.Module):
    """x * min(max(x + 3, 0), 6) / 6

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if x >= 3, 0 if x <= -3, else x * (x + 3) / 6

    Source:
        Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Hardswish()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LeakyReLU(torch.nn.Module):
    """x if x > 0, else negative_slope * x

    Args:
        negative_slope (float): Any number. Default: 0.01.
        inplace (bool): Overwrite the input with the result. Default: False.
        save (str): Tensor that is saved for backward: 'auto', 'input', 'result'. Default: 'auto'.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result (save='result'), by default in float32 and float64 if negative_slope >= 0. In float16 and
            bfloat16 it is saved by default if the gradient needs only signs.
        Otherwise input (save='input').

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; negative_slope can be
            converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if x > 0 else negative_slope * x

    Source:
        Maas et al. 2013, https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.LeakyReLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    negative_slope: float
    inplace: bool
    save: str
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softmax(torch.nn.Module):
    """exp(x) / sum(exp(x)) along dim

    Args:
        dim (int | None): Dimension, from -rank to rank - 1. None: PyTorch's choice by the rank, with a warning.
            Default: None.

    Shape:
        input (2, 2) -> result (2, 2), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        exp(x - m) / sum(exp(x - m)), where m is the largest x of the row

    Source:
        Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 4).reshape(2, 2).requires_grad_()
        >>> result = actgrad.torch.Softmax(dim=-1)(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 2]))
    """

    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LogSoftmax(torch.nn.Module):
    """x - log(sum(exp(x))) along dim

    Args:
        dim (int | None): Dimension, from -rank to rank - 1. None: PyTorch's choice by the rank, with a warning.
            Default: None.

    Shape:
        input (2, 2) -> result (2, 2), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x - m - log(sum(exp(x - m))), where m is the largest x of the row

    Source:
        Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 4).reshape(2, 2).requires_grad_()
        >>> result = actgrad.torch.LogSoftmax(dim=-1)(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 2]))
    """

    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class LogSigmoid(torch.nn.Module):
    """-log(1 + exp(-x))

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        log(1 / (1 + exp(-x)))

    Source:
        PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.LogSigmoid()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Mish(torch.nn.Module):
    """x * tanh(log(1 + exp(x)))

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x * tanh(log(1 + exp(x))) = x * (p**2 - 1) / (p**2 + 1), p = 1 + exp(x)

    Source:
        Misra 2019, https://arxiv.org/abs/1908.08681

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Mish()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class PReLU(torch.nn.PReLU):
    """input if input > 0, else weight * input; weight has one element, or one for each channel (dimension 1 of
    input)

    Shape:
        input (2, 2), weight (2,) -> result (2, 2), for example.
        result has the shape of input.
        weight has one element, or those of dimension 1 of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input, weight.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; weight has a supported dtype;
            input and weight are promoted to a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if x > 0 else weight * x

    Source:
        He et al. 2015, https://arxiv.org/abs/1502.01852

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 4).reshape(2, 2).requires_grad_()
        >>> result = actgrad.torch.PReLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 2]))
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class ReLU(torch.nn.Module):
    """max(x, 0)

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if x > 0 else 0

    Source:
        Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.ReLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Threshold(torch.nn.Module):
    """x if x > threshold, else value

    Args:
        threshold (float): Any number. Default: 0.0.
        value (float): Any number. Default: 0.0.
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; threshold, value can be
            converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if x > threshold else value

    Source:
        PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Threshold()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    threshold: float
    value: float
    inplace: bool
    def __init__(self, threshold: float = 0.0, value: float = 0.0, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Hardtanh(torch.nn.Module):
    """min(max(x, min_val), max_val)

    Args:
        min_val (float): Any number. Default: -1.0.
        max_val (float): Any number. Default: 1.0.
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; min_val, max_val can be
            converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        min(max(x, min_val), max_val)

    Source:
        PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Hardtanh()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
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

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        min(max(x, 0), 6)

    Source:
        Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.ReLU6()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Sigmoid(torch.nn.Module):
    """1 / (1 + exp(-x))

    Integers give float32.

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.
        save (str): Tensor that is saved for backward: 'auto', 'result'. Default: 'auto'.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        1 / (1 + exp(-x))

    Source:
        LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Sigmoid()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Tanh(torch.nn.Module):
    """tanh(x)

    Integers give float32.

    Args:
        inplace (bool): Overwrite the input with the result. Default: False.
        save (str): Tensor that is saved for backward: 'auto', 'result'. Default: 'auto'.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        The result.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        tanh(x)

    Source:
        LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Tanh()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    inplace: bool
    save: str
    def __init__(self, inplace: bool = False, *, save: str = "auto") -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SiTUGLU(torch.nn.Module):
    """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of input along dim;
    result has half the size of input along dim

    With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper. activate_left=False
    swaps the roles of lower and upper.

    Args:
        dim (int): Dimension, from -rank to rank - 1. Default: -1.
        beta (float): Any number. Default: 1.0.
        linear_beta (float): Any number. Default: 0.0.
        activate_left (bool): Default: True.

    Shape:
        input (2, 4) -> result (2, 2), for example.
        input has an even size along dim.
        result has the shape of input, halved along dim.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        beta * tanh(gate / beta) * sigmoid(gate) * up
        beta * tanh(gate / beta) * sigmoid(gate) * linear_beta * tanh(up / linear_beta), if linear_beta > 0

    Source:
        CANN, https://github.com/hicann/ops-nn/tree/master/activation/situ_glu

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.SiTUGLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
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

    Args:
        beta (float): Any number. Default: 1.0.
        threshold (float): Any number. Default: 20.0.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; beta, threshold can be
            converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x if beta * x > threshold else log(1 + exp(beta * x)) / beta

    Source:
        Dugas et al. 2001,
            https://papers.nips.cc/paper/1920-incorporating-second-order-functional-knowledge-for-better-option-pricing

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Softplus()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    beta: float
    threshold: float
    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class BNLL(torch.nn.Module):
    """log(1 + exp(x))

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        log(1 + exp(x))

    Source:
        Caffe, https://caffe.berkeleyvision.org/tutorial/layers/bnll.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.BNLL()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softshrink(torch.nn.Module):
    """sign(x) * max(abs(x) - lambd, 0)

    NaN gives NaN, and 0 on Ascend950.

    Args:
        lambd (float): Required: lambd >= 0. Default: 0.5.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; lambd can be converted to
            float.
        InvalidArgument: a rule on shapes is broken, or a rule on values: lambd >= 0.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x - lambd if x > lambd, x + lambd if x < -lambd, else 0
        x - lambd if x > lambd, x + lambd if x < -lambd, else 0 (also for NaN), on Ascend950

    Source:
        Donoho 1995, https://doi.org/10.1109/18.382009

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Softshrink()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Shrink(torch.nn.Module):
    """x - bias if x > lambd, x + bias if x < -lambd, else 0

    NaN gives NaN, and 0 on Ascend950.

    Args:
        lambd (float): Required: lambd >= 0. Default: 0.5.
        bias (float): Any number. Default: 0.0.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; lambd, bias can be converted
            to float.
        InvalidArgument: a rule on shapes is broken, or a rule on values: lambd >= 0.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x - bias if x > lambd, x + bias if x < -lambd, else 0
        x - bias if x > lambd, x + bias if x < -lambd, else 0 (also for NaN), on Ascend950

    Source:
        ONNX, https://onnx.ai/onnx/operators/onnx__Shrink.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Shrink()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    lambd: float
    bias: float
    def __init__(self, lambd: float = 0.5, bias: float = 0.0) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class Softsign(torch.nn.Module):
    """x / (1 + abs(x))

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x / (1 + abs(x))

    Source:
        Turian et al. 2009, https://aclanthology.org/N09-2062

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.Softsign()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SquaredReLU(torch.nn.Module):
    """max(x, 0)**2

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of the result, or as many elements in a row.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        x**2 if x > 0 else 0

    Source:
        So et al. 2021, https://arxiv.org/abs/2109.08668

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.SquaredReLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

    def __init__(self) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...

class SwiGLU(torch.nn.Module):
    """silu(lower) * upper, where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    Args:
        dim (int): Dimension, from -rank to rank - 1. Default: -1.

    Shape:
        input (2, 4) -> result (2, 2), for example.
        input has an even size along dim.
        result has the shape of the result, or as many elements in a row.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element, which is multiplied by the other half:
        x * sigmoid(x)

    Source:
        Shazeer 2020, https://arxiv.org/abs/2002.05202

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.SwiGLU()(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

    dim: int
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: torch.Tensor) -> torch.Tensor: ...
