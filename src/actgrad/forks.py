"""Locks that outlive a fork: a child must not wait for a thread that it does not have."""

from __future__ import annotations

import os
import threading


def forkable_lock() -> threading.RLock:
    """A lock that nobody else holds while this process forks, and that is free in the child."""
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
