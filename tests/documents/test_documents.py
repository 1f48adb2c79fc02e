"""Generated parts of documents: put between their markers, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from actgrad.base.errors import ActgradError
from actgrad.writing.documents import part, with_part, write_part

DOCUMENT = "before\n<!-- a -->\nold\n<!-- /a -->\nbetween\n<!-- b -->\n<!-- /b -->\nafter"


def test_only_the_named_part_changes(tmp_path: Path) -> None:
    fresh = with_part(DOCUMENT, "a", "new\n\nlines\n")
    assert fresh == DOCUMENT.replace("old", "new\n\nlines")
    assert part(fresh, "a") == "new\n\nlines"
    assert with_part(fresh, "a", part(fresh, "a")) == fresh
    assert part(fresh, "b") == ""
    path = tmp_path / "d.md"
    path.write_text(DOCUMENT, encoding="utf-8")
    write_part(path, "b", "text")
    assert path.read_text(encoding="utf-8") == DOCUMENT.replace("<!-- b -->\n", "<!-- b -->\ntext\n")


@pytest.mark.parametrize("text", ["", "<!-- a -->", "<!-- /a -->", "<!-- /a --><!-- a -->", "<!-- b --><!-- /b -->"])
def test_without_both_markers_nothing_is_written(text: str, tmp_path: Path) -> None:
    path = tmp_path / "d.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ActgradError, match=r"it must have the lines <!-- a --> and <!-- /a -->"):
        write_part(path, "a", "new")
    assert path.read_text(encoding="utf-8") == text
