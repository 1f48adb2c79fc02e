"""The graph operators by name, with the signatures of their calls."""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np

from .calls.plan import Plan
from .ir import GraphOperator
from .ops.public import ArrayT, Number

__all__ = [
    "BNLL",
    "GLU",
    "Celu",
    "CeluV2",
    "ClippedSwiglu",
    "ClippedSwigluGrad",
    "ConfusionSoftmaxGrad",
    "Elu",
    "EluGrad",
    "EluGradV2",
    "Erfinv",
    "FastGelu",
    "FastGeluGrad",
    "FastGeluV2",
    "FatreluMul",
    "FusedBiasLeakyRelu",
    "FusedBiasLeakyReluGrad",
    "GLUGrad",
    "GeGluGradV2",
    "GeGluV2",
    "Gelu",
    "GeluGrad",
    "GeluGradV2",
    "GeluMul",
    "GeluV2",
    "HardShrink",
    "HardShrinkGrad",
    "HardSigmoid",
    "HardSigmoidGrad",
    "HardSwish",
    "HardSwishGrad",
    "HardSwishGradV2",
    "HardtanhGrad",
    "Heaviside",
    "LeakyRelu",
    "LeakyReluGrad",
    "LogSigmoid",
    "LogSigmoidGrad",
    "LogSoftmaxGrad",
    "LogSoftmaxV2",
    "Mish",
    "MishGrad",
    "PRelu",
    "PReluGrad",
    "PReluGradReduce",
    "Relu",
    "Relu6",
    "Relu6D",
    "Relu6Grad",
    "ReluGrad",
    "Selu",
    "SeluGrad",
    "Shrink",
    "Sigmoid",
    "SigmoidGrad",
    "SiluGrad",
    "SituGlu",
    "SituGluGrad",
    "SoftShrinkGrad",
    "SoftmaxCrossEntropyWithLogits",
    "SoftmaxGrad",
    "SoftmaxGradExt",
    "SoftmaxV2",
    "Softplus",
    "SoftplusGrad",
    "SoftplusV2",
    "SoftplusV2Grad",
    "Softshrink",
    "Softsign",
    "SoftsignGrad",
    "SquaredRelu",
    "SwiGlu",
    "SwiGluGrad",
    "SwigluGroup",
    "Swish",
    "SwishGrad",
    "Tanh",
    "TanhGrad",
    "Threshold",
    "ThresholdGradV2D",
    "ThresholdV2",
]

class _BNLL(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """BNLL(x) -> y

        log(1 + exp(x))

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

BNLL: _BNLL

class _Celu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, alpha1: Number = 1.0, alpha2: Number = 1.0, alpha3: Number = 1.0) -> ArrayT:
        """Celu(x, alpha1=1.0, alpha2=1.0, alpha3=1.0) -> y

        alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)

        Args:
            x (array): float32, float16, float64, bfloat16.
            alpha1 (float): Any number. Default: 1.0.
            alpha2 (float): Required: alpha2 neither 0 nor NaN. Default: 1.0.
            alpha3 (float): Any number. Default: 1.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, x: ArrayT, *, out: Any = None, alpha1: Number = 1.0, alpha2: Number = 1.0, alpha3: Number = 1.0
    ) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, alpha1: Number = 1.0, alpha2: Number = 1.0, alpha3: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, *, alpha1: Number = 1.0, alpha2: Number = 1.0, alpha3: Number = 1.0
    ) -> tuple[Any, ...]: ...

Celu: _Celu

class _CeluV2(GraphOperator):
    def __call__(this, /, x: ArrayT, *, alpha: Number = 1.0) -> ArrayT:
        """CeluV2(x, alpha=1.0) -> y

        x if x > 0, else alpha * (exp(x / alpha) - 1)

        Args:
            x (array): float32, float16, float64, bfloat16.
            alpha (float): Required: alpha neither 0 nor NaN. Default: 1.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, alpha: Number = 1.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, alpha: Number = 1.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, alpha: Number = 1.0) -> tuple[Any, ...]: ...

CeluV2: _CeluV2

class _ClippedSwiglu(GraphOperator):
    def __call__(
        this,
        /,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = 0,
    ) -> ArrayT:
        """ClippedSwiglu(x, group_index, dim=-1, alpha=1.702, limit=7.0, bias=1.0, interleaved=True, clamp_mode=0) -> y

        a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit); even and
        odd are the elements of x along dim with even and odd index; y has half the size of x along dim

        Before the split, x is flattened from dim on. interleaved=False splits into the lower and the upper half
        instead. clamp_mode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit). group_index
        counts rows (a row is everything behind one index of the dimensions before dim): only the first
        sum(group_index) rows are computed. The other rows are 0 in a new result and unchanged in y=.

        Args:
            x (array): float32, float16, float64, bfloat16.
            group_index (array): Only the first sum(group_index) rows are computed. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            alpha (float): Any number. Default: 1.702.
            limit (float): Required: limit > 0 on Ascend950. Default: 7.0.
            bias (float): Any number. Default: 1.0.
            interleaved (bool): Default: True.
            clamp_mode (str or int): 'input' (0), 'swish' (1). Default: 0.

        Shape:
            x (2, 4) -> y (2, 2), for example.
            x has an even size along dim.
            group_index has one dimension.
            y has the shape of x, halved along dim.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        out: Any = None,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = 0,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        x: Sequence[int],
        group_index: Sequence[int] | None = None,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = 0,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        x: Any,
        group_index: Any | None = None,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = 0,
    ) -> tuple[Any, ...]: ...

ClippedSwiglu: _ClippedSwiglu

class _ClippedSwigluGrad(GraphOperator):
    def __call__(
        this,
        /,
        grad_y: ArrayT,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
    ) -> ArrayT:
        """ClippedSwigluGrad(grad_y, x, group_index, dim=-1, alpha=1.702, limit=7.0, bias=1.0, interleaved=True) ->
        grad_x

        grad_even = (grad_y * (b + bias) * s * (1 + alpha * a * (1 - s)) if even <= limit, else 0) and grad_odd =
        (grad_y * a * s if -limit <= odd <= limit, else 0), where a = min(even, limit) and b = clamp(odd, -limit,
        limit) and s = sigmoid(alpha * a); grad_x packs grad_even and grad_odd as x packs even and odd

        The attributes have the same meaning as in clipped_swiglu. group_index counts rows (a row is everything
        behind one index of the dimensions before dim): only the first sum(group_index) rows are computed. grad_x is
        0 in the other rows.

        Args:
            grad_y (array): float32, float16, float64, bfloat16. Gradient of the result of clipped_swiglu.
            x (array): float32, float16, float64, bfloat16. Input of clipped_swiglu.
            group_index (array): Only the first sum(group_index) rows are computed. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            alpha (float): Any number. Default: 1.702.
            limit (float): Required: limit > 0. Default: 7.0.
            bias (float): Any number. Default: 1.0.
            interleaved (bool): Default: True.
            Fixed: clamp_mode=0.

        Shape:
            grad_y (2, 2), x (2, 4) -> grad_x (2, 4), for example.
            x has an even size along dim.
            grad_y has the shape of x, halved along dim.
            group_index has one dimension.
            grad_x has the shape of x.

        Returns:
            grad_x (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        grad_y: ArrayT,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        out: Any = None,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        grad_y: Sequence[int],
        x: Sequence[int],
        group_index: Sequence[int] | None = None,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        grad_y: Any,
        x: Any,
        group_index: Any | None = None,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
    ) -> tuple[Any, ...]: ...

ClippedSwigluGrad: _ClippedSwigluGrad

class _ConfusionSoftmaxGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT) -> ArrayT:
        """ConfusionSoftmaxGrad(grad, x) -> y

        grad - sum(grad * x) along the last dimension

        Times x, this is the gradient of softmax, if x is the result of softmax.

        Args:
            grad (array): float32, float16, float64, bfloat16.
            x (array): float32, float16, float64, bfloat16.

        Shape:
            grad (2, 2), x (2, 2) -> y (2, 2), for example.
            x can be broadcast with grad.
            y has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, grad: ArrayT, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grad: Sequence[int], x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any) -> tuple[Any, ...]: ...

ConfusionSoftmaxGrad: _ConfusionSoftmaxGrad

class _Elu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, alpha: Number = 1.0, scale: Number = 1.0, input_scale: Number = 1.0) -> ArrayT:
        """Elu(x, alpha=1.0, scale=1.0, input_scale=1.0) -> y

        scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)

        Args:
            x (array): float32, float16, float64, bfloat16.
            alpha (float): Any number. Default: 1.0.
            scale (float): Any number. Default: 1.0.
            input_scale (float): Any number. Default: 1.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, x: ArrayT, *, out: Any = None, alpha: Number = 1.0, scale: Number = 1.0, input_scale: Number = 1.0
    ) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, alpha: Number = 1.0, scale: Number = 1.0, input_scale: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, *, alpha: Number = 1.0, scale: Number = 1.0, input_scale: Number = 1.0
    ) -> tuple[Any, ...]: ...

Elu: _Elu

class _EluGrad(GraphOperator):
    def __call__(this, /, grads: ArrayT, activations: ArrayT) -> ArrayT:
        """EluGrad(grads, activations) -> y

        scale * grads if x > 0, else scale * alpha * input_scale * exp(input_scale * x) * grads, where x =
        activations

        With is_result, activations is y = elu(x): scale * grads if y > 0, else input_scale * (y + scale * alpha) *
        grads. The result has the sign of the input only if alpha, scale and input_scale are not negative. A
        negative alpha is refused with is_result; negative scales are computed by this formula.

        Args:
            grads (array): float32, float16, float64, bfloat16. Gradient of the result of elu.
            activations (array): float32, float16, float64, bfloat16. Result of elu if is_result, else its input.
            Fixed: alpha=1.0.
            Fixed: scale=1.0.
            Fixed: input_scale=1.0.
            Fixed: is_result=True.

        Shape:
            grads (5,), activations (5,) -> y (5,), for example.
            activations has the shape of grads.
            y has the shape of grads.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, grads: ArrayT, activations: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grads: Sequence[int], activations: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, activations: Any) -> tuple[Any, ...]: ...

EluGrad: _EluGrad

class _EluGradV2(GraphOperator):
    def __call__(
        this,
        /,
        grads: ArrayT,
        activations: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
    ) -> ArrayT:
        """EluGradV2(grads, activations, alpha=1.0, scale=1.0, input_scale=1.0, is_result=False) -> y

        scale * grads if x > 0, else scale * alpha * input_scale * exp(input_scale * x) * grads, where x =
        activations

        With is_result, activations is y = elu(x): scale * grads if y > 0, else input_scale * (y + scale * alpha) *
        grads. The result has the sign of the input only if alpha, scale and input_scale are not negative. A
        negative alpha is refused with is_result; negative scales are computed by this formula.

        Args:
            grads (array): float32, float16, float64, bfloat16. Gradient of the result of elu.
            activations (array): float32, float16, float64, bfloat16. Result of elu if is_result, else its input.
            alpha (float): Required: alpha >= 0 when is_result. Default: 1.0.
            scale (float): Any number. Default: 1.0.
            input_scale (float): Any number. Default: 1.0.
            is_result (bool): Required: alpha >= 0 when is_result. Default: False.

        Shape:
            grads (5,), activations (5,) -> y (5,), for example.
            activations has the shape of grads.
            y has the shape of grads.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        grads: ArrayT,
        activations: ArrayT,
        *,
        out: Any = None,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        grads: Sequence[int],
        activations: Sequence[int],
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        grads: Any,
        activations: Any,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
    ) -> tuple[Any, ...]: ...

EluGradV2: _EluGradV2

class _Erfinv(GraphOperator):
    def __call__(this, /, input_x: ArrayT) -> ArrayT:
        """Erfinv(input_x) -> output_y

        erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1

        Integers give float32.

        Args:
            input_x (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16.

        Shape:
            input_x (5,) -> output_y (5,), for example.
            output_y has the shape of input_x.

        Returns:
            output_y (array): Of the inputs' data type.
        """
    def plan(this, /, input_x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, input_x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any) -> tuple[Any, ...]: ...

Erfinv: _Erfinv

class _FastGelu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """FastGelu(x) -> y

        x * sigmoid(1.702 * x); close to GELU

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

FastGelu: _FastGelu

class _FastGeluGrad(GraphOperator):
    def __call__(this, /, dy: ArrayT, x: ArrayT) -> ArrayT:
        """FastGeluGrad(dy, x) -> z

        dy * s * (1 + 1.702 * x * (1 - s)), where s = sigmoid(1.702 * x)

        Args:
            dy (array): float32, float16, float64, bfloat16. Gradient of the result of fast_gelu.
            x (array): float32, float16, float64, bfloat16. Input of fast_gelu.

        Shape:
            dy (5,), x (5,) -> z (5,), for example.
            x has the shape of dy.
            z has the shape of dy.

        Returns:
            z (array): Of the inputs' data type.
        """
    def plan(this, /, dy: ArrayT, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, dy: Sequence[int], x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, dy: Any, x: Any) -> tuple[Any, ...]: ...

FastGeluGrad: _FastGeluGrad

class _FastGeluV2(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """FastGeluV2(x) -> y

        x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

FastGeluV2: _FastGeluV2

class _FatreluMul(GraphOperator):
    def __call__(this, /, x: ArrayT, threshold: ArrayT) -> ArrayT:
        """FatreluMul(x, threshold) -> y

        (lower if lower > threshold, else 0) * upper, where lower and upper are the halves of x along dim; y has
        half the size of x along dim

        By the documents' rules (actgrad.rules('document')) the condition is lower >= threshold. threshold is a
        tensor of one element.

        Args:
            x (array): float32, float16, float64, bfloat16.
            threshold (array): float32, float16, float64, bfloat16.
            Fixed: dim=-1.

        Shape:
            x (2, 4), threshold (1,) -> y (2, 2), for example.
            threshold has one element.
            x has an even size along dim.
            y has the shape of the result, or as many elements in a row.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, threshold: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], threshold: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, threshold: Any) -> tuple[Any, ...]: ...

FatreluMul: _FatreluMul

class _FusedBiasLeakyRelu(GraphOperator):
    def __call__(
        this, /, x: ArrayT, bias: ArrayT, *, negative_slope: Number = 0.2, scale: Number = 1.414213562373
    ) -> ArrayT:
        """FusedBiasLeakyRelu(x, bias, negative_slope=0.2, scale=1.414213562373) -> y

        scale * z if z > 0, else scale * negative_slope * z, where z = x + bias; bias has the shape of x

        Args:
            x (array): float32, float16, float64, bfloat16.
            bias (array): float32, float16, float64, bfloat16.
            negative_slope (float): Any number. Default: 0.2.
            scale (float): Any number. Default: 1.414213562373.

        Shape:
            x (5,), bias (5,) -> y (5,), for example.
            bias has the shape of x.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        x: ArrayT,
        bias: ArrayT,
        *,
        out: Any = None,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
    ) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], bias: Sequence[int], *, negative_slope: Number = 0.2, scale: Number = 1.414213562373
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, bias: Any, *, negative_slope: Number = 0.2, scale: Number = 1.414213562373
    ) -> tuple[Any, ...]: ...

FusedBiasLeakyRelu: _FusedBiasLeakyRelu

class _FusedBiasLeakyReluGrad(GraphOperator):
    def __call__(
        this, /, y_grad: ArrayT, features: ArrayT, *, negative_slope: Number = 0.2, scale: Number = 1.414213562373
    ) -> ArrayT:
        """FusedBiasLeakyReluGrad(y_grad, features, negative_slope=0.2, scale=1.414213562373) -> x_grad

        scale * y_grad if features > 0, else scale * negative_slope * y_grad; features is the result of
        fused_bias_leaky_relu

        This is the gradient of self and also of bias.

        Args:
            y_grad (array): float32, float16, float64, bfloat16.
            features (array): float32, float16, float64, bfloat16.
            negative_slope (float): Any number. Default: 0.2.
            scale (float): Any number. Default: 1.414213562373.

        Shape:
            y_grad (5,), features (5,) -> x_grad (5,), for example.
            features has the shape of y_grad.
            x_grad has the shape of y_grad.

        Returns:
            x_grad (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        y_grad: ArrayT,
        features: ArrayT,
        *,
        out: Any = None,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        y_grad: Sequence[int],
        features: Sequence[int],
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, y_grad: Any, features: Any, *, negative_slope: Number = 0.2, scale: Number = 1.414213562373
    ) -> tuple[Any, ...]: ...

FusedBiasLeakyReluGrad: _FusedBiasLeakyReluGrad

class _GLU(GraphOperator):
    def __call__(this, /, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """GLU(x, dim=-1) -> y

        lower * sigmoid(upper), where lower and upper are the halves of x along dim; y has half the size of x along
        dim

        Args:
            x (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            x (2, 4) -> y (2, 2), for example.
            x has an even size along dim.
            y has the shape of x, halved along dim.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, dim: SupportsIndex | Sequence[int] = -1) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, dim: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, dim: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

GLU: _GLU

class _GLUGrad(GraphOperator):
    def __call__(this, /, y_grad: ArrayT, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """GLUGrad(y_grad, x, dim=-1) -> x_grad

        grad_lower = y_grad * s and grad_upper = y_grad * lower * s * (1 - s), where s = sigmoid(upper) and lower
        and upper are the halves of x along dim; x_grad packs grad_lower and grad_upper as x packs its halves

        Args:
            y_grad (array): float32, float16, float64, bfloat16. Gradient of the result of glu.
            x (array): float32, float16, float64, bfloat16. Input of glu.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            y_grad (2, 2), x (2, 4) -> x_grad (2, 4), for example.
            x has an even size along dim.
            y_grad has the shape of x, halved along dim.
            x_grad has the shape of x.

        Returns:
            x_grad (array): Of the inputs' data type.
        """
    def plan(
        this, /, y_grad: ArrayT, x: ArrayT, *, out: Any = None, dim: SupportsIndex | Sequence[int] = -1
    ) -> Plan: ...
    def infer_shape(
        this, /, y_grad: Sequence[int], x: Sequence[int], *, dim: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, y_grad: Any, x: Any, *, dim: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

GLUGrad: _GLUGrad

class _GeGluGradV2(GraphOperator):
    def __call__(
        this,
        /,
        dy: ArrayT,
        x: ArrayT,
        gelu: ArrayT,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> ArrayT:
        """GeGluGradV2(dy, x, gelu, dim=-1, approximate=1, activate_left=False) -> dx

        grad_lower = dy * gelu(upper) and grad_upper = dy * lower * gelu'(upper), where lower and upper are the
        halves of x along dim; dx packs grad_lower and grad_upper as x packs its halves

        gelu is the second result of geglu. Pass None to save its memory: it is then computed again.
        activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

        Args:
            dy (array): float32, float16, float64, bfloat16. Gradient of the result of geglu.
            x (array): float32, float16, float64, bfloat16. Input of geglu.
            gelu (array): float32, float16, float64, bfloat16. Second result of geglu. Without this tensor it is
                computed again. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. Default:
                1.
            activate_left (bool): Default: False.

        Shape:
            dy (2, 2), x (2, 4) -> dx (2, 4), for example.
            gelu has the shape of dy.
            dx has the shape of x.
            dy has as many dimensions as x.
            x has an even size along dim.
            dy has the shape of x, halved along dim.

        Returns:
            dx (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        dy: ArrayT,
        x: ArrayT,
        gelu: ArrayT,
        *,
        out: Any = None,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        dy: Sequence[int],
        x: Sequence[int],
        gelu: Sequence[int],
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        dy: Any,
        x: Any,
        gelu: Any,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> tuple[Any, ...]: ...

GeGluGradV2: _GeGluGradV2

class _GeGluV2(GraphOperator):
    def __call__(
        this,
        /,
        x: ArrayT,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> tuple[ArrayT, ArrayT]:
        """GeGluV2(x, dim=-1, approximate=1, activate_left=False) -> y, gelu

        y = lower * gelu(upper) and gelu = gelu(upper), where lower and upper are the halves of x along dim; both
        results have half the size of x along dim

        activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

        Args:
            x (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. Default:
                1.
            activate_left (bool): Default: False.

        Shape:
            x (2, 4) -> y (2, 2), gelu (2, 2), for example.
            x has an even size along dim.
            y has half the size of x along dim.
            gelu has half the size of x along dim.
            y has as many dimensions as x.
            gelu has as many dimensions as x.
            y has the shape of x, halved along dim.
            gelu has the shape of x, halved along dim.

        Returns:
            y, gelu (arrays): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        x: ArrayT,
        *,
        out: Any = None,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        x: Sequence[int],
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        x: Any,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = 1,
        activate_left: bool | np.bool_ = False,
    ) -> tuple[Any, ...]: ...

GeGluV2: _GeGluV2

class _Gelu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Gelu(x) -> y

        0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
        x**3)))

        approximate is 'none' (0) or 'tanh' (1).

        Args:
            x (array): float32, float16, float64, bfloat16.
            Fixed: approximate='tanh'.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Gelu: _Gelu

class _GeluGrad(GraphOperator):
    def __call__(this, /, dy: ArrayT, x: ArrayT, y: ArrayT) -> ArrayT:
        """GeluGrad(dy, x, y) -> z

        dy * (Phi(x) + x * phi(x)); Phi and phi are the distribution function and the density of the standard normal
        distribution

        approximate='tanh' (1) computes the derivative of GELU's tanh form.

        Args:
            dy (array): float32, float16, float64, bfloat16. Gradient of the result of gelu.
            x (array): float32, float16, float64, bfloat16. Input of gelu.
            y (array): Not read.
            Fixed: approximate='tanh'.

        Shape:
            dy (5,), x (5,) -> z (5,), for example.
            x has the shape of dy.
            z has the shape of dy.

        Returns:
            z (array): Of the inputs' data type.
        """
    def plan(this, /, dy: ArrayT, x: ArrayT, y: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, dy: Sequence[int], x: Sequence[int], y: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, dy: Any, x: Any, y: Any) -> tuple[Any, ...]: ...

GeluGrad: _GeluGrad

class _GeluGradV2(GraphOperator):
    def __call__(
        this, /, dy: ArrayT, x: ArrayT, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> ArrayT:
        """GeluGradV2(dy, x, approximate='none') -> z

        dy * (Phi(x) + x * phi(x)); Phi and phi are the distribution function and the density of the standard normal
        distribution

        approximate='tanh' (1) computes the derivative of GELU's tanh form.

        Args:
            dy (array): float32, float16, float64, bfloat16. Gradient of the result of gelu.
            x (array): float32, float16, float64, bfloat16. Input of gelu.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.

        Shape:
            dy (5,), x (5,) -> z (5,), for example.
            x has the shape of dy.
            z has the shape of dy.

        Returns:
            z (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        dy: ArrayT,
        x: ArrayT,
        *,
        out: Any = None,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
    ) -> Plan: ...
    def infer_shape(
        this, /, dy: Sequence[int], x: Sequence[int], *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, dy: Any, x: Any, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> tuple[Any, ...]: ...

GeluGradV2: _GeluGradV2

class _GeluMul(GraphOperator):
    def __call__(this, /, x: ArrayT, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none") -> ArrayT:
        """GeluMul(x, approximate='none') -> y

        gelu(lower) * upper, where lower and upper are the halves of x along dim; y has half the size of x along dim

        approximate='tanh' (1) takes GELU's tanh form.

        Args:
            x (array): float32, float16, float64, bfloat16.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            Fixed: dim=-1.

        Shape:
            x (2, 4) -> y (2, 2), for example.
            x has an even size along dim.
            y has the shape of the result, or as many elements in a row.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, x: ArrayT, *, out: Any = None, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> tuple[Any, ...]: ...

GeluMul: _GeluMul

class _GeluV2(GraphOperator):
    def __call__(this, /, x: ArrayT, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none") -> ArrayT:
        """GeluV2(x, approximate='none') -> y

        0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
        x**3)))

        approximate is 'none' (0) or 'tanh' (1).

        Args:
            x (array): float32, float16, float64, bfloat16.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, x: ArrayT, *, out: Any = None, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> tuple[Any, ...]: ...

GeluV2: _GeluV2

class _HardShrink(GraphOperator):
    def __call__(this, /, input_x: ArrayT, *, lambd: Number = 0.5) -> ArrayT:
        """HardShrink(input_x, lambd=0.5) -> output_y

        x if abs(x) > lambd, else 0

        Args:
            input_x (array): float32, float16, float64, bfloat16.
            lambd (float): Any number. Default: 0.5.

        Shape:
            input_x (5,) -> output_y (5,), for example.
            output_y has the shape of input_x.

        Returns:
            output_y (array): Of the inputs' data type.
        """
    def plan(this, /, input_x: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(this, /, input_x: Sequence[int], *, lambd: Number = 0.5) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

HardShrink: _HardShrink

class _HardShrinkGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT, *, lambd: Number = 0.5) -> ArrayT:
        """HardShrinkGrad(gradients, features, lambd=0.5) -> backprops

        0 if abs(features) <= max(lambd, 0), else gradients

        Args:
            gradients (array): float32, float16, float64, bfloat16. Gradient of the result of hardshrink.
            features (array): float32, float16, float64, bfloat16. Input of hardshrink.
            lambd (float): Any number. Default: 0.5.

        Shape:
            gradients (5,), features (5,) -> backprops (5,), for example.
            features can be broadcast with gradients.
            backprops has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(
        this, /, gradients: Sequence[int], features: Sequence[int], *, lambd: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

HardShrinkGrad: _HardShrinkGrad

class _HardSigmoid(GraphOperator):
    def __call__(this, /, input_x: ArrayT, *, alpha: Number = 0.16666666, beta: Number = 0.5) -> ArrayT:
        """HardSigmoid(input_x, alpha=0.16666666, beta=0.5) -> output_y

        min(max(alpha * x + beta, 0), 1)

        Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

        Args:
            input_x (array): float32, float16, int32, float64, bfloat16.
            alpha (float): Any number. Default: 0.16666666.
            beta (float): Any number. Default: 0.5.

        Shape:
            input_x (5,) -> output_y (5,), for example.
            output_y has the shape of input_x.

        Returns:
            output_y (array): Of the inputs' data type.
        """
    def plan(this, /, input_x: ArrayT, *, out: Any = None, alpha: Number = 0.16666666, beta: Number = 0.5) -> Plan: ...
    def infer_shape(
        this, /, input_x: Sequence[int], *, alpha: Number = 0.16666666, beta: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any, *, alpha: Number = 0.16666666, beta: Number = 0.5) -> tuple[Any, ...]: ...

HardSigmoid: _HardSigmoid

class _HardSigmoidGrad(GraphOperator):
    def __call__(this, /, grads: ArrayT, input_x: ArrayT, *, alpha: Number = 0.16666666, beta: Number = 0.5) -> ArrayT:
        """HardSigmoidGrad(grads, input_x, alpha=0.16666666, beta=0.5) -> y

        alpha * grads if -beta < alpha * input_x < 1 - beta, else 0

        Args:
            grads (array): float32, float16, float64, bfloat16. Gradient of the result of hardsigmoid.
            input_x (array): float32, float16, float64, bfloat16. Input of hardsigmoid.
            alpha (float): Any number. Default: 0.16666666.
            beta (float): Any number. Default: 0.5.

        Shape:
            grads (5,), input_x (5,) -> y (5,), for example.
            input_x has the shape of grads.
            y has the shape of grads.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, grads: ArrayT, input_x: ArrayT, *, out: Any = None, alpha: Number = 0.16666666, beta: Number = 0.5
    ) -> Plan: ...
    def infer_shape(
        this, /, grads: Sequence[int], input_x: Sequence[int], *, alpha: Number = 0.16666666, beta: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, grads: Any, input_x: Any, *, alpha: Number = 0.16666666, beta: Number = 0.5
    ) -> tuple[Any, ...]: ...

HardSigmoidGrad: _HardSigmoidGrad

class _HardSwish(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """HardSwish(x) -> y

        x * min(max(x + 3, 0), 6) / 6

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

HardSwish: _HardSwish

class _HardSwishGrad(GraphOperator):
    def __call__(this, /, grad_output: ArrayT, self: ArrayT) -> ArrayT:
        """HardSwishGrad(grad_output, self) -> grad_input

        0 if self <= -3, grad_output if self >= 3, else grad_output * (self / 3 + 1 / 2)

        With closed=True, -3 and 3 belong to the middle branch.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of hardswish.
            self (array): float32, float16, float64, bfloat16. Input of hardswish.
            Fixed: closed=True.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the inputs' data type.
        """
    def plan(this, /, grad_output: ArrayT, self: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grad_output: Sequence[int], self: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad_output: Any, self: Any) -> tuple[Any, ...]: ...

HardSwishGrad: _HardSwishGrad

class _HardSwishGradV2(GraphOperator):
    def __call__(this, /, gradOutput: ArrayT, self: ArrayT) -> ArrayT:
        """HardSwishGradV2(gradOutput, self) -> out

        0 if self <= -3, gradOutput if self >= 3, else gradOutput * (self / 3 + 1 / 2)

        With closed=True, -3 and 3 belong to the middle branch.

        Args:
            gradOutput (array): float32, float16, float64, bfloat16. Gradient of the result of hardswish.
            self (array): float32, float16, float64, bfloat16. Input of hardswish.
            Fixed: closed=False.

        Shape:
            gradOutput (5,), self (5,) -> out (5,), for example.
            self has the shape of gradOutput.
            out has the shape of gradOutput.

        Returns:
            out (array): Of the inputs' data type.
        """
    def plan(this, /, gradOutput: ArrayT, self: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradOutput: Sequence[int], self: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradOutput: Any, self: Any) -> tuple[Any, ...]: ...

HardSwishGradV2: _HardSwishGradV2

class _HardtanhGrad(GraphOperator):
    def __call__(this, /, result: ArrayT, grad: ArrayT, *, min_val: Number = -1.0, max_val: Number = 1.0) -> ArrayT:
        """HardtanhGrad(result, grad, min_val=-1.0, max_val=1.0) -> y

        grad if min_val < result < max_val, else 0

        By the documents' rules (actgrad.rules('document')) the bounds belong to the first case: min_val <= result
        <= max_val.

        Args:
            result (array): float32, float16, float64, bfloat16. Input of hardtanh.
            grad (array): float32, float16, float64, bfloat16. Gradient of the result of hardtanh.
            min_val (float): Any number. Default: -1.0.
            max_val (float): Any number. Default: 1.0.

        Shape:
            grad (5,), result (5,) -> y (5,), for example.
            result has the shape of grad.
            y has the shape of grad.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, result: ArrayT, grad: ArrayT, *, out: Any = None, min_val: Number = -1.0, max_val: Number = 1.0
    ) -> Plan: ...
    def infer_shape(
        this, /, result: Sequence[int], grad: Sequence[int], *, min_val: Number = -1.0, max_val: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, result: Any, grad: Any, *, min_val: Number = -1.0, max_val: Number = 1.0
    ) -> tuple[Any, ...]: ...

HardtanhGrad: _HardtanhGrad

class _Heaviside(GraphOperator):
    def __call__(this, /, input: ArrayT, values: ArrayT) -> ArrayT:
        """Heaviside(input, values) -> output

        1 if input > 0, values if input == 0, else 0; also 0 for NaN

        Args:
            input (array): float32, float16, float64, bfloat16.
            values (array): float32, float16, float64, bfloat16.

        Shape:
            input (5,), values (5,) -> output (5,), for example.
            values can be broadcast with input.
            output has the shape of the result, or as many elements in a row.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            output (array): Of the inputs' data type.
        """
    def plan(this, /, input: ArrayT, values: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, input: Sequence[int], values: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input: Any, values: Any) -> tuple[Any, ...]: ...

Heaviside: _Heaviside

class _LeakyRelu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, negative_slope: Number = 0.0) -> ArrayT:
        """LeakyRelu(x, negative_slope=0.0) -> y

        x if x > 0, else negative_slope * x

        Args:
            x (array): float32, float16, float64, bfloat16.
            negative_slope (float): Any number. Default: 0.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, negative_slope: Number = 0.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, negative_slope: Number = 0.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, negative_slope: Number = 0.0) -> tuple[Any, ...]: ...

LeakyRelu: _LeakyRelu

class _LeakyReluGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT, *, negative_slope: Number = 0.0) -> ArrayT:
        """LeakyReluGrad(gradients, features, negative_slope=0.0) -> backprops

        gradients if features > 0, else negative_slope * gradients

        With self_is_result, features is the result of leaky_relu. The result has the sign of the input, because a
        negative negative_slope is refused then.

        Args:
            gradients (array): float32, float16, float64, bfloat16. Gradient of the result of leaky_relu.
            features (array): float32, float16, float64, bfloat16. Result of leaky_relu if self_is_result, else its
                input.
            negative_slope (float): Required: negative_slope >= 0 when self_is_result. Default: 0.0.

        Shape:
            gradients (5,), features (5,) -> backprops (5,), for example.
            features can be broadcast with gradients.
            backprops has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(
        this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None, negative_slope: Number = 0.0
    ) -> Plan: ...
    def infer_shape(
        this, /, gradients: Sequence[int], features: Sequence[int], *, negative_slope: Number = 0.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any, *, negative_slope: Number = 0.0) -> tuple[Any, ...]: ...

LeakyReluGrad: _LeakyReluGrad

class _LogSigmoid(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """LogSigmoid(x) -> y

        -log(1 + exp(-x))

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

LogSigmoid: _LogSigmoid

class _LogSigmoidGrad(GraphOperator):
    def __call__(this, /, grads: ArrayT, features: ArrayT) -> ArrayT:
        """LogSigmoidGrad(grads, features) -> backprops

        grads * sigmoid(-features)

        Args:
            grads (array): float32, float16, float64, bfloat16. Gradient of the result of logsigmoid.
            features (array): float32, float16, float64, bfloat16. Input of logsigmoid.

        Shape:
            grads (5,), features (5,) -> backprops (5,), for example.
            backprops has the shape of grads.
            features has the shape of grads.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(this, /, grads: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grads: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, features: Any) -> tuple[Any, ...]: ...

LogSigmoidGrad: _LogSigmoidGrad

class _LogSoftmaxGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, *, axis: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """LogSoftmaxGrad(grad, x, axis=-1) -> y

        grad - exp(x) * sum(grad) along axis; x = log_softmax(x)

        Args:
            grad (array): float32, float16, float64, bfloat16. Gradient of the result of log_softmax.
            x (array): float32, float16, float64, bfloat16. Result of log_softmax.
            axis (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            grad (2, 2), x (2, 2) -> y (2, 2), for example.
            x has the shape of grad.
            y has the shape of grad.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this, /, grad: ArrayT, x: ArrayT, *, out: Any = None, axis: SupportsIndex | Sequence[int] = -1
    ) -> Plan: ...
    def infer_shape(
        this, /, grad: Sequence[int], x: Sequence[int], *, axis: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any, *, axis: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

LogSoftmaxGrad: _LogSoftmaxGrad

class _LogSoftmaxV2(GraphOperator):
    def __call__(this, /, logits: ArrayT, *, axes: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """LogSoftmaxV2(logits, axes=-1) -> logsoftmax

        x - log(sum(exp(x))) along axes

        Args:
            logits (array): float32, float16, float64, bfloat16.
            axes (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            logits (2, 2) -> logsoftmax (2, 2), for example.
            logsoftmax has the shape of logits.

        Returns:
            logsoftmax (array): Of the inputs' data type.
        """
    def plan(this, /, logits: ArrayT, *, out: Any = None, axes: SupportsIndex | Sequence[int] = -1) -> Plan: ...
    def infer_shape(
        this, /, logits: Sequence[int], *, axes: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, logits: Any, *, axes: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

LogSoftmaxV2: _LogSoftmaxV2

class _Mish(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Mish(x) -> y

        x * tanh(log(1 + exp(x)))

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Mish: _Mish

class _MishGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, tanhx: ArrayT | None = None) -> ArrayT:
        """MishGrad(grad, x, tanhx) -> x_grad

        grad * (t + x * sigmoid(x) * (1 - t**2)), where t = tanh(log(1 + exp(x)))

        Args:
            grad (array): float32, float16, float64, bfloat16. Gradient of the result of mish.
            x (array): float32, float16, float64, bfloat16. Input of mish.
            tanhx (array): Not read. It may be left out.

        Shape:
            grad (5,), x (5,) -> x_grad (5,), for example.
            x can be broadcast with grad.
            x_grad has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            x_grad (array): Of the inputs' data type.
        """
    def plan(this, /, grad: ArrayT, x: ArrayT, tanhx: ArrayT | None = None, *, out: Any = None) -> Plan: ...
    def infer_shape(
        this, /, grad: Sequence[int], x: Sequence[int], tanhx: Sequence[int] | None = None
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any, tanhx: Any | None = None) -> tuple[Any, ...]: ...

MishGrad: _MishGrad

class _PRelu(GraphOperator):
    def __call__(this, /, x: ArrayT, weight: ArrayT) -> ArrayT:
        """PRelu(x, weight) -> y

        x if x > 0, else weight * x; weight has one element, or one for each channel (dimension 1 of x)

        Args:
            x (array): float32, float16, float64, bfloat16.
            weight (array): float32, float16, float64, bfloat16.

        Shape:
            x (2, 2), weight (2,) -> y (2, 2), for example.
            y has the shape of x.
            weight has one element, or those of dimension 1 of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, weight: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], weight: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, weight: Any) -> tuple[Any, ...]: ...

PRelu: _PRelu

class _PReluGrad(GraphOperator):
    def __call__(this, /, grads: ArrayT, features: ArrayT, weights: ArrayT) -> tuple[ArrayT, ArrayT]:
        """PReluGrad(grads, features, weights) -> dx, da

        dx = (grads if features > 0, else weights * grads) and da = sum(0 if features > 0, else features * grads)
        over each channel

        A channel is one index of dimension 1. With a weights of one element, da is the sum over all elements.

        Args:
            grads (array): float32, float16, float64, bfloat16. Gradient of the result of prelu.
            features (array): float32, float16, float64, bfloat16. Input of prelu.
            weights (array): float32, float16, float64, bfloat16. Input of prelu.

        Shape:
            grads (2, 2), features (2, 2), weights (2,) -> dx (2, 2), da (2,), for example.
            dx has the shape of features.
            weights has one element, or those of dimension 1 of features.
            da has the shape of weights.
            grads can be broadcast to the shape of features.

        Returns:
            dx, da (arrays): Of the inputs' data type.
        """
    def plan(this, /, grads: ArrayT, features: ArrayT, weights: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(
        this, /, grads: Sequence[int], features: Sequence[int], weights: Sequence[int]
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, features: Any, weights: Any) -> tuple[Any, ...]: ...

PReluGrad: _PReluGrad

class _PReluGradReduce(GraphOperator):
    def __call__(this, /, grads: ArrayT, features: ArrayT, weights: ArrayT, updates: ArrayT) -> ArrayT:
        """PReluGradReduce(grads, features, weights, updates) -> da

        sum(updates) over each channel

        A channel is one index of dimension 1. With weights of one element, da is the sum over all elements.

        Args:
            grads (array): Not read.
            features (array): Not read.
            weights (array): float32, float16, float64, bfloat16.
            updates (array): float32, float16, float64, bfloat16.

        Shape:
            updates (2, 2), weights (2,) -> da (2,), for example.
            weights has one element, or those of dimension 1 of updates.
            da has the shape of weights.

        Returns:
            da (array): Of the inputs' data type.
        """
    def plan(
        this, /, grads: ArrayT, features: ArrayT, weights: ArrayT, updates: ArrayT, *, out: Any = None
    ) -> Plan: ...
    def infer_shape(
        this, /, grads: Sequence[int], features: Sequence[int], weights: Sequence[int], updates: Sequence[int]
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, features: Any, weights: Any, updates: Any) -> tuple[Any, ...]: ...

PReluGradReduce: _PReluGradReduce

class _Relu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Relu(x) -> y

        max(x, 0)

        Args:
            x (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Relu: _Relu

class _Relu6(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Relu6(x) -> y

        min(max(x, 0), 6)

        Args:
            x (array): float32, float16, int32, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Relu6: _Relu6

class _Relu6D(GraphOperator):
    def __call__(this, /, x: ArrayT, *, scale: Number = 1.0) -> ArrayT:
        """Relu6D(x, scale=1.0) -> y

        min(max(x, 0), 6 * scale)

        Args:
            x (array): float32, float16, int32, float64, bfloat16.
            scale (float): Any number. Default: 1.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, scale: Number = 1.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, scale: Number = 1.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, scale: Number = 1.0) -> tuple[Any, ...]: ...

Relu6D: _Relu6D

class _Relu6Grad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT:
        """Relu6Grad(gradients, features) -> backprops

        gradients if 0 < features < 6, else 0

        The result of relu6 gives the same gradient and may be passed instead of the input.

        Args:
            gradients (array): float32, float16, float64, bfloat16. Gradient of the result of relu6.
            features (array): float32, float16, float64, bfloat16. Input of relu6.

        Shape:
            gradients (5,), features (5,) -> backprops (5,), for example.
            features has the shape of gradients.
            backprops has the shape of gradients.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

Relu6Grad: _Relu6Grad

class _ReluGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT:
        """ReluGrad(gradients, features) -> backprops

        gradients if features > 0, else 0; features = relu(x)

        The input of relu gives the same gradient and may be passed instead.

        Args:
            gradients (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Gradient of the
                features of relu.
            features (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Result of relu.

        Shape:
            gradients (5,), features (5,) -> backprops (5,), for example.
            features can be broadcast with gradients.
            backprops has the shape of the features.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

ReluGrad: _ReluGrad

class _Selu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Selu(x) -> y

        scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
        1.6732632423543773

        Integers are computed as floats, rounded to the nearest even number, and saturate.

        Args:
            x (array): float32, float16, int8, int32, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Selu: _Selu

class _SeluGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, outputs: ArrayT) -> ArrayT:
        """SeluGrad(gradients, outputs) -> y

        scale * gradients if outputs >= 0, else (outputs + scale * alpha) * gradients, where scale =
        1.0507009873554805 and alpha = 1.6732632423543773; outputs = selu(x)

        On Ascend950 a outputs of 0 belongs to the second case. Integers are computed as floats, rounded to the
        nearest even number, and saturate.

        Args:
            gradients (array): float32, float16, int8, int32, float64, bfloat16. Gradient of the outputs of selu.
            outputs (array): float32, float16, int8, int32, float64, bfloat16. Result of selu.

        Shape:
            gradients (5,), outputs (5,) -> y (5,), for example.
            outputs has the shape of gradients.
            y has the shape of gradients.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, outputs: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], outputs: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, outputs: Any) -> tuple[Any, ...]: ...

SeluGrad: _SeluGrad

class _Shrink(GraphOperator):
    def __call__(this, /, input_x: ArrayT, *, lambd: Number = 0.5, bias: Number = 0.0) -> ArrayT:
        """Shrink(input_x, lambd=0.5, bias=0.0) -> output_y

        x - bias if x > lambd, x + bias if x < -lambd, else 0

        NaN gives NaN, and 0 on Ascend950.

        Args:
            input_x (array): float32, float16, float64, bfloat16.
            lambd (float): Required: lambd >= 0. Default: 0.5.
            bias (float): Any number. Default: 0.0.

        Shape:
            input_x (5,) -> output_y (5,), for example.
            output_y has the shape of input_x.

        Returns:
            output_y (array): Of the inputs' data type.
        """
    def plan(this, /, input_x: ArrayT, *, out: Any = None, lambd: Number = 0.5, bias: Number = 0.0) -> Plan: ...
    def infer_shape(
        this, /, input_x: Sequence[int], *, lambd: Number = 0.5, bias: Number = 0.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any, *, lambd: Number = 0.5, bias: Number = 0.0) -> tuple[Any, ...]: ...

Shrink: _Shrink

class _Sigmoid(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Sigmoid(x) -> y

        1 / (1 + exp(-x))

        Integers give float32.

        Args:
            x (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, complex64, complex128,
                bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Sigmoid: _Sigmoid

class _SigmoidGrad(GraphOperator):
    def __call__(this, /, y: ArrayT, dy: ArrayT, *, complex_conj: bool | np.bool_ = False) -> ArrayT:
        """SigmoidGrad(y, dy, complex_conj=False) -> z

        dy * y * (1 - y); y = sigmoid(x)

        For complex numbers, complex_conj=True takes the conjugate of y * (1 - y).

        Args:
            y (array): float32, float16, float64, complex64, complex128, bfloat16. Result of sigmoid.
            dy (array): float32, float16, float64, complex64, complex128, bfloat16. Gradient of the result of
                sigmoid.
            complex_conj (bool): Default: False.

        Shape:
            dy (5,), y (5,) -> z (5,), for example.
            y can be broadcast with dy.
            z has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            z (array): Of the inputs' data type.
        """
    def plan(this, /, y: ArrayT, dy: ArrayT, *, out: Any = None, complex_conj: bool | np.bool_ = False) -> Plan: ...
    def infer_shape(
        this, /, y: Sequence[int], dy: Sequence[int], *, complex_conj: bool | np.bool_ = False
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, y: Any, dy: Any, *, complex_conj: bool | np.bool_ = False) -> tuple[Any, ...]: ...

SigmoidGrad: _SigmoidGrad

class _SiluGrad(GraphOperator):
    def __call__(this, /, dy: ArrayT, x: ArrayT) -> ArrayT:
        """SiluGrad(dy, x) -> dx

        dy * s * (1 + x * (1 - s)), where s = sigmoid(x)

        Args:
            dy (array): float32, float16, float64, bfloat16. Gradient of the result of silu.
            x (array): float32, float16, float64, bfloat16. Input of silu.

        Shape:
            dy (5,), x (5,) -> dx (5,), for example.
            off Ascend950: x has the shape of dy.
            off Ascend950: dx has the shape of dy.
            x can be broadcast with dy.
            dx has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            dx (array): Of the inputs' data type.
        """
    def plan(this, /, dy: ArrayT, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, dy: Sequence[int], x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, dy: Any, x: Any) -> tuple[Any, ...]: ...

SiluGrad: _SiluGrad

class _SituGlu(GraphOperator):
    def __call__(
        this,
        /,
        x: ArrayT,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> ArrayT:
        """SituGlu(x, dim=-1, beta=1.0, linear_beta=0.0, activate_left=True) -> y

        beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of x along dim; y
        has half the size of x along dim

        With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper. activate_left=False
        swaps the roles of lower and upper.

        Args:
            x (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            beta (float): Any number. Default: 1.0.
            linear_beta (float): Any number. Default: 0.0.
            activate_left (bool): Default: True.

        Shape:
            x (2, 4) -> y (2, 2), for example.
            x has an even size along dim.
            y has the shape of x, halved along dim.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        x: ArrayT,
        *,
        out: Any = None,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        x: Sequence[int],
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        x: Any,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> tuple[Any, ...]: ...

SituGlu: _SituGlu

class _SituGluGrad(GraphOperator):
    def __call__(
        this,
        /,
        grad_y: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> ArrayT:
        """SituGluGrad(grad_y, x, dim=-1, beta=1.0, linear_beta=0.0, activate_left=True) -> grad_x

        grad_lower = grad_y * upper * s * (1 - t**2 + beta * t * (1 - s)) and grad_upper = grad_y * beta * t * s,
        where t = tanh(lower / beta) and s = sigmoid(lower) and lower and upper are the halves of x along dim;
        grad_x packs grad_lower and grad_upper as x packs its halves

        With linear_beta > 0, the formula is the derivative of situ_glu's other form. activate_left=False swaps the
        roles of lower and upper.

        Args:
            grad_y (array): float32, float16, float64, bfloat16. Gradient of the result of situ_glu.
            x (array): float32, float16, float64, bfloat16. Input of situ_glu.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            beta (float): Any number. Default: 1.0.
            linear_beta (float): Any number. Default: 0.0.
            activate_left (bool): Default: True.

        Shape:
            grad_y (2, 2), x (2, 4) -> grad_x (2, 4), for example.
            x has an even size along dim.
            grad_y has the shape of x, halved along dim.
            grad_x has the shape of x.

        Returns:
            grad_x (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        grad_y: ArrayT,
        x: ArrayT,
        *,
        out: Any = None,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        grad_y: Sequence[int],
        x: Sequence[int],
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        grad_y: Any,
        x: Any,
        *,
        dim: SupportsIndex | Sequence[int] = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
    ) -> tuple[Any, ...]: ...

SituGluGrad: _SituGluGrad

class _SoftShrinkGrad(GraphOperator):
    def __call__(this, /, input_grad: ArrayT, input_x: ArrayT, *, lambd: Number = 0.5) -> ArrayT:
        """SoftShrinkGrad(input_grad, input_x, lambd=0.5) -> output_y

        0 if abs(input_x) <= lambd, else input_grad

        Args:
            input_grad (array): float32, float16, float64, bfloat16. Gradient of the result of softshrink.
            input_x (array): float32, float16, float64, bfloat16. Input of softshrink.
            lambd (float): Required: lambd >= 0. Default: 0.5.

        Shape:
            input_grad (5,), input_x (5,) -> output_y (5,), for example.
            input_x can be broadcast with input_grad.
            output_y has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            output_y (array): Of the inputs' data type.
        """
    def plan(this, /, input_grad: ArrayT, input_x: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(
        this, /, input_grad: Sequence[int], input_x: Sequence[int], *, lambd: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_grad: Any, input_x: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

SoftShrinkGrad: _SoftShrinkGrad

class _SoftmaxCrossEntropyWithLogits(GraphOperator):
    def __call__(this, /, features: ArrayT, labels: ArrayT) -> tuple[ArrayT, ArrayT]:
        """SoftmaxCrossEntropyWithLogits(features, labels) -> loss, backprop

        loss = -sum(labels * log_softmax(features)) and backprop = softmax(features) - labels along the last
        dimension; loss has one element for each row

        backprop is the gradient of loss by features, if the labels of each row sum to 1. features and labels have
        the shape (rows, classes).

        Args:
            features (array): float32, float16, float64, bfloat16.
            labels (array): float32, float16, float64, bfloat16.

        Shape:
            features (2, 2), labels (2, 2) -> loss (2,), backprop (2, 2), for example.
            labels has the shape of features.
            loss has the shape of the result, or as many elements in a row.
            backprop has the shape of the result, or as many elements in a row.

        Returns:
            loss, backprop (arrays): Of the inputs' data type.
        """
    def plan(this, /, features: ArrayT, labels: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, features: Sequence[int], labels: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, features: Any, labels: Any) -> tuple[Any, ...]: ...

SoftmaxCrossEntropyWithLogits: _SoftmaxCrossEntropyWithLogits

class _SoftmaxGrad(GraphOperator):
    def __call__(this, /, softmax: ArrayT, grad_softmax: ArrayT, *, axes: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """SoftmaxGrad(softmax, grad_softmax, axes=-1) -> grad_x

        softmax * (grad_softmax - sum(grad_softmax * softmax)) along axes; softmax = softmax(x)

        Args:
            softmax (array): float32, float16, float64, bfloat16. Result of softmax.
            grad_softmax (array): float32, float16, float64, bfloat16. Gradient of the result of softmax.
            axes (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            grad_softmax (2, 2), softmax (2, 2) -> grad_x (2, 2), for example.
            softmax has the shape of grad_softmax.
            grad_x has the shape of grad_softmax.

        Returns:
            grad_x (array): Of the inputs' data type.
        """
    def plan(
        this, /, softmax: ArrayT, grad_softmax: ArrayT, *, out: Any = None, axes: SupportsIndex | Sequence[int] = -1
    ) -> Plan: ...
    def infer_shape(
        this, /, softmax: Sequence[int], grad_softmax: Sequence[int], *, axes: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, softmax: Any, grad_softmax: Any, *, axes: SupportsIndex | Sequence[int] = -1
    ) -> tuple[Any, ...]: ...

SoftmaxGrad: _SoftmaxGrad

class _SoftmaxGradExt(GraphOperator):
    def __call__(
        this,
        /,
        grad: ArrayT,
        x1: ArrayT,
        x2: ArrayT,
        *,
        axes: SupportsIndex | Sequence[int] = 1,
        keep_dims: Literal[True] = True,
    ) -> ArrayT:
        """SoftmaxGradExt(grad, x1, x2, axes=1, keep_dims=True) -> y

        (grad * x1 - sum(grad * x1) * x1) * x2 along axes

        Args:
            grad (array): float32, float16, float64, bfloat16.
            x1 (array): float32, float16, float64, bfloat16.
            x2 (array): float32, float16, float64, bfloat16.
            axes (int): Dimension, from -rank to rank - 1. Default: 1.
            keep_dims (bool): Required: True.

        Shape:
            grad (2, 2), x1 (2, 2), x2 (2, 2) -> y (2, 2), for example.
            x1 has the shape of grad.
            x2 can be broadcast with grad.
            y has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        grad: ArrayT,
        x1: ArrayT,
        x2: ArrayT,
        *,
        out: Any = None,
        axes: SupportsIndex | Sequence[int] = 1,
        keep_dims: Literal[True] = True,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        grad: Sequence[int],
        x1: Sequence[int],
        x2: Sequence[int],
        *,
        axes: SupportsIndex | Sequence[int] = 1,
        keep_dims: Literal[True] = True,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this,
        /,
        grad: Any,
        x1: Any,
        x2: Any,
        *,
        axes: SupportsIndex | Sequence[int] = 1,
        keep_dims: Literal[True] = True,
    ) -> tuple[Any, ...]: ...

SoftmaxGradExt: _SoftmaxGradExt

class _SoftmaxV2(GraphOperator):
    def __call__(
        this, /, x: ArrayT, *, axes: SupportsIndex | Sequence[int] = -1, half_to_float: Literal[False] = False
    ) -> ArrayT:
        """SoftmaxV2(x, axes=-1, half_to_float=False) -> y

        exp(x) / sum(exp(x)) along axes

        Args:
            x (array): float32, float16, float64, bfloat16.
            axes (int): Dimension, from -rank to rank - 1. Default: -1.
            half_to_float (bool): Required: False.

        Shape:
            x (2, 2) -> y (2, 2), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        x: ArrayT,
        *,
        out: Any = None,
        axes: SupportsIndex | Sequence[int] = -1,
        half_to_float: Literal[False] = False,
    ) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, axes: SupportsIndex | Sequence[int] = -1, half_to_float: Literal[False] = False
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, *, axes: SupportsIndex | Sequence[int] = -1, half_to_float: Literal[False] = False
    ) -> tuple[Any, ...]: ...

SoftmaxV2: _SoftmaxV2

class _Softplus(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Softplus(x) -> y

        x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

        Args:
            x (array): float32, float16, float64, bfloat16.
            Fixed: beta=1.0.
            Fixed: threshold=inf.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Softplus: _Softplus

class _SoftplusGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT:
        """SoftplusGrad(gradients, features) -> backprops

        gradients if beta * features > threshold, else gradients * sigmoid(beta * features)

        Args:
            gradients (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16. Gradient
                of the result of softplus.
            features (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16. Input of
                softplus.
            Fixed: beta=1.0.
            Fixed: threshold=inf.

        Shape:
            gradients (5,), features (5,) -> backprops (5,), for example.
            features has the shape of gradients.
            backprops has the shape of gradients.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

SoftplusGrad: _SoftplusGrad

class _SoftplusV2(GraphOperator):
    def __call__(this, /, x: ArrayT, *, beta: Number = 1.0, threshold: Number = 20.0) -> ArrayT:
        """SoftplusV2(x, beta=1.0, threshold=20.0) -> y

        x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

        Args:
            x (array): float32, float16, float64, bfloat16.
            beta (float): Any number. Default: 1.0.
            threshold (float): Any number. Default: 20.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, beta: Number = 1.0, threshold: Number = 20.0) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, beta: Number = 1.0, threshold: Number = 20.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, beta: Number = 1.0, threshold: Number = 20.0) -> tuple[Any, ...]: ...

SoftplusV2: _SoftplusV2

class _SoftplusV2Grad(GraphOperator):
    def __call__(
        this, /, input_gradients: ArrayT, input_features: ArrayT, *, beta: Number = 1.0, threshold: Number = 20.0
    ) -> ArrayT:
        """SoftplusV2Grad(input_gradients, input_features, beta=1.0, threshold=20.0) -> output_backprops

        input_gradients if beta * input_features > threshold, else input_gradients * sigmoid(beta * input_features)

        Args:
            input_gradients (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16.
                Gradient of the result of softplus.
            input_features (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16.
                Input of softplus.
            beta (float): Any number. Default: 1.0.
            threshold (float): Any number. Default: 20.0.

        Shape:
            input_gradients (5,), input_features (5,) -> output_backprops (5,), for example.
            input_features has the shape of input_gradients.
            output_backprops has the shape of input_gradients.

        Returns:
            output_backprops (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        input_gradients: ArrayT,
        input_features: ArrayT,
        *,
        out: Any = None,
        beta: Number = 1.0,
        threshold: Number = 20.0,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        input_gradients: Sequence[int],
        input_features: Sequence[int],
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, input_gradients: Any, input_features: Any, *, beta: Number = 1.0, threshold: Number = 20.0
    ) -> tuple[Any, ...]: ...

SoftplusV2Grad: _SoftplusV2Grad

class _Softshrink(GraphOperator):
    def __call__(this, /, x: ArrayT, *, lambd: Number = 0.5) -> ArrayT:
        """Softshrink(x, lambd=0.5) -> y

        sign(x) * max(abs(x) - lambd, 0)

        NaN gives NaN, and 0 on Ascend950.

        Args:
            x (array): float32, float16, float64, bfloat16.
            lambd (float): Required: lambd >= 0. Default: 0.5.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, lambd: Number = 0.5) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

Softshrink: _Softshrink

class _Softsign(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Softsign(x) -> y

        x / (1 + abs(x))

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Softsign: _Softsign

class _SoftsignGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT:
        """SoftsignGrad(gradients, features) -> output

        gradients / (1 + abs(features))**2

        Args:
            gradients (array): float32, float16, float64, bfloat16. Gradient of the result of softsign.
            features (array): float32, float16, float64, bfloat16. Input of softsign.

        Shape:
            gradients (5,), features (5,) -> output (5,), for example.
            features has the shape of gradients.
            output has the shape of gradients.

        Returns:
            output (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

SoftsignGrad: _SoftsignGrad

class _SquaredRelu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """SquaredRelu(x) -> y

        max(x, 0)**2

        Args:
            x (array): float32, float16, float64, bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of the result, or as many elements in a row.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

SquaredRelu: _SquaredRelu

class _SwiGlu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """SwiGlu(x, dim=-1) -> y

        silu(lower) * upper, where lower and upper are the halves of x along dim; y has half the size of x along dim

        Args:
            x (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            x (2, 4) -> y (2, 2), for example.
            x has an even size along dim.
            y has the shape of the result, or as many elements in a row.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, dim: SupportsIndex | Sequence[int] = -1) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, dim: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, dim: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

SwiGlu: _SwiGlu

class _SwiGluGrad(GraphOperator):
    def __call__(this, /, y_grad: ArrayT, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT:
        """SwiGluGrad(y_grad, x, dim=-1) -> x_grad

        grad_lower = y_grad * upper * silu'(lower) and grad_upper = y_grad * silu(lower), where lower and upper are
        the halves of x along dim; x_grad packs grad_lower and grad_upper as x packs its halves

        silu(lower) is computed again.

        Args:
            y_grad (array): float32, float16, float64, bfloat16. Gradient of the result of swiglu.
            x (array): float32, float16, float64, bfloat16. Input of swiglu.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.

        Shape:
            y_grad (2, 2), x (2, 4) -> x_grad (2, 4), for example.
            y_grad has as many dimensions as x.
            x has an even size along dim.
            y_grad has the shape of x, halved along dim.
            x_grad has the shape of the result, or as many elements in a row.

        Returns:
            x_grad (array): Of the inputs' data type.
        """
    def plan(
        this, /, y_grad: ArrayT, x: ArrayT, *, out: Any = None, dim: SupportsIndex | Sequence[int] = -1
    ) -> Plan: ...
    def infer_shape(
        this, /, y_grad: Sequence[int], x: Sequence[int], *, dim: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, y_grad: Any, x: Any, *, dim: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

SwiGluGrad: _SwiGluGrad

class _SwigluGroup(GraphOperator):
    def __call__(
        this,
        /,
        x: ArrayT,
        weight: ArrayT | None = None,
        group_index: ArrayT | None = None,
        *,
        clamp_limit: Number = -1.0,
    ) -> ArrayT:
        """SwigluGroup(x, weight, group_index, clamp_limit=-1.0) -> y

        silu(lower) * upper * weight, where lower and upper are the halves of x along the last dimension; y has half
        the size of x there; weight has one element for each row

        Without weight, the factor is 1. With clamp_limit > 0 (c for short), lower becomes min(lower, c) and upper
        becomes clamp(upper, -c, c). group_index counts rows: only the first sum(group_index) rows are computed. The
        other rows are 0 in a new result and unchanged in y=.

        Args:
            x (array): float32, float16, float64, bfloat16.
            weight (array): float32, float16, float64, bfloat16. Default: None.
            group_index (array): Only the first sum(group_index) rows are computed. Default: None.
            clamp_limit (float): Required: clamp_limit -1 or > 0. Default: -1.0.
            Fixed: dim=-1.

        Shape:
            x (2, 4) -> y (2, 2), for example.
            x has an even size along dim.
            weight has one element for each row of x.
            group_index has one dimension.
            group_index has at least 1 elements.
            y has the shape of x, halved along dim.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(
        this,
        /,
        x: ArrayT,
        weight: ArrayT | None = None,
        group_index: ArrayT | None = None,
        *,
        out: Any = None,
        clamp_limit: Number = -1.0,
    ) -> Plan: ...
    def infer_shape(
        this,
        /,
        x: Sequence[int],
        weight: Sequence[int] | None = None,
        group_index: Sequence[int] | None = None,
        *,
        clamp_limit: Number = -1.0,
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(
        this, /, x: Any, weight: Any | None = None, group_index: Any | None = None, *, clamp_limit: Number = -1.0
    ) -> tuple[Any, ...]: ...

SwigluGroup: _SwigluGroup

class _Swish(GraphOperator):
    def __call__(this, /, x: ArrayT, *, scale: Number = 1.0) -> ArrayT:
        """Swish(x, scale=1.0) -> y

        x * sigmoid(scale * x)

        Args:
            x (array): float32, float16, float64, bfloat16.
            scale (float): Any number. Default: 1.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, scale: Number = 1.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, scale: Number = 1.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, scale: Number = 1.0) -> tuple[Any, ...]: ...

Swish: _Swish

class _SwishGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, y: ArrayT, *, scale: Number = 1.0) -> ArrayT:
        """SwishGrad(grad, x, y, scale=1.0) -> grad_x

        grad * s * (1 + scale * x * (1 - s)), where s = sigmoid(scale * x)

        Args:
            grad (array): float32, float16, float64, bfloat16. Gradient of the result of swish.
            x (array): float32, float16, float64, bfloat16. Input of swish.
            y (array): Not read.
            scale (float): Any number. Default: 1.0.

        Shape:
            grad (5,), x (5,) -> grad_x (5,), for example.
            x has the shape of grad.
            grad_x has the shape of grad.

        Returns:
            grad_x (array): Of the inputs' data type.
        """
    def plan(this, /, grad: ArrayT, x: ArrayT, y: ArrayT, *, out: Any = None, scale: Number = 1.0) -> Plan: ...
    def infer_shape(
        this, /, grad: Sequence[int], x: Sequence[int], y: Sequence[int], *, scale: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any, y: Any, *, scale: Number = 1.0) -> tuple[Any, ...]: ...

SwishGrad: _SwishGrad

class _Tanh(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT:
        """Tanh(x) -> y

        tanh(x)

        Integers give float32.

        Args:
            x (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, complex64, complex128,
                bfloat16.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Tanh: _Tanh

class _TanhGrad(GraphOperator):
    def __call__(this, /, y: ArrayT, dy: ArrayT) -> ArrayT:
        """TanhGrad(y, dy) -> z

        dy * (1 - y**2); y = tanh(x)

        For complex numbers, the conjugate of 1 - y**2 is taken.

        Args:
            y (array): float32, float16, float64, complex64, complex128, bfloat16. Result of tanh.
            dy (array): float32, float16, float64, complex64, complex128, bfloat16. Gradient of the result of tanh.

        Shape:
            dy (5,), y (5,) -> z (5,), for example.
            y can be broadcast with dy.
            z has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            z (array): Of the inputs' data type.
        """
    def plan(this, /, y: ArrayT, dy: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, y: Sequence[int], dy: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, y: Any, dy: Any) -> tuple[Any, ...]: ...

TanhGrad: _TanhGrad

class _Threshold(GraphOperator):
    def __call__(this, /, x: ArrayT, *, threshold: Number = 0.0) -> ArrayT:
        """Threshold(x, threshold=0.0) -> y

        1 if x > threshold, else 0; also 0 for NaN

        Args:
            x (array): float32, float16, float64, bfloat16.
            threshold (float): Any number. Default: 0.0.

        Shape:
            x (5,) -> y (5,), for example.
            y has the shape of x.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, *, out: Any = None, threshold: Number = 0.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, threshold: Number = 0.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, threshold: Number = 0.0) -> tuple[Any, ...]: ...

Threshold: _Threshold

class _ThresholdGradV2D(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT, *, threshold: Number = 1.0) -> ArrayT:
        """ThresholdGradV2D(gradients, features, threshold=1.0) -> backprops

        gradients if features > threshold, else 0

        Args:
            gradients (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Gradient of the
                result of threshold.
            features (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Input of threshold.
            threshold (float): Any number. Default: 1.0.

        Shape:
            gradients (5,), features (5,) -> backprops (5,), for example.
            features can be broadcast with gradients.
            backprops has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            backprops (array): Of the inputs' data type.
        """
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None, threshold: Number = 1.0) -> Plan: ...
    def infer_shape(
        this, /, gradients: Sequence[int], features: Sequence[int], *, threshold: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any, *, threshold: Number = 1.0) -> tuple[Any, ...]: ...

ThresholdGradV2D: _ThresholdGradV2D

class _ThresholdV2(GraphOperator):
    def __call__(this, /, x: ArrayT, threshold: ArrayT, value: ArrayT | None = None) -> ArrayT:
        """ThresholdV2(x, threshold, value) -> y

        x if x > threshold, else value; the three tensors are broadcast together

        Without value, it is 0.

        Args:
            x (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
            threshold (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
            value (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Default: None.

        Shape:
            x (5,), threshold (5,) -> y (5,), for example.
            x, threshold, value can be broadcast together.
            y has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            y (array): Of the inputs' data type.
        """
    def plan(this, /, x: ArrayT, threshold: ArrayT, value: ArrayT | None = None, *, out: Any = None) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], threshold: Sequence[int], value: Sequence[int] | None = None
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, threshold: Any, value: Any | None = None) -> tuple[Any, ...]: ...

ThresholdV2: _ThresholdV2
