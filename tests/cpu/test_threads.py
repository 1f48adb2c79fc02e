"""Threads: the same bits for any number, several callers at once, forks, and whose OpenMP runtime computes."""

from __future__ import annotations

import contextlib
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.backends.cpu import threads
from tests.support.calls import OPERATORS, ids, input_shapes, off_defaults, run_script, same_bits

pytestmark = pytest.mark.share(6)

SIZE = (37, 16384)  # work for more threads than there are processors here


@pytest.fixture(autouse=True)
def default_number() -> Iterator[None]:
    yield
    actgrad.set_num_threads(0)


def sawtooth(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return np.resize(np.linspace(-4, 4, 10007).astype(dtype), shape)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_same_bits_for_any_number_of_threads(operator: actgrad.Operator) -> None:
    layouts = (np.ascontiguousarray, np.asfortranarray, lambda a: a[:, ::-1])
    for layout in layouts:
        tensors = [layout(sawtooth(shape)) for shape in input_shapes(operator, SIZE).values()]
        results = []
        for count in (1, 2, 3, 7):
            actgrad.set_num_threads(count)
            assert actgrad.get_num_threads() == count or threads.runtime() == "none"
            out = [np.full_like(a, np.nan) for a in samples.as_tuple(operator.plan(*tensors).result)]
            operator(*tensors, out=out if len(out) > 1 else out[0], **off_defaults(operator))
            results.append(out)
        for other in results[1:]:
            assert all(same_bits(a, b) for a, b in zip(results[0], other, strict=True))


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_sizes_that_no_number_of_threads_divides(count: int) -> None:
    actgrad.set_num_threads(count)
    for size in (1, 16383, 16384, 32767, 32768, 32769, 49153, 7 * 16384 - 1, 7 * 16384 + 1, 300001):
        x = sawtooth((size,))
        out = np.full(size + 16, 5, np.float32)
        actgrad.leaky_relu(x, negative_slope=0.5, out=out[8:-8])
        assert np.array_equal(out[8:-8], np.where(x > 0, x, x / 2))
        assert (out[:8] == 5).all()
        assert (out[-8:] == 5).all()


def test_several_python_threads_at_once() -> None:
    """Each with kernels of its own to compile, some the same, on several threads each."""
    actgrad.set_num_threads(2)
    x = sawtooth((200, 1001))
    expected = [actgrad.elu(x, alpha=1 + k, backend="reference") for k in range(4)]
    failures: list[str] = []
    start = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            start.wait(60)
            for repeat in range(10):
                k = (number + repeat) % 4
                source = (x, x.T, x[::-1], x[:, ::2])[repeat % 4]
                target = (expected[k], expected[k].T, expected[k][::-1], expected[k][:, ::2])[repeat % 4]
                got = actgrad.elu(source, alpha=1 + k)
                if not np.allclose(got, target, rtol=1e-6, atol=1e-7):
                    failures.append(f"wrong numbers: {number}, {repeat}")
        except Exception as error:
            failures.append(repr(error))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert not any(worker.is_alive() for worker in workers)
    assert failures == []


def test_the_first_kernel_of_several_threads_at_once() -> None:
    """In a fresh process: the driver and the same kernel are compiled by whoever comes first."""
    script = """
import threading, numpy as np, actgrad
x = np.linspace(-4, 4, 100001, dtype=np.float32)
wrong, start = [], threading.Barrier(4)
def work():
    start.wait(60)
    got = actgrad.leaky_relu(x, negative_slope=0.5)
    if not np.array_equal(got, np.where(x > 0, x, x / 2)):
        wrong.append(1)
workers = [threading.Thread(target=work) for _ in range(4)]
[w.start() for w in workers]
[w.join(60) for w in workers]
assert not any(w.is_alive() for w in workers) and not wrong
"""
    run_script(script)


def test_one_plan_of_several_threads_at_once() -> None:
    x = sawtooth((1 << 18,))
    plan = actgrad.elu.plan(x)
    expected = plan.run().copy()
    workers = [threading.Thread(target=lambda: [plan.run() for _ in range(20)]) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert same_bits(plan.result, expected)


@contextlib.contextmanager
def counting() -> Iterator[list[int]]:
    """A count that another thread advances whenever it gets the interpreter, which nobody is forced to give it."""
    ticks, stop, interval = [0], threading.Event(), sys.getswitchinterval()

    def count() -> None:
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(1e-4)

    counter = threading.Thread(target=count)
    counter.start()
    sys.setswitchinterval(100)
    try:
        yield ticks
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        counter.join(60)


def test_other_python_threads_run_meanwhile() -> None:
    actgrad.set_num_threads(1)
    x = sawtooth((1 << 22,), np.float16)
    for source in (x, x.reshape(2048, -1).T):
        plan = actgrad.gelu_backward.plan(source, source, out=np.empty(source.shape, source.dtype))
        with counting() as ticks:
            before = ticks[0]
            for _ in range(10):
                plan.run()
            moved = ticks[0] - before
        assert moved >= 5


BAD_NUMBERS: list[Any] = [-1, 1.0, 1.5, "2", None, True, [2], float("nan")]


@pytest.mark.parametrize("number", BAD_NUMBERS, ids=repr)
def test_bad_numbers(number: Any) -> None:
    actgrad.set_num_threads(3)
    with pytest.raises(actgrad.InvalidArgument, match=r"^set_num_threads: n is .*; it must be an integer"):
        actgrad.set_num_threads(number)
    if threads.runtime() != "none":
        assert actgrad.get_num_threads() == 3


def test_number_beyond_all_processors() -> None:
    actgrad.set_num_threads(1024)
    x = sawtooth((1 << 24,))  # enough for all of them
    assert np.array_equal(actgrad.leaky_relu(x, negative_slope=0.5), np.where(x > 0, x, x / 2))
    actgrad.set_num_threads(0)
    assert 1 <= actgrad.get_num_threads() < 1024


CHECK = """
import numpy as np, actgrad
from actgrad.backends.cpu import threads
x = np.resize(np.linspace(-4, 4, 10007).astype(np.float32), 1 << 19)
wanted = np.where(x > 0, x, x / 2)
def right(**options):
    return np.array_equal(actgrad.leaky_relu(x, negative_slope=0.5, **options), wanted)
"""


def test_default_number_of_threads() -> None:
    script = CHECK + "\nassert actgrad.get_num_threads() == 3 or threads.runtime() == 'none'\nassert right()"
    run_script(script, OMP_NUM_THREADS="3")
    run_script(CHECK + "\nassert actgrad.get_num_threads() == 1\nassert right()", OMP_NUM_THREADS="1")


def test_default_is_the_cores_this_process_may_use() -> None:
    script = (
        """
import os
os.environ.pop("OMP_NUM_THREADS", None)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
"""
        + CHECK
        + "\nassert actgrad.get_num_threads() == 1\nassert right()"
    )
    run_script(script)


# The runtime


def test_without_any_runtime() -> None:
    script = (
        CHECK
        + """
threads._point_to = lambda library: False
assert right()
assert threads.runtime() == "none"
assert actgrad.get_num_threads() == 1
actgrad.set_num_threads(4)
assert actgrad.get_num_threads() == 1
assert right()
assert np.array_equal(actgrad.leaky_relu(x.reshape(512, -1).T, negative_slope=0.5), wanted.reshape(512, -1).T)
"""
    )
    run_script(script)


def test_runtime_of_pytorch_when_it_is_there() -> None:
    pytest.importorskip("torch")
    script = (
        "import torch\n"
        + CHECK
        + """
torch.set_num_threads(2)
assert right()
assert threads.runtime() == "PyTorch"
assert actgrad.get_num_threads() == 2
torch.set_num_threads(1)
assert actgrad.get_num_threads() == 1
actgrad.set_num_threads(5)
assert actgrad.get_num_threads() == 5 and torch.get_num_threads() == 1
assert right()
"""
    )
    run_script(script)


LATE = (
    CHECK
    + """
assert right()
assert threads._runtime in ("system", "none")
import torch
{then}
assert threads._runtime == "PyTorch", threads._runtime
assert right() and right(out=np.empty_like(x))
torch.set_num_threads(2)
assert actgrad.get_num_threads() == 2
assert float(torch.ones(1 << 20).exp().sum()) > 0
assert right()
"""
)


@pytest.mark.parametrize("then", ["actgrad.get_num_threads()", "assert right()"], ids=["asked", "the same kernel"])
def test_runtime_of_pytorch_imported_later(then: str) -> None:
    """The next call computes on PyTorch's runtime, so that there are not two pools for one machine."""
    pytest.importorskip("torch")
    run_script(LATE.format(then=then))


# Forks: a child has the memory of its parent's pool but none of its threads, and would wait for them for ever.

FORK = """
import os, signal, sys
def in_child(check):
    child = os.fork()
    if child == 0:
        signal.alarm(15)
        try:
            check()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"child ended with {status}" + (": it hung" if status == signal.SIGALRM else "")
"""


def test_fork_after_threads_ran() -> None:
    script = (
        CHECK
        + FORK
        + """
actgrad.set_num_threads(2)
assert right()
def check():
    assert right() and actgrad.get_num_threads() == 1
    actgrad.set_num_threads(2)
    assert right() and right(backend="reference")
    in_child(lambda: right() or 1 / 0)  # a grandchild
    assert np.allclose(actgrad.gelu(x[:100]), actgrad.gelu(x[:100], backend="reference"))  # compiles in the child
in_child(check)
assert right() and actgrad.get_num_threads() == 2 or threads.runtime() == "none"
"""
    )
    run_script(script)


def test_fork_before_anything_ran() -> None:
    run_script(CHECK + FORK + "in_child(lambda: right() or 1 / 0)\nassert right()")


def test_fork_after_pytorch_ran() -> None:
    """The child finds PyTorch's pool broken although actgrad itself never used it."""
    pytest.importorskip("torch")
    script = (
        "import torch\n"
        + CHECK
        + FORK
        + """
torch.set_num_threads(2)
torch.ones(1 << 22).exp()
in_child(lambda: right() or 1 / 0)
assert right()
"""
    )
    run_script(script)


def test_fork_while_others_compile() -> None:
    """Locks that other threads hold at that moment stay held in the child."""
    script = (
        CHECK
        + FORK
        + """
import threading, time
from actgrad.backends.cpu import jit
stop = threading.Event()
right()
def compile_on():
    while not stop.is_set():
        actgrad.elu.prepared.clear()
        jit._compiled.clear()
        actgrad.elu.plan(x[:100])
def check():
    assert np.allclose(actgrad.gelu(x[:100]), actgrad.gelu(x[:100], backend="reference"))
worker = threading.Thread(target=compile_on)
worker.start()
try:
    for _ in range(5):
        time.sleep(0.03)
        in_child(check)
finally:
    stop.set()
    worker.join(60)
"""
    )
    run_script(script, ACTGRAD_CACHE_DIR="")


def test_multiprocessing_by_fork() -> None:
    script = (
        CHECK
        + """
import multiprocessing
def work(k):
    return float(actgrad.leaky_relu(x * k, negative_slope=0.5).astype(np.float64).sum())
if __name__ == "__main__":
    assert right()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(work, [1, 2, 3]).get(60) == [work(k) for k in (1, 2, 3)]
"""
    )
    run_script(script)


def test_pytorch_imported_after_calls_on_numpy() -> None:
    pytest.importorskip("torch")
    run_script(
        textwrap.dedent("""
        import numpy as np, actgrad
        from actgrad.backends.cpu import threads
        x = np.ones(5, np.float32)
        for _ in range(3):
            actgrad.elu(x)
        assert threads._runtime != "PyTorch"
        import torch
        for _ in range(3):
            actgrad.elu(x)
        assert threads._runtime == "PyTorch", threads._runtime
        """)
    )
