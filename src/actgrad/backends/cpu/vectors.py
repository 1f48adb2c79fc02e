"""Values that emit LLVM IR when a formula computes with them: vectors, uniform scalars and masks.

`Emitter.functions` binds the names of xp.py to functions of these values, by way of the accurate functions, whose
primitives are the methods below. No fast-math flag is ever set, and a fused multiply-add is only where one is written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from math import frexp
from typing import Any

import llvmlite.ir as ir

from ...errors import InvalidOperator
from .. import tracing
from .flow import Function
from .irtypes import DOUBLE, FLOAT, I1, I32, I64
from .pieces import PICKS
from .target import Target


class Emitter:
    """Emits the arithmetic of one compute dtype at the position of an IR builder."""

    def __init__(self, builder: Function, target: Target, compute: str):
        self.builder = builder
        self.target = target
        self.is_double = compute == "float64"
        self.element = DOUBLE if self.is_double else FLOAT
        self.integer = I64 if self.is_double else I32
        self.mantissa = 52 if self.is_double else 23
        self.bias = 1023 if self.is_double else 127  # of the exponent field
        self.lanes = target.vector_bytes // (8 if self.is_double else 4)
        self.suffix = f"v{self.lanes}f{64 if self.is_double else 32}"
        # 1.5 * 2**mantissa: adding it leaves the nearest integer in the low bits.
        self.magic = 1.5 * 2.0**self.mantissa
        self.pieces = PICKS[target.picks](self) if target.picks and not self.is_double else None
        self.tables = self.pieces.tables if self.pieces else {}
        self.piecewise = self.pieces.piecewise if self.pieces else None
        self.where_seldom = self._where_seldom if self.pieces else None
        self._seldom: list[Mask] | None = None
        self.functions = tracing.functions(self, self.is_double)

    # Values

    def vector_type(self, element: ir.Type) -> ir.VectorType:
        return ir.VectorType(element, self.lanes)

    def splat(self, value: float | int, element: ir.Type) -> ir.Constant:
        return ir.Constant(self.vector_type(element), [value] * self.lanes)

    def vector(self, value: Any) -> Vector:
        """Anything a formula may hand over, as a vector."""
        if isinstance(value, Vector):
            return value
        if isinstance(value, Uniform):
            number = value.value if self.is_double else self.builder.fptrunc(value.value, FLOAT)
            return Vector(self, self.broadcast(number))
        return Vector(self, self.splat(float(value), self.element))

    def broadcast(self, scalar: ir.Value) -> ir.Value:
        """A vector with `scalar` in every lane."""
        undefined = ir.Constant(self.vector_type(scalar.type), ir.Undefined)
        first = self.builder.insert_element(undefined, scalar, I32(0))
        return self.builder.shuffle_vector(first, undefined, self.splat(0, I32))

    def call(self, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        """A call of an LLVM intrinsic."""
        module = self.builder.module
        function = module.globals.get(name)
        if function is None:
            function = ir.Function(module, ir.FunctionType(result, [a.type for a in arguments]), name)
        return self.builder.call(function, arguments)

    def _map(self, intrinsic: str, *values: Vector) -> Vector:
        arguments = [v.value for v in values]
        return Vector(self, self.call(f"llvm.{intrinsic}.{self.suffix}", arguments[0].type, *arguments))

    def bits(self, x: Vector) -> ir.Value:
        return self.builder.bitcast(x.value, self.vector_type(self.integer))

    def from_bits(self, bits: ir.Value) -> Vector:
        return Vector(self, self.builder.bitcast(bits, self.vector_type(self.element)))

    def one_nan(self, x: Vector) -> Vector:
        """x, all its NaNs the same: the one that x86 itself makes, negative and quiet, of payload 0."""
        if self.target.fixup:
            # Each lane picks from the table by its class; class 0 and 1, the NaNs, pick 3: the default NaN.
            name = f"llvm.x86.avx512.mask.fixupimm.{'pd' if self.is_double else 'ps'}.512"
            table, every_lane = self.splat(0x33, self.integer), ir.IntType(self.lanes)(-1)
            arguments = (x.value, x.value, table, I32(0), every_lane, I32(4))
            return Vector(self, self.call(name, x.value.type, *arguments))
        is_nan = Mask(self, self.builder.fcmp_unordered("uno", x.value, x.value))
        exponent_bits = 11 if self.is_double else 8
        pattern = ((1 << (exponent_bits + 2)) - 1) << (self.mantissa - 1)
        return self.where(is_nan, self.from_bits(self.splat(pattern, self.integer)), x)

    def gather(self, table: ir.Value, index: ir.Value) -> Vector:
        """The numbers of a table of floats at `index`, one per lane; for targets that can."""
        return Vector(self, self._gathered("dps", FLOAT, table, index))

    def gather_pairs(self, table: ir.Value, index: ir.Value) -> tuple[Vector, Vector]:
        """The same of a table of pairs: the first numbers and the second ones. A pair costs what one number does."""
        builder, half = self.builder, self.lanes // 2
        nothing = ir.Constant(index.type, ir.Undefined)
        parts = []
        for first in (0, half):
            places = ir.Constant(ir.VectorType(I32, half), list(range(first, first + half)))
            pairs = self._gathered("dpd", DOUBLE, table, builder.shuffle_vector(index, nothing, places))
            parts.append(builder.bitcast(pairs, self.vector_type(FLOAT)))
        return self.unzipped(*parts)

    def unzipped(self, a: ir.Value, b: ir.Value) -> tuple[Vector, Vector]:
        """Of two vectors one behind the other, each second number from the first on, and the others."""
        orders = (ir.Constant(self.vector_type(I32), list(range(k, 2 * self.lanes, 2))) for k in (0, 1))
        first_numbers, second_numbers = (self.builder.shuffle_vector(a, b, order) for order in orders)
        return Vector(self, first_numbers), Vector(self, second_numbers)

    def _gathered(self, kind: str, element: ir.Type, table: ir.Value, index: ir.Value) -> ir.Value:
        lanes = index.type.count
        type_ = ir.VectorType(element, lanes)
        every_lane = ir.Constant(ir.VectorType(I1, lanes), [1] * lanes)
        size = I32(8 if element == DOUBLE else 4)
        arguments = (ir.Constant(type_, None), table, index, every_lane, size)
        return self.call(f"llvm.x86.avx512.mask.gather.{kind}.512", type_, *arguments)

    # Primitives, see primitives.py for their meaning

    def where(self, condition: Mask, x: Any, y: Any) -> Vector:
        a, b = self.vector(x), self.vector(y)
        y_never_positive = b.value is condition.true_if_positive or self.never_positive(y)
        selected = self.builder.select(condition.value, a.value, b.value)
        return Vector(self, selected, self.never_positive(x) and y_never_positive)

    def abs(self, x: Any) -> Vector:
        return self._map("fabs", self.vector(x))

    def copysign(self, x: Any, sign: Any) -> Vector:
        return self._map("copysign", self.vector(x), self.vector(sign))

    def minimum(self, x: Any, y: Any) -> Vector:
        if isinstance(x, Vector) and x.never_positive and isinstance(y, float) and y >= 0.0:
            return x
        return self._extreme("<", x, y, self.never_positive(x) or self.never_positive(y))

    def maximum(self, x: Any, y: Any) -> Vector:
        return self._extreme(">", x, y, self.never_positive(x) and self.never_positive(y))

    def never_positive(self, x: Any) -> bool:
        return x.never_positive if isinstance(x, Vector) else isinstance(x, int | float) and x <= 0

    def _extreme(self, order: str, x: Any, y: Any, never_positive: bool) -> Vector:
        """x or y, whichever comes first in `order`. Where neither does, x: so a NaN in x stays."""
        if not isinstance(x, Vector):
            x, y = y, x
        a, b = self.vector(x), self.vector(y)
        result = Vector(self, self.builder.select(self.builder.fcmp_ordered(order, b.value, a.value), b.value, a.value))
        if not isinstance(y, int | float):  # a constant need not be looked at for NaN
            result = self.where(Mask(self, self.builder.fcmp_unordered("uno", b.value, b.value)), b, result)
        return Vector(self, result.value, never_positive)

    def muladd(self, a: Any, b: Any, c: Any) -> Vector:
        if self.target.fma:
            return self._map("fma", self.vector(a), self.vector(b), self.vector(c))
        return self.vector(a) * self.vector(b) + self.vector(c)

    def fma(self, a: Any, b: Any, c: Any) -> Vector:
        # Without the instruction LLVM calls the C library's fma, lane by lane: slow, but rounded once.
        return self._map("fma", self.vector(a), self.vector(b), self.vector(c))

    def nearest_integer(self, x: Vector) -> Vector:
        """The nearest integer, ties to even, of any number."""
        if self.target.fma or self.target.name == "aarch64":
            result = self._map("roundeven", x)
        else:
            rounded = self.copysign((x + self.magic) - self.magic, x)
            result = self.where(self.abs(x) < 2.0**self.mantissa, rounded, x)
        return result

    def rounded_product(self, x: Any, factor: float) -> Vector:
        # As the magic number, which leaves n in the low bits of the sum; with the bias added it is n + bias.
        x, added = self.vector(x), self.magic + self.bias
        biased = self.muladd(x, factor, added)
        result = biased - added
        return Vector(self, result.value, x.never_positive and factor > 0.0, self.bits(biased))

    def scale_by_power_of_two(self, x: Any, n: Any) -> Vector:
        x, n = self.vector(x), self.vector(n)
        if self.target.scalef:
            name = f"llvm.x86.avx512.mask.scalef.{'pd' if self.is_double else 'ps'}.512"
            zero, every_lane, current_rounding = self.splat(0.0, self.element), ir.IntType(self.lanes)(-1), I32(4)
            arguments = (x.value, n.value, zero, every_lane, current_rounding)
            return Vector(self, self.call(name, x.value.type, *arguments))
        # In two steps, because 2**n alone may be out of range where the result is not. Right for |n| below twice the
        # bias, or for n down to -1.5 times that: the accurate functions never go beyond.
        if n.never_positive:
            up = (self.bias + 1) // 2
            return x * self._of_exponent(self._low_bits(n, self.bias + up)) * 2.0**-up
        both = self._low_bits(n, 2 * self.bias)
        first = self.builder.lshr(both, self.splat(1, self.integer))
        return x * self._of_exponent(first) * self._of_exponent(self.builder.sub(both, first))

    def power_of_two(self, factor: float, n: Any) -> Vector:
        if self.target.scalef:
            return self.scale_by_power_of_two(factor, n)
        return self._of_exponent(self._low_bits(self.vector(n), self.bias + frexp(factor)[1] - 1))

    def _low_bits(self, n: Vector, more: int) -> ir.Value:
        """An integer that ends in the bits of n + more; what lies above them is shifted out later, or cancels."""
        if n.biased is None:
            return self.bits(n + (self.magic + more))
        return self.builder.add(n.biased, self.splat(more - self.bias, self.integer)) if more != self.bias else n.biased

    def _of_exponent(self, exponent: ir.Value) -> Vector:
        """The power of two whose exponent field is the last bits of `exponent`."""
        return self.from_bits(self.builder.shl(exponent, self.splat(self.mantissa, self.integer)))

    def split_power_of_two(self, x: Any) -> tuple[Vector, Vector]:
        x = self.vector(x)
        bits, builder = self.bits(x), self.builder
        shift = self.splat(self.mantissa, self.integer)
        above = builder.sub(bits, self.splat(self.pattern(0.5**0.5), self.integer))
        exponent = builder.ashr(above, shift)
        mantissa = self.from_bits(builder.sub(bits, builder.shl(exponent, shift)))
        # The reverse of the trick with the magic number: the conversion of 64-bit integers is slow or missing.
        magic = self.splat(self.pattern(self.magic), self.integer)
        return mantissa, self.from_bits(builder.add(exponent, magic)) - self.magic

    def pattern(self, value: float) -> int:
        """The bits of a number of the compute dtype, as an integer."""
        code = ("<d", "<q") if self.is_double else ("<f", "<i")
        pattern: int = struct.unpack(code[1], struct.pack(code[0], value))[0]
        return pattern

    def polynomial(self, x: Any, coefficients: tuple[Any, ...]) -> Vector:
        value: Any = coefficients[0]
        for coefficient in coefficients[1:]:
            value = self.muladd(value, x, coefficient)
        return self.vector(value)

    def _where_seldom(self, condition: Mask, function: Any, arguments: tuple[Any, ...], otherwise: Any) -> Any:
        """See `where_seldom` of primitives.py; within `seldom_left_out` it is `otherwise`."""
        if self._seldom is None:
            return self.where(condition, function(*arguments), otherwise)
        is_uniform = condition.value.type == I1
        self._seldom.append(Mask(self, self.broadcast(condition.value)) if is_uniform else condition)
        return otherwise

    def any_lane(self, condition: Mask) -> ir.Value:
        """Whether the condition holds in some lane."""
        return self.call(f"llvm.vector.reduce.or.v{self.lanes}i1", I1, condition.value)

    @contextmanager
    def seldom_left_out(self) -> Iterator[list[Mask]]:
        """Within it, `where_seldom` always is `otherwise`; the conditions are listed under which that is wrong."""
        conditions: list[Mask] = []
        self._seldom = conditions
        try:
            yield conditions
        finally:
            self._seldom = None

    def reciprocal(self, x: Any) -> Vector:
        return self.vector(1.0) / x

    def leading(self, c: float) -> float:
        rounded: float = c if self.is_double else struct.unpack("f", struct.pack("f", c))[0]
        return rounded

    def trailing(self, c: float) -> float:
        return self.leading(c - self.leading(c))


_INSTRUCTIONS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}


class _Number(tracing.Number):
    """What vectors and uniforms share."""

    __slots__ = ("emitter", "value")

    def __init__(self, emitter: Emitter, value: ir.Value):
        self.emitter = emitter
        self.value = value

    def _binary(self, sign: str, x: Any, y: Any) -> Any:
        emitter = self.emitter
        instruction = getattr(emitter.builder, _INSTRUCTIONS[sign])
        if not isinstance(x, Vector) and not isinstance(y, Vector):
            operands = [v.value if isinstance(v, Uniform) else ir.Constant(DOUBLE, float(v)) for v in (x, y)]
            return Uniform(emitter, instruction(*operands))
        if sign == "*" and isinstance(y, Vector):
            x, y = y, x
        if sign == "*" and _is_one(y):
            return x
        never_positive = sign == "*" and isinstance(y, float) and y > 0.0 and x.never_positive
        return Vector(emitter, instruction(emitter.vector(x).value, emitter.vector(y).value), never_positive)

    def _compare(self, order: str, other: Any) -> Mask:
        compare = self.emitter.builder.fcmp_unordered if order == "!=" else self.emitter.builder.fcmp_ordered
        if isinstance(self, Uniform) and not isinstance(other, Vector):
            right = other.value if isinstance(other, Uniform) else ir.Constant(DOUBLE, float(other))
            return Mask(self.emitter, compare(order, self.value, right))
        vector = self.emitter.vector
        a, b = vector(self).value, vector(other).value
        # A vector that is never positive may be NaN, which nothing is greater than.
        holds_if_positive = order in (">", ">=") and isinstance(other, int | float) and other <= 0
        return Mask(self.emitter, compare(order, a, b), a if holds_if_positive else None)

    def __neg__(self) -> Any:
        return type(self)(self.emitter, self.emitter.builder.fneg(self.value))


def _is_one(x: Any) -> bool:
    """Whether x is the constant 1, also as an attribute: a product with it is the other factor."""
    number = x.value.constant if isinstance(x, Uniform) and isinstance(x.value, ir.Constant) else x
    return isinstance(number, float) and number == 1.0


class Vector(_Number):
    """One number per lane, in the compute dtype.

    Of some it is known that they are `never_positive`, but perhaps NaN. Of some whole numbers n there is `biased`:
    words that end in the bits of 2**n's exponent field.
    """

    __slots__ = ("biased", "never_positive")

    def __init__(self, emitter: Emitter, value: ir.Value, never_positive: bool = False, biased: ir.Value | None = None):
        super().__init__(emitter, value)
        self.never_positive = never_positive
        self.biased = biased


class Uniform(_Number):
    """One number for all lanes: an attribute, or what is computed from attributes. Kept in double until it meets a
    vector, so that it is rounded once, outside the loop."""

    __slots__ = ()


class Mask(tracing.Condition):
    """A truth value per lane, or one for all lanes; `true_if_positive` is positive in no lane where it is false."""

    __slots__ = ("emitter", "true_if_positive", "value")

    def __init__(self, emitter: Emitter, value: ir.Value, true_if_positive: ir.Value | None = None):
        self.emitter = emitter
        self.value = value
        self.true_if_positive = true_if_positive

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.emitter, self.emitter.builder.and_(self.value, other.value))

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.emitter, self.emitter.builder.or_(self.value, other.value))

    def __invert__(self) -> Mask:
        return Mask(self.emitter, self.emitter.builder.not_(self.value))

    def __bool__(self) -> bool:
        raise InvalidOperator("a formula cannot branch on a value; use where(condition, x, y)")
