"""The structure of the package: imports go down, a name means one thing, and no module reaches into another."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import actgrad

PACKAGE = Path(actgrad.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
TESTS = Path(__file__).parents[1]
#: The folders with a file for each family.
FAMILIES = (PACKAGE / "ops", PACKAGE / "ascend" / "law")
TABLE = PACKAGE / "ascend" / "network" / "functions"
WINGS = ("ascend", "judge", "kernel", "torch")
#: Modules that are other names of modules of wings.
OTHER_NAMES = ("aclnn", "conformance", "ir", "torch_npu")
#: What a wing may import of another: the judge runs kernels, and CANN's case files are read on top of the judge.
BETWEEN_WINGS = (("judge/", "actgrad.kernel"), ("ascend/cases/", "actgrad.judge"))
#: From the ground up; a file may import from its own floor and from those below.
FLOORS = (
    {"base"},
    {"writing"},
    {"arrays"},
    {"backends"},
    {"checks"},
    {"author"},
    {"calls"},
    {"ops"},
    {"cli", "aten", "samples"},
    {"ascend", "judge", "kernel", "torch", *OTHER_NAMES},
)


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module(path: Path) -> str:
    parts = ("actgrad", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: The names of all modules of the package.
MODULES = {module(path) for path in FILES}


@functools.cache
def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, also for types alone and by name."""
    own = module(path)
    package = own if path.name == "__init__.py" else own.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree(path)):
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
        while target and target not in MODULES:
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


def test_no_class_name_twice() -> None:
    classes = Counter(n.name for path in FILES for n in ast.walk(tree(path)) if isinstance(n, ast.ClassDef))
    assert [name for name, count in classes.items() if count > 1] == []


def test_no_module_name_twice_in_the_core_or_a_wing() -> None:
    """A family's law has the name of its mathematics, and a part of the table the name of its rules."""
    modules: Counter[tuple[str, str]] = Counter()
    for path in FILES:
        part = path.relative_to(PACKAGE).parts[0]
        if path.name not in ("__init__.py", "__main__.py") and path.parent not in (FAMILIES[1], TABLE):
            modules[part if part in WINGS else "core", path.stem] += 1
    assert [name for name, count in modules.items() if count > 1] == []


def test_a_package_lists_its_files() -> None:
    missing = []
    for path in FILES:
        if path.name == "__init__.py" and path.parent not in (PACKAGE, *FAMILIES, TABLE):
            text = ast.get_docstring(tree(path)) or ""
            siblings = [p.stem for p in path.parent.glob("*.py") if p.name != "__init__.py"]
            missing += [f"{name(path.parent)}: {stem}" for stem in siblings if not re.search(rf"\b{stem}\b", text)]
    assert missing == []


@pytest.mark.needs("ascend")
def test_each_family_has_a_file_of_mathematics_and_one_of_law() -> None:
    formulas, laws = ({path.stem for path in folder.glob("*.py")} for folder in FAMILIES)
    assert formulas - {"public"} == laws


def test_no_floor_above_knows_an_argument_by_its_name() -> None:
    """Questions for an argument are asked of access objects and roles."""
    pattern = re.compile(r"""[!=]=\s*["'](self|x|result|output|gelu|activate_left|is_result|self_is_result|dim)["']""")
    found = [
        f"{name(path)}: {line.strip()}"
        for path in FILES
        if path.parent not in (*FAMILIES, PACKAGE / "base" / "access")
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


def floor(module_name: str) -> int | None:
    """The floor of a module; None for the package itself, which may see all."""
    parts = module_name.split(".")
    return next((k for k, names in enumerate(FLOORS) if len(parts) > 1 and parts[1] in names), None)


def modules_in_strings(path: Path) -> set[str]:
    """The modules of the package that strings of a file name, also with the package's name in a field."""
    texts = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.JoinedStr):
            texts.append("".join(str(v.value) if isinstance(v, ast.Constant) else "actgrad" for v in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    return {text for text in texts if re.fullmatch(r"actgrad(\.[a-z_]+)+", text)}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_go_down(path: Path) -> None:
    """Also those by a name in a string, and those for types alone."""
    here = floor(module(path))
    if here is not None:
        targets = imports(path) | modules_in_strings(path)
        assert [t for t in sorted(targets) if (above := floor(t)) is not None and above > here] == []


@pytest.mark.parametrize("wing", WINGS)
def test_a_wing_imports_no_other(wing: str) -> None:
    others = tuple(f"actgrad.{w}" for w in (*WINGS, *OTHER_NAMES) if w != wing)
    found = [
        f"{name(path)}: {target}"
        for path in FILES
        if path.relative_to(PACKAGE).parts[0] == wing
        for target in sorted(imports(path))
        if f"{target}.".startswith(tuple(f"{other}." for other in others))
        and not any(name(path).startswith(user) and target.startswith(other) for user, other in BETWEEN_WINGS)
    ]
    assert found == []


def names_made(path: Path) -> list[str]:
    """The variables, parameters, functions and classes that a file makes."""
    made: list[str] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.append(node.id)
        elif isinstance(node, ast.arg):
            made.append(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            made.append(node.name)
    return made


#: Private names of PyTorch, ctypes and named tuples, which some file of the package uses for its own things too.
FOREIGN = {
    "_C",
    "_base",
    "_clone",
    "_current_level",
    "_fields_",
    "_library",
    "_modules",
    "_parameters",
    "_replace",
    "_version",
}


def is_private(word: str) -> bool:
    return word.startswith("_") and not word.startswith("__") and word not in ("_", *FOREIGN)


def private_names_defined(path: Path) -> set[str]:
    """The private functions, classes, variables and attributes that a file defines."""
    words = set(names_made(path))
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            words.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)  # of __slots__
    return {word for word in words if is_private(word)}


@functools.cache
def private_names_of_the_package() -> dict[str, set[Path]]:
    """The private names of all files, each with the files that define it."""
    definitions: dict[str, set[Path]] = defaultdict(set)
    for path in FILES:
        for word in private_names_defined(path):
            definitions[word].add(path)
    return definitions


def private_names_of_others(path: Path) -> list[str]:
    """The private names that a file uses and another file alone defines."""
    uses: list[str] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("actgrad")):
            uses += [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            uses.append(node.attr)
    definitions = private_names_of_the_package()
    return [word for word in uses if definitions.get(word) and path not in definitions[word]]


def test_modules_use_no_private_names_of_other_modules() -> None:
    assert [f"{name(path)}: {word}" for path in FILES for word in private_names_of_others(path)] == []
