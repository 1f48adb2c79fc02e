"""The thread pool: the OpenMP runtime of the process. It is PyTorch's if PyTorch is imported, otherwise the system's.

Kernels call the runtime through a table in memory, which may change, because a program may import PyTorch after the
first kernel ran. Without a runtime, kernels compute on one thread. This package never brings a runtime along.
"""

from __future__ import annotations

import ctypes
import operator
import os
import sys
from pathlib import Path

import llvmlite.binding as llvm

from ...base import first_use
from ...base.errors import BackendUnavailable, InvalidArgument, InvalidCall, quote
from .. import FIRST_PROCESS
from .call_block import SLOTS_SYMBOL, RuntimeFunctions, ThreadSlots

MOST_THREADS = 1024  # processes with many more threads in a pool have crashed
_table = (ctypes.c_int64 * len(ThreadSlots))()
#: Their names, in the order of RuntimeFunctions.
_FUNCTIONS = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads")
_runtime = ""  # the owner of the runtime that the table points to: "", "system", "PyTorch" or "none"
_loaded: list[tuple[ctypes.CDLL, ctypes.Array[ctypes.c_int64]]] = []  # these references keep the libraries loaded


def add_symbols() -> None:
    """Tell LLVM the table's address.

    Create the pthread key of the threads' buffers, which are freed when their thread ends.
    """
    key = ctypes.c_uint32()
    library = ctypes.CDLL(None)
    if library.pthread_key_create(ctypes.byref(key), library.free):
        raise BackendUnavailable(
            "the process has used all its pthread keys; the CPU backend must have one; pass backend='reference'"
        )
    _table[ThreadSlots.BUFFER_KEY] = key.value
    llvm.add_symbol(SLOTS_SYMBOL, ctypes.addressof(_table))


def adopt_runtime() -> bool:
    """Point the table to PyTorch's runtime if PyTorch is imported, otherwise to the system's runtime if one exists.

    Returns:
        Whether the runtime is final, because PyTorch is imported.
    """
    global _runtime
    torch = sys.modules.get("torch")
    is_imported = hasattr(torch, "__version__")  # false while PyTorch is being imported
    _table[ThreadSlots.SETTLED] = is_imported
    if _runtime == "PyTorch" or (torch is None and _runtime):
        return is_imported
    folder = getattr(torch, "__file__", None)  # None while PyTorch is being imported
    if folder and _point_to(str(Path(folder).parent / "lib" / "libtorch_cpu.so")):
        _runtime = "PyTorch"
    elif not _runtime:
        _runtime = "system" if any(map(_point_to, ("libgomp.so.1", "libomp.so.5", "libomp.so"))) else "none"
    return is_imported


def _point_to(library: str) -> bool:
    """Point the table to the functions of `library` or its dependencies. Returns whether they exist."""
    try:
        with first_use.lock:  # a child that is forked during a load could not load anything
            handle = ctypes.CDLL(library)
        functions = [getattr(handle, _FUNCTIONS[part]) for part in RuntimeFunctions]
    except (OSError, AttributeError):  # the library is absent, or has no OpenMP
        return False
    runtime = (ctypes.c_int64 * len(RuntimeFunctions))(*(ctypes.cast(f, ctypes.c_void_p).value or 0 for f in functions))
    _loaded.append((handle, runtime))
    _table[ThreadSlots.OWNER] = FIRST_PROCESS
    _table[ThreadSlots.RUNTIME] = ctypes.addressof(runtime)  # one word, so other threads see the old or the new runtime
    return True


def runtime() -> str:
    """The owner of the OpenMP runtime: "PyTorch" or "system". "none" if kernels compute on one thread."""
    adopt_runtime()
    return _runtime


def set_num_threads(n: int) -> None:
    """Compute on at most `n` threads from now on. With 0, use the default."""
    expected = f"it must be an integer from 0 to {MOST_THREADS}; pass 0 for the default"
    if isinstance(n, bool) or not hasattr(type(n), "__index__"):
        raise InvalidCall(f"set_num_threads: n is {quote(n)}; {expected}")
    try:
        number = operator.index(n)
    except Exception as error:  # arrays also have __index__, which may raise any exception
        raise InvalidCall(f"set_num_threads: n is {quote(n)}; {expected}") from error
    if not 0 <= number <= MOST_THREADS:
        raise InvalidArgument(f"set_num_threads: n is {quote(n)}; {expected}")
    _table[ThreadSlots.CHOSEN] = number


def get_num_threads() -> int:
    """The number of threads that a large call computes on."""
    adopt_runtime()
    if not _table[ThreadSlots.RUNTIME] or _table[ThreadSlots.OWNER] != os.getpid():
        return 1
    return _table[ThreadSlots.CHOSEN] or int(_loaded[-1][0].omp_get_max_threads())
