"""Type checkers refuse wrong calls and know the types of results: the stubs, as a user's mypy reads them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.calls import script

stubs = script("stubs")

#: A program for a type checker. It reports exactly the lines that end in "# wrong" and the revealed types.
PROGRAM = """
import numpy as np
import numpy.typing as npt
import actgrad
from actgrad import aclnn, ir

x: npt.NDArray[np.float32] = np.ones((4, 8), np.float32)
w: npt.NDArray[np.float32] = np.ones(8, np.float32)

actgrad.elu(x)
actgrad.elu(x, alpha=2, scale=np.float32(1.5), out=x, backend="cpu")
actgrad.elu(self=x)
actgrad.elu_backward(x, x, is_result=True)
actgrad.gelu(x, approximate="tanh")
actgrad.softmax(x, dim=np.int64(1))
actgrad.geglu(x, out=(x, None))
actgrad.swiglu_group(x, group_index=w)
actgrad.elu.plan(x, alpha=2.0).run()
reveal_type(actgrad.elu(x))  # numpy.ndarray[
reveal_type(actgrad.prelu_backward(x, x, w))  # tuple[numpy.ndarray[
reveal_type(actgrad.operators["elu"])  # Operator

actgrad.elu()  # wrong
actgrad.elu(x, alfa=1.3)  # wrong
actgrad.elu(x, 1.3)  # wrong
actgrad.elu(x, alpha="1")  # wrong
actgrad.elu("x")  # wrong
actgrad.elu([1.0, 2.0])  # wrong
actgrad.elu(x, out=(x, x))  # wrong
actgrad.elu(x, backend=1)  # wrong
actgrad.elu_backward(x)  # wrong
actgrad.gelu(x, approximate="fast")  # wrong
actgrad.softmax(x, dim="last")  # wrong
actgrad.geglu(x, out=x)  # wrong
actgrad.prelu(x)  # wrong
actgrad.leaky_relu(x, negative_slope=None)  # wrong
actgrad.elu.plan()  # wrong
actgrad.gelo(x)  # wrong
actgrad.gelo  # wrong
first, second = actgrad.silu(x)
loss, = actgrad.softmax_cross_entropy_with_logits(x, x)  # wrong
text: str = actgrad.silu(x)  # wrong

status, size, executor = aclnn.aclnnEluGetWorkspaceSize(x, 1.0, None, 1.0, x)
aclnn.aclnnElu(None, size, executor, None)
aclnn.aclnnGeluV2GetWorkspaceSize(x, aclnn.ACL_FLOAT, x)
aclnn.aclnnEluGetWorkspaceSize(x, 1.0)  # wrong
aclnn.aclnnEluGetWorkspaceSize(x, "1", None, 1.0, x)  # wrong
aclnn.aclnnEluGetWorkspaceSize(self=x, alpha=1.0, scale=None, inputScale=1.0, out=x)  # wrong
aclnn.aclnnElu(None, size, executor)  # wrong
aclnn.aclnnElu(None, executor, size, None)  # wrong
aclnn.aclnnEluu  # wrong
reveal_type(status)  # int

reveal_type(ir.Elu(x, alpha=2.0))  # numpy.ndarray[
ir.GeGluGradV2(dy=x, x=x, gelu=x, dim=-1)
reveal_type(ir.Elu.infer_shape((4, -1)))  # tuple[tuple[int, ...], ...]
ir.SoftmaxV2(x, axes=[-1])
ir.Elu()  # wrong
ir.Elu(x, alfa=1.0)  # wrong
ir.Elu.infer_shape(4)  # wrong
ir.Elo  # wrong
"""

TORCH_PROGRAM = """
import torch
import actgrad
import actgrad.torch

x = torch.ones(4, 8)
reveal_type(actgrad.elu(x))  # torch._tensor.Tensor
reveal_type(actgrad.torch.elu(x, alpha=2.0, inplace=True))  # torch._tensor.Tensor
reveal_type(actgrad.torch.convert(torch.nn.ReLU()))  # Report
actgrad.torch.SiLU(inplace=True)(x)
actgrad.torch.elu()  # wrong
actgrad.torch.elu(x, alfa=1.3)  # wrong
actgrad.torch.elu(x, alpha="1")  # wrong
actgrad.torch.ELU(alfa=1.0)  # wrong
actgrad.torch.gelu("x")  # wrong
actgrad.torch.convert(x)  # wrong
actgrad.torch.exact_in_graphs("yes")  # wrong
actgrad.torch.elu(x, save="result")
actgrad.torch.elu(x, save="no")  # wrong
actgrad.torch.ELU(save="gelu")  # wrong
"""


def _check(program: str, folder: Path) -> None:
    """Fail where mypy says something else of a program than its comments do."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={folder}/cache", "program.py"]
    output = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    lines = program.split("\n")
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert wrong == {int(number) for number in re.findall(r"^program\.py:(\d+): error", output, re.M)}, output
    shown = dict(re.findall(r'^program\.py:(\d+): note: Revealed type is "(.*)"', output, re.M))
    for number, line in enumerate(lines, 1):
        if line.startswith("reveal_type"):
            assert line.partition("  # ")[2] in shown[str(number)], output


def test_mypy_refuses_wrong_calls(tmp_path: Path) -> None:
    _check(PROGRAM, tmp_path)


@pytest.mark.slow  # mypy reads PyTorch
def test_mypy_refuses_wrong_calls_with_pytorch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    _check(TORCH_PROGRAM, tmp_path)


@pytest.mark.parametrize("name", stubs.STUBS)
def test_the_stubs_are_those_of_the_definitions(name: str) -> None:
    pytest.importorskip("torch")
    text = (stubs.PACKAGE / name).read_text(encoding="utf-8")
    assert text == stubs.formatted(stubs.STUBS[name]()), "python scripts/stubs.py --write"
