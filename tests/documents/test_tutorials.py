"""The tutorials and other pages run as printed, and print what they show; "..." stands for words that vary."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.calls import run_script
from tests.support.sdk_programs import needs_compiler

pytestmark = pytest.mark.share(6)

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "tutorials"
PAGES = (
    "backward",
    "ci-kernels",
    "coming-from",
    "determinism",
    "new-operator",
    "ulp",
    "upgrade-0.4",
)  # their Python is one program each
TIMES = "training step"  # this line and the numbers of the errors differ from machine to machine


@pytest.mark.needs("torch", "judge")
def test_training(tmp_path: Path) -> None:
    """All blocks of Python as one program; each line of the text blocks is printed, but for measured numbers."""
    pytest.importorskip("torch")
    text = (FOLDER / "train.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S))
    printed = run_script(program)
    shown = "".join(re.findall(r"^```text\n(.*?)^```", text, flags=re.M | re.S)).splitlines()
    assert len(shown) > 10
    for line in shown:
        if line.startswith(("PyTorch", "actgrad", "largest difference", TIMES)):
            line = re.match(r"[A-Za-z ]+", line)[0]  # type: ignore[index]
        assert line in printed, line
    errors = {
        name: [float(e) for e in rest.split()] for name, rest in re.findall(r"^(PyTorch|actgrad) (.+)", printed, re.M)
    }
    assert max(errors["actgrad"]) < 1e-6 < 1e-4 < errors["PyTorch"][0], "as the page explains"
    (command,) = re.findall(r"^(actgrad check .+)", text, flags=re.M)
    done = _run(command, tmp_path)
    assert done.stdout.splitlines()[-1].startswith("ACCEPTED"), done.stdout + done.stderr


@needs_compiler
def test_porting(tmp_path: Path) -> None:
    """The program and the commands of the page, in their order, in one shell."""
    text = (FOLDER / "port.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```c\n(.*?)^```", text, flags=re.M | re.S)
    (tmp_path / "first.c").write_text(program, encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, flags=re.M | re.S)
    assert len(blocks) == 5
    for block in blocks:
        commands = "\n".join(line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ "))
        done = _run(commands, tmp_path)
        printed = done.stdout + done.stderr
        for line in block.splitlines():
            if not line.startswith("$ "):
                assert re.search(re.escape(line).replace(r"\.\.\.", ".*"), printed), (line, printed)


@pytest.mark.parametrize("page", PAGES)
def test_pages_print_as_they_show(page: str) -> None:
    pytest.importorskip("torch")
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    printed = run_script("\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)))
    shown = "".join(re.findall(r"^```text\n(.*?)^```", text, flags=re.M | re.S))
    assert shown
    assert printed == shown


def test_the_judge_is_among_the_tutorials() -> None:
    """tests/documents/test_accept_page.py runs it."""
    assert "../accept.md" in (FOLDER / "port.md").read_text(encoding="utf-8")


def _run(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "actgrad").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m actgrad "$@"\n')
    (tools / "actgrad").chmod(0o755)
    variables = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
    return subprocess.run(["sh"], input=commands, cwd=folder, env=variables, capture_output=True, text=True)
