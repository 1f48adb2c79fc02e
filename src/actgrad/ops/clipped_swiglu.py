"""Clipped SwiGLU: SwiGLU whose halves are clamped."""

from ..base.access import Halves
from ..base.definition import Ragged, Roles, Switch, Torch
from ..base.xp import maximum, minimum, where
from ..calls.operator import Operator
from .silu import silu_derivative, silu_formula, swish_derivative, swish_formula


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
    formula=Switch("clamp_mode", {"input": clipped_swiglu_formula, "swish": clipped_swish_formula}),
    layout=FlatHalves(("x",), active="lower", interleaved="interleaved"),
    ragged=Ragged(counter="group_index"),
    torch=Torch("clipped_swiglu(x, group_index, dim, alpha, limit, bias, interleaved, clamp_mode)"),
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
    formula=Switch("clamp_mode", {"input": clipped_swiglu_gradients, "swish": clipped_swish_gradients}),
    gradient_of=clipped_swiglu,
    ragged=Ragged(counter="group_index", rest="cleared"),
    roles=Roles(takes_gradient=True),
    requires={"limit > 0": lambda a: a["limit"] > 0},
)
