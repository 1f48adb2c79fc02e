"""The formula of a summary as TeX: the first line of each operator, such as "x if x > 0, else alpha * (exp(x) - 1)".

The grammar is Python's, with these additions: "A if C, B if D, else E", "NAME = A and NAME = B" for several results,
"along dim" and the like at the end, and ", where NAME = A and ..." for definitions. Remarks follow after a semicolon.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

AXES = ("along dim", "along the last dimension", "over each channel")
GREEK = {"alpha": r"\alpha", "beta": r"\beta", "pi": r"\pi", "Phi": r"\Phi", "phi": r"\varphi"}
COMPARISONS = {ast.Gt: ">", ast.Lt: "<", ast.GtE: r"\ge", ast.LtE: r"\le", ast.Eq: "="}
FUNCTIONS = {"min": r"\min", "max": r"\max", "log": r"\ln", "tanh": r"\tanh"}
SUM, PRODUCT, UNARY, POWER, ATOM = range(5)  # how tightly a term binds


def display(line: str) -> Iterator[str]:
    """A summary's first line in Markdown: formulas as displayed mathematics, definitions and remarks as text."""
    formula, *remarks = line.split("; ")
    names = {*re.findall(r"[a-z]\w*", formula), "out"}
    formula, _, definitions = formula.partition(", where ")
    yield f"$$\n{tex_of_results(formula)}\n$$"
    text = ["where " + " and ".join(map(_definition, _clauses(definitions))) + "."] if definitions else []
    others = []
    for remark in remarks:
        case, colon, other = remark.partition(": ")
        if colon and "=" in case:
            others += [f"With `{case}`:", f"$$\n{tex_of_results(other)}\n$$"]
        else:
            first, _, rest = remark.partition(" ")
            is_name = first in names or "_" in first
            text.append(_text(f"`{first}` {rest}" if is_name else f"{first.capitalize()} {rest}") + ".")
    yield from [" ".join(text), *others] if text else others


def tex_of_results(formula: str) -> str:
    """The results of a formula; several are aligned below each other."""
    axis = next((words for words in AXES if formula.endswith(words)), "")
    formula = formula.removesuffix(axis).strip()
    words = rf" \quad \text{{{axis}}}" if axis else ""
    results = re.findall(r"(?:^| and )(\w+) = (.*?)(?= and \w+ = |$)", formula)
    if not results:
        return tex(formula) + words
    lines = [rf"{_name(name)} &= {tex(text)}" for name, text in results]
    return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}" + words


def tex(formula: str) -> str:
    """One expression as TeX."""
    formula = re.sub(r", else\b", " else", formula)
    formula = re.sub(r"(\bif [^,()]+), (?=[^,]+ if )", r"\1 else ", formula)
    formula = formula.replace("'", "_prime").strip()
    tree = ast.parse(formula, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = ast.get_source_segment(formula, node)  # the digits as they stand there
    return _term(tree.body)[0]


def _clauses(definitions: str) -> list[str]:
    return re.split(r" and (?=\w+ = |lower and upper)", definitions)


def _definition(clause: str) -> str:
    name, equals, value = clause.partition(" = ")
    return f"${_name(name)} = {tex(value)}$" if equals else _text(clause)


def _text(words: str) -> str:
    """A remark, in which calls, equations and names with an underscore are code."""
    return re.sub(r"`[^`]*`(?: = \w+\(x\))?|(?:\w+ = )?\w+\([^)]*\)(?: [=<>]+ \w+)?|\w*_\w+", _code, words)


def _code(match: re.Match[str]) -> str:
    return f"`{match[0].replace('`', '')}`"


def _name(name: str) -> str:
    if name.endswith("_prime"):
        return rf"\operatorname{{{name.removesuffix('_prime')}}}'"
    match = re.fullmatch(r"([a-zA-Z]+?)(\d*)", name)
    if match and match[1] in GREEK:
        return GREEK[match[1]] + (f"_{match[2]}" if match[2] else "")
    return name if len(name) == 1 else rf"\text{{{name}}}"


def _bracketed(node: ast.expr, binding: int) -> str:
    text, own = _term(node)
    return text if own >= binding else rf"\left({text}\right)"


def _term(node: ast.expr) -> tuple[str, int]:
    """The TeX of a node, and how tightly it binds."""
    match node:
        case ast.Constant():
            return str(node.kind), ATOM
        case ast.Name():
            return _name(node.id), ATOM
        case ast.UnaryOp(op=ast.USub()):
            return f"-{_bracketed(node.operand, PRODUCT)}", PRODUCT
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            sign = "+" if isinstance(node.op, ast.Add) else "-"
            return f"{_bracketed(node.left, SUM)} {sign} {_bracketed(node.right, PRODUCT)}", SUM
        case ast.BinOp(op=ast.Mult()):
            return rf"{_bracketed(node.left, PRODUCT)} \cdot {_bracketed(node.right, PRODUCT)}", PRODUCT
        case ast.BinOp(op=ast.Div()):
            return rf"\frac{{{_term(node.left)[0]}}}{{{_term(node.right)[0]}}}", PRODUCT
        case ast.BinOp(op=ast.Pow()):
            return f"{_bracketed(node.left, ATOM)}^{{{_term(node.right)[0]}}}", POWER
        case ast.Call(func=ast.Name(id=name)):
            return _call(name, node.args)
        case ast.IfExp():
            return _cases(node), SUM
        case ast.Compare():
            return _comparison(node), SUM
    raise ValueError(f"{ast.unparse(node)} has no form in TeX; write one in scripts/mathematics.py")


def _call(name: str, arguments: list[ast.expr]) -> tuple[str, int]:
    if name in ("exp", "sqrt"):
        small = _small(arguments[0])
        return (f"e^{{{small}}}", POWER) if name == "exp" else (rf"\sqrt{{{small}}}", ATOM)
    inside = ", ".join(_term(argument)[0] for argument in arguments)
    if name == "abs":
        return rf"\left|{inside}\right|", ATOM
    if name == "sum":
        return rf"\sum {_bracketed(arguments[0], PRODUCT)}", UNARY
    word = FUNCTIONS.get(name) or GREEK.get(name)
    if word is None:
        word = _name(name) if name.endswith("_prime") else r"\operatorname{" + name.replace("_", r"\_") + "}"
    return rf"{word}\left({inside}\right)", UNARY


def _small(node: ast.expr) -> str:
    """A term in an exponent or below a root: a quotient has a slash, because a bar would be too high there."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return f"{_bracketed(node.left, PRODUCT)} / {_bracketed(node.right, POWER)}"
    return _term(node)[0]


def _cases(node: ast.expr) -> str:
    rows = []
    while isinstance(node, ast.IfExp):
        rows.append(rf"{_term(node.body)[0]} & \text{{if }} {_term(node.test)[0]}")
        node = node.orelse
    rows.append(rf"{_term(node)[0]} & \text{{else}}")
    return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"


def _comparison(node: ast.Compare) -> str:
    operators = (COMPARISONS[type(each)] for each in node.ops)
    pairs = zip(operators, node.comparators, strict=True)
    return _term(node.left)[0] + "".join(f" {sign} {_term(each)[0]}" for sign, each in pairs)
