"""The floating-point environment: rounding, subnormal numbers and traps, which a caller may have changed."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from . import first_use
from .errors import BackendUnavailable

_ROOM = 256  # bytes. C libraries' fenv_t has at most 32


@contextmanager
def default_environment() -> Iterator[None]:
    """A context or decorator that rounds to nearest, keeps subnormal numbers and traps nothing, on this thread."""
    get, set_, default = _library()
    before = ctypes.create_string_buffer(_ROOM)
    get(before)
    set_(default)
    try:
        yield
    finally:
        set_(before)


@cache
def _library() -> tuple[Any, Any, ctypes.c_void_p]:
    """<fenv.h>: fegetenv, fesetenv and FE_DFL_ENV, which is -1 in glibc and musl and an object on macOS."""
    if os.name != "posix":
        raise BackendUnavailable("this system is not POSIX; actgrad needs Linux or macOS; use WSL on Windows")
    with first_use.lock:  # a child forked during a load could load nothing
        library = ctypes.CDLL(None)  # Python itself needs the C library's mathematics
    default = getattr(library, "_FE_DFL_ENV", None)
    return library.fegetenv, library.fesetenv, ctypes.cast(default, ctypes.c_void_p) if default else ctypes.c_void_p(-1)
