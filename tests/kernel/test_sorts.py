"""Calls that sort, and copies of slices and of several dimensions, against NumPy."""

import numpy as np
import pytest

from actgrad.kernel import Report
from tests.kernel.calling import C_TYPES, FOLDER, kernel

pytestmark = pytest.mark.slow  # g++ compiles the kernel


def _run(what: int, x: np.ndarray, y: np.ndarray, indices: np.ndarray | None = None) -> Report:
    name = "float32" if what > 2 else x.dtype.name
    x.flags.writeable = False
    return kernel("sorts", "Ascend950", ("DTYPE_X", C_TYPES[name])).run(
        x, y, indices, tiling={"what": what}, tiling_struct="SortsTiling"
    )


@pytest.mark.parametrize("what", range(3))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_sorts_keep_the_order_of_equal_values(dtype, what):
    x = np.random.default_rng(0).integers(0, 50, 256).astype(dtype)
    values, indices = np.zeros(256, dtype), np.zeros(256, np.uint32)
    report = _run(what, x, values, indices)
    assert not report.faults
    group = 32 if what == 1 else 256
    expected = np.argsort(-x.astype(float).reshape(-1, group), axis=1, kind="stable")
    expected += group * np.arange(256 // group)[:, None]
    np.testing.assert_array_equal(indices, expected.reshape(-1))
    np.testing.assert_array_equal(values, x[indices])


def test_slices():
    x, y = np.arange(261, dtype=np.float32), np.zeros(120, np.float32)
    report = _run(3, x, y)
    assert not report.faults
    expected = np.zeros((2, 60), np.float32)
    expected[:, 4:28], expected[:, 32:56] = x.reshape(3, 87)[::2, 16:40], x.reshape(3, 87)[::2, 47:71]
    np.testing.assert_array_equal(y.reshape(2, 60), expected)
    report = _run(5, x.copy(), y)
    line = next(n for n, t in enumerate((FOLDER / "sorts.cpp").read_text().splitlines(), 1) if "// line wrong" in t)
    assert [(fault.kind, fault.line) for fault in report.faults] == [("copy-length", line)]


def test_a_copy_of_two_dimensions():
    x, y = np.arange(12, dtype=np.float32), np.zeros(80, np.float32)
    report = _run(4, x, y)
    assert not report.faults
    columns = x.reshape(3, 4).T
    constant = np.pad(columns, ((1, 0), (1, 4)), constant_values=9)
    np.testing.assert_array_equal(y.reshape(2, 5, 8), [constant, np.pad(columns, ((1, 0), (1, 4)), mode="edge")])
