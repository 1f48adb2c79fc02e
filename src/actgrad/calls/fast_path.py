"""The fast path: a call like one that passed all checks goes straight to its kernel.

`_fastcall.c` is the fast path where the extension is there. Without it, `PythonFastPath` does the same in Python.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import backends
from ..arrays import interception
from ..backends.kernel import Kernel
from ..base import products
from . import aliasing, dynamo, extension
from .call_cache import attribute_key


class CachedCall(NamedTuple):
    """A call that passed all checks. The extension knows the order of these fields."""

    names: tuple[str, ...]  # of the attributes given, in the caller's order
    values: tuple[Any, ...]  # of the same attributes
    layouts: bytes  # of outputs, then inputs: first byte and end, and bits of the tensors that an output may be
    packed: bytes | None  # see Prepared.packed
    allocate: tuple[tuple[Callable[..., Any], int], ...] | None  # functions, each with the tensor that it takes or -1
    note_written: Callable[[Any], None] | None  # takes a tuple of outputs that a caller gave
    kernel: Kernel


class PythonFastPath:
    """The fast path without the extension: a callable that falls back to its method `_slow_path`."""

    _entries: dict[Any, tuple[CachedCall, tuple[tuple[int, int, int], ...]]]
    _slow_path: Callable[..., Any]

    def __new__(cls, *_: Any, **__: Any) -> Any:
        self = super().__new__(cls)
        self._entries = {}
        return self

    @property
    def _cached(self) -> int:
        return len(self._entries)

    def _forget(self) -> None:
        self._entries = {}

    def _remember(self, arguments: tuple[Any, ...], outputs: tuple[Any, ...], call: CachedCall) -> int:
        """Keep a call; the number of calls that are kept, 0 where such a call has no fast path."""
        names, tensors = call.names, arguments[: len(arguments) - len(call.names)]
        described = _described(tensors, outputs)
        if described is None:
            return 0
        (inputs, results), _ = described
        words = struct.unpack(f"<{len(call.layouts) // 8}q", call.layouts)
        entry = call, tuple(zip(words[::3], words[1::3], words[2::3], strict=True))
        attributes = _attributes(dict(zip(names, call.values, strict=True)))
        self._entries[inputs, attributes, results] = entry
        if call.allocate is not None:
            self._entries[inputs, attributes, ()] = entry
        return len(self._entries)

    @dynamo.left_alone
    def __call__(self, /, *tensors: Any, **given: Any) -> Any:
        result = self._try(tensors, given) if tensors and self._entries else None
        return self._slow_path(*tensors, **given) if result is None else result

    def _try(self, tensors: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """The result of a call that is like a cached one, None for the slow path."""
        if products.selected.get() is not None or not (backends.torch_is_adopted or "torch" not in sys.modules):
            return None
        attributes = given.copy()
        out = attributes.pop("out", None)
        outputs = () if out is None else out if type(out) is tuple else (out,)
        described = _described(tensors, outputs)
        if described is None:
            return None
        (inputs, results), addresses = described
        found = self._entries.get((inputs, _attributes(attributes), results))
        if found is None:
            return None
        call, layouts = found
        is_one = len(layouts) - sum(tensor is not None for tensor in tensors) == 1
        if out is None:
            return self._allocate(call, tensors, addresses, is_one)
        if is_one is (type(out) is tuple) or not aliasing.may_write(addresses, layouts, len(outputs)):
            return None
        call.kernel.run(*addresses)
        if call.note_written is not None:
            call.note_written(outputs)
        return out

    def _allocate(self, call: CachedCall, tensors: tuple[Any, ...], addresses: list[int], is_one: bool) -> Any:
        """Compute into fresh results."""
        assert call.allocate is not None
        results = tuple(function(*([] if like < 0 else [tensors[like]])) for function, like in call.allocate)
        described = _described((), results)
        if described is None:
            return None
        call.kernel.run(*described[1], *addresses)
        return results[0] if is_one else results


def _attributes(given: dict[str, Any]) -> tuple[Any, ...]:
    return tuple([(name, attribute_key(value)) for name, value in given.items()]) if given else ()


def _described(inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], list[int]] | None:
    """Keys of the inputs and of the outputs, and the addresses of outputs, then inputs.

    None where an object is of no known kind or not plain, or while PyTorch may intercept the call.
    """
    objects = (*outputs, *inputs)
    describe = _numpy_key if type(objects[0]) is np.ndarray else _torch_key
    if describe is _torch_key and (
        interception.interceptor() or sys.modules["torch"].autograd.forward_ad._current_level >= 0
    ):
        return None
    keys: list[Any] = []
    addresses: list[int] = []
    for number, obj in enumerate(objects):
        if obj is None and number >= len(outputs):
            keys.append(None)
            continue
        found = describe(obj, number < len(outputs))
        if found is None:
            return None
        keys.append(found[0])
        addresses.append(found[1])
    return (tuple(keys[len(outputs) :]), tuple(keys[: len(outputs)])), addresses


def _numpy_key(array: Any, is_output: bool) -> tuple[Any, int] | None:
    if type(array) is not np.ndarray:
        return None
    address, is_read_only = array.__array_interface__["data"]
    return None if is_output and is_read_only else ((array.dtype, array.shape, array.strides), address)


def _torch_key(tensor: Any, is_output: bool) -> tuple[Any, int] | None:
    torch = sys.modules.get("torch")
    if torch is None or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return None
    if tensor.requires_grad or not tensor.is_cpu or tensor.layout is not torch.strided or tensor.is_neg():
        return None
    try:
        address = tensor.data_ptr()
    except RuntimeError:  # a tensor seen through a transform
        return None
    return ((type(tensor), tensor.dtype, tensor.shape, tensor.stride()), address) if address else None


if TYPE_CHECKING or extension.native is None:  # noqa: SIM108  mypy knows a class, not an expression
    FastPath = PythonFastPath
else:
    FastPath = extension.native.FastPath
