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
from tests.support import shares, wings

if TYPE_CHECKING:
    from tests.support import calls, sdk_programs


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "draws the cases of tests marked share(n) that run without -m slow (default: the commit)"
    parser.addoption("--share-seed", metavar="SEED", help=text)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.share_seed is None:  # workers get the options of the process that starts them
        config.option.share_seed = shares.seed_of_commit()
    if not hasattr(config, "workerinput"):  # workers inherit the environment
        os.environ["ACTGRAD_CACHE_DIR"] = tempfile.mkdtemp(prefix="actgrad-tests-")


def pytest_report_header(config: pytest.Config) -> list[str]:
    lines = [f"cases of share(n): --share-seed={config.option.share_seed}"]
    if wings.MISSING:
        lines.append(f"tests left out: those that need {' or '.join(f'actgrad.{w}' for w in sorted(wings.MISSING))}")
    return lines


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files that import a deleted wing."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test and wings.missing_for(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a deleted wing, and make all but a share of the cases of tests marked with `share` slow."""
    for item in items:
        for mark in item.iter_markers("needs"):
            if not wings.MISSING.isdisjoint(mark.args):
                item.add_marker(pytest.mark.skip(reason=f"needs {' and '.join(f'actgrad.{w}' for w in mark.args)}"))
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("share") is not None and item.get_closest_marker("slow") is None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for test, of_test in cases.items():
        n = of_test[0].get_closest_marker("share").args[0]
        run = {id(item) for item in shares.drawn(of_test, n, config.option.share_seed, test)}
        for item in of_test:
            if id(item) not in run:
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
def sdk_cache(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A cache folder (XDG_CACHE_HOME) in which `actgrad sdk --run` finds an SDK. All workers of a run share it."""
    folder = tmp_path_factory.getbasetemp()
    return (folder.parent if hasattr(request.config, "workerinput") else folder) / "cache"


@pytest.fixture(scope="session")
def sdk(sdk_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> "sdk_programs.Sdk":
    """The C SDK of this Python, which one worker of this run builds."""
    from tests.support import sdk_programs

    return sdk_programs.Sdk(sdk_programs.kept_sdk(sdk_cache), tmp_path_factory.mktemp("programs"))


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
