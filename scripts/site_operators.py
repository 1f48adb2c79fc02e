"""An extension of Griffe, which reads for mkdocstrings: operators, objects made at run time, are shown as functions."""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

from actgrad import operators

KINDS = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}


class RegistryOperators(griffe.Extension):
    """Puts functions in the place of the operators' variables."""

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Replace a variable that is an operator of the registry."""
        operator = operators.get(attr.name)
        if attr.parent is None or operator is None or not attr.path.startswith("actgrad.ops."):
            return
        parameters = [
            griffe.Parameter(p.name, kind=KINDS[p.kind], default=None if p.default is p.empty else repr(p.default))
            for p in operator.__signature__.parameters.values()
        ]
        function = griffe.Function(
            attr.name, parameters=griffe.Parameters(*parameters), lineno=attr.lineno, endlineno=attr.endlineno
        )
        text, _, formulas = (operator.__doc__ or "").partition("\nFormula:\n")
        text = re.sub(r"__\w+__", r"`\g<0>`", text)  # no bold type
        function.docstring = griffe.Docstring(f"{text}\nFormula:\n\n{formulas}", parent=function)
        attr.parent.set_member(attr.name, function)
