"""GeGLU, the GELU-gated linear unit, of a packed tensor or of two."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.halves_rules import dim_in_range, even, half, half_size, same_rank
from ..contract.shape_rules import rank, same_shape
from ..contract.stages import document
from .gelu import gelu_erf, gelu_erf_derivative, gelu_tanh, gelu_tanh_derivative

HEADER, BACKWARD = "aclnn_geglu.h", "aclnn_geglu_backward.h"
PRODUCTS = "Ascend950 Ascend910_93 Ascend910B Ascend310P"
REQUIRES = {
    "approximate='tanh' on Ascend310P": lambda a, product: (
        a["approximate"] == "tanh" or product is None or product.name != "Ascend310P"
    )
}

geglu = Operator(
    "geglu(Tensor self, int dim=-1, int approximate=0, bool activate_left=False) -> (Tensor out, Tensor out_gelu)",
    summary="out = lower * gelu(upper) and out_gelu = gelu(upper), where lower and upper are the halves of self "
    "along dim; both results have half the size of self along dim\n\n"
    "activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula={"none": gelu_erf, "tanh": gelu_tanh},
    switch="approximate",
    reads=Halves(("self",), active="activate_left"),
    multiplies="other",
    checks=(
        supported("self", "out", "out_gelu"),
        equal("out", "out_gelu", to="self", unless_empty=True),
        rank("self", "out", "out_gelu"),
        dim_in_range("self"),
        even("self"),
        half_size("out", "out_gelu", of="self"),
        same_rank("out", "out_gelu", to="self"),
        half("out", "out_gelu", of="self"),
    ),
    requires=REQUIRES,
    products=PRODUCTS,
    differences=(
        "approximate: a header has the numbers swapped. Here: 0 none, 1 tanh, as all else says.",
        "approximate 0 on Ascend310P: the documents say tanh only, the source passes it. Here: refused.",
        "An empty self: the source does not compare the dtypes then. Here: neither.",
        "float16: the kernel rounds gelu before it multiplies. Here: each output is rounded once.",
    ),
    aclnn=(C("GeGlu", {"activate_left": False}, header=HEADER), C("GeGluV3", header=HEADER)),
    ir="GeGluV2(x=self, dim=-1, approximate=1, activate_left=False) -> (y, gelu)",
)

geglu_packed = Operator(
    "geglu_packed(Tensor self, int dim=-1, int approximate=0, bool activate_left=False) -> Tensor out",
    summary="lower * gelu(upper), where lower and upper are the halves of self along dim; out has half the size of "
    "self along dim\n\n"
    "This is geglu without its second result, which then costs neither time nor memory. activate_left=True swaps "
    "the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.",
    formula=geglu.formula,
    switch=geglu.switch,
    part_of=geglu,
    multiplies="other",
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
    formula={"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative},
    switch="approximate",
    gradient_of=geglu,
    checks=(
        supported("grad_output"),
        equal("self", "gelu", "grad_input", to="grad_output"),
        document(rank("self", minimum=1)),
        same_shape("gelu", to="grad_output"),
        same_shape("grad_input", to="self"),
        dim_in_range("self"),
        same_rank("grad_output", to="self"),
        even("self"),
        half("grad_output", of="self"),
    ),
    requires=REQUIRES,
    products=PRODUCTS,
    differences=(
        "dim: one table of a newer document allows [-size, size], all else [-rank, rank - 1]. Here: the latter.",
        "Rank: the documents say 1 to 8, the source has no limit. Here: by the documents' letter alone.",
        "approximate 0 on Ascend310P: not supported by the documents; the source reports success and fails later. "
        "Here: refused.",
        "float16: the kernel multiplies the gradient and the other half in float16, which may overflow. Here: float32.",
        "Infinite elements: the kernel gives NaN. Here: the limits, 0 and 1.",
        "gelu: the C functions take it as given; in Python it is computed anew where it is left out.",
    ),
    aclnn=(C("GeGluBackward", {"activate_left": False}, header=BACKWARD), C("GeGluV3Backward", header=BACKWARD)),
    ir="GeGluGradV2(dy=grad_output, x=self, gelu, dim=-1, approximate=1, activate_left=False) -> dx",
)

geglu_two = Operator(
    "geglu_two(Tensor self, Tensor gate, int approximate=0) -> Tensor out",
    summary="self * gelu(gate)\n\napproximate='tanh' (1) takes GELU's tanh form.",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula={"none": gelu_erf, "tanh": gelu_tanh},
    switch="approximate",
    multiplies="self",
    linear_in="self",
    torch=Torch("geglu_two(x, gate, approximate)"),
)

geglu_two_backward = Operator(
    "geglu_two_backward(Tensor grad_output, Tensor self, Tensor gate, int approximate=0) "
    "-> (Tensor grad_self, Tensor grad_gate)",
    summary="grad_self = grad_output * gelu(gate) and grad_gate = grad_output * self * gelu'(gate)\n\n"
    "gelu(gate) is computed again. approximate='tanh' (1) takes GELU's tanh form.",
    formula={"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative},
    switch="approximate",
    gradient_of=geglu_two,
)
