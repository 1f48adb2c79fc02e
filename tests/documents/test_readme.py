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
from actgrad.writing import documents
from tests.support.calls import run_script, script
from tests.support.sdk_programs import needs_compiler

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = (ROOT / name for name in ("README.md", "README.zh-CN.md"))
README = ENGLISH.read_text(encoding="utf-8")
RESULTS = ROOT / "docs" / "benchmarks"


def blocks(language: str, text: str = README) -> list[str]:
    """The code of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


def block(language: str, word: str) -> str:
    """The one with that word."""
    (found,) = [code for code in blocks(language) if word in code]
    return found


def typed(commands: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """What a shell makes of commands in a folder, with this Python's programs."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = os.environ | {"PATH": path, "COLUMNS": "200"} | settings
    return subprocess.run(
        ["bash", "-e"], input=commands, capture_output=True, text=True, check=False, cwd=folder, env=variables
    )


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_runs_as_printed(number: int) -> None:
    assert run_script(blocks("python")[number])


def test_the_aclnn_example() -> None:
    code = block("python", "aclnnSeluBackward(")
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


def test_converting_says_what_it_did() -> None:
    assert "ELU" in run_script(block("python", "actgrad.torch.convert"))


@needs_compiler
def test_running_a_program() -> None:
    done = typed(block("sh", "--check"), ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1.050701") == 8


@needs_compiler
def test_building_a_program(tmp_path: Path) -> None:
    """With the folder of the SDK and the program's own among temporary ones."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = typed(block("sh", "set_env.sh"), tmp_path, HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    sdk, *lines = done.stdout.splitlines()
    assert sdk == str(tmp_path / "actgrad-sdk")
    assert len(lines) > 2
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :], "strict or not"


def test_judging_a_wrong_result(tmp_path: Path) -> None:
    """Each line of the output that is shown first, but for its columns' width and what "..." leaves out."""
    done = typed(block("sh", "--actual"), tmp_path)
    assert done.returncode == 1, done.stderr
    said = re.search(r"looks like: `(missing alpha.*?)`", README)
    assert said is not None
    assert said[1] in done.stdout
    command, *shown = block("console", "actgrad check").splitlines()
    assert command.removeprefix("$ ") in block("sh", "--actual")
    printed = [re.sub(r"[─\s]+", " ", line).strip() for line in done.stdout.splitlines()]
    for line in shown:
        start = re.sub(r"[─\s]+", " ", line.removesuffix("...")).strip()
        assert any(other.startswith(start) for other in printed), line


@pytest.mark.parametrize("path", [ENGLISH, CHINESE], ids=lambda path: path.name)
def test_the_first_screen(path: Path) -> None:
    """Both set-up commands in one block, three gains with their documents, ten operators."""
    text = path.read_text(encoding="utf-8")
    first = text.partition("## ")[0]
    (setup,) = [code for code in blocks("sh", first) if "make demo" in code]
    assert "make test" in setup
    gains = re.findall(r"^- \*\*.*?(?=^- |\n\n)", first, flags=re.M | re.S)
    assert len(gains) == 4
    assert all("](docs/" in gain and "](#" in gain for gain in gains)
    assert first.count("\n") <= 40
    (names,) = [line for line in first.splitlines() if line.count("`") == 20]
    assert all(name in actgrad.operators for name in re.findall(r"`(\w+)`", names))
    assert "](docs/formulas.md)" in first
    assert "<!-- operators -->" not in text, "the table of all operators is docs/formulas.md"


def test_the_number_of_operators() -> None:
    """It stands in both READMEs and in the description of the package."""
    for path in (ENGLISH, CHINESE, ROOT / "pyproject.toml"):
        assert re.search(rf"\b{len(actgrad.operators)}\b", path.read_text(encoding="utf-8")), path.name
    assert README.count(f"{len(actgrad.operators)} activation functions and gradients") == 1


def percent(ratio: float) -> str:
    """A ratio of times as the README says it."""
    return f"{abs(1 - ratio) * 100:.0f} % {'less' if ratio < 1 else 'more'}"


def test_the_figures_of_whole_models() -> None:
    """The medians and the ranges are those of docs/models.md, eager and compiled."""
    part = documents.part((ROOT / "docs" / "models.md").read_text(encoding="utf-8"), "models")
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| ")]
    models = [row for row in rows if re.match(r"(transformers|timm|diffusers) ", row[0])]
    summaries = {row[0]: row[1:] for row in rows if len(row) == 5}
    claim = " ".join(README.split())
    chinese = CHINESE.read_text(encoding="utf-8")
    assert f"({len(models)} models)" in claim
    assert f"in the median of {len(models)} models, a training step takes" in claim
    for way, column in (("eager", 1), ("compiled", 3)):
        ratios = [float(re.findall(r"\(([\d.]+)\)", row[column])[0]) for row in models]
        count, median, least, largest = summaries[f"time, {way}"]
        assert int(count) == len(models)
        assert (least, largest) == (f"{min(ratios):.2f}", f"{max(ratios):.2f}")
        assert abs(float(median) - statistics.median(ratios)) < 0.0051  # of ratios that the table rounds
        assert f"{percent(float(least))} to {percent(float(largest))}" in claim
        assert f"{percent(float(median))}" in claim
        for ratio in (least, median, largest):
            assert percent(float(ratio)).partition(" %")[0] + " %" in chinese
    count, median, least, largest = summaries["peak, eager"]
    assert float(largest) == 1
    falls = [percent(float(ratio)).removesuffix(" less") for ratio in (median, least)]
    assert f"({count} models, median {falls[0]})" in claim
    assert f"peak memory of tensors fell by 0 to {falls[1]} in {count} small models" in claim
    (limit,) = [line for line in README.splitlines() if line.startswith("- a replacement for `torch.compile`")]
    least, largest = summaries["time, compiled"][2:]
    assert f"{percent(float(least))} to {percent(float(largest))} time" in limit


def test_models_above_the_limit_of_kernels() -> None:
    """docs/models.md names them."""
    costs = {name: row["costs"] for name, row in json.loads((ROOT / "docs" / "models.json").read_text()).items()}

    def kernels(of: dict[str, dict[str, int]]) -> int:
        return of["compiled"]["kernels"] + of["compiled"]["opaque"]

    ratios = {name: kernels(cost["converted"]) / kernels(cost["aten"]) for name, cost in costs.items()}
    above = {name: ratio for name, ratio in ratios.items() if ratio > 1.02}
    said = {"timm efficientnet_b0": 1.0203, "timm mobilevit_xxs": 1.024, "transformers cohere": 1.024}
    for name, ratio in above.items():
        assert ratio < (said[name] + 0.0005 if name in said else 1.0235), name
    assert said.keys() <= above.keys()
    assert all(name.startswith("transformers ") for name in above.keys() - said.keys())
    page = " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf-8").split())
    assert "MobileViT and Cohere have 1.024 times as many kernels, Llama and similar models 1.023 times, and" in page
    assert "EfficientNet-B0 1.0203 times" in page


def test_the_figures_of_the_table() -> None:
    """Each stands in the document that its row names, or follows from a figure there."""
    errors = script("families").errors()
    float32 = {name: error for (name, dtype), error in errors.items() if dtype == "float32"}
    raw, adjusted = (max(float32, key=lambda name: getattr(float32[name], kind)) for kind in ("raw", "adjusted"))
    text = " ".join(README.split())
    assert f"the largest error is {float32[raw].raw:.2f} ULP (`{raw}`" in text
    assert f"Without this part, the largest error is {float32[adjusted].adjusted:.2f} ULP (`{adjusted}`)" in text
    assert max(error.raw for (_, dtype), error in errors.items() if dtype != "float32") == 0.5
    table = re.findall(r"^\| (.+) \| (\d+) \|$", (ROOT / "docs" / "sdk.md").read_text(encoding="utf-8"), flags=re.M)
    (passed,) = [int(number) for what, number in table if what.startswith("run, and give the right result")]
    (every,) = [int(number) for what, number in table if what == "all"]
    assert f"has {every} examples of activations" in text
    assert f"{passed} run and give the right result ([the other {every - passed}]" in text
    saved = documents.part((ROOT / "docs" / "torch.md").read_text(encoding="utf-8"), "training")
    for row in ("| LeakyReLU in an MLP | auto | 0.52 | 0.52 |", "| ELU in an MLP | auto | 0.52 | 1.00 |",
                "| SELU in an MLP | auto | 0.52 | 1.00 |", "| GeGLU | auto | 0.67 | 0.67 |"):  # fmt: skip
        assert row in saved
    assert "LeakyReLU keeps 48 % less, and GeGLU 33 % less" in text
    assert "keep 48 % less in float32, and as much as PyTorch in bfloat16" in text


def test_no_time_of_an_old_version() -> None:
    """Times of single calls are in docs/benchmarks, next to the version that was measured."""
    versions = {json.loads(path.read_text())["machine"]["versions"]["actgrad"] for path in RESULTS.glob("*.json")}
    if any(version >= "0.3" for version in versions):
        pytest.skip("there are results of this version: the README may have them again")
    for path in (ENGLISH, CHINESE):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"\d+\.\d+ times faster|[\d.]+ µs|speed\.svg|[\d.]+ 倍（float32）", text), path.name


def test_the_number_of_tests(request: pytest.FixtureRequest) -> None:
    """Where all tests run."""
    (said,) = re.findall(r"about ([\d,]+) tests", README)
    assert said in CHINESE.read_text(encoding="utf-8")
    collected = request.session.testscollected
    if collected < 10_000:
        pytest.skip("only some tests run")
    assert int(said.replace(",", "")) == pytest.approx(collected, rel=0.1)


def test_no_command_installs_a_release() -> None:
    """There is none yet: what a document tells people to type works in a clone."""
    for path in (ENGLISH, CHINESE, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install (--\S+ )*'?actgrad\b(?!\[\.\.\.)", text), path.name


def test_the_chinese_one_has_the_same_code() -> None:
    chinese = CHINESE.read_text(encoding="utf-8")
    for language in ("python", "sh"):
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
