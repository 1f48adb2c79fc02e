"""docs/sdk.md: its commands run as they stand. The tables of the pages about the SDK are true."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from actgrad.ascend.aclnn import names
from actgrad.ascend.products import BY_NAME
from actgrad.ascend.sdk import builder, declared_functions
from actgrad.base import errors
from tests.support.sdk_programs import EXAMPLES, needs_compiler, run

ROOT = Path(__file__).parents[3]
GUIDE, *REFERENCE = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("sdk", "sdk-coverage", "sdk-internals")
)
PAGE = "\n".join([GUIDE, *REFERENCE])


def commands(text: str) -> str:
    """The shell commands of a page, in order."""
    return "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.S))


@needs_compiler
@pytest.mark.slow
def test_commands(tmp_path: Path, sdk_cache: Path) -> None:
    """In a fresh home, on a program of the reader's; whatever prints, prints no error."""
    home, tools = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    tools.mkdir()
    (tools / "actgrad").write_text(f'#!/bin/sh\nexec {sys.executable} -m actgrad "$@"\n')
    (tools / "actgrad").chmod(0o755)
    shutil.copy(EXAMPLES / "elu_backward.cpp", home / "program.cpp")
    shutil.copy(EXAMPLES / "device.hpp", home)
    script = f"set -e\ncd\n{commands(GUIDE)}\n"
    for tool in ("pkg-config", "valgrind"):
        if shutil.which(tool) is None:
            script = "\n".join(line for line in script.splitlines() if tool not in line)
    settings = {"HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(sdk_cache)}
    printed = run(["sh", "-c", f"exec 2>&1\n{script}"], **settings)
    wanted = run(["sh", "-c", f'cd && actgrad sdk --run "{EXAMPLES}/elu_backward.cpp"'], **settings)
    assert printed.count(wanted) == len(re.findall(r"--run program|\./program", script))
    assert "the SDK has every name of program.cpp" in printed


def test_table_of_functions(tmp_path: Path) -> None:
    """Says just what the headers declare, but functions that always fail."""
    builder.write_files(tmp_path, dict(builder.headers()))
    declared = set()
    for folder in ("acl", "aclnn"):
        for header in (tmp_path / folder).rglob("*.h"):
            declared |= set(re.findall(r"\b([aA]cl\w+)\s*\(", re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)))
    listed = [
        prefix + name.strip()
        for prefix, names_ in re.findall(r"^\| [^|`]+ \| `([aA]cl\w*)\.\.\.` \| (.*) \|$", PAGE, flags=re.M)
        for name in names_.split(",")
    ]
    assert sorted(listed) == sorted(declared - declared_functions.not_computed().keys())


def test_names_on_the_page() -> None:
    """Variables, statuses, products and texts are those that the sources have."""
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "src" / "actgrad").rglob("*")
        if path.suffix in (".py", ".c", ".h")
    )
    variables = (ROOT / "docs" / "variables.md").read_text(encoding="utf-8")
    for variable in set(re.findall(r"\bACTGRAD_(?!TEST_)[A-Z_]+\b", PAGE + variables)):  # the others are the tests' own
        assert f'"{variable}"' in sources, variable
    statuses = (ROOT / "docs" / "statuses.md").read_text(encoding="utf-8")
    for status in re.findall(r"^\| (\d{6}) \|", statuses.partition("## Messages of C programs")[2], flags=re.M):
        assert int(status) in names.STATUSES.values()
    for product in BY_NAME:
        assert f"`{product}`" in variables
    table = statuses.partition("## Messages of C programs")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \d+ \| (`.*`.*?) \|", table, flags=re.M)
    texts = [text for row in rows for text in re.findall("`(.*?)`", row)]
    assert len(texts) > 10
    plain = re.sub(r'"\s*\n\s*f?"', "", sources)  # texts that are broken over lines
    example = r"0x\.\.\.|\.\.\.|storageDims \(2, 4\)|viewDims, strides and offset|; |28|32|aclnnSelu|Ascend310B|3\.12"
    for text in texts:
        for part in re.split(rf"{example}|\bself\b", text):
            assert part.strip(" ,") in plain, (text, part)


def test_statuses() -> None:
    """The page has each status that Python or C can return, with its name in the headers and its exception."""
    page = (ROOT / "docs" / "statuses.md").read_text(encoding="utf-8")
    rows = {
        row[0]: row[1:]
        for row in re.findall(r"^\| (\d+) \| (.*?) \| (.*?) \|", page.partition("## Messages")[0], flags=re.M)
    }
    headers = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src/actgrad/ascend/sdk/include").rglob("*.in")
    )
    for status, (words, _) in rows.items():
        for name in re.findall(r"`(ACL\w+)`", words):
            found = re.search(rf"\b{name}(?: =)? (\d+)", headers)
            assert status == str(names.STATUSES[name] if name in names.STATUSES else found and found[1]), name
    for each in vars(errors).values():
        if isinstance(each, type) and issubclass(each, errors.ActgradError):
            assert f"`{each.__name__}`" in page, each
            assert str(each.status) in rows, each
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/actgrad/ascend/sdk/c").rglob("*.c"))
    for name in set(re.findall(r"\bACL_ERROR_\w+", sources)) - {"ACL_ERROR_NONE"}:
        assert f"`{name}`" in page, name


def test_numbers_of_functions() -> None:
    """The page rounds, so that one more function does not change it."""
    rows = [row for row in declared_functions.functions() if row.name.startswith("aclnn")]
    unchecked = {row.name for row in declared_functions.unchecked().values()}
    numbers = {
        r"declare about (\d+) further aclnn functions": sum(bool(row.header) for row in rows),
        r"the SDK computes about (\d+) of\s+them": len(declared_functions.computed()),
        r"For about (\d+) of\s+them phase one checks nothing": len(unchecked),
        r"About (\d+) functions have no checks": len(unchecked),
        r"about (\d+) aclnn functions that no header declares": sum(not row.header for row in rows),
    }
    for pattern, number in numbers.items():
        (said,) = re.findall(pattern, " ".join(PAGE.split()))
        assert int(said) == pytest.approx(number, rel=0.03), (pattern, number)
    assert unchecked.issuperset(re.findall(r"`(aclnn\w+)`", PAGE.partition("Examples are")[2][:99]))


def test_number_of_examples() -> None:
    names_of = {path.stem for path in EXAMPLES.glob("*.c*") if "aclnnop/" in path.read_text(encoding="utf-8")}
    words = {8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}
    assert f"are programs for {words[len(names_of)]} operators" in PAGE


def test_links() -> None:
    for link in re.findall(r"\]\((?!https://)([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link
