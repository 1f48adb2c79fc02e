"""PyTorch behind the functions around the activations: when it loads, what it ignores, and the text without it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from actgrad.ascend.network import pytorch
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions
from actgrad.cli.main import main
from tests.ascend.sdk.test_network import object_of
from tests.support.sdk_programs import PROGRAMS, Sdk, needs_compiler

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.share(2)

_CALL = """
import sys
import numpy as np
from actgrad import aclnn
from actgrad.ascend.sdk import declared_functions
from actgrad.ascend.network.work import Work

def call(name, *values):
    function = declared_functions.computed()[name]
    work = Work(name, function.rule, function.arguments, values)
    work.run(0)

def tensor(array):
    strides = [stride // array.itemsize for stride in array.strides]
    number = {"float32": 0, "int64": 9}[array.dtype.name]
    return aclnn.aclCreateTensor(array.shape, number, strides, 0, 2, array.shape or (1,), array)

a, out, total = np.full((3000, 1000), 0.5, np.float32), np.zeros((3000, 1000), np.float32), np.zeros((), np.float32)
scalar = aclnn.aclCreateScalar(1.0, 0)
"""


def run_python(text: str, **settings: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _CALL + text], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | settings,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arithmetic_never_loads_pytorch() -> None:
    text = 'call("aclnnAdd", tensor(a), tensor(a), scalar, tensor(out)); print(out[0, 0], "torch" in sys.modules)'
    assert run_python(text) == "1.0 False\n"


def test_activations_never_load_pytorch() -> None:
    text = """
status, size, executor = aclnn.aclnnReluGetWorkspaceSize(tensor(a), tensor(out))
assert status == 0 and aclnn.aclnnRelu(None, size, executor, None) == 0
print(out[0, 0], "torch" in sys.modules)
"""
    assert run_python(text) == "0.5 False\n"


@pytest.mark.parametrize("before", [None, "1"])
def test_backends_of_pytorch_do_not_load(before: str | None) -> None:
    """torch_npu would start the SDK in the process that computes. The environment stays."""
    text = """
import importlib.abc, os
seen = []
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch":
            seen.append(os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"])
sys.meta_path.insert(0, Finder())
call("aclnnReduceSum", tensor(a), (0, 1), False, 0, tensor(total))
print(int(total), seen, os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD"))
"""
    settings = {} if before is None else {"TORCH_DEVICE_BACKEND_AUTOLOAD": before}
    assert run_python(text, **settings) == f"1500000 ['0'] {before}\n"


def test_without_pytorch_a_call_names_the_remedy() -> None:
    text = """
sys.modules["torch"] = None
try:
    call("aclnnReduceSum", tensor(a), (0, 1), False, 0, tensor(total))
except Exception as error:
    print(error.status, error)
"""
    expected = "561103 aclnnReduceSum needs PyTorch; run pip install '.[network]' in the clone\n"
    assert run_python(text) == expected


def test_wrong_calls_without_pytorch_have_the_status_of_their_fault() -> None:
    text = """
sys.modules["torch"] = None
try:
    call("aclnnReduceSum", tensor(a), (0, 7), False, 0, tensor(total))
except Exception as error:
    print(error.status)
"""
    assert run_python(text) == "161002\n"


@needs_compiler
def test_check_says_what_needs_pytorch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from actgrad.ascend.sdk import lacking

    program = tmp_path / "program.c"
    program.write_text(
        '#include "aclnnop/aclnn_layer_norm.h"\n#include "aclnnop/aclnn_add.h"\n'
        "void* names[] = {(void*)aclnnLayerNorm, (void*)aclnnAdd};\nint main(void) { return names[0] == 0; }\n"
    )
    monkeypatch.setattr(pytorch, "is_installed", lambda: False)
    caches = (lacking._incomplete_functions, lacking._sdk_names)
    for each in caches:
        each.cache_clear()
    try:
        assert main(["sdk", "--check", str(program)]) == 1
    finally:
        for each in caches:
            each.cache_clear()
    text = capsys.readouterr().out
    assert "aclnnLayerNorm needs PyTorch; run pip install '.[network]' in the clone" in text
    assert "aclnnAdd" not in text
    monkeypatch.undo()
    assert main(["sdk", "--check", str(program)]) == 0


def test_only_the_stated_functions_use_numpy() -> None:
    """The list of the page: a new function uses PyTorch, unless it belongs to these."""
    rules = pytorch_rules()
    assert len(rules) > 200
    assert {"layer_norm", "sum", "exp", "sort", "convolution", "attention", "adam_w"} <= rules
    assert not {"copy", "cast", "fill", "add", "mul", "greater", "cat", "permute"} & rules


def pytorch_rules() -> set[str]:
    from actgrad.ascend.network.rules import RULES

    return {name for name, rule in RULES.items() if rule.uses_torch}


def _mode() -> Any:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Refuses(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise AssertionError(f"{func} must not be seen")

    return Refuses()


@contextmanager
def setting(change: Callable[[Any], None], value: Any, before: Any) -> Iterator[None]:
    change(value)
    try:
        yield
    finally:
        change(before)


@pytest.mark.parametrize(
    "surroundings",
    [
        lambda: torch.device("meta"),
        lambda: torch.autocast("cpu", torch.bfloat16),
        _mode,
        lambda: torch.inference_mode(),
        lambda: torch.enable_grad(),
        lambda: setting(torch.set_default_dtype, torch.float16, torch.float32),
        lambda: setting(torch.use_deterministic_algorithms, True, False),
        lambda: setting(torch.set_float32_matmul_precision, "medium", "highest"),
    ],
    ids=[
        "default device",
        "autocast",
        "dispatch mode",
        "inference",
        "gradients",
        "default dtype",
        "deterministic",
        "bfloat16 for products",
    ],
)
def test_the_settings_of_the_program_do_not_matter(surroundings: Any) -> None:
    x = torch.linspace(-2, 2, 12).reshape(3, 4)
    weight, out, rows = torch.full((4, 4), 1 + 2**-10), torch.zeros(3, 4), torch.zeros(3, 4)
    wanted = (x.double() @ weight.double() + x.double()).float()
    padded, powers, put = torch.zeros(3, 6), torch.zeros(3, 4), torch.zeros(3)
    works = [
        work_of("Addmm", x, x, weight, 1.0, 1.0, out, 0),
        work_of("ReflectionPad1d", x, (1, 1), padded),
        work_of("Cummax", x, 0, rows, torch.zeros(3, 4, dtype=torch.int64)),
        work_of("PowScalarTensor", 2.1, x, powers),
        work_of("InplacePut", put, torch.tensor([1, 1]), torch.tensor([2.0, 3.0]), True),
    ]
    with surroundings():
        for work in works:
            work.run(0)
    torch.testing.assert_close(out, wanted, rtol=1e-6, atol=1e-6)
    assert torch.equal(padded[:, 1:-1], x)
    assert torch.equal(rows, x.cummax(0).values)
    torch.testing.assert_close(powers, (2.1 ** x.double()).float())
    assert put.tolist() == [0, 5, 0]


def test_float32_products_are_not_rounded() -> None:
    """On CPUs with products of bfloat16, PyTorch would use them if the program allows it."""
    precision = torch._C._get_fp32_precision_getter
    with setting(torch.set_float32_matmul_precision, "medium", "highest"):
        with pytorch.surroundings():
            assert precision("mkldnn", "matmul") == "ieee"
        assert precision("mkldnn", "matmul") == "bf16"


def work_of(name: str, *given: Any) -> Work:
    function = declared_functions.computed()[f"aclnn{name}"]
    kinds = [parameter.type for parameter in function.arguments]
    values = [object_of(kind, value) for kind, value in zip(kinds, given, strict=True)]
    return Work(f"aclnn{name}", function.rule, function.arguments, values)


def test_a_child_computes_after_the_parent_has_used_threads() -> None:
    """The threads of OpenMP do not survive a fork, and a parallel call in the child would wait for them forever."""
    text = """
import os
call("aclnnExp", tensor(a), tensor(out))
child = os.fork()
if child == 0:
    out[:] = 0
    call("aclnnExp", tensor(a), tensor(out))
    os._exit(0 if abs(out[-1, -1] - 1.6487213) < 1e-6 else 3)
print(os.waitpid(child, 0)[1])
"""
    assert run_python(text, OMP_NUM_THREADS="2") == "0\n"


@needs_compiler
@pytest.mark.parametrize("mode", ["inprocess", "server"])
def test_threads_of_openmp_and_a_child(sdk: Sdk, mode: str) -> None:
    program = sdk.compile(PROGRAMS / "network.c", "-std=gnu11", "-fopenmp")
    assert sdk.run(program, mode=mode, OMP_NUM_THREADS="2") == "ok\n"


def test_the_extra_has_pytorch() -> None:
    assert importlib.util.find_spec("torch") is not None
    assert pytorch.is_installed()
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'network = ["torch' in text
