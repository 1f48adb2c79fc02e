"""One call of a function: phase one checks its arguments, phase two computes on the program's memory."""

from __future__ import annotations

import copy
import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import isfinite, prod
from typing import Any, NamedTuple

import numpy as np

from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError, InvalidArgument, KernelMissing, NullArgument, quantity
from ...base.loop import TensorMeta, extent, row_major
from ..aclnn.objects import DESTROYED, AclScalar, AclTensor
from ..aclnn.signatures import CParameter
from . import arrays, pytorch
from .arrays import array_of, element_of
from .checks import judge as checks
from .comparisons import compared
from .entry import (
    COMPARED,
    EACH,
    FLOAT32,
    FLOATING,
    MIXED,
    PROMOTED,
    RESULT,
    Dtype,
    Entry,
    category,
    promoted,
    with_scalar,
)

FLOAT = BY_NAME["float32"]


def check_argument(name: str, parameter: str, value: Any, may_be_null: bool) -> None:
    """Raise if an argument is missing or has no memory."""
    if value is None and not may_be_null:
        raise NullArgument(f"{name}: {parameter} is a null pointer; it is required; pass a pointer")
    if isinstance(value, AclTensor):
        if value.view is None:
            raise InvalidArgument(f"{name}: {parameter} {DESTROYED}")
        if value.fault:
            raise InvalidArgument(f"{name}: {parameter} {value.fault}")
    elif isinstance(value, AclScalar) and value.is_destroyed:
        raise InvalidArgument(f"{name}: {parameter} {DESTROYED}")


def check_kernel(name: str, parameter: str, value: Any, reads_nibbles: bool) -> None:
    """Raise if actgrad has no arithmetic for a tensor's dtype, which hardware may have."""
    if not isinstance(value, AclTensor) or (value.is_nibbles and reads_nibbles):
        return
    if value.dtype.kind in ("float8", "other") or value.dtype.name == "complex32":
        fault = f"{name}: {parameter} is {value.dtype.acl_name}"
        raise KernelMissing(f"{fault}; actgrad does not compute this dtype here; pass another dtype")


@cache
def _warn(name: str) -> None:
    """Warn a strict program once about a function without checks."""
    text = "computed, not checked; hardware may refuse a call that passes here; check the arguments yourself"
    logging.getLogger("actgrad").warning("%s: %s", name, text)


class WrongNumbers(ActgradError, ValueError):
    """Numbers in tensors, for example indices, do not fit the call."""


def _tensors(arguments: Sequence[Any]) -> Iterator[AclTensor]:
    """The tensors of a call, also those of lists."""
    for value in arguments:
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, AclTensor):
                yield each


class _Operands(NamedTuple):
    """What a rule reads and writes, as arrays or tensors of PyTorch on the memory of a call."""

    inputs: list[Any]
    results: list[Any]
    dtype: Dtype | None  # to compute in, or None if each array keeps its own
    is_kept: bool  # whether these are right for the next run too


class Work:
    """A checked call. Phase two may run it several times."""

    def __init__(self, name: str, rule: Entry, parameters: Sequence[CParameter], arguments: Sequence[Any]):
        self.name, self.rule = name, rule
        self._arguments = arguments
        self._steps: dict[int, int] = {}  # by a tensor's id: the bytes from its memory to the memory to compute on
        self._kept: dict[tuple[int, int], _Operands] = {}
        if self.rule.other_dtypes is not None and not all(each.dtype is FLOAT for each in _tensors(arguments)):
            self.rule = self.rule.other_dtypes
        self._library: Any = pytorch if self.rule.uses_torch else arrays
        self._any_shape: tuple[str, ...] = ()
        has_no_work = self._judge(parameters, arguments)
        self._results = [k for k, parameter in enumerate(parameters) if parameter.is_output]
        self._calls = [tuple(arguments)]
        self._shared: list[AclTensor] = []
        try:
            if parameters[self._results[0]].type == "tensors" and not self.rule.writes_list:
                self._calls = self._one_by_one(arguments)
            for call in self._calls:
                self._check_shapes([parameters[k].name for k in self._results], call)
        except InvalidArgument:
            if not has_no_work:
                raise
            self._calls = []
        if self.rule.uses_torch:
            pytorch.require(self.name)

    def at(self, steps: Sequence[int]) -> Work | None:
        """This call on other memory, which is large enough. None if that needs another plan.

        `steps` has, for each tensor of the arguments, the bytes from its memory to the other memory.
        """
        tensors = list(_tensors(self._arguments))
        moved = {id(tensor): step for tensor, step in zip(tensors, steps, strict=True)}
        if any(id(tensor) not in moved for call in self._calls for tensor in _tensors(call)):
            return None  # an element of a tensor counts as a tensor
        other = copy.copy(self)
        other._steps, other._kept = moved, {}
        return other

    def needed_bytes(self) -> list[int | None]:
        """For each tensor of the arguments: the bytes that it needs, or None if it needs no memory."""
        return [max(t.storage_size, t.reach) if t.is_touched else None for t in _tensors(self._arguments)]

    def _judge(self, parameters: Sequence[CParameter], arguments: Sequence[Any]) -> bool:
        """Raise the first fault, in the order of hardware: null pointers, then the checks of the table.

        Returns whether an empty tensor ends the call before the shapes of results are compared.
        """
        row, judge = checks.row_of(self.name, tuple(parameters)), checks.judge_of(self.name, tuple(parameters))
        call = checks.call_of(self.name, parameters, arguments)
        if judge is None:
            _warn(self.name)
        else:
            checks.run(judge.pointers, call)
        pairs = [
            (parameter.name, each)
            for parameter, value in zip(parameters, arguments, strict=True)
            for each in (value if isinstance(value, tuple) else (value,))
        ]
        for parameter_name, each in pairs:
            check_argument(self.name, parameter_name, each, checks.may_be_null(row, parameter_name))
        checks.run(judge.later if judge else (), call)
        for parameter_name, each in pairs:
            check_kernel(self.name, parameter_name, each, self.rule.reads_nibbles)
        if judge is None:
            return False
        self._any_shape = judge.any_shape
        return judge.has_no_work(call)

    def _one_by_one(self, arguments: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Split a call on lists of tensors into calls on single tensors. Return the arguments of each call."""
        count = len(arguments[self._results[0]])
        tensors = [value for value in arguments if isinstance(value, AclTensor)]  # scalars that are passed as tensors
        self._shared = [value for value in tensors if not _has_parts(value, count)]
        lists = [_parts(value, count) for value in arguments]
        if any(len(each) != count for each in lists):
            lengths = ", ".join(str(len(each)) for each in lists)
            raise InvalidArgument(
                f"{self.name}: the lists have {lengths} tensors; the numbers must be equal; pass lists of one length"
            )
        return list(zip(*lists, strict=True))

    def _inputs(self, call: tuple[Any, ...]) -> list[Any]:
        """The arrays that the rule reads. In place, it reads the first result, or all results if the rule says so."""
        return [v for k, v in enumerate(call) if k not in self._results or k == 0 or self.rule.is_in_place]

    def _check_shapes(self, names: list[str], call: tuple[Any, ...]) -> None:
        shapes = [_each(lambda each: getattr(each, "view_dims", each), value) for value in self._inputs(call)]
        inputs = [value for value in self._inputs(call) if isinstance(value, AclTensor)]
        tensors = [value.view_dims for value in inputs if all(value is not each for each in self._shared)]
        try:
            rule_shapes = self.rule.shape(*shapes) if self.rule.shape else np.broadcast_shapes(*tensors)
        except (IndexError, ValueError) as error:  # tensors with too few dimensions
            words = ", ".join(map(str, tensors))
            text = f"the tensors have shapes {words}; they must broadcast; reshape one of them"
            reason = error if self.rule.shape and "; " in str(error) else text
            raise InvalidArgument(f"{self.name}: {reason}") from None
        rule_shapes = rule_shapes if len(names) > 1 or self.rule.writes_list else [rule_shapes]
        targets = self._targets(call)
        if self.rule.writes_list:
            _check_count(f"{self.name}: {names[0]}", len(targets), len(rule_shapes))
            names, targets = names * len(rule_shapes), targets[: len(rule_shapes)]
        for name, result, shape in zip(names, targets, rule_shapes, strict=True):
            if result is None:
                continue
            if name in self._any_shape and shape is not ... and prod(result.view_dims) == prod(shape):
                continue
            if shape is not ... and result.view_dims not in (shape, shape or (1,)):
                fault = f"{self.name}: {name} has shape {result.view_dims}"
                raise InvalidArgument(
                    f"{fault}; it must be {shape}, the shape of the result; create it with that shape"
                )
            if self.rule.is_found and 0 not in result.view_dims and result.strides != row_major(result.view_dims, 1):
                fault = f"{self.name}: {name} has strides {result.strides}"
                raise InvalidArgument(f"{fault}; it must be contiguous; pass no strides to aclCreateTensor")

    def _targets(self, call: tuple[Any, ...]) -> list[AclTensor | None]:
        values = [call[k] for k in self._results]
        return list(values[0]) if self.rule.writes_list else values

    def run(self, distance: int) -> tuple[int, ...]:
        """Compute on memory that this process accesses at `distance` from its device address.

        Returns, for each tensor whose shape has changed, its index, its rank and the new shape.
        """
        for call in filter(self._has_results, self._calls):
            try:
                with self._library.surroundings():
                    shapes = self._compute(call, distance)
            except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError) as error:
                refusal = self._refusal(call, error)
                raise refusal from (None if refusal is error else error)
        if not self._calls or not self.rule.is_found:
            return ()
        numbers = [sum(isinstance(value, AclTensor) for value in self._calls[0][:k]) for k in self._results]
        new = [(n, len(s), *s) for n, s in zip(numbers, shapes, strict=True) if s is not None]
        return tuple(itertools.chain.from_iterable(new))

    def _refusal(self, call: tuple[Any, ...], error: Exception) -> Exception:
        """The error of a call whose rule failed: the numbers in tensors are wrong, or there is no kernel."""
        text = str(error)
        if isinstance(error, (ActgradError, RecursionError)) or "allocate memory" in text:
            return error
        if isinstance(error, NotImplementedError) or "not implemented for" in text:
            dtypes = ", ".join(each.dtype.acl_name for each in call if isinstance(each, AclTensor))
            fault = f"{self.name}: the tensors have the dtypes {dtypes}"
            return KernelMissing(f"{fault}; actgrad does not compute these here; pass other dtypes")
        if text.count("; ") > 1 and not isinstance(error, RuntimeError):  # a message that a rule wrote
            return WrongNumbers(f"{self.name}: {error}")
        words = ", ".join(str(each.view_dims) for each in call if isinstance(each, AclTensor))
        fault = f"{self.name}: the tensors have shapes {words}; indices, masks and sizes must fit these"
        return InvalidArgument(f"{fault}; change the numbers in tensors")

    def _has_results(self, call: tuple[Any, ...]) -> bool:
        """Whether a result has elements. True if the sizes depend on the values."""
        return self.rule.is_found or any(
            result is not None and 0 not in result.view_dims for result in self._targets(call)
        )

    def _compute(self, call: tuple[Any, ...], distance: int) -> list[tuple[int, ...] | None]:
        key = id(call), distance
        operands = self._kept.get(key) or self._operands(call, distance)
        if operands.is_kept:
            self._kept[key] = operands
        results, dtype = operands.results, operands.dtype
        inputs = [_each_in(lambda each: self._library.converted(each, dtype), value) for value in operands.inputs]
        computed = self.rule.compute(*inputs)
        computed = list(computed) if len(results) > 1 or self.rule.writes_list else [computed]
        values = self._library.as_values(computed, inputs)
        rounds_to = None if self.rule.dtype in (MIXED, PROMOTED) else dtype
        for result, value in zip(results, values, strict=not self.rule.writes_list):
            if result is not None and value is not None:
                if self.rule.is_found and prod(value.shape) > result.size:
                    fault = f"{self.name}: the result has {prod(value.shape)} elements, its tensor {result.size}"
                    raise InvalidArgument(f"{fault}; it must have as many or more; create a larger tensor")
                self._library.write(result, value, rounds_to, self.rule.is_found)
        return [value if value is None else tuple(value.shape) for value in values]

    def array_of(self, tensor: AclTensor, distance: int = 0) -> Any:
        """The array of one of the call's tensors, on the memory that the call computes on."""
        return array_of(tensor, distance + self._steps.get(id(tensor), 0))

    def _operands(self, call: tuple[Any, ...], distance: int) -> _Operands:
        results = [result if result is None else self.array_of(result, distance) for result in self._targets(call)]
        first = FLOAT32 if results[0] is None else results[0].dtype
        dtype = self._dtype(call, first)
        is_real = all(result is None or result.dtype.kind != "c" for result in results)

        def operand(value: AclTensor | AclScalar) -> Any:
            if isinstance(value, AclTensor):
                array = self.array_of(value, distance)
                return self._library.on_memory(array, self.rule.keeps_unsigned or dtype is not None)
            if self.rule.fills:
                return self._library.element(element_of(value, first))
            if self.rule.rounds_numbers and dtype is not None:
                return self._library.element(element_of(value, dtype))
            number = self._library.number(value, dtype, is_real)
            return number if results[0] is None else _within(number, first)

        inputs = self._inputs(call)
        is_kept = not any(tensor.is_nibbles for tensor in _tensors(inputs))  # their elements are copies
        return _Operands([_each(operand, value) for value in inputs], results, dtype, is_kept)

    def _dtype(self, call: tuple[Any, ...], result: Dtype) -> Dtype | None:
        """The dtype to compute in, or None if each array keeps its own."""
        if self.rule.dtype == EACH:
            return None
        if self.rule.dtype == RESULT:
            return result if category(result) >= 2 else np.dtype(np.int64)
        inputs = self._inputs(call)
        if self.rule.dtype == COMPARED:
            tensor, number = inputs
            return compared(self.rule.compute, tensor.dtype.numpy, number)
        dtype = promoted(*[each.dtype.numpy for each in inputs if isinstance(each, AclTensor)] or [FLOAT32])
        for each in inputs:
            if isinstance(each, AclScalar):
                dtype = with_scalar(dtype, each.dtype.numpy)
        return FLOAT32 if self.rule.dtype in (FLOATING, MIXED) and category(dtype) < 2 else dtype


def _within(number: Any, dtype: Dtype) -> Any:
    """A number that a float result cannot hold, as infinity. Other numbers, and tensors, stay."""
    if not isinstance(number, float) or not isfinite(number) or category(dtype) != 2:
        return number
    with np.errstate(over="ignore"):
        rounded = float(np.asarray(number).astype(dtype))
    return number if isfinite(rounded) else rounded


def result_places(work: Work) -> list[tuple[int, int, tuple[int, int]]]:
    """The places of the results of a call without lists: tensor number, byte offset, and the ends of the elements."""
    if len(work._calls) != 1 or any(isinstance(value, tuple) for value in work._calls[0]):
        return []
    numbers = itertools.accumulate((isinstance(value, AclTensor) for value in work._calls[0]), initial=0)
    pairs = list(zip(numbers, work._calls[0], strict=False))
    results = [(number, each) for number, each in (pairs[k] for k in work._results) if isinstance(each, AclTensor)]
    return [(n, t.offset * t.dtype.itemsize, extent(t.view.meta)) for n, t in results if t.view is not None]


def _check_count(text: str, actual: int, needed: int) -> None:
    if actual < needed:
        fault = f"{text} has {quantity(actual, 'tensor')}"
        raise InvalidArgument(f"{fault}; it must have {needed}, one for each part; add tensors")


def _has_parts(tensor: AclTensor, count: int) -> bool:
    """Whether a tensor has an element for each of several tensors of a list."""
    return count > 1 and prod(tensor.view_dims) == count


def _parts(value: Any, count: int) -> tuple[Any, ...]:
    """The argument for each tensor of a list: an item of a list, an element of a tensor, or always the same value."""
    if isinstance(value, tuple):
        return value
    if not isinstance(value, AclTensor) or not _has_parts(value, count):
        return (value,) * count
    parts = [AclTensor((), value.dtype, (), 0, value.format, (1,)) for _ in range(count)]
    for position, part in zip(np.ndindex(value.view_dims), parts, strict=True):
        assert value.view is not None
        steps = sum(k * stride for k, stride in zip(position, value.strides, strict=True))
        address = value.view.address + steps * value.dtype.itemsize
        part.put(value.view._replace(meta=TensorMeta(value.dtype, (), ()), address=address), value.fault)
    return tuple(parts)


def _each_in(function: Callable[[Any], Any], value: Any) -> Any:
    return tuple(map(function, value)) if isinstance(value, tuple) else function(value)


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """An argument, with `function` applied to its tensors and numbers."""
    if isinstance(value, tuple):
        return tuple(_each(function, each) for each in value)
    return function(value) if isinstance(value, (AclTensor, AclScalar)) else value
