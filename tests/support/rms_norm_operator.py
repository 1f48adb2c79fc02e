"""RMSNorm: each row divided by the root of its mean square (Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467)."""

from actgrad.base.rows import Rows, length, once, total
from actgrad.calls.operator import Operator
from actgrad.checks.dtype_rules import promoted, supported
from actgrad.checks.shape_rules import broadcasts_to, result_shape

from .unit_rms_formulas import inverse_root


def square(x, weight, eps):
    """x * x"""
    return x * x


def rms_norm_formula(x, weight, squares, count, scale, eps):
    """x / sqrt(mean(x * x) + eps) * weight"""
    return x * scale * weight


rms_norm = Operator(
    "rms_norm_of_tests(Tensor self, Tensor weight, int dim=-1, Scalar eps=1e-6) -> Tensor out",
    summary="x / sqrt(mean(x * x) + eps) * weight, with the mean over each row.",
    formula=rms_norm_formula,
    layout=Rows(passes=({"squares": total(square)}, {"count": length()}, {"scale": once(inverse_root)})),
    requires={"eps >= 0": lambda a: a["eps"] >= 0},
    broadcasts=True,
    preconditions=(
        supported("self", "weight"),
        promoted("self", "weight"),
        broadcasts_to("weight", to="self"),
        result_shape("out"),
    ),
)
