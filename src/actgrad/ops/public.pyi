"""The operators by name, with the signatures of their calls."""

from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from ..calls.operator import Operator
from ..calls.plan import Plan

__all__ = [
    "add_relu",
    "bnll",
    "celu",
    "celu_backward",
    "clipped_swiglu",
    "clipped_swiglu_backward",
    "confusion_softmax_grad",
    "elu",
    "elu_backward",
    "erfinv",
    "fast_gelu",
    "fast_gelu_backward",
    "fast_gelu_v2",
    "fast_gelu_v2_backward",
    "fatrelu_mul",
    "fused_bias_leaky_relu",
    "fused_bias_leaky_relu_backward",
    "geglu",
    "geglu_backward",
    "geglu_packed",
    "geglu_two",
    "geglu_two_backward",
    "gelu",
    "gelu_backward",
    "gelu_mul",
    "glu",
    "glu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "heaviside",
    "leaky_relu",
    "leaky_relu_backward",
    "log_softmax",
    "log_softmax_backward",
    "logsigmoid",
    "logsigmoid_backward",
    "mish",
    "mish_backward",
    "p_relu_grad_reduce",
    "prelu",
    "prelu_backward",
    "relu",
    "relu6",
    "relu6_backward",
    "relu6_d",
    "relu_backward",
    "rrelu_with_noise",
    "scaled_celu",
    "scaled_celu_backward",
    "selu",
    "selu_backward",
    "selu_backward_from_input",
    "shrink",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "situ_glu",
    "situ_glu_backward",
    "softmax",
    "softmax_backward",
    "softmax_cross_entropy_with_logits",
    "softmax_grad_ext",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "softsign",
    "softsign_backward",
    "squared_relu",
    "squared_relu_backward",
    "swiglu",
    "swiglu_backward",
    "swiglu_group",
    "swiglu_two",
    "swiglu_two_backward",
    "swish",
    "swish_backward",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
    "threshold_tensor",
    "unit_step",
]

class Array(Protocol):  # a NumPy array, a torch.Tensor or another object with __dlpack__
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def __dlpack__(self) -> Any: ...

ArrayT = TypeVar("ArrayT", bound=Array)
Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | np.bool_

class _add_relu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        other: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """max(self + alpha * other, 0)"""
    def plan(
        this,
        /,
        self: ArrayT,
        other: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

add_relu: _add_relu

class _bnll(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """log(1 + exp(x))"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

bnll: _bnll

class _celu(Operator):
    def __call__(
        this, /, self: ArrayT, *, alpha: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x if x > 0, else alpha * (exp(x / alpha) - 1)"""
    def plan(
        this, /, self: ArrayT, *, alpha: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

celu: _celu

class _celu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if self > 0, else grad_output * exp(self / alpha)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

celu_backward: _celu_backward

class _clipped_swiglu(Operator):
    def __call__(
        this,
        /,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit);
        even and odd are the elements of x along dim with even and odd index; out has half the size of x
        along dim
        """
    def plan(
        this,
        /,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

clipped_swiglu: _clipped_swiglu

class _clipped_swiglu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_even = (grad_output * (b + bias) * s * (1 + alpha * a * (1 - s)) if even <= limit, else 0) and
        grad_odd = (grad_output * a * s if -limit <= odd <= limit, else 0), where a = min(even, limit) and b
        = clamp(odd, -limit, limit) and s = sigmoid(alpha * a); grad_x packs grad_even and grad_odd as x
        packs even and odd
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

clipped_swiglu_backward: _clipped_swiglu_backward

class _confusion_softmax_grad(Operator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """grad - sum(grad * x) along the last dimension"""
    def plan(this, /, grad: ArrayT, x: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

confusion_softmax_grad: _confusion_softmax_grad

class _elu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

elu: _elu

class _elu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self_or_result: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * grad_output if x > 0, else scale * alpha * input_scale * exp(input_scale * x) * grad_output,
        where x = self_or_result
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self_or_result: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

elu_backward: _elu_backward

class _erfinv(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

erfinv: _erfinv

class _fast_gelu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * sigmoid(1.702 * x); close to GELU"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

fast_gelu: _fast_gelu

class _fast_gelu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * s * (1 + 1.702 * self * (1 - s)), where s = sigmoid(1.702 * self)"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

fast_gelu_backward: _fast_gelu_backward

class _fast_gelu_v2(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

fast_gelu_v2: _fast_gelu_v2

class _fast_gelu_v2_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """(1 - s) * grad_output if self > 0, else s * grad_output, where d = max(1.769 - 0.7071 * abs(self),
        0) and s = 0.1444 * d * (d - 1.4142 * abs(self))
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

fast_gelu_v2_backward: _fast_gelu_v2_backward

class _fatrelu_mul(Operator):
    def __call__(
        this,
        /,
        input: ArrayT,
        threshold: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """(lower if lower > threshold, else 0) * upper, where lower and upper are the halves of input along
        dim; out has half the size of input along dim
        """
    def plan(
        this,
        /,
        input: ArrayT,
        threshold: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

fatrelu_mul: _fatrelu_mul

class _fused_bias_leaky_relu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        bias: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * z if z > 0, else scale * negative_slope * z, where z = self + bias; bias has the shape of
        self
        """
    def plan(
        this,
        /,
        self: ArrayT,
        bias: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

fused_bias_leaky_relu: _fused_bias_leaky_relu

class _fused_bias_leaky_relu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        features: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * grad_output if features > 0, else scale * negative_slope * grad_output; features is the
        result of fused_bias_leaky_relu
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        features: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

fused_bias_leaky_relu_backward: _fused_bias_leaky_relu_backward

class _geglu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """out = lower * gelu(upper) and out_gelu = gelu(upper), where lower and upper are the halves of self
        along dim; both results have half the size of self along dim
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu: _geglu

class _geglu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gelu: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * gelu(upper) and grad_upper = grad_output * lower * gelu'(upper), where
        lower and upper are the halves of self along dim; grad_input packs grad_lower and grad_upper as self
        packs its halves
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gelu: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_backward: _geglu_backward

class _geglu_packed(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """lower * gelu(upper), where lower and upper are the halves of self along dim; out has half the size
        of self along dim
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_packed: _geglu_packed

class _geglu_two(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """self * gelu(gate)"""
    def plan(
        this,
        /,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_two: _geglu_two

class _geglu_two_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """grad_self = grad_output * gelu(gate) and grad_gate = grad_output * self * gelu'(gate)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_two_backward: _geglu_two_backward

class _gelu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x +
        0.044715 * x**3)))
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

gelu: _gelu

class _gelu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output * (Phi(self) + self * phi(self)); Phi and phi are the distribution function and the
        density of the standard normal distribution
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

gelu_backward: _gelu_backward

class _gelu_mul(Operator):
    def __call__(
        this,
        /,
        input: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size
        of input along dim
        """
    def plan(
        this,
        /,
        input: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

gelu_mul: _gelu_mul

class _glu(Operator):
    def __call__(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """lower * sigmoid(upper), where lower and upper are the halves of self along dim; out has half the
        size of self along dim
        """
    def plan(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

glu: _glu

class _glu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * s and grad_upper = grad_output * lower * s * (1 - s), where s =
        sigmoid(upper) and lower and upper are the halves of self along dim; grad_input packs grad_lower and
        grad_upper as self packs its halves
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

glu_backward: _glu_backward

class _hardshrink(Operator):
    def __call__(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x if abs(x) > lambd, else 0"""
    def plan(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

hardshrink: _hardshrink

class _hardshrink_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0 if abs(self) <= max(lambd, 0), else grad_output"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardshrink_backward: _hardshrink_backward

class _hardsigmoid(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """min(max(alpha * x + beta, 0), 1)"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardsigmoid: _hardsigmoid

class _hardsigmoid_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """alpha * grad_output if -beta < alpha * self < 1 - beta, else 0"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardsigmoid_backward: _hardsigmoid_backward

class _hardswish(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * min(max(x + 3, 0), 6) / 6"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

hardswish: _hardswish

class _hardswish_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        closed: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0 if self <= -3, grad_output if self >= 3, else grad_output * (self / 3 + 1 / 2)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        closed: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardswish_backward: _hardswish_backward

class _hardtanh(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """min(max(x, min_val), max_val)"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardtanh: _hardtanh

class _hardtanh_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if min_val < self < max_val, else 0"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardtanh_backward: _hardtanh_backward

class _heaviside(Operator):
    def __call__(
        this, /, input: ArrayT, values: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """1 if input > 0, values if input == 0, else 0; also 0 for NaN"""
    def plan(
        this, /, input: ArrayT, values: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

heaviside: _heaviside

class _leaky_relu(Operator):
    def __call__(
        this, /, self: ArrayT, *, negative_slope: Number = 0.01, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x if x > 0, else negative_slope * x"""
    def plan(
        this, /, self: ArrayT, *, negative_slope: Number = 0.01, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

leaky_relu: _leaky_relu

class _leaky_relu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        negative_slope: Number = 0.01,
        self_is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if self > 0, else negative_slope * grad_output"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        negative_slope: Number = 0.01,
        self_is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

leaky_relu_backward: _leaky_relu_backward

class _log_softmax(Operator):
    def __call__(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x - log(sum(exp(x))) along dim"""
    def plan(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

log_softmax: _log_softmax

class _log_softmax_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output - exp(output) * sum(grad_output) along dim; output = log_softmax(x)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

log_softmax_backward: _log_softmax_backward

class _logsigmoid(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """-log(1 + exp(-x))"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

logsigmoid: _logsigmoid

class _logsigmoid_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * sigmoid(-self)"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

logsigmoid_backward: _logsigmoid_backward

class _mish(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * tanh(log(1 + exp(x)))"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

mish: _mish

class _mish_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * (t + self * sigmoid(self) * (1 - t**2)), where t = tanh(log(1 + exp(self)))"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

mish_backward: _mish_backward

class _p_relu_grad_reduce(Operator):
    def __call__(
        this, /, updates: ArrayT, weights: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """sum(updates) over each channel"""
    def plan(
        this, /, updates: ArrayT, weights: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

p_relu_grad_reduce: _p_relu_grad_reduce

class _prelu(Operator):
    def __call__(
        this, /, self: ArrayT, weight: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """self if self > 0, else weight * self; weight has one element, or one for each channel (dimension 1
        of self)
        """
    def plan(
        this, /, self: ArrayT, weight: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

prelu: _prelu

class _prelu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        weight: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """grad_self = (grad_output if self > 0, else weight * grad_output) and grad_weight = sum(0 if self >
        0, else self * grad_output) over each channel
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        weight: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

prelu_backward: _prelu_backward

class _relu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """max(x, 0)"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

relu: _relu

class _relu6(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """min(max(x, 0), 6)"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

relu6: _relu6

class _relu6_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output if 0 < self < 6, else 0"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

relu6_backward: _relu6_backward

class _relu6_d(Operator):
    def __call__(
        this, /, self: ArrayT, *, scale: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """min(max(x, 0), 6 * scale)"""
    def plan(
        this, /, self: ArrayT, *, scale: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

relu6_d: _relu6_d

class _relu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output if result > 0, else 0; result = relu(x)"""
    def plan(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

relu_backward: _relu_backward

class _rrelu_with_noise(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        noise: ArrayT,
        *,
        lower: Number = 0.125,
        upper: Number = 0.3333333333333333,
        training: bool | np.bool_ = False,
        seed: SupportsIndex = 0,
        offset: SupportsIndex = 0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """self if self > 0, else (lower + upper) / 2 * self"""
    def plan(
        this,
        /,
        self: ArrayT,
        noise: ArrayT,
        *,
        lower: Number = 0.125,
        upper: Number = 0.3333333333333333,
        training: bool | np.bool_ = False,
        seed: SupportsIndex = 0,
        offset: SupportsIndex = 0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

rrelu_with_noise: _rrelu_with_noise

class _scaled_celu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

scaled_celu: _scaled_celu

class _scaled_celu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """alpha3 * grad_output if self > 0, else alpha1 / alpha2 * exp(self / alpha2) * grad_output"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

scaled_celu_backward: _scaled_celu_backward

class _selu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
        1.6732632423543773
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

selu: _selu

class _selu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """scale * grad_output if result >= 0, else (result + scale * alpha) * grad_output, where scale =
        1.0507009873554805 and alpha = 1.6732632423543773; result = selu(x)
        """
    def plan(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

selu_backward: _selu_backward

class _selu_backward_from_input(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """scale * grad_output if self >= 0, else scale * alpha * exp(self) * grad_output, where scale =
        1.0507009873554805 and alpha = 1.6732632423543773
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

selu_backward_from_input: _selu_backward_from_input

class _shrink(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        bias: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """x - bias if x > lambd, x + bias if x < -lambd, else 0"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        bias: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

shrink: _shrink

class _sigmoid(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """1 / (1 + exp(-x))"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

sigmoid: _sigmoid

class _sigmoid_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        complex_conj: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output * output * (1 - output); output = sigmoid(x)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        complex_conj: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

sigmoid_backward: _sigmoid_backward

class _silu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * sigmoid(x)"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

silu: _silu

class _silu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * s * (1 + self * (1 - s)), where s = sigmoid(self)"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

silu_backward: _silu_backward

class _situ_glu(Operator):
    def __call__(
        this,
        /,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of x along
        dim; out has half the size of x along dim
        """
    def plan(
        this,
        /,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

situ_glu: _situ_glu

class _situ_glu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * upper * s * (1 - t**2 + beta * t * (1 - s)) and grad_upper = grad_output
        * beta * t * s, where t = tanh(lower / beta) and s = sigmoid(lower) and lower and upper are the
        halves of x along dim; grad_input packs grad_lower and grad_upper as x packs its halves
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

situ_glu_backward: _situ_glu_backward

class _softmax(Operator):
    def __call__(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """exp(x) / sum(exp(x)) along dim"""
    def plan(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

softmax: _softmax

class _softmax_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """output * (grad_output - sum(grad_output * output)) along dim; output = softmax(x)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softmax_backward: _softmax_backward

class _softmax_cross_entropy_with_logits(Operator):
    def __call__(
        this,
        /,
        features: ArrayT,
        labels: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """loss = -sum(labels * log_softmax(features)) and backprop = softmax(features) - labels along the last
        dimension; loss has one element for each row
        """
    def plan(
        this,
        /,
        features: ArrayT,
        labels: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softmax_cross_entropy_with_logits: _softmax_cross_entropy_with_logits

class _softmax_grad_ext(Operator):
    def __call__(
        this,
        /,
        grad: ArrayT,
        x1: ArrayT,
        x2: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """(grad * x1 - sum(grad * x1) * x1) * x2 along dim"""
    def plan(
        this,
        /,
        grad: ArrayT,
        x1: ArrayT,
        x2: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softmax_grad_ext: _softmax_grad_ext

class _softplus(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """x if beta * x > threshold, else log(1 + exp(beta * x)) / beta"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softplus: _softplus

class _softplus_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if beta * self > threshold, else grad_output * sigmoid(beta * self)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softplus_backward: _softplus_backward

class _softshrink(Operator):
    def __call__(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """sign(x) * max(abs(x) - lambd, 0)"""
    def plan(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

softshrink: _softshrink

class _softshrink_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0 if abs(self) <= lambd, else grad_output"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softshrink_backward: _softshrink_backward

class _softsign(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x / (1 + abs(x))"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

softsign: _softsign

class _softsign_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output / (1 + abs(self))**2"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

softsign_backward: _softsign_backward

class _squared_relu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """max(x, 0)**2"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

squared_relu: _squared_relu

class _squared_relu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """2 * max(self, 0) * grad_output"""
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

squared_relu_backward: _squared_relu_backward

class _swiglu(Operator):
    def __call__(
        this, /, x: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """silu(lower) * upper, where lower and upper are the halves of x along dim; out has half the size of x
        along dim
        """
    def plan(
        this, /, x: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

swiglu: _swiglu

class _swiglu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * upper * silu'(lower) and grad_upper = grad_output * silu(lower), where
        lower and upper are the halves of x along dim; grad_input packs grad_lower and grad_upper as x packs
        its halves
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swiglu_backward: _swiglu_backward

class _swiglu_group(Operator):
    def __call__(
        this,
        /,
        x: ArrayT,
        weight: ArrayT | None = None,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        clamp_limit: Number = -1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """silu(lower) * upper * weight, where lower and upper are the halves of x along the last dimension;
        out has half the size of x there; weight has one element for each row
        """
    def plan(
        this,
        /,
        x: ArrayT,
        weight: ArrayT | None = None,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        clamp_limit: Number = -1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swiglu_group: _swiglu_group

class _swiglu_two(Operator):
    def __call__(
        this, /, self: ArrayT, gate: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """self * silu(gate)"""
    def plan(this, /, self: ArrayT, gate: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

swiglu_two: _swiglu_two

class _swiglu_two_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """grad_self = grad_output * silu(gate) and grad_gate = grad_output * self * silu'(gate)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swiglu_two_backward: _swiglu_two_backward

class _swish(Operator):
    def __call__(
        this, /, self: ArrayT, *, beta: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x * sigmoid(beta * x)"""
    def plan(
        this, /, self: ArrayT, *, beta: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

swish: _swish

class _swish_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output * s * (1 + beta * self * (1 - s)), where s = sigmoid(beta * self)"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swish_backward: _swish_backward

class _tanh(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """tanh(x)"""
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

tanh: _tanh

class _tanh_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, output: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * (1 - output**2); output = tanh(x)"""
    def plan(
        this, /, grad_output: ArrayT, output: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

tanh_backward: _tanh_backward

class _threshold(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        value: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """x if x > threshold, else value"""
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        value: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

threshold: _threshold

class _threshold_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if self > threshold, else 0"""
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

threshold_backward: _threshold_backward

class _threshold_tensor(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        threshold: ArrayT,
        value: ArrayT | None = None,
        *,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """self if self > threshold, else value; the three tensors are broadcast together"""
    def plan(
        this,
        /,
        self: ArrayT,
        threshold: ArrayT,
        value: ArrayT | None = None,
        *,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

threshold_tensor: _threshold_tensor

class _unit_step(Operator):
    def __call__(
        this, /, self: ArrayT, *, threshold: Number = 0.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """1 if x > threshold, else 0; also 0 for NaN"""
    def plan(
        this, /, self: ArrayT, *, threshold: Number = 0.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

unit_step: _unit_step
