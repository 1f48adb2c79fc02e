"""Tables of functions of one half-precision number: all 65,536 results fit into the second-level cache.

A formula that calls exp takes about fifty instructions for a vector of 16 numbers; a table takes two loads per number.
The formula's inner loop fills the tables, so results have the same bits. Two kinds of tables exist:

A table of results replaces the inner loop of a computation with one input and one output:

    void lookup(char** operands, int64 n, void** table)      see inner_loop.py; also as lookup_streaming

A table of formulas is for computations with further inputs, such as gradients and gates. It holds the formulas' values
as floats, and the inner loop computes with them (formula_table.py). The values of a function and of its derivative are
next to each other, so that one lookup finds both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.ir as ir
import numpy as np

from ...base import xp
from ...base.computation import Computation, forward
from ...base.dtypes import BY_NAME, Dtype
from ...base.loop import Loop, Operand
from .ir_builder import IRFunction
from .ir_types import I16, I64, PTR
from .tuning import Tuning

NUMBERS = 1 << 16  # number of values of a half-precision dtype
#: A call with this number of elements or more fills a table for later calls. Measured on AMD Zen 4.
FILL_THRESHOLD = 3 * NUMBERS // 2
MOST_TABLES = 64  # the tables take at most 32 MiB, and stay until the process ends
STEP = 4  # elements in a word
#: Functions that take longer than a lookup, as measured on AMD Zen 4.
SLOW_FUNCTIONS = frozenset(xp.NAMES) - xp.SIMPLE - {"exp", "expm1", "log1p"}

Table = np.ndarray[Any, np.dtype[Any]]


def is_worth(size: int) -> bool:
    """Whether a loop over this number of elements may use a table."""
    return size >= FILL_THRESHOLD


def of_results(computation: Computation, tuning: Tuning) -> Computation | None:
    """The computation on all numbers, for a table of results, or None if computing is as fast as a lookup.

    Computing is as fast if the formula calls only the functions that the tuning names for the input's dtype.
    """
    loop = computation.loop
    by_dtype = {"float16": tuning.computed_float16, "bfloat16": tuning.computed_bfloat16}
    computed = xp.SIMPLE.union(*(by_dtype.get(operand.dtype.name, ()) for operand in loop.inputs))
    if not (
        len(loop.inputs) == len(loop.outputs) == 1
        and all(map(_is_half, (operand.dtype for operand in loop.operands)))
        and is_worth(loop.size)
        and any(xp.functions_of(formula) - computed for formula in computation.formulas)
    ):
        return None
    return computation._replace(loop=_all_numbers(loop.inputs[0].dtype, loop.outputs[0].dtype))


def of_formulas(computation: Computation) -> list[Computation]:
    """A computation on all numbers for each formula, for a table of formulas.

    Empty if computing is as fast as a lookup.
    """
    loop, dtypes = computation.loop, {operand.dtype for operand in computation.loop.inputs}
    formulas = computation.formulas
    if not (
        len(dtypes) == 1
        and len(formulas) <= 2
        and all(map(_is_half, dtypes))
        and computation.compute == "float32"
        and is_worth(loop.size)
        and any(xp.functions_of(formula) & SLOW_FUNCTIONS for formula in formulas)
        and all(formula.__code__.co_argcount == 1 + len(computation.scalars) for formula in formulas)  # one element
    ):
        return []
    numbers = _all_numbers(loop.inputs[0].dtype, BY_NAME["float32"])
    return [computation._replace(element=forward, formulas=(formula,), loop=numbers) for formula in formulas]


def _is_half(dtype: Dtype) -> bool:
    return dtype.kind == "float" and dtype.itemsize == 2


def _all_numbers(dtype: Dtype, result: Dtype) -> Loop:
    output, number = Operand(0, result, 0, (result.itemsize,)), Operand(1, dtype, 0, (dtype.itemsize,))
    return Loop((NUMBERS,), (output,), (number,))


def compute_table(computation: Computation, run: Callable[..., object]) -> Table:
    """A table with the results of all numbers. `run` is the kernel of the computation."""
    (result,) = computation.loop.outputs
    table, numbers = np.empty(NUMBERS, result.dtype.numpy), np.arange(NUMBERS, dtype=np.uint16)
    run(table.ctypes.data, numbers.ctypes.data)
    return table


def emit(module: ir.Module) -> None:
    """Add `lookup` and `lookup_streaming` to `module`."""
    plain = _emit_lookup(module, "lookup", None)
    _emit_lookup(module, "lookup_streaming", plain)


def _emit_lookup(module: ir.Module, name: str, plain: ir.Function | None) -> ir.Function:
    """One of the two functions. With `plain`, it stores whole words past the caches, and `plain` computes the rest."""
    f = IRFunction(module, name, (PTR, I64, PTR), public=True)
    operands, count, tables = f.arguments
    target, source = (f.word(operands, k, PTR) for k in range(2))
    table = f.word(tables, 0, PTR)
    bulk = f.and_(count, I64(-STEP))

    def element(pointer: ir.Value, index: ir.Value) -> ir.Value:
        return f.gep(pointer, [index], source_etype=I16)

    def result(index: ir.Value) -> ir.Value:
        number = f.load(element(source, index), typ=I16, align=1)
        return f.load(element(table, f.zext(number, I64)), typ=I16, align=1)

    if plain is None:
        with f.steps(I64(0), bulk, STEP) as i:
            indices = [f.add(i, I64(k)) for k in range(STEP)]
            for index, value in zip(indices, [result(index) for index in indices], strict=True):
                f.store(value, element(target, index), align=1)
        with f.steps(bulk, count) as i:
            f.store(result(i), element(target, i), align=1)
        return f.end()
    rest = f.stack_words(2, "rest")
    with f.steps(I64(0), bulk, STEP) as i:
        word = I64(0)
        for k in range(STEP):
            word = f.or_(word, f.shl(f.zext(result(f.add(i, I64(k))), I64), I64(16 * k)))
        f.stream(word, element(target, i), align=8)
    for k, pointer in enumerate((target, source)):
        f.store(element(pointer, bulk), f.word_at(rest, k))
    f.call(plain, [rest, f.sub(count, bulk), tables])
    return f.end()
