"""Tracing runs a formula with values that record its operations. All backends that emit code share this module."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...base import xp
from ...base.dtypes import Dtype
from ...base.errors import InvalidOperator
from ...base.forks import cached_property
from . import accurate, coefficients, primitives


class Primitives:
    """The primitives that are the same in all backends that emit code.

    A backend's subclass implements all other primitives. It implements `piecewise` and `where_rare` if it has tables.
    """

    piecewise: Callable[..., Any] | None = None  # only in backends with tables
    where_rare: Callable[..., Any] | None = None
    overrides: Mapping[str, Any] = {}  # constants that replace some of `accurate`: SHORT, and the tables of `piecewise`
    is_double: bool  # whether the compute dtype is float64, otherwise float32

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions of `xp` by name: the accurate functions, bound to these primitives."""
        functions = {name: getattr(self, name) for name in primitives.NAMES}
        functions |= coefficients.FLOAT64 if self.is_double else coefficients.FLOAT32
        functions |= self.overrides
        return {name: functions.get(name) or xp.bind(getattr(accurate, name), functions) for name in xp.NAMES}

    def never_positive(self, x: Any) -> bool:
        return False

    def from_0_to_1(self, x: Any) -> Any:
        return x

    def is_from_0_to_1(self, x: Any) -> bool:
        return False

    def muladd(self, a: Any, b: Any, c: Any) -> Any:
        raise NotImplementedError

    def polynomial(self, x: Any, coefficients: tuple[float, ...]) -> Any:
        value: Any = coefficients[0]
        for coefficient in coefficients[1:]:
            value = self.muladd(value, x, coefficient)
        return value

    def leading(self, c: float) -> float:
        return c if self.is_double else float(np.float32(c))

    def trailing(self, c: float) -> float:
        return self.leading(c - self.leading(c))


def pattern(value: float, is_double: bool) -> int:
    """The bits of a number of the compute dtype, as an integer."""
    code = ("<d", "<q") if is_double else ("<f", "<i")
    bits: int = struct.unpack(code[1], struct.pack(code[0], value))[0]
    return bits


def saturated(emitter: Any, x: Any, dtype: Dtype) -> Any:
    """x within the range of an integer dtype, with NaN as 0: a machine's conversion is undefined out of range."""
    bits = 8 * dtype.itemsize
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "int" else (0, 2**bits - 1)
    number = emitter.where(x == x, x, 0.0)
    return emitter.minimum(emitter.maximum(number, float(low)), float(high))


def _arithmetic(sign: str) -> tuple[Any, Any]:
    """The two methods of an operator: for a value as the left operand, and for a value as the right operand."""
    return lambda self, other: self._binary(sign, self, other), lambda self, other: self._binary(sign, other, self)


def _comparison(sign: str) -> Any:
    return lambda self, other: self._compare(sign, other)


def _refuse_branch(self: Any) -> bool:
    raise InvalidOperator("a formula uses `if` on a value; it must compute both branches; write where(condition, x, y)")


class Number:
    """A number of a traced formula. A backend's subclass emits code in `_binary` and `_compare`."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ()

    def _binary(self, sign: str, x: Any, y: Any) -> Any:
        raise NotImplementedError

    def _compare(self, sign: str, other: Any) -> Any:
        raise NotImplementedError

    __add__, __radd__ = _arithmetic("+")
    __sub__, __rsub__ = _arithmetic("-")
    __mul__, __rmul__ = _arithmetic("*")
    __truediv__, __rtruediv__ = _arithmetic("/")
    __gt__, __ge__ = _comparison(">"), _comparison(">=")
    __lt__, __le__ = _comparison("<"), _comparison("<=")
    __eq__, __ne__ = _comparison("=="), _comparison("!=")

    __bool__ = _refuse_branch


class Condition:
    """The truth value of a comparison in a traced formula, unknown until the code runs."""

    __slots__ = ()

    __bool__ = _refuse_branch


class _Dependent(Number):
    """A number that records which arguments of a formula it depends on."""

    __slots__ = ("positions",)

    def __init__(self, positions: frozenset[int]):
        self.positions = positions

    def _binary(self, sign: str, x: Any, y: Any) -> _Dependent:
        return _union(x, y)

    def _compare(self, sign: str, other: Any) -> _Dependent:
        return _union(self, other)

    def __and__(self, other: Any) -> _Dependent:
        return _union(self, other)

    __or__ = __and__

    def __neg__(self) -> _Dependent:
        return self


def _union(*arguments: Any) -> _Dependent:
    """A number that depends on everything that the arguments depend on."""
    positions = [argument.positions for argument in arguments if isinstance(argument, _Dependent)]
    return _Dependent(frozenset().union(*positions))


def dependencies(element: Callable[..., Any], formula: Callable[..., Any], count: int) -> frozenset[int]:
    """The positions of the arguments that the results of an element depend on, of `count` arguments."""
    bound = xp.bind(formula, dict.fromkeys(xp.NAMES, _union))
    results = element(bound, *(_Dependent(frozenset([k])) for k in range(count)))
    return _union(*results).positions
