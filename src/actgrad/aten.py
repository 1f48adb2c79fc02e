"""The operators of PyTorch (aten) that compute the same as operators of actgrad.

The conformance suite compares results with them. Exported graphs contain them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from .calls.operator import Operator
from .ops.selu import ALPHA, SCALE

Array = np.ndarray[Any, np.dtype[Any]]


def results(torch: Any, operator: Operator, inputs: tuple[Any, ...], attributes: dict[str, Any]) -> tuple[Array, ...]:
    """PyTorch's results for a call on NumPy arrays. Raises KeyError if PyTorch has no such operator."""
    counterpart = ATEN[operator.name]
    arrays = [to_torch(torch, array) for array in inputs if array is not None]
    outputs = counterpart(torch.ops.aten, attributes, *arrays)
    return tuple(from_torch(torch, result) for result in (outputs if isinstance(outputs, tuple) else (outputs,)))


def to_torch(torch: Any, array: Array) -> Any:
    """A tensor with the array's memory."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_torch(torch: Any, tensor: Any) -> Array:
    """An array with the tensor's memory. For bfloat16, it has the dtype of ml_dtypes."""
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
        return np.asarray(tensor.numpy()).view(ml_dtypes.bfloat16)
    return np.asarray(tensor.numpy())


def _halves(a: dict[str, Any], packed: Any) -> tuple[Any, Any]:
    """The active half and the other half."""
    left, right = packed.chunk(2, a["dim"])
    return (left, right) if a["activate_left"] else (right, left)


def _aten_geglu(ops: Any, a: dict[str, Any], packed: Any) -> tuple[Any, Any]:
    active, other = _halves(a, packed)
    activated = ops.gelu(active, approximate=a["approximate"])
    return activated * other, activated


def _aten_geglu_backward(ops: Any, a: dict[str, Any], grad_output: Any, packed: Any, activated: Any = None) -> Any:
    active, other = _halves(a, packed)
    activated = ops.gelu(active, approximate=a["approximate"]) if activated is None else activated
    parts = [ops.gelu_backward(grad_output * other, active, approximate=a["approximate"]), grad_output * activated]
    return ops.cat(parts if a["activate_left"] else parts[::-1], a["dim"])


def _aten_geglu_two_backward(ops: Any, a: dict[str, Any], grad_output: Any, other: Any, active: Any) -> Any:
    activated = ops.gelu(active, approximate=a["approximate"])
    return grad_output * activated, ops.gelu_backward(grad_output * other, active, approximate=a["approximate"])


def _unscaled(a: dict[str, Any], x: Any) -> Any:
    """6 * (alpha * x + beta - 1/2), because aten's hardsigmoid has no attributes and computes clamp(y / 6 + 1/2)."""
    return 6 * a["alpha"] * x + 6 * (a["beta"] - 0.5)


def _aten_swiglu_backward(ops: Any, a: dict[str, Any], grad_output: Any, packed: Any) -> Any:
    active, other = packed.chunk(2, a["dim"])
    return ops.cat([ops.silu_backward(grad_output * other, active), grad_output * ops.silu(active)], a["dim"])


def _of_same_name(name: str) -> Callable[..., Any]:
    return lambda ops, a, *tensors: getattr(ops, name)(*tensors, **a)


#: Operators that have the same name and the same attributes in PyTorch.
SAME = """
elu selu leaky_relu leaky_relu_backward gelu gelu_backward sigmoid tanh tanh_backward silu silu_backward relu
threshold threshold_backward hardtanh hardtanh_backward hardswish prelu softmax log_softmax celu erfinv glu
glu_backward hardshrink hardshrink_backward mish mish_backward relu6 softplus softplus_backward softshrink
softshrink_backward
"""

#: Operator -> a function of torch.ops.aten, the attributes and the tensors that returns PyTorch's results.
ATEN: dict[str, Callable[..., Any]] = {
    **{name: _of_same_name(name) for name in SAME.split()},
    "elu_backward": lambda ops, a, g, x: ops.elu_backward(
        g, a["alpha"], a["scale"], a["input_scale"], a["is_result"], x
    ),
    "selu_backward": lambda ops, a, g, y: ops.elu_backward(g, ALPHA, SCALE, 1.0, True, y),
    "geglu": _aten_geglu,
    "geglu_packed": lambda ops, a, packed: _aten_geglu(ops, a, packed)[0],
    "geglu_backward": _aten_geglu_backward,
    "geglu_two": lambda ops, a, x, gate: x * ops.gelu(gate, approximate=a["approximate"]),
    "geglu_two_backward": _aten_geglu_two_backward,
    "sigmoid_backward": lambda ops, a, g, y: ops.sigmoid_backward(g, y),
    "swish": lambda ops, a, x: x * ops.sigmoid(a["beta"] * x),
    "swish_backward": lambda ops, a, g, x: ops.silu_backward(g, a["beta"] * x),
    "swiglu": lambda ops, a, packed: ops.silu(packed.chunk(2, a["dim"])[0]) * packed.chunk(2, a["dim"])[1],
    "swiglu_backward": _aten_swiglu_backward,
    "swiglu_two": lambda ops, a, x, gate: x * ops.silu(gate),
    "swiglu_two_backward": lambda ops, a, g, x, gate: (g * ops.silu(gate), ops.silu_backward(g * x, gate)),
    "relu_backward": lambda ops, a, g, y: ops.threshold_backward(g, y, 0),
    "add_relu": lambda ops, a, x, y: ops.relu(ops.add(x, y, alpha=a["alpha"])),
    "hardsigmoid": lambda ops, a, x: ops.hardsigmoid(_unscaled(a, x)),
    "hardsigmoid_backward": lambda ops, a, g, x: ops.hardsigmoid_backward(6 * a["alpha"] * g, _unscaled(a, x)),
    "hardswish_backward": lambda ops, a, g, x: ops.hardswish_backward(g, x),
    "softmax_backward": lambda ops, a, g, y: ops._softmax_backward_data(g, y, a["dim"], y.dtype),
    "log_softmax_backward": lambda ops, a, g, y: ops._log_softmax_backward_data(g, y, a["dim"], y.dtype),
    "celu_backward": lambda ops, a, g, x: ops.elu_backward(g, a["alpha"], 1.0, 1.0 / a["alpha"], False, x),
    "logsigmoid": lambda ops, a, x: ops.log_sigmoid(x),
    "logsigmoid_backward": lambda ops, a, g, x: ops.log_sigmoid_backward(g, x, ops.log_sigmoid_forward(x)[1]),
    "relu6_backward": lambda ops, a, g, y: ops.hardtanh_backward(g, y, 0.0, 6.0),
}

#: Gradients that have the same bits in PyTorch's operator on a CPU. PyTorch's node for second derivatives is faster.
SAME_BITS = ("leaky_relu_backward",)

#: Operator -> type of device -> the dtype to which torch.autocast converts tensors of PyTorch's operator. "" means the
#: dtype of the autocast context.
AUTOCAST: dict[str, dict[str, str]] = {
    "prelu": {"cpu": "", "cuda": ""},
    **{name: {"cuda": "float32"} for name in ("softmax", "log_softmax", "softplus", "erfinv")},
}
