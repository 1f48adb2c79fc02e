"""The fast path keeps and loses no reference, also with threads, interrupts, no memory, and at the end of a process."""

from __future__ import annotations

import ctypes
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import arrays
from actgrad.arrays import hugepages
from actgrad.backends.cpu import engine
from actgrad.calls import extension
from actgrad.calls import operator as operator_module
from tests.support.calls import Counter, run_script, same_bits

RNG = np.random.default_rng(0)
G, X = (RNG.standard_normal(37).astype(np.float32) for _ in range(2))


def test_nothing_is_kept_or_lost() -> None:
    """References: of arguments, results and ways, on the short way and where it is left half-way."""
    out, name = np.empty_like(X), "alpha"
    value = float("1.3125")

    def calls() -> None:
        for _ in range(50):
            actgrad.elu_backward(G, X, out=out, **{name: value})
            actgrad.elu_backward(G, X, **{name: value})
            actgrad.geglu_backward(X[:3], np.empty(6, np.float32), None)
            with pytest.raises(actgrad.ActgradError):
                actgrad.elu_backward(G, X, out=(out, out), **{name: value})

    calls()
    watched = [out, value, G, X, None, np.empty_like, actgrad.elu_backward.prepared]
    before = [sys.getrefcount(thing) for thing in watched]
    calls()
    after = [sys.getrefcount(thing) for thing in watched]
    for thing, a, b in zip(watched, before, after, strict=True):
        assert abs(a - b) < 25, type(thing)  # None has many users beside us


def test_no_reference_to_written_tensors_is_kept_or_lost() -> None:
    torch = pytest.importorskip("torch")
    x, out, packed = torch.randn(5), torch.empty(5), torch.randn(3, 8)
    both = (torch.empty(3, 4), torch.empty(3, 4))

    def calls() -> None:
        for _ in range(50):
            actgrad.elu(x, out=out)
            actgrad.geglu(packed, out=both)

    calls()
    watched = [x, out, packed, both, *both]
    before = [sys.getrefcount(thing) for thing in watched]
    calls()
    assert [sys.getrefcount(thing) for thing in watched] == before


def test_threads_that_forget_each_others_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_module, "CAPACITY", 40)
    faults: list[str] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for slope in rng.integers(2, 120, 3000).tolist():
            got = actgrad.leaky_relu(X, negative_slope=1 / slope)
            if not np.allclose(got, np.where(X > 0, X, X / slope)):
                faults.append(f"slope 1/{slope}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_call_at_the_very_end_of_a_process() -> None:
    """When the interpreter has put its modules away."""
    run_script(
        textwrap.dedent("""
        import numpy as np, actgrad
        class Layer:
            def __init__(self):
                self.act, self.x = actgrad.elu, np.ones(4, np.float32)
            def __del__(self):
                self.act(self.x, out=self.x)
        layer = Layer()
        for _ in range(3):
            layer.act(layer.x, out=layer.x)
        class Keep:
            pass
        keep = Keep()
        keep.layer, keep.itself = layer, keep
        np.kept = layer
        del layer
        """)
    )


def test_large_results_stay_in_huge_pages_after_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    actgrad.gelu.forget()
    for size in (hugepages.LARGE // 4, 10, hugepages.LARGE // 4):
        actgrad.gelu(torch.zeros(size))
    large = torch.zeros(hugepages.LARGE // 4)
    asked: list[int] = []
    monkeypatch.setattr(hugepages, "ask_for_huge_pages", lambda address, size: asked.append(size))
    actgrad.gelu(large)
    actgrad.gelu(torch.zeros(10))
    assert asked == [hugepages.LARGE]


@pytest.mark.needs("torch")
def test_an_interrupt_while_arrays_are_looked_at_is_not_lost() -> None:
    torch = pytest.importorskip("torch")
    from torch.overrides import TorchFunctionMode

    class Interrupting(TorchFunctionMode):
        """Interrupts once: a reference lost then is lost once."""

        calls = 0

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.calls += 1
            if self.calls == 1:
                raise KeyboardInterrupt
            return function(*args, **(kwargs or {}))

    x, out = torch.ones(3), torch.empty(3)
    for _ in range(2):
        actgrad.elu(x, out=out)
    with Interrupting(), pytest.raises(KeyboardInterrupt):
        actgrad.elu(x, out=out)


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, ValueError])
def test_an_allocation_that_fails_takes_the_slow_path(
    error: type[Exception], slow_paths: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")

    def failing(_: Any) -> Any:
        raise error

    x = torch.linspace(-2, 2, 11)
    monkeypatch.setattr(arrays, "empty_like", lambda result: failing)
    wanted = actgrad.elu(x)
    assert torch.equal(actgrad.elu(x), wanted)
    assert slow_paths.calls == 2


def test_an_interrupt_while_a_result_is_allocated_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")

    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt

    x = torch.linspace(-2, 2, 12)
    actgrad.elu.forget()
    monkeypatch.setattr(arrays, "empty_like", lambda result: interrupted)
    actgrad.elu(x)
    with pytest.raises(KeyboardInterrupt):
        actgrad.elu(x)
    actgrad.elu.forget()


@pytest.mark.skipif(extension.native is None, reason="without the extension the kernel itself raises")
def test_missing_memory_is_an_error_and_nothing_is_computed_twice(
    slow_paths: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output in place may be half written when a kernel runs out of memory."""
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(lambda block, addresses: 0)
    address = ctypes.cast(function, ctypes.c_void_p).value
    x = X.copy()
    with monkeypatch.context() as patch:
        patch.setattr(engine.CpuKernel, "machine_code", property(lambda kernel: (address, address)))
        actgrad.elu(x, out=x)
        plan = actgrad.elu.plan(x)
    before = x.copy()
    for call in (plan.run, lambda: actgrad.elu(x, out=x), lambda: actgrad.elu(x, out=x)):
        with pytest.raises(MemoryError):
            call()
    assert same_bits(x, before)
    assert slow_paths.calls == 2  # of the first call and of the plan
    actgrad.elu.forget()


WIDE_CALLS = """
import itertools, numpy as np, actgrad
from numpy.lib.stride_tricks import as_strided
if {library!r} == "torch":
    import torch
def array(rank):
    shape, strides = (1,) * rank, (1 << 40,) * rank  # of one element: any strides
    if {library!r} == "torch":
        return torch.ones(1).as_strided(shape, strides)
    return as_strided(np.ones(1, np.float32), shape, strides)
x = array(1)
for _ in range(2):  # calls are described once there is a cached one
    actgrad.elu(x)
for rank, outputs in itertools.product((0, 1, 63, 64), (0, 1, 7, 8, 9)):
    out = tuple(array(rank) for _ in range(outputs))
    for first, nones, attributes in itertools.product((x, None, array(64)), (0, 6, 7, 8), (0, 14, 15, 16)):
        names = {{f"a{{k}}": k for k in range(attributes)}}
        try:
            actgrad.elu(first, *[None] * nones, out=out, **names)
        except actgrad.ActgradError:
            continue
        raise AssertionError((rank, outputs, nones, attributes))
"""


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("extension", ["", "0"])
@pytest.mark.share(8)
def test_calls_of_more_words_than_any_operator_takes(library: str, extension: str) -> None:
    """None takes words too, and outputs may have 64 dimensions: their strides went over the end of the words."""
    if library == "torch":
        pytest.importorskip("torch")
    run_script(WIDE_CALLS.format(library=library), ACTGRAD_FASTCALL=extension)


@pytest.mark.parametrize("extension", ["", "0"])
def test_no_outputs_for_an_operator_of_several(extension: str) -> None:
    """An empty tuple was no fault on the fast path: the kernel took the input's memory for an output."""
    script = """
import numpy as np, actgrad
x = np.linspace(-2, 2, 8, dtype=np.float32)
before = x.copy()
for operator, arguments in ((actgrad.geglu, (x,)), (actgrad.elu, (x,)), (actgrad.swiglu_two_backward, (x, x, x))):
    for fresh in range(3):
        operator(*arguments)
        for out in ((), [], (None,), (None,) * 4):
            try:
                operator(*arguments, out=out)
            except actgrad.ActgradError:
                continue
            raise AssertionError((operator, out))
assert np.array_equal(x, before)
"""
    run_script(script, ACTGRAD_FASTCALL=extension)
