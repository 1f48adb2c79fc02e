"""The optional extension `_fastcall`: this module loads it, and gives it access to PyTorch.

actgrad uses the extension only if it was compiled from the sources next to this file. ACTGRAD_FASTCALL=0 switches the
extension off.
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
from ..base import first_use
from ..checks import law

SOURCES = ("_fastcall.c", "_arrays.h", "_aliasing.h")
RELEASE = 16384  # a kernel with at least this number of elements runs without Python's global lock
#: The names of C++ functions of PyTorch in its library, on Linux and macOS.
_MODE_FUNCTIONS = (
    "_ZN2at4impl27torch_function_mode_enabledEv",
    "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE",
    "_ZN3c108GradMode10is_enabledEv",
)


def hash_of_sources() -> str:
    """The hash of the extension's sources, or "" if a source is missing. A binary contains the hash of its sources."""
    sources = []
    try:
        for name in SOURCES:  # without pathlib, because its import takes longer than this function
            with open(os.path.join(os.path.dirname(__file__), name), "rb") as source:
                sources.append(source.read())
    except OSError:
        return ""
    return source_hash(b"".join(sources)).hex()


def _load() -> tuple[Any, str]:
    """The extension or None, and a text about its state."""
    if os.environ.get("ACTGRAD_FASTCALL") == "0":
        return None, "Python; the extension is switched off by ACTGRAD_FASTCALL=0"
    try:
        extension: Any = importlib.import_module("._fastcall", __package__)
    except ImportError as error:
        return None, f"Python; there is no extension: {error}"
    if hash_of_sources() != extension.SOURCE:
        return None, "Python; the extension is older than its sources; install actgrad again"
    extension.start(law.in_force)
    return extension, f"C, {extension.__file__}"


@functools.cache
def packer(count: int) -> Callable[..., bytes]:
    """A function that packs `count` integers of 64 bits for the extension."""
    return struct.Struct(f"<{count}q").pack


def packed(code: tuple[int, int] | None, size: int) -> bytes | None:
    """The bytes from which the extension runs a kernel. None if the kernel has no machine code, or without extension.

    The bytes contain the addresses of the kernel's function and of its call block, and whether the kernel runs without
    Python's global lock.
    """
    if code is None or native is None:
        return None
    return packer(3)(*code, size >= RELEASE)


def adopt_torch() -> None:
    """Give the extension the addresses of PyTorch's functions and types. The import of PyTorch must have ended."""
    if native is None:
        return
    torch = sys.modules["torch"]
    if _adopt_questions(torch):
        interception.may_be_active = native.may_be_intercepted
        _adopt_tensors(torch)
    native.settle()


def _adopt_questions(torch: Any) -> bool:
    """Give the extension PyTorch's functions about modes. False if this PyTorch lacks them.

    With these functions, the extension can ask whether a mode of PyTorch must see a call.
    """
    try:
        with first_use.lock:  # if a process forks while it loads a library, the child cannot load any library
            library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
        addresses = [ctypes.cast(library[name], ctypes.c_void_p).value for name in _MODE_FUNCTIONS]
        keys = tuple(int(key) for key, _ in interception.dispatch_keys(torch))
    except (AttributeError, OSError):  # this PyTorch has no such library, or no such function
        return False
    native.adopt_questions(*addresses, keys)
    return True


def _adopt_tensors(torch: Any) -> None:
    """Give the extension access to PyTorch's tensors, if this PyTorch has DLPack's exchange API."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    forward_mode = vars(torch.autograd.forward_ad)
    if capsule is not None and "_current_level" in forward_mode:
        tensor = torch.Tensor
        normal_mode = int(torch._C._parse_dispatch_key("ADInplaceOrView"))
        methods = tensor.requires_grad, tensor.is_neg, tensor.is_inference
        native.adopt_tensors(tensor, torch.nn.Parameter, capsule, *methods, normal_mode, forward_mode)


native, state = _load()
