"""Calls that version 0.3 refused for a rule of CANN's, also without a product: they are computed now.

docs/upgrade-0.4.md has the table of these calls.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.base.dtypes import BY_NAME, promote
from actgrad.checks.docstrings import ExampleCall
from tests.support.calls import EVERY, ids, same_bits


def example(operator: actgrad.Operator) -> tuple[dict[str, np.ndarray | None], dict[str, Any]]:
    """The required tensors of a small call in float32, with numbers of both signs, and its attributes."""
    sample, rng = ExampleCall(operator.definition), np.random.default_rng(17)
    tensors = {
        argument.name: rng.standard_normal(sample.shapes[argument.name]).astype(np.float32)
        if argument.name in sample.shapes
        else None
        for argument in operator.schema.tensors
    }
    for name, tensor in tensors.items():
        if tensor is not None and (stated := operator.definition.dtypes_of(name)):
            tensors[name] = abs(tensor * 40).astype(BY_NAME[stated[0]].numpy)
    return tensors, sample.attributes


def with_free_outputs() -> list[actgrad.Operator]:
    """The operators whose first output may have any dtype that the result converts to."""
    return [operator for operator in EVERY if not operator.definition.dtypes_of(operator.schema.outputs[0])]


@pytest.mark.parametrize("operator", with_free_outputs(), ids=ids)
def test_an_output_of_another_dtype(operator: actgrad.Operator) -> None:
    """The result is rounded once: float32 results, converted. Complex outputs have the imaginary part 0.

    tests/checks/test_conversion.py has the same of compiled kernels.
    """
    tensors, attributes = example(operator)
    attributes["backend"] = "reference"
    results = samples.as_tuple(operator(*tensors.values(), **attributes))

    def computed(dtype: str) -> np.ndarray:
        outs = [np.zeros(r.shape, BY_NAME[dtype].numpy if k == 0 else r.dtype) for k, r in enumerate(results)]
        operator(*tensors.values(), **attributes, out=outs[0] if len(outs) == 1 else tuple(outs))
        assert all(same_bits(own, other) for own, other in zip(outs[1:], results[1:], strict=True))
        return outs[0]

    single, double = results[0], computed("float64")
    np.testing.assert_allclose(single, double, rtol=3e-7, atol=1e-7)
    for dtype, exact in (("float16", single), ("bfloat16", single), ("complex64", single), ("complex128", double)):
        assert same_bits(computed(dtype), exact.astype(BY_NAME[dtype].numpy))


def promoting() -> list[Any]:
    """Each further tensor of an operator that promotes, with each dtype that it may have beside float32."""
    pairs = []
    for operator in EVERY:
        _, *rest = (a.name for a in operator.schema.tensors if not a.is_optional)
        names = [name for name in rest if operator.broadcasts and not operator.definition.dtypes_of(name)]
        for name in names:
            for row in BY_NAME.values():
                common = promote(BY_NAME["float32"], row)
                is_taken = common is not None and common.name in operator.input_dtypes
                if is_taken and row.kind != "complex" and row.name != "float32":
                    pairs.append(pytest.param(operator, name, row.name, id=f"{operator.name}-{name}-{row.name}"))
    return pairs


@pytest.mark.parametrize(("operator", "name", "dtype"), promoting())
@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.share(4)
def test_a_tensor_of_another_dtype(operator: actgrad.Operator, name: str, dtype: str, backend: str) -> None:
    """It is promoted with the others: the result is that of the converted tensor, up to a rounding of one ULP."""
    tensors, attributes = example(operator)
    row, common = BY_NAME[dtype], promote(BY_NAME["float32"], BY_NAME[dtype])
    assert common is not None
    values = tensors[name]
    assert values is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        tensors[name] = (abs(values) * 9 if row.kind == "uint" else values * 9).astype(row.numpy)
    got = samples.as_tuple(operator(*tensors.values(), **attributes, backend=backend))
    converted = {key: None if each is None else each.astype(common.numpy) for key, each in tensors.items()}
    wanted = samples.as_tuple(operator(*converted.values(), **attributes, backend=backend))
    for own, other in zip(got, wanted, strict=True):
        assert own.dtype == other.dtype
        np.testing.assert_allclose(own.astype(np.float64), other.astype(np.float64), rtol=2e-7, atol=1e-7)
