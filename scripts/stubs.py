"""The stubs of the names that follow from the registry, for type checkers and editors.

python scripts/stubs.py            print them
python scripts/stubs.py --write    write them beside their modules
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import actgrad
from actgrad.torch import public_names

PACKAGE = Path(actgrad.__file__).parent


def operators() -> str:
    """ops/public.pyi: every operator by name."""
    lines = ['"""The operators by name."""', "", "from ..calls.operator import Operator", ""]
    lines += [f"__all__ = {sorted(actgrad.operators)}", ""]
    return "\n".join([*lines, *(f"{name}: Operator" for name in sorted(actgrad.operators))])


def functions() -> str:
    """torch/functions.pyi: every function, with its docstring."""
    names = [each for each in public_names.all_names() if each.function]
    texts = [_stub(each.function_text(), each.function_documentation) for each in names]
    return _module("The differentiable functions", [each.function for each in names], texts)


def modules() -> str:
    """torch/modules.pyi: every module, with its docstring and attributes."""
    names = [each for each in public_names.all_names() if each.module]
    texts = []
    for each in names:
        own = each.module_parameters if each.base == "torch.nn.Module" else ()
        attributes = "\n".join(f"{p.name}: {p.annotation}" for p in own)
        (tree,) = ast.parse(each.module_text()).body
        assert isinstance(tree, ast.ClassDef)
        methods = [m for m in tree.body if isinstance(m, ast.FunctionDef) and m.name in ("__init__", "forward")]
        for method in methods:
            if method.name == "__init__":
                method.returns = ast.Constant(None)
            method.body = [ast.Expr(ast.Constant(...))]
        body = "\n".join([attributes, *map(ast.unparse, methods)])
        quoted = _quoted(each.module_documentation)
        texts.append(f"class {each.module}({each.base}):\n" + textwrap.indent(f"{quoted}\n{body}", "    "))
    return _module("The modules", [each.module for each in names], texts)


def _stub(text: str, documentation: str) -> str:
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.FunctionDef)
    tree.body = [ast.Pass()]
    head = ast.unparse(tree).removesuffix("pass").rstrip()
    return f"{head}\n{textwrap.indent(_quoted(documentation), '    ')}"


def _quoted(text: str) -> str:
    end = "\n" if "\n" in text else ""
    return f'"""{text}{end}"""'


def _module(title: str, names: list[str], texts: list[str]) -> str:
    head = f'"""{title} as type checkers and editors see them."""\n\nimport torch\n\n__all__ = {sorted(names)}'
    return "\n\n".join([head, *texts])


STUBS = {"ops/public.pyi": operators, "torch/functions.pyi": functions, "torch/modules.pyi": modules}


def formatted(text: str) -> str:
    """A stub in the project's order and format."""
    for command in ("check --fix-only", "format"):
        line = [sys.executable, "-m", "ruff", *command.split(), "--stdin-filename", "stub.pyi", "-"]
        made = subprocess.run(line, input=text, capture_output=True, text=True, check=True, cwd=PACKAGE.parents[1])
        text = made.stdout
    return text


def main() -> None:
    """Print the stubs, or write them."""
    for name, make in STUBS.items():
        text = formatted(make())
        if "--write" in sys.argv[1:]:
            (PACKAGE / name).write_text(text, encoding="utf-8")
        else:
            print(text)


if __name__ == "__main__":
    main()
