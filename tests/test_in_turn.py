"""Several vectors' instructions in turn: an order that no result shows, and that makes it fast."""

from __future__ import annotations

import itertools
import re

import llvmlite.ir as ir
import pytest
from test_targets import row_of

import actgrad
from actgrad.backends.cpu import engine, target
from actgrad.backends.cpu.ir_builder import Function
from actgrad.backends.cpu.ir_types import FLOAT, I32, I64

IN_TURN = [name for name in target.NAMES if target.named(name).in_turn]


@pytest.fixture
def function() -> Function:
    return Function(ir.Module(), "trial", (I64, I64))


def test_one_instruction_of_each(function: Function) -> None:
    function.add(I64(1), I64(2))

    def emit(x: ir.Value) -> ir.Value:
        return function.mul(function.add(x, x), x)

    results = function.in_turn(emit, function.arguments)
    function.xor(*results)
    assert [i.opname for i in function.block.instructions] == ["add", "add", "add", "mul", "mul", "xor"]
    assert [i.operands[0] for i in function.block.instructions[1:3]] == list(function.arguments)
    assert [r.operands[1] for r in results] == list(function.arguments)


def test_nothing_is_moved_where_there_are_branches(function: Function) -> None:
    def emit(x: ir.Value) -> ir.Value:
        before = function.add(x, x)
        with function.if_then(function.icmp_signed("<", x, I64(0))):
            function.mul(x, x)
        return before

    function.in_turn(emit, function.arguments)
    blocks = [[i.opname for i in block.instructions] for block in function.function.blocks]
    assert blocks == [["add", "icmp", "br"], ["mul", "br"], ["add", "icmp", "br"], ["mul", "br"], []]


def test_what_emits_something_else_is_refused(function: Function) -> None:
    with pytest.raises(ValueError, match="shorter"):
        function.in_turn(lambda count: [function.add(I64(1), I64(2)) for _ in range(count)], [2, 1])


def blocks(name: str, operator: actgrad.Operator, dtype: str) -> list[list[str]]:
    """The lines of each block of the plain row function, as LLVM is given them."""
    text = str(engine._row_module(row_of(operator, dtype), target.named(name)))
    _, body, *_ = text.split("define ")
    return [re.findall("^  .*", block, re.MULTILINE) for block in re.split(r"^\S+:$", body, flags=re.MULTILINE)]


def multiplications_at_once(name: str, operator: actgrad.Operator, dtype: str) -> int:
    """The least run of fused multiply-adds one behind the other, in the longest block."""
    block = max(blocks(name, operator, dtype), key=len)
    return min(len(list(run)) for fused, run in itertools.groupby(block, lambda line: "llvm.fma" in line) if fused)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("operator", [actgrad.elu, actgrad.selu, actgrad.gelu], ids=lambda operator: operator.name)
def test_formulas_of_several_vectors(operator: actgrad.Operator, dtype: str) -> None:
    """Where the registers are narrow; with wide ones each vector is computed by itself."""
    assert IN_TURN == ["avx2", "x86-64"]
    least = multiplications_at_once("avx2", operator, dtype)
    assert least % target.named("avx2").unroll == 0, least
    assert multiplications_at_once("avx512", operator, dtype) < 4


@pytest.mark.parametrize("name", ["avx512", "avx2"])
def test_a_whole_vector_is_stored_without_a_mask(name: str) -> None:
    """At the end of a row, too: on some processors a masked store takes as long as the formula."""
    found = blocks(name, actgrad.elu, "float32")
    (masked,) = [block for block in found if any("llvm.masked.store" in line for line in block)]
    assert len(masked) == 2  # the store, and a branch to where the other way ends
    (plain,) = [block for block in found if len(block) == 2 and block[0].startswith("  store <")]
    assert plain[1] == masked[1]


def test_tied_results_are_what_is_used_from_there_on() -> None:
    """Each third group of floats goes through an instruction that does nothing, which LLVM moves nothing across."""
    vector = ir.VectorType(FLOAT, 4)
    function = Function(ir.Module(), "trial", (vector, vector))

    def emit(x: ir.Value) -> ir.Value:
        for _ in range(2):
            x = function.fadd(x, x)
        bits = function.bitcast(x, ir.VectorType(I32, 4))  # no float: not counted
        return function.fadd(function.fmul(x, x), function.bitcast(bits, vector))

    results = function.in_turn(emit, function.arguments, tied=True)
    names = " ".join(i.opname for i in function.block.instructions)
    knot_and_parts = "call extractvalue extractvalue"
    assert names == f"fadd fadd fadd fadd bitcast bitcast fmul fmul {knot_and_parts} bitcast bitcast fadd fadd"
    knot, *parts = function.block.instructions[8:11]
    assert list(knot.args) == function.block.instructions[6:8]
    assert [r.operands[0] for r in results] == parts


@pytest.mark.parametrize("operator", [actgrad.elu, actgrad.gelu], ids=lambda operator: operator.name)
def test_which_formulas_are_tied(operator: actgrad.Operator) -> None:
    """Not where something is noted: integers take the registers there. And not where each vector is by itself."""
    for name in target.NAMES:
        text = str(engine._row_module(row_of(operator, "float32"), target.named(name)))
        is_noted = operator is actgrad.gelu and target.named(name).picks == "memory"
        assert (" asm " in text) == (name in IN_TURN and not is_noted), name
