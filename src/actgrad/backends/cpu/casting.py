"""Casts between storage and compute dtypes: widening is exact, narrowing rounds once.

Casts round to nearest, ties to even. All NaNs become the same NaN. Integers and floats of 8 bits saturate. NaN becomes
the integer 0. float8_e8m0fnu has the exponent of a number.
"""

from __future__ import annotations

import llvmlite.ir as ir
import numpy as np

from ...base.dtypes import Dtype
from ..formula.tracing import saturated
from .emitter import Emitter, Mask, Vector
from .ir_types import DOUBLE, FLOAT, HALF, I8, I16, I32

_TYPES = {
    "float32": FLOAT, "float64": DOUBLE, "float16": I16, "bfloat16": I16,
    "int8": I8, "uint8": I8, "int16": I16, "int32": I32, "float8_e5m2": I8, "float8_e4m3fn": I8,
    "float8_e8m0fnu": I8,
}  # fmt: skip

UPPER_HALF = 0xFFFF0000  # the bits of bfloat16 in a float


def memory_type(dtype: Dtype, lanes: int) -> ir.VectorType:
    """The type of `lanes` elements in memory; a complex element is two numbers."""
    if dtype.kind == "complex":
        return ir.VectorType(_TYPES[dtype.part.name], 2 * lanes)
    return ir.VectorType(_TYPES[dtype.name], lanes)


def widen(emitter: Emitter, raw: ir.Value, dtype: Dtype) -> ir.Value:
    """A vector in the compute dtype, from its form in memory. The conversion is exact."""
    builder, wide = emitter.builder, emitter.vector_type(emitter.element)
    if dtype.kind in ("int", "uint"):
        convert = builder.sitofp if dtype.kind == "int" else builder.uitofp
        return convert(raw, wide)
    if dtype.name == "bfloat16":
        words = builder.shl(builder.zext(raw, emitter.vector_type(I32)), emitter.splat(16, I32))
        raw = builder.bitcast(words, emitter.vector_type(FLOAT))
    elif dtype.name == "float16":
        raw = _half_to_float(emitter, raw)
    if emitter.is_double and dtype.name != "float64":
        raw = _extend(emitter, raw, DOUBLE)
    return raw


def widen_pair(emitter: Emitter, words: ir.Value) -> tuple[Vector, Vector]:
    """The even and the odd elements of two bfloat16 vectors, which are one vector of words in memory.

    The conversion is exact.
    """
    builder = emitter.builder
    even = builder.shl(words, emitter.splat(16, I32))
    return emitter.from_bits(even), emitter.from_bits(builder.and_(words, emitter.splat(UPPER_HALF, I32)))


def narrow_pair(emitter: Emitter, even: Vector, odd: Vector) -> ir.Value:
    """The words of two bfloat16 vectors, from their even and their odd elements. Each element is rounded."""
    builder = emitter.builder
    lower, upper = (_rounded_to_upper_half(emitter, _one_nan(emitter, x).value) for x in (even, odd))
    upper = builder.and_(upper, emitter.splat(UPPER_HALF, I32))
    return builder.or_(builder.lshr(lower, emitter.splat(16, I32)), upper)


def _extend(emitter: Emitter, narrow: ir.Value, element: ir.Type) -> ir.Value:
    """fpext after a fence: LLVM moves selects before fpext and turns -0.0 into 0.0 (llvm-project issue 157254)."""
    wide = emitter.vector_type(element)
    suffix = f"v{emitter.lanes}f{64 if element == DOUBLE else 32}"
    return emitter.call(f"llvm.arithmetic.fence.{suffix}", wide, emitter.builder.fpext(narrow, wide))


def narrow(emitter: Emitter, x: Vector, dtype: Dtype) -> ir.Value:
    """A vector of the compute dtype, rounded once to `dtype`, in the form that memory holds."""
    if dtype.kind in ("int", "uint"):
        return _to_integer(emitter, x, dtype)
    if dtype.kind == "float8":
        return _to_float8(emitter, _round_to_odd(emitter, x) if emitter.is_double else x.value, dtype)
    # A product of two NaNs returns either NaN, and LLVM chooses differently in each copy of a loop. So store one NaN
    # for all.
    real = _rounded(emitter, _one_nan(emitter, x), dtype.part if dtype.kind == "complex" else dtype)
    return _interleave_zeros(emitter, real) if dtype.kind == "complex" else real


def _rounded(emitter: Emitter, x: Vector, dtype: Dtype) -> ir.Value:
    builder = emitter.builder
    if dtype.name == "float64":
        return x.value
    if dtype.name == "float32":
        return builder.fptrunc(x.value, emitter.vector_type(FLOAT)) if emitter.is_double else x.value
    single = _round_to_odd(emitter, x) if emitter.is_double else x.value
    if dtype.name == "float16":
        return _float_to_half(emitter, single)
    words = _rounded_to_upper_half(emitter, single)
    return builder.trunc(builder.lshr(words, emitter.splat(16, I32)), emitter.vector_type(I16))


def _round_to_odd(emitter: Emitter, x: Vector) -> ir.Value:
    """Doubles rounded to odd in float32: rounding the result once more equals rounding the double once.

    Truncate towards zero, then set the last bit of inexact results (Boldo and Melquiond 2008).
    """
    builder = emitter.builder
    nearest = builder.fptrunc(x.value, emitter.vector_type(FLOAT))
    back = Vector(emitter, builder.fpext(nearest, emitter.vector_type(DOUBLE)))
    bits = builder.bitcast(nearest, emitter.vector_type(I32))
    too_large = emitter.abs(back) > emitter.abs(x)
    bits = builder.sub(bits, builder.zext(too_large.value, bits.type))
    lost = builder.fcmp_ordered("!=", back.value, x.value)
    return builder.bitcast(builder.or_(bits, builder.zext(lost, bits.type)), nearest.type)


def _rounded_to_upper_half(emitter: Emitter, single: ir.Value) -> ir.Value:
    """Words whose upper half is the float rounded to nearest even, because the addend is just under half a unit.

    The NaN of `_one_nan` does not change, because its lower half is 0.
    """
    builder = emitter.builder
    bits = builder.bitcast(single, emitter.vector_type(I32))
    odd = builder.and_(builder.lshr(bits, emitter.splat(16, I32)), emitter.splat(1, I32))
    return builder.add(builder.add(bits, emitter.splat(0x7FFF, I32)), odd)


def _half_to_float(emitter: Emitter, raw: ir.Value) -> ir.Value:
    builder, wide = emitter.builder, emitter.vector_type(FLOAT)
    if emitter.target.half:
        return _extend(emitter, builder.bitcast(raw, emitter.vector_type(HALF)), FLOAT)
    # The shifted fields are a float that is 2**112 too small, also for subnormals. Infinity and NaN need a select.
    word = emitter.vector_type(I32)
    bits = builder.zext(raw, word)
    sign = builder.shl(builder.and_(bits, emitter.splat(0x8000, I32)), emitter.splat(16, I32))
    magnitude = builder.shl(builder.and_(bits, emitter.splat(0x7FFF, I32)), emitter.splat(13, I32))
    scaled = builder.fmul(builder.bitcast(magnitude, wide), emitter.splat(2.0**112, FLOAT))
    special = builder.icmp_unsigned(">=", magnitude, emitter.splat(0x7C00 << 13, I32))
    finite = builder.bitcast(scaled, word)
    infinite = builder.or_(magnitude, emitter.splat(0x7F800000, I32))
    return builder.bitcast(builder.or_(sign, builder.select(special, infinite, finite)), wide)


def _float_to_half(emitter: Emitter, single: ir.Value) -> ir.Value:
    builder = emitter.builder
    if emitter.target.half:
        return builder.bitcast(builder.fptrunc(single, emitter.vector_type(HALF)), emitter.vector_type(I16))
    word, wide = emitter.vector_type(I32), emitter.vector_type(FLOAT)
    bits = builder.bitcast(single, word)
    sign = builder.and_(builder.lshr(bits, emitter.splat(16, I32)), emitter.splat(0x8000, I32))
    magnitude = builder.and_(bits, emitter.splat(0x7FFFFFFF, I32))
    # Normal results: the addend is just under half of the 13 bits that are cut off, so the sum rounds to nearest even.
    # Then rebias the exponent.
    odd = builder.and_(builder.lshr(magnitude, emitter.splat(13, I32)), emitter.splat(1, I32))
    carried = builder.add(builder.add(magnitude, emitter.splat(0xFFF, I32)), odd)
    normal = builder.lshr(builder.sub(carried, emitter.splat(112 << 23, I32)), emitter.splat(13, I32))
    # Subnormal results: after adding 0.5, the last bit stands for 2**-24, and the addition rounds to that bit.
    half_added = builder.fadd(builder.bitcast(magnitude, wide), emitter.splat(0.5, FLOAT))
    subnormal = builder.sub(builder.bitcast(half_added, word), emitter.splat(0x3F000000, I32))
    result = builder.select(builder.icmp_unsigned("<", magnitude, emitter.splat(0x38800000, I32)), subnormal, normal)
    overflows = builder.icmp_unsigned(">=", magnitude, emitter.splat(0x477FF000, I32))  # 65520 and larger numbers
    result = builder.select(overflows, emitter.splat(0x7C00, I32), result)
    payload = builder.or_(builder.lshr(magnitude, emitter.splat(13, I32)), emitter.splat(0x7E00, I32))
    payload = builder.and_(payload, emitter.splat(0x7FFF, I32))
    is_nan = builder.icmp_unsigned(">", magnitude, emitter.splat(0x7F800000, I32))
    return builder.trunc(builder.or_(builder.select(is_nan, payload, result), sign), emitter.vector_type(I16))


def _to_float8(emitter: Emitter, single: ir.Value, dtype: Dtype) -> ir.Value:
    """Floats rounded to 8 bits and saturated, as `_float_to_half` rounds. 0x7F is a NaN of both dtypes.

    float8_e8m0fnu has only the exponent, without the sign. Infinity and NaN have the exponent that is its NaN.
    """
    builder, word, wide, limits = emitter.builder, emitter.vector_type(I32), emitter.vector_type(FLOAT), dtype.limits
    if dtype.name == "float8_e8m0fnu":
        exponent = builder.lshr(builder.bitcast(single, word), emitter.splat(23, I32))
        return builder.trunc(exponent, emitter.vector_type(I8))
    cut, lowest = 23 - int(limits.nmant), int(limits.minexp)
    last = 2.0 ** (lowest + cut)  # a sum with this number is rounded to the last bit of subnormal results

    def bits_of(number: float) -> ir.Value:
        return emitter.splat(int(np.float32(number).view(np.int32)), I32)

    bits = builder.bitcast(single, word)
    sign = builder.and_(builder.lshr(bits, emitter.splat(24, I32)), emitter.splat(0x80, I32))
    magnitude = builder.and_(bits, emitter.splat(0x7FFFFFFF, I32))
    is_nan = builder.icmp_unsigned(">", magnitude, emitter.splat(0x7F800000, I32))
    is_beyond = builder.icmp_unsigned(">", magnitude, bits_of(dtype.largest))
    magnitude = builder.select(is_beyond, bits_of(dtype.largest), magnitude)
    odd = builder.and_(builder.lshr(magnitude, emitter.splat(cut, I32)), emitter.splat(1, I32))
    carried = builder.add(builder.add(magnitude, emitter.splat((1 << cut - 1) - 1, I32)), odd)
    normal = builder.lshr(builder.sub(carried, emitter.splat(126 + lowest << 23, I32)), emitter.splat(cut, I32))
    summed = builder.fadd(builder.bitcast(magnitude, wide), emitter.splat(last, FLOAT))
    subnormal = builder.sub(builder.bitcast(summed, word), bits_of(last))
    result = builder.select(builder.icmp_unsigned("<", magnitude, bits_of(2.0**lowest)), subnormal, normal)
    result = builder.select(is_nan, emitter.splat(0x7F, I32), builder.or_(result, sign))
    return builder.trunc(result, emitter.vector_type(I8))


def _to_integer(emitter: Emitter, x: Vector, dtype: Dtype) -> ir.Value:
    """The nearest integers, saturated."""
    builder = emitter.builder
    integer = _nearest_integer(emitter, saturated(emitter, x, dtype)).value
    wide = builder.fptosi(integer, emitter.vector_type(I32))  # every integer dtype here fits into 32 bits
    target = emitter.vector_type(_TYPES[dtype.name])
    return wide if wide.type == target else builder.trunc(wide, target)


def _interleave_zeros(emitter: Emitter, real: ir.Value) -> ir.Value:
    """Complex numbers with imaginary parts of zero."""
    zeros = ir.Constant(real.type, None)
    return emitter.builder.shuffle(real, zeros, [k for n in range(emitter.lanes) for k in (n, emitter.lanes + n)])


def _one_nan(emitter: Emitter, x: Vector) -> Vector:
    """x with the same NaN for all NaNs: x86's default NaN, which is negative and quiet, with payload 0."""
    if emitter.target.fixup:
        # The class of a lane selects a response from the table: classes 0 and 1, the NaNs, select response 3, the
        # default NaN.
        return emitter.avx512("fixupimm", x.value, x.value, emitter.splat(0x33, emitter.integer), I32(0))
    is_nan = Mask(emitter, emitter.builder.fcmp_unordered("uno", x.value, x.value))
    exponent_bits = 11 if emitter.is_double else 8
    pattern = ((1 << (exponent_bits + 2)) - 1) << (emitter.mantissa - 1)
    return emitter.where(is_nan, emitter.from_bits(emitter.splat(pattern, emitter.integer)), x)


def _nearest_integer(emitter: Emitter, x: Vector) -> Vector:
    """The nearest integer of any number, ties to even."""
    if emitter.target.fma:
        return emitter.map("roundeven", x)
    rounded = emitter.copysign((x + emitter.magic) - emitter.magic, x)
    return emitter.where(emitter.abs(x) < 2.0**emitter.mantissa, rounded, x)
