"""PyTorch's own operators: the counterparts of ours, and arrays as tensors on the same memory.

The conformance suite compares with them, and exported graphs hold them.
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
    """PyTorch's results for a call on NumPy arrays; KeyError for an operator without a counterpart."""
    counterpart = ATEN[operator.name]
    arrays = [to_torch(torch, array) for array in inputs if array is not None]
    found = counterpart(torch.ops.aten, attributes, *arrays)
    return tuple(from_torch(torch, result) for result in (found if isinstance(found, tuple) else (found,)))


def to_torch(torch: Any, array: Array) -> Any:
    """A tensor on the array's memory."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_torch(torch: Any, tensor: Any) -> Array:
    """An array on the tensor's memory, bfloat16 being that of ml_dtypes."""
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
        return np.asarray(tensor.numpy()).view(ml_dtypes.bfloat16)
    return np.asarray(tensor.numpy())


def _halves(a: dict[str, Any], packed: Any) -> tuple[Any, Any]:
    """The active half and the other."""
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
    """The argument for which PyTorch's hardsigmoid, of alpha 1/6 and beta 1/2, has the value at x."""
    return 6 * a["alpha"] * x + 6 * (a["beta"] - 0.5)


def _aten_swiglu_backward(ops: Any, a: dict[str, Any], grad_output: Any, packed: Any) -> Any:
    active, other = packed.chunk(2, a["dim"])
    return ops.cat([ops.silu_backward(grad_output * other, active), grad_output * ops.silu(active)], a["dim"])


#: PyTorch's counterparts: (its operators, attributes, tensors...) -> result.
ATEN: dict[str, Callable[..., Any]] = {
    "elu": lambda ops, a, x: ops.elu(x, a["alpha"], a["scale"], a["input_scale"]),
    "elu_backward": lambda ops, a, g, x: ops.elu_backward(
        g, a["alpha"], a["scale"], a["input_scale"], a["is_result"], x
    ),
    "selu": lambda ops, a, x: ops.selu(x),
    "selu_backward": lambda ops, a, g, y: ops.elu_backward(g, ALPHA, SCALE, 1.0, True, y),
    "leaky_relu": lambda ops, a, x: ops.leaky_relu(x, a["negative_slope"]),
    "leaky_relu_backward": lambda ops, a, g, x: ops.leaky_relu_backward(g, x, a["negative_slope"], a["self_is_result"]),
    "gelu": lambda ops, a, x: ops.gelu(x, approximate=a["approximate"]),
    "gelu_backward": lambda ops, a, g, x: ops.gelu_backward(g, x, approximate=a["approximate"]),
    "geglu": _aten_geglu,
    "geglu_packed": lambda ops, a, packed: _aten_geglu(ops, a, packed)[0],
    "geglu_backward": _aten_geglu_backward,
    "geglu_two": lambda ops, a, x, gate: x * ops.gelu(gate, approximate=a["approximate"]),
    "geglu_two_backward": _aten_geglu_two_backward,
    "sigmoid": lambda ops, a, x: ops.sigmoid(x),
    "sigmoid_backward": lambda ops, a, g, y: ops.sigmoid_backward(g, y),
    "tanh": lambda ops, a, x: ops.tanh(x),
    "tanh_backward": lambda ops, a, g, y: ops.tanh_backward(g, y),
    "silu": lambda ops, a, x: ops.silu(x),
    "silu_backward": lambda ops, a, g, x: ops.silu_backward(g, x),
    "swish": lambda ops, a, x: x * ops.sigmoid(a["beta"] * x),
    "swish_backward": lambda ops, a, g, x: ops.silu_backward(g, a["beta"] * x),
    "swiglu": lambda ops, a, packed: ops.silu(packed.chunk(2, a["dim"])[0]) * packed.chunk(2, a["dim"])[1],
    "swiglu_backward": _aten_swiglu_backward,
    "swiglu_two": lambda ops, a, x, gate: x * ops.silu(gate),
    "swiglu_two_backward": lambda ops, a, g, x, gate: (g * ops.silu(gate), ops.silu_backward(g * x, gate)),
    "relu": lambda ops, a, x: ops.relu(x),
    "relu_backward": lambda ops, a, g, y: ops.threshold_backward(g, y, 0),
    "threshold": lambda ops, a, x: ops.threshold(x, a["threshold"], a["value"]),
    "threshold_backward": lambda ops, a, g, x: ops.threshold_backward(g, x, a["threshold"]),
    "add_relu": lambda ops, a, x, y: ops.relu(ops.add(x, y, alpha=a["alpha"])),
    "hardtanh": lambda ops, a, x: ops.hardtanh(x, a["min_val"], a["max_val"]),
    "hardtanh_backward": lambda ops, a, g, x: ops.hardtanh_backward(g, x, a["min_val"], a["max_val"]),
    "hardsigmoid": lambda ops, a, x: ops.hardsigmoid(_unscaled(a, x)),
    "hardsigmoid_backward": lambda ops, a, g, x: ops.hardsigmoid_backward(6 * a["alpha"] * g, _unscaled(a, x)),
    "hardswish": lambda ops, a, x: ops.hardswish(x),
    "hardswish_backward": lambda ops, a, g, x: ops.hardswish_backward(g, x),
    "prelu": lambda ops, a, x, weight: ops.prelu(x, weight),
    "softmax": lambda ops, a, x: ops.softmax(x, a["dim"]),
    "softmax_backward": lambda ops, a, g, y: ops._softmax_backward_data(g, y, a["dim"], y.dtype),
    "log_softmax": lambda ops, a, x: ops.log_softmax(x, a["dim"]),
    "log_softmax_backward": lambda ops, a, g, y: ops._log_softmax_backward_data(g, y, a["dim"], y.dtype),
    "celu": lambda ops, a, x: ops.celu(x, a["alpha"]),
    "celu_backward": lambda ops, a, g, x: ops.elu_backward(g, a["alpha"], 1.0, 1.0 / a["alpha"], False, x),
    "erfinv": lambda ops, a, x: ops.erfinv(x),
    "glu": lambda ops, a, packed: ops.glu(packed, a["dim"]),
    "glu_backward": lambda ops, a, g, packed: ops.glu_backward(g, packed, a["dim"]),
    "hardshrink": lambda ops, a, x: ops.hardshrink(x, a["lambd"]),
    "hardshrink_backward": lambda ops, a, g, x: ops.hardshrink_backward(g, x, a["lambd"]),
    "logsigmoid": lambda ops, a, x: ops.log_sigmoid(x),
    "logsigmoid_backward": lambda ops, a, g, x: ops.log_sigmoid_backward(g, x, ops.log_sigmoid_forward(x)[1]),
    "mish": lambda ops, a, x: ops.mish(x),
    "mish_backward": lambda ops, a, g, x: ops.mish_backward(g, x),
    "relu6": lambda ops, a, x: ops.relu6(x),
    "relu6_backward": lambda ops, a, g, y: ops.hardtanh_backward(g, y, 0.0, 6.0),
    "softplus": lambda ops, a, x: ops.softplus(x, a["beta"], a["threshold"]),
    "softplus_backward": lambda ops, a, g, x: ops.softplus_backward(g, x, a["beta"], a["threshold"]),
    "softshrink": lambda ops, a, x: ops.softshrink(x, a["lambd"]),
    "softshrink_backward": lambda ops, a, g, x: ops.softshrink_backward(g, x, a["lambd"]),
}
