"""The rules of the house: no circles, files of at most 400 lines, names that occur once, plain sentences."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from pathlib import Path

import pytest

import actgrad

PACKAGE = Path(actgrad.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
NATIVE = sorted([*PACKAGE.rglob("*.c"), *PACKAGE.rglob("*.h")])
TESTS = Path(__file__).parents[1]
PHRASES = re.compile(
    r"\b(what (is|was|it|they|stands|lies|comes)|of which|whoever|whom|nobody|had for|lies there|asked for|"
    r"in the midst|beside what)\b",
    re.IGNORECASE,
)
OLD_WORDS = re.compile(
    r"\b(Applied|Doors|in_turn|where_seldom|seldom_left_out|long_way|short_way|Walk|_RowFunction|GATED|is_gated)\b"
)


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def module(path: Path) -> str:
    parts = ("actgrad", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, also for types alone and by name."""
    known = {module(p) for p in FILES}
    own = module(path)
    package = own if path.name == "__init__.py" else own.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    targets = set()
    for target in found:
        while target and target not in known:
            target = target.rpartition(".")[0]
        if target and target != own and not own.startswith(f"{target}.") and not target.startswith(f"{own}."):
            targets.add(target)
    return targets


def test_no_circle() -> None:
    edges = {module(path): imports(path) for path in FILES}
    done: set[str] = set()

    def visit(node: str, above: tuple[str, ...]) -> None:
        assert node not in above, " -> ".join((*above[above.index(node) :], node))
        if node not in done:
            for target in sorted(edges[node]):
                visit(target, (*above, node))
            done.add(node)

    for node in edges:
        visit(node, ())


@pytest.mark.parametrize("path", [*FILES, *NATIVE], ids=name)
def test_files_have_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_folders_have_at_most_14_files() -> None:
    counts = Counter(path.parent for path in [*FILES, *NATIVE] if path.name != "__init__.py")
    crowded = {name(folder): n for folder, n in counts.items() if n > 14}
    assert crowded.keys() <= {"backends/cpu", "ops"}, crowded


def test_no_class_and_no_module_name_twice() -> None:
    modules = Counter(path.stem for path in FILES if path.name not in ("__init__.py", "__main__.py"))
    classes = Counter(
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [n for n, count in (modules + classes).items() if count > 1 and max(modules[n], classes[n]) > 1] == []


@pytest.mark.parametrize("path", FILES, ids=name)
def test_sentences_and_words(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert OLD_WORDS.findall(text) == []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.string.lstrip("rbf").startswith('"""')
        if token.type == tokenize.COMMENT or is_docstring:
            assert not PHRASES.search(token.string), (token.start, token.string)


def test_a_package_lists_its_files() -> None:
    missing = []
    for path in FILES:
        if path.name == "__init__.py" and path.parent not in (PACKAGE, PACKAGE / "ops"):
            text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            siblings = [p.stem for p in path.parent.glob("*.py") if p.name != "__init__.py"]
            missing += [f"{name(path.parent)}: {stem}" for stem in siblings if not re.search(rf"\b{stem}\b", text)]
    assert missing == []


def test_no_floor_above_knows_an_argument_by_its_name() -> None:
    """Questions for an argument are asked of access objects and roles."""
    pattern = re.compile(r"""[!=]=\s*["'](self|x|result|output|gelu|activate_left|is_result|self_is_result|dim)["']""")
    found = [
        f"{name(path)}: {line.strip()}"
        for path in FILES
        if path.parent.name != "ops" and name(path) != "base/access.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line)
    ]
    assert found == []


def test_the_inside_of_the_cpu_backend_is_for_its_own_tests() -> None:
    inside = re.compile(r"\bactgrad\.backends\.cpu(\.\w| import )")
    found = {str(p.relative_to(TESTS)) for p in TESTS.rglob("*.py") if inside.search(p.read_text(encoding="utf-8"))}
    assert {path for path in found if not path.startswith("cpu/")} == {
        "calls/test_fast_path_memory.py",  # makes a kernel fail
        "cli/test_version.py",  # compares the report with the processor's facts
        "triton_backend/test_triton_interpreter.py",  # compares with kernels that look nothing up
    }


def test_no_two_test_modules_have_one_name_and_none_hides_a_library() -> None:
    """A process that starts in `tests` finds its folders before the libraries that are installed."""
    files = Counter(path.stem for path in TESTS.rglob("*.py") if path.name != "__init__.py")
    assert [stem for stem, count in files.items() if count > 1] == []
    assert not {path.name for path in TESTS.iterdir()} & {"numpy", "onnx", "scipy", "torch", "triton"}
