"""Machine code of LLVM modules: compiled, or loaded from the code cache. It lives as long as the process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import astuple

import llvmlite.binding as llvm
import llvmlite.ir as ir

from ...base import first_use
from . import code_cache, inner_loop, reduction
from .kernel_spec import KernelSpec
from .row_loop import ReductionSpec
from .target import Target

_engines: list[llvm.ExecutionEngine] = []  # this reference keeps the machine code
_compiled: dict[tuple[KernelSpec | ReductionSpec, Target], InnerLoopCode] = {}


class InnerLoopCode:
    """The addresses of an inner loop's functions (0 for one that it lacks), and the time to compile or load them."""

    def __init__(self, spec: KernelSpec | ReductionSpec, target: Target):
        begin = time.perf_counter()
        key = code_cache.key("row", astuple(spec), astuple(target))
        engine = load(key, lambda: inner_loop_module(spec, target), target)
        self.plain = engine.get_function_address("row")
        self.streaming = engine.get_function_address("row_streaming")
        self.milliseconds = 1000 * (time.perf_counter() - begin)


def inner_loop_code(spec: KernelSpec | ReductionSpec, target: Target) -> InnerLoopCode:
    """The machine code of an inner loop, compiled at most once."""
    key = (spec, target)
    code = _compiled.get(key)
    if code is None:
        code = first_use.run(lambda: _compiled.get(key) or _compiled.setdefault(key, InnerLoopCode(spec, target)))
    return code


def inner_loop_module(spec: KernelSpec | ReductionSpec, target: Target) -> ir.Module:
    """An LLVM module with the functions of an inner loop, or with the one function of a loop over rows."""
    module = ir.Module("row")
    (reduction if isinstance(spec, ReductionSpec) else inner_loop).emit(module, spec, target)
    return module


def assembly(spec: KernelSpec, target: Target) -> str:
    """The machine code of an inner loop as text, for any target, even one that this machine cannot run."""
    parsed, machine = optimised(inner_loop_module(spec, target), target)
    text: str = machine.emit_assembly(parsed)
    return text


def load(key: str, build: Callable[[], ir.Module], target: Target) -> llvm.ExecutionEngine:
    """Callable machine code: the cache's entry of `key`, or the compiled module that `build` returns."""
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


def optimised(module: ir.Module, target: Target) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    """`module` after LLVM's optimiser. The vectorisers are off, because the code already uses vectors."""
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
