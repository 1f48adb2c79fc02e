"""Huge pages for large fresh results: writing 256 MiB for the first time otherwise faults 65,536 times.

Linux grants them on request (madvise) where transparent huge pages are not switched off. NumPy asks by itself. PyTorch
does not. It is an allocation policy: no result depends on it.
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
    """Request huge pages where they fit into this new memory. On systems without huge pages this has no effect."""
    madvise = _madvise()
    first, end = -(-address // _HUGE) * _HUGE, (address + size) // _HUGE * _HUGE
    if madvise is not None and first < end:
        madvise(first, end - first, _MADV_HUGEPAGE)


@cache
def _madvise() -> Callable[..., Any] | None:
    if not sys.platform.startswith("linux"):
        return None
    with first_use.lock:  # a child forked during a load could load nothing
        function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function
