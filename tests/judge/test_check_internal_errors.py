"""A fault of the diagnosis does not cost the verdict, and wrong outputs of no operator cause such a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.conformance import judge
from actgrad.judge import judging, oracle
from actgrad.judge.backend_cases import cases
from actgrad.judge.diagnosis import forms, mistakes
from actgrad.judge.elements import judged_dtypes
from tests.support.calls import status

X = np.random.default_rng(3).normal(size=1000).astype(np.float32)
Array = np.ndarray[Any, Any]


def wrong_outputs(results: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """The results with one output replaced: by other values, the values in reverse, or one other element."""
    for place, right in enumerate(results):
        flat = right.ravel().astype(np.float64)
        first = flat.copy()
        first[:1] = 9 if first[:1] != 9 else 8
        for values in (1.3 * flat + 1, flat[::-1], first):
            with np.errstate(all="ignore"):
                other = values.reshape(right.shape).astype(right.dtype)
            yield (*results[:place], other, *results[place + 1 :])


@pytest.mark.parametrize("operator", actgrad.operators.values(), ids=lambda o: o.name)
@pytest.mark.share(180)
def test_no_wrong_output_causes_an_internal_error(operator: actgrad.Operator) -> None:
    failing = 0
    by_kind = {(BY_NAME[name].kind, BY_NAME[name].itemsize == 2): name for name in judged_dtypes(operator, None)}
    for dtype in by_kind.values():
        case = next(iter(cases(operator, dtype, seed=11)))
        results = tuple(map(np.asarray, oracle.as_tuple(operator(*case.inputs, **case.attributes))))
        for actual in wrong_outputs(results):
            verdict = judge(operator, case.attributes, case.inputs, actual, with_power=False)
            failing += verdict.failing > 0
            assert "internal-error" not in [d.mistake for d in verdict.diagnoses], verdict.diagnoses
    assert failing


def test_a_rule_that_raises_costs_neither_the_verdict_nor_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(sample: Any) -> Any:
        yield from ()
        raise IndexError("list index\nout of range")

    right = actgrad.elu(X, alpha=0.5)
    before = judge(actgrad.elu, {"alpha": 0.5}, [X], [actgrad.elu(X)])
    monkeypatch.setattr(mistakes, "RULES", (breaks, *mistakes.RULES))
    monkeypatch.setattr(forms, "sign_of_zero", breaks)
    after = judge(actgrad.elu, {"alpha": 0.5}, [X], [actgrad.elu(X)])
    assert not after.holds
    assert (after.failing, after.elements) == (before.failing, before.elements)
    assert [d.mistake for d in after.diagnoses] == [*(d.mistake for d in before.diagnoses), "internal-error"]
    assert after.diagnoses[-1].says == "no name: internal error in breaks (IndexError: list index out of range)"
    assert judge(actgrad.elu, {"alpha": 0.5}, [X], [right]).holds


def test_a_sample_that_cannot_be_drawn_does_not_cost_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(judging, "_sample", breaks)
    verdict = judge(actgrad.elu, {}, [X], [X])
    assert not verdict.holds
    assert [d.says for d in verdict.diagnoses] == ["no name: internal error (MemoryError:)"]


def test_any_other_exception_is_one_line_and_2(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python's own status for an exception is 1, which means a rejected output."""

    def breaks(*_: Any, **__: Any) -> Any:
        raise KeyError("a key")

    np.save(tmp_path / "x.npy", X)
    files = [str(tmp_path / "x.npy")]
    monkeypatch.setattr("actgrad.judge.files.submission.judge", breaks)
    assert status("check", "elu", "--inputs", *files, "--actual", *files) == 2
    said = capsys.readouterr().err
    assert "internal error: KeyError: 'a key', raised at " in said
    assert said.count("\n") == 1
