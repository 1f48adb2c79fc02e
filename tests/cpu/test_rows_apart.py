"""Large tensors with rows that are apart in memory: rows are prefetched, or copied before their use. Same bits."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import llvmlite.ir as ir
import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.backends.cpu import code_cache, engine, half_tables, jit, schedule, target, tuning
from actgrad.backends.cpu.call_block import Block
from actgrad.backends.cpu.ir_builder import IRFunction
from actgrad.backends.cpu.ir_types import I64, PTR
from actgrad.backends.cpu.schedule import Schedule
from actgrad.backends.cpu.target import LINE
from actgrad.base.dtypes import BY_NAME
from tests.support.calls import OPERATORS, ids, inputs, off_defaults, same_bits, supported

pytestmark = pytest.mark.share(8)

ELEMENTWISE = [operator for operator in OPERATORS if not operator.access.is_packed]
IN_HALVES = [operator for operator in OPERATORS if operator.access.is_packed]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of any size count as large."""
    monkeypatch.setattr(schedule, "_last_cache_bytes", lambda: 0)


def use_tuning(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Compile for this machine with a changed tuning."""
    host = target.host()
    monkeypatch.setattr(engine, "host", lambda: replace(host, tuning=replace(host.tuning, **changes)))


@pytest.fixture(params=[tuning.AVX512, tuning.AVX2], ids=["avx512", "avx2"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuning.RowReading:
    """One processor's tuning for rows, on any processor."""
    use_tuning(monkeypatch, row_reading=request.param.row_reading)
    return request.param.row_reading  # type: ignore[no-any-return]


def floats(operator: actgrad.Operator) -> list[str]:
    return [name for name in supported(operator) if BY_NAME[name].kind == "float"]


def columns_of(room: np.ndarray, before: int, after: int) -> np.ndarray:
    return room[..., before : room.shape[-1] - after]


def within(array: np.ndarray, before: int, after: int) -> np.ndarray:
    """The same elements as a slice of columns of a wider array, whose other elements are NaN."""
    room = np.full((*array.shape[:-1], before + array.shape[-1] + after), np.nan).astype(array.dtype)
    columns_of(room, before, after)[...] = array
    return columns_of(room, before, after)


def how_it_runs(operator: actgrad.Operator, tensors: list[Any], wanted: Any, **attributes: Any) -> str:
    """The kernel's description. Its results must be `wanted`, in slices of columns, and nothing beside these."""
    rooms = [np.full((*w.shape[:-1], 3 + w.shape[-1] + 5), np.nan).astype(w.dtype) for w in wanted]
    outputs = tuple(columns_of(room, 3, 5) for room in rooms)
    plan = operator.plan(*tensors, out=outputs if len(outputs) > 1 else outputs[0], backend="reference", **attributes)
    kernel = engine.prepare(plan.computation)
    kernel.run(*plan.addresses)
    for output, room, w in zip(outputs, rooms, wanted, strict=True):
        assert same_bits(output, w)
        assert np.isnan(room[..., :3]).all()
        assert np.isnan(room[..., -5:]).all()
    return str(kernel)


@pytest.mark.parametrize("operator", ELEMENTWISE, ids=ids)
def test_slices_of_columns(operator: actgrad.Operator, reading: tuning.RowReading) -> None:
    """Rows shorter than a chunk, as long, and of several with a remainder; from a line of the cache on and beside."""
    rng, attributes = np.random.default_rng(3), off_defaults(operator)
    shapes = [(3, 255), (7, 256), (4, 1030), (2, 3, 700)]
    for dtype, shape, before in itertools.product(floats(operator), shapes, (16, 1)):
        tensors = list(inputs(rng, operator, shape, dtype).values())
        wanted = samples.as_tuple(operator(*tensors, **attributes))
        how = how_it_runs(operator, [within(t, before, 9) for t in tensors], wanted, **attributes)
        assert f", {len(tensors)} prefetched" in how, (dtype, shape)


def test_only_where_all_inputs_end() -> None:
    """Not beside an input that goes on, and not along rows of 17 KiB; upwards as well as downwards."""
    x = np.random.default_rng(4).standard_normal((6, 9000)).astype(np.float32)
    part, long = x[:, :1000], x[:, : 17 * 256]
    whole, copy = np.array(part), np.array(long)
    of_two = samples.as_tuple(actgrad.elu_backward(whole, whole))
    assert "2 prefetched" in how_it_runs(actgrad.elu_backward, [part, part[:]], of_two)
    assert "fetched" not in how_it_runs(actgrad.elu_backward, [part, whole], of_two)
    assert "fetched" not in how_it_runs(actgrad.elu, [long], samples.as_tuple(actgrad.elu(copy)))
    assert "1 prefetched" in how_it_runs(actgrad.elu, [part[::-1]], samples.as_tuple(actgrad.elu(whole[::-1])))
    one = np.broadcast_to(whole[0], whole.shape)
    of_one = samples.as_tuple(actgrad.elu_backward(np.array(one), whole))
    assert "fetched" not in how_it_runs(actgrad.elu_backward, [one, part], of_one)


def test_only_where_tensors_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    x = np.ones((40, 2000), np.float32)
    for plan in (actgrad.elu.plan(x[:, :1000]), actgrad.geglu.plan(x)):
        assert "tiles of" in str(plan)
        assert not re.search("copied|fetched|streaming", str(plan))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Several would write into a log at once."""
    before = actgrad.get_num_threads()
    actgrad.set_num_threads(1)
    yield
    actgrad.set_num_threads(before)


class Log:
    """The addresses that a driver and its inner loops prefetch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int = 1 << 16):
        self.words = np.zeros(1 + most, np.int64)  # the first one counts the others

        def prefetch(f: IRFunction, address: ir.Value) -> None:
            log = f.inttoptr(I64(self.words.ctypes.data), PTR)
            place = f.add(f.word(log, 0), I64(1))
            f.store(f.ptrtoint(address, I64), f.word_at(log, place))
            f.store(place, log)

        monkeypatch.setattr(IRFunction, "prefetch", prefetch)
        monkeypatch.setattr(jit, "_compiled", {})
        monkeypatch.setattr(code_cache, "load", lambda key: None)
        monkeypatch.setattr(code_cache, "store", lambda key, code: None)
        monkeypatch.setattr(engine, "_loaded", [])  # the driver is compiled anew, with this log

    def lines(self) -> list[int]:
        return sorted({int(address) // LINE for address in self.words[1 : 1 + self.words[0]]})


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("dtype", "columns", "result"),
    [
        ("float32", 130, "float32"), ("float32", 1000, "float32"), ("bfloat16", 2032, "bfloat16"),
        ("float16", 4000, "float32"),
    ],
)  # fmt: skip
def test_lines_that_rows_prefetch(
    dtype: str, columns: int, result: str, reading: tuning.RowReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line of a later row's beginning, or of all of it, and nothing beside it. No result would tell."""
    log, itemsize = Log(monkeypatch), BY_NAME[dtype].itemsize
    rows, pitch = 12, 8192
    memory = np.zeros(rows * pitch + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    x = memory[start : start + rows * pitch].view(BY_NAME[dtype].numpy).reshape(rows, -1)[:, :columns]
    plan = actgrad.leaky_relu.plan(x, out=np.empty((rows, columns), BY_NAME[result].numpy), backend="reference")
    kernel = engine.prepare(plan.computation)
    kernel.run(*plan.addresses)
    bytes_ = columns * itemsize
    prefetched, later = min(bytes_, reading.prefetched), -(-schedule.DISTANCE // bytes_)
    wanted = {
        x[0].ctypes.data // LINE + (row + later) * pitch // LINE + line
        for row in range(rows) for line in range(-(-prefetched // LINE))
    }  # fmt: skip
    asked = log.lines()
    assert wanted <= set(asked)
    # The first chunk begins where streaming into the output is aligned, and so may be longer.
    most = -(-min(bytes_, prefetched + reading.chunk) // LINE)
    assert {(line - min(wanted)) % (pitch // LINE) for line in asked} <= set(range(most))
    assert {(line - min(wanted)) // (pitch // LINE) for line in asked} == set(range(rows))


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_lines_that_long_formulas_prefetch(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of the inputs from `distance` bytes after their beginnings on, and hardly more than a step beyond."""
    numpy, distance, count = BY_NAME[dtype].numpy, 8 * LINE, 5003
    use_tuning(monkeypatch, prefetch_bytes=distance)
    no_tables = Mock(of_results=lambda *_: None, of_formulas=lambda computation: [], emit=half_tables.emit)
    monkeypatch.setattr(engine, "half_tables", no_tables)
    log = Log(monkeypatch)
    grad, x = (np.zeros(count + k, numpy)[k:] for k in (0, 1))

    def asked(operator: actgrad.Operator, *tensors: np.ndarray, **attributes: Any) -> set[int]:
        log.words[0] = 0
        plan = operator.plan(*tensors, out=np.empty(count, numpy), backend="reference", **attributes)
        kernel = engine.prepare(plan.computation)
        kernel.run(*plan.addresses)
        return set(log.lines())

    lines_asked = asked(actgrad.elu_backward, grad, x, is_result=False)
    if not target.host().fence:  # nothing is streamed
        assert not lines_asked
        return
    step = target.host().tuning.unroll * target.host().vector_bytes
    for tensor in (grad, x):
        begin, end = tensor.ctypes.data + distance, tensor.ctypes.data + tensor.nbytes
        assert set(range(-(-begin // LINE), (end - step) // LINE)) <= lines_asked
        lines_asked -= set(range(begin // LINE, (end + step) // LINE + 1))
    assert not lines_asked
    assert not asked(actgrad.leaky_relu_backward, grad, x)


@pytest.mark.parametrize("threads", [1, 2])
def test_in_place(threads: int, reading: tuning.RowReading) -> None:
    """More rows than a tile has; what is written is what was read, or copied, or fetched before."""
    rng, before = np.random.default_rng(6), actgrad.get_num_threads()
    x, grad = (rng.standard_normal((257, n)).astype(np.float32) for n in (2 * 301, 301))
    halves, columns = actgrad.geglu_backward(grad, x), actgrad.gelu(np.array(x[:, :301]))
    packed, part = x.copy(), x.copy()[:, :301]
    actgrad.set_num_threads(threads)
    try:
        for operator, tensors, out, how in (
            (actgrad.geglu_backward, [grad, packed], packed, "1 copied by rows"),
            (actgrad.gelu, [part], part, "1 prefetched"),
        ):
            plan = operator.plan(*tensors, out=out, backend="reference")
            kernel = engine.prepare(plan.computation)
            assert how in str(kernel)
            kernel.run(*plan.addresses)
    finally:
        actgrad.set_num_threads(before)
    assert same_bits(packed, halves)
    assert same_bits(part, columns)


@pytest.mark.parametrize("operator", IN_HALVES, ids=ids)
def test_halves_are_read_as_one_run(operator: actgrad.Operator, reading: tuning.RowReading) -> None:
    """Either half may be the active one; the packed tensor is contiguous, or lies within a wider one."""
    rng = np.random.default_rng(5)
    for dtype, shape, left in itertools.product(floats(operator), [(3, 100), (2, 1030), (2, 4100)], (False, True)):
        attributes = {**off_defaults(operator), "dim": -1, "activate_left": left}
        attributes = {name: value for name, value in attributes.items() if name in operator.defaults}
        tensors = inputs(rng, operator, shape, dtype)
        wanted = samples.as_tuple(operator(*tensors.values(), **attributes))
        name = next(name for name in tensors if operator.access.part_count(name) > 1)
        for packed in (tensors[name], within(tensors[name], 7, 2)):
            how = how_it_runs(operator, list({**tensors, name: packed}.values()), wanted, **attributes)
            is_short = shape[-1] * BY_NAME[dtype].itemsize <= reading.longest_copied
            assert (", 1 copied by rows" in how) == is_short, (dtype, shape, how)
            assert "fetched" not in how


@pytest.mark.parametrize("apart", [0, 64, 2048])
@pytest.mark.parametrize("operator", [o for o in OPERATORS if len(o.schema.outputs) > 1], ids=ids)
def test_outputs_at_any_places_of_their_pages(operator: actgrad.Operator, apart: int) -> None:
    """Which decides, on some processors, whether they are streamed; either way they are whole, and the same bits."""
    rng, attributes = np.random.default_rng(6), off_defaults(operator)
    tensors = inputs(rng, operator, (6, 2080) if operator.access.is_packed else (9, 1400), "float32")
    wanted = samples.as_tuple(operator(*tensors.values(), **attributes))
    outputs = []
    for k, w in enumerate(wanted):
        room = np.full(w.nbytes + 8192, 0xA5, np.uint8)
        start = -room.ctypes.data % 4096 + k * apart
        outputs.append(room[start : start + w.nbytes].view(w.dtype).reshape(w.shape))
        outputs[-1][...] = np.nan
    plan = operator.plan(*tensors.values(), out=tuple(outputs), backend="reference", **attributes)
    kernel = engine.prepare(plan.computation)
    assert ("streaming" in str(kernel)) == bool(kernel.target.fence)
    kernel.run(*plan.addresses)
    assert all(map(same_bits, outputs, wanted))


@pytest.mark.parametrize("apart", [0, 64, 128, 2048, 4096 - 128, 4096 - 64])
def test_which_two_outputs_are_streamed(apart: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those within a line of the same place of their pages, where a line takes several stores.

    Another formula streams here.
    """
    x = np.random.default_rng(7).normal(size=(6, 2048)).astype(np.float32)
    erf, tanh = (actgrad.geglu(x, approximate=a)[1] for a in ("none", "tanh"))
    tanh_kernel = engine.prepare(actgrad.geglu.plan(x, approximate="tanh", backend="reference").computation)
    streaming = tanh_kernel._block[Block.ROW_STREAMING]
    words = Schedule.words
    monkeypatch.setattr(Schedule, "words", lambda self, row, _, scalars: words(self, row, streaming, scalars))
    room = np.full(2 * erf.nbytes + 8192, 0xA5, np.uint8)
    begins = [-room.ctypes.data % 4096 + k * (erf.nbytes + apart) for k in range(2)]
    assert erf.nbytes % 4096 == 0
    outputs = tuple(room[begin : begin + erf.nbytes].view(np.float32).reshape(erf.shape) for begin in begins)
    plan = actgrad.geglu.plan(x, out=outputs, approximate="none", backend="reference")
    kernel = engine.prepare(plan.computation)
    kernel.run(*plan.addresses)
    disturbs = min(apart, 4096 - apart) <= LINE and kernel.target.tuning.streams_interfere
    is_streamed = bool(kernel.target.fence) and not disturbs
    assert same_bits(outputs[1], tanh if is_streamed else erf)
