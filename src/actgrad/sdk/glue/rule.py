"""A rule of the glue: its computation, its dtype, and the shape of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Shape = tuple[int, ...]

#: The dtype of the arrays that a rule gets, and of its result after rounding.
COMMON = "common"  # the promoted dtype of its arguments
FLOATING = "floating"  # the promoted dtype, but float32 for integers
RESULT = "result"  # the dtype of the result, but int64 for integers
EACH = "each"  # each array keeps its own dtype
MIXED = "mixed"  # the promoted floating dtype, but each result is rounded to its own dtype


@dataclass(frozen=True)
class Rule:
    """A computation, and the shape that its result must have."""

    compute: Callable[..., Any]
    dtype: str = COMMON
    #: A function of shapes, AclScalars and flags that returns a shape. It returns `...` if any shape is right, and a
    #: tuple of shapes for several results. If `shape` is None, the result has the broadcast shape of the inputs.
    shape: Callable[..., Any] | None = None
    is_found: bool = False  # whether the sizes of results depend on the values. `shape` is then the largest
    is_in_place: bool = False  # whether it reads all of its results, while other rules read at most the first
    reads_nibbles: bool = False  # whether the computation takes INT4, as int8. Other rules refuse INT4


def mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean. NaN if there are no elements, without NumPy's warning."""
    return np.mean(a, axis, keepdims=keepdims) if a.size else np.sum(a, axis, keepdims=keepdims) / np.float32(0)
