"""Where files are kept between processes."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path | None:
    """The user's cache folder (XDG_CACHE_HOME, else ~/.cache); None where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) if os.path.isabs(base) else None
