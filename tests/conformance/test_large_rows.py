"""Drawn cases of operators on rows have numbers whose exp overflows, so that a softmax without its maximum fails."""

from __future__ import annotations

import numpy as np
import pytest

import actgrad
from actgrad.conformance.casefiles import generation
from actgrad.conformance.delivery.drawing import draw
from actgrad.conformance.judging import judge


def naive(x: np.ndarray, axis: int) -> np.ndarray:
    with np.errstate(all="ignore"):
        power = np.exp(x.astype(np.float32))
        return (power / power.sum(axis, keepdims=True)).astype(x.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_delivery_rejects_softmax_without_its_maximum(dtype: str) -> None:
    verdicts = {"right": [], "naive": []}
    for case, inputs in draw(actgrad.softmax, (dtype,), 40, 7):
        x, attributes = inputs["self"], case.attributes
        for name, y in (("right", actgrad.softmax(x, **attributes)), ("naive", naive(x, attributes["dim"]))):
            verdicts[name].append(judge(actgrad.softmax, attributes, [x], [y]).holds)
    assert all(verdicts["right"])
    assert 0 < verdicts["naive"].count(False) < 20


def test_case_files_have_large_rows() -> None:
    cases = generation.generate(actgrad.log_softmax, None, 128, 0)
    dtypes = [case.inputs["self"].dtype for case in cases if case.name.endswith("large")]
    assert sorted(dtypes) == ["bfloat16", "float16", "float32", "float64"]
    assert not any(case.name.endswith("large") for case in generation.generate(actgrad.gelu, None, 128, 0))
