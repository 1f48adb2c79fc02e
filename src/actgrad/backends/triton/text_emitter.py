"""Values that write Triton source text when a formula computes with them: vectors, uniform scalars and masks.

`TextEmitter.functions` binds the names of xp.py to functions of these values. The accurate functions call the
primitives below. Every step is one line such as `v7 = tl.fma(v5, v6, c2)`; equal steps are written once. The text does
not use the GPU's approximate functions for results, and states fused multiply-adds explicitly.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..formula import tracing
from .machines import Machine


class TextEmitter(tracing.Primitives):
    """Writes the arithmetic of one compute dtype."""

    def __init__(self, compute: str, machine: Machine):
        self.machine = machine
        self.is_double = compute == "float64"
        self.type = "tl.float64" if self.is_double else "tl.float32"
        self.integer = "tl.int64" if self.is_double else "tl.int32"
        self.bits = 64 if self.is_double else 32
        self.product = machine.product(self.is_double)
        self.mantissa = 52 if self.is_double else 23
        # 1.5 * 2**mantissa: in x + magic, the low bits are the integer nearest to x.
        self.magic = 1.5 * 2.0**self.mantissa
        self.lines: list[str] = []
        self.constants: dict[bytes, str] = {}  # keys: the bits, because 0.0 equals -0.0
        self.uniforms: dict[str, TextUniform] = {}  # keys: expressions; only uniforms that meet a vector
        self._names: dict[str, str] = {}  # keys: expressions

    # Text

    def emit(self, expression: str) -> str:
        """Write a line for the expression. Returns the name of its result."""
        name = self._names.get(expression)
        if name is None:
            name = self._names[expression] = f"v{len(self.lines)}"
            self.lines.append(f"{name} = {expression}")
        return name

    def constant(self, value: float) -> str:
        """The name of a constant. Triton would read a bare number as float32, also next to float64 arguments."""
        return self.constants.setdefault(struct.pack("d", value), f"c{len(self.constants)}")

    @property
    def constant_lines(self) -> list[str]:
        """The definitions of the constants."""
        values = [(name, struct.unpack("d", bits)[0]) for bits, name in self.constants.items()]
        return [f"{name} = {constant(value, self.type)}" for name, value in values]

    # Values

    def vector(self, value: Any) -> TextVector:
        """A number of a formula as a vector: a vector, a uniform, or a constant."""
        if isinstance(value, TextVector):
            return value
        if isinstance(value, TextUniform):
            uniform = self.uniforms.setdefault(value.how, value)
            return TextVector(self, f"u{list(self.uniforms).index(uniform.how)}")
        return TextVector(self, self.constant(float(value)))

    def call(self, expression: str, *values: Any) -> TextVector:
        """The result of an expression, which has a {} for each of the values."""
        return TextVector(self, self.emit(expression.format(*[self.vector(value).name for value in values])))

    def bits_of(self, x: TextVector) -> str:
        return self.emit(f"{x.name}.to({self.integer}, bitcast=True)")

    def from_bits(self, bits: str) -> TextVector:
        return TextVector(self, self.emit(f"{bits}.to({self.type}, bitcast=True)"))

    def one_nan(self, x: TextVector) -> TextVector:
        """x with the same NaN for all NaNs, selected as bits, because a compiler may exchange NaNs."""
        pattern = -(1 << (self.mantissa - 1))  # negative and quiet, with payload 0, as on the CPU
        is_number = self.emit(f"{x.name} == {x.name}")
        return self.from_bits(self.emit(f"tl.where({is_number}, {self.bits_of(x)}, {pattern})"))

    # Primitives; primitives.py defines each of them

    def where(self, condition: TextMask, x: Any, y: Any) -> TextVector:
        return self.call(f"tl.where({condition.name}, {{}}, {{}})", x, y)

    def abs(self, x: Any) -> TextVector:
        return self.call("tl.abs({})", x)

    def copysign(self, x: Any, sign: Any) -> TextVector:
        size, other = self.bits_of(self.vector(x)), self.bits_of(self.vector(sign))
        largest = (1 << (self.bits - 1)) - 1
        return self.from_bits(self.emit(f"({size} & {largest}) | ({other} & {-largest - 1})"))

    def minimum(self, x: Any, y: Any) -> TextVector:
        return self.call("tl.minimum({}, {}, propagate_nan=tl.PropagateNan.ALL)", x, y)

    def maximum(self, x: Any, y: Any) -> TextVector:
        return self.call("tl.maximum({}, {}, propagate_nan=tl.PropagateNan.ALL)", x, y)

    def fma(self, a: Any, b: Any, c: Any) -> TextVector:
        return self.call("tl.fma({}, {}, {})", a, b, c)

    muladd = fma  # `piecewise` is missing because table lookups are slower than arithmetic here

    def rounded_product(self, x: Any, factor: float) -> TextVector:
        """The nearest integer, ties to even, for a product up to 2**(mantissa - 1). The result for -0.0 is 0.0."""
        biased = self.fma(x, factor, self.magic)
        result = biased - self.magic
        return TextVector(self, result.name, biased.name)

    def scale_by_power_of_two(self, x: Any, n: Any) -> TextVector:
        """x * 2**n in two steps, because 2**n may be out of range although the result is in range.

        The result is right for |n| up to twice the largest exponent, the bound of the accurate functions. The low bits
        of n + magic hold n; shifts remove the other bits.
        """
        n = self.vector(n)
        integer = self.bits_of(TextVector(self, n.biased) if n.biased else n + self.magic)
        half = self.emit(f"{integer} >> 1")
        rest = self.emit(f"{integer} - {half}")
        return self.vector(x) * self._power_of_two(half) * self._power_of_two(rest)

    def power_of_two(self, factor: float, n: Any) -> TextVector:
        return self.scale_by_power_of_two(factor, n)

    def _power_of_two(self, n: str) -> TextVector:
        """2**n, a normal number: the low bits of n become the exponent field."""
        bias = 2 ** (self.bits - self.mantissa - 2) - 1
        return self.from_bits(self.emit(f"({n} + {bias}) << {self.mantissa}"))

    def split_power_of_two(self, x: Any) -> tuple[TextVector, TextVector]:
        bits = self.bits_of(self.vector(x))
        minimum = tracing.pattern(0.5**0.5, self.is_double)
        exponent = self.emit(f"({bits} - {minimum}) >> {self.mantissa}")
        mantissa = self.from_bits(self.emit(f"{bits} - ({exponent} << {self.mantissa})"))
        return mantissa, TextVector(self, self.emit(f"{exponent}.to({self.type})"))

    def sqrt(self, x: Any) -> TextVector:
        return self.call("tl.sqrt({})" if self.is_double else "tl.sqrt_rn({})", x)  # `sqrt` of float32 is approximate

    def reciprocal(self, x: Any) -> TextVector:
        """1 / x by one step of Newton's method, because exact division has branches for rare cases.

        The start is the approximate reciprocal.
        """
        x = self.vector(x)
        if self.is_double:
            return 1.0 / x
        near = self.call(self.machine.reciprocal, x)
        return self.fma(near, self.fma(-x, near, 1.0), near)


def constant(value: float, type_: str) -> str:
    """The text of a number of one of Triton's types."""
    if value == 0 and np.signbit(value):  # otherwise Triton would write 0.0
        bits = int(type_[-2:])
        return f"tl.full((), {-1 << (bits - 1)}, tl.int{bits}).to({type_}, bitcast=True)"
    text = repr(value) if np.isfinite(value) else f'float("{value}")'
    return f"tl.full((), {text}, {type_})"


class _TextNumber(tracing.Number):
    """The arithmetic of vectors and uniforms."""

    __slots__ = ("emitter",)
    emitter: TextEmitter

    def _binary(self, sign: str, x: Any, y: Any) -> Any:
        if not isinstance(x, TextVector) and not isinstance(y, TextVector):
            return _uniform(self.emitter, sign, x, y)
        if sign == "/" and not self.emitter.is_double:
            return self.emitter.call("tl.div_rn({}, {})", x, y)  # `/` of float32 is approximate
        return self.emitter.call(self.emitter.product if sign == "*" else f"{{}} {sign} {{}}", x, y)

    def _compare(self, sign: str, other: Any) -> TextMask:
        emitter = self.emitter
        if isinstance(self, TextVector) or isinstance(other, TextVector):
            left, right = emitter.vector(self), emitter.vector(other)
            return TextMask(emitter, emitter.emit(f"{left.name} {sign} {right.name}"))
        return TextMask(emitter, emitter.emit(f"{emitter.vector(_uniform(emitter, sign, self, other)).name} != 0"))


class TextVector(_TextNumber):
    """One number per lane, in the compute dtype. It holds the name of a line's result."""

    __slots__ = ("biased", "name")

    def __init__(self, emitter: TextEmitter, name: str, biased: str = ""):
        self.emitter = emitter
        self.name = name
        self.biased = biased  # for an integral number: the name of its sum with the emitter's magic number

    def __neg__(self) -> TextVector:
        return self.emitter.call("-{}", self)


class TextUniform(_TextNumber):
    """One number for all lanes: an attribute, or an expression of attributes.

    Python computes the number in double and rounds it once, and a launch passes the result to the kernel. The text
    depends only on the expression, so that calls with other attributes share the kernel.
    """

    __slots__ = ("how", "value")

    def __init__(self, emitter: TextEmitter, how: str, value: float):
        self.emitter = emitter
        self.how = how
        self.value = np.float64(value)

    def __neg__(self) -> TextUniform:
        return TextUniform(self.emitter, f"(-{self.how})", -self.value)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _uniform(emitter: TextEmitter, sign: str, x: Any, y: Any) -> TextUniform:
    a, b = (v if isinstance(v, TextUniform) else TextUniform(emitter, repr(float(v)), v) for v in (x, y))
    with np.errstate(all="ignore"):
        return TextUniform(emitter, f"({a.how} {sign} {b.how})", float(_OPERATIONS[sign](a.value, b.value)))


class TextMask(tracing.Condition):
    """A truth value per lane."""

    __slots__ = ("emitter", "name")

    def __init__(self, emitter: TextEmitter, name: str):
        self.emitter = emitter
        self.name = name

    def __and__(self, other: TextMask) -> TextMask:
        return TextMask(self.emitter, self.emitter.emit(f"{self.name} & {other.name}"))

    def __or__(self, other: TextMask) -> TextMask:
        return TextMask(self.emitter, self.emitter.emit(f"{self.name} | {other.name}"))

    def __invert__(self) -> TextMask:
        return TextMask(self.emitter, self.emitter.emit(f"{self.name} == 0"))
