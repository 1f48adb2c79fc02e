"""The inverse error function."""

from ..base.definition import C, Torch
from ..base.xp import erfinv as inverse_error_function
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, supported
from ..contract.shape_rules import rank, same_shape


def erfinv_formula(x):
    """the y with erf(y) = x; NaN if abs(x) > 1"""
    return inverse_error_function(x)


erfinv = Operator(
    "erfinv(Tensor self) -> Tensor out",
    summary="erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1\n\nIntegers give float32.",
    paper="Giles 2010, https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf",
    formula=erfinv_formula,
    dtypes="float32 float16 bfloat16 int8 int16 int32 int64 uint8 bool",
    integer_result="float32",
    checks=(supported("self"), convertible("out"), same_shape("out", to="self"), rank("self")),
    differences=(
        "Integers in place: the source lists them, but cannot convert FLOAT to integers. actgrad refuses them.",
    ),
    torch=Torch("erfinv"),
    aclnn=C("Erfinv", const_reference=True),
    ir="Erfinv(input_x=self) -> output_y",
)
