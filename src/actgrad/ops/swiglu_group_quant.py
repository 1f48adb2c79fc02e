"""SwiGLU of the tokens of a mixture of experts, followed by quantisation to floats of 8 bits in blocks."""

from math import gcd

from ..base.definition import Dtypes, Ragged, Switch, Torch
from ..base.errors import InvalidDtype, KernelMissing
from ..base.loop import UNKNOWN_RANK
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs, maximum, where
from ..calls.operator import Operator
from ..checks import Check
from ..checks.dtype_rules import convertible, has_dtype, supported
from ..checks.halves_rules import counting, even, groups, half
from ..checks.quantisation_rules import dtype_numbered
from ..checks.shape_rules import result_shape
from .dynamic_quant import largest_e4m3fn, largest_e5m2
from .swiglu_group import ONE_WEIGHT_FOR_EACH_ROW, WeightedHalves, swiglu_group, weighted_swiglu_group_formula

INFINITY = float("inf")

BLOCK, MX = 0, 1  # the values of quant_mode that actgrad computes

BLOCK_SIZES = {BLOCK: 128, MX: 32}

LEAST = 9.999999747378752e-05  # 1e-4 in float32

INVERSE_E4M3FN = 0x924925 / 2.0**32  # 1/448 in float32

INVERSE_E5M2 = INVERSE_E4M3FN / 128.0  # 1/57344 in float32

SMALLEST_POWER = 2.0**-30  # below LEAST / 57344


class Blocks(ScaledRows):
    """Rows of halves, cut into blocks of 128 elements, or with quant_mode 1 into pairs of blocks of 32 elements.

    Each block has statistics. With quant_mode 0, a row of fewer than 128 elements is one block.
    """

    has_blocks = True

    def blocks(self, size, attributes):
        """The shape of the blocks of a row."""
        return (size and (size // 128 or 1),) if attributes["quant_mode"] == BLOCK else (size // 64, 2)

    def result_shape(self, name, elements, attributes, shapes):
        """The shape of an output: for a statistic, one number for each block."""
        shape = super().result_shape(name, elements, attributes, shapes)
        if not self.is_statistic(name) or shape is UNKNOWN_RANK:
            return shape
        return (*shape, *self.blocks(elements[-1], attributes))

    def row(self, count):
        """A shape for `count` elements, so that every tensor has a different number for each element."""
        size = gcd(count, 128)
        return (count // size, size)


def magnitude(a, b, weight, clamp_limit):
    """abs(v), where v = silu(min(a, c)) * min(max(b, -c), c) * weight"""
    return abs(weighted_swiglu_group_formula(a, b, weight, clamp_limit))


def finite_magnitude(a, b, weight, clamp_limit):
    """abs(v) if v is finite, else 0"""
    size = magnitude(a, b, weight, clamp_limit)
    return where(size < INFINITY, size, 0.0)


def power_of_two(largest, limit):
    """the least power of two p with max(largest, 1e-4) <= limit * p"""
    rest, power = maximum(largest, LEAST) / limit, where(largest < INFINITY, SMALLEST_POWER, INFINITY)
    for step in (64, 64, 32, 16, 8, 4, 2, 1):
        factor = where(rest > 2.0 ** (step - 1) * SMALLEST_POWER, 2.0**step, 1.0)
        rest, power = rest / factor, power * factor
    return power


def scale_e4m3fn(largest, largest_value, clamp_limit):
    """max(abs(v), 1e-4) / 448 of the block"""
    return maximum(largest, LEAST) * INVERSE_E4M3FN


def scale_e5m2(largest, largest_value, clamp_limit):
    """max(abs(v), 1e-4) / 57344 of the block"""
    return maximum(largest, LEAST) * INVERSE_E5M2


def power_e4m3fn(largest, largest_value, clamp_limit):
    """the least power of two that is at least max(abs(v), 1e-4) / 448 of the block"""
    return power_of_two(largest, largest_e4m3fn())


def power_e5m2(largest, largest_value, clamp_limit):
    """the least power of two that is at least max(abs(v), 1e-4) / 57344 of the block"""
    return power_of_two(largest, largest_e5m2())


def quotient(v, largest, largest_value, scale, clamp_limit):
    """v / scale, where v = silu(min(a, c)) * min(max(b, -c), c) * weight and scale has a block of 128 elements"""
    return v / scale


def mx_quotient(v, largest, largest_value, scale, clamp_limit):
    """v / scale, where v is the same and scale is a power of two and has a block of 32 elements, with quant_mode=1"""
    return v / scale


#: By the dtype of `out`, and by whether scales are powers of two.
SCALE = {
    "float8_e4m3fn": {False: scale_e4m3fn, True: power_e4m3fn},
    "float8_e5m2": {False: scale_e5m2, True: power_e5m2},
}


def mode_of(attributes):
    """quant_mode"""
    return attributes["quant_mode"]


def has_power_of_two(attributes, dtypes):
    """Whether scales are powers of two."""
    return attributes["round_scale"] or attributes["quant_mode"] == MX


def whole_blocks(call):
    """A row has whole blocks. One shorter block may be the whole row."""
    size, mode = call.inputs["x"].shape[-1], call.attributes["quant_mode"]
    block = 256 if mode == BLOCK else 128
    if size % block == 0 or (mode == BLOCK and size < block):
        return None
    return f"a row of x has {size} elements; it must have a multiple of {block}; pad x"


def dtype_of_scale(call):
    """Scales are float32, or float8_e8m0fnu in the mode MX."""
    mode, meta = call.attributes["quant_mode"], call.tensors.get("scale")
    if meta is None or mode not in (BLOCK, MX):  # no mode: refused by `requires`
        return None
    expected = call.definition.new_dtype_of("scale", call.attributes)
    if meta.dtype.name == expected:
        return None
    return f"scale is {meta.dtype}; with quant_mode={mode} it must be {expected}; pass such a scale"


def without_kernel(call):
    """The modes of HIFLOAT8."""
    mode = call.attributes["quant_mode"]
    return f"quant_mode is {mode} (HIFLOAT8); actgrad computes 0 and 1; pass one of these" if mode in (2, 3) else None


DTYPES = "float8_e4m3fn float8_e5m2"

WITHOUT_KERNEL = Check("quant_mode is 0 or 1", without_kernel, KernelMissing, about=("quant_mode",))

SCALE_OF_MODE = Check("scale has the dtype of quant_mode", dtype_of_scale, InvalidDtype, about=("quant_mode", "scale"))

WHOLE_BLOCKS = Check("a row of x has whole blocks", whole_blocks, about=("x", "quant_mode"))

swiglu_group_quant = Operator(
    "swiglu_group_quant(Tensor x, Tensor? weight, Tensor? group_index, int dst_type=36, int quant_mode=0, int "
    "block_size=0, bool round_scale=False, Scalar clamp_limit=-1) -> (Tensor out, Tensor scale)",
    summary="out = v / scale and scale = max(max(abs(v)), 1e-4) / 448 along the last dimension, where v = silu(lower) "
    "* upper * weight and lower and upper are the halves of x along the last dimension; out is float8_e4m3fn or "
    "float8_e5m2, and scale is float32 with one element for each block of 128 elements\n\n"
    "Without weight, the factor is 1. weight has one element for each row. With clamp_limit > 0 (c for short), lower "
    "becomes min(lower, c) and upper becomes clamp(upper, -c, c). dst_type is the number of the dtype of out: 36 "
    "(FLOAT8_E4M3FN) or 35 (FLOAT8_E5M2), with 57344 instead of 448. With round_scale, scale is rounded up to a power "
    "of two. With quant_mode=1 (MX), blocks have 32 elements, scale is float8_e8m0fnu and rounded up, the number of "
    "blocks in a row is even, and scale has the shape of the rows, followed by half this number and 2. round_scale "
    "must then be true. block_size is 0 or the size of a block. With quant_mode=0, a row of fewer than 128 elements of "
    "out is one block. group_index counts rows: only the first sum(group_index) rows are computed. In the other rows, "
    "all bytes are 0 in new results and unchanged in out=. out has the nearest number of the dtype, and the even "
    "one of two. NaN and infinity do not count in scale. NaN stays NaN, and infinity becomes the largest number. With "
    "quant_mode=1, the scale of a block with an infinity is NaN.",
    paper="Rouhani et al. 2023, https://arxiv.org/abs/2310.10537",
    formula=Switch(mode_of, {BLOCK: quotient, MX: mx_quotient}, has_power_of_two),
    layout=Blocks(
        passes=(
            {
                "largest": largest({BLOCK: finite_magnitude, MX: magnitude}),
                "largest_value": largest(weighted_swiglu_group_formula),  # the elements read v, the last term
            },
            {"scale": once(SCALE)},
        ),
        replaces_inputs=True,
        halves=WeightedHalves(("x",), active="lower", tensor="weight", dim=""),
    ),
    ragged=Ragged(counter="group_index"),
    defaults_of_tensors={"weight": 1.0},
    dtypes=Dtypes(outputs={"out": DTYPES, "scale": {BLOCK: "float32", MX: "float8_e8m0fnu"}}, attribute="dst_type"),
    preconditions=(
        supported("x"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        has_dtype("group_index", "int64"),
        convertible("out", "scale"),
        (WITHOUT_KERNEL,),
        even("x", dim=""),
        (WHOLE_BLOCKS,),
        (ONE_WEIGHT_FOR_EACH_ROW,),
        counting("group_index"),
        groups("group_index"),
        dtype_numbered("out", "dst_type"),
        (SCALE_OF_MODE,),
        half("out", of="x", dim=""),
        result_shape("scale"),
    ),
    requires={
        "dst_type 35 (FLOAT8_E5M2), 36 (FLOAT8_E4M3FN), 40 (FLOAT4_E2M1) or 41 (FLOAT4_E1M2)": lambda a: (
            a["dst_type"] in (35, 36, 40, 41)
        ),
        "quant_mode 0 or 1": lambda a: a["quant_mode"] in (BLOCK, MX),
        "quant_mode=1 if dst_type is 40 or 41": lambda a: a["quant_mode"] == MX or a["dst_type"] < 40,
        "block_size 0, or 128 with quant_mode=0 or 32 with quant_mode=1": lambda a: (
            a["block_size"] in (0, BLOCK_SIZES.get(a["quant_mode"]))
        ),
        "round_scale if quant_mode=1": lambda a: a["round_scale"] or a["quant_mode"] != MX,
        **swiglu_group.requires,
    },
    torch=Torch(
        "swiglu_group_quant(x, weight, group_index, dst_type, quant_mode, block_size, round_scale, clamp_limit)"
    ),
)
