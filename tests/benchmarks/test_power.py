"""`python -m benchmarks power`: wrong kernels, and how many of them the standards accept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks import power
from benchmarks.__main__ import main

import actgrad


def test_the_same_seed_makes_the_same_mutations() -> None:
    first = power.measure(actgrad.gelu, "float16", 30, 4)
    assert first == power.measure(actgrad.gelu, "float16", 30, 4)
    assert first != power.measure(actgrad.gelu, "float16", 30, 5)
    assert 20 <= first["mutations"] <= 30
    assert not first["right rejected"]


@pytest.mark.parametrize(
    ("name", "dtype"), [("silu", "bfloat16"), ("softmax", "float32"), ("dynamic_quant", "float16")]
)
def test_strict_accepts_no_wrong_kernel_and_rejects_no_right_one(name: str, dtype: str) -> None:
    result = power.measure(actgrad.operators[name], dtype, 40, 0)
    assert result["mutations"] >= 20
    assert len(result["accepted"]["strict"]) <= 0.005 * result["mutations"]
    assert not result["right rejected"]
    assert {*result["accepted"]["strict"]} <= {*result["accepted"]["default"]}


def test_allclose_is_that_of_numpy() -> None:
    (case, *_) = power._cases(actgrad.gelu, "float32", 0)
    right = case.expected[0].values
    for factor in (1.0, 1.002, 1.02):
        wrong = (right * factor).astype(np.float32)
        held = power._judged(case, [right * factor])[0]
        golden = right.astype(np.float32)
        for tolerance in ("1e-2", "1e-3"):
            by_numpy = np.allclose(wrong, golden, float(tolerance), float(tolerance), equal_nan=True)
            assert held[f"allclose {tolerance}"] is by_numpy, (factor, tolerance)


def test_the_command_writes_json_and_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "power.json"
    arguments = ["power", "relu", "--dtypes", "float16,bfloat16", "--mutations", "12", "--json", str(file)]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "| `relu` |" in out
    assert [one["dtype"] for one in json.loads(file.read_text())] == ["float16", "bfloat16"]
    assert main(["power", "rellu"]) == 2
    assert "rellu is no operator" in capsys.readouterr().err
