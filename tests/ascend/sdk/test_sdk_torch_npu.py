"""The unmodified wheel of torch_npu on the SDK: one child process a case. `make test-npu` fetches the wheel."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sdk_programs import Sdk, environment, needs_compiler

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "support" / "npu_cases.py"
QUEUE = PROGRAM.with_name("npu_queue.py")
REFUSALS = PROGRAM.with_name("npu_refusals.py")
TRAINING = PROGRAM.with_name("npu_training.py")
QUANTISED = PROGRAM.with_name("npu_quantised.py")
#: The folder of the wheel: beside the virtual environment's own packages, which import it by themselves otherwise.
WHEEL = Path(os.environ.get("ACTGRAD_TEST_TORCH_NPU", ROOT / ".venv" / "npu"))

pytestmark = [
    needs_compiler,
    pytest.mark.npu,
    pytest.mark.skipif(not (WHEEL / "torch_npu").is_dir(), reason=f"no torch_npu in {WHEEL}; run make test-npu"),
]


def names(program: Path, table: str = "CASES") -> list[str]:
    """The names of a program's cases, which only a process with torch_npu can import."""
    found = f"import sys; sys.path.insert(0, {str(program.parent)!r}); import {program.stem} as program"
    stub = "import sys, types; sys.modules['torch_npu'] = types.ModuleType('torch_npu')"
    listed = f"[(name, list(of)) if isinstance(of, dict) else name for name, of in program.{table}.items()]"
    script = f"{stub}\n{found}\nprint({listed})"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return list(ast.literal_eval(printed.stdout))


IS_THERE = (WHEEL / "torch_npu").is_dir()
CASES, QUEUED, TRAININGS, MODELS = [
    names(each) if IS_THERE else ["none"] for each in (PROGRAM, QUEUE, TRAINING, QUANTISED)
]
ON_ASCEND950 = names(PROGRAM, "ON_ASCEND950") if IS_THERE else ["none"]
REFUSED = [(queue, name) for queue, cases in (names(REFUSALS) if IS_THERE else ()) for name in cases]
HOSTED = ("silu", "indices", "classifier", "npu_swiglu", "npu_silu", "elu_", "streams", "Adam, foreach")
#: The server host is the default here: the program is Python itself.
IN_PROCESS = {"ACTGRAD_SDK_HOST": "inprocess"}
OTHERS = {
    "inprocess": IN_PROCESS,
    "strict": IN_PROCESS | {"ACTGRAD_STRICT": "1"},
    "strict server": {"ACTGRAD_STRICT": "1"},
}


def run(sdk: Sdk, program: Path, case: str, seconds: float = 300, **settings: str) -> None:
    """After set_env.sh, with nothing else but `settings`."""
    script = f'. {sdk.prefix}/set_env.sh && exec "$@"'
    command = ["sh", "-c", script, "sh", sys.executable, "-W", "ignore", str(program), case]
    variables = environment(PYTHONPATH=str(WHEEL), **settings)
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False, timeout=seconds)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-3000:]


@pytest.mark.parametrize("case", CASES)
def test_case(sdk: Sdk, case: str) -> None:
    run(sdk, PROGRAM, case)


@pytest.mark.parametrize("case", ON_ASCEND950)
def test_case_on_ascend950(sdk: Sdk, case: str) -> None:
    run(sdk, PROGRAM, case, ACTGRAD_PRODUCT="Ascend950")


@pytest.mark.parametrize("case", TRAININGS)
def test_training(sdk: Sdk, case: str) -> None:
    """The models of docs/train-on-npu.md, and of Hugging Face where transformers is installed."""
    run(sdk, TRAINING, case)


@pytest.mark.parametrize("case", MODELS)
def test_quantised_model(sdk: Sdk, case: str) -> None:
    """Activations in INT8, and the operators between two products of INT8."""
    run(sdk, QUANTISED, case)


@pytest.mark.parametrize("mode", OTHERS)
@pytest.mark.parametrize("case", HOSTED)
def test_case_in_other_hosts(sdk: Sdk, case: str, mode: str) -> None:
    run(sdk, PROGRAM, case, TASK_QUEUE_ENABLE="0", **OTHERS[mode])


def test_a_queue_does_not_wait_for_the_process(sdk: Sdk) -> None:
    """A server computes where the wheel's thread would need the lock that the waiting thread keeps."""
    for _ in range(3):
        run(sdk, PROGRAM, "Adam", 120, **IN_PROCESS, TASK_QUEUE_ENABLE="1")


@pytest.mark.parametrize("queue", ["0", "1", "2"])
@pytest.mark.parametrize("case", QUEUED)
def test_queued_work_needs_no_lock_of_python(sdk: Sdk, case: str, queue: str) -> None:
    """The main thread keeps it and waits for the wheel's thread."""
    run(sdk, QUEUE, case, 120, TASK_QUEUE_ENABLE=queue)


@pytest.mark.parametrize(("queue", "case"), REFUSED)
def test_a_program_that_goes_on_after_an_error(sdk: Sdk, queue: str, case: str) -> None:
    """Reads right numbers, or none."""
    run(sdk, REFUSALS, case, TASK_QUEUE_ENABLE=queue)


@pytest.mark.parametrize("settings", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize(("queue", "case"), [("1", "phase one"), ("1", "npu_sort_v2"), ("2", "qr")])
def test_the_same_in_other_hosts(sdk: Sdk, queue: str, case: str, settings: dict[str, str]) -> None:
    run(sdk, REFUSALS, case, TASK_QUEUE_ENABLE=queue, **settings)


def test_the_table_has_every_function_that_the_wheel_looks_up() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "torch_npu_names.py"))
    assert script["listed"]() == set(script["missing"](WHEEL / "torch_npu"))
    assert script["ABSENT"] <= script["looked_up"](WHEEL / "torch_npu")
