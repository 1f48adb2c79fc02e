"""The unmodified wheel of torch_npu on the SDK: one child process a case. `make test-npu` fetches the wheel."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sdk_programs import MODES, Sdk, environment, needs_compiler

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "support" / "npu_cases.py"
#: The folder of the wheel: beside the virtual environment's own packages, which import it by themselves otherwise.
WHEEL = Path(os.environ.get("ACTGRAD_TEST_TORCH_NPU", ROOT / ".venv" / "npu"))

pytestmark = [
    needs_compiler,
    pytest.mark.npu,
    pytest.mark.skipif(not (WHEEL / "torch_npu").is_dir(), reason=f"no torch_npu in {WHEEL}; run make test-npu"),
]


def names() -> list[str]:
    """The names of the cases, which only a process with torch_npu can import."""
    script = f"import sys; sys.path.insert(0, {str(PROGRAM.parent)!r}); import npu_cases; print(list(npu_cases.CASES))"
    stub = "import sys, types; sys.modules['torch_npu'] = types.ModuleType('torch_npu')"
    printed = subprocess.run([sys.executable, "-c", f"{stub}\n{script}"], capture_output=True, text=True, check=True)
    return list(ast.literal_eval(printed.stdout))


CASES = names() if (WHEEL / "torch_npu").is_dir() else ["none"]
HOSTED = ("silu", "indices", "classifier", "npu_swiglu", "npu_silu", "elu_", "streams", "Adam, foreach")


def run(sdk: Sdk, case: str, mode: str) -> None:
    """After set_env.sh, with nothing else."""
    script = f'. {sdk.prefix}/set_env.sh && exec "$@"'
    command = ["sh", "-c", script, "sh", sys.executable, "-W", "ignore", str(PROGRAM), case]
    settings = MODES[mode] | {"PYTHONPATH": str(WHEEL)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(**settings), check=False, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-3000:]


@pytest.mark.parametrize("case", CASES)
def test_case(sdk: Sdk, case: str) -> None:
    run(sdk, case, "inprocess")


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "inprocess"])
@pytest.mark.parametrize("case", HOSTED)
def test_case_in_other_hosts(sdk: Sdk, case: str, mode: str) -> None:
    run(sdk, case, mode)
