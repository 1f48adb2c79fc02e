"""The folder that the SDK is put into: which of its files are the SDK's, and how a new one takes an old one's place.

A file at its root names the version and every other file of the SDK with its digest. Files that it does not name, and
files that were changed, are the user's: an SDK that has any is not replaced.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from .. import __version__
from ..errors import ActgradError

MARKER = "actgrad-sdk"
_SHOWN = 3  # files that a message names


class SdkError(ActgradError):
    """The SDK could not be built or used."""


def check(prefix: Path) -> None:
    """Raise where an SDK may not be put into `prefix`: it is there, is not empty, and is no SDK."""
    if prefix.exists() and not (prefix.is_dir() and (_is_sdk(prefix) or not any(prefix.iterdir()))):
        raise SdkError(f"{prefix} is there and is no SDK of actgrad; choose another folder")


def finish(fresh: Path) -> None:
    """Write the marker of a new SDK."""
    lines = [f"{digest}  {name}\n" for name, digest in ((name, _digest(fresh / name)) for name in _names(fresh))]
    (fresh / MARKER).write_text(f"{__version__}\n{''.join(lines)}", encoding="utf-8")


def put(fresh: Path, prefix: Path, old: Path) -> None:
    """Move a finished SDK to `prefix`, and the one that is there to `old`."""
    check(prefix)
    if not prefix.exists():
        fresh.rename(prefix)
        return
    users = list(_files_of_the_user(prefix, fresh))
    if users:
        more = f" and {len(users) - _SHOWN} more" if len(users) > _SHOWN else ""
        raise SdkError(
            f"{prefix} has files that are not the SDK's or were changed: {', '.join(users[:_SHOWN])}{more}; "
            "move them elsewhere, or choose another folder"
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
    """The names in `prefix` of files that `actgrad sdk` did not put there as they are now."""
    if not _is_sdk(prefix):  # it is empty
        return
    lines = (prefix / MARKER).read_text(encoding="utf-8").splitlines()[1:]
    digests = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    known = digests or dict.fromkeys(_names(fresh), "")  # version 0.1 listed nothing; it had files of these names
    for name in _names(prefix):
        if name == MARKER:
            continue
        if name not in known or (digests and _digest(prefix / name) != digests[name]):
            yield name


def _names(folder: Path) -> list[str]:
    """What is in a folder and those below, folders aside, in order."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def _digest(path: Path) -> str:
    if path.is_symlink():
        return hashlib.sha256(b"link to " + os.fsencode(os.readlink(path))).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "none"
