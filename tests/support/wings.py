"""The tests of the rest, where a wing was deleted: a test file that imports the wing is not collected.

A test that needs a wing without importing it at the top of its file says so: `@pytest.mark.needs("ascend")`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import actgrad

_PACKAGE = Path(actgrad.__file__).parent
_ROOT = Path(__file__).parents[2]
#: The wings, and for each the modules of the package that are it, or another name of a part of it.
WINGS = {
    "ascend": ("ascend", "aclnn", "ir"),
    "judge": ("judge", "conformance"),
    "kernel": ("kernel",),
    "torch": ("torch", "torch_npu"),
}
MISSING = frozenset(wing for wing in WINGS if not (_PACKAGE / wing / "__init__.py").exists())


def missing_for(path: Path) -> frozenset[str]:
    """The deleted wings that a test file imports when it is collected, also through other files of the project."""
    return _wings_of(path) & MISSING if MISSING else MISSING


def _wings_of(path: Path) -> frozenset[str]:
    wings: set[str] = set()
    files, left = {path}, [path]
    while left:
        of_file, imported = _direct(left.pop())
        wings |= of_file
        left += imported - files
        files |= imported
    return frozenset(wings)


@cache
def _direct(path: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """The wings and the files of the project that a file imports itself."""
    wings, files = set(), set()
    for name in _imports(ast.parse(path.read_text(encoding="utf-8")).body, path):
        parts = name.split(".")
        if parts[0] == "actgrad":
            wings |= {wing for wing, modules in WINGS.items() if parts[1:2] and parts[1] in modules}
        if parts[0] in ("benchmarks", "examples", "scripts", "tests"):
            files |= {*_files(parts)}
    return frozenset(wings), frozenset(files)


def _imports(statements: Iterable[ast.AST], path: Path) -> Iterator[str]:
    """The names that statements import, except in functions and for types alone. `script("x")` imports scripts/x.py."""
    for node in statements:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            folder = path.parents[node.level - 1].relative_to(_ROOT).parts if node.level else ()
            module = ".".join([*folder, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif (
            isinstance(node, ast.Call) and ast.unparse(node.func) == "script" and isinstance(node.args[0], ast.Constant)
        ):
            yield f"scripts.{node.args[0].value}"
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _is_for_types(node):
            yield from _imports(ast.iter_child_nodes(node), path)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _files(parts: list[str]) -> list[Path]:
    """The files that run when a module is imported, of which the last is the module's."""
    paths = [_ROOT.joinpath(*parts[:k]) for k in range(1, len(parts) + 1)]
    return [file for path in paths for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()]
