"""Tensors from files of others: .npy, raw .bin, .pt, .safetensors. Nothing is ever unpickled.

A file is written FILE, FILE:DTYPE:SHAPE (raw bytes: both are needed), FILE:bfloat16 (bits stored as two-byte words of
another name), or FILE:NAME (one tensor of a .pt or a .safetensors file that holds several).
"""

from __future__ import annotations

import importlib
import os
import re
import warnings
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from .. import testing
from ..dtypes import BY_NAME
from ..errors import ActgradError
from .elements import Array

SUFFIXES = (".npy", ".bin", ".pt", ".pth", ".safetensors")
#: The dtypes' names in .safetensors files.
_SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
_SHAPE = re.compile(r"scalar|\d+(x\d+)*")


class UnreadableFile(ActgradError):
    """A file that does not hold the tensor it should."""


def read(text: str) -> Array:
    """The tensor that `text` names, mapped into memory where the format allows it; UnreadableFile if there is none."""
    path, words = _split(text)
    try:
        if not path.is_file():
            raise UnreadableFile(f"{path}: {'is no file' if path.exists() else 'no such file'}")
        array = _READERS[path.suffix.lower()](path, words)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise UnreadableFile(f"{path}: {path.stat().st_size} bytes are more than memory holds") from error
    if array.dtype.name not in BY_NAME:
        raise UnreadableFile(f"{path}: its elements are {array.dtype}, no tensor dtype; known: {', '.join(BY_NAME)}")
    return array


def _split(text: str) -> tuple[Path, list[str]]:
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
        try:
            version = np.lib.format.read_magic(file)
            readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            if version not in readers:
                raise UnreadableFile(f"{path}: .npy of version {version[0]}.{version[1]}, which tensors do not need")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of headers as Python 2 wrote them
                shape, is_fortran, dtype = readers[version](file)
        except UnreadableFile:
            raise
        except Exception as error:  # whatever a hostile header makes NumPy's reader raise: it even tokenizes it
            raise UnreadableFile(f"{path}: no .npy file: {_first_line(error)}") from error
        if dtype.hasobject:
            raise UnreadableFile(f"{path}: holds Python objects, which are never unpickled; save numbers")
        if dtype.names or dtype.subdtype:
            raise UnreadableFile(f"{path}: its elements are records ({dtype}); save one array of numbers")
        if not all(type(n) is int and n >= 0 for n in shape):
            raise UnreadableFile(f"{path}: no .npy file: its shape is {shape}")
        array = _mapped(path, dtype, shape, file.tell(), "F" if is_fortran else "C")
    if array.dtype.kind == "V" and array.dtype.itemsize == 2 and array.dtype.names is None:
        # NumPy does not know bfloat16 by name: it writes two bytes of nothing, and no other dtype of tensors is so.
        array = array.view(BY_NAME["bfloat16"].numpy)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return _as_bfloat16(path, array, words)


def _as_bfloat16(path: Path, array: Array, words: list[str]) -> Array:
    """The array, its two-byte words read as bfloat16 where that is asked for."""
    if not words:
        return array
    if words != ["bfloat16"] or array.dtype.name not in ("uint16", "int16", "bfloat16"):
        raise UnreadableFile(
            f"{path}: holds {array.dtype.name}, not {':'.join(words)}; "
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
    return _mapped(path, dtype.numpy, shape, 0, "C")


def _mapped(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], start: int, order: Any) -> Array:
    """The elements of a file, of which nothing is read yet; they must fill it."""
    promised, held = prod(shape) * dtype.itemsize, path.stat().st_size - start
    if promised != held:
        what = "truncated" if held < promised else "too long"
        raise UnreadableFile(f"{path}: {what}: {dtype.name}, shape {shape}, takes {promised} bytes, it has {held}")
    try:
        if not promised:
            return np.empty(shape, dtype)
        raw = np.memmap(path, np.uint8, "r", start, (promised,))  # bytes: memmap does not take every dtype by name
        return np.ndarray(shape, dtype, raw, order=order)
    except ValueError as error:
        raise UnreadableFile(f"{path}: no array has shape {shape}: {_first_line(error)}") from error


def _torch(path: Path, words: list[str]) -> Array:
    _refuse_large(path)
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise UnreadableFile(f"{path}: PyTorch is needed ({error}); pip install 'actgrad[torch]'") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception as error:  # whatever a hostile file makes the reader raise
        raise UnreadableFile(f"{path}: PyTorch does not read it as tensors: {_first_line(error)}") from error
    tensor = _chosen(path, held, words) if isinstance(held, Mapping) else held
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided or tensor.is_quantized:
        raise UnreadableFile(f"{path}: holds a {type(tensor).__name__}, no plain tensor")
    if not isinstance(held, Mapping) and words:
        raise UnreadableFile(f"{path}: holds one tensor without a name; {':'.join(words)!r} chooses among several")
    try:
        return testing.from_torch(torch, tensor.detach().resolve_conj().resolve_neg())
    except TypeError as error:
        raise UnreadableFile(f"{path}: holds {tensor.dtype}: {_first_line(error)}") from error


def _safetensors(path: Path, words: list[str]) -> Array:
    _refuse_large(path)
    try:
        library = importlib.import_module("safetensors")
    except ImportError as error:
        raise UnreadableFile(f"{path}: safetensors is needed ({error}); pip install 'actgrad[check]'") from error
    try:
        held = dict(library.deserialize(path.read_bytes()))
    except Exception as error:  # the library's own class of errors is not the same in all of its versions
        raise UnreadableFile(f"{path}: no .safetensors file: {_first_line(error)}") from error
    entry = _chosen(path, held, words)
    name = _SAFETENSORS.get(entry["dtype"])
    if name is None:
        raise UnreadableFile(f"{path}: holds {entry['dtype']}; known: {', '.join(_SAFETENSORS)}")
    return np.frombuffer(entry["data"], BY_NAME[name].numpy).reshape(entry["shape"])


def _chosen(path: Path, held: Mapping[str, Any], words: list[str]) -> Any:
    """One of several tensors, by its name."""
    name = ":".join(words)
    if words and name in held:
        return held[name]
    if not words and len(held) == 1:
        return next(iter(held.values()))
    names = ", ".join(sorted(map(str, held))[:20]) or "no tensor"
    asked = f"has no tensor {name!r}" if words else f"has {len(held)} tensors; {path}:NAME chooses one"
    raise UnreadableFile(f"{path}: {asked}; it holds {names}")


def _refuse_large(path: Path) -> None:
    """An error for a file that must be read as a whole and does not fit."""
    size, free = path.stat().st_size, available_memory()
    if free is not None and size > free:
        raise UnreadableFile(
            f"{path}: {size} bytes must be read as a whole and {free} are free; .npy and .bin are read in parts"
        )


def available_memory() -> int | None:
    """Bytes that a program may take without swapping; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), None)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def replace_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a file as a whole or not at all."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UnreadableFile(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


_READERS = {".npy": _npy, ".bin": _raw, ".pt": _torch, ".pth": _torch, ".safetensors": _safetensors}
