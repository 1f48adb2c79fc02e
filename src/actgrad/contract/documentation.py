"""The texts of an operator that documents, stubs and docstrings share: its first line and its formulas."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from ..base.definition import Definition

WIDTH = 108  # the width of docstrings, which stubs indent


def first_line(definition: Definition) -> str:
    """The first paragraph of the summary, in one line: what the operator computes."""
    return " ".join(definition.summary.partition("\n\n")[0].split())


def markdown_line(definition: Definition) -> str:
    """The first line in Markdown: the formula as code, and what follows after a semicolon as text."""
    formula, semicolon, remark = first_line(definition).partition("; ")
    return f"`{formula}`{semicolon}" + remark.replace("**", r"\*\*")  # a power, not bold type


def wrapped(text: str, width: int = WIDTH) -> str:
    """A text whose paragraphs have lines of at most `width` characters."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(p, width, break_long_words=False, break_on_hyphens=False) for p in paragraphs)


def formula_heading(definition: Definition) -> str:
    """What the docstrings of the formulas describe."""
    if definition.takes_gradient:
        return "The gradient of one element, where g is an element of grad_output"
    if definition.gradient_of is not None:
        return "The derivative of one element, which is multiplied by grad_output"
    if not definition.multiplies:
        return "One element"
    factor = "the other half" if definition.access.is_packed else definition.multiplies
    return f"One element, which is multiplied by {factor}"


def formula_lines(definition: Definition) -> Iterator[str]:
    """The docstring of each formula, after the condition under which the formula is chosen.

    Where a function chooses, the docstrings of the formulas name the condition themselves.
    """
    source, switch = definition.formula, definition.switch
    for key, choice in source.items() if isinstance(source, Mapping) else [(None, source)]:
        for names, formula in choice.items() if isinstance(choice, Mapping) else [("", choice)]:
            words = " ".join((formula.__doc__ or formula.__name__).split())
            words = f"with {' and '.join(names.split())}: {words}" if names else words
            if key is None or not isinstance(switch, str):
                yield words
            elif switch in definition.schema.tensor_names:
                yield f"{'with' if key else 'without'} {switch}: {words}"
            else:
                yield f"{switch}={key!r}{', ' if names else ': '}{words}"
