"""Huge pages for large new results: without them, the first write to 256 MiB causes 65,536 page faults.

Linux grants huge pages on request (madvise), unless transparent huge pages are switched off. NumPy
requests huge pages by itself, but PyTorch does not. Huge pages change no result.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from ..base import first_use

LARGE = 4 << 20  # smallest size in bytes for which huge pages are requested, as in NumPy
_HUGE = 2 << 20
_MADV_HUGEPAGE = 14


def ask_for_huge_pages(address: int, size: int) -> None:
    """Request huge pages if they fit into this new memory. Without effect on systems without huge pages."""
    madvise = _madvise()
    first, end = -(-address // _HUGE) * _HUGE, (address + size) // _HUGE * _HUGE
    if madvise is not None and first < end:
        madvise(first, end - first, _MADV_HUGEPAGE)


@cache
def _madvise() -> Callable[..., Any] | None:
    if not sys.platform.startswith("linux"):
        return None
    with first_use.lock:  # a child that is forked during a load could not load anything
        function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function
