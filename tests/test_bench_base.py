"""The benchmark's comparison with another revision.

No test looks at how long anything took.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench_cells import TINY

import actgrad
from actgrad.__main__ import main


def test_base_needs_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(actgrad, "__file__", str(tmp_path / "site-packages" / "actgrad" / "__init__.py"))
    assert main(["bench", "--base", "HEAD"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--base needs a git checkout of actgrad; this one runs from " in captured.err
    assert captured.err.count("\n") == 1


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git checkout with two revisions of this package, the first without GELU, and a folder that is no package."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = tmp_path_factory.mktemp("checkout")
    package = root / "src" / "actgrad"
    shutil.copytree(Path(actgrad.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    names = (package / "__init__.py").read_text()
    names += "\ndel operators['gelu']\n"

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)

    git("init", "--quiet")
    (root / "README").write_text("no package yet")
    git("add", "README")
    git("commit", "--quiet", "--message", "without the package")
    git("tag", "empty")
    current = (package / "__init__.py").read_text()
    (package / "__init__.py").write_text(names)
    git("add", "src")
    git("commit", "--quiet", "--message", "without GELU")
    git("tag", "before")
    (package / "__init__.py").write_text(current)
    return root


def bench_in(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", "actgrad", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root)


def test_base_times_both_revisions(checkout: Path) -> None:
    pytest.importorskip("rich")
    options = ["elu_backward", "gelu", *TINY, "--layout", "contiguous,rank-3", "--deviation", "3", "--json", "-"]
    done = bench_in(checkout, *options, "--base", "before")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert len(document["settings"]["base"]) == 40
    assert [(r["case"], r["layout"]) for r in document["revisions"]] == [
        (case, layout) for case in ("elu_backward", "elu_backward is_result") for layout in ("contiguous", "rank-3")
    ]
    assert all(r["ratio"] > 0 and r["ours"]["runs"] >= 7 for r in document["revisions"])
    assert any("gelu none" in note and "KeyError: 'gelu'" in note for note in document["notes"])
    listed = subprocess.run(["git", "-C", str(checkout), "worktree", "list"], capture_output=True, text=True)
    assert len(listed.stdout.splitlines()) == 1  # the work tree is gone again


@pytest.mark.parametrize(
    ("revision", "message"), [("empty", "revision empty has no src/actgrad"), ("nowhere", "has no such revision")]
)
def test_base_names_a_revision_that_will_not_do(checkout: Path, revision: str, message: str) -> None:
    pytest.importorskip("rich")
    done = bench_in(checkout, "elu", *TINY, "--base", revision)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
