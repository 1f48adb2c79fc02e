"""The arithmetic of one compute dtype as LLVM IR, and the values of a formula: vectors, uniform scalars and masks.

An operation on these values adds instructions to a function under construction. No instruction has a fast-math flag.
Multiplications and additions are fused only if a formula calls `fma` or `muladd`.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import llvmlite.ir as ir

from ..formula import tracing
from . import facts
from .facts import NO_FACTS, Facts
from .ir_builder import IRFunction
from .ir_types import DOUBLE, FLOAT, I1, I32, I64
from .target import Target


@cache
def _splat(lanes: int, element: ir.Type, value: bytes | int) -> ir.Constant:
    """A constant vector with a float, given by its bits because 0.0 equals -0.0, or an integer in every lane.

    A kernel has few constants and uses each many times. llvmlite keeps the text of a constant that it has written.
    """
    number = struct.unpack("<d", value)[0] if isinstance(value, bytes) else value
    return ir.Constant(ir.VectorType(element, lanes), element(number))


class Emitter:
    """Emits instructions on whole vectors at the end of a function."""

    def __init__(self, builder: IRFunction, target: Target, compute: str):
        self.builder = builder
        self.target = target
        self.is_double = compute == "float64"
        self.element = DOUBLE if self.is_double else FLOAT
        self.integer = I64 if self.is_double else I32
        self.mantissa = 52 if self.is_double else 23
        self.bias = 1023 if self.is_double else 127  # bias of the exponent field
        self.lanes = target.vector_bytes // (8 if self.is_double else 4)
        # 1.5 * 2**mantissa: in x + magic, the low bits are the integer nearest to x.
        self.magic = 1.5 * 2.0**self.mantissa

    # Values

    def vector_type(self, element: ir.Type) -> ir.VectorType:
        return ir.VectorType(element, self.lanes)

    def splat(self, value: float | int, element: ir.Type) -> ir.Constant:
        """A constant vector with `value` in every lane."""
        return _splat(self.lanes, element, struct.pack("<d", value) if isinstance(value, float) else value)

    def vector(self, value: Any) -> Vector:
        """A formula's value of any kind as a vector."""
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

    def bits(self, x: Vector) -> ir.Value:
        return self.builder.bitcast(x.value, self.vector_type(self.integer))

    def from_bits(self, bits: ir.Value) -> Vector:
        return Vector(self, self.builder.bitcast(bits, self.vector_type(self.element)))

    # Instructions

    def call(self, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        """Call an LLVM intrinsic."""
        return self.builder.call_by_name(name, result, *arguments)

    def avx512(self, name: str, *arguments: ir.Value) -> Vector:
        """Apply an AVX-512 instruction to every lane, in the current rounding mode."""
        every_lane, current_rounding = ir.IntType(self.lanes)(-1), I32(4)
        intrinsic = f"llvm.x86.avx512.mask.{name}.{'pd' if self.is_double else 'ps'}.512"
        return Vector(self, self.call(intrinsic, arguments[0].type, *arguments, every_lane, current_rounding))

    def map(self, intrinsic: str, *values: Any) -> Vector:
        """Call an LLVM intrinsic that maps vectors to a vector, lane by lane."""
        arguments = [self.vector(value).value for value in values]
        suffix = f"v{self.lanes}f{64 if self.is_double else 32}"
        return Vector(self, self.call(f"llvm.{intrinsic}.{suffix}", arguments[0].type, *arguments))

    def any_lane(self, condition: Mask) -> ir.Value:
        """Whether the condition holds in some lane."""
        return self.call(f"llvm.vector.reduce.or.v{self.lanes}i1", I1, condition.value)

    def where(self, condition: Mask, x: Any, y: Any) -> Vector:
        a, b = self.vector(x), self.vector(y)
        selected = self.builder.select(condition.value, a.value, b.value)
        return Vector(self, selected, facts.of_selection(condition, x, y, b.value))

    def abs(self, x: Any) -> Vector:
        value = self.vector(x).value
        if getattr(value, "opname", "") == "fneg":  # so LLVM sees that |-x| and |x| are equal
            value = value.operands[0]
        return Vector(self, self.map("fabs", Vector(self, value)).value, Facts(never_negative=True))

    def copysign(self, x: Any, sign: Any) -> Vector:
        return self.map("copysign", x, sign)

    def minimum(self, x: Any, y: Any) -> Vector:
        if isinstance(x, Vector) and x.facts.never_positive and isinstance(y, float) and y >= 0.0:
            return x
        return self._extreme("<", x, y, facts.of_minimum(x, y))

    def maximum(self, x: Any, y: Any) -> Vector:
        return self._extreme(">", x, y, facts.of_maximum(x, y))

    def _extreme(self, order: str, x: Any, y: Any, facts: Facts) -> Vector:
        """x or y, whichever comes first in `order`. If neither comes first, x, so the result is NaN if x is NaN."""
        if not isinstance(x, Vector):
            x, y = y, x
        a, b = self.vector(x), self.vector(y)
        result = Vector(self, self.builder.select(self.builder.fcmp_ordered(order, b.value, a.value), b.value, a.value))
        if not isinstance(y, int | float):  # a constant is never NaN
            result = self.where(Mask(self, self.builder.fcmp_unordered("uno", b.value, b.value)), b, result)
        return Vector(self, result.value, facts)


_INSTRUCTIONS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}


class _Emitted:
    """A value of a formula, and its facts."""

    __slots__ = ("emitter", "facts", "value")

    def __init__(self, emitter: Emitter, value: ir.Value, facts: Facts = NO_FACTS):
        self.emitter = emitter
        self.value = value
        self.facts = facts


class _EmittedNumber(_Emitted, tracing.Number):
    """The operators of vectors and of uniforms."""

    __slots__ = ()

    def _binary(self, sign: str, x: Any, y: Any) -> Any:
        emitter = self.emitter
        instruction = getattr(emitter.builder, _INSTRUCTIONS[sign])
        if not isinstance(x, Vector) and not isinstance(y, Vector):
            operands = [v.value if isinstance(v, Uniform) else ir.Constant(DOUBLE, float(v)) for v in (x, y)]
            return Uniform(emitter, instruction(*operands))
        if sign == "*" and isinstance(y, Vector):
            x, y = y, x
        if sign in "*/" and _is_one(y) and isinstance(x, Vector):
            return x
        product = facts.of_product(x, y) if sign == "*" else NO_FACTS
        return Vector(emitter, instruction(emitter.vector(x).value, emitter.vector(y).value), product)

    def _compare(self, order: str, other: Any) -> Mask:
        compare = self.emitter.builder.fcmp_unordered if order == "!=" else self.emitter.builder.fcmp_ordered
        if isinstance(self, Uniform) and not isinstance(other, Vector):
            right = other.value if isinstance(other, Uniform) else ir.Constant(DOUBLE, float(other))
            return Mask(self.emitter, compare(order, self.value, right))
        vector = self.emitter.vector
        a, b = vector(self).value, vector(other).value
        return Mask(self.emitter, compare(order, a, b), facts.of_comparison(order, a, other))

    def __neg__(self) -> Any:
        return type(self)(self.emitter, self.emitter.builder.fneg(self.value), facts.of_negation(self))


def _is_one(x: Any) -> bool:
    """Whether x is the constant 1, also as an attribute: a product or quotient with x does not change."""
    number = x.value.constant if isinstance(x, Uniform) and isinstance(x.value, ir.Constant) else x
    return isinstance(number, float) and number == 1.0


class Vector(_EmittedNumber):
    """One number per lane, in the compute dtype, and its facts."""

    __slots__ = ()


class Uniform(_EmittedNumber):
    """One number for all lanes: an attribute, or a number computed from attributes.

    The number is a double until an operation combines it with a vector. So it is rounded once, outside the loop.
    """

    __slots__ = ()


class Mask(_Emitted, tracing.Condition):
    """A truth value per lane, or one for all lanes, and its facts."""

    __slots__ = ()

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.emitter, self.emitter.builder.and_(self.value, other.value))

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.emitter, self.emitter.builder.or_(self.value, other.value))

    def __invert__(self) -> Mask:
        return Mask(self.emitter, self.emitter.builder.not_(self.value))
