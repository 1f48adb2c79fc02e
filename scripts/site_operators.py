"""An extension of Griffe, which reads for mkdocstrings: names that follow from the registry are shown as functions."""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

from actgrad import Operator, operators

KINDS = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}


class RegistryOperators(griffe.Extension):
    """Puts the operators into `actgrad`, and the functions and modules of the stubs into `actgrad.torch`."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Add the names that modules make when they run."""
        if pkg.path != "actgrad":
            return
        for name, operator in operators.items():
            pkg.set_member(name, function_of(operator, pkg))
        for module in (pkg["torch.functions"], pkg["torch.modules"]):
            for name, member in module.members.items():
                if not member.is_alias and not name.startswith("_"):
                    pkg["torch"].set_member(name, griffe.Alias(name, member, parent=pkg["torch"]))


def function_of(operator: Operator, parent: griffe.Module) -> griffe.Function:
    """An operator as a function."""
    parameters = [
        griffe.Parameter(p.name, kind=KINDS[p.kind], default=None if p.default is p.empty else repr(p.default))
        for p in operator.__signature__.parameters.values()
    ]
    function = griffe.Function(operator.name, parameters=griffe.Parameters(*parameters), parent=parent)
    text, _, formulas = (operator.__doc__ or "").rpartition("\n\n")
    heading, _, lines = formulas.partition("\n")
    formula, _, rest = text.partition("\n\n")
    rest = re.sub(r"__\w+__|\S*\*\*\S*", r"`\g<0>`", rest)  # no bold type
    code = " ".join(formula.split())
    function.docstring = griffe.Docstring(f"`{code}`\n\n{rest}\n\n{heading}\n\n{lines}", parent=function)
    return function
