"""Profiles, waivers, comparisons of reports, reproducers, and operators of one's own."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import actgrad
from actgrad import aten
from actgrad.judge import judge
from tests.support import delivery_vendor
from tests.support.calls import status
from tests.support.deliveries import judged

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
