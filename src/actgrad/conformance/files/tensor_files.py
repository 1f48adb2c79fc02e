"""Tensors from files: .npy, .npz, raw .bin, .pt, .safetensors. Nothing is ever unpickled.

A file is written FILE, FILE:DTYPE:SHAPE (raw bytes: both are needed), FILE:bfloat16 (bits stored as two-byte words of
another name), or FILE:NAME (one tensor of a .npz, a .pt or a .safetensors file that holds several).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...base.dtypes import BY_NAME
from ..elements import Array
from . import archives, sizes
from .sizes import UnreadableFile, first_line, short

SUFFIXES = (".npy", ".npz", ".bin", ".pt", ".pth", ".safetensors")
#: The dtypes' names in .safetensors files.
_SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
MOST_HEADER = 8 << 20  # bytes of a .safetensors header; objects take some 20 times as many
_SHAPE = re.compile(r"scalar|\d{1,19}(x\d{1,19})*")


def read(text: str) -> Array:
    """The tensor that `text` names, mapped into memory where the format allows it; UnreadableFile if there is none."""
    path, words = split(text)
    with sizes.reading(path):
        array = _READERS[path.suffix.lower()](path, words)
    if array.dtype.name not in BY_NAME:
        raise UnreadableFile(f"{path}: its elements are {array.dtype}, no tensor dtype; known: {', '.join(BY_NAME)}")
    return array


def split(text: str) -> tuple[Path, list[str]]:
    """The path, and the words behind it."""
    head, *words = text.split(":")
    while words and Path(head).suffix.lower() not in SUFFIXES:  # a path may have a colon of its own
        head, words = f"{head}:{words[0]}", words[1:]
    path = Path(head)
    if path.suffix.lower() not in SUFFIXES:
        raise UnreadableFile(f"{text}: the suffix says what it holds; known: {', '.join(SUFFIXES)}")
    return path, words


def _npy(path: Path, words: list[str]) -> Array:
    with path.open("rb") as file:
        shape, order, dtype, start = sizes.npy_header(path, file.read(sizes.MOST_NPY_HEADER))
    array = sizes.mapped(path, dtype, shape, start, path.stat().st_size - start, order)
    return _as_bfloat16(path, _native(path, array), words)


def _npz(path: Path, words: list[str]) -> Array:
    names = archives.npz_names(path)
    is_bits = bool(words) and words[-1] == "bfloat16" and ":".join(words) not in names
    if is_bits:
        words = words[:-1]
    array = archives.npz(path, _chosen(path, names, words))
    return _as_bfloat16(path, _native(path, array), ["bfloat16"] * is_bits)


def _native(path: Path, array: Array) -> Array:
    """The array of a .npy file in the byte order of this machine, and as bfloat16 where NumPy knows no name."""
    if array.dtype.kind == "V" and array.dtype.itemsize == 2 and array.dtype.names is None:
        # NumPy does not know bfloat16 by name: it writes two bytes of nothing, and no other dtype of tensors is so.
        array = array.view(BY_NAME["bfloat16"].numpy)
    if not array.dtype.isnative:
        sizes.refuse_large(path, array.nbytes, "must be read as a whole for their byte order")
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _as_bfloat16(path: Path, array: Array, words: list[str]) -> Array:
    """The array, its two-byte words read as bfloat16 where :bfloat16 follows the name."""
    if not words:
        return array
    if words != ["bfloat16"] or array.dtype.name not in ("uint16", "int16", "bfloat16"):
        raise UnreadableFile(
            f"{path}: holds {array.dtype.name}, not {short(':'.join(words))}; "
            "only :bfloat16 may follow, for its bits in uint16 or int16"
        )
    return array.view(BY_NAME["bfloat16"].numpy)


def _raw(path: Path, words: list[str]) -> Array:
    if len(words) != 2 or words[0] not in BY_NAME or not _SHAPE.fullmatch(words[1]):
        raise UnreadableFile(
            f"{path}: raw bytes need dtype and shape, as {path}:float16:16x32 or :float32:scalar; "
            f"known: {', '.join(BY_NAME)}"
        )
    dtype = BY_NAME[words[0]]
    if dtype.name == "complex32":
        raise UnreadableFile(f"{path}: no operator takes {dtype}")
    shape = () if words[1] == "scalar" else tuple(map(int, words[1].split("x")))
    return sizes.mapped(path, dtype.numpy, shape, 0, path.stat().st_size)


def _torch(path: Path, words: list[str]) -> Array:
    held = archives.tensors(path)
    if isinstance(held, Mapping):
        return archives.torch_array(path, held[_chosen(path, held, words)])
    if words:
        name = short(":".join(words))
        raise UnreadableFile(f"{path}: holds one tensor without a name; {name!r} chooses among several")
    return archives.torch_array(path, held)


def _safetensors(path: Path, words: list[str]) -> Array:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        length = int.from_bytes(head, "little")
        if len(head) < 8 or length > size - 8:
            raise UnreadableFile(f"{path}: no .safetensors file: its header reaches beyond its end")
        if length > MOST_HEADER:
            raise UnreadableFile(f"{path}: a header of {length} bytes, more than {MOST_HEADER}")
        text = file.read(length)
    try:
        held = json.loads(text)
        held.pop("__metadata__", None)
        entry = held[_chosen(path, held, words)]
        word, shape, (first, last) = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not all(type(n) is int and n >= 0 for n in (*shape, first, last)) or first > last:
            raise ValueError("sizes and offsets are whole numbers from 0")
    except UnreadableFile:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UnreadableFile(f"{path}: no .safetensors file: {first_line(error)}") from error
    name = _SAFETENSORS.get(word) if isinstance(word, str) else None
    if name is None:
        raise UnreadableFile(f"{path}: holds {word!r:.60}; known: {', '.join(_SAFETENSORS)}")
    if last > size - 8 - length:
        raise UnreadableFile(f"{path}: truncated: a tensor reaches beyond its {size} bytes")
    return sizes.mapped(path, BY_NAME[name].numpy, tuple(shape), 8 + length + first, last - first)


def _chosen(path: Path, names: Iterable[Any], words: list[str]) -> Any:
    """One of several tensors, by its name."""
    held, name = list(names), ":".join(words)
    if words and name in held:
        return name
    if not words and len(held) == 1:
        return held[0]
    known = ", ".join(sorted(map(str, held))[:20]) or "no tensor"
    asked = f"has no tensor {short(name)!r}" if words else f"has {len(held)} tensors; {path}:NAME chooses one"
    raise UnreadableFile(f"{path}: {asked}; it holds {known}")


_READERS = {
    ".npy": _npy, ".npz": _npz, ".bin": _raw, ".pt": _torch, ".pth": _torch, ".safetensors": _safetensors
}  # fmt: skip
