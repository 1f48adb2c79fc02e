"""The user's cache folder, and the check that only this user may write to a file or folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def user_cache() -> Path | None:
    """The user's cache folder (XDG_CACHE_HOME, else ~/.cache), or None if the user has no home folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) if os.path.isabs(base) else None


def is_this_users(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and no other user may write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def folder_fault(path: Path, status: os.stat_result) -> str:
    """The reason why `path` is not a folder that belongs to this user only, and the rule. "" if the folder is fine."""
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is a file or a link; it must be a folder"
    if not is_this_users(status):
        return f"{path} belongs to another user, or others may write to it; it must be writable for you only"
    return ""
