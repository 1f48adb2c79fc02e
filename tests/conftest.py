"""Fixtures of several files. Each run of the tests compiles anew, into a separate folder."""

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import actgrad
from actgrad.calls import arguments

if TYPE_CHECKING:
    from tests.support import calls, sdk_programs


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # workers inherit the environment
        os.environ["ACTGRAD_CACHE_DIR"] = tempfile.mkdtemp(prefix="actgrad-tests-")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make all but a share of a test's cases slow, where the test or its module is marked with `share`."""
    counts: dict[str, int] = {}
    for item in items:
        mark = item.get_closest_marker("share")
        if mark is None or item.get_closest_marker("slow") is not None:
            continue
        test = item.nodeid.partition("[")[0]
        index = counts[test] = counts.get(test, -1) + 1
        if index % mark.args[0]:
            item.add_marker("slow")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["ACTGRAD_CACHE_DIR"], ignore_errors=True)


@pytest.fixture
def registry_as_before() -> Iterator[None]:
    """Operators that a test adds leave the registry with it."""
    before = dict(actgrad.operators)
    yield
    actgrad.operators.clear()
    actgrad.operators.update(before)


@pytest.fixture(scope="session")
def right_outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A delivery with right outputs, which tests must copy."""
    from tests.support import deliveries

    return deliveries.right_delivery(tmp_path_factory.mktemp("delivery") / "d")


@pytest.fixture(scope="session")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> "sdk_programs.Sdk":
    """The C SDK of this Python, in a folder of this run."""
    from tests.support import sdk_programs

    folder = tmp_path_factory.mktemp("sdk")
    return sdk_programs.Sdk(folder / "sdk", folder / "programs")


@pytest.fixture
def smooth_relu() -> Iterator[ModuleType]:
    """The module smooth_relu_operator.py, whose operators leave the registry afterwards."""
    before = dict(actgrad.operators)
    for name in ("smooth_relu", "smooth_relu_backward"):  # somebody may have followed CONTRIBUTING.md to the letter
        actgrad.operators.pop(name, None)
    yield importlib.import_module("tests.support.smooth_relu_operator")
    del sys.modules["tests.support.smooth_relu_operator"]
    actgrad.operators.clear()
    actgrad.operators.update(before)


@pytest.fixture(scope="module")
def author_operators() -> Iterator[dict[str, actgrad.Operator]]:
    """The operators of author_operators.py and rms_norm_operator.py by name; they leave the registry afterwards."""
    before = dict(actgrad.operators)
    names = ("tests.support.author_operators", "tests.support.rms_norm_operator")
    for name in names:
        importlib.import_module(name)
    yield {name: operator for name, operator in actgrad.operators.items() if name not in before}
    for name in names:
        del sys.modules[name]
    actgrad.operators.clear()
    actgrad.operators.update(before)


@pytest.fixture
def slow_paths(monkeypatch: pytest.MonkeyPatch) -> "calls.Counter":
    """The calls from now on that take the slow path."""
    from tests.support import calls

    counter, arrange = calls.Counter(), arguments.arrange

    def counted(*given: Any) -> Any:
        counter.calls += 1
        return arrange(*given)

    monkeypatch.setattr(arguments, "arrange", counted)
    for operator in actgrad.operators.values():
        operator._forget()
    return counter
