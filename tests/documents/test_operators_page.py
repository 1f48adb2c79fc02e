"""The generated pages are what the registry says; docs/operators.md has every check in order."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from actgrad import operators
from actgrad.aclnn import signatures
from actgrad.contract import Origin
from tests.support.calls import script

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["operators", "families", "formulas"])
def test_page_is_fresh(name: str) -> None:
    assert script(name).page() == (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_page_has_every_check_in_order() -> None:
    parts = re.split(r"^## (\w+)", (ROOT / "docs" / "operators.md").read_text(encoding="utf-8"), flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for operator in operators.values():
        functions = signatures.list_signatures(operator)
        if not functions:
            continue
        row = r"^\| (\d+) \| (.+) \| (\d+) \| (.+) \| (.+) \|$"
        tables = re.findall(r"(?:^\| .*\n)+", sections[operator.name], flags=re.M)
        found = [rows for table in tables if (rows := re.findall(row, table, flags=re.M))]
        distinct = {s.checks: s for s in reversed(functions)}
        assert len(found) == len(distinct)
        for signature in distinct.values():
            wanted = [
                (signature.translated(check.rule), str(check.status), check.origin.value) for check in signature.checks
            ]
            (rows,) = [rows for rows in found if [row[1:4] for row in rows[1:]] == wanted]
            assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
            assert rows[0][2] == "161001"
        for signature in functions:
            assert f"{signature.first_name}(" in sections[operator.name]
            assert f"{signature.name}(" in sections[operator.name]
            assert all(f"{name} is {value!r}" in sections[operator.name] for name, value in signature.fixed.items())


def test_a_row_is_about_a_parameter_of_the_function() -> None:
    """None says that an argument must be given which C does not have, or which may be a null pointer."""
    rules = {s.name: [s.translated(check.rule) for check in s.checks] for s in signatures.every()}
    assert not {"betaOptional is not null", "beta is not null"} & {*rules["aclnnSwish"], *rules["aclnnSwishBackward"]}
    assert not [rule for name in rules if "ardsigmoid" in name for rule in rules[name] if re.match("alpha|beta", rule)]
    for name in ("aclnnGeluV2", "aclnnGelu", "aclnnGeluBackward"):
        assert not [rule for rule in rules[name] if rule.startswith("approximate")]
    assert "alpha is not null" in rules["aclnnElu"]
    assert any(rule.startswith("approximate is one of") for rule in rules["aclnnGeluBackwardV2"])
    kinds = {s.name: {p.name for p in s.parameters} for s in signatures.every()}
    missing = re.compile(r"(\w+) is not null")
    assert not [
        (name, m[1]) for name in rules for r in rules[name] if (m := missing.fullmatch(r)) and m[1] not in kinds[name]
    ]


def test_functions_without_a_document_are_decided_here() -> None:
    """Tanh and hardtanh live in another repository of CANN, and operators without a C function in none."""
    text = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\w+)(.*?)(?=^## |\Z)", text, flags=re.M | re.S))
    for name in ("tanh", "tanh_backward", "hardtanh"):
        rows = re.findall(r"^\| \d+ \| .*$", sections[name], flags=re.M)
        assert len(rows) > 5
        assert not [row for row in rows[1:] if "actgrad's decision" not in row], name
    assert "the documents and the operator's source" in sections["hardtanh_backward"]
    for operator in operators.values():
        if not operator.aclnn:
            assert {check.origin for check in operator.checks} == {Origin.ACTGRAD}


def test_the_source_is_named() -> None:
    for path in ("docs/operators.md", "docs/sdk.md", "README.md", "README.zh-CN.md"):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert "hicann/ops-nn" in text
        assert "e5c3fa93" in text


def test_a_new_operator_has_a_page(smooth_relu: ModuleType) -> None:
    _, _, section = script("operators").page().partition("## smooth_relu_backward")
    assert "actgrad.smooth_relu_backward(grad_output, self, *, beta=1.0" in section
    assert "Requires beta > 0." in section
