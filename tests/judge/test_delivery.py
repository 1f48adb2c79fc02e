"""A delivery: made by `actgrad cases --tensors`, filled by a program that knows only NumPy and json, judged."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.judge.delivery import design, drawing, manifest
from actgrad.judge.delivery.summary import SHOWN
from actgrad.judge.power import WRONG
from tests.support import delivery_vendor
from tests.support.calls import status
from tests.support.deliveries import CASES, NAMES, edited, judged

pytestmark = pytest.mark.needs("ascend")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(right_outputs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(right_outputs, tmp_path / "d"))


def test_right_outputs_of_another_program_are_accepted(folder: Path) -> None:
    path = Path(delivery_vendor.__file__)
    assert "actgrad" not in path.read_text()
    for output in folder.glob("*/out.npy"):
        output.unlink()
    subprocess.run([sys.executable, str(path), str(folder)], check=True)
    code, report = judged(folder, "--jobs", "2")
    assert (code, report["verdict"]) == (0, "ACCEPTED")
    assert report["counts"] == {"ACCEPTED": len(NAMES) * CASES, "REJECTED": 0, "MISSING": 0}
    assert not report["surplus"]
    assert not report["weak"]
    assert {tuple(case["power"]) for case in report["cases"]} == {tuple(WRONG)}


def test_the_manifest_is_as_documented(folder: Path) -> None:
    document = json.loads((folder / "manifest.json").read_text())
    assert {**document, "cases": []} == {
        "format": "actgrad-delivery", "version": 1, "seed": 7, "actgrad": actgrad.__version__, "cases": [],
    }  # fmt: skip
    first = document["cases"][0]
    assert list(first) == ["id", "operator", "attributes", "product", "inputs", "outputs", "kind"]
    assert {case["kind"] for case in document["cases"]} <= {*design.KINDS}
    assert first["id"] == "swiglu-0001"
    dtypes = {case["inputs"][next(iter(case["inputs"]))]["dtype"] for case in document["cases"]}
    assert dtypes == {"float16", "bfloat16", "float32"}
    for case in document["cases"]:
        for one in case["inputs"].values():
            array = np.load(folder / one["file"])
            assert array.dtype.name == one["dtype"].replace("bfloat16", "uint16")
            assert list(array.shape) == one["shape"]


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["swiglu", "gelu_backward", "softmax", "elu_backward", "relu", "prelu", "hardtanh"])
def test_drawn_cases_have_size_and_power(name: str) -> None:
    cases = [*drawing.draw(actgrad.operators[name], drawing.DTYPES, 40, 3)]
    again = [*drawing.draw(actgrad.operators[name], drawing.DTYPES, 40, 3)]
    sizes = [prod(next(iter(case.outputs.values())).shape or ()) for case, _ in cases]
    assert sum(size >= 512 for size in sizes) >= 25
    usual = [size for (case, _), size in zip(cases, sizes, strict=True) if not case.special]
    assert not any(size % 64 == 0 for size in usual)
    weak = [case for case, inputs in cases if drawing.weaknesses_of(case.operator, case.attributes, inputs)]
    assert all(case.special for case in weak)
    for (one, inputs), (other, same) in zip(cases, again, strict=True):
        assert one == other
        assert all(inputs[key].tobytes() == same[key].tobytes() for key in inputs)


def test_rejected_and_missing_cases(folder: Path, capsys: Capture) -> None:
    np.save(folder / "gelu_backward-0002" / "grad_input.npy", np.zeros((3, 3), np.uint16))
    (folder / "softmax-0001" / "out.npy").unlink()
    (folder / "notes.txt").write_text("surplus")
    right = np.load(folder / "swiglu-0003" / "out.npy")
    np.save(folder / "swiglu-0003" / "out.npy", 4 * right)
    options = ["--html", str(folder / "r.html"), "--junit", str(folder / "r.xml"), "--state", str(folder / "state")]
    code, report = judged(folder, *options)
    assert code == 1
    verdicts = {case["id"]: case["verdict"] for case in report["cases"] if case["verdict"] != "ACCEPTED"}
    assert verdicts == {"swiglu-0003": "REJECTED", "gelu_backward-0002": "MISSING", "softmax-0001": "MISSING"}
    assert report["surplus"] == ["notes.txt"]
    rejected = next(case for case in report["cases"] if case["id"] == "swiglu-0003")
    assert rejected["diagnosis"] == ["factor"]
    assert rejected["worst"]["output"] == "out"
    out = capsys.readouterr().out
    assert "REJECTED: 29 of 32 cases are accepted, 1 rejected, 2 missing" in out
    assert "multiplied by 4" in out
    suite = ElementTree.parse(folder / "r.xml").getroot()
    assert len(suite.findall(".//testcase")) == 32
    assert [one.get("name") for one in suite.findall(".//testcase[failure]")] == ["swiglu-0003"]
    assert len(suite.findall(".//testcase[error]")) == 2
    text = (folder / "r.html").read_text()
    assert "errors over the position" in text
    assert "multiplied by 4" in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text
    HTMLParser().feed(text)
    assert judged(folder, *options)[1]["surplus"] == ["notes.txt"]  # files of the first run neither


def test_a_manifest_by_hand_needs_few_fields(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32)
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "x.npy", x)
    np.save(tmp_path / "a" / "y.npy", np.where(x > 0, x, np.float32(0.01) * x))
    case = {"operator": "leaky_relu", "inputs": {"self": {"file": "a/x.npy"}}, "outputs": {"out": {"file": "a/y.npy"}}}
    (tmp_path / "manifest.json").write_text(json.dumps({"cases": [case]}))
    code, report = judged(tmp_path)
    assert code == 0
    assert report["cases"][0]["id"] == "leaky_relu-0001"


def test_nothing_of_a_delivery_is_overwritten(folder: Path, capsys: Capture) -> None:
    for option in ("--json", "--html", "--junit", "--state"):
        for name in ("manifest.json", "swiglu-0001/x.npy", "swiglu-0001/out.npy"):
            assert status("check", "--manifest", str(folder), option, str(folder / name)) == 2
    assert status("cases", "swiglu", "--tensors", str(folder)) == 2
    assert "has a manifest already" in capsys.readouterr().err
    assert judged(folder)[0] == 0


def test_options_that_do_not_go_together(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert status("check", "swiglu", "--manifest", str(folder)) == 2
    assert status("check", "--manifest", str(folder), "--exhaustive") == 2
    assert status("check", "--jobs", "2") == 2
    assert status("check", "--manifest", str(tmp_path / "none")) == 2
    assert status("cases", "swiglu", "-o", "a.json", "--tensors", str(tmp_path / "n")) == 2
    assert status("cases", "swiglu", "--tensors", str(tmp_path / "n"), "--dtypes", "int8") == 2
    assert "it takes float32" in capsys.readouterr().err
    assert not (tmp_path / "n").exists()


def test_every_warning_is_in_the_report_and_on_the_page(folder: Path, capsys: Capture) -> None:
    """Results of 16 bits that are 2 ULP too large: the mixed tolerance holds, MERE does not."""
    document = json.loads((folder / "manifest.json").read_text())
    files = [one for case in document["cases"] for one in case["outputs"].values() if one["dtype"] != "float32"]
    files = [one["file"] for one in files if np.prod(one["shape"]) > 400]
    for file in files:
        array = np.load(folder / file)
        bits = array.view(np.uint16)
        np.save(folder / file, np.where((bits & 0x7FFF) < 0x7B00, bits + np.uint16(2), bits).view(array.dtype))
    report = judged(folder, "--html", str(folder / "r.html"))[1]
    warned = [case["id"] for case in report["cases"] if case.get("warnings")]
    assert len(warned) > SHOWN
    page = (folder / "r.html").read_text()
    assert all(f"warning: {name}: " in page for name in warned)
    assert f"{len(warned) - SHOWN} more accepted cases exceed" in capsys.readouterr().out


def test_truncation_gives_a_warning_and_fails_with_all_standards(folder: Path, capsys: Capture) -> None:
    """Half of all elements are beyond actgrad's own bounds, but no published standard fails."""
    edited(folder, lambda d: d.update(cases=[c for c in d["cases"] if c["id"] in ("swiglu-0002", "swiglu-0003")]))
    case = json.loads((folder / "manifest.json").read_text())["cases"][0]
    (right,) = delivery_vendor.results(folder, case)
    bits = delivery_vendor.to_file(right, "bfloat16")
    above = np.abs(delivery_vendor.from_file(bits, "bfloat16").astype(float)) > np.abs(right)
    np.save(folder / case["outputs"]["out"]["file"], bits - above.astype(np.uint16))
    code, report = judged(folder, "--html", str(folder / "r.html"))
    assert code == 0
    assert [bool(one["warnings"]) for one in report["cases"]] == [True, False]
    words = "looks like: truncation for rounding"
    assert re.search(rf"warning: swiglu-0002: out: ULP: .* beyond the bound; {words}", capsys.readouterr().out)
    assert words in (folder / "r.html").read_text()
    for options in (["--strict"], ["--standard", "all"], ["--standard", "ulp"]):
        code, report = judged(folder, *options)
        assert code == 1
        assert [one["verdict"] for one in report["cases"]] == ["REJECTED", "ACCEPTED"]


def test_an_input_that_differs_ends_with_2(folder: Path, capsys: Capture) -> None:
    path = folder / "swiglu-0001" / "x.npy"
    case = json.loads((folder / "manifest.json").read_text())["cases"][0]
    assert case["inputs"]["x"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "sha256" not in case["outputs"]["out"]
    np.save(path, np.ones_like(np.load(path)))  # the same dtype and shape
    assert status("check", "--manifest", str(folder)) == 2
    err = capsys.readouterr().err
    assert re.search(r"case 'swiglu-0001': input x: .*x\.npy: has another SHA-256 than the manifest says", err)
    for sha256, words in (("0", "sha256 is '0'"), (7, "sha256 is 7")):
        edited(folder, lambda d, sha256=sha256: d["cases"][0]["inputs"]["x"].update(sha256=sha256))
        assert status("check", "--manifest", str(folder)) == 2
        assert words in capsys.readouterr().err
    edited(folder, lambda d: d["cases"][0]["inputs"]["x"].pop("sha256"))
    assert judged(folder)[0] == 1


def test_a_manifest_may_name_a_chip(folder: Path) -> None:
    edited(folder, lambda d: d.update(cases=d["cases"][:1]))
    edited(folder, lambda d: d["cases"][0].update(product="Ascend910B3"))
    (case,) = manifest.read(folder)
    assert case.product == "Ascend910B"
    assert judged(folder)[1]["why"] == "1 of 1 case is accepted"


def test_a_manifest_is_at_most_as_large_as_promised(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "MOST_BYTES", 100)
    assert status("check", "--manifest", str(folder)) == 2


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_a_case_file_becomes_a_delivery(suffix: str, tmp_path: Path) -> None:
    file, folder = str(tmp_path / f"c{suffix}"), tmp_path / "d"
    assert status("cases", "leaky_relu", "gelu", "-o", file, "--number", "12", "--largest", "700") == 0
    assert status("check", "--cases", file, "--tensors", str(folder)) == 0
    assert len(manifest.read(folder)) == 24
    edited(folder, lambda d: d.update(cases=[one for one in d["cases"] if "float64" not in str(one)]))
    delivery_vendor.fill(folder)
    code, report = judged(folder)
    assert code == 0, report
    assert not report["weak"]
    assert status("check", "--cases", file, "--tensors", str(folder)) == 2


class Page(HTMLParser):
    """The elements of a page, with the number of tables and pictures that stand in each kind of parent."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, Any]]] = []
        self.elements: list[tuple[str, dict[str, Any], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        parents = [f"{name}.{its.get('class', '')}" for name, its in self.open]
        self.elements.append((tag, attributes, parents))
        if tag not in ("meta", "img", "path"):
            self.open.append((tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "img", "path"):
            assert self.open.pop()[0] == tag

    def named(self, tag: str) -> list[tuple[dict[str, Any], list[str]]]:
        return [(attributes, parents) for name, attributes, parents in self.elements if name == tag]


def test_the_page_stands_on_its_own_and_fits_a_narrow_and_a_dark_screen(folder: Path) -> None:
    for path in sorted(folder.glob("swiglu*/out.npy")):
        numbers = np.load(path)
        np.save(path, np.roll(numbers, 1))
    (folder / "softmax-0001" / "out.npy").unlink()
    report = judged(folder, "--html", str(folder / "r.html"))[1]
    text = (folder / "r.html").read_text()
    page = Page(text)
    assert not page.open, "every element is closed"
    viewports = [attributes["content"] for attributes, _ in page.named("meta") if attributes.get("name") == "viewport"]
    assert viewports == ["width=device-width, initial-scale=1"]
    assert all("div.wide" in parents for _, parents in page.named("table"))
    assert ".wide { overflow-x: auto }" in text
    narrow = text[text.index("@media (max-width: 40rem)") :]
    assert ".wide td { display: block }" in narrow, "a narrow screen stacks the cells"
    head = ["operator", "dtype", "accepted", "rejected", "missing", "worst ULP"]
    titles = [attributes["title"] for attributes, _ in page.named("td")]
    assert titles == head * (len(titles) // len(head))
    assert "@media (prefers-color-scheme: dark)" in text
    assert "color-scheme: light dark" in text
    fixed = [line for line in text.splitlines() if "svg" in line and re.search(r"(fill|stroke)=\"#", line)]
    assert not fixed, "pictures have the colours of the scheme"
    outside = re.findall(r"(?:src|action)=|href=(?!.#)|url\(|@import|<script|<link|https?://", text)
    assert not outside
    failing = [case for case in report["cases"] if case["verdict"] == "REJECTED"]
    articles = re.findall(r"<article id=.*?</article>", text, re.S)
    assert len(articles) == len(failing) + 1
    for case in failing:
        (article,) = [one for one in articles if f"<strong>{case['id']}: " in one]
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", article)
        assert captions == ["errors over x, in ULP", "errors over the position, in ULP"]
        assert "Looks like:" in article
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", article):
            assert 0 <= float(x) <= 340
            assert 0 <= float(y) <= 150
