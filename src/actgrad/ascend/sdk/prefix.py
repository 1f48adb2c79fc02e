"""The folder of an SDK: the SDK's files, the user's files, and how a new SDK replaces an old one.

A marker at its root names the version and every file of the SDK with its digest. Other files and changed files belong
to the user: `actgrad sdk` does not replace an SDK that has any of these.

A build works in a temporary folder next to the prefix. This folder holds the new SDK and then the old SDK. The marker
of the new SDK is its first file, and lists the files that the build is going to make. From the markers, a later build
recognises the folder of a killed build and deletes it, but no folder that holds anything else.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ... import __version__
from ...base import folders
from ...base.errors import ActgradError

MARKER = "actgrad-sdk"
FRESH, OLD = "fresh", "old"  # in a temporary folder: the new SDK, and the SDK that it replaces
_TEMPORARY = ".actgrad-sdk-"  # the beginning of a temporary folder's name
_ANY = "any"  # instead of a digest, for files that the compiler writes
_EMPTY = hashlib.sha256(b"").hexdigest()  # the digest of a file that a killed build left empty
_SHOWN = 3  # the number of files that a message names


class SdkError(ActgradError):
    """The SDK could not be built or used."""

    has_lines = True


def refuse_occupied(prefix: Path) -> None:
    """Raise SdkError if `prefix` exists, is not empty, and is not an SDK."""
    if prefix.exists() and not (prefix.is_dir() and (_is_sdk(prefix) or not any(prefix.iterdir()))):
        raise SdkError(f"{prefix}: exists already; it must be empty or an SDK of actgrad; choose another folder")


def finish(fresh: Path) -> None:
    """Write the marker of a new SDK, and remove other users' write permission."""
    _write_marker(fresh, {name: _digest(fresh / name) for name in _names(fresh)})
    for path in (fresh, *fresh.rglob("*")):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))


def refuse_foreign_folder(folder: Path) -> None:
    """Raise SdkError unless a folder, or the target of a link, belongs only to this user."""
    if fault := folders.folder_fault(folder, folder.stat()):
        raise SdkError(_with_cure(fault))


def refuse_foreign(prefix: Path) -> None:
    """Raise SdkError unless an SDK is unchanged and belongs only to this user, because programs load its libraries."""
    for fault in _faults(prefix):
        raise SdkError(_with_cure(fault))


def _with_cure(fault: str) -> str:
    return f"{fault}; move it away, or set XDG_CACHE_HOME to a folder of your own"


def _faults(prefix: Path) -> Iterator[str]:
    if fault := folders.folder_fault(prefix, prefix.lstat()):
        yield fault
    for path in prefix.rglob("*"):
        status = path.lstat()
        is_link = stat.S_ISLNK(status.st_mode)  # the mode of a link has no meaning
        if not (status.st_uid == os.geteuid() if is_link else folders.is_this_users(status)):
            yield f"{path} belongs to another user, or others may write to it; it must be writable for you only"
    if not _is_sdk(prefix):
        yield f"{prefix} has no {MARKER}; it must be an SDK of actgrad"
    for name in _files_of_the_user(prefix, prefix):
        yield f"{prefix / name} was changed; it must be as actgrad built it"


@contextmanager
def temporary_folder(prefix: Path) -> Iterator[Path]:
    """A temporary folder next to `prefix`, locked while it is in use. Deletes the folders of killed builds first."""
    for left in prefix.parent.glob(f"{_TEMPORARY}*"):
        _remove_if_left(left)
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=prefix.parent) as folder:
        lock = _locked(Path(folder))
        try:
            yield Path(folder)
        finally:
            if lock:  # 0 if the file system has no locks
                os.close(lock)


def announce(fresh: Path, texts: Mapping[str, str], links: Mapping[str, str], compiled: Iterable[str]) -> None:
    """Begin a new SDK: write a marker that names the files that the build is going to make."""
    digests = {name: _digest_of_text(text) for name, text in texts.items()}
    digests |= {name: _digest_of_link(target) for name, target in links.items()}
    fresh.mkdir()
    _write_marker(fresh, digests | dict.fromkeys(compiled, _ANY))


def _write_marker(folder: Path, digests: Mapping[str, str]) -> None:
    lines = [f"{digest}  {name}\n" for name, digest in digests.items()]
    (folder / MARKER).write_text(f"{__version__}\n{''.join(lines)}", encoding="utf-8")


def _remove_if_left(folder: Path) -> None:
    """Delete the temporary folder of a killed build, unless the folder has a file that the build did not make."""
    lock = _locked(folder)
    if not lock:
        return
    try:
        if not folders.folder_fault(folder, folder.lstat()) and _is_left_by_a_build(folder):
            shutil.rmtree(folder, ignore_errors=True)
    except (OSError, UnicodeDecodeError):  # an unreadable file does not come from a build
        pass
    finally:
        os.close(lock)


def _is_left_by_a_build(folder: Path) -> bool:
    """Whether a folder has only an unfinished SDK, an old SDK or both, and no other file."""
    parts = list(folder.iterdir())
    for part in parts:
        if part.name not in (FRESH, OLD) or part.is_symlink() or not (part.is_dir() and _is_sdk(part)):
            return False
        if any(_files_of_the_user(part, folder / FRESH, is_unfinished=part.name == FRESH)):
            return False
    return bool(parts) and all(path.lstat().st_uid == os.geteuid() for path in folder.rglob("*"))


def _locked(folder: Path) -> int:
    """The open, locked folder. 0 if another build has locked it, or another program made it."""
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
    """Move a finished SDK to `prefix`, and the older SDK in `prefix` to `old`."""
    refuse_occupied(prefix)
    if not prefix.exists():
        fresh.rename(prefix)
        return
    users = list(_files_of_the_user(prefix, fresh))
    if users:
        more = f" and {len(users) - _SHOWN} more" if len(users) > _SHOWN else ""
        raise SdkError(
            f"{prefix}: has files of yours ({', '.join(users[:_SHOWN])}{more}); it must have only unchanged files of "
            "the SDK; move them elsewhere or choose another folder"
        )
    prefix.rename(old)
    try:
        fresh.rename(prefix)
    except OSError:
        old.rename(prefix)
        raise


def _is_sdk(prefix: Path) -> bool:
    """Whether a folder has a marker: a file that begins with a version of actgrad."""
    marker = prefix / MARKER
    if marker.is_symlink() or not marker.is_file():
        return False
    with open(marker, encoding="utf-8", errors="replace") as file:
        return re.fullmatch(r"\d+\.\d+\S*\n?", file.readline(100)) is not None


def _files_of_the_user(prefix: Path, fresh: Path, is_unfinished: bool = False) -> Iterator[str]:
    """The names of files in `prefix` that `actgrad sdk` did not write, or that have changed since."""
    digests = _listed(prefix / MARKER) if _is_sdk(prefix) else {}  # without a marker, the folder is empty
    if not digests:  # version 0.1 listed no files, but its files had the same names
        yield from sorted({*_names(prefix)} - {*_names(fresh)})
    for name in _names(prefix) if digests else ():
        path, digest = prefix / name, digests.get(name)
        is_of_the_build = path.is_file() and not path.is_symlink() if digest == _ANY else _digest(path) == _EMPTY
        if _digest(path) != digest and not (is_unfinished and digest and is_of_the_build):
            yield name


def _listed(marker: Path) -> dict[str, str]:
    """The files that a marker names, each with its digest."""
    lines = marker.read_text(encoding="utf-8").splitlines()[1:]
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _names(folder: Path) -> list[str]:
    """The files in a folder and its subfolders, sorted, without the folder's marker."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted({path.relative_to(folder).as_posix() for path in paths} - {MARKER})


def _digest(path: Path) -> str:
    if path.is_symlink():
        return _digest_of_link(os.readlink(path))
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "none"


def _digest_of_link(target: str) -> str:
    return hashlib.sha256(b"link to " + os.fsencode(target)).hexdigest()


def _digest_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
