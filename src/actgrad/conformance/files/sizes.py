"""Sizes of tensors checked against their files before any memory is taken."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import ActgradError, shown
from ..elements import Array

MOST_ELEMENTS = 1 << 62  # of each dimension
MOST_NPY_HEADER = 1 << 16  # bytes; NumPy takes 10,000
#: .npy headers of these versions; later ones are for names of fields, which tensors have not.
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class UnreadableFile(ActgradError):
    """A file without the tensor that it promises."""


def mapped(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], start: int = 0, order: Any = "C") -> Array:
    """The elements from byte `start` to the end of a file, mapped into memory."""
    held = path.stat().st_size - start
    check(path, dtype, shape, held)
    # Bytes: memmap takes neither every dtype by name nor an empty file.
    raw = np.memmap(path, np.uint8, "r", start, (held,)) if held else np.empty(0, np.uint8)
    return np.ndarray(shape, dtype, raw, order=order)


def check(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], held: int) -> None:
    """Raise unless an array of this dtype and shape takes `held` bytes."""
    if not all(0 <= n < MOST_ELEMENTS for n in shape):
        raise UnreadableFile(f"{path}: no array has shape {shown(shape)}")
    promised = prod(shape) * dtype.itemsize
    if promised != held:
        what = "truncated" if held < promised else "too long"
        raise UnreadableFile(
            f"{path}: {what}: {dtype.name}, shape {shown(shape)}, takes {promised} bytes, it has {held}"
        )


def npy_header(path: Path, head: bytes) -> tuple[tuple[int, ...], Any, np.dtype[Any], int]:
    """Shape, order and dtype of a .npy file, and where its elements begin, from its first MOST_NPY_HEADER bytes."""
    file = io.BytesIO(head)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers as Python 2 wrote them
        shape, is_fortran, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
    if dtype.hasobject or dtype.names or dtype.subdtype:
        raise UnreadableFile(f"{path}: holds {shown(dtype)}: records are not read, and objects never unpickled")
    return shape, "F" if is_fortran else "C", dtype, file.tell()


def refuse_large(path: Path, size: int, why: str) -> None:
    """Raise when so many bytes do not fit into free memory."""
    free = available_memory()
    if free is not None and size > free:
        raise UnreadableFile(f"{path}: {size} bytes {why} and {free} are free")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Within, the errors of the system are errors of this file, which must be there."""
    try:
        if not path.is_file():
            raise UnreadableFile(f"{path}: {'is no file' if path.exists() else 'no such file'}")
        yield
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path}: is no text: {error.reason} at byte {error.start}") from error
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise UnreadableFile(f"{path}: {path.stat().st_size} bytes are more than memory holds") from error


def available_memory() -> int | None:
    """Bytes that a program may take without swapping; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), None)
