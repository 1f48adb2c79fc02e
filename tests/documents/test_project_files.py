"""The files about the project: workflows run what make runs, and versions, dates and addresses agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import actgrad

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Fixed", "Removed", "Security"]  # of Keep a Changelog

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="a source archive has no workflows")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_targets_and_scripts_that_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\bmake (\w+)", text):
        assert re.search(rf"^{target}:", MAKEFILE, re.M), target
    for script in re.findall(r"\bscripts/\w+\.py", text):
        assert (ROOT / script).exists(), script
    for used in re.findall(r"uses: \./(\S+)", text):
        assert (ROOT / used).exists(), used
    assert "permissions:\n  contents: read" in text, "a job that needs more asks for it"


def test_each_thing_has_a_workflow() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert {"test", "site", "dist", "wheels"} <= set(re.findall(r"- run: make (\w+) PYTHON=python$", text, re.M))


def test_the_python_versions_agree() -> None:
    """The tests run on the oldest one, and on each one that the package says it supports."""
    (matrix,) = re.findall(r"python: \[(.+)\]", (FOLDER / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    tested = re.findall(r'"(3\.\d+)"', matrix)
    (oldest,) = re.findall(r'requires-python = ">=(3\.\d+)"', PROJECT)
    assert tested[0] == oldest
    assert set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)) <= set(tested)
    (built,) = re.findall(r'^build = "(cp.+)"', PROJECT, re.M)
    assert re.findall(r"cp(3)(\d+)-", built) == [tuple(version.split(".")) for version in tested]
    assert f"Python {tested[0]} to {tested[-1]}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_changelog_keeps_its_form() -> None:
    """Each released version has a date, and parts of the kinds of Keep a Changelog."""
    for heading, part in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", CHANGES, re.M | re.S):
        assert re.fullmatch(r"\d+\.\d+\.\d+ (- \d{4}-\d\d-\d\d|\(not released\))", heading), heading
        kinds = re.findall(r"^### (.+)$", part, re.M)
        assert kinds, heading
        assert kinds == [kind for kind in KINDS if kind in kinds], heading


def test_the_citation_agrees() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (repository,) = re.findall(r'^repository = "(\S+)"', PROJECT, re.M)
    assert f"\nrepository-code: {repository}\n" in citation
    ((version, date),) = re.findall(r'^version: (\S+)\ndate-released: "(\S+)"$', citation, re.M)
    assert version == actgrad.__version__
    assert f"\n## {version} - {date}\n" in CHANGES


def test_a_document_that_names_a_workflow_names_one_that_exists() -> None:
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?<!Copy this file to `)\.github/[\w./-]+\w", text):  # that one is for the reader's
            assert (ROOT / name).exists(), (path.name, name)


@pytest.mark.parametrize("file", sorted((ROOT / "src" / "actgrad").rglob("__init__.py")), ids=lambda f: f.parent.name)
def test_a_folder_names_its_modules(file: Path) -> None:
    """CONTRIBUTING.md says so, and a reader begins there."""
    text = file.read_text(encoding="utf-8")
    names = {path.stem for path in file.parent.glob("*.py")} - {"__init__"}
    assert {name for name in names if not re.search(rf"\b{name}\b", text)} == set()


def test_the_walk_names_files_that_exist() -> None:
    """Paths in the tables of CONTRIBUTING.md are relative to the folder in the head of the table."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| file in `(src/\S+)/` .*\n((?:\|.*\n)+)", text, re.M)
    assert len(tables) == 2
    for folder, rows in tables:
        names = [name for row in rows.splitlines() for name in re.findall(r"`([\w./]+/[\w.]*)`", row.split("|")[1])]
        assert len(names) > 8
        for name in names:
            bases = (folder, "src/actgrad") if "of the core" in rows else (folder,)
            assert any((ROOT / base / name).exists() for base in bases), name


def test_no_file_has_the_marks_of_a_merge_conflict() -> None:
    folders = ("benchmarks", "docs", "examples", "scripts", "src", "tests")
    files = [*ROOT.glob("*.*"), *(file for folder in folders for file in (ROOT / folder).rglob("*.*"))]
    texts = [file for file in files if file.suffix in (".c", ".cpp", ".h", ".md", ".py", ".pyi", ".toml", ".yml")]
    assert len(texts) > 900
    marks = (b"<" * 7 + b" ", b">" * 7 + b" ")
    assert [file for file in texts if any(line.startswith(marks) for line in file.read_bytes().splitlines())] == []
