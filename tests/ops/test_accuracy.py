"""How exact every operator is: the CPU backend against the reference, measured in ULP."""

from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from ml_dtypes import finfo

import actgrad
from actgrad import samples
from actgrad.judge import golden
from actgrad.judge.exhaustive.resumption import has_sweep
from actgrad.judge.golden import expected
from actgrad.samples import attribute_cases
from tests.support import sample_values
from tests.support.accuracy_cases import FLOATS, HALVES, SINGLES, bounds, cases, int32_values, selu_alpha, selu_scale

pytestmark = pytest.mark.share(28)


def check(operator, attributes, inputs, x, *, bound=None, only=None):
    """Assert that every output is within its bounds, in the elements that `only` says per output; return the call.

    `x` is what the formula meets in each element.
    """
    actual = samples.as_tuple(operator(*inputs, **attributes))
    expectations = expected(operator, inputs, attributes)
    for number, (expectation, got) in enumerate(zip(expectations, actual, strict=True)):
        dtype = got.dtype if got.dtype == np.float32 else x.dtype  # of a scale, which may be float32 for halves
        faults = expectation.faults(got, *(bound or bounds(operator, dtype.name)))
        if only is not None:
            faults &= only[number]
        if faults.any():
            errors = np.where(faults, expectation.errors(got), 0).ravel()
            k = np.argmax(errors)
            pytest.fail(
                f"{np.count_nonzero(faults)} faults; the worst, {errors[k]:.3g} ULP, at x = {x[k % x.size]!r}: "
                f"{got.flat[k]!r} for {expectation.values.flat[k]!r}; "
                f"other inputs {[str(i[k % i.size]) for i in inputs[:-1]]}"
            )
    return expectations


def check_all(operator, attributes, x):
    """Assert the bounds at each x, with the other inputs 1 and with random ones."""
    alone = check(operator, attributes, samples.tensors(operator, attributes, x), x)
    # A number among the subnormals has fewer digits, and a large grad_output would bring that to light.
    only = [expectation.is_normal for expectation in alone]
    inputs = samples.tensors(operator, attributes, x, np.random.default_rng(2))
    check(operator, attributes, inputs, x, only=only)
    if "gelu" in [a.name for a in operator.schema.tensors]:
        with np.errstate(all="ignore"):
            _, activated = operator.gradient_of(inputs[1], backend="reference", **attributes)
        check(operator, attributes, (*inputs, activated), x, only=only)


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(HALVES)))
def test_all_65536_inputs(operator, attributes, dtype):
    check_all(operator, attributes, np.random.default_rng(1).permutation(sample_values.every_value(FLOATS[dtype])))


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(SINGLES)))
def test_all_exponents(operator, attributes, dtype):
    check_all(operator, attributes, sample_values.samples(FLOATS[dtype], 60_000, np.random.default_rng(1)))


# Where it is hard


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize(
    ("dtype", "start", "stop"),
    [("float32", -15, -4), ("float32", -1.5, -0.4), ("float64", -40, -4), ("float64", -1.5, -0.4)],
)
def test_gelu_in_its_negative_tail_and_at_the_zero_of_its_derivative(approximate, dtype, start, stop):
    x = np.linspace(start, stop, 100_001).astype(dtype)
    attributes = {"approximate": approximate}
    check(actgrad.gelu, attributes, (x,), x)
    check(actgrad.gelu_backward, attributes, (np.ones_like(x), x), x)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_derivative_is_within_3e_7_absolutely(approximate):
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [np.linspace(-15, 15, 300_001, dtype=np.float32), sample_values.samples(np.float32, 50_000, rng)]
    )
    inputs, attributes = (np.ones_like(x), x), {"approximate": approximate}
    got = actgrad.gelu_backward(*inputs, **attributes).astype(np.float64)
    (exact,) = golden.exact(actgrad.gelu_backward, inputs, attributes)
    assert np.nanmax(np.abs(got - exact)) <= 3e-7


@pytest.mark.parametrize("operator", [actgrad.elu, actgrad.selu], ids=str)
@pytest.mark.parametrize("dtype", SINGLES)
def test_elu_keeps_its_digits_near_zero(operator, dtype):
    magnitudes = np.geomspace(1e-30, 0.5, 100_000)
    x = np.concatenate([-magnitudes, magnitudes]).astype(dtype)
    check(operator, {}, (x,), x, bound=(2, 0))


@pytest.mark.parametrize("dtype", SINGLES)
def test_exp_in_the_tail_of_elu_down_to_the_last_subnormal(dtype):
    end = {"float32": -105, "float64": -750}[dtype]
    x = np.linspace(end, 0.8 * end, 50_001).astype(dtype)
    (expectation,) = check(actgrad.elu_backward, {}, (np.ones_like(x), x), x)
    assert 0 < expectation.values.min() / finfo(dtype).smallest_subnormal < 0.5, "the sample ends too early"


# Integers


@pytest.mark.needs("ascend")
def test_selu_backward_on_all_pairs_of_int8():
    values = np.arange(-128, 128, dtype=np.int8)
    grad_output, result = (a.ravel().copy() for a in np.meshgrid(values, values))
    for chip in (None, "Ascend910B", "Ascend950"):
        with actgrad.product(chip) if chip else actgrad.rules("operator"):
            got = actgrad.selu_backward(grad_output, result)
            np.testing.assert_array_equal(got, actgrad.selu_backward(grad_output, result, backend="reference"))
            is_positive = result > 0 if chip == "Ascend950" else result >= 0
            slope = np.where(is_positive, selu_scale(), result + selu_scale() * selu_alpha())
            np.testing.assert_array_equal(got, np.clip(np.rint(grad_output * slope), -128, 127))


def test_selu_on_integers():
    for x in (np.arange(-128, 128, dtype=np.int8), int32_values()):
        got = actgrad.selu(x)
        np.testing.assert_array_equal(got, actgrad.selu(x, backend="reference"))
        limits = np.iinfo(x.dtype)
        with np.errstate(over="ignore"):
            exact = selu_scale() * np.where(x > 0, x, selu_alpha() * np.expm1(np.minimum(x, 0).astype(np.float64)))
        np.testing.assert_array_equal(got, np.clip(np.rint(exact), limits.min, limits.max))


def test_selu_backward_on_int32():
    grad_output, result = (a.ravel().copy() for a in np.meshgrid(int32_values(), int32_values()))
    got = actgrad.selu_backward(grad_output, result)
    np.testing.assert_array_equal(got, actgrad.selu_backward(grad_output, result, backend="reference"))
    assert got.max() == 2**31 - 1
    assert got.min() == -(2**31)


def test_mpmath_confirms_the_exact_values():
    """The reference's own arithmetic, which everything above rests on, against 50 digits."""
    x = np.array([-35.0, -9.0, -2.6, -2.4, -0.7, 0.3, 2.6, 9.0])
    with mp.workdps(50):
        for operator, function in (
            (actgrad.gelu, lambda t: t * mp.ncdf(t)),
            (actgrad.gelu_backward, lambda t: mp.ncdf(t) + t * mp.npdf(t)),
        ):
            (exact,) = golden.exact(operator, samples.tensors(operator, operator.defaults, x), {})
            for value, t in zip(exact, x, strict=True):
                standard = function(mp.mpf(t))
                got = mp.mpf(float(value)) + mp.mpf(float(value - np.longdouble(float(value))))
                assert abs(got / standard - 1) < 2.0**-57


def test_the_document_has_a_row_for_every_case():
    lines = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ")[:2] for line in lines if line.startswith("| ")]
    for operator in actgrad.operators.values():
        if not has_sweep(operator):  # docs/rows.md has rows; quantised outputs have no errors in ULP
            continue
        for attributes in attribute_cases(operator):
            words = ", ".join(f"{name}={value}" for name, value in attributes.items() if name != "dim")
            assert [f"| {operator.name}", words] in rows
