"""Build the site: the pages of docs/, and those that are made from the registry, the examples and the benchmarks.

python scripts/site.py FOLDER    build it in a folder, with warnings as errors

The pages of docs/ link to other files as a git forge needs it (`../examples/elu.cpp`, `../src/actgrad/ops/elu.py`).
On the site, these links lead to pages. A new page of docs/ needs a line in NAVIGATION.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import families
import operators
import site_names

from actgrad.ascend.sdk import declared_functions

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LANGUAGES = {".c": "c", ".cpp": "cpp", ".h": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "sh", ".yml": "yaml"}
LINK = re.compile(r"\[([^\]\n]*)\]\((?!\w+:)([^)#\s]+)(#[^)\s]*)?\)")  # the parts of [text](target#anchor)
DEFINITION = re.compile(r"src/actgrad/ops/(\w+)\.py")
SDK_TABLE = "src/actgrad/ascend/network/functions"  # on the site, a page
NAVIGATION = {
    "Start": ["tutorials/port", "tutorials/kernel", "accept", "tutorials/train"],
    "Ascend without an NPU": ["sdk", "sdk-coverage", "torch_npu", "train-on-npu", "ggml", "ci", "sdk-internals"],
    "Kernels and results": ["kernel", "check", "standards", "case-files", "ci-kernels", "power"],
    "PyTorch and NumPy": ["torch", "torch-reference", "models", "numpy", "backward", "rows", "coming-from"],
    "Look up": ["formulas", "operators", "chips", "commands", "statuses", "variables", "api/index"],
    "When something is wrong": ["troubleshooting", "faq", "glossary", "support", "upgrade-0.4"],
    "Measurements": ["performance", "accuracy", "ulp", "families", "benchmarks/index", "benchmarks/results"],
    "Understand and extend": [
        *("how-it-works", "architecture", "new-operator", "determinism", "comparison", "examples", "sdk-functions"),
    ],
    "The project": ["contributing", "changelog", "security"],
}
NESTED = {"operators": "operators/*", "api/index": "api/*"}  # pages below another page


def assemble(folder: Path) -> None:
    """Put all pages of the site into a folder."""
    shutil.copytree(ROOT / "docs", folder, dirs_exist_ok=True)
    pages = {posixpath.join("docs", path.relative_to(folder).as_posix()): path for path in folder.rglob("*.md")}
    texts = {path: page.read_text(encoding="utf-8") for path, page in pages.items()} | dict(generated())
    for page in pages.values():
        page.unlink()
    for path, text in texts.items():
        page = folder / f"{place(path)}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(site_names.expanded(with_links(text, path)) + toctree(place(path)), encoding="utf-8")


def generated() -> Iterator[tuple[str, str]]:
    """The pages that are no files of docs/: where they would lie in the repository, and their text."""
    sys.path.insert(0, str(ROOT))
    from benchmarks import page

    yield "docs/index.md", front_page()
    yield "docs/examples.md", "\n".join(examples())
    yield "docs/sdk-functions.md", "\n".join(sdk_functions())
    yield "docs/benchmarks/results.md", page.page()
    yield from ((name, (ROOT / name).read_text(encoding="utf-8")) for name in DOCUMENTS)
    numbers = families.sentences()
    for stem in operators.families():
        yield f"docs/operators/{stem}.md", operators.family_page(stem, numbers)


def front_page() -> str:
    """The README, with links as from the folder docs."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("[中文](README.zh-CN.md)\n\n", "")
    return re.sub(r"\]\((?!\w+:|#)(docs/)?", lambda match: "](" if match[1] else "](../", text)


def toctree(page: str) -> str:
    """The navigation at the end of a page that has pages below it."""
    groups = NAVIGATION if page == "index" else {"": [NESTED[page]]} if page in NESTED else {}
    lines = []
    for caption, pages in groups.items():
        options = [":hidden:", f":caption: {caption}" if caption else ":glob:"]
        lines += ["", "```{toctree}", *options, "", *(f"/{each}" for each in pages), "```"]
    return "\n".join(lines) + "\n"


def with_links(markdown: str, path: str) -> str:
    """A page of the repository with the links of the site; a file that is on no page loses its link."""
    here = posixpath.dirname(place(path)) or "."

    def link(match: re.Match[str]) -> str:
        text, anchor = match[1], match[3] or ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
        definition = DEFINITION.fullmatch(target)
        if definition:
            page, anchor = f"operators/{definition[1]}.md", f"#{text}"
        elif target == "examples" or is_example(ROOT / target):
            page, anchor = "examples.md", f"#{slug(target.removeprefix('examples/'))}" if "/" in target else ""
        elif target == SDK_TABLE:
            page = "sdk-functions.md"
        elif target in DOCUMENTS or target.startswith("docs/"):
            page = f"{place(target)}.md" if target.endswith(".md") else target.removeprefix("docs/")
        else:
            return text
        return f"[{text}]({posixpath.relpath(page, here)}{anchor})"

    return LINK.sub(link, markdown)


def is_example(path: Path) -> bool:
    """Whether a file is on the page with all example programs."""
    return path.suffix in LANGUAGES and ROOT / "examples" in path.parents


def slug(heading: str) -> str:
    """The anchor of a heading, as git forges make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def place(path: str) -> str:
    """The name on the site of a Markdown file of the repository, without the ending."""
    name = (path.lower() if path in DOCUMENTS else path.removeprefix("docs/")).removesuffix(".md")
    return re.sub(r"(^|/)README$", r"\1index", name)


def examples() -> Iterator[str]:
    """The lines of the page with all example programs."""
    yield "# Example programs"
    yield ""
    yield "These are the files of the folder `examples`. `actgrad sdk --run examples/elu.cpp` builds and runs a program"
    yield "in C or C++ ([aclnn programs](sdk.md)). `train_sharded.py` is described"
    yield "[with PyTorch](torch-reference.md#beyond-one-process)."
    for path in sorted(filter(is_example, (ROOT / "examples").rglob("*"))):
        yield f"\n## {path.relative_to(ROOT / 'examples')}\n\n````{LANGUAGES[path.suffix]}"
        yield path.read_text(encoding="utf-8").rstrip()
        yield "````"


def sdk_functions() -> Iterator[str]:
    """The lines of the page with all functions that the SDK computes besides the activations."""
    unchecked = declared_functions.unchecked()
    yield "# Functions of the SDK besides the activations"
    yield ""
    yield "The [SDK](sdk-coverage.md#what-the-sdk-has) computes these functions with PyTorch and NumPy."
    yield "`actgrad sdk --check` calls those without checks *computed, not checked*."
    for subject in dict.fromkeys(row.reason for row in declared_functions.computed().values()):
        rows = [row for row in declared_functions.computed().values() if row.reason == subject]
        yield f"\n## {subject[0].upper()}{subject[1:]}"
        yield "\n| function | header | checks in phase one |\n| --- | --- | --- |"
        for row in sorted(rows, key=lambda row: row.name):
            yield f"| `{row.name}` | `{row.header}` | {'no' if row.name in unchecked else 'yes'} |"


def main() -> int:
    """Assemble the pages and let Sphinx build them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the site")
    folder = parser.parse_args().folder
    from sphinx.cmd.build import main as build

    with tempfile.TemporaryDirectory(prefix="actgrad-site-") as temporary:
        source, trees = Path(temporary) / "pages", Path(temporary) / "trees"
        assemble(source)
        return build(["-q", "-W", "--keep-going", "-b", "html", "-d", str(trees), str(source), str(folder)])


if __name__ == "__main__":
    sys.exit(main())
