"""Operators that quantise in the judge: scales that underflow, dtypes that need an optional tensor, case files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import actgrad
from actgrad.judge import elements
from actgrad.judge.judging import judge
from tests.support.calls import status


@pytest.mark.parametrize("other", [0.0, np.nan, 1e-44])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_row_whose_scale_underflows(sign: int, other: float) -> None:
    """GELU of the smallest number rounds to 0. The exact value is not 0, and a quotient of both tells nothing."""
    x = np.array([[sign * 2.0**-149, other]], np.float32)
    outputs = actgrad.gelu_quant(x)
    verdict = judge(actgrad.gelu_quant, {}, [x, None, None], outputs, strict=True)
    assert verdict.holds, verdict
    assert not verdict.diagnoses


def test_a_row_with_a_normal_scale_is_judged_as_before() -> None:
    x = np.array([[1e-30, -2e-30, 3e-30]], np.float32)
    out, scale = actgrad.gelu_quant(x)
    wrong = out.copy()
    wrong[0, 0] += 2
    assert judge(actgrad.gelu_quant, {}, [x, None, None], [out, scale], strict=True).holds
    assert not judge(actgrad.gelu_quant, {}, [x, None, None], [wrong, scale], strict=True).holds


@pytest.mark.needs("ascend")
def test_dtypes_that_need_an_optional_tensor_have_no_cases() -> None:
    """int32 needs weight_scale, and uint8 has no -1, hardtanh's default. Every other operator keeps its dtypes."""
    assert elements.case_dtypes(actgrad.dequant_swiglu_quant) == ["float16", "bfloat16"]
    for operator in actgrad.operators.values():
        if operator is not actgrad.dequant_swiglu_quant:
            refused = {"uint8"} if operator is actgrad.hardtanh else set()
            judged = [d for d in operator.law.dtype_names if elements.is_judged(d) and d not in refused]
            assert elements.case_dtypes(operator) == judged


@pytest.mark.needs("ascend")
@pytest.mark.share(3)
@pytest.mark.parametrize("name", ["gelu_quant", "dequant_swiglu_quant", "relu_with_mask_backward"])
def test_case_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert status("cases", name, "-o", "cases.json", "--largest", "32") == 0
    assert status("check", "--cases", "cases.json") == 0
