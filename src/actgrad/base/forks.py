"""Locks that outlive a fork: a child must not wait for a thread that it does not have."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

_locks: list[threading.RLock] = []  # the first one is acquired first: it may be held while others are taken
_held: list[threading.RLock] = []  # by the thread that forks


def forkable_lock() -> threading.RLock:
    """A lock that no other thread holds while this process forks, and that is free in the child."""
    lock = threading.RLock()
    _locks.append(lock)
    return lock


if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:
        """The same without the lock that Python before 3.12 has, because a child would wait for it for ever."""

        def __init__(self, function: Any):
            self._function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return vars(instance).setdefault(self._name, self._function(instance))


def _before_fork() -> None:
    for lock in _locks:  # it may grow meanwhile: the holder of the first lock may be importing a module with its own
        lock.acquire()
        _held.append(lock)


def _after_fork() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
