"""Arrays of other libraries, as they describe themselves: by DLPack, or by CUDA's array interface.

Whatever such an object's own code raises, and whatever it describes that no array can be, is an InvalidCall. A
description that could be true is believed.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..base.dtypes import BY_NAME, Dtype
from ..base.errors import (
    ActgradError,
    BackendUnavailable,
    InvalidArgument,
    InvalidCall,
    InvalidDtype,
    either,
    quantity,
    shown,
)
from ..base.loop import Meta, extent, row_major

MAX_RANK = 64  # NumPy's limit
KNOWN_DTYPE = "a dtype that actgrad knows, such as float32, float16 or bfloat16"
_ADDRESSES = 1 << 63
_REPAIR = "repair what its library exports, or pass a NumPy copy"


class Memory(NamedTuple):
    """Where an array lies and how it is laid out. `owner` keeps it alive."""

    meta: Meta
    address: int
    device: str
    writable: bool
    owner: Any


def memory(obj: Any, operator: str, argument: str) -> Memory | None:
    """The memory of an array; None for an object that describes none. Errors name `operator` and `argument`."""
    about = f"{operator}: {argument}"
    for name, read in (("__dlpack__", _by_dlpack), ("__cuda_array_interface__", _by_cuda)):
        try:
            described = getattr(obj, name, None)
        except Exception as error:  # whatever a property raises
            fault = f"{about} ({type(obj).__name__}) raises {_cause(error)} for {name}"
            raise InvalidCall(f"{fault}; it must give its memory; pass numpy.asarray of it") from error
        if described is not None:
            return _checked(read(obj, described, operator, argument), about)
    return None


def check_rank(rank: int, operator: str, argument: str) -> None:
    """Raise where there are more dimensions than a tensor may have."""
    if rank > MAX_RANK:
        raise InvalidArgument(
            f"{operator}: {argument} has {rank} dimensions; it must have at most {MAX_RANK}; reshape it"
        )


def numpy_dtype(dtype: np.dtype[Any], operator: str, argument: str) -> Dtype:
    """A dtype of NumPy's as ours."""
    known = BY_NAME.get(dtype.name)
    if known is None:
        raise InvalidDtype(f"{operator}: {argument} is {dtype.name}; it must be {KNOWN_DTYPE}; convert {argument}")
    if not dtype.isnative:
        fault = f"{operator}: {argument} is {known} in the other byte order"
        raise InvalidDtype(f"{fault}; it must be in this machine's; pass .astype({known.name!r})")
    return known


def _cause(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _checked(found: Memory, about: str) -> Memory:
    """The same, if memory can be so."""
    shape, strides = found.meta.shape, found.meta.strides
    if any(size < 0 for size in shape):
        raise InvalidCall(f"{about} has shape {shape}; sizes must be 0 or more; {_REPAIR}")
    low, high = extent(found.meta)
    if high > low and not (found.address > 0 and found.address + low >= 0 and found.address + high <= _ADDRESSES):
        place = f"shape {shape}, strides {strides} bytes, at address {found.address}"
        raise InvalidCall(f"{about} has {place}; its elements must lie in memory; {_REPAIR}")
    return found


# DLPack, https://dmlc.github.io/dlpack/latest/: the structs that a capsule points to.


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("index", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _VersionedTensor(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_READ_ONLY = 1
_DEVICES = {1: "cpu", 2: "cuda", 3: "cpu", 10: "rocm", 11: "cpu", 13: "cuda"}  # 3, 11: host memory pinned for a GPU
_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}


def _by_dlpack(obj: Any, export: Callable[..., Any], operator: str, argument: str) -> Memory:
    about = f"{operator}: {argument}"
    try:
        try:
            capsule = export(max_version=(1, 0), **_consumer(obj))
        except TypeError as error:  # a producer from before version 1.0
            if isinstance(error, ActgradError):  # of a call of ours within
                raise
            capsule = export()
    except RecursionError:
        raise
    except Exception as error:  # whatever a producer raises, it has no tensor to give
        fault = f"{about} ({type(obj).__name__}) raises {_cause(error)} from __dlpack__"
        raise InvalidCall(f"{fault}; it must export a tensor; {_REPAIR}") from error
    tensor, writable = _tensor_of(capsule, f"{about} ({type(obj).__name__})")
    dtype = _dlpack_dtype(tensor.dtype)
    if dtype is None:
        code, bits, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
        fault = f"{about} has DLPack type code {code} with {quantity(bits, 'bit')} and {quantity(lanes, 'lane')}"
        raise InvalidDtype(f"{fault}; it must be {KNOWN_DTYPE}; convert {argument}")
    check_rank(tensor.ndim, operator, argument)
    if tensor.ndim < 0 or (tensor.ndim and not tensor.shape):
        fault = f"{about} has {tensor.ndim} dimensions" + (" and no shape" if tensor.ndim > 0 else "")
        raise InvalidCall(f"{fault}; it must have a size for each dimension; {_REPAIR}")
    shape = tuple(tensor.shape[: tensor.ndim])
    if tensor.strides:
        strides = tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim])
    else:  # a null pointer means contiguous
        strides = row_major(shape, dtype.itemsize)
    device = _DEVICES.get(tensor.device.type)
    if device is None:
        devices = either(dict.fromkeys(_DEVICES.values()))
        fault = f"{about} is on a device of DLPack type {tensor.device.type}"
        raise BackendUnavailable(f"{fault}; it must be on {devices}; move {argument} to the CPU")
    place = device if device == "cpu" else f"{device}:{tensor.device.index}"
    address = (tensor.data or 0) + tensor.byte_offset
    # The capsule, never consumed, frees the tensor when it dies: it is the owner.
    return Memory(Meta(dtype, shape, strides), address, place, writable, capsule)


def _tensor_of(capsule: Any, about: str) -> tuple[_Tensor, bool]:
    """The tensor that a capsule points to, and whether it may be written to."""
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    try:
        name = get_name(capsule)
    except ValueError:  # it is no capsule
        fault = f"{about}: __dlpack__ returned a {type(capsule).__name__}"
        raise InvalidCall(f"{fault}; it must return a DLPack capsule; {_REPAIR}") from None
    if name not in (b"dltensor", b"dltensor_versioned"):
        what = "without a name" if name is None else f"named {name.decode(errors='replace')!r}"
        fault = f"{about}: __dlpack__ returned a capsule {what}"
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
    """What a producer on a GPU is told: the stream to order its work before. On others, and by default, nothing."""
    torch = sys.modules.get("torch")
    kind, number = obj.__dlpack_device__() if torch is not None and hasattr(obj, "__dlpack_device__") else (1, 0)
    if _DEVICES.get(kind, "cpu") == "cpu":
        return {}
    stream = int(torch.cuda.current_stream(number).cuda_stream)  # type: ignore[union-attr]
    return {"stream": stream or (1 if kind == 2 else 0)}  # DLPack calls CUDA's default stream 1


def _dlpack_dtype(dtype: _DataType) -> Dtype | None:
    code = _CODES.get(dtype.code)
    if code is None or dtype.lanes != 1:
        return None
    return BY_NAME.get("bool" if code == "bool" else f"{code}{dtype.bits}")


# CUDA's array interface, https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html, versions 2 and 3.


def _by_cuda(obj: Any, interface: Any, operator: str, argument: str) -> Memory:
    about = f"{operator}: {argument}"

    def field(name: str, is_right: Callable[[Any], bool], wanted: str) -> Any:
        value = interface.get(name)
        if not is_right(value):
            fault = f"{about}: __cuda_array_interface__[{name!r}] is {shown(value)}"
            raise InvalidCall(f"{fault}; it must be {wanted}; {_REPAIR}")
        return value

    if not isinstance(interface, dict):
        fault = f"{about}: __cuda_array_interface__ is {shown(interface)}"
        raise InvalidCall(f"{fault}; it must be a dictionary; {_REPAIR}")
    text = field("typestr", lambda value: isinstance(value, str), "a string such as '<f4'")
    try:
        dtype = numpy_dtype(np.dtype(text), operator, argument)
    except (TypeError, ValueError, SyntaxError) as error:  # NumPy has all of them for a text that is no type
        if isinstance(error, InvalidDtype):
            raise
        fault = f"{about}: __cuda_array_interface__['typestr'] is {shown(text)}"
        raise InvalidDtype(f"{fault}; it must be a data type such as '<f4'; {_REPAIR}") from error
    if interface.get("mask") is not None:
        raise InvalidCall(f"{about} is a masked array; it must have no mask; fill the masked elements")
    shape = tuple(map(int, field("shape", _is_integers, "a tuple of integers")))
    check_rank(len(shape), operator, argument)
    strides = field(
        "strides",
        lambda value: value is None or (_is_integers(value) and len(value) == len(shape)),
        f"None or a tuple of {len(shape)} integers",
    )
    address, is_read_only = field(
        "data",
        lambda value: isinstance(value, (tuple, list)) and len(value) == 2 and _is_integers(value),
        "a tuple of an address and whether it is read-only",
    )
    stream = field("stream", lambda value: value is None or _is_integers([value]), "an integer or None")
    meta = Meta(dtype, shape, tuple(map(int, strides)) if strides is not None else row_major(shape, dtype.itemsize))
    place = f"cuda:{_current_device(stream)}"
    return Memory(meta, int(address), place, not is_read_only, obj)


def _is_integers(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(item, (int, np.integer, np.bool_)) for item in value)


def _current_device(stream: int | None) -> int:
    """The GPU that an array is on: its interface names none. Work on `stream` is waited for."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return 0
    device: int = torch.cuda.current_device()
    if stream:
        torch.cuda.current_stream().wait_stream(torch.cuda.ExternalStream(stream))
    return device
