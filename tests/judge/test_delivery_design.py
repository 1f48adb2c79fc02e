"""The design of a delivery: every kind of case in every dtype, optional tensors given and left out, large sizes."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import numpy as np
import pytest

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import judge
from actgrad.judge.delivery import design, drawing, manifest, optional_tensors
from tests.support.calls import status

OPERATORS = list(actgrad.operators.values())
WITH_OPTIONAL = [operator for operator in OPERATORS if optional_tensors.names_of(operator)]


def dtypes_of(operator: actgrad.Operator) -> list[str]:
    return [name for name in drawing.DTYPES if name in operator.input_dtypes]


@pytest.mark.share(16)
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: one.name)
def test_every_operator_has_a_case_in_every_cell(operator: actgrad.Operator) -> None:
    dtypes = dtypes_of(operator)
    cases = [case for case, _ in drawing.draw(operator, dtypes, None, 5)]
    coverage = design.coverage(cases, {operator.name: dtypes})
    assert coverage.sentence().startswith("complete: ")
    assert {cell[1] for cell in coverage.counts} == {*dtypes}
    for case in cases:
        operator.plan(*_empty(case), backend="reference", **_stated(case))


def _empty(case: manifest.DeliveryCase) -> list[np.ndarray | None]:
    files = [case.inputs.get(name) for name in case.operator.schema.tensor_names]
    return [None if one is None else np.empty(one.shape or (), _numpy(one.dtype or "")) for one in files]


def _numpy(name: str) -> np.dtype:
    return BY_NAME[name].numpy


def _stated(case: manifest.DeliveryCase) -> dict[str, object]:
    return {name: value for name, value in case.attributes.items() if value is not None}


@pytest.mark.share(4)
@pytest.mark.parametrize("operator", WITH_OPTIONAL, ids=lambda one: one.name)
def test_every_optional_tensor_is_given_and_left_out(operator: actgrad.Operator) -> None:
    cases = [case for case, _ in drawing.draw(operator, ["float32"], None, 1)]
    for name in optional_tensors.names_of(operator):
        given = [name in case.inputs for case in cases]
        if name in ("weight_scale", "activation_scale", "bias"):  # only for int32
            cases_of_integers = [case for case, _ in drawing.draw(operator, ["int32"], None, 1)]
            given = [name in case.inputs for case in cases_of_integers]
        assert any(given), name
        assert not all(given) or name == "weight_scale", name


def test_kinds_do_not_follow_from_the_number_of_a_case() -> None:
    by_seed = [[*design.plans(actgrad.softmax, drawing.DTYPES, 36, seed)] for seed in range(4)]
    assert len({tuple((plan.dtype, plan.kind) for plan in plans) for plans in by_seed}) == 4
    for plans in by_seed:
        kinds = design.kinds_of(actgrad.softmax, "float32")
        assert {(plan.dtype, plan.kind) for plan in plans} == {(d, k) for d in drawing.DTYPES for k in kinds}


def test_a_delivery_reaches_tiles_and_long_rows() -> None:
    cases = [case for case, _ in drawing.draw(actgrad.softmax, ["float32"], None, 2)]
    largest = max(prod(case.inputs["self"].shape or ()) for case in cases)
    assert largest > 3 * 4096
    rows = [case.inputs["self"].shape[case.attributes["dim"]] for case in cases]  # type: ignore[index]
    assert max(rows) > 1024
    ranks = [len(case.inputs["self"].shape or ()) for case in cases]
    assert any(case.attributes["dim"] % rank != rank - 1 for case, rank in zip(cases, ranks, strict=True))


def test_a_softmax_of_the_first_1024_elements_is_rejected_in_every_dtype() -> None:
    def wrong(x: np.ndarray, dim: int) -> np.ndarray:
        wide = np.moveaxis(x.astype(np.float64), dim, -1)
        e = np.exp(wide - wide.max(-1, keepdims=True))
        return np.moveaxis(e / e[..., :1024].sum(-1, keepdims=True), -1, dim).astype(x.dtype)

    for dtype in drawing.DTYPES:
        rejected = False
        for case, inputs in drawing.draw(actgrad.softmax, [dtype], None, 11):
            dim = case.attributes["dim"]
            with np.errstate(all="ignore"):
                out = wrong(inputs["self"], dim)
            rejected |= not judge(actgrad.softmax, {"dim": dim}, [inputs["self"]], [out], explain=False).holds
        assert rejected, dtype


@pytest.mark.parametrize("dtype", drawing.DTYPES)
def test_a_softmax_that_writes_one_end_of_a_long_row_is_rejected(dtype: str) -> None:
    """The numbers of a long row are below the tolerance, and it ignores 1 % of them: peaks must be at both ends."""
    rng = np.random.default_rng(5)
    for shape in drawing.LONG_ROWS:
        x = drawing.peaked(shape, rng).astype(BY_NAME[dtype].numpy)
        for lost in (slice(1024, None), slice(0, 1024)):
            out = actgrad.softmax(x)
            out[..., lost] = 0
            assert not judge(actgrad.softmax, {}, [x], [out], explain=False, with_power=False).holds, (shape, lost)


@pytest.mark.needs("ascend")
def test_inputs_that_are_not_contiguous_have_strides_in_the_manifest(tmp_path: Path) -> None:
    assert status("cases", "gelu", "swiglu", "--tensors", str(tmp_path / "d"), "--seed", "3") == 0
    cases = json.loads((tmp_path / "d" / "manifest.json").read_text())["cases"]
    strided = [one for case in cases for one in case["inputs"].values() if "strides" in one]
    assert len(strided) >= 6
    for one in strided:
        array = np.load(tmp_path / "d" / one["file"])
        assert list(array.shape) == one["shape"]
        assert len(one["strides"]) == len(one["shape"])
        if array.flags.f_contiguous and array.ndim > 1 and not array.flags.c_contiguous:
            assert one["strides"] == [step // array.itemsize for step in array.strides]
    assert {case.kind for case in manifest.read(tmp_path / "d")} == {*design.KINDS} - {
        "broadcast",
        "group boundaries",
    }


@pytest.mark.needs("ascend")
def test_cases_says_whether_a_delivery_is_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("cases", "gelu", "--tensors", str(tmp_path / "a")) == 0
    out = capsys.readouterr().out
    assert "complete: each of 30 cells" in out
    assert "group_index" not in out
    assert status("cases", "gelu", "--tensors", str(tmp_path / "b"), "--number", "5") == 0
    out = capsys.readouterr().out
    assert "INCOMPLETE: 25 of 30 cells" in out
    assert "! 0" in out


@pytest.mark.needs("ascend")
def test_wrong_strides_end_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("cases", "gelu", "--tensors", str(tmp_path / "d"), "--number", "1") == 0
    path = tmp_path / "d" / "manifest.json"
    document = json.loads(path.read_text())
    document["cases"][0]["inputs"]["self"]["strides"] = ["1"]
    path.write_text(json.dumps(document))
    assert status("check", "--manifest", str(tmp_path / "d")) == 2
    assert "a step in elements for each dimension" in capsys.readouterr().err
