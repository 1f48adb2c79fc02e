"""Softmax and its gradients."""

from ..base.definition import Result, Roles, Torch
from ..base.rows import Rows, largest, once, total
from ..base.xp import exp_difference
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, promoted, supported
from ..checks.halves_rules import dim_in_range
from ..checks.shape_rules import broadcastable, result_shape, same_shape

FLOATS = "float32 float16 float64 bfloat16"


def identity(x):
    """x"""
    return x


def power(x, largest):
    """exp(x - largest)"""
    return exp_difference(x, largest)


def inverse(largest, total):
    """1 / sum(exp(x - m))"""
    return 1.0 / total


def softmax_formula(power, largest, total, inverse):
    """exp(x - m) / sum(exp(x - m)), where m is the largest x of the row"""
    return power * inverse


def weighted(grad, y):
    """grad * y"""
    return grad * y


def softmax_gradient(grad, y, total):
    """y * (g - sum(g * y)), for y = softmax(x)"""
    return y * (grad - total)


def confusion_formula(grad, x, total):
    """grad - sum(grad * x)"""
    return grad - total


def first_product(grad, x1, x2):
    """grad * x1"""
    return grad * x1


def extended_formula(grad, x1, x2, total):
    """(grad * x1 - sum(grad * x1) * x1) * x2"""
    return (grad * x1 - total * x1) * x2


softmax = Operator(
    "softmax(Tensor self, int dim=-1) -> Tensor out",
    summary="exp(x) / sum(exp(x)) along dim",
    paper="Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28",
    formula=softmax_formula,
    layout=Rows(
        passes=({"largest": largest(identity)}, {"total": total(power)}, {"inverse": once(inverse)}),
        replaces_inputs=True,
    ),
    torch=Torch("softmax(dim=None, _stacklevel, dtype)", module="Softmax(dim=None)"),
)

softmax_backward = Operator(
    "softmax_backward(Tensor grad_output, Tensor output, int dim=-1) -> Tensor grad_input",
    summary="output * (grad_output - sum(grad_output * output)) along dim; output = softmax(x)",
    formula=softmax_gradient,
    gradient_of=softmax,
    layout=Rows(passes=({"total": total(weighted)},)),
    roles=Roles(takes_gradient=True),
    result=Result("output"),
)

confusion_softmax_grad = Operator(
    "confusion_softmax_grad(Tensor grad, Tensor x) -> Tensor out",
    summary="grad - sum(grad * x) along the last dimension\n\n"
    "Times x, this is the gradient of softmax, if x is the result of softmax.",
    paper="Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28",
    formula=confusion_formula,
    layout=Rows(passes=({"total": total(weighted)},), dim=""),
    broadcasts=True,
)

softmax_grad_ext = Operator(
    "softmax_grad_ext(Tensor grad, Tensor x1, Tensor x2, int dim=-1) -> Tensor out",
    summary="(grad * x1 - sum(grad * x1) * x1) * x2 along dim",
    paper="Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28",
    formula=extended_formula,
    layout=Rows(passes=({"total": total(first_product)},)),
    broadcasts=True,
    preconditions=(
        supported("grad"),
        promoted("grad", "x1", "x2"),
        convertible("out"),
        same_shape("x1", to="grad"),
        broadcastable("x2", to="grad"),
        dim_in_range("grad"),
        result_shape("out"),
    ),
)
