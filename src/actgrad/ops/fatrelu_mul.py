"""FATReLU (a ReLU with a threshold) of one half, times the other half."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..base.products import by_documents
from ..base.xp import where
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.halves_rules import dim_in_range, even, most_along, one_element
from ..contract.shape_rules import ANY_RANK, rank, result_shape
from ..contract.stages import document, tiling


def fatrelu_mul_formula(a, b, threshold):
    """(a if a > threshold else 0) * b"""
    return where(a > threshold, a, zero_unless_nan(a)) * b


def fatrelu_mul_formula_of_documents(a, b, threshold):
    """(a if a >= threshold else 0) * b, by the documents' rules"""
    return where(a >= threshold, a, zero_unless_nan(a)) * b


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
    formula={False: fatrelu_mul_formula, True: fatrelu_mul_formula_of_documents},
    switch=lambda attributes, product: by_documents(),
    reads=Halves(("input",), active="lower", tensor="threshold"),
    checks=(
        supported("input"),
        equal("threshold", "out", to="input"),
        document(rank("input")),
        tiling(
            rank("input", minimum=2, maximum=ANY_RANK),
            one_element("threshold"),
            dim_in_range("input"),
            most_along("input", 1024, most_rows=200_000),
            even("input"),
            result_shape("out", or_in_a_row=True),
        ),
    ),
    products="Ascend910_93 Ascend910B",
    generated=True,
    differences=(
        "Element equal to threshold: the documents keep it, and the kernel returns 0. actgrad returns 0, and keeps it "
        "under the documents' rules.",
        "NaN: the kernel returns 0. actgrad returns NaN, as in every forward function.",
        "Size: CANN limits the last dimension to 1024 elements, and the product of the others to 200000. actgrad has "
        "these limits only with a product.",
        "Shape of out: CANN does not check it. actgrad requires the shape of the result, or a contiguous tensor with "
        "as many elements.",
    ),
    torch=Torch("fatrelu_mul(input, threshold)"),
    aclnn=C("FatreluMul", {"dim": -1}, unusual_const="out"),
    ir="FatreluMul(x=input, threshold; dim=-1) -> y",
)
