"""Work that waits until a program imports a module of PyTorch that takes long to import."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

#: What to do after the import of a module, by the module's name.
waiting: dict[str, list[Callable[[], None]]] = {}


def after_import(name: str, action: Callable[[], None]) -> None:
    """Call `action` when a program has imported a module. If the module is already imported, call it now."""
    if name in sys.modules:
        action()
        return
    if name not in waiting:
        sys.meta_path.insert(0, _Finder(name))
    waiting.setdefault(name, []).append(action)


class _Finder(MetaPathFinder):
    """Waits for the import of a module."""

    def __init__(self, name: str):
        self.name = name

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader = spec.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                del loader.exec_module
                execute(module)
                for action in waiting.pop(name):
                    action()

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
