"""The thread pool: the OpenMP runtime of the process, found late and never brought along.

Kernels call it through one table in memory, so that compiled code need not change when PyTorch, whose runtime is
preferred, is imported after the first kernel ran. Without any runtime they compute on one thread.
"""

from __future__ import annotations

import ctypes
import operator
import os
import sys
from pathlib import Path

import llvmlite.binding as llvm

from ... import first_use
from ...errors import BackendUnavailable, InvalidArgument, InvalidCall, shown
from .. import FIRST_PROCESS
from .driver import SLOTS_SYMBOL, Runtime, Slots

MOST_THREADS = 1024  # a pool of many more has brought processes down
_table = (ctypes.c_int64 * len(Slots))()
_FUNCTIONS = {
    Runtime.PARALLEL: "GOMP_parallel",
    Runtime.THREAD: "omp_get_thread_num",
    Runtime.THREADS: "omp_get_num_threads",
    Runtime.MAX_THREADS: "omp_get_max_threads",
}
_runtime = ""  # whose runtime the table points to: "", "system" or "PyTorch"
_loaded: list[tuple[ctypes.CDLL, ctypes.Array[ctypes.c_int64]]] = []  # kept, or the addresses would dangle


def add_symbols() -> None:
    """Tell LLVM where the table is, and have each thread keep a stage under a key, freed when it ends."""
    key = ctypes.c_uint32()
    library = ctypes.CDLL(None)
    if library.pthread_key_create(ctypes.byref(key), library.free):
        raise BackendUnavailable("the CPU backend: this process has no pthread key left")
    _table[Slots.STAGE_KEY] = key.value
    llvm.add_symbol(SLOTS_SYMBOL, ctypes.addressof(_table))


def adopt_runtime() -> bool:
    """Point the table to the runtime of PyTorch where it is imported, else of the system where there is one.

    Whether that is settled: PyTorch is there, and more need not be looked for.
    """
    global _runtime
    torch = sys.modules.get("torch")
    is_imported = hasattr(torch, "__version__")  # wholly; it may be in the midst of it
    _table[Slots.SETTLED] = is_imported
    if _runtime == "PyTorch" or (torch is None and _runtime):
        return is_imported
    folder = getattr(torch, "__file__", None)  # None while PyTorch is being imported
    if folder and _point_to(str(Path(folder).parent / "lib" / "libtorch_cpu.so")):
        _runtime = "PyTorch"
    elif not _runtime:
        _runtime = "system" if any(map(_point_to, ("libgomp.so.1", "libomp.so.5", "libomp.so"))) else "none"
    return is_imported


def _point_to(library: str) -> bool:
    """Point the table to the functions that `library` has or depends on; whether it has them."""
    try:
        with first_use.lock:  # a child forked while a library is loaded could load none
            handle = ctypes.CDLL(library)
        functions = [getattr(handle, _FUNCTIONS[part]) for part in Runtime]
    except (OSError, AttributeError):  # not there, or without OpenMP in it
        return False
    runtime = (ctypes.c_int64 * len(Runtime))(*(ctypes.cast(f, ctypes.c_void_p).value or 0 for f in functions))
    _loaded.append((handle, runtime))
    _table[Slots.OWNER] = FIRST_PROCESS
    _table[Slots.RUNTIME] = ctypes.addressof(runtime)  # one word: who computes meanwhile sees one runtime or the other
    return True


def runtime() -> str:
    """Whose OpenMP runtime computes: "PyTorch", "system", or "none" for one thread."""
    adopt_runtime()
    return _runtime


def set_num_threads(n: int) -> None:
    """Compute on at most `n` threads from now on; 0 returns to the default."""
    wanted = f"it must be a whole number up to {MOST_THREADS}, 0 for the default"
    if isinstance(n, bool) or not hasattr(type(n), "__index__"):
        raise InvalidCall(f"set_num_threads: n is {shown(n)}; {wanted}")
    try:
        number = operator.index(n)
    except Exception as error:  # an array has __index__ too; others raise whatever they like
        raise InvalidCall(f"set_num_threads: n is {shown(n)}; {wanted}") from error
    if not 0 <= number <= MOST_THREADS:
        raise InvalidArgument(f"set_num_threads: n is {shown(n)}; {wanted}")
    _table[Slots.CHOSEN] = number


def get_num_threads() -> int:
    """The number of threads that a large call computes on."""
    adopt_runtime()
    if not _table[Slots.RUNTIME] or _table[Slots.OWNER] != os.getpid():
        return 1
    return _table[Slots.CHOSEN] or int(_loaded[-1][0].omp_get_max_threads())
