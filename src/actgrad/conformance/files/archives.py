"""Tensors from files that may hold several: NumPy's .npz, PyTorch's .pt, and .safetensors, by their own libraries."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ... import aten
from ...base.errors import did_you_mean, library, quantity, shown, some
from ..elements import Array
from . import sizes
from .sizes import UnreadableFile

_LARGEST_ITEM = 8  # bytes of an element of a dtype that is judged


def npz(path: Path, words: list[str]) -> tuple[Array, list[str]]:
    """One array of a .npz file, held against the archive's directory, and the words that are no part of its name."""
    # NumPy leaves a damaged archive open that it opened itself.
    with path.open("rb") as opened, np.load(opened, allow_pickle=False) as held:
        rest = ["bfloat16"] if words[-1:] == ["bfloat16"] and ":".join(words) not in held.files else []
        name = chosen(path, held.files, words[: len(words) - len(rest)])
        entry = held.zip.getinfo(name if name in held.zip.namelist() else f"{name}.npy")
        with held.zip.open(entry) as file:
            shape, _, dtype, start = sizes.npy_header(path, file.read(sizes.MOST_NPY_HEADER))
        sizes.check(path, dtype, shape, entry.file_size - start)
        sizes.refuse_large(path, entry.file_size, "when it is unpacked")
        return held[name], rest


def safetensors(path: Path, words: list[str]) -> Array:
    """One tensor of a .safetensors file."""
    package = library("safetensors", f"{path}: needs safetensors", "check")
    with package.safe_open(path, framework="numpy") as held:
        name = chosen(path, held.keys(), words)
        most = min(path.stat().st_size, _LARGEST_ITEM * prod(held.get_slice(name).get_shape()))
        sizes.refuse_large(path, most, "when it is read")
        array: Array = held.get_tensor(name)
        return array


def pytorch(path: Path, words: list[str]) -> Array:
    """One tensor of a .pt file, mapped into memory."""
    torch = library("torch", f"{path}: needs PyTorch", "torch")
    if not zipfile.is_zipfile(path):
        state = "truncated" if sizes.is_truncated(path) else "not a"
        expected = "it must be of torch.save since PyTorch 1.6"
        raise UnreadableFile(f"{path}: {state} {path.suffix} file; {expected}; save it again")
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):  # PyTorch would map packed bytes
        raise UnreadableFile(
            f"{path}: its entries are compressed; torch.save must write it uncompressed; save it again"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = torch.load(str(path), map_location="cpu", weights_only=True, mmap=True)
    if isinstance(held, Mapping):
        held = held[chosen(path, held, words)]
    elif words:
        name = shown(":".join(words))
        raise UnreadableFile(f"{path}: has one tensor without a name; a name must be of several; leave {name} out")
    if not isinstance(held, torch.Tensor) or held.layout != torch.strided or held.is_quantized:
        raise UnreadableFile(f"{path}: holds a {type(held).__name__}; it must hold a dense tensor; save one")
    size = held.untyped_storage().nbytes()
    if size and size not in {entry.file_size for entry in entries}:  # PyTorch maps without a look at the entry's size
        fault = f"{path}: is damaged"
        raise UnreadableFile(f"{fault}; an entry must have the tensor's {quantity(size, 'byte')}; save it again")
    # A view that repeats its elements may be larger than the file.
    sizes.refuse_large(path, held.numel() * held.element_size(), "when its tensor is read")
    return aten.from_torch(torch, held.detach().resolve_conj().resolve_neg())


def chosen(path: Path, names: Iterable[Any], words: list[str]) -> Any:
    """One of several tensors, by its name."""
    held, name = list(names), ":".join(words)
    if words and name in held:
        return name
    if not words and len(held) == 1:
        return held[0]
    known = some(sorted(map(str, held)), name) or "no tensor"
    problem = f"has no tensor {shown(name)}" if words else f"has {quantity(len(held), 'tensor')}, but no name follows"
    cure = did_you_mean(name, map(str, held), f"write {path}:NAME") if held else "name another file"
    raise UnreadableFile(f"{path}: {problem}; it holds {known}; {cure}")
