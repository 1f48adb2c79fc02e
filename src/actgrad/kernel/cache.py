"""The kernel cache: compiled programs on disk, so that a kernel compiles once.

The files are in `actgrad-kernels`, next to the code cache of the CPU backend: in ACTGRAD_CACHE_DIR, or in `actgrad` in
the user's cache folder. An empty ACTGRAD_CACHE_DIR turns the cache off, and programs live as long as the process.

Running an entry runs its code, so the folder and the entry must belong to this user, and no other user may have write
access. The name of an entry is a hash of all that the compiler reads; a list of the kernel's files with their hashes
lies next to the program, and an entry counts only while all of them are unchanged.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from ..base import folders

NAME = "actgrad-kernels"
#: The marker of https://bford.info/cachedir, which makes backup programs skip the folder.
MARKER = "CACHEDIR.TAG"
MARKER_CONTENT = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# actgrad keeps compiled kernels here. This folder may be deleted at any time.\n"
)
KEPT_DAYS = 30


def folder() -> Path:
    """The folder for compiled programs. If the cache is off or unusable, a temporary folder of this process."""
    setting = os.environ.get("ACTGRAD_CACHE_DIR")
    base = Path(setting) if setting else None
    if setting is None:
        user = folders.user_cache()
        base = None if user is None else user / "actgrad"
    usable = None if base is None else _owned(base.absolute())
    return _temporary() if usable is None else usable


def _owned(base: Path) -> Path | None:
    """Our folder in `base`, created if necessary; None if it is not ours alone, or cannot be written."""
    path = base / NAME
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
            (path / MARKER).write_bytes(MARKER_CONTENT)
            _remove_old(path)
        if folders.folder_fault(path, path.lstat()) or (path / MARKER).read_bytes() != MARKER_CONTENT:
            return None
    except OSError:
        return None
    return path if os.access(path, os.W_OK | os.X_OK) else None


def _remove_old(path: Path) -> None:
    for entry in path.iterdir():
        with suppress(OSError):
            if entry.name != MARKER and time.time() - entry.stat().st_atime > KEPT_DAYS * 86400:
                entry.unlink()


@cache
def _temporary() -> Path:
    path = Path(tempfile.mkdtemp(prefix="actgrad-kernels-"))
    atexit.register(_remove_temporary, path, os.getpid())
    return path


def _remove_temporary(path: Path, owner: int) -> None:
    """Remove the folder at the end of the process that made it; a fork of that process leaves it alone."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def digest(*parts: str) -> str:
    """A hash of texts."""
    result = hashlib.sha256()
    for part in parts:
        result.update(part.encode(errors="surrogateescape") + b"\0")
    return result.hexdigest()[:40]


def digest_of_file(path: str) -> str:
    """A hash of a file's content; "" if it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def load(key: str) -> Path | None:
    """The program of `key`, or None if there is none or a file that it was compiled from has changed."""
    program, sources = folder() / key, folder() / f"{key}.json"
    try:
        for path in (program, sources):
            if not folders.is_this_users(path.lstat()):
                return None
        listed = json.loads(sources.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_same = listed.pop("", "") == digest_of_file(str(program))
    is_same = is_same and all(digest_of_file(path) == content for path, content in listed.items())
    if not is_same:
        return None
    with suppress(OSError):
        os.utime(program)
    return program


def store(key: str, program: Path, sources: list[str]) -> Path:
    """Keep a program that was compiled from these files. Returns its path in the cache."""
    target = folder() / key
    listed = {path: digest_of_file(path) for path in sources}
    listed[""] = digest_of_file(str(program))
    part = folder() / f".{os.urandom(8).hex()}"
    part.write_text(json.dumps(listed), encoding="utf-8")
    os.replace(part, folder() / f"{key}.json")
    os.replace(program, target)
    return target
