"""Vector arithmetic against NumPy: all calls, counts, masks, repeats, strides, and all halves."""

import numpy as np
import pytest

from tests.kernel.calling import BYTES, NUMPY, call, places

pytestmark = pytest.mark.slow  # g++ compiles each kernel

FLOATS = ("float32", "float16")


def _max(a, b):
    return np.where(np.isnan(a), a, np.where(np.isnan(b), b, np.maximum(a, b) + 0.0))


def _min(a, b):
    return -_max(-a, -b)


#: number of the call -> its formula in a wider type, of x, y, the scalar and the old destination
FORMULAS = {
    0: lambda x, y, s, d: x + y, 1: lambda x, y, s, d: x - y, 2: lambda x, y, s, d: x * y,
    3: lambda x, y, s, d: x / y, 4: lambda x, y, s, d: _max(x, y), 5: lambda x, y, s, d: _min(x, y),
    6: lambda x, y, s, d: np.abs(x), 7: lambda x, y, s, d: np.exp(x), 8: lambda x, y, s, d: np.log(x),
    9: lambda x, y, s, d: np.sqrt(x), 10: lambda x, y, s, d: 1 / x, 11: lambda x, y, s, d: _max(x, np.zeros_like(x)),
    12: lambda x, y, s, d: x + s, 13: lambda x, y, s, d: x * s, 14: lambda x, y, s, d: _max(x, s),
    15: lambda x, y, s, d: _min(x, s), 16: lambda x, y, s, d: np.where(x >= 0, x, x * s),
    17: lambda x, y, s, d: s * x + d, 18: lambda x, y, s, d: x * y + d,
    19: lambda x, y, s, d: _max(x + y, np.zeros_like(x)), 20: lambda x, y, s, d: _max(x - y, np.zeros_like(x)),
    21: lambda x, y, s, d: x * d + y, 22: lambda x, y, s, d: _max(x * d + y, np.zeros_like(x)),
    23: lambda x, y, s, d: 1 / np.sqrt(x),
}  # fmt: skip
NAMES = (
    "Add", "Sub", "Mul", "Div", "Max", "Min", "Abs", "Exp", "Ln", "Sqrt", "Reciprocal", "Relu", "Adds", "Muls",
    "Maxs", "Mins", "LeakyRelu", "Axpy", "MulAddDst", "AddRelu", "SubRelu", "FusedMulAdd", "FusedMulAddRelu", "Rsqrt",
)  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 65504.0, 1e-7, -6e-8, 3.0e-5, 88.0, -88.0, 0.7]


def _values(dtype, seed):
    values = np.random.default_rng(seed).normal(0, 4, BYTES // dtype.itemsize)
    values[: len(SPECIAL)] = np.roll(SPECIAL, seed)
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def _expected(number, x, y, scalar, old):
    dtype = old.dtype
    with np.errstate(all="ignore"):  # NumPy also warns when it widens a signalling NaN
        wide = [each.astype(np.longdouble) for each in (x, y, np.asarray(dtype.type(scalar)), old)]
        result = FORMULAS[number](*wide)
        # NumPy rounds a long double twice on its way to a half, but a double once.
        return (result.astype(np.float64) if dtype == np.float16 else result).astype(dtype)


def _same(got, wanted):
    return np.array_equal(got, wanted, equal_nan=True)


def _cases():
    for number, name in enumerate(NAMES):
        for dtype in FLOATS:
            yield pytest.param(number, dtype, id=f"{name}-{dtype}")


@pytest.mark.parametrize(("number", "dtype"), list(_cases()))
def test_first_n(number, dtype):
    numpy = NUMPY[dtype]
    x, y, old = (_values(numpy, seed) for seed in range(3))
    for count in (1, 7, 64, 1000):
        out = np.empty_like(old)
        tiling = {"call": number, "count": count, "scalar": 0.3}
        out, report = call("arithmetic", [x, y, old], out, tiling, dtypes={"DTYPE_X": dtype})
        wanted = old.copy()
        wanted[:count] = _expected(number, x, y, 0.3, old)[:count]
        assert report.ok, report
        assert _same(out, wanted), (count, np.flatnonzero(out != wanted)[:5])


@pytest.mark.parametrize(("number", "dtype"), list(_cases()))
@pytest.mark.parametrize(
    ("mask", "repeats", "strides"),
    [
        (64, 3, (1, 1, 1, 8, 8, 8)),
        (37, 2, (1, 2, 1, 16, 16, 8)),
        ((0xF0F0_0000_FFFF_0003, 0x8000_0000_0000_0001), 4, (2, 1, 0, 16, 8, 4)),
    ],
)
def test_strided(number, dtype, mask, repeats, strides):
    numpy = NUMPY[dtype]
    x, y, old = (_values(numpy, seed + 5) for seed in range(3))
    is_number = isinstance(mask, int)
    tiling = {
        "call": number, "form": 1 if is_number else 2, "mask": [mask, 0] if is_number else list(mask),
        "repeats": repeats, "strides": list(strides), "scalar": -1.25,
    }  # fmt: skip
    out, report = call("arithmetic", [x, y, old], np.empty_like(old), tiling, dtypes={"DTYPE_X": dtype})
    at = [places(numpy, mask, repeats, strides[i], strides[i + 3]) for i in range(3)]
    wanted = old.copy()
    wanted[at[0]] = _expected(number, x[at[1]], y[at[2]], -1.25, old[at[0]])
    assert report.ok, report
    assert _same(out, wanted), np.flatnonzero(out != wanted)[:5]


@pytest.mark.parametrize("number", [7, 8, 9, 10, 11, 23])
def test_all_halves(number):
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    per_call = BYTES // 2
    for start in range(0, 65536, per_call):
        x = every[start : start + per_call]
        tiling = {"call": number, "count": per_call}
        out, report = call("arithmetic", [x, x, x], np.empty_like(x), tiling, dtypes={"DTYPE_X": "float16"})
        assert report.ok
        assert _same(out, _expected(number, x, x, 0, x))


def test_half_overflow_is_an_assumption():
    x = np.full(BYTES // 2, 60000, np.float16)
    for value, wanted in (("infinity", np.inf), ("saturate", 65504)):
        out, _ = call(
            "arithmetic", [x, x, x], np.empty_like(x), {"call": 0, "count": 4}, dtypes={"DTYPE_X": "float16"},
            assumptions={"half_overflow": value},
        )  # fmt: skip
        assert out[0] == wanted


def test_nan_in_max_is_an_assumption():
    x, y = np.full(BYTES // 4, np.nan, np.float32), np.ones(BYTES // 4, np.float32)
    for value, wanted in (("propagate", np.nan), ("other", 1.0)):
        out, report = call(
            "arithmetic", [x, y, y], np.empty_like(y), {"call": 4, "count": 8}, dtypes={"DTYPE_X": "float32"},
            assumptions={"nan_in_max_min": value},
        )  # fmt: skip
        np.testing.assert_array_equal(out[:8], np.full(8, wanted, np.float32))
        assert [each.value for each in report.assumptions if each.name == "nan_in_max_min"] == [value]


def test_subnormals_are_an_assumption():
    x = np.full(BYTES // 4, -100.0, np.float32)
    for value in ("keep", "flush"):
        out, _ = call(
            "arithmetic", [x, x, x], np.empty_like(x), {"call": 7, "count": 8}, dtypes={"DTYPE_X": "float32"},
            assumptions={"subnormals": value},
        )  # fmt: skip
        assert bool(out[0] == 0) is (value == "flush")


INTEGERS = {
    0: lambda x, y, s: x + y, 1: lambda x, y, s: x - y, 2: lambda x, y, s: x * y, 3: np.maximum, 4: np.minimum,
    5: lambda x, y, s: x & y, 6: lambda x, y, s: x | y, 7: lambda x, y, s: ~x, 8: lambda x, y, s: x << s,
    9: lambda x, y, s: x >> s, 10: lambda x, y, s: x + s, 11: lambda x, y, s: x * s,
    12: lambda x, y, s: np.maximum(x, 0), 13: lambda x, y, s: np.full_like(x, s),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["int16", "int32"])
@pytest.mark.parametrize("number", INTEGERS)
def test_integers(number, dtype):
    numpy = NUMPY[dtype]
    rng = np.random.default_rng(number)
    limits = np.iinfo(numpy)
    x, y = (rng.integers(limits.min, limits.max, BYTES // numpy.itemsize, numpy, endpoint=True) for _ in range(2))
    x[:2] = limits.min, limits.max
    scalar = numpy.type(3)
    formula = INTEGERS[number]
    with np.errstate(over="ignore"):
        result = formula(x, y) if number in (3, 4) else formula(x, y, scalar)
    wanted = y.copy()
    wanted[:1001] = result[:1001]
    tiling = {"call": number, "count": 1001, "scalar": 3.0}
    out, report = call("integers", [x, y, y], np.empty_like(x), tiling, dtypes={"DTYPE_X": dtype}, product="Ascend950")
    assert np.array_equal(out, wanted)
    unsupported = {f.kind for f in report.faults}
    assert unsupported <= {"dtype-unsupported"}  # Relu does not take int16


def test_counts_that_no_field_holds():
    x = np.zeros(BYTES // 4, np.float32)
    _, report = call("arithmetic", [x, x, x], x.copy(), {"call": 0, "count": -3}, dtypes={"DTYPE_X": "float32"})
    assert [f.kind for f in report.faults] == ["parameter-truncated"]
    assert report.faults[0].file.endswith("arithmetic.cpp")
