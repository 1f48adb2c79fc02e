"""Work that the first call of a kind does: imports and compilation. One thread at a time does it, on a large stack.

A fork waits for it to end: a child would wait for ever for a module or a compiler that another thread was busy with.
The end of the interpreter waits too: LLVM aborts the process where the C library ends it during a compilation.
LLVM and Python's import system need more stack than some threads have, so the work runs on a thread of its own.
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
from typing import TypeVar

from .forks import forkable_lock

T = TypeVar("T")

STACK_BYTES = 8 << 20
_BETWEEN_LOOKS = 0.1  # seconds, after which a waiting thread looks whether the other one is still there
_REST = 30.0  # seconds. A process ends earlier, unless it waits for the thread that sleeps


class FirstUseLock:
    """The lock that is held during such work, and around code that must not be halfway at a fork either.

    Once the interpreter or the process ends, other threads rest before they take the lock, and after they gave it
    back. An interpreter would stop them at their next line of Python, and PyTorch's C++ aborts the process then.
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
        """Wait for the work of other threads, because this thread ends the interpreter or the process."""
        self._ending = threading.get_ident()
        with self._lock:
            pass

    def _rest(self) -> None:
        if threading.get_ident() not in (self._ending, _worker):
            never = threading.Lock()
            never.acquire()
            never.acquire(timeout=_REST)


lock = FirstUseLock()
_worker = 0  # the thread that does such work now, 0 for none. It is written while the lock is held
_modules: dict[str, ModuleType] = {}
_refusal: Exception | None = None  # raised where work would begin
on_thread: Callable[[], object] | None = None  #: called first on each thread of such work, if a process needs that
after_work: Callable[[], object] | None = None  #: called after such work, if a process needs that
atexit.register(lock.end)


def run(work: Callable[[], T]) -> T:
    """The result of `work`, or its exception."""
    if threading.get_ident() == _worker:
        return work()  # a part of such work
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


def refuse(error: Exception) -> None:
    """End the work of this process: wait for other threads' work. From now on, new work raises `error`."""
    global _refusal
    lock.end()
    _refusal = error


def _on_large_stack(work: Callable[[], T]) -> T:
    """The result of `work` on a thread of its own. An interrupt waits: compilers cannot be left halfway."""
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

    # Only the thread holds its task, because a thread without memory may end before its first or its last line.
    tasks = [functools.partial(target)]
    task = weakref.ref(tasks[0])
    interrupt: BaseException | None = None
    is_startable = True
    while is_startable and task() is not None and not ended.is_set():
        try:
            if tasks:
                is_startable = _start(tasks)
            else:
                ended.wait(_BETWEEN_LOOKS)
        except BaseException as error:
            interrupt = error.with_traceback(None)  # whose frames may hold the task
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
    """Start a thread with a large stack, which gets the last of `tasks`.

    False where the interpreter ends or has as many threads as there may be.
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
