"""`actgrad check --cases`: cases that fail or cannot be run, damaged files, wrong calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad.judge import backend_cases
from tests.support.calls import status
from tests.support.case_files import BACKWARD, atk_case, results, scalar, statuses, tensor, ttk_text

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# What fails, and what cannot be run


def test_a_case_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    compute = backend_cases.compute

    def wrong(case: Any, backend: str, outputs: Any) -> None:
        compute(case, backend, outputs)
        if outputs[0].dtype == np.float16:
            outputs[0][...] *= np.float16(1.25)

    monkeypatch.setattr(backend_cases, "compute", wrong)
    code, found = results(folder, [atk_case(), atk_case(id=4, inputs=[tensor()])])
    assert code == 1
    assert statuses("r.json") == ["FAIL", "PASS"]
    assert "MERE and MARE" in found[0]["result"]["says"]
    captured = capsys.readouterr()
    assert "1 of 2 cases pass, 1 fail, 0 were not run" in captured.err
    assert "id 3 aclnnSelu" in captured.out


def test_a_refusal_that_is_expected(folder: Path, capsys: Capture) -> None:
    bad = [*BACKWARD["inputs"][:-1], tensor(dtype="fp16")]
    expected = atk_case(**{**BACKWARD, "inputs": bad}, expected_error_msg="161002")
    code, found = results(folder, [expected, atk_case(id=4, expected_error_msg="161002"), atk_case(id=5)])
    assert code == 1
    assert statuses("r.json") == ["PASS", "FAIL", "PASS"]
    assert found[1]["result"]["says"] == "the operator accepted the call; the case expects a refusal"
    code, found = results(folder, [atk_case(**{**BACKWARD, "inputs": bad}), atk_case(id=5)])
    assert code == 0
    assert statuses("r.json") == ["NOT_RUN", "PASS"]
    assert "refused: elu_backward: self_or_result is float16" in found[0]["result"]["says"]


NOT_RUN: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "no such function": (
        lambda: atk_case(aclnn_name="aclnnReloo"),
        "function aclnnReloo is unknown; it must be a function of",
    ),
    "no C name": (lambda: atk_case(aclnn_name=None), "function torch.selu is unknown; it must be a function of"),
    "an input's field": (lambda: atk_case(inputs=[tensor(outlier_values=[1])]), "outlier_values is [1]"),
    "an attribute": (lambda: atk_case(aclnn_name="GeGluV3", inputs=[tensor(), scalar(5, "int64_t", "attr")]), "dim"),
    "a huge shape": (lambda: atk_case(inputs=[tensor(shape=[1 << 40, 1 << 20])]), "are free; use smaller shapes"),
    "complex numbers": (lambda: atk_case(inputs=[tensor(dtype="complex64")]), "check judges real numbers"),
}


@pytest.mark.parametrize("kind", NOT_RUN)
def test_a_case_that_cannot_be_run_says_why(kind: str, folder: Path, capsys: Capture) -> None:
    make, words = NOT_RUN[kind]
    code, found = results(folder, [make(), atk_case(id=9)])
    assert code == 0
    assert statuses("r.json") == ["NOT_RUN", "PASS"]
    assert words in found[0]["result"]["says"]
    assert f"not run: {found[0]['result']['says']}" in capsys.readouterr().err
    Path("r.json").unlink()
    (folder / "c.json").write_text(json.dumps([make()]))
    assert status("check", "--cases", "c.json", "--results", "r.json") == 2
    assert "at least one must be" in capsys.readouterr().err
    assert not Path("r.json").exists()


def test_ttk_cases_that_are_not_run(folder: Path, capsys: Capture) -> None:
    header, row = ttk_text(is_enabled="", manual_tensor_binaries="", luck="").splitlines()
    off, files = row.replace('"","",""', '"False","",""'), row.replace('"","",""', '"","(\'x.bin\',)",""')
    Path("c.csv").write_text("\n".join([header, row, off, files]))
    assert status("check", "--cases", "c.csv", "--results", "r.csv") == 0
    assert statuses("r.csv") == ["PASS", "NOT_RUN", "NOT_RUN"]
    err = capsys.readouterr().err
    assert "is_enabled is False" in err
    assert "manual_tensor_binaries names files, which actgrad does not read" in err
    assert "column 'luck' is unknown (in 3 of 3 cases)" in err


# Damaged files

DAMAGED_ATK: dict[str, tuple[Any, str]] = {
    "truncated": (json.dumps([atk_case()])[:-9], "c.json: is not JSON"),
    "nothing": ("", "c.json: is not JSON"),
    "deep": ("[" * 100_000, "c.json: is not JSON"),
    "no list": ({"cases": []}, "an ATK file must be a list of cases"),
    "an empty list": ([], "an ATK file must be a list of cases"),
    "no object": ([atk_case(), 7], "case 1: is 7; a case must be an object"),
    "no inputs": ([atk_case(inputs=None)], "case 0 (id 3): inputs is None"),
    "an input": ([atk_case(inputs=[3])], "inputs is [3]"),
    "too many": ([atk_case(inputs=[tensor()] * 2)], "inputs has 2 parameters; aclnnSelu takes self"),
    "another kind": ([atk_case(inputs=[scalar(1)])], "type of self is 'scalar'; aclnnSelu takes a Tensor"),
    "NaN for a size": ([atk_case(inputs=[tensor(shape=[3, float("nan")])])], "(id 3): self: shape is [3, nan]"),
    "a negative size": ([atk_case(inputs=[tensor(shape=[-1])])], "self: shape is [-1]"),
    "a true size": ([atk_case(inputs=[tensor(shape=[True])])], "self: shape is [True]"),
    "a size beyond all": ([atk_case(inputs=[tensor(shape=[1 << 70])])], "self: shape is [118"),
    "no shape": ([atk_case(inputs=[tensor(shape=None)])], "self: shape is None"),
    "40 dimensions": ([atk_case(inputs=[tensor(shape=[1] * 40)])], "self: shape has 40 dimensions"),
    "a dtype": ([atk_case(inputs=[tensor(dtype="fp31")])], "self: dtype is 'fp31'"),
    "a dtype of another type": ([atk_case(inputs=[tensor(dtype=["fp32"])])], "self: dtype is ['fp32']"),
    "a range": ([atk_case(inputs=[tensor(range_values=[5, -5])])], "self: range_values is from 5.0 to -5.0"),
    "an open range": ([atk_case(inputs=[tensor(range_values=[0, "inf"])])], "range_values is from 0.0 to inf"),
    "a range of words": ([atk_case(inputs=[tensor(range_values=["a", "b"])])], "range_values is ['a', 'b']"),
    "three ends": ([atk_case(inputs=[tensor(range_values=[1, 2, 3])])], "range_values is [1, 2, 3]"),
    "a distribution": ([atk_case(inputs=[tensor(range_values={"name": "poisson"})])], "a distribution must be nd"),
    "a deviation": ([atk_case(inputs=[tensor(range_values={"name": "nd", "mean": 0, "std": -1})])], "std is -1"),
    "a flag": ([atk_case(**{**BACKWARD, "inputs": [*BACKWARD["inputs"][:4], scalar(2, "bool", "attr"), tensor()]})],
               "isResult: range_values is 2; it must be true or false"),
    "an escape": ([atk_case(aclnn_name=["\x1b[31m"])], "aclnn_name is ['\\x1b[31m']"),
}  # fmt: skip
DAMAGED_TTK = {
    "nothing": ("", "api_name, tensor_view_shapes, tensor_dtypes must be among them"),
    "wrong columns": ("op_name,input_shapes\nadd,((2,),)\n", "op_name, input_shapes, input_dtypes must be among them"),
    "only a header": (ttk_text().splitlines()[0], "has only a header; it must have cases"),
    "a column twice": ("api_name,api_name,tensor_view_shapes,tensor_dtypes\na,b,c,d\n", "column 'api_name' occurs"),
    "a truncated row": (ttk_text()[:-40], "c.csv: is not CSV"),
    "a cell too few": (ttk_text().rpartition(',"')[0], "row 2: has 4 cells; it must have 5, as many as the header"),
    "no literal": (ttk_text(tensor_view_shapes="((2, 3)"), "row 2 ('t'): tensor_view_shapes is '((2, 3)'"),
    "a call": (ttk_text(tensor_view_shapes="__import__('os').getcwd()"), "it must be a Python literal"),
    "NaN for a size": (ttk_text(tensor_view_shapes="((2, 'nan'), (2, 3))"), "tensor_view_shapes of self is (2, 'nan')"),
    "a negative size": (ttk_text(tensor_view_shapes="((2, -3), (2, 3))"), "tensor_view_shapes of self is (2, -3)"),
    "a list of tensors": (ttk_text(tensor_view_shapes="(((2,), (3,)), (2, 3))"), "tensor_view_shapes of self"),
    "too many tensors": (ttk_text(tensor_view_shapes="((2,), (2,), (2,))"), "has 3 shapes; aclnnElu has self, out"),
    "a dtype": (ttk_text(tensor_dtypes="('float31',)"), "tensor_dtypes of self is 'float31'"),
    "an attribute": (ttk_text(attributes="{'beta': 1}"), "attributes: 'beta' is unknown; aclnnElu has "),
    "attributes": (ttk_text(attributes="7"), "attributes is 7; it must be names with values"),
    "a number": (ttk_text(attributes="{'alpha': 'x'}"), "attributes: alpha is 'x'; it must be a number"),
    "an output": (ttk_text(output_tensor_indexes="(0,)"), "output_tensor_indexes is (0,); the function's outputs are"),
    "an output beyond": (ttk_text(output_tensor_indexes="(5,)"), "output_tensor_indexes is (5,); it must be positions"),
    "a range": (ttk_text(input_data_ranges="((5, 1),)"), "input_data_ranges is from 5.0 to 1.0"),
    "half a range": (ttk_text(input_data_ranges="((5,),)"), "input_data_ranges has (5,); it must be (LOW, HIGH)"),
    "a range of words": (ttk_text(input_data_ranges="(('a', 'b'),)"), "('a', 'b'); all must be numbers"),
    "an offset": (ttk_text(tensor_view_offsets="(-1, 0)"), "tensor_view_offsets of self is -1"),
    "strides": (ttk_text(tensor_view_strides="((-1, 1), (3, 1))"), "tensor_view_strides of self is (-1, 1)"),
}  # fmt: skip
DAMAGED = [*((".json", k, *v) for k, v in DAMAGED_ATK.items()), *((".csv", k, *v) for k, v in DAMAGED_TTK.items())]


@pytest.mark.parametrize(("suffix", "kind", "content", "words"), DAMAGED, ids=[f"{s}-{k}" for s, k, *_ in DAMAGED])
def test_damaged_files_end_with_2_and_leave_nothing(
    suffix: str, kind: str, content: Any, words: str, folder: Path, capsys: Capture
) -> None:
    file = Path("c" + suffix)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    assert status("check", "--cases", str(file), "--results", "r" + suffix) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert "\x1b[31m" not in captured.err
    assert captured.out == ""
    assert [p.name for p in folder.iterdir()] == [file.name]


def test_a_view_that_leaves_its_storage_is_not_run(folder: Path, capsys: Capture) -> None:
    cells = {"tensor_view_strides": "((100, 1), (3, 1))", "tensor_storage_shapes": "((50,), (6,))"}
    Path("c.csv").write_text(ttk_text(**cells))
    assert status("check", "--cases", "c.csv") == 2
    err = capsys.readouterr().err
    assert "at least one must be" in err


WRONG = {
    "no such file": (["check", "--cases", "gone.json"], "gone.json: no such file"),
    "a folder": (["check", "--cases", "sub.json"], "sub.json: is a folder; it must be a file"),
    "no such format": (["check", "--cases", "c.xlsx"], "c.xlsx: has the suffix .xlsx; it must be .json (ATK)"),
    "no text": (["check", "--cases", "bytes.json"], "it must be text in UTF-8"),
    "an operator": (["check", "elu", "--cases", "c.json"], "--cases: got 1 operator too; the file must name the"),
    "two modes": (["check", "--cases", "c.json", "--exhaustive"], "--cases and --exhaustive cannot be combined"),
    "a dtype": (["check", "--cases", "c.json", "--dtype", "float32"], "--dtype and --cases cannot be combined"),
    "results alone": (["check", "--results", "r.json"], "--results is given without --cases; it needs --cases"),
    "results of another format": (["check", "--cases", "c.json", "--results", "r.csv"], "it must be .json, the suffix"),
    "results over the cases": (["check", "--cases", "c.json", "--results", "./c.json"], "c.json: is the input c.json"),
    "results nowhere": (["check", "--cases", "c.json", "--results", "gone/r.json"], "gone/r.json: no such folder"),
    "cases of nothing": (["cases", "-o", "x.json"], "OPERATOR is missing; it is required"),
    "cases of no operator": (["cases", "eluu", "-o", "x.json"], "OPERATOR: 'eluu' is unknown"),
    "cases to nowhere": (["cases", "elu"], "there is nothing to do; one of these must be there: -o --tensors; add one"),
    "cases to no format": (["cases", "elu", "-o", "x.txt"], "x.txt: has the suffix .txt; it must be .json (ATK)"),
    "cases to another format": (["cases", "elu", "-o", "x.json", "--format", "ttk"], "--format is ttk; .json is the"),
    "no cases": (["cases", "elu", "-o", "x.json", "--number", "0"], "it must be a whole number from 1"),
    "no such standard": (["cases", "elu", "-o", "x.json", "--standard", "v9"], "--standard v9 is unknown"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_calls_end_with_2(kind: str, folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([atk_case()]))
    Path("bytes.json").write_bytes(b"\xff\xfe\x00[")
    Path("sub.json").mkdir()
    before = sorted(p.name for p in folder.iterdir())
    arguments, words = WRONG[kind]
    assert status(*arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert sorted(p.name for p in folder.iterdir()) == before


def test_a_file_that_cannot_be_written_is_an_error(folder: Path, capsys: Capture) -> None:
    assert status("cases", "elu", "-o", "gone/x.json") == 2
    assert "-o gone/x.json: no such folder" in capsys.readouterr().err
