"""The Heaviside step function."""

from ..base.definition import Torch
from ..base.xp import abs, where
from ..calls.operator import Operator
from ..contract import Origin
from ..contract.dtype_rules import convertible, supported
from ..contract.shape_rules import broadcastable, rank, result_shape
from ..contract.stages import unless_empty


def heaviside_formula(x, value):
    """1 if x > 0, value if x == 0, else 0, also for NaN"""
    return where(x > 0, 1.0, where(abs(x) <= 0, value, 0.0))


def unit_step_formula(x, threshold):
    """1 if x > threshold else 0, also for NaN"""
    return where(x > threshold, 1.0, 0.0)


heaviside = Operator(
    "heaviside(Tensor input, Tensor values) -> Tensor out",
    summary="1 if input > 0, values if input == 0, else 0; also 0 for NaN",
    paper="NumPy, https://numpy.org/doc/stable/reference/generated/numpy.heaviside.html",
    formula=heaviside_formula,
    broadcasts=True,
    bfloat16_everywhere=True,
    checks=(
        supported("input", "values", "out"),
        rank("input", "values"),
        convertible("out", origin=Origin.ACTGRAD),
        unless_empty(
            ("input", "values", "out"), broadcastable("values", to="input"), result_shape("out", or_in_a_row=True)
        ),
    ),
    differences=(
        "Shape of out: the source compares only the number of elements. actgrad requires the shape of the result, or "
        "a contiguous tensor with as many elements.",
        "out of another dtype than input: CANN does not check it. actgrad converts.",
        "Ascend950: the definition has the operator, and the documents do not. actgrad has it.",
    ),
    torch=Torch("heaviside(input, values)"),
    aclnn="Heaviside",
    ir="Heaviside(input, values) -> output",
)

unit_step = Operator(
    "unit_step(Tensor self, Scalar threshold=0) -> Tensor out",
    summary="1 if x > threshold, else 0; also 0 for NaN",
    paper="CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold",
    formula=unit_step_formula,
    differences=(
        "Name: the graph operator Threshold of CANN is this operator, and aclnnThreshold is another one. "
        "actgrad has two names.",
    ),
    torch=Torch("unit_step(threshold)"),
    ir="Threshold(x=self, threshold=0.0) -> y",
)
