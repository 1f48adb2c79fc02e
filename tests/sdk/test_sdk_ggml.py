"""ggml's CANN backend on the SDK, by the script that docs/ggml.md names.

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
SCRIPT = Path(__file__).parents[2] / "scripts" / "ggml_operators.py"

pytestmark = [
    needs_compiler,
    pytest.mark.npu,
    pytest.mark.skipif(not CHECKOUT, reason="ACTGRAD_TEST_LLAMA_CPP names no checkout of llama.cpp"),
    pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake"),
]


def test_operators(tmp_path: Path) -> None:
    """Activations pass; an operator that is not there is named."""
    names = ("SILU", "GELU", "SWIGLU", "MUL", "UPSCALE")
    command = [sys.executable, str(SCRIPT), CHECKOUT, "--build", str(tmp_path), *names]
    printed = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True).stdout.splitlines()
    assert [line.partition(":")[0] for line in printed] == list(names)
    assert all(": passes " in line for line in printed[:-1]), printed
    assert printed[-1] == "UPSCALE: stops after 0: aclnnUpsampleNearest2d is not in actgrad: resampling of images"
