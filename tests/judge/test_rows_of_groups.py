"""Verdicts on calls with a tensor that counts or groups rows: right outputs, and outputs that ignore this tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.judge import judge, oracle

Arrays = dict[str, Any]


def normal(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    return (2 * np.random.default_rng([seed, *shape]).standard_normal(shape)).astype(dtype)


def index(*numbers: int, dtype: Any = np.int64) -> Any:
    return np.array(numbers, dtype)


SMOOTH = {"smooth_scales": np.array([[1.0], [0.25], [7.0]], np.float16) * normal(3, 64, dtype=np.float16)}
ONE_NUMBER = {"smooth_scales": np.array([3, -2, 9], np.float32), "offsets": np.array([0, 1, 9], np.float32)}
HALVES = {"x": normal(8, 64, dtype=np.float16), **SMOOTH}
SCALES = {"smooth_scales": normal(3, 32), "offsets": normal(3, 32, seed=1)}
DEQUANTISED = {
    "x": np.random.default_rng(1).integers(-900, 900, (8, 128)).astype(np.int32),
    "weight_scale": normal(3, 128) / 300,
    "activation_scale": np.abs(normal(8)),
    "bias": None,
    "quant_scale": normal(3, 64),
    "quant_offset": None,
}

#: Operator -> tensors, attributes, and the tensor that counts or groups.
CALLS: dict[str, tuple[str, Arrays, Arrays, Any]] = {
    "dynamic_quant": ("dynamic_quant", HALVES, {}, index(3, 5, 8, dtype=np.int32)),
    "dynamic_quant, rank 3": (
        "dynamic_quant", {"x": normal(2, 4, 64, dtype=np.float16), **SMOOTH}, {}, index(3, 3, 8, dtype=np.int32),
    ),
    "dynamic_quant_asymmetric": (
        "dynamic_quant_asymmetric", HALVES, {}, index(2, 5, 8, dtype=np.int32),
    ),
    "swiglu_quant": ("swiglu_quant", {"x": normal(8, 64), **SCALES}, {}, index(2, 5, 8, dtype=np.int32)),
    "swiglu_quant, rest": ("swiglu_quant", {"x": normal(8, 64), **SCALES}, {}, index(2, 4, 6, dtype=np.int32)),
    "swiglu_quant, static": (
        "swiglu_quant", {"x": normal(8, 64), **SCALES}, {"quant_mode": "static"}, index(1, 5, 7, dtype=np.int32),
    ),
    "swiglu_quant, counts": (
        "swiglu_quant", {"x": normal(8, 64), **SCALES}, {"group_list_type": 1}, index(3, 0, 4, dtype=np.int32),
    ),
    "swiglu_quant, one number": (
        "swiglu_quant",
        {"x": normal(8, 64), **ONE_NUMBER},
        {"quant_mode": "static"},
        index(2, 5, 8, dtype=np.int32),
    ),
    "dequant_swiglu_quant": ("dequant_swiglu_quant", DEQUANTISED, {"quant_mode": "dynamic"}, index(2, 3, 1)),
    "swiglu_group": ("swiglu_group", {"x": normal(8, 64), "weight": None}, {}, index(3, 2)),
    "swiglu_group, weight": ("swiglu_group", {"x": normal(8, 64), "weight": normal(8, 1)}, {}, index(3, 2)),
    "swiglu_group_backward": (
        "swiglu_group_backward", {"grad_output": normal(8, 32), "x": normal(8, 64), "weight": None}, {}, index(5),
    ),
    "swiglu_group_quant": (
        "swiglu_group_quant", {"x": normal(8, 512, dtype=bfloat16), "weight": None}, {}, index(3, 2),
    ),
    "clipped_swiglu": ("clipped_swiglu", {"x": normal(8, 64)}, {}, index(3, 2)),
    "clipped_swiglu, dim 1": ("clipped_swiglu", {"x": normal(4, 2, 16)}, {"dim": 1}, index(3)),
    "clipped_swiglu, halves": ("clipped_swiglu", {"x": normal(4, 2, 16)}, {"interleaved": False}, index(3)),
    "clipped_swiglu_backward": (
        "clipped_swiglu_backward", {"grad_output": normal(8, 32), "x": normal(8, 64)}, {}, index(3, 2),
    ),
}  # fmt: skip


def inputs_of(name: str, tensors: Arrays, counter: Any) -> tuple[Any, ...]:
    given = {**tensors, "group_index": counter}
    return tuple(given.get(n) for n in actgrad.operators[name].schema.tensor_names)


def outputs_of(name: str, inputs: tuple[Any, ...], attributes: Arrays) -> tuple[Any, ...]:
    return tuple(np.array(o) for o in oracle.as_tuple(actgrad.operators[name](*inputs, **attributes)))


@pytest.mark.parametrize("case", CALLS)
def test_right_outputs_are_accepted(case: str) -> None:
    name, tensors, attributes, counter = CALLS[case]
    inputs = inputs_of(name, tensors, counter)
    verdict = judge(actgrad.operators[name], attributes, inputs, outputs_of(name, inputs, attributes), strict=True)
    assert verdict.holds, verdict
    assert verdict.failing == 0


@pytest.mark.parametrize("case", CALLS)
def test_outputs_of_another_index_are_rejected(case: str) -> None:
    """Each row belongs to one more or one fewer group, or is computed although the index does not count it."""
    name, tensors, attributes, counter = CALLS[case]
    inputs = inputs_of(name, tensors, counter)
    other = counter.copy()
    if name in ("swiglu_quant", "dynamic_quant", "dynamic_quant_asymmetric") and not attributes.get("group_list_type"):
        other[:-1] -= 1
    else:
        other[0] += 1
    wrong = outputs_of(name, inputs_of(name, tensors, other), attributes)
    verdict = judge(actgrad.operators[name], attributes, inputs, wrong)
    assert not verdict.holds


@pytest.mark.parametrize("case", [case for case in CALLS if CALLS[case][0].startswith(("swiglu_group", "clipped"))])
def test_outputs_without_index_are_rejected(case: str) -> None:
    name, tensors, attributes, counter = CALLS[case]
    wrong = outputs_of(name, inputs_of(name, tensors, None), attributes)
    verdict = judge(actgrad.operators[name], attributes, inputs_of(name, tensors, counter), wrong)
    assert not verdict.holds
    assert not [d for d in verdict.diagnoses if d.mistake == "internal-error"], verdict.diagnoses


@pytest.mark.parametrize("case", CALLS)
def test_one_wrong_row_is_found(case: str) -> None:
    """The failing elements lie in the row that is wrong, and the report names their index in each tensor."""
    name, tensors, attributes, counter = CALLS[case]
    inputs = inputs_of(name, tensors, counter)
    outputs = outputs_of(name, inputs, attributes)
    outputs[0][(1, *[0] * (outputs[0].ndim - 1))] += outputs[0].dtype.type(3)
    verdict = judge(actgrad.operators[name], attributes, inputs, outputs)
    found = [failure.index for part in verdict.outputs for failure in part.first]
    assert found
    assert {place[0] for place in found} == {1}
