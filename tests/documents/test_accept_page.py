"""docs/accept.md: its commands, as printed, with the stand-in for a vendor's kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.share(6), pytest.mark.needs("ascend", "judge")]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/accept.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_commands(tmp_path: Path) -> None:
    right, _, wrong = PAGE.partition("## 4.")
    (tmp_path / "actgrad").write_text(f'#!/bin/sh\nexec {sys.executable} -m actgrad "$@"\n')
    (tmp_path / "actgrad").chmod(0o755)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    printed = _run(right, tmp_path, 0)
    assert printed.splitlines()[-1] == "ACCEPTED: 40 of 40 cases are accepted"
    verdicts = json.loads((tmp_path / "report.json").read_text())
    assert {case["verdict"] for case in verdicts["cases"]} == {"ACCEPTED"}
    assert all((tmp_path / file).stat().st_size for file in ("report.html", "report.xml"))
    (name,) = re.findall(r"names the mistake: `(.*)`", wrong)
    assert name in _run(wrong, tmp_path, 1)


def _run(text: str, folder: Path, status: int) -> str:
    """What the indented lines of a text print; the status is that of the last one."""
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ") and "pip install" not in line]
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    command = ["sh", "-c", "exec 2>&1\n" + "\n".join(lines)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout
    return done.stdout
