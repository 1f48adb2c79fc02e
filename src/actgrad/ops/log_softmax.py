"""The logarithm of softmax, and the cross entropy of softmax with labels."""

from ..base.definition import Result, Roles, Torch
from ..base.rows import Rows, largest, once, total
from ..base.xp import exp, exp_difference, log1p, where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, supported
from ..checks.shape_rules import result_shape, same_shape
from .softmax import identity


def rest(x, largest):
    """exp(x - largest) if x < largest else 0"""
    return where(x < largest, exp_difference(x, largest), 0.0)


def is_largest(x, largest):
    """1 if x is the largest, else 0; NaN if x is NaN, or if x is the largest and infinite"""
    return where(x < largest, 0.0, 1.0 + (x - largest))


def log_total(largest, rest, count):
    """log(sum(exp(x - m))) = log(count + rest); log1p keeps the digits of rest"""
    return log1p((count - 1.0) + rest)


def log_softmax_formula(x, largest, rest, count, log_total):
    """x - m - log(sum(exp(x - m))), where m is the largest x of the row"""
    return (x - largest) - log_total


def gradient_itself(grad, y):
    """grad"""
    return grad


def log_softmax_gradient(grad, y, total):
    """g - exp(y) * sum(g), for y = log_softmax(x)"""
    return grad - exp(y) * total


def largest_feature(x, labels):
    """x"""
    return x


def rest_of_features(x, labels, largest):
    """exp(x - largest) if x < largest else 0"""
    return rest(x, largest)


def is_largest_feature(x, labels, largest):
    """1 if x is the largest, else 0"""
    return is_largest(x, largest)


def entropy(x, labels, largest, rest, count, log_total):
    """-labels * log_softmax(x)"""
    return labels * (log_total - (x - largest))


def entropy_gradient(x, labels, largest, rest, count, log_total, loss):
    """softmax(x) - labels"""
    return exp_difference(x, largest) / (count + rest) - labels


LOG_TOTAL = (
    {"largest": largest(identity)},
    {"rest": total(rest), "count": total(is_largest)},
    {"log_total": once(log_total)},
)

log_softmax = Operator(
    "log_softmax(Tensor self, int dim=-1) -> Tensor out",
    summary="x - log(sum(exp(x))) along dim",
    paper="Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28",
    formula=log_softmax_formula,
    layout=Rows(passes=LOG_TOTAL),
    torch=Torch("log_softmax(dim=None, _stacklevel, dtype)", module="LogSoftmax(dim=None)"),
)

log_softmax_backward = Operator(
    "log_softmax_backward(Tensor grad_output, Tensor output, int dim=-1) -> Tensor grad_input",
    summary="grad_output - exp(output) * sum(grad_output) along dim; output = log_softmax(x)",
    formula=log_softmax_gradient,
    gradient_of=log_softmax,
    layout=Rows(passes=({"total": total(gradient_itself)},)),
    roles=Roles(takes_gradient=True),
    result=Result("output"),
)

softmax_cross_entropy_with_logits = Operator(
    "softmax_cross_entropy_with_logits(Tensor features, Tensor labels) -> (Tensor loss, Tensor backprop)",
    summary="loss = -sum(labels * log_softmax(features)) and backprop = softmax(features) - labels along the last "
    "dimension; loss has one element for each row\n\n"
    "backprop is the gradient of loss by features, if the labels of each row sum to 1. features and labels have "
    "the shape (rows, classes).",
    paper="Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28",
    formula=entropy_gradient,
    layout=Rows(
        passes=(
            {"largest": largest(largest_feature)},
            {"rest": total(rest_of_features), "count": total(is_largest_feature)},
            {"log_total": once(log_total)},
            {"loss": total(entropy)},
        ),
        dim="",
    ),
    preconditions=(
        supported("features", "labels"),
        convertible("loss", "backprop"),
        same_shape("labels", to="features"),
        result_shape("loss", "backprop"),
    ),
    torch=Torch("softmax_cross_entropy_with_logits(features, labels)"),
)
