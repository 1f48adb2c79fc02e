"""Tensors, scalars and streams of the aclnn interface, and numbers that its documents promise."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from tests.support.aclnn.functions import FUNCTIONS, good
from tests.support.aclnn.live_calls import INVALID, NULL, OK, STREAM, Live, failed, leaky, number, tensor
from tests.support.aclnn.values import NUMPY, SCALARS, Scalar
from tests.support.calls import run_script

# Tensors


def test_creating_a_tensor_fails() -> None:
    memory, nd = np.zeros(12, np.float32), aclnn.ACL_FORMAT_ND
    cases = {
        "viewDims": (None, 0, None, 0, nd, (12,), memory),
        "storageDims": ((3,), 0, None, 0, nd, None, memory),
        "viewDims.*0 or more": ((-3,), 0, None, 0, nd, (12,), memory),
        "storageDims.*0 or more": ((3,), 0, None, 0, nd, (-12,), memory),
        "strides.*0 or more": ((3,), 0, (-1,), 0, nd, (12,), memory),
        "offset.*0 or more": ((3,), 0, None, -1, nd, (12,), memory),
        "strides": ((3,), 0, (1, 1), 0, nd, (12,), memory),
        "dataType": ((3,), 999, None, 0, nd, (12,), memory),
        "storage is a": ((3,), 0, None, 0, nd, (12,), object()),
        "contiguous": ((3,), 0, None, 0, nd, (12,), memory[::2]),
        "aclCreateTensor": (("x",), 0, None, 0, nd, (12,), memory),
    }
    for says, arguments in cases.items():
        assert aclnn.aclCreateTensor(*arguments) is None
        failed(INVALID, INVALID, says)


def test_a_destroyed_tensor() -> None:
    (x, _), (out, memory) = tensor([1.0]), tensor([9.0])
    assert aclnn.aclDestroyTensor(x) == OK
    assert aclnn.aclDestroyTensor(None) == OK
    code, size, executor = aclnn.aclnnSeluGetWorkspaceSize(x, out)
    assert (size, executor) == (0, None)
    failed(code, INVALID, "self was destroyed")
    failed(aclnn.aclSetRawTensorAddr(x, memory), INVALID, "destroyed")
    assert memory.tolist() == [9]


def test_a_tensor_may_be_destroyed_between_the_phases() -> None:
    executor, x, out, _, memory = leaky()
    assert aclnn.aclDestroyTensor(x) == aclnn.aclDestroyTensor(out) == OK
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    assert memory.tolist() == [-1, 3]


@pytest.mark.parametrize(("shape", "strides", "storage"), [((6, 5), (10, 1), (9, 10)), ((4, 3), (20, 2), (6, 20))])
def test_the_documents_views(shape: tuple[int, ...], strides: tuple[int, ...], storage: tuple[int, ...]) -> None:
    given = np.arange(np.prod(storage), dtype=np.float32) - 60
    memory = np.full(np.prod(storage), 777, np.float32)
    x, out = (aclnn.aclCreateTensor(shape, 0, strides, 22, 2, storage, m) for m in (given, memory))
    _, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, 0.5, out)
    assert aclnn.aclnnLeakyRelu(None, size, executor, None) == OK
    expected = np.full_like(memory, 777)
    for i in range(shape[0]):
        for j in range(shape[1]):
            at = 22 + i * strides[0] + j * strides[1]
            expected[at] = given[at] if given[at] > 0 else given[at] / 2
    np.testing.assert_array_equal(memory, expected)


def test_rank_0_and_empty_tensors() -> None:
    for shape, count in (((), 1), ((0,), 0), ((3, 0, 2), 0)):
        given, memory = np.full(count, -4, np.float32), np.full(count + 1, 9, np.float32)
        x = aclnn.aclCreateTensor(shape, 0, None, 0, 2, shape, given if count else None)
        out = aclnn.aclCreateTensor(shape, 0, None, 0, 2, shape, memory)
        code, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, 0.5, out)
        assert (code, size) == (OK, 0)
        assert aclnn.aclnnLeakyRelu(None, size, executor, None) == OK
        assert memory.tolist() == [-2.0] * count + [9]


# Scalars


@pytest.mark.parametrize("dtype", SCALARS)
def test_each_dtype_of_a_scalar_rounds(dtype: str) -> None:
    """The number in the executor is the stored one: 1/3 in the scalar's own dtype, then as float."""
    value: Any = 1 / 3
    if np.dtype(NUMPY[dtype]).kind in "iub":
        value = dtype == "BOOL" or 3
    scalar = aclnn.aclCreateScalar(value, number(dtype))
    assert scalar is not None
    memory = np.array([-1.0], np.float32)
    code, size, executor = aclnn.aclnnInplaceLeakyReluGetWorkspaceSize(memory, scalar)
    assert code == OK, aclnn.aclGetRecentErrMsg()
    assert aclnn.aclnnInplaceLeakyRelu(None, size, executor, None) == OK
    assert -memory[0] == np.float32(Scalar(dtype, value).single)  # a complex one acts as 0


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if "Selu" not in f and "GeGlu" not in f])
def test_a_destroyed_scalar(function: str) -> None:
    for position, (name, value) in enumerate(good(function).arguments.items()):
        if isinstance(value, Scalar):
            live = Live(good(function))
            assert aclnn.aclDestroyScalar(live.arguments[position]) == OK
            code, _, executor = live.first()
            assert executor is None
            failed(code, INVALID, rf"\b{function}: {name} was destroyed")


def test_a_64_bit_integer_becomes_float_in_one_step() -> None:
    """2^54 + 2^30 + 1 lies just above the middle of two floats, but rounds to the middle in double."""
    value = 2**54 + 2**30 + 1
    memory = np.array([-1.0], np.float32)
    scalar = aclnn.aclCreateScalar(value, aclnn.ACL_INT64)
    _, size, executor = aclnn.aclnnInplaceLeakyReluGetWorkspaceSize(memory, scalar)
    assert aclnn.aclnnInplaceLeakyRelu(None, size, executor, None) == OK
    assert -int(memory[0]) == 2**54 + 2**31


def test_creating_a_scalar_fails() -> None:
    for value, dtype in (
        (None, aclnn.ACL_FLOAT), (1, aclnn.ACL_STRING), (1, aclnn.ACL_DT_UNDEFINED), (1, 999), (1, None),
        ("x", aclnn.ACL_FLOAT), (object(), aclnn.ACL_INT8), (1000, aclnn.ACL_INT8), (float("nan"), aclnn.ACL_INT32),
    ):  # fmt: skip
        assert aclnn.aclCreateScalar(value, dtype) is None, (value, dtype)
        failed(INVALID, INVALID, "aclCreateScalar")
    assert aclnn.aclDestroyScalar(None) == OK


def test_a_string_scalar_ends_as_a_null_argument() -> None:
    x, _ = tensor([1.0])
    alpha = aclnn.aclCreateScalar("1.0", aclnn.ACL_STRING)
    failed(aclnn.aclnnEluGetWorkspaceSize(x, alpha, 1.0, 1.0, x)[0], NULL, "alpha is a null pointer")


# Streams


def test_streams() -> None:
    status, stream = aclnn.aclrtCreateStream()
    assert status == OK
    executor, *_, memory = leaky()
    assert aclnn.aclnnLeakyRelu(None, 0, executor, stream) == OK
    assert memory.tolist() == [-1, 3]  # at once, not being strict
    assert aclnn.aclrtSynchronizeStream(stream) == aclnn.aclrtSynchronizeStream(None) == OK
    assert aclnn.aclrtDestroyStream(stream) == OK
    executor, *_, memory = leaky()
    failed(aclnn.aclnnLeakyRelu(None, 0, executor, stream), STREAM, "stream")
    assert memory.tolist() == [9, 9]
    executor, *_ = leaky()
    failed(aclnn.aclnnLeakyRelu(None, 0, executor, "stream"), STREAM, "stream")
    for call in (aclnn.aclrtSynchronizeStream, aclnn.aclrtDestroyStream):
        assert call(stream) != OK
        assert "stream" in aclnn.aclGetRecentErrMsg()
    assert aclnn.aclrtDestroyStream(None) != OK
    assert aclnn.aclGetRecentErrMsg()


STRICT = """
import gc
import numpy as np
from actgrad import aclnn

(_, a), (_, b) = aclnn.aclrtCreateStream(), aclnn.aclrtCreateStream()
x, y, z = np.array([-8.0], np.float32), np.full(1, 9, np.float32), np.full(1, 9, np.float32)
w = np.full(1, 9, np.float32)

def leaky(x, out, slope, stream):
    status, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, slope, out)
    assert status == 0
    return aclnn.aclnnLeakyRelu(None, size, executor, stream), executor

def show():
    print(*map(float, (y[0], z[0], w[0])))

status, executor = leaky(x, y, 0.5, a)
assert status == 0
assert aclnn.aclnnLeakyRelu(None, 0, executor, a) == 561000
assert leaky(y, z, 0.25, a)[0] == 0      # reads what the call before it writes
assert leaky(x, w, 2.0, None)[0] == 0
gc.collect()
show()
assert aclnn.aclrtSynchronizeStream(b) == 0
show()
x[0] = -16.0                             # seen: nothing was read before the synchronize
assert aclnn.aclrtSynchronizeStream(a) == 0
show()
assert aclnn.aclrtSynchronizeStream(None) == 0
show()
y[0] = z[0] = w[0] = 9
assert aclnn.aclrtSynchronizeStream(a) == 0
show()
status, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, 1.0, y)
assert aclnn.aclSetAclOpExecutorRepeatable(executor) == 0
assert aclnn.aclnnLeakyRelu(None, size, executor, b) == 0 == aclnn.aclnnLeakyRelu(None, size, executor, b)
show()
assert aclnn.aclrtDestroyStream(b) == 0  # what was not synchronised is never done
assert aclnn.aclrtSynchronizeStream(b) != 0
show()
"""


def test_strictly_nothing_is_there_before_the_synchronize() -> None:
    lines = run_script(STRICT, ACTGRAD_STRICT="1").splitlines()
    waiting, done = "9.0 9.0 9.0", "-8.0 -2.0 9.0"
    assert lines == [waiting, waiting, done, "-8.0 -2.0 -32.0", waiting, waiting, waiting]


# Values


def second(function: str, *arguments: Any) -> int:
    """Both phases."""
    code, size, executor = getattr(aclnn, f"{function}GetWorkspaceSize")(*arguments)
    return code or getattr(aclnn, function)(None, size, executor, None)


@pytest.mark.parametrize(
    ("product", "first"), [("Ascend910B", 1.050701), ("Ascend910", 1.050701), ("Ascend950", 1.758099)]
)
def test_the_documents_example_of_selu_backward(product: str, first: float) -> None:
    result, gradient = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    out = np.zeros(8, np.float32)
    with actgrad.product(product):
        assert second("aclnnSeluBackward", gradient, result, out) == OK
    np.testing.assert_allclose(out, [first] + [1.050701] * 7, rtol=1e-6)


def test_leaky_relu_backward_broadcasts_and_promotes() -> None:
    g, x = np.array([[1.0], [2.0]], np.float16), np.array([-1.0, 0.0, 3.0], ml_dtypes.bfloat16)
    for dtype in (np.float32, np.float16, np.float64, np.complex64, ml_dtypes.bfloat16):
        out = np.zeros((2, 3), dtype)
        assert second("aclnnLeakyReluBackward", g, x, 0.25, False, out) == OK
        assert out.astype(np.complex64).tolist() == [[0.25, 0.25, 1], [0.5, 0.5, 2]]
    nan = np.array([np.nan], np.float32)
    out = np.zeros(1, np.float32)
    assert second("aclnnLeakyReluBackward", np.ones(1, np.float32), nan, 0.25, False, out) == OK
    assert out[0] == 0.25  # NaN takes the slope


@pytest.mark.parametrize(
    ("value", "status"), [(-1e-50, INVALID), (-1.0, INVALID), (-0.0, OK), (float("nan"), OK), (0.1, OK)]
)
def test_a_negative_slope_is_judged_in_double(value: float, status: int) -> None:
    x, out = np.ones(1, np.float32), np.zeros(1, np.float32)
    slope = aclnn.aclCreateScalar(value, aclnn.ACL_DOUBLE)
    assert second("aclnnLeakyReluBackward", x, x, slope, True, out) == status
    assert second("aclnnLeakyReluBackward", x, x, slope, False, out) == OK


@pytest.mark.parametrize(
    ("value", "status"), [(-1e-50, OK), (-1e-40, INVALID), (-1.0, INVALID), (-0.0, OK), (float("nan"), OK)]
)
def test_a_negative_alpha_is_judged_in_float(value: float, status: int) -> None:
    x, out = np.ones(1, np.float32), np.zeros(1, np.float32)
    alpha = aclnn.aclCreateScalar(value, aclnn.ACL_DOUBLE)
    assert second("aclnnEluBackward", x, alpha, 1.0, 1.0, True, x, out) == status
    assert second("aclnnEluBackward", x, alpha, 1.0, 1.0, False, x, out) == OK
    empty = np.zeros(0, np.float32)  # an empty call is checked as well
    assert second("aclnnEluBackward", empty, alpha, 1.0, 1.0, True, empty, empty) == status


def test_a_complex_slope_acts_as_0() -> None:
    out = np.zeros(2, np.float32)
    for slope in (3 + 4j, aclnn.aclCreateScalar(3 + 4j, aclnn.ACL_COMPLEX64)):
        assert second("aclnnLeakyRelu", np.array([-2.0, 2.0], np.float32), slope, out) == OK
        assert out.tolist() == [0, 2]


@pytest.mark.parametrize("dtype", [aclnn.ACL_DOUBLE, aclnn.ACL_FLOAT])
def test_a_slope_is_a_float_beside_double_tensors(dtype: int) -> None:
    out, slope = np.zeros(1), aclnn.aclCreateScalar(0.01, dtype)
    assert second("aclnnLeakyRelu", np.array([-1.0]), slope, out) == OK
    assert -out[0] == float(np.float32(0.01)) != 0.01
    assert second("aclnnLeakyReluBackward", np.array([1.0]), np.array([-1.0]), slope, False, out) == OK
    assert out[0] == float(np.float32(0.01))
