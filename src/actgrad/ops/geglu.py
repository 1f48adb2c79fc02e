"""GeGLU, the GELU-gated linear unit, of a packed tensor or of two."""

from ..base.access import Halves
from ..base.definition import Roles, Switch, Torch
from ..calls.operator import Operator
from .gelu import gelu_erf, gelu_erf_derivative, gelu_tanh, gelu_tanh_derivative

geglu = Operator(
    "geglu(Tensor self, int dim=-1, int approximate=0, bool activate_left=False) -> (Tensor out, Tensor out_gelu)",
    summary="out = lower * gelu(upper) and out_gelu = gelu(upper), where lower and upper are the halves of self "
    "along dim; both results have half the size of self along dim\n\n"
    "activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=Switch("approximate", {"none": gelu_erf, "tanh": gelu_tanh}),
    layout=Halves(("self",), active="activate_left"),
    roles=Roles(multiplies="other"),
)

geglu_packed = Operator(
    "geglu_packed(Tensor self, int dim=-1, int approximate=0, bool activate_left=False) -> Tensor out",
    summary="lower * gelu(upper), where lower and upper are the halves of self along dim; out has half the size of "
    "self along dim\n\n"
    "This is geglu without its second result, which then costs neither time nor memory. activate_left=True swaps "
    "the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.",
    formula=geglu.formula,
    roles=Roles(multiplies="other", part_of=geglu),
    torch=Torch("geglu(dim, approximate, activate_left, *, save)", module="GEGLU"),
)

geglu_backward = Operator(
    "geglu_backward(Tensor grad_output, Tensor self, Tensor? gelu, int dim=-1, int approximate=0, "
    "bool activate_left=False) -> Tensor grad_input",
    summary="grad_lower = grad_output * gelu(upper) and grad_upper = grad_output * lower * gelu'(upper), where lower "
    "and upper are the halves of self along dim; grad_input packs grad_lower and grad_upper as self packs its "
    "halves\n\n"
    "gelu is the second result of geglu. Pass None to save its memory: it is then computed again. "
    "activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.",
    formula=Switch("approximate", {"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative}),
    gradient_of=geglu,
)

geglu_two = Operator(
    "geglu_two(Tensor self, Tensor gate, int approximate=0) -> Tensor out",
    summary="self * gelu(gate)\n\napproximate='tanh' (1) takes GELU's tanh form.",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=Switch("approximate", {"none": gelu_erf, "tanh": gelu_tanh}),
    roles=Roles(multiplies="self", linear_in="self"),
    torch=Torch("geglu_two(x, gate, approximate)"),
)

geglu_two_backward = Operator(
    "geglu_two_backward(Tensor grad_output, Tensor self, Tensor gate, int approximate=0) "
    "-> (Tensor grad_self, Tensor grad_gate)",
    summary="grad_self = grad_output * gelu(gate) and grad_gate = grad_output * self * gelu'(gate)\n\n"
    "gelu(gate) is computed again. approximate='tanh' (1) takes GELU's tanh form.",
    formula=Switch("approximate", {"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative}),
    gradient_of=geglu_two,
)
