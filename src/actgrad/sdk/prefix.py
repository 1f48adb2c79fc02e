"""The folder of an SDK: its own files, the user's files, and how a new SDK takes the place of an old one.

A marker at its root names the version and every file of the SDK with its digest. Other files, and changed ones, are the
user's: an SDK with any of these is not replaced.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import __version__
from ..base.errors import ActgradError

MARKER = "actgrad-sdk"
_TEMPORARY = ".actgrad-sdk-"  # the beginning of a temporary folder's name
_SHOWN = 3  # files that a message names


class SdkError(ActgradError):
    """The SDK could not be built or used."""


def check(prefix: Path) -> None:
    """Raise SdkError if `prefix` exists, is not empty, and is no SDK."""
    if prefix.exists() and not (prefix.is_dir() and (_is_sdk(prefix) or not any(prefix.iterdir()))):
        raise SdkError(f"{prefix}: exists already; it must be empty or an SDK of actgrad; choose another folder")


def finish(fresh: Path) -> None:
    """Write the marker of a new SDK."""
    lines = [f"{digest}  {name}\n" for name, digest in ((name, _digest(fresh / name)) for name in _names(fresh))]
    (fresh / MARKER).write_text(f"{__version__}\n{''.join(lines)}", encoding="utf-8")


@contextmanager
def beside(prefix: Path) -> Iterator[Path]:
    """A temporary folder beside `prefix`, locked while it is in use; folders of killed builds are removed first."""
    for left in prefix.parent.glob(f"{_TEMPORARY}*"):
        if lock := _locked(left):
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=prefix.parent) as folder:
        lock = _locked(Path(folder))
        try:
            yield Path(folder)
        finally:
            if lock:  # 0 on a file system without locks
                os.close(lock)


def _locked(folder: Path) -> int:
    """The open, locked folder; 0 where another build has locked it, or where it is none of ours."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return 0
    return opened


def put(fresh: Path, prefix: Path, old: Path) -> None:
    """Move a finished SDK to `prefix`, and an older one from there to `old`."""
    check(prefix)
    if not prefix.exists():
        fresh.rename(prefix)
        return
    users = list(_files_of_the_user(prefix, fresh))
    if users:
        more = f" and {len(users) - _SHOWN} more" if len(users) > _SHOWN else ""
        raise SdkError(
            f"{prefix}: has files of yours ({', '.join(users[:_SHOWN])}{more}); it must have only unchanged files of "
            "the "
            "SDK; move them elsewhere or choose another folder"
        )
    prefix.rename(old)
    try:
        fresh.rename(prefix)
    except OSError:
        old.rename(prefix)
        raise


def _is_sdk(prefix: Path) -> bool:
    marker = prefix / MARKER
    if marker.is_symlink() or not marker.is_file():
        return False
    with open(marker, encoding="utf-8", errors="replace") as file:
        return re.fullmatch(r"\d+\.\d+\S*\n?", file.readline(100)) is not None


def _files_of_the_user(prefix: Path, fresh: Path) -> Iterator[str]:
    """The names of files in `prefix` that differ from those of `actgrad sdk`, or are not among them."""
    if not _is_sdk(prefix):  # an empty folder
        return
    lines = (prefix / MARKER).read_text(encoding="utf-8").splitlines()[1:]
    digests = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    known = digests or dict.fromkeys(_names(fresh), "")  # version 0.1 listed no files, but had the same names
    for name in _names(prefix):
        if name == MARKER:
            continue
        if name not in known or (digests and _digest(prefix / name) != digests[name]):
            yield name


def _names(folder: Path) -> list[str]:
    """The files in a folder and those below, in order."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def _digest(path: Path) -> str:
    if path.is_symlink():
        return hashlib.sha256(b"link to " + os.fsencode(os.readlink(path))).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "none"
