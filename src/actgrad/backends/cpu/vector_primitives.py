"""The primitives of formulas as vector instructions. ../formula/primitives.py defines each primitive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from math import frexp
from typing import Any

import llvmlite.ir as ir

from ..formula import tracing
from . import facts
from .emitter import Emitter, Mask, Vector
from .facts import Facts
from .ir_types import I1
from .piecewise import Piecewise


class VectorPrimitives(tracing.Primitives):
    """Each primitive by its name, for one emitter; `piecewise` exists only with tables."""

    def __init__(self, emitter: Emitter, piecewise: Piecewise | None, is_short: bool = False):
        self.emitter = emitter
        self.is_double = emitter.is_double
        self.where, self.abs, self.copysign = emitter.where, emitter.abs, emitter.copysign
        self.minimum, self.maximum = emitter.minimum, emitter.maximum
        self.overrides = {"SHORT": is_short}
        if piecewise:
            self.overrides |= piecewise.tables
            self.piecewise = partial(piecewise.evaluate, emitter)
            self.where_rare = self._where_rare
        self._rare: list[Mask] | None = None

    def never_positive(self, x: Any) -> bool:
        return facts.of(x).never_positive

    def from_0_to_1(self, x: Vector) -> Vector:
        return Vector(self.emitter, x.value, Facts(from_0_to_1=True))

    def is_from_0_to_1(self, x: Any) -> bool:
        return facts.of(x).from_0_to_1

    def muladd(self, a: Any, b: Any, c: Any) -> Vector:
        if self.emitter.target.fma:
            return self.fma(a, b, c)
        vector = self.emitter.vector
        return vector(a) * vector(b) + vector(c)

    def fma(self, a: Any, b: Any, c: Any) -> Vector:
        # Without an fma instruction, LLVM calls the C library's fma lane by lane, which is slow but rounds once.
        return self.emitter.map("fma", a, b, c)

    def sqrt(self, x: Any) -> Vector:
        return self.emitter.map("sqrt", x)  # this instruction rounds correctly

    def reciprocal(self, x: Any) -> Vector:
        return self.emitter.vector(1.0) / x

    # Rare cases

    @contextmanager
    def without_rare_cases(self) -> Iterator[list[Mask]]:
        """A context in which `where_rare` always returns `otherwise`.

        Yields the conditions under which that result is wrong.
        """
        conditions: list[Mask] = []
        self._rare = conditions
        try:
            yield conditions
        finally:
            self._rare = None

    def _where_rare(self, condition: Mask, function: Any, arguments: tuple[Any, ...], otherwise: Any) -> Any:
        emitter = self.emitter
        if self._rare is None:
            return emitter.where(condition, function(*arguments), otherwise)
        is_uniform = condition.value.type == I1
        self._rare.append(Mask(emitter, emitter.broadcast(condition.value)) if is_uniform else condition)
        return otherwise

    # Powers of two

    def rounded_product(self, x: Any, factor: float) -> Vector:
        # In n + magic, the low bits are n; with the bias added to magic, they are n + bias.
        emitter = self.emitter
        x, added = emitter.vector(x), emitter.magic + emitter.bias
        biased = self.muladd(x, factor, added)
        result = biased - added
        result_facts = Facts(facts.of_product(x, factor).never_positive, exponent=emitter.bits(biased))
        return Vector(emitter, result.value, result_facts)

    def scale_by_power_of_two(self, x: Any, n: Any) -> Vector:
        emitter = self.emitter
        x, n = emitter.vector(x), emitter.vector(n)
        if emitter.target.scalef:
            return emitter.avx512("scalef", x.value, n.value, emitter.splat(0.0, emitter.element))
        # Multiply twice, because 2**n may be out of range although the result is in range. The two steps are right for
        # |n| below twice the bias, or for n down to -1.5 times the bias. The accurate functions stay within these
        # limits.
        if n.facts.never_positive:
            up = (emitter.bias + 1) // 2
            return x * self._of_exponent(self._low_bits(n, emitter.bias + up)) * 2.0**-up
        both = self._low_bits(n, 2 * emitter.bias)
        first = emitter.builder.lshr(both, emitter.splat(1, emitter.integer))
        return x * self._of_exponent(first) * self._of_exponent(emitter.builder.sub(both, first))

    def power_of_two(self, factor: float, n: Any) -> Vector:
        if self.emitter.target.scalef:
            return self.scale_by_power_of_two(factor, n)
        more = self.emitter.bias + frexp(factor)[1] - 1
        return self._of_exponent(self._low_bits(self.emitter.vector(n), more))

    def split_power_of_two(self, x: Any) -> tuple[Vector, Vector]:
        emitter, builder = self.emitter, self.emitter.builder
        bits = emitter.bits(emitter.vector(x))
        shift = emitter.splat(emitter.mantissa, emitter.integer)
        above = builder.sub(bits, emitter.splat(tracing.pattern(0.5**0.5, emitter.is_double), emitter.integer))
        exponent = builder.ashr(above, shift)
        mantissa = emitter.from_bits(builder.sub(bits, builder.shl(exponent, shift)))
        # Subtract the magic number's bits, because processors convert 64-bit integers slowly, or not at all.
        magic = emitter.splat(tracing.pattern(emitter.magic, emitter.is_double), emitter.integer)
        return mantissa, emitter.from_bits(builder.add(exponent, magic)) - emitter.magic

    def _low_bits(self, n: Vector, more: int) -> ir.Value:
        """Integers whose last bits are n + more. A later step shifts the higher bits out, or they cancel."""
        emitter, exponent = self.emitter, n.facts.exponent
        if exponent is None:
            return emitter.bits(n + (emitter.magic + more))
        if more == emitter.bias:
            return exponent
        return emitter.builder.add(exponent, emitter.splat(more - emitter.bias, emitter.integer))

    def _of_exponent(self, exponent: ir.Value) -> Vector:
        """The power of two whose exponent field is the last bits of `exponent`."""
        emitter = self.emitter
        return emitter.from_bits(emitter.builder.shl(exponent, emitter.splat(emitter.mantissa, emitter.integer)))
