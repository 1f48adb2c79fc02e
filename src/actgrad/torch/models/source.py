"""A function's syntax tree, and functions with a changed tree.

A tree is used only if it compiles to exactly the code of the function, because a file may change after its import.
"""

from __future__ import annotations

import ast
import copy
import linecache
from collections.abc import Iterator
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any

Function = ast.FunctionDef | ast.Lambda
_FUTURE = 0x1FF0000  # the bits of co_flags for `from __future__ import ...`


@cache
def tree_of(code: CodeType) -> Function | None:
    """The syntax tree of a function's code, or None if no source compiles to this code."""
    parsed = _parsed(code.co_filename)
    if parsed is None or not any(_is_same(code, other) for other in parsed[1] if other.co_name == code.co_name):
        return None
    nodes = [node for node in ast.walk(parsed[0]) if isinstance(node, Function) and _may_be(code, node)]
    if len(nodes) > 1 and hasattr(code, "co_positions"):  # lambdas in one line: take the innermost
        lines = [p for p in code.co_positions() if p[2] is not None and p[3] is not None and p[2:] != (0, 0)]
        nodes = [node for node in nodes if all(_is_within(position, node) for position in lines)][-1:]
    return nodes[0] if len(nodes) == 1 else None


@cache
def _parsed(file: str) -> tuple[ast.Module, list[CodeType]] | None:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
        return tree, list(_codes(compile(tree, file, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _is_same(code: CodeType, other: CodeType) -> bool:
    names = ("co_firstlineno", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount")
    constants = [[repr(c) for c in each.co_consts if not isinstance(c, CodeType)] for each in (code, other)]
    return constants[0] == constants[1] and all(getattr(code, name) == getattr(other, name) for name in names)


def _may_be(code: CodeType, node: Any) -> bool:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return bool(first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name)


def _is_within(position: Any, node: Any) -> bool:
    line, end_line, column, end_column = position
    return bool(
        (node.body.lineno, node.body.col_offset) <= (line, column)
        and (end_line, end_column) <= (node.end_lineno, node.end_col_offset)
    )


def with_tree(function: FunctionType, tree: ast.FunctionDef, names: dict[str, Any]) -> FunctionType | None:
    """The function with another tree and some more names, or None if its code refers to its class."""
    code, tree = function.__code__, copy.deepcopy(tree)
    words = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | set(code.co_varnames)
    if any(word.startswith("__") and not word.endswith("__") for word in words):
        return None
    tree.decorator_list = []
    arguments = [ast.arg(name) for name in (*code.co_freevars, *names)]
    outer: Any = ast.parse("def outer(): pass").body[0]
    outer.args.args, outer.body = arguments, [tree]
    tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
    tree.args.kw_defaults = [default and ast.Constant(None) for default in tree.args.kw_defaults]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    compiled = compile(module, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)
    inner = next(each for each in _codes(compiled) if each.co_name == tree.name)
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells.update({name: CellType(value) for name, value in names.items()})
    closure = tuple(cells[name] for name in inner.co_freevars)
    result = FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__, result.__doc__ = function.__kwdefaults__, function.__doc__
    result.__module__, result.__qualname__ = function.__module__, function.__qualname__
    return result
