"""Backends. A backend makes a `kernel` from a computation, and does not depend on the names of operators.

A backend is imported at its first use.

`cpu` writes machine code, `triton` runs on GPUs, `reference` computes with NumPy. `formula` has the accurate functions.
`contiguous_copies` copies tensors whose strides a kernel cannot handle. `factors` finds the attributes by which a
formula multiplies; `reference` computes calls in which such a factor is extreme.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

from ..base import first_use
from ..base.computation import Computation
from ..base.errors import BackendUnavailable, InvalidCall, either, installation, quote

#: The devices whose memory a backend computes on, by the backend's name.
DEVICES = {"cpu": ("cpu",), "reference": ("cpu",), "triton": ("cuda", "rocm")}


def choose(name: str | None, device: str, operator: str) -> str:
    """The backend called `name`, or the backend for the device of the tensors."""
    kind = device.partition(":")[0]
    if name is None:
        for backend, devices in DEVICES.items():
            if kind in devices:
                return backend
        names = either(device for devices in dict.fromkeys(DEVICES.values()) for device in devices)
        raise BackendUnavailable(
            f"{operator}: the tensors are on {device}; they must be on {names}; move them with .cpu()"
        )
    if not isinstance(name, str) or name not in DEVICES:
        raise InvalidCall(
            f"{operator}: backend is {quote(name)}; it must be {either(map(repr, DEVICES))}; pass one of these"
        )
    if kind not in DEVICES[name] and not (kind == "cpu" and name == "triton" and triton_is_interpreted()):
        hint = ", or set TRITON_INTERPRET=1 for Triton's interpreter" if name == "triton" and kind == "cpu" else ""
        raise BackendUnavailable(
            f"{operator}: backend is {name!r}, but the tensors are on {device}; this backend computes on "
            f"{either(DEVICES[name])}; leave backend out{hint}"
        )
    return name


#: The data types that machine code reads and writes. Other types and complex numbers need the reference backend.
COMPILED = frozenset({
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32",
    "float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu",
})  # fmt: skip


def for_numbers(backend: str, computation: Computation, operator: str) -> str:
    """The backend for a computation's numbers: `backend`, or the reference.

    The reference computes data types that machine code cannot handle, and attributes that are extreme factors.
    """
    loop, has_rows = computation.loop, computation.statistics is not None
    # Machine code for rows cannot write complex numbers. The dtype of the arithmetic tells of complex inputs.
    operands = (*loop.outputs, *loop.inputs)
    names = {o.dtype.name for o in operands if has_rows or o.dtype.kind != "complex"}
    if computation.compute in ("float32", "float64") and names <= COMPILED:
        is_extreme = backend == "cpu" and computation.scalars and _has_extreme_factors(computation)
        return "reference" if is_extreme else backend
    if computation.device.partition(":")[0] != "cpu":
        missing = ", ".join(sorted(names - COMPILED) or [computation.compute])
        raise BackendUnavailable(
            f"{operator}: a tensor is {missing} on {computation.device}; this dtype must be on the CPU; move it with "
            ".cpu()"
        )
    return "reference"


#: A factor whose size lies in this range, or is 0, is ordinary. Products of three are far from the ends of float32.
_LEAST, _LARGEST = 2.0**-20, 2.0**20


def _has_extreme_factors(computation: Computation) -> bool:
    """Whether a formula with exp or its relatives multiplies or divides by a very large or very small attribute."""
    scalars, extreme = computation.scalars, set()
    for place, number in enumerate(scalars):
        size = abs(number)
        if not _LEAST <= size <= _LARGEST and size not in (0.0, float("inf")) and size == size:
            extreme.add(place)
    if not extreme:
        return False
    find = first_use.module(f"{__name__}.factors").find
    return any(extreme & find(formula, len(scalars)) for formula in computation.formulas)


def triton_is_interpreted() -> bool:
    """Whether Triton's interpreter is on. Triton reads the same variable in the same way."""
    return os.environ.get("TRITON_INTERPRET", "").lower() in ("1", "true", "yes", "on", "y")


def load(name: str) -> ModuleType:
    """Import the backend called `name`; the module has `prepare(computation) -> BackendKernel`."""
    assert name in DEVICES
    try:
        return first_use.module(f"{__name__}.{name}")
    except ImportError as error:
        command = installation("gpu" if name == "triton" else "")
        raise BackendUnavailable(
            f"backend is {name!r}; its packages must be importable ({error}); install them: {command}"
        ) from error


#: The process that imported this package. A forked child inherits broken thread pools.
FIRST_PROCESS = os.getpid()
torch_is_adopted = False


def adopt_torch() -> None:
    """Let the CPU backend use PyTorch's thread pool as soon as PyTorch is imported, because two pools would compete."""
    global torch_is_adopted
    threads = sys.modules.get(f"{__name__}.cpu.threads")
    if threads is not None and "torch" in sys.modules:
        torch_is_adopted = threads.adopt_runtime()


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_num_threads(n: int) -> None:
    """Compute on at most `n` threads from now on. With 0, use the default.

    The default is PyTorch's number if PyTorch is loaded, otherwise OMP_NUM_THREADS or the cores of this process.
    """
    first_use.module(f"{__name__}.cpu.threads").set_num_threads(n)


def get_num_threads() -> int:
    """The number of threads that a large call on the CPU computes on."""
    count: int = first_use.module(f"{__name__}.cpu.threads").get_num_threads()
    return count
