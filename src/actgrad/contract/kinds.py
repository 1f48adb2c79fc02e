"""All checks of an operator, in order. Common checks come before and after the checks that the operator states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import takewhile

from ..base.definition import Definition
from ..base.errors import KernelMissing, NotConfigured, NullArgument, UnsupportedOnProduct
from . import dtype_rules, halves_rules, shape_rules, stages
from .check import Call, Check, Origin, Ruleset, When


@cache
def checks_of(definition: Definition) -> tuple[Check, ...]:
    """All checks of an operator, in order. Common checks come before and after the checks on dtypes and shapes.

    The operator states the checks on dtypes and shapes, or has the usual ones. `VALUES` among them stands for the
    checks on attributes. Otherwise the checks on attributes come last. `TILED_VALUES` stands for the same checks, which
    a generated function makes when it plans its kernel. Without a document of CANN, every check is a decision of
    actgrad.
    """
    values = tuple(_values(definition))
    parts = definition.checks or usual(definition)
    middle: list[Check] = [*_real_numbers(definition, parts)]
    for part in parts:
        middle += values if part is VALUES else stages.tiling(values) if part is TILED_VALUES else part
    if VALUES not in definition.checks and TILED_VALUES not in definition.checks:
        middle += values
    middle += dtype_rules.numbered(definition)
    middle += dtype_rules.scalars_of_integers(definition)
    storable = dtype_rules.storable(*definition.schema.outputs)
    checks = (*shape_rules.no_nulls(definition), shape_rules.available(definition), *middle, *storable)
    if definition.aclnn:
        return checks
    return tuple([replace(check, origin=Origin.ACTGRAD) for check in checks])


@cache
def refused_flags(definition: Definition) -> frozenset[str]:
    """The flags that must be False, because no kernel computes a call with one of these flags."""
    flags = {argument.name for argument in definition.schema.attributes if argument.type == "bool"}
    about = [name for check in checks_of(definition) if check.error is KernelMissing for name in check.about]
    return frozenset(flags.intersection(about))


EARLY = (NullArgument, UnsupportedOnProduct, NotConfigured)  # the errors of checks that read no tensor


def run(call: Call, early: bool = False) -> None:
    """Raise the error of the first check that `call` breaks. With `early`, run only the first checks, of EARLY."""
    for check in _in_force(call.definition, call.ruleset, early):
        fault = check.test(call)
        if fault is not None:
            raise check.error_class(call.ruleset)(f"{call.definition.name}: {fault}")


@cache
def _in_force(definition: Definition, ruleset: Ruleset, early: bool) -> tuple[Check, ...]:
    """The checks that belong to the ruleset. With `early`, only the first checks, whose errors are in EARLY."""
    checks = checks_of(definition)
    if early:
        checks = tuple(takewhile(lambda check: check.error in EARLY, checks))
    return tuple([check for check in checks if check.when.applies(ruleset)])


VALUES: tuple[Check, ...] = (Check("the attributes have allowed values", lambda call: None),)
TILED_VALUES: tuple[Check, ...] = (Check("the attributes have values that a kernel takes", lambda call: None),)


def usual(definition: Definition) -> tuple[tuple[Check, ...], ...]:
    """The checks on dtypes and shapes of an operator whose field `checks` is empty."""
    first, *rest = definition.schema.tensor_names
    outputs = definition.schema.outputs
    fixed = {name: dtypes for name in rest if (dtypes := definition.dtypes_of(name))}
    promotable = [name for name in rest if name not in fixed]
    scalars = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
    access, promoted = definition.access, [name for name in outputs if not definition.dtypes_of(name)]
    if access.has_bits:
        of_bits = [name for name in rest if name in access.tensor_names]
        return (
            dtype_rules.supported(first),
            dtype_rules.equal(*promotable, *promoted, to=first),
            dtype_rules.dtypes_as_written(fixed),
            dtype_rules.convertible(*(name for name in outputs if name not in promoted)),
            shape_rules.rank(first, minimum=1),
            shape_rules.same_shape(*(name for name in rest if name not in of_bits), to=first),
            shape_rules.whole_bytes(first),
            *(shape_rules.bits_of(name, of=first) for name in of_bits),
            shape_rules.result_shape(*outputs),
        )
    if access.is_packed:
        packed = next(name for name in (first, *rest) if access.part_count(name) > 1)
        halves = [name for name in (first, *rest, *outputs) if access.part_count(name) == 1]
        return (
            dtype_rules.supported(first),
            dtype_rules.equal(*promotable, *promoted, to=first),
            dtype_rules.dtypes_as_written(fixed),
            dtype_rules.convertible(*(name for name in outputs if name not in promoted)),
            shape_rules.rank(packed),
            halves_rules.dim_in_range(packed, access.dimension_attribute),
            halves_rules.even(packed, access.dimension_attribute),
            halves_rules.half(*halves, of=packed, dim=access.dimension_attribute),
            shape_rules.result_shape(*outputs),
        )
    alike = [name for name in rest if access.brings_elements(name)]
    positions = {name: d for name in rest if (d := access.position_of(name)) is not None}
    if definition.broadcasts:
        same: list[str] = []
        joined = tuple(check for name in alike for check in shape_rules.broadcastable(name, to=first))
    else:
        same, joined = [*alike, *(name for name in outputs if not access.is_statistic(name))], ()
    return (
        dtype_rules.supported(first),
        dtype_rules.promoted(first, *promotable) if definition.broadcasts else dtype_rules.equal(*promotable, to=first),
        dtype_rules.dtypes_as_written(fixed),
        dtype_rules.real(*scalars),
        stages.document(dtype_rules.supported(*promoted)),
        dtype_rules.convertible(*outputs),
        joined,
        shape_rules.same_shape(*same, to=first),
        *(shape_rules.along(name, to=first, position=d) for name, d in positions.items()),
        shape_rules.result_shape(*outputs) if definition.broadcasts else (),
        shape_rules.rank(first),
        halves_rules.dim_in_range(first, access.dimension_attribute) if access.dimension_attribute else (),
        shape_rules.result_shape(*filter(access.is_statistic, outputs)),
    )


def _real_numbers(definition: Definition, parts: tuple[tuple[Check, ...], ...]) -> Iterator[Check]:
    """The checks that scalars are real, if the operator does not state them. Formulas and rules compare scalars."""
    rules = {check.rule for group in parts for check in group}
    for check in dtype_rules.real(*(a.name for a in definition.schema.attributes if a.type == "Scalar")):
        if check.rule not in rules:
            yield replace(check, when=When.UNTYPED, origin=Origin.ACTGRAD)


def _values(definition: Definition) -> Iterator[Check]:
    if definition.choices:
        yield shape_rules.known_choice(str(definition.switch), definition.choices)
    attributes = [a.name for a in definition.schema.attributes]
    for rule, holds in definition.requires.items():
        yield shape_rules.required(rule, holds, attributes)
