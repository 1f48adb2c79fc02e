"""Interleaved instructions of several vectors: an order that no result shows, and that makes code fast."""

from __future__ import annotations

import itertools
import re

import llvmlite.ir as ir
import pytest

import actgrad
from actgrad.backends.cpu import jit, target
from actgrad.backends.cpu.ir_builder import IRFunction
from actgrad.backends.cpu.ir_types import FLOAT, I32, I64
from tests.cpu.test_targets import spec_of

INTERLEAVED = [name for name in target.NAMES if target.find(name).tuning.interleave]


@pytest.fixture
def function() -> IRFunction:
    return IRFunction(ir.Module(), "trial", (I64, I64))


def test_one_instruction_of_each(function: IRFunction) -> None:
    function.add(I64(1), I64(2))

    def emit(x: ir.Value) -> ir.Value:
        return function.mul(function.add(x, x), x)

    results = function.interleave(emit, function.arguments)
    function.xor(*results)
    assert [i.opname for i in function.block.instructions] == ["add", "add", "add", "mul", "mul", "xor"]
    assert [i.operands[0] for i in function.block.instructions[1:3]] == list(function.arguments)
    assert [r.operands[1] for r in results] == list(function.arguments)


def test_nothing_is_moved_where_there_are_branches(function: IRFunction) -> None:
    def emit(x: ir.Value) -> ir.Value:
        before = function.add(x, x)
        with function.if_then(function.icmp_signed("<", x, I64(0))):
            function.mul(x, x)
        return before

    function.interleave(emit, function.arguments)
    blocks = [[i.opname for i in block.instructions] for block in function.function.blocks]
    assert blocks == [["add", "icmp", "br"], ["mul", "br"], ["add", "icmp", "br"], ["mul", "br"], []]


def test_what_emits_something_else_is_refused(function: IRFunction) -> None:
    with pytest.raises(ValueError, match="shorter"):
        function.interleave(lambda count: [function.add(I64(1), I64(2)) for _ in range(count)], [2, 1])


def blocks(name: str, operator: actgrad.Operator, dtype: str) -> list[list[str]]:
    """The lines of each block of `row`, before LLVM optimises them."""
    text = str(jit.inner_loop_module(spec_of(operator, dtype), target.find(name)))
    _, body, *_ = text.split("define ")
    return [re.findall("^  .*", block, re.MULTILINE) for block in re.split(r"^\S+:$", body, flags=re.MULTILINE)]


def multiplications_at_once(name: str, operator: actgrad.Operator, dtype: str) -> int:
    """The least run of fused multiply-adds one behind the other, in the longest block."""
    block = max(blocks(name, operator, dtype), key=len)
    return min(len(list(run)) for fused, run in itertools.groupby(block, lambda line: "llvm.fma" in line) if fused)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("operator", [actgrad.elu, actgrad.selu, actgrad.gelu], ids=lambda operator: operator.name)
def test_formulas_of_several_vectors(operator: actgrad.Operator, dtype: str) -> None:
    """As many at once as a step has vectors; fewer where tables of piecewise polynomials take registers."""
    assert INTERLEAVED == ["avx512", "avx2", "x86-64"]
    for name in ("avx512", "avx2"):
        tuning = target.find(name).tuning
        has_pieces = operator is actgrad.gelu and dtype != "float64"
        unroll = tuning.unroll_pieces if has_pieces and tuning.unroll_pieces else tuning.unroll
        minimum = multiplications_at_once(name, operator, dtype)
        assert minimum % unroll == 0, minimum


@pytest.mark.parametrize("name", ["avx512", "avx2"])
def test_a_whole_vector_is_stored_without_a_mask(name: str) -> None:
    """At the end of a row, too: on some processors a masked store takes as long as the formula."""
    found = blocks(name, actgrad.elu, "float32")
    (masked,) = [block for block in found if any("llvm.masked.store" in line for line in block)]
    assert len(masked) == 2  # the store, and a branch to where the other way ends
    (plain,) = [block for block in found if len(block) == 2 and block[0].startswith("  store <")]
    assert plain[1] == masked[1]


def test_pinned_results_replace_the_others_from_there_on() -> None:
    """Each third group of floats goes through an instruction that does nothing, which LLVM moves nothing across."""
    vector = ir.VectorType(FLOAT, 4)
    function = IRFunction(ir.Module(), "trial", (vector, vector))

    def emit(x: ir.Value) -> ir.Value:
        for _ in range(2):
            x = function.fadd(x, x)
        bits = function.bitcast(x, ir.VectorType(I32, 4))  # no float: not counted
        return function.fadd(function.fmul(x, x), function.bitcast(bits, vector))

    results = function.interleave(emit, function.arguments, pinned=True)
    names = " ".join(i.opname for i in function.block.instructions)
    pin_and_parts = "call extractvalue extractvalue"
    assert names == f"fadd fadd fadd fadd bitcast bitcast fmul fmul {pin_and_parts} bitcast bitcast fadd fadd"
    pin, *parts = function.block.instructions[8:11]
    assert list(pin.args) == function.block.instructions[6:8]
    assert [r.operands[0] for r in results] == parts


def test_repeats_of_pinned_instructions_are_used_no_more() -> None:
    """LLVM cannot see that they are equal; it removes those without uses."""
    vector = ir.VectorType(FLOAT, 4)
    function = IRFunction(ir.Module(), "trial", (vector, vector))
    two, three = (ir.Constant(vector, [number] * 4) for number in (2.0, 3.0))

    def emit(x: ir.Value) -> list[ir.Value]:
        once = function.fmul(function.fadd(x, two), x)
        function.fsub(x, two)
        again = function.fmul(function.fadd(x, ir.Constant(vector, [2.0] * 4)), x)
        other = function.fadd(x, three)
        order = function.fcmp_ordered("<", x, two), function.fcmp_ordered(">", x, two)
        return [again, function.fadd(once, again), function.fadd(other, again), *order]

    results = function.interleave(emit, function.arguments, pinned=True)
    pins = [i for i in function.block.instructions if isinstance(i, ir.CallInstr)]
    pinned = [[o.opname for o in pin.args] for pin in pins]
    assert pinned == [["fsub"] * 2, ["fadd"] * 2]  # the third and the sixth that are no repeats
    for again, doubled, added, *order in results:
        first = doubled.operands[0]
        assert list(doubled.operands) == [first, first]
        assert first is not again, "the value that `emit` returned stays, for uses outside"
        assert added.operands[1] is first
        assert added.operands[0] is not first.operands[0], "another constant"
        assert order[0] is not order[1]
        assert all(again not in i.operands for i in function.block.instructions)


@pytest.mark.parametrize("operator", [actgrad.elu, actgrad.gelu], ids=lambda operator: operator.name)
def test_formulas_that_are_pinned(operator: actgrad.Operator) -> None:
    """Not those with lookups, whose integers take the registers; and none that computes each vector by itself."""
    for name in target.NAMES:
        text = str(jit.inner_loop_module(spec_of(operator, "float32"), target.find(name)))
        has_lookups = operator is actgrad.gelu and target.find(name).tuning.piecewise == "memory"
        assert (" asm " in text) == (name in INTERLEAVED and not has_lookups), name
