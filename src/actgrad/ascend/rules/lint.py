"""Mistakes in laws that users state. Each message says what to write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...base.dtypes import BY_NUMBER
from ...base.errors import InvalidOperator, did_you_mean, either, quote
from ...checks.check import Check
from ..products import BY_NAME

FOLDER = Path(__file__).parents[1] / "law"  # of the package's laws and their Markdown
_C_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_DTYPES = tuple(dtype.name for dtype in BY_NUMBER.values())


def refuse_faults(law: Any, others: Iterable[Any]) -> None:
    """Raise an InvalidOperator for the first mistake in a law. No two laws have one name in C or in graphs."""
    if not hasattr(law.operator, "definition"):
        raise InvalidOperator(f"operator is {quote(law.operator)}; it must be an actgrad.Operator; pass its object")
    for fault in faults(law, others):
        raise InvalidOperator(f"operator {law.definition.name}: {fault}")


def faults(law: Any, others: Iterable[Any]) -> Iterator[str]:
    """All mistakes in a law. `others` are the laws of all operators."""
    if any(other is not law and other.definition is law.definition for other in others):
        reason = "an operator has one law, which dtypes='...' of Operator(...) states too"
        yield f"it has a law already; {reason}; write all fields into one Law(...)"
    yield from _of_types(law)
    yield from _of_lists(law)
    yield from _of_functions(law)
    _ = law.graphs  # raise the error for a wrong line here, not at the first use of actgrad.ir
    yield from _of_names(law, others)
    yield from _of_orders(law)


def _of_types(law: Any) -> Iterator[str]:
    """The fields that have wrong types. The other tests rely on these types."""
    groups = "a tuple of rules: (supported('self'),) for one rule, and (Rule(...),) for a rule of your own"
    must_be = {
        "functions": "a tuple of C functions, such as (C('SmoothRelu'),)",
        "graph": "a tuple of texts, such as ('SmoothRelu(x=self) -> y',)",
        "checks": groups,
    }
    for field, must in must_be.items():
        value = getattr(law, field)
        if not isinstance(value, tuple):
            yield f"{field} is {quote(value)}; it must be {must}"
    file = law.differences_file
    if not isinstance(file, (str, Path)) or (file and not (FOLDER / file).is_file()):
        must = "a Markdown file, by its whole path: Path(__file__).with_name('my_law.md')"
        yield f"differences_file is {quote(str(file))}; it must be {must}"
    for each in law.functions:
        if not hasattr(each, "parameters"):
            yield f"functions has {quote(each)}; it must be {must_be['functions']}"
    for number, group in enumerate(law.checks):
        if not isinstance(group, tuple) or not all(isinstance(check, Check) for check in group):
            yield f"checks[{number}] is {quote(group)}; checks must be {groups}"
    for field in ("requires", "formulas"):
        value = getattr(law, field)
        if not isinstance(value, Mapping) or not all(map(callable, value.values())):
            yield f"{field} is {quote(value)}; it must be a mapping from texts to functions"


def _of_lists(law: Any) -> Iterator[str]:
    for field, names, known in (("products", law.products, BY_NAME), ("dtypes", law.dtypes, _DTYPES)):
        if not isinstance(names, str):
            yield f"{field} is {quote(names)}; it must be a text of names with spaces between"
            return
        if not names.split():
            yield f"{field} is empty, so that every call is refused; leave it out, or name some"
        for name in names.split():
            if name not in known:
                cure = did_you_mean(name, known, "use one of these")
                yield f"{field} has {name!r}; it must be {either(known)}; {cure}"
    for c in law.functions:
        for name in getattr(c, "products", "").split():
            if name not in BY_NAME:
                yield f"aclnn {c.name} has products {name!r}; it must be {either(BY_NAME)}; pass one of these"


def _of_functions(law: Any) -> Iterator[str]:
    """The mistakes in C functions: wrong names, and parameters that do not match the operator's arguments."""
    schema = law.definition.schema
    for c in law.functions:
        if not isinstance(c.name, str) or not _C_NAME.fullmatch(c.name):
            if isinstance(c.name, str) and c.name.startswith("aclnn"):
                yield f"aclnn is {c.name!r}; leave out aclnn and write {c.name.removeprefix('aclnn')!r}"
            camel = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", str(c.name)))
            yield f"aclnn is {quote(c.name)}; write it in camel case: {camel or 'SmoothRelu'!r}"
            continue
        if c.name.endswith("GetWorkspaceSize"):
            yield f"aclnn is {c.name!r}; leave out GetWorkspaceSize, which is the name of the first of two functions"
        own = [p for p in c.parameters if isinstance(p, str) or not p.is_foreign]
        needed = [a.name for a in schema.arguments if a.name not in c.fixed] + [*schema.outputs]
        if c.parameters and len(own) != len(needed):
            names = ", ".join(getattr(p, "name", p) for p in c.parameters)
            yield (
                f"aclnn {c.name} has {len(own)} parameters for arguments ({names}), but the operator has "
                f"{len(needed)} arguments and outputs ({', '.join(needed)}); name each of them in this order"
            )


def has_in_place(c: Any, definition: Any) -> bool:
    """Whether a C function of an operator has an in-place form."""
    return c.in_place is not None and (c.in_place.overwrites_first or definition.may_be_in_place)


def _of_names(law: Any, others: Iterable[Any]) -> Iterator[str]:
    """Names of C functions and graph operators that occur twice, here or in another law."""
    holders = {name: other.definition.name for other in others for name in public_names(other)}
    earlier: list[tuple[str, str]] = []
    for kind, name in public_names(law):
        if (kind, name) in earlier:
            yield f"it states {kind} {name!r} twice; leave out one"
        elif (kind, name) in holders:
            words = "the C name" if kind == "aclnn" else f"the {kind} name"
            yield f"{kind} is {name!r}, {words} of {holders[kind, name]}; choose another"
        earlier.append((kind, name))


def public_names(law: Any) -> Iterator[tuple[str, str]]:
    """The names of an operator in C and in graphs, each with its kind."""
    for c in law.functions:
        yield "aclnn", c.name
        if has_in_place(c, law.definition):
            yield "aclnn", f"Inplace{c.name}"
    for signature in law.graphs:
        yield "ir", signature.name


def _of_orders(law: Any) -> Iterator[str]:
    schema = law.definition.schema
    arguments = {*schema.tensor_names, *schema.outputs, *schema.attributes_by_name}
    orders = {"null_order": law.null_order, **{f"null_order of aclnn {c.name}": c.null_order for c in law.functions}}
    for field, order in orders.items():
        for name in order.split():
            if name not in arguments:
                listed = ", ".join(sorted(arguments))
                yield f"{field} names {name!r}, which is not an argument; name one of {listed}"
    for c in law.functions:
        for name in c.fixed:
            if name not in schema.attributes_by_name and c.fixed[name] is not None:
                has = ", ".join(law.definition.defaults)
                yield f"aclnn {c.name} names {name!r}; it must be an attribute; name one of {has or 'none'}"
