"""Machine code on disk, so that a later process need not compile it again. Without a usable folder nothing is lost.

An entry is loaded and run, so it is trusted only if this user wrote it and nobody else can: owner and permissions are
looked at, and a checksum tells a damaged file from a whole one. Anything else counts as absent and is written anew.

The folder is ACTGRAD_CACHE_DIR, else `actgrad` in the user's cache folder; an empty ACTGRAD_CACHE_DIR means none.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite

from ... import xp
from ...folders import user_cache

_MAGIC = b"actgrad1"
_DIGEST = 32  # bytes of a SHA-256
SUFFIX = ".o"
KEPT_DAYS = 30


def folder() -> Path | None:
    """Where entries are kept, whether or not it exists yet; None where there is no such place."""
    named = os.environ.get("ACTGRAD_CACHE_DIR")
    if named is not None:
        return Path(named) if named else None
    base = user_cache()
    return None if base is None else base / "actgrad"


def load(key: str) -> bytes | None:
    """The entry of `key`, or None where there is none to be trusted."""
    place = folder()
    if place is None:
        return None
    try:
        if not _is_ours(place.stat()):
            return None
        with open(_path(place, key), "rb") as file:
            if not _is_ours(os.fstat(file.fileno())):
                return None
            content = file.read()
    except OSError:  # absent or unreadable
        return None
    head, payload = content[: len(_MAGIC) + _DIGEST], content[len(_MAGIC) + _DIGEST :]
    return payload if head == _MAGIC + hashlib.sha256(payload).digest() else None


def store(key: str, payload: bytes) -> bool:
    """Keep an entry; whether that was possible. Readers see all of it or nothing."""
    place = folder()
    if place is None:
        return False
    temporary = ""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(place.stat()):
            return False
        generation = _path(place, key).parent
        if not generation.exists():
            generation.mkdir(mode=0o700, exist_ok=True)
            _remove_old(place)
        handle, temporary = tempfile.mkstemp(dir=generation, prefix=".", suffix=".tmp")  # for this user only
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
        os.replace(temporary, _path(place, key))
    except OSError:  # read-only, full, or not a folder
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        return False
    return True


def is_usable() -> bool:
    """Whether entries can be kept: the folder, or the nearest one above it that exists, can be written to."""
    place = folder()
    if place is None:
        return False
    if place.exists():
        return place.is_dir() and _is_ours(place.stat()) and os.access(place, os.W_OK | os.X_OK)
    return os.access(next(above for above in place.absolute().parents if above.exists()), os.W_OK | os.X_OK)


def entries() -> list[Path]:
    """The files of all entries."""
    place = folder()
    return sorted(place.glob("*/*" + SUFFIX)) if place is not None and place.is_dir() else []


def clear() -> int:
    """Remove all entries; how many there were."""
    found = entries()
    for generation in {path.parent for path in found}:
        shutil.rmtree(generation, ignore_errors=True)
    return len(found) - len(entries())


def _path(place: Path, key: str) -> Path:
    """The file of an entry. Each compiler has a folder of its own, so that those of earlier ones can go."""
    return place / _compiler()[:16] / (key + SUFFIX)


def _remove_old(place: Path) -> None:
    """Remove what other compilers left and nobody has added to for KEPT_DAYS."""
    for generation in place.iterdir():
        if generation.is_dir() and time.time() - generation.stat().st_mtime > KEPT_DAYS * 86400:
            shutil.rmtree(generation, ignore_errors=True)


def _is_ours(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and only this user may write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def key(*parts: Any) -> str:
    """A name for what is compiled from `parts`: formulas count by their bytecode, the compiler by its source."""
    digest = hashlib.sha256(_compiler().encode())
    for line in _lines(parts):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:40]


@cache
def _compiler() -> str:
    """What turns a formula into machine code: this package's own code, LLVM and Python."""
    digest = hashlib.sha256(f"{llvmlite.__version__} {platform.python_version()}".encode())
    package = Path(__file__).parents[2]
    for path in sorted([*package.glob("*.py"), *package.glob("backends/**/*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _lines(value: Any) -> Iterable[str]:
    """A description of `value` in which equal means compiled to the same code."""
    if isinstance(value, FunctionType):
        code = value.__code__
        yield repr((code.co_code, code.co_varnames, code.co_names, code.co_consts))
        for name in code.co_names:
            if name not in xp.NAMES:  # those mean the same in every formula
                yield from _lines(value.__globals__[name])
    elif isinstance(value, tuple):
        yield f"tuple of {len(value)}"
        for item in value:
            yield from _lines(item)
    else:
        yield repr(value)
