"""The benchmark: what it counts and compares is right, and it refuses to time what is wrong.

No test looks at how long anything took.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import buffers, machine, results, subject
from benchmarks.__main__ import main
from benchmarks.cases import Case, cases, traffic
from benchmarks.devices.cpu import Cpu
from benchmarks.measurements import latency
from benchmarks.peers import aten, table
from benchmarks.peers.peer import Peer, Unavailable
from benchmarks.results import CEILING, OURS, geometric_mean
from benchmarks.timing import Contender, interleaved, times
from benchmarks.verify import WrongResult

import actgrad
from tests.support.bench_cells import ALL_CASES, TINY, case_of, empty, measure, tensors_of
from tests.support.calls import EVERY, OPERATORS

ROOT = Path(__file__).parents[2]
GATED = ("swiglu", "swiglu_backward", "geglu", "geglu_backward", "swiglu_two", "swiglu_two_backward")
NO_PEERS = ("rrelu_with_noise", "softmax", "clipped_swiglu input no group_index")
WITH_PEERS = [c for c in ALL_CASES if c.operator.name in (*aten.TABLE, *GATED) or c.title in NO_PEERS]

# Numbers


def test_geometric_mean() -> None:
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert geometric_mean([0.5, 2.0, 1.0]) == pytest.approx(1)
    assert np.isnan(geometric_mean([]))


def test_quartiles_are_those_of_numpy() -> None:
    seconds = np.random.default_rng(0).random(30).tolist()
    t = times(seconds, calls=10)
    assert [t.lower, t.median, t.upper] == pytest.approx((np.quantile(seconds, [0.25, 0.5, 0.75]) / 10).tolist())
    assert (t.least, t.runs, t.calls) == (min(seconds) / 10, 30, 10)
    assert t.spread == pytest.approx((t.upper - t.lower) / t.median)


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5e-9, "2 ns"), (3.214e-6, "3.21 µs"), (0.25, "250 ms"), (12, "12.0 s")]
)
def test_durations_are_read_with_their_unit(seconds: float, text: str) -> None:
    assert results.duration(seconds) == text


@pytest.mark.parametrize(("size", "text"), [(64, "64"), (1000, "1000"), (100_000, "1e5"), (16_000_000, "1.6e7")])
def test_sizes_are_short(size: int, text: str) -> None:
    assert results.count(size) == text


#: Case, dtype, layout -> bytes read and written by a call whose largest tensor has 1000 elements.
TRAFFIC = [
    ("elu", "float32", "contiguous", 4000, 4000),
    ("elu_backward", "float16", "contiguous", 2000 + 2000, 2000),
    ("elu_backward is_result", "float64", "step-2", 8000 + 8000, 8000),
    ("selu_backward", "int8", "contiguous", 1000 + 1000, 1000),
    ("leaky_relu_backward", "bfloat16", "stride-0", 2 + 2000, 2000),  # grad_output is one element
    ("leaky_relu_backward", "float32", "one-transposed", 4000 + 4000, 4000),
    ("geglu none", "float32", "contiguous", 4000, 2000 + 2000),  # halves of 500; out and gelu
    ("geglu_backward none", "float32", "chunk", 2000 + 4000 + 2000, 4000),  # grad_output, self, gelu
    ("geglu_backward tanh no gelu", "bfloat16", "contiguous", 1000 + 2000, 2000),
]


@pytest.mark.parametrize(("title", "dtype", "layout", "read", "written"), TRAFFIC, ids=[t[0] for t in TRAFFIC])
def test_bytes_are_those_counted_by_hand(title: str, dtype: str, layout: str, read: int, written: int) -> None:
    case = case_of(title)
    assert traffic(tensors_of(case, layout, 1000, dtype)) == (read, written)


def test_means_keep_layouts_caches_and_threads_apart() -> None:
    def cell(layout: str, ours: float, theirs: float) -> results.Cell:
        taken = {f"{OURS} out": times([ours]), "aten out": times([theirs]), CEILING: times([ours / 2])}
        return results.Cell(
            "elu", "elu", {}, "float32", layout, 1000, (1000,), 2, "warm", 1, 4000, 4000, "leaky_relu", taken
        )

    first, second = results.means([cell("contiguous", 1, 2), cell("contiguous", 1, 8), cell("chunk", 3, 1)])
    assert (first.mean, first.cells, first.worst) == (pytest.approx(0.25), 2, 0.5)
    assert (second.layout, second.mean, second.cells) == ("chunk", pytest.approx(3), 1)
    assert "chunk" in second.worst_cell
    assert cell("chunk", 2, 1).of_ceiling == 0.5
    assert cell("chunk", 2, 1).rate(f"{OURS} out") == 4000


# Cases and layouts


def test_every_formula_and_every_way_of_giving_tensors_is_a_case() -> None:
    titles = [case.title for case in ALL_CASES]
    assert len(set(titles)) == len(titles)
    assert [t for t in titles if t.startswith(("elu_b", "gelu_b"))] == [
        "elu_backward", "elu_backward is_result", "gelu_backward none", "gelu_backward tanh",
    ]  # fmt: skip
    assert sum(t.startswith("geglu_backward") for t in titles) == 4


def test_results_are_given_where_results_are_taken() -> None:
    pool = case_of("elu_backward is_result").pool("float32")
    assert pool.main.min() > -1  # what elu(x, alpha=1) can be
    assert pool.others.min() < -2
    assert case_of("elu_backward").pool("float32").main.min() < -2


def test_numbers_of_another_deviation() -> None:
    for title, least in (("gelu none", 4.5), ("elu_backward is_result", 0.0)):  # a result of ELU is above -1
        pool = case_of(title).pool("float32", deviation=5.0)
        assert 4.9 < pool.others.std() < 5.1
        assert abs(pool.main.min()) > least
        assert pool.main.max() > 15


@pytest.mark.parametrize("layout", buffers.LAYOUTS)
@pytest.mark.parametrize("title", ["elu", "elu_backward", "geglu none", "geglu_backward tanh"])
def test_layouts_are_computed_right(title: str, layout: str) -> None:
    cell, _ = measure(case_of(title), layout=layout, size=6000)
    assert 4000 < prod(cell.shape) <= 6000
    assert cell.layout == layout


def test_layouts_are_what_they_say() -> None:
    def strides(layout: str, k: int = 1) -> tuple[int, ...]:
        tensor = tensors_of(case_of("elu_backward"), layout, 600).inputs[k]
        assert tensor is not None
        return tensor.strides

    assert buffers.shape_of("chunk", 600, False) == (25, 24)
    assert strides("contiguous") == (4,)
    assert strides("transposed") == strides("transposed", 0) == (4, 100)
    assert strides("chunk") == strides("chunk", 0) == (192, 4)
    assert (strides("one-transposed"), strides("one-transposed", 0)) == ((4, 100), (96, 4))
    assert strides("row-slice") == (96, 4)
    assert strides("step-2") == (192, 8)
    assert (strides("stride-0"), strides("stride-0", 0)) == ((96, 4), (0, 0))


@pytest.mark.parametrize("rank", [3, 5, 8])
@pytest.mark.parametrize("title", ["elu_backward", "geglu_backward none"])
def test_dimensions_of_a_rank_cannot_be_joined(title: str, rank: int) -> None:
    case = case_of(title)
    loop = case.plan(tensors_of(case, f"rank-{rank}", 200_000)).computation.loop
    assert len(loop.coalesced().shape) == rank


def test_buffers_are_aligned_and_cycled_beyond_the_cache() -> None:
    case = case_of("elu_backward")
    tensors = tensors_of(case, "contiguous", 1000)
    assert all(a is not None and a.ctypes.data % 64 == 0 for a in (*tensors.inputs, *tensors.outputs))
    assert buffers.sets(tensors, cache_bytes=60_000) == 10  # of 12,000 bytes each: twice the cache
    assert measure(case, cache="cold", size=100)[0].sets == 7  # 8192 / 1200
    large, _ = measure(case, cache="warm", size=10_000)
    assert (large.cache, large.sets) == ("cold", 1)  # whatever was asked for


# Timing


def test_contenders_take_turns_and_slow_ones_sit_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, log = [0.0], []
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    def contender(name: str, seconds: float) -> Contender:
        def call() -> None:
            log.append(name)
            clock[0] += seconds

        return Contender(name, [call])

    fast, slow = interleaved([contender("fast", 0.5), contender("slow", 10.0)], seconds=40.0)
    assert (fast.median, fast.runs, fast.calls) == (0.5, 40, 1)
    assert (slow.median, slow.runs, slow.calls) == (10.0, 7, 1)
    groups = ["".join(g) for _, g in groupby(name[0] for name in log[10:])]  # the first ten are estimates
    assert [g for g in groups if "s" in g] == ["ss"] * 7  # each one that is timed after one that is not
    assert sum(map(len, groups)) == 2 * (40 + 7)
    assert {len(g) for g in groups[1:-1] if "f" in g} <= {8, 10, 12, 14}  # evenly spread


def test_a_contender_follows_each_other_one_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the one before left in the caches would else count for or against always the same one."""
    clock, log = [0.0], []
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    def contender(name: str) -> Contender:
        def call() -> None:
            log.append(name)
            clock[0] += 1.0

        return Contender(name, [call])

    interleaved([contender(name) for name in "abcd"], seconds=600.0)
    turns = log[4 * 5 :: 2]  # after the estimates; of each run the call that is not timed
    before_a = [before for before, name in pairwise(turns) if name == "a" != before]
    assert len(before_a) > 200
    assert all(0.2 < before_a.count(name) / len(before_a) < 0.47 for name in "bcd")


def test_cold_calls_use_the_set_that_waited_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, log = [0.0], []
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    def call(number: int) -> Callable[[], None]:
        def run() -> None:
            log.append(number)
            clock[0] += 1e-3

        return run

    interleaved([Contender(name, [call(k) for k in range(5)]) for name in "ab"], 0.02, is_cold=True)
    assert log == [k % 5 for k in range(len(log))]


def test_short_calls_are_repeated_within_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    def call() -> None:
        clock[0] += 2.0**-20

    (t,) = interleaved([Contender("short", [call])], 0.01)
    assert t.calls == 210  # 200 microseconds
    assert t.median == pytest.approx(2.0**-20)


# The ceiling


@pytest.mark.share(6)
@pytest.mark.parametrize("title", [case.title for case in ALL_CASES])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_ceiling_moves_as_many_bytes(title: str, dtype: str) -> None:
    case = case_of(title)
    tensors = tensors_of(case, "contiguous", 4000, dtype)
    for contender in Cpu().ceilings(tensors, 2):
        assert contender.key.startswith(CEILING)
        assert len(contender.calls) == 2
    (ours, *_) = Cpu().ceilings(tensors, 1)
    plan = ours.calls[0].__self__  # type: ignore[attr-defined]
    moved = sum(tensor.nbytes for tensor in (*plan_arrays(plan), plan.result))
    assert moved == pytest.approx(sum(traffic(tensors)), rel=0.01)
    reads = len(plan_arrays(plan))
    read, written = traffic(tensors)
    assert reads == (2 if read / written > 1.4 else 1)


def plan_arrays(plan: Any) -> list[Any]:
    return [view.source for view in plan.inputs]


def test_expanded_operands_are_no_traffic_of_the_ceiling() -> None:
    case = case_of("elu_backward")
    (ours, *_) = Cpu().ceilings(tensors_of(case, "stride-0", 4000), 1)
    plan = ours.calls[0].__self__  # type: ignore[attr-defined]
    assert plan.result.nbytes == pytest.approx(16_000, rel=0.01)


def test_ceiling_is_a_copy_or_a_sum_in_either_library() -> None:
    pytest.importorskip("torch")
    for title, value in (("elu", 1), ("elu_backward", 2)):
        keys = []
        for contender in Cpu().ceilings(tensors_of(case_of(title), "contiguous", 10_000), 1):
            result = contender.calls[0]()
            keys.append(contender.key)
            if "torch" in contender.key:
                assert bool((result == value).all())
            else:
                np.testing.assert_array_equal(result, 1)
        assert keys == [f"{CEILING} {name}" for name in (
            ("leaky_relu", "torch.copy_") if value == 1 else ("leaky_relu_backward", "torch.add")
        )]  # fmt: skip


# The actgrad that is measured


def test_the_difference_between_versions_is_told_apart() -> None:
    """Version 0.1 has no access objects, and no question for a gradient from the result."""

    class First:
        def __init__(self, operator: Any):
            self.schema = operator.schema
            self.layout = "gated" if operator.access.is_packed else "elementwise"

    for operator in OPERATORS:  # those of version 0.1
        names = {*operator.schema.tensor_names, *operator.schema.outputs}
        assert set(subject.packed(operator)) & names == set(subject.packed(First(operator))) & names
        for case in (case for case in ALL_CASES if case.operator is operator):
            first, attributes = First(operator), case.all_attributes
            assert subject.takes_result(operator, attributes) == subject.takes_result(first, attributes), case.title


# What is wrong is not timed


@pytest.fixture
def wrong_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The CPU backend's kernels spoil one element of their first output."""
    from actgrad.backends import cpu

    prepare = cpu.prepare

    class Wrong:
        machine_code = None

        def __init__(self, computation: Any):
            self.kernel, self.itemsize = prepare(computation), computation.loop.outputs[0].dtype.itemsize

        def run(self, *addresses: int) -> None:
            self.kernel.run(*addresses)
            ctypes.memset(addresses[0] + 7 * self.itemsize, 0x41, self.itemsize)

    def clear() -> None:
        for operator in actgrad.operators.values():
            operator.forget()

    monkeypatch.setattr(cpu, "prepare", Wrong)
    clear()
    yield
    clear()


@pytest.mark.parametrize("title", ["elu_backward", "selu", "geglu_backward none"])
def test_a_wrong_kernel_is_refused(title: str, wrong_kernel: None) -> None:
    with pytest.raises(WrongResult, match=r"is wrong in 1 of \d+ elements looked at, for example 12\.\d+ for "):
        measure(case_of(title))


def test_a_wrong_integer_is_refused(wrong_kernel: None) -> None:
    with pytest.raises(WrongResult, match="is wrong in 1 of 64"):
        measure(case_of("selu"), dtype="int8")


def test_a_wrong_kernel_is_refused_in_latency_too(wrong_kernel: None) -> None:
    with pytest.raises(WrongResult, match="plan"):
        latency.measure(case_of("elu"), "float32", {}, Cpu(), 1e-6, empty())


def test_a_wrong_kernel_ends_the_command(wrong_kernel: None, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    assert main(["run", "elu", *TINY, "--peer", "none", "--measure", "throughput"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "benchmarks: elu, actgrad out: out is wrong in 1 of 64" in captured.err


def test_a_wrong_or_failing_peer_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(library: Any, case: Case) -> Any:
        return lambda tensors: lambda: tensors.inputs[0] + 1

    def failing(library: Any, case: Case) -> Any:
        raise RuntimeError("the backend said:\n\n no compiler\nand a long story")

    for name, form in (("wrong", wrong), ("failing", failing)):
        peer = Peer(name, "", lambda: np, {"new": form})
        monkeypatch.setitem(table.PEERS, name, peer)
    cell, notes = measure(case_of("elu"), ("wrong", "failing", "numpy"))
    assert list(cell.ratios) == ["numpy new"]
    first, second = notes
    assert first.startswith("wrong left out: elu, wrong new: out is wrong in 64 of 64")
    assert second == "failing: elu: RuntimeError: the backend said: no compiler"


@pytest.mark.needs("torch")
@pytest.mark.parametrize("case", WITH_PEERS, ids=lambda case: case.title)
def test_peers_compute_what_ours_computes(case: Case) -> None:
    """A peer has nothing to offer, or is right: no note says that it was wrong or raised."""
    pytest.importorskip("torch")
    pytest.importorskip("scipy")
    cell, notes = measure(case, ("aten", "eager", "numpy"))
    assert notes == []
    if case.title in ("swiglu", "swiglu_backward", "glu_backward", "sigmoid_backward complex_conj"):
        assert {peer.split()[0] for peer in cell.ratios} >= {"numpy", "aten" if "sw" not in case.title else "eager"}


@pytest.mark.parametrize("operator", [o for o in EVERY if o.aclnn], ids=lambda o: o.name)
def test_every_c_function_gets_its_arguments(operator: Any) -> None:
    """The latency of both phases: arguments in the C function's order."""
    case = cases(operator)[0]
    dtype = next((name for name in ("float32", "int32") if subject.takes(operator, name)), None)
    if dtype is None:
        pytest.skip("its arguments have several dtypes")
    tensors = case.tensors("contiguous", 64, case.pool(dtype), row=64)
    try:
        first, second, arguments = latency._aclnn(case, tensors)
    except Unavailable as error:
        pytest.skip(str(error))  # a product or a dtype that it lacks
    status, size, executor = first(*arguments)
    assert (status, second(None, size, executor, None)) == (0, 0)


def test_the_page_names_the_version_of_each_file() -> None:
    folder = ROOT / "docs" / "benchmarks"
    listed = re.findall(
        r"^\| \[\w+\]\((\w+\.json)\) \| (\S+) \| (\S+) \|", (folder / "README.md").read_text("utf-8"), re.M
    )
    machines = {path.name: results.read(path).machine for path in folder.glob("*.json")}
    assert sorted(listed) == sorted((name, m["versions"]["actgrad"], m["date"][:10]) for name, m in machines.items())


def test_the_line_of_a_table_names_the_version() -> None:
    assert machine.line().startswith(f"actgrad {actgrad.__version__}, 20")
