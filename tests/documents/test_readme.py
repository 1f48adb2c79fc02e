"""What the README tells people to type runs as printed, in both languages, and says what it is said to say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from actgrad.cli.list_command import PART
from actgrad.writing import documents
from tests.support.calls import run_script
from tests.support.sdk_programs import needs_compiler

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = (ROOT / name for name in ("README.md", "README.zh-CN.md"))
README = ENGLISH.read_text(encoding="utf-8")


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
    """Three gains with their documents, how to clone, and both set-up commands in one block."""
    text = path.read_text(encoding="utf-8")
    (setup,) = [code for code in blocks("sh", text) if "git clone" in code]
    assert "make demo" in setup
    assert "make test" in setup
    first = text.partition("## ")[0]
    rows = [line for line in first.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 3
    assert all(re.search(r"\d\.\d", row) and "](docs/" in row for row in rows)
    assert first.count("\n") <= 32


def test_the_figures_of_the_first_screen_are_kept() -> None:
    """Each stands in the document that the row names."""
    figures = {
        "docs/sdk.md": ["| both phases, 8 elements | 0.7 µs |"],
        "docs/torch.md": [
            "| activation part, forward and backward | float32 | 0.20 |", "| whole step | float32 | 0.89 |",
            "| activation part, forward and backward | bfloat16 | 0.38 |", "| whole step | bfloat16 | 0.94 |",
        ],
        "docs/accuracy.md": ["| gelu | approximate=none | 0.50 / 2.04 | 0.50 / 255 |"],
    }  # fmt: skip
    for document, rows in figures.items():
        assert f"]({document}" in README.partition("## ")[0]
        text = (ROOT / document).read_text(encoding="utf-8")
        assert all(row in text for row in rows), document


def test_no_command_installs_a_release() -> None:
    """There is none yet: what a document tells people to type works in a clone."""
    for path in (ENGLISH, CHINESE, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install (--\S+ )*'?actgrad\b(?!\[\.\.\.)", text), path.name


def test_the_chinese_one_has_the_same_code_and_table() -> None:
    chinese = CHINESE.read_text(encoding="utf-8")
    for language in ("python", "sh"):
        mine, other = ([_without_comments(code) for code in blocks(language, text)] for text in (README, chinese))
        assert mine == other
    assert documents.part(chinese, PART) == documents.part(README, PART)


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
