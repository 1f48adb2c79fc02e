"""GELU of the lower half of a packed tensor, times the upper half. GeGLU applies GELU to the upper half instead."""

from ..base.access import Halves
from ..base.definition import C, Torch
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.halves_rules import dim_in_range, even, most_along
from ..contract.kinds import TILED_VALUES
from ..contract.shape_rules import ANY_RANK, rank, result_shape
from ..contract.stages import document, tiling
from .gelu import gelu_erf, gelu_tanh

gelu_mul = Operator(
    "gelu_mul(Tensor input, int approximate=0, int dim=-1) -> Tensor out",
    summary="gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size of "
    "input along dim\n\n"
    "approximate='tanh' (1) takes GELU's tanh form.",
    paper="Shazeer 2020, https://arxiv.org/abs/2002.05202",
    formula={"none": gelu_erf, "tanh": gelu_tanh},
    switch="approximate",
    reads=Halves(("input",), active="lower"),
    multiplies="other",
    checks=(
        supported("input"),
        equal("out", to="input"),
        document(rank("input")),
        TILED_VALUES,
        tiling(
            rank("input", minimum=2, maximum=ANY_RANK),
            most_along("input", 1024, most_rows=200_000),
            dim_in_range("input"),
            even("input"),
            result_shape("out", or_in_a_row=True),
        ),
    ),
    products="Ascend950 Ascend910_93 Ascend910B",
    generated=True,
    differences=(
        "Size: CANN limits the last dimension to 1024 elements, and the product of the others to 200000. actgrad has "
        "these limits only with a product.",
        "Shape of out: CANN does not check it. actgrad requires the shape of the result, or a contiguous tensor with "
        "as many elements.",
    ),
    torch=Torch("gelu_mul(approximate)", module="GELUMul"),
    aclnn=C(
        "GeluMul",
        {"dim": -1},
        parameters="input approximateOptional out",
        optional="approximate",
        text="approximate",
        unusual_const="out",
    ),
    ir="GeluMul(x=input, approximate=approximate:none; dim=-1) -> y",
)
