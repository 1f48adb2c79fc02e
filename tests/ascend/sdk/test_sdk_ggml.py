"""ggml's CANN backend on the SDK, by the scripts that docs/ggml.md names.

ACTGRAD_TEST_LLAMA_CPP names a checkout of llama.cpp.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sdk_programs import environment, needs_compiler

CHECKOUT = os.environ.get("ACTGRAD_TEST_LLAMA_CPP", "")
SCRIPTS = Path(__file__).parents[3] / "scripts"
MODELS, KINDS = ("llama", "gpt2"), ("F32", "F16", "BF16", "Q8_0", "Q4_0")

pytestmark = [
    needs_compiler,
    pytest.mark.npu,
    pytest.mark.skipif(not CHECKOUT, reason="ACTGRAD_TEST_LLAMA_CPP names no checkout of llama.cpp"),
    pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build that both scripts use."""
    return tmp_path_factory.mktemp("ggml")


def printed(script: str, folder: Path, *names: str) -> list[str]:
    command = [sys.executable, str(SCRIPTS / script), CHECKOUT, "--build", str(folder), *names]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), check=True).stdout.splitlines()


def test_operators(folder: Path) -> None:
    """Activations pass; an operator that is not there is named."""
    names = ("SILU", "GELU", "SWIGLU", "MUL", "UPSCALE")
    lines = printed("ggml_operators.py", folder, *names)
    assert [line.partition(":")[0] for line in lines] == list(names)
    assert all(": passes " in line for line in lines[:-1]), lines
    assert lines[-1] == "UPSCALE: stops after 0: aclnnUpsampleNearest2d is not in actgrad: resampling of images"


def test_whole_models(folder: Path) -> None:
    """GPT-2 and Llama generate the CPU's text."""
    lines = printed("ggml_generates.py", folder)
    assert [line.partition(":")[0] for line in lines] == [f"{model} {kind}" for model in MODELS for kind in KINDS]
    assert all(": both generate " in line for line in lines), lines
