"""Tensors from files that may hold several: NumPy's .npz, PyTorch's .pt, and .safetensors.

Their own libraries read them.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ... import aten
from ...base.errors import did_you_mean, kind_of, library, quantity, quote, some
from ..elements import Array
from . import sizes
from .sizes import UnreadableFile

_LARGEST_ITEM = 8  # largest itemsize of a dtype that can be judged
MOST_UNPACKED = 1 << 30  # bytes of a compressed array


def npz(path: Path, words: list[str]) -> tuple[Array, list[str]]:
    """One array of a .npz file, and the words that do not belong to its name.

    The archive's directory states the size of each entry. `zipfile` unpacks nothing beyond that size, for the two
    allowed methods of compression.
    """
    with zipfile.ZipFile(path) as archive:
        entries = {name.removesuffix(".npy"): name for name in archive.namelist()}
        entries |= {name: name for name in archive.namelist()}
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        rest = ["bfloat16"] if words[-1:] == ["bfloat16"] and ":".join(words) not in names else []
        entry = archive.getinfo(entries[choose_name(path, names, words[: len(words) - len(rest)])])
        _check_method(path, entry)
        with archive.open(entry) as file:
            shape, _, dtype, start = sizes.npy_header(path, file.read(sizes.MOST_NPY_HEADER))
        size = entry.file_size - start
        sizes.check_size(path, dtype, shape, size)
        if size > MOST_UNPACKED and entry.compress_type != zipfile.ZIP_STORED:
            raise UnreadableFile(
                f"{path}: {entry.filename} unpacks to an array of {size} bytes; a compressed array may have at most "
                f"{MOST_UNPACKED}; save it with numpy.save or numpy.savez"
            )
        sizes.refuse_large(path, entry.file_size, "when it is unpacked")
        with archive.open(entry) as file:
            array: Array = np.lib.format.read_array(file, allow_pickle=False)
        return array, rest


def _check_method(path: Path, entry: zipfile.ZipInfo) -> None:
    """Raise unless an entry of a .npz file is stored or deflated, as in NumPy's files."""
    # For other methods, `zipfile` may unpack more than the entry's stated size.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableFile(
            f"{path}: {entry.filename} is compressed by method {entry.compress_type}, which NumPy never writes; "
            "save it again with numpy.savez_compressed"
        )
    is_stored = entry.compress_type == zipfile.ZIP_STORED
    if entry.compress_size > path.stat().st_size or (is_stored and entry.file_size != entry.compress_size):
        raise UnreadableFile(f"{path}: damaged: the archive states a size for {entry.filename} that its entry lacks")


def safetensors(path: Path, words: list[str]) -> Array:
    """One tensor of a .safetensors file."""
    package = library("safetensors", f"{path}: needs safetensors", "check")
    with sizes.private_copy(path) as copy, package.safe_open(copy, framework="numpy") as file:
        name = choose_name(path, file.keys(), words)
        most = min(path.stat().st_size, _LARGEST_ITEM * prod(file.get_slice(name).get_shape()))
        sizes.refuse_large(path, most, "when it is read")
        array: Array = file.get_tensor(name)
        return array


def pytorch(path: Path, words: list[str]) -> Array:
    """One tensor of a .pt file. A large file is mapped into memory."""
    torch = library("torch", f"{path}: needs PyTorch", "torch")
    if not zipfile.is_zipfile(path):
        state = "truncated" if sizes.is_truncated(path) else "not a"
        expected = "it must be of torch.save since PyTorch 1.6"
        raise UnreadableFile(f"{path}: {state} {path.suffix} file; {expected}; save it again")
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):  # PyTorch would map compressed bytes
        raise UnreadableFile(
            f"{path}: its entries are compressed; torch.save must write it uncompressed; save it again"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        content = torch.load(str(path), map_location="cpu", weights_only=True, mmap=not sizes.fits(path.stat().st_size))
    if isinstance(content, Mapping):
        content = content[choose_name(path, content, words)]
    elif words:
        name = quote(":".join(words))
        raise UnreadableFile(f"{path}: has one tensor without a name; a name must be of several; leave {name} out")
    if not isinstance(content, torch.Tensor) or content.layout != torch.strided or content.is_quantized:
        raise UnreadableFile(f"{path}: holds {kind_of(content)}; it must hold a dense tensor; save one")
    size = content.untyped_storage().nbytes()
    # PyTorch maps a tensor without comparing its size with the entry's size.
    if size and size not in {entry.file_size for entry in entries}:
        fault = f"{path}: is damaged"
        raise UnreadableFile(f"{fault}; an entry must have the tensor's {quantity(size, 'byte')}; save it again")
    # A view that repeats elements may be larger than the file.
    sizes.refuse_large(path, content.numel() * content.element_size(), "when its tensor is read")
    return aten.from_torch(torch, content.detach().resolve_conj().resolve_neg())


def choose_name(path: Path, names: Iterable[Any], words: list[str]) -> Any:
    """The name of a tensor in a file that may hold several. `words` are the parts of the name."""
    keys, name = list(names), ":".join(words)
    if words and name in keys:
        return name
    if not words and len(keys) == 1:
        return keys[0]
    listing = some(sorted(map(str, keys)), name) or "no tensor"
    problem = f"has no tensor {quote(name)}" if words else f"has {quantity(len(keys), 'tensor')}, but no name follows"
    cure = did_you_mean(name, map(str, keys), f"write {path}:NAME") if keys else "name another file"
    raise UnreadableFile(f"{path}: {problem}; it holds {listing}; {cure}")
