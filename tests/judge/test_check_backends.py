"""`actgrad check` of our own backends: right ones pass, each kind of wrong one is found."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.checks.run import refused_flags
from actgrad.judge import backend_cases
from actgrad.judge.backend_cases import cases
from actgrad.judge.standards import NAMES
from tests.support.calls import status

Capture = pytest.CaptureFixture[str]


def test_our_backend_holds_every_standard(capsys: Capture) -> None:
    assert status("check", "selu_backward", "leaky_relu_backward", "--strict", "-v") == 0
    captured = capsys.readouterr()
    lines = [line.split() for line in captured.out.splitlines() if " same" in line]
    dtypes = [d for name in ("selu_backward", "leaky_relu_backward") for d in actgrad.operators[name].input_dtypes]
    assert [line[-1] for line in lines] == ["same"] * len(dtypes)
    assert captured.out.count("float64") == 3  # two rows, and the last line
    assert "checking" in captured.err


def test_the_reference_backend(capsys: Capture) -> None:
    assert status("check", "leaky_relu", "--backend", "reference", "--dtype", "float16", "--standard", "mixed,ulp") == 0


def test_a_backend_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    compute = backend_cases.compute

    def wrong(case: Any, backend: str, outputs: Any) -> None:
        compute(case, backend, outputs)
        if case.name == "3x8x7x16, backwards":
            outputs[0][0, 0, 0, 0] += 1

    monkeypatch.setattr(backend_cases, "compute", wrong)
    assert status("check", "gelu", "--dtype", "float32") == 1
    out = capsys.readouterr().out
    assert "3x8x7x16, backwards" in out
    assert "1 of 17 cases fail" in out
    assert re.search(r"gelu\s+float32\s+! REJECTED\s+17\s", out)


def test_a_backend_that_gives_other_bits_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compute, calls = backend_cases.compute, []

    def unsteady(case: Any, backend: str, outputs: Any) -> None:
        compute(case, backend, outputs)
        calls.append(1)
        if len(calls) == 40:
            outputs[0].view(np.uint32)[7] ^= 1

    monkeypatch.setattr(backend_cases, "compute", unsteady)
    case = next(cases(actgrad.elu, "float32"))
    result = backend_cases.judge_case(case, "cpu", list(NAMES), strict=True)
    assert result is not None
    assert len(calls) == 50
    assert result.repeat is not None
    assert result.repeat.says == "1 of 50 runs differ from the first"
    assert not result.holds
    assert not any(o.is_broken for output in result.outputs for o in output.outcomes)


def test_an_output_that_is_not_written_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []
    monkeypatch.setattr(backend_cases, "compute", lambda case, backend, outputs: seen.extend(outputs))
    for dtype in ("float32", "int8"):
        result = backend_cases.judge_case(next(cases(actgrad.selu, dtype)), "cpu", ["ulp"])
        assert result is not None
        assert not result.holds
    assert np.isnan(seen[0]).all()
    assert (seen[1] == -77).all()


@pytest.mark.share(6)
@pytest.mark.parametrize("operator", actgrad.operators.values(), ids=lambda o: o.name)
def test_the_cases_have_what_they_promise(operator: actgrad.Operator) -> None:
    found = list(cases(operator, "float32"))
    place = operator.schema.tensor_names.index(operator.definition.main)
    main = [np.asarray(case.inputs[place]) for case in found]
    assert {array.ndim for array in main} >= {1, 2, 3, 4, 5, 6, 7, 8}
    assert any(array.size == 0 for array in main)
    assert any(not array.flags.c_contiguous for array in main if array.size)
    special = [array for case, array in zip(found, main, strict=True) if case.name == "special"]
    assert all(np.isnan(array).any() for array in special)
    is_bounded = bool(operator.result.tensor) and not operator.result.flag  # of a logistic function, say
    assert is_bounded or all(np.isinf(array).any() for array in special)
    for case in found:  # whatever its layout is, the operator takes it
        assert operator.plan(*case.inputs, backend="reference", **case.attributes)
    for name, default in operator.defaults.items():
        values = [case.attributes[name] for case in found]
        is_number = operator.schema.attributes_by_name[name].type == "int" and name != operator.switch
        is_fixed = is_number or name in refused_flags(operator.definition) or default is None
        assert is_fixed or {value == default for value in values} == {True, False}
    again = list(cases(operator, "float32"))
    other = list(cases(operator, "float32", seed=1))
    for case, twin in zip(found, again, strict=True):
        pairs = [(a, b) for a, b in zip(case.inputs, twin.inputs, strict=True) if a is not None]
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
    assert not np.array_equal(found[0].inputs[0], other[0].inputs[0])


@pytest.mark.needs("ascend")
def test_cases_of_a_product_are_those_that_it_takes(capsys: Capture) -> None:
    call = ["check", "--product", "Ascend310P", "--dtype", "float16,bfloat16", "--standard", "ulp", "--json", "-"]
    assert status(*call, "geglu", "selu_backward") == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert {r["dtype"] for r in results} == {"float16"}
    assert {r["operator"] for r in results} == {"geglu", "selu_backward"}
    approximate = {r["verdict"]["attributes"].get("approximate") for r in results}
    assert approximate == {"tanh", None}


def test_an_operator_that_is_added_is_checked(smooth_relu: Any, capsys: Capture) -> None:
    assert status("check", "smooth_relu", "smooth_relu_backward", "--dtype", "float32,bfloat16") == 0
    assert "smooth_relu_backward" in capsys.readouterr().out
