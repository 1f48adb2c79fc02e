"""Operators as a new author would write them: roots, several tensors, along a dimension, broadcast, of rows."""

from actgrad.base.access import Along
from actgrad.base.rows import Rows, total
from actgrad.base.xp import exp, normal_cdf, rsqrt, sigmoid, sqrt, where
from actgrad.calls.operator import Operator
from actgrad.checks.dtype_rules import promoted, supported
from actgrad.checks.shape_rules import along, broadcasts_to, result_shape, same_shape


def swish_gate(gate, x, beta):
    """gate * x * sigmoid(beta * x)"""
    return gate * x * sigmoid(beta * x)


def scaled_sum(x, weight, other, alpha):
    """x * weight + alpha * other"""
    return x * weight + alpha * other


def shifted(x, bias):
    """x + bias"""
    return x + bias


def biased_gelu(x, bias):
    """gelu(x + bias)"""
    z = x + bias
    return z * normal_cdf(z)


def gelu_of_bias(bias, x):
    """gelu(bias + x)"""
    return biased_gelu(x, bias)


def biased_gelu_of_three(x, bias, gate):
    """gelu(x + bias) * gate"""
    return biased_gelu(x, bias) * gate


def weighted(x, mask):
    """exp(x) where mask > 0, else 0"""
    return where(mask > 0, exp(x), 0.0)


def centred(x, mask, weights):
    """x - sum of weights"""
    return x - weights


def root(x):
    """sqrt(x)"""
    return sqrt(x)


def inverse_of_root(x):
    """1 / sqrt(x)"""
    return rsqrt(x)


def hypotenuse(x, y, floor):
    """sqrt(x * x + y * y + floor) * rsqrt(1 + x * x)"""
    return sqrt(x * x + y * y + floor) * rsqrt(1.0 + x * x)


square_root = Operator("author_sqrt(Tensor self) -> Tensor out", summary="The square root.", formula=root)
inverse_square_root = Operator(
    "author_rsqrt(Tensor self) -> Tensor out", summary="1 / sqrt(self).", formula=inverse_of_root
)
length_of_two = Operator(
    "author_hypotenuse(Tensor self, Tensor other, Scalar floor=1) -> Tensor out",
    summary="The length of a side, relative to another.",
    formula=hypotenuse,
    requires={"floor >= 0": lambda a: a["floor"] >= 0},
)
gate_along = Operator(
    "author_gate_along(Tensor gate, Tensor self, Tensor beta) -> Tensor out",
    summary="gate * self * sigmoid(beta * self), with a beta for each channel.",
    formula=swish_gate,
    layout=Along("beta", 1),
    preconditions=(
        supported("gate", "self", "beta"),
        promoted("gate", "self", "beta"),
        same_shape("self", to="gate"),
        along("beta", to="self"),
        result_shape("out"),
    ),
)
along_the_second = Operator(
    "author_along_the_second(Tensor self, Tensor weight, Tensor other, Scalar alpha=1) -> Tensor out",
    summary="self * weight + alpha * other, with a weight for each place along dimension 2.",
    formula=scaled_sum,
    layout=Along("weight", 2),
)
along_the_first = Operator(
    "author_along_the_first(Tensor self, Tensor bias) -> Tensor out",
    summary="self + bias, with a bias for each place along dimension 0.",
    formula=shifted,
    layout=Along("bias", 0),
)
bias_gelu = Operator(
    "author_bias_gelu(Tensor self, Tensor bias) -> Tensor out",
    summary="GELU of self + bias.",
    formula=biased_gelu,
    broadcasts=True,
    preconditions=(
        supported("self", "bias"),
        promoted("self", "bias"),
        broadcasts_to("bias", to="self"),
        result_shape("out"),
    ),
)
gelu_bias = Operator(
    "author_gelu_bias(Tensor bias, Tensor self) -> Tensor out",
    summary="GELU of self + bias, the bias first.",
    formula=gelu_of_bias,
    broadcasts=True,
    preconditions=(
        supported("bias", "self"),
        promoted("bias", "self"),
        broadcasts_to("bias", to="self"),
        result_shape("out"),
    ),
)
bias_gelu_gate = Operator(
    "author_bias_gelu_gate(Tensor self, Tensor bias, Tensor gate) -> Tensor out",
    summary="GELU of self + bias, times gate.",
    formula=biased_gelu_of_three,
    broadcasts=True,
    preconditions=(
        supported("self", "bias", "gate"),
        promoted("self", "bias", "gate"),
        broadcasts_to("bias", to="self"),
        same_shape("gate", to="self"),
        result_shape("out"),
    ),
)
plain_broadcast = Operator(
    "author_plain_broadcast(Tensor self, Tensor bias) -> Tensor out",
    summary="self + bias.",
    formula=shifted,
    broadcasts=True,
)
masked_rows = Operator(
    "author_masked_rows(Tensor self, Tensor mask, int dim=-1) -> Tensor out",
    summary="self less the sum of its row's powers of e where mask > 0.",
    formula=centred,
    layout=Rows(passes=({"weights": total(weighted)},)),
    broadcasts=True,
    preconditions=(
        supported("self", "mask"),
        promoted("self", "mask"),
        broadcasts_to("mask", to="self"),
        result_shape("out"),
    ),
)

OPERATORS = (
    square_root, inverse_square_root, length_of_two, gate_along, along_the_second, along_the_first, bias_gelu,
    gelu_bias, bias_gelu_gate, plain_broadcast, masked_rows,
)  # fmt: skip
