"""The memory of tensors as tensors of PyTorch, without a copy, and PyTorch isolated from the settings of the program.

PyTorch is imported when the first call needs it.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ml_dtypes
import numpy as np

from ...base import first_use
from ...base.errors import KernelMissing
from ...base.floating_point import default_environment
from ..aclnn.objects import AclScalar
from .arrays import cast_to, element_of
from .entry import Dtype, category, working

#: The name by which rules use PyTorch.
torch: Any = first_use.LazyModule("torch")

#: How to get PyTorch, for the messages.
CURE = "run pip install '.[network]' in the clone"
_BACKENDS = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def require(name: str) -> None:
    """Raise unless PyTorch is there. `name` is the function that needs it."""
    if _is_imported():
        return
    try:
        first_use.run(_import)
    except ImportError as error:
        is_absent = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        reason = "" if is_absent else f", but its import failed: {' '.join(str(error).split())}"
        raise KernelMissing(f"{name} needs PyTorch{reason}; {CURE}") from error


def _is_imported() -> bool:
    return "Tensor" in vars(torch)


def _import() -> None:
    """Import PyTorch without its backends: torch_npu would start the SDK again, in this process."""
    before = os.environ.get(_BACKENDS)
    os.environ[_BACKENDS] = "0"
    try:
        vars(torch).update(vars(first_use.module("torch")))  # so that the names cost nothing
    finally:
        if before is None:
            del os.environ[_BACKENDS]
        else:
            os.environ[_BACKENDS] = before


@functools.cache
def is_installed() -> bool:
    """Whether PyTorch is installed, without an import."""
    return importlib.util.find_spec("torch") is not None


_first_process = os.getpid()


@functools.cache
def _dispatch_keys() -> tuple[Any, Any]:
    """The dispatch keys to include and to exclude, so that operators only compute on memory."""
    c, keys = torch._C, torch._C.DispatchKey
    excluded = c.DispatchKeySet(keys.ADInplaceOrView)
    for name in dir(keys):
        if name.startswith(("Autograd", "Autocast", "FuncTorch", "Python", "Functionalize")):
            excluded = excluded | c.DispatchKeySet(getattr(keys, name))
    return c.DispatchKeySet(keys.BackendSelect), excluded


@contextmanager
def _full_precision() -> Iterator[None]:
    """Multiply float32 numbers as such. A program may let PyTorch round them to bfloat16 on CPUs that are faster so."""
    get, set_ = torch._C._get_fp32_precision_getter, torch._C._set_fp32_precision_setter
    before = [(kind, get("mkldnn", kind)) for kind in ("matmul", "conv")]
    rounded = [pair for pair in before if pair[1] not in ("none", "ieee")]
    for kind, _ in rounded:
        set_("mkldnn", kind, "ieee")
    try:
        yield
    finally:
        for pair in rounded:
            set_("mkldnn", *pair)


@contextmanager
def surroundings() -> Iterator[None]:
    """Compute without the program's default device, autocast, gradients, dispatch modes, precision and rounding mode.

    A child process computes with one thread, because the threads of OpenMP do not survive a fork.
    """
    if os.getpid() != _first_process and torch.get_num_threads() != 1:
        torch.set_num_threads(1)
    apart = torch._C.DisableTorchFunction(), torch._C._ForceDispatchKeyGuard(*_dispatch_keys())
    with default_environment(), _full_precision(), apart[0], apart[1]:
        yield


_SIGNED = {np.dtype(f"uint{bits}"): np.dtype(f"int{bits}") for bits in (16, 32, 64)}
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@functools.cache
def dtype_of(dtype: Dtype) -> Any:
    """PyTorch's dtype."""
    return getattr(torch, dtype.name)


def on_memory(array: np.ndarray[Any, Any], keeps_unsigned: bool) -> Any:
    """A tensor on the memory of an array.

    PyTorch computes little with unsigned integers of 16 bits and more. They are signed unless `keeps_unsigned`.
    """
    if array.dtype == _BFLOAT16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array if keeps_unsigned else array.view(_SIGNED.get(array.dtype, array.dtype)))


def as_signed(a: Any) -> Any:
    """A tensor whose unsigned integers of 16 bits and more are read as signed, for functions that only move them."""
    dtype = _SIGNED.get(np.dtype(str(a.dtype).removeprefix("torch."))) if not a.dtype.is_signed else None
    return a if dtype is None else a.view(dtype_of(dtype))


def number(scalar: AclScalar, dtype: Dtype | None, is_real: bool) -> Any:
    """A number of Python. If all results are real, a complex number counts with its real part."""
    value = scalar.value.real if is_real and isinstance(scalar.value, complex) else scalar.value
    if dtype is None or category(dtype) >= 2:  # PyTorch rounds a number when it meets a tensor
        return value
    return element_of(scalar, dtype).item()


def element(array: np.ndarray[Any, Any]) -> Any:
    """The number in an array of one element, for a rule that fills a result with it."""
    return array.astype(np.float32).item() if array.dtype == _BFLOAT16 else array.item()


def converted(value: Any, dtype: Dtype | None) -> Any:
    """An argument in the dtype to compute in. Unless this is complex, a complex tensor counts with its real part."""
    if dtype is None or not isinstance(value, torch.Tensor):
        return value
    return (value.real if value.is_complex() and dtype.kind != "c" else value).to(dtype_of(working(dtype)))


#: How many float32 numbers a plain loop adds. A sum of many more stops growing, because a term is less than half a unit
#: in the last place of the sum.
_MOST_TERMS = 1024


def wide_enough(a: Any, terms: int) -> Any:
    """The tensor in a dtype in which a plain loop may add `terms` of its numbers. Some functions of PyTorch do so."""
    if terms <= _MOST_TERMS or not (a.is_floating_point() or a.is_complex()):
        return a
    return a.to(torch.complex128 if a.is_complex() else torch.float64)


def as_values(computed: list[Any], inputs: list[Any]) -> list[Any]:
    """The results of a rule as tensors. None stands for a result that is not written.

    A result that is a view of an input is copied, because results may overlap inputs.
    """
    tensors = [each for value in inputs for each in (value if isinstance(value, tuple) else (value,))]
    borrowed = {each.untyped_storage().data_ptr() for each in tensors if isinstance(each, torch.Tensor)}

    def apart(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return torch.tensor(value)
        return value.clone() if value.untyped_storage().data_ptr() in borrowed else value

    return [each if each is None else apart(each) for each in computed]


def write(result: np.ndarray[Any, Any], value: Any, dtype: Dtype | None, is_found: bool) -> None:
    """Write a value into the memory of a result. `dtype`: the value is first rounded to this dtype."""
    part = result.reshape(-1)[: value.numel()].reshape(tuple(value.shape)) if is_found else result
    value = value.reshape(part.shape) if value.numel() == part.size else value
    is_cut_off = value.is_floating_point() and category(result.dtype) == 1
    if dtype is not None and result.dtype != dtype and not is_cut_off:
        value = value.to(dtype_of(dtype))
    if value.is_complex() and part.dtype.kind != "c":
        value = value.real
    if value.dtype.is_signed:
        part = part.view(_SIGNED.get(part.dtype, part.dtype))
    repeats = any(stride == 0 and n > 1 for stride, n in zip(part.strides, part.shape, strict=True))
    if is_cut_off:
        part[...] = cast_to(result.dtype, _array(value)).view(part.dtype)
    elif repeats:
        part[...] = _array(value.to(dtype_of(part.dtype)))  # PyTorch refuses such memory
    else:
        on_memory(part, True).copy_(value)


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    if tensor.dtype == torch.bfloat16:
        return np.asarray(tensor.contiguous().view(torch.int16).numpy()).view(_BFLOAT16)
    return np.asarray(tensor.resolve_conj().resolve_neg().numpy())
