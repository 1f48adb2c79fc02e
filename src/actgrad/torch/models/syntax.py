"""Parts of syntax trees: reads and makes products, calls and names."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from types import CellType, FunctionType
from typing import Any


def name_node(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def wrap_returns(tree: ast.FunctionDef, function: str) -> ast.FunctionDef:
    """The tree with each returned value passed through one of our functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = call_node(function, [node.value], node)
    return tree


def call_node(function: str, row: list[Any], like: Any, keywords: Sequence[Any] = ()) -> ast.Call:
    callee = ast.Attribute(name_node("_actgrad"), function, ast.Load())
    return ast.copy_location(ast.Call(callee, row, list(keywords)), like)


def factors(node: Any) -> list[tuple[Any, Any, bool]]:
    """Both ways to read a product as (activation, factor, whether the activation comes first)."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return []
    return [(node.left, node.right, True), (node.right, node.left, False)]


def is_simple(call: Any) -> bool:
    """Whether a call has one argument, and only constants as options."""
    is_call = isinstance(call, ast.Call) and len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
    return is_call and all(k.arg and isinstance(k.value, ast.Constant) for k in call.keywords)


def attribute_of(node: ast.expr, owner: str) -> str:
    """The name of an attribute of `owner`, or ""."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner:
        return node.attr
    return ""


def target_of(statement: Any) -> str:
    """The only name that a statement assigns to, or ""."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


def changes_state(statement: ast.stmt) -> bool:
    """Whether a statement has a call in place, an output argument or a context, which may be one of no_grad."""
    nodes = list(ast.walk(statement))
    functions = [node.func for node in nodes if isinstance(node, ast.Call)]
    names = [getattr(each, "attr", getattr(each, "id", "")) for each in functions]
    is_in_place = any(name.endswith("_") and not name.endswith("__") for name in names)
    keywords = [each.arg for node in nodes if isinstance(node, ast.Call) for each in node.keywords]
    return is_in_place or bool({"out", "inplace"} & {*keywords}) or any(isinstance(n, ast.With) for n in nodes)


def writes(node: Any, owner: str) -> bool:
    """Whether a node writes to `self` or to a global name."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return True
    is_store = isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)
    return is_store and any(isinstance(each, ast.Name) and each.id == owner for each in ast.walk(node))


def same_call(a: ast.arguments, function: ast.expr) -> ast.Call:
    """A call with the method's own arguments."""
    row: list[ast.expr] = [name_node(each.arg) for each in (*a.posonlyargs, *a.args)]
    row += [ast.Starred(name_node(a.vararg.arg), ast.Load())] if a.vararg else []
    keywords = [ast.keyword(each.arg, name_node(each.arg)) for each in a.kwonlyargs]
    keywords += [ast.keyword(None, name_node(a.kwarg.arg))] if a.kwarg else []
    return ast.Call(function, row, keywords)


def wrapped(wrapper: Any, inner: Any, result: Any) -> Any:
    """A decorator's function with another function inside, or None if it does not hold `inner` in exactly one cell."""
    cells = [cell for cell in wrapper.__closure__ or () if cell.cell_contents is inner]
    if len(cells) != 1:
        return None
    closure = tuple(CellType(result) if cell is cells[0] else cell for cell in wrapper.__closure__)
    copy = FunctionType(wrapper.__code__, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, closure)
    copy.__kwdefaults__ = wrapper.__kwdefaults__
    return functools.wraps(result)(copy)
