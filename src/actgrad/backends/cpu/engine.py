"""Kernels: a computation's schedule, its machine code or its tables, and the call block that joins them."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import astuple
from functools import partial
from itertools import chain
from typing import NamedTuple

import llvmlite.ir as ir
import numpy as np

from ...base import first_use
from ...base.computation import Computation
from ...base.dtypes import BY_NAME
from ...base.loop import Loop
from ..formula.tracing import pattern
from ..kernel import BackendKernel, EmptyKernel
from . import code_cache, driver, half_tables, jit, row_loop, schedule, threads
from .call_block import MAX_OPERANDS, Block
from .jit import InnerLoopCode
from .kernel_spec import KernelSpec
from .target import Target, host

#: Tables by computations and by the bits of the scalars (0.0 differs from -0.0). Call blocks point to these tables.
_tables: dict[tuple[tuple[Computation, tuple[int, ...]], ...], half_tables.Table] = {}


class EntryPoints(NamedTuple):
    """The driver's machine code: `run` for ctypes, and the addresses of its functions."""

    launch: Callable[[ctypes.Array[ctypes.c_int64], bytes], int]
    run: int
    lookup: int
    lookup_streaming: int


_loaded: list[EntryPoints] = []  # the list has one item after the first use


def _entry_points() -> EntryPoints:
    """The driver's entry points, compiled once."""
    if not _loaded:
        first_use.run(_load_driver)
    return _loaded[0]


def _load_driver() -> None:
    if _loaded:  # another thread has loaded the driver first
        return
    threads.add_symbols()
    target = host()
    code = jit.load(code_cache.key("driver", astuple(target)), lambda: _driver_module(target), target)
    addresses = [code.get_function_address(name) for name in ("run", "lookup", "lookup_streaming")]
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
    _loaded.append(EntryPoints(function(addresses[0]), *addresses))


def _driver_module(target: Target) -> ir.Module:
    module = ir.Module("driver")
    driver.emit(module, target)
    half_tables.emit(module)
    return module


_PACK = tuple(struct.Struct(f"<{count}q").pack for count in range(MAX_OPERANDS + 1))


def launch(block: ctypes.Array[ctypes.c_int64], *addresses: int) -> None:
    """Run the computation of a call block. ctypes releases the GIL, so other Python threads run meanwhile."""
    if not _loaded[0].launch(block, _PACK[len(addresses)](*addresses)):
        raise MemoryError(
            "a thread's buffer was not allocated; each thread must have one; free memory or use fewer threads"
        )


def _table(*columns: Computation) -> half_tables.Table | None:
    """The table of these computations, one column each, filled once. None if MOST_TABLES other tables exist."""
    key = tuple((column._replace(scalars=()), _words(column.scalars)) for column in columns)
    table = _tables.get(key)
    if table is None and len(_tables) < half_tables.MOST_TABLES:
        values = []
        for column in columns:
            kernel = CpuKernel(column)  # a variable keeps the kernel alive until it has run
            values.append(half_tables.compute_table(column, kernel.run))
        table = _tables.setdefault(key, np.stack(values, axis=1))
    return table


def _words(scalars: Sequence[float]) -> tuple[int, ...]:
    return tuple(pattern(scalar, is_double=True) for scalar in scalars)


def _are_one(scalars: Sequence[float]) -> bool:
    """Whether all scalars are 1, the default of many formulas, so that a separate inner loop saves time.

    A separate loop for each subset of scalars that are 1 would mean up to 2**n loops for n scalars, for rare calls.
    """
    return bool(scalars) and all(scalar == 1.0 for scalar in scalars)


class CpuKernel:
    """A computation as machine code."""

    def __init__(self, computation: Computation):
        loop = computation.loop.coalesced()
        self.target = host()
        self.schedule = schedule.plan(loop, self.target)
        self.entry_points = _entry_points()
        self.milliseconds = 0.0  # time to compile or load the machine code of this kernel
        self.has_scalars_of_one = _are_one(computation.scalars)
        self.has_table = True
        words = self._words_of_lookup(computation)
        if words is None:
            table = self._formula_table(computation)
            self.has_table = bool(table)
            code = self._code(computation, loop, self.schedule.streaming)
            words = self.schedule.words(code.plain, code.streaming, (*_words(computation.scalars), *table))
        self._block = (ctypes.c_int64 * len(words))(*words)
        self.run = partial(launch, self._block)

    def _words_of_lookup(self, computation: Computation) -> list[int] | None:
        """The call block that looks results up, or None if no table of results exists."""
        results = half_tables.of_results(computation, self.target.tuning)
        table = None if results is None or any(self.schedule.broadcast) else _table(results)
        if table is None:
            return None
        entry_points = self.entry_points
        return self.schedule.words(entry_points.lookup, entry_points.lookup_streaming, (table.ctypes.data,))

    def _formula_table(self, computation: Computation) -> tuple[int, ...]:
        """The address of the table of the formulas' values, or an empty tuple if the inner loop computes the values."""
        columns = half_tables.of_formulas(computation) if self.target.tuning.uses_formula_tables else []
        table = _table(*columns) if columns else None
        return () if table is None else (table.ctypes.data,)

    def _code(self, computation: Computation, loop: Loop, streams: bool) -> InnerLoopCode:
        spec = KernelSpec(
            computation.element,
            computation.formulas,
            len(computation.scalars),
            computation.compute,
            tuple(o.dtype for o in loop.outputs),
            tuple(o.dtype for o in loop.inputs),
            self.schedule.broadcast,
            self.has_table,
            self.has_scalars_of_one,
            streams,
        )
        code = jit.inner_loop_code(spec, self.target)
        self.milliseconds = code.milliseconds
        return code

    def __str__(self) -> str:
        how = ", looked up" if self.has_table else ""
        return f"{self.target}, {self.schedule}{how}; machine code in {self.milliseconds:.0f} ms"

    @property
    def machine_code(self) -> tuple[int, int]:
        return self.entry_points.run, ctypes.addressof(self._block)

    def with_scalars(self, computation: Computation) -> CpuKernel | None:
        """The kernel of a computation that differs only in its scalars. None if these need other machine code."""
        if self.has_table or self.has_scalars_of_one or _are_one(computation.scalars):
            return None
        kernel = self._copied()
        kernel._block[Block.SCALARS : Block.SCALARS + len(computation.scalars)] = list(_words(computation.scalars))
        return kernel

    def with_size(self, size: int) -> CpuKernel | None:
        """The kernel for another number of elements, if all operands are contiguous.

        None if only one of the two uses a table or streaming stores.
        """
        resized = self.schedule.resized(size, self.target)
        uses_table = half_tables.is_worth(self.schedule.loop.size)
        if half_tables.is_worth(size) is not uses_table or resized.streaming is not self.schedule.streaming:
            return None
        kernel = self._copied()
        kernel.schedule = resized
        kernel._block[Block.UNITS] = size
        return kernel

    def _copied(self) -> CpuKernel:
        """A copy of this kernel with a separate call block."""
        kernel = CpuKernel.__new__(CpuKernel)
        kernel.__dict__.update(self.__dict__)
        kernel._block = type(self._block).from_buffer_copy(self._block)
        kernel.run = partial(launch, kernel._block)
        return kernel


class RowKernel:
    """The machine code of a computation whose elements use statistics of their rows."""

    def __init__(self, computation: Computation):
        loop, statistics = computation.loop, computation.statistics
        assert statistics is not None
        self.target, self.entry_points = host(), _entry_points()
        self.plan = plan = schedule.plan_rows(loop, statistics.dims)
        dtypes = tuple(o.dtype for o in loop.outputs), tuple(o.dtype for o in loop.inputs)
        spec = KernelSpec(
            computation.element, computation.formulas, len(computation.scalars), computation.compute, *dtypes,
            broadcast=(False,) * len(loop.inputs),
        )  # fmt: skip
        lanes = tuple(map(row_loop.lanes_of, loop.operands, plan.lane_strides))
        statistics = statistics.changed(dims=len(plan.sizes))
        row_bytes = plan.sizes[-1] * BY_NAME[computation.compute].itemsize
        streams = (
            bool(self.target.fence and plan.outputs_are_large and not plan.across)
            and all(o.dtype.itemsize >= 4 for o in loop.outputs)  # whole lines
            and (not statistics.replaces_inputs or row_bytes <= row_loop.TERM_BYTES)
        )
        rows = row_loop.ReductionSpec(spec, statistics, plan.across, lanes, plan.is_large, streams)
        self.code = code = jit.inner_loop_code(rows, self.target)
        scalars = (*_words(computation.scalars), *plan.sizes, *chain.from_iterable(plan.strides))
        words = plan.schedule.words(code.plain, 0, scalars)
        self._block = (ctypes.c_int64 * len(words))(*words)
        self.run = partial(launch, self._block)

    def __str__(self) -> str:
        lanes = "rows" if self.plan.across else "elements of a row"
        return f"{self.target}, lanes are {lanes}; machine code in {self.code.milliseconds:.0f} ms"

    @property
    def machine_code(self) -> tuple[int, int]:
        return self.entry_points.run, ctypes.addressof(self._block)

    with_scalars = None
    with_size = None


def prepare(computation: Computation) -> BackendKernel:
    """The kernel of a computation."""
    threads.adopt_runtime()
    if computation.is_empty:
        return EmptyKernel()
    return CpuKernel(computation) if computation.statistics is None else RowKernel(computation)


def compile_for_any_size(computation: Computation) -> None:
    """Compile the machine code of a computation: for its size, and for sizes whose kernels have streaming stores."""
    kernel = prepare(computation)
    if isinstance(kernel, CpuKernel) and kernel.target.fence:
        kernel._code(computation, computation.loop.coalesced(), streams=True)
