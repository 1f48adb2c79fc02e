"""Outputs of the C functions over their inputs: in Python, and on executors whose tensors move."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from tests.support import overlaps
from tests.support.aclnn.live_calls import INVALID, OK, failed, tensor
from tests.support.calls import EVERY, same_bits

F32 = np.float32


@pytest.mark.parametrize("operator", [o for o in EVERY if o.aclnn], ids=lambda operator: operator.name)
@pytest.mark.share(40)
def test_the_bits_of_separate_memory_or_refused(operator: Any) -> None:
    """In float32, or in float16 for the functions of C that take no float32."""
    assert _statuses(operator, "float32")[INVALID] or _statuses(operator, "float16")[INVALID]


def _statuses(operator: Any, dtype: str) -> Counter[int]:
    """The statuses of all calls whose outputs lie over their inputs, and which the rules of C do not refuse anyway."""
    found: Counter[int] = Counter()
    product = next(name for name in ("Ascend910B", "Ascend950") if name in operator.products)
    for case in overlaps.cases(operator, dtype):
        for signature in overlaps.functions(operator):
            at = overlaps.memory(case)
            given = overlaps.c_arguments(
                case, signature, [None if x is None else x.copy() for x in at.inputs], at.separate
            )
            with actgrad.product(product):
                if _run(signature.name, given) != OK:
                    continue
                status = _run(signature.name, overlaps.c_arguments(case, signature, at.inputs, at.outputs))
            assert status in (OK, INVALID), case
            assert status == INVALID or all(map(same_bits, map(np.array, at.outputs), at.separate)), case
            found[status] += 1
    return found


def _run(name: str, given: list[Any]) -> int:
    """The first status that is not 0 of the two phases."""
    status, size, executor = getattr(aclnn, f"{name}GetWorkspaceSize")(*given)
    return int(status or getattr(aclnn, name)(None, size, executor, None))


def test_an_executor_whose_outputs_move_onto_its_inputs() -> None:
    rng = np.random.default_rng(1)
    g, x, w, by_x, by_w = (
        tensor(rng.standard_normal(shape).astype(F32)) for shape in ((3, 1), (3, 3), (3,), (3, 3), (3,))
    )
    wanted = [np.empty_like(by_x[1]), np.empty_like(by_w[1])]
    actgrad.prelu_backward(g[1], x[1], w[1], out=tuple(wanted))
    status, size, executor = aclnn.aclnnPreluBackwardGetWorkspaceSize(g[0], x[0], w[0], by_x[0], by_w[0])
    assert (status, size) == (OK, 0)
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
    for _ in range(2):
        status = aclnn.aclSetOutputTensorAddr(executor, 1, by_w[0], g[1])
        failed(status, INVALID, "overlaps grad_?[oO]utput; results that come later need")
        assert aclnn.aclnnPreluBackward(None, 0, executor, None) == OK
        assert same_bits(by_w[1], wanted[1])
        assert same_bits(by_x[1], wanted[0])
    assert aclnn.aclSetOutputTensorAddr(executor, 1, by_w[0], w[1]) == OK
    assert aclnn.aclSetOutputTensorAddr(executor, 0, by_x[0], x[1]) == OK
    assert aclnn.aclnnPreluBackward(None, 0, executor, None) == OK
    assert same_bits(w[1], wanted[1])
    assert same_bits(x[1], wanted[0])
    assert aclnn.aclDestroyAclOpExecutor(executor) == OK
