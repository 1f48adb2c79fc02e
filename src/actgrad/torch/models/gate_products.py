"""Products of an activation and its factor, by our functions. None if no function of ours computes a call."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import torch

from ...base.errors import ActgradError
from .. import functions

#: GELU's names in `trials.activations`, by the argument `approximate`.
GELU_FORMS = {"none": "gelu", "tanh": "gelu_tanh"}
#: Errors that actgrad's call may raise although PyTorch's call would not. Then PyTorch computes the call.
REFUSALS = (ActgradError, TypeError, RuntimeError)
#: For each module, the number of calls that PyTorch computed because actgrad refused them.
fallbacks: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def fall_back(module: Any) -> None:
    """Count a call that PyTorch computes."""
    if not torch.compiler.is_compiling():
        fallbacks[module] = fallbacks.get(module, 0) + 1


def version_of(x: Any) -> int:
    """The number of writes into a tensor, or 0 if PyTorch does not count them."""
    if torch.compiler.is_compiling() or not isinstance(x, torch.Tensor) or x.is_inference():
        return 0
    return x._version


def of_two(name: str, x: Any, other: Any) -> Any:
    """activation(x) * other. None if shapes or dtypes differ, or if the tensors are not floating-point."""
    if not (isinstance(x, torch.Tensor) and isinstance(other, torch.Tensor)):
        return None
    if x.shape != other.shape or x.dtype != other.dtype or not x.is_floating_point():
        return None
    if name == "silu":
        return functions.swiglu_two(other, x)
    if name == "relu":  # no kernel computes both the product and the NaN of PyTorch
        return functions.relu(x) * other
    return functions.geglu_two(other, x, "tanh" if name == "gelu_tanh" else "none")
