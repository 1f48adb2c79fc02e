"""A described case carried out by one of our backends, and judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import products, testing
from ...dtypes import BY_NAME
from ...errors import ActgradError, BackendUnavailable
from ...op import Operator
from .. import run
from ..cases import Case, garbage
from ..elements import Array
from ..judging import judge
from ..sizes import available_memory
from ..standards import OWN, REPEAT, STANDARDS
from ..verdict import Verdict
from .described import Described, Scalar, Tensor

IN_FORCE = "mixed"  # what decides where neither the command nor the case says
_TIMES = 12  # memory that judging takes, in the size of what is judged


class NotRun(Exception):
    """Why a case cannot be run."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case: a verdict, a refusal that the case expects, or why it was not run."""

    case: Described
    verdict: Verdict | None
    says: str = ""  # without a verdict

    @property
    def holds(self) -> bool | None:
        """None for one that was not run."""
        if self.verdict is None:
            return True if self.case.expects_error and not self.case.problem else None
        return self.verdict.holds and not self.case.expects_error


def execute(case: Described, backend: str, asked: Sequence[str] | None, seed: int, strict: bool = False) -> Outcome:
    """Run a case; `asked` are standards in place of its own. A missing backend is an error, all else an outcome."""
    if case.problem:
        return Outcome(case, None, case.problem)
    try:
        return Outcome(case, _executed(case, backend, asked, seed, strict))
    except BackendUnavailable:
        raise
    except NotRun as why:
        return Outcome(replace(case, problem=str(why)), None, str(why))
    except ActgradError as error:  # what the operator's own checks say
        if case.expects_error:
            return Outcome(case, None, f"refused, as it should be: {error}")
        return Outcome(replace(case, problem=f"refused: {error}"), None, f"refused: {error}")


def _executed(case: Described, backend: str, asked: Sequence[str] | None, seed: int, strict: bool) -> Verdict:
    assert case.signature is not None, "else it has a problem"
    operator, schema = case.signature.operator, case.signature.operator.schema
    for name, tensor in (*case.inputs.items(), *case.outputs.items()):
        if BY_NAME[tensor.dtype].kind not in ("float", "int") or tensor.dtype == "complex32":
            raise NotRun(f"{name} is {tensor.dtype}; only floats and signed integers can be judged")
    _refuse_large(case)
    rng = np.random.default_rng(seed if case.seed is None else case.seed)
    attributes = {**case.signature.fixed, **_attributes(case, operator, rng)}
    inputs: dict[str, Array] = {}
    for name in schema.tensor_names:
        if name in case.inputs:
            inputs[name] = _array(name, case.inputs[name], rng)
    for name, tensor in case.inputs.items():
        if tensor.values.is_result:
            inputs[name] = _result(operator, attributes, inputs, name, tensor)
    given = tuple(inputs.get(name) for name in schema.tensor_names)
    is_in_place = case.signature.in_place
    outputs = _outputs(case, operator, attributes, given)
    for array in outputs:
        garbage(array)
    called = given
    if is_in_place:
        (source,) = [array for array in given if array is not None]
        outputs[0][...] = source
        called = outputs
    whole = Case(operator, attributes, _dtype(outputs), case.name, tuple(STANDARDS), called, np.empty)
    run.compute(whole, backend, outputs)
    names = _standards(case, asked, outputs, strict)
    verdict = judge(
        operator, attributes, given, outputs, asked=[name for name in names if name != REPEAT], strict=strict
    )
    if REPEAT in names and not is_in_place:
        verdict = replace(verdict, repeat=run.repeat(whole, backend, outputs))
    if not verdict.is_judged and verdict.repeat is None:
        raise NotRun(f"{', '.join(names)} says nothing of {_dtype(outputs)}")
    return verdict


def _dtype(outputs: Sequence[Array]) -> str:
    return outputs[0].dtype.name


def _standards(case: Described, asked: Sequence[str] | None, outputs: Sequence[Array], strict: bool) -> list[str]:
    """The standards of a case, and for dtypes of which they say nothing our own."""
    names = list(asked or case.standards or (IN_FORCE,))
    is_defined = all(STANDARDS[name].is_defined(a.dtype.name) for name in names for a in outputs)
    if (asked is None and not is_defined) or (strict and OWN not in names):
        names.append(OWN)
    return names


def _refuse_large(case: Described) -> None:
    free = available_memory()
    size = 0
    for tensor in (*case.inputs.values(), *case.outputs.values()):
        elements = max(math.prod(tensor.shape), _held(tensor))
        size += elements * BY_NAME[tensor.dtype].itemsize
    if size > 1 << 62 or (free is not None and _TIMES * size > free):
        raise NotRun(f"its tensors take {size:,} bytes and judging {_TIMES} times that; {free or 0:,} bytes are free")


def _attributes(case: Described, operator: Operator, rng: np.random.Generator) -> dict[str, Any]:
    assert case.signature is not None
    for parameter in case.signature.parameters:
        is_given = parameter.type == "Tensor" or parameter.argument in case.attributes
        if not is_given and operator.defaults[parameter.argument] is None:
            raise NotRun(f"{parameter.name} is not given")
    return {name: _number(name, scalar, rng) for name, scalar in case.attributes.items()}


def _number(name: str, scalar: Scalar, rng: np.random.Generator) -> Any:
    """The value of an attribute, rounded to its dtype as a scalar of that dtype is."""
    if isinstance(scalar.value, (bool, int)) and not scalar.dtype:
        return scalar.value
    dtype = BY_NAME[scalar.dtype or "float64"]
    if dtype.kind == "bool":
        return float(bool(scalar.value)) if scalar.value is not None else float(rng.integers(2))
    if dtype.kind not in ("float", "int", "uint"):
        raise NotRun(f"{name} is a scalar of {dtype}, which is not drawn or rounded here")
    if scalar.value is None:
        return float(scalar.values.draw((), dtype.name, rng))
    if dtype.kind != "float":
        return float(int(scalar.value))
    with np.errstate(all="ignore"):
        return float(np.float64(scalar.value).astype(dtype.numpy))


def _array(name: str, tensor: Tensor, rng: np.random.Generator) -> Array:
    """A tensor with its numbers, laid out as the case says."""
    numbers = tensor.values.draw(tensor.shape, tensor.dtype, rng)
    if tensor.strides is None and not tensor.offset and tensor.storage is None:
        return numbers
    view = _view(name, tensor)
    view[...] = numbers
    return view


def _strides(tensor: Tensor) -> tuple[int, ...]:
    if tensor.strides is not None:
        return tensor.strides
    return tuple(math.prod(tensor.shape[k + 1 :]) for k in range(len(tensor.shape)))


def _end(tensor: Tensor) -> int:
    """The place behind the last element of a tensor in its storage."""
    if 0 in tensor.shape:
        return tensor.offset
    return tensor.offset + sum((n - 1) * s for n, s in zip(tensor.shape, _strides(tensor), strict=False)) + 1


def _held(tensor: Tensor) -> int:
    """The elements of a tensor's storage."""
    return math.prod(tensor.storage) if tensor.storage is not None else _end(tensor)


def _view(name: str, tensor: Tensor) -> Array:
    """A view of a tensor's shape and strides on fresh storage."""
    strides, held = _strides(tensor), _held(tensor)
    if len(strides) != len(tensor.shape):
        raise NotRun(f"{name} has {len(tensor.shape)} dimensions, but {len(strides)} strides")
    if _end(tensor) > held:
        raise NotRun(f"{name} reaches beyond its storage of {held} elements")
    storage = np.zeros(max(held, 1), BY_NAME[tensor.dtype].numpy)
    size = storage.itemsize
    return np.lib.stride_tricks.as_strided(storage[tensor.offset :], tensor.shape, [s * size for s in strides])


def _result(
    operator: Operator, attributes: dict[str, Any], inputs: dict[str, Array], name: str, tensor: Tensor
) -> Array:
    """What the forward pass returns, of a tensor's own numbers, or, for an optional tensor, of the input beside it."""
    forward, schema = operator.gradient_of, operator.schema
    if forward is None:
        raise NotRun(f"{name} is to be a forward pass's result, but {operator.name} has none")
    shared = {n: value for n, value in attributes.items() if n in forward.defaults}
    optional = [a.name for a in schema.tensors if a.is_optional]
    sources = [inputs[n] for n in forward.schema.tensor_names if n in inputs] if name in optional else [inputs[name]]
    if len(sources) != len(forward.schema.tensor_names):
        raise NotRun(f"{name} is to be a result of {forward.name}, whose input is not there")
    results = testing.as_tuple(forward(*sources, backend="reference", **shared))
    result = results[1 + optional.index(name)] if name in optional else results[0]
    if result.shape != tensor.shape or result.dtype.name != tensor.dtype:
        raise NotRun(f"{name} is {tensor.dtype} of shape {tensor.shape}, but the forward pass gives another")
    return np.asarray(result)


def _outputs(
    case: Described, operator: Operator, attributes: dict[str, Any], inputs: Iterable[Array | None]
) -> tuple[Array, ...]:
    """Memory for the outputs: as the case describes them, else as the operator makes them."""
    planned = testing.as_tuple(operator.plan(*inputs, backend="reference", **attributes).result)
    found = []
    for name, array in zip(operator.schema.outputs, planned, strict=True):
        tensor = case.outputs.get(name)
        found.append(np.empty_like(array) if tensor is None else _view(name, tensor))
    if products.any_chosen():  # its rules are those of a call with outputs
        operator.plan(*inputs, out=found[0] if len(found) == 1 else tuple(found), backend="reference", **attributes)
    return tuple(found)
