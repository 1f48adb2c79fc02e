"""The inverse error function."""

from ..base.definition import Dtypes, Integers, Torch
from ..base.xp import erfinv as inverse_error_function
from ..calls.operator import Operator


def erfinv_formula(x):
    """the y with erf(y) = x; NaN if abs(x) > 1"""
    return inverse_error_function(x)


erfinv = Operator(
    "erfinv(Tensor self) -> Tensor out",
    summary="erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1\n\nIntegers give float32.",
    paper="Giles 2010, https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf",
    formula=erfinv_formula,
    integers=Integers(dtype="float32"),
    dtypes=Dtypes("int8 int16 int32 int64 uint8 bool"),
    torch=Torch("erfinv"),
)
