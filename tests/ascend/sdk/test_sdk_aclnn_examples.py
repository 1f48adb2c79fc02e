"""CANN's example programs on the SDK, by the script that docs/sdk.md names; the programs here are tiny ones of our own.

ACTGRAD_TEST_OPS_NN names a checkout of ops-nn.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from actgrad.ascend.sdk import seam
from tests.ascend.sdk.test_sdk_hosts import tensor_words
from tests.support.calls import script
from tests.support.sdk_programs import Sdk, environment, needs_compiler

CHECKOUT = os.environ.get("ACTGRAD_TEST_OPS_NN", "")
SCRIPT = Path(__file__).parents[3] / "scripts" / "aclnn_examples.py"

pytestmark = [pytest.mark.share(2), needs_compiler]

#: ReLU of two numbers, printed as CANN's examples do it.
RELU = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_relu.h"

int main() {
  float data[] = {-1, 2};
  int64_t shape[] = {2}, strides[] = {1};
  void* memory = nullptr;
  aclrtStream stream = nullptr;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtCreateStream(&stream);
  aclrtMalloc(&memory, sizeof data, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(memory, sizeof data, data, sizeof data, ACL_MEMCPY_HOST_TO_DEVICE);
  aclTensor* x = aclCreateTensor(shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 1, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  int status = aclnnInplaceReluGetWorkspaceSize(x, &size, &executor);
  if (status == 0) status = aclnnInplaceRelu(nullptr, size, executor, stream);
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(data, sizeof data, memory, sizeof data, ACL_MEMCPY_DEVICE_TO_HOST);
  for (long i = 0; i < 2; i++) printf("result[%ld] is: %f\\n", i, data[i]);
  return status;
}
"""

#: A program of one statement.
STATEMENT = """
#include <cstdio>
#include <cstring>
#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
int main() {{ {} }}
"""

PRODUCT = """
aclInit(nullptr);
if (!strncmp(aclrtGetSocName(), "Ascend950", 9)) printf("[0] out=%.2f", 1.0);
"""

#: A program of another group, which drops what is in its buffers.
EXITS = """
#include <cstdio>
#include <unistd.h>
int main() { printf("result[0] is: 1\\n"); _exit(0); }
"""

MISSING = """
uint64_t size; aclOpExecutor* executor;
int status = aclnnUpsampleNearest2dGetWorkspaceSize(0, 0, 0, &size, &executor);
printf("aclnnUpsampleNearest2dGetWorkspaceSize failed. ERROR: %d\\n", status);
return 0;
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ops-nn")
    sources = {
        "broken/examples/test_aclnn_broken.cpp": STATEMENT.format("aclnnNowhere();"),
        "chip/examples/test_aclnn_chip.cpp": STATEMENT.format(PRODUCT),
        "swiglu_group_quant/examples/test_aclnn_swiglu_group_quant.cpp": STATEMENT.format(MISSING),
        "missing/examples/test_aclnn_missing.cpp": STATEMENT.format(MISSING),
        "counts/examples/test_aclnn_counts.cpp": STATEMENT.format('puts("[0] out=1 PASS\\nTotal: 1 PASS, 0 FAIL");'),
        "differs/examples/arch35/test_aclnn_differs.cpp": STATEMENT.format('puts("[0] out=1 FAIL");'),
        "relu/examples/arch35/test_aclnn_relu.cpp": RELU,
        "relu/examples/test_aclnn_relu.cpp": RELU,
        "relu/examples/test_geir_relu.cpp": "another kind of program",
        "silent/examples/test_aclnn_silent.cpp": STATEMENT.format(""),
        "acos/example/test_aclnn_acos.cpp": STATEMENT.format('puts("0 acos(1.000000) = 0.000000");'),
        "verdict/examples/nested/arch35/program.cpp": STATEMENT.format('puts("3 cases, 0 failed\\nALL PASS");'),
        "verdict/tests/examples/test_aclnn_verdict.cpp": STATEMENT.format('puts("a unit test FAIL");'),
        "verdict/examples/helpers.cpp": "void help();",
        "slow/examples/arch35/test_aclnn_slow.cpp": STATEMENT.format("for (;;) printf(\"\");"),
    }  # fmt: skip
    for name, text in sources.items():
        path = root / "activation" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    other = root / "norm/exits/examples/test_aclnn_exits.cpp"
    other.parent.mkdir(parents=True)
    other.write_text(EXITS)
    return root


def run(
    checkout: Path | str, folder: Path, *names: str, sdk: Sdk | None = None, seconds: int = 60
) -> tuple[int, str, str]:
    """The script's exit status, and what it prints. Without `sdk`, the script builds one."""
    built = [] if sdk is None else ["--sdk", str(sdk.prefix)]
    command = [sys.executable, str(SCRIPT), str(checkout), "--build", str(folder), "--seconds", str(seconds)]
    command += [*built, *names]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    return done.returncode, done.stdout, done.stderr


def test_all_pass(checkout: Path, tmp_path: Path, sdk: Sdk) -> None:
    """A folder's name chooses its programs; one that is left out is not run."""
    names = ("relu", "chip", "counts", "swiglu_group_quant", "acos", "verdict")
    status, printed, _ = run(checkout, tmp_path, *names, sdk=sdk)
    assert printed.splitlines() == [
        "acos/example/test_aclnn_acos.cpp: passes on Ascend910B",
        "chip/examples/test_aclnn_chip.cpp: passes on Ascend950",
        "counts/examples/test_aclnn_counts.cpp: passes on Ascend910B",
        "relu/examples/arch35/test_aclnn_relu.cpp: passes on Ascend950",
        "relu/examples/test_aclnn_relu.cpp: passes on Ascend910B",
        "swiglu_group_quant/examples/test_aclnn_swiglu_group_quant.cpp: left out",
        "verdict/examples/nested/arch35/program.cpp: passes on Ascend950",
        "6 of 6 programs pass; 0 print nothing that can be compared; 1 left out",
    ]
    assert status == 0


def test_compared(checkout: Path, tmp_path: Path, sdk: Sdk) -> None:
    """The lines say what is compared."""
    pytest.importorskip("torch")
    status, printed, _ = run(checkout, tmp_path, "--compare", "relu", "chip", sdk=sdk)
    assert printed.splitlines() == [
        "chip/examples/test_aclnn_chip.cpp: passes on Ascend950, not compared",
        "relu/examples/arch35/test_aclnn_relu.cpp: passes on Ascend950, 1 call compared",
        "relu/examples/test_aclnn_relu.cpp: passes on Ascend910B, 1 call compared",
        "3 of 3 programs pass; 0 print nothing that can be compared; 0 left out",
    ]
    assert status == 0


@pytest.mark.parametrize("error", [0.0, 1e-4, np.nan])
@pytest.mark.parametrize("name", ["aclnnRelu", "aclnnInplaceRelu", "aclnnExp", "aclnnInplaceExp"])
def test_wrong_results(name: str, error: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong number of an output is a difference, for functions with and without a plan, also in place."""
    pytest.importorskip("torch")
    examples, file = script("aclnn_examples"), tmp_path / "compared"
    monkeypatch.setenv("ACTGRAD_EXAMPLES_REFERENCES", str(file))
    x = np.array([-1, 0.5, np.nan, np.inf], np.float32)
    y = x if "Inplace" in name else np.empty_like(x)
    arrays = [x] if y is x else [x, y]
    places = tuple(itertools.chain.from_iterable((each.ctypes.data, each.nbytes) for each in arrays))
    answer, text = seam.plan(name.encode(), len(arrays) * tensor_words(4), places, False)
    assert text == ""

    def run_wrongly(handle: int, distance: int) -> tuple[seam.Answer, str]:
        done = seam.run_plan(handle, distance)
        y[1] += error
        return done

    assert examples.references.compared(run_wrongly)(answer.handle)[0].status == 0
    seam.release((answer.handle,))
    difference, end = examples.comparison(file)
    assert (difference == "", end) == ((True, ", 1 call compared") if error == 0 else (False, ", not compared"))
    assert error == 0 or "output 0 has element 1 " in difference


def test_verdicts() -> None:
    """Outputs of other sizes, or without another computation, are not compared; the tolerance is the dtype's."""
    verdict = script("aclnn_examples").references.verdict
    ones = np.ones(3, np.float32)
    assert verdict([ones], []) == verdict([ones], [ones[:2]]) == verdict([None], [ones]) == "not compared"
    assert verdict([ones, ones], [ones]) == verdict([ones], [ones + 2e-6]) == "equal"
    assert verdict([ones, ones], [ones, ones + 2e-5]).startswith("output 1 has element 0 ")
    assert verdict([ones.astype(np.float16)], [ones * 1.001]) == "equal"
    assert verdict([ones.astype(np.float16)], [ones * 1.005]) != "equal"


@pytest.mark.slow
def test_other_group(checkout: Path, tmp_path: Path) -> None:
    status, printed, _ = run(checkout, tmp_path, "--group", "norm")
    assert printed.splitlines() == [
        "exits/examples/test_aclnn_exits.cpp: passes on Ascend910B",
        "1 of 1 programs pass; 0 print nothing that can be compared; 0 left out",
    ]
    assert status == 0


def test_all_folders(checkout: Path) -> None:
    """`.` names all folders. A file is a program by its name, or because it has a main that calls aclnn functions."""
    examples = script("aclnn_examples")
    found = {str(place) for place in examples.programs(checkout, [])}
    assert found >= {"norm/exits/examples/test_aclnn_exits.cpp", "activation/acos/example/test_aclnn_acos.cpp"}
    assert "activation/verdict/examples/nested/arch35/program.cpp" in found
    assert not {place for place in found if "tests" in place or "helpers" in place or "geir" in place}
    assert [*map(str, examples.programs(checkout, ["acos"]))] == ["activation/acos/example/test_aclnn_acos.cpp"]


@pytest.mark.parametrize(
    ("printed", "has_result"),
    [
        ("result[0] is: 1.000000", True), ("out1 result[3] is: -inf", True), ("[0] out=1.00", True),
        ("0 acos(1.000000) = 0.000000", True), ("ALL PASS", True), ("Test PASSED!", True), ("y: [1, 2, 3]", True),
        ("1.0 2.0 -3.5e+08 nan", True), (" [32.0, 32.0, ..., 32.0]]", True), ("mean result is 0.5", True),
        ("", False), ("=== done ===", False), ("workspaceSize: 0", False), ("device = 0", False),
        ("Current SOC: Ascend910B1", False), ("out shape: 2, 3", False), ("out=0x7f001200", False), ("run ok", False),
    ],
)  # fmt: skip
def test_what_counts_as_a_result(printed: str, has_result: bool, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ncat <<'END'\nstart\n{printed}\nend\nEND\n")
    program.chmod(0o755)
    examples = script("aclnn_examples")
    assert examples.run_program(program, dict(os.environ), 60) == ("" if has_result else examples.SILENT)


@pytest.mark.slow
def test_reasons(checkout: Path, tmp_path: Path) -> None:
    """A program that does not pass says why."""
    status, printed, _ = run(checkout, tmp_path, "broken", "differs", "missing", "silent", "slow", seconds=5)
    broken, *others = printed.splitlines()
    assert broken.startswith("broken/examples/test_aclnn_broken.cpp: does not compile: ")
    assert "aclnnNowhere" in broken
    assert others == [
        "differs/examples/arch35/test_aclnn_differs.cpp: does not pass: [0] out=1 FAIL",
        "missing/examples/test_aclnn_missing.cpp: does not pass: "
        "aclnnUpsampleNearest2dGetWorkspaceSize failed. ERROR: 561103; "
        "aclnnUpsampleNearest2d is not in actgrad: resampling of images",
        "silent/examples/test_aclnn_silent.cpp: prints nothing that can be compared",
        "slow/examples/arch35/test_aclnn_slow.cpp: does not pass: not done after 5 s",
        "0 of 5 programs pass; 1 prints nothing that can be compared; 0 left out",
    ]
    assert status == 1


def test_wrong_names(checkout: Path, tmp_path: Path) -> None:
    status, _, said = run(checkout, tmp_path, "relu", "elsewhere")
    assert (status, said) == (1, f"{checkout}/activation has no programs of elsewhere\n")
    status, _, said = run(tmp_path, tmp_path)
    assert (status, said) == (1, f"{tmp_path}/activation has no programs\n")


@pytest.mark.npu
@pytest.mark.skipif(not CHECKOUT, reason="ACTGRAD_TEST_OPS_NN names no checkout of ops-nn")
def test_ops_nn(tmp_path: Path) -> None:
    status, printed, _ = run(CHECKOUT, tmp_path)
    assert status == 0, printed
