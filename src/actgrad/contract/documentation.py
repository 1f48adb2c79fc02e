"""The documentation of an operator, made from its definition: formula, paper, tensors, dtypes, errors."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from ..base.definition import Definition
from .dtype_rules import allowed_dtypes

WIDTH = 110


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
    for key, formula in source.items() if isinstance(source, Mapping) else [(None, source)]:
        words = " ".join((formula.__doc__ or formula.__name__).split())
        if key is None or not isinstance(switch, str):
            yield words
        elif switch in definition.schema.tensor_names:
            yield f"{'with' if key else 'without'} {switch}: {words}"
        else:
            yield f"{switch}={key!r}: {words}"


def operator_docstring(definition: Definition) -> str:
    """The docstring of an operator."""
    tensors, outputs = definition.schema.tensor_names, ", ".join(definition.schema.outputs)
    facts = [
        f"Tensors, by position: {', '.join(tensors)}. Each is a NumPy array, a torch.Tensor or an object with "
        "__dlpack__, of any shape and strides.",
        f"Dtypes: {', '.join(allowed_dtypes(definition, None))}.",
        f"Returns {outputs}, of the kind and dtype of the inputs. Pass out= to write into existing arrays.",
        "backend is 'cpu', 'triton' or 'reference'. By default the device of the tensors decides.",
    ]
    if len(tensors) > 1 and definition.broadcasts:
        facts[1] += " The tensors are broadcast together, and promoted to one dtype."
    elif len(tensors) > 1 and definition.access.is_uniform:
        facts[1] += " All tensors have the same shape and dtype."
    if definition.requires:
        facts.append(f"Requires {'; '.join(definition.requires)}.")
    facts.append("Raises NullArgument, InvalidDtype, InvalidArgument or UnsupportedOnProduct. Nothing is written then.")
    parts = [wrapped(definition.summary)]
    if definition.paper:
        parts.append(f"Source: {definition.paper}")
    parts.append("\n".join(map(wrapped, facts)))
    parts.append("\n    ".join([f"{formula_heading(definition)}:", *formula_lines(definition)]))
    return "\n\n".join(parts)
