"""The aclnn functions: their parameters, good calls of them, and the Python functions that compute the same."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.support.aclnn.values import Call, Scalar, Tensor

# Parameters in C's order. A function without an arrow is in place: its first tensor is its output. After a semicolon
# there is a tensor that is neither read nor written.
_PROTOTYPES = """
Elu(self, alpha, scale, inputScale) -> out
InplaceElu(selfRef, alpha, scale, inputScale)
EluBackward(gradOutput, alpha, scale, inputScale, isResult, selfOrResult) -> gradInput
Selu(self) -> out
InplaceSelu(selfRef)
SeluBackward(gradOutput, result) -> gradInput
LeakyRelu(self, negativeSlope) -> out
InplaceLeakyRelu(selfRef, negativeSlope)
LeakyReluBackward(gradOutput, self, negativeSlope, selfIsResult) -> out
GeGlu(self, dim, approximate) -> out, outGelu
GeGluV3(self, dim, approximate, activateLeft) -> out, outGelu
GeGluBackward(gradOutput, self, gelu, dim, approximate) -> gradInput
GeGluV3Backward(gradOutput, self, gelu, dim, approximate, activateLeft) -> gradInput
Sigmoid(self) -> out
InplaceSigmoid(selfRef)
SigmoidBackward(gradOutput, output) -> gradInput
Tanh(self) -> out
InplaceTanh(selfRef)
TanhBackward(gradOutput, output) -> gradInput
Silu(self) -> out
SiluBackward(gradOutput, self) -> gradInput
Swish(self, betaOptional) -> out
SwishBackward(gradOutput, self, betaOptional) -> gradInput
SwiGlu(x, dim) -> out
SwiGluGrad(yGrad, x, dim) -> out
Relu(self) -> out
InplaceRelu(selfRef)
AddRelu(self, other, alpha) -> out
InplaceAddRelu(selfRef, other, alpha)
Threshold(self, threshold, value) -> out
InplaceThreshold(selfRef, threshold, value)
ThresholdBackward(gradOutput, self, threshold) -> out
Hardtanh(self, clipValueMin, clipValueMax) -> out
InplaceHardtanh(selfRef, clipValueMin, clipValueMax)
HardtanhBackward(gradOutput, self, min, max) -> out
Hardsigmoid(self) -> out
InplaceHardsigmoid(self)
HardsigmoidBackward(gradOutput, self) -> out
Hardswish(self) -> out
InplaceHardswish(self)
HardswishBackward(gradOutput, self) -> out
HardswishBackwardV2(gradOutput, self) -> out
Gelu(self) -> out
GeluV2(x, approximate) -> y
GeluBackward(gradOutput, self) -> gradInput
GeluBackwardV2(gradOutput, self, approximate) -> gradInput
Prelu(self, weight) -> out
Celu(self, alpha) -> out
InplaceCelu(selfRef, alpha)
Erfinv(self) -> out
InplaceErfinv(selfRef)
FastGelu(self) -> out
FastGeluBackward(gradOutput, self) -> gradInput
LogSigmoid(self) -> out
LogSigmoidForward(self) -> out; buffer
LogSigmoidBackward(gradOutput, self; buffer) -> gradInput
Mish(self) -> out
InplaceMish(selfRef)
MishBackward(gradOutput, self) -> gradInput
Softplus(self, beta, threshold) -> out
SoftplusBackward(gradOutput, self, beta, threshold) -> gradInput
Hardshrink(self, lambd) -> out
HardshrinkBackward(gradOutput, self, lambd) -> gradInput
Softshrink(self, lambd) -> out
SoftshrinkBackward(gradOutput, self, lambda) -> gradInput
Shrink(self, lambd, bias) -> out
Heaviside(input, values) -> out
SquaredRelu(input) -> out
Glu(self, dim) -> out
GluBackward(gradOut, self, dim) -> out
GeluMul(input, approximateOptional) -> out
SituGlu(x, dim, beta, linearBeta, activateLeft) -> out
SituGluGrad(gradY, x, dim, beta, linearBeta, activateLeft) -> out
ClippedSwiglu(x, groupIndexOptional, dim, alpha, limit, bias, interleaved) -> out
ClippedSwigluV2(x, groupIndexOptional, dim, alpha, limit, bias, interleaved, clampMode) -> out
ClippedSwigluGrad(gradY, x, groupIndexOptional, dim, alpha, limit, bias, interleaved) -> gradXOut
SwigluGroup(x, weightOptional, groupIndexOptional, clampLimit) -> out
FatreluMul(input, threshold) -> out
Softmax(self, dim) -> out
SoftmaxBackward(gradOutput, output, dim) -> out
LogSoftmax(self, dim) -> out
LogSoftmaxBackward(gradOutput, output, dim) -> out
RReluWithNoise(self, noise, lower, upper, training, seed, offset) -> out
InplaceRReluWithNoise(self, noise, lower, upper, training, seed, offset)
"""
#: The parameters that are no tensors, with good values.
_ONE = Scalar("FLOAT", 0.75)
VALUES = {
    "alpha": Scalar("FLOAT", 1.5), "scale": Scalar("DOUBLE", 1.25), "inputScale": _ONE, "negativeSlope": _ONE,
    "isResult": True, "selfIsResult": True, "activateLeft": True, "dim": -1, "approximate": 1,
    "betaOptional": Scalar("FLOAT16", 1.25), "threshold": Scalar("FLOAT", 0.5), "value": Scalar("INT32", 3),
    "min": Scalar("DOUBLE", -0.5), "max": _ONE, "clipValueMin": Scalar("DOUBLE", -0.5), "clipValueMax": _ONE,
    "beta": Scalar("FLOAT", 1.25), "lambd": Scalar("FLOAT", 0.25), "lambda": Scalar("DOUBLE", 0.25),
    "bias": Scalar("FLOAT", 0.125), "approximateOptional": "tanh", "linearBeta": 0.75,
    "limit": 0.75, "interleaved": True, "clampMode": 1, "clampLimit": 0.5, "lower": Scalar("FLOAT", 0.25),
    "upper": Scalar("DOUBLE", 0.5), "training": False, "seed": 3, "offset": 5,
}  # fmt: skip
#: The same of single functions: those that take a double where others take a scalar.
OWN_VALUES = {("aclnnSituGlu", "beta"): 1.25, ("aclnnSituGluGrad", "beta"): 1.25} | {
    (f"aclnnClippedSwiglu{end}", name): value
    for end in ("", "V2", "Grad")
    for name, value in (("alpha", 1.25), ("bias", 0.5))
}
#: Tensors with a shape or a dtype of their own, which may be left out where they are optional.
OTHER_TENSORS = {
    "groupIndexOptional": Tensor("INT64", (2,)), "weightOptional": Tensor(shape=(2,)), "noise": Tensor(),
    ("aclnnFatreluMul", "threshold"): Tensor(shape=(1,)),
}  # fmt: skip
#: Tensors twice as long as the others along `dim`.
WHOLE = {
    "aclnnGeGlu": ("self",), "aclnnGeGluV3": ("self",), "aclnnGeGluBackward": ("self", "gradInput"),
    "aclnnGeGluV3Backward": ("self", "gradInput"), "aclnnSwiGlu": ("x",), "aclnnSwiGluGrad": ("x", "out"),
    "aclnnGlu": ("self",), "aclnnGluBackward": ("self", "out"), "aclnnGeluMul": ("input",), "aclnnSituGlu": ("x",),
    "aclnnSituGluGrad": ("x", "out"), "aclnnClippedSwiglu": ("x",), "aclnnClippedSwigluV2": ("x",),
    "aclnnClippedSwigluGrad": ("x", "gradXOut"), "aclnnSwigluGroup": ("x",), "aclnnFatreluMul": ("input",),
}  # fmt: skip
#: Functions that the build generates, with statuses of their own.
GENERATED = (
    "aclnnSwiGlu", "aclnnSwiGluGrad", "aclnnGeluMul", "aclnnSituGlu", "aclnnSituGluGrad", "aclnnSquaredRelu",
    "aclnnClippedSwiglu", "aclnnClippedSwigluV2", "aclnnClippedSwigluGrad", "aclnnSwigluGroup", "aclnnFatreluMul",
)  # fmt: skip

INPUTS: dict[str, tuple[str, ...]] = {}  # the tensors that a function reads
OUTPUTS: dict[str, tuple[str, ...]] = {}  # those that it writes
UNREAD: dict[str, tuple[str, ...]] = {}  # those that it neither reads nor writes
FURTHER: dict[str, tuple[str, ...]] = {}  # further ones with a shape or dtype of their own, in order
_PARAMETERS: dict[str, tuple[str, ...]] = {}
for _line in _PROTOTYPES.split("\n")[1:-1]:
    _name, _given, _made = re.fullmatch(r"(\w+)\((.*)\)(?: -> (.*))?", _line).groups()  # type: ignore[union-attr]
    _function = f"aclnn{_name}"
    (_read, _other), (_written, _more) = (re.fullmatch(r"([^;]*)(?:; (.*))?", part or "").groups()  # type: ignore
                                          for part in (_given, _made))  # fmt: skip
    _parameters = tuple(_read.split(", "))
    FURTHER[_function] = tuple(n for n in _parameters if n in OTHER_TENSORS or (_function, n) in OTHER_TENSORS)
    INPUTS[_function] = tuple(n for n in _parameters if n not in VALUES and n not in FURTHER[_function])
    OUTPUTS[_function] = tuple(_written.split(", ")) if _written else _parameters[:1]
    UNREAD[_function] = tuple(n for n in (_other, _more) if n)
    _PARAMETERS[_function] = tuple(
        n for n in dict.fromkeys((*_parameters, _other, *OUTPUTS[_function], _more)) if n is not None
    )
FUNCTIONS = tuple(OUTPUTS)


def tensors(function: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*INPUTS[function], *OUTPUTS[function])))


def is_gated(function: str) -> bool:
    return function in WHOLE


#: Functions of the newest product alone.
ONLY_ON_950 = ("aclnnClippedSwigluV2", "aclnnSwigluGroup")


def good(function: str, product: str = "", document: bool = False) -> Call:
    """A call with no fault, wherever the function exists. Arguments in C's order."""
    product = product or ("Ascend950" if function in ONLY_ON_950 else "Ascend910B")
    # Ascend310P halves in whole blocks.
    half = (2, 32) if function.startswith("aclnnSwiGlu") and product == "Ascend310P" else (2, 2)
    arguments: dict[str, Any] = {}
    for name in _PARAMETERS[function]:
        if name in FURTHER[function]:
            arguments[name] = OTHER_TENSORS.get(name) or OTHER_TENSORS[function, name]
        elif name in VALUES:
            arguments[name] = OWN_VALUES.get((function, name), VALUES[name])
        elif is_gated(function):
            arguments[name] = Tensor(shape=(2, 2 * half[1]) if name in WHOLE[function] else half)
        else:
            arguments[name] = Tensor(shape=(4,)) if name == "weight" else Tensor()
    if function == "aclnnGeluBackwardV2":
        arguments["approximate"] = "tanh"
    if "AddRelu" in function:  # converts to integers too
        arguments["alpha"] = Scalar("INT8", 2)
    return Call(function, arguments, product, document)


_SIXTH = float(np.float32(1 / 6))  # which C fixes, in float
#: The Python function of a C function whose name differs by more than the case, and what it is given besides.
_PYTHON: dict[str, tuple[str, dict[str, Any]]] = {
    "LeakyRelu": ("leaky_relu", {}), "LeakyReluBackward": ("leaky_relu_backward", {}),
    "GeGluV3": ("geglu", {}), "GeGluV3Backward": ("geglu_backward", {}), "SwiGluGrad": ("swiglu_backward", {}),
    "AddRelu": ("add_relu", {}), "HardsigmoidBackward": ("hardsigmoid_backward", {"alpha": _SIXTH, "beta": 0.5}),
    "HardswishBackward": ("hardswish_backward", {"closed": True}),
    "HardswishBackwardV2": ("hardswish_backward", {"closed": False}),
    "Gelu": ("gelu", {"approximate": "tanh"}), "GeluV2": ("gelu", {}),
    "GeluBackward": ("gelu_backward", {"approximate": "tanh"}), "GeluBackwardV2": ("gelu_backward", {}),
    "FastGelu": ("fast_gelu", {}), "FastGeluBackward": ("fast_gelu_backward", {}),
    "LogSigmoidForward": ("logsigmoid", {}), "SquaredRelu": ("squared_relu", {}), "GeluMul": ("gelu_mul", {}),
    "ClippedSwiglu": ("clipped_swiglu", {"clamp_mode": 0}), "ClippedSwigluV2": ("clipped_swiglu", {}),
    "ClippedSwigluGrad": ("clipped_swiglu_backward", {"clamp_mode": 0}), "SwigluGroup": ("swiglu_group", {}),
    "FatreluMul": ("fatrelu_mul", {}), "RReluWithNoise": ("rrelu_with_noise", {}),
    "LogSoftmax": ("log_softmax", {}), "LogSoftmaxBackward": ("log_softmax_backward", {}),
    "SituGlu": ("situ_glu", {}), "SituGluGrad": ("situ_glu_backward", {}),
}  # fmt: skip
_KEYWORDS = {
    "inputScale": "input_scale", "isResult": "is_result", "negativeSlope": "negative_slope",
    "selfIsResult": "self_is_result", "activateLeft": "activate_left", "betaOptional": "beta",
    "min": "min_val", "max": "max_val", "clipValueMin": "min_val", "clipValueMax": "max_val",
    "lambda": "lambd", "linearBeta": "linear_beta", "approximateOptional": "approximate",
    "clampMode": "clamp_mode", "clampLimit": "clamp_limit",
}  # fmt: skip


def python_call(call: Call) -> tuple[str, dict[str, Any]]:
    """The name and the attributes of the Python function that computes the same."""
    short = call.function.removeprefix("aclnn").removeprefix("Inplace")
    name, attributes = _PYTHON.get(short, (short.replace("Backward", "_backward").lower(), {}))
    attributes = dict(attributes)
    for n, value in call.arguments.items():
        if n in VALUES and n not in FURTHER[call.function]:
            if value is None:
                value = "none" if n == "approximateOptional" else 1.0
            value = value.single if isinstance(value, Scalar) else value
            attributes[_KEYWORDS.get(n, n)] = value
    if short == "GeluV2":  # any other number is 0
        attributes["approximate"] = int(attributes["approximate"] == 1)
    return name, attributes
