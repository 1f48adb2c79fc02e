"""The arrays of others, seen as views on memory: NumPy, PyTorch, anything with DLPack or CUDA's array interface.

PyTorch is imported here only to allocate on a GPU.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import interception, pages
from .dtypes import BY_NAME, Dtype
from .errors import BackendUnavailable, InvalidArgument, InvalidCall, InvalidDtype
from .loop import Meta

MAX_RANK = 64  # NumPy's limit
KINDS = "a NumPy array, a torch.Tensor or an array with __dlpack__"


class View(NamedTuple):
    """A tensor's memory: where it lies and how it is laid out. `owner` keeps it alive."""

    meta: Meta
    address: int
    device: str  # "cpu", "cuda:0", ...
    kind: str  # "numpy", "torch" or "dlpack"
    writable: bool
    owner: Any
    source: Any  # the object that the caller passed


def view(obj: Any, operator: str, argument: str) -> View:
    """The view of `obj`; errors name `operator` and `argument`."""
    if isinstance(obj, np.ndarray):
        return _numpy_view(obj, operator, argument)
    torch = sys.modules.get("torch")
    if isinstance(obj, getattr(torch, "Tensor", ())):
        return _torch_view(torch, obj, operator, argument)
    if hasattr(obj, "__dlpack__") and not isinstance(obj, np.generic):
        return _dlpack_view(obj, operator, argument)
    if hasattr(obj, "__cuda_array_interface__"):
        return _cuda_view(obj, operator, argument)
    if isinstance(obj, np.generic):
        array = np.asarray(obj)
        array.flags.writeable = False  # a copy: what is written to it would be lost
        return _numpy_view(array, operator, argument)
    way_out = "; numpy.asarray makes one of it" if isinstance(obj, (list, tuple, int, float)) else ""
    raise InvalidCall(f"{operator}: {argument} is a {type(obj).__name__}; it must be {KINDS}{way_out}")


def numpy_array(address: int, meta: Meta) -> np.ndarray:
    """A NumPy array on memory that somebody else keeps alive."""
    return raw_array(address, meta).view(meta.dtype.numpy)


def raw_array(address: int, meta: Meta) -> np.ndarray:
    """The same with elements that are just bytes: for dtypes that NumPy lacks, and where only addresses count."""
    return np.asarray(_Memory(address, meta))


def note_written(kind: str) -> Callable[[Any], None] | None:
    """What to give a tuple of arrays of this kind that were written to; None where nobody wants to know.

    PyTorch counts writes, so that autograd refuses to use a tensor that it had saved before.
    """
    if kind != "torch":
        return None
    torch = sys.modules["torch"]
    # What the public function calls, without its 0.2 µs.
    tell: Callable[[Any], None] = getattr(torch._C, "_increment_version", torch.autograd.graph.increment_version)
    return tell


def note_views_written(views: Iterable[View]) -> Callable[[], object] | None:
    """What to call after these views were written to; None where nobody wants to know."""
    tensors = tuple([view.source for view in views if view.kind == "torch"])
    tell = note_written("torch") if tensors else None
    return None if tell is None else partial(tell, tensors)


class _Memory:
    """What NumPy needs to see memory as an array; raw bytes, because it does not know every dtype by name."""

    def __init__(self, address: int, meta: Meta):
        self.__array_interface__ = {
            "version": 3,
            "shape": meta.shape,
            "strides": meta.strides,
            "typestr": f"|V{meta.dtype.itemsize}",
            "data": (address, False),
        }


def empty(like: View, meta: Meta) -> View:
    """A fresh, uninitialised array of `like`'s kind and device; its memory order is that of `meta`'s strides."""
    if like.kind == "torch" or like.device != "cpu":
        torch = _torch_on(like.device)
        itemsize = meta.dtype.itemsize
        strides = [s // itemsize for s in meta.strides]
        dtype = getattr(torch, meta.dtype.name)
        tensor = torch.empty_strided(meta.shape, strides, dtype=dtype, device=_place(like))
        address, size = tensor.data_ptr(), meta.size * itemsize
        if size and not address:
            raise InvalidCall("PyTorch gives no memory for a result (is a FakeTensorMode active?); pass out")
        if size >= pages.LARGE and like.device == "cpu":
            pages.ask_for_huge_pages(address, size)
        return View(meta, address, like.device, like.kind, True, tensor, tensor)
    order = sorted(range(len(meta.shape)), key=lambda d: (-meta.strides[d], d))
    array = np.empty([meta.shape[d] for d in order], meta.dtype.numpy)
    if order:
        array = array.transpose(np.argsort(order))
    return View(meta, array.__array_interface__["data"][0], like.device, like.kind, True, array, array)


def _torch_on(device: str) -> Any:
    """PyTorch, which is there where a tensor is; arrays of other libraries on a GPU need it for fresh results."""
    try:
        return sys.modules.get("torch") or importlib.import_module("torch")
    except ImportError as error:
        raise BackendUnavailable(
            f"to allocate on {device} takes PyTorch ({error}); install it, or pass out="
        ) from error


def _place(like: View) -> Any:
    """A view's device as PyTorch has it: AMD's are cuda to it, too."""
    return like.source.device if like.kind == "torch" else like.device.replace("rocm", "cuda")


def torch_empty_like(tensor: Any) -> Any:
    """PyTorch's empty_like, in huge pages where that pays."""
    result = sys.modules["torch"].empty_like(tensor)
    if result.nbytes >= pages.LARGE:
        pages.ask_for_huge_pages(result.data_ptr(), result.nbytes)
    return result


def like_input(result: Any, like: View) -> Any:
    """A result, or several, as arrays of the input's own library, where that is not already the case."""
    if like.kind != "dlpack":
        return result
    if like.device != "cpu":
        return _on_device_like(result, like.source)
    if not hasattr(like.source, "__array_namespace__"):
        return result
    namespace = like.source.__array_namespace__()

    def convert(array: np.ndarray) -> Any:
        is_exported = array.dtype.kind != "V"  # NumPy gives no DLPack of dtypes that are not its own, as bfloat16
        return namespace.from_dlpack(array) if is_exported else namespace.asarray(array)

    return tuple(map(convert, result)) if isinstance(result, tuple) else convert(result)


def _on_device_like(result: Any, source: Any) -> Any:
    """PyTorch's tensors as arrays of the library of `source`, as they are where that cannot take them."""
    if hasattr(source, "__array_namespace__"):
        namespace = source.__array_namespace__()
    else:
        namespace = sys.modules.get(type(source).__module__.partition(".")[0])
    take = getattr(namespace, "from_dlpack", None)
    if take is None:
        return result
    return tuple(map(take, result)) if isinstance(result, tuple) else take(result)


def dense_strides(shape: tuple[int, ...], order: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides of a dense tensor in the memory order that the strides `order` have, as `empty_like` keeps it."""
    strides = [0] * len(shape)
    step, last = itemsize, 1
    for d in sorted(range(len(shape)), key=lambda d: (abs(order[d]), -d)):
        step *= max(last, 1)  # not before it is needed: the size of the outermost dimension may be unknown to a tracer
        strides[d], last = step, shape[d]
    return tuple(strides)


def row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides of a contiguous tensor."""
    return dense_strides(shape, tuple(range(len(shape), 0, -1)), itemsize)


def _check_rank(rank: int, operator: str, argument: str) -> None:
    if rank > MAX_RANK:
        raise InvalidArgument(f"{operator}: {argument} has {rank} dimensions; it may have at most {MAX_RANK}")


_numpy_dtypes: dict[Any, Dtype] = {}  # by NumPy's own dtype objects: to ask one for its name takes 2 us


def _numpy_dtype(dtype: np.dtype[Any], operator: str, argument: str) -> Dtype:
    known = BY_NAME.get(dtype.name)
    if known is None:
        names = ", ".join(BY_NAME)
        raise InvalidDtype(f"{operator}: {argument} is {dtype.name}, no tensor dtype; known: {names}")
    if not dtype.isnative:
        raise InvalidDtype(f"{operator}: {argument} is {known} in foreign byte order; pass .astype({known.name!r})")
    return _numpy_dtypes.setdefault(dtype, known)


def _numpy_view(array: np.ndarray, operator: str, argument: str) -> View:
    if isinstance(array, np.ma.MaskedArray):
        raise InvalidCall(f"{operator}: {argument} is a masked array, whose mask would be lost; pass .filled(value)")
    dtype = _numpy_dtypes.get(array.dtype) or _numpy_dtype(array.dtype, operator, argument)
    address, read_only = array.__array_interface__["data"]
    return View(Meta(dtype, array.shape, array.strides), address, "cpu", "numpy", not read_only, array, array)


_torch_dtypes: dict[Any, Dtype] = {}  # by PyTorch's own dtype objects, so that their names are read once


def torch_meta(torch: Any, tensor: Any, operator: str, argument: str) -> Meta:
    """What is known of a PyTorch tensor without its data, where a kernel can do with a tensor of its kind."""
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        kinds = "sparse, mkldnn, nested or quantised"
        raise InvalidCall(
            f"{operator}: {argument} is a {kinds} tensor; pass .to_dense(), .to_padded_tensor() or .dequantize()"
        )
    dtype = _torch_dtypes.get(tensor.dtype)
    if dtype is None:
        name = str(tensor.dtype).removeprefix("torch.")
        if name not in BY_NAME:
            raise InvalidDtype(f"{operator}: {argument} is {name}; known: {', '.join(BY_NAME)}")
        dtype = _torch_dtypes[tensor.dtype] = BY_NAME[name]
    _check_rank(tensor.ndim, operator, argument)
    itemsize = dtype.itemsize
    return Meta(dtype, tuple(tensor.shape), tuple([s * itemsize for s in tensor.stride()]))


def _torch_view(torch: Any, tensor: Any, operator: str, argument: str) -> View:
    interception.refuse(
        f"{operator}: the memory of {argument} is taken", "call the operator itself, without backend= or a plan"
    )
    if interception.requires_grad(torch, tensor):
        raise InvalidArgument(
            f"{operator}: {argument} requires grad; out=, backend=, a plan or arrays of other libraries would cut it "
            "off from the graph: pass .detach(), or call inside torch.no_grad()"
        )
    if tensor.is_neg() or tensor.is_conj():
        raise InvalidCall(f"{operator}: {argument} is a lazy negation or conjugate; pass .resolve_neg().resolve_conj()")
    meta = torch_meta(torch, tensor, operator, argument)
    try:
        # A tensor with its own dispatch (fake, wrapping others) has none, but some tell an address nevertheless.
        is_plain = type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
        address = tensor.data_ptr() if is_plain else 0
    except RuntimeError:  # batched, functional and other tensors seen through a transform
        address = 0
    if not address and tensor.numel() and tensor.device.type != "meta":
        raise InvalidCall(f"{operator}: {argument} is a {type(tensor).__name__} without memory of its own")
    device = "cpu" if tensor.is_cpu else str(tensor.device)
    return View(meta, address, device, "torch", True, tensor, tensor)


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


def _dlpack_view(obj: Any, operator: str, argument: str) -> View:
    try:
        try:
            capsule = obj.__dlpack__(max_version=(1, 0), **_consumer(obj))
        except TypeError:  # a producer from before version 1.0
            capsule = obj.__dlpack__()
    except Exception as error:  # whatever a producer raises, it has no tensor to give
        raise InvalidCall(f"{operator}: {argument} ({type(obj).__name__}) gives no DLPack: {error}") from error
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    name = get_name(capsule) if type(capsule).__name__ == "PyCapsule" else None
    if name not in (b"dltensor", b"dltensor_versioned"):
        what = f"a {type(capsule).__name__}" if name is None else f"a capsule named {name.decode()!r}"
        raise InvalidCall(f"{operator}: {argument} ({type(obj).__name__}) gives no DLPack tensor but {what}")
    pointer = get_pointer(capsule, name)
    writable = True
    if name == b"dltensor_versioned":
        versioned = _VersionedTensor.from_address(pointer)
        if versioned.major != 1:
            raise InvalidCall(f"{operator}: {argument} speaks DLPack {versioned.major}, this version knows 0 and 1")
        tensor, writable = versioned.tensor, not versioned.flags & _READ_ONLY
    else:
        tensor = _Tensor.from_address(pointer)
    dtype = _dlpack_dtype(tensor.dtype)
    if dtype is None:
        code, bits, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
        raise InvalidDtype(
            f"{operator}: {argument} has DLPack type {code}, {bits} bits, {lanes} lanes: no tensor dtype"
        )
    _check_rank(tensor.ndim, operator, argument)
    shape = tuple(tensor.shape[: tensor.ndim])
    if tensor.strides:
        strides = tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim])
    else:  # a null pointer means contiguous
        strides = row_major(shape, dtype.itemsize)
    device = _DEVICES.get(tensor.device.type)
    if device is None:
        raise BackendUnavailable(f"{operator}: {argument} lives on DLPack device type {tensor.device.type}; no backend")
    place = device if device == "cpu" else f"{device}:{tensor.device.index}"
    address = (tensor.data or 0) + tensor.byte_offset
    # The capsule, never consumed, frees the tensor when it dies: it is the owner.
    return View(Meta(dtype, shape, strides), address, place, "dlpack", writable, capsule, obj)


def _consumer(obj: Any) -> dict[str, int]:
    """What a producer on a GPU is told: the stream to order its work before. On others, and by default, nothing."""
    torch = sys.modules.get("torch")
    kind, number = obj.__dlpack_device__() if torch is not None and hasattr(obj, "__dlpack_device__") else (1, 0)
    if _DEVICES.get(kind, "cpu") == "cpu":
        return {}
    stream = int(torch.cuda.current_stream(number).cuda_stream)  # type: ignore[union-attr]
    return {"stream": stream or (1 if kind == 2 else 0)}  # DLPack calls CUDA's default stream 1


def _cuda_view(obj: Any, operator: str, argument: str) -> View:
    """By https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html, versions 2 and 3."""
    interface = obj.__cuda_array_interface__
    dtype = _numpy_dtype(np.dtype(interface["typestr"]), operator, argument)
    if interface.get("mask") is not None:
        raise InvalidCall(f"{operator}: {argument} is a masked array, whose mask would be lost")
    shape = tuple(interface["shape"])
    _check_rank(len(shape), operator, argument)
    strides = interface.get("strides") or row_major(shape, dtype.itemsize)
    address, is_read_only = interface["data"]
    torch, device = sys.modules.get("torch"), 0
    if torch is not None and torch.cuda.is_available():  # the interface names no device: it is the current one
        device = torch.cuda.current_device()
        if interface.get("stream"):
            torch.cuda.current_stream().wait_stream(torch.cuda.ExternalStream(interface["stream"]))
    meta = Meta(dtype, shape, tuple(strides))
    return View(meta, address, f"cuda:{device}", "dlpack", not is_read_only, obj, obj)


def _dlpack_dtype(dtype: _DataType) -> Dtype | None:
    code = _CODES.get(dtype.code)
    if code is None or dtype.lanes != 1:
        return None
    return BY_NAME.get("bool" if code == "bool" else f"{code}{dtype.bits}")
