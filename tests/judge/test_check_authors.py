"""`actgrad check` of operators that a new author adds: several tensors, along a dimension, broadcast in any way."""

from __future__ import annotations

import pytest

import actgrad
from actgrad.judge.backend_cases import cases
from tests.support.calls import status

Operators = dict[str, actgrad.Operator]
NAMES = (
    "author_gate_along", "author_along_the_second", "author_along_the_first", "author_bias_gelu", "author_gelu_bias",
    "author_bias_gelu_gate", "author_plain_broadcast", "author_masked_rows",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.share(6)
def test_operators_of_several_tensors_are_checked(author_operators: Operators, name: str) -> None:
    assert name in author_operators
    standards = "mixed,mere-mare,thousandth,nonfinite"
    if name == "author_gate_along":  # its product with sigmoid(x) has few digits where sigmoid(x) is subnormal
        standards = "mixed,mere-mare,nonfinite"
    assert status("check", name, "--dtype", "float32,bfloat16", "--standard", standards) == 0


@pytest.mark.parametrize("name", [name for name in NAMES if "bias" in name or "broadcast" in name])
def test_a_case_broadcasts_the_tensors(author_operators: Operators, name: str) -> None:
    last = [*cases(author_operators[name], "float32")][-1]
    shapes = {a.shape for a in last.inputs if a is not None}
    assert len(shapes) > 1
    assert last.operator.plan(*last.inputs, backend="reference").result.shape == (31, 32)
