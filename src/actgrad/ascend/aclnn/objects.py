"""Tensors and scalars of the C interface: views on storage, and numbers with a dtype."""

from __future__ import annotations

import operator as python_operator
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ... import arrays
from ...arrays import MAX_RANK, ArrayView
from ...base import first_use, loop
from ...base.bounded_cache import BoundedCache
from ...base.dtypes import BY_NAME, BY_NUMBER, EXACT, Dtype
from ...base.errors import InvalidArgument, InvalidCall, NullArgument, kind_of, quantity, quote
from ...base.floating_point import default_environment
from ...base.loop import TensorMeta, extent
from .messages import report
from .names import format_name


@dataclass(frozen=True, slots=True)
class Storage:
    """A range of memory, for tensors."""

    address: int
    size: int  # bytes
    device: str
    kind: str  # the library of the object that owns the memory, see arrays.ArrayView
    writable: bool
    owner: Any


_tokens = BoundedCache[Any, Any](4096)  # if a token was evicted, its call is checked again
#: The end of a message about an object that was destroyed.
DESTROYED = "was destroyed; it must exist until phase two has run; create it again"
NUMBER_TYPE = "it must be a data type of numbers; pass ACL_FLOAT or another one"


def token(key: Any) -> Any:
    """The same object for all equal keys. So `id` of the token is a key too."""
    return _tokens.get(key) or _tokens.keep(key, key)


def token_of(view: ArrayView) -> Any:
    """The same object for all views with the same metadata and device."""
    return token((view.meta, view.device))


def token_of_flag(value: Any) -> Any:
    """The same object for all equal flags, numbers or strings. 0.0 and -0.0 differ, and NaN equals NaN."""
    return token((type(value), repr(value)))


class Handle:
    """An object that cannot be copied, because C programs identify the object by its pointer."""

    __slots__ = ()

    def __reduce_ex__(self, _: Any) -> Any:
        name = type(self).__name__
        name = f"{name[0].lower()}{name[1:]}"
        raise InvalidCall(f"{name}: cannot be pickled or copied; it must stay in its process; create another one")


class AclTensor(Handle):
    """aclTensor: a view on storage. Its fields have the arguments of aclCreateTensor.

    `view` is the view that operators read, or None after destruction. `fault` says why its memory cannot be used, or is
    "". A plain tensor (`is_plain`) has format ND, no fault, and no element outside its declared storage. `token` is the
    same object for all tensors with the same metadata and device.
    """

    __slots__ = (
        "dtype", "fault", "format", "is_plain", "offset", "storage_dims", "strides", "token", "view", "view_dims",
    )  # fmt: skip

    def __init__(
        self,
        view_dims: tuple[int, ...],
        dtype: Dtype,
        strides: tuple[int, ...],
        offset: int,
        format: str,
        storage_dims: tuple[int, ...],
    ):
        self.view_dims = view_dims
        self.dtype = dtype
        self.strides = strides  # in elements
        self.offset = offset  # in elements
        self.format = format
        self.storage_dims = storage_dims
        self.put(None, "")

    def __repr__(self) -> str:
        layout = f"{self.view_dims}, strides {self.strides}, offset {self.offset}"
        state = "" if self.view else ", destroyed"
        return f"<aclTensor {self.dtype.acl_name} {layout}, {self.format}{state}>"

    @property
    def is_touched(self) -> bool:
        """Whether a kernel may read or write its elements."""
        return 0 not in self.view_dims and (self.dtype.kind != "other" or self.is_nibbles)

    @property
    def is_nibbles(self) -> bool:
        """Whether each byte has two elements."""
        return self.dtype.name == "int4"

    @property
    def storage_size(self) -> int:
        """The declared size of the storage in bytes."""
        return self._bytes(prod(self.storage_dims))

    def _bytes(self, count: int) -> int:
        """The bytes of `count` elements."""
        return (count + 1) // 2 if self.is_nibbles else count * self.dtype.itemsize

    @property
    def reach(self) -> int:
        """The bytes from the start of the storage to the end of the view, or 0 if no element is read or written."""
        itemsize = self.dtype.itemsize
        meta = TensorMeta(self.dtype, self.view_dims, tuple(stride * itemsize for stride in self.strides))
        return self._bytes(self.offset + extent(meta)[1] // itemsize) if self.is_touched else 0

    def put(self, view: ArrayView | None, fault: str) -> None:
        """Set the view and the fault, which `view_on` returns."""
        self.view, self.fault = view, fault
        self.is_plain = view is not None and self.format == "ND" and not fault and self.reach <= self.storage_size
        self.token = view and token_of(view)

    def view_on(self, storage: Storage) -> tuple[ArrayView, str]:
        """The view of this tensor on a storage, and the reason why this storage cannot be used, or ""."""
        itemsize = self.dtype.itemsize
        meta = TensorMeta(self.dtype, self.view_dims, tuple(stride * itemsize for stride in self.strides))
        address = storage.address + self.offset * itemsize
        view = ArrayView(meta, address, storage.device, storage.kind, storage.writable, storage.owner, storage.owner)
        if not self.is_touched:
            return view, ""
        declared, reach = self.storage_size, self.reach
        if storage.owner is None:
            return view, "has elements, but its storage is a null pointer; it must have memory; pass its storage"
        size = f"{storage.size} bytes of storage"
        if declared > storage.size:
            return view, f"has {size}; storageDims {self.storage_dims} needs {declared}; pass a larger storage"
        if reach > storage.size:
            return view, f"has {size}; viewDims, strides and offset need {reach}; pass a larger storage"
        return view, ""


@dataclass(frozen=True, slots=True)
class AclScalar:
    """aclScalar: a number with a dtype. aclCreateScalar makes it."""

    value: float | complex
    dtype: Dtype
    token: Any  # the same object for equal scalars
    is_destroyed: bool = False


def aclCreateTensor(
    viewDims: Sequence[int] | None,
    dataType: int,
    strides: Sequence[int] | None,
    offset: int,
    format: int,
    storageDims: Sequence[int] | None,
    storage: Any,
) -> AclTensor | None:
    """A tensor: a view on `storage` with shape `viewDims`, `strides` and `offset` (in elements).

    `storage` is a contiguous NumPy array or torch.Tensor of any dtype, or any object with a buffer or DLPack. None is
    the null address. `storageDims` is the declared shape of the storage. If `strides` is None, the view is contiguous.
    Returns None if the real function returns a null pointer, and for negative dimensions, strides or offsets.
    aclGetRecentErrMsg then returns the reason.
    """
    try:
        tensor = tensor_of("aclCreateTensor", viewDims, dataType, strides, offset, format_name(format), storageDims)
        tensor.put(*tensor.view_on(storage_of(storage, "aclCreateTensor")))
        return tensor
    except Exception as error:  # a C function does not raise, for any arguments
        _report(error, "aclCreateTensor")
        return None


def tensor_of(
    context: str,
    view_dims: Sequence[int] | None,
    data_type: int,
    strides: Sequence[int] | None,
    offset: int,
    form: str,
    storage_dims: Sequence[int] | None,
) -> AclTensor:
    """A tensor without storage. Error messages begin with `context`."""

    def sizes(name: str, values: Sequence[int] | None) -> tuple[int, ...]:
        if values is None:
            raise InvalidArgument(f"{context}: {name} is a null pointer; it is required; pass () for no dimensions")
        numbers = tuple(map(python_operator.index, values))
        if any(size < 0 for size in numbers):
            raise InvalidArgument(f"{context}: {name} is {numbers}; each must be 0 or more; pass no negative numbers")
        return numbers

    dtype = BY_NUMBER.get(data_type)
    if dtype is None:
        raise InvalidArgument(
            f"{context}: dataType is {data_type!r}; it must be one of aclDataType; pass ACL_FLOAT or another one"
        )
    dims = sizes("viewDims", view_dims)
    # If a view has no elements, a program that computes storageDims from strides may get a negative number.
    storage = (0,) if 0 in dims and storage_dims is not None else sizes("storageDims", storage_dims)
    steps = loop.row_major(dims, 1) if strides is None else sizes("strides", strides)
    if len(steps) != len(dims):
        counts = f"strides has {quantity(len(steps), 'number')}, but viewDims has {len(dims)}"
        raise InvalidArgument(f"{context}: {counts}; the two numbers must be equal; pass one stride per dimension")
    if len(dims) > MAX_RANK:
        fault = f"{context}: viewDims has {len(dims)} sizes"
        raise InvalidArgument(f"{fault}; it must have at most {MAX_RANK}; merge dimensions")
    (start,) = sizes("offset", (offset,))
    return AclTensor(dims, dtype, steps, start, form, storage)


def storage_of(storage: Any, function: str) -> Storage:
    """The memory of an object. A C program passes its address instead of the object."""
    if storage is None:
        return Storage(0, 0, "cpu", "numpy", True, None)
    if not isinstance(storage, np.ndarray) and not hasattr(storage, "__dlpack__"):
        try:
            storage = np.frombuffer(storage, np.uint8) if memoryview(storage).nbytes else np.empty(0, np.uint8)
        except TypeError:
            kind = kind_of(storage)
            expected = "it must be an array, a tensor or a buffer"
            raise InvalidCall(f"{function}: storage is {kind}; {expected}; pass one of these") from None
    if isinstance(storage, np.ndarray):
        if not (storage.flags.c_contiguous or storage.flags.f_contiguous):
            raise InvalidArgument(
                f"{function}: storage is a strided view; it must be contiguous; pass the array that it is a view of"
            )
        address, read_only = storage.__array_interface__["data"]
        return Storage(address, storage.nbytes, "cpu", "numpy", not read_only, storage)
    view = arrays.view(storage, function, "storage")
    size = view.meta.size * view.meta.dtype.itemsize
    if extent(view.meta) != (0, size):
        raise InvalidArgument(
            f"{function}: storage is a strided view; it must be contiguous; pass the tensor that it is a view of"
        )
    owner = view.source if view.kind == "torch" else (view.source, view.owner)
    return Storage(view.address, size, view.device, view.kind, view.writable, owner)


def _report(error: Exception, function: str) -> int:
    """Report an error and return its status. An error that is not actgrad's means an argument of a wrong type."""
    is_ours = isinstance(error, (NullArgument, InvalidArgument))
    cause = quote(f"{type(error).__name__}: {error}")
    fault = (
        f"{function}: an argument raises {cause}; arguments must be of the documented types; see help(actgrad.aclnn)"
    )
    return report(error if is_ours else InvalidCall(fault))


def aclDestroyTensor(tensor: AclTensor | None) -> int:
    """Destroy a tensor. The caller still owns its storage. A null pointer is allowed."""
    if isinstance(tensor, AclTensor):
        tensor.put(None, "")
    elif tensor is not None:
        kind = kind_of(tensor)
        return report(InvalidCall(f"aclDestroyTensor: tensor is {kind}; it must be an aclTensor; pass one or None"))
    return 0


def aclSetRawTensorAddr(tensor: AclTensor | None, addr: Any) -> int:
    """Move a tensor to another storage, before phase one or after phase two."""
    name = "aclSetRawTensorAddr"
    try:
        if tensor is None:
            raise NullArgument(f"{name}: tensor is a null pointer; it is required; pass an aclTensor")
        if tensor.view is None:
            raise InvalidArgument(f"{name}: tensor {DESTROYED}")
        tensor.put(*tensor.view_on(storage_of(addr, name)))
    except Exception as error:  # a C function does not raise, for any arguments
        return _report(error, name)
    return 0


#: The data types that a scalar may have: all except UNDEFINED, STRING, INT4, UINT1 and COMPLEX32.
SCALARS = {
    row.acl: row for row in BY_NUMBER.values() if row.name not in ("undefined", "string", "int4", "uint1", "complex32")
}


def aclCreateScalar(value: Any, dataType: int) -> AclScalar | None:
    """A scalar with `value` rounded to `dataType`. None on failure. aclGetRecentErrMsg then returns the reason."""
    name = "aclCreateScalar"
    try:
        if value is None:
            raise NullArgument(f"{name}: value is a null pointer; it is required; pass a number")
        dtype = SCALARS.get(dataType)
        if dtype is None:
            type_name = BY_NUMBER[dataType].acl_name if dataType in BY_NUMBER else repr(dataType)
            raise InvalidArgument(f"{name}: dataType is {type_name}; {NUMBER_TYPE}")
        return _scalar(_rounded(name, value, dtype), dtype)
    except Exception as error:  # a C function does not raise, for any arguments
        _report(error, name)
        return None


def _scalar(value: float | complex, dtype: Dtype) -> AclScalar:
    return AclScalar(value, dtype, token((repr(value), dtype)))  # repr, because 0.0 and -0.0 differ and NaN equals NaN


def aclDestroyScalar(scalar: AclScalar | None) -> int:
    """Destroy a scalar. A null pointer is allowed."""
    if isinstance(scalar, AclScalar):
        object.__setattr__(scalar, "is_destroyed", True)
    elif scalar is not None:
        kind = kind_of(scalar)
        return report(InvalidCall(f"aclDestroyScalar: scalar is {kind}; it must be an aclScalar; pass one or None"))
    return 0


def scalar_of_bits(context: str, data_type: int, bits: bytes) -> AclScalar:
    """A scalar from the bytes of its value in C. Error messages begin with `context`."""
    dtype = SCALARS.get(data_type)
    if dtype is None:
        raise InvalidArgument(f"{context} is a scalar of dataType {data_type}; {NUMBER_TYPE}")
    numpy = _numpy_dtype(context, dtype)
    value = np.frombuffer(bits[: numpy.itemsize], numpy)[0]
    return _scalar(_rounded(context, value, dtype), dtype)


def scalar_of(value: Any, function: str, parameter: str) -> AclScalar:
    """The scalar of a parameter. A Python number has the data type BOOL, INT64, DOUBLE or COMPLEX128."""
    if value is None:
        raise NullArgument(f"{function}: {parameter} is a null pointer; it is required; pass an aclScalar")
    if isinstance(value, AclScalar):
        if value.is_destroyed:
            raise InvalidArgument(f"{function}: {parameter} {DESTROYED}")
        return value
    if isinstance(value, np.generic) and value.dtype.name in BY_NAME:
        dtype = BY_NAME[value.dtype.name]
        return _scalar(_rounded(f"{function}: {parameter}", value, dtype), dtype)
    for kind, dtype in _PLAIN_NUMBERS:
        if isinstance(value, kind):
            return _scalar(_rounded(f"{function}: {parameter}", value, dtype), dtype)
    expected = "it must be an aclScalar or a number"
    raise InvalidCall(f"{function}: {parameter} is {kind_of(value)}; {expected}; call aclCreateScalar")


_PLAIN_NUMBERS = (
    (float, BY_NAME["float64"]),
    (bool, BY_NAME["bool"]),  # before int, because a bool is an int
    (int, BY_NAME["int64"]),
    (complex, BY_NAME["complex128"]),
)


def _rounded(context: str, value: Any, dtype: Dtype) -> float | complex:
    """The value, rounded to the dtype."""
    if dtype.kind == "complex":
        return complex(dtype.numpy.type(value))
    if dtype.kind == "bool":
        return float(bool(value))
    if dtype.kind in ("int", "uint"):
        number = python_operator.index(value) if hasattr(value, "__index__") else int(value)
        limits = np.iinfo(dtype.numpy)
        if not limits.min <= number <= limits.max:
            fault = f"{context}: value is {quote(value)}"
            raise InvalidArgument(
                f"{fault}; {dtype.acl_name} holds {limits.min} to {limits.max}; pass a number in that range"
            )
        return float(number) if abs(number) <= EXACT else number  # a double cannot represent every larger integer
    if dtype.name == "float64":
        return float(value)
    with default_environment(), np.errstate(over="ignore"):
        return float(_numpy_dtype(context, dtype).type(value))


def _numpy_dtype(context: str, dtype: Dtype) -> np.dtype[Any]:
    if dtype.kind != "other":
        return dtype.numpy
    scalar_type = getattr(first_use.module("ml_dtypes"), dtype.name, None)
    if scalar_type is None:
        raise InvalidArgument(
            f"{context}: dataType is {dtype.acl_name}; Python numbers must have a conversion to it; pass ACL_FLOAT"
        )
    return np.dtype(scalar_type)
