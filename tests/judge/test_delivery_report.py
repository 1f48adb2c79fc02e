"""The report of a delivery: the mistakes with their numbers of cases, the call and the worst element of each case."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.support import delivery_vendor as exact
from tests.support.calls import status
from tests.support.deliveries import edited, judged, without_hashes

pytestmark = pytest.mark.needs("ascend")

Capture = pytest.CaptureFixture[str]


def delivery(folder: Path, *names: str, dtypes: str, number: int) -> list[Any]:
    options = ["--dtypes", dtypes, "--number", str(number), "--seed", "7"]
    assert status("cases", *names, "--tensors", str(folder), *options) == 0
    cases: list[Any] = json.loads((folder / "manifest.json").read_text())["cases"]
    return cases


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The form of GELU is wrong, an output is missing, and a result of 0 holds a large number."""
    path = tmp_path / "d"
    cases = delivery(path, "gelu", "silu", dtypes="float32", number=10)

    def other_form(case: Any, name: str, numbers: Any) -> Any:
        if case["operator"] == "gelu":
            form = "none" if case["attributes"]["approximate"] == "tanh" else "tanh"
            wrong = exact.gelu(_numbers(path, case), form)
            accepted = np.where(abs(numbers) < 1, 1.0005, 1) * numbers  # by the mixed tolerance
            return {"gelu-0001": accepted, "gelu-0002": 1.1 * numbers}.get(case["id"], wrong)
        return numbers

    exact.fill(path, other_form)
    (path / "silu-0002" / "out.npy").unlink()
    x = np.load(path / "silu-0003" / "self.npy")
    x.ravel()[5] = -200.0  # silu is 0
    np.save(path / "silu-0003" / "self.npy", x)
    edited(path, without_hashes)
    out = exact.silu(x.astype(float)).astype(np.float32)
    out.ravel()[5] = 3.0
    np.save(path / "silu-0003" / "out.npy", out)
    assert len(cases) == 20
    return path


def _numbers(folder: Path, case: Any) -> Any:
    (one,) = case["inputs"].values()
    return exact.from_file(np.load(folder / one["file"]), one["dtype"]).astype(float)


def test_the_report_begins_with_the_mistakes_and_ends_with_warnings(folder: Path, capsys: Capture) -> None:
    code, report = judged(folder, "--html", str(folder / "r.html"))
    assert code == 1
    out, page = capsys.readouterr().out, (folder / "r.html").read_text()
    said = [says for case in report["cases"] if case["verdict"] == "REJECTED" for says in case["says"]]
    count = sum(says.startswith("tanh for erf") for says in said)
    assert count > 1
    lines = [
        f"{count} cases of gelu rejected: tanh for erf",
        "1 case of gelu rejected: everything is multiplied by 1.1",
        "1 case of silu rejected: no mistake that actgrad knows",
        "1 case of silu missing",
        "1 case of gelu accepted with a warning: no mistake that actgrad knows",
    ]
    for line in lines:
        assert line in out.splitlines()
        assert 0 < page.index(f"<p>{line}</p>") < page.index("<table>")
    assert out.index("accepted with a warning") < out.index("silu-0003: REJECTED") < out.index("warning: gelu-")
    assert page.index("<h2>Cases that fail</h2>") < page.index("<h2>Warnings about accepted cases</h2>")
    assert page.index("<h2>Warnings about accepted cases</h2>") < page.index("<p>warning: gelu-")


def test_a_failing_case_has_its_call_and_the_inputs_of_its_worst_element(folder: Path, capsys: Capture) -> None:
    report = judged(folder, "--html", str(folder / "r.html"))[1]
    cases = {case["id"]: case for case in report["cases"]}
    manifest = {case["id"]: case for case in json.loads((folder / "manifest.json").read_text())["cases"]}
    for name, case in cases.items():
        assert case["attributes"] == manifest[name]["attributes"]
        shape = manifest[name]["inputs"]["self"]["shape"]
        assert case["inputs"] == {"self": {"dtype": "float32", "shape": shape}}
    page = (folder / "r.html").read_text()
    shape = tuple(manifest["gelu-0002"]["inputs"]["self"]["shape"])
    approximate = manifest["gelu-0002"]["attributes"]["approximate"]
    assert f"<code>gelu(approximate=&#x27;{approximate}&#x27;)</code>, self float32 {shape}" in page
    assert re.search(r"<strong>silu-0002: MISSING</strong>\s*<code>silu\(\)</code>, self float32", page)
    assert cases["silu-0003"]["worst"]["inputs"] == {"self": -200.0}
    assert re.search(r"The worst is out at \([\d, ]+\), self = -200: 3 instead of -0\.", page)
    assert re.search(r"1 of [\d,]+ elements are beyond a standard \(1 by mixed tolerance, .*1 by ULP\)", page)
    assert cases["silu-0003"]["failing by standard"]["mixed tolerance"] == 1
    out = capsys.readouterr().out
    assert re.search(
        r"silu-0003: REJECTED: .*; worst: out at \([\d, ]+\), self = -200: 3 instead of -0; looks like", out
    )
    assert not re.search(r"e\+[3-9]\d", out)  # an error near 0 is more than 1e30 ULP
    assert "&gt; 1e+09" in page


def of_pytorch(case: Any, tensors: list[torch.Tensor]) -> torch.Tensor:
    if case["operator"] == "gelu":
        return torch.nn.functional.gelu(tensors[0], approximate=case["attributes"]["approximate"])
    if case["operator"] == "silu_backward":
        return torch.ops.aten.silu_backward(*tensors)
    active, gate = tensors[0].chunk(2, case["attributes"]["dim"])
    return torch.nn.functional.silu(active) * gate


@pytest.mark.parametrize("name", ["gelu", "silu_backward", "swiglu"])
def test_nan_at_an_infinity_has_a_name(name: str, tmp_path: Path) -> None:
    """PyTorch's own kernels: gelu(-inf) is NaN. The eighth case has every special number."""
    path = tmp_path / "d"
    for case in delivery(path, name, dtypes="float32", number=8):
        files = [np.load(path / one["file"]) for one in case["inputs"].values()]
        result = of_pytorch(case, [torch.from_numpy(array) for array in files]).numpy()
        np.save(path / next(iter(case["outputs"].values()))["file"], result)
    rejected = [case for case in judged(path)[1]["cases"] if case["verdict"] == "REJECTED"]
    assert rejected
    for case in rejected:
        assert case["diagnosis"][0] == "nan-at-infinity"
        assert case["says"][0].startswith("NaN at x = ")
    if name == "gelu":
        assert {case["says"][0] for case in rejected} == {"NaN at x = -inf: the limit there is -0"}
