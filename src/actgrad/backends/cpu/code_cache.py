"""The code cache: machine code on disk, for later processes. Without a usable folder each process compiles anew.

Loading an entry runs it, so an entry must belong to this user and be writable by no other user. A checksum of the
entry's name and content detects damaged files, and files under another name. Entries that fail these checks count as
absent and are replaced.

An entry's name holds a hash of the compiler that this process has loaded. Without such a hash there is no cache: where
the package has no source files, or where they changed after the process had imported it.

The folder is our own (own_folder.py), in ACTGRAD_CACHE_DIR, else in `actgrad` in the user's cache folder. An empty
ACTGRAD_CACHE_DIR means no cache.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ...base import IMPORTED, xp
from ...base.folders import user_cache
from . import own_folder
from .own_folder import OwnFolder, Unusable

_MAGIC = b"actgrad1"
_DIGEST = 32  # bytes of a SHA-256
_ENTRY = re.compile(r"[0-9a-f]{16}-[0-9a-f]{40}\.o")  # compiler, key
KEPT_DAYS = 30
_COMPILER_FILES = ("base/*.py", "backends/**/*.py", "backends/**/*.json")  # in the package's folder
_CLOCK_STEP = 0.01  # seconds by which the times of files may lag behind the clock


def folder() -> Path | None:
    """The folder of the entries, which need not exist yet; None without a cache."""
    base = _base()
    return None if base is None else base / own_folder.NAME


def load(key: str) -> bytes | None:
    """The entry of `key`; None without one that passes the checks."""
    try:
        with _opened() as own:
            content = own.read(_name(key))
    except OSError:  # absent or unusable
        return None
    if content is None:
        return None
    payload = content[len(_MAGIC) + _DIGEST :]
    return payload if content == _entry(key, payload) else None


def store(key: str, payload: bytes) -> bool:
    """Store an entry; whether that was possible. Readers see all of it or nothing."""
    try:
        with _opened(make=True) as own:
            if not any(name.startswith(COMPILER[:16]) for name in own.names()):
                _remove_old(own)
            own.write(_name(key), _entry(key, payload))
    except OSError:  # read-only, full, or not ours
        return False
    return True


def why_unusable() -> str | None:
    """The reason why no entries can be stored; None for a usable folder."""
    if _UNKNOWN:
        return _UNKNOWN
    base = _base()
    if base is None:
        return (
            "ACTGRAD_CACHE_DIR is empty, or there is no home folder; set ACTGRAD_CACHE_DIR to a folder to have a cache"
        )
    try:
        try:
            with _opened() as own:
                place = own.path
        except FileNotFoundError:  # `store` makes it in the nearest folder that exists
            place = next(path for path in (base, *base.absolute().parents) if path.exists())
    except OSError as error:
        return str(error) if isinstance(error, Unusable) else f"{error.filename or base}: {error.strerror}"
    return (
        None
        if os.access(place, os.W_OK | os.X_OK)
        else f"{place} is read-only; set ACTGRAD_CACHE_DIR to a folder that you may write to"
    )


def entries() -> dict[str, int]:
    """The file names of all entries, each with its size in bytes."""
    try:
        with _opened() as own:
            return {name: status.st_size for name, status in _found(own)}
    except OSError:  # absent or unusable
        return {}


def clear() -> int:
    """Remove all entries; their number."""
    try:
        with _opened() as own:
            own.remove_parts(_MAGIC, lambda _: True)
            return sum(own.remove(name, _MAGIC) for name in own.names() if _ENTRY.fullmatch(name))
    except OSError:  # absent or unusable
        return 0


def _base() -> Path | None:
    """The folder that contains ours; None without a cache."""
    if _UNKNOWN:
        return None
    named = os.environ.get("ACTGRAD_CACHE_DIR")
    if named is not None:
        return Path(named) if named else None
    above = user_cache()
    return None if above is None else above / "actgrad"


def _opened(make: bool = False) -> AbstractContextManager[OwnFolder]:
    base = _base()
    if base is None:
        raise Unusable("no folder for the cache")
    return own_folder.opened(base, make)


def _name(key: str) -> str:
    """The file name of an entry. It begins with the compiler's hash, which tells old entries."""
    return f"{COMPILER[:16]}-{key}.o"


def _entry(key: str, payload: bytes) -> bytes:
    """The content of an entry's file."""
    return _MAGIC + hashlib.sha256(_name(key).encode() + payload).digest() + payload


def _found(own: OwnFolder) -> Iterator[tuple[str, os.stat_result]]:
    """The name and the status of each entry."""
    for name in own.names():
        is_entry = _ENTRY.fullmatch(name) and own.read(name, len(_MAGIC)) == _MAGIC
        if is_entry and (status := own.status(name)) is not None:
            yield name, status


def _remove_old(own: OwnFolder) -> None:
    """Remove entries older than KEPT_DAYS, once for each new compiler, which can use none of them."""

    def is_old(status: os.stat_result) -> bool:
        return time.time() - status.st_mtime > KEPT_DAYS * 86400

    own.remove_parts(_MAGIC, is_old)
    for name, status in _found(own):
        if is_old(status):
            own.remove(name, _MAGIC)


def key(*parts: Any) -> str:
    """The key of the machine code that `parts` determine: a hash of formulas' bytecode and of the compiler's files."""
    digest = hashlib.sha256(COMPILER.encode())
    for line in _lines(parts):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:40]


def _compiler(package: Path) -> str:
    """A hash of the compiler: the files of `package` that it consists of, LLVM and Python."""
    versions = llvmlite.__version__, llvm.llvm_version_info, platform.python_version()
    digest = hashlib.sha256(repr(versions).encode())
    for path in _files(package):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(package: Path) -> list[Path]:
    return sorted(path for pattern in _COMPILER_FILES for path in package.glob(pattern))


def _why_unknown(package: Path, imported: float) -> str:
    """The reason why a hash of files does not stand for the loaded compiler; empty where it does."""
    files = _files(package)
    if Path(__file__) not in files:
        return "actgrad's source files, which tell its versions apart, are not there"
    if any(path.stat().st_ctime > imported - _CLOCK_STEP for path in files):
        return "actgrad's files changed after this process had imported actgrad"
    return ""


#: The hash of the compiler that this process has loaded. Later the files may change, and other processes share entries.
COMPILER = _compiler(Path(__file__).parents[2])
_UNKNOWN = _why_unknown(Path(__file__).parents[2], IMPORTED)


def _lines(value: Any) -> Iterable[str]:
    """A description of `value`; values with equal descriptions compile to the same code."""
    if isinstance(value, FunctionType):
        code = value.__code__
        yield repr((code.co_code, code.co_varnames, code.co_names, code.co_consts))
        for name in code.co_names:
            known = xp.function_name(value, name)  # functions of xp are the same in every formula
            yield from [known] if known in xp.NAMES else _lines(value.__globals__[name])
    elif isinstance(value, tuple):
        yield f"tuple of {len(value)}"
        for item in value:
            yield from _lines(item)
    else:
        yield repr(value)
