"""FATReLU (a ReLU with a threshold) of one half, times the other half."""

from ..base.access import Halves
from ..base.definition import Torch
from ..base.xp import where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, equal, supported
from ..checks.halves_rules import dim_in_range, even, one_element
from ..checks.shape_rules import result_shape


def fatrelu_mul_formula(a, b, threshold):
    """(a if a > threshold else 0) * b"""
    return where(a > threshold, a, zero_unless_nan(a)) * b


def zero_unless_nan(a):
    """NaN if a is NaN, else 0"""
    return where(a == a, 0.0, a)


fatrelu_mul = Operator(
    "fatrelu_mul(Tensor input, Tensor threshold, int dim=-1) -> Tensor out",
    summary="(lower if lower > threshold, else 0) * upper, where lower and upper are the halves of input along dim; "
    "out has half the size of input along dim\n\n"
    "By the documents' rules (actgrad.rules('document')) the condition is lower >= threshold. threshold is a "
    "tensor of one element.",
    paper="Kurtz et al. 2020, https://proceedings.mlr.press/v119/kurtz20a.html",
    formula=fatrelu_mul_formula,
    layout=Halves(("input",), active="lower", tensor="threshold"),
    preconditions=(
        supported("input"),
        equal("threshold", to="input"),
        convertible("out"),
        one_element("threshold"),
        dim_in_range("input"),
        even("input"),
        result_shape("out"),
    ),
    torch=Torch("fatrelu_mul(input, threshold)"),
)
