"""docs/accuracy.md: the largest errors are those of its long table, and its program prints what the text says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import actgrad
from actgrad.judge import standards
from actgrad.writing import documents
from tests.support.calls import run_script, script

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")


@pytest.mark.needs("ascend")
def test_raw_and_adjusted_errors_stand_side_by_side() -> None:
    families = script("families")
    part = documents.part(TEXT, families.LARGEST)
    assert part == families.largest_errors()
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()]
    assert heading == ["operator", "raw", "adjusted"]
    assert len(rows) >= 80
    assert all(float(raw) >= float(adjusted) for _, raw, adjusted in rows)
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["fast_gelu"] == ["84.22", "3.00"]
    assert by_name["clipped_swiglu_backward"] == ["64.86", "6.55"]


def test_the_limits_are_those_of_the_standards() -> None:
    words = " ".join(TEXT.split())
    limits = f"{standards.HALF_ULPS} ULP for float16 and bfloat16, and {standards.ULPS} ULP for float32 and float64"
    assert limits in words
    assert f"The limit is {standards.TRANSCENDENTAL_ULPS:.0f} ULP if a formula has" in words
    assert f"{standards.TERMS:.0f} units of the larger term, and {standards.TRANSCENDENTAL_TERMS:.0f} for" in words
    assert not re.search(r"\b1 ULP for float16", words)


def test_the_comparison_with_pytorch_holds_in_the_tail_only() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("scipy")
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.S)
    count, value, low, high = map(float, run_script(program).split())
    assert f"{count:.0f} numbers between {low} and {high:.1f}" in " ".join(TEXT.split())
    assert 2.3e-5 < value < 2.4e-5
    assert "less than 2.4e-5" in TEXT


@pytest.mark.needs("ascend")
def test_the_numbers_of_measured_operators() -> None:
    families = script("families")
    rows = [row for row in families.cells("accuracy.md", "exhaustive") if row[0] in actgrad.operators]
    whole, every = {row[0] for row in rows if row[3] == "all 2^32"}, {row[0] for row in rows}
    words = f"for {len(whole)} of {len(every)} operators"
    assert words in " ".join(TEXT.split()), f"docs/accuracy.md: write {words!r}"
    performance = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    words = f"covers {len(every)} operators: all 2^32 numbers for {len(whole)},"
    assert words in performance, f"docs/performance.md: write {words!r}"
    quantised = {name for name in actgrad.operators if "quant" in name}
    measured = {name for name, _ in families.errors()} | {"geglu_packed"}  # computes the bits of geglu
    for name in actgrad.operators.keys() - measured - quantised:
        is_left_out = re.search("grad|backward|cross_entropy", name)
        assert is_left_out, f"{name} has no row in docs/accuracy.md; run `make accuracy`"
    words = f"{len(measured)} of {len(actgrad.operators)}"
    comparison = " ".join((ROOT / "docs" / "comparison.md").read_text(encoding="utf-8").split())
    for sentence in (
        f"| measured error of functions | of {words} |",
        f"the errors of {words.replace('of', 'of the')} operators",
    ):
        assert sentence in comparison, f"docs/comparison.md: write {sentence!r}"
