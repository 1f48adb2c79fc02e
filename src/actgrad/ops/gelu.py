"""GELU, the Gaussian error linear unit."""

from ..base.definition import C, Torch
from ..base.xp import (
    maximum,
    minimum,
    normal_cdf,
    normal_cdf_times,
    normal_pdf_times,
    sigmoid_cubic,
    sigmoid_cubic_times,
)
from ..calls.operator import Operator
from ..contract import Origin
from ..contract.dtype_rules import convertible, equal, promoted, result_dtype_of, supported
from ..contract.shape_rules import broadcastable, public_format, rank, result_shape, same_shape
from ..contract.stages import document

C1 = 1.5957691216057307117597842397375  # 2 * sqrt(2 / pi)
C3 = 0.044715 * C1
X_LIMIT = 40.0  # the result is 0 for x < -X_LIMIT in every dtype. The limit avoids infinity * 0


def gelu_erf(x):
    """x * Phi(x), Phi the distribution function of the standard normal distribution"""
    return normal_cdf_times(x, maximum(x, -X_LIMIT))


def gelu_erf_derivative(x):
    """Phi(x) + x * phi(x), phi the density of the standard normal distribution"""
    return normal_cdf(x) + normal_pdf_times(x, minimum(maximum(x, -X_LIMIT), X_LIMIT))


def gelu_tanh(x):
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3 * x**3)"""
    return sigmoid_cubic_times(x, C1, C3, maximum(x, -X_LIMIT))


def gelu_tanh_derivative(x):
    """s * (1 + x * (1 - s) * (C1 + 3 * C3 * x**2)), s = sigmoid(C1 * x + C3 * x**3)"""
    bounded = minimum(maximum(x, -X_LIMIT), X_LIMIT)
    slope = C1 + 3.0 * C3 * bounded * bounded
    # sigmoid_cubic(-x) is 1 - s without the rounding error of the subtraction.
    return sigmoid_cubic_times(x, C1, C3, 1.0 + bounded * sigmoid_cubic(-x, C1, C3) * slope)


#: Checks of the C functions. In Python, an output may have any dtype to which a float converts.
LIMITS = (rank("self"), same_shape("out", to="self"))
GRADIENT = (broadcastable("self", to="grad_output"), result_shape("grad_input"))

gelu = Operator(
    "gelu(Tensor self, int approximate=0) -> Tensor out",
    summary="0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 "
    "* x**3)))\n\n"
    "approximate is 'none' (0) or 'tanh' (1).",
    paper="Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415",
    formula={"none": gelu_erf, "tanh": gelu_tanh},
    switch="approximate",
    differences=(
        "aclnnGelu: the document prints the form with erf, and kernel and test use the form with tanh. actgrad uses "
        "tanh.",
        "approximate of aclnnGeluV2: CANN does not check it, and any number except 1 means erf. actgrad does the same.",
        "Number of dimensions of aclnnGeluV2: the source has no limit, and a test expects at most 8. actgrad allows 8.",
    ),
    torch=Torch("gelu(*, approximate)", module="GELU(approximate)"),
    aclnn=(
        C(
            "Gelu",
            {"approximate": "tanh"},
            in_place=False,
            checks=(supported("self"), equal("out", to="self"), public_format("self", "out"), *LIMITS),
        ),
        C(
            "GeluV2",
            parameters="x approximate y",
            any_choice=True,
            in_place=False,
            checks=(equal("out", to="self"), supported("self"), *LIMITS),
        ),
    ),
    ir=("GeluV2(x=self, approximate=approximate:none) -> y", "Gelu(x=self; approximate=tanh) -> y"),
)

gelu_backward = Operator(
    "gelu_backward(Tensor grad_output, Tensor self, int approximate=0) -> Tensor grad_input",
    summary="grad_output * (Phi(self) + self * phi(self)); Phi and phi are the distribution function and the density "
    "of the standard normal distribution\n\n"
    "approximate='tanh' (1) computes the derivative of GELU's tanh form.",
    formula={"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative},
    switch="approximate",
    gradient_of=gelu,
    differences=(
        "aclnnGeluBackward: the documents print the form with erf, and kernel and test use the form with tanh. "
        "actgrad uses tanh.",
        "grad_input of aclnnGeluBackward: CANN does not check its dtype. actgrad requires a dtype that a float "
        "converts to.",
        "Different shapes and dtypes: the C functions broadcast and promote them. The Python function refuses them.",
    ),
    aclnn=(
        C(
            "GeluBackward",
            {"approximate": "tanh"},
            unusual_const="gradInput",
            checks=(
                promoted("grad_output", "self"),
                convertible("grad_input", origin=Origin.ACTGRAD),
                rank("grad_output", "self"),
                *GRADIENT,
            ),
        ),
        C(
            "GeluBackwardV2",
            text="approximate",
            checks=(
                promoted("grad_output", "self"),
                result_dtype_of("grad_input"),
                *GRADIENT,
                document(rank("grad_output", "self")),
            ),
        ),
    ),
    ir=(
        "GeluGradV2(dy=grad_output, x=self, approximate=approximate:none) -> z",
        "GeluGrad(dy=grad_output, x=self, y=_; approximate=tanh) -> z",
    ),
)
