"""Attributes that are all 1, as ELU's are by default, have an inner loop of their own, which takes less time."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from ml_dtypes import finfo

import actgrad
from actgrad import samples
from actgrad.backends.cpu import engine, jit, target
from actgrad.backends.cpu.kernel_spec import KernelSpec
from actgrad.base.dtypes import BY_NAME
from tests.support import sample_values
from tests.support.calls import OPERATORS, by_kernel_of, ids, inputs, supported


def scalars(operator: actgrad.Operator) -> list[str]:
    return [a.name for a in operator.schema.attributes if a.type == "Scalar"]


def cases_of_one(operator: actgrad.Operator) -> list[dict[str, Any]]:
    """The attributes to try, with each scalar 1."""
    cases = [{**case, **dict.fromkeys(scalars(operator), 1.0)} for case in samples.attribute_cases(operator)]
    return [case for k, case in enumerate(cases) if case not in cases[:k]]


WITH_SCALARS = [operator for operator in OPERATORS if scalars(operator)]
CALLS = [(operator, attributes) for operator in WITH_SCALARS for attributes in cases_of_one(operator)]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[KernelSpec]:
    """The specifications of the kernels that are made during the test."""
    made, inner_loop_code = [], jit.inner_loop_code

    def recorded(spec: KernelSpec, target: target.Target) -> jit.InnerLoopCode:
        made.append(spec)
        return inner_loop_code(spec, target)

    monkeypatch.setattr(jit, "inner_loop_code", recorded)
    return made


def nans(dtype: np.dtype[Any]) -> np.ndarray:
    """NaNs of both signs, quiet and signalling, with the least and the largest payloads."""
    word = np.dtype(f"u{dtype.itemsize}")
    infinity, sign = int(np.array(np.inf, dtype).view(word)), 1 << (8 * dtype.itemsize - 1)
    quiet = infinity >> 1 & ~infinity  # the bit below the exponent
    positive = [infinity + payload for payload in (1, quiet - 1, quiet, quiet + 1, 2 * quiet - 1)]
    return np.array([*positive, *(sign + bits for bits in positive)], word).view(dtype)


def tensors(operator: actgrad.Operator, dtype: str) -> list[np.ndarray]:
    """For a call: each special value beside each other one, then random ones; of a half-precision x all that are."""
    numpy = BY_NAME[dtype].numpy
    special = np.concatenate([samples.special_values(numpy), nans(numpy)])
    arrays = list(inputs(np.random.default_rng(5), operator, (1 << 16,), dtype).values())
    for k, array in enumerate(arrays):
        pairs = np.repeat(special, len(special)) if k % 2 else np.tile(special, len(special))
        array[: pairs.size] = pairs
    if numpy.itemsize == 2:
        arrays[-1][...] = np.random.default_rng(6).permutation(sample_values.every_value(numpy))
    return arrays


def bits(results: tuple[np.ndarray, ...]) -> list[bytes]:
    return [result.tobytes() for result in results]


def assert_nearly_same(ours: list[bytes], others: list[bytes], dtype: str) -> None:
    """The same signs of zeros and the same NaNs, and numbers some units apart; one, of half-precision numbers."""
    numpy = BY_NAME[dtype].numpy
    for a, b in zip(ours, others, strict=True):
        x, y = (np.frombuffer(data, numpy).astype(np.float64) for data in (a, b))
        units = 1 if numpy.itemsize == 2 else 4
        np.testing.assert_allclose(x, y, rtol=units * float(finfo(numpy).eps), atol=0)
        np.testing.assert_array_equal(np.signbit(x), np.signbit(y))


@pytest.mark.parametrize(("operator", "attributes"), CALLS, ids=lambda v: getattr(v, "name", None))
def test_results_as_of_any_scalars(
    operator: actgrad.Operator, attributes: dict[str, Any], made: list[KernelSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    for dtype in supported(operator):
        whole = tensors(operator, dtype)
        for length in (*range(1, 70), whole[0].size - 5):
            part = [array[:length] for array in whole]
            ours = bits(by_kernel_of(engine, operator, *part, **attributes)[1])
            with monkeypatch.context() as patch:
                patch.setattr(engine, "_are_one", lambda scalars: False)
                general = bits(by_kernel_of(engine, operator, *part, **attributes)[1])
            assert [spec.scalars_are_one for spec in made[-2:]] == [True, False]
            if operator is actgrad.elu:  # of whose scalars the sign is known then, see expm1
                assert_nearly_same(ours, general, dtype)
            else:
                assert ours == general, (dtype, length)


@pytest.mark.parametrize("operator", WITH_SCALARS, ids=ids)
def test_only_where_all_are_one(operator: actgrad.Operator, made: list[KernelSpec]) -> None:
    ones = cases_of_one(operator)[0]
    arrays = list(inputs(np.random.default_rng(7), operator, (40,)).values())
    by_kernel_of(engine, operator, *arrays, **ones)
    assert made[-1].scalars_are_one
    for name in scalars(operator):
        for other in (0.0, 0.5, np.nextafter(np.float32(1), np.float32(2)), 2.0, np.inf, np.nan):
            by_kernel_of(engine, operator, *arrays, **{**ones, name: float(other)})
            assert not made[-1].scalars_are_one
    assert len({spec for spec in made if not spec.scalars_are_one}) == 1  # which serves them all


def test_not_without_scalars(made: list[KernelSpec]) -> None:
    by_kernel_of(engine, actgrad.gelu, np.ones(40, np.float32))
    assert [spec.scalars_are_one for spec in made] == [False]


PRODUCTS = {"elu": 3, "elu_backward": 2, "leaky_relu": 1, "leaky_relu_backward": 1}  # with a scalar, per vector


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_with_one_are_dropped(name: str, made: list[KernelSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    operator = actgrad.operators[name]
    arrays = list(inputs(np.random.default_rng(8), operator, (40,)).values())
    by_kernel_of(engine, operator, *arrays, **cases_of_one(operator)[0])
    monkeypatch.setattr(engine, "_are_one", lambda scalars: False)
    by_kernel_of(engine, operator, *arrays, **cases_of_one(operator)[0])
    avx512 = target.find("avx512")
    ones, general = (multiplications(jit.assembly(spec, avx512)) for spec in made)
    copies = avx512.tuning.unroll + 1  # of the formula: in the main loop, and in the remainder
    assert general - ones >= PRODUCTS[name] * copies


def multiplications(text: str) -> int:
    """How many of them, fused ones included, are in `row`."""
    return len(re.findall(r"\tv(?:mul|fn?m(?:add|sub)\d+)ps\t.*%zmm", text))
