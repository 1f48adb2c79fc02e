"""Kernels that compute on contiguous copies, for tensors whose strides a loop cannot handle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import arrays
from ..base.computation import Computation, forward
from ..base.dtypes import BY_NAME
from ..base.loop import Loop, Operand, TensorMeta, row_major
from ..base.records import Record
from .kernel import BackendKernel

Make = Callable[[Computation], BackendKernel]


def word(x):  # type: ignore[no-untyped-def]  # a formula
    """x"""
    return x


class Copy(Record):
    """A tensor of a call, and the kernels that copy it."""

    tensor: int  # index among the addresses
    size: int  # bytes
    load: BackendKernel | None  # copies the tensor to the contiguous copy; None if the kernel overwrites the whole copy
    store: BackendKernel | None  # copies the contiguous copy back to the tensor. None for an input


class CopyingKernel:
    """A kernel on contiguous copies of some tensors. Each run makes the copies again."""

    machine_code = None
    with_scalars = None
    with_size = None

    def __init__(self, kernel: BackendKernel, copies: tuple[Copy, ...], device: str):
        self._kernel, self._copies, self._device = kernel, copies, device

    def __str__(self) -> str:
        return f"{self._kernel}, on {len(self._copies)} contiguous copies"

    def run(self, *addresses: int) -> None:
        """Copy the inputs, compute, and copy the outputs back."""
        positions, buffers = list(addresses), []
        for copy in self._copies:
            buffer, positions[copy.tensor] = _buffer(copy.size, self._device)
            buffers.append(buffer)  # keeps the buffer alive until all results are copied back
            if copy.load is not None:
                copy.load.run(positions[copy.tensor], addresses[copy.tensor])
        self._kernel.run(*positions)
        for copy in self._copies:
            if copy.store is not None:
                copy.store.run(addresses[copy.tensor], positions[copy.tensor])


def _buffer(size: int, device: str) -> tuple[Any, int]:
    """New memory on a device, and its address."""
    meta = TensorMeta(BY_NAME["uint8"], (size,), (1,))
    if device == "cpu":
        array = arrays.fresh("numpy", meta, device)
        return array, array.__array_interface__["data"][0]
    tensor = arrays.fresh("torch", meta, device.replace("rocm", "cuda"))
    return tensor, tensor.data_ptr()


def prepare(
    kernel: BackendKernel, tensors: Mapping[int, TensorMeta], make: Make, computation: Computation, keeps_rows: bool
) -> BackendKernel:
    """The kernel of a computation on contiguous copies of `tensors`, whose keys are their indices.

    Without tensors, the result is `kernel`.

    `keeps_rows`: the kernel may leave some elements of the outputs unchanged.
    """
    if not tensors or computation.is_empty:
        return kernel
    outputs = len({operand.tensor for operand in computation.loop.outputs})

    def copy(number: int, meta: TensorMeta) -> Copy:
        plain = meta._replace(strides=row_major(meta.shape, meta.dtype.itemsize))
        is_output = number < outputs
        load = None if is_output and not keeps_rows else make(_of_words(plain, meta, computation.device))
        store = make(_of_words(meta, plain, computation.device)) if is_output else None
        return Copy(number, meta.size * meta.dtype.itemsize, load, store)

    copies = tuple([copy(number, meta) for number, meta in tensors.items()])
    return CopyingKernel(kernel, copies, computation.device)


def _of_words(target: TensorMeta, source: TensorMeta, device: str) -> Computation:
    """A computation that copies a tensor as integers, because a copy of floats could change the bits of a NaN."""
    size = min(target.dtype.itemsize, 4)
    integer = BY_NAME[f"int{8 * size}"]
    shape = (*target.shape, target.dtype.itemsize // size)
    to, of = (Operand(number, integer, 0, (*meta.strides, size)) for number, meta in enumerate((target, source)))
    return Computation(forward, (word,), (), integer.compute, Loop(shape, (to,), (of,)), device)
