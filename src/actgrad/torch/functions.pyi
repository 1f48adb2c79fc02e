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

    Source: Barron 2017, https://arxiv.org/abs/1704.07483

    `inplace` overwrites the input with the result.
    """

def scaled_celu(input: torch.Tensor, alpha1: float = 1.0, alpha2: float = 1.0, alpha3: float = 1.0) -> torch.Tensor:
    """alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)

    Source: Barron 2017, https://arxiv.org/abs/1704.07483
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

    Source: Clevert et al. 2016, https://arxiv.org/abs/1511.07289

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def selu(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
    1.6732632423543773

    Integers are computed as floats, rounded to the nearest even number, and saturate.

    Source: Klambauer et al. 2017, https://arxiv.org/abs/1706.02515

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'result', 'input'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def silu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * sigmoid(x)

    Source: Elfwing et al. 2017, https://arxiv.org/abs/1702.03118

    `inplace` overwrites the input with the result.
    """

def swish(input: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    """x * sigmoid(beta * x)

    Source: Ramachandran et al. 2017, https://arxiv.org/abs/1710.05941
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
    """a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit);
    even and odd are the elements of x along dim with even and odd index; out has half the size of x
    along dim

    Before the split, x is flattened from dim on. interleaved=False splits into the lower and the upper
    half instead. clamp_mode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit).
    group_index counts rows (a row is everything behind one index of the dimensions before dim): only
    the first sum(group_index) rows are computed. The other rows are 0 in a new result and unchanged in
    out=.

    Source: OpenAI 2025 (gpt-oss), https://arxiv.org/abs/2508.10925
    """

def erfinv(input: torch.Tensor) -> torch.Tensor:
    """erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1

    Integers give float32.

    Source: Giles 2010, https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf
    """

def fast_gelu(input: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(1.702 * x); close to GELU

    Source: Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415
    """

def fast_gelu_v2(input: torch.Tensor) -> torch.Tensor:
    """x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU

    Source: Kim et al. 2021 (I-BERT), https://arxiv.org/abs/2101.01321
    """

def fatrelu_mul(input: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    """(lower if lower > threshold, else 0) * upper, where lower and upper are the halves of input along
    dim; out has half the size of input along dim

    By the documents' rules (actgrad.rules('document')) the condition is lower >= threshold. threshold
    is a tensor of one element.

    Source: Kurtz et al. 2020, https://proceedings.mlr.press/v119/kurtz20a.html
    """

def fused_bias_leaky_relu(
    input: torch.Tensor, bias: torch.Tensor, negative_slope: float = 0.2, scale: float = 1.414213562373
) -> torch.Tensor:
    """scale * z if z > 0, else scale * negative_slope * z, where z = input + bias; bias has the shape of
    input

    Source: Karras et al. 2020 (StyleGAN2), https://arxiv.org/abs/1912.04958
    """

def gelu(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x +
    0.044715 * x**3)))

    approximate is 'none' (0) or 'tanh' (1).

    Source: Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415
    """

def geglu(
    input: torch.Tensor, dim: int = -1, approximate: str = "none", activate_left: bool = False, *, save: str = "auto"
) -> torch.Tensor:
    """lower * gelu(upper), where lower and upper are the halves of input along dim; out has half the size
    of input along dim

    This is geglu without its second result, which then costs neither time nor memory.
    activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh
    form.

    Source: Shazeer 2020, https://arxiv.org/abs/2002.05202

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'gelu'.
    By default it is the input.
    """

def geglu_two(x: torch.Tensor, gate: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """x * gelu(gate)

    approximate='tanh' (1) takes GELU's tanh form.

    Source: Shazeer 2020, https://arxiv.org/abs/2002.05202
    """

def gelu_mul(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size
    of input along dim

    approximate='tanh' (1) takes GELU's tanh form.

    Source: Shazeer 2020, https://arxiv.org/abs/2002.05202
    """

def glu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """lower * sigmoid(upper), where lower and upper are the halves of input along dim; out has half the
    size of input along dim

    Source: Dauphin et al. 2017, https://arxiv.org/abs/1612.08083
    """

def hardshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """x if abs(x) > lambd, else 0

    Source: Donoho and Johnstone 1994, https://doi.org/10.1093/biomet/81.3.425
    """

def hardsigmoid(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """min(max(alpha * x + beta, 0), 1)

    Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

    Source: Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

    `inplace` overwrites the input with the result.
    """

def hardswish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * min(max(x + 3, 0), 6) / 6

    Source: Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

    `inplace` overwrites the input with the result.
    """

def heaviside(input: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """1 if input > 0, values if input == 0, else 0; also 0 for NaN

    Source: NumPy, https://numpy.org/doc/stable/reference/generated/numpy.heaviside.html
    """

def unit_step(input: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
    """1 if x > threshold, else 0; also 0 for NaN

    Source: CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold
    """

def leaky_relu(
    input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False, *, save: str = "auto"
) -> torch.Tensor:
    """x if x > 0, else negative_slope * x

    Source: Maas et al. 2013, https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'input', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def softmax(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """exp(x) / sum(exp(x)) along dim

    Source: Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

    `dtype` is what the input is converted to first.

    `_stacklevel` is PyTorch's: the line that the warning about a missing `dim` names.
    """

def log_softmax(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """x - log(sum(exp(x))) along dim

    Source: Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

    `dtype` is what the input is converted to first.

    `_stacklevel` is PyTorch's: the line that the warning about a missing `dim` names.
    """

def logsigmoid(input: torch.Tensor) -> torch.Tensor:
    """-log(1 + exp(-x))

    Source: PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html
    """

def mish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """x * tanh(log(1 + exp(x)))

    Source: Misra 2019, https://arxiv.org/abs/1908.08681

    `inplace` overwrites the input with the result.
    """

def prelu(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """input if input > 0, else weight * input; weight has one element, or one for each channel (dimension
    1 of input)

    Source: He et al. 2015, https://arxiv.org/abs/1502.01852
    """

def relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """max(x, 0)

    Source: Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf

    `inplace` overwrites the input with the result.
    """

def threshold(input: torch.Tensor, threshold: float = 0.0, value: float = 0.0, inplace: bool = False) -> torch.Tensor:
    """x if x > threshold, else value

    Source: PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html

    `inplace` overwrites the input with the result.
    """

def add_relu(input: torch.Tensor, other: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """max(input + alpha * other, 0)

    Source: Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf
    """

def hardtanh(input: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """min(max(x, min_val), max_val)

    Source: PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

    `inplace` overwrites the input with the result.
    """

def relu6(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """min(max(x, 0), 6)

    Source: Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf

    `inplace` overwrites the input with the result.
    """

def relu6_d(input: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """min(max(x, 0), 6 * scale)

    Source: Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf
    """

def sigmoid(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """1 / (1 + exp(-x))

    Integers give float32.

    Source: LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def tanh(input: torch.Tensor, inplace: bool = False, *, save: str = "auto") -> torch.Tensor:
    """tanh(x)

    Integers give float32.

    Source: LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

    `inplace` overwrites the input with the result.

    `save` names the tensor that is saved for the gradient: 'auto', 'result'.
    By default it is the result where that suffices: in float32 and float64, and in any
    dtype where the gradient needs only signs. Else it is the input.
    """

def situ_glu(
    input: torch.Tensor, dim: int = -1, beta: float = 1.0, linear_beta: float = 0.0, activate_left: bool = True
) -> torch.Tensor:
    """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of input
    along dim; out has half the size of input along dim

    With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper.
    activate_left=False swaps the roles of lower and upper.

    Source: CANN, https://github.com/hicann/ops-nn/tree/master/activation/situ_glu
    """

def softplus(input: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    """x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

    Source: Dugas et al. 2001, https://papers.nips.cc/paper/1920-incorporating-second-order-functional-knowledge-for-better-option-pricing
    """

def bnll(input: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x))

    Source: Caffe, https://caffe.berkeleyvision.org/tutorial/layers/bnll.html
    """

def softshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """sign(x) * max(abs(x) - lambd, 0)

    NaN gives NaN, and 0 on Ascend950.

    Source: Donoho 1995, https://doi.org/10.1109/18.382009
    """

def shrink(input: torch.Tensor, lambd: float = 0.5, bias: float = 0.0) -> torch.Tensor:
    """x - bias if x > lambd, x + bias if x < -lambd, else 0

    NaN gives NaN, and 0 on Ascend950.

    Source: ONNX, https://onnx.ai/onnx/operators/onnx__Shrink.html
    """

def softsign(input: torch.Tensor) -> torch.Tensor:
    """x / (1 + abs(x))

    Source: Turian et al. 2009, https://aclanthology.org/N09-2062
    """

def squared_relu(input: torch.Tensor) -> torch.Tensor:
    """max(x, 0)**2

    Source: So et al. 2021, https://arxiv.org/abs/2109.08668
    """

def swiglu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """silu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size
    of input along dim

    Source: Shazeer 2020, https://arxiv.org/abs/2002.05202
    """

def swiglu_two(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """x * silu(gate)

    Source: Shazeer 2020, https://arxiv.org/abs/2002.05202
    """

def swiglu_group(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    group_index: torch.Tensor | None = None,
    clamp_limit: float = -1.0,
) -> torch.Tensor:
    """silu(lower) * upper * weight, where lower and upper are the halves of x along the last dimension;
    out has half the size of x there; weight has one element for each row

    Without weight, the factor is 1. With clamp_limit > 0 (c for short), lower becomes min(lower, c) and
    upper becomes clamp(upper, -c, c). group_index counts rows: only the first sum(group_index) rows are
    computed. The other rows are 0 in a new result and unchanged in out=.

    Source: CANN, https://github.com/hicann/ops-nn/tree/master/activation/swiglu_group
    """

def threshold_tensor(input: torch.Tensor, threshold: torch.Tensor, value: torch.Tensor | None = None) -> torch.Tensor:
    """input if input > threshold, else value; the three tensors are broadcast together

    Without value, it is 0.

    Source: CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold_v2
    """
