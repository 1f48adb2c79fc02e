"""The calls of each operator that passed all checks, by their signatures.

A signature is all that checks and kernels depend on: the tensors' metadata, the attributes, the rules and the backend.
The fast path (fast_path.py) finds the same calls by the arguments themselves, and has the same limit.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Hashable
from typing import Any

from ..base.bounded_cache import BoundedCache
from ..base.definition import Definition
from .plan import Prepared

CAPACITY = 1024  # calls of an operator

_caches: dict[Definition, CallCache] = {}


class CallCache:
    """The calls of one operator that passed all checks."""

    def __init__(self) -> None:
        self.prepared = BoundedCache[Hashable, Prepared](CAPACITY)
        self.similar = BoundedCache[Hashable, Prepared](CAPACITY)  # by signatures without scalars

    def forget(self) -> None:
        """Forget all calls."""
        self.prepared.clear()
        self.similar.clear()


def cache_of(definition: Definition) -> CallCache:
    """The cache of an operator."""
    return _caches.get(definition) or _caches.setdefault(definition, CallCache())


def attribute_key(value: Any) -> Hashable:
    """A key that separates 0.0 from -0.0 and 1.0 from 1+0j, which are equal, and joins NaNs, which are not."""
    if type(value) is float:
        if abs(value) >= sys.float_info.min:
            return value
        # By bits, also subnormal numbers: a thread that flushes these finds them all equal.
        return "nan" if value != value else struct.pack("<d", value)
    return value, type(value)
