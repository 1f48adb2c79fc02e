"""Texts about an operator for the documentation, stubs and docstrings: its first line and its formulas."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from ..base.definition import Definition, Formula, Switch

WIDTH = 108  # the width of docstrings. Stubs indent them, and have lines of at most 120 characters


def first_line(definition: Definition) -> str:
    """The first paragraph of the summary in one line. It says what the operator computes."""
    return " ".join(definition.summary.partition("\n\n")[0].split())


def markdown_line(definition: Definition) -> str:
    """The first line in Markdown: the formula as code, and the remark after a semicolon as text."""
    formula, semicolon, remark = first_line(definition).partition("; ")
    return f"`{formula}`{semicolon}" + remark.replace("**", r"\*\*")  # ** means a power, not bold type


def wrapped(text: str, width: int = WIDTH) -> str:
    """The text, wrapped to lines of at most `width` characters. Empty lines separate paragraphs."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(p, width, break_long_words=False, break_on_hyphens=False) for p in paragraphs)


def formula_heading(definition: Definition) -> str:
    """The heading above the docstrings of the formulas."""
    if definition.roles.takes_gradient:
        return "The gradient of one element, where g is an element of grad_output"
    if definition.gradient_of is not None:
        return "The derivative of one element, which is multiplied by grad_output"
    if not definition.roles.multiplies:
        return "One element"
    factor = definition.roles.multiplies
    factor = f"the {factor} half" if factor in definition.access.factors else factor
    return f"One element, which is multiplied by {factor}"


def formula_lines(definition: Definition, source: Formula | Switch | None = None) -> Iterator[str]:
    """The docstring of each formula, after the condition under which the formula is chosen.

    `source` is the operator's formula, or one that a law has in its place. If the switch is a function, only the
    docstrings of the formulas say the condition.
    """
    source, switch = definition.formula if source is None else source, definition.switch
    for key, choice in source.items() if isinstance(source, Mapping) else [(None, source)]:
        for formula in choice.values() if isinstance(choice, Mapping) else (choice,):
            words = " ".join((formula.__doc__ or formula.__name__).split())
            if key is None or not isinstance(switch, str):
                yield words
            elif switch in definition.schema.tensor_names:
                yield f"{'with' if key else 'without'} {switch}: {words}"
            else:
                yield f"{switch}={key!r}: {words}"
