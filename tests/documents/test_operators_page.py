"""The generated pages are what the registry says. The page of a family has every check of its operators in order."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from actgrad import operators
from actgrad.ascend.aclnn import signatures
from actgrad.ascend.rules.rule import Origin
from actgrad.checks.documentation import first_line
from tests.support.calls import script

ROOT = Path(__file__).parents[2]


@pytest.mark.needs("ascend", "judge", "kernel", "torch")
@pytest.mark.parametrize("name", ["operators", "families", "formulas", "chips", "commands"])
def test_page_is_fresh(name: str) -> None:
    is_fresh = script(name).page() == (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert is_fresh, f"docs/{name}.md differs from what the script writes; run `make operators`"


def test_the_page_of_a_family_has_every_check_in_order() -> None:
    """Null pointers of several arguments, one after the other, share a row; each check is still there, in its order."""
    page = script("operators")
    for operator in operators.values():
        text = "\n".join(page.section(operator))
        tables = re.findall(r"(?:^\| .* \| \d+ \| .* \|\n)+", text, flags=re.M)
        functions = signatures.list_signatures(operator)
        distinct = {s.checks: s for s in reversed(functions)}
        assert len(tables) == len(distinct)
        shown = [[row for line in table.splitlines() for row in _checks(line)] for table in tables]
        for signature in distinct.values():
            assert [(signature.translated(check.rule), str(check.status)) for check in signature.checks] in shown
        for signature in functions:
            assert f"{signature.first_name}(" in text
            assert f"{signature.name}(" in text
            assert all(f"{name} is {value!r}" in text for name, value in signature.fixed.items())


def _checks(line: str) -> list[tuple[str, str]]:
    """The checks of a row of the page."""
    rule, status, _ = (cell.strip() for cell in line.strip("|").split(" | "))
    names = re.fullmatch(r"(.+) are not null", rule)
    return [(f"{name} is not null", status) for name in names[1].split(", ")] if names else [(rule, status)]


def test_a_row_is_about_a_parameter_of_the_function() -> None:
    """None says that an argument must be given which C does not have, or which may be a null pointer."""
    rules = {s.name: [s.translated(check.rule) for check in s.checks] for s in signatures.all_signatures()}
    assert not {"betaOptional is not null", "beta is not null"} & {*rules["aclnnSwish"], *rules["aclnnSwishBackward"]}
    assert not [rule for name in rules if "ardsigmoid" in name for rule in rules[name] if re.match("alpha|beta", rule)]
    for name in ("aclnnGeluV2", "aclnnGelu", "aclnnGeluBackward"):
        assert not [rule for rule in rules[name] if rule.startswith("approximate")]
    assert "alpha is not null" in rules["aclnnElu"]
    assert any(rule.startswith("approximate is one of") for rule in rules["aclnnGeluBackwardV2"])
    kinds = {s.name: {p.name for p in s.parameters} for s in signatures.all_signatures()}
    missing = re.compile(r"(\w+) is not null")
    assert not [
        (name, m[1]) for name in rules for r in rules[name] if (m := missing.fullmatch(r)) and m[1] not in kinds[name]
    ]


def test_operators_without_a_c_function_are_decided_here() -> None:
    """CANN has rules for calls of C functions only."""
    page = script("operators")
    for name in ("tanh", "tanh_backward", "hardtanh", "hardtanh_backward"):
        rows = re.findall(r"^\| .* \| \d+ \| (.*) \|$", "\n".join(page.section(operators[name])), flags=re.M)
        assert "documents, source" in rows
    for operator in operators.values():
        if not operator.law.functions:
            assert {rule.origin for rule in operator.law.rules} == {Origin.ACTGRAD}


def test_the_source_is_named() -> None:
    for path in ("docs/operators.md", "docs/sdk-coverage.md", "README.md", "README.zh-CN.md"):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert "hicann/ops-nn" in text
        assert "e5c3fa93" in text


def test_a_new_operator_has_a_section(smooth_relu: ModuleType) -> None:
    section = "\n".join(script("operators").section(operators["smooth_relu_backward"]))
    assert "actgrad.smooth_relu_backward(grad_output, self, *, beta=1.0" in section
    assert "It requires: beta > 0." in section


def test_every_formula_is_mathematics() -> None:
    """All words of a formula are in its TeX, as names, functions or signs."""
    mathematics = script("mathematics")
    for operator in operators.values():
        display = "\n".join(mathematics.display(first_line(operator.definition))).replace(r"\_", "_")
        assert display.count("$$") in (2, 4), operator.name
        signs = {"exp": "e^", "sqrt": "sqrt", "log": "ln", "abs": "left|", "Phi": "Phi", "phi": "varphi"}
        for word in {*re.findall(r"[A-Za-z_]\w*", first_line(operator.definition).partition("; ")[0])} - {"and"}:
            assert signs.get(word, word.rstrip("0123456789")) in display, (operator.name, word)


@pytest.mark.parametrize(
    ("formula", "tex"),
    [
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("a / (b + c)", r"\frac{a}{b + c}"),
        ("-(a + b) * c", r"-\left(a + b\right) \cdot c"),
        ("max(x, 0)**2", r"\left(\max\left(x, 0\right)\right)^{2}"),
        ("1 if x > 0, else y", r"\begin{cases}1 & \text{if } x > 0 \\ y & \text{else}\end{cases}"),
        ("exp(a / b) * alpha2", r"e^{a / b} \cdot \alpha_2"),
    ],
)  # fmt: skip
def test_a_formula_keeps_its_meaning(formula: str, tex: str) -> None:
    assert script("mathematics").tex(formula) == tex


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="has no form in TeX"):
        script("mathematics").tex("[x for x in y]")


def test_the_cells_of_chips_are_what_the_model_of_statuses_says() -> None:
    """A right call of each C function on each product, by the independent model, has a dtype of the cell."""
    from tests.ascend.aclnn.test_aclnn_fuzz import EXISTS, FUNCTIONS, INPUTS, PRODUCTS, good

    chips = script("chips")
    names = {"float32": "FLOAT", "float16": "FLOAT16", "bfloat16": "BF16", "float64": "DOUBLE"}
    names |= {name: name.upper() for name in ("int8", "int32", "int64")}
    words = {names[name]: word for name, word in chips.LETTERS.items() if name in names}
    compared = 0
    rows = {name: row[2:] for row in chips.rows() for name in row[1].split(", ")}
    for function in FUNCTIONS:
        cells = dict(zip(PRODUCTS, rows[function.removeprefix("aclnn")], strict=True))
        for product, cell in cells.items():
            if product not in EXISTS[function]:
                assert cell == "-", (function, product)
                continue
            dtype = good(function, product, False)[INPUTS[function][0]].dtype
            if dtype in words:
                assert words[dtype] in cell.split(), (function, product, dtype)
                compared += 1
    assert compared > 300
