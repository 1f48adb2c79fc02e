"""The scripts read only names that the package has: few of them run in `make test`, and mypy does not read them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted([*(ROOT / "scripts").glob("*.py"), *(ROOT / "examples").rglob("*.py")])
OURS = ("actgrad", "benchmarks", "tests")


def missing(source: str) -> Iterator[str]:
    """The names of our modules that a program reads and that do not exist."""
    tree = ast.parse(source)
    modules: dict[str, types.ModuleType] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in OURS:
                    importlib.import_module(alias.name)
                    name = alias.asname or alias.name.split(".")[0]
                    modules[name] = importlib.import_module(alias.name if alias.asname else name)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
            module = importlib.import_module(node.module)
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if not hasattr(module, alias.name) and importlib.util.find_spec(name) is None:
                    yield name
                    continue
                value = getattr(module, alias.name, None) or importlib.import_module(name)
                if isinstance(value, types.ModuleType):
                    modules[alias.asname or alias.name] = value
    for node in ast.walk(tree):  # a local variable may have the name of a module that another function imports
        local = (
            node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else getattr(node, "arg", None)
        )
        modules.pop(str(local), None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            module = modules[node.value.id]
            if not hasattr(module, node.attr):
                yield f"{module.__name__}.{node.attr}"


@pytest.mark.needs("ascend", "judge", "kernel", "torch")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_names(path: Path) -> None:
    pytest.importorskip("torch")
    try:
        assert list(missing(path.read_text(encoding="utf-8"))) == []
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in OURS:
            raise
        pytest.skip(f"needs {error.name}")


@pytest.mark.needs("judge")
def test_a_missing_name_is_found() -> None:
    source = "from actgrad.conformance import oracle, nothing\noracle.samples(oracle.tensors)\n"
    assert list(missing(source)) == ["actgrad.conformance.nothing", "actgrad.judge.oracle.samples"]
