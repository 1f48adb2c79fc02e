"""Functions of the advanced interface and Gatherb against NumPy and SciPy."""

import numpy as np
import pytest
from scipy import special

from tests.kernel.calling import BYTES, NUMPY, call

pytestmark = pytest.mark.slow  # g++ compiles each kernel


def _tanh_gelu(x):
    return x * special.expit(1.5957691216057308 * (x + 0.044715 * x**3))


#: number of the call -> its formula of x, y and the scalar
FORMULAS = {
    "Sigmoid": lambda x, y, s: special.expit(x),
    "Tanh": lambda x, y, s: np.tanh(x),
    "Erf": lambda x, y, s: special.erf(x),
    "Gelu": lambda x, y, s: _tanh_gelu(x),
    "Silu": lambda x, y, s: x * special.expit(x),
    "Swish": lambda x, y, s: x * special.expit(s * x),
    "SwiGLU": lambda x, y, s: x * y * special.expit(s * y),
    "GeGLU": lambda x, y, s: x * _tanh_gelu(y),
    "ReGlu": lambda x, y, s: x * np.maximum(y, 0),
    "Power": lambda x, y, s: np.power(x, y),
    "ClampMax": lambda x, y, s: np.minimum(x, s),
    "ClampMin": lambda x, y, s: np.maximum(x, s),
    "Log": lambda x, y, s: np.log(x),
    "Rint": lambda x, y, s: np.rint(x),
}


def _run(number, x, y, dtype):
    out, report = call(
        "functions", [x, y], np.zeros_like(x), {"call": number, "count": x.size, "scalar": 0.75},
        dtypes={"DTYPE_X": dtype},
    )  # fmt: skip
    assert report.ok, report
    return out


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", FORMULAS)
def test_functions(name, dtype):
    rng = np.random.default_rng(3)
    x, y = (rng.normal(0, 3, BYTES // NUMPY[dtype].itemsize).astype(dtype) for _ in range(2))
    if name in ("Power", "Log"):
        x = np.abs(x) + NUMPY[dtype].type(0.125)
    exact = FORMULAS[name](x.astype(np.float64), y.astype(np.float64), 0.75)
    with np.errstate(over="ignore"):
        exact = np.where(np.isinf(exact.astype(dtype)), np.inf, exact)
    smallest = np.finfo(dtype).smallest_normal * np.finfo(dtype).eps
    got = _run(list(FORMULAS).index(name), x, y, dtype).astype(np.float64)
    np.testing.assert_allclose(got, exact, rtol=0.51 * np.finfo(dtype).eps, atol=smallest)


def test_infinite_activations():
    x = np.full(BYTES // 4, -np.inf, np.float32)
    ones = np.ones_like(x)
    names = list(FORMULAS)
    for name in ("Gelu", "Silu", "Swish"):
        assert not _run(names.index(name), x, ones, "float32").any()
    for name in ("SwiGLU", "GeGLU"):
        assert not _run(names.index(name), ones, x, "float32").any()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gatherb_takes_blocks(dtype):
    x = np.arange(BYTES // NUMPY[dtype].itemsize).astype(dtype)
    blocks = x[: 512 // x.itemsize].reshape(16, -1)
    np.testing.assert_array_equal(_run(14, x, x, dtype)[: 512 // x.itemsize], blocks[::-1].reshape(-1))
