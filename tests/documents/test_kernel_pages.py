"""docs/tutorials/kernel.md runs as printed, docs/kernel.md lists all assumptions, the example project is accepted."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("actgrad.kernel")

from actgrad.cli.main import main
from actgrad.kernel import ASSUMPTIONS
from tests.documents.test_tutorials import _run

pytestmark = pytest.mark.share(6)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/tutorials/kernel.md").read_text(encoding="utf-8")
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


@needs_compiler
def test_the_tutorial(tmp_path: Path) -> None:
    (kernel,) = re.findall(r"^```cpp\n(.*?)^```", PAGE, flags=re.M | re.S)
    (tiling,) = re.findall(r"^```json\n(.*?)^```", PAGE, flags=re.M | re.S)
    (tmp_path / "celu.cpp").write_text(kernel, encoding="utf-8")
    (tmp_path / "tiling.json").write_text(tiling, encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE, flags=re.M | re.S)
    assert len(blocks) == 4
    for block in blocks:
        commands = "\n".join(line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ "))
        done = _run(commands, tmp_path)
        printed = done.stdout + done.stderr
        assert done.returncode == (0 if block is blocks[-1] else 1), printed
        for line in block.splitlines():
            if not line.startswith("$ "):
                assert re.search(re.escape(line).replace(r"\.\.\.", ".*"), printed), (line, printed)
    assert (tmp_path / "report.html").stat().st_size
    written = (ROOT / "examples/kernel/celu.cpp").read_text(encoding="utf-8")
    assert written.partition("\n")[2] == (tmp_path / "celu.cpp").read_text(encoding="utf-8")


def test_the_page_lists_all_assumptions() -> None:
    page = (ROOT / "docs/kernel.md").read_text(encoding="utf-8")
    for name, values in ASSUMPTIONS.items():
        assert f"| `{name}` | {'; '.join(f'`{value}`: {text}' for value, text in values.items())} |" in page


@needs_compiler
def test_the_example_project(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernel", "check", str(ROOT / "examples/kernel/celu"), "--cases", "6", "--dtypes", "bfloat16"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("ACCEPTED")
