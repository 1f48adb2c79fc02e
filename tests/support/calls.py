"""Calls for the tests: tensors of the right shapes for any operator, memory of any layout, commands and scripts."""

from __future__ import annotations

import ctypes
import importlib.util
import mmap
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import actgrad
from actgrad import samples
from actgrad.base import dtypes

EVERY = list(actgrad.operators.values())
#: Operators whose kernels are of every class: what holds of their layouts, threads and bindings holds of the others.
OPERATORS = [
    operator
    for operator in EVERY
    if operator.name.startswith(("elu", "selu", "leaky_relu", "geglu")) or operator.name in ("gelu", "gelu_backward")
]
BFLOAT16 = dtypes.BY_NAME["bfloat16"].numpy


def ids(operator: actgrad.Operator) -> str:
    return operator.name


def supported(operator: actgrad.Operator) -> tuple[str, ...]:
    """The dtypes that the operator takes where no product judges."""
    return operator.input_dtypes


def pairs() -> list[Any]:
    """Every operator with each of its dtypes."""
    return [(operator, name) for operator in OPERATORS for name in supported(operator)]


def doubled(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return tuple(2 * n if d == dim % len(shape) else n for d, n in enumerate(shape))


def input_shapes(operator: actgrad.Operator, shape: tuple[int, ...], dim: int = -1) -> dict[str, tuple[int, ...]]:
    """The inputs' shapes of a call that computes `shape` elements; gated tensors are twice as long along `dim`."""
    names = [a.name for a in operator.schema.tensors]
    return {name: doubled(shape, dim) if operator.access.part_count(name) > 1 else shape for name in names}


def random_values(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Mostly normal numbers, and one in eight of random bits: infinities, NaNs, subnormals, numbers of any size."""
    dtype = dtypes.BY_NAME[dtype].numpy if isinstance(dtype, str) else np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64))
    bits = np.frombuffer(rng.bytes(size * dtype.itemsize), dtype).reshape(shape)
    if dtype.kind in "iu":
        return bits.copy()
    normal = (2 * rng.standard_normal(shape)).astype(dtype)
    return np.where(rng.random(shape) < 0.125, bits, normal).reshape(shape)


def inputs(
    rng: np.random.Generator, operator: actgrad.Operator, shape: tuple[int, ...], dtype: str = "float32", dim: int = -1
) -> dict[str, np.ndarray]:
    """Tensors for a call, contiguous, optional ones included."""
    shapes = input_shapes(operator, shape, dim)
    return {name: random_values(rng, whole, dtype) for name, whole in shapes.items()}


def off_defaults(operator: actgrad.Operator) -> dict[str, Any]:
    """Attributes that all differ from their defaults and from each other."""
    return next(case for case in reversed(samples.attribute_cases(operator)) if case.get("alpha", 1) > 0)


def contiguous_result(operator: actgrad.Operator, tensors: dict[str, Any], **attributes: Any) -> tuple[np.ndarray, ...]:
    """What the operator returns for contiguous copies of `tensors`."""
    copies = [None if t is None else np.array(t, order="C") for t in tensors.values()]
    return samples.as_tuple(operator(*copies, **attributes))


def by_kernel_of(
    engine: ModuleType, operator: actgrad.Operator, *tensors: Any, **attributes: Any
) -> tuple[Any, tuple[np.ndarray, ...]]:
    """The kernel that a backend's engine makes of the call now, and the results that it computes."""
    plan = operator.plan(*tensors, backend="reference", **attributes)
    kernel = engine.prepare(plan.computation)
    kernel.run(*plan.addresses)
    return kernel, samples.as_tuple(plan.result)


def same_bits(a: Any, b: Any) -> bool:
    """Whether two arrays have the same dtype, shape and bits; of two NaNs sign and payload may differ."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.tobytes() == b.tobytes():
        return True
    words = np.dtype(f"V{a.dtype.itemsize}")
    differ = np.ascontiguousarray(a).view(words) != np.ascontiguousarray(b).view(words)
    return a.dtype.kind not in "iu" and bool((np.isnan(a) & np.isnan(b))[differ].all())


@dataclass(frozen=True)
class Memory:
    """A layout: dimensions from the outermost, and each one's step over its neighbour, negative for backwards."""

    order: tuple[int, ...]
    steps: tuple[int, ...]
    offset: int = 0  # bytes

    def room(self, shape: tuple[int, ...], dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        """A view of `shape` laid out like this, and the memory around it, all bytes being 0xA5.

        The offset counts from the beginning of a cache line.
        """
        strides = [0] * len(shape)
        extent, reach = dtype.itemsize, 0  # reach: of the dimensions walked backwards
        for d in reversed(self.order):
            step = abs(self.steps[d]) * extent
            strides[d] = step if self.steps[d] > 0 else -step
            reach += 0 if self.steps[d] > 0 else step * (max(shape[d], 1) - 1)
            extent = step * max(shape[d], 1)
        memory = np.full(64 + self.offset + extent + 64, 0xA5, np.uint8)
        first = -memory.__array_interface__["data"][0] % 64 + self.offset + reach
        return np.ndarray(shape, dtype, memory, first, tuple(strides)), memory

    def holding(self, values: np.ndarray) -> np.ndarray:
        """A view with these values."""
        view, _ = self.room(values.shape, values.dtype)
        view[...] = values
        return view


def contiguous(rank: int) -> Memory:
    return Memory(tuple(range(rank)), (1,) * rank)


def untouched(view: np.ndarray, memory: np.ndarray) -> bool:
    """Whether the bytes of `memory` outside `view`, which is a view of it, are still 0xA5."""
    inside = np.zeros(memory.shape, np.uint8)
    start = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    mask = np.ndarray(view.shape, np.dtype(f"V{view.dtype.itemsize}"), inside, start, view.strides)
    mask[...] = np.frombuffer(b"\xff" * view.dtype.itemsize, mask.dtype)[0]
    return bool((memory[inside == 0] == 0xA5).all())


def guarded(values: np.ndarray, at_end: bool, turned: bool) -> np.ndarray:
    """A copy of `values` against the end (or the beginning) of a page, with forbidden pages around it."""
    page = mmap.PAGESIZE
    pages = -(-values.nbytes // page) or 1
    memory = mmap.mmap(-1, (pages + 2) * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for guard in (address, address + (pages + 1) * page):
        if protect(guard, page, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    start = page + (pages * page - values.nbytes if at_end else 0)
    order = "F" if turned else "C"
    view = np.ndarray(values.shape, values.dtype, memory, start, order=order)
    view[...] = values
    return view


class Counter:
    """How many calls took the slow path."""

    def __init__(self) -> None:
        self.calls = 0


def run_script(script: str, timeout: float = 120, **environment: str) -> str:
    """What a Python script prints that runs in a process of its own, warnings being errors there too."""
    paths = [str(Path(__file__).parents[2]), str(Path(actgrad.__file__).parent.parent)]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:actgrad.torch_npu is deprecated", "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def status(*arguments: str) -> int:
    """The exit status of the command line, whichever way it ends."""
    from actgrad.cli.main import main

    try:
        return main(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)


def script(name: str) -> ModuleType:
    """A program of scripts/, as a module; those beside it can be imported while it is loaded."""
    folder = Path(__file__).parents[2] / "scripts"
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module
