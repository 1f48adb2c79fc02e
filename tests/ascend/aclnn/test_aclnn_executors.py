"""Executors of the aclnn interface: once or repeatable, destroyed, dropped, raced for, and put on other memory."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

from actgrad import aclnn
from actgrad.ascend.aclnn import c_functions
from tests.support.aclnn.functions import FUNCTIONS, OUTPUTS, good
from tests.support.aclnn.live_calls import INNER, INNER_NULL, INVALID, NULL, OK, Live, failed, leaky, tensor

# The plans behind them


def test_equal_numbers_and_strings_share_a_plan() -> None:
    """Their objects are fresh ones: numbers are made anew by arithmetic, strings by joining."""
    (x, _), (out, _) = tensor(np.ones((2, 6), np.float32)), tensor(np.ones((2, 3), np.float32))
    glu, gelu = c_functions.find("aclnnSituGlu"), c_functions.find("aclnnGeluBackwardV2")
    assert glu is not None
    assert gelu is not None
    glu.cache.clear()
    gelu.cache.clear()
    for dim, beta, linear_beta in ((1, 1.5, 0.0), (1, 1.5, -0.0), (1, 3.0, 0.0), (-1, 1.5, 0.0)):
        plans = [glu.plan((x, dim, beta + 0.0, linear_beta * 1.0, True, out)) for _ in range(3)]
        assert all(plan.prepared is plans[0].prepared for plan in plans)
    assert len(glu.cache) == 4
    for form in ("none", "tanh"):
        plans = [gelu.plan((out, out, "".join(list(form)), tensor(out.view.source)[0])) for _ in range(3)]
        assert all(plan.prepared is plans[0].prepared for plan in plans)
    assert len(gelu.cache) == 2


# Executors


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.share(8)
def test_an_executor_runs_once(function: str) -> None:
    live = Live(good(function))
    _, size, executor = live.first()
    assert live.second(size, executor) == OK
    after = {name: memory.copy() for name, memory in live.memory.items()}
    failed(live.second(size, executor), INNER, rf"\b{function}: executor")
    failed(aclnn.aclDestroyAclOpExecutor(executor), INNER, "executor")
    failed(aclnn.aclSetAclOpExecutorRepeatable(executor), INNER, "executor")
    assert all((after[name] == memory).all() for name, memory in live.memory.items())


@pytest.mark.share(6)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_repeatable_executor_runs_until_it_is_destroyed(function: str) -> None:
    live = Live(good(function))
    _, size, executor = live.first()
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
    for fill in (1, 2, 3):
        for name in OUTPUTS[function]:
            if not function.startswith("aclnnInplace"):
                live.view(name)[...] = fill
        assert live.second(size, executor) == OK
        assert function.startswith("aclnnInplace") or not any((live.view(n) == fill).all() for n in OUTPUTS[function])
    assert aclnn.aclDestroyAclOpExecutor(executor) == OK
    failed(live.second(size, executor), INNER, rf"\b{function}: executor")
    failed(aclnn.aclDestroyAclOpExecutor(executor), INNER)


def test_a_repeatable_executor_sees_new_numbers() -> None:
    executor, _, _, given, memory = leaky()
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    given[:] = (-8, -4)
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    assert memory.tolist() == [-4, -2]


def test_a_destroyed_executor_does_not_run() -> None:
    executor, _, _, _, memory = leaky()
    assert aclnn.aclDestroyAclOpExecutor(executor) == OK
    failed(aclnn.aclnnLeakyRelu(None, 0, executor, None), INNER, "executor")
    assert memory.tolist() == [9, 9]


@pytest.mark.parametrize("other", [f for f in FUNCTIONS if f != "aclnnLeakyRelu"])
def test_an_executor_of_another_function(other: str) -> None:
    executor, _, _, _, memory = leaky()
    failed(getattr(aclnn, other)(None, 0, executor, None), INNER, rf"\b{other}: executor.*\baclnnLeakyRelu\b")
    assert memory.tolist() == [9, 9]


@pytest.mark.parametrize("what", [7, "executor", object(), (), np.zeros(2), True])
def test_what_is_no_executor(what: Any) -> None:
    failed(aclnn.aclnnSelu(None, 0, what, None), INNER, "aclnnSelu: executor")
    failed(aclnn.aclSetAclOpExecutorRepeatable(what), INNER, "executor")
    failed(aclnn.aclDestroyAclOpExecutor(what), INNER, "executor")
    failed(aclnn.aclSetTensorAddr(what, 0, tensor([1.0])[0], np.zeros(1)), INNER, "executor")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_null_executor_in_phase_two(function: str) -> None:
    failed(getattr(aclnn, function)(None, 0, None, None), NULL, rf"\b{function}: executor is a null pointer")


def test_a_null_executor_elsewhere() -> None:
    x, memory = tensor([1.0])
    failed(aclnn.aclSetAclOpExecutorRepeatable(None), INNER_NULL, "executor")
    failed(aclnn.aclDestroyAclOpExecutor(None), INNER_NULL, "executor")
    for place in (aclnn.aclSetInputTensorAddr, aclnn.aclSetOutputTensorAddr, aclnn.aclSetTensorAddr):
        failed(place(None, 0, x, memory), INNER_NULL, "executor")


def test_a_null_workspace_where_one_was_announced() -> None:
    executor, _, _, _, memory = leaky()
    failed(aclnn.aclnnLeakyRelu(None, 16, executor, None), NULL, "workspace")
    assert memory.tolist() == [9, 9]
    failed(aclnn.aclnnLeakyRelu(None, 0, executor, None), INNER, "executor")  # used up all the same
    executor, *_, memory = leaky()
    assert aclnn.aclnnLeakyRelu(np.zeros(16, np.uint8), 16, executor, None) == OK  # more than it needs
    assert memory.tolist() == [-1, 3]


def test_an_executor_that_is_dropped_frees_its_memory() -> None:
    class Memory(np.ndarray):
        """An array that weak references can watch."""

    def prepare(repeatable: bool) -> tuple[Any, list[weakref.ref[Any]]]:
        memories = [np.array([-2.0, 3.0], np.float32).view(Memory) for _ in range(2)]
        x, out = (aclnn.aclCreateTensor((2,), aclnn.ACL_FLOAT, None, 0, 2, (2,), memory) for memory in memories)
        _, _, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, 0.5, out)
        if repeatable:
            assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
        return executor, [*map(weakref.ref, memories), weakref.ref(executor)]

    for repeatable in (False, True):
        executor, watched = prepare(repeatable)
        gc.collect()
        assert all(ref() is not None for ref in watched)  # it holds what it will write to
        del executor
        gc.collect()
        assert all(ref() is None for ref in watched)
        executor, watched = prepare(repeatable)
        assert aclnn.aclDestroyAclOpExecutor(executor) == OK
        gc.collect()
        assert [ref() is None for ref in watched] == [True, True, False]
    executor, watched = prepare(False)
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    gc.collect()
    assert [ref() is None for ref in watched] == [True, True, False]


def test_threads_race_for_one_executor() -> None:
    def give_way(*_: Any) -> Any:
        time.sleep(1e-5)  # at every line of Python, so that the threads interleave as they hardly ever would
        return give_way

    for _ in range(5):
        executor, *_ = leaky()
        barrier, answers = threading.Barrier(8), []

        def race(executor: Any = executor, barrier: threading.Barrier = barrier, answers: list[Any] = answers) -> None:
            barrier.wait()
            sys.settrace(give_way)
            code = aclnn.aclnnLeakyRelu(None, 0, executor, None)
            sys.settrace(None)
            answers.append((code, aclnn.aclGetRecentErrMsg() is None))

        run_threads([race] * 8)
        assert sorted(answers) == [(OK, True)] + [(INNER, False)] * 7


def test_messages_are_the_threads_own() -> None:
    barrier, seen = threading.Barrier(4), {}

    def fail(slope: float) -> None:
        barrier.wait()
        (x, _), (out, _) = tensor([1.0]), tensor([1.0])
        code, _, _ = aclnn.aclnnLeakyReluBackwardGetWorkspaceSize(x, x, slope, True, out)
        barrier.wait()
        seen[slope] = (code, aclnn.aclGetRecentErrMsg(), aclnn.aclGetRecentErrMsg())

    failed(aclnn.aclDestroyAclOpExecutor(None), INNER_NULL)
    aclnn.aclDestroyAclOpExecutor(None)
    run_threads([lambda slope=slope: fail(slope) for slope in (-1.5, -2.5, -3.5, -4.5)])
    for slope, (code, message, again) in seen.items():
        assert code == INVALID
        assert str(slope) in message
        assert again is None
    assert "aclDestroyAclOpExecutor" in aclnn.aclGetRecentErrMsg()


def run_threads(targets: list[Any]) -> None:
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


# New addresses


def test_new_addresses() -> None:
    executor, x, out, given, memory = leaky()
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
    new_given, new_memory = np.array([-20.0, 30.0], np.float32), np.full(2, 9, np.float32)
    assert aclnn.aclSetInputTensorAddr(executor, 0, x, new_given) == OK
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    assert memory.tolist() == [-10, 30]
    assert aclnn.aclSetOutputTensorAddr(executor, 0, out, new_memory) == OK
    memory[:] = 9
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    assert (memory.tolist(), new_memory.tolist()) == ([9, 9], [-10, 30])
    assert aclnn.aclSetTensorAddr(executor, 0, x, given) == OK  # inputs before outputs
    assert aclnn.aclSetTensorAddr(executor, 1, out, memory) == OK
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    assert (memory.tolist(), new_memory.tolist()) == ([-1, 3], [-10, 30])
    assert aclnn.aclDestroyAclOpExecutor(executor) == OK


def test_new_addresses_of_one_tensor_among_several() -> None:
    live = Live(good("aclnnSeluBackward"))
    _, size, executor = live.first()
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
    g, y = np.ones((2, 4), np.float32), np.arange(8, dtype=np.float32).reshape(2, 4)
    assert aclnn.aclSetInputTensorAddr(executor, 1, live.arguments[1], y) == OK
    assert aclnn.aclSetTensorAddr(executor, 0, live.arguments[0], g) == OK
    assert live.second(size, executor) == OK
    np.testing.assert_allclose(live.view("gradInput"), 1.050701, rtol=1e-6)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.startswith("aclnnInplace")])
def test_new_address_in_place(function: str) -> None:
    """The tensor is input 0 and output 0: both move."""
    for index, place in enumerate(("aclSetInputTensorAddr", "aclSetOutputTensorAddr")):
        live = Live(good(function), seed=index)
        _, size, executor = live.first()
        assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
        (name,) = OUTPUTS[function]
        moved = np.array(live.view(name))
        assert getattr(aclnn, place)(executor, 0, live.arguments[0], moved) == OK
        assert live.second(size, executor) == OK
        assert live.is_unchanged()
        _, size, executor = (other := Live(good(function), seed=index)).first()
        assert other.second(size, executor) == OK
        np.testing.assert_array_equal(moved, other.view(name))


def test_bad_new_addresses_change_nothing() -> None:
    executor, x, out, given, memory = leaky()
    stranger, spare = tensor([1.0, 2.0])
    failed(aclnn.aclSetInputTensorAddr(executor, 0, x, spare), INNER, "reusable|[Rr]epeatable")
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == OK
    for index in (-1, 1, 2, 1 << 40):
        failed(aclnn.aclSetInputTensorAddr(executor, index, x, spare), INVALID, "index")
        failed(aclnn.aclSetOutputTensorAddr(executor, index, out, spare), INVALID, "index")
    for index in (-1, 2):
        failed(aclnn.aclSetTensorAddr(executor, index, x, spare), INVALID, "index")
    failed(aclnn.aclSetInputTensorAddr(executor, 0, stranger, spare), INVALID, "tensor")
    failed(aclnn.aclSetInputTensorAddr(executor, 0, out, spare), INVALID, "tensor")
    failed(aclnn.aclSetTensorAddr(executor, 1, x, spare), INVALID, "tensor")
    failed(aclnn.aclSetInputTensorAddr(executor, 0, None, spare), INNER_NULL, "tensor is a null pointer")
    failed(aclnn.aclSetOutputTensorAddr(executor, 0, None, spare), INNER_NULL, "tensor is a null pointer")
    failed(aclnn.aclSetInputTensorAddr(executor, 0, x, spare[:1]), INVALID, "storage")
    failed(aclnn.aclSetOutputTensorAddr(executor, 0, out, np.zeros(7, np.uint8)), INVALID, "storage")
    failed(aclnn.aclSetInputTensorAddr(executor, 0, x, None), INVALID, "null pointer")
    both = np.zeros(3, np.float32)
    assert aclnn.aclSetInputTensorAddr(executor, 0, x, both[:2]) == OK
    failed(aclnn.aclSetOutputTensorAddr(executor, 0, out, both[1:]), INVALID, "overlaps")
    assert aclnn.aclSetInputTensorAddr(executor, 0, x, given) == OK
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == OK
    assert (memory.tolist(), spare.tolist(), both.tolist()) == ([-1, 3], [1, 2], [0, 0, 0])


def test_the_raw_address() -> None:
    x, given = tensor([-2.0])
    out, memory = tensor([9.0])
    failed(aclnn.aclSetRawTensorAddr(None, given), NULL, "tensor")
    failed(aclnn.aclSetRawTensorAddr(x, given[::-1][:0][::2].tolist()), INVALID, "storage")
    assert aclnn.aclSetRawTensorAddr(x, np.array([-4.0], np.float32)) == OK
    _, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, 0.5, out)
    assert aclnn.aclnnLeakyRelu(None, size, executor, None) == OK
    assert memory.tolist() == [-2]
