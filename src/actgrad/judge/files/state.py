"""The state of a long run on disk, so that an interrupted run can continue."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ...writing import outputs
from . import sizes
from .sizes import UnreadableFile

T = TypeVar("T")
SAVE_SECONDS = 3.0
_TIMES = 20  # memory that a state takes after reading, relative to the size of its text


DIGEST = "sha256"  # the key of the digest of the rest of a state. Versions before 0.4 wrote none


def _digest(document: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in document.items() if key != DIGEST}
    return hashlib.sha256(json.dumps(rest).encode()).hexdigest()


@cache
def code_digest(*patterns: str) -> str:
    """The digest of the package's files that match, because other code may compute other results."""
    package = Path(__file__).parents[2]
    paths = sorted({path for pattern in patterns for path in package.glob(pattern)})
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def load(path: Path | None, parse: Callable[[Any], T]) -> T | None:
    """The result of `parse` for the document that an earlier run saved, or None if there is no file.

    Raises UnreadableFile if the document has another digest than it states.
    """
    if path is None or not path.exists():
        return None
    with sizes.reading(path):
        sizes.refuse_large(path, _TIMES * path.stat().st_size, "when it is read")
        try:
            document = json.loads(path.read_bytes())
            if document.get(DIGEST, "") not in ("", _digest(document)):
                raise ValueError("its digest is that of another content")
            return parse(document)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            cause = " ".join(f"{type(error).__name__}: {error}".split())
            expected = "it must be a file of check --state; remove it or name another file"
            raise UnreadableFile(f"{path}: is damaged ({cause}); {expected}") from error


@contextmanager
def saving(path: Path | None, document: Callable[[], Mapping[str, Any]]) -> Iterator[Callable[[], None]]:
    """Save a document when the block ends, even by an interruption. The function that it yields saves at intervals."""
    saved = time.monotonic()

    def save() -> None:
        nonlocal saved
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            content = document()
            outputs.write(path, json.dumps({**content, DIGEST: _digest(content)}))
        saved = time.monotonic()

    try:
        yield lambda: save() if time.monotonic() - saved > SAVE_SECONDS else None
    finally:
        save()
