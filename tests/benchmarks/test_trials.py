"""`python -m benchmarks trials`: the judge rejects no right output, and accepts no wrong one."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from benchmarks import planted, trials
from benchmarks.__main__ import main

import actgrad
from actgrad.judge.delivery import drawing

FLOATS = [name for name, one in actgrad.operators.items() if "float32" in one.input_dtypes]


@pytest.mark.parametrize("name", actgrad.operators)
@pytest.mark.share(32)
def test_no_right_output_is_rejected(name: str) -> None:
    """Ours, the reference's, flushed ones, PyTorch's, and those with sums in other orders."""
    counts = Counter[str]()
    for case in trials.cases(actgrad.operators[name], 2, seed=len(name)):
        assert not [*trials.false_rejections(case, counts)]
    assert counts["ours"] == 2


@pytest.mark.parametrize("name", ["softmax", "log_softmax_backward"])
def test_sums_in_other_orders_have_other_bits(name: str) -> None:
    """The orders are not all the same, and a sum with half of the digits is rejected."""
    rng = np.random.default_rng(3)
    operator = actgrad.operators[name]
    x = tuple(rng.normal(0, 2, (3, 2053)).astype(np.float32) for _ in operator.schema.tensor_names)
    if name == "log_softmax_backward":
        x = (x[0], actgrad.log_softmax(x[1]))
    case = trials.Case("x", "long rows", operator, {}, x)
    results = [trials.in_order(order, case) for order in trials.ORDERS]
    assert all(result is not None and case.judged(result).holds for result in results)
    assert len({result[0].tobytes() for result in results if result is not None}) > 3
    for order in trials.ORDERS.values():
        for row in x[-1]:
            assert order(row) == pytest.approx(math.fsum(row), rel=1e-4)
    with trials._summing(lambda terms: terms.astype(np.float16).sum(-1, dtype=np.float16), operator):
        verdict = case.judged(case.results(backend="reference"))
    assert all(outcome.over for outcome in verdict.outcomes if outcome.standard == "ulp")


def test_flushed_outputs_have_no_subnormal_numbers() -> None:
    x = np.array([1e-40, -1e-40, 1.0, -0.0], np.float32)
    case = trials.Case("x", "usual", actgrad.relu, {}, (x,))
    flushed = trials.flushed(case)
    assert flushed is not None
    assert flushed[0].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert trials.flushed(trials.Case("x", "usual", actgrad.relu, {}, (x[2:],))) is None


@pytest.mark.parametrize("dtype", drawing.DTYPES)
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.share(40)
def test_no_planted_mistake_is_accepted(name: str, dtype: str) -> None:
    operator = actgrad.operators[name]
    if dtype not in operator.input_dtypes:
        pytest.skip(f"{name} has no {dtype}")
    found = planted.planted(operator, dtype, FLOATS.index(name) + len(dtype), seed=1)
    assert found is not None
    mistake, case, wrong = found
    word, says = planted.judged(mistake, case, wrong)
    assert word != "not seen" or mistake.is_small, (mistake.says, says)


#: An operator and a dtype whose cases show a mistake. The others show in elu_backward in float32.
SHOWN = {
    "the index of a column has 10 bits": ("swiglu", "float32"),
    "alpha inside the exponent": ("elu", "float32"),
    "a parameter is squared": ("elu", "float32"),
    "a parameter is inverted": ("elu", "float32"),
    "the last tile is stale": ("tanh", "float32"),
    "gradients exchanged": ("swiglu_two_backward", "float32"),
    "a tensor that may be left out is ignored": ("swiglu_group", "bfloat16"),
    "zero on the other side": ("relu_backward", "float32"),
    "groups end one row earlier": ("swiglu_quant", "float32"),
    "the scale of the next row": ("dynamic_quant", "float16"),
    "digits cut off": ("gelu", "float16"),
    "NaN at infinity": ("silu", "float32"),
    "along another dimension": ("softmax", "float32"),
}


@pytest.mark.parametrize("number", range(len(planted.MISTAKES)), ids=[one.says for one in planted.MISTAKES])
@pytest.mark.share(8)
def test_each_mistake_is_rejected_and_named(number: int) -> None:
    mistake = planted.MISTAKES[number]
    name, dtype = SHOWN.get(mistake.says, ("elu_backward", "float32"))
    found = planted.planted(actgrad.operators[name], dtype, number, 0)
    assert found is not None
    assert found[0] is mistake, "the case does not show it"
    word, says = planted.judged(*found)
    assert word == "named" or (word in ("warned", "not seen") and mistake.is_small), says


def test_the_command_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trials", "right", "relu", "--seeds", "1", "--cases", "1"]) == 0
    assert "0 of" in capsys.readouterr().out.splitlines()[-1]
    assert main(["trials", "wrong", "relu"]) == 0
    assert "3 planted" in capsys.readouterr().out.splitlines()[-1]
    assert main(["trials", "right", "rellu"]) == 2
    assert "rellu is no operator" in capsys.readouterr().err
