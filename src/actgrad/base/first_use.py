"""Imports and compilation, which the first call of a kind does. Below, "work" means imports and compilation.

Only one thread works at a time. LLVM and Python's import system need more stack than some threads have, so the work
runs in a new thread with a large stack.
A fork waits until the work ends. Otherwise the child would wait forever for the lock of an import or of a compiler.
The end of the interpreter waits too, because LLVM aborts a process that exits during a compilation.
"""

from __future__ import annotations

import _thread
import atexit
import contextvars
import functools
import importlib
import sys
import threading
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from .forks import forkable_lock

T = TypeVar("T")

STACK_BYTES = 8 << 20
_POLL_SECONDS = 0.1  # the interval at which the waiting thread checks that the working thread is alive
_REST_SECONDS = 30.0  # a process ends earlier, unless it waits for the resting thread


class FirstUseLock:
    """The lock of the work, and of other code that a fork must not interrupt.

    When the interpreter or the process ends, other threads sleep before they acquire the lock and after they release
    the lock. Otherwise the interpreter would stop them at their next line of Python, and PyTorch's C++ code would abort
    the process.
    """

    def __init__(self) -> None:
        self._lock = forkable_lock()
        self._owner = self._depth = 0  # written while the lock is held
        self._ending = 0  # the thread that ends the interpreter or the process

    def __enter__(self) -> None:
        if self._ending and self._owner != threading.get_ident():
            self._rest()
        self._lock.acquire()
        self._owner, self._depth = threading.get_ident(), self._depth + 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        is_free = self._depth == 0
        if is_free:
            self._owner = 0
        self._lock.release()
        if self._ending and is_free:
            self._rest()

    def end(self) -> None:
        """Wait for the work of other threads. This thread is about to end the interpreter or the process."""
        self._ending = threading.get_ident()
        with self._lock:
            pass

    def _rest(self) -> None:
        if threading.get_ident() not in (self._ending, _worker):
            never = threading.Lock()
            never.acquire()
            never.acquire(timeout=_REST_SECONDS)


lock = FirstUseLock()
_worker = 0  # the thread that works now, or 0. It is written while the lock is held
_modules: dict[str, ModuleType] = {}
_refusal: Exception | None = None  # an error that new work raises
on_thread: Callable[[], object] | None = None  #: a function that each thread calls before its work
after_work: Callable[[], object] | None = None  #: a function that is called after the work
atexit.register(lock.end)


def run(work: Callable[[], T]) -> T:
    """The result of `work`, a function that imports or compiles. Raises what `work` raises."""
    if threading.get_ident() == _worker:
        return work()  # a part of the work that this thread does
    with lock:
        if _refusal is not None:
            raise _refusal
        try:
            return _on_large_stack(work)
        finally:
            if after_work is not None:
                after_work()


def module(name: str) -> ModuleType:
    """The module of this name, imported at its first use."""
    imported = _modules.get(name)
    if imported is None or sys.modules.get(name) is not imported:
        imported = _modules[name] = run(lambda: importlib.import_module(name))
    return imported


class LazyModule:
    """A module that is imported when a program uses one of its names."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(module(self._name), name)


def refuse(error: Exception) -> None:
    """Wait for other threads' work. Afterwards, new work in this process raises `error`."""
    global _refusal
    lock.end()
    _refusal = error


def _on_large_stack(work: Callable[[], T]) -> T:
    """The result of `work`, done in a new thread. An interrupt waits, because a compilation must not stop halfway."""
    results: list[T] = []
    errors: list[BaseException] = []
    context, ended = contextvars.copy_context(), threading.Event()

    def target() -> None:
        global _worker
        try:
            _worker = threading.get_ident()
            if on_thread is not None:
                on_thread()
            results.append(context.run(work))
        except BaseException as error:  # the waiting thread raises it
            errors.append(error)
        finally:
            _worker = 0
            ended.set()

    # Only the thread has a strong reference to its task. A thread without memory may end before its first or last line.
    # The weak reference is then dead, and this thread stops waiting.
    tasks = [functools.partial(target)]
    task = weakref.ref(tasks[0])
    interrupt: BaseException | None = None
    is_startable = True
    while is_startable and task() is not None and not ended.is_set():
        try:
            if tasks:
                is_startable = _start(tasks)
            else:
                ended.wait(_POLL_SECONDS)
        except BaseException as error:
            interrupt = error.with_traceback(None)  # frames of the traceback may refer to the task
            tasks.clear()
    if interrupt is not None:
        raise interrupt
    if not is_startable:
        return work()
    if errors:
        raise errors[0]
    if not results:
        raise MemoryError("a thread ended without a result; it must have memory to run; free memory")
    return results[0]


def _start(tasks: list[functools.partial[None]]) -> bool:
    """Start a thread with a large stack that runs the last of `tasks`. Returns whether a thread was started.

    No thread can be started while the interpreter ends, or if the process has too many threads.
    """
    before = threading.stack_size(STACK_BYTES)
    try:
        _thread.start_new_thread(tasks.pop(), ())
    except RuntimeError:
        return False
    else:
        return True
    finally:
        threading.stack_size(before)
