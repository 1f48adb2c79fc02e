"""Python files that define operators of their own, for `actgrad check --operators FILE`."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from ...base.errors import ActgradError
from ...calls.operator import REGISTRY

_loaded: dict[str, list[str]] = {}  # real path -> the operators that the file defines


def load(path: Path) -> list[str]:
    """Run a file once. Returns the names of the operators that it defines."""
    real = os.path.realpath(path)
    if real in _loaded:
        return _loaded[real]
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
    _loaded[real] = names
    return names
