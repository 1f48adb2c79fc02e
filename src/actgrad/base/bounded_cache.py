"""A dictionary with a limit, for all caches of the package. A new entry evicts the oldest one."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from .forks import forkable_lock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_lock = forkable_lock()


class BoundedCache(dict[K, V]):
    """A dictionary of at most `capacity` entries. Reading takes no lock."""

    def __init__(self, capacity: int):
        super().__init__()
        self.capacity = capacity

    def keep(self, key: K, value: V) -> V:
        """Set an entry and return its value."""
        with _lock:
            while len(self) >= self.capacity and key not in self:
                del self[next(iter(self))]
            self[key] = value
        return value
