"""Docstrings of objects that are made when someone reads them, because the text takes longer than a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class LazyDocstring:
    """The attribute `__doc__` of a class, which keeps its own text, and of its objects."""

    def __init__(self, class_text: str | None, write: Callable[[Any], str]):
        self._class_text, self._write = class_text, write

    def __get__(self, obj: Any, owner: type) -> str | None:
        return self._class_text if obj is None else self._write(obj)
