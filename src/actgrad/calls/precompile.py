"""Compilation in advance, for programs that must not wait for the compiler later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .. import backends, checks
from ..base import first_use
from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError, InvalidCall, InvalidDtype, did_you_mean, either, quote, some
from ..base.floating_point import default_environment
from ..base.loop import TensorMeta, row_major
from ..checks import law
from ..checks.law import LawInForce
from .operator import PREPARE, REGISTRY, Operator

#: Sizes in elements. Large calls in half precision use tables. Huge calls write past the caches with streaming stores.
_SMALL, _LARGE, _HUGE = 1 << 10, 1 << 17, 1 << 40


@default_environment()
def precompile(operators: Iterable[str] | str | None = None, dtypes: Iterable[str] | str | None = None) -> int:
    """Compile the machine code of these operators for these dtypes. Returns the number of prepared calls.

    Afterwards calls of these operators compile nothing in this process, for any attributes, if all tensors have the
    same dtype and are not broadcast. `operators` and `dtypes` are a name or several names. None means all.
    """
    operator_names = _names("operator", operators, REGISTRY)
    dtype_names = _names("dtype", dtypes, BY_NAME)
    count, prepare = 0, first_use.module(PREPARE)
    for operator in map(REGISTRY.__getitem__, operator_names):
        for attributes, judge in _cases(operator):
            for name in operator.input_dtypes if judge is None else judge.dtypes(operator.definition):
                if name not in dtype_names:
                    continue
                values = _not_negative(attributes) if BY_NAME[name].kind == "uint" else attributes
                for inputs in _inputs(operator, name, _SMALL, values, judge):
                    prepared = prepare.prepare(operator.definition, inputs, values, judge)
                    if prepared.backend == "cpu":  # the reference backend compiles nothing
                        count += _prepare_for_any_scalars(prepared.computation)
                for size in (_LARGE, _HUGE):
                    for inputs in _inputs(operator, name, size, values, judge):
                        prepare.prepare(operator.definition, inputs, values, judge)
                        count += 1
    if not count:
        allowed = {name for operator in operator_names for name in REGISTRY[operator].input_dtypes}
        dtypes = either(name for name in BY_NAME if name in allowed)
        raise InvalidDtype(
            f"precompile: dtypes is {', '.join(dtype_names)}; {some(operator_names)} must have {dtypes}; "
            "pass one of these dtypes"
        )
    return count


def _names(noun: str, names: Iterable[str] | str | None, choices: Iterable[str]) -> list[str]:
    """The requested names, or all names for None."""
    if names is None:
        return list(choices)
    result: list[Any] = [names]
    if not isinstance(names, str):
        try:
            result = list(names)
        except Exception as error:  # the object is not iterable, or its iterator raises an exception
            message = (
                f"precompile: {noun}s is {quote(names)}; it must be a name or several; pass some of {some(choices)}"
            )
            raise InvalidCall(message) from error
    for name in result:
        if not isinstance(name, str) or name not in choices:
            cure = did_you_mean(name, choices, f"pass one of these {noun}s")
            raise InvalidCall(f"precompile: {noun} {quote(name)} is unknown; known are {some(choices, name)}; {cure}")
    if not result:
        raise InvalidCall(f"precompile: {noun}s is empty; it must have a name; leave it out for all")
    return result


def _inputs(
    operator: Operator, dtype: str, size: int, attributes: dict[str, Any], judge: LawInForce | None
) -> list[tuple[TensorMeta | None, ...]]:
    """Contiguous inputs for a call on `size` elements: as few tensors as the operator takes, and all that it takes.

    The required tensors have this dtype. Scales and weights may have float32.
    """
    definition, schema = operator.definition, operator.schema
    if operator.access.dimension_attribute:
        attributes = {**attributes, operator.access.dimension_attribute: 0}

    def candidates(name: str, *others: str) -> Iterator[TensorMeta]:
        shape = operator.access.whole_shape(name, (size,), attributes)
        for one in definition.dtypes_of(name)[:1] or (dtype, *others):
            for sizes in (shape, (1,)):  # or one scale for all elements
                yield TensorMeta(BY_NAME[one], sizes, row_major(sizes, BY_NAME[one].itemsize))

    def fault(metas: dict[str, TensorMeta]) -> ActgradError | None:
        try:
            checks.run(checks.Call(definition, {n: metas.get(n) for n in schema.tensor_names}, attributes, judge))
        except ActgradError as error:
            return error
        return None

    metas = {a.name: next(candidates(a.name)) for a in schema.tensors if not a.is_optional}
    error = fault(metas)
    accepted = [metas] if error is None else []
    for name in (a.name for a in schema.tensors if a.is_optional and a.name in operator.element_tensors):
        trials = ({**metas, name: meta} for meta in candidates(name, "float32"))
        trial = next((each for each in trials if fault(each) is None), None)
        if trial is not None:
            metas = trial
            accepted.append(trial)
    if not accepted:
        assert error is not None
        raise error
    ends = accepted[:1] if len(accepted) == 1 else [accepted[0], accepted[-1]]
    return [tuple(map(end.get, schema.tensor_names)) for end in ends]


def _not_negative(attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes whose numbers an unsigned dtype has."""
    return {n: max(v, 0) if isinstance(v, (int, float)) else v for n, v in attributes.items()}


def _prepare_for_any_scalars(computation: Computation) -> int:
    """Compile the machine code for scalars of 1 and for other scalars. Returns the number of compilations."""
    cases = {(scalar,) * len(computation.scalars) for scalar in (1.0, 2.0)}
    for scalars in cases:
        with first_use.lock:
            backends.load("cpu").compile_for_any_size(computation._replace(scalars=scalars))
    return len(cases)


def _cases(operator: Operator) -> Iterator[tuple[dict[str, Any], LawInForce | None]]:
    """For each formula of an operator, attributes and a law that choose the formula."""
    if callable(operator.switch):
        yield dict(operator.defaults), None
        return
    is_attribute = operator.switch in operator.defaults  # otherwise the switch is a tensor
    keys = tuple(operator.formula) if isinstance(operator.formula, dict) and is_attribute else (None,)
    for key in keys:
        yield {**operator.defaults, **({} if key is None else {operator.switch: key})}, None
    slots = law.slots
    if slots is not None:
        laws = first_use.run(lambda: list(slots.laws_with_formulas(operator.definition)))  # the first one imports
        yield from ((dict(operator.defaults), judge) for judge in laws)
