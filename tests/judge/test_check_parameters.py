"""Case files of functions whose C parameters differ from the schema: text, null pointers, fixed attributes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.ascend.cases import case_files, generation, interface
from actgrad.ascend.cases.case_model import Values
from actgrad.calls.operator import REGISTRY
from tests.support.calls import status
from tests.support.case_files import captured, results, rows, scalar, statuses, tensor, ttk_text

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def case(name: str, *inputs: dict[str, Any]) -> dict[str, Any]:
    return {"id": 0, "name": name, "aclnn_name": name, "inputs": list(inputs)}


NULL = ["null", ["null"]]


@pytest.mark.parametrize("value", NULL, ids=str)
def test_a_null_scalar_is_its_default_in_an_atk_file(value: Any, folder: Path) -> None:
    cases = [case("Swish", tensor(), scalar(value)), case("Swish", tensor(), scalar(1.7))]
    code, _ = results(folder, cases)
    assert code == 0
    null, given = case_files.parse(Path("c"), "atk", json.dumps(cases))
    assert null.attributes == {}
    assert given.attributes["beta"].value == 1.7


def test_what_may_not_be_null_is_refused(folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([case("LeakyRelu", tensor(), scalar("null"))]))
    assert status("check", "--cases", "c.json") == 2
    assert "negativeSlope: range_values is 'null'; it must be a number" in capsys.readouterr().err


def test_a_null_scalar_is_its_default_in_a_ttk_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(attributes: str) -> Any:
        text = ttk_text(api_name="aclnnSwish", attributes=attributes)
        return case_files.parse(Path("c"), "ttk", text)[0]

    assert parsed("{'betaOptional': None}").attributes == {}
    assert parsed("{'betaOptional': 1.7}").attributes["beta"].value == 1.7
    assert parsed("{}").attributes["beta"].value is None  # drawn
    captured(parsed("{'betaOptional': None}"), monkeypatch)


def test_a_null_scalar_that_may_not_be_null_in_a_ttk_file(folder: Path, capsys: Capture) -> None:
    Path("c.csv").write_text(ttk_text(attributes="{'alpha': None}"))
    assert status("check", "--cases", "c.csv") == 2
    assert "attributes: alpha is None; it must be a number" in capsys.readouterr().err


def test_a_choice_by_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    one = case("GeluBackwardV2", tensor(), tensor(), scalar("tanh", "string", "attr"))
    code, _ = results(folder, [one])
    assert code == 0
    (read,) = case_files.parse(Path("c"), "atk", json.dumps([one]))
    assert read.attributes["approximate"].value == "tanh"
    one["inputs"][2]["range_values"] = 1
    Path("c.json").write_text(json.dumps([one]))
    assert status("check", "--cases", "c.json") == 2
    assert "approximate: range_values is 1; it must be a name" in capsys.readouterr().err


def test_an_unknown_choice_is_not_run(folder: Path) -> None:
    known = case("GeluBackwardV2", tensor(), tensor(), scalar("none", "string", "attr"))
    _, found = results(folder, [case("GeluBackwardV2", tensor(), tensor(), scalar("sine", "string", "attr")), known])
    assert [one["result"]["precision_status"] for one in found] == ["NOT_RUN", "PASS"]
    assert "approximate" in found[0]["result"]["says"]


def test_functions_that_fix_an_attribute_have_cases_of_it_alone() -> None:
    cases = generation.generate(actgrad.gelu, 60, 64, 0)
    tanh = [c for c in cases if c.signature is not None and c.signature.name == "aclnnGelu"]
    assert tanh
    assert all(not c.attributes for c in tanh)
    others = [c for c in cases if c not in tanh]
    assert {c.attributes["approximate"].value for c in others} == {0, 1}


def test_attributes_that_no_function_has_are_cases_under_our_own_name() -> None:
    cases = generation.generate(actgrad.hardsigmoid, None, 64, 0)
    names = {c.signature.name for c in cases if c.signature is not None}
    assert names == {"aclnnHardsigmoid", "aclnnInplaceHardsigmoid", "actgrad.hardsigmoid"}
    for one in cases:
        assert one.signature is not None
        assert one.attributes or one.signature.fixed


def test_cases_in_place_have_results_of_their_own_dtype() -> None:
    cases = generation.generate(actgrad.sigmoid, None, 64, 0)
    in_place = [c for c in cases if c.name.endswith("in-place")]
    assert {c.inputs["self"].dtype for c in in_place} == {"float32", "float16", "bfloat16", "float64"}
    usual = {c.inputs["self"].dtype: c.outputs["out"].dtype for c in cases if c.name.endswith("uniform")}
    assert usual["uint8"] == usual["bool"] == "float32"
    assert usual["float16"] == "float16"


def test_pairs_that_are_refused_are_no_cases() -> None:
    silu = {c.name.rpartition(" ")[2] for c in generation.generate(actgrad.silu_backward, None, 64, 0)}
    relu = {c.name.rpartition(" ")[2] for c in generation.generate(actgrad.relu_backward, None, 64, 0)}
    assert {"broadcast", "promotion"} <= silu
    assert relu >= {"broadcast"}
    assert "promotion" not in relu


def test_defaults_are_null_where_they_may_be(folder: Path) -> None:
    assert status("cases", "swish", "-o", "c.json", "--largest", "64") == 0
    values = [one["inputs"][1]["range_values"] for one in json.loads(Path("c.json").read_text())]
    assert "null" in values
    assert 1.3 in values
    assert status("cases", "swish", "-o", "c.csv", "--largest", "64") == 0
    assert "{'betaOptional': None}" in {row["attributes"] for row in rows("c.csv")}
    assert status("check", "--cases", "c.csv", "--results", "r.csv") == 0
    assert set(statuses("r.csv")) == {"PASS"}


def test_a_function_under_our_own_name_is_one_object() -> None:
    assert interface.own_signature(REGISTRY["geglu_two"]) is interface.find("actgrad.geglu_two")


def test_whole_numbers_of_the_ends_are_drawn_as_such() -> None:
    rng = np.random.default_rng(0)
    most = Values(2.0**63, 2.0**63).draw((3,), "int64", rng)
    assert most.tolist() == [2**63 - 1] * 3
    assert Values(-(2.0**70), -(2.0**70)).draw((1,), "int64", rng).tolist() == [-(2**63)]
    assert set(Values(-5, 300).draw((2000,), "uint8", rng).tolist()) == set(range(256))
    assert set(Values(-5, 5).draw((50,), "bool", rng).tolist()) == {False, True}
    assert set(Values(1, 1, (0.1, 2)).draw((500,), "bool", rng).tolist()) == {False, True}
