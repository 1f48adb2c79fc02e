"""Arguments of C functions at the ends of what their checks allow: odd dtypes, shapes, products and scalars."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from actgrad.ascend.aclnn.signatures import all_signatures

INVALID, TILING = aclnn.ACLNN_ERR_PARAM_INVALID, aclnn.ACLNN_ERR_INNER_TILING_ERROR


def ones(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.ones(shape, dtype)


def status(name: str, *given: Any, product: str = "Ascend910B", rules: str = "operator") -> int:
    """The status of a call, run where phase one takes it."""
    with actgrad.product(product), actgrad.rules(rules):
        found, size, executor = getattr(aclnn, f"aclnn{name}GetWorkspaceSize")(*given)
    return found or getattr(aclnn, f"aclnn{name}")(None, size, executor, None)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("GeluBackwardV2", (ones(3), ones(3), "erf", ones(3)), 'approximate is "erf"; it must be "none" or "tanh"; '),
        ("GeluBackwardV2", (ones(3), ones(3), 1, ones(3)), "approximate is 1; it must be a text; pass a text"),
        ("GeGluV3", (ones(4), -1, 7, True, ones(2), ones(2)), "approximate is 7; it must be 0 (none) or 1 (tanh); "),
        ("GeGluV3", (ones(4), -1, 1, 2, ones(2), ones(2)), "activateLeft is 2; it must be true or false; "),
        ("GeGluV3", (ones(4), None, 1, True, ones(2), ones(2)), "dim is a null pointer; it must be an integer; "),
    ],
)
def test_messages_have_the_words_of_c(name: str, given: tuple[Any, ...], says: str) -> None:
    assert status(name, *given) == INVALID
    assert f": aclnn{name}: {says}" in aclnn.aclGetRecentErrMsg()


def test_no_rule_of_a_c_function_is_about_a_tensor_that_it_lacks() -> None:
    (signature,) = (s for s in all_signatures() if s.name == "aclnnDynamicQuant")
    assert not [check.rule for check in signature.checks if "group_index" in check.rule]


@pytest.mark.parametrize("name", ["SoftmaxBackward", "LogSoftmaxBackward"])
def test_beside_an_empty_tensor_any_dtypes_will_do(name: str) -> None:
    """Off Ascend950 these return before they look at dtypes, also at two that no promotion joins."""
    given = ones(0, 4), ones(0, 4, dtype=np.uint16), -1, ones(0, 4)
    assert status(name, *given) == 0
    assert status(name, *given, product="Ascend950") == INVALID


@pytest.mark.parametrize("grad", [(1, 3, 5), (2, 3, 5), (4, 5)])
def test_the_gradient_of_prelu_is_no_larger_than_its_input(grad: tuple[int, ...]) -> None:
    assert status("PreluBackward", ones(*grad), ones(3, 5), ones(5), ones(3, 5), ones(5)) == INVALID
    with pytest.raises(actgrad.InvalidArgument, match=r"it must broadcast to .*, the shape of self"):
        actgrad.prelu_backward(ones(*grad), ones(3, 5), ones(5))
    assert status("PreluBackward", ones(5), ones(3, 5), ones(5), ones(3, 5), ones(5)) == 0


@pytest.mark.parametrize("product", ["Ascend910B", "Ascend310P", "Ascend310B", "Ascend910"])
def test_the_bounds_of_rrelu_are_of_one_list_everywhere(product: str) -> None:
    bound = aclnn.aclCreateScalar(0.25, aclnn.ACL_BF16)
    given = ones(3), ones(3), bound, bound, False, 0, 0, ones(3)
    assert status("RReluWithNoise", *given, product=product) == 0
    whole = aclnn.aclCreateScalar(1, aclnn.ACL_INT32)
    assert status("RReluWithNoise", *given[:2], whole, *given[3:], product=product) == INVALID


def test_doubles_are_judged_as_float32() -> None:
    x, half = ones(2, 4), ones(2, 2)
    for limit, wanted in ((1e-50, TILING), (-1e-50, TILING), (1e-44, 0), (1e300, 0)):
        given = 1.7, limit, 1.0, True
        assert status("ClippedSwiglu", x, None, -1, *given, half, product="Ascend950") == wanted
        assert status("ClippedSwigluGrad", half, x, None, -1, *given, x.copy()) == wanted
        assert status("SwigluGroup", x, None, None, limit, half, product="Ascend950") == wanted
    assert status("SwigluGroup", x, None, None, -1 - 1e-12, half, product="Ascend950") == 0


@pytest.mark.parametrize("threshold", [0.0, 1e-8, -1e-8, 1.1920929e-7])
def test_thresholds_that_the_source_takes_for_0(threshold: float) -> None:
    x = np.array([-(2**62), -1, 0, 1, 2**62 + 1])
    out = np.zeros_like(x)
    assert status("ThresholdBackward", x + 0, x, threshold, out) == INVALID
    assert status("ThresholdBackward", x + 0, x, 1.3e-7, out, product="Ascend950") == INVALID
    assert status("ThresholdBackward", x + 0, x, threshold, out, product="Ascend950") == 0
    assert out[1:].tolist() == [0 if threshold >= 0 else out[1], 0, 1, 2**62 + 1]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_beyond_floats_are_compared_exactly(dtype: str) -> None:
    """The scalars of aclnnThreshold are converted to the tensor's dtype, never to a float."""
    most = np.iinfo(dtype).max
    digits = 24 if dtype == "int32" else 53
    x = np.array([-most, -1, 0, 2**digits, 2**digits + 1, most - 1, most], dtype)
    number = getattr(aclnn, f"ACL_{dtype.upper()}")
    for threshold, value in ((2**digits, most), (2**digits + 1, 2**digits + 1), (most - 1, -most)):
        wanted = np.where(x > threshold, x, value)
        out = np.zeros_like(x)
        scalars = [aclnn.aclCreateScalar(n, number) for n in (threshold, value)]
        assert status("Threshold", x, *scalars, out) == 0
        assert out.tolist() == wanted.tolist()
        for _ in range(3):  # the later calls take the fast path
            assert actgrad.threshold(x, threshold=threshold, value=value).tolist() == wanted.tolist()


def test_large_integers_become_floats_in_one_step() -> None:
    number = 2**62 + 2**38 + 1  # in two steps, first to a double, it would lose its last bit and then round down
    x, out = ones(2), np.zeros(2, np.float32)
    scalar = aclnn.aclCreateScalar(number, aclnn.ACL_INT64)
    assert status("Threshold", x, scalar, scalar, out) == 0
    nearest = np.array(number).astype(np.float32)
    assert (out == nearest).all()
    assert (actgrad.threshold(x, threshold=number, value=number) == nearest).all()
    assert (actgrad.threshold(x.astype(float), threshold=number, value=number) == float(number)).all()


RANK_9 = {
    "SituGlu": lambda x, half: (x, -1, 1.0, 0.0, True, half),
    "SituGluGrad": lambda x, half: (half, x, -1, 1.0, 0.0, True, x.copy()),
    "ClippedSwigluGrad": lambda x, half: (half, x, None, -1, 1.0, 1.0, 0.0, True, x.copy()),
    "SwigluGroup": lambda x, half: (x, None, None, -1.0, half),
}


@pytest.mark.parametrize("name", RANK_9)
def test_ranks_by_the_documents(name: str) -> None:
    given = RANK_9[name](ones(*(1,) * 8, 2), ones(*(1,) * 9))
    assert status(name, *given, product="Ascend950") == 0
    assert status(name, *given, product="Ascend950", rules="document") == INVALID


EMPTY = {
    "MishBackward": lambda x, half: (x, x.copy(), x.copy()),
    "ClippedSwigluGrad": RANK_9["ClippedSwigluGrad"],
    "SwigluGroup": RANK_9["SwigluGroup"],
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_tensors_by_the_documents(name: str) -> None:
    given = EMPTY[name](ones(0, 2), ones(0, 1))
    assert status(name, *given, product="Ascend950") == 0
    assert status(name, *given, product="Ascend950", rules="document") == INVALID


def test_every_function_has_a_signature() -> None:
    """C has a parameter named lambda."""
    for name in dir(aclnn):
        if name.startswith("aclnn"):
            assert inspect.signature(getattr(aclnn, name)).parameters


@pytest.mark.parametrize("shape", [(2, 3), (6,), (3, 2), (1, 6, 1), (2, 3, 1)])
def test_the_weights_of_swiglu_group_have_any_shape(shape: tuple[int, ...]) -> None:
    """In C the number of elements counts alone; Python takes the rows' shape, lest a weight be broadcast."""
    x, weight, out = np.linspace(-3, 3, 48, dtype=np.float32).reshape(2, 3, 8), ones(*shape), ones(2, 3, 4)
    weight += np.arange(6, dtype=np.float32).reshape(shape)
    assert status("SwigluGroup", x, weight, None, -1.0, out, product="Ascend950") == 0
    np.testing.assert_array_equal(out, actgrad.swiglu_group(x, weight.reshape(2, 3)))
    if shape[0] != 2:
        with pytest.raises(actgrad.InvalidArgument, match="one element for each row of x"):
            actgrad.swiglu_group(x, weight)
