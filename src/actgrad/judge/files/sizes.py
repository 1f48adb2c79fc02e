"""Compares sizes of tensors with their files before any memory is allocated."""

from __future__ import annotations

import io
import os
import shutil
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import NO_FILE, ActgradError, quantity, quote, system_fault
from ..elements import Array

MOST_ELEMENTS = 1 << 62  # limit on each dimension
MOST_NPY_HEADER = 1 << 16  # bytes, although NumPy's limit is 10,000
#: Readers of .npy headers by version. Later versions are only for structured dtypes, which tensors do not have.
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


_SHARE_OF_MEMORY = 4  # a file that takes more than this part of the free memory is mapped
_ZIP = b"PK\3\4"  # the first bytes of an archive


class UnreadableFile(ActgradError):
    """The file does not contain the tensor that it should contain."""


def elements(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], start: int = 0, order: Any = "C") -> Array:
    """The elements from byte `start` to the end of a file. They are mapped if they take much of the free memory."""
    size = path.stat().st_size - start
    check_size(path, dtype, shape, size)
    # Bytes, because memmap takes neither all dtypes by name nor an empty file.
    raw = _read(path, start, size) if fits(size) else np.memmap(path, np.uint8, "r", start, (size,))
    return np.ndarray(shape, dtype, raw, order=order)


def fits(size: int) -> bool:
    """Whether a file of this size is read. A larger file is mapped.

    The system ends a program that reads a mapped file behind its end, which moves if another program truncates it.
    """
    free = available_memory()
    return free is None or size <= free // _SHARE_OF_MEMORY


def _read(path: Path, start: int, size: int) -> Array:
    raw = np.empty(size, np.uint8)
    with path.open("rb") as file:
        file.seek(start)
        count = file.readinto(raw.data)
    if count != size:
        fault = f"{path}: has become shorter while it was read: {quantity(count, 'byte')} of elements"
        raise UnreadableFile(f"{fault}; it must have {size}; wait until it is written, and repeat the command")
    return raw


@contextmanager
def private_copy(path: Path) -> Iterator[Path]:
    """A context with a copy of a file, for libraries that map files. A file that takes much memory is not copied."""
    if not fits(path.stat().st_size):
        yield path
        return
    copy = os.memfd_create(path.name)
    try:
        with path.open("rb") as file, open(copy, "wb", closefd=False) as target:
            shutil.copyfileobj(file, target)
        yield Path(f"/proc/self/fd/{copy}")
    finally:
        os.close(copy)


def check_size(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], size: int) -> None:
    """Raise unless an array of this dtype and shape takes `size` bytes."""
    if not all(0 <= n < MOST_ELEMENTS for n in shape):
        raise UnreadableFile(f"{path}: has shape {quote(shape)}; sizes must be from 0 to 2**62; write it again")
    promised = prod(shape) * dtype.itemsize
    if promised != size:
        what = f"{'truncated' if size < promised else 'too long a'} {path.suffix} file"
        expected = f"{dtype.name} of shape {quote(shape)} must have {promised}"
        raise UnreadableFile(f"{path}: {what} with {quantity(size, 'byte')} of elements; {expected}; write it again")


def npy_header(path: Path, head: bytes) -> tuple[tuple[int, ...], Any, np.dtype[Any], int]:
    """Shape, order and dtype of a .npy file, and the start of its elements, from its first MOST_NPY_HEADER bytes."""
    file = io.BytesIO(head)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # headers of Python 2 cause a warning
        shape, is_fortran, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
    if dtype.hasobject or dtype.names or dtype.subdtype:
        raise UnreadableFile(f"{path}: holds {quote(dtype)}; it must hold numbers, not objects or records; convert it")
    return shape, "F" if is_fortran else "C", dtype, file.tell()


def is_truncated(path: Path) -> bool:
    """Whether a file begins like a .npy, zip or .safetensors file, but ends before the end that its header states."""
    with path.open("rb") as file:
        head = file.read(16)
    size, magic = path.stat().st_size, np.lib.format.MAGIC_PREFIX
    if path.suffix == ".npy":
        length = head[8:10] if head[6:7] == b"\1" else head[8:12]
        end = 8 + len(length) + int.from_bytes(length, "little")
        return head.startswith(magic[: len(head)]) and (len(head) < 12 or size < end)
    if path.suffix == ".safetensors":
        return size < 8 + int.from_bytes(head[:8], "little") < 1 << 32 or size < 8
    return head.startswith(_ZIP[: len(head)]) and not zipfile.is_zipfile(path)


def refuse_large(path: Path, size: int, why: str) -> None:
    """Raise if `size` bytes do not fit into free memory."""
    free = available_memory()
    if free is not None and size > free:
        raise UnreadableFile(
            f"{path}: takes {size} bytes {why}; at most {free} are free; free memory or split the file"
        )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """A context that replaces an OSError by an error that names this file. The file must exist."""
    try:
        if not path.is_file():
            kind = "a folder" if path.is_dir() else "not a regular file"
            wrong = f"is {kind}; it must be a file; name a file"
            raise UnreadableFile(f"{path}: {wrong if path.exists() else NO_FILE}")
        yield
    except UnicodeDecodeError as error:
        fault = f"{path}: has {error.reason} at byte {error.start}"
        raise UnreadableFile(f"{fault}; it must be text in UTF-8; save it again") from error
    except OSError as error:
        raise UnreadableFile(f"{path}: {system_fault(error)}") from error
    except MemoryError as error:
        fault = f"{path}: has {path.stat().st_size} bytes"
        raise UnreadableFile(f"{fault}; it must fit into memory; free memory or split the file") from error


def available_memory() -> int | None:
    """The bytes that a program may allocate without swapping, or None if the system does not report them."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), None)
