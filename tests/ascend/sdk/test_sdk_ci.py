"""docs/ci.md: the files that it prints are those of examples/ci, and their commands run."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.sdk_programs import EXAMPLES, needs_compiler, run

pytestmark = pytest.mark.share(6)

FOLDER = EXAMPLES / "ci"
PAGE = (Path(__file__).parents[3] / "docs" / "ci.md").read_text(encoding="utf-8")
FILES = ("CMakeLists.txt", "github.yml", "gitlab.yml")
PROGRAMS = PAGE.partition("## Check an Ascend C kernel")[0]  # what follows has tests of its own
PRINTED = dict(zip(FILES, re.findall(r"```(?:cmake|yaml)\n(.*?)```", PROGRAMS, re.S), strict=True))

needs_cmake = pytest.mark.skipif(shutil.which("ctest") is None, reason="needs CMake")


def commands(name: str) -> list[str]:
    """The commands of a workflow, or of the page."""
    if name == "page":
        return re.findall(r"```sh\n(.*?)```", PAGE, re.S)
    return re.findall(r"^ +- (?:run: )?((?!uses:).+)$", PRINTED[name], re.M)


@pytest.mark.parametrize("name", PRINTED)
def test_the_page_prints_the_files(name: str) -> None:
    assert PRINTED[name] == (FOLDER / name).read_text(encoding="utf-8")


def workspace(tmp_path: Path) -> str:
    """A copy of the folder, and a script's first lines. Tools that fetch something do nothing here."""
    shutil.copytree(FOLDER, tmp_path / "project")
    tools = {**dict.fromkeys(("git", "pip", "apt-get"), "exit 0"), "actgrad": f'exec {sys.executable} -m actgrad "$@"'}
    (tmp_path / "bin").mkdir()
    for name, line in tools.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "home").mkdir()
    folders = f"export HOME={tmp_path}/home PATH={tmp_path}/bin:$PATH ACTGRAD_REPOSITORY=none"
    return f"exec 2>&1\nset -e\n{folders}\ncd {tmp_path}/project\n"


@needs_compiler
@needs_cmake
@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml", "page"])
@pytest.mark.share(6)
def test_commands(name: str, tmp_path: Path) -> None:
    steps = commands(name)
    assert "ctest" in steps[-1]
    said = run(["sh", "-c", workspace(tmp_path) + "\n".join(steps)], timeout=300)
    assert "100% tests passed, 0 tests failed out of 3" in said


@needs_compiler
@needs_cmake
@pytest.mark.parametrize(
    ("old", "new", "failing"),
    [
        ("expf(-x[k])", "expf(x[k])", ("plain", "strict", "Ascend950")),  # a wrong expectation
        ("    REQUIRE(aclrtFree(memory_y));\n", "", ("strict",)),  # a leak
        (
            "REQUIRE(aclrtSynchronizeStream(stream));\n",
            "REQUIRE(aclrtMemcpy(y, sizeof y, memory_y, sizeof y, 2));\n    REQUIRE(aclrtSynchronizeStream(stream));\n",
            ("strict",),
        ),  # a copy before the synchronize, and one after it
        (
            "uint64_t size;",
            "uint64_t size;\n    x[0] = *(volatile float*)memory_x;",
            ("strict",),
        ),  # device memory, from the host
    ],
)
def test_a_fault_fails(old: str, new: str, failing: tuple[str, ...], tmp_path: Path, sdk: object) -> None:
    begin = workspace(tmp_path)
    source = tmp_path / "project" / "silu.c"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new, 1))
    steps = "\n".join(commands("page")).replace('"$HOME/actgrad-sdk"', str(sdk.prefix))  # type: ignore[attr-defined]
    steps = "\n".join(line for line in steps.splitlines() if not line.startswith("actgrad"))
    said = run(["sh", "-c", begin + steps], 8, timeout=300)
    assert set(re.findall(r"- (\w+) \(\w+\)", said)) == set(failing), said
