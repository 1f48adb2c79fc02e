"""Documents, comments and docstrings are easy to read: few words that hide who does what, few chains of semicolons."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

import actgrad

ROOT = Path(__file__).parents[2]
GENERATED = ("accuracy.md", "families.md")  # almost only tables
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if ".zh" not in path.name and path.name not in GENERATED
)
HEAVY = re.compile(
    r"\b(that of|those of|of which|is no|are no|by whomever|at hand|in place of|as it is|as they are|"
    r"where there (is|are)|beside|the like|its like|in turn|no longer|hands? over|none of)\b",
    re.IGNORECASE,
)


def prose(text: str) -> str:
    """A document without code and tables."""
    return re.sub(r"```.*?```|^\|[^\n]*$|`[^`\n]*`", "", text, flags=re.S | re.M)


def comments_and_docstrings(path: Path) -> str:
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return "\n".join(
        token.string
        for token in tokens
        if token.type == tokenize.COMMENT
        or (token.type == tokenize.STRING and token.string.lstrip("rbf").startswith('"""'))
    )


TEXTS = {
    "documents": {path.name: prose(path.read_text(encoding="utf-8")) for path in DOCUMENTS},
    "package": {str(path): comments_and_docstrings(path) for path in Path(actgrad.__file__).parent.rglob("*.py")},
}


@pytest.mark.parametrize("kind", TEXTS)
def test_words_and_semicolons(kind: str) -> None:
    """At most 2 heavy words and 6 semicolons in 1,000 words."""
    texts = TEXTS[kind]
    words = sum(len(text.split()) for text in texts.values())
    heavy = {name: [match[0] for match in HEAVY.finditer(text)] for name, text in texts.items()}
    assert sum(map(len, heavy.values())) <= 0.002 * words, {name: found for name, found in heavy.items() if found}
    semicolons = {name: text.count(";") for name, text in texts.items()}
    assert sum(semicolons.values()) <= 0.006 * words, semicolons
