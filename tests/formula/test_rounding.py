"""The reference's rounding, and that the CPU backend rounds alike."""

from fractions import Fraction

import numpy as np
import pytest
from ml_dtypes import finfo

import actgrad
from actgrad import samples
from actgrad.backends.reference import rounded
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import golden
from actgrad.judge.golden import expected
from actgrad.judge.oracle import attribute_cases, ulp
from tests.support import sample_values
from tests.support.accuracy_cases import FLOATS, HALVES, SINGLES, around_ties, assert_rounded_once


def test_the_reference_rounds_integers_to_nearest_even_and_saturates():
    # SELU of integers never meets a tie, so this is tested on the rounding alone.
    numbers = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, -128.5, 1e9, -1e9, np.inf, np.nan])
    np.testing.assert_array_equal(
        rounded(numbers, BY_NAME["int8"]), [0, 2, 2, 0, -2, -2, 126, 127, -128, 127, -128, 127, 0]
    )


@pytest.mark.parametrize("precision", [np.float64, np.longdouble])
@pytest.mark.parametrize("dtype", HALVES)
def test_the_reference_rounds_once(dtype, precision):
    """Ties and what lies just beside them, against exact fractions."""
    with np.errstate(invalid="ignore"):  # signalling NaNs
        numbers = sample_values.every_value(FLOATS[dtype]).astype(precision)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    middles = (numbers[1:] + numbers[:-1]) / 2
    near = [middles * (1 + s * precision(2.0) ** -e) for s in (1, -1) for e in (30, 40, 52)]
    values = np.concatenate([middles, *near, numbers, [precision(0)]])
    got = rounded(values, BY_NAME[dtype]).astype(precision)
    below = np.clip(np.searchsorted(numbers, values, side="right") - 1, 0, len(numbers) - 2)
    for value, result, k in list(zip(values, got, below, strict=True))[::97]:
        low, high = Fraction(float(numbers[k])), Fraction(float(numbers[k + 1]))
        value = fraction(value)
        if value - low == high - value:
            nearest = high if is_odd(numbers[k].astype(FLOATS[dtype])) else low
        else:
            nearest = low if value - low < high - value else high
        assert Fraction(float(result)) == nearest, f"{float(value)} gave {result}, not {float(nearest)}"


def fraction(value):
    """A float64 or longdouble number, exactly."""
    high = float(value)
    return Fraction(high) + Fraction(float(value - high))


def is_odd(number):
    """Whether the last bit of a 16-bit number is set."""
    return bool(np.asarray(number).view(np.uint16) & 1)


@pytest.mark.parametrize("source", SINGLES)
@pytest.mark.parametrize("dtype", HALVES)
def test_the_cpu_backend_rounds_as_the_reference_does(dtype, source):
    """Ties, what lies just beside them, and what overflows; leaky ReLU with slope 1 changes nothing else."""
    values = around_ties(dtype, source)
    out = np.empty(values.shape, FLOATS[dtype])
    actgrad.leaky_relu(values, negative_slope=1, out=out)
    assert_rounded_once(values, out)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_reference_rounds_beyond_the_largest_number_to_infinity(dtype):
    largest = np.longdouble(float(finfo(FLOATS[dtype]).max))
    threshold = largest + ulp(largest, dtype=FLOATS[dtype]) / 2
    values = np.array([largest, np.nextafter(threshold, 0), threshold, 2 * largest], np.longdouble)
    with np.errstate(over="ignore"):
        got = rounded(values, BY_NAME[dtype]).astype(np.longdouble)
    np.testing.assert_array_equal(got, [largest, largest, np.inf, np.inf])


def test_exact_values_are_what_the_reference_rounds():
    rng = np.random.default_rng(4)
    for operator in actgrad.operators.values():
        for attributes in attribute_cases(operator):
            inputs = samples.tensors(operator, attributes, rng.uniform(-5, 5, 64).astype(np.float32), rng)
            results = samples.as_tuple(operator(*inputs, backend="reference", **attributes))
            for exact, result in zip(golden.exact(operator, inputs, attributes), results, strict=True):
                np.testing.assert_array_equal(rounded(exact, BY_NAME[result.dtype.name]), result)


def test_exact_values_of_gated_operators_follow_the_memory_order_of_the_result():
    rng = np.random.default_rng(5)
    packed = rng.standard_normal((3, 8, 5)).astype(np.float32).transpose(2, 0, 1)
    attributes = {"dim": 2, "activate_left": True}
    grad_output = rng.standard_normal((5, 3, 4)).astype(np.float32)
    (exact,) = golden.exact(actgrad.geglu_backward, (grad_output, packed), attributes)
    got = actgrad.geglu_backward(grad_output, packed, **attributes)
    np.testing.assert_allclose(got, exact.astype(np.float64), rtol=1e-5)


def test_out_may_have_another_dtype_and_is_rounded_once():
    x = sample_values.samples(np.float32, 20_000, np.random.default_rng(6))
    inputs = (np.ones_like(x), x)
    for dtype in FLOATS.values():
        out = np.empty(x.shape, dtype)
        actgrad.elu_backward(*inputs, alpha=1.3, out=out)
        (expectation,) = expected(actgrad.elu_backward, inputs, {"alpha": 1.3}, dtype)
        ulps = 1 if np.dtype(dtype).itemsize == 2 else 4.5
        assert not expectation.faults(out, ulps).any()
