"""The documentation as a site: it builds without a warning, its links lead somewhere, what its pages show is so."""

from __future__ import annotations

import doctest
import html
import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

import actgrad
import actgrad.aclnn
from tests.support.calls import script
from tests.support.sdk_programs import needs_compiler

pytestmark = pytest.mark.share(6)

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ("faq", "glossary", "how-it-works", "numpy")  # pages whose Python is a dialogue
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


class Page(HTMLParser):
    """What a page links to, loads, shows and can be linked to at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.without_text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if values.get(LOADED.get(tag, "")):
            self.loaded.append(values[LOADED[tag]])
        if tag == "img" and not values.get("alt"):
            self.without_text.append(values.get("src", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    for package in ("sphinx", "myst_parser", "furo", "sphinx_copybutton", "torch"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[docs,torch]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, ROOT / "scripts" / "site.py", folder]
    built = subprocess.run(command, cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_document_has_a_page(site: Path) -> None:
    wanted = [path.relative_to(DOCS) for path in DOCS.rglob("*.md")]
    made = [path.with_name("index.md" if path.name == "README.md" else path.name) for path in wanted]
    assert len(made) > 10
    made += map(
        Path, ("index.md", "examples.md", "changelog.md", "contributing.md", "security.md", "benchmarks/results.md")
    )
    made.append(Path("sdk-functions.md"))
    made += [Path(f"operators/{family}.md") for family in script("operators").families()]
    for path in made:
        assert (site / path.with_suffix(".html")).exists(), path


def test_links_lead_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    checked = 0
    for path, page in pages.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_relative_to(site.resolve()), (path.name, link)
            assert target.exists(), (path.name, link)
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, (path.name, link)
            checked += 1
    assert checked > 1000


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for link in page.loaded:
            assert not urlsplit(link).scheme, (path.name, link)
            assert not urlsplit(link).netloc, (path.name, link)
        assert not page.without_text, (path.name, page.without_text)
    for path in (*site.rglob("*.css"), *site.rglob("*.svg")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//|<script|<image", text), path.name


def test_links_also_work_on_a_forge() -> None:
    """Relative, to files of the project; anchors are those of headings, made as GitHub and GitLab make them."""
    for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md")):
        text = re.sub(r"^(```+).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / parts.path).resolve() if parts.path else path
            assert target.exists(), (path.name, link)
            if parts.fragment:
                headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), flags=re.M)
                anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
                assert parts.fragment in anchors, (path.name, link)


def test_the_page_of_results_has_every_file(pages: dict[Path, Page]) -> None:
    (page,) = (page for path, page in pages.items() if path.name == "results.html")
    assert {path.stem for path in (DOCS / "benchmarks").glob("*.json")} <= page.anchors


def test_plots_are_fresh() -> None:
    pytest.importorskip("matplotlib")
    plots = script("plots")
    pictures = {*plots.plotted(), plots.SPEED, "how-it-works", "architecture"}
    others = pictures ^ {path.stem for path in plots.FOLDER.glob("*.svg")}
    assert not others, f"docs/images lacks pictures of {others}, or has no use for them; run `make operators`"
    for name in plots.plotted():
        picture = (plots.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert plots.checksum_of(picture) == plots.checksum(name), f"{name}: python scripts/plots.py"
        assert len(picture) < 20_000
    picture = (plots.FOLDER / f"{plots.SPEED}.svg").read_text(encoding="utf-8")
    assert plots.checksum_of(picture) == plots.bars_checksum(), "python scripts/plots.py"
    assert len(picture) < 40_000


def test_plots_show_the_function_and_its_derivative() -> None:
    pytest.importorskip("matplotlib")
    plots = script("plots")
    for name in plots.plotted():
        x, y, derivative = plots.numbers(name)
        slopes = (y[2:] - y[:-2]) / (x[2:] - x[:-2])
        steps = abs(np.diff(derivative))
        smooth = (steps[1:] < 0.05) & (steps[:-1] < 0.05) & (abs(x[1:-1]) > 0.02)  # elsewhere there is a kink
        smooth &= abs(np.diff(derivative, 2)) < 4e-3  # the derivative has no kink of its own
        assert abs(slopes - derivative[1:-1])[smooth].max() < 1e-3, name


def test_every_public_name_is_on_a_page() -> None:
    pytest.importorskip("torch")
    import actgrad.torch
    import actgrad.torch_npu

    names = script("site_names")
    blocks = [b for path in (DOCS / "api").glob("*.md") for b in names.BLOCK.findall(path.read_text(encoding="utf-8"))]
    documented = [name for block in blocks for name, _ in names.names_in(block)]
    assert len(documented) == len({*documented}), "each name is on one page"
    wanted = {f"actgrad.{name}" for name in actgrad.__all__}
    wanted |= {f"actgrad.torch.{name}" for name in actgrad.torch.__all__}
    wanted |= {f"actgrad.conformance.{name}" for name in ("judge", "Verdict", "Diagnosis")}
    wanted |= {f"actgrad.torch_npu.{name}" for name in actgrad.torch_npu.__all__}
    wanted |= {f"actgrad.aclnn.{name}" for name in actgrad.aclnn.__all__}
    wanted |= {"actgrad.ir.names", "actgrad.ir.GraphOperator"}
    assert {*documented} == wanted


def test_operators_have_signatures_on_the_site(site: Path) -> None:
    text = _without_space(_text_of(site / "api" / "index.html"))  # long ones are broken into lines
    for name in ("elu_backward", "geglu"):
        assert _without_space(f"{name}{actgrad.operators[name].__signature__}") in text


def test_formulas_are_mathematics_on_the_site(site: Path) -> None:
    """Each operator has a displayed formula on its family's page; nothing there became bold or a stray bar."""
    for family, members in script("operators").families().items():
        page = (site / "operators" / f"{family}.html").read_text(encoding="utf-8")
        assert page.count('<div class="math"><math') >= len(members), family
        assert not re.search(r"<strong>(?!Where the sources disagree)", page), family
        for operator in members:
            assert f'id="{operator.name.replace("_", "-")}"' in page or f'id="{operator.name}"' in page
    gelu = (site / "operators" / "gelu.html").read_text(encoding="utf-8")
    assert _without_space("x + 0.044715 \N{DOT OPERATOR} x 3") in _without_space(
        re.sub(r"<[^>]*>", "", html.unescape(gelu))
    )
    check = _text_of(site / "check.html")
    assert "\\|" not in check


def test_the_search_index_has_the_pages(site: Path) -> None:
    """It is a script, which a browser also loads from a folder, without a server."""
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert index.startswith("Search.setIndex(")
    assert '"operators/gelu"' in index
    assert "searchindex.js" in (site / "search.html").read_text(encoding="utf-8")


def _text_of(path: Path) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", path.read_text(encoding="utf-8")))


def _without_space(text: str) -> str:
    return re.sub(r"[\s,]+", "", text)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", EXAMPLES)
def test_dialogues(name: str) -> None:
    """What the page shows is what Python answers, error messages included."""
    pytest.importorskip("torch")
    path = DOCS / f"{name}.md"
    source = path.read_text(encoding="utf-8")
    assert "```pycon" in source
    text = re.sub(r"^```.*$", "", source, flags=re.M)
    test = doctest.DocTestParser().get_doctest(text, {"__name__": name}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    assert runner.tries > 2


@needs_compiler
def test_commands_of_the_faq(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool, line in {"actgrad": "-m actgrad ", "python": ""}.items():
        (tools / tool).write_text(f'#!/bin/sh\nexec "{sys.executable}" {line}"$@"\n')
        (tools / tool).chmod(0o755)
    blocks = re.findall(r"```console\n(.*?)```", (DOCS / "faq.md").read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) > 3
    environment = {**_environment(), "PATH": f"{tools}:{os.environ['PATH']}"}
    for block in blocks:
        lines = block.splitlines()
        commands = "\n".join(line.removeprefix("$ ") for line in lines if line.startswith("$ "))
        ran = subprocess.run(["sh"], input=commands, cwd=tmp_path, env=environment, capture_output=True, text=True)
        for line in lines:
            if not line.startswith("$ "):
                assert line in ran.stdout + ran.stderr, block


def test_quoted_sources() -> None:
    """What "How it works" quotes stands in the sources."""
    source = (ROOT / "src" / "actgrad" / "ops" / "elu.py").read_text(encoding="utf-8")
    quotes = re.findall(r"```python\n(.*?)```", (DOCS / "how-it-works.md").read_text(encoding="utf-8"), flags=re.S)
    assert len(quotes) == 2
    for quote in quotes:
        assert quote.strip() in source


def _environment() -> dict[str, str]:
    """For commands: the package of these tests."""
    path = os.pathsep.join([str(Path(actgrad.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path.rstrip(os.pathsep), "COLUMNS": "120"}
