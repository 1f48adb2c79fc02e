"""Locks that are free in a child process after a fork, because the child lacks the threads that might hold them."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

_locks: list[threading.RLock] = []  # a fork acquires the first lock first, because its holder may acquire the others
_acquired: list[threading.RLock] = []  # the locks that the forking thread has acquired


def forkable_lock() -> threading.RLock:
    """A lock that no other thread holds while this process forks, and that is free in the child."""
    lock = threading.RLock()
    _locks.append(lock)
    return lock


if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:
        """`functools.cached_property` without a lock. Before Python 3.12 it has one, and a child could wait forever."""

        def __init__(self, function: Any):
            self._function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return vars(instance).setdefault(self._name, self._function(instance))


def _before_fork() -> None:
    for lock in _locks:  # the list may grow in this loop: the holder of the first lock may import a module with a lock
        lock.acquire()
        _acquired.append(lock)


def _after_fork() -> None:
    while _acquired:
        _acquired.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
