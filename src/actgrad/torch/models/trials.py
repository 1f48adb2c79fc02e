"""Trials: a module's own method and our function compute the same values and gradients, or the reason why not.

A trial confirms a swap that a table or the caller proposes. It alone proves nothing, because it sees few numbers. It
works on copies of parameters and buffers, and leaves the model, its gradients and the random state as they were.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base.errors import InvalidCall
from .. import sharding

Compute = Callable[..., Any]
#: Tolerances by dtype: roundings of constants and of a few operations.
_TOLERANCES = {torch.float64: 1e-6, torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}


class Declined(Exception):
    """A module is not swapped. The text is the reason."""


class Trial(NamedTuple):
    """What a trial found out: bytes that the forward pass saves for each element of the input, before and after."""

    before: float
    after: float


def is_sharded_class(kind: type) -> bool:
    """Whether fully_shard made a class."""
    return any(each.__name__ == "FSDPModule" for each in kind.__mro__)


@contextmanager
def preserved(model: torch.nn.Module, copies_parameters: bool) -> Iterator[None]:
    """A context that restores a model at its end: attributes, buffers, gradients, and the states of random numbers.

    Inside, the modules hold copies of their buffers, also in lists and dicts. With `copies_parameters`, they hold
    copies of parameters too. Otherwise parameters are the same, without gradients. Attributes of other classes, and
    writes into parameters that are not copied, are not restored.
    """
    if not copies_parameters and any(map(is_sharded_class, map(type, model.modules()))):
        raise InvalidCall(
            "actgrad.torch: the model is sharded by fully_shard; a forward pass on trial needs the whole parameters; "
            "run it before fully_shard, or leave inputs out"
        )
    copied: dict[int, Any] = {}

    def copy_of(tensor: torch.Tensor) -> Any:
        if id(tensor) not in copied:
            copy: Any = tensor.detach().clone()
            if isinstance(tensor, torch.nn.Parameter):
                copy = torch.nn.Parameter(copy, tensor.requires_grad)
            copied[id(tensor)] = copy
        return copied[id(tensor)]

    modules = list(model.modules())
    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    kept = {id(parameter) for parameter, _ in gradients}
    flags = [(parameter, parameter.requires_grad) for parameter in model.parameters()]
    parameters = {id(vars(module)["_parameters"]) for module in modules}
    containers = _containers([vars(module) for module in modules])
    restores = [_restore_of(each) for each in containers]
    restores += [restore for each in containers for restore in map(_generator, _values(each)) if restore]
    scripted = [module for module in modules if isinstance(module, torch.jit.ScriptModule)]  # their buffers stay
    buffers = [(buffer, buffer.detach().clone()) for module in scripted for buffer in module.buffers(recurse=False)]
    numbers = random.getstate(), np.random.get_state()  # noqa: NPY002  models use the global state
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
    with torch.random.fork_rng(devices), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for place in containers:
                if isinstance(place, (dict, list, deque)) and (copies_parameters or id(place) not in parameters):
                    for name, value in list(place.items() if isinstance(place, dict) else enumerate(place)):
                        if isinstance(value, torch.Tensor) and (copies_parameters or id(value) not in kept):
                            place[name] = copy_of(value)
            for parameter, _ in gradients:
                parameter.grad = None
            yield
        finally:
            for restore in restores:
                restore()
            for buffer, value in buffers:
                buffer.detach().copy_(value)
            for parameter, gradient in gradients:
                parameter.grad = gradient
            for parameter, flag in flags:
                if parameter.requires_grad != flag:  # parameters made in inference mode refuse the call
                    parameter.requires_grad_(flag)
            random.setstate(numbers[0])
            np.random.set_state(numbers[1])  # noqa: NPY002


#: Classes whose content can be replaced. A subclass may forbid it.
_CONTAINERS = (dict, OrderedDict, defaultdict, Counter, list, set, deque)


def _containers(roots: Sequence[Any]) -> list[Any]:
    """The containers, and all that they hold."""
    found = {id(each): each for each in roots}
    queue = list(roots)
    while queue:
        for value in _values(queue.pop()):
            if type(value) in _CONTAINERS and id(value) not in found:
                found[id(value)] = value
                queue.append(value)
    return list(found.values())


def _values(container: Any) -> list[Any]:
    return list(container.values() if isinstance(container, dict) else container)


def _restore_of(container: Any) -> Callable[[], None]:
    """What gives a container its present content back."""
    content = dict(container) if isinstance(container, dict) else list(container)

    def restore() -> None:
        container.clear()
        (container.extend if isinstance(container, (list, deque)) else container.update)(content)

    return restore


def _generator(value: Any) -> Callable[[], None] | None:
    """What gives a generator of random numbers its present state back. None for any other value."""
    if isinstance(value, torch.Generator):
        return partial(value.set_state, value.get_state())
    if isinstance(value, np.random.Generator):
        return partial(setattr, value.bit_generator, "state", value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return partial(value.set_state, value.get_state())
    if isinstance(value, random.Random):
        return partial(value.setstate, value.getstate())
    return None


def confirm(module: torch.nn.Module, theirs: Compute, ours: Compute, inputs: Sequence[torch.Tensor]) -> Trial:
    """Compare two methods of a module. Raises Declined, with the reason, if they differ."""
    if any(parameter.is_meta for parameter in module.parameters()):
        raise Declined("its parameters have no memory; load them first")
    if any(map(sharding.is_sharded, module.parameters())):
        raise Declined("its parameters are distributed over processes; convert the model before it is sharded")
    with (
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.autograd.set_detect_anomaly(False),
        torch.autocast("cpu", enabled=False),
        torch.autocast("cuda", enabled=False),
        preserved(module, copies_parameters=True),
    ):
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        for x in inputs:
            expected = _results(theirs, x, parameters, "its own forward")
            found = _results(ours, x, parameters, "actgrad's function")
            _require_same(x, expected, found)
        own = {parameter.untyped_storage().data_ptr() for parameter in module.parameters()}
        return Trial(_saved(theirs, inputs[0], own), _saved(ours, inputs[0], own))


def _results(compute: Compute, x: torch.Tensor, parameters: list[Any], who: str) -> list[torch.Tensor]:
    """The value of a call, and the gradients of its input and of the parameters."""
    torch.manual_seed(0)
    x = x.clone(memory_format=torch.preserve_format).requires_grad_()
    given = x * 1.0  # no leaf, because the method may overwrite it
    version = given._version
    try:
        y = compute(given)
        if not isinstance(y, torch.Tensor):
            raise Declined(f"{who} returns a {type(y).__name__} and no tensor")
        if not y.requires_grad:
            raise Declined(f"{who} returns a tensor without a gradient")
        written = given._version != version
        weights = torch.linspace(0.5, 1.5, y.numel(), dtype=torch.float64, device=y.device).reshape(y.shape).to(y.dtype)
        gradients = torch.autograd.grad(y, [x, *parameters], weights, allow_unused=True)
    except Declined:
        raise
    except Exception as fault:
        raise Declined(f"{who} cannot be tried: {type(fault).__name__}: {str(fault).partition(chr(10))[0]}") from fault
    zeros = [torch.zeros_like(t) for t in (x, *parameters)]
    filled = [zero if gradient is None else gradient for gradient, zero in zip(gradients, zeros, strict=True)]
    return [y.detach(), *filled, torch.tensor(float(written))]


def _require_same(x: torch.Tensor, expected: list[torch.Tensor], found: list[torch.Tensor]) -> None:
    if not torch.equal(expected[-1], found[-1]):
        raise Declined("one of them overwrites its input, and the other does not")
    y, own = expected[0], found[0]
    if (y.dtype, y.shape) != (own.dtype, own.shape):
        raise Declined(f"its result is {y.dtype} {[*y.shape]}, and actgrad's {own.dtype} {[*own.shape]}")
    if y.stride() != own.stride():
        raise Declined(f"its result has the strides {y.stride()}, and actgrad's {own.stride()}")
    tolerance = _TOLERANCES.get(x.dtype, 1e-6)
    for name, one, other in zip(("value", *["gradient"] * (len(expected) - 2)), expected, found, strict=False):
        scale = max(1.0, float(one.abs().nan_to_num(0, 0, 0).max()) if one.numel() else 1.0)
        wrong = ~torch.isclose(one, other, tolerance, tolerance * (1 if name == "value" else scale), equal_nan=True)
        if wrong.any():
            place = f" at {x[wrong].flatten()[0].item():g}" if one.shape == x.shape else ""
            raise Declined(f"its {name}{place} differs from actgrad's")


def _saved(compute: Compute, x: torch.Tensor, parameters: set[int]) -> float:
    """The bytes that a forward pass saves for each element of the input, without parameters and without its result.

    The next layer saves the result anyway.
    """
    found: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            found[storage.data_ptr()] = storage.nbytes()
        return tensor

    given = x.clone().requires_grad_() * 1.0
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = compute(given)
    found.pop(y.untyped_storage().data_ptr(), None)
    return sum(found.values()) / given.numel()


def points_for(module: torch.nn.Module) -> list[torch.Tensor]:
    """Inputs on which an activation is tried: ordinary and large numbers, in dtypes and layouts."""
    parameter = next(module.parameters(), None)
    device = torch.device("cpu") if parameter is None else parameter.device
    channels = 2 if parameter is None or parameter.numel() == 1 else parameter.numel()
    numbers = torch.cat([torch.linspace(-9.7, 9.7, 59), torch.tensor([0.0, -97.0, -31.0, 31.0, 97.0, 1000.0])])
    count = 2 * channels * 4 * 8
    x = numbers.repeat(-(-count // len(numbers)))[:count].view(2, channels, 4, 8).to(device)
    dtypes = (torch.float32, torch.bfloat16) if parameter is None else (parameter.dtype,)
    return [each.to(dtype) for dtype in dtypes for each in (x, x.transpose(1, 3).contiguous().transpose(1, 3))]
