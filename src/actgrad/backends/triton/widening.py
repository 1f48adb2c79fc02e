"""Conversions between storage dtypes and the compute dtype, as text.

Every conversion to a storage dtype rounds once, to nearest, ties to even. All NaNs are stored as the same NaN. Integers
saturate, and NaN becomes the integer 0.
"""

from __future__ import annotations

import numpy as np

from ...base.dtypes import Dtype
from ..formula.tracing import saturated
from .text_emitter import TextEmitter, TextVector

#: Triton's types for storage dtypes. bfloat16 is read as bits, because the interpreter's conversions truncate it.
TYPES = {
    "float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "i16",
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32",
    "float8_e5m2": "u8", "float8_e4m3fn": "u8", "float8_e8m0fnu": "u8",
}  # fmt: skip


def memory_type(dtype: Dtype) -> str:
    """The type of a pointer's target. A complex element is two numbers."""
    return TYPES[dtype.part.name if dtype.kind == "complex" else dtype.name]


def as_bits(pointer: str, dtype: Dtype) -> str:
    """A pointer to any dtype, cast to a pointer to `memory_type`."""
    if dtype.name != "bfloat16" and dtype.kind != "float8":
        return pointer
    bits = "int16" if dtype.name == "bfloat16" else "uint8"
    return f"({pointer}).to(tl.pointer_type(tl.{bits}), bitcast=True)"


def widen(emitter: TextEmitter, raw: str, dtype: Dtype) -> TextVector:
    """A loaded value in the compute dtype. The conversion is exact."""
    if dtype.name == "bfloat16":
        raw = emitter.emit(f"({raw}.to(tl.int32) << 16).to(tl.float32, bitcast=True)")
    if TYPES[dtype.name] != ("fp64" if emitter.is_double else "fp32"):
        raw = emitter.emit(f"{raw}.to({emitter.type})")
    return TextVector(emitter, raw)


def narrow(emitter: TextEmitter, x: TextVector, dtype: Dtype) -> str:
    """A vector rounded once to the storage of `dtype`, or its real part for a complex dtype."""
    if dtype.kind in ("int", "uint"):
        return _to_integer(emitter, x, dtype)
    target = dtype.part if dtype.kind == "complex" else dtype
    if dtype.kind == "float8":
        return _to_float8(emitter, _round_to_odd(emitter, x) if emitter.is_double else x.name, dtype)
    if target.itemsize > 2 or not emitter.machine.has_one_nan:
        # A product of two NaNs differs between machines, so store the same NaN for all.
        x = emitter.one_nan(x)
    if target.itemsize == 2 and emitter.is_double:
        single = _round_to_odd(emitter, x)
    else:
        single = emitter.emit(f"{x.name}.to(tl.float32)") if target.itemsize == 4 and emitter.is_double else x.name
    if target.name == "float16":
        return emitter.emit(f"{single}.to(tl.float16)")
    if target.name == "bfloat16":
        return _to_bfloat16(emitter, single)
    if target.name == "float64" and not emitter.is_double:
        return emitter.emit(f"{single}.to(tl.float64)")
    return single


def _round_to_odd(emitter: TextEmitter, x: TextVector) -> str:
    """Doubles rounded to odd in float32: rounding the result once more equals rounding the double once.

    Truncate towards zero, then set the last bit of inexact results (Boldo and Melquiond 2008).
    """
    nearest = emitter.emit(f"{x.name}.to(tl.float32)")
    back = emitter.emit(f"{nearest}.to(tl.float64)")
    bits = emitter.emit(f"{nearest}.to(tl.int32, bitcast=True)")
    too_large = emitter.emit(f"tl.abs({back}) > tl.abs({x.name})")
    lost = emitter.emit(f"({back} < {x.name}) | ({back} > {x.name})")
    odd = emitter.emit(f"({bits} - {too_large}.to(tl.int32)) | {lost}.to(tl.int32)")
    return emitter.emit(f"{odd}.to(tl.float32, bitcast=True)")


def _to_bfloat16(emitter: TextEmitter, single: str) -> str:
    """The upper half of a float, rounded to nearest even. An addition rounds if the machine's conversion does not."""
    if emitter.machine.rounds_bfloat16:
        return emitter.emit(f"{single}.to(tl.bfloat16).to(tl.int16, bitcast=True)")
    bits = emitter.emit(f"{single}.to(tl.uint32, bitcast=True)")
    rounded = emitter.emit(f"{bits} + 32767 + (({bits} >> 16) & 1)")
    return emitter.emit(f"({rounded} >> 16).to(tl.uint16).to(tl.int16, bitcast=True)")


def _to_float8(emitter: TextEmitter, single: str, dtype: Dtype) -> str:
    """Floats rounded to 8 bits and saturated, as in the CPU backend. 0x7F is a NaN of both dtypes."""
    if dtype.name == "float8_e8m0fnu":
        return emitter.emit(f"(({single}.to(tl.int32, bitcast=True) >> 23) & 255).to(tl.uint8)")
    cut, lowest = 23 - int(dtype.limits.nmant), int(dtype.limits.minexp)
    last, largest, normal = 2.0 ** (lowest + cut), dtype.largest, 2.0**lowest
    bits = emitter.emit(f"{single}.to(tl.int32, bitcast=True)")
    size = emitter.emit(f"tl.where(tl.abs({single}) < {largest}, tl.abs({single}), {largest})")
    word = emitter.emit(f"{size}.to(tl.int32, bitcast=True)")
    carried = emitter.emit(f"{word} + {(1 << cut - 1) - 1} + (({word} >> {cut}) & 1)")
    of_normal = emitter.emit(f"({carried} - {126 + lowest << 23}) >> {cut}")
    summed = emitter.emit(f"({size} + {last}).to(tl.int32, bitcast=True)")
    of_subnormal = emitter.emit(f"{summed} - {int(np.float32(last).view(np.int32))}")
    result = emitter.emit(f"tl.where({size} < {normal}, {of_subnormal}, {of_normal}) | (({bits} >> 24) & 128)")
    return emitter.emit(f"tl.where({single} == {single}, {result}, 127).to(tl.uint8)")


def _to_integer(emitter: TextEmitter, x: TextVector, dtype: Dtype) -> str:
    """The nearest integer, saturated."""
    integer = emitter.rounded_product(saturated(emitter, x, dtype), 1.0)
    wide = emitter.emit(f"{integer.name}.to(tl.int32)")  # every integer dtype here fits into 32 bits
    return wide if dtype.name == "int32" else emitter.emit(f"{wide}.to(tl.{dtype.name})")
