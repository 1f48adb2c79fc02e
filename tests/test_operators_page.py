"""docs/operators.md is what the registry says, and says every check of every operator in order."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

from calls import script

from actgrad import operators
from actgrad.aclnn import signatures
from actgrad.contract import When, checks_of
from actgrad.writing import documents

ROOT = Path(__file__).parents[1]


def test_page_is_fresh() -> None:
    assert script("operators").page() == (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")


def test_page_has_every_check_in_order() -> None:
    parts = re.split(r"^## (\w+)", (ROOT / "docs" / "operators.md").read_text(encoding="utf-8"), flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for operator in operators.values():
        functions = signatures.of(operator)
        if not functions:
            continue
        tables = sections[operator.name].split("| | holds |")[1:]
        listed = [re.findall(r"^\| (\d+) \| (.+) \| (\d+) \| (.+) \| (.+) \|$", text, flags=re.M) for text in tables]
        for rows in listed:
            assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
            assert rows[0][2] == "161001"
        ordered = list({checks_of(signature.definition): signature for signature in reversed(functions)}.items())[::-1]
        assert [[row[1:4] for row in rows[1:]] for rows in listed] == [
            [
                (signature.translated(check.rule), str(check.error.status), check.origin.value)
                for check in checks
                if check.when is not When.UNTYPED
            ]
            for checks, signature in ordered
        ]
        for signature in functions:
            assert f"{signature.first_name}(" in sections[operator.name]
            assert f"{signature.name}(" in sections[operator.name]
            assert all(f"{name}={value!r}" in sections[operator.name] for name, value in signature.fixed.items())


def test_names_in_the_api_reference_are_fresh() -> None:
    for document, part, text in script("operators").api_parts():
        assert documents.part(document.read_text(encoding="utf-8"), part) == text


def test_a_new_operator_has_a_page(softplus: ModuleType) -> None:
    _, _, section = script("operators").page().partition("## softplus_backward")
    assert "actgrad.softplus_backward(grad_output, self, *, beta=1.0" in section
    assert "Requires beta > 0." in section
