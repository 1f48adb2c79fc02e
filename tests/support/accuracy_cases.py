"""What the tests of accuracy go through, and how far off a result may be."""

from itertools import islice, product

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.backends.reference import rounded
from actgrad.base.access import join
from actgrad.base.dtypes import BY_NAME
from actgrad.samples import attribute_cases
from tests.support import sample_values

HALVES = {"float16": np.float16, "bfloat16": bfloat16}
SINGLES = {"float32": np.float32, "float64": np.float64}
FLOATS = HALVES | SINGLES

#: ULP that an operator may be off by in float32 and float64. Where terms cancel: units of the larger term.
ULPS = {"elu": 4.5, "selu": 4.5, "leaky_relu": 4.5, "gelu": 12, "geglu": 12}
ULPS |= {"celu": 4, "erfinv": 4, "glu": 6, "logsigmoid": 4, "mish": 8, "softplus": 4, "squared_relu": 1}
ULPS |= {"fast_gelu": 16}  # float32 rounds 1.702, which the exponent magnifies
DOUBLE_ULPS = ULPS | {"elu": 4, "selu": 4, "leaky_relu": 4}
TERMS = {"gelu": 16, "geglu": 16}


def bounds(operator, dtype):
    """The (ULP, units of cancelling terms) that an operator may be off by."""
    family = operator.name.removesuffix("_backward")
    if dtype in HALVES:
        return 0.51, 8  # 1 would do for the contract, but computing in float32 and rounding once gives this
    return (ULPS if dtype == "float32" else DOUBLE_ULPS).get(family, 12), TERMS.get(family, 8)


def cases(dtypes):
    for operator in actgrad.operators.values():
        allowed = [dtype for dtype in dtypes if dtype in operator.input_dtypes]
        for attributes, dtype in product(attribute_cases(operator), allowed):
            words = [operator.name, dtype, *(f"{name}={value}" for name, value in attributes.items())]
            yield pytest.param(operator, attributes, dtype, id="-".join(words))


def meetings(operator, dtype):
    """Inputs in which zeros, infinities, NaN and numbers of both signs meet in all combinations."""
    values = np.array([0.0, 0.5, 1.5, np.inf, -0.0, -0.5, -1.5, -np.inf, np.nan], FLOATS[dtype])
    required = [a for a in operator.schema.tensors if not a.is_optional]
    if operator.access.has_bits:
        byte = np.arange(0, 256, 3, dtype=np.uint8)
        return [np.resize(values, 8 * byte.size), byte][: len(required)]
    if operator.access.is_packed:
        return gated_meetings(operator, values, [a.name for a in required])
    inputs = [a.ravel() for a in np.meshgrid(*[values] * len(required))]
    if not all(map(operator.access.brings_elements, operator.schema.tensor_names)):  # the last one
        return [*(one[None] for one in inputs[:-1]), inputs[-1]]
    return inputs


def gated_meetings(operator, values, names):
    """The same for tensors of which some are packed. A tensor that brings no elements has the value 0.75."""
    access, attributes = operator.access, operator.defaults
    counts = {name: access.part_count(name) for name in names if access.brings_elements(name)}
    parts = iter([a.ravel() for a in np.meshgrid(*[values] * sum(counts.values()))])
    shape = (len(values) ** sum(counts.values()),)
    return [
        join(access, name, [*islice(parts, counts[name])], attributes, np.concatenate)
        if name in counts
        else np.full(access.whole_shape(name, shape, attributes), 0.75, values.dtype)
        for name in names
    ]


def assert_alike_in_kind(got, standard):
    """Assert that results are NaN, infinite and negative where the standard is."""
    got, standard = got.astype(np.float64), standard.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(standard))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(standard))
    numbers = ~np.isnan(standard)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(standard[numbers]))


def around_ties(dtype, source):
    """In dtype `source`, all numbers of a 16-bit dtype, the ties between them, and the numbers just beside these."""
    with np.errstate(invalid="ignore", over="ignore"):  # signalling NaNs; beyond the largest float32
        numbers = np.sort(sample_values.every_value(FLOATS[dtype]).astype(source))
        ties = (numbers[1:] / 2 + numbers[:-1] / 2).astype(source)
        return np.concatenate([numbers, ties, np.nextafter(ties, ties * 2), np.nextafter(ties, ties / 2)])


def assert_rounded_once(values, out):
    """Assert that `out` is what the reference rounds `values` to, bit for bit but for NaN."""
    with np.errstate(all="ignore"):
        standard, number = rounded(values, BY_NAME[out.dtype.name]), ~np.isnan(values)
        np.testing.assert_array_equal(np.isnan(out.astype(np.float64)), ~number)
    np.testing.assert_array_equal(out[number].view(np.uint16), standard[number].view(np.uint16))


def int32_values():
    """Extremes, what saturates and what just does not, what float32 cannot hold, and small numbers."""
    edge = int((2**31 - 1) / selu_scale())
    positive = [*range(40), 2**24 + 1, 2**30 + 3, 123_456_789, edge - 1, edge, edge + 1, 2**31 - 2, 2**31 - 1]
    return np.array([s * v for v in positive for s in (1, -1)] + [-(2**31)], np.int32)


def selu_alpha():
    return 1.6732632423543772848170429916717


def selu_scale():
    return 1.0507009873554804934193349852946
