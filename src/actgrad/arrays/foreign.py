"""Arrays of other libraries, as they describe themselves: by DLPack, or by CUDA's array interface.

If such an object's own code raises, or if its description is impossible, the call raises an InvalidCall. A description
that could be true is trusted. `from_dlpack` of NumPy and PyTorch would not do: NumPy crashes on a null pointer for the
shape, lets strides overflow, has no bfloat16, and makes results of producers from before DLPack 1.0 read-only. PyTorch
writes to read-only memory.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from ..base.dtypes import BY_NAME
from ..base.errors import (
    ActgradError,
    BackendUnavailable,
    InvalidCall,
    InvalidDtype,
    either,
    kind_of,
    quantity,
    quote,
)
from ..base.loop import TensorMeta, extent, row_major
from . import KNOWN_DTYPE, check_rank, numpy_dtype

_ADDRESSES = 1 << 63
_REPAIR = "repair what its library exports, or pass a NumPy copy"


class Memory(NamedTuple):
    """The address and the layout of an array. `owner` keeps the memory alive."""

    meta: TensorMeta
    address: int
    device: str
    writable: bool
    owner: Any


def memory(obj: Any, operator: str, argument: str) -> Memory | None:
    """The memory of an array, or None if the object describes no memory. Errors name `operator` and `argument`."""
    if isinstance(obj, type):  # a class has the methods of its arrays, but no array
        return None
    about = f"{operator}: {argument}"
    for name, read in (("__dlpack__", _by_dlpack), ("__cuda_array_interface__", _by_cuda)):
        try:
            described = getattr(obj, name, None)
        except Exception as error:  # a property may raise anything
            fault = f"{about} ({type(obj).__name__}) raises {_cause(error)} for {name}"
            raise InvalidCall(f"{fault}; it must give its memory; pass numpy.asarray of it") from error
        if described is not None:
            return _checked(read(obj, described, operator, argument), about)
    return None


def _cause(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _checked(memory: Memory, about: str) -> Memory:
    """The memory, if its description is possible."""
    (_, shape, strides), address = memory.meta, memory.address
    if any(size < 0 for size in shape):
        raise InvalidCall(f"{about} has shape {shape}; sizes must be 0 or more; {_REPAIR}")
    low, high = extent(memory.meta)
    if high > low and not (address > 0 and address + low >= 0 and address + high <= _ADDRESSES):
        layout = f"shape {shape}, strides {strides} bytes, at address {address}"
        raise InvalidCall(f"{about} has {layout}; its elements must lie in memory; {_REPAIR}")
    return memory


# DLPack, https://dmlc.github.io/dlpack/latest/: the structs that a capsule points to.


class _Device(ctypes.Structure):
    _fields_ = (("type", c_int32), ("index", c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", c_void_p), ("device", _Device), ("ndim", c_int32), ("dtype", _DataType),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
    )  # fmt: skip


class _VersionedTensor(ctypes.Structure):
    _fields_ = (
        ("major", c_uint32), ("minor", c_uint32), ("manager", c_void_p), ("deleter", c_void_p),
        ("flags", c_uint64), ("tensor", _Tensor),
    )  # fmt: skip


_READ_ONLY = 1
_DEVICES = {1: "cpu", 2: "cuda", 3: "cpu", 10: "rocm", 11: "cpu", 13: "cuda"}  # 3, 11: host memory pinned for a GPU
_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}
_BOOL = 6


def _by_dlpack(obj: Any, export: Callable[..., Any], operator: str, argument: str) -> Memory:
    about = f"{operator}: {argument}"
    try:
        try:
            capsule = export(max_version=(1, 0), **_consumer(obj))
        except TypeError as error:  # the producer is from before version 1.0
            if isinstance(error, ActgradError):  # it comes from our own call inside
                raise
            capsule = export()
    except RecursionError:
        raise
    except Exception as error:  # if a producer raises anything, it has no tensor to pass
        fault = f"{about} ({type(obj).__name__}) raises {_cause(error)} from __dlpack__"
        raise InvalidCall(f"{fault}; it must export a tensor; {_REPAIR}") from error
    tensor, writable = _tensor_of(capsule, f"{about} ({type(obj).__name__})")
    code, bits, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
    dtype = BY_NAME.get("bool" if code == _BOOL else f"{_CODES.get(code)}{bits}")
    if dtype is None or lanes != 1:
        fault = f"{about} has DLPack type code {code} with {quantity(bits, 'bit')} and {quantity(lanes, 'lane')}"
        raise InvalidDtype(f"{fault}; it must be {KNOWN_DTYPE}; convert {argument}")
    rank = tensor.ndim
    check_rank(rank, operator, argument)
    if rank < 0 or (rank and not tensor.shape):
        fault = f"{about} has {rank} dimensions" + (" and no shape" if rank > 0 else "")
        raise InvalidCall(f"{fault}; it must have a size for each dimension; {_REPAIR}")
    shape, device = tuple(tensor.shape[:rank]), _DEVICES.get(tensor.device.type)
    strides = row_major(shape, dtype.itemsize)  # a null pointer means contiguous
    if tensor.strides:
        strides = tuple(s * dtype.itemsize for s in tensor.strides[:rank])
    if device is None:
        devices = either(dict.fromkeys(_DEVICES.values()))
        fault = f"{about} is on a device of DLPack type {tensor.device.type}"
        raise BackendUnavailable(f"{fault}; it must be on {devices}; move {argument} to the CPU")
    device += "" if device == "cpu" else f":{tensor.device.index}"
    # The owner is the capsule. It is never consumed, and frees the tensor when it dies.
    return Memory(TensorMeta(dtype, shape, strides), (tensor.data or 0) + tensor.byte_offset, device, writable, capsule)


def _tensor_of(capsule: Any, about: str) -> tuple[_Tensor, bool]:
    """The tensor that a capsule points to, and whether it may be written to."""
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    try:
        name = get_name(capsule)
    except ValueError:  # not a capsule
        fault = f"{about}: __dlpack__ returned {kind_of(capsule)}"
        raise InvalidCall(f"{fault}; it must return a DLPack capsule; {_REPAIR}") from None
    if name not in (b"dltensor", b"dltensor_versioned"):
        label = "without a name" if name is None else f"named {name.decode(errors='replace')!r}"
        fault = f"{about}: __dlpack__ returned a capsule {label}"
        raise InvalidCall(f"{fault}; it must be a new capsule named 'dltensor'; {_REPAIR}")
    pointer = get_pointer(capsule, name)
    if name == b"dltensor":
        return _Tensor.from_address(pointer), True
    versioned = _VersionedTensor.from_address(pointer)
    if versioned.major != 1:
        fault = f"{about} exports DLPack version {versioned.major}"
        raise InvalidCall(f"{fault}; actgrad reads versions 0 and 1; {_REPAIR}")
    return versioned.tensor, not versioned.flags & _READ_ONLY


def _consumer(obj: Any) -> dict[str, int]:
    """The keyword arguments for a producer. On a GPU, the stream that must wait for its work. Elsewhere, nothing."""
    torch = sys.modules.get("torch")
    kind, number = obj.__dlpack_device__() if torch is not None and hasattr(obj, "__dlpack_device__") else (1, 0)
    if _DEVICES.get(kind, "cpu") == "cpu":
        return {}
    stream = int(torch.cuda.current_stream(number).cuda_stream)  # type: ignore[union-attr]
    return {"stream": stream or (1 if kind == 2 else 0)}  # DLPack calls CUDA's default stream 1


# CUDA's array interface, https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html, versions 2 and 3.


def _by_cuda(obj: Any, interface: Any, operator: str, argument: str) -> Memory:
    about = f"{operator}: {argument}"
    if not isinstance(interface, dict):
        fault = f"{about}: __cuda_array_interface__ is {quote(interface)}"
        raise InvalidCall(f"{fault}; it must be a dictionary; {_REPAIR}")
    fields: list[Any] = [interface.get(name) for name in ("typestr", "shape", "strides", "data", "stream")]
    text, shape, strides, data, stream = fields
    rank = len(shape) if _is_integers(shape) else 0
    for name, is_right, must in (
        ("typestr", isinstance(text, str), "a string such as '<f4'"),
        ("shape", _is_integers(shape), "a tuple of integers"),
        ("strides", strides is None or _is_integers(strides, rank), f"None or a tuple of {rank} integers"),
        ("data", _is_integers(data, 2), "a tuple of an address and whether it is read-only"),
        ("stream", stream is None or _is_integers([stream]), "an integer or None"),
    ):
        if not is_right:
            fault = f"__cuda_array_interface__[{name!r}] is {quote(interface.get(name))}; it must be {must}"
            raise InvalidCall(f"{about}: {fault}; {_REPAIR}")
    if interface.get("mask") is not None:
        raise InvalidCall(f"{about} is a masked array; it must have no mask; fill the masked elements")
    try:
        dtype = numpy_dtype(np.dtype(text), operator, argument)
    except (TypeError, ValueError, SyntaxError) as error:  # NumPy raises any of these for a text that names no type
        if isinstance(error, InvalidDtype):
            raise
        fault = f"{about}: __cuda_array_interface__['typestr'] is {quote(text)}"
        raise InvalidDtype(f"{fault}; it must be a data type such as '<f4'; {_REPAIR}") from error
    check_rank(rank, operator, argument)
    sizes = tuple(map(int, shape))
    steps = row_major(sizes, dtype.itemsize) if strides is None else tuple(map(int, strides))
    return Memory(TensorMeta(dtype, sizes, steps), int(data[0]), f"cuda:{_current_device(stream)}", not data[1], obj)


def _is_integers(value: Any, count: int | None = None) -> bool:
    is_right = isinstance(value, (tuple, list)) and count in (None, len(value))
    return is_right and all(isinstance(item, (int, np.integer, np.bool_)) for item in value)


def _current_device(stream: int | None) -> int:
    """The GPU of an array, because its interface names none.

    Work on `stream` finishes before the current stream continues.
    """
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return 0
    device: int = torch.cuda.current_device()
    if stream:
        torch.cuda.current_stream().wait_stream(torch.cuda.ExternalStream(stream))
    return device
