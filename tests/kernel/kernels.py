"""The kernels of the folder `kernels`: arguments, oracle, tiling data and tolerance of each.

An oracle computes in float64 with NumPy and SciPy and knows nothing of the package. A tolerance has two parts. `ulps`
counts units in the last place of the result. `cancels` counts units in the last place of `scale`, because some formulas
subtract numbers that are larger than their result. Both are units of the dtype that the kernel computes in. A result of
a narrower dtype may also be off by half of its own unit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from scipy import special

FOLDER = Path(__file__).parent / "kernels"
SIZES = (1, 7, 31, 32, 33, 255, 4096, 100_003)
BLOCKS = (1, 3, 8)
NUMPY = {
    "float32": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "int32": np.dtype(np.int32),
    "uint8": np.dtype(np.uint8),
}
C_TYPES = {"float32": "float", "float16": "half", "bfloat16": "bfloat16_t", "int32": "int32_t", "uint8": "uint8_t"}
MANTISSA_BITS = {"float32": 23, "float16": 10, "bfloat16": 7}
SMALLEST_EXPONENT = {"float32": -126, "float16": -14, "bfloat16": -126}

Shape = tuple[int, ...]
Array = np.ndarray


def flat(size: int) -> Shape:
    return (size,)


@dataclass(frozen=True)
class Argument:
    """A parameter of a kernel. `role` is "in", "out", "zeroed" (an output that starts at 0) or "scratch" (the same, but
    nobody compares it)."""

    name: str
    role: str = "in"
    shape: Callable[[int], Shape] = flat
    dtype: str | None = None  # None: the dtype of the case


@dataclass(frozen=True)
class OwnKernel:
    file: str
    oracle: Callable[..., tuple[Array, ...]]  # float64 inputs -> the outputs
    tiling: Callable[[int, int, int], dict[str, Any]]  # size, blocks, bytes of an element -> fields
    struct: str
    ulps: float
    reason: str  # why the tolerance is what it is
    arguments: tuple[Argument, ...] = (Argument("x"), Argument("y", "out"))
    cancels: float = 0.0
    scale: Callable[..., tuple[Array, ...]] | None = None  # float64 inputs -> magnitudes; None: 1.0
    floor: float = 0.0  # an error that is always right: exp(-x) of x / (1 + exp(-x)) overflows below -88.7
    entry: str = ""  # "": the name of the file
    dtypes: tuple[str, ...] = ("float32",)
    computes_in: str | None = "float32"  # None: in the dtype of the case
    key: int | None = None
    workspace: Callable[[int], int] = lambda blocks: 0
    product: str = "Ascend910B"
    halves: bool = False  # runs over all 65,536 halves
    nan_is_open: bool = False  # the documents do not say what its Max, Min or Compare do with NaN
    values: Callable[[np.random.Generator, Shape], Array] | None = None

    @property
    def name(self) -> str:
        return f"{self.entry or self.file}{'' if self.key is None else f'-{self.key}'}"

    def defines(self, dtype: str) -> dict[str, str]:
        """DTYPE_X and the like, as an operator project's build gives them."""
        return {f"DTYPE_{a.name.upper()}": C_TYPES[a.dtype or dtype] for a in self.arguments}

    def allowed(self, exact: Array, scale: Array, dtype: str) -> Array:
        """The largest error that is right for each element of a result."""
        computed = self.computes_in or dtype
        allowed = self.ulps * _ulp(exact, computed) + self.cancels * 2.0 ** -MANTISSA_BITS[computed] * scale
        if computed != dtype:
            allowed = allowed + 0.5 * _ulp(exact, dtype)
        # Whether subnormal numbers are flushed is an assumption of the run.
        return allowed + self.floor + 2.0 ** SMALLEST_EXPONENT[computed]


def _ulp(exact: Array, dtype: str) -> Array:
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(exact), np.abs(exact), 1.0))
    exponent = np.maximum(exponent - 1, SMALLEST_EXPONENT[dtype])
    return np.ldexp(1.0, exponent - MANTISSA_BITS[dtype])


def float_values(rng: np.random.Generator, shape: Shape) -> Array:
    """Numbers around 0, of which some are large or tiny, and the points where activations bend."""
    x = rng.normal(0.0, 3.0, shape)
    scattered = rng.random(shape)
    x = np.where(scattered < 0.05, x * 30.0, x)
    x = np.where(scattered > 0.95, x * 1e-3, x)
    special_points = np.array([0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 0.5, -0.5, 20.0, -80.0])
    if x.size >= 31:
        x.reshape(-1)[: special_points.size] = special_points
    return x


def integer_values(rng: np.random.Generator, shape: Shape) -> Array:
    return rng.integers(-(2**31), 2**31, shape)


# How blocks share the work


def share(total: int, blocks: int, align: int = 1) -> int:
    """Elements of a block, rounded up to `align`; the last blocks may have fewer or none."""
    each = -(-total // blocks)
    return -(-each // align) * align


def elementwise(tile: int, align: int = 1, **attributes: Any) -> Callable[[int, int, int], dict[str, Any]]:
    def tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
        return {"total": size, "perBlock": share(size, blocks, align), "tile": tile, **attributes}

    return tiling


def leaky_relu_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    pieces, rest = divmod(size, 32 // itemsize)
    small, big_cores = divmod(pieces, blocks)
    return {"smallPieces": small, "bigCores": big_cores, "rest": rest, "tilePieces": 128, "slope": SLOPE}


def gated_shape(size: int) -> Shape:
    """Few long rows, or many short ones where a row would have more than 4,096 elements."""
    return (5, size) if size <= 4096 else (size, 3)


def wide_shape(size: int) -> Shape:
    return (3, size)


def doubled(shape: Callable[[int], Shape]) -> Callable[[int], Shape]:
    return lambda size: (shape(size)[0], 2 * shape(size)[1])


def gated_tiling(shape: Callable[[int], Shape], elements: int) -> Callable[[int, int, int], dict[str, Any]]:
    """`elements` is the size of a buffer."""

    def tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
        rows, cols = shape(size)
        tile_cols = min(cols, elements)
        pitch = -(-tile_cols // 64) * 64
        per_block = share(rows, blocks)
        tile_rows = max(1, min(elements // pitch, 4095)) if tile_cols == cols else 1
        return {
            "rows": rows,
            "rowsPerBlock": per_block,
            "cols": cols,
            "tileRows": tile_rows,
            "tileCols": tile_cols,
            "pitch": pitch,
        }

    return tiling


def rows_tiling(shape: Callable[[int], Shape], tile: int) -> Callable[[int, int, int], dict[str, Any]]:
    def tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
        rows, cols = shape(size)
        return {"rows": rows, "rowsPerBlock": share(rows, blocks), "cols": cols, "tile": tile}

    return tiling


def softmax_shape(size: int) -> Shape:
    return (7, size) if size <= 4096 else (size, 3)


def prelu_shape(size: int) -> Shape:
    return (2, 5, size)


def prelu_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    rows, channels, inner = prelu_shape(size)
    pieces = rows * channels
    return {
        "pieces": pieces,
        "perBlock": share(pieces, blocks),
        "channels": channels,
        "inner": inner,
        "tile": 2048,
    }


def pairs_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    return {"pairs": size, "pairsPerBlock": share(size, blocks), "tilePairs": 1024}


def transposed_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    return {"cols": size, "colsPerBlock": share(size, blocks), "tile": 512, "slope": SLOPE}


def rms_norm_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    rows, cols = softmax_shape(size)
    inverse = float(np.float32(1.0 / cols))
    return {"rows": rows, "rowsPerBlock": share(rows, blocks), "cols": cols, "inverseCols": inverse, "epsilon": EPSILON}


def add_brief_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    return {"rows": size, "rowsPerBlock": share(size, blocks), "tile": 40}


def glu_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    return {"pairs": size, "perBlock": share(size, blocks), "tile": 1024}


def celu_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    return {"total": size, "tile": 1000, "alpha": CELU_ALPHA}


def swish_tiling(size: int, blocks: int, itemsize: int) -> dict[str, Any]:
    return {**elementwise(2048)(size, blocks, itemsize), "hasBeta": 1, "beta": BETA, "unused": [0, 0, 0]}


# Attributes off their defaults. Kernels that compute in half need numbers that half has.

ALPHA, SCALE, INPUT_SCALE = 1.25, 0.75, 1.5
CELU_ALPHA = 1.75
SLOPE = float(np.float16(0.3))
BETA = 1.375
SOFTPLUS_BETA, SOFTPLUS_THRESHOLD = 1.5, 12.0
THRESHOLD, VALUE = 0.625, -7.5
LAMBD = 0.75
HARDSIGMOID_ALPHA, HARDSIGMOID_BETA = 0.1875, 0.375
SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
LOW, HIGH = -1.5, 2.25
EPSILON = float(np.float32(1e-5))


# Oracles


def elu(x: Array) -> tuple[Array, ...]:
    return (SCALE * np.where(x > 0, x, ALPHA * np.expm1(INPUT_SCALE * np.minimum(x, 0))),)


def elu_backward(grad: Array, x: Array) -> tuple[Array, ...]:
    slope = ALPHA * SCALE * INPUT_SCALE * np.exp(INPUT_SCALE * np.minimum(x, 0))
    return (grad * np.where(x > 0, SCALE, slope),)


def elu_backward_from_result(grad: Array, y: Array) -> tuple[Array, ...]:
    return (grad * np.where(y > 0, SCALE, INPUT_SCALE * (y + SCALE * ALPHA)),)


def selu(x: Array) -> tuple[Array, ...]:
    return (SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, 0))),)


def selu_backward(grad: Array, y: Array) -> tuple[Array, ...]:
    return (grad * np.where(y > 0, SELU_SCALE, y + SELU_SCALE * SELU_ALPHA),)


def leaky_relu(x: Array) -> tuple[Array, ...]:
    return (np.where(x >= 0, x, SLOPE * x),)


def leaky_relu_backward(grad: Array, x: Array) -> tuple[Array, ...]:
    return (np.where(x > 0, grad, SLOPE * grad),)


def gelu_tanh(x: Array) -> tuple[Array, ...]:
    return (x * special.expit(1.5957691216057308 * (x + 0.044715 * x**3)),)


def gelu_erf(x: Array) -> tuple[Array, ...]:
    return (x * 0.5 * special.erfc(-x / np.sqrt(2.0)),)


def silu(x: Array) -> tuple[Array, ...]:
    return (x * special.expit(x),)


def swish(x: Array) -> tuple[Array, ...]:
    return (x * special.expit(BETA * x),)


def mish(x: Array) -> tuple[Array, ...]:
    return (x * np.tanh(np.logaddexp(x, 0.0)),)


def softplus(x: Array) -> tuple[Array, ...]:
    z = SOFTPLUS_BETA * x
    return (np.where(z > SOFTPLUS_THRESHOLD, x, np.logaddexp(z, 0.0) / SOFTPLUS_BETA),)


def hardswish(x: Array) -> tuple[Array, ...]:
    return (x * np.clip(x + 3.0, 0.0, 6.0) / 6.0,)


def hardsigmoid(x: Array) -> tuple[Array, ...]:
    return (np.clip(HARDSIGMOID_ALPHA * x + HARDSIGMOID_BETA, 0.0, 1.0),)


def sigmoid(x: Array) -> tuple[Array, ...]:
    return (special.expit(x),)


def tanh(x: Array) -> tuple[Array, ...]:
    return (np.tanh(x),)


def celu(x: Array) -> tuple[Array, ...]:
    return (np.maximum(x, 0) + np.minimum(CELU_ALPHA * np.expm1(np.minimum(x, 0) / CELU_ALPHA), 0),)


def threshold(x: Array) -> tuple[Array, ...]:
    return (np.where(x > THRESHOLD, x, VALUE),)


def hardshrink(x: Array) -> tuple[Array, ...]:
    return (np.where(np.abs(x) > LAMBD, x, 0.0),)


def softshrink(x: Array) -> tuple[Array, ...]:
    return (np.maximum(x - LAMBD, 0) + np.minimum(x + LAMBD, 0),)


def relu(x: Array) -> tuple[Array, ...]:
    return (np.maximum(x, 0),)


def relu_mask(x: Array) -> tuple[Array, ...]:
    return np.maximum(x, 0), np.packbits(x > 0, bitorder="little")


def prelu(x: Array, weight: Array) -> tuple[Array, ...]:
    return (np.where(x > 0, x, weight[:, None] * x),)


def swiglu(x: Array) -> tuple[Array, ...]:
    a, b = np.split(x, 2, axis=1)
    return (a * special.expit(a) * b,)


def swiglu_backward(grad: Array, x: Array) -> tuple[Array, ...]:
    a, b = np.split(x, 2, axis=1)
    s = special.expit(a)
    return (np.concatenate([grad * b * s * (1 + a * special.expit(-a)), grad * a * s], axis=1),)


def geglu(x: Array) -> tuple[Array, ...]:
    a, b = np.split(x, 2, axis=1)
    return a * gelu_tanh(b)[0], gelu_tanh(b)[0]


def softmax(x: Array) -> tuple[Array, ...]:
    return (special.softmax(x, axis=1),)


def log_softmax(x: Array) -> tuple[Array, ...]:
    return (special.log_softmax(x, axis=1),)


def softmax_flat(x: Array) -> tuple[Array, ...]:
    return (special.softmax(x),)


def row_sums(x: Array) -> tuple[Array, ...]:
    return (x.sum(axis=1),)


def sum_atomic(x: Array) -> tuple[Array, ...]:
    return (np.concatenate([[x.sum()], np.zeros(7)]),)


def absmax_scale(x: Array) -> tuple[Array, ...]:
    largest = np.abs(x).max()
    return x / largest, np.array([largest])


def swiglu_interleaved(x: Array) -> tuple[Array, ...]:
    gate, value = x[0::2], x[1::2]
    return (gate * special.expit(gate) * value,)


def flip(x: Array) -> tuple[Array, ...]:
    return (x[::-1],)


def leaky_relu_transposed(x: Array) -> tuple[Array, ...]:
    return (leaky_relu(x.T)[0],)


def hardtanh(x: Array) -> tuple[Array, ...]:
    return (np.clip(x, LOW, HIGH),)


def logsigmoid(x: Array) -> tuple[Array, ...]:
    return (-np.logaddexp(0.0, -x),)


def softsign(x: Array) -> tuple[Array, ...]:
    return (x / (1.0 + np.abs(x)),)


def rms_norm(x: Array, gamma: Array) -> tuple[Array, ...]:
    return (x / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON) * gamma,)


def shift_relu(x: Array) -> tuple[Array, ...]:
    return (np.where(x < 0, x >> 3, x),)


def glu(x: Array, slopes: Array) -> tuple[Array, ...]:
    y = x[0::2] * special.expit(x[1::2])
    return (np.where(y > 0, y, slopes * y),)


def add_brief(x: Array, shift: Array) -> tuple[Array, ...]:
    return (np.clip(3.0 * x + shift, -4.0, 4.0),)


def add_brief_scale(x: Array, shift: Array) -> tuple[Array, ...]:
    return (3.0 * np.abs(x),)


# Scales


def gradient_scale(grad: Array, saved: Array) -> tuple[Array, ...]:
    return (np.abs(grad) * (1 + np.abs(saved)),)


def times_exponent(oracle: Callable[..., tuple[Array, ...]], factor: float = 1.0) -> Callable[..., tuple[Array, ...]]:
    """The result times the argument of exp, whose rounding error exp multiplies."""
    return lambda x: tuple(np.abs(result) * (1 + factor * np.abs(x)) for result in oracle(x))


def gelu_scale(x: Array) -> tuple[Array, ...]:
    return (np.abs(gelu_tanh(x)[0]) * (1 + 1.6 * np.abs(x) * (1 + 0.045 * x * x)),)


def geglu_scale(x: Array) -> tuple[Array, ...]:
    a, b = np.split(x, 2, axis=1)
    scale = gelu_scale(b)[0]
    return np.abs(a) * scale, scale


def input_scale(x: Array) -> tuple[Array, ...]:
    return (np.abs(x),)


def swiglu_backward_scale(grad: Array, x: Array) -> tuple[Array, ...]:
    a, b = np.split(x, 2, axis=1)
    s = special.expit(a)
    common = np.abs(grad) * s * (1 + np.abs(a))
    return (np.concatenate([common * np.abs(b) * (1 + np.abs(a)), common * np.abs(a)], axis=1),)


def softmax_scale(x: Array) -> tuple[Array, ...]:
    return (softmax(x)[0] * (1 + x.max(axis=1, keepdims=True) - x),)


def softmax_flat_scale(x: Array) -> tuple[Array, ...]:
    return (special.softmax(x) * (1 + x.max() - x),)


def largest_of_row(x: Array) -> tuple[Array, ...]:
    return (np.abs(x).max(axis=1, keepdims=True) + np.zeros_like(x) + np.log(x.shape[1]),)


def sum_of_parts(x: Array) -> tuple[Array, ...]:
    return (np.abs(x).sum(axis=1),)


def sum_of_all(x: Array) -> tuple[Array, ...]:
    return (np.full(8, np.abs(x).sum()),)


# The table

IN_OUT = (Argument("x"), Argument("y", "out"))
GATED = (Argument("x", "in", doubled(gated_shape)), Argument("y", "out", gated_shape))
FLOATS = ("float32", "float16", "bfloat16")
EXPM1 = "exp(z) - 1 is off by up to one unit at 1.0 near z = 0"
INSTRUCTIONS = "each instruction rounds once"
EXACT = "no instruction rounds"
EXPONENT = "the error of an argument of exp grows with the argument"

ELU = {"alpha": ALPHA, "scale": SCALE, "inputScale": INPUT_SCALE}

KERNELS = (
    OwnKernel(
        "elu",
        elu,
        elementwise(2048, **ELU),
        "EluTilingData",
        3,
        EXPM1,
        cancels=1.5,
        entry="elu<0>",
        dtypes=FLOATS,
        nan_is_open=True,
    ),
    OwnKernel(
        "elu",
        elu,
        elementwise(1920, align=32, **ELU),
        "EluTilingData",
        6,
        "the polynomial of degree 9 and the scaling take 30 roundings, most of them far below the result",
        entry="elu<1>",
        dtypes=FLOATS,
        halves=True,
        nan_is_open=True,
    ),
    OwnKernel(
        "elu_backward",
        elu_backward,
        elementwise(1024, **ELU),
        "EluTilingData",
        4,
        EXPONENT,
        arguments=(Argument("grads"), Argument("x"), Argument("y", "out")),
        dtypes=FLOATS,
        key=1,
        cancels=1,
        scale=gradient_scale,
    ),
    OwnKernel(
        "elu_backward",
        elu_backward_from_result,
        elementwise(1024, **ELU),
        "EluTilingData",
        3,
        "the sum of result and scale * alpha cancels, in units of the gradient",
        arguments=(Argument("grads"), Argument("x"), Argument("y", "out")),
        dtypes=("float32", "float16"),
        key=2,
        cancels=1,
        scale=gradient_scale,
    ),
    OwnKernel(
        "selu",
        selu,
        elementwise(4096),
        "SeluTilingData",
        3,
        EXPM1,
        cancels=2.0,
        dtypes=FLOATS,
        halves=True,
        nan_is_open=True,
    ),
    OwnKernel(
        "selu_backward",
        selu_backward,
        elementwise(2048),
        "SeluBackwardTilingData",
        2,
        "the sum of result and scale * alpha cancels, in units of the gradient",
        arguments=(Argument("grad"), Argument("y"), Argument("grad_x", "out")),
        cancels=1,
        scale=gradient_scale,
    ),
    OwnKernel(
        "leaky_relu",
        leaky_relu,
        leaky_relu_tiling,
        "LeakyReluTilingData",
        0.5,
        "one product",
        dtypes=("float32", "float16"),
        computes_in=None,
        halves=True,
        nan_is_open=True,
    ),
    OwnKernel(
        "leaky_relu_backward",
        leaky_relu_backward,
        elementwise(3840, slope=SLOPE),
        "LeakyReluBackwardTilingData",
        0.5,
        "one product",
        arguments=(Argument("grad"), Argument("x"), Argument("grad_x", "out")),
        dtypes=("float32", "float16"),
        computes_in=None,
    ),
    OwnKernel(
        "gelu_tanh",
        gelu_tanh,
        elementwise(2048),
        "GeluTilingData",
        4,
        EXPONENT,
        dtypes=FLOATS,
        halves=True,
        cancels=3,
        scale=gelu_scale,
        floor=3e-37,
    ),
    OwnKernel(
        "gelu_erf",
        gelu_erf,
        elementwise(1024, scratchBytes=16 * 1024),
        "GeluErfTilingData",
        3,
        "1 + erf cancels for negative x, in units of x",
        cancels=0.5,
        scale=input_scale,
    ),
    OwnKernel(
        "silu", silu, elementwise(3072), "SiluTilingData", 3, INSTRUCTIONS, floor=3e-37, dtypes=FLOATS, halves=True
    ),
    OwnKernel(
        "swish",
        swish,
        swish_tiling,
        "SwishTilingData",
        4,
        EXPONENT,
        cancels=1,
        scale=times_exponent(swish, BETA),
        floor=3e-37,
    ),
    OwnKernel("mish", mish, elementwise(2048), "MishTilingData", 8, INSTRUCTIONS, dtypes=FLOATS, halves=True),
    OwnKernel(
        "softplus",
        softplus,
        elementwise(
            1024, beta=SOFTPLUS_BETA, inverseBeta=float(np.float32(1 / SOFTPLUS_BETA)), threshold=SOFTPLUS_THRESHOLD
        ),
        "SoftplusTilingData",
        4,
        EXPONENT,
        dtypes=FLOATS,
        halves=True,
        cancels=1,
        scale=times_exponent(softplus, SOFTPLUS_BETA),
    ),
    OwnKernel(
        "hardswish",
        hardswish,
        elementwise(2048),
        "HardswishTilingData",
        3,
        "x + 3 cancels near -3, in units of x",
        dtypes=FLOATS,
        nan_is_open=True,
        cancels=1,
        scale=input_scale,
    ),
    OwnKernel(
        "hardsigmoid",
        hardsigmoid,
        elementwise(4000, alpha=HARDSIGMOID_ALPHA, beta=HARDSIGMOID_BETA),
        "HardsigmoidTilingData",
        1,
        "the sum cancels near its zero",
        cancels=1,
        dtypes=("float32", "float16"),
        computes_in=None,
        nan_is_open=True,
    ),
    OwnKernel("sigmoid", sigmoid, elementwise(2048), "SigmoidTilingData", 4, INSTRUCTIONS, dtypes=FLOATS, halves=True),
    OwnKernel(
        "tanh",
        tanh,
        elementwise(1024),
        "TanhTilingData",
        4,
        "the documents give no bound for Tanh; (e^2x - 1) / (e^2x + 1) cancels near 0",
        cancels=1,
        entry="tanh_kernel",
        dtypes=FLOATS,
        key=10,
    ),
    OwnKernel(
        "tanh",
        tanh,
        elementwise(1024),
        "TanhTilingData",
        4,
        "1 - exp(-2 |x|) cancels near 0",
        cancels=1,
        entry="tanh_kernel",
        dtypes=FLOATS,
        key=20,
        halves=True,
    ),
    OwnKernel("celu", celu, celu_tiling, "CeluTiling", 3, EXPM1, cancels=2),
    OwnKernel(
        "threshold",
        threshold,
        elementwise(2048, threshold=THRESHOLD, value=VALUE),
        "ThresholdTilingData",
        0,
        EXACT,
        dtypes=("float32", "float16"),
        computes_in=None,
        halves=True,
        nan_is_open=True,
    ),
    OwnKernel(
        "hardshrink",
        hardshrink,
        elementwise(1024, lambd=LAMBD),
        "HardshrinkTilingData",
        0,
        EXACT,
        dtypes=FLOATS,
        halves=True,
        nan_is_open=True,
    ),
    OwnKernel("softshrink", softshrink, elementwise(20_000, lambd=LAMBD), "SoftshrinkTilingData", 1, "one sum"),
    OwnKernel(
        "relu",
        relu,
        elementwise(5000),
        "ReluTilingData",
        0,
        EXACT,
        dtypes=("float32", "float16"),
        computes_in=None,
    ),
    OwnKernel(
        "relu",
        relu,
        elementwise(5000),
        "ReluTilingData",
        0,
        EXACT,
        dtypes=("int32",),
        computes_in=None,
        values=integer_values,
    ),
    OwnKernel(
        "relu_mask",
        relu_mask,
        elementwise(2048, align=256),
        "ReluMaskTilingData",
        0,
        EXACT,
        arguments=(*IN_OUT, Argument("mask", "out", lambda size: ((size + 7) // 8,), "uint8")),
    ),
    OwnKernel(
        "prelu",
        prelu,
        prelu_tiling,
        "PreluTilingData",
        0.5,
        "one product",
        arguments=(
            Argument("x", "in", prelu_shape),
            Argument("weight", "in", lambda size: (5,)),
            Argument("y", "out", prelu_shape),
        ),
        dtypes=("float32", "float16"),
        computes_in=None,
    ),
    OwnKernel(
        "swiglu",
        swiglu,
        gated_tiling(gated_shape, 2048),
        "GatedTilingData",
        4,
        INSTRUCTIONS,
        floor=1e-34,
        arguments=GATED,
        dtypes=FLOATS,
    ),
    OwnKernel(
        "swiglu_backward",
        swiglu_backward,
        gated_tiling(gated_shape, 1024),
        "GatedTilingData",
        4,
        "1 + a * (1 - s) cancels where silu is flat, in units of the product",
        arguments=(
            Argument("grad", "in", gated_shape),
            Argument("x", "in", doubled(gated_shape)),
            Argument("grad_x", "out", doubled(gated_shape)),
        ),
        dtypes=FLOATS,
        cancels=1,
        scale=swiglu_backward_scale,
        floor=1e-32,
    ),
    OwnKernel(
        "geglu",
        geglu,
        gated_tiling(wide_shape, 2048),
        "GatedTilingData",
        4,
        EXPONENT,
        arguments=(
            Argument("x", "in", doubled(wide_shape)),
            Argument("y", "out", wide_shape),
            Argument("gelu", "out", wide_shape),
        ),
        dtypes=("float16", "bfloat16"),
        cancels=3,
        scale=geglu_scale,
        floor=1e-34,
    ),
    OwnKernel(
        "softmax",
        softmax,
        rows_tiling(softmax_shape, 0),
        "RowsTilingData",
        4,
        EXPONENT,
        arguments=(Argument("x", "in", softmax_shape), Argument("y", "out", softmax_shape)),
        cancels=2,
        scale=softmax_scale,
    ),
    OwnKernel(
        "softmax_brcb",
        softmax,
        rows_tiling(lambda size: (size, 64), 120),
        "RowsTilingData",
        4,
        EXPONENT,
        arguments=(Argument("x", "in", lambda size: (size, 64)), Argument("y", "out", lambda size: (size, 64))),
        cancels=2,
        scale=softmax_scale,
    ),
    OwnKernel(
        "log_softmax",
        log_softmax,
        rows_tiling(wide_shape, 2048),
        "RowsTilingData",
        2,
        "the difference from the maximum cancels, in units of the largest element",
        arguments=(Argument("x", "in", wide_shape), Argument("y", "out", wide_shape)),
        dtypes=FLOATS,
        cancels=2,
        scale=largest_of_row,
    ),
    OwnKernel(
        "row_sums",
        row_sums,
        rows_tiling(lambda size: (size, 50), 248),
        "RowsTilingData",
        1,
        "a tree of 64 sums has six levels",
        arguments=(Argument("x", "in", lambda size: (size, 50)), Argument("sums", "out")),
        dtypes=("float32", "float16"),
        computes_in=None,
        cancels=6,
        scale=sum_of_parts,
    ),
    OwnKernel(
        "sum_atomic",
        sum_atomic,
        lambda size, blocks, itemsize: {"total": size, "perBlock": share(size, blocks)},
        "SumAtomicTilingData",
        1,
        "sums of tiles are added one after another",
        arguments=(Argument("x"), Argument("sum", "zeroed", lambda size: (8,))),
        cancels=100,
        scale=sum_of_all,
    ),
    OwnKernel(
        "softmax_flat",
        softmax_flat,
        elementwise(2048),
        "SoftmaxFlatTilingData",
        20,
        "sums of tiles are added one after another; " + EXPONENT,
        workspace=lambda blocks: 2 * blocks * 32,
        cancels=2,
        scale=softmax_flat_scale,
    ),
    OwnKernel(
        "absmax_scale",
        absmax_scale,
        elementwise(2048),
        "AbsmaxTilingData",
        0.5,
        "one quotient",
        arguments=(
            Argument("x"),
            Argument("meeting", "scratch", lambda size: (max(BLOCKS) * 8,), "int32"),
            Argument("y", "out"),
            Argument("maximum", "out", lambda size: (1,), "float32"),
        ),
        dtypes=FLOATS,
        workspace=lambda blocks: blocks * 32,
    ),
    OwnKernel(
        "swiglu_interleaved",
        swiglu_interleaved,
        pairs_tiling,
        "InterleavedTilingData",
        4,
        INSTRUCTIONS,
        floor=1e-34,
        arguments=(Argument("x", "in", lambda size: (2 * size,)), Argument("y", "out")),
    ),
    OwnKernel("flip", flip, elementwise(4096), "FlipTilingData", 0, EXACT, dtypes=FLOATS, computes_in=None),
    OwnKernel(
        "flip",
        flip,
        elementwise(4096),
        "FlipTilingData",
        0,
        EXACT,
        dtypes=("int32",),
        computes_in=None,
        values=integer_values,
    ),
    OwnKernel(
        "leaky_relu_transposed",
        leaky_relu_transposed,
        transposed_tiling,
        "TransposedTilingData",
        0.5,
        "one product",
        arguments=(Argument("x", "in", lambda size: (16, size)), Argument("y", "out", lambda size: (size, 16))),
        dtypes=("float16",),
        computes_in=None,
    ),
    OwnKernel(
        "hardtanh_310p",
        hardtanh,
        elementwise(2048, align=32, low=LOW, high=HIGH),
        "HardtanhTilingData",
        0,
        EXACT,
        dtypes=("float32", "float16"),
        computes_in=None,
        product="Ascend310P",
    ),
    OwnKernel(
        "logsigmoid",
        logsigmoid,
        elementwise(2048),
        "LogsigmoidTilingData",
        2,
        "1 + w loses bits of w",
        cancels=1,
    ),
    OwnKernel("softsign", softsign, elementwise(1024), "SoftsignTilingData", 2**23 * 2e-4, "Reciprocal may miss 2e-4"),
    OwnKernel(
        "rms_norm",
        rms_norm,
        rms_norm_tiling,
        "RmsNormTilingData",
        40,
        "64 sums of up to 64 squares, one after another",
        arguments=(
            Argument("x", "in", softmax_shape),
            Argument("gamma", "in", lambda size: softmax_shape(size)[1:]),
            Argument("y", "out", softmax_shape),
        ),
    ),
    OwnKernel(
        "shift_relu",
        shift_relu,
        elementwise(3000),
        "ShiftReluTilingData",
        0,
        EXACT,
        dtypes=("int32",),
        computes_in=None,
        values=integer_values,
    ),
    OwnKernel(
        "glu_950",
        glu,
        glu_tiling,
        "Glu950TilingData",
        4,
        INSTRUCTIONS,
        floor=1e-34,
        arguments=(Argument("x", "in", lambda size: (2 * size,)), Argument("slopes"), Argument("y", "out")),
        product="Ascend950",
    ),
    OwnKernel(
        "add_brief_950",
        add_brief,
        add_brief_tiling,
        "AddBriefTilingData",
        1,
        "the sum cancels, in units of 3 x",
        arguments=(
            Argument("x", "in", lambda size: (size, 128)),
            Argument("shift", "in", lambda size: (128,)),
            Argument("y", "out", lambda size: (size, 128)),
        ),
        cancels=1,
        scale=add_brief_scale,
        dtypes=("bfloat16",),
        computes_in=None,
        product="Ascend950",
    ),
)


# Arrays of a run


@dataclass
class Run:
    """The arguments of a run in the kernel's order; exact outputs and scales in the order of the outputs."""

    arguments: list[Array]
    outputs: list[Array]
    exact: list[Array]
    scales: list[Array]


def prepare(kernel: OwnKernel, size: int, dtype: str, given: Array | None = None) -> Run:
    """Draw the inputs (or take `given` as the first) and compute what is right.

    Outputs are filled with NaN or a pattern, so an element that the kernel does not write is wrong.
    """
    rng = np.random.default_rng(size)
    draw = kernel.values or float_values
    run = Run([], [], [], [])
    inputs: list[Array] = []
    for argument in kernel.arguments:
        shape, numpy_dtype = argument.shape(size), NUMPY[argument.dtype or dtype]
        if argument.role == "in":
            array = draw(rng, shape).astype(numpy_dtype) if given is None or inputs else given
            array.flags.writeable = False
            inputs.append(array.astype(np.int64 if numpy_dtype.kind == "i" else np.float64))
        elif argument.role == "out":
            array = np.full(shape, 0x5A if numpy_dtype.kind in "iu" else np.nan, numpy_dtype)
        else:
            array = np.zeros(shape, numpy_dtype)
        run.arguments.append(array)
        if argument.role in ("out", "zeroed"):
            run.outputs.append(array)
    with np.errstate(all="ignore"):
        run.exact = list(kernel.oracle(*inputs))
        run.scales = list(kernel.scale(*inputs)) if kernel.scale else [np.ones_like(e) for e in run.exact]
    return run


def wrong(kernel: OwnKernel, run: Run, number: int) -> Array:
    """Which elements of an output are beyond the tolerance."""
    got, exact, scale = run.outputs[number], run.exact[number], run.scales[number]
    if got.dtype.kind in "iu":
        return got != exact
    dtype = next(name for name, numpy_dtype in NUMPY.items() if numpy_dtype == got.dtype)
    with np.errstate(all="ignore"):
        largest = float(ml_dtypes.finfo(got.dtype).max)
        numbers = got.astype(np.float64)
        near = np.abs(numbers - exact) <= kernel.allowed(exact, scale, dtype)
        same = (np.isnan(exact) & np.isnan(numbers)) | (numbers == exact)
        # A result beyond the dtype is infinite or the largest number: which, is an assumption of the run.
        beyond = (np.abs(exact) > largest) & (np.abs(numbers) >= largest) & (np.sign(numbers) == np.sign(exact))
    return ~(near | same | beyond)
