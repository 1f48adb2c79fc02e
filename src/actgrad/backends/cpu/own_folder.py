"""A folder of this package inside a folder of the user's, and the only code that deletes files there.

The user's folder may hold anything. Our files are in one subfolder, which a marker file tells from foreign ones.
A file is read or removed only if it is regular, this user's, writable by no other user, and of a sane size.
A link, folder, FIFO, socket or device of the same name is neither opened nor replaced nor removed. No folder is ever
removed. Names are relative to the folder's descriptor, so that no link leads out of it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...base import folders

NAME = "actgrad-machine-code"
#: The marker of https://bford.info/cachedir: backup programs skip the folder.
MARKER = "CACHEDIR.TAG"
MARKER_CONTENT = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# actgrad keeps machine code here. This folder may be deleted at any time.\n"
)
MOST_BYTES = 1 << 26  # of a file; machine code takes some ten kilobytes

_PART = re.compile(r"\.[0-9a-f]{16}\.part")  # unfinished files, also of processes that ended
_NOFOLLOW, _NONBLOCK, _DIRECTORY = (getattr(os, f"O_{name}", 0) for name in ("NOFOLLOW", "NONBLOCK", "DIRECTORY"))
_READ = os.O_RDONLY | _NOFOLLOW | _NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW
_FOLDER = os.O_RDONLY | _DIRECTORY | _NONBLOCK


class Unusable(OSError):
    """The folder cannot be used; the message says why."""


@dataclass(frozen=True)
class OwnFolder:
    """The open folder: its descriptor, and its path for messages."""

    path: Path
    descriptor: int

    def names(self) -> list[str]:
        """The names of all its files and folders."""
        return sorted(os.listdir(self.descriptor))

    def status(self, name: str) -> os.stat_result | None:
        """The status of one of our files; None without such a file."""
        with suppress(OSError):
            found = self._stat(name)
            return found if _is_file_of_ours(found) else None
        return None

    def read(self, name: str, count: int = MOST_BYTES) -> bytes | None:
        """The first `count` bytes of one of our files; None without such a file."""
        if self.status(name) is None:  # opening other files may block, or wake a device
            return None
        with suppress(OSError):
            descriptor = os.open(name, _READ, dir_fd=self.descriptor)
            with os.fdopen(descriptor, "rb") as file:
                return file.read(count) if _is_file_of_ours(os.fstat(descriptor)) else None
        return None

    def write(self, name: str, content: bytes) -> None:
        """Make or replace one of our files. Readers see all of it or nothing."""
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

    def remove(self, name: str, header: bytes) -> bool:
        """Remove one of our files if it begins with `header`; whether it was removed."""
        return self.read(name, len(header)) == header and self._unlink(name)

    def remove_parts(self, header: bytes, is_old: Callable[[os.stat_result], bool]) -> None:
        """Remove unfinished files of ended processes that begin with `header` or are empty."""
        for name in self.names():
            status = self.status(name) if _PART.fullmatch(name) else None
            if status is not None and is_old(status):
                self.remove(name, header[: status.st_size])

    def _unlink(self, name: str) -> bool:
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except OSError:
            return False
        return True

    def _stat(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def _check_marker(self, make: bool) -> None:
        """Raise Unusable without our marker; write it into an empty folder if `make`."""
        names = self.names()
        if MARKER not in names and all(map(_PART.fullmatch, names)):
            if not make:
                raise FileNotFoundError(errno.ENOENT, "the cache is empty", str(self.path))
            self.write(MARKER, MARKER_CONTENT)
        elif self.read(MARKER) != MARKER_CONTENT:
            fault = f"{self.path} has files, but no {MARKER} of actgrad"
            raise Unusable(f"{fault}; the folder must be actgrad's own; set ACTGRAD_CACHE_DIR to another folder")


@contextmanager
def opened(base: Path, make: bool = False) -> Iterator[OwnFolder]:
    """Our folder in `base`, created if `make`. Raises OSError if it is absent or unusable."""
    if os.open not in os.supports_dir_fd:
        raise Unusable(
            "this system cannot open files relative to a folder; the cache needs that; use it without a cache"
        )
    if make:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _descriptor(base, base, None) as outer:  # `base` may be a link: the user named it
        path = base / NAME
        if make:
            with suppress(FileExistsError):
                os.mkdir(NAME, 0o700, dir_fd=outer)
        _refuse_foreign_folder(os.stat(NAME, dir_fd=outer, follow_symlinks=False), path)
        with _descriptor(path, NAME, outer) as descriptor:
            own = OwnFolder(path, descriptor)
            own._check_marker(make)
            yield own


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
    """Raise OSError where a file may not have so many bytes: a process that is no Python would end by SIGXFSZ."""
    import resource  # which POSIX systems alone have

    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit != resource.RLIM_INFINITY and size > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


def _is_file_of_ours(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES and folders.is_this_users(status)
