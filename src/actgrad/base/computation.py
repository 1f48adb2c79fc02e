"""A computation: everything that a backend gets to compute a call.

The functions at the end are a kernel's arithmetic for one element. They take the formulas, then the inputs' elements,
then the attributes, and return one value for each part of the outputs. They work on numbers of every type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from .dtypes import Dtype
from .loop import Loop
from .records import Record

LARGEST, TOTAL, ONCE, LENGTH = "largest", "total", "once", "length"
#: The passes that compute a number once for each row, and visit no element.
ONCE_PER_ROW = ((ONCE,), (LENGTH,))


class RowStatistics(Record):
    """The statistics of a computation's rows. A row is the elements along the loop's last `dims` dimensions.

    The computation has the formula of an element, and then a term for each statistic. A term is a function of the
    inputs, the statistics of earlier passes and the attributes. An element is a function of the inputs, all statistics
    and the attributes. With `replaces_inputs`, an element sees the last pass's last term instead of the inputs.

    Two kinds of passes visit no elements. The one term of ONCE is a function of the earlier statistics and the
    attributes. LENGTH is the number of the row's elements, and its term is not called.
    """

    #: The statistics of each pass: LARGEST or TOTAL of its terms, or one ONCE, or one LENGTH.
    passes: tuple[tuple[str, ...], ...]
    output_statistics: tuple[int, ...]  # per output: the statistic that it holds for each row, or -1 for elements
    dims: int
    replaces_inputs: bool = False

    def compute(
        self,
        terms: Sequence[Callable[..., Any]],
        inputs: Sequence[Any],
        attributes: Sequence[Any],
        combine: Callable[[str, Any], Any],
    ) -> list[Any]:
        """All statistics. `combine` makes a statistic: `combine(kind, terms)`, or `combine(LENGTH, input)`."""
        statistics: list[Any] = []
        for combinations in self.passes:
            if combinations == (ONCE,):
                statistics.append(terms[len(statistics)](*statistics, *attributes))
                continue
            if combinations == (LENGTH,):
                statistics.append(combine(LENGTH, inputs[0]))
                continue
            arguments, first = [*inputs, *statistics, *attributes], len(statistics)
            statistics += [combine(kind, terms[k](*arguments)) for k, kind in enumerate(combinations, first)]
        return statistics

    def written_dtype(self, number: int, outputs: Sequence[Dtype], compute: str) -> Dtype | None:
        """The dtype of the output that holds a statistic of `once`, if it is float32 or the dtype of the arithmetic.

        Elements read such a statistic after rounding. `outputs` are the dtypes of the outputs.
        """
        kinds = [kind for combinations in self.passes for kind in combinations]
        if kinds[number] != ONCE or number not in self.output_statistics:
            return None
        dtype = outputs[self.output_statistics.index(number)]
        return dtype if dtype.name in ("float32", compute) else None

    @property
    def formula_term(self) -> tuple[int, int]:
        """The index of the term that the formula reads, and how many statistics this term reads."""
        visiting = [k for k, combinations in enumerate(self.passes) if combinations not in ONCE_PER_ROW]
        earlier = sum(map(len, self.passes[: visiting[-1]]))
        return earlier + len(self.passes[visiting[-1]]) - 1, earlier

    def results(
        self,
        element: Callable[..., Any],
        formulas: Sequence[Callable[..., Any]],
        inputs: Sequence[Any],
        statistics: Sequence[Any],
        attributes: Sequence[Any],
    ) -> list[Any]:
        """The value of each output, from all statistics."""
        if self.replaces_inputs:
            term, count = self.formula_term
            inputs = [formulas[1 + term](*inputs, *statistics[:count], *attributes)]
        of_elements = iter(element(formulas[0], *inputs, *statistics, *attributes))
        return [next(of_elements) if index < 0 else statistics[index] for index in self.output_statistics]

    def rows(self, loop: Loop) -> int:
        """The number of rows."""
        return prod(loop.shape[: len(loop.shape) - self.dims])


class Computation(NamedTuple):
    """What a kernel computes, and the layout of its memory, without addresses. A backend gets nothing else."""

    element: Callable[..., Any]  # one of the functions below: (formulas..., inputs..., attributes...) -> outputs
    formulas: tuple[Callable[..., Any], ...]
    scalars: tuple[float, ...]
    compute: str  # the dtype of the arithmetic
    loop: Loop
    device: str = "cpu"  # the device of the memory, such as "cuda:0"
    statistics: RowStatistics | None = None  # None if the formula has no statistics of rows

    def written_dtype(self, number: int) -> Dtype | None:
        """The dtype to which a statistic is rounded before the formula reads it, or None if it is not rounded."""
        assert self.statistics is not None, "a computation of rows"
        dtypes = [operand.dtype for operand in self.loop.outputs]
        return self.statistics.written_dtype(number, dtypes, self.compute)

    @property
    def is_empty(self) -> bool:
        """Whether the outputs have no elements."""
        if self.statistics is None or not any(index >= 0 for index in self.statistics.output_statistics):
            return self.loop.size == 0
        return self.statistics.rows(self.loop) == 0


def forward(function, *arguments):
    """y = f(x, ...)"""
    return (function(*arguments),)


def forward_of_several(function, *arguments):
    """(y, z, ...) = f(x, ...)"""
    return function(*arguments)


def backward(derivative, grad_output, x, *attributes):
    """The chain rule: grad_input = grad_output * f'(x)."""
    return (grad_output * derivative(x, *attributes),)


def backward_of_two(derivatives, grad_output, *arguments):
    """The chain rule for a formula of two elements. `derivatives` returns the derivative by each element."""
    by_first, by_second = derivatives(*arguments)
    return grad_output * by_first, grad_output * by_second


def gated_forward(function, active, other, *attributes):
    """out = f(active) * other, and f(active), which a caller may save for backward."""
    activated = function(active, *attributes)
    return activated * other, activated


def gated_forward_alone(function, active, other, *attributes):
    """out = f(active) * other"""
    return (function(active, *attributes) * other,)


def gated_backward(function, derivative, grad_output, active, other, *attributes):
    """The gradients of the active and of the other half. This function computes f(active) again."""
    return gated_backward_given(derivative, grad_output, active, other, function(active, *attributes), *attributes)


def gated_backward_given(derivative, grad_output, active, other, activated, *attributes):
    """The gradients of the active and of the other half, from `activated` = f(active).

    The derivative is bounded. So grad_output * derivative overflows only where the gradient itself overflows.
    """
    return grad_output * derivative(active, *attributes) * other, grad_output * activated


def pair_forward(function, other, active, *attributes):
    """out = other * f(active), of two tensors. No output has f(active), so the backward operator computes f(active)."""
    return gated_forward_alone(function, active, other, *attributes)


def pair_backward(function, derivative, grad_output, other, active, *attributes):
    """The gradients of the other and of the active tensor."""
    of_active, of_other = gated_backward(function, derivative, grad_output, active, other, *attributes)
    return of_other, of_active


def forward_to_bits(function, bit, *arguments):
    """The results of eight elements. The last results of the elements are bits, which this function joins to a byte.

    The arguments have eight numbers of each tensor. `function` takes one number of each tensor.
    """
    count = (len(arguments) - function.__code__.co_argcount) // 7
    byte, results = 0.0, ()
    for k in (7, 6, 5, 4, 3, 2, 1, 0):
        *values, last = function(*arguments[k : 8 * count : 8], *arguments[8 * count :])
        byte = byte + byte + last
        results = (*values, *results)
    return *_by_output(results, len(values)), byte


def forward_from_bits(function, bit, *arguments):
    """The results of eight elements, from eight numbers of each tensor and one byte of the last tensor."""
    count = (len(arguments) - function.__code__.co_argcount) // 7
    byte, results = arguments[8 * count], ()
    for k in (7, 6, 5, 4, 3, 2, 1, 0):
        mask = bit(byte, 2.0**k)
        byte = byte - mask * 2.0**k
        values = function(*arguments[k : 8 * count : 8], mask, *arguments[8 * count + 1 :])
        values = values if isinstance(values, tuple) else (values,)
        results = (*values, *results)
    return _by_output(results, len(values))


def _by_output(results, outputs):
    """The results of eight elements, which come element by element, output by output."""
    ordered = ()
    for k in range(outputs):
        ordered = (*ordered, *results[k::outputs])
    return ordered
