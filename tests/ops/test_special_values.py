"""NaN, infinities and zeros: what comes of them."""

from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import ir, samples
from tests.support.accuracy_cases import FLOATS, assert_alike_in_kind, cases, meetings, selu_alpha, selu_scale

pytestmark = pytest.mark.share(6)


@pytest.mark.share(12)
@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(FLOATS)))
def test_nan_stays_nan(operator, attributes, dtype):
    x = np.full(5, np.nan, FLOATS[dtype])
    results = samples.as_tuple(operator(*samples.tensors(operator, attributes, x), **attributes))
    if (
        operator.roles.takes_gradient
    ):  # a comparison with NaN fails: the next test compares with the formula's own choice
        return
    if operator.name in ("heaviside", "threshold_tensor"):  # no result depends on values where input is 1
        return
    if operator.name == "swiglu_group_weight_backward":  # grad_x does not depend on y_origin
        assert np.isnan(results[1])
        return
    if operator.access.has_bits:  # a comparison with NaN fails. The other elements of a byte are 1
        assert np.isnan(results[0][::8].astype(np.float64)).all()
        assert (results[1] == 0b11111110).all()
        return
    if operator.dtypes.outputs:  # NaN counts as 0 in integers
        is_of_integers = results[0].dtype.kind == "i"
        assert not results[0].any() if is_of_integers else np.isnan(results[0].astype(np.float32)).all()
        return
    if operator.name == "unit_step":  # its comparison fails
        assert not results[0].astype(np.float64).any()
        return
    if operator.name == "fused_bias_leaky_relu_backward":  # its comparison fails, so that NaN takes the slope
        expectation = np.full(5, attributes["negative_slope"] * attributes["scale"]).astype(FLOATS[dtype])
        np.testing.assert_allclose(results[0].astype(np.float64), expectation.astype(np.float64), rtol=1e-6)
        return
    if operator.name.startswith("leaky_relu"):  # its comparison fails, so that NaN takes the slope
        expectation = np.nan if operator.gradient_of is None else attributes["negative_slope"]
        standard = np.full(5, expectation).astype(FLOATS[dtype])
        np.testing.assert_array_equal(results[0].astype(np.float64), standard.astype(np.float64))
        return
    for result in results:
        halves = np.split(result, 2) if result.size > x.size else [result]
        assert all(np.isnan(half.astype(np.float64)).all() for half in halves)


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(FLOATS)))
def test_zeros_infinities_and_nan_meet_as_in_the_reference(operator, attributes, dtype):
    """In all combinations of the inputs, the result is NaN, infinite and negative where the reference's is."""
    inputs = meetings(operator, dtype)
    with np.errstate(all="ignore"):
        reference = samples.as_tuple(operator(*inputs, backend="reference", **attributes))
        for got, standard in zip(samples.as_tuple(operator(*inputs, **attributes)), reference, strict=True):
            assert_alike_in_kind(got, standard)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu_at_infinity(dtype, approximate, backend):
    x = np.array([np.inf, -np.inf], FLOATS[dtype])
    arguments = {"approximate": approximate, "backend": backend}
    with np.errstate(all="ignore"):
        y = actgrad.gelu(x, **arguments).astype(np.float64)
        slope = actgrad.gelu_backward(np.ones_like(x), x, **arguments).astype(np.float64)
    np.testing.assert_array_equal(y, [np.inf, 0])
    np.testing.assert_array_equal(np.signbit(y), [False, True])
    np.testing.assert_array_equal(slope, [1, 0])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_selu_backward_where_the_result_is_zero(dtype, backend):
    zeros, ones = np.array([0.0, -0.0], FLOATS[dtype]), np.ones(2, FLOATS[dtype])
    positive = np.full(2, selu_scale()).astype(FLOATS[dtype])
    negative = np.full(2, selu_scale() * selu_alpha()).astype(FLOATS[dtype])
    np.testing.assert_array_equal(actgrad.selu_backward(ones, zeros, backend=backend), positive)
    if dtype == "float64":
        return  # no product computes it
    for chip, slope in (("Ascend910B", positive), ("Ascend950", negative)):
        with actgrad.product(chip):
            np.testing.assert_array_equal(actgrad.selu_backward(ones, zeros, backend=backend), slope)


@pytest.mark.parametrize("dtype", FLOATS)
def test_zeros_keep_their_sign(dtype):
    zeros = np.array([0.0, -0.0], FLOATS[dtype])
    for operator in (actgrad.elu, actgrad.selu, actgrad.leaky_relu, actgrad.gelu):
        for out in (None, np.empty(2), np.empty(2, np.float32), np.empty(2, np.float16)):
            result = operator(zeros, out=out)
            np.testing.assert_array_equal(np.signbit(result), [False, True], err_msg=f"{operator}, {result.dtype}")


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("beta", [0.0, -0.0])
@pytest.mark.parametrize("dtype", FLOATS)
def test_swish_without_slope_is_half_of_x(dtype, beta, backend):
    """The limits: 0 * infinity is 0 in the logistic function's argument."""
    x = np.array([np.inf, -np.inf, np.nan, 3.0], FLOATS[dtype])
    given = {"beta": beta, "backend": backend}
    np.testing.assert_array_equal(actgrad.swish(x, **given).astype(np.float64), [np.inf, -np.inf, np.nan, 1.5])
    slope = actgrad.swish_backward(np.ones_like(x), x, **given).astype(np.float64)
    np.testing.assert_array_equal(slope, [0.5, 0.5, np.nan, 0.5])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_documents_rules_move_kinks(backend):
    """By the documents an element at the bound, or equal to the threshold, is inside."""
    g, x = np.array([7, 8, 9], np.float32), np.array([1, -1, 1.5], np.float32)
    pair, threshold = np.array([[1, 0.5, 5, 5]], np.float32), np.float32([1])
    np.testing.assert_array_equal(actgrad.hardtanh_backward(g, x, backend=backend), [0, 0, 0])
    np.testing.assert_array_equal(actgrad.fatrelu_mul(pair, threshold, backend=backend), [[0, 0]])
    with actgrad.rules("document"):
        np.testing.assert_array_equal(actgrad.hardtanh_backward(g, x, backend=backend), [7, 8, 0])
        np.testing.assert_array_equal(actgrad.fatrelu_mul(pair, threshold, backend=backend), [[5, 0]])


@pytest.mark.parametrize(
    ("dtype", "x", "threshold", "passes"),
    [
        ("uint8", [0, 1, 200], -1.0, [1, 1, 1]),
        ("uint8", [0, 1, 200], 256.0, [0, 0, 0]),
        ("int8", [-128, -1, 127], 200.0, [0, 0, 0]),
        ("int8", [-2, -1, 0], -1.5, [0, 1, 1]),
        ("int32", [-2, -1, 0], -1.5, [0, 1, 1]),
        ("int32", [-128, -1, 2**31 - 1], 3e9, [0, 0, 0]),
        ("int64", [2**62 + 1, 0, -1], 0.0, [1, 0, 0]),
    ],
)
def test_the_gradient_of_threshold_of_integers_compares_with_a_float(dtype, x, threshold, passes):
    x = np.array(x, dtype)
    g = np.array([2**62 + 1 if dtype == "int64" else 5, 6, 7], dtype)
    np.testing.assert_array_equal(actgrad.threshold_backward(g, x, threshold=threshold), g * np.array(passes, dtype))


def test_threshold_of_integers_for_a_float_is_that_of_integers():
    out = np.full(2, np.nan, np.float32)
    actgrad.threshold(np.array([0, 5], np.int32), threshold=1, value=2.7, out=out)
    np.testing.assert_array_equal(out, [2, 5])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_no_element_is_beyond_a_threshold_of_nan(backend):
    nan, x = float("nan"), np.array([1, -1, 0, np.nan], np.float32)
    np.testing.assert_array_equal(actgrad.shrink(x, lambd=nan, bias=0.25, backend=backend), [0, 0, 0, np.nan])
    np.testing.assert_array_equal(actgrad.softshrink(x, lambd=nan, backend=backend), [0, 0, 0, np.nan])
    pair = np.array([[0.5, 0.5, np.nan, 2, -3, 2]], np.float32)
    for threshold in (np.float32([nan]), np.float32([[nan]])):
        np.testing.assert_array_equal(actgrad.fatrelu_mul(pair, threshold, backend=backend), [[0, 0, np.nan]])


def test_hardsigmoid_of_integers_has_its_attributes() -> None:
    x = np.array([-(2**31), -7, -3, -1, 0, 1, 2, 3, 4, 2**31 - 1], np.int32)
    for alpha, beta in ((1 / 6, 0.5), (0.16666666, 0.5), (1.0, 0.0), (0.2, 0.5), (-0.5, 0.25), (0.0, 1.5)):
        wanted = np.trunc(np.clip(alpha * x.astype(float) + beta + 1e-7, 0, 1))
        assert actgrad.hardsigmoid(x, alpha=alpha, beta=beta).tolist() == wanted.tolist()
        assert ir.HardSigmoid(x, alpha=alpha, beta=beta).tolist() == wanted.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_gradient_of_hardsigmoid_right_beside_its_kinks(dtype: Any) -> None:
    bound = dtype(3)
    inside, outside = np.nextafter(bound, dtype(0)), np.nextafter(bound, dtype(4))
    x = np.array([-outside, -bound, -inside, inside, bound, outside], dtype)
    found = actgrad.hardsigmoid_backward(np.full_like(x, 6), x, alpha=1 / 6, beta=0.5)
    np.testing.assert_allclose(found, [0, 0, 1, 1, 0, 0], rtol=1e-6)
