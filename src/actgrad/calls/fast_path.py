"""The fast path: if a call is like an earlier call that passed all checks, its kernel runs at once.

`_fastcall.c` is the fast path in C. Without the extension, `PythonFastPath` does the same in Python.
"""

from __future__ import annotations

import functools
import struct
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import arrays, backends
from ..arrays import ArrayView, interception
from ..backends.kernel import BackendKernel
from ..checks import law
from . import aliasing, dynamo, extension
from .arguments import Inputs
from .call_cache import attribute_key
from .plan import Prepared


class CachedCall(NamedTuple):
    """A call that passed all checks. The C extension reads these fields by position, so their order must not change."""

    names: tuple[str, ...]  # the names of the attributes that the caller passes, in the caller's order
    values: tuple[Any, ...]  # the values of the same attributes
    layouts: bytes  # `aliasing.ByteRange` of outputs, then inputs, as integers of 64 bits
    packed: bytes | None  # see plan.packed_kernel
    #: For each output a function that allocates it, and the index of the input that the function takes, or -1.
    allocate: tuple[tuple[Callable[..., Any], int], ...] | None
    note_written: Callable[[Any], None] | None  # a function of the tuple of outputs that a caller passes
    kernel: BackendKernel


def cached_call(
    attributes: dict[str, Any], inputs: Inputs, outputs: Sequence[ArrayView], prepared: Prepared, is_fresh: bool
) -> CachedCall | None:
    """The entry of the fast path's cache for this call, or None if such calls have no fast path."""
    kind = outputs[0].kind
    if kind not in ("numpy", "torch") or outputs[0].device != "cpu" or prepared.kernel.machine_code is None:
        return None
    layouts = [word for layout in prepared.layouts for word in layout]
    return CachedCall(
        tuple(attributes),
        tuple(attributes.values()),
        struct.pack(f"<{len(layouts)}q", *layouts),
        prepared.packed,
        tuple([_allocator(view, inputs) for view in outputs]) if is_fresh else None,
        arrays.note_written(kind),
        prepared.kernel,
    )


def _allocator(result: ArrayView, inputs: Inputs) -> tuple[Any, int]:
    """A function that allocates an output like this one, and the index of the input that the function takes, or -1."""
    for number, view in enumerate(inputs):
        if view is not None and view.meta == result.meta:
            return arrays.empty_like(result), number
    return functools.partial(arrays.fresh, result.kind, result.meta, result.device), -1


class PythonFastPath:
    """The fast path in Python: a callable. A call that is not in its cache takes the method `_slow_path`."""

    _entries: dict[Any, tuple[CachedCall, tuple[tuple[int, int, int], ...], int]]
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
        """Cache a call and return the number of cached calls, or 0 if such a call has no fast path."""
        tensors = arguments[: len(arguments) - len(call.names)]
        description = _describe((*outputs, *tensors), len(outputs))
        if description is None or not all(type(value) in (int, bool, str, float) for value in call.values):
            return 0
        words = struct.unpack(f"<{len(call.layouts) // 8}q", call.layouts)
        entry = call, tuple(zip(words[::3], words[1::3], words[2::3], strict=True)), len(outputs)
        attributes = _keys(dict(zip(call.names, call.values, strict=True)))
        self._entries[len(outputs), description[0], attributes] = entry
        if call.allocate is not None:
            self._entries[0, description[0][len(outputs) :], attributes] = entry
        return len(self._entries)

    @dynamo.skip_tracing
    def __call__(self, /, *tensors: Any, out: Any = None, **attributes: Any) -> Any:
        result = self._try(tensors, out, attributes) if tensors and self._entries else None
        return self._slow_path(*tensors, out=out, **attributes) if result is None else result

    def direct(self, /, *tensors: Any, **attributes: Any) -> Any:
        """The result of a call on tensors that need no dispatcher of PyTorch, or None.

        The same method of the extension returns NotImplemented if only the autograd graph must see the call.
        """
        return None if _describe_torch(tensors, 0) is None else self(*tensors, **attributes)

    def _try(self, tensors: tuple[Any, ...], out: Any, attributes: dict[str, Any]) -> Any:
        """The result of a call that is like a cached call, or None if the call must take the slow path."""
        if law.in_force.get() is not None or not (backends.torch_is_adopted or "torch" not in sys.modules):
            return None
        outputs = () if out is None else out if type(out) is tuple else (out,)
        described = _describe((*outputs, *tensors), len(outputs))
        if described is None or (out is not None and not outputs):
            return None
        try:
            entry = self._entries.get((len(outputs), described[0], _keys(attributes)))
        except TypeError:  # an attribute without a hash is not a number. The slow path raises the error
            return None
        if entry is None:
            return None
        (call, layouts, results), addresses = entry, described[1]
        if out is None:
            return _compute_fresh(call, tensors, addresses)
        if (type(out) is tuple) is (results == 1) or not aliasing.may_write(addresses, layouts, results):
            return None
        call.kernel.run(*addresses)
        if call.note_written is not None:
            call.note_written(outputs)
        return out


def _compute_fresh(call: CachedCall, tensors: tuple[Any, ...], addresses: list[int]) -> Any:
    """The results of a call that allocates its outputs, or None if the call must take the slow path."""
    assert call.allocate is not None
    try:
        results = tuple([function() if like < 0 else function(tensors[like]) for function, like in call.allocate])
    except Exception:  # the slow path raises the error
        return None
    described = _describe(results, len(results))
    if described is None:
        return None
    call.kernel.run(*described[1], *addresses)
    return results if len(results) > 1 else results[0]


def _keys(attributes: dict[str, Any]) -> tuple[Any, ...]:
    return tuple([(name, type(value), attribute_key(value)) for name, value in attributes.items()])


Description = tuple[tuple[Any, ...], list[int]]  # the key of each object, and the addresses of objects except None


def _describe(objects: tuple[Any, ...], outputs: int) -> Description | None:
    """The keys and addresses of outputs, then inputs. None if an object is not a plain array or tensor."""
    return _describe_numpy(objects, outputs) if type(objects[0]) is np.ndarray else _describe_torch(objects, outputs)


def _describe_numpy(objects: tuple[Any, ...], outputs: int) -> Description | None:
    keys: list[Any] = []
    addresses: list[int] = []
    for obj in objects:
        if obj is None:
            keys.append(None)
            continue
        if type(obj) is not np.ndarray:
            return None
        address, is_read_only = obj.__array_interface__["data"]
        if is_read_only and len(addresses) < outputs:
            return None
        keys.append((obj.dtype, obj.shape, obj.strides))
        addresses.append(address)
    return tuple(keys), addresses


def _describe_torch(objects: tuple[Any, ...], outputs: int) -> Description | None:
    torch = sys.modules.get("torch")
    if torch is None or interception.interceptor() or torch.autograd.forward_ad._current_level >= 0:
        return None
    exact = torch.Tensor, torch.nn.Parameter
    keys: list[Any] = []
    addresses: list[int] = []
    try:
        for obj in objects:
            if obj is None:
                keys.append(None)
                continue
            kind = type(obj)
            if kind not in exact or not obj.is_cpu or obj.is_neg() or obj.is_conj():
                return None
            if obj.requires_grad and (len(keys) < outputs or torch.is_grad_enabled()):
                return None
            if len(keys) < outputs and arrays.is_locked(obj):
                return None
            address = obj.data_ptr()
            if not address:
                return None
            keys.append((kind, obj.dtype, obj.shape, obj.stride()))
            addresses.append(address)
    except RuntimeError:  # a tensor inside a transform of torch.func, or a tensor without strides
        return None
    return tuple(keys), addresses


if TYPE_CHECKING:
    FastPath = PythonFastPath
else:
    FastPath = PythonFastPath if extension.native is None else extension.native.FastPath
