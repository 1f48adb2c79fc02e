"""The results of a long run in an SQLite database, so that an interrupted run can continue."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from .files import sizes
from .files.sizes import UnreadableFile

SAVE_SECONDS = 1.0  # a run that is killed loses the results of this time
LOCK_SECONDS = 60  # how long to wait for another process that writes the same state
_MAGIC, _APPLICATION, _VERSION = b"SQLite format 3\0", 0x61637467, 1
_TABLE = "CREATE TABLE results (name TEXT PRIMARY KEY, result TEXT NOT NULL, sha256 TEXT NOT NULL) WITHOUT ROWID"


class _Damaged(Exception):
    """A file is not a state, or has another content than was written."""


@cache
def code_digest(*patterns: str) -> str:
    """The digest of the package's files that match, because other code may compute other results."""
    package = Path(__file__).parents[1]
    paths = sorted({path for pattern in patterns for path in package.glob(pattern)})
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


class State:
    """Results by their names. Each result is plain data for JSON, and has a digest that guards it."""

    def __init__(self, connection: sqlite3.Connection | None = None):
        self._connection = connection
        self._waiting: dict[str, tuple[str, str]] = {}  # results that are not in the file yet
        self._saved = time.monotonic()

    def get(self, name: str) -> Any:
        """The result with this name, or None."""
        if name in self._waiting:
            return json.loads(self._waiting[name][0])
        if self._connection is None:
            return None
        row = self._connection.execute("SELECT result, sha256 FROM results WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        text, digest = row
        if digest != _digest(name, text):
            raise _Damaged(f"the digest of {name} is that of another content")
        return json.loads(text)

    def names(self, beginning: str) -> list[str]:
        """The names that begin with a text, in order."""
        names = {name for name in self._waiting if name.startswith(beginning)}
        if self._connection is not None:
            between = (beginning, beginning + "\U0010ffff")
            rows = self._connection.execute("SELECT name FROM results WHERE name >= ? AND name < ?", between)
            names |= {name for (name,) in rows}
        return sorted(names)

    def put(self, name: str, result: Any) -> None:
        """Keep a result. It replaces an earlier result of this name."""
        if self._connection is None:
            return
        text = json.dumps(result)
        self._waiting[name] = text, _digest(name, text)
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the waiting results, all of them or none."""
        if self._connection is not None and self._waiting:
            with self._connection:
                rows = ((name, *row) for name, row in self._waiting.items())
                self._connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
            self._waiting.clear()
        self._saved = time.monotonic()


@contextmanager
def opened(path: Path | None) -> Iterator[State]:
    """The state in a file, which may be new. When the block ends, even by an interruption, the results are saved.

    Raises UnreadableFile if the file is damaged or is not a state. Without a path, nothing is saved.
    """
    if path is None:
        yield State()
        return
    real = Path(os.path.realpath(path))
    with _naming(path):
        if not real.exists():
            real.parent.mkdir(parents=True, exist_ok=True)
            _create(real)
        with sizes.reading(path), real.open("rb") as file:
            if not is_state(file.read(100)):
                raise _Damaged("it does not begin like a state")
        with closing(sqlite3.connect(real, LOCK_SECONDS)) as connection:
            faults = [fault for (fault,) in connection.execute("PRAGMA quick_check(1)")]
            if faults != ["ok"]:
                raise _Damaged(faults[0])
            if [*connection.execute("PRAGMA user_version")] != [(_VERSION,)]:
                raise _Damaged("its version is another one")
            state = State(connection)
            try:
                yield state
            finally:
                state.save()


def is_state(head: bytes) -> bool:
    """Whether the first 100 bytes of a file are those of a state."""
    return head.startswith(_MAGIC) and head[68:72] == _APPLICATION.to_bytes(4, "big")


def _digest(name: str, text: str) -> str:
    return hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()


def _create(path: Path) -> None:
    """Create an empty state as a whole. If another process creates the same state, its file counts."""
    part = path.with_name(f".actgrad-{secrets.token_hex(8)}.part")
    try:
        with closing(sqlite3.connect(part)) as connection:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute(_TABLE)
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """A context that replaces an error of the database by an error that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        cure = "it must be readable and writable; end other runs that use it, free the disk, or name another file"
        raise UnreadableFile(f"{path}: cannot be used ({error}); {cure}") from error
    except (sqlite3.DatabaseError, _Damaged) as error:
        cause = " ".join(str(error).split())
        expected = "it must be a file of check --state; remove it or name another file"
        raise UnreadableFile(f"{path}: is damaged ({cause}); {expected}") from error
