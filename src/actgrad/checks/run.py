"""The checks of a call, in order: those of the law in force, otherwise the operator's own checks."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from typing import Any

from ..base.definition import Definition
from ..base.errors import KernelMissing, NotConfigured, NullArgument, UnsupportedOnProduct
from . import dtype_rules, halves_rules, shape_rules
from .check import Call, Check

EARLY = (NullArgument, UnsupportedOnProduct, NotConfigured)  # the errors of checks that read no tensor


def run(call: Call, early: bool = False) -> None:
    """Raise the error of the first check that `call` breaks. With `early`, run only the first checks, of EARLY."""
    law = call.law
    for check in _in_force(call.definition, law, early):
        fault = check.test(call)
        if fault is not None:
            raise check.error_class(law)(f"{call.definition.name}: {fault}")


@cache
def _in_force(definition: Definition, law: Any, early: bool) -> tuple[Check, ...]:
    """The checks of an operator's calls under a law. With `early`, only the first checks, whose errors are in EARLY."""
    checks = checks_under(definition, law)
    return tuple(takewhile(lambda check: check.error in EARLY, checks)) if early else checks


def forget_checks() -> None:
    """Forget which checks a law has, because somebody states another law."""
    _in_force.cache_clear()


def checks_under(definition: Definition, law: Any) -> tuple[Check, ...]:
    """The checks of an operator's calls under a law, in order. None is no law."""
    checks: tuple[Check, ...] = own_checks(definition) if law is None else law.checks(definition)
    return checks


@cache
def own_checks(definition: Definition) -> tuple[Check, ...]:
    """The checks that hold without a law, in order: null, dtypes, shapes, values.

    The operator states the checks on dtypes and shapes, or they follow from its layout.
    """
    scalars = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
    stated = [check for group in definition.preconditions or derived(definition) for check in group]
    return (
        *shape_rules.present(definition),
        *dtype_rules.real(*scalars),
        *stated,
        *shape_rules.on_values(definition),
        *dtype_rules.numbered(definition),
        *dtype_rules.scalars_of_integers(definition),
        *dtype_rules.storable(*definition.schema.outputs),
    )


@cache
def refused_flags(definition: Definition) -> frozenset[str]:
    """The flags that must be False, because no kernel computes a call with one of these flags."""
    flags = {argument.name for argument in definition.schema.attributes if argument.type == "bool"}
    about = [name for check in own_checks(definition) if check.error is KernelMissing for name in check.about]
    return frozenset(flags.intersection(about))


def derived(definition: Definition) -> tuple[tuple[Check, ...], ...]:
    """The checks on dtypes and shapes that follow from an operator's layout and roles."""
    ragged, access, outputs = definition.ragged, definition.access, definition.schema.outputs
    first, *rest = (name for name in definition.schema.tensor_names if name not in (ragged.counter, ragged.groups))
    fixed = {name: listed for name in rest if (listed := definition.dtypes_of(name))}
    promotable = [name for name in rest if name not in fixed]
    is_promoted = definition.broadcasts and bool(promotable)  # then the list is of the promoted dtype, as in PyTorch
    dtypes = (
        dtype_rules.promoted(first, *promotable) if is_promoted else dtype_rules.supported(first),
        () if is_promoted else dtype_rules.equal(*promotable, to=first),
        dtype_rules.dtypes_as_written(fixed),
        dtype_rules.convertible(*outputs),
    )
    if access.has_bits:
        of_bits = [name for name in rest if name in access.tensor_names]
        return (
            *dtypes,
            shape_rules.rank(first, minimum=1),
            shape_rules.same_shape(*(name for name in rest if name not in of_bits), to=first),
            shape_rules.whole_bytes(first),
            *(shape_rules.bits_of(name, of=first) for name in of_bits),
            shape_rules.result_shape(*outputs),
        )
    rows = _of_rows(definition)
    if access.is_packed:
        packed = next(name for name in (first, *rest) if access.part_count(name) > 1)
        halves = [name for name in (first, *rest) if access.part_count(name) == 1]
        return (
            *dtypes,
            halves_rules.dim_in_range(packed, access.dimension_attribute),
            halves_rules.even(packed, access.dimension_attribute),
            halves_rules.half(*halves, of=packed, dim=access.dimension_attribute),
            *rows,
            shape_rules.result_shape(*outputs),
        )
    alike = [name for name in rest if access.brings_elements(name)]
    positions = {name: d for name in rest if (d := access.position_of(name)) is not None}
    if definition.broadcasts:
        shapes = tuple(check for name in alike for check in shape_rules.broadcastable(name, to=first))
    else:
        shapes = shape_rules.same_shape(*alike, *(name for name in outputs if not access.is_statistic(name)), to=first)
    return (
        *dtypes,
        shapes,
        *(shape_rules.along(name, to=first, position=d) for name, d in positions.items()),
        *rows,
        shape_rules.result_shape(*outputs) if definition.broadcasts else (),
        halves_rules.dim_in_range(first, access.dimension_attribute) if access.dimension_attribute else (),
        shape_rules.result_shape(*filter(access.is_statistic, outputs)),
    )


def _of_rows(definition: Definition) -> tuple[tuple[Check, ...], ...]:
    """The checks of the tensor that counts rows: one dimension of INT64."""
    counter = definition.ragged.counter
    if not counter:
        return ()
    return dtype_rules.has_dtype(counter, "int64"), halves_rules.counting(counter)
