"""Each wing can be deleted with its tests: the rest imports, computes, has its commands, and passes its tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import actgrad

pytestmark = pytest.mark.needs("ascend", "judge", "kernel", "torch")
PACKAGE = Path(actgrad.__file__).parent
ROOT = Path(__file__).parents[2]
#: The tests of a wing, if the folder has not the name of the wing.
TESTS = {"torch": "pytorch"}
#: Tests of the rest that are quick and know every operator.
QUICK = ("tests/calls/test_plan.py", "tests/cli/test_cli.py")
#: What goes with each wing: other names of its modules, and what stands on two wings.
GONE = {
    "ascend": ("actgrad.aclnn", "actgrad.ir"),
    "judge": ("actgrad.ascend.cases", "actgrad.conformance"),
    "kernel": ("actgrad.judge.kernels",),
    "torch": ("actgrad.torch_npu",),
}
#: Modules that need no wing and cannot be imported everywhere: Triton is an extra, and __main__ runs the command.
LEFT_OUT = ("actgrad.__main__", "actgrad.backends.triton", "actgrad.torch", "actgrad.torch_npu")

IMPORTS = f"""
import importlib, pkgutil, sys
import numpy as np
import actgrad
for module in pkgutil.walk_packages(actgrad.__path__, "actgrad."):
    if not f"{{module.name}}.".startswith(tuple(f"{{name}}." for name in {LEFT_OUT!r})):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error.name)
grad = actgrad.elu_backward(np.float32([1]), np.float32([-1]), alpha=1, scale=1, input_scale=1, is_result=False)
assert abs(grad[0] - np.exp(-1)) < 1e-6, grad
"""


@pytest.fixture(params=[wing for wing in GONE if (PACKAGE / wing).is_dir()])
def rest(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A wing, and a folder with a copy of the package without it."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "actgrad", ignore=ignored)
    shutil.rmtree(tmp_path / "actgrad" / request.param)
    return request.param, tmp_path


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(folder)})


@pytest.mark.share(2)
def test_the_rest_imports_and_computes(rest: tuple[str, Path]) -> None:
    wing, folder = rest
    done = python(folder, "-c", IMPORTS)
    assert done.returncode == 0, done.stderr
    missing = [line.split() for line in done.stdout.splitlines()]
    assert {cause for _, cause in missing} <= {f"actgrad.{wing}"}
    assert [module for module, _ in missing if not f"{module}.".startswith(tuple(f"{m}." for m in GONE[wing]))] == []


@pytest.mark.share(2)
def test_the_rest_has_its_commands(rest: tuple[str, Path]) -> None:
    _, folder = rest
    listed = python(folder, "-m", "actgrad", "list", "elu")
    assert listed.returncode == 0, listed.stderr
    assert "alpha * (exp(input_scale * x) - 1)" in listed.stdout
    commands = python(folder, "-m", "actgrad", "--help").stdout
    for command, wing in {"check": "judge", "kernel": "kernel", "sdk": "ascend"}.items():
        if (folder / "actgrad" / wing).is_dir():
            assert f"    {command} " in commands
            assert python(folder, "-m", "actgrad", command, "--help").returncode == 0
        else:
            assert f"    {command} " not in commands
            assert python(folder, "-m", "actgrad", command).returncode == 2


def test_case_files_need_the_wing_that_reads_them(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "actgrad", ignore=shutil.ignore_patterns("__pycache__", "ascend"))
    done = python(tmp_path, "-m", "actgrad", "check", "--cases", "cases.json")
    assert done.returncode == 2
    assert "actgrad.ascend reads them; install the whole package" in done.stderr
    done = python(tmp_path, "-c", "import actgrad; actgrad.product")
    assert "product needs actgrad.ascend; install the whole package" in done.stderr
    done = python(tmp_path, "-m", "actgrad", "check", "hardtanh", "--dtype", "float16")
    assert done.returncode == 0, done.stderr


@pytest.fixture(params=[wing for wing in GONE if (PACKAGE / wing).is_dir()])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the project without a wing and the tests of the wing."""
    ignored = shutil.ignore_patterns("__pycache__", ".*", "build", "dist", "site", "images")
    shutil.copytree(ROOT, tmp_path / "tree", ignore=ignored)
    shutil.rmtree(tmp_path / "tree" / "src" / "actgrad" / request.param)
    shutil.rmtree(tmp_path / "tree" / "tests" / TESTS.get(request.param, request.param))
    return tmp_path / "tree"


def run_tests(tree: Path, *arguments: str) -> str:
    """What pytest prints at the end."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    settings = os.environ | {"PYTHONPATH": str(tree / "src")}
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, env=settings)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.share(4)
@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the project's files")
def test_the_rest_passes_quick_tests(tree: Path) -> None:
    assert " passed" in run_tests(tree, *QUICK)


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the project's files")
def test_the_rest_passes_its_tests(tree: Path) -> None:
    assert " passed" in run_tests(tree)
