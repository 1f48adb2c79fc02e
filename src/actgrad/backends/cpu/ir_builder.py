"""Loops and branches for llvmlite's IR builder, so that the code which emits code reads from top to bottom."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import TypeVar

import llvmlite.ir as ir

from .ir_types import DOUBLE, FLOAT, I32, I64, PTR, VOID

T = TypeVar("T")
R = TypeVar("R")

TIED_EVERY = 3  # groups that add, multiply or call; by trial, on AMD's Zen 3


class Words(IntEnum):
    """Places of words in memory; in LLVM's text each is a number, in every version of Python."""

    __str__ = int.__repr__


class Function(ir.IRBuilder):  # type: ignore[misc]  # llvmlite has no types
    """A function under construction: an IR builder that stands at its end."""

    def __init__(
        self,
        module: ir.Module,
        name: str,
        arguments: Sequence[ir.Type],
        result: ir.Type = VOID,
        *,
        public: bool = False,
    ):
        self.function_value = ir.Function(module, ir.FunctionType(result, list(arguments)), name)
        if not public:
            self.function_value.linkage = "internal"
        super().__init__(self.function_value.append_basic_block("entry"))

    @property
    def arguments(self) -> Sequence[ir.Argument]:
        arguments: Sequence[ir.Argument] = self.function_value.args
        return arguments

    @property
    def instruction_count(self) -> int:
        return sum(len(block.instructions) for block in self.function_value.blocks)

    @contextmanager
    def steps(self, start: ir.Value, stop: ir.Value, step: int | ir.Value = 1) -> Iterator[ir.Value]:
        """for (i = start; i < stop; i += step)"""
        before = self.block
        head, body, after = (self.append_basic_block(name) for name in ("head", "body", "after"))
        self.branch(head)
        self.position_at_end(head)
        index = self.phi(I64)
        index.add_incoming(start, before)
        self.cbranch(self.icmp_signed("<", index, stop), body, after)
        self.position_at_end(body)
        yield index
        index.add_incoming(self.add(index, I64(step) if isinstance(step, int) else step), self.block)
        self.branch(head)
        self.position_at_end(after)

    def in_turn(self, emit: Callable[[T], R], items: Sequence[T], *, tied: bool = False) -> list[R]:
        """emit(item) for each of them, which emits the same instructions each time: now one of each item's in turn.

        So a processor that has room for few results finds some at hand that do not wait for each other. Nothing is
        moved where there are branches. LLVM keeps to this order as far as registers last; and beyond, if now and then
        the items' results are `tied` (on x86), see `_tied`.
        """
        block, results, parts = self.block, list[R](), list[list[ir.Instruction]]()
        for item in items:
            begin = len(block.instructions)
            results.append(emit(item))
            parts.append(block.instructions[begin:])
        if self.block is block and len(parts) > 1:
            begin = len(block.instructions) - sum(map(len, parts))
            groups = zip(*parts, strict=True)
            block.instructions[begin:] = self._tied(groups) if tied else itertools.chain.from_iterable(groups)
            self.position_at_end(block)
        return results

    def _tied(self, groups: Iterable[tuple[ir.Instruction, ...]]) -> Iterator[ir.Instruction]:
        """The groups' instructions; now and then all floats of a group go through one instruction that does nothing.

        What uses them comes after it, so LLVM cannot compute one item to its end before it begins with the next. What
        `emit` has returned stays what it was, the same number.
        """
        replaced: dict[int, ir.Value] = {}
        floats = 0
        for group in groups:
            for instruction in group:
                for operand in [o for o in instruction.operands if id(o) in replaced]:
                    instruction.replace_usage(operand, replaced[id(operand)])
            yield from group
            floats += _computes_floats(group[0])
            if floats == TIED_EVERY:
                floats = 0
                types = [result.type for result in group]
                constraints = ",".join(["=x"] * len(group) + [str(k) for k in range(len(group))])
                nothing = ir.InlineAsm(ir.FunctionType(ir.LiteralStructType(types), types), "", constraints)
                knot = ir.CallInstr(self.block, nothing, group)
                yield knot
                for k, result in enumerate(group):
                    replaced[id(result)] = part = ir.instructions.ExtractValue(self.block, knot, [k])
                    yield part

    def need(self, condition: ir.Value, otherwise: ir.Block) -> None:
        """Go on where the condition holds, else in the block `otherwise`."""
        going_on = self.append_basic_block("going_on")
        self.cbranch(condition, going_on, otherwise)
        self.position_at_end(going_on)

    def at(self, pointer: ir.Value, bytes_: ir.Value | int) -> ir.Value:
        """The address `bytes_` further on."""
        offset = I64(bytes_) if isinstance(bytes_, int) else bytes_
        return self.gep(pointer, [offset], source_etype=ir.IntType(8))

    def word(self, pointer: ir.Value, index: ir.Value | int, type_: ir.Type = I64) -> ir.Value:
        """The index-th 8-byte word, as an integer or a pointer."""
        return self.load(self.word_at(pointer, index), typ=type_)

    def word_at(self, pointer: ir.Value, index: ir.Value | int) -> ir.Value:
        """The address of the index-th 8-byte word."""
        return self.gep(pointer, [I64(index) if isinstance(index, int) else index], source_etype=I64)

    def least(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.select(self.icmp_signed("<", a, b), a, b)

    def fetch(self, address: ir.Value) -> None:
        """Ask for a line that will be read, into the second-level cache. It need not be anybody's memory."""
        prefetch = external(self.module, "llvm.prefetch.p0", VOID, PTR, I32, I32, I32)
        self.call(prefetch, [address, I32(0), I32(2), I32(1)])

    def words(self, count: int, name: str) -> ir.Value:
        """Room for `count` 8-byte words on the stack; must be asked for in the entry block."""
        room = self.alloca(ir.ArrayType(I64, count), name=name)
        room.align = 64
        room.type = PTR  # llvmlite would remember what it points to
        return room

    def end(self, value: ir.Value, elsewhere: ir.Block, other: ir.Value) -> ir.Function:
        """The function, which returns `value` here and `other` in the block `elsewhere`, and is done with that."""
        self.ret(value)
        self.position_at_end(elsewhere)
        self.ret(other)
        return self.function_value

    def leave(self, value: ir.Value | None = None) -> None:
        """Return here; what is emitted next is never reached."""
        if value is None:
            self.ret_void()
        else:
            self.ret(value)
        self.position_at_end(self.append_basic_block("unreachable"))


def _computes_floats(instruction: ir.Instruction) -> bool:
    """Whether its result is a vector of floats that was not there before."""
    is_computing = instruction.opname in ("call", "fadd", "fsub", "fmul")
    return is_computing and getattr(instruction.type, "element", None) in (FLOAT, DOUBLE)


def external(module: ir.Module, name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
    """A function of the process, found by its name when the code is loaded."""
    known = module.globals.get(name)
    return known if known is not None else ir.Function(module, ir.FunctionType(result, list(arguments)), name)


def external_data(module: ir.Module, name: str) -> ir.GlobalVariable:
    """Words of the process, found by their name when the code is loaded."""
    known = module.globals.get(name)
    if known is None:
        known = ir.GlobalVariable(module, I64, name)
        known.linkage = "external"
    return known
