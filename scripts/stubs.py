"""The stubs for type checkers and editors, generated from the definitions of the operators.

python scripts/stubs.py            print the stubs
python scripts/stubs.py --write    write each stub next to its module
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from keyword import iskeyword
from pathlib import Path

import actgrad
from actgrad import aclnn, ir
from actgrad.torch import public_names
from actgrad.torch.derivatives import saving

PACKAGE = Path(actgrad.__file__).parent


ARRAY = """
class Array(Protocol):  # a NumPy array, a torch.Tensor or another object with __dlpack__
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def __dlpack__(self) -> Any: ...

ArrayT = TypeVar("ArrayT", bound=Array)
Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | np.bool_
"""
HEAD = """from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np
"""


def operators() -> str:
    """ops/public.pyi: every operator by name, with the signature of its calls."""
    lines = [_title("the operators by name, with the signatures of their calls."), HEAD]
    lines += ["from ..calls.operator import Operator", "from ..calls.plan import Plan"]
    lines += [f"__all__ = {sorted(actgrad.operators)}", ARRAY]
    for name in sorted(actgrad.operators):
        lines += [_operator_class(actgrad.operators[name]), f"{name}: _{name}"]
    return "\n".join(lines)


def _operator_class(operator: actgrad.Operator) -> str:
    schema = operator.schema
    tensors = [_tensor(a.name, a.is_optional) for a in schema.tensors]
    attributes = [_attribute(operator, a.name, operator.defaults[a.name]) for a in schema.attributes]
    count = len(schema.outputs)
    out = "ArrayT" if count == 1 else f"tuple[{', '.join(['ArrayT | None'] * count)}]"
    result = "ArrayT" if count == 1 else f"tuple[{', '.join(['ArrayT'] * count)}]"
    options = [f"out: {out} | None = None", "backend: str | None = None"]
    parameters = ", ".join(["this", "/", *tensors, "*", *attributes, *options])
    return f"""class _{operator.name}(Operator):
    def __call__({parameters}) -> {result}:
{textwrap.indent(_quoted(_brief(operator.__doc__ or "")), " " * 8)}
    def plan({parameters}) -> Plan: ...
"""


def _tensor(name: str, is_optional: bool) -> str:
    return f"{name}: ArrayT | None = None" if is_optional else f"{name}: ArrayT"


def _attribute(operator: actgrad.Operator, name: str, default: object) -> str:
    if name == operator.switch and operator.choices:
        annotation = f"Literal[{', '.join(map(repr, operator.choices))}] | SupportsIndex"
    else:
        annotation = NUMBERS[operator.schema.attributes_by_name[name].type]
    return f"{name}: {annotation}" + ("" if default is None else f" = {default!r}")


def _fixed_type(value: object) -> str:
    """The type of a parameter that takes one value. There are no literals of a float."""
    return "float" if isinstance(value, float) else f"Literal[{value!r}]"


NUMBERS = {"Scalar": "Number", "int": "SupportsIndex", "bool": "bool | np.bool_"}


def graph_operators() -> str:
    """graph_operators.pyi: every graph operator by name, with the signature of its calls."""
    graphs = {name: getattr(ir, name) for name in sorted(ir.names())}
    lines = [_title("the graph operators by name, with the signatures of their calls."), HEAD]
    lines += ["from ..calls.plan import Plan", "from .graph import GraphOperator"]
    lines += ["from ..ops.public import Array, ArrayT, Number", f"__all__ = {sorted(graphs)}"]
    for name, graph in graphs.items():
        lines += [_graph_class(graph), f"{name}: _{name}"]
    return "\n".join(lines)


def _graph_class(graph: ir.GraphOperator) -> str:
    signature, operator = graph.signature, graph.operator
    attributes = []
    for name, default in signature.attributes.items():
        word = signature.renamed[name]
        is_row = word == operator.access.dimension_attribute
        text = _attribute(operator, word, default) if word else f"{word}: {_fixed_type(default)} = {default!r}"
        text = name + text.removeprefix(word)
        attributes.append(text.replace("SupportsIndex", "SupportsIndex | Sequence[int]") if is_row else text)
    methods = []
    count = len(signature.outputs)
    for method, kind, result in (
        ("__call__", "ArrayT", "ArrayT" if count == 1 else f"tuple[{', '.join(['ArrayT'] * count)}]"),
        ("plan", "ArrayT", "Plan"),
        ("infer_shape", "Sequence[int]", "tuple[tuple[int, ...], ...]"),
        ("infer_dtype", "Any", "tuple[Any, ...]"),
    ):
        inputs = [f"{n}: {kind}" + " | None = None" * (n in signature.optional) for n in signature.inputs]
        star = ["*"] if attributes or method == "plan" else []
        out = ["out: Any = None"] if method == "plan" else []
        methods.append(
            f"    def {method}({', '.join(['this', '/', *inputs, *star, *out, *attributes])}) -> {result}: ..."
        )
    quoted = textwrap.indent(_quoted(_brief(graph.__doc__ or "")), " " * 8)
    methods[0] = f"{methods[0].removesuffix(' ...')}\n{quoted}"
    return "\n".join([f"class _{signature.name}(GraphOperator):", *methods])


C_TYPES = {"Tensor": "Tensor", "Scalar": "Scalar", "bool": "bool | None", "int": "SupportsIndex | None",
           "double": "Number | None", "text": "str | None"}  # fmt: skip


PHASE_TWO = """
class PhaseTwo(Protocol):
    def __call__(
        self, workspace: Any, workspaceSize: int, executor: AclOpExecutor | None, stream: AclrtStream | None, /
    ) -> int: ...
"""


def c_functions() -> str:
    """aclnn/pairs.pyi: both phases of every C function, and the enumerators."""
    signatures = sorted(aclnn.signatures.all_signatures(), key=lambda signature: signature.name)
    names = sorted([*aclnn.names.ALL, *(s.name for s in signatures), *(s.first_name for s in signatures)])
    text = "both phases of every C function, and the enumerators.\n\nPass None for a null pointer."
    lines = [_title(text), HEAD]
    lines += ["from ...ops.public import Array, Number", "from .executors import AclOpExecutor"]
    lines += ["from .objects import AclScalar, AclTensor", "from .streams import AclrtStream", f"__all__ = {names}"]
    lines += ["Tensor: TypeAlias = AclTensor | Array | None", "Scalar: TypeAlias = AclScalar | Number | None"]
    lines += [f"{name}: int" for name in sorted(aclnn.names.ALL)]
    lines.append(PHASE_TWO)
    for signature in signatures:
        parameters = [f"{p.name}{'_' * iskeyword(p.name)}: {C_TYPES[p.type]}" for p in signature.parameters]
        result = "tuple[int, int, AclOpExecutor | None]"
        lines.append(f"def {signature.first_name}({', '.join([*parameters, '/'])}) -> {result}:")
        lines.append(textwrap.indent(_quoted(_brief(getattr(aclnn, signature.first_name).__doc__)), "    "))
        lines.append(f"{signature.name}: PhaseTwo")
    return "\n".join(lines)


def functions() -> str:
    """torch/functions.pyi: every function, with its docstring."""
    names = [each for each in public_names.all_names() if each.function]
    texts = [_stub(_with_ways(each, each.function_text()), each.function_documentation) for each in names]
    return _module("the differentiable functions", [each.function for each in names], texts)


def modules() -> str:
    """torch/modules.pyi: every module, with its docstring and attributes."""
    names = [each for each in public_names.all_names() if each.module]
    texts = []
    for each in names:
        own = each.module_parameters if each.base == "torch.nn.Module" else ()
        attributes = _with_ways(each, "\n".join(f"{p.name}: {p.annotation}" for p in own))
        (tree,) = ast.parse(_with_ways(each, each.module_text())).body
        assert isinstance(tree, ast.ClassDef)
        methods = [m for m in tree.body if isinstance(m, ast.FunctionDef) and m.name in ("__init__", "forward")]
        for method in methods:
            if method.name == "__init__":
                method.returns = ast.Constant(None)
            method.body = [ast.Expr(ast.Constant(...))]
        body = "\n".join([attributes, *map(ast.unparse, methods)])
        quoted = _quoted(_brief(each.module_documentation))
        texts.append(f"class {each.module}({each.base}):\n" + textwrap.indent(f"{quoted}\n{body}", "    "))
    return _module("the modules", [each.module for each in names], texts)


def _with_ways(names: public_names.TorchNames, code: str) -> str:
    """The code of a function or module, in which `save` takes only the words that it accepts."""
    operators = [names.operator, names.operator.part_of or names.operator]
    words = [saving.AUTO, *sorted({word for operator in operators for word in saving.ways(operator)})]
    return code.replace("save: str", f"save: Literal[{', '.join(map(repr, words))}]")


def _stub(text: str, documentation: str) -> str:
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.FunctionDef)
    tree.body = [ast.Pass()]
    head = ast.unparse(tree).removesuffix("pass").rstrip()
    return f"{head}\n{textwrap.indent(_quoted(_brief(documentation)), '    ')}"


def _title(text: str) -> str:
    """The first lines of a stub."""
    return _quoted(f"Generated by scripts/stubs.py: {text}")


def _brief(text: str) -> str:
    """The text of a docstring before its sections. There are hundreds of these, and help() shows them in full."""
    return text.partition("\n\nArgs:\n")[0].partition("\n\nShape:\n")[0]


def _quoted(text: str) -> str:
    end = "\n" if "\n" in text else ""
    return f'"""{text}{end}"""'


def _module(title: str, names: list[str], texts: list[str]) -> str:
    title = _title(f"{title} for type checkers and editors.")
    return "\n\n".join([title, "from typing import Literal\nimport torch", f"__all__ = {sorted(names)}", *texts])


STUBS = {"ops/public.pyi": operators, "ascend/graph_operators.pyi": graph_operators,
         "ascend/aclnn/pairs.pyi": c_functions,
         "torch/functions.pyi": functions, "torch/modules.pyi": modules}  # fmt: skip


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
