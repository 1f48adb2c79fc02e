"""Calls that move elements, and copies with gaps and paddings, against NumPy."""

import numpy as np
import pytest

from tests.kernel.calling import BYTES, NUMPY, call, kernel, places

pytestmark = pytest.mark.slow  # g++ compiles each kernel


def _run(number, dtype, x=None, y=None, product="Ascend910B", **tiling):
    numpy = NUMPY[dtype]
    count = BYTES // numpy.itemsize
    x = np.arange(count).astype(numpy) if x is None else x
    y = np.zeros(BYTES // 4, np.uint32) if y is None else y
    old = np.full(count, 77).astype(numpy)
    out, report = call(
        "moves", [x, y, old], np.zeros_like(old), {"call": number, **tiling}, dtypes={"DTYPE_X": dtype},
        product=product,
    )  # fmt: skip
    assert report.ok, report
    return x, old, out


def test_transpose_of_16_bits():
    x, old, out = _run(0, "float16")
    np.testing.assert_array_equal(out[:256].reshape(16, 16), x[:256].reshape(16, 16).T)
    np.testing.assert_array_equal(out[256:], old[256:])
    x, _, out = _run(1, "float16", repeats=3)
    for repeat in range(3):
        part = slice(256 * repeat, 256 * repeat + 256)
        np.testing.assert_array_equal(out[part].reshape(16, 16), x[part].reshape(16, 16).T)


def test_transpose_of_32_bits():
    x, _, out = _run(0, "float32")
    np.testing.assert_array_equal(out[:128].reshape(8, 16), x[:128].reshape(16, 8).T)


@pytest.mark.parametrize("halves", range(4))
def test_transpose_of_8_bits(halves):
    x, old, out = _run(0, "uint8", mode=halves)
    to, source = 16 * (halves & 1), 16 * (halves >> 1)
    blocks, wanted = x[:512].reshape(16, 32), old[:512].reshape(16, 32).copy()
    wanted[:, to : to + 16] = blocks[:, source : source + 16].T
    np.testing.assert_array_equal(out[:512].reshape(16, 32), wanted)


def test_gather():
    offsets = np.random.default_rng(3).permutation(BYTES // 4).astype(np.uint32)
    x, old, out = _run(2, "float32", y=offsets * 4, count=100)
    np.testing.assert_array_equal(out[:100], x[offsets[:100]])
    np.testing.assert_array_equal(out[100:], old[100:])


@pytest.mark.parametrize("pattern", range(1, 8))
def test_gather_mask(pattern):
    x, _, out = _run(3, "float32", mode=pattern, count=50, repeats=2)
    lanes = np.concatenate([np.arange(50), 64 + np.arange(50)])
    inside = lanes % 64
    step = {1: inside % 2 == 0, 2: inside % 2 == 1, 7: inside >= 0}.get(pattern, inside % 4 == pattern - 3)
    kept = x[lanes[step]]
    np.testing.assert_array_equal(out[: kept.size], kept)
    assert out[-1] == kept.size


def test_brcb():
    x, old, out = _run(4, "float32", repeats=2, strides=[2, 1, 1, 16, 8, 8])
    wanted = old.copy()
    for repeat in range(2):
        for element in range(8):
            at = (repeat * 16 + element * 2) * 8
            wanted[at : at + 8] = x[8 * repeat + element]
    np.testing.assert_array_equal(out, wanted)


def test_copy_and_duplicate_in_repeats():
    strides = [1, 2, 1, 8, 16, 8]
    x, old, out = _run(5, "float32", mask=[50, 0], repeats=3, strides=strides)
    wanted = old.copy()
    wanted[places(x.dtype, 50, 3, 1, 8)] = x[places(x.dtype, 50, 3, 2, 16)]
    np.testing.assert_array_equal(out, wanted)
    bits = (0x5555, 0)
    _, old, out = _run(6, "float16", mask=list(bits), repeats=2, strides=[1, 1, 1, 16, 8, 8], scalar=2.5)
    wanted = old.copy()
    wanted[places(out.dtype, bits, 2, 1, 16)] = 2.5
    np.testing.assert_array_equal(out, wanted)


def test_copy_inside_ub_with_gaps():
    x, old, out = _run(7, "float32", repeats=3, count=2, strides=[1, 2, 1, 8, 8, 8])
    wanted = old.copy()
    for piece in range(3):
        wanted[piece * 32 : piece * 32 + 16] = x[piece * 24 : piece * 24 + 16]
    np.testing.assert_array_equal(out, wanted)


def test_progression():
    _, _, out = _run(8, "float16", count=20, scalar=1.5)
    np.testing.assert_array_equal(out[:20], 1.5 + 2 * np.arange(20))


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
@pytest.mark.parametrize(
    ("count", "length", "ub_gap", "gm_gap", "left", "right", "is_pad"),
    [(1, 7, 0, 0, 0, 0, False), (3, 5, 1, 2, 0, 0, False), (3, 5, 0, 3, 2, 4, True), (2, 16, 2, 0, 0, 0, True)],
)
def test_pads(dtype, count, length, ub_gap, gm_gap, left, right, is_pad):
    numpy = NUMPY[dtype]
    size, ub_bytes = numpy.itemsize, 1024
    x = (np.arange(256) + 1).astype(numpy)
    x.flags.writeable = False
    out, packed = np.zeros(ub_bytes // size, numpy), np.zeros(256, numpy)
    product = "Ascend950" if size == 1 else "Ascend910B"  # whose Duplicate takes eight bits
    c_type = {"float32": "float", "float16": "half", "uint8": "uint8_t"}[dtype]
    tiling = {
        "count": count, "bytes": length * size, "ub_gap": ub_gap, "gm_gap": gm_gap * size, "left": left,
        "right": right, "is_pad": is_pad, "ub_bytes": ub_bytes,
    }  # fmt: skip
    report = kernel("moves", product, ("DTYPE_X", c_type), entry="pads").run(
        x, out, packed, tiling=tiling, tiling_struct="PadTiling"
    )
    assert report.ok, report
    wanted, wanted_packed = np.full(ub_bytes // size, 7, numpy), np.zeros(256, numpy)
    room = -(-(left + length + right) * size // 32) * 32 // size
    for piece in range(count):
        at, data = piece * (room + ub_gap * 32 // size), x[piece * (length + gm_gap) :][:length]
        wanted[at : at + room] = 5 if is_pad else data[0]
        wanted[at + left : at + left + length] = data
    out_room = -(-length * size // 32) * 32 // size
    for piece in range(count):
        at = piece * (out_room + ub_gap * 32 // size)
        wanted_packed[piece * (length + gm_gap) :][:length] = wanted[at : at + length]
    np.testing.assert_array_equal(out, wanted)
    np.testing.assert_array_equal(packed, wanted_packed)
