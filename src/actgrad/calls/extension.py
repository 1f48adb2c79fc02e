"""The optional extension `_fastcall`: whether it is used, and the parts of PyTorch that it reads.

It is used where it was compiled from the sources next to this file. ACTGRAD_FASTCALL=0 switches it off.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import struct
import sys
from collections.abc import Callable
from importlib.util import source_hash
from typing import Any

from ..arrays import interception
from ..base import first_use, products

SOURCES = ("_fastcall.c", "_arrays.h", "_aliasing.h")
RELEASE = 16384  # elements of a call during which other Python threads may run
#: The names that Linux and macOS give to C++ functions of PyTorch.
_QUESTIONS = (
    "_ZN2at4impl27torch_function_mode_enabledEv",
    "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE",
    "_ZN3c108GradMode10is_enabledEv",
)


def hash_of_sources() -> str:
    """The hash that a binary of the extension carries, empty where a source is missing."""
    sources = []
    try:
        for name in SOURCES:  # without pathlib, whose import takes longer than all of this
            with open(os.path.join(os.path.dirname(__file__), name), "rb") as source:
                sources.append(source.read())
    except OSError:
        return ""
    return source_hash(b"".join(sources)).hex()


def _load() -> tuple[Any, str]:
    """The extension or None, and its state in words."""
    if os.environ.get("ACTGRAD_FASTCALL") == "0":
        return None, "Python; the extension is switched off by ACTGRAD_FASTCALL=0"
    try:
        extension: Any = importlib.import_module("._fastcall", __package__)
    except ImportError as error:
        return None, f"Python; there is no extension: {error}"
    if hash_of_sources() != extension.SOURCE:
        return None, "Python; the extension is stale, its sources have changed: install actgrad again"
    extension.start(products.selected)
    return extension, f"C, {extension.__file__}"


@functools.cache
def words(count: int) -> Callable[..., bytes]:
    """A function that packs `count` numbers for the extension."""
    return struct.Struct(f"<{count}q").pack


def packed(code: tuple[int, int] | None, size: int) -> bytes | None:
    """A kernel's function and block, and whether it runs without the interpreter's lock, for the extension.

    None if the kernel has no machine code or without an extension.
    """
    if code is None or native is None:
        return None
    return words(3)(*code, size >= RELEASE)


def adopt_torch() -> None:
    """Tell the extension where PyTorch's functions and types are. PyTorch is imported completely."""
    if native is None:
        return
    torch = sys.modules["torch"]
    if _adopt_questions(torch):
        interception.may_be_active = native.may_be_intercepted
        _adopt_tensors(torch)
    native.settle()


def _adopt_questions(torch: Any) -> bool:
    """Whether the extension can ask PyTorch for interceptors."""
    try:
        with first_use.lock:  # a child forked during a load could load nothing
            library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
        addresses = [ctypes.cast(library[name], ctypes.c_void_p).value for name in _QUESTIONS]
        keys = tuple(int(key) for key, _ in interception.dispatch_keys(torch))
    except (AttributeError, OSError):  # another system's library, or other names
        return False
    native.adopt_questions(*addresses, keys)
    return True


def _adopt_tensors(torch: Any) -> None:
    """Let the extension look at tensors, where this PyTorch has DLPack's exchange API."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    forward_mode = vars(torch.autograd.forward_ad)
    if capsule is not None and "_current_level" in forward_mode:
        tensor = torch.Tensor
        native.adopt_tensors(tensor, torch.nn.Parameter, capsule, tensor.requires_grad, tensor.is_neg, forward_mode)


native, state = _load()
