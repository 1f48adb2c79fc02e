"""GELU followed by quantisation to INT8 or to floats of 8 bits."""

from ..base.access.elementwise import NONE, Elementwise
from ..base.definition import Dtypes, Roles, Switch, Torch
from ..base.errors import InvalidDtype
from ..base.rows import largest, once
from ..base.scaled_rows import ScaledRows
from ..base.xp import abs
from ..calls.operator import Operator
from ..checks import Check
from ..checks.dtype_rules import convertible, equal, supported
from ..checks.quantisation_rules import dtype_numbered
from ..checks.shape_rules import result_shape, same_shape
from .dynamic_quant import LIMIT, QUANTISED_DTYPES, divided, scale_of_row
from .gelu import gelu_erf, gelu_tanh


class SharedScales(Elementwise):
    """The formula reads `self` at the index of the result. Other tensors have a number for each element of a row."""

    is_uniform = False
    example_shape = (2, 2)
    broadcasts = True

    def brings_elements(self, name):
        """Whether the elements have the rank of this tensor."""
        return name == "self"

    def is_elementwise(self, name):
        """Whether the formula reads a tensor at the index of the result's element."""
        return name in ("self", "out")

    def whole_shape(self, name, elements, attributes):
        """The shape of a tensor for elements of this shape."""
        return elements if self.is_elementwise(name) else elements[-1:] or (1,)

    def aligned(self, name, shape, rank, attributes=NONE):
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return () if not rank and not self.is_elementwise(name) and shape == (1,) else shape

    def elements_shape(self, shapes, attributes):
        """The shape of the elements that are computed."""
        return shapes["self"]

    def dtype_tensors(self, names):
        """The inputs whose dtypes are promoted to the dtype of the result."""
        return names[:1]


def shifted_gelu_erf(x, input_scale, input_offset):
    """gelu(x) * input_scale + input_offset"""
    return gelu_erf(x) * input_scale + input_offset


def shifted_gelu_tanh(x, input_scale, input_offset):
    """gelu(x) * input_scale + input_offset, where gelu has approximate='tanh'"""
    return gelu_tanh(x) * input_scale + input_offset


def value_erf(x, input_scale, limit):
    """gelu(x) * input_scale"""
    return gelu_erf(x) * input_scale


def value_tanh(x, input_scale, limit):
    """gelu(x) * input_scale, where gelu has approximate='tanh'"""
    return gelu_tanh(x) * input_scale


def magnitude_erf(x, input_scale, limit):
    """abs(gelu(x) * input_scale)"""
    return abs(gelu_erf(x) * input_scale)


def magnitude_tanh(x, input_scale, limit):
    """abs(gelu(x) * input_scale), where gelu has approximate='tanh'"""
    return abs(gelu_tanh(x) * input_scale)


def scale_of_gelu_row(limit, largest, largest_value):
    """max(abs(v)) / limit"""
    return scale_of_row(limit, largest)


def dynamic_formula(v, limit, largest, largest_value, out_scale):
    """round(v / out_scale), where v = gelu(x) * input_scale and out_scale = max(abs(v)) / limit of the row, and limit
    is the largest number of out"""
    return divided(v, out_scale)


def mixed_halves(call):
    """The scale has the dtype of self, or is float32, or self is float32."""
    scale = call.tensors.get("input_scale")
    names = {call.inputs["self"].dtype.name, *([] if scale is None else [scale.dtype.name])}
    if names != {"float16", "bfloat16"}:
        return None
    return "self and input_scale are float16 and bfloat16; one of them must be float32; convert input_scale"


def wide_self(call):
    """A self of float32 needs a scale of float32."""
    scale = call.tensors.get("input_scale")
    if scale is None or call.inputs["self"].dtype.name != "float32" or scale.dtype.name == "float32":
        return None
    return f"self is float32, but input_scale is {scale.dtype}; input_scale must be float32; convert input_scale"


def scale_without_offset(call):
    """In the dynamic mode an offset needs a scale, although the offset is not used."""
    if call.tensors.get("input_offset") is None or call.tensors.get("input_scale") is not None:
        return None
    return "input_offset is given without input_scale; pass both"


def lengths(call):
    """Scale and offset have one dimension and the same length."""
    for name in ("input_scale", "input_offset"):
        meta, scale = call.tensors.get(name), call.tensors.get("input_scale")
        if meta is not None and (len(meta.shape) != 1 or meta.shape != scale.shape):
            return f"{name} has shape {meta.shape}; it must have one dimension and the size of input_scale; reshape it"
    return None


def length_of_row(call):
    """A scale has one number, or one for each element of a row."""
    scale, shape = call.tensors.get("input_scale"), call.inputs["self"].shape
    if scale is None or scale.shape == (1,) or scale.shape == shape[-1:]:
        return None
    return f"input_scale has shape {scale.shape}; it must be (1,) or {shape[-1:]}; reshape input_scale"


SCALE_BESIDE_OFFSET = Check(
    "input_offset is given only beside input_scale", scale_without_offset, about=("input_offset",)
)

NO_MIXED_HALVES = Check(
    "self and input_scale do not mix float16 and bfloat16", mixed_halves, InvalidDtype, about=("self",)
)

ONE_SIZE = Check("input_scale and input_offset have one dimension and one size", lengths, about=("input_scale",))

SIZE_OF_ROW = Check(
    "input_scale has one number, or one for each element of a row", length_of_row, about=("input_scale",)
)

WIDE_SCALE = Check("input_scale is float32 beside a self of float32", wide_self, InvalidDtype, about=("input_scale",))

ROUNDING = (
    "approximate is 'none' (0) or 'tanh' (1), as in gelu. dst_type is the number of the dtype of out: 2 (INT8), 35 "
    "(FLOAT8_E5M2) or 36 (FLOAT8_E4M3FN). round takes the nearest number of this dtype, and the even one of two. "
    "Larger numbers saturate. NaN is 0 in INT8, and stays NaN in FLOAT8. "
)

REQUIRES = {
    "dst_type 2 (INT8), 34 (HIFLOAT8), 35 (FLOAT8_E5M2) or 36 (FLOAT8_E4M3FN)": lambda a: (
        a["dst_type"] in (34, *QUANTISED_DTYPES.values())
    )
}

PAPER = "Xiao et al. 2022, https://arxiv.org/abs/2211.10438"

static_gelu_quant = Operator(
    "static_gelu_quant(Tensor self, Tensor input_scale, Tensor? input_offset, int approximate=0, int dst_type=2) -> "
    "Tensor out",
    summary="round(gelu(x) * input_scale); with input_offset round(gelu(x) * input_scale + input_offset); out is int8, "
    "or a float of 8 bits\n\n"
    f"input_scale and input_offset have one number, or a number for each element of a row. {ROUNDING}",
    paper=PAPER,
    formula=Switch("approximate", {"none": shifted_gelu_erf, "tanh": shifted_gelu_tanh}),
    layout=SharedScales(),
    defaults_of_tensors={"input_offset": -0.0},  # x + -0.0 is x, also for -0.0
    dtypes=Dtypes(outputs={"out": " ".join(QUANTISED_DTYPES)}, attribute="dst_type"),
    preconditions=(
        (SCALE_BESIDE_OFFSET,),
        supported("self", "input_scale"),
        (NO_MIXED_HALVES,),
        equal("input_offset", to="input_scale"),
        convertible("out"),
        dtype_numbered("out", "dst_type"),
        (ONE_SIZE,),
        same_shape("out", to="self"),
        (SIZE_OF_ROW,),
        (WIDE_SCALE,),
    ),
    requires=REQUIRES,
    torch=Torch("static_gelu_quant(input, input_scale, input_offset, approximate, dst_type)"),
)

gelu_quant = Operator(
    "gelu_quant(Tensor self, Tensor? input_scale, Tensor? input_offset, int approximate=0, int dst_type=2) -> "
    "(Tensor out, Tensor out_scale)",
    summary="out = round(v / out_scale) and out_scale = max(abs(v)) / 127 along the last dimension, where v = "
    "gelu(x); out is int8, or a float of 8 bits, and out_scale is float32 with one element for each row\n\n"
    f"With input_scale, v = gelu(x) * input_scale. input_scale has one number, or a number for each element of a row. "
    f"input_offset is not used. {ROUNDING}For FLOAT8, the largest number 57344 or 448 takes the place of 127. NaN does "
    "not count in out_scale. In a row of zeros, out and out_scale are 0.",
    paper=PAPER,
    formula=Switch("approximate", {"none": dynamic_formula, "tanh": dynamic_formula}),
    layout=ScaledRows(
        passes=(
            {"limit": once(LIMIT)},
            {
                "largest": largest({"none": magnitude_erf, "tanh": magnitude_tanh}),
                "largest_value": largest({"none": value_erf, "tanh": value_tanh}),  # which elements see
            },
            {"out_scale": once(scale_of_gelu_row)},
        ),
        replaces_inputs=True,
        scales=("input_scale",),
    ),
    roles=Roles(only_checked="input_offset"),
    defaults_of_tensors={"input_scale": 1.0},
    dtypes=Dtypes(outputs={"out": " ".join(QUANTISED_DTYPES), "out_scale": "float32"}, attribute="dst_type"),
    preconditions=(
        (SCALE_BESIDE_OFFSET,),
        supported("self", "input_scale"),
        (NO_MIXED_HALVES,),
        equal("input_offset", to="input_scale"),
        convertible("out", "out_scale"),
        dtype_numbered("out", "dst_type"),
        result_shape("out_scale"),
        (ONE_SIZE,),
        same_shape("out", to="self"),
        (SIZE_OF_ROW,),
        (WIDE_SCALE,),
    ),
    requires=REQUIRES,
    torch=Torch("gelu_quant(input, input_scale, input_offset, approximate, dst_type)"),
)
