"""Data types: the documented tables, as they stand there (x: no deduction)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import actgrad
from actgrad import backends
from actgrad.base.dtypes import BY_NAME, BY_NUMBER, can_convert, promote
from tests.support.aclnn import values as model

NAMES = {
    "f32": "float32", "f16": "float16", "f64": "float64", "bf16": "bfloat16", "s8": "int8", "u8": "uint8",
    "s16": "int16", "u16": "uint16", "s32": "int32", "u32": "uint32", "s64": "int64", "u64": "uint64", "bool": "bool",
    "c32": "complex32", "c64": "complex64", "c128": "complex128",
}  # fmt: skip

PROMOTION = """
     f32  f16  f64  bf16 s8   u8   s16  u16  s32  u32  s64  u64  bool c32  c64  c128
f32  f32  f32  f64  f32  f32  f32  f32  x    f32  x    f32  x    f32  c64  c64  c128
f16  f32  f16  f64  f32  f16  f16  f16  x    f16  x    f16  x    f16  c32  c64  c128
f64  f64  f64  f64  f64  f64  f64  f64  x    f64  x    f64  x    f64  c128 c128 c128
bf16 f32  f32  f64  bf16 bf16 bf16 bf16 x    bf16 x    bf16 x    bf16 c32  c64  c128
s8   f32  f16  f64  bf16 s8   s16  s16  x    s32  x    s64  x    s8   c32  c64  c128
u8   f32  f16  f64  bf16 s16  u8   s16  x    s32  x    s64  x    u8   c32  c64  c128
s16  f32  f16  f64  bf16 s16  s16  s16  x    s32  x    s64  x    s16  c32  c64  c128
u16  x    x    x    x    x    x    x    u16  x    x    x    x    x    x    x    x
s32  f32  f16  f64  bf16 s32  s32  s32  x    s32  x    s64  x    s32  c32  c64  c128
u32  x    x    x    x    x    x    x    x    x    u32  x    x    x    x    x    x
s64  f32  f16  f64  bf16 s64  s64  s64  x    s64  x    s64  x    s64  c32  c64  c128
u64  x    x    x    x    x    x    x    x    x    x    x    u64  x    x    x    x
bool f32  f16  f64  bf16 s8   u8   s16  x    s32  x    s64  x    bool c32  c64  c128
c32  c64  c32  c128 c32  c32  c32  c32  x    c32  x    c32  x    c32  c32  c64  c128
c64  c64  c64  c128 c64  c64  c64  c64  x    c64  x    c64  x    c64  c64  c64  c128
c128 c128 c128 c128 c128 c128 c128 c128 x    c128 x    c128 x    c128 c128 c128 c128
"""


READABLE = {name: row for name, row in BY_NAME.items() if row.kind != "float8"}  # by kernels


def test_promotion() -> None:
    header, *rows = [line.split() for line in PROMOTION.strip().splitlines()]
    assert len(rows) == len(header) == len(READABLE) == 16
    for first, *results in rows:
        for second, result in zip(header, results, strict=True):
            one, other = BY_NAME[NAMES[first]], BY_NAME[NAMES[second]]
            found = promote(one, other)
            assert found is (None if result == "x" else BY_NAME[NAMES[result]]), (first, second)
            assert (found and found.acl_name) == model.promoted(one.acl_name, other.acl_name), (first, second)


def test_dtypes_of_no_kernel_are_promoted_with_themselves_alone() -> None:
    named = {row.acl_name: row for row in BY_NUMBER.values()}
    for a, b in itertools.product(model.OTHERS, model.DTYPES):
        expected = named[a] if a == b else None
        assert promote(named[a], named[b]) is promote(named[b], named[a]) is expected, (a, b)


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex32", "complex64", "complex128"]
#: Which dtypes a dtype converts to.
CONVERSION = {
    "bool": ["bool", *INTEGERS, *FLOATS, *COMPLEX],
    **{name: [*INTEGERS, *FLOATS, *COMPLEX] for name in INTEGERS},
    **{name: [*FLOATS, *COMPLEX] for name in FLOATS},
    **dict.fromkeys(COMPLEX, COMPLEX),
}


def test_conversion() -> None:
    assert set(CONVERSION) == set(READABLE)
    for source, target in itertools.product(READABLE.values(), READABLE.values()):
        expected = target.name in CONVERSION[source.name]
        found = can_convert(source, target)
        assert found == expected == model.convertible(source.acl_name, target.acl_name), (source, target)


def test_the_models_kinds() -> None:
    def named(names: list[str]) -> set[str]:
        return {BY_NAME[name].acl_name for name in names}

    assert set(model.INTEGERS) == named(INTEGERS)
    assert set(model.FLOATS) == named(FLOATS)
    assert set(model.COMPLEX) == named(COMPLEX)


#: aclDataType: number, enumerator without ACL_, bytes.
ACL = {
    "float32": (0, "FLOAT", 4), "float16": (1, "FLOAT16", 2), "int8": (2, "INT8", 1), "int32": (3, "INT32", 4),
    "uint8": (4, "UINT8", 1), "int16": (6, "INT16", 2), "uint16": (7, "UINT16", 2), "uint32": (8, "UINT32", 4),
    "int64": (9, "INT64", 8), "uint64": (10, "UINT64", 8), "float64": (11, "DOUBLE", 8), "bool": (12, "BOOL", 1),
    "complex64": (16, "COMPLEX64", 8), "complex128": (17, "COMPLEX128", 16), "bfloat16": (27, "BF16", 2),
    "complex32": (33, "COMPLEX32", 4), "float8_e5m2": (35, "FLOAT8_E5M2", 1), "float8_e4m3fn": (36, "FLOAT8_E4M3FN", 1),
    "float8_e8m0fnu": (37, "FLOAT8_E8M0", 1),
}  # fmt: skip


def test_dtype_rows() -> None:
    assert {name: (row.acl, row.acl_name, row.itemsize) for name, row in BY_NAME.items()} == ACL
    for name, row in BY_NAME.items():
        if name == "complex32":
            with pytest.raises(TypeError, match="the dtype is complex32"):
                row.numpy.itemsize  # noqa: B018  the property raises
        else:
            assert row.numpy.itemsize == row.itemsize
            assert row.numpy.name == name
        assert str(row) == name


@pytest.mark.parametrize(
    ("operator", "dtype", "lacking"),
    [(actgrad.relu, "int64", "int64"), (actgrad.sigmoid, "complex64", "complex64"), (actgrad.relu, "int32", "int32")],
)
def test_dtypes_that_a_device_lacks(operator: actgrad.Operator, dtype: str, lacking: str) -> None:
    """On the CPU the reference computes them; the message names them alone."""
    computation = operator.plan(np.ones(3, dtype)).computation
    assert backends.for_numbers("cpu", computation, operator.name) == "reference"
    with pytest.raises(actgrad.BackendUnavailable, match=rf"^{operator.name}: a tensor is {lacking} on"):
        backends.for_numbers("triton", computation._replace(device="cuda:0"), operator.name)
