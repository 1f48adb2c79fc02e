"""The Heaviside step function."""

from ..base.definition import Torch
from ..base.xp import abs, where
from ..calls.operator import Operator


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
    torch=Torch("heaviside(input, values)"),
)

unit_step = Operator(
    "unit_step(Tensor self, Scalar threshold=0) -> Tensor out",
    summary="1 if x > threshold, else 0; also 0 for NaN",
    paper="CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold",
    formula=unit_step_formula,
    torch=Torch("unit_step(threshold)"),
)
