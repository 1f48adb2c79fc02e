"""A call on contiguous tensors of a new shape takes over the kernel of an earlier one: it is as if prepared anew."""

from __future__ import annotations

import numpy as np
import pytest

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.base.loop import TensorMeta, row_major
from actgrad.calls import prepare
from actgrad.calls.plan import Prepared
from tests.support.calls import off_defaults

pytestmark = pytest.mark.share(16)

UNIFORM = [name for name, operator in actgrad.operators.items() if operator.access.is_uniform]
SHAPES = [(7,), (1, 5, 1), (2, 3, 4, 5), (1 << 13, 1 << 13)]


def _prepared(operator: actgrad.Operator, dtype: str, shape: tuple[int, ...], has_outputs: bool) -> Prepared:
    """The call on contiguous tensors, which need no memory here. Integers take the default attributes."""
    meta = TensorMeta(BY_NAME[dtype], shape, row_major(shape, BY_NAME[dtype].itemsize))
    metas = (meta,) * len(operator.schema.tensors)
    values = {**operator.defaults, **(off_defaults(operator) if meta.dtype.kind == "float" else {})}
    if meta.dtype.kind == "uint":  # hardtanh refuses numbers that the result cannot be
        values = {n: max(v, 0) if isinstance(v, float) else v for n, v in values.items()}
    outputs = prepare.prepare(operator.definition, metas, values).results if has_outputs else ()
    return prepare.prepare(operator.definition, (*metas, *outputs), values)


@pytest.mark.parametrize("name", UNIFORM)
def test_as_if_prepared_anew(name: str) -> None:
    operator = actgrad.operators[name]
    count = 0
    for number, dtype in enumerate(operator.input_dtypes):
        for other, shape in zip(SHAPES, SHAPES[1:] + SHAPES[:1], strict=True):
            has_outputs = (number + len(shape)) % 2 == 0
            operator.forget()
            anew = _prepared(operator, dtype, shape, has_outputs)
            operator.forget()
            before = _prepared(operator, dtype, other, has_outputs)
            resized = _prepared(operator, dtype, shape, has_outputs)
            assert resized.computation == anew.computation
            assert (resized.results, resized.layouts, resized.backend) == (anew.results, anew.layouts, anew.backend)
            if anew.backend == "cpu":
                assert resized.kernel.schedule == anew.kernel.schedule
                assert list(resized.kernel._block) == list(anew.kernel._block)
                count += len(before.layouts) == len(before.computation.loop.operands)
    assert count or name == "rrelu_with_noise"  # whose loop does not see the noise


def test_the_results_are_the_same() -> None:
    """A size beyond which tables pay, and one beyond which outputs are stored past the caches, lie between these."""
    x = np.linspace(-8, 8, 1 << 22).astype(np.float32)
    for dtype in (np.float32, np.float16):
        actgrad.gelu.forget()
        wholes = {size: actgrad.gelu(x[:size].astype(dtype)) for size in (5, 1 << 10, 1 << 18, x.size, 1 << 19, 3)}
        for size, result in wholes.items():
            actgrad.gelu.forget()
            np.testing.assert_array_equal(result, actgrad.gelu(x[:size].astype(dtype)))
