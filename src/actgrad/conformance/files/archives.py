"""Tensors from zip archives: NumPy's .npz and PyTorch's .pt. The directory tells all sizes before anything is unpacked.

Entries that are stored as they are get mapped into memory. `np.savez_compressed` compresses: at most MOST_UNPACKED
bytes are unpacked. `torch.save` never compresses: entries that claim more bytes than the file has are refused.
"""

from __future__ import annotations

import importlib
import pickletools
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ... import aten
from ...base.errors import installation
from ..elements import Array
from . import sizes
from .sizes import UnreadableFile, first_line

MOST_UNPACKED = 1 << 30  # bytes of a compressed array
_PART = 1 << 20
MOST_PICKLE = 4 << 20  # bytes of the names and shapes in a .pt file; objects take some 60 times as many
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)
#: The names in a pickle of tensors; each gives an object as small as its name. `torch.` alone is a dtype or a storage.
_NAMES = {
    "collections OrderedDict",
    "torch.nn.parameter Parameter",
    "torch.storage UntypedStorage",
    *(f"torch._utils _rebuild_{name}" for name in ("tensor", "tensor_v2", "tensor_v3", "parameter")),
}


@contextmanager
def _opened(path: Path, what: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _BROKEN as error:
        raise UnreadableFile(f"{path}: no {what}: {first_line(error)}") from error


# NumPy's


def npz_names(path: Path) -> list[str]:
    """The names of the arrays in a .npz file."""
    with _opened(path, ".npz file") as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


def npz(path: Path, name: str) -> Array:
    """One array of a .npz file."""
    with _opened(path, ".npz file") as archive:
        names = archive.namelist()
        info = archive.getinfo(name if name in names else f"{name}.npy")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnreadableFile(f"{path}: {name} is compressed as NumPy never does; save it by np.savez_compressed")
        with archive.open(info) as file:  # unpacks in parts
            head = file.read(sizes.MOST_NPY_HEADER)
            shape, order, dtype, start = sizes.npy_header(path, head)
            held = info.file_size - start
            sizes.check(path, dtype, shape, held)
            if info.compress_type == zipfile.ZIP_STORED:
                return sizes.mapped(path, dtype, shape, _data_offset(path, info) + start, held, order)
            if held > MOST_UNPACKED:
                raise UnreadableFile(
                    f"{path}: {name} unpacks to {held} bytes, more than {MOST_UNPACKED}; save it by np.savez, "
                    "which does not compress"
                )
            sizes.refuse_large(path, held, "must be unpacked")
            raw = np.empty(held, np.uint8)
            place, part = 0, head[start:]
            while part:
                raw[place : place + len(part)] = np.frombuffer(part, np.uint8)
                place += len(part)
                part = file.read(_PART)
        if place != held:
            raise UnreadableFile(f"{path}: truncated: {name} takes {held} bytes, it has {place}")
        return sizes.array(path, raw, dtype, shape, order)


def _data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """The first byte of a stored entry, behind its local header."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        *_, name, extra = struct.unpack("<4s5H3I2H", file.read(30))
    start = info.header_offset + 30 + name + extra
    if info.compress_size != info.file_size or start + info.file_size > path.stat().st_size:
        raise zipfile.BadZipFile("an entry reaches beyond the file")
    return int(start)


# PyTorch's


def tensors(path: Path) -> Any:
    """The content of a .pt file, its tensors mapped into memory."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise UnreadableFile(f"{path}: PyTorch is needed ({error}); {installation('torch')}") from error
    held = _verified(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = torch.load(str(path), map_location="cpu", weights_only=True, mmap=True)
    except OSError:
        raise
    except Exception as error:  # a hostile file makes the reader raise anything
        raise UnreadableFile(f"{path}: PyTorch does not read it as tensors: {first_line(error)}") from error
    for tensor in found.values() if isinstance(found, Mapping) else [found]:
        if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided:
            size = tensor.untyped_storage().nbytes()
            if size and size not in held:
                raise UnreadableFile(f"{path}: damaged: a tensor's {size} bytes are none of its entries")
    return found


def _verified(path: Path) -> set[int]:
    """The sizes of the entries; UnreadableFile where they could take more memory than the file has bytes."""
    size = path.stat().st_size
    what = ".pt file as torch.save writes it since PyTorch 1.6; save it again"
    with _opened(path, what) as archive:
        entries = archive.infolist()
        names = [entry.filename.lower() for entry in entries]  # PyTorch's reader does not tell cases apart
        if len(set(names)) != len(names) or _directory_offset(path) != archive.start_dir:
            raise UnreadableFile(f"{path}: damaged: two readers would find different entries in it")
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise UnreadableFile(f"{path}: its entries are compressed, which torch.save never does; save it again")
        claimed = sum(entry.file_size for entry in entries)
        if claimed > size:
            raise UnreadableFile(f"{path}: damaged: its entries claim {claimed} bytes and the file has {size}")
        for entry in entries:
            if entry.filename.lower().endswith("data.pkl"):
                if entry.file_size > MOST_PICKLE:
                    raise UnreadableFile(
                        f"{path}: {entry.file_size} bytes of names and shapes, more than {MOST_PICKLE}"
                    )
                _check_pickle(path, archive.read(entry))
    return {entry.file_size for entry in entries}


def _directory_offset(path: Path) -> int:
    """The offset of the directory by the archive's own record, which other readers believe."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22))
        end = file.read(22)
        if end[:4] != b"PK\5\6":
            return -1  # text behind the directory, which torch.save does not write
        (offset,) = struct.unpack("<I", end[16:20])
        if size >= 42:
            file.seek(size - 42)
            signature, _, record, _ = struct.unpack("<4sIQI", file.read(20))
            if signature == b"PK\6\7" and record < size - 56:
                file.seek(record + 48)
                (offset,) = struct.unpack("<Q", file.read(8))
        return int(offset)


def _check_pickle(path: Path, pickle: bytes) -> None:
    """Raise when a pickle names more than tensors are made of. Nothing is executed."""
    for opcode, argument, _ in pickletools.genops(pickle):
        if opcode.name in ("GLOBAL", "INST"):
            module, _, name = str(argument).partition(" ")
            if argument not in _NAMES and (module != "torch" or name.endswith("Tensor")):
                raise UnreadableFile(f"{path}: PyTorch does not read it as tensors: it holds a {module}.{name}"[:300])
        elif opcode.name == "STACK_GLOBAL":
            raise UnreadableFile(f"{path}: PyTorch does not read it as tensors: its pickle is of a newer protocol")


def torch_array(path: Path, tensor: Any) -> Array:
    """An array on a tensor's memory."""
    torch = importlib.import_module("torch")
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided or tensor.is_quantized:
        raise UnreadableFile(f"{path}: holds a {type(tensor).__name__}, no plain tensor")
    # A view that repeats its elements may be larger than the file.
    sizes.refuse_large(path, tensor.numel() * tensor.element_size(), "are the elements of its tensor")
    try:
        return aten.from_torch(torch, tensor.detach().resolve_conj().resolve_neg())
    except TypeError as error:
        raise UnreadableFile(f"{path}: holds {tensor.dtype}: {first_line(error)}") from error
