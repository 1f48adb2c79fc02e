"""Pages of the site besides docs/, a hook of MkDocs: example programs, results of benchmarks, documents of the root.

Pages link to these as a git forge needs it (`../examples/elu.cpp`, `../CONTRIBUTING.md`), documents of the root to
pages (`docs/sdk.md`). On the site, links between the pages take their place.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LANGUAGES = {".c": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python"}
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]+)")  # the target of ](target) and ](target#anchor)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The site's files, with the pages that are made here."""
    sys.path.insert(0, str(ROOT))
    from benchmarks import page

    files.append(File.generated(config, "examples.md", content="\n".join(examples())))
    files.append(File.generated(config, "benchmarks/results.md", content=page.page()))
    for name in DOCUMENTS:
        files.append(File.generated(config, name.lower(), content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The page, with the site's links."""
    is_document = page.file.src_uri in map(str.lower, DOCUMENTS)
    folder = "" if is_document else posixpath.join("docs", posixpath.dirname(page.file.src_uri))
    here = posixpath.dirname(page.file.src_uri) or "."

    def link(match: re.Match[str]) -> str:
        return posixpath.relpath(place(posixpath.normpath(posixpath.join(folder, match[1]))), here)

    return LINK.sub(link, expanded(markdown))


def expanded(markdown: str) -> str:
    """A page with the names of the registry in the place of comments such as `<!-- every operator -->`."""
    import actgrad
    from actgrad.torch import public_names

    names = {
        "operator": [f"actgrad.{name}" for name in actgrad.operators],
        "function": [f"actgrad.torch.{each.function}" for each in public_names.all_names()],
        "module": [f"actgrad.torch.{each.module}" for each in public_names.all_names() if each.module],
    }

    def lines(match: re.Match[str]) -> str:
        options = "\n    options:\n      members: false" if match[1] == "module" else ""
        return "\n\n".join(f"::: {name}{options}" for name in names[match[1]])

    return re.sub(r"<!-- every (operator|function|module) -->", lines, markdown)


def place(path: str) -> str:
    """Where in docs/ the site has a file of the project, by its path from the root."""
    folder, name = posixpath.split(path)
    if path in DOCUMENTS:
        return name.lower()
    if path == "examples":
        return "examples.md"
    return f"examples.md#{name}" if folder == "examples" else posixpath.relpath(path, "docs")


def examples() -> Iterator[str]:
    """The lines of the page with all example programs."""
    yield "# Example programs"
    yield ""
    yield "The files of the folder `examples`. `actgrad sdk --run examples/elu.cpp` builds and runs a C or C++ program,"
    yield "see [aclnn programs](sdk.md); `train_sharded.py` is described with [PyTorch](torch.md#beyond-one-process)."
    for path in sorted((ROOT / "examples").iterdir()):
        if path.suffix in LANGUAGES:
            yield f"\n## {path.name} {{: #{path.name} }}\n\n````{LANGUAGES[path.suffix]}"
            yield path.read_text(encoding="utf-8").rstrip()
            yield "````"
