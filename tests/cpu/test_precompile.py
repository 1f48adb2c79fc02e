"""Kernels compiled ahead of the calls."""

from __future__ import annotations

import pytest

import actgrad
from actgrad import checks
from actgrad.calls import precompile, prepare
from tests.support.calls import run_script

pytestmark = pytest.mark.share(6)


@pytest.mark.slow
def test_precompile_everything() -> None:
    assert actgrad.precompile() > 90


@pytest.mark.parametrize("name", actgrad.operators)
def test_every_operator_takes_the_calls_that_are_prepared(name: str) -> None:
    """For each dtype, also with the optional tensors that the dtype allows: float32 scales, masks of bits."""
    operator = actgrad.operators[name]
    for attributes, judge in precompile._cases(operator):
        for dtype in operator.input_dtypes if judge is None else judge.dtypes(operator.definition):
            values = precompile._not_negative(attributes) if dtype.startswith("uint") else attributes
            found = precompile._inputs(operator, dtype, 1024, values, judge)
            assert 1 <= len(found) <= 2
            for metas in found:
                names = operator.schema.tensor_names
                call = checks.Call(operator.definition, dict(zip(names, metas, strict=True)), values, judge)
                checks.run(call)
                prepare.make_computation(call, prepare.result_metas(call), "cpu")
            if name in ("swiglu_quant", "geglu_backward") or (name, dtype) == ("dequant_swiglu_quant", "int32"):
                assert sum(meta is not None for meta in found[-1]) > sum(meta is not None for meta in found[0])


def test_precompiled_calls_compile_nothing() -> None:
    script = """
import numpy as np, actgrad
from actgrad.backends.cpu import engine, jit
count = actgrad.precompile(["elu", "leaky_relu", "geglu_backward", "gelu_backward"], ["float32", "float16"])
assert count > 0
def forbidden(*args):
    raise AssertionError("compiled")
jit.optimised = forbidden
for dtype in ("float32", "float16"):
    for x in (np.ones((8, 64), dtype), np.ones((64, 8), dtype).T, np.ones((8, 128), dtype)[:, ::2], np.ones((), dtype)):
        for alpha in (1, 1.5, 0, float("nan")):
            actgrad.elu(x, alpha=alpha)
        actgrad.elu(x, scale=2, input_scale=0.5)
        actgrad.elu(x[..., None])
        for slope in (0.01, 1, 2):
            actgrad.leaky_relu(x, negative_slope=slope)
    g, x = np.ones((8, 32), dtype), np.ones((8, 64), dtype)
    for approximate in (0, 1):
        for left in (False, True):
            actgrad.geglu_backward(g, x, approximate=approximate, activate_left=left)
            actgrad.geglu_backward(g, x, g, approximate=approximate, activate_left=left)
        large = np.ones((200, 2000), dtype)
        plan = actgrad.gelu_backward.plan(large, large, approximate=approximate)
        assert ("looked up" in str(plan)) == (dtype == "float16" and bool(engine.host().tuning.uses_formula_tables))
        actgrad.geglu_backward(large[:, 1000:], large, approximate=approximate)
    actgrad.elu(large, alpha=3)
    plan = actgrad.elu.plan(np.empty(1 << 26, dtype), alpha=3)  # whose memory no page backs
    assert ("streaming" in str(plan)) == bool(engine.host().fence)
try:
    actgrad.selu(np.ones(3))
except AssertionError:
    pass
else:
    raise SystemExit("nothing was ever compiled: the test sees nothing")
"""
    run_script(script, ACTGRAD_CACHE_DIR="")


def test_precompile_names() -> None:
    assert actgrad.precompile("gelu", "float32") == 6  # two formulas, small calls, large ones and huge ones
    assert actgrad.precompile("elu", "float32") == 4  # small calls with attributes of 1 and others
    assert actgrad.precompile("leaky_relu", "float32") == 4
    assert actgrad.precompile("selu", "float32") == 3
    with pytest.raises(actgrad.InvalidDtype, match="precompile: dtypes is int8; elu must have float32, "):
        actgrad.precompile("elu", "int8")
    with pytest.raises(actgrad.InvalidCall, match=r"operator 'reloo' is unknown; known are relu, "):
        actgrad.precompile(["reloo"])
    with pytest.raises(actgrad.InvalidCall, match=r"dtype 'float8' is unknown; known are float"):
        actgrad.precompile(["elu"], ["float8"])
