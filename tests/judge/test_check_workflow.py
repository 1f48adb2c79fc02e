"""Profiles, waivers, comparisons of reports, reproducers, and operators of one's own."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
from actgrad import aten
from actgrad.calls.operator import REGISTRY
from actgrad.judge import bound, judge, standards
from tests.support import delivery_vendor
from tests.support.calls import status
from tests.support.deliveries import edited, judged

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "d"
    assert status("cases", "silu", "relu", "--tensors", str(path), "--dtypes", "float32", "--number", "9") == 0
    delivery_vendor.fill(path)
    return path


def spoil(folder: Path, case: str, change: Any) -> None:
    path = folder / case / "out.npy"
    np.save(path, change(np.load(path)))


def entry(report: Any, case: str) -> Any:
    return next(one for one in report["cases"] if one["id"] == case)


@pytest.mark.needs("ascend")
def test_waived_cases_are_counted_and_listed(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    spoil(folder, "relu-0001", lambda out: 4 * out)
    assert judged(folder)[0] == 1
    waivers = tmp_path / "waivers.json"
    one = {"operator": "relu", "kind": "factor", "reason": "known fault 17", "until": "2999-12-31"}
    waivers.write_text(json.dumps([one]))
    capsys.readouterr()
    code, report = judged(folder, "--waivers", str(waivers), "--junit", str(tmp_path / "j.xml"))
    assert (code, report["verdict"]) == (0, "ACCEPTED")
    assert report["counts"] == {"ACCEPTED": 17, "REJECTED": 0, "MISSING": 0, "WAIVED": 1}
    assert entry(report, "relu-0001")["verdict"] == "WAIVED"
    out = capsys.readouterr().out
    assert "waived: relu-0001: relu factor until 2999-12-31: known fault 17" in out
    assert "1 waived" in out
    assert len(ElementTree.parse(tmp_path / "j.xml").getroot().findall(".//skipped")) == 1
    for change in ({"until": "2001-01-01"}, {"kind": "sign"}, {"operator": "silu"}):
        waivers.write_text(json.dumps([one | change]))
        assert judged(folder, "--waivers", str(waivers))[0] == 1
    for change, words in (
        ({"until": "soon"}, "until is 'soon'; it must be a day"),
        ({"operator": "rellu"}, "operator is 'rellu'"),
        ({"reason": ""}, "reason is ''"),
        ({"why": "x"}, "unknown field 'why'"),
    ):
        waivers.write_text(json.dumps([one | change]))
        assert status("check", "--manifest", str(folder), "--waivers", str(waivers)) == 2
        assert words in capsys.readouterr().err


@pytest.mark.needs("ascend")
def test_reports_are_compared(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    spoil(folder, "relu-0001", lambda out: 4 * out)
    spoil(folder, "relu-0002", lambda out: 4 * out)
    assert judged(folder)[0] == 1
    (folder / "report.json").rename(old)
    spoil(folder, "relu-0001", lambda out: out / 4)
    spoil(folder, "silu-0003", lambda out: -out)
    assert judged(folder)[0] == 1
    (folder / "report.json").rename(new)
    capsys.readouterr()
    assert status("check", "--compare", str(old), str(new), "--json", str(tmp_path / "c.json")) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "WORSE: 1 fixed, 1 broken, 1 still open"
    document = json.loads((tmp_path / "c.json").read_text())
    ids = {name: [one["id"] for one in document[name]] for name in ("fixed", "broken", "still open")}
    assert ids == {"fixed": ["relu-0001"], "broken": ["silu-0003"], "still open": ["relu-0002"]}
    assert status("check", "--compare", str(new), str(new)) == 0
    assert status("check", "--compare", str(new), str(folder / "manifest.json")) == 2
    assert "format must be actgrad-delivery-report" in capsys.readouterr().err.replace("its ", "")


def report_of(verdicts: dict[str, Any], **facts: Any) -> str:
    cases = [{"id": name, **(case if isinstance(case, dict) else {"verdict": case})} for name, case in verdicts.items()]
    return json.dumps({"format": "actgrad-delivery-report", "actgrad": "0.4", **facts, "cases": cases})


def test_what_cannot_be_compared_is_refused_and_other_settings_are_said(tmp_path: Path, capsys: Capture) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(report_of({"a": "ACCEPTED", "b": "REJECTED"}))
    twice = report_of({"a": "ACCEPTED"}).replace('"cases": [', '"cases": [{"id": "a", "verdict": "ACCEPTED"}, ')
    for text, words in (
        (report_of({"c": "ACCEPTED"}), "no case in common"),
        (report_of({}), "has no case"),
        (report_of({"a": "accepted"}), "case 0 is damaged"),
        (report_of({"a": {"verdict": "REJECTED", "says": 5}}), "case 0 is damaged"),
        (report_of({"a": {"verdict": ["REJECTED"]}}), "case 0 is damaged"),
        (twice, "has the id 'a' of another case"),
        ('{"format": "actgrad-delivery-report", "cases": {"a": 1}}', "has no case"),
    ):
        new.write_text(text)
        assert status("check", "--compare", str(old), str(new)) == 2
        assert words in capsys.readouterr().err
    new.write_text(report_of({"b": "ACCEPTED", "c": "REJECTED"}, profile="pytorch"))
    assert status("check", "--compare", str(old), str(new)) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == "NOT WORSE: 1 fixed, 0 broken, 0 still open, 1 new, 1 gone"
    assert "differ in profile: not stated in the old report, pytorch in the new one" in said.err


@pytest.mark.needs("ascend")
def test_a_failing_case_has_a_command_and_a_script_of_numpy_only(folder: Path, tmp_path: Path) -> None:
    spoil(folder, "silu-0002", lambda out: -out)
    again = entry(judged(folder, "--html", str(tmp_path / "r.html"))[1], "silu-0002")["reproduce"]
    assert again["command"] == f"actgrad check --manifest {folder} --case silu-0002"
    assert status(*again["command"].split()[1:]) == 1
    assert status("check", "--manifest", str(folder), "--case", "silu-0001") == 0
    assert status("check", "--manifest", str(folder), "--case", "silu") == 2
    script = again["script"]
    assert "actgrad" not in script
    run = [sys.executable, "-c", script]
    assert subprocess.run(run, cwd=folder, check=False, capture_output=True).returncode == 1
    spoil(folder, "silu-0002", lambda out: -out)
    assert subprocess.run(run, cwd=folder, check=False, capture_output=True).returncode == 0
    page = (tmp_path / "r.html").read_text()
    assert "<summary>Reproduce</summary>" in page
    assert '<a href="#fails-silu">silu</a>' in page
    assert 'id="fails-silu"' in page


@pytest.mark.needs("ascend")
def test_junit_has_times(folder: Path, tmp_path: Path) -> None:
    judged(folder, "--junit", str(tmp_path / "j.xml"))
    times = [one.get("time") for one in ElementTree.parse(tmp_path / "j.xml").getroot().findall(".//testcase")]
    assert len(times) == 18
    assert all(float(time) >= 0 for time in times if time is not None)
    assert None not in times


def of_pytorch(name: str, attributes: dict[str, Any], *inputs: np.ndarray) -> list[np.ndarray]:
    return [*aten.results(torch, actgrad.operators[name], inputs, attributes)]


def test_the_profile_pytorch_takes_infinities_and_jumps_as_aten() -> None:
    x = np.array([-np.inf, np.inf, np.nan, 0.0, 1.0, -1.0, 3.0] * 9, np.float32)
    for name, attributes, inputs in (
        ("gelu", {"approximate": "none"}, (x,)),
        ("silu", {}, (x,)),
        ("hardtanh_backward", {"min_val": -1.0, "max_val": 1.0}, (np.ones_like(x), x)),
        ("mish", {}, (x,)),
    ):
        operator, out = actgrad.operators[name], of_pytorch(name, attributes, *inputs)
        verdict = judge(operator, attributes, list(inputs), out, profile="pytorch")
        assert verdict.holds, (name, verdict.sentences(lambda one: one.is_broken))
        wrong = [np.where(np.isfinite(x) & (x == 3), np.float32(7), out[0])]
        assert not judge(operator, attributes, list(inputs), wrong, profile="pytorch").holds
    out = of_pytorch("gelu", {"approximate": "none"}, x)
    assert np.isnan(out[0][0])
    assert not judge(actgrad.gelu, {}, [x], out).holds
    assert judge(actgrad.gelu, {}, [x], out, profile="ieee").holds
    assert not judge(actgrad.relu6, {}, [x], [np.where(np.isinf(x), np.nan, np.clip(x, 0, 6))], profile="ieee").holds


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_the_profile_pytorch_takes_a_gradient_from_a_sigmoid_in_16_bits(dtype: Any) -> None:
    """aten stores the sigmoid of GLU's gradient: 1 - sigmoid(x) is 0 for large x."""
    rng = np.random.default_rng(3)
    x, g = rng.normal(0, 4, (8, 200)).astype(dtype), rng.normal(0, 900, (8, 100)).astype(dtype)
    out, ours = of_pytorch("glu_backward", {"dim": -1}, g, x), [actgrad.glu_backward(g, x)]
    assert not judge(actgrad.glu_backward, {}, [g, x], out).holds
    for right in (out, ours):
        assert judge(actgrad.glu_backward, {}, [g, x], right, profile="pytorch", strict=True).holds
    for wrong in (np.zeros_like(ours[0]), ours[0] * dtype(1.125)):
        assert not judge(actgrad.glu_backward, {}, [g, x], [wrong], profile="pytorch").holds


def test_operators_of_a_file(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "own_operators_of_a_test.py"
    file.write_text(
        "from actgrad import Operator\n\n\n"
        "def doubled_formula(x):\n    return 2.0 * x\n\n\n"
        'doubled_for_a_test = Operator("doubled_for_a_test(Tensor self) -> Tensor out", summary="2 * x", '
        "formula=doubled_formula)\n"
    )
    x = np.linspace(-3, 3, 600, dtype=np.float32).reshape(20, 30)
    folder = tmp_path / "d"
    (folder / "a").mkdir(parents=True)
    np.save(folder / "a" / "self.npy", x)
    np.save(folder / "a" / "out.npy", 2 * x)
    case = {"id": "a", "operator": "doubled_for_a_test"}
    (folder / "manifest.json").write_text(json.dumps({"cases": [case]}))
    code = (
        "import sys; from actgrad.cli.main import main; "
        f"sys.exit(main(['check', '--manifest', {str(folder)!r}, '--operators', {str(file)!r}, '--jobs', '2']))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = code.replace(f"'--manifest', {str(folder)!r}", "'doubled_for_a_test', '--dtype', 'float32'").replace(
        ", '--jobs', '2'", ""
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    (tmp_path / "none.py").write_text("x = 1\n")
    assert status("check", "relu", "--operators", str(tmp_path / "none.py")) == 2
    assert "defines no operator" in capsys.readouterr().err


@pytest.fixture
def own() -> Iterator[actgrad.Operator]:
    """An operator of one's own, whose kernel is right within 3 ULP of float32, but not within half an ULP."""
    operator = actgrad.Operator(
        "doubled_of_workflow(Tensor self) -> Tensor out", summary="2 * x", formula=doubled_of_workflow_formula
    )
    yield operator
    REGISTRY.pop(operator.name)
    standards._own.clear()


def doubled_of_workflow_formula(x):  # type: ignore[no-untyped-def]
    """2 * x"""
    return 2.0 * x


def test_an_own_bound_replaces_ours(own: actgrad.Operator) -> None:
    x = np.linspace(1, 2, 1000, dtype=np.float32)
    out = np.nextafter(2 * x, np.float32(9))
    for _ in range(6):
        out = np.nextafter(out, np.float32(9))
    assert not judge(own, {}, [x], [out], strict=True).holds  # 7 ULP, of 4.5
    bound(own, float32=7.5)
    assert judge(own, {}, [x], [out], strict=True).holds
    assert not judge(own, {}, [x], [np.nextafter(out, np.float32(9))], strict=True).holds  # 8 ULP
    bound(own, float32=0.5)
    assert judge(own, {}, [x], [2 * x], strict=True).holds
    assert not judge(own, {}, [x], [np.nextafter(2 * x, np.float32(9))], strict=True).holds


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"float33": 3}, "a dtype must be"), ({"int8": 3}, "a dtype must be"), ({"float32": 0.4}, "from 0.5"),
     ({"float32": float("nan")}, "from 0.5"), ({"float32": True}, "from 0.5"), ({"float32": "3"}, "from 0.5")],
)  # fmt: skip
def test_a_bound_that_is_none_is_refused(own: actgrad.Operator, changed: Any, words: str) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=words):
        bound(own, **changed)
    with pytest.raises(actgrad.InvalidArgument, match="its bounds are fixed"):
        bound(actgrad.gelu, float32=100)


@pytest.mark.needs("ascend")
def test_a_delivery_with_an_empty_cell_is_not_called_complete(tmp_path: Path, capsys: Capture) -> None:
    for name, options, expected in (("a", [], "complete: "), ("b", ["--number", "4"], "INCOMPLETE: ")):
        folder = tmp_path / name
        assert status("cases", "leaky_relu", "--tensors", str(folder), "--dtypes", "float32", *options) == 0
        delivery_vendor.fill(folder)
        code, report = judged(folder, "--html", str(tmp_path / "page.html"))
        assert code == 0
        says = report["coverage"]["says"]
        assert says.startswith(expected)
        assert report["coverage"]["complete"] == (expected == "complete: ")
        assert bool(report["coverage"]["empty"]) != report["coverage"]["complete"]
        assert f"coverage: {says}" in " ".join(capsys.readouterr().out.split())
        assert says.partition(" (")[0] in (tmp_path / "page.html").read_text()
    first = report["cases"][0]["id"]
    assert "coverage" not in judged(folder, "--case", first)[1]  # a choice of cases says nothing about the delivery
    edited(folder, lambda d: [case.pop("kind") for case in d["cases"]])
    assert "no case of the manifest has a kind" in judged(folder)[1]["coverage"]["says"]


@pytest.mark.needs("ascend")
def test_cases_of_a_file_have_a_table_of_their_kinds(tmp_path: Path, capsys: Capture) -> None:
    assert status("cases", "elu_backward", "-o", str(tmp_path / "a.json")) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "uniform normal empty one zeros bounds tail inf -inf nan cascade" in out
    assert "complete: each of 33 cells" in out
    assert status("cases", "elu_backward", "clipped_swiglu", "-o", str(tmp_path / "b.json"), "--number", "5") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "INCOMPLETE: " in out
    assert "clipped_swiglu float16 uniform with group_index" in out or "! 0" in out
