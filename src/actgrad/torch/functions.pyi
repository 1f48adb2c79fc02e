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
    """x if x > 0, else alpha * (exp(x / alpha) - 1)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.celu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def scaled_celu(input: torch.Tensor, alpha1: float = 1.0, alpha2: float = 1.0, alpha3: float = 1.0) -> torch.Tensor:
    """alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.scaled_celu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
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
    """scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.elu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def selu(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
    1.6732632423543773

    Integers are computed as floats, rounded to the nearest even number, and saturate.

    Args:
        input (torch.Tensor): float32, float16, int8, int32, float64, bfloat16.
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
        >>> result = actgrad.torch.selu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def silu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * sigmoid(x)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.silu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def swish(input: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    """x * sigmoid(beta * x)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.swish(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
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
    """a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit); even and
    odd are the elements of x along dim with even and odd index; result has half the size of x along dim

    Before the split, x is flattened from dim on. interleaved=False splits into the lower and the upper half
    instead. clamp_mode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit). group_index
    counts rows (a row is everything behind one index of the dimensions before dim): only the first
    sum(group_index) rows are computed. The other rows are 0 in a new result and unchanged in result=.

    Args:
        x (torch.Tensor): float32, float16, float64, bfloat16.
        group_index (torch.Tensor): Only the first sum(group_index) rows are computed. Default: None.
        dim (int): Dimension, from -rank to rank - 1. Default: -1.
        alpha (float): Any number. Default: 1.702.
        limit (float): Required: limit > 0 on Ascend950. Default: 7.0.
        bias (float): Any number. Default: 1.0.
        interleaved (bool): Default: True.
        clamp_mode (str or int): 'input' (0), 'swish' (1). Default: 'input'.

    Shape:
        x (2, 4) -> result (2, 2), for example.
        x has an even size along dim.
        group_index has one dimension.
        result has the shape of x, halved along dim.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        x, group_index.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: x has a supported dtype; group_index is int64.
        InvalidArgument: a rule on shapes is broken, or a rule on values: limit > 0 on Ascend950.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        clamp_mode='input': swish(min(a, limit), alpha) * (clamp(b, limit) + bias)
        clamp_mode='swish': min(silu(a), limit) * clamp(b, limit)

    Source:
        OpenAI 2025 (gpt-oss), https://arxiv.org/abs/2508.10925

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> x = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.clipped_swiglu(x)
        >>> result.sum().backward()
        >>> result.shape, x.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def erfinv(input: torch.Tensor) -> torch.Tensor:
    """erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1

    Integers give float32.

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16.

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
        y with erf(y) = x; NaN where abs(x) > 1

    Source:
        Giles 2010, https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.erfinv(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def fast_gelu(input: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(1.702 * x); close to GELU

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> result = actgrad.torch.fast_gelu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def fast_gelu_v2(input: torch.Tensor) -> torch.Tensor:
    """x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> result = actgrad.torch.fast_gelu_v2(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def fatrelu_mul(input: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    """(lower if lower > threshold, else 0) * upper, where lower and upper are the halves of input along dim;
    result has half the size of input along dim

    By the documents' rules (actgrad.rules('document')) the condition is lower >= threshold. threshold is a
    tensor of one element.

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        threshold (torch.Tensor): float32, float16, float64, bfloat16.

    Shape:
        input (2, 4), threshold (1,) -> result (2, 2), for example.
        threshold has one element.
        input has an even size along dim.
        result has the shape of the result, or as many elements in a row.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input, threshold. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; threshold has the dtype of
            input.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        (a if a > threshold else 0) * b
        (a if a >= threshold else 0) * b, by the documents' rules

    Source:
        Kurtz et al. 2020, https://proceedings.mlr.press/v119/kurtz20a.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> threshold = torch.full((1,), 0.5)
        >>> result = actgrad.torch.fatrelu_mul(input, threshold)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def fused_bias_leaky_relu(
    input: torch.Tensor, bias: torch.Tensor, negative_slope: float = 0.2, scale: float = 1.414213562373
) -> torch.Tensor:
    """scale * z if z > 0, else scale * negative_slope * z, where z = input + bias; bias has the shape of input

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        bias (torch.Tensor): float32, float16, float64, bfloat16.
        negative_slope (float): Any number. Default: 0.2.
        scale (float): Any number. Default: 1.414213562373.

    Shape:
        input (5,), bias (5,) -> result (5,), for example.
        bias has the shape of input.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input, bias. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; bias has the dtype of input;
            negative_slope, scale can be converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        scale * leaky_relu(x + bias, negative_slope)

    Source:
        Karras et al. 2020 (StyleGAN2), https://arxiv.org/abs/1912.04958

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.full((5,), 0.5)
        >>> bias = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.fused_bias_leaky_relu(input, bias)
        >>> result.sum().backward()
        >>> result.shape, bias.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def gelu(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    x**3)))

    approximate is 'none' (0) or 'tanh' (1).

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.gelu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def geglu(
    input: torch.Tensor, dim: int = -1, approximate: str = "none", activate_left: bool = False, *, save: str = "auto"
) -> torch.Tensor:
    """lower * gelu(upper), where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    This is geglu without its second result, which then costs neither time nor memory. activate_left=True swaps
    the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.geglu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def geglu_two(x: torch.Tensor, gate: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """x * gelu(gate)

    approximate='tanh' (1) takes GELU's tanh form.

    Args:
        x (torch.Tensor): float32, float16, float64, bfloat16.
        gate (torch.Tensor): float32, float16, float64, bfloat16.
        approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.

    Shape:
        x (5,), gate (5,) -> result (5,), for example.
        gate has the shape of x.
        result has the shape of x.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        x, gate.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: x has a supported dtype; gate has the dtype of x.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element, which is multiplied by x:
        approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
        approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
            * x**3)

    Source:
        Shazeer 2020, https://arxiv.org/abs/2002.05202

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> x = torch.full((5,), 0.5)
        >>> gate = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.geglu_two(x, gate)
        >>> result.sum().backward()
        >>> result.shape, gate.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def gelu_mul(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """gelu(lower) * upper, where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    approximate='tanh' (1) takes GELU's tanh form.

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.gelu_mul(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def glu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """lower * sigmoid(upper), where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.glu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def hardshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """x if abs(x) > lambd, else 0

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.hardshrink(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def hardsigmoid(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """min(max(alpha * x + beta, 0), 1)

    Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

    Args:
        input (torch.Tensor): float32, float16, int32, float64, bfloat16.
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
        >>> result = actgrad.torch.hardsigmoid(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def hardswish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * min(max(x + 3, 0), 6) / 6

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.hardswish(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def heaviside(input: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """1 if input > 0, values if input == 0, else 0; also 0 for NaN

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        values (torch.Tensor): float32, float16, float64, bfloat16.

    Shape:
        input (5,), values (5,) -> result (5,), for example.
        values can be broadcast with input.
        result has the shape of the result, or as many elements in a row.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input, values. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; values has a supported dtype.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        1 if x > 0, value if x == 0, else 0, also for NaN

    Source:
        NumPy, https://numpy.org/doc/stable/reference/generated/numpy.heaviside.html

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.full((5,), 0.5)
        >>> values = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.heaviside(input, values)
        >>> result.sum().backward()
        >>> result.shape, values.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def unit_step(input: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
    """1 if x > threshold, else 0; also 0 for NaN

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        threshold (float): Any number. Default: 0.0.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; threshold can be converted to
            float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        1 if x > threshold else 0, also for NaN

    Source:
        CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.unit_step(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def leaky_relu(
    input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto"
) -> torch.Tensor:
    """x if x > 0, else negative_slope * x

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.leaky_relu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def softmax(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """exp(x) / sum(exp(x)) along dim

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        dim (int | None): Dimension, from -rank to rank - 1. None: PyTorch's choice by the rank, with a warning.
            Default: None.
        _stacklevel (int): Line that the warning about a missing dim names, as in PyTorch. Default: 3.
        dtype (torch.dtype | None): Data type that the input is converted to first. Default: None.

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
        >>> result = actgrad.torch.softmax(input, dim=-1)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 2]))
    """

def log_softmax(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """x - log(sum(exp(x))) along dim

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        dim (int | None): Dimension, from -rank to rank - 1. None: PyTorch's choice by the rank, with a warning.
            Default: None.
        _stacklevel (int): Line that the warning about a missing dim names, as in PyTorch. Default: 3.
        dtype (torch.dtype | None): Data type that the input is converted to first. Default: None.

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
        >>> result = actgrad.torch.log_softmax(input, dim=-1)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 2]))
    """

def logsigmoid(input: torch.Tensor) -> torch.Tensor:
    """-log(1 + exp(-x))

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> result = actgrad.torch.logsigmoid(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def mish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * tanh(log(1 + exp(x)))

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.mish(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def prelu(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """input if input > 0, else weight * input; weight has one element, or one for each channel (dimension 1 of
    input)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
        weight (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> weight = torch.full((2,), 0.5)
        >>> result = actgrad.torch.prelu(input, weight)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 2]))
    """

def relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """max(x, 0)

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
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
        >>> result = actgrad.torch.relu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def threshold(input: torch.Tensor, threshold: float = 0.0, value: float = 0.0, inplace: bool = False) -> torch.Tensor:
    """x if x > threshold, else value

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int16, int64, float64, bfloat16.
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
        >>> result = actgrad.torch.threshold(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def add_relu(input: torch.Tensor, other: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """max(input + alpha * other, 0)

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int16, int64, float64, bfloat16.
        other (torch.Tensor): float32, float16, int8, int32, uint8, int16, int64, float64, bfloat16.
        alpha (float): Any number. Default: 1.0.

    Shape:
        input (5,), other (5,) -> result (5,), for example.
        other can be broadcast with input.
        result has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input, other. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; other has a supported dtype;
            input and other are promoted to a supported dtype; alpha can be converted to float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        relu(x + alpha * y)

    Source:
        Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.full((5,), 0.5)
        >>> other = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.add_relu(input, other)
        >>> result.sum().backward()
        >>> result.shape, other.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def hardtanh(input: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """min(max(x, min_val), max_val)

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.hardtanh(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def relu6(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """min(max(x, 0), 6)

    Args:
        input (torch.Tensor): float32, float16, int32, float64, bfloat16.
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
        >>> result = actgrad.torch.relu6(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def relu6_d(input: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """min(max(x, 0), 6 * scale)

    Args:
        input (torch.Tensor): float32, float16, int32, float64, bfloat16.
        scale (float): Any number. Default: 1.0.

    Shape:
        input (5,) -> result (5,), for example.
        result has the shape of input.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; scale can be converted to
            float.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        min(max(x, 0), 6 * scale)

    Source:
        Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.relu6_d(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def sigmoid(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """1 / (1 + exp(-x))

    Integers give float32.

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int16, int64, float64, bool, complex64,
            complex128, bfloat16.
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
        >>> result = actgrad.torch.sigmoid(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def tanh(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """tanh(x)

    Integers give float32.

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int16, int64, float64, bool, complex64,
            complex128, bfloat16.
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
        >>> result = actgrad.torch.tanh(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def situ_glu(
    input: torch.Tensor, dim: int = -1, beta: float = 1.0, linear_beta: float = 0.0, activate_left: bool = True
) -> torch.Tensor:
    """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of input along dim;
    result has half the size of input along dim

    With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper. activate_left=False
    swaps the roles of lower and upper.

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.situ_glu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def softplus(input: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    """x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.softplus(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def bnll(input: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x))

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> result = actgrad.torch.bnll(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def softshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """sign(x) * max(abs(x) - lambd, 0)

    NaN gives NaN, and 0 on Ascend950.

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.softshrink(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def shrink(input: torch.Tensor, lambd: float = 0.5, bias: float = 0.0) -> torch.Tensor:
    """x - bias if x > lambd, x + bias if x < -lambd, else 0

    NaN gives NaN, and 0 on Ascend950.

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.shrink(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def softsign(input: torch.Tensor) -> torch.Tensor:
    """x / (1 + abs(x))

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> result = actgrad.torch.softsign(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def squared_relu(input: torch.Tensor) -> torch.Tensor:
    """max(x, 0)**2

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.

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
        >>> result = actgrad.torch.squared_relu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def swiglu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """silu(lower) * upper, where lower and upper are the halves of input along dim; result has half the size of
    input along dim

    Args:
        input (torch.Tensor): float32, float16, float64, bfloat16.
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
        >>> result = actgrad.torch.swiglu(input)
        >>> result.sum().backward()
        >>> result.shape, input.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def swiglu_two(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """x * silu(gate)

    Args:
        x (torch.Tensor): float32, float16, float64, bfloat16.
        gate (torch.Tensor): float32, float16, float64, bfloat16.

    Shape:
        x (5,), gate (5,) -> result (5,), for example.
        gate has the shape of x.
        result has the shape of x.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        x, gate.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: x has a supported dtype; gate has the dtype of x.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element, which is multiplied by x:
        x * sigmoid(x)

    Source:
        Shazeer 2020, https://arxiv.org/abs/2002.05202

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> x = torch.full((5,), 0.5)
        >>> gate = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.swiglu_two(x, gate)
        >>> result.sum().backward()
        >>> result.shape, gate.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """

def swiglu_group(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    group_index: torch.Tensor | None = None,
    clamp_limit: float = -1.0,
) -> torch.Tensor:
    """silu(lower) * upper * weight, where lower and upper are the halves of x along the last dimension; result has
    half the size of x there; weight has one element for each row

    Without weight, the factor is 1. With clamp_limit > 0 (c for short), lower becomes min(lower, c) and upper
    becomes clamp(upper, -c, c). group_index counts rows: only the first sum(group_index) rows are computed. The
    other rows are 0 in a new result and unchanged in result=.

    Args:
        x (torch.Tensor): float32, float16, float64, bfloat16.
        weight (torch.Tensor): float32, float16, float64, bfloat16. Default: None.
        group_index (torch.Tensor): Only the first sum(group_index) rows are computed. Default: None.
        clamp_limit (float): Required: clamp_limit -1 or > 0. Default: -1.0.

    Shape:
        x (2, 4) -> result (2, 2), for example.
        x has an even size along dim.
        weight has one element for each row of x.
        group_index has one dimension.
        group_index has at least 1 elements.
        result has the shape of x, halved along dim.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        x, weight, group_index. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: x has a supported dtype; weight is float32; group_index is
            int64.
        InvalidArgument: a rule on shapes is broken, or a rule on values: clamp_limit -1 or > 0.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        without weight: silu(min(a, c)) * min(max(b, -c), c), c = clamp_limit if clamp_limit > 0 else infinity
        with weight: silu(min(a, c)) * min(max(b, -c), c) * weight, c = clamp_limit if clamp_limit > 0 else
            infinity

    Source:
        CANN, https://github.com/hicann/ops-nn/tree/master/activation/swiglu_group

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> x = torch.linspace(-2, 2, 8).reshape(2, 4).requires_grad_()
        >>> result = actgrad.torch.swiglu_group(x)
        >>> result.sum().backward()
        >>> result.shape, x.grad.shape
        (torch.Size([2, 2]), torch.Size([2, 4]))
    """

def threshold_tensor(input: torch.Tensor, threshold: torch.Tensor, value: torch.Tensor | None = None) -> torch.Tensor:
    """input if input > threshold, else value; the three tensors are broadcast together

    Without value, it is 0.

    Args:
        input (torch.Tensor): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
        threshold (torch.Tensor): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
        value (torch.Tensor): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Default: None.

    Shape:
        input (5,), threshold (5,) -> result (5,), for example.
        input, threshold, value can be broadcast together.
        result has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        result (torch.Tensor)

    Saved for backward:
        input, threshold, value. PyTorch differentiates the formula.

    Raises:
        TypeError: an argument is missing or unknown.
        InvalidDtype: a rule on data types is broken: input has a supported dtype; threshold has the dtype of
            input; value has the dtype of input.
        InvalidArgument: a rule on shapes is broken.
        UnsupportedOnProduct: the chosen product lacks the operator.

    One element:
        without value: x if x > threshold else 0
        with value: x if x > threshold else value

    Source:
        CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold_v2

    Example:
        >>> import torch
        >>> import actgrad.torch
        >>> input = torch.full((5,), 0.5)
        >>> threshold = torch.linspace(-2, 2, 5).requires_grad_()
        >>> result = actgrad.torch.threshold_tensor(input, threshold)
        >>> result.sum().backward()
        >>> result.shape, threshold.grad.shape
        (torch.Size([5]), torch.Size([5]))
    """
