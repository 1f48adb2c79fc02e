"""Mistakes in an operator's formulas and terms: in their arguments, results and operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..base import xp
from ..base.computation import LENGTH, ONCE, ONCE_PER_ROW
from ..base.definition import Definition
from ..base.errors import InvalidOperator, quantity, quote
from ..base.rows import Rows
from . import trace


def of_switch(definition: Definition) -> Iterator[str]:
    """The mistakes in a `Switch`: the attribute, the tensor or the function that chooses among formulas."""
    switch, schema = definition.switch, definition.schema
    if not isinstance(definition.formula, Mapping):
        return
    keys = list(definition.formula)
    sources = [source for source in (definition.formula, *definition.access.terms) if isinstance(source, Mapping)]
    is_nested = any(isinstance(choice, Mapping) for source in sources for choice in source.values())
    if is_nested and getattr(definition.formula, "variant", None) is None:
        yield "a mapping of formulas has mappings; write Switch(by, formulas, variant), where variant is a function"
    if not switch:
        cure = "write formula=Switch('name', {...}) with the name of the attribute that chooses"
        yield f"formula is a mapping of {_key_list(keys)}; {cure}"
        return
    if not isinstance(switch, str):
        return  # a function, which lint_calls checks
    argument = next((a for a in schema.arguments if a.name == switch), None)
    if argument is None or (argument.is_tensor and not argument.is_optional):
        has = ", ".join(schema.attributes_by_name) or "none"
        yield f"switch is {switch!r}; it must be an attribute; it has {has}"
    elif argument.type in ("bool", "Tensor?") and set(keys) != {False, True}:
        must = f"the formula's keys must be False and True, not {_key_list(keys)}"
        yield f"switch is {switch!r}, of type {argument.type}, so {must}"
    elif argument.type == "Scalar":
        yield f"switch is {switch!r}, a Scalar; write int {switch}=0 or bool {switch}=False in the schema"
    elif argument.type == "int" and not definition.choices and not all(type(key) is int for key in keys):
        must = f"the formula's keys must be numbers or names of choices, not {_key_list(keys)}"
        yield f"switch is {switch!r}, an int, so {must}"


def of_formulas(definition: Definition) -> Iterator[str]:
    """The mistakes in formulas. It takes a number of each part, then the scalars, and returns a number per output."""
    scalars = [argument.name for argument in definition.schema.attributes if argument.type == "Scalar"]
    gates = definition.roles.multiplies or (
        definition.gradient_of is not None and definition.gradient_of.roles.multiplies
    )
    names, is_several = _returned(definition, bool(gates))
    for formula, optional in _formulas_in(definition, definition.formula):
        elements = [""] if gates else definition.access.formula_arguments(_element_tensors(definition, optional))
        yield from _fault(f"formula {_name(formula)}", formula, elements, scalars, names, is_several)
    if definition.integers.formula is not None and definition.integers.formula != definition.formula:
        parts, outputs = [""] * definition.access.formula_count(*definition.element_tensors), definition.schema.outputs
        for formula, _ in _formulas_in(definition, definition.integers.formula):
            yield from _fault(f"integers.formula {_name(formula)}", formula, parts, scalars, outputs)


def of_statistics(definition: Definition) -> Iterator[str]:
    """The mistakes in terms: one takes the tensors' elements, the statistics of earlier passes, then the scalars."""
    rows, outputs = definition.access, definition.schema.outputs
    if not isinstance(rows, Rows):
        return
    if rows.replaces_inputs and sum(not rows.is_statistic(name) for name in outputs) != 1:
        yield (
            "replaces_inputs is set; then exactly one output must be of elements; leave it out, or return one such "
            "output"
        )
    kinds = [tuple(statistic.combine for statistic in group.values()) for group in rows.passes]
    if all(kind in ONCE_PER_ROW for kind in kinds):
        yield "layout has only once(); a pass must read elements; write largest(term) or total(term) before once(term)"
    scalars = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
    earlier: list[str] = []
    for group, kind in zip(rows.passes, kinds, strict=True):
        for lone in (ONCE, LENGTH):
            if lone in kind and len(kind) > 1:
                names = ", ".join(group)
                alone = "it must be the only statistic of its pass; give it a separate pass"
                yield f"{lone}() shares a pass with others ({names}); {alone}"
        for name, statistic in group.items() if kind != (LENGTH,) else ():
            for term, optional in _formulas_in(definition, statistic.term):
                visible = [] if kind == (ONCE,) else rows.term_arguments(_element_tensors(definition, optional))
                yield from _fault_of_term(name, term, [*visible, *earlier, *scalars])
        earlier += group


def _fault_of_term(name: str, term: Callable[..., Any], parameters: list[str]) -> Iterator[str]:
    """The mistake in a statistic's term, which must take these parameters."""
    arity = _arity(term)
    if isinstance(arity, str):
        yield f"the term of {name!r}: {arity}"
    elif arity != len(parameters):
        must = f"it must take {len(parameters)}: {', '.join(parameters) or 'nothing'}"
        yield f"the term of {name!r} takes {quantity(arity, 'argument')}; {must}; change its parameters"
    elif order := _order(term, parameters):
        yield f"the term of {name!r} {order}"
    elif fault := trace.fault_of_result(term, arity, (name,)):
        yield f"the term of {name!r}: {fault}"


def _fault(
    label: str, formula: Any, elements: list[str], scalars: list[str], names: tuple[str, ...], is_several: bool = False
) -> Iterator[str]:
    """A mistake in a formula. It must take these elements and scalars, and return a number for each name."""
    arity, count = _arity(formula), len(elements) + len(scalars)
    if isinstance(arity, str):
        yield arity if arity.startswith("formula ") else f"{label} {arity}"
    elif arity != count:
        xp.check(formula)
        must = f"it must take {count}: the elements of its tensors, then {', '.join(scalars) or 'no scalars'}"
        yield f"{label} takes {quantity(arity, 'argument')}; {must}; change its parameters"
    elif order := _order(formula, [*elements, *scalars]):
        yield f"{label} {order}"
    elif fault := trace.fault_of_result(formula, arity, names, is_several):
        yield fault


def _order(formula: Callable[..., Any], arguments: list[str]) -> str:
    """The message about a parameter that has the name of one argument and the position of another, or "".

    Formulas are called by position, so such a formula would compute with the wrong argument. A parameter
    with a name that no argument has may be at any position.
    """
    parameters = [*inspect.signature(formula).parameters]
    for parameter, argument in zip(parameters, arguments, strict=True):
        if parameter != argument and parameter in arguments:
            come = ", ".join(name or "..." for name in arguments)
            return f"takes {', '.join(parameters)}; the arguments come as {come}; reorder its parameters"
    return ""


def _arity(formula: Callable[..., Any]) -> int | str:
    """The number of arguments of a formula. A message, if the formula is not a function of positional arguments."""
    try:
        xp.refuse_other_functions(formula)
    except InvalidOperator as error:
        return str(error)
    parameters = inspect.signature(formula).parameters.values()
    if any(p.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters):
        return "has *args, **kwargs or keyword-only arguments; name each argument, for example def formula(x, alpha)"
    return len(parameters)


def _returned(definition: Definition, gates: bool) -> tuple[tuple[str, ...], bool]:
    """A name for each number that the formula returns, and whether the formula returns a tuple."""
    access, outputs = definition.access, definition.schema.outputs
    if gates and not access.sees_rows:
        return outputs[:1], False
    names = tuple(
        words
        for name in outputs
        if not access.is_statistic(name)
        for words in (
            [name] if access.formula_count(name) == 1 else [f"{name} of the active half", f"{name} of the other half"]
        )
    )
    return names, len(names) != 1


def _element_tensors(definition: Definition, optional: tuple[str, ...] = ()) -> list[str]:
    """The tensors that formulas get, in a call with these optional tensors, and those that a number may stand for."""
    names = [
        a.name
        for a in definition.schema.tensors
        if a.name in definition.element_tensors
        and (not a.is_optional or a.name in (*optional, *definition.defaults_of_tensors))
    ]
    return names if definition.gradient_of is None or definition.roles.takes_gradient else names[1:]


def _formulas_in(definition: Definition, source: Any) -> Iterator[tuple[Callable[..., Any], tuple[str, ...]]]:
    """The functions of a formula or a term, each with the optional tensors of the calls that choose this function."""
    switch = definition.switch
    for key, choice in source.items() if isinstance(source, Mapping) else [(False, source)]:
        optional = (str(switch),) if key is True and switch in definition.schema.tensor_names else ()
        for function in choice.values() if isinstance(choice, Mapping) else (choice,):
            yield function, optional


def _name(formula: Any) -> str:
    return getattr(formula, "__name__", quote(formula))


def _key_list(keys: list[Any]) -> str:
    return ", ".join(map(repr, keys))
