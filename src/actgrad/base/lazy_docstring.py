"""Docstrings that are written when someone reads them, because writing a docstring takes longer than a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class LazyDocstring:
    """The attribute `__doc__`: a fixed text for the class, and a text that `write` returns for each object."""

    def __init__(self, class_text: str | None, write: Callable[[Any], str]):
        self._class_text, self._write = class_text, write

    def __get__(self, obj: Any, owner: type) -> str | None:
        return self._class_text if obj is None else self._write(obj)
