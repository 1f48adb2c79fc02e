"""Clipped SwiGLU: SwiGLU whose halves are clamped."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..base.xp import maximum, minimum, where
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, has_dtype, supported
from ..contract.halves_rules import counting, dim_in_range, even, groups, half
from ..contract.kinds import TILED_VALUES
from ..contract.shape_rules import nonempty, rank, same_shape
from ..contract.stages import document, on, tiling
from .selu import is_on_950
from .silu import silu_derivative, silu_formula, swish_derivative, swish_formula

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B"
DIFFERENCES = (
    "Wrong dim, size or limit: the documents have status 161002, and the generated function returns 561002. actgrad "
    "returns 561002, and 161002 under the documents' rules.",
)
DOUBLES = "alpha limit bias"


def clamp(x, limit):
    """min(max(x, -limit), limit)"""
    return minimum(maximum(x, -limit), limit)


def clipped_swiglu_formula(a, b, alpha, limit, bias):
    """swish(min(a, limit), alpha) * (clamp(b, limit) + bias)"""
    return swish_formula(minimum(a, limit), alpha) * (clamp(b, limit) + bias)


def clipped_swish_formula(a, b, alpha, limit, bias):
    """min(silu(a), limit) * clamp(b, limit)"""
    return minimum(silu_formula(a), limit) * clamp(b, limit)


def where_clamped(g, b, limit):
    """g if -limit <= b <= limit else 0"""
    return where(b >= -limit, where(b <= limit, g, 0.0), 0.0)


def clipped_swiglu_gradients(g, a, b, alpha, limit, bias):
    """by a: g * swish'(a, alpha) * (clamp(b, limit) + bias) if a <= limit else 0, by b: g * swish(min(a, limit), alpha)
    if -limit <= b <= limit else 0"""
    low = minimum(a, limit)
    by_a = g * (swish_derivative(low, alpha) * (clamp(b, limit) + bias))
    return where(a <= limit, by_a, 0.0), where_clamped(g * swish_formula(low, alpha), b, limit)


def clipped_swish_gradients(g, a, b, alpha, limit, bias):
    """by a: g * silu'(a) * clamp(b, limit) if silu(a) <= limit else 0, by b: g * min(silu(a), limit)
    if -limit <= b <= limit else 0"""
    y = silu_formula(a)
    by_a = g * (silu_derivative(a) * clamp(b, limit))
    return where(y <= limit, by_a, 0.0), where_clamped(g * minimum(y, limit), b, limit)


class FlatHalves(Halves):
    """Halves along `dim`. If `interleaved`, the dimensions from `dim` on are merged before they are halved."""

    __slots__ = ()

    def merged_from(self, attributes, rank):
        """The first of the dimensions that are merged into one row, or None if none are merged."""
        dim = int(attributes[self.dim]) % rank if rank else 0
        return dim if dim < rank - 1 and self.is_interleaved(attributes) else None


clipped_swiglu = Operator(
    "clipped_swiglu(Tensor x, Tensor? group_index, int dim=-1, Scalar alpha=1.702, Scalar limit=7, Scalar bias=1, "
    "bool interleaved=True, int clamp_mode=0) -> Tensor out",
    summary="a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit); even "
    "and odd are the elements of x along dim with even and odd index; out has half the size of x along dim\n\n"
    "Before the split, x is flattened from dim on. interleaved=False splits into the lower and the upper half "
    "instead. clamp_mode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit). group_index counts "
    "rows (a row is everything behind one index of the dimensions before dim): only the first sum(group_index) rows "
    "are computed. The other rows are 0 in a new result and unchanged in out=.",
    paper="OpenAI 2025 (gpt-oss), https://arxiv.org/abs/2508.10925",
    formula={"input": clipped_swiglu_formula, "swish": clipped_swish_formula},
    switch="clamp_mode",
    reads=FlatHalves(("x",), active="lower", interleaved="interleaved"),
    row_counter="group_index",
    requires={"limit > 0 on Ascend950": lambda a, product: not is_on_950(product) or a["limit"] > 0},
    checks=(
        supported("x"),
        equal("out", to="x"),
        has_dtype("group_index", "int64"),
        document(rank("x", minimum=1)),
        tiling(dim_in_range("x"), even("x"), counting("group_index"), half("out", of="x")),
        TILED_VALUES,
        tiling(on("Ascend950", groups("group_index", maximum=8192))),
    ),
    products=PRODUCTS,
    generated=True,
    differences=DIFFERENCES,
    torch=Torch("clipped_swiglu(x, group_index, dim, alpha, limit, bias, interleaved, clamp_mode)"),
    aclnn=(
        C(
            "ClippedSwiglu",
            {"clamp_mode": 0},
            parameters="x groupIndexOptional dim alpha limit bias interleaved out",
            doubles=DOUBLES,
            unusual_const="out",
        ),
        C(
            "ClippedSwigluV2",
            parameters="x groupIndexOptional dim alpha limit bias interleaved clampMode out",
            doubles=DOUBLES,
            unusual_const="out",
            products="Ascend950",
        ),
    ),
    ir="ClippedSwiglu(x, group_index?, dim=-1, alpha=1.702, limit=7.0, bias=1.0, interleaved=True, clamp_mode=0) -> y",
)

clipped_swiglu_backward = Operator(
    "clipped_swiglu_backward(Tensor grad_output, Tensor x, Tensor? group_index, int dim=-1, Scalar alpha=1.702, "
    "Scalar limit=7, Scalar bias=1, bool interleaved=True, int clamp_mode=0) -> Tensor grad_x",
    summary="grad_even = (grad_output * (b + bias) * s * (1 + alpha * a * (1 - s)) if even <= limit, else 0) and "
    "grad_odd = (grad_output * a * s if -limit <= odd <= limit, else 0), where a = min(even, limit) and b = "
    "clamp(odd, -limit, limit) and s = sigmoid(alpha * a); grad_x packs grad_even and grad_odd as x packs even and "
    "odd\n\n"
    "The attributes have the same meaning as in clipped_swiglu. group_index counts rows (a row is everything "
    "behind one index of the dimensions before dim): only the first sum(group_index) rows are computed. grad_x is 0 "
    "in the other rows.",
    formula={"input": clipped_swiglu_gradients, "swish": clipped_swish_gradients},
    switch="clamp_mode",
    takes_gradient=True,
    gradient_of=clipped_swiglu,
    row_counter="group_index",
    clears_rest=True,
    requires={"limit > 0": lambda a, product: a["limit"] > 0},
    checks=(
        supported("grad_output"),
        equal("x", "grad_x", to="grad_output"),
        has_dtype("group_index", "int64"),
        document(rank("x", minimum=1)),
        document(nonempty("grad_output", "x")),
        TILED_VALUES,
        tiling(
            dim_in_range("x"),
            even("x"),
            half("grad_output", of="x"),
            counting("group_index"),
            same_shape("grad_x", to="x"),
        ),
    ),
    products=PRODUCTS,
    generated=True,
    differences=DIFFERENCES,
    aclnn=C(
        "ClippedSwigluGrad",
        {"clamp_mode": 0},
        parameters="gradY x groupIndexOptional dim alpha limit bias interleaved gradXOut",
        doubles=DOUBLES,
        unusual_const="gradXOut",
    ),
    ir="ClippedSwigluGrad(grad_y=grad_output, x, group_index?, dim=-1, alpha=1.702, limit=7.0, bias=1.0, "
    "interleaved=True; clamp_mode=0) -> grad_x",
)
