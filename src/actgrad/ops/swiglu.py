"""SwiGLU, the SiLU-gated linear unit, of a packed tensor or of two."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.halves_rules import dim_in_range, even, half, same_rank, whole_blocks
from ..contract.shape_rules import nonempty, result_shape
from ..contract.stages import document, on, tiling
from .silu import silu_derivative, silu_formula

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B Ascend310P"
DIFFERENCES = (
    "Wrong dim or size: the documents have status 161002, and the generated function returns 561002. actgrad returns "
    "561002, and 161002 under the documents' rules.",
    "Odd size along dim before an even size: the source halves the flattened rest of the tensor. actgrad refuses it.",
    "Shape of out: CANN does not check it. actgrad requires the shape of the result, or a contiguous tensor with as "
    "many elements.",
    "x that is not contiguous: the documents refuse it, and the definition takes it. actgrad takes it.",
)

swiglu = Operator(
    "swiglu(Tensor x, int dim=-1) -> Tensor out",
    summary="silu(lower) * upper, where lower and upper are the halves of x along dim; out has half the size of x "
    "along dim",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=silu_formula,
    reads=Halves(("x",), active="lower"),
    multiplies="other",
    checks=(
        supported("x"),
        equal("out", to="x"),
        on("Ascend310P", document(nonempty("x"))),
        tiling(
            dim_in_range("x"), even("x"), on("Ascend310P", whole_blocks("x")), result_shape("out", or_in_a_row=True)
        ),
    ),
    products=PRODUCTS,
    generated=True,
    differences=DIFFERENCES,
    torch=Torch("swiglu(dim)", module="SwiGLU"),
    aclnn=C("SwiGlu", unusual_const="out"),
    ir="SwiGlu(x, dim=-1) -> y",
)

swiglu_backward = Operator(
    "swiglu_backward(Tensor grad_output, Tensor x, int dim=-1) -> Tensor grad_input",
    summary="grad_lower = grad_output * upper * silu'(lower) and grad_upper = grad_output * silu(lower), where lower "
    "and upper are the halves of x along dim; grad_input packs grad_lower and grad_upper as x packs its halves\n\n"
    "silu(lower) is computed again.",
    formula=silu_derivative,
    gradient_of=swiglu,
    checks=(
        supported("grad_output"),
        equal("x", "grad_input", to="grad_output"),
        document(nonempty("grad_output", "x")),
        tiling(
            same_rank("grad_output", to="x"),
            dim_in_range("x"),
            even("x"),
            half("grad_output", of="x"),
            on("Ascend310P", whole_blocks("x")),
            result_shape("grad_input", or_in_a_row=True),
        ),
    ),
    products=PRODUCTS,
    generated=True,
    differences=(*DIFFERENCES, "Shape of y_grad: only Ascend950 checks it. actgrad checks it on every product."),
    aclnn=C("SwiGluGrad", parameters="yGrad x dim out", unusual_const="out"),
    ir="SwiGluGrad(y_grad=grad_output, x, dim=-1) -> x_grad",
)

swiglu_two = Operator(
    "swiglu_two(Tensor self, Tensor gate) -> Tensor out",
    summary="self * silu(gate)",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula=silu_formula,
    multiplies="self",
    linear_in="self",
    torch=Torch("swiglu_two(x, gate)"),
)

swiglu_two_backward = Operator(
    "swiglu_two_backward(Tensor grad_output, Tensor self, Tensor gate) -> (Tensor grad_self, Tensor grad_gate)",
    summary="grad_self = grad_output * silu(gate) and grad_gate = grad_output * self * silu'(gate)\n\n"
    "silu(gate) is computed again.",
    formula=silu_derivative,
    gradient_of=swiglu_two,
)
