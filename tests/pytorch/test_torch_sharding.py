"""DTensor: the rules of every operator, alone and on processes that talk to each other; and the example that trains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad.torch.kernels import interface_of
from actgrad.torch.sharding import placements
from tests.support.calls import OPERATORS, ids, run_script
from tests.support.torch_calls import tensors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="PyTorch without torch.distributed")

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "train_sharded.py"
PROGRAM = ROOT / "tests" / "support" / "sharded_operators.py"


def torchrun(processes: int, script: Path, *arguments: str) -> str:
    """What a script prints on so many processes."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    paths = [str(ROOT), str(Path(actgrad.__file__).parents[1])]
    done = subprocess.run(
        [*command, str(script), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_rules(operator: actgrad.Operator) -> None:
    """Every dimension but the one that is halved; sums that wait, where the first tensor is a factor."""
    from torch.distributed.tensor import Partial, Replicate, Shard

    interface = interface_of(operator)
    given = tuple(interface.row(tensors(operator, (4, 6, 10)), operator.defaults))
    rules = placements(interface, given)
    outputs = [output for (output, *_), _ in rules]
    assert all(len(set(several)) == 1 for several, _ in rules)
    is_packed = operator.name in ("geglu", "geglu_packed", "geglu_backward")
    is_linear = operator.gradient_of is not None or operator.name == "geglu_two"
    assert outputs == [Replicate(), Shard(0), Shard(1), *([] if is_packed else [Shard(2)]), *([Partial()] * is_linear)]
    for output, row in zip(outputs, (row for _, row in rules), strict=True):
        present = [row[place] for place in interface.tensors if given[place] is not None]
        assert present[0] == output
        assert set(present[1:]) <= ({Replicate()} if output == Partial() else {output})
        assert all(row[place] is None for place in range(len(row)) if place not in interface.tensors)


def test_rules_of_broadcast_tensors() -> None:
    from torch.distributed.tensor import Partial, Replicate, Shard

    g, x = torch.randn(4, 6), torch.randn(6)
    rules = placements(interface_of(actgrad.leaky_relu_backward), (g, x, 0.1, False))
    rows = [(outputs[0], row[0], row[1]) for outputs, row in rules]
    whole, partial = Replicate(), Partial()
    assert rows == [
        (whole, whole, whole), (Shard(0), Shard(0), whole), (Shard(1), Shard(1), Shard(0)), (partial, partial, whole),
    ]  # fmt: skip
    rules = placements(interface_of(actgrad.leaky_relu_backward), (g[:1], torch.randn(4, 1), 0.1, False))
    assert [(row[0], row[1]) for _, row in rules[1:3]] == [(whole, Shard(0)), (Shard(1), whole)]


@pytest.mark.slow
def test_every_operator_on_two_processes() -> None:
    assert f"{len(OPERATORS)} operators on 2 processes" in torchrun(2, PROGRAM)


@pytest.fixture(scope="module")
def single() -> list[float]:
    """The example's losses on one process."""
    losses = json.loads(run_script(EXAMPLE.read_text(encoding="utf-8")))
    assert losses[-1] < 0.7 * losses[0]  # it learns something
    return losses


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "tensor_parallel"), [(2, 2), (2, 1), (4, 2)])
def test_the_example_has_the_losses_of_one_process(single: Any, processes: int, tensor_parallel: int) -> None:
    *_, losses_line = torchrun(processes, EXAMPLE, "--tensor-parallel", str(tensor_parallel)).splitlines()
    losses = json.loads(losses_line)  # before it are lines of gloo's, in PyTorch 2.10 and older
    assert losses == pytest.approx(single, abs=1e-6)


def test_rules_wait_until_dtensor_is_there() -> None:
    run_script("""
import sys
import actgrad.torch
from actgrad.torch.deferred.late_imports import waiting
import torch
ops = torch.ops.actgrad
DTENSOR = "torch.distributed.tensor"
assert DTENSOR not in waiting
ops.elu, ops.geglu_two_backward  # met before DTensor, the others after it
assert DTENSOR not in sys.modules and DTENSOR in waiting
watchers = [finder for finder in sys.meta_path if getattr(finder, "name", "") == DTENSOR]
assert len(watchers) == 1
import torch.distributed.tensor as dtensor
known = dtensor.DTensor._op_dispatcher.sharding_propagator.op_strategy_funcs
assert all(getattr(torch.ops.actgrad, name).default in known for name in ("elu", "elu_", "geglu", "geglu_two_backward"))
assert DTENSOR not in waiting and watchers[0] not in sys.meta_path
assert type(dtensor.__loader__).__name__ == "SourceFileLoader"
from tests.support import smooth_relu_operator
actgrad.torch.register(smooth_relu_operator.smooth_relu)
assert torch.ops.actgrad.smooth_relu.default in known
""")
