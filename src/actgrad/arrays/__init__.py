"""Arrays of other libraries as views on memory: NumPy, PyTorch, objects with DLPack or CUDA's array interface.

`foreign` reads DLPack and CUDA's interface, `interception` asks whether PyTorch intercepts a call, and `hugepages`
requests huge pages from the kernel. PyTorch is imported here only to allocate on a GPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..base import first_use
from ..base.dtypes import BY_NAME, Dtype
from ..base.errors import BackendUnavailable, InvalidArgument, InvalidCall, InvalidDtype, kind_of
from ..base.loop import TensorMeta, row_major
from . import hugepages, interception

MAX_RANK = 64  # NumPy's limit
KNOWN_DTYPE = "a dtype that actgrad knows, such as float32, float16 or bfloat16"
KINDS = "a NumPy array, a torch.Tensor or an array with __dlpack__"


class ArrayView(NamedTuple):
    """The memory of a tensor: its address and its layout. `owner` keeps the memory alive."""

    meta: TensorMeta
    address: int
    device: str  # "cpu", "cuda:0", ...
    kind: str  # "numpy", "torch" or "dlpack"
    writable: bool
    owner: Any
    source: Any  # the object that the caller passed

    def __reduce_ex__(self, _: Any) -> Any:
        raise InvalidCall("a view cannot be pickled or copied; it must stay with its memory; copy its array instead")


def view(obj: Any, operator: str, argument: str) -> ArrayView:
    """The view of `obj`. Errors name `operator` and `argument`."""
    if isinstance(obj, np.ndarray):
        return _numpy_view(obj, operator, argument)
    torch = sys.modules.get("torch")
    if isinstance(obj, getattr(torch, "Tensor", ())):
        return _torch_view(torch, obj, operator, argument)
    if isinstance(obj, np.generic):
        array = np.asarray(obj)
        array.flags.writeable = False  # the array is a copy, so writes to it would be lost
        return _numpy_view(array, operator, argument)
    foreign: Any = first_use.module(f"{__name__}.foreign")  # imported here because few programs have such arrays
    memory = foreign.memory(obj, operator, argument)
    if memory is not None:
        return ArrayView(memory.meta, memory.address, memory.device, "dlpack", memory.writable, memory.owner, obj)
    cure = "call numpy.asarray on it" if isinstance(obj, (list, tuple, int, float)) else "convert it to one of these"
    raise InvalidCall(f"{operator}: {argument} is {kind_of(obj)}; it must be {KINDS}; {cure}")


def check_rank(rank: int, operator: str, argument: str) -> None:
    """Raise if there are more dimensions than a tensor may have."""
    if rank > MAX_RANK:
        raise InvalidArgument(
            f"{operator}: {argument} has {rank} dimensions; it must have at most {MAX_RANK}; reshape it"
        )


def numpy_dtype(dtype: np.dtype[Any], operator: str, argument: str) -> Dtype:
    """Our dtype for a dtype of NumPy's."""
    row = BY_NAME.get(dtype.name)
    if row is None:
        raise InvalidDtype(f"{operator}: {argument} is {dtype.name}; it must be {KNOWN_DTYPE}; convert {argument}")
    if not dtype.isnative:
        fault = f"{operator}: {argument} is {row} in the other byte order"
        raise InvalidDtype(f"{fault}; it must be in this machine's; pass .astype({row.name!r})")
    return row


def numpy_array(address: int, meta: TensorMeta) -> np.ndarray:
    """A NumPy array on memory that its owner keeps alive."""
    return raw_array(address, meta).view(meta.dtype.numpy)


def raw_array(address: int, meta: TensorMeta) -> np.ndarray:
    """An array of raw bytes, for dtypes that NumPy lacks, and for callers that need only addresses."""
    return np.asarray(_Memory(address, meta))


def note_written(kind: str) -> Callable[[Any], None] | None:
    """A function to call with a tuple of written arrays of this kind, or None if their library does not count writes.

    PyTorch counts writes, so that autograd refuses to use a saved tensor that was overwritten.
    """
    if kind != "torch":
        return None
    torch = sys.modules["torch"]
    # The function inside PyTorch's public function, which would take 0.2 µs more.
    tell: Callable[[Any], None] = getattr(torch._C, "_increment_version", torch.autograd.graph.increment_version)
    return tell


def refuse_locked(operator: str, tensor: Any) -> None:
    """Raise if PyTorch refuses to overwrite a tensor, because it was made in inference mode, which has ended."""
    if is_locked(tensor):
        fault = "the tensor to overwrite is an inference tensor"
        expected = "Inplace update to inference tensor outside InferenceMode is not allowed"  # as PyTorch says it
        raise InvalidCall(f"{operator}: {fault}; {expected}; pass its clone(), or call inside torch.inference_mode()")


def is_locked(tensor: Any) -> bool:
    """Whether a tensor was made in inference mode, which has ended, and PyTorch does not count writes into it."""
    if not tensor.is_inference() or sys.modules["torch"].is_inference_mode_enabled():
        return False
    try:
        return bool(tensor._version < 0)
    except RuntimeError:
        return True


def note_views_written(views: Iterable[ArrayView]) -> Callable[[], object] | None:
    """A function to call after a write to these views, or None if no library counts writes."""
    tensors = tuple([view.source for view in views if view.kind == "torch"])
    tell = note_written("torch") if tensors else None
    return None if tell is None else partial(tell, tensors)


class _Memory:
    """Memory that NumPy reads as raw bytes, because NumPy does not know every dtype by name."""

    def __init__(self, address: int, meta: TensorMeta):
        self.__array_interface__ = {
            "version": 3,
            "shape": meta.shape,
            "strides": meta.strides,
            "typestr": f"|V{meta.dtype.itemsize}",
            "data": (address, False),
        }


def empty(like: ArrayView, meta: TensorMeta) -> ArrayView:
    """A new, uninitialised array of `like`'s kind and device, in the memory order of `meta`'s strides."""
    if like.kind == "torch" or like.device != "cpu":
        tensor = fresh("torch", meta, _place(like))
        address = tensor.data_ptr()
        if meta.size and not address:
            raise InvalidCall(
                "PyTorch allocated a result without memory, as inside a FakeTensorMode; a result must have memory; "
                "pass out="
            )
        return ArrayView(meta, address, like.device, like.kind, True, tensor, tensor)
    array = fresh("numpy", meta, "cpu")
    return ArrayView(meta, array.__array_interface__["data"][0], like.device, like.kind, True, array, array)


def fresh(kind: str, meta: TensorMeta, device: Any) -> Any:
    """A new, uninitialised array of PyTorch ("torch") or NumPy."""
    if kind == "torch":
        torch, itemsize = _torch_on(str(device)), meta.dtype.itemsize
        strides = [s // itemsize for s in meta.strides]
        tensor = torch.empty_strided(meta.shape, strides, dtype=getattr(torch, meta.dtype.name), device=device)
        return _in_huge_pages(tensor) if meta.size * itemsize >= hugepages.LARGE else tensor
    if meta.strides == row_major(meta.shape, meta.dtype.itemsize):
        return np.empty(meta.shape, meta.dtype.numpy)
    order = sorted(range(len(meta.shape)), key=lambda d: (-meta.strides[d], d))
    array = np.empty([meta.shape[d] for d in order], meta.dtype.numpy)
    return array.transpose(np.argsort(order)) if order else array


def empty_like(result: ArrayView) -> Callable[[Any], Any]:
    """A function that allocates results like `result`, from an array with the same layout."""
    if result.kind == "numpy":
        return np.empty_like
    is_large = result.meta.size * result.meta.dtype.itemsize >= hugepages.LARGE
    allocate: Callable[[Any], Any] = torch_empty_like if is_large else sys.modules["torch"].empty_like
    return allocate


def _torch_on(device: str) -> Any:
    """PyTorch, which allocates the results for arrays of other libraries on a GPU."""
    try:
        return sys.modules.get("torch") or first_use.module("torch")
    except ImportError as error:
        raise BackendUnavailable(
            f"the tensors are on {device}; PyTorch must allocate results there ({error}); install PyTorch or pass out="
        ) from error


def _place(like: ArrayView) -> Any:
    """The device of a view in PyTorch's notation, in which AMD's devices are cuda too."""
    return like.source.device if like.kind == "torch" else like.device.replace("rocm", "cuda")


def torch_empty_like(tensor: Any) -> Any:
    """PyTorch's empty_like, in huge pages."""
    return _in_huge_pages(sys.modules["torch"].empty_like(tensor))


def _in_huge_pages(tensor: Any) -> Any:
    """Allocate a large tensor, and request huge pages for its memory."""
    if tensor.is_cpu and tensor.data_ptr():
        hugepages.ask_for_huge_pages(tensor.data_ptr(), tensor.nbytes)
    return tensor


def like_input(result: Any, like: ArrayView) -> Any:
    """A result, or a tuple of results, as arrays of the input's library."""
    if like.kind != "dlpack":
        return result
    if like.device != "cpu":
        return _on_device_like(result, like.source)
    if not hasattr(like.source, "__array_namespace__"):
        return result
    namespace = like.source.__array_namespace__()

    def convert(array: np.ndarray) -> Any:
        is_exported = array.dtype.kind != "V"  # NumPy cannot export bfloat16
        return namespace.from_dlpack(array) if is_exported else namespace.asarray(array)

    return tuple(map(convert, result)) if isinstance(result, tuple) else convert(result)


def _on_device_like(result: Any, source: Any) -> Any:
    """PyTorch's tensors as arrays of the library of `source`, or unchanged if that library cannot take them."""
    if hasattr(source, "__array_namespace__"):
        namespace = source.__array_namespace__()
    else:
        namespace = sys.modules.get(type(source).__module__.partition(".")[0])
    take = getattr(namespace, "from_dlpack", None)
    if take is None:
        return result
    return tuple(map(take, result)) if isinstance(result, tuple) else take(result)


def _is_masked(array: np.ndarray) -> bool:
    """Whether this is NumPy's masked array. NumPy imports `numpy.ma` lazily, and before that no masked arrays exist."""
    return isinstance(array, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ()))


_numpy_dtypes: dict[Any, Dtype] = {}  # keys: NumPy's dtype objects, because reading the name of a dtype takes 2 µs


def _numpy_view(array: np.ndarray, operator: str, argument: str) -> ArrayView:
    if _is_masked(array):
        raise InvalidCall(
            f"{operator}: {argument} is a masked array; it must be a plain array, without a mask; pass .filled(value)"
        )
    plain = array if type(array) is np.ndarray else np.ndarray.view(array, np.ndarray)  # a subclass may override dtype
    dtype = _numpy_dtypes.get(plain.dtype)
    if dtype is None:
        dtype = _numpy_dtypes[plain.dtype] = numpy_dtype(plain.dtype, operator, argument)
    address, read_only = plain.__array_interface__["data"]
    return ArrayView(
        TensorMeta(dtype, plain.shape, plain.strides), address, "cpu", "numpy", not read_only, array, array
    )


_torch_dtypes: dict[Any, Dtype] = {}  # keys: PyTorch's dtype objects, so that each name is read once


def torch_meta(torch: Any, tensor: Any, operator: str, argument: str) -> TensorMeta:
    """The metadata of a PyTorch tensor. Raises InvalidCall for kinds of tensors that no kernel can read."""
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        kinds = "sparse, mkldnn, nested or quantised"
        raise InvalidCall(
            f"{operator}: {argument} is a {kinds} tensor; it must be dense; call .to_dense(), .to_padded_tensor() or "
            ".dequantize(), or actgrad.torch.revert(model) if the model was converted"
        )
    dtype = _torch_dtypes.get(tensor.dtype)
    if dtype is None:
        name = str(tensor.dtype).removeprefix("torch.")
        if name not in BY_NAME:
            raise InvalidDtype(f"{operator}: {argument} is {name}; it must be {KNOWN_DTYPE}; convert {argument}")
        dtype = _torch_dtypes[tensor.dtype] = BY_NAME[name]
    check_rank(tensor.ndim, operator, argument)
    itemsize = dtype.itemsize
    return TensorMeta(dtype, tuple(tensor.shape), tuple([s * itemsize for s in tensor.stride()]))


def _torch_view(torch: Any, tensor: Any, operator: str, argument: str) -> ArrayView:
    interception.refuse(
        f"{operator}: the call reads the memory of {argument}", "call the operator itself, without backend= or a plan"
    )
    if interception.requires_grad(torch, tensor):
        raise InvalidArgument(
            f"{operator}: {argument} requires grad; with out=, backend=, a plan or another library's arrays it must "
            "not, because autograd could not record the call; pass .detach() or call inside torch.no_grad()"
        )
    if tensor.is_neg() or tensor.is_conj():
        raise InvalidCall(
            f"{operator}: {argument} is a lazy negation or conjugate; its values must be in memory; "
            "pass .resolve_neg().resolve_conj()"
        )
    meta = torch_meta(torch, tensor, operator, argument)
    try:
        # A tensor with its own dispatch (fake, or a wrapper) has no memory, but some return an address nevertheless.
        is_plain = type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
        address = tensor.data_ptr() if is_plain else 0
    except RuntimeError:  # batched, functional and other tensors inside a transform
        address = 0
    if not address and tensor.numel() and tensor.device.type != "meta":
        raise InvalidCall(
            f"{operator}: {argument} is {kind_of(tensor)} without memory; a tensor must have memory; pass a real one"
        )
    device = "cpu" if tensor.is_cpu else str(tensor.device)
    return ArrayView(meta, address, device, "torch", True, tensor, tensor)
