"""The C sources of the SDK: a file uses only files below it, in the order of their README."""

from __future__ import annotations

import re

from actgrad.ascend.sdk.builder import SOURCES


def test_no_circle_of_uses() -> None:
    order = re.findall(r"^\| `([\w/]+\.c)` \|", (SOURCES / "README.md").read_text(), flags=re.M)
    texts = {path.relative_to(SOURCES).as_posix(): path.read_text() for path in SOURCES.rglob("*.c")}
    assert sorted(order) == sorted(texts)
    owner = {
        name: file
        for file, text in texts.items()
        for name in re.findall(r"^\w[\w* ]*?\b(actgrad_\w+)(?:\(| = )", text, flags=re.M)
    }
    assert len(owner) > 60
    wrong = [
        f"{file} uses {name} of {owner[name]}, which is above it"
        for file, text in texts.items()
        for name in sorted(set(re.findall(r"\bactgrad_\w+", text)) & owner.keys())
        if order.index(owner[name]) > order.index(file)
    ]
    assert not wrong, "\n".join(wrong)


def test_headers_list_files_in_that_order() -> None:
    readme = (SOURCES / "README.md").read_text()
    for header in ("ascendcl/services.h", "ascendcl/runtime.h", "nnopbase/nnopbase.h"):
        text = (SOURCES / header).read_text()
        listed = re.findall(r"^/\* ((?:\w+\.c, )*\w+\.c)(?::| \*/)", text, flags=re.M)
        files = [f"`{header.partition('/')[0]}/{name}`" for names in listed for name in names.split(", ")]
        assert len(files) > 4
        assert files == sorted(files, key=readme.index), header
