"""CANN's law of erfinv."""

from ...checks.dtype_rules import convertible
from ...checks.shape_rules import same_shape
from ...ops.erfinv import erfinv
from ..rules.law import C, InPlace, Law
from ..rules.rule import rank, supported

Law(
    erfinv,
    dtypes="float32 float16 bfloat16 int8 int16 int32 int64 uint8 bool",
    checks=(supported("self"), convertible("out"), same_shape("out", to="self"), rank("self")),
    functions=(C("Erfinv", in_place=InPlace(is_const=True)),),
    graph=("Erfinv(input_x=self) -> output_y",),
    differences_file="erfinv.md",
)
