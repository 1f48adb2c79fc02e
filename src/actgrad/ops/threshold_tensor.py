"""Threshold with tensors of one element instead of numbers."""

from ..base.definition import Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.shape_rules import broadcast_together, rank, result_shape
from .relu import threshold_formula


def threshold_or_zero(x, threshold):
    """x if x > threshold else 0"""
    return where(x <= threshold, 0, x)


threshold_tensor = Operator(
    "threshold_tensor(Tensor self, Tensor threshold, Tensor? value) -> Tensor out",
    summary="self if self > threshold, else value; the three tensors are broadcast together\n\nWithout value, it is 0.",
    paper="CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold_v2",
    formula={False: threshold_or_zero, True: threshold_formula},
    integer_formula={False: threshold_or_zero, True: threshold_formula},
    switch="value",
    broadcasts=True,
    dtypes="float32 float16 bfloat16 int8 int32 uint8 int64",
    checks=(
        supported("self"),
        equal("threshold", "value", "out", to="self"),
        rank("self"),
        broadcast_together("self", "threshold", "value"),
        result_shape("out"),
    ),
    differences=(
        "threshold and value: the operator requires one element each. actgrad broadcasts tensors of any shape.",
    ),
    torch=Torch("threshold_tensor(input, threshold, value)"),
    ir="ThresholdV2(x=self, threshold, value?) -> y",
)
