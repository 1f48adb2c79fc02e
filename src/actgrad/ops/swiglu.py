"""SwiGLU, the SiLU-gated linear unit, of a packed tensor or of two."""

from ..base.access import Halves
from ..base.definition import Roles, Torch
from ..calls.operator import Operator
from .silu import silu_derivative, silu_formula

swiglu = Operator(
    "swiglu(Tensor x, int dim=-1) -> Tensor out",
    summary="silu(lower) * upper, where lower and upper are the halves of x along dim; out has half the size of x "
    "along dim",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=silu_formula,
    layout=Halves(("x",), active="lower"),
    roles=Roles(multiplies="other"),
    torch=Torch("swiglu(dim)", module="SwiGLU"),
)

swiglu_backward = Operator(
    "swiglu_backward(Tensor grad_output, Tensor x, int dim=-1) -> Tensor grad_input",
    summary="grad_lower = grad_output * upper * silu'(lower) and grad_upper = grad_output * silu(lower), where lower "
    "and upper are the halves of x along dim; grad_input packs grad_lower and grad_upper as x packs its halves\n\n"
    "silu(lower) is computed again.",
    formula=silu_derivative,
    gradient_of=swiglu,
)

swiglu_two = Operator(
    "swiglu_two(Tensor self, Tensor gate) -> Tensor out",
    summary="self * silu(gate)",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=silu_formula,
    roles=Roles(multiplies="self", linear_in="self"),
    torch=Torch("swiglu_two(x, gate)"),
)

swiglu_two_backward = Operator(
    "swiglu_two_backward(Tensor grad_output, Tensor self, Tensor gate) -> (Tensor grad_self, Tensor grad_gate)",
    summary="grad_self = grad_output * silu(gate) and grad_gate = grad_output * self * silu'(gate)\n\n"
    "silu(gate) is computed again.",
    formula=silu_derivative,
    gradient_of=swiglu_two,
)
