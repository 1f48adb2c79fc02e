"""GELU of the lower half of a packed tensor, times the upper half. GeGLU applies GELU to the upper half instead."""

from ..base.access import Halves
from ..base.definition import Roles, Switch, Torch
from ..calls.operator import Operator
from .gelu import gelu_erf, gelu_tanh

gelu_mul = Operator(
    "gelu_mul(Tensor input, int approximate=0, int dim=-1) -> Tensor out",
    summary="gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size of "
    "input along dim\n\n"
    "approximate='tanh' (1) takes GELU's tanh form.",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=Switch("approximate", {"none": gelu_erf, "tanh": gelu_tanh}),
    layout=Halves(("input",), active="lower"),
    roles=Roles(multiplies="other"),
    torch=Torch("gelu_mul(approximate)", module="GELUMul"),
)
