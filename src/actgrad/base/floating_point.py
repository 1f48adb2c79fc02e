"""The floating-point environment: rounding, subnormal numbers and traps. A caller may have changed it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from . import first_use
from .errors import BackendUnavailable

_FENV_BYTES = 256  # enough, because fenv_t of C libraries has at most 32


@contextmanager
def default_environment() -> Iterator[None]:
    """A context or decorator: this thread rounds to nearest, computes with subnormal numbers and does not trap."""
    get, set_, default = _library()
    before = ctypes.create_string_buffer(_FENV_BYTES)
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
    with first_use.lock:  # if a process forks while it loads a library, the child cannot load any library
        library = ctypes.CDLL(None)  # the process, which has the C library's mathematics because Python needs it
    default = getattr(library, "_FE_DFL_ENV", None)
    return library.fegetenv, library.fesetenv, ctypes.cast(default, ctypes.c_void_p) if default else ctypes.c_void_p(-1)
