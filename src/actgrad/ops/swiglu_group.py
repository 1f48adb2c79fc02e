"""SwiGLU of the tokens of a mixture of experts, with a weight for each token."""

from math import prod

from ..base.access import Halves
from ..base.access.elementwise import NONE
from ..base.definition import C, Torch
from ..base.xp import minimum, where
from ..calls.operator import Operator
from ..contract import Check
from ..contract.dtype_rules import equal, has_dtype, supported
from ..contract.halves_rules import counting, dim_in_range, even, groups, half
from ..contract.kinds import TILED_VALUES
from ..contract.shape_rules import nonempty, rank
from ..contract.stages import document, tiling
from .clipped_swiglu import clamp
from .silu import silu_formula

INFINITY = float("inf")


def swiglu_group_formula(a, b, clamp_limit):
    """silu(min(a, c)) * min(max(b, -c), c), c = clamp_limit if clamp_limit > 0 else infinity"""
    limit = where(clamp_limit > 0, clamp_limit, INFINITY)
    return silu_formula(minimum(a, limit)) * clamp(b, limit)


def weighted_swiglu_group_formula(a, b, weight, clamp_limit):
    """silu(min(a, c)) * min(max(b, -c), c) * weight, c = clamp_limit if clamp_limit > 0 else infinity"""
    return swiglu_group_formula(a, b, clamp_limit) * weight


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
        has_dtype("weight", "float32", or_that_of="x"),
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
