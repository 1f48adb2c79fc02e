"""The code cache: machine code on disk, for later processes. Without a usable folder, each process compiles again.

Loading an entry runs its code, so an entry must belong to this user, and no other user may have write access. A
checksum of the entry's name and content detects damaged files and renamed files. If an entry fails these checks, the
process compiles again and replaces the entry.

An entry's name holds a hash of the compiler that this process has loaded. Without such a hash, nothing is cached. The
hash is missing if the package has no source files, or if a file changed after this process had imported the package.

The entries are in ACTGRAD_CACHE_DIR, or in `actgrad` in the user's cache folder. An empty ACTGRAD_CACHE_DIR turns the
cache off. That folder may also hold files of other programs. Our files are in one subfolder with a marker file.
We read or remove a file only if it is a regular file of sane size, belongs to this user, and is writable by no other
user. We never open, replace or remove a link, folder, FIFO, socket or device of the same name, and never remove a
folder. Names are relative to the folder's descriptor, so no link leads out of the folder.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ...base import IMPORTED, folders, xp

NAME = "actgrad-machine-code"
#: The marker of https://bford.info/cachedir, which makes backup programs skip the folder.
MARKER = "CACHEDIR.TAG"
MARKER_CONTENT = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# actgrad keeps machine code here. This folder may be deleted at any time.\n"
)
MOST_BYTES = 1 << 26  # largest size of a file in bytes. Machine code takes about ten kilobytes

_PART = re.compile(r"\.[0-9a-f]{16}\.part")  # unfinished files, also of processes that have ended
_NOFOLLOW, _NONBLOCK, _DIRECTORY = (getattr(os, f"O_{name}", 0) for name in ("NOFOLLOW", "NONBLOCK", "DIRECTORY"))
_READ = os.O_RDONLY | _NOFOLLOW | _NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW
_FOLDER = os.O_RDONLY | _DIRECTORY | _NONBLOCK
_MAGIC = b"actgrad1"
_DIGEST = 32  # bytes of a SHA-256
_ENTRY = re.compile(r"[0-9a-f]{16}-[0-9a-f]{40}\.o")  # compiler, key
KEPT_DAYS = 30
_COMPILER_FILES = ("base/*.py", "backends/**/*.py", "backends/**/*.json")  # patterns in the package's folder
_CLOCK_STEP = 0.01  # seconds by which the time of a file may lag behind the clock


def folder() -> Path | None:
    """The folder of the entries, which may not exist yet. None if the cache is off."""
    base = _base()
    return None if base is None else base / NAME


def load(key: str) -> bytes | None:
    """The entry of `key`, or None if no entry passes the checks."""
    try:
        with _opened() as files:
            content = files.read(_name(key))
    except OSError:  # the file is absent or unusable
        return None
    if content is None:
        return None
    payload = content[len(_MAGIC) + _DIGEST :]
    return payload if content == _entry(key, payload) else None


def store(key: str, payload: bytes) -> bool:
    """Store an entry. Returns whether that was possible. Another process reads all of the entry or nothing."""
    try:
        with _opened(make=True) as files:
            if not any(name.startswith(COMPILER[:16]) for name in files.names()):
                _remove_old(files)
            files.write(_name(key), _entry(key, payload))
    except OSError:  # the folder is read-only, full, or belongs to another user
        return False
    return True


def why_unusable() -> str | None:
    """The reason why `store` cannot store entries, or None if the folder is usable."""
    if _UNKNOWN:
        return _UNKNOWN
    base = _base()
    if base is None:
        return (
            "ACTGRAD_CACHE_DIR is empty, or there is no home folder; set ACTGRAD_CACHE_DIR to a folder to have a cache"
        )
    try:
        try:
            with _opened() as files:
                nearest = files.path
        except FileNotFoundError:  # `store` creates the folder in the nearest folder that exists
            nearest = next(path for path in (base, *base.absolute().parents) if path.exists())
    except OSError as error:
        return str(error) if isinstance(error, Unusable) else f"{error.filename or base}: {error.strerror}"
    return (
        None
        if os.access(nearest, os.W_OK | os.X_OK)
        else f"{nearest} is read-only; set ACTGRAD_CACHE_DIR to a folder that you may write to"
    )


def entries() -> dict[str, int]:
    """The file names of all entries, each with its size in bytes."""
    try:
        with _opened() as files:
            names = [
                name for name in files.names() if _ENTRY.fullmatch(name) and files.read(name, len(_MAGIC)) == _MAGIC
            ]
            return {name: status.st_size for name in names if (status := files.status(name)) is not None}
    except OSError:  # the file is absent or unusable
        return {}


def clear() -> int:
    """Remove all entries. Returns their number."""
    try:
        with _opened() as files:
            files.remove(_PART, lambda _: True)
            return files.remove(_ENTRY, lambda _: True)
    except OSError:  # the file is absent or unusable
        return 0


def _name(key: str) -> str:
    """The file name of an entry.

    It begins with the compiler's hash, so that entries of other compilers can be recognised.
    """
    return f"{COMPILER[:16]}-{key}.o"


def _entry(key: str, payload: bytes) -> bytes:
    """The content of an entry's file."""
    return _MAGIC + hashlib.sha256(_name(key).encode() + payload).digest() + payload


def _remove_old(files: CacheFolder) -> None:
    """Remove entries older than KEPT_DAYS, once for each new compiler, because a new compiler cannot use them."""

    def is_old(status: os.stat_result) -> bool:
        return time.time() - status.st_mtime > KEPT_DAYS * 86400

    for pattern in (_PART, _ENTRY):
        files.remove(pattern, is_old)


# The folder


class Unusable(OSError):
    """The folder cannot be used; the message says why."""


@dataclass(frozen=True)
class CacheFolder:
    """The open folder: its descriptor, and its path for messages."""

    path: Path
    descriptor: int

    def names(self) -> list[str]:
        """The names of all files and folders in this folder."""
        return sorted(os.listdir(self.descriptor))

    def status(self, name: str) -> os.stat_result | None:
        """The status of one of our files, or None if it does not exist."""
        with suppress(OSError):
            status = self._stat(name)
            return status if _is_file_of_ours(status) else None
        return None

    def read(self, name: str, count: int = MOST_BYTES) -> bytes | None:
        """The first `count` bytes of one of our files, or None if it does not exist."""
        if self.status(name) is None:  # opening another kind of file may block, or wake a device
            return None
        with suppress(OSError):
            descriptor = os.open(name, _READ, dir_fd=self.descriptor)
            with os.fdopen(descriptor, "rb") as file:
                return file.read(count) if _is_file_of_ours(os.fstat(descriptor)) else None
        return None

    def write(self, name: str, content: bytes) -> None:
        """Create or replace one of our files. Another process reads all of the file or nothing."""
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(self._stat(name).st_mode):
                raise Unusable(
                    f"{self.path / name} is not a regular file; the cache must be able to replace it; remove it"
                )
        part = f".{os.urandom(8).hex()}.part"
        _refuse_beyond_limit(len(content))
        descriptor = os.open(part, _CREATE, 0o600, dir_fd=self.descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(part, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        except OSError:
            self._unlink(part)
            raise

    def remove(self, pattern: re.Pattern[str], is_old: Callable[[os.stat_result], bool]) -> int:
        """Remove our files that are old, and empty unfinished files, if their names match `pattern`.

        Returns their number.
        """
        count = 0
        for name in filter(pattern.fullmatch, self.names()):
            status = self.status(name)
            if status is not None and is_old(status):
                header = _MAGIC[: status.st_size] if pattern is _PART else _MAGIC
                count += self.read(name, len(header)) == header and self._unlink(name)
        return count

    def _unlink(self, name: str) -> bool:
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except OSError:
            return False
        return True

    def _stat(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def check_marker(self, make: bool) -> None:
        """Raise Unusable if our marker is missing. With `make`, write the marker into an empty folder."""
        names = self.names()
        if MARKER not in names and all(map(_PART.fullmatch, names)):
            if not make:
                raise FileNotFoundError(errno.ENOENT, "the cache is empty", str(self.path))
            self.write(MARKER, MARKER_CONTENT)
        elif self.read(MARKER) != MARKER_CONTENT:
            fault = f"{self.path} has files, but no {MARKER} of actgrad"
            raise Unusable(f"{fault}; the folder must be actgrad's own; set ACTGRAD_CACHE_DIR to another folder")


@contextmanager
def _opened(make: bool = False) -> Iterator[CacheFolder]:
    """Our folder. With `make`, create it. Raises OSError if it is absent or unusable."""
    base = _base()
    if base is None:
        raise Unusable("no folder for the cache")
    if os.open not in os.supports_dir_fd:
        raise Unusable(
            "this system cannot open files relative to a folder; the cache needs that; use it without a cache"
        )
    if make:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _descriptor(base, base, None) as outer:  # `base` may be a link, because the user named it
        path = base / NAME
        if make:
            with suppress(FileExistsError):
                os.mkdir(NAME, 0o700, dir_fd=outer)
        _refuse_foreign_folder(os.stat(NAME, dir_fd=outer, follow_symlinks=False), path)
        with _descriptor(path, NAME, outer) as descriptor:
            files = CacheFolder(path, descriptor)
            files.check_marker(make)
            yield files


@contextmanager
def _descriptor(path: Path, name: str | Path, within: int | None) -> Iterator[int]:
    """The open folder `path`, which is `name` in the open folder `within`."""
    descriptor = os.open(name, _FOLDER if within is None else _FOLDER | _NOFOLLOW, dir_fd=within)
    try:
        _refuse_foreign_folder(os.fstat(descriptor), path)
        yield descriptor
    finally:
        os.close(descriptor)


def _refuse_foreign_folder(status: os.stat_result, path: Path) -> None:
    if fault := folders.folder_fault(path, status):
        raise Unusable(f"{fault}; run chmod go-w on it, or set ACTGRAD_CACHE_DIR to a folder of your own")


def _refuse_beyond_limit(size: int) -> None:
    """Raise OSError if the limit on file sizes forbids `size` bytes, because SIGXFSZ would end a program in C."""
    import resource  # only POSIX systems have this module

    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit != resource.RLIM_INFINITY and size > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


def _is_file_of_ours(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES and folders.is_this_users(status)


def _base() -> Path | None:
    """The folder that contains our folder, or None if the cache is off."""
    if _UNKNOWN:
        return None
    setting = os.environ.get("ACTGRAD_CACHE_DIR")
    if setting is not None:
        return Path(setting) if setting else None
    cache = folders.user_cache()
    return None if cache is None else cache / "actgrad"


# The key


def key(*parts: Any) -> str:
    """The key of the machine code that `parts` determine: a hash of formulas' bytecode and of the compiler's files."""
    digest = hashlib.sha256(COMPILER.encode())
    for line in _lines(parts):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:40]


def _compiler(package: Path) -> str:
    """A hash of the compiler: its files in `package`, LLVM and Python."""
    versions = llvmlite.__version__, llvm.llvm_version_info, platform.python_version()
    digest = hashlib.sha256(repr(versions).encode())
    for path in _files(package):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(package: Path) -> list[Path]:
    return sorted(path for pattern in _COMPILER_FILES for path in package.glob(pattern))


def _why_unknown(package: Path, imported: float) -> str:
    """The reason why a hash of the files may not describe the loaded compiler; empty if it does."""
    files = _files(package)
    if Path(__file__) not in files:
        return "actgrad's source files, which tell its versions apart, are not there"
    if any(path.stat().st_ctime > imported - _CLOCK_STEP for path in files):
        return "actgrad's files changed after this process had imported actgrad"
    return ""


#: The hash of the compiler that this process has loaded, computed now because the files may change later.
COMPILER = _compiler(Path(__file__).parents[2])
_UNKNOWN = _why_unknown(Path(__file__).parents[2], IMPORTED)


def _lines(value: Any) -> Iterable[str]:
    """A description of `value`; values with equal descriptions compile to the same code."""
    if isinstance(value, FunctionType):
        code = value.__code__
        yield repr((code.co_code, code.co_varnames, code.co_names, code.co_consts))
        for name in code.co_names:
            function = xp.function_name(value, name)  # functions of xp are the same in every formula
            yield from [function] if function in xp.NAMES else _lines(value.__globals__.get(name, name))
    elif isinstance(value, tuple):
        yield f"tuple of {len(value)}"
        for item in value:
            yield from _lines(item)
    else:
        yield repr(value)
