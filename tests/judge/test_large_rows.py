"""Drawn cases of operators on rows have numbers whose exp overflows, so that a softmax without its maximum fails."""

from __future__ import annotations

import numpy as np
import pytest

import actgrad
from actgrad.ascend.cases import generation
from actgrad.judge.delivery.drawing import draw
from actgrad.judge.judging import judge


def without_maximum(x: np.ndarray, axis: int) -> np.ndarray:
    with np.errstate(all="ignore"):
        power = np.exp(x.astype(np.float32))
        return (power / power.sum(axis, keepdims=True)).astype(x.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_delivery_rejects_softmax_without_its_maximum(dtype: str) -> None:
    """Also if only rows of 8 and more elements lack it. The cases with all pairs of special values have short rows."""
    rejected = []
    for case, inputs in draw(actgrad.softmax, (dtype,), 40, 7):
        x, dim = inputs["self"], case.attributes["dim"]
        right = actgrad.softmax(x, dim=dim)
        wrong = without_maximum(x, dim) if x.shape[dim] >= 8 else right
        assert judge(actgrad.softmax, {"dim": dim}, [x], [right]).holds, case.id
        if not judge(actgrad.softmax, {"dim": dim}, [x], [wrong]).holds:
            rejected.append(case.special)
    assert "zeros and large numbers" in rejected


def test_case_files_have_large_rows() -> None:
    cases = generation.generate(actgrad.log_softmax, None, 128, 0)
    dtypes = [case.inputs["self"].dtype for case in cases if case.name.endswith("large")]
    assert sorted(dtypes) == ["bfloat16", "float16", "float32", "float64"]
    assert not any(case.name.endswith("large") for case in generation.generate(actgrad.gelu, None, 128, 0))
