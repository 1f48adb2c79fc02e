"""A rule of the glue: its computation, its dtype, and the shape of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Shape = tuple[int, ...]

#: The dtype in which a rule gets its arrays, and in which its result is rounded.
COMMON = "common"  # the promoted dtype of its arguments
FLOATING = "floating"  # the same, but float32 for integers
RESULT = "result"  # the dtype of its result, but int64 for integers
OWN = "own"  # each array keeps its dtype
WIDE = "wide"  # the same as floating, but each result is rounded to its own dtype


@dataclass(frozen=True)
class Rule:
    """A computation, and the shape that its result must have."""

    compute: Callable[..., Any]
    dtype: str = COMMON
    #: A shape from shapes, AclScalars and flags, `...` for any, or a tuple of these for several results.
    #: None: shapes broadcast.
    shape: Callable[..., Any] | None = None
    is_found: bool = False  # the computation finds the sizes of results, and `shape` has the largest
    is_in_place: bool = False  # it reads all its results, while others read at most the first
    reads_nibbles: bool = False  # it takes INT4, as int8, which others refuse


def mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """NaN of no elements, without NumPy's warning."""
    return np.mean(a, axis, keepdims=keepdims) if a.size else np.sum(a, axis, keepdims=keepdims) / np.float32(0)
