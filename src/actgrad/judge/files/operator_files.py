"""Python files that define operators of their own, for `actgrad check --operators FILE`."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from pathlib import Path
from threading import Lock

from ...base.errors import ActgradError
from ...calls.operator import REGISTRY

_loaded: dict[str, list[str]] = {}  # real path -> the operators that the file defines
_lock = Lock()  # a file that two threads run would define its operators twice


def load(path: Path) -> list[str]:
    """Run a file once. Returns the names of the operators that it defines."""
    real = os.path.realpath(path)
    with _lock:
        if real not in _loaded:
            _loaded[real] = _run(path, real)
        return _loaded[real]


def digest(path: Path) -> str:
    """The SHA-256 of a file, which says whether two machines have the same operators."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load_same(path: str, expected: str) -> None:
    """Run a file once, in a process that may be on another machine. Raises if the file has another digest."""
    load(Path(path))
    if digest(Path(path)) != expected:
        fault = f"--operators {path}: has other content here than where check runs"
        raise ActgradError(f"{fault}; it must be the same file; copy it to each machine")


def _run(path: Path, real: str) -> list[str]:
    if not path.is_file():
        raise ActgradError(f"--operators {path}: no such file; it must be a Python file with operators; name one")
    before = set(REGISTRY)
    spec = importlib.util.spec_from_file_location(path.stem, real)
    if spec is None or spec.loader is None:
        raise ActgradError(f"--operators {path}: is not a Python file; its name must end in .py; rename it")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the file is a program of the user
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise ActgradError(f"--operators {path}: fails ({cause}); it must run; correct the file") from error
    names = [name for name in REGISTRY if name not in before]
    if not names:
        raise ActgradError(f"--operators {path}: defines no operator; it must call actgrad.Operator; name another file")
    return names
