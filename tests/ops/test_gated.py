"""Gated tensors: which half is which, and GELU given or recomputed."""

from __future__ import annotations

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.base.dtypes import BY_NAME
from actgrad.judge.exhaustive import resumption
from tests.support.calls import doubled, random_values, same_bits

PRECISION = {"float32": 1e-6, "float16": 2**-10, "bfloat16": 2**-7, "float64": 1e-13}


@pytest.mark.parametrize("activate_left", [False, True])
@pytest.mark.parametrize("dim", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("dtype", PRECISION)
def test_geglu_halves(dtype: str, dim: int, activate_left: bool) -> None:
    """GeGLU along every dimension is GELU of one half times the other; its gradients lie where the halves lay."""
    rng, shape = np.random.default_rng(6), (5, 7, 9)
    numpy = BY_NAME[dtype].numpy
    self, grad = (rng.standard_normal(s).astype(numpy) for s in (doubled(shape, dim), shape))
    lower, upper = np.split(self, 2, axis=dim)
    active, other = (lower, upper) if activate_left else (upper, lower)
    close = {"rtol": PRECISION[dtype], "atol": PRECISION[dtype]}
    wide = [np.asarray(a, np.float64) for a in (grad, active, other)]

    out, gelu = actgrad.geglu(self, dim=dim, activate_left=activate_left)
    assert same_bits(gelu, actgrad.gelu(active))
    np.testing.assert_allclose(np.float64(out), actgrad.gelu(wide[1]) * wide[2], **close)

    of_active, of_other = actgrad.gelu_backward(*wide[:2]) * wide[2], wide[0] * actgrad.gelu(wide[1])
    wanted = np.concatenate([of_active, of_other] if activate_left else [of_other, of_active], axis=dim)
    for activated in (gelu, None):
        got = actgrad.geglu_backward(grad, self, activated, dim=dim, activate_left=activate_left)
        np.testing.assert_allclose(np.float64(got), wanted, **close)


def test_gelu_given_is_used() -> None:
    grad, self = np.ones(40, np.float32), np.ones(80, np.float32)
    marked = np.arange(40, dtype=np.float32)
    assert same_bits(actgrad.geglu_backward(grad, self, marked)[:40], marked)
    assert same_bits(actgrad.geglu_backward(grad, self, marked, activate_left=True)[40:], marked)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_recomputed_is_gelu_given(approximate: str) -> None:
    rng = np.random.default_rng(7)
    self, grad = random_values(rng, (33, 80), "float32"), random_values(rng, (33, 40), "float32")
    _, gelu = actgrad.geglu(self, approximate=approximate)
    given = actgrad.geglu_backward(grad, self, gelu, approximate=approximate)
    assert same_bits(given, actgrad.geglu_backward(grad, self, approximate=approximate))


@pytest.mark.parametrize("name", [o.name for o in actgrad.operators.values() if o.part_of is not None])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_part_is_bit_for_bit_the_first_result(name: str, dtype: str) -> None:
    operator = actgrad.operators[name]
    whole = operator.part_of
    assert whole is not None, "chosen for it"
    packed = np.random.default_rng(0).standard_normal((6, 64, 4)).astype(BY_NAME[dtype].numpy)
    for attributes in samples.attribute_cases(operator):
        for dim in (-1, 1):
            result = operator(packed, **{**attributes, "dim": dim})
            first, *_ = whole(packed, **{**attributes, "dim": dim})
            np.testing.assert_array_equal(result.view(np.uint8), first.view(np.uint8))
    asked = ([operator, whole], [operator])
    both, alone = ([item.operator for item in resumption.items(operators, ["float32"], 1)] for operators in asked)
    assert operator not in both, "it is swept with the whole"
    assert operator in alone
