"""The measure of errors, ULP, and the values and attributes that `testing` offers."""

import numpy as np
import pytest
from ml_dtypes import finfo

import actgrad
from actgrad.judge import oracle
from actgrad.judge.golden import expected
from actgrad.judge.oracle import attribute_cases, special_values, ulp, ulp_errors
from tests.support import sample_values
from tests.support.accuracy_cases import FLOATS, HALVES


@pytest.mark.parametrize("dtype", FLOATS)
def test_rounding_is_half_a_ulp_at_most(dtype):
    rng = np.random.default_rng(7)
    exact = sample_values.samples(np.float64, 20_000, rng).astype(np.longdouble)
    with np.errstate(over="ignore", under="ignore"):
        nearest = exact.astype(FLOATS[dtype])
        errors = ulp_errors(nearest, exact)
    assert errors.max() <= 0.5 + 1e-3 * (dtype in HALVES)  # NumPy rounds these twice


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_next_number_is_one_ulp_away(dtype):
    numbers = np.sort(oracle.stratified(FLOATS[dtype], 5000, np.random.default_rng(8)))
    bits = numbers.view(f"i{numbers.itemsize}")
    away = (bits + 1).view(numbers.dtype)  # away from zero, whatever the sign
    exact = numbers.astype(np.longdouble)
    finite = np.isfinite(away.astype(np.float64))
    np.testing.assert_array_equal(ulp_errors(away, exact)[finite], 1)
    np.testing.assert_array_equal(ulp_errors(numbers, exact), 0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_measure_at_its_ends(dtype):
    limits = finfo(FLOATS[dtype])
    tiny, largest = (np.longdouble(float(v)) for v in (limits.smallest_subnormal, limits.max))
    step = ulp(largest, FLOATS[dtype])
    inf, nan = np.inf, np.nan
    table = [
        # got, exact, ULP
        (0, tiny / 4, 0.25),
        (float(tiny), tiny / 4, 0.75),
        (-float(tiny), tiny, 2),
        (-0.0, 0, 0),
        (inf, inf, 0),
        (inf, -inf, inf),
        (nan, nan, 0),
        (nan, 1, inf),
        (1, nan, inf),
        (float(largest), inf, inf),
        (inf, largest + step / 2, 0.5),
        (inf, largest + 0.75 * step, 0.25),
        (inf, largest * 4, 0),
        (inf, largest, 1),
        (float(largest), largest + step * 3, 3),
    ]
    got, exact, ulps = zip(*table, strict=True)
    errors = ulp_errors(np.array(got).astype(FLOATS[dtype]), np.array(exact, np.longdouble))
    np.testing.assert_array_equal(errors, ulps)


def test_ulp_of_float16():
    values = np.array([0, 2.0**-24, 2.0**-14, 0.999, 1, 1.5, 2, 65504, 1e9])
    powers = [-24, -24, -24, -11, -10, -10, -9, 5, 5]
    np.testing.assert_array_equal(ulp(values, np.float16), 2.0 ** np.array(powers))


def test_terms_that_cancel_are_judged_by_their_size():
    y = np.array([-1.2999999, -0.5, 3.0], np.float32)
    (expectation,) = expected(actgrad.elu_backward, (np.ones_like(y), y), {"alpha": 1.3, "is_result": True})
    np.testing.assert_array_equal(expectation.cancels, [True, False, False])
    np.testing.assert_allclose(expectation.size[:2].astype(float), 1.3, rtol=1e-6)
    off = expectation.values + 7 * 2.0**-24 * expectation.size
    assert not expectation.faults(off.astype(np.float32), ulps=4.5)[0]
    off = expectation.values + 9 * 2.0**-24 * expectation.size
    assert expectation.faults(off.astype(np.float32), ulps=4.5)[0]
    assert expectation.faults(off.astype(np.float32), ulps=4.5, terms=9.5).tolist() == [False, True, False]


def test_a_rounded_argument_of_exp_is_allowed_for_and_an_exact_one_is_not():
    x = np.array([-60.0], np.float32)
    for input_scale, slip in ((1.0, 0), (0.5, 0), (1.1, 66)):
        (expectation,) = expected(actgrad.elu_backward, (np.ones_like(x), x), {"input_scale": input_scale})
        assert float(expectation.argument_error[0] / expectation.values[0]) == pytest.approx(slip, rel=1e-5)


# What there is to try


def test_stratified_values_have_every_exponent_in_both_signs():
    for dtype in FLOATS.values():
        values = oracle.stratified(dtype, 100, np.random.default_rng(9))
        assert np.isfinite(values.astype(np.float64)).all()
        word = values.view(f"u{values.itemsize}") >> np.uint64(finfo(dtype).nmant).astype(f"u{values.itemsize}")
        _, counts = np.unique(word, return_counts=True)
        assert len(counts) == 2 * (2 ** (8 * values.itemsize - 1 - finfo(dtype).nmant) - 1)
        assert counts.min() == counts.max()


def test_special_values_are_what_their_name_says():
    for dtype in FLOATS.values():
        values = special_values(dtype).astype(np.float64)
        limits = finfo(dtype)
        for magnitude in (0, limits.smallest_subnormal, limits.smallest_normal, limits.max, np.inf):
            hits = values[np.abs(values) == float(magnitude)]
            assert np.signbit(hits).tolist() == [False, True]
        assert np.isnan(values).sum() == 1


def test_attribute_cases_of_elu_backward():
    found = attribute_cases(actgrad.elu_backward)
    assert actgrad.elu_backward.defaults in found
    assert {case["is_result"] for case in found} == {False, True}
    assert all(case["alpha"] >= 0 for case in found if case["is_result"])
    assert any(case["alpha"] < 0 for case in found)
    off = [case for case in found if case["alpha"] != 1]
    assert all(len({case["alpha"], case["scale"], case["input_scale"], 1.0}) == 4 for case in off)
    assert len(found) == 7


def test_a_sum_of_no_elements_is_0() -> None:
    x = np.ones((0, 3), np.float32)
    by_x, by_weight = expected(actgrad.prelu_backward, (x, x, np.ones(3, np.float32)), {})
    assert by_x.values.shape == (0, 3)
    assert by_weight.values.tolist() == [0, 0, 0]
