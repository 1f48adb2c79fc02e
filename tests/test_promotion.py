"""The tables of promotion and of conversion, as the documents print them."""

from __future__ import annotations

import itertools

import aclnn_values as model
import pytest

from actgrad.base.dtypes import BY_NAME, BY_NUMBER, can_convert, promote

#: Column and row by column: x for no promotion.
PROMOTION = """
      f32  f16  f64  bf16 s8   u8   s16  u16  s32  u32  s64  u64  bool c32  c64  c128
f32   f32  f32  f64  f32  f32  f32  f32  x    f32  x    f32  x    f32  c64  c64  c128
f16   f32  f16  f64  f32  f16  f16  f16  x    f16  x    f16  x    f16  c32  c64  c128
f64   f64  f64  f64  f64  f64  f64  f64  x    f64  x    f64  x    f64  c128 c128 c128
bf16  f32  f32  f64  bf16 bf16 bf16 bf16 x    bf16 x    bf16 x    bf16 c32  c64  c128
s8    f32  f16  f64  bf16 s8   s16  s16  x    s32  x    s64  x    s8   c32  c64  c128
u8    f32  f16  f64  bf16 s16  u8   s16  x    s32  x    s64  x    u8   c32  c64  c128
s16   f32  f16  f64  bf16 s16  s16  s16  x    s32  x    s64  x    s16  c32  c64  c128
u16   x    x    x    x    x    x    x    u16  x    x    x    x    x    x    x    x
s32   f32  f16  f64  bf16 s32  s32  s32  x    s32  x    s64  x    s32  c32  c64  c128
u32   x    x    x    x    x    x    x    x    x    u32  x    x    x    x    x    x
s64   f32  f16  f64  bf16 s64  s64  s64  x    s64  x    s64  x    s64  c32  c64  c128
u64   x    x    x    x    x    x    x    x    x    x    x    u64  x    x    x    x
bool  f32  f16  f64  bf16 s8   u8   s16  x    s32  x    s64  x    bool c32  c64  c128
c32   c64  c32  c128 c32  c32  c32  c32  x    c32  x    c32  x    c32  c32  c64  c128
c64   c64  c64  c128 c64  c64  c64  c64  x    c64  x    c64  x    c64  c64  c64  c128
c128  c128 c128 c128 c128 c128 c128 c128 x    c128 x    c128 x    c128 c128 c128 c128
"""
NAMES = {
    "f32": "FLOAT", "f16": "FLOAT16", "f64": "DOUBLE", "bf16": "BF16", "s8": "INT8", "u8": "UINT8", "s16": "INT16",
    "u16": "UINT16", "s32": "INT32", "u32": "UINT32", "s64": "INT64", "u64": "UINT64", "bool": "BOOL",
    "c32": "COMPLEX32", "c64": "COMPLEX64", "c128": "COMPLEX128", "x": None,
}  # fmt: skip
DTYPES = {row.acl_name: row for row in BY_NUMBER.values()}
COLUMNS, *ROWS = (line.split() for line in PROMOTION.split("\n")[1:-1])


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_promotion(row: list[str]) -> None:
    first = NAMES[row[0]]
    for column, result in zip(COLUMNS, row[1:], strict=True):
        second, expected = NAMES[column], NAMES[result]
        found = promote(DTYPES[first], DTYPES[second])
        assert (found and found.acl_name) == expected == model.promoted(first, second), (first, second)


def test_dtypes_of_no_kernel_are_promoted_with_themselves_alone() -> None:
    for a, b in itertools.product(model.OTHERS, model.DTYPES):
        expected = DTYPES[a] if a == b else None
        assert promote(DTYPES[a], DTYPES[b]) is promote(DTYPES[b], DTYPES[a]) is expected, (a, b)


def test_conversion() -> None:
    """Integers convert to all but BOOL, floats to floats and complex numbers, these among themselves, BOOL to all."""
    kinds = {"BOOL": 0, **dict.fromkeys(model.INTEGERS, 1), **dict.fromkeys(model.FLOATS, 2)}
    kinds |= dict.fromkeys(model.COMPLEX, 3)
    assert len(kinds) == len(BY_NAME) == 16
    for a, b in itertools.product(kinds, kinds):
        expected = kinds[a] <= kinds[b]
        assert can_convert(DTYPES[a], DTYPES[b]) == expected == model.convertible(a, b), (a, b)
