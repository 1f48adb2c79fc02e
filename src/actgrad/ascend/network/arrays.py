"""The memory of tensors as NumPy arrays, without a copy, and how a value gets into this memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ...arrays import ArrayView
from ...base.dtypes import BY_NAME
from ...base.loop import TensorMeta
from ..aclnn.objects import AclScalar, AclTensor
from ..rules.scalars import as_element, integers
from .entry import Dtype, category, working


class _DeviceMemory:
    """Memory that NumPy reads through the array interface."""

    def __init__(self, view: ArrayView, distance: int):
        meta = view.meta
        self.__array_interface__ = {
            "data": (view.address + distance, False),
            "shape": meta.shape,
            "strides": meta.strides,
            "typestr": f"|V{meta.dtype.itemsize}",
            "version": 3,
        }


def _nibbles(tensor: AclTensor, view: ArrayView, distance: int) -> np.ndarray[Any, Any]:
    """A copy of the elements of an INT4 tensor. The low half of a byte is the earlier element."""
    meta = TensorMeta(BY_NAME["int8"], (tensor.reach,), (1,))
    pairs = np.asarray(_DeviceMemory(view._replace(meta=meta, address=view.address - tensor.offset), distance))
    pairs = pairs.view(np.int8)
    values = np.stack([pairs << 4 >> 4, pairs >> 4], 1).reshape(-1)[tensor.offset :]
    return np.lib.stride_tricks.as_strided(values, tensor.view_dims, tensor.strides)


def array_of(tensor: AclTensor, distance: int) -> np.ndarray[Any, Any]:
    """A tensor's elements, at the address where this process accesses them."""
    assert tensor.view is not None
    if 0 in tensor.view.meta.shape:
        return np.empty(tensor.view.meta.shape, np.int8 if tensor.is_nibbles else tensor.dtype.numpy)
    if tensor.is_nibbles:
        return _nibbles(tensor, tensor.view, distance)
    return np.asarray(_DeviceMemory(tensor.view, distance)).view(tensor.dtype.numpy)


def surroundings() -> AbstractContextManager[Any]:
    """The settings of this thread to compute in."""
    return np.errstate(all="ignore")


def on_memory(array: np.ndarray[Any, Any], keeps_unsigned: bool) -> np.ndarray[Any, Any]:
    """The array itself, because NumPy computes with unsigned integers."""
    return array


def number(scalar: AclScalar, dtype: Dtype | None, is_real: bool) -> np.ndarray[Any, Any]:
    """A number as an array. If all results are real, a complex number counts with its real part."""
    array = np.asarray(scalar.value)
    array = array.real if is_real and array.dtype.kind == "c" else array
    return array if dtype is None else element_of(scalar, working(dtype))


def element_of(scalar: AclScalar, dtype: Dtype) -> np.ndarray[Any, Any]:
    """A number in a dtype, as an array without dimensions."""
    return as_element(scalar.value, dtype, scalar.dtype.kind in ("int", "uint", "bool"))


def element(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of one element, for a rule that fills a result with it."""
    return array


def converted(value: Any, dtype: Dtype | None) -> Any:
    """An argument in the dtype to compute in. Unless this is complex, a complex array counts with its real part."""
    if dtype is None or not isinstance(value, np.ndarray):
        return value
    return (value.real if value.dtype.kind == "c" and dtype.kind != "c" else value).astype(working(dtype), copy=False)


def as_values(computed: list[Any], inputs: list[Any]) -> list[Any]:
    """The results of a rule as arrays. None stands for a result that is not written."""
    return [each if each is None else np.asarray(each) for each in computed]


def write(result: np.ndarray[Any, Any], value: np.ndarray[Any, Any], dtype: Dtype | None, is_found: bool) -> None:
    """Write a value into the memory of a result. `dtype`: the value is first rounded to this dtype."""
    part = result.ravel()[: value.size].reshape(value.shape) if is_found else result
    value = value.reshape(part.shape) if value.size == part.size else value
    if dtype is not None:
        rounded = part.dtype if category(part.dtype) == category(dtype) == 1 else dtype
        value = cast_to(rounded, value).astype(rounded, copy=False)
    if value.dtype.kind == "c" and part.dtype.kind != "c":
        value = value.real
    part[...] = value != 0 if part.dtype == np.bool_ else cast_to(part.dtype, value)


def cast_to(dtype: Dtype, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats as integers, if the dtype has integers. Other values stay."""
    return integers(value, dtype) if dtype.kind in "iu" and category(value.dtype) == 2 else value
