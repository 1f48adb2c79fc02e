"""SwiGLU of the tokens of a mixture of experts, with a weight for each token."""

from math import prod

from ..base.access import Halves
from ..base.access.elementwise import NONE
from ..base.definition import C, Torch
from ..base.rows import total
from ..base.scaled_rows import ScaledRows
from ..base.xp import minimum, where
from ..calls.operator import Operator
from ..contract import Check, When
from ..contract.dtype_rules import equal, has_dtype, supported
from ..contract.halves_rules import counting, dim_in_range, even, groups, half, same_rank
from ..contract.kinds import TILED_VALUES
from ..contract.shape_rules import nonempty, rank, same_shape
from ..contract.stages import document, tiling
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

    __slots__ = ()

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
    if weight is None or weight.shape in (rows, (*rows, 1)) or (call.ruleset.typed and weight.size == prod(rows)):
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
    formula={False: swiglu_group_formula, True: weighted_swiglu_group_formula},
    switch="weight",
    reads=WeightedHalves(("x",), active="lower", tensor="weight"),
    row_counter="group_index",
    requires={"clamp_limit -1 or > 0": lambda a, product: a["clamp_limit"] == -1 or a["clamp_limit"] > 0},
    checks=(
        supported("x"),
        equal("out", to="x"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        has_dtype("group_index", "int64"),
        document(rank("x", minimum=1)),
        document(nonempty("x")),
        TILED_VALUES,
        tiling(
            dim_in_range("x"),
            even("x"),
            (ONE_WEIGHT_FOR_EACH_ROW,),
            counting("group_index"),
            groups("group_index"),
            half("out", of="x"),
        ),
    ),
    products="Ascend950",
    generated=True,
    differences=(
        "Shape of weight: CANN takes any shape with one element for each row. The C function of actgrad does the "
        "same. The Python function requires the shape of the rows, or this shape followed by 1.",
        "Empty x: the documents refuse it. actgrad computes nothing, and refuses it under the documents' rules.",
    ),
    torch=Torch("swiglu_group(x, weight, group_index, clamp_limit)"),
    aclnn=C(
        "SwigluGroup",
        {"dim": -1},
        parameters="x weightOptional groupIndexOptional clampLimit out",
        doubles="clamp_limit",
        unusual_const="out",
    ),
    ir="SwigluGroup(x, weight?, group_index?, clamp_limit=-1.0; dim=-1) -> y",
)


def weight_without_origin(call):
    """In the C interface, y_origin must be given beside weight."""
    if call.tensors.get("weight") is None or call.tensors.get("y_origin") is not None:
        return None
    return "y_origin is null, but weight is given; weight needs y_origin; pass both"


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
EQUAL_TO_LIMIT = (
    "A number equal to clamp_limit or -clamp_limit has gradient 0. In clipped_swiglu_backward it has its slope. Both "
    "are as in CANN's kernels."
)


def gradient_checks(*outputs, dim):
    """The checks of both gradients. `outputs` are grad_weight, if the operator has it, and `dim` is its attribute."""
    return (
        supported("grad_output"),
        equal("x", "y_origin", "grad_x", to="grad_output"),
        has_dtype("weight", "float32", or_dtype_of="x"),
        *(has_dtype(name, "float32") for name in outputs),
        has_dtype("group_index", "int64"),
        document(rank("x", minimum=2)),
        document(nonempty("grad_output", "x")),
        TILED_VALUES,
        tiling(
            dim_in_range("x", dim) if dim else (),
            same_rank("grad_output", to="x"),
            even("x", dim),
            half("grad_output", of="x", dim=dim),
            (ONE_WEIGHT_FOR_EACH_ROW,),
            same_shape("y_origin", to="grad_output"),
            (Check("y_origin is given beside weight", weight_without_origin, when=When.TYPED, about=("y_origin",)),),
            counting("group_index"),
            same_shape("grad_x", to="x"),
            *(same_shape(name, to="weight") for name in outputs),
        ),
    )


swiglu_group_weight_backward = Operator(
    "swiglu_group_weight_backward(Tensor grad_output, Tensor x, Tensor weight, Tensor y_origin, Tensor? group_index, "
    "Scalar clamp_limit=-1) -> (Tensor grad_x, Tensor grad_weight)",
    summary=f"{GRADIENT_SUMMARY} and grad_weight = sum(grad_output * y_origin) along the last dimension, "
    f"{GRADIENT_NAMES}y_origin is the result of swiglu_group without weight. grad_weight is float32. {COUNTED}grad_x "
    "and grad_weight are 0 in the other rows.",
    paper=swiglu_group.definition.paper,
    formula=gradients_beside_weight,
    reads=ScaledRows(
        passes=({"grad_weight": total(weight_gradient)},),
        halves=WeightedHalves(("x", "grad_x"), active="lower", tensor="weight", dim=""),
    ),
    row_counter="group_index",
    clears_rest=True,
    linear_in="grad_output",
    output_dtypes={"grad_weight": "float32"},
    requires=swiglu_group.requires,
    checks=gradient_checks("grad_weight", dim=""),
    products="Ascend950",
    generated=True,
    differences=(
        EQUAL_TO_LIMIT,
        "Graph operator without weight: CANN computes grad_x only. In actgrad the graph operator must have weight and "
        "y_origin; swiglu_group_backward is the gradient without weight.",
    ),
    ir="SwigluGroupQuantGrad(grad_y=grad_output, x, weight?, y_origin?, group_index?, clamp_limit=-1.0) -> (grad_x, "
    "grad_weight)",
)

swiglu_group_backward = Operator(
    "swiglu_group_backward(Tensor grad_output, Tensor x, Tensor? weight, Tensor? y_origin, Tensor? group_index, int "
    "dim=-1, Scalar clamp_limit=-1) -> Tensor grad_x",
    summary=f"{GRADIENT_SUMMARY}, {GRADIENT_NAMES}Without weight, the factor is 1. y_origin is not used. {COUNTED}"
    "grad_x is 0 in the other rows. swiglu_group_weight_backward also returns the gradient of weight.",
    formula={False: swiglu_group_gradients, True: weighted_swiglu_group_gradients},
    switch="weight",
    takes_gradient=True,
    gradient_of=swiglu_group,
    unseen="y_origin",
    row_counter="group_index",
    clears_rest=True,
    requires=swiglu_group.requires,
    checks=gradient_checks(dim="dim"),
    products="Ascend950",
    generated=True,
    differences=(
        EQUAL_TO_LIMIT,
        "gradWeightOutOptional without weightOptional: CANN writes nothing. actgrad takes an empty tensor, and returns "
        "561103 for another one.",
    ),
    aclnn=C(
        "SwigluGroupQuantGrad",
        {"dim": -1},
        parameters="gradY x weightOptional yOriginOptional groupIndexOptional clampLimit gradXOut "
        "gradWeightOutOptional",
        doubles="clamp_limit",
        unusual_const="gradXOut",
        refused="gradWeightOutOptional",
        otherwise=swiglu_group_weight_backward,
    ),
)
