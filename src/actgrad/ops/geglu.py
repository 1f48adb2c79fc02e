"""GeGLU, the GELU-gated linear unit (Shazeer 2020, https://arxiv.org/abs/2002.05202)."""

from ..layouts import GATED
from ..op import Operator
from .gelu import gelu_erf, gelu_erf_derivative, gelu_tanh, gelu_tanh_derivative

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B Ascend310P"
REQUIRES = {
    "approximate='tanh' on Ascend310P": lambda a, product: (
        a["approximate"] == "tanh" or product is None or product.name != "Ascend310P"
    )
}

geglu = Operator(
    "geglu(Tensor self, int dim=-1, int approximate=0, bool activate_left=False) -> (Tensor out, Tensor gelu)",
    summary="One half of the input along dim times GELU of the other (the upper one, or activate_left the lower);\n"
    "returns (out, gelu), both half of the input's size along dim.",
    formula={"none": gelu_erf, "tanh": gelu_tanh},
    switch="approximate",
    layout=GATED,
    out_dtype="equal",
    document_rank=(1, 8),
    requires=REQUIRES,
    products=PRODUCTS,
    aclnn={"GeGlu": {"activate_left": False}, "GeGluV3": {}},
    ir="GeGluV2",
)

geglu_backward = Operator(
    "geglu_backward(Tensor grad_output, Tensor self, Tensor? gelu, int dim=-1, int approximate=0, "
    "bool activate_left=False) -> Tensor grad_input",
    summary="The gradient of GeGLU's input; gelu is the forward pass's second result, or None: it is computed anew,\n"
    "which saves its memory.",
    formula={"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative},
    switch="approximate",
    gradient_of=geglu,
    layout=GATED,
    out_dtype="equal",
    max_rank=None,
    document_rank=(1, 8),
    requires=REQUIRES,
    products=PRODUCTS,
    aclnn={"GeGluBackward": {"activate_left": False}, "GeGluV3Backward": {}},
    ir="GeGluGradV2",
)
