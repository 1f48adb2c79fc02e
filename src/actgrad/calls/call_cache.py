"""The calls of each operator that passed all checks, by their signatures. There is one rule of eviction.

A signature is all that checks and kernels depend on: the tensors' metadata, the attributes, whose rules judge, and the
backend. The fast path (fast_path.py) finds the same calls by the arguments themselves. Once CACHED calls are kept, in
either form, all of them are forgotten: a call in use comes back with its next slow path.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Hashable
from typing import Any

from ..base.definition import Definition
from ..base.forks import forkable_lock
from .plan import Prepared

CACHED = 1024  # calls that are kept per operator

_lock = forkable_lock()
_caches: dict[Definition, CallCache] = {}


class CallCache:
    """The calls of one operator that passed all checks."""

    def __init__(self) -> None:
        self.prepared: dict[Hashable, Prepared] = {}
        self.similar: dict[Hashable, Prepared] = {}  # by signatures without scalars: the latest of several calls
        self.forget_fast_path: Callable[[], object] | None = None

    def keep(self, signature: Hashable, similar: Hashable, prepared: Prepared) -> None:
        """Keep a prepared call, by its signature and by its signature without scalars."""
        with _lock:
            if len(self.prepared) >= CACHED:
                self.forget()
            self.prepared[signature] = self.similar[similar] = prepared

    def forget(self) -> None:
        """Forget all calls."""
        self.prepared.clear()
        self.similar.clear()
        if self.forget_fast_path is not None:
            self.forget_fast_path()


def cache_of(definition: Definition) -> CallCache:
    """The cache of an operator."""
    known = _caches.get(definition)
    return _caches.setdefault(definition, CallCache()) if known is None else known


def attribute_key(value: Any) -> Hashable:
    """A key that separates 0.0 from -0.0 and 1.0 from 1+0j, which are equal, and joins NaNs, which are not."""
    if type(value) is float:
        if abs(value) >= sys.float_info.min:
            return value
        # By bits, also subnormal numbers: a thread that flushes these finds them all equal.
        return "nan" if value != value else struct.pack("<d", value)
    return value, type(value)
