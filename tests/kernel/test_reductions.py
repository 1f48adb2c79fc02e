"""Reductions against NumPy: the documented order of sums, indices of maxima, masks and strides."""

import numpy as np
import pytest

from tests.kernel.calling import BYTES, NUMPY, call

pytestmark = pytest.mark.slow  # g++ compiles each kernel


def _tree(values):
    """The sum of neighbours, level by level, rounded after each addition."""
    values = list(values)
    while len(values) > 1:
        if len(values) % 2:
            values.append(values[0].dtype.type(0))
        values = [a + b for a, b in zip(values[::2], values[1::2], strict=True)]
    return values[0]


def _run(number, x, old, dtype, **tiling):
    out, report = call(
        "reductions", [x, old], np.zeros_like(old), {"call": number, **tiling}, dtypes={"DTYPE_X": dtype},
    )  # fmt: skip
    assert report.ok, report
    return out


def _values(dtype):
    numpy = NUMPY[dtype]
    rng = np.random.default_rng(8)
    return rng.normal(0, 10, BYTES // numpy.itemsize).astype(numpy), np.zeros(BYTES // numpy.itemsize, numpy)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_sums(dtype):
    x, old = _values(dtype)
    lanes = 256 // x.itemsize
    for count in (1, lanes, 5 * lanes, 3 * lanes + 7):
        padded = [
            _tree(np.concatenate([x[i : min(i + lanes, count)], np.zeros(lanes, x.dtype)])[:lanes])
            for i in range(0, count, lanes)
        ]
        total = padded[0]
        for each in padded[1:]:  # one after the other on Ascend910B
            total = total + each
        assert _run(0, x, old, dtype, count=count)[0] == total
    strided = [_tree(x[i * 2 * lanes : i * 2 * lanes + lanes]) for i in range(4)]
    assert _run(1, x, old, dtype, mask=[lanes, 0], repeats=4, strides=[1, 1, 1, 8, 16, 8])[0] == _tree(strided)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(("number", "find"), [(2, np.argmax), (3, np.argmin)])
def test_extremes_with_index(dtype, number, find):
    x, old = _values(dtype)
    x[40] = x[41] = x[find(x)]
    index = np.dtype(f"u{x.itemsize}")
    for count in (1, 50, 1000):
        out = _run(number, x, old, dtype, count=count)
        assert out[0] == x[find(x[:count])]
        assert out[1:2].view(index)[0] == find(x[:count])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_one_result_for_each_repeat(dtype):
    x, old = _values(dtype)
    lanes, index = 256 // x.itemsize, np.dtype(f"u{x.itemsize}")
    strides = [1, 1, 1, 2, 16, 8]
    out = _run(4, x, old, dtype, mask=[20, 0], repeats=3, strides=strides)
    for repeat in range(3):
        picked = x[repeat * 2 * lanes : repeat * 2 * lanes + 20]
        assert out[2 * repeat] == _tree(np.append(picked, np.zeros(lanes - 20, x.dtype)).astype(x.dtype))
    for order in range(3):
        out = _run(5, x, old, dtype, mask=[20, 0], repeats=3, strides=strides, mode=order)
        for repeat in range(3):
            picked = x[repeat * 2 * lanes : repeat * 2 * lanes + 20]
            at = 2 * repeat * (1 if order == 2 else 2)
            value, place = (at, at + 1) if order != 1 else (at + 1, at)
            assert out[value] == picked.max()
            if order != 2:
                assert out[place : place + 1].view(index)[0] == picked.argmax()
    out = _run(6, x, old, dtype, mask=[20, 0], repeats=1, strides=strides, mode=3)
    assert out.view(np.uint32)[0] == x[:20].argmin()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_one_result_for_each_block(dtype):
    x, old = _values(dtype)
    per_block = 32 // x.itemsize
    blocks = x[: 16 * per_block].reshape(16, per_block)
    lanes = 256 // x.itemsize
    for number, reduce in ((7, _tree), (8, np.max), (9, np.min)):
        out = _run(number, x, old, dtype, mask=[lanes, 0], repeats=2, strides=[1, 1, 1, 1, 8, 8])
        assert [*out[:16]] == [reduce(block) for block in blocks]
    out = _run(8, x, old + 1, dtype, mask=[per_block, 0], repeats=1)  # other blocks have no element
    assert [*out[:8]] == [blocks[0].max(), *[1] * 7]


def test_counter_mode():
    x, old = _values("float32")
    out = _run(10, x, old, "float32", count=150)
    for repeat in range(3):
        picked = np.zeros(64, np.float32)
        part = x[repeat * 64 : min(repeat * 64 + 64, 150)]
        picked[: part.size] = part
        assert out[repeat] == _tree(picked)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_one_result_for_each_pair(dtype):
    x, old = _values(dtype)
    lanes = 256 // x.itemsize
    out = _run(11, x, old + 1, dtype, mask=[21, 0], repeats=2, strides=[1, 1, 1, 2, 16, 8])
    wanted = old + 1
    for repeat in range(2):
        picked = np.append(x[repeat * 2 * lanes : repeat * 2 * lanes + 21], x.dtype.type(0))
        wanted[repeat * lanes : repeat * lanes + 11] = picked[::2] + picked[1::2]
    np.testing.assert_array_equal(out, wanted)


def test_repeat_reduce_sum_is_whole_reduce_sum():
    x, old = _values("float32")
    tiling = {"mask": [20, 0], "repeats": 3, "strides": [1, 1, 1, 2, 16, 8]}
    np.testing.assert_array_equal(_run(12, x, old, "float32", **tiling), _run(4, x, old, "float32", **tiling))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_results_in_registers(dtype):
    x, old = _values(dtype)
    out = _run(13, x, old, dtype, count=500)
    assert out[0] == _run(0, x, old, dtype, count=500)[0]
    assert out[1] == x[:500].max()
    assert out[2:3].view(f"u{x.itemsize}")[0] == x[:500].argmax()
