"""Tensors from files: .npy, .npz, raw .bin, .pt, .safetensors. Nothing is ever unpickled.

The notation is FILE, FILE:DTYPE:SHAPE (required for raw bytes), FILE:bfloat16 (the bits are stored as two-byte words of
another dtype), or FILE:NAME (one tensor of a .npz, a .pt or a .safetensors file that holds several).
"""

from __future__ import annotations

import re
from pathlib import Path

from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError, either, quote, suffix_of
from ..elements import Array
from . import archives, sizes
from .sizes import UnreadableFile

SUFFIXES = (".npy", ".npz", ".bin", ".pt", ".pth", ".safetensors")
_SHAPE = re.compile(r"scalar|\d{1,19}(x\d{1,19})*")


def read(text: str) -> Array:
    """The tensor that `text` names. A large tensor is mapped, if the format allows it.

    Raises UnreadableFile if there is no such tensor.
    """
    path, words = split(text)
    return _read(path, words)


def read_npy(path: Path) -> Array:
    """The tensor of a .npy file. The name may have any suffix."""
    return _read(path, [])


def _read(path: Path, words: list[str]) -> Array:
    with sizes.reading(path):
        try:
            array = _READERS[path.suffix.lower()](path, words)
        except (ActgradError, OSError, MemoryError):
            raise
        except Exception as error:  # another library's reader may raise anything for a hostile file
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
            state = "truncated" if sizes.is_truncated(path) else "not a"
            fault = f"{path}: {state} {path.suffix} file ({reason})"
            raise UnreadableFile(f"{fault}; it must be complete and valid; write it again") from error
    if array.dtype.name not in BY_NAME:
        raise UnreadableFile(f"{path}: its elements are {array.dtype}; they must be {either(BY_NAME)}; convert them")
    return array


def split(text: str) -> tuple[Path, list[str]]:
    """The path, and the words after the path."""
    head, *words = text.split(":")
    while words and Path(head).suffix.lower() not in SUFFIXES:  # a path may contain colons
        head, words = f"{head}:{words[0]}", words[1:]
    path = Path(head)
    if path.suffix.lower() not in SUFFIXES:
        raise UnreadableFile(f"{text}: has {suffix_of(path)}; it must be {either(SUFFIXES)}; rename or convert it")
    return path, words


def _npy(path: Path, words: list[str]) -> Array:
    with path.open("rb") as file:
        shape, order, dtype, start = sizes.npy_header(path, file.read(sizes.MOST_NPY_HEADER))
    return _as_bfloat16(path, _native(path, sizes.elements(path, dtype, shape, start, order)), words)


def _npz(path: Path, words: list[str]) -> Array:
    array, rest = archives.npz(path, words)
    return _as_bfloat16(path, _native(path, array), rest)


def _native(path: Path, array: Array) -> Array:
    """The array of a .npy file in this machine's byte order. It is bfloat16 if NumPy wrote a dtype without a name."""
    if array.dtype.kind == "V" and array.dtype.itemsize == 2 and array.dtype.names is None:
        # NumPy does not know the name bfloat16, and writes a void of two bytes. It writes no other dtype of tensors
        # like this.
        array = array.view(BY_NAME["bfloat16"].numpy)
    if not array.dtype.isnative:
        sizes.refuse_large(path, array.nbytes, "when its byte order is changed")
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _as_bfloat16(path: Path, array: Array, words: list[str]) -> Array:
    """The array. If :bfloat16 follows the name, its two-byte words are read as bfloat16."""
    if not words:
        return array
    if words != ["bfloat16"] or array.dtype.name not in ("uint16", "int16", "bfloat16"):
        raise UnreadableFile(
            f"{path}: holds {array.dtype.name}, but {quote(':'.join(words))} follows; only :bfloat16 may follow, after "
            "uint16 or int16; leave it out"
        )
    return array.view(BY_NAME["bfloat16"].numpy)


def _raw(path: Path, words: list[str]) -> Array:
    if len(words) != 2 or words[0] not in BY_NAME or not _SHAPE.fullmatch(words[1]):
        raise UnreadableFile(
            f"{path}: holds raw bytes, and {quote(':'.join(words)) if words else 'nothing'} follows; dtype "
            f"({either(BY_NAME)}) and shape must follow; write {path}:float16:16x32 or {path}:float32:scalar"
        )
    shape = () if words[1] == "scalar" else tuple(map(int, words[1].split("x")))
    return sizes.elements(path, BY_NAME[words[0]].numpy, shape)


_READERS = {
    ".npy": _npy, ".npz": _npz, ".bin": _raw, ".pt": archives.pytorch, ".pth": archives.pytorch,
    ".safetensors": archives.safetensors,
}  # fmt: skip
