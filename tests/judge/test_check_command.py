"""`actgrad check`: exit status, printed and written reports, escaped file names."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.judge.report import page
from actgrad.judge.standards import NAMES, ONLY_IF_NAMED, STANDARDS
from tests.support.calls import status

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with inputs, a right and a wrong output of elu_backward(alpha=1.3), in which the test runs."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    g, x = rng.standard_normal((2, 40, 50)).astype(np.float32)
    x[0, :9] = 0
    out = actgrad.elu_backward(g, x, alpha=1.3)
    np.save("g.npy", g)
    np.save("x.npy", x)
    np.save("right.npy", out)
    np.save("wrong.npy", np.where(x == 0, g, out))
    return tmp_path


GIVEN = ["check", "elu_backward", "--inputs", "g.npy", "x.npy", "--attr", "alpha=1.3", "--actual"]


# Files of others


def test_a_right_file(folder: Path, capsys: Capture) -> None:
    assert status(*GIVEN, "right.npy") == 0
    out = capsys.readouterr().out
    assert "FAILS" not in out
    assert "looks like" not in out
    for standard in (s for s in STANDARDS.values() if "float32" in s.limits):
        assert re.search(rf"{standard.title}\s+holds", out)


def test_a_wrong_file_says_what_where_and_why(folder: Path, capsys: Capture) -> None:
    assert status(*GIVEN, "wrong.npy") == 1
    captured = capsys.readouterr()
    assert "grad_input: 9 of 2,000 elements fail" in captured.out
    assert re.search(r"x = 0\s+9\s+9\s+100%", captured.out)
    assert "wrong branch at 0" in captured.out
    assert "0, 8" in captured.out  # the index of a failing element
    assert "elu_backward" in captured.err  # the progress bar


def test_only_the_standards_that_are_asked_for_decide(folder: Path, capsys: Capture) -> None:
    # 9 of 2,000 is within the hundredth that may be beyond the tolerance, but beyond the limit.
    assert status(*GIVEN, "wrong.npy", "--standard", "nonfinite") == 0
    assert status(*GIVEN, "wrong.npy", "--standard", "nonfinite,mixed") == 1
    small = np.load("right.npy")
    small.flat[:9] *= np.float32(1 + 1e-3)
    np.save("near.npy", small)
    assert status(*GIVEN, "near.npy", "--standard", "mixed") == 0
    assert status(*GIVEN, "near.npy", "--standard", "ulp") == 1


def test_attributes_of_every_kind(folder: Path, capsys: Capture) -> None:
    g, packed = np.load("g.npy")[:, :25], np.load("x.npy")
    np.save("g.npy", g)
    out = actgrad.geglu_backward(g, packed, approximate="tanh", activate_left=True, dim=1)
    np.save("out.npy", out)
    call = ["check", "geglu_backward", "--inputs", "g.npy", "x.npy", "--actual", "out.npy"]
    for tanh, left in (("tanh", "true"), ("1", "1"), ("1", "TRUE")):
        attributes = ["--attr", f"approximate={tanh}", "--attr", f"activate_left={left}", "--attr", "dim=-1"]
        assert status(*call, *attributes) == 0
    assert status(*call, "--attr", "approximate=tanh") == 1
    assert "swapped halves" in capsys.readouterr().out


def test_two_outputs_and_an_optional_input(folder: Path) -> None:
    packed = np.load("x.npy")
    out, activated = actgrad.geglu(packed)
    np.save("out.npy", out)
    np.save("gelu.npy", activated)
    assert status("check", "geglu", "--inputs", "x.npy", "--actual", "out.npy") == 0
    assert status("check", "geglu", "--inputs", "x.npy", "--actual", "out.npy", "gelu.npy") == 0
    assert status("check", "geglu", "--inputs", "x.npy", "--actual", "out.npy", "out.npy") == 1
    g = np.load("g.npy")[:, :25]
    np.save("g.npy", g)
    np.save("grad.npy", actgrad.geglu_backward(g, packed, 2 * activated))
    np.save("gelu.npy", 2 * activated)
    inputs = ["check", "geglu_backward", "--actual", "grad.npy", "--inputs", "g.npy", "x.npy"]
    assert status(*inputs, "gelu.npy") == 0
    assert status(*inputs) == 1


def test_raw_bytes_of_a_device(folder: Path) -> None:
    x = np.load("x.npy").astype(bfloat16)
    Path("x.bin").write_bytes(x.tobytes())
    Path("y.bin").write_bytes(actgrad.gelu(x).tobytes())
    call = ["check", "gelu", "--inputs", "x.bin:bfloat16:40x50", "--actual"]
    assert status(*call, "y.bin:bfloat16:40x50") == 0
    assert status(*call, "y.bin:float16:40x50") == 1
    assert status(*call, "y.bin:bfloat16:40x51") == 2


@pytest.mark.needs("ascend")
def test_the_product_and_the_rules_change_what_is_right(folder: Path, capsys: Capture) -> None:
    y = np.zeros((4, 4), np.float32)
    np.save("y.npy", y)
    np.save("g.npy", y + 1)
    with actgrad.product("Ascend950"):
        np.save("out.npy", actgrad.selu_backward(y + 1, y))
    call = ["check", "selu_backward", "--inputs", "g.npy", "y.npy", "--actual", "out.npy"]
    assert status(*call) == 1
    assert "the rule of Ascend950" in capsys.readouterr().out
    assert status(*call, "--product", "Ascend950") == 0
    assert status(*call, "--product", "Ascend310B") == 2
    assert "not available on Ascend310B" in capsys.readouterr().err
    assert status(*call, "--product", "Ascend950", "--rules", "document") == 0
    for name in ("g", "y", "out"):
        np.save(f"{name}.npy", np.zeros((0,), np.float32))
    assert status(*call, "--product", "Ascend950") == 0
    assert status(*call, "--product", "Ascend950", "--rules", "document") == 2
    assert "is empty" in capsys.readouterr().err


# Wrong calls

WRONG = {
    "no such operator": (["check", "eluu"], "OPERATOR: 'eluu' is unknown"),
    "no such standard": (["check", "--standard", "ulp,luck"], "--standard: 'luck' is unknown"),
    "no such dtype": (["check", "--dtype", "float31"], "--dtype: 'float31' is unknown"),
    "no such backend": (["check", "--backend", "abacus"], "--backend abacus is unknown"),
    "no such product": (["check", "--product", "Ascend1"], "--product: 'Ascend1' is unknown"),
    "a dtype nobody takes": (["check", "elu", "--dtype", "int8"], "check: elu does not take int8; it takes float32, "),
    "nothing is judged": (["check", "elu", "--dtype", "float64", "--standard", "mixed"], "no result was judged;"),
    "a seed below 0": (["check", "elu", "--seed", "-1"], "--seed: got '-1'; it must be a whole number at least 0"),
    "inputs alone": (["check", "elu", "--inputs", "x.npy"], "--inputs is given without --actual; it needs --actual"),
    "attributes alone": (["check", "elu", "--attr", "alpha=1"], "--attr is given without --actual; it needs --actual"),
    "actual alone": (["check", "elu", "--actual", "x.npy"], "--inputs is missing; --actual needs"),
    "no operator": (["check", "--inputs", "x.npy", "--actual", "x.npy"], "--actual: got 0 operators; it must be the"),
    "two operators": (["check", "elu", "gelu", "--inputs", "x.npy", "--actual", "x.npy"], "--actual: got 2"),
    "a backend for a file": ([*GIVEN, "right.npy", "--backend", "cpu"], "--backend and --actual cannot be combined"),
    "a dtype for a file": ([*GIVEN, "right.npy", "--dtype", "float32"], "--dtype and --actual cannot be combined"),
    "no such attribute": ([*GIVEN, "right.npy", "--attr", "beta=1"], "attribute beta is unknown; the attributes are"),
    "no value": ([*GIVEN, "right.npy", "--attr", "alpha"], "--attr alpha: has no value; expected NAME=VALUE"),
    "no number": ([*GIVEN, "right.npy", "--attr", "alpha=x"], "alpha=x: alpha is 'x'; it must be a number; change it"),
    "no name": ([*GIVEN, "right.npy", "--attr", "=1"], "--attr =1: has no name; expected NAME=VALUE"),
    "twice": ([*GIVEN, "right.npy", "--attr", "alpha=2"], "--attr alpha=2: alpha is given twice"),
    "no flag": ([*GIVEN, "right.npy", "--attr", "is_result=2"], "is_result is '2'; it must be true or false"),
    "no choice": (["check", "gelu", "--inputs", "x.npy", "--actual", "x.npy", "--attr", "approximate=sin"],
                  "approximate is 'sin'; it must be an integer, none or tanh"),
    "too few inputs": (["check", "elu_backward", "--inputs", "x.npy", "--actual", "right.npy"],
                       "elu_backward: --inputs got 1 file; it takes grad_output, self_or_result"),
    "too many inputs": (["check", "elu", "--inputs", "x.npy", "g.npy", "--actual", "x.npy"], "--inputs got 2 files;"),
    "too many outputs": ([*GIVEN, "right.npy", "wrong.npy"], "--actual got 2 files; it takes grad_input; "),
    "a missing file": ([*GIVEN, "gone.npy"], "gone.npy: no such file"),
    "a requirement": ([*(word.replace("1.3", "-1") for word in GIVEN), "right.npy", "--attr", "is_result=1"],
                      "the operator needs alpha >= 0 when is_result"),
    "a shape": (["check", "elu", "--inputs", "x.npy", "--actual", "flat.npy"],
                "elu: out has shape (2000,); it must be"),
    "a dtype": (["check", "elu", "--inputs", "x.npy", "--actual", "whole.npy"], "(self is x.npy, out is whole.npy)"),
    "no folder": ([*GIVEN, "right.npy", "--html", "gone/report.html"], "gone/report.html: no such folder"),
}  # fmt: skip


@pytest.mark.needs("ascend")
@pytest.mark.parametrize("kind", WRONG)
def test_wrong_calls_and_files_end_with_2(kind: str, folder: Path, capsys: Capture) -> None:
    np.save("flat.npy", np.load("x.npy").ravel())
    np.save("whole.npy", np.zeros((40, 50), np.int32))
    before = sorted(os.listdir())
    arguments, words = WRONG[kind]
    assert status(*arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert sorted(os.listdir()) == before


def test_a_damaged_file_leaves_no_report(folder: Path, capsys: Capture) -> None:
    whole = Path("right.npy").read_bytes()
    Path("right.npy").write_bytes(whole[:-1])
    assert status(*GIVEN, "right.npy", "--html", "r.html", "--json", "r.json") == 2
    assert "right.npy: truncated" in capsys.readouterr().err
    assert not Path("r.html").exists()
    assert not Path("r.json").exists()


def test_help_lists_standards_and_formats(capsys: Capture) -> None:
    assert status("check", "--help") == 0
    text = capsys.readouterr().out
    assert all(name in text for name in (*NAMES, ".npy", ".bin", ".pt", ".safetensors", "Exit status"))


# Reports


def test_json_says_everything_and_nothing_else_is_printed(folder: Path, capsys: Capture) -> None:
    wrong = np.load("wrong.npy")
    wrong[5, 5] = np.nan
    np.save("wrong.npy", wrong)
    assert status(*GIVEN, "wrong.npy", "--json", "-") == 1

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    document = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert document["holds"] is False
    assert document["actual"] == ["wrong.npy"]
    (result,) = document["results"]
    (output,) = result["verdict"]["outputs"]
    assert output["failing"] == 10
    assert {o["standard"]: o["holds"] for o in output["outcomes"]}["nonfinite"] is False
    assert output["worst"][0]["index"] == [5, 5]
    assert output["worst"][0]["actual"] == "nan"
    assert [d["mistake"] for d in result["verdict"]["diagnoses"]] == ["branch-at-0"]
    assert sum(output["histogram"]) == 2000
    assert status(*GIVEN, "right.npy", "--json", "r.json") == 0
    assert json.loads(Path("r.json").read_text())["holds"] is True


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "path"):
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        if tag != "path":
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


HOSTILE = "<img src=x onerror=alert(1)>&\"'\x1b[31m.npy"


def test_the_page_stands_on_its_own_and_escapes_names(folder: Path, capsys: Capture) -> None:
    os.rename("wrong.npy", HOSTILE)
    assert status(*GIVEN, HOSTILE, "--html", "r.html") == 1
    text = Path("r.html").read_text(encoding="utf-8")
    read = Page(text)
    assert not read.open
    assert "<img src=x onerror=alert(1)>&\"'" in read.text
    assert "\x1b" not in text
    assert read.tags.count("svg") == 3
    assert not read.addresses
    assert not {"script", "link", "iframe", "object"} & set(read.tags)
    assert "wrong branch at 0" in read.text
    assert "actgrad check: REJECTED" in read.text
    assert "\x1b[31m" not in capsys.readouterr().out


def test_a_page_of_our_own_backends(folder: Path) -> None:
    call = ["check", "leaky_relu", "gelu", "--dtype", "float16,int8", "--html", "r.html"]
    assert status(*call) == 0
    read = Page(Path("r.html").read_text(encoding="utf-8"))
    assert read.tags.count("svg") == 4
    assert "actgrad check: ACCEPTED" in read.text
    assert all(name in read.text for name in NAMES if name not in ONLY_IF_NAMED)


def test_a_page_that_cannot_be_written_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    before = sorted(os.listdir())

    def fail(*_: Any) -> str:
        raise actgrad.ActgradError("half a page")

    monkeypatch.setattr(page, "page", fail)
    assert status(*GIVEN, "right.npy", "--html", "r.html") == 2
    assert sorted(os.listdir()) == before
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("package", "words"), [("rich", ".[check]")])
def test_a_missing_library_is_said_before_anything_is_computed(folder: Path, package: str, words: str) -> None:
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"from actgrad.cli.main import main; sys.exit(main({[*GIVEN, 'right.npy', '--html', 'r.html']!r}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"pip install '{words}'" in done.stderr
    assert not Path("r.html").exists()


def test_a_pipe_without_a_reader_ends_quietly(folder: Path) -> None:
    arguments = [sys.executable, "-W", "error", "-m", "actgrad", *GIVEN, "right.npy"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert "Error" not in process.stderr.read()
    assert process.returncode == 141
