"""Case files: a field of a wrong type is refused by file, case and field, in both formats, whichever field it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import status
from tests.support.case_files import BACKWARD, atk_case, scalar, tensor, ttk_text

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: A value of each type that JSON has, by its name here.
VALUES: dict[str, Any] = {
    "true": True, "false": False, "zero": 0, "number": 7, "negative": -1, "fraction": 1.5, "NaN": float("nan"),
    "large": 10**400, "text": "x", "empty text": "", "blank": " ", "list": [1], "empty list": [], "lists": [[1]],
    "texts": ["x"], "object": {"a": 1}, "empty object": {},
}  # fmt: skip
WHOLE = {"zero", "number", "large"}
TEXT = {"text"}
FLAG = {"true", "false"}
#: The types that a field of a case may have; all other types must be refused. null always means: not given.
CASE: dict[str, set[str]] = {
    "id": WHOLE, "default_seed": WHOLE, "name": TEXT, "aclnn_name": TEXT, "expected_error_msg": TEXT,
    "standard": {"text", "object", "empty object"}, "inputs": {"empty list"},
}  # fmt: skip
TENSOR: dict[str, set[str]] = {
    "name": TEXT, "type": set(), "required": FLAG, "dtype": set(), "shape": {"list", "empty list"},
    "actgrad_cascade": FLAG, "range_values": {"zero", "number", "negative", "fraction", "NaN", "list"},
}  # fmt: skip
SCALAR: dict[str, set[str]] = {
    "name": TEXT, "type": TEXT, "required": FLAG, "dtype": set(), "shape": {"list", "empty list"},
    "actgrad_cascade": FLAG,
    "range_values": {"true", "false", "zero", "number", "negative", "fraction", "NaN", "list"},
}  # fmt: skip
BOOLEAN = {**SCALAR, "dtype": TEXT, "range_values": {"true", "false", "zero", "list"}}
TABLES = {"case": CASE, "tensor": TENSOR, "scalar": SCALAR, "boolean": BOOLEAN}
PLACES = {"tensor": 0, "scalar": 1, "boolean": 4}
ATK = [(table, field, kind) for table, allowed in TABLES.items() for field in allowed for kind in VALUES]


def atk(table: str, field: str, value: Any) -> dict[str, Any]:
    if table == "case":
        return atk_case(**{field: value})
    inputs = [dict(one) for one in BACKWARD["inputs"]]
    inputs[PLACES[table]][field] = value
    return atk_case(**{**BACKWARD, "inputs": inputs})


def refused(file: str, case: str, field: str, capsys: Capture) -> str:
    """The message of a refusal, which names file, case and field."""
    before = sorted(p.name for p in Path().iterdir())
    code = status("check", "--cases", file)
    captured = capsys.readouterr()
    assert code == 2, captured.out[-300:]
    (line,) = [line for line in captured.err.splitlines() if line.startswith("actgrad: ")]
    assert line.startswith(f"actgrad: {file}: {case}")
    assert field in line
    assert captured.out == ""
    assert sorted(p.name for p in Path().iterdir()) == before
    return line


@pytest.mark.share(4)
@pytest.mark.parametrize(("table", "field", "kind"), ATK, ids=["-".join(entry) for entry in ATK])
def test_a_field_of_an_atk_case(table: str, field: str, kind: str, folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([atk_case(id=1), atk(table, field, VALUES[kind])]))
    if kind not in TABLES[table][field]:
        refused("c.json", "case 1", field, capsys)
        return
    assert status("check", "--cases", "c.json") in (0, 1)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("field", [*CASE, *TENSOR])
def test_null_is_what_is_not_given(field: str, folder: Path, capsys: Capture) -> None:
    table = "case" if field in CASE and field != "name" else "tensor"
    Path("c.json").write_text(json.dumps([atk_case(id=1), atk(table, field, None)]))
    needed = {"inputs", "type", "dtype", "shape", "range_values"}
    assert status("check", "--cases", "c.json") == (2 if field in needed else 0), capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"default_seed": "x"}, "default_seed is 'x'; it must be an integer that is at least 0"),
        ({"default_seed": True}, "default_seed is True; it must be an integer that is at least 0"),
        ({"standard": [1]}, "standard is [1]; it must be a name"),
        ({"standard": {"acc": [1]}}, "standard is [1]; it must be a name"),
        ({"id": [1]}, "case 0 (id [1]): id is [1]; it must be an integer that is at least 0"),
        ({"id": "x"}, "case 0 (id 'x'): id is 'x'; it must be an integer that is at least 0"),
        ({"expected_error_msg": False}, "expected_error_msg is False; it must be a name"),
        ({"aclnn_name": ""}, "aclnn_name is ''; it must be a name"),
        ({"inputs": [tensor(required="no")]}, "self: required is 'no'; it must be true or false"),
        ({"inputs": [tensor(type=["tensor"])]}, "type is ['tensor']; it must be a name"),
        ({"inputs": [tensor(name="self", type="scalar")]}, "type of self is 'scalar'; aclnnSelu takes a Tensor"),
        ({"inputs": [tensor(range_values={"name": "nd", "mean": "x", "std": 1})]}, "range_values: mean is 'x'"),
        ({"inputs": [tensor(range_values={"name": "nd", "mean": 1, "std": [1]})]}, "range_values: std is [1]"),
    ],
)  # fmt: skip
def test_messages(change: dict[str, Any], words: str, folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([atk_case(**change)]))
    assert words in refused("c.json", "case 0", words.partition(" ")[0], capsys)


def test_an_unknown_word_for_a_scalar_is_said(folder: Path, capsys: Capture) -> None:
    inputs = [*BACKWARD["inputs"][:1], scalar(1.3, "fp32", "luck"), *BACKWARD["inputs"][2:]]
    Path("c.json").write_text(json.dumps([atk_case(**{**BACKWARD, "inputs": inputs})]))
    assert status("check", "--cases", "c.json") == 0
    assert "type 'luck' of inputs is unknown" in capsys.readouterr().err


# TTK

CELLS = {
    "true": "True", "number": "7", "negative": "-1", "fraction": "1.5", "text": "'x'", "empty text": "''",
    "a word": "x", "list": "[1]", "tuple": "(1,)", "lists": "((1,),)", "texts": "('x',)", "object": "{'a': 1}",
    "empty object": "{}", "set": "{1}", "none": "None", "zero": "0", "nothing": "()", "bytes": "b'x'",
    "large": "1" + "0" * 400,
}  # fmt: skip
ABSENT = {"none", "nothing"}
COLUMNS: dict[str, set[str]] = {
    "tensor_view_shapes": {"list", "tuple", "lists"}, "tensor_dtypes": set(),
    "tensor_formats": {"text", "texts", *ABSENT}, "output_tensor_indexes": {"negative", "list", "tuple", "none"},
    "attributes": {"empty object", "none"}, "scalar_dtypes": ABSENT, "scalar_data_ranges": ABSENT,
    "input_data_ranges": ABSENT,
    "is_enabled": {"true", "none"}, "manual_tensor_binaries": {"text", "texts", *ABSENT},
    "tensor_view_strides": {"lists", *ABSENT},
    "tensor_view_offsets": {"number", "zero", "large", "list", "tuple", *ABSENT},
    "tensor_storage_shapes": {"lists", *ABSENT}, "actgrad_cascade": {"true", "zero", "list", "tuple", *ABSENT},
}  # fmt: skip
TTK = [(column, kind) for column in COLUMNS for kind in CELLS]


@pytest.mark.share(4)
@pytest.mark.parametrize(("column", "kind"), TTK, ids=["-".join(entry) for entry in TTK])
def test_a_cell_of_a_ttk_case(column: str, kind: str, folder: Path, capsys: Capture) -> None:
    good, bad = (dict.fromkeys([column], text) for text in ("", CELLS[kind]))
    if column in ("tensor_view_shapes", "tensor_dtypes", "attributes"):
        good = {}
    first, second = ttk_text(**good).splitlines(), ttk_text(**bad).splitlines()
    Path("c.csv").write_text("\n".join([*first, second[1]]))
    if kind not in COLUMNS[column]:
        refused("c.csv", "row 3 ('t'): ", column, capsys)
        return
    assert status("check", "--cases", "c.csv") in (0, 1)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", " "])
def test_an_api_without_a_name(name: str, folder: Path, capsys: Capture) -> None:
    Path("c.csv").write_text(ttk_text(api_name=name))
    assert "api_name is ''; it must be a name" in refused("c.csv", "row 2 ('t'): ", "api_name", capsys)


@pytest.mark.parametrize("value", ["7", "'x'", "1.0", "None", "[True]"])
def test_a_boolean_attribute(value: str, folder: Path, capsys: Capture) -> None:
    shapes, kinds = "((2,), (2,), (2,))", "('float32',)"
    cells = {"api_name": "aclnnEluBackward", "tensor_view_shapes": shapes, "tensor_dtypes": kinds}
    Path("c.csv").write_text(ttk_text(**cells, attributes=f"{{'alpha': 1, 'isResult': {value}}}"))
    assert "isResult is" in refused("c.csv", "row 2", "attributes", capsys)


# Nothing judged


def test_nothing_judged_names_file_and_reason(folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([atk_case(aclnn_name="aclnnReloo"), atk_case(id=4, aclnn_name="aclnnReloo")]))
    assert status("check", "--cases", "c.json") == 2
    said = capsys.readouterr().err
    assert (
        "actgrad: check: c.json: no case was run; at least one must be; the first of 2, id 3 aclnnReloo, was not run: "
        "function aclnnReloo is unknown; it must be a function of"
    ) in said
    Path("d.json").write_text(json.dumps([atk_case(inputs=[tensor(dtype="fp64")])]))
    assert status("check", "--cases", "d.json", "--standard", "mixed") == 2
    assert "id 3 aclnnSelu, was not run: the dtype is float64; mixed must cover it" in capsys.readouterr().err
    assert status("check", "elu", "--dtype", "float64", "--standard", "mixed,thousandth") == 2
    assert "mixed, thousandth must cover float64; choose another" in capsys.readouterr().err


@pytest.mark.parametrize(
    "cells",
    [{"tensor_view_offsets": f"({1 << 61}, 0)"}, {"tensor_view_strides": f"(({1 << 61}, 1), (3, 1))"},
     {"tensor_storage_shapes": f"(({1 << 61},), (6,))"}, {"tensor_view_offsets": f"(0, {1 << 61})"}],
    ids=["offset", "stride", "storage", "of an output"],
)  # fmt: skip
def test_views_on_more_than_memory_holds_are_not_run(cells: dict[str, Any], folder: Path, capsys: Capture) -> None:
    Path("c.csv").write_text(ttk_text(**cells))
    assert status("check", "--cases", "c.csv") == 2
    assert "bytes; judging needs 12 times as many" in capsys.readouterr().err
