"""The accurate functions as machine code: on this processor, in rows, of attributes, and far from 0."""

import math

import numpy as np
import pytest

import actgrad
from actgrad.backends.cpu import engine
from actgrad.backends.cpu.target import host
from tests.formula.test_accurate import IN_PIECES, function, samples
from tests.support import function_formulas


def by_machine_code(formula, x, *scalars):
    """A formula of x and attributes, compiled."""
    got = np.full_like(x, np.inf)
    plan = actgrad.gelu.plan(x, out=got, backend="cpu")
    kernel = engine.prepare(plan.computation._replace(formulas=(formula,), scalars=scalars))
    kernel.run(*plan.addresses)
    return got


@pytest.mark.skipif(not host().tuning.piecewise, reason="this processor has no piecewise polynomials")
@pytest.mark.share(3)
@pytest.mark.parametrize("name", IN_PIECES["memory"])
def test_pieces_on_this_processor_bit_for_bit(name):
    """Vectors that are all near 0, and vectors with other numbers among them."""
    x = samples(name, np.float32)
    near = x[np.abs(x) < 5]
    x = np.concatenate([near, np.random.default_rng(7).permutation(x)])
    got = by_machine_code(getattr(function_formulas, f"of_{name}"), x)
    wanted = function(name, np.float32, fused=True, tables=host().tuning.piecewise)(x)
    np.testing.assert_array_equal(got.view(np.int32), wanted.view(np.int32))


def test_a_formula_of_two_numbers():
    """Each finds the pieces of its own."""
    x = np.random.default_rng(10).normal(0, 3, 700).astype(np.float32)
    got = by_machine_code(function_formulas.of_normal_cdf_of_two_numbers, x)
    wanted = [math.erfc(-v / math.sqrt(2)) * math.erfc(-v / math.sqrt(8)) / 4 for v in x.tolist()]
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_rows_of_any_length(approximate):
    """Elements are looked at in blocks of 256, in vectors and one by one at the end: that is seen in no result."""
    x = np.random.default_rng(8).normal(0, 4, 1100).astype(np.float32)
    x[::97] *= 10
    whole = actgrad.gelu_backward(x[::-1].copy(), x, approximate=approximate, backend="cpu")
    for count in (1, 7, 8, 9, 17, 255, 256, 257, 272, 287, 511, 512, 513, 769, 1023):
        for first in (0, 3):
            part = slice(first, first + count)
            got = actgrad.gelu_backward(x[::-1][part].copy(), x[part].copy(), approximate=approximate, backend="cpu")
            np.testing.assert_array_equal(got.view(np.int32), whole[part].view(np.int32))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_nans_of_all_bits_lead_to_no_other_rows(approximate):
    """Whatever its bits, a NaN among numbers gives NaN, and nothing beside it changes."""
    rng = np.random.default_rng(9)
    x = rng.normal(0, 2, 4096).astype(np.float32)
    wanted = actgrad.gelu(x, approximate=approximate, backend="cpu")
    is_nan = rng.random(x.size) < 0.3
    bits = rng.integers(0x7F800001, 0x80000000, x.size, np.uint32) | rng.integers(0, 2, x.size, np.uint32) << 31
    got = actgrad.gelu(
        np.where(is_nan, bits, x.view(np.uint32)).view(np.float32), approximate=approximate, backend="cpu"
    )
    assert np.isnan(got[is_nan]).all()
    np.testing.assert_array_equal(got[~is_nan].view(np.int32), wanted[~is_nan].view(np.int32))


@pytest.mark.parametrize("alpha", [0.5, -7.0])
def test_function_of_an_attribute(alpha):
    """An attribute is the same in all lanes, and may be a rare number."""
    x = np.linspace(-9, 9, 101, dtype=np.float32)
    got = by_machine_code(function_formulas.of_normal_cdf_of_attribute, x, alpha)
    np.testing.assert_allclose(got, x * (math.erfc(-alpha / math.sqrt(2)) / 2), rtol=1e-6)


def test_function_of_an_attribute_that_is_nan():
    x = np.linspace(-9, 9, 101, dtype=np.float32)
    assert np.isnan(by_machine_code(function_formulas.of_expm1_of_attribute, x, math.nan)).all()
    np.testing.assert_allclose(by_machine_code(function_formulas.of_expm1_of_attribute, x, 0.5), x * math.expm1(0.5))


def test_sigmoid_cubic_far_from_0():
    """Where the cubic term is small the linear one may leave exp's range first."""
    x = np.array([-np.inf, -1e9, -1000, -50, 50, 1000, 1e9, np.inf], np.float32)
    got = by_machine_code(function_formulas.of_nearly_linear_sigmoid, x)
    np.testing.assert_allclose(got, [0, 0, 0, 1 / (1 + math.exp(50.125)), 1, 1, 1, 1], rtol=1e-6)
