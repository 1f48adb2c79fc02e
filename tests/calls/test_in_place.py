"""Outputs that are inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import actgrad
from tests.support.calls import (
    BFLOAT16,
    OPERATORS,
    Memory,
    contiguous,
    contiguous_result,
    inputs,
    off_defaults,
    random_values,
    same_bits,
    untouched,
)
from tests.support.memory_layouts import OUTPUTS

IN_PLACE = [
    (operator, argument.name)
    for operator in OPERATORS
    for argument in operator.schema.tensors
    if len(operator.schema.outputs) == 1
    and (not operator.access.is_packed or (operator.gradient_of is not None and argument.name == "self"))
]


@pytest.mark.parametrize("memory", [contiguous(2), *OUTPUTS.values()])
@pytest.mark.parametrize(("operator", "argument"), IN_PLACE, ids=lambda v: getattr(v, "name", v))
def test_in_place(operator: actgrad.Operator, argument: str, memory: Memory) -> None:
    """The output is exactly an input."""
    rng = np.random.default_rng(12)
    for dtype in ("float32", "float16"):
        for optional in (True, False):
            tensors: dict[str, Any] = dict(inputs(rng, operator, (40, 130), dtype))
            for a in operator.schema.tensors:
                if a.is_optional and not optional:
                    tensors[a.name] = None
            expected = contiguous_result(operator, tensors, **off_defaults(operator))[0]
            view, around = memory.room(tensors[argument].shape, tensors[argument].dtype)
            view[...] = tensors[argument]
            tensors[argument] = view
            assert operator(*tensors.values(), out=view, **off_defaults(operator)) is view
            assert same_bits(view, expected)
            assert untouched(view, around)


def test_in_place_with_another_dtype_of_the_same_size() -> None:
    x = random_values(np.random.default_rng(13), (3000,), "float16")
    expected = actgrad.elu(x, out=np.empty(3000, BFLOAT16))
    assert same_bits(actgrad.elu(x, out=x.view(BFLOAT16)), expected)


def test_one_array_for_every_input_and_the_output() -> None:
    x = random_values(np.random.default_rng(14), (100, 99), "float32")
    expected = actgrad.elu_backward(x.copy(), x.copy(), alpha=1.3)
    assert same_bits(actgrad.elu_backward(x, x, alpha=1.3, out=x), expected)
