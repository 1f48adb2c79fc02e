"""The reference of Python names: blocks such as ```{names} in docs/api become the signatures and docstrings of names.

Each line of a block is the full name of a function, a class or an object. "every operator", "every function" and
"every module" stand for names that follow from the registry. A name with `: a, b` also shows these members.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from operators import families

from actgrad import Operator
from actgrad.checks.documentation import markdown_line

BLOCK = re.compile(r"^```\{names\}\n(.*?)^```", flags=re.M | re.S)
HEADING = re.compile(r"([A-Z][^\n:]*):\n(?=\s)")
MARKED = re.compile(r"(`[^`]*`)|([\w.]*__\w+|\w*\*\*\w+|\b\w+_\w+\b)|([*$<\\])")


def expanded(markdown: str) -> str:
    """A page with its blocks of names replaced by the directives of Sphinx."""
    return BLOCK.sub(lambda match: "\n".join(entry(name, members) for name, members in names_in(match[1])), markdown)


def names_in(block: str) -> Iterator[tuple[str, list[str]]]:
    """The names of a block, with the members that they show."""
    for line in block.splitlines():
        if line.startswith("every "):
            yield from ((name, []) for name in every(line.removeprefix("every ")))
        elif line:
            name, _, members = line.partition(": ")
            yield name, members.split(", ") if members else []


def every(kind: str) -> list[str]:
    """The names of all operators, or of all functions or modules of actgrad.torch."""
    if kind == "operator":
        import actgrad

        return [f"actgrad.{name}" for name in actgrad.operators]
    from actgrad.torch import public_names

    names = (getattr(each, kind) for each in public_names.all_names())
    return [f"actgrad.torch.{name}" for name in names if name]


def entry(name: str, members: list[str]) -> str:
    """A name as a directive of Sphinx's Python domain."""
    owner, _, attribute = name.rpartition(".")
    value = getattr(importlib.import_module(owner), attribute)
    if isinstance(value, Operator):
        return operator_entry(value)
    parts = [directive(kind_of(value), name, value)]
    for member in members:
        found = inspect.getattr_static(value, member)
        kind = "method" if inspect.isfunction(found) else "property"
        parts.append(directive(kind, f"{name}.{member}", getattr(value, member)))
    return "\n".join(parts)


def kind_of(value: Any) -> str:
    """The directive for a value."""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


def operator_entry(operator: Operator) -> str:
    """An operator with its signature and its formula; the page of its family has the rest."""
    stem = next(stem for stem, members in families().items() if operator in members)
    text = (
        f"{markdown_line(operator.definition)}\n\n[Checks, data types, errors](../operators/{stem}.md#{operator.name})"
    )
    return f"`````{{py:function}} actgrad.{operator.name}{operator.__signature__}\n\n{text}\n`````\n"


def directive(kind: str, name: str, value: Any) -> str:
    """One directive with the signature and the docstring."""
    call = signature(value) if kind in ("function", "method", "class") else ""
    text = markdown(inspect.getdoc(value) or "") if kind != "data" else f"A {type(value).__name__} by name."
    if kind == "exception" and isinstance(status := getattr(value, "status", None), int):
        text += f"\n\nStatus: {int(status)}."
    return f"`````{{py:{kind}}} {name}{call}\n\n{text}\n`````\n"


def signature(value: Any) -> str:
    """The signature of a call; a result class of the package shows none, because users do not make it."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    if inspect.isclass(value) and "torch.nn" not in str(value.__mro__):
        return ""
    parameters = [p for p in found.parameters.values() if p.name != "self" or callable(getattr(value, "plan", None))]
    return str(found.replace(parameters=parameters)).replace("'", "") if _has_words(found) else str(found)


def _has_words(found: inspect.Signature) -> bool:
    """Whether annotations are kept as strings, which `str` puts in quotes."""
    return any(isinstance(p.annotation, str) for p in found.parameters.values())


def markdown(docstring: str) -> str:
    """A docstring as Markdown: sections such as "Args:" as lists, formulas and examples as code."""
    return "\n\n".join(part for block in re.split(r"\n\s*\n", docstring.strip()) for part in _block(block))


def _block(block: str) -> Iterator[str]:
    match = HEADING.match(block)
    if match is None:
        yield f"```pycon\n{textwrap.dedent(block)}\n```" if block.lstrip().startswith(">>>") else _plain(block)
        return
    heading, lines = match[1], textwrap.dedent(block[match.end() :])
    yield f"**{heading}**"
    if lines.startswith(">>>"):
        yield f"```pycon\n{lines}\n```"
    elif heading in ("Args", "Raises", "Attributes"):
        items = re.split(r"\n(?=\S)", lines)
        yield "\n".join(_item(" ".join(item.split())) for item in items)
    elif heading == "Source":
        yield re.sub(r"(.+), (https?://\S+)", r"[\1](\2)", lines)
    elif heading in ("Returns", "Shape", "Saved for backward"):
        yield _plain(lines)
    else:
        yield f"```text\n{lines}\n```"


def _item(text: str) -> str:
    name, colon, rest = text.partition(": ")
    return f"- `{name}`: {_plain(rest)}" if colon else f"- {_plain(text)}"


def _plain(text: str) -> str:
    """A paragraph in which names with underscores and powers are code, and other signs have no meaning."""

    def marked(match: re.Match[str]) -> str:
        return match[1] or (f"`{match[2]}`" if match[2] else f"\\{match[3]}")

    return MARKED.sub(marked, text)
