"""The cache of an operator's calls that passed all checks.

Its key is a signature. Checks and kernels depend only on the signature: the tensors' metadata, the attributes, the
rules and the backend. The fast path (fast_path.py) has a second cache of the same size, whose keys are arguments.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Hashable
from typing import Any

from ..base.bounded_cache import BoundedCache
from ..base.definition import Definition
from .plan import Prepared

CAPACITY = 1024  # calls per operator

_caches: dict[Definition, CallCache] = {}


class CallCache:
    """The calls of one operator that passed all checks."""

    def __init__(self) -> None:
        self.prepared = BoundedCache[Hashable, Prepared](CAPACITY)
        self.similar = BoundedCache[Hashable, Prepared](CAPACITY)  # by signatures without scalars, or without shapes

    def forget(self) -> None:
        """Forget all calls."""
        self.prepared.clear()
        self.similar.clear()


def cache_of(definition: Definition) -> CallCache:
    """The cache of an operator."""
    return _caches.get(definition) or _caches.setdefault(definition, CallCache())


def attribute_key(value: Any) -> Hashable:
    """A key for the cache. The keys of 0.0 and -0.0 differ, and of 1.0 and 1+0j. All NaNs have the same key."""
    if type(value) is float:
        if abs(value) >= sys.float_info.min:
            return value
        # The bits. A comparison of subnormal numbers would be wrong in a thread that flushes them to 0.
        return "nan" if value != value else struct.pack("<d", value)
    return value, type(value)
