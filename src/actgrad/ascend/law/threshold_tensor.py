"""CANN's law of threshold_tensor."""

from ...checks.dtype_rules import equal
from ...checks.shape_rules import broadcast_together, result_shape
from ...ops.threshold_tensor import threshold_tensor
from ..rules.law import Law
from ..rules.rule import rank, supported

Law(
    threshold_tensor,
    dtypes="float32 float16 bfloat16 int8 int32 uint8 int64",
    checks=(
        supported("self"),
        equal("threshold", "value", "out", to="self"),
        rank("self"),
        broadcast_together("self", "threshold", "value"),
        result_shape("out"),
    ),
    graph=("ThresholdV2(x=self, threshold, value?) -> y",),
    differences_file="threshold_tensor.md",
)
