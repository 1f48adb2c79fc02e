"""The Python in the README runs as printed, and prints what its comments say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calls import run_script

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_runs_as_printed(number: int) -> None:
    assert run_script(BLOCKS[number])


def test_the_aclnn_example() -> None:
    (block,) = [block for block in BLOCKS if "aclnnSeluBackward(" in block]
    printed = run_script(block)
    assert re.match(r"0 \[1\.050701 1\.050701 1\.050701 1\.050701 1\.050701 1\.050701\s+1\.050701 1\.050701\]", printed)
    assert re.search(r"^161001 \[PID: \d+\] .* aclnnSeluBackward: result is a null pointer", printed, flags=re.M)
    assert run_script(block, ACTGRAD_PRODUCT="Ascend950").startswith("0 [1.758099")
