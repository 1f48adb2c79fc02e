"""SwiGLU of the tokens of a mixture of experts, with a weight for each token."""

from ..base.access import Halves
from ..base.access.elementwise import NONE
from ..base.definition import Dtypes, Ragged, Roles, Switch, Torch
from ..base.rows import total
from ..base.scaled_rows import ScaledRows
from ..base.xp import minimum, where
from ..calls.operator import Operator
from ..checks import Check
from ..checks.dtype_rules import convertible, equal, has_dtype, supported
from ..checks.halves_rules import counting, dim_in_range, even, groups, half, same_rank
from ..checks.shape_rules import same_shape
from .clipped_swiglu import clamp
from .silu import silu_derivative, silu_formula

INFINITY = float("inf")


def swiglu_group_formula(a, b, clamp_limit):
    """silu(min(a, c)) * min(max(b, -c), c), c = clamp_limit if clamp_limit > 0 else infinity"""
    limit = where(clamp_limit > 0, clamp_limit, INFINITY)
    return silu_formula(minimum(a, limit)) * clamp(b, limit)


def weighted_swiglu_group_formula(a, b, weight, clamp_limit):
    """silu(min(a, c)) * min(max(b, -c), c) * weight, c = clamp_limit if clamp_limit > 0 else infinity"""
    return swiglu_group_formula(a, b, clamp_limit) * weight


def swiglu_group_slopes(a, b, clamp_limit):
    """by a: silu'(min(a, c)) * min(max(b, -c), c), by b: silu(min(a, c)), c = clamp_limit if clamp_limit > 0 else
    infinity"""
    limit = where(clamp_limit > 0, clamp_limit, INFINITY)
    low = minimum(a, limit)
    return silu_derivative(low) * clamp(b, limit), silu_formula(low)


def where_unclamped(by_a, by_b, a, b, clamp_limit):
    """by_a if a < c, else 0, and by_b if -c < b < c, else 0, where c = clamp_limit; without c > 0, by_a and by_b"""
    otherwise = where(clamp_limit > 0, 0.0, 1.0)
    keeps_a = where(a < clamp_limit, 1.0, otherwise)
    keeps_b = where(b > -clamp_limit, where(b < clamp_limit, 1.0, otherwise), otherwise)
    return where(keeps_a > 0.5, by_a, 0.0), where(keeps_b > 0.5, by_b, 0.0)


def swiglu_group_gradients(g, a, b, clamp_limit):
    """by a: g * silu'(a) * min(max(b, -c), c) if a < c, else 0, by b: g * silu(min(a, c)) if -c < b < c, else 0"""
    by_a, by_b = swiglu_group_slopes(a, b, clamp_limit)
    return where_unclamped(g * by_a, g * by_b, a, b, clamp_limit)


def weighted_swiglu_group_gradients(g, a, b, weight, clamp_limit):
    """by a: g * weight * silu'(a) * min(max(b, -c), c) if a < c, else 0, by b: g * weight * silu(min(a, c)) if
    -c < b < c, else 0"""
    by_a, by_b = swiglu_group_slopes(a, b, clamp_limit)
    return where_unclamped(g * (by_a * weight), g * (by_b * weight), a, b, clamp_limit)


def gradients_beside_weight(g, a, b, weight, y_origin, grad_weight, clamp_limit):
    """by a: g * weight * silu'(a) * min(max(b, -c), c) if a < c, else 0, by b: g * weight * silu(min(a, c)) if
    -c < b < c, else 0"""
    return weighted_swiglu_group_gradients(g, a, b, weight, clamp_limit)


def weight_gradient(g, a, b, weight, y_origin, clamp_limit):
    """grad_output * y_origin"""
    return g * y_origin


class WeightedHalves(Halves):
    """Halves with a tensor that has one element for each row along the last dimension."""

    def is_per_row(self, name):
        """Whether a tensor has one element for each row along the last dimension."""
        return name == self.tensor

    def flattens(self, name):
        """Whether a tensor's dimensions count as one, for any shape."""
        return False

    def aligned(self, name, shape, rank, attributes=NONE):
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return (*shape, 1) if name == self.tensor and len(shape) == rank - 1 else shape

    def whole_shape(self, name, elements, attributes):
        """The shape of a tensor whose parts have the shape `elements`."""
        return (*elements[:-1], 1) if name == self.tensor else super().whole_shape(name, elements, attributes)


def one_weight_for_each_row(call):
    """In Python `weight` has the shape of the rows. In the C interface it may have any shape of that size."""
    weight, rows = call.tensors.get("weight"), call.inputs["x"].shape[:-1]
    if weight is None or weight.shape in (rows, (*rows, 1)):
        return None
    return f"weight has shape {weight.shape}; it must be {rows}, one element for each row of x; reshape weight"


ONE_WEIGHT_FOR_EACH_ROW = Check(
    "weight has one element for each row of x", one_weight_for_each_row, about=("weight", "x")
)

swiglu_group = Operator(
    "swiglu_group(Tensor x, Tensor? weight, Tensor? group_index, int dim=-1, Scalar clamp_limit=-1) -> Tensor out",
    summary="silu(lower) * upper * weight, where lower and upper are the halves of x along the last dimension; out "
    "has half the size of x there; weight has one element for each row\n\n"
    "Without weight, the factor is 1. With clamp_limit > 0 (c for short), lower becomes min(lower, c) and upper "
    "becomes clamp(upper, -c, c). group_index counts rows: only the first sum(group_index) rows are computed. The "
    "other rows are 0 in a new result and unchanged in out=.",
    paper="CANN, https://github.com/hicann/ops-nn/tree/master/activation/swiglu_group",
    formula=Switch("weight", {False: swiglu_group_formula, True: weighted_swiglu_group_formula}),
    layout=WeightedHalves(("x",), active="lower", tensor="weight"),
    ragged=Ragged(counter="group_index"),
    preconditions=(
        supported("x"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        has_dtype("group_index", "int64"),
        convertible("out"),
        dim_in_range("x"),
        even("x"),
        (ONE_WEIGHT_FOR_EACH_ROW,),
        counting("group_index"),
        groups("group_index"),
        half("out", of="x"),
    ),
    requires={"clamp_limit -1 or > 0": lambda a: a["clamp_limit"] == -1 or a["clamp_limit"] > 0},
    torch=Torch("swiglu_group(x, weight, group_index, clamp_limit)"),
)

GRADIENT_SUMMARY = (
    "grad_lower = grad_output * weight * silu'(lower) * upper and grad_upper = grad_output * weight * silu(lower)"
)

GRADIENT_NAMES = (
    "where lower and upper are the halves of x along the last dimension; grad_x packs grad_lower and grad_upper as x "
    "packs lower and upper\n\n"
    "With clamp_limit > 0 (c for short), lower becomes min(lower, c) and upper becomes clamp(upper, -c, c). grad_lower "
    "is 0 unless lower < c, and grad_upper is 0 unless -c < upper < c. "
)

COUNTED = "group_index counts rows: only the first sum(group_index) rows are computed. "

swiglu_group_weight_backward = Operator(
    "swiglu_group_weight_backward(Tensor grad_output, Tensor x, Tensor weight, Tensor y_origin, Tensor? group_index, "
    "Scalar clamp_limit=-1) -> (Tensor grad_x, Tensor grad_weight)",
    summary=f"{GRADIENT_SUMMARY} and grad_weight = sum(grad_output * y_origin) along the last dimension, "
    f"{GRADIENT_NAMES}y_origin is the result of swiglu_group without weight. grad_weight is float32. {COUNTED}grad_x "
    "and grad_weight are 0 in the other rows.",
    paper=swiglu_group.definition.paper,
    formula=gradients_beside_weight,
    layout=ScaledRows(
        passes=({"grad_weight": total(weight_gradient)},),
        halves=WeightedHalves(("x", "grad_x"), active="lower", tensor="weight", dim=""),
    ),
    ragged=Ragged(counter="group_index", rest="cleared"),
    roles=Roles(linear_in="grad_output"),
    dtypes=Dtypes(outputs={"grad_weight": "float32"}),
    preconditions=(
        supported("grad_output"),
        equal("x", "y_origin", to="grad_output"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        has_dtype("group_index", "int64"),
        convertible("grad_x", "grad_weight"),
        same_rank("grad_output", to="x"),
        even("x", dim=""),
        half("grad_output", of="x", dim=""),
        (ONE_WEIGHT_FOR_EACH_ROW,),
        same_shape("y_origin", to="grad_output"),
        counting("group_index"),
        same_shape("grad_x", to="x"),
        same_shape("grad_weight", to="weight"),
    ),
    requires=swiglu_group.requires,
)

swiglu_group_backward = Operator(
    "swiglu_group_backward(Tensor grad_output, Tensor x, Tensor? weight, Tensor? y_origin, Tensor? group_index, int "
    "dim=-1, Scalar clamp_limit=-1) -> Tensor grad_x",
    summary=f"{GRADIENT_SUMMARY}, {GRADIENT_NAMES}Without weight, the factor is 1. y_origin is not used. {COUNTED}"
    "grad_x is 0 in the other rows. swiglu_group_weight_backward also returns the gradient of weight.",
    formula=Switch("weight", {False: swiglu_group_gradients, True: weighted_swiglu_group_gradients}),
    gradient_of=swiglu_group,
    ragged=Ragged(counter="group_index", rest="cleared"),
    roles=Roles(only_checked="y_origin", takes_gradient=True),
    preconditions=(
        supported("grad_output"),
        equal("x", "y_origin", to="grad_output"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        has_dtype("group_index", "int64"),
        convertible("grad_x"),
        dim_in_range("x"),
        same_rank("grad_output", to="x"),
        even("x"),
        half("grad_output", of="x"),
        (ONE_WEIGHT_FOR_EACH_ROW,),
        same_shape("y_origin", to="grad_output"),
        counting("group_index"),
        same_shape("grad_x", to="x"),
    ),
    requires=swiglu_group.requires,
)
