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
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

BNLL: _BNLL

class _Celu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, alpha1: Number = 1.0, alpha2: Number = 1.0, alpha3: Number = 1.0) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT, *, alpha: Number = 1.0) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    def __call__(this, /, grad: ArrayT, x: ArrayT) -> ArrayT: ...
    def plan(this, /, grad: ArrayT, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grad: Sequence[int], x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any) -> tuple[Any, ...]: ...

ConfusionSoftmaxGrad: _ConfusionSoftmaxGrad

class _Elu(GraphOperator):
    def __call__(
        this, /, x: ArrayT, *, alpha: Number = 1.0, scale: Number = 1.0, input_scale: Number = 1.0
    ) -> ArrayT: ...
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
    def __call__(this, /, grads: ArrayT, activations: ArrayT) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    def __call__(this, /, input_x: ArrayT) -> ArrayT: ...
    def plan(this, /, input_x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, input_x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any) -> tuple[Any, ...]: ...

Erfinv: _Erfinv

class _FastGelu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

FastGelu: _FastGelu

class _FastGeluGrad(GraphOperator):
    def __call__(this, /, dy: ArrayT, x: ArrayT) -> ArrayT: ...
    def plan(this, /, dy: ArrayT, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, dy: Sequence[int], x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, dy: Any, x: Any) -> tuple[Any, ...]: ...

FastGeluGrad: _FastGeluGrad

class _FastGeluV2(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

FastGeluV2: _FastGeluV2

class _FatreluMul(GraphOperator):
    def __call__(this, /, x: ArrayT, threshold: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, threshold: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], threshold: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, threshold: Any) -> tuple[Any, ...]: ...

FatreluMul: _FatreluMul

class _FusedBiasLeakyRelu(GraphOperator):
    def __call__(
        this, /, x: ArrayT, bias: ArrayT, *, negative_slope: Number = 0.2, scale: Number = 1.414213562373
    ) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, dim: SupportsIndex | Sequence[int] = -1) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, dim: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, dim: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

GLU: _GLU

class _GLUGrad(GraphOperator):
    def __call__(this, /, y_grad: ArrayT, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    ) -> tuple[ArrayT, ArrayT]: ...
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
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Gelu: _Gelu

class _GeluGrad(GraphOperator):
    def __call__(this, /, dy: ArrayT, x: ArrayT, y: ArrayT) -> ArrayT: ...
    def plan(this, /, dy: ArrayT, x: ArrayT, y: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, dy: Sequence[int], x: Sequence[int], y: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, dy: Any, x: Any, y: Any) -> tuple[Any, ...]: ...

GeluGrad: _GeluGrad

class _GeluGradV2(GraphOperator):
    def __call__(
        this, /, dy: ArrayT, x: ArrayT, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none"
    ) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none") -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT, *, approximate: Literal["none", "tanh"] | SupportsIndex = "none") -> ArrayT: ...
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
    def __call__(this, /, input_x: ArrayT, *, lambd: Number = 0.5) -> ArrayT: ...
    def plan(this, /, input_x: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(this, /, input_x: Sequence[int], *, lambd: Number = 0.5) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

HardShrink: _HardShrink

class _HardShrinkGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT, *, lambd: Number = 0.5) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(
        this, /, gradients: Sequence[int], features: Sequence[int], *, lambd: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

HardShrinkGrad: _HardShrinkGrad

class _HardSigmoid(GraphOperator):
    def __call__(this, /, input_x: ArrayT, *, alpha: Number = 0.16666666, beta: Number = 0.5) -> ArrayT: ...
    def plan(this, /, input_x: ArrayT, *, out: Any = None, alpha: Number = 0.16666666, beta: Number = 0.5) -> Plan: ...
    def infer_shape(
        this, /, input_x: Sequence[int], *, alpha: Number = 0.16666666, beta: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any, *, alpha: Number = 0.16666666, beta: Number = 0.5) -> tuple[Any, ...]: ...

HardSigmoid: _HardSigmoid

class _HardSigmoidGrad(GraphOperator):
    def __call__(
        this, /, grads: ArrayT, input_x: ArrayT, *, alpha: Number = 0.16666666, beta: Number = 0.5
    ) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

HardSwish: _HardSwish

class _HardSwishGrad(GraphOperator):
    def __call__(this, /, grad_output: ArrayT, self: ArrayT) -> ArrayT: ...
    def plan(this, /, grad_output: ArrayT, self: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grad_output: Sequence[int], self: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad_output: Any, self: Any) -> tuple[Any, ...]: ...

HardSwishGrad: _HardSwishGrad

class _HardSwishGradV2(GraphOperator):
    def __call__(this, /, gradOutput: ArrayT, self: ArrayT) -> ArrayT: ...
    def plan(this, /, gradOutput: ArrayT, self: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradOutput: Sequence[int], self: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradOutput: Any, self: Any) -> tuple[Any, ...]: ...

HardSwishGradV2: _HardSwishGradV2

class _HardtanhGrad(GraphOperator):
    def __call__(this, /, result: ArrayT, grad: ArrayT, *, min_val: Number = -1.0, max_val: Number = 1.0) -> ArrayT: ...
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
    def __call__(this, /, input: ArrayT, values: ArrayT) -> ArrayT: ...
    def plan(this, /, input: ArrayT, values: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, input: Sequence[int], values: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input: Any, values: Any) -> tuple[Any, ...]: ...

Heaviside: _Heaviside

class _LeakyRelu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, negative_slope: Number = 0.0) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, negative_slope: Number = 0.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, negative_slope: Number = 0.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, negative_slope: Number = 0.0) -> tuple[Any, ...]: ...

LeakyRelu: _LeakyRelu

class _LeakyReluGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT, *, negative_slope: Number = 0.0) -> ArrayT: ...
    def plan(
        this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None, negative_slope: Number = 0.0
    ) -> Plan: ...
    def infer_shape(
        this, /, gradients: Sequence[int], features: Sequence[int], *, negative_slope: Number = 0.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any, *, negative_slope: Number = 0.0) -> tuple[Any, ...]: ...

LeakyReluGrad: _LeakyReluGrad

class _LogSigmoid(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

LogSigmoid: _LogSigmoid

class _LogSigmoidGrad(GraphOperator):
    def __call__(this, /, grads: ArrayT, features: ArrayT) -> ArrayT: ...
    def plan(this, /, grads: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, grads: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, features: Any) -> tuple[Any, ...]: ...

LogSigmoidGrad: _LogSigmoidGrad

class _LogSoftmaxGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, *, axis: SupportsIndex | Sequence[int] = -1) -> ArrayT: ...
    def plan(
        this, /, grad: ArrayT, x: ArrayT, *, out: Any = None, axis: SupportsIndex | Sequence[int] = -1
    ) -> Plan: ...
    def infer_shape(
        this, /, grad: Sequence[int], x: Sequence[int], *, axis: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any, *, axis: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

LogSoftmaxGrad: _LogSoftmaxGrad

class _LogSoftmaxV2(GraphOperator):
    def __call__(this, /, logits: ArrayT, *, axes: SupportsIndex | Sequence[int] = -1) -> ArrayT: ...
    def plan(this, /, logits: ArrayT, *, out: Any = None, axes: SupportsIndex | Sequence[int] = -1) -> Plan: ...
    def infer_shape(
        this, /, logits: Sequence[int], *, axes: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, logits: Any, *, axes: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

LogSoftmaxV2: _LogSoftmaxV2

class _Mish(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Mish: _Mish

class _MishGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, tanhx: ArrayT | None = None) -> ArrayT: ...
    def plan(this, /, grad: ArrayT, x: ArrayT, tanhx: ArrayT | None = None, *, out: Any = None) -> Plan: ...
    def infer_shape(
        this, /, grad: Sequence[int], x: Sequence[int], tanhx: Sequence[int] | None = None
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any, tanhx: Any | None = None) -> tuple[Any, ...]: ...

MishGrad: _MishGrad

class _PRelu(GraphOperator):
    def __call__(this, /, x: ArrayT, weight: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, weight: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], weight: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, weight: Any) -> tuple[Any, ...]: ...

PRelu: _PRelu

class _PReluGrad(GraphOperator):
    def __call__(this, /, grads: ArrayT, features: ArrayT, weights: ArrayT) -> tuple[ArrayT, ArrayT]: ...
    def plan(this, /, grads: ArrayT, features: ArrayT, weights: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(
        this, /, grads: Sequence[int], features: Sequence[int], weights: Sequence[int]
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, features: Any, weights: Any) -> tuple[Any, ...]: ...

PReluGrad: _PReluGrad

class _PReluGradReduce(GraphOperator):
    def __call__(this, /, grads: ArrayT, features: ArrayT, weights: ArrayT, updates: ArrayT) -> ArrayT: ...
    def plan(
        this, /, grads: ArrayT, features: ArrayT, weights: ArrayT, updates: ArrayT, *, out: Any = None
    ) -> Plan: ...
    def infer_shape(
        this, /, grads: Sequence[int], features: Sequence[int], weights: Sequence[int], updates: Sequence[int]
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grads: Any, features: Any, weights: Any, updates: Any) -> tuple[Any, ...]: ...

PReluGradReduce: _PReluGradReduce

class _Relu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Relu: _Relu

class _Relu6(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Relu6: _Relu6

class _Relu6D(GraphOperator):
    def __call__(this, /, x: ArrayT, *, scale: Number = 1.0) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, scale: Number = 1.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, scale: Number = 1.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, scale: Number = 1.0) -> tuple[Any, ...]: ...

Relu6D: _Relu6D

class _Relu6Grad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

Relu6Grad: _Relu6Grad

class _ReluGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

ReluGrad: _ReluGrad

class _Selu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Selu: _Selu

class _SeluGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, outputs: ArrayT) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, outputs: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], outputs: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, outputs: Any) -> tuple[Any, ...]: ...

SeluGrad: _SeluGrad

class _Shrink(GraphOperator):
    def __call__(this, /, input_x: ArrayT, *, lambd: Number = 0.5, bias: Number = 0.0) -> ArrayT: ...
    def plan(this, /, input_x: ArrayT, *, out: Any = None, lambd: Number = 0.5, bias: Number = 0.0) -> Plan: ...
    def infer_shape(
        this, /, input_x: Sequence[int], *, lambd: Number = 0.5, bias: Number = 0.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_x: Any, *, lambd: Number = 0.5, bias: Number = 0.0) -> tuple[Any, ...]: ...

Shrink: _Shrink

class _Sigmoid(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Sigmoid: _Sigmoid

class _SigmoidGrad(GraphOperator):
    def __call__(this, /, y: ArrayT, dy: ArrayT, *, complex_conj: bool | np.bool_ = False) -> ArrayT: ...
    def plan(this, /, y: ArrayT, dy: ArrayT, *, out: Any = None, complex_conj: bool | np.bool_ = False) -> Plan: ...
    def infer_shape(
        this, /, y: Sequence[int], dy: Sequence[int], *, complex_conj: bool | np.bool_ = False
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, y: Any, dy: Any, *, complex_conj: bool | np.bool_ = False) -> tuple[Any, ...]: ...

SigmoidGrad: _SigmoidGrad

class _SiluGrad(GraphOperator):
    def __call__(this, /, dy: ArrayT, x: ArrayT) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    def __call__(this, /, input_grad: ArrayT, input_x: ArrayT, *, lambd: Number = 0.5) -> ArrayT: ...
    def plan(this, /, input_grad: ArrayT, input_x: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(
        this, /, input_grad: Sequence[int], input_x: Sequence[int], *, lambd: Number = 0.5
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, input_grad: Any, input_x: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

SoftShrinkGrad: _SoftShrinkGrad

class _SoftmaxCrossEntropyWithLogits(GraphOperator):
    def __call__(this, /, features: ArrayT, labels: ArrayT) -> tuple[ArrayT, ArrayT]: ...
    def plan(this, /, features: ArrayT, labels: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, features: Sequence[int], labels: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, features: Any, labels: Any) -> tuple[Any, ...]: ...

SoftmaxCrossEntropyWithLogits: _SoftmaxCrossEntropyWithLogits

class _SoftmaxGrad(GraphOperator):
    def __call__(
        this, /, softmax: ArrayT, grad_softmax: ArrayT, *, axes: SupportsIndex | Sequence[int] = -1
    ) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Softplus: _Softplus

class _SoftplusGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

SoftplusGrad: _SoftplusGrad

class _SoftplusV2(GraphOperator):
    def __call__(this, /, x: ArrayT, *, beta: Number = 1.0, threshold: Number = 20.0) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, beta: Number = 1.0, threshold: Number = 20.0) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, beta: Number = 1.0, threshold: Number = 20.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, beta: Number = 1.0, threshold: Number = 20.0) -> tuple[Any, ...]: ...

SoftplusV2: _SoftplusV2

class _SoftplusV2Grad(GraphOperator):
    def __call__(
        this, /, input_gradients: ArrayT, input_features: ArrayT, *, beta: Number = 1.0, threshold: Number = 20.0
    ) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT, *, lambd: Number = 0.5) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, lambd: Number = 0.5) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, lambd: Number = 0.5) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, lambd: Number = 0.5) -> tuple[Any, ...]: ...

Softshrink: _Softshrink

class _Softsign(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Softsign: _Softsign

class _SoftsignGrad(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, gradients: Sequence[int], features: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any) -> tuple[Any, ...]: ...

SoftsignGrad: _SoftsignGrad

class _SquaredRelu(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

SquaredRelu: _SquaredRelu

class _SwiGlu(GraphOperator):
    def __call__(this, /, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, dim: SupportsIndex | Sequence[int] = -1) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], *, dim: SupportsIndex | Sequence[int] = -1
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, dim: SupportsIndex | Sequence[int] = -1) -> tuple[Any, ...]: ...

SwiGlu: _SwiGlu

class _SwiGluGrad(GraphOperator):
    def __call__(this, /, y_grad: ArrayT, x: ArrayT, *, dim: SupportsIndex | Sequence[int] = -1) -> ArrayT: ...
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
    ) -> ArrayT: ...
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
    def __call__(this, /, x: ArrayT, *, scale: Number = 1.0) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, scale: Number = 1.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, scale: Number = 1.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, scale: Number = 1.0) -> tuple[Any, ...]: ...

Swish: _Swish

class _SwishGrad(GraphOperator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, y: ArrayT, *, scale: Number = 1.0) -> ArrayT: ...
    def plan(this, /, grad: ArrayT, x: ArrayT, y: ArrayT, *, out: Any = None, scale: Number = 1.0) -> Plan: ...
    def infer_shape(
        this, /, grad: Sequence[int], x: Sequence[int], y: Sequence[int], *, scale: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, grad: Any, x: Any, y: Any, *, scale: Number = 1.0) -> tuple[Any, ...]: ...

SwishGrad: _SwishGrad

class _Tanh(GraphOperator):
    def __call__(this, /, x: ArrayT) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any) -> tuple[Any, ...]: ...

Tanh: _Tanh

class _TanhGrad(GraphOperator):
    def __call__(this, /, y: ArrayT, dy: ArrayT) -> ArrayT: ...
    def plan(this, /, y: ArrayT, dy: ArrayT, *, out: Any = None) -> Plan: ...
    def infer_shape(this, /, y: Sequence[int], dy: Sequence[int]) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, y: Any, dy: Any) -> tuple[Any, ...]: ...

TanhGrad: _TanhGrad

class _Threshold(GraphOperator):
    def __call__(this, /, x: ArrayT, *, threshold: Number = 0.0) -> ArrayT: ...
    def plan(this, /, x: ArrayT, *, out: Any = None, threshold: Number = 0.0) -> Plan: ...
    def infer_shape(this, /, x: Sequence[int], *, threshold: Number = 0.0) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, *, threshold: Number = 0.0) -> tuple[Any, ...]: ...

Threshold: _Threshold

class _ThresholdGradV2D(GraphOperator):
    def __call__(this, /, gradients: ArrayT, features: ArrayT, *, threshold: Number = 1.0) -> ArrayT: ...
    def plan(this, /, gradients: ArrayT, features: ArrayT, *, out: Any = None, threshold: Number = 1.0) -> Plan: ...
    def infer_shape(
        this, /, gradients: Sequence[int], features: Sequence[int], *, threshold: Number = 1.0
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, gradients: Any, features: Any, *, threshold: Number = 1.0) -> tuple[Any, ...]: ...

ThresholdGradV2D: _ThresholdGradV2D

class _ThresholdV2(GraphOperator):
    def __call__(this, /, x: ArrayT, threshold: ArrayT, value: ArrayT | None = None) -> ArrayT: ...
    def plan(this, /, x: ArrayT, threshold: ArrayT, value: ArrayT | None = None, *, out: Any = None) -> Plan: ...
    def infer_shape(
        this, /, x: Sequence[int], threshold: Sequence[int], value: Sequence[int] | None = None
    ) -> tuple[tuple[int, ...], ...]: ...
    def infer_dtype(this, /, x: Any, threshold: Any, value: Any | None = None) -> tuple[Any, ...]: ...

ThresholdV2: _ThresholdV2
