"""`actgrad check --cases cases.yaml`: tasks in the format of cann-bench."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.ascend.cases import case_files, execution
from actgrad.judge.files.sizes import UnreadableFile
from tests.support.calls import status

yaml = pytest.importorskip("yaml")
Capture = pytest.CaptureFixture[str]

PROTO = """
operator:
  name: DequantSwigluQuant
  inputs:
  - {name: x, dtype: [int32, float16]}
  - {name: weight_scale, dtype: [float32], required: false}
  - {name: activation_scale, dtype: [float32], required: false}
  - {name: quant_scale, dtype: [float32], required: false}
"""


def task(folder: Path, cases: list[dict[str, Any]], proto: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cases.yaml").write_text(yaml.safe_dump({"cases": cases}, sort_keys=False))
    if proto:
        (folder / "proto.yaml").write_text(proto)
    return folder / "cases.yaml"


def case(operator: str, number: int = 1, **fields: Any) -> dict[str, Any]:
    entry = {"operator": operator, "case_id": number, "input_shape": [[6, 32]], "dtype": ["float16"], "attrs": {}}
    return {**entry, "value_range": [-2, 2], "note": "a note", **fields}


def test_cases_are_judged_and_results_are_written(tmp_path: Path, capsys: Capture) -> None:
    path = task(
        tmp_path / "t",
        [
            case("Gelu", 1, attrs={"approximate": "tanh"}),
            case("SwiGlu", 2, attrs={"dim": -1}, dtype=["float32"]),
            case("dynamic_quant", 3, attrs=None),
            case("Exp", 4),
            case("Mish", 5, attrs={"beta": 1.0}),
        ],
    )
    results = tmp_path / "judged.yaml"
    assert status("check", "--cases", str(path), "--results", str(results)) == 0
    entries = yaml.safe_load(results.read_text())["cases"]
    verdicts = [entry["result"]["precision_status"] for entry in entries]
    assert verdicts == ["PASS", "PASS", "PASS", "NOT_RUN", "NOT_RUN"]
    said = capsys.readouterr().err
    assert "operator Exp is unknown" in said
    assert "attrs: 'beta' is unknown; mish of actgrad has no attributes" in said
    assert case_files.read(results)[0].notes == ()  # the results can be read again


def test_inputs_have_the_order_of_the_interface(tmp_path: Path) -> None:
    """The interface has no bias, which stands before quant_scale in our schema. null leaves a tensor out."""
    shapes = [[4, 64], [1, 64], None, [1, 32]]
    dtypes = ["int32", "float32", None, "float32"]
    ranges = [[-128, 127], [-0.1, 0.1], None, [0.5, 2]]
    fields = {"input_shape": shapes, "dtype": dtypes, "value_range": ranges}
    path = task(tmp_path / "t", [case("DequantSwigluQuant", **fields)], PROTO)
    (one,) = case_files.read(path)
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in one.inputs.items()} == {
        "x": ("int32", (4, 64)),
        "weight_scale": ("float32", (1, 64)),
        "quant_scale": ("float32", (1, 32)),
    }
    operator, attributes, tensors, outputs = execution.draw(one, 0)
    scale = dict(zip(operator.schema.tensor_names, tensors, strict=True))["quant_scale"]
    assert scale is not None
    assert 0.5 <= scale.min() < scale.max() <= 2
    assert attributes["quant_mode"] == 1  # the task computes a scale for each row
    assert [output.shape for output in outputs] == [(4, 32), (4,)]


def test_an_input_with_another_name_is_the_next_required_tensor(tmp_path: Path) -> None:
    proto = "operator: {inputs: [{name: input}]}"
    (one,) = case_files.read(task(tmp_path / "t", [case("SwiGlu")], proto))
    assert list(one.inputs) == ["x"]
    proto = "operator: {inputs: [{name: input}, {name: another}]}"
    (one,) = case_files.read(task(tmp_path / "u", [case("SwiGlu", input_shape=[[4], [4]])], proto))
    assert "has the input 'another'; swiglu of actgrad has x" in one.problem


@pytest.mark.parametrize("low", [".nan", "nan", "-.inf", "-inf"])
def test_special_numbers(low: str, tmp_path: Path) -> None:
    high = low.removeprefix("-")
    path = task(tmp_path / "t", [case("Gelu", input_shape=[[100, 100]], value_range=["LOW", "HIGH"])])
    path.write_text(path.read_text().replace("LOW", low).replace("HIGH", high))
    (one,) = case_files.read(path)
    x = execution.draw(one, 0)[2][0]
    assert x is not None
    x = x.astype(np.float64).ravel()
    if "nan" in low:
        assert 0.45 < np.isnan(x).mean() < 0.55
    else:
        assert (x[:500] == -math.inf).all()
        assert (x[-500:] == math.inf).all()
        assert np.isinf(x).sum() == 1000
    rest = x[np.isfinite(x)]
    assert -1 <= rest.min() < -0.9
    assert 0.9 < rest.max() <= 1


def test_without_a_range(tmp_path: Path) -> None:
    path = task(tmp_path / "t", [case("Gelu", value_range=None), case("LeakyRelu", value_range=[[3, 3]])])
    numbers = [execution.draw(one, 0)[2][0] for one in case_files.read(path)]
    assert numbers[0] is not None
    assert 0 <= numbers[0].min() < numbers[0].max() <= 1
    assert (numbers[1] == 3).all()


def test_a_delivery_of_the_cases(tmp_path: Path) -> None:
    path = task(tmp_path / "t", [case("Gelu"), case("Softmax", 2, attrs={"dim": 0})])
    folder = tmp_path / "d"
    assert status("check", "--cases", str(path), "--tensors", str(folder)) == 0
    for one in json.loads((folder / "manifest.json").read_text())["cases"]:
        x = np.load(folder / one["inputs"]["self"]["file"])
        attributes = {name: value for name, value in one["attributes"].items() if value is not None}
        np.save(folder / one["outputs"]["out"]["file"], getattr(actgrad, one["operator"])(x, **attributes))
    assert status("check", "--manifest", str(folder), "--jobs", "1") == 0


FAULTS: dict[str, tuple[str, str]] = {
    "no YAML": ("cases: [", "is not YAML"),
    "a text": ("hello", "it is 'hello'; it must be a list of cases"),
    "no cases": ("cases: []", "it must be a list of cases"),
    "a case that is a number": ("cases: [3]", "case 0: is 3; it must be an object"),
    "no operator": ("cases: [{case_id: 1, input_shape: [[1]], dtype: [float16]}]", "has no operator"),
    "a shape that is none": (
        "cases: [{operator: Gelu, case_id: 1, input_shape: [[a]], dtype: [float16]}]",
        "case 1: input_shape of self",
    ),
    "a dtype that is none": (
        "cases: [{operator: Gelu, case_id: 1, input_shape: [[4]], dtype: [float17]}]",
        "case 1: dtype of self is 'float17'",
    ),
    "too many inputs": (
        "cases: [{operator: Gelu, case_id: 1, input_shape: [[4], [4]], dtype: [float16]}]",
        "input_shape has 2 shapes; gelu has self",
    ),
    "a range in the wrong order": (
        "cases: [{operator: Gelu, case_id: 1, input_shape: [[4]], dtype: [float16], value_range: [2, 1]}]",
        "value_range is from 2.0 to 1.0",
    ),
    "an attribute of another type": (
        "cases: [{operator: Softmax, case_id: 1, input_shape: [[4]], dtype: [float16], attrs: {dim: x}}]",
        "attrs: dim is 'x'; it must be an integer",
    ),
    "an alias": ("cases: &a [*a]", "has an alias"),
    "a Python object": ("cases: !!python/object/apply:os.system ['true']", "is not YAML"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_damaged_file_is_named(kind: str, tmp_path: Path, capsys: Capture) -> None:
    text, words = FAULTS[kind]
    path = tmp_path / "cases.yaml"
    path.write_text(text)
    with pytest.raises(UnreadableFile) as error:
        case_files.read(path)
    assert str(path) in str(error.value)
    assert words in str(error.value)
    assert status("check", "--cases", str(path)) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_damaged_interface_is_named(tmp_path: Path) -> None:
    path = task(tmp_path / "t", [case("Gelu")], "operator: {inputs: 3}")
    with pytest.raises(UnreadableFile, match=r"proto\.yaml: operator\.inputs is 3; it must be a list"):
        case_files.read(path)


def test_a_list_of_tensors_cannot_run(tmp_path: Path) -> None:
    (one,) = case_files.read(task(tmp_path / "t", [case("Gelu", input_shape=[[[4], [4]]])]))
    assert "input_shape has a list of tensors" in one.problem


def test_cases_are_not_written_in_this_format(tmp_path: Path, capsys: Capture) -> None:
    assert status("cases", "gelu", "-o", str(tmp_path / "a.yaml")) == 2
    assert "name a .json or a .csv" in capsys.readouterr().err
