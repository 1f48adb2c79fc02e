"""Threshold with tensors of one element instead of numbers."""

from ..base.definition import Dtypes, Integers, Switch, Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, promoted, supported
from ..checks.shape_rules import broadcast_together, result_shape
from .relu import threshold_formula


def threshold_or_zero(x, threshold):
    """x if x > threshold else 0"""
    return where(x <= threshold, 0, x)


threshold_tensor = Operator(
    "threshold_tensor(Tensor self, Tensor threshold, Tensor? value) -> Tensor out",
    summary="self if self > threshold, else value; the three tensors are broadcast together\n\nWithout value, it is 0.",
    paper="CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold_v2",
    formula=Switch("value", {False: threshold_or_zero, True: threshold_formula}),
    integers=Integers(formula={False: threshold_or_zero, True: threshold_formula}),
    dtypes=Dtypes("int8 int32 uint8 int64"),
    broadcasts=True,
    preconditions=(
        supported("self"),
        promoted("self", "threshold", "value"),
        convertible("out"),
        broadcast_together("self", "threshold", "value"),
        result_shape("out"),
    ),
    torch=Torch("threshold_tensor(input, threshold, value)"),
)
