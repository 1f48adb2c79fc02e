"""scripts/gpu_check.py itself, on a machine without a GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", minversion="3.9")  # the interpreter's fma rounded twice before

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "gpu_check.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)


def test_the_part_on_correctness_runs_in_the_interpreter() -> None:
    done = run("--interpret")
    assert done.returncode == 0, done.stderr
    first, _, total, _ = done.stdout.split()
    assert first == total


def test_without_a_gpu_it_says_so() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    done = run()
    assert done.returncode == 2
    assert "no GPU" in done.stderr
