"""The ceiling: how fast this machine, in this process, moves the bytes that an operator must move.

A kernel of the engine's that does as little as one can: each output is the sum of the inputs, with as many inputs and
outputs as the operator's kernel has, each of as many bytes, contiguous, on the same threads. It is not the operator's
kernel: it has one addition per input, and it computes in float32 whatever the operator's dtype, so that conversions
are no part of it. It is timed in two forms, between the runs of the operator: with streaming stores, which do not read
what they overwrite and are the fastest for memory, and with plain ones, which are the fastest inside the caches. The
faster one is the ceiling.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.loop import Loop, Operand, row_major
from ..calls.plan import Plan
from . import buffers
from .buffers import Array
from .results import CEILING
from .timing import Call, Contender

STREAMING, PLAIN = "streaming stores", "plain stores"
_FLOAT = BY_NAME["float32"]
_WORD = _FLOAT.itemsize
_ONES = np.ones(buffers.POOL, np.float32)


def _sum_once(*inputs: Any) -> tuple[Any]:
    """The sum of the inputs, at least one; like every element function generic in its number type."""
    total = inputs[0]
    for x in inputs[1:]:
        total = total + x
    return (total,)


def _sum_twice(*inputs: Any) -> tuple[Any, Any]:
    """The sum of the inputs, for each of two outputs."""
    (total,) = _sum_once(*inputs)
    return total, total


def computation(plan: Plan) -> Computation:
    """The computation that moves the same bytes as a plan: floats, as many per operand as its elements fill.

    Expanded operands, which are read from the caches, are left out; one input at least remains.
    """
    loop = plan.computation.loop
    itemsize = max(o.dtype.itemsize for o in loop.operands)
    count = max(1, loop.size * itemsize // _WORD)
    sources = [o for o in loop.inputs if all(o.strides)] or list(loop.inputs[:1])
    outputs, inputs = len(loop.outputs), len(sources)
    strides = row_major((count,), _WORD)
    operands = [Operand(k, _FLOAT, 0, strides) for k in range(outputs + inputs)]
    if not any(all(o.strides) for o in loop.inputs):
        operands[-1] = Operand(outputs, _FLOAT, 0, (0,))
    element: Callable[..., Any] = {1: _sum_once, 2: _sum_twice}[outputs]
    return Computation(element, (), (), "float32", Loop((count,), tuple(operands[:outputs]), tuple(operands[outputs:])))


def tensors(described: Computation) -> list[Array]:
    """Memory for the outputs and then the inputs."""
    return [buffers.LAYOUTS["contiguous"].make(described.loop.shape, _ONES, "other") for _ in described.loop.operands]


@dataclass(frozen=True)
class Form:
    """One form of the ceiling."""

    name: str
    launch: Callable[..., object]
    block: Any  # the engine's call block

    def bind(self, memory: list[Array]) -> Call:
        """The call on this memory: outputs, then inputs."""
        call = partial(self.launch, self.block, *(a.ctypes.data for a in memory))
        vars(call)["keeps"] = memory  # the call knows its addresses only
        return call


def forms(described: Computation) -> list[Form]:
    """The forms that this processor has."""
    from ..backends.cpu import engine
    from ..backends.cpu.inner_loop import Row

    kernel = engine.CpuKernel(described)
    loop = kernel.walk.loop
    dtypes = tuple(o.dtype for o in loop.outputs), tuple(o.dtype for o in loop.inputs)
    code = engine.row_code(Row(described.element, (), 0, "float32", *dtypes, kernel.walk.spread), kernel.target)

    def form(name: str, streaming: bool) -> Form:
        words = replace(kernel.walk, streaming=streaming).words(code.plain, code.streaming, ())
        return Form(name, kernel.run.func, (ctypes.c_int64 * len(words))(*words))

    plain = form(PLAIN, False)
    return [form(STREAMING, True), plain] if kernel.target.fence else [plain]


def contenders(plan: Plan, sets: int) -> list[Contender]:
    """The forms of a plan's ceiling, each on as many sets of buffers."""
    described = computation(plan)
    memory = [tensors(described) for _ in range(sets)]
    return [Contender(CEILING, form.name, [form.bind(m) for m in memory]) for form in forms(described)]
