"""The benchmark on a GPU, shown on a machine without one: tensors lie on the CPU, and torch.cuda is a stand-in.

No test looks at how long anything took.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")
pytest.importorskip("rich")

import torch
from benchmarks import buffers, verify
from benchmarks.cases import Case, traffic
from benchmarks.devices import cuda
from benchmarks.measurements import contenders, latency, peak_memory
from benchmarks.peers import peer
from benchmarks.results import OURS
from benchmarks.timing import Contender, interleaved

from tests.support import cuda_stand_in
from tests.support.bench_cells import case_of, empty, measure, tensors_of
from tests.support.cuda_stand_in import StandIn, Virtual

# Tensors


@pytest.mark.parametrize("layout", buffers.LAYOUTS)
@pytest.mark.parametrize(("title", "dtype"), [("elu_backward", "bfloat16"), ("geglu_backward none", "float64")])
def test_tensors_keep_layout_alignment_and_values(title: str, dtype: str, layout: str) -> None:
    case = case_of(title)
    host = tensors_of(case, layout, 3000, dtype, row=50)
    placed = cuda_stand_in.device().put(host)
    pairs = zip((*host.inputs, *host.outputs), (*placed.inputs, *placed.outputs), strict=True)
    for array, tensor in pairs:
        assert tuple(tensor.shape) == array.shape
        assert tuple(s * array.itemsize for s in tensor.stride()) == array.strides
        assert tensor.data_ptr() % 64 == array.ctypes.data % 64
        assert str(tensor.dtype) == f"torch.{dtype}"
        assert tensor.data_ptr() != array.ctypes.data
        got = peer.from_torch(torch, tensor.contiguous())
        np.testing.assert_array_equal(got.astype(np.float64), array.astype(np.float64))
    assert traffic(placed) == traffic(host)


def test_an_optional_tensor_left_out_is_left_out() -> None:
    placed = cuda_stand_in.device().put(tensors_of(case_of("geglu_backward none no gelu"), "contiguous", 3000))
    assert [tensor is None for tensor in placed.inputs] == [False, False, True]


@pytest.mark.parametrize("title", ["elu", "selu", "geglu_backward tanh", "geglu_two none"])
@pytest.mark.parametrize("layout", ["transposed", "rank-3"])
def test_elements_are_taken_as_from_arrays(title: str, layout: str) -> None:
    case, device = case_of(title), cuda_stand_in.device()
    host = tensors_of(case, layout, 9000)
    placed = device.put(host)
    expected = buffers.sample([*host.inputs, *host.outputs], case.is_gated)
    got = buffers.sample([*placed.inputs, *placed.outputs], case.is_gated, device.take)
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_outputs_are_spoilt(dtype: str) -> None:
    device = cuda_stand_in.device()
    (output,) = device.put(tensors_of(case_of("selu"), "step-2", 100, dtype)).outputs
    device.spoil([output])
    wide = output.double()
    assert bool((wide == 85).all() if dtype == "int8" else wide.isnan().all())


def test_a_wrong_result_is_refused() -> None:
    case, device = case_of("elu"), cuda_stand_in.device()
    tensors = device.put(tensors_of(case, "contiguous", 100))
    standard = verify.standard(case, device, tensors)
    case.plan(tensors).run()
    standard.check("ours", tensors.outputs, 1)
    tensors.outputs[0][7] += 1
    with pytest.raises(verify.WrongResult, match="is wrong in 1 of 100"):
        standard.check("ours", tensors.outputs, 1)


@pytest.mark.parametrize(("title", "dtype"), [("elu_backward", "float32"), ("geglu none", "float16")])
def test_ceiling_copies_as_many_bytes(title: str, dtype: str) -> None:
    case, device = case_of(title), cuda_stand_in.device()
    tensors = device.put(tensors_of(case, "contiguous", 4001, dtype))
    (ceiling,) = device.ceilings(tensors, 3)
    assert len(ceiling.calls) == 3
    for call in ceiling.calls:
        target, (source,) = call.func.__self__, call.args  # type: ignore[attr-defined]
        assert source.nbytes + target.nbytes == sum(traffic(tensors)) // 2 * 2
        call()
        assert torch.equal(source, target)
        assert len(source.unique()) > 100


# Clocks


def virtual(monkeypatch: pytest.MonkeyPatch) -> tuple[Virtual, cuda.EventClock, cuda.LaunchClock]:
    gpu = Virtual()
    monkeypatch.setattr("time.perf_counter", gpu.now)
    stand_in = StandIn(gpu)
    return gpu, cuda.EventClock(stand_in), cuda.LaunchClock(stand_in)


@pytest.mark.parametrize(
    ("host", "work", "count"), [(2e-6, 3e-5, 7), (8e-6, 2e-6, 32), (5e-5, 2e-6, 32), (1e-5, 1e-3, 1)]
)
def test_events_time_the_work_and_not_the_host(
    monkeypatch: pytest.MonkeyPatch, host: float, work: float, count: int
) -> None:
    gpu, clock, _ = virtual(monkeypatch)
    call = gpu.launch(host, work)
    assert clock.seconds([call], [call] * count) == pytest.approx(work * count, rel=1e-6)
    assert gpu.time >= gpu.busy_until, "the run has ended"


def test_the_spin_is_longer_only_where_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu, clock, _ = virtual(monkeypatch)
    gpu.slept.clear()
    clock.seconds([], [gpu.launch(1e-6, 1e-4)])
    assert gpu.slept == pytest.approx([cuda.HEAD], rel=1e-4)
    clock.seconds([], [gpu.launch(1e-5, 1e-6)] * 30)  # 300 µs
    assert gpu.slept[1:] == pytest.approx([cuda.HEAD, 4.5e-4], rel=1e-4)
    gpu.slept.clear()
    clock.seconds([], [gpu.launch(3.0, 1e-6)])  # the first call compiles
    assert gpu.slept == pytest.approx([cuda.HEAD, cuda.LONGEST_HEAD], rel=1e-4)


def test_launches_are_timed_without_waiting_for_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu, _, clock = virtual(monkeypatch)
    gpu.asked.clear()
    call = gpu.launch(4e-6, 1e-3)
    assert clock.seconds([call], [call] * 10) == pytest.approx(4e-5)
    assert gpu.asked == ["synchronize"] * 2


def test_runs_hold_as_many_calls_as_the_clock_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu, clock, launch_clock = virtual(monkeypatch)
    contender = Contender("short", [gpu.launch(2.0**-20, 2.0**-21)])
    (t,) = interleaved([contender], 0.01, clock=clock)
    assert (t.calls, t.median) == (clock.most_calls, pytest.approx(2.0**-21, rel=1e-4))
    (t,) = interleaved([contender], 0.01, clock=launch_clock)
    assert (t.calls, t.median) == (launch_clock.most_calls, pytest.approx(2.0**-20, rel=1e-4))


# Measurements


@pytest.mark.parametrize("title", ["elu", "geglu_backward none no gelu", "selu_backward_from_input"])
@pytest.mark.parametrize("cache", ["warm", "cold"])
def test_a_cell(title: str, cache: str) -> None:
    device = cuda_stand_in.device()
    cell, notes = measure(case_of(title), ("aten", "eager"), device, cache=cache, dtype="float64")
    assert len(device.torch.cuda.gpu.slept) >= 2 + sum(t.runs for t in cell.times.values()), "by events"
    assert (cell.cache, cell.threads, cell.ceiling, notes) == (cache, 0, cuda.COPY, [])
    assert {key.partition(" ")[0] for key in cell.ratios} == {"aten" if title == "elu" else "eager"}
    assert cell.sets == (1 if cache == "warm" else -(-2 * 4096 // cell.bytes))
    assert "threads" not in cell.label
    assert cell.of_ceiling > 0


def test_kernels_of_the_triton_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU, where tensors choose it."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")

    def plan(case: Case, tensors: buffers.Tensors) -> Any:
        return case.operator.plan(*tensors.inputs, out=tensors.out, backend="triton", **case.attributes)

    monkeypatch.setattr(Case, "plan", plan)
    for title in ("elu_backward", "geglu_backward tanh"):
        case, device = case_of(title), cuda_stand_in.device()
        tensors = device.put(tensors_of(case, "contiguous", 64, row=32))
        assert case.plan(tensors).backend == "triton"
        cell, _ = measure(case, ("aten", "eager"), device, size=72)
        assert len(cell.ratios) == (2 if title == "elu_backward" else 1)


@pytest.mark.parametrize("title", ["elu_backward", "geglu_backward tanh"])
def test_latency(title: str) -> None:
    loaded = contenders.load(["aten", "eager"], empty())
    device = cuda_stand_in.device()
    row = latency.measure(case_of(title), "float32", loaded, device, 1e-6, empty())
    assert len(device.torch.cuda.gpu.slept) == 2, "not by events"
    assert {key for key in row.times if key.startswith(OURS)} == {"actgrad plan.run()", "actgrad out", "actgrad new"}
    direct = "eager out" if title.startswith("geglu") else "aten out"
    assert f"{OURS} plan.run() / {direct}" in row.ratios


def test_latency_without_peers() -> None:
    row = latency.measure(case_of("elu"), "float32", {}, cuda_stand_in.device(), 1e-6, empty())
    assert f"{OURS} new" in row.times


def test_memory_is_what_the_allocator_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak_memory, "SIZE", 1 << 12)
    device = cuda_stand_in.device()
    row = peak_memory.measure(case_of("elu"), "float16", contenders.load(["aten"], empty()), device, empty())
    assert row.output == 1 << 12
    assert row.peak == dict.fromkeys(["actgrad out", "actgrad new", "aten out", "aten new"], 500)
    asked = device.torch.cuda.gpu.asked
    order = ["synchronize", "reset_peak_memory_stats", "memory_allocated", "synchronize", "max_memory_allocated"]
    assert asked[-5:] == order


def test_integers() -> None:
    cell, notes = measure(case_of("selu_backward"), (), cuda_stand_in.device(), dtype="int8")
    assert (cell.dtype, notes) == ("int8", [])


def test_what_a_peer_cannot_do_is_left_out_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise RuntimeError("out of memory")

    def none_of_ours(*_: Any) -> Any:
        raise peer.NotApplicable

    other = peer.Peer("aten", "", lambda: torch, {"out": lambda *_: failing}, on=("cuda",))
    absent = peer.Peer("eager", "", lambda: torch, {"new": lambda *_: failing}, on=("cuda",), within=none_of_ours)
    monkeypatch.setattr(peak_memory, "SIZE", 1 << 12)
    loaded, run, device = {"aten": (other, torch), "eager": (absent, torch)}, empty(), cuda_stand_in.device()
    row = peak_memory.measure(case_of("elu"), "float32", loaded, device, run)
    assert list(row.peak) == ["actgrad out", "actgrad new"]
    assert run.notes == ["memory: aten out: elu: RuntimeError: out of memory"]
    del loaded["eager"]
    times = latency.measure(case_of("geglu none"), "float32", loaded, device, 1e-6, run).times
    assert all(key.startswith(OURS) for key in times)
    assert run.notes[1:] == ["aten: geglu none, float32: RuntimeError: out of memory"]
