"""What the README tells people to type runs as printed, in both languages, and says what it is said to say."""

from __future__ import annotations

import inspect
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from actgrad.ascend.sdk import declared_functions
from tests.support.calls import run_script
from tests.support.sdk_programs import needs_compiler

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = (ROOT / name for name in ("README.md", "README.zh-CN.md"))
README = ENGLISH.read_text(encoding="utf-8")
RESULTS = ROOT / "docs" / "benchmarks"


def blocks(language: str, text: str = README) -> list[str]:
    """The code of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


def typed(commands: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """What a shell makes of commands in a folder, with this Python's programs."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = os.environ | {"PATH": path, "COLUMNS": "200"} | settings
    return subprocess.run(
        ["bash", "-e"], input=commands, capture_output=True, text=True, check=False, cwd=folder, env=variables
    )


@pytest.mark.share(3)
@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_runs_and_prints_as_shown(number: int) -> None:
    printed = run_script(blocks("python")[number])
    assert_shown(blocks("text")[number], printed)


def assert_shown(shown: str, printed: str) -> None:
    """Each line that is shown is the beginning of a printed one, in this order; "..." stands for anything."""
    lines = iter(re.sub(r"[\u2500\s]+", " ", line).strip() for line in printed.splitlines())
    for line in shown.splitlines():
        words = re.sub(r"[\u2500\s]+", " ", line).strip()
        pattern = re.compile(".*".join(map(re.escape, words.split("..."))))
        if line.strip() != "...":
            assert any(pattern.match(other) for other in lines), (line, printed)


@pytest.mark.needs("ascend", "judge", "kernel", "torch")
@needs_compiler
def test_commands_print_as_shown(tmp_path: Path) -> None:
    """In a folder with the examples: each command after "$", and what is shown below it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (files,) = [code for code in blocks("sh") if "np.save" in code]
    assert typed(files, tmp_path).returncode == 0
    commands = [part for code in blocks("console") for part in re.split(r"^\$ ", code, flags=re.M)[1:]]
    assert len(commands) == 5
    for part in commands:
        command, _, shown = part.partition("\n")
        done = typed(command, tmp_path)
        assert done.returncode == ("REJECTED" in shown), done.stderr
        assert_shown(shown, done.stdout + done.stderr)


def test_the_aclnn_example() -> None:
    """It stands on the page of actgrad.aclnn."""
    (code,) = blocks("python", (ROOT / "docs" / "api" / "aclnn.md").read_text(encoding="utf-8"))
    printed = run_script(code)
    assert re.match(r"0 \[1\.050701 1\.050701 1\.050701 1\.050701 1\.050701 1\.050701\s+1\.050701 1\.050701\]", printed)
    assert re.search(r"^161001 \[PID: \d+\] .* aclnnSeluBackward: result is a null pointer", printed, flags=re.M)
    assert run_script(code, ACTGRAD_PRODUCT="Ascend950").startswith("0 [1.758099")


@pytest.mark.parametrize("value", [None, 1, 1.5, "text", [1], object(), np.ones(3, "U1"), np.ones(3, np.int64)])
def test_only_a_wrong_number_of_arguments_raises(value: object) -> None:
    for name in ("aclnnSelu", "aclnnEluBackward"):
        count = len(inspect.signature(getattr(aclnn, f"{name}GetWorkspaceSize")).parameters)
        status, _, executor = getattr(aclnn, f"{name}GetWorkspaceSize")(*[value] * count)
        assert status != 0
        assert executor is None
        assert getattr(aclnn, name)(value, value, value, value) != 0
        for given in (count - 1, count + 1):
            with pytest.raises(TypeError):
                getattr(aclnn, f"{name}GetWorkspaceSize")(*[value] * given)


@pytest.mark.parametrize("path", [ENGLISH, CHINESE], ids=lambda path: path.name)
def test_the_shape(path: Path) -> None:
    """Few lines, both set-up commands, three starts with their output, eight links."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 140
    assert "make demo" in text
    assert "make test" in text
    starts = re.split(r"^## ", text, flags=re.M)[1:4]
    for start in starts:
        assert "```console" in start or "```python" in start
        assert "](docs/tutorials/" in start
    rows = re.findall(r"^\| .+ \| \[.+\) \|$", re.split(r"^## ", text, flags=re.M)[4], flags=re.M)
    assert len(rows) == 8


def test_the_number_of_operators() -> None:
    """It stands in both READMEs and in the description of the package."""
    for path in (ENGLISH, CHINESE, ROOT / "pyproject.toml"):
        has_number = re.search(rf"\b{len(actgrad.operators)}\b", path.read_text(encoding="utf-8"))
        assert has_number, f"{path.name} lacks the number of operators; write {len(actgrad.operators)}"


def test_the_numbers_for_porters() -> None:
    """Functions of activations exactly, the others rounded to tens."""
    (own,) = re.findall(r"^\| aclnn functions of activations.* \| (\d+), with all checks \|$", README, flags=re.M)
    assert int(own) == sum(name.endswith("GetWorkspaceSize") for name in dir(aclnn) if name.startswith("aclnn"))
    found = re.findall(
        r"about (\d+), computed by PyTorch and NumPy. For about (\d+) of these, phase one checks", README
    )
    computed, checked = map(int, *found)
    assert computed == pytest.approx(len(declared_functions.computed()), rel=0.03)
    assert checked == pytest.approx(
        len(declared_functions.computed()) - len({r.name for r in declared_functions.unchecked().values()}), rel=0.03
    )
    coverage = (ROOT / "docs" / "sdk-coverage.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (.+) \| (\d+) \|$", coverage, flags=re.M)
    (passed,) = [int(number) for what, number in table if what.startswith("run, and give the right result")]
    (every,) = [int(number) for what, number in table if what == "all"]
    assert f"{passed} of {every} run and give the right result ([the other {every - passed}]" in README
    ((shipped, _),) = re.findall(r"^\| in all \| (\d+) \| (\d+) \|$", coverage, flags=re.M)
    ((run, _),) = re.findall(r"^\| run, print results, and return 0 \| (\d+) \| (\d+) \|$", coverage, flags=re.M)
    assert f"{run} of the {shipped} shipped ones run and return 0" in README
    assert f"{shipped} 个中有 {run} 个" in CHINESE.read_text(encoding="utf-8")
    assert f"{every} 个中有 {passed} 个" in CHINESE.read_text(encoding="utf-8")


def test_the_figures_of_models() -> None:
    """Peak memory in eager mode: how many of the models of docs/models.json need less, and how much."""
    records = json.loads((ROOT / "docs" / "models.json").read_text(encoding="utf-8")).values()
    ratios = [record["peak"][1] / record["peak"][0] for record in records if "error" not in record]
    smaller = [ratio for ratio in ratios if ratio < 0.995]
    falls = [f"{(1 - ratio) * 100:.0f} %" for ratio in (statistics.median(smaller), min(smaller))]
    claim = " ".join(README.split())
    assert f"In {len(smaller)} of {len(ratios)} small models in eager mode on the CPU, the peak memory of" in claim
    assert f"by {falls[0]} in the median of these and by {falls[1]} at best" in claim
    chinese = CHINESE.read_text(encoding="utf-8")
    assert f"{len(ratios)} 个小模型，其中 {len(smaller)} 个" in chinese
    assert all(fall in chinese for fall in falls)


def test_no_time_of_an_old_version() -> None:
    """Times of single calls are in docs/benchmarks, next to the version that was measured."""
    versions = {json.loads(path.read_text())["machine"]["versions"]["actgrad"] for path in RESULTS.glob("*.json")}
    if any(version >= "0.3" for version in versions):
        pytest.skip("there are results of this version: the README may have them again")
    for path in (ENGLISH, CHINESE):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"\d+\.\d+ times faster|[\d.]+ µs|speed\.svg|[\d.]+ 倍（float32）", text), path.name


def test_no_command_installs_a_release() -> None:
    """There is none yet: what a document tells people to type works in a clone."""
    for path in (ENGLISH, CHINESE, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install (--\S+ )*'?actgrad\b(?!\[\.\.\.)", text), path.name


def test_the_chinese_one_has_the_same_code() -> None:
    chinese = CHINESE.read_text(encoding="utf-8")
    for language in ("python", "sh", "console", "text"):
        mine, other = ([_without_comments(code) for code in blocks(language, text)] for text in (README, chinese))
        assert mine == other


def _without_comments(code: str) -> str:
    return re.sub(r" *# .*", "", code)


@pytest.mark.parametrize("path", [ENGLISH, CHINESE], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, flags=re.M)
    }
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10
    for link in links:
        if link.startswith("#"):
            assert link[1:] in headings, link
        elif "://" not in link:
            assert (ROOT / link.partition("#")[0]).exists(), link
