"""Compiles row functions and the driver, keeps them, and turns a computation into a kernel."""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import astuple, replace
from functools import partial
from typing import NamedTuple

import llvmlite.binding as llvm
import llvmlite.ir as ir
import numpy as np

from ...base import first_use
from ...base.computation import Computation
from ...base.loop import Loop
from . import code_cache, driver, inner_loop, schedule, threads
from . import half_tables as lookup
from .driver import Block
from .inner_loop import Row
from .target import Target, host

_engines: list[llvm.ExecutionEngine] = []  # machine code lives as long as the process
_compiled: dict[tuple[Row, Target], RowCode] = {}
#: By what they hold; scalars by their words, for 0.0 and -0.0 differ. Kernels and what was made of them point to these.
_tables: dict[tuple[tuple[Computation, tuple[int, ...]], ...], lookup.Table] = {}


class RowCode:
    """The addresses of a row's machine code, and how long it took to make it or to load it from disk."""

    def __init__(self, row: Row, target: Target):
        begin = time.perf_counter()
        key = code_cache.key("row", astuple(row), astuple(target))
        engine = _load(key, lambda: _row_module(row, target), target)
        self.plain = engine.get_function_address("row")
        self.streaming = engine.get_function_address("row_streaming")
        self.milliseconds = 1000 * (time.perf_counter() - begin)


def optimised(module: ir.Module, target: Target) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    """`module` through LLVM's optimiser. It is vector code already: vectorising it again only costs time."""
    module.triple = target.triple
    machine = target.machine()
    module.data_layout = str(machine.target_data)
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(parsed, passes)
    return parsed, machine


def assembly(row: Row, target: Target) -> str:
    """The machine code of a row as text, for any target; it need not run here."""
    parsed, machine = optimised(_row_module(row, target), target)
    text: str = machine.emit_assembly(parsed)
    return text


def _row_module(row: Row, target: Target) -> ir.Module:
    module = ir.Module("row")
    inner_loop.emit(module, row, target)
    return module


def _load(key: str, build: Callable[[], ir.Module], target: Target) -> llvm.ExecutionEngine:
    """The machine code of `key`, from disk or else compiled from what `build` returns, ready to be called."""
    code = code_cache.load(key)
    if code is None:
        parsed, machine = optimised(build(), target)
        code = machine.emit_object(parsed)
        code_cache.store(key, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return engine


class Doors(NamedTuple):
    """The driver's machine code: a function for ctypes, and the addresses of it and of the others."""

    launch: Callable[[ctypes.Array[ctypes.c_int64], bytes], int]
    run: int
    lookup: int
    lookup_streaming: int


_made: list[Doors] = []  # once they are


def _doors() -> Doors:
    """The driver, compiled once."""
    return _made[0] if _made else first_use.run(_make_doors)


def _make_doors() -> Doors:
    if _made:
        return _made[0]  # another thread was first
    threads.add_symbols()
    target = host()
    engine = _load(code_cache.key("driver", astuple(target)), lambda: _driver_module(target), target)
    addresses = [engine.get_function_address(name) for name in ("run", "lookup", "lookup_streaming")]
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
    _made.append(Doors(function(addresses[0]), *addresses))
    return _made[0]


def _driver_module(target: Target) -> ir.Module:
    module = ir.Module("driver")
    driver.emit(module, target)
    lookup.emit(module)
    return module


_PACK = tuple(struct.Struct(f"<{count}q").pack for count in range(driver.MAX_OPERANDS + 1))


def launch(block: ctypes.Array[ctypes.c_int64], *addresses: int) -> None:
    """Compute a call block; ctypes lets other Python threads run meanwhile."""
    if not _made[0].launch(block, _PACK[len(addresses)](*addresses)):
        raise MemoryError("the CPU backend has no memory for a thread's stage")


def row_code(row: Row, target: Target) -> RowCode:
    """The machine code of a row, compiled at most once."""
    key = (row, target)
    code = _compiled.get(key)
    if code is None:
        code = first_use.run(lambda: _compiled.get(key) or _compiled.setdefault(key, RowCode(row, target)))
    return code


def _table(*held: Computation) -> lookup.Table | None:
    """A table of what these compute, side by side, made at most once; None where there are as many as there may be."""
    key = tuple((replace(one, scalars=()), _words(one.scalars)) for one in held)
    table = _tables.get(key)
    if table is None and len(_tables) < lookup.MOST_TABLES:
        columns = []
        for one in held:
            kernel = CpuKernel(one)  # named, to live until it has run
            columns.append(lookup.filled(one, kernel.run))
        table = _tables.setdefault(key, np.stack(columns, axis=1))
    return table


def _words(scalars: Sequence[float]) -> tuple[int, ...]:
    return tuple(struct.unpack("<q", struct.pack("<d", scalar))[0] for scalar in scalars)


def _are_one(scalars: Sequence[float]) -> bool:
    """Whether these are worth a row function of their own: all 1, as the defaults of many formulas.

    Not where only some are: that would be up to 2**n row functions for n scalars, for calls that hardly anyone makes.
    """
    return bool(scalars) and all(scalar == 1.0 for scalar in scalars)


class CpuKernel:
    """A computation as machine code."""

    def __init__(self, computation: Computation):
        loop = computation.loop.coalesced()
        self.target = host()
        self.walk = schedule.plan(loop, self.target)
        self.doors = _doors()
        self.milliseconds = 0.0  # that machine code of its own took
        self.has_scalars_of_one = _are_one(computation.scalars)
        self.is_looked_up = True
        words = self._words_of_lookup(computation)
        if words is None:
            table = self._values(computation)
            self.is_looked_up = bool(table)
            code = self._code(computation, loop, has_table=bool(table))
            words = self.walk.words(code.plain, code.streaming, (*_words(computation.scalars), *table))
        self._block = (ctypes.c_int64 * len(words))(*words)
        self.run = partial(launch, self._block)

    def _words_of_lookup(self, computation: Computation) -> list[int] | None:
        """The call block where results are looked up."""
        held = lookup.of_results(computation)
        table = None if held is None or any(self.walk.spread) else _table(held)
        if table is None:
            return None
        return self.walk.words(self.doors.lookup, self.doors.lookup_streaming, (table.ctypes.data,))

    def _values(self, computation: Computation) -> tuple[int, ...]:
        """The address of the formulas' values where they are looked up."""
        held = lookup.of_formulas(computation) if self.target.lookups else []
        table = _table(*held) if held else None
        return () if table is None else (table.ctypes.data,)

    def _code(self, computation: Computation, loop: Loop, has_table: bool) -> RowCode:
        row = Row(
            computation.element,
            computation.formulas,
            len(computation.scalars),
            computation.compute,
            tuple(o.dtype for o in loop.outputs),
            tuple(o.dtype for o in loop.inputs),
            self.walk.spread,
            has_table,
            self.has_scalars_of_one,
        )
        code = row_code(row, self.target)
        self.milliseconds = code.milliseconds
        return code

    def __str__(self) -> str:
        how = ", looked up" if self.is_looked_up else ""
        return f"{self.target}, {self.walk}{how}; machine code in {self.milliseconds:.0f} ms"

    @property
    def machine_code(self) -> tuple[int, int]:
        return self.doors.run, ctypes.addressof(self._block)

    def with_scalars(self, computation: Computation) -> CpuKernel | None:
        """The kernel of a computation that differs in its scalars alone; None where these take other machine code."""
        if self.is_looked_up or self.has_scalars_of_one or _are_one(computation.scalars):
            return None
        kernel = copy(self)
        kernel._block = type(self._block).from_buffer_copy(self._block)
        kernel._block[Block.SCALARS : Block.SCALARS + len(computation.scalars)] = list(_words(computation.scalars))
        kernel.run = partial(launch, kernel._block)
        return kernel


class EmptyKernel:
    """A computation on no elements."""

    def __str__(self) -> str:
        return "nothing to compute"

    machine_code = None
    with_scalars = None

    def run(self, *addresses: int) -> None:
        """Do nothing."""


def prepare(computation: Computation) -> CpuKernel | EmptyKernel:
    """The computation as a kernel."""
    threads.adopt_runtime()
    return CpuKernel(computation) if computation.loop.size else EmptyKernel()
