"""Each package on top of the library can be deleted: the rest imports, computes and has its other commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import actgrad
from tests.support.calls import run_script

PACKAGE = Path(actgrad.__file__).parent
#: The packages on top, the commands that end with each of them, and the stand-in for torch_npu, which needs PyTorch's.
ON_TOP = {
    "sdk": ({"sdk"}, ()),
    "conformance": ({"check", "cases"}, ()),
    "kernel": ({"kernel"}, ()),
    "torch": (set(), ("torch_npu.py",)),
}
REST = """
import importlib, pkgutil, warnings
import numpy as np
import actgrad
from actgrad.cli import main
assert actgrad.__file__.startswith({folder!r}), actgrad.__file__
for module in pkgutil.walk_packages(actgrad.__path__, "actgrad."):
    if module.name.endswith(("__main__", "check_command", "cases_command", "exhaustive_command", "delivery_command",
                             "sdk_command", "kernel_command")):
        continue
    if ".triton" in module.name or ".torch" in module.name or ".sdk.host" in module.name:
        continue  # these need more than the library does
    importlib.import_module(module.name)
from actgrad import aclnn, ir
x = np.float32([-1.5, 0.0, 2.0])
y = actgrad.elu(x, alpha=1.3)
exact = np.where(x > 0, x, 1.3 * np.expm1(np.float64(x)))
assert np.abs(y - exact).max() < 1e-6, y
assert (actgrad.elu(x, alpha=1.3, backend="reference") == y).all()
gradient = actgrad.elu_backward(np.ones_like(x), x, alpha=1.3)
assert np.abs(gradient - np.where(x > 0, 1, 1.3 * np.exp(np.float64(x)))).max() < 1e-6, gradient
out = np.full_like(x, np.nan)
status, size, executor = aclnn.aclnnReluGetWorkspaceSize(x, out)
assert (status, aclnn.aclnnRelu(None, size, executor, None)) == (0, 0)
assert out.tolist() == [0.0, 0.0, 2.0]
assert ir.Relu(x).tolist() == [0.0, 0.0, 2.0]
print(*[module.__name__.rpartition(".")[2].removesuffix("_command") for module in main.COMMANDS])
assert main.main(["--version", "--verbose"]) == 0
assert main.main(["list", "elu"]) == 0
"""


@pytest.mark.parametrize("name", ON_TOP)
def test_the_library_works_without(name: str, tmp_path: Path) -> None:
    commands, modules = ON_TOP[name]
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "actgrad", ignore=ignored)
    shutil.rmtree(tmp_path / "actgrad" / name)
    for module in modules:
        (tmp_path / "actgrad" / module).unlink()
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + REST.format(folder=str(tmp_path))
    printed = run_script(script).splitlines()
    assert set(printed[0].split()) == {"list", "check", "cases", "kernel", "sdk", "cache", "demo"} - commands
