"""Compare and Select against NumPy: modes, counts, strides, bits that keep their value, NaN."""

import numpy as np
import pytest

from tests.kernel.calling import BYTES, NUMPY, call, places

pytestmark = pytest.mark.slow  # g++ compiles each kernel

COMPARISONS = (np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal)  # in the order of CMPMODE


def _operands(dtype):
    rng = np.random.default_rng(2)
    x, y = (rng.integers(-3, 4, BYTES // dtype.itemsize).astype(dtype) for _ in range(2))
    x[5] = y[9] = x[17] = y[17] = np.nan
    bits = rng.integers(0, 256, BYTES, np.uint8)
    return x, y, bits


def _with_bits(old, results):
    """The old bytes with these results as bits, the first one lowest."""
    every = np.unpackbits(old, bitorder="little")
    every[: results.size] = results
    return np.packbits(every, bitorder="little")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", range(6))
def test_compare(dtype, mode):
    numpy = NUMPY[dtype]
    x, y, bits = _operands(numpy)
    for number, other in ((0, y), (2, numpy.type(1))):
        for count in (1, 13, 256):
            tiling = {"call": number, "mode": mode, "count": count, "scalar": 1.0}
            out, report = call("selects", [x, y, bits], np.zeros(BYTES, np.uint8), tiling, dtypes={"DTYPE_X": dtype})
            results = COMPARISONS[mode](x, other)[:count]
            np.testing.assert_array_equal(out, _with_bits(bits, results))
            is_whole = count * numpy.itemsize % 256 == 0
            assert [(f.kind, f.severity) for f in report.faults] == (
                [] if is_whole else [("compare-remainder", "warning")]
            )
            assert report.ok


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(("number", "strides"), [(1, (1, 2, 1, 8, 16, 8)), (3, (1, 1, 1, 8, 16, 8))])
def test_compare_in_repeats(dtype, number, strides):
    numpy = NUMPY[dtype]
    x, y, bits = _operands(numpy)
    lanes = 256 // numpy.itemsize
    tiling = {"call": number, "mode": 1, "repeats": 3, "strides": list(strides), "scalar": 1.0}
    out, report = call("selects", [x, y, bits], np.zeros(BYTES, np.uint8), tiling, dtypes={"DTYPE_X": dtype})
    left = x[places(numpy, lanes, 3, strides[1], strides[4])]
    right = y[places(numpy, lanes, 3, strides[2], strides[5])] if number == 1 else numpy.type(1)
    assert report.ok, report
    np.testing.assert_array_equal(out, _with_bits(bits, left > right))


def test_nan_as_the_complement():
    x, y, bits = _operands(NUMPY["float32"])
    for mode, wanted in ((0, 0), (3, 1), (4, 1), (5, 1)):
        out, _ = call(
            "selects", [x, y, bits], np.zeros(BYTES, np.uint8), {"call": 0, "mode": mode, "count": 64},
            dtypes={"DTYPE_X": "float32"}, assumptions={"nan_in_compare": "complement"},
        )  # fmt: skip
        assert out[0] >> 5 & 1 == wanted


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", [0, 2])
def test_select(dtype, mode):
    numpy = NUMPY[dtype]
    x, y, bits = _operands(numpy)
    flags = np.unpackbits(bits, bitorder="little").astype(bool)
    lanes = 256 // numpy.itemsize
    for count in (1, 100, 513):
        tiling = {"call": 4, "mode": mode, "count": count}
        out, report = call("selects", [x, y, bits], np.zeros_like(x), tiling, dtypes={"DTYPE_X": dtype})
        chosen = flags[np.arange(count) % lanes] if mode == 0 else flags[:count]
        wanted = x.copy()
        wanted[:count] = np.where(chosen, x[:count], y[:count])
        assert report.ok, report
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("mode", [0, 2])
def test_select_in_repeats_with_a_mask(mode):
    x, y, bits = _operands(NUMPY["float32"])
    flags = np.unpackbits(bits, bitorder="little").astype(bool)
    mask, strides = (0xFFFF_0000_1234_5678, 0), (1, 1, 2, 8, 8, 16)
    tiling = {"call": 5, "mode": mode, "mask": list(mask), "repeats": 3, "strides": list(strides)}
    out, report = call("selects", [x, y, bits], np.zeros_like(x), tiling, dtypes={"DTYPE_X": "float32"})
    at = [places(np.dtype("f4"), mask, 3, strides[i], strides[i + 3]) for i in range(3)]
    chosen = flags[at[0] % 64 if mode == 0 else at[0]]
    wanted = x.copy()
    wanted[at[0]] = np.where(chosen, x[at[1]], y[at[2]])
    assert report.ok, report
    np.testing.assert_array_equal(out, wanted)


def test_select_with_a_scalar():
    x, y, bits = _operands(NUMPY["float32"])
    tiling = {"call": 6, "count": 70, "scalar": 9.0}
    out, report = call("selects", [x, y, bits], np.zeros_like(x), tiling, dtypes={"DTYPE_X": "float32"})
    flags = np.unpackbits(bits, bitorder="little").astype(bool)[:70]
    assert report.ok
    np.testing.assert_array_equal(out[:70], np.where(flags, x[:70], np.float32(9)))
