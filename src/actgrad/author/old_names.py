"""The fields that definitions had before version 0.4, by their new places. They are accepted with a warning."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ..base.definition import Dtypes, Integers, Ragged, Result, Roles, Switch
from ..base.dtypes import FLOATS
from ..base.errors import InvalidOperator
from ..base.schema import name_in
from ..checks import law

#: Old field -> part of a definition, and the part's field.
_PARTS = {
    "multiplies": ("roles", "multiplies"),
    "linear_in": ("roles", "linear_in"),
    "unseen": ("roles", "only_checked"),
    "takes_gradient": ("roles", "takes_gradient"),
    "part_of": ("roles", "part_of"),
    "reads_result": ("result", "tensor"),
    "result_flag": ("result", "flag"),
    "result_suffices": ("result", "suffices"),
    "integer_formula": ("integers", "formula"),
    "integer_result": ("integers", "dtype"),
    "integers_as_floats": ("integers", "in_floats"),
    "row_counter": ("ragged", "counter"),
    "row_groups": ("ragged", "groups"),
    "groups_are_counts": ("ragged", "are_counts"),
    "rest": ("ragged", "rest"),
    "output_dtypes": ("dtypes", "outputs"),
    "dtype_attribute": ("dtypes", "attribute"),
}
_KINDS: dict[str, Callable[..., Any]] = {
    "roles": Roles, "result": Result, "integers": Integers, "ragged": Ragged, "dtypes": Dtypes
}  # fmt: skip
#: Fields that state what CANN says. They belong to Law(...) now.
_OF_LAW = (
    "products",
    "checks",
    "aclnn",
    "ir",
    "bfloat16_everywhere",
    "differences",
    "has_document",
    "generated",
    "null_order",
)


def with_new_names(text: object, fields: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a definition by their new names, and the fields of a law among them. Warns about old names."""
    of_law = {name: fields[name] for name in _OF_LAW if name in fields}
    new = {name: value for name, value in fields.items() if name not in of_law}
    if "checks" in of_law and "preconditions" not in new:
        new["preconditions"] = of_law["checks"]
    words: list[str] = []

    def move(old: str, now: str) -> None:
        words.append(f"{old} is {now} now")

    if "reads" in new:
        new["layout"] = new.pop("reads")  # no warning: both names are accepted
    if "absent" in new:
        move("absent", "defaults_of_tensors")
        new["defaults_of_tensors"] = new.pop("absent")
    parts: dict[str, dict[str, Any]] = {}
    if isinstance(new.get("dtypes"), str):
        listed = new.pop("dtypes").split()
        of_law["dtypes"] = " ".join(listed)
        besides = [name for name in listed if name not in FLOATS]
        parts["dtypes"] = {"besides_floats": " ".join(besides)}
    if new.pop("clears_rest", False):
        move("clears_rest", "ragged=Ragged(..., rest='cleared')")
        parts.setdefault("ragged", {})["rest"] = "cleared"
    for old, (part, field) in _PARTS.items():
        if old in new:
            move(old, f"{part}={_KINDS[part].__name__}({field}=...)")
            parts.setdefault(part, {})[field] = new.pop(old)
    if parts.get("ragged", {}).get("groups") and "rest" not in parts["ragged"]:
        parts["ragged"]["rest"] = "refused"
    if parts.get("ragged", {}).get("rest") == "":
        parts["ragged"]["rest"] = "refused"
    for part, values in parts.items():
        if part in new:
            raise InvalidOperator(
                f"operator {name_in(text)}: {part} is given, and also {', '.join(values)}; each must be given once; "
                f"put all into {part}"
            )
        new[part] = _KINDS[part](**values)
    if "switch" in new and isinstance(new.get("formula"), Mapping) and not isinstance(new["formula"], Switch):
        move("switch", "formula=Switch(by, {...})")
        switch = new.pop("switch")
        by = _of_attributes(switch) if callable(switch) else switch
        if by is not switch:
            words.append("a switch gets no product now, and Law(..., formulas={product: formula}) has other formulas")
        new["formula"] = Switch(by, new["formula"], new.pop("variant", None))
    if isinstance(new.get("requires"), Mapping) and any(map(_takes_product, new["requires"].values())):
        move("lambda attributes, product", "lambda attributes")
        of_law.setdefault("requires", {n: holds for n, holds in new["requires"].items() if _takes_product(holds)})
        new["requires"] = {name: _of_attributes(holds) for name, holds in new["requires"].items()}
    if words:
        warn = f"operator {name_in(text)}: {'; '.join(words)}; see docs/new-operator.md"
        warnings.warn(warn, DeprecationWarning, stacklevel=3)
    return new, of_law


def _takes_product(rule: Any) -> bool:
    return not _can_be_called(rule, {}) and _can_be_called(rule, {}, None)


def _can_be_called(rule: Any, *arguments: Any) -> bool:
    try:
        inspect.signature(rule).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def _of_attributes(rule: Any) -> Any:
    """A rule of attributes and product as a rule of attributes."""
    return (lambda attributes: rule(attributes, None)) if _takes_product(rule) else rule


def state_law(operator: Any, fields: dict[str, Any]) -> None:
    """State the law of an operator whose definition has fields of a law. Warns, except about a list of dtypes."""
    if law.slots is None:
        if fields.keys() != {"dtypes"}:
            raise InvalidOperator(
                f"operator {operator.name}: {', '.join(fields)} come from CANN; actgrad.ascend must be installed; "
                "leave them out"
            )
        return
    text = law.slots.state_law(operator, fields)
    if fields.keys() - {"dtypes", "requires"}:
        fault = f"operator {operator.name}: {', '.join(fields)} belong to a law now"
        warnings.warn(f"{fault}; write {text} with Law of actgrad.ascend", DeprecationWarning, stacklevel=3)
