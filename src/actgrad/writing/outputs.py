"""Files that commands write. A command refuses to replace its input before any work, and writes each file as a whole.

Text or bytes go to a temporary file next to the target, which is then renamed. A symbolic link stays a link, and its
target is replaced. An existing file keeps its permissions. Its other hard links keep the old content. Devices, pipes
and everything under /dev are written directly.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ..base.errors import ActgradError

AnyPath = str | os.PathLike[str]


class UnwritableFile(ActgradError):
    """A file that a command must not or cannot write."""


def check_paths(outputs: Mapping[str, AnyPath | None], inputs: Iterable[AnyPath] = ()) -> None:
    """Raise unless every output can be written, replaces no input, and is named once.

    `outputs` maps the options to their files, or to None if an option is missing. Two spellings of
    one path are the same file.
    """
    paths = {option: os.fspath(path) for option, path in outputs.items() if path is not None}
    uses = {os.fspath(path): f"is the input {path}" for path in inputs}
    for option, path in paths.items():
        if _is_regular(path):
            for other, use in uses.items():
                if _is_same(path, other):
                    raise UnwritableFile(f"{option} {path}: {use}; each output needs its own file; name another file")
            uses[path] = f"is the file of {option} too"
        _check_writable(option, path)


def write(path: AnyPath, content: str | bytes) -> None:
    """Write a file as a whole or not at all, text as UTF-8."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if _is_regular(os.fspath(path)):
            _replace(Path(os.path.realpath(path)), data)
        else:
            Path(path).write_bytes(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnwritableFile(
            f"{path}: was not written ({error.strerror}); it must be writable; name another file"
        ) from error


def _replace(target: Path, data: bytes) -> None:
    part = target.with_name(f".actgrad-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
        with suppress(FileNotFoundError):
            status = target.stat()
            if not os.access(target, os.W_OK):
                raise PermissionError(13, "Permission denied")
            with suppress(PermissionError):  # only root can change a file's owner
                os.chown(part, status.st_uid, status.st_gid)
            part.chmod(stat.S_IMODE(status.st_mode))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _check_writable(option: str, path: str) -> None:
    folder = os.path.dirname(os.path.realpath(path))
    if not path or os.path.isdir(path) or path.endswith(os.sep):
        raise UnwritableFile(f"{option} {path}: is a folder; it must be a file; name a file")
    if os.path.islink(os.path.realpath(path)):
        raise UnwritableFile(f"{option} {path}: is a loop of symbolic links; it must be a file; name another file")
    if not os.path.isdir(folder):
        raise UnwritableFile(f"{option} {path}: no such folder; {folder} must exist; make it or check the path")
    is_there = os.path.exists(path)
    if is_there and not os.access(path, os.W_OK):
        raise UnwritableFile(f"{option} {path}: permission denied; it must be writable; name another file")
    if _is_regular(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise UnwritableFile(f"{option} {path}: its folder is read-only; it must be writable; name another file")


def _is_regular(path: str) -> bool:
    """Whether `path` is an ordinary file, or will be one."""
    if os.path.isabs(path) and os.path.normpath(path).startswith("/dev/"):
        return False
    return os.path.isfile(path) or not os.path.exists(path)


def _is_same(path: str, other: str) -> bool:
    """Whether two paths name the same file, which may not exist yet."""
    with suppress(OSError):  # at most one of the files exists
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)
