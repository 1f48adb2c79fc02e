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
        "approximate: a header exchanges the numbers. actgrad uses 0 for none and 1 for tanh, as all other sources do.",
        "approximate 0 on Ascend310P: the documents allow only tanh, and the source does not check. actgrad refuses "
        "it.",
        "Empty self: the source does not compare the dtypes then. actgrad does not either.",
        "float16: the kernel rounds gelu before it multiplies. actgrad rounds each output once.",
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
        "dim: a table in a newer document allows [-size, size]. All other sources and actgrad allow [-rank, rank - 1].",
        "Number of dimensions: the documents allow 1 to 8, and the source has no limit. actgrad has the limit only "
        "under the documents' rules.",
        "approximate 0 on Ascend310P: the documents do not support it, and the source reports success and fails "
        "later. actgrad refuses it.",
        "float16: the kernel multiplies the gradient by the other half in float16, which may overflow. actgrad "
        "multiplies in float32.",
        "Infinite elements: the kernel returns NaN. actgrad returns the limits 0 and 1.",
        "gelu: the C functions read it. The Python function computes it if it is left out.",
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
