"""Functions of LLVM IR under construction: loops, branches, words of memory and interleaved instructions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any, TypeVar

import llvmlite.ir as ir

from .ir_types import DOUBLE, FLOAT, I32, I64, PTR, VOID

T = TypeVar("T")
R = TypeVar("R")

PIN_EVERY = 3  # groups of floats from one assembly instruction to the next; measured on AMD Zen 3


class WordIndex(IntEnum):
    """Indices of words in memory. They print as numbers in LLVM's text, in every version of Python."""

    __str__ = int.__repr__


class IRFunction(ir.IRBuilder):  # type: ignore[misc]  # llvmlite has no types
    """A function under construction: an IR builder positioned at the function's end."""

    def __init__(
        self,
        module: ir.Module,
        name: str,
        arguments: Sequence[ir.Type],
        result: ir.Type = VOID,
        *,
        public: bool = False,
    ):
        function = ir.Function(module, ir.FunctionType(result, list(arguments)), name)
        if not public:
            function.linkage = "internal"
        super().__init__(function.append_basic_block("entry"))

    @property
    def arguments(self) -> Sequence[ir.Argument]:
        arguments: Sequence[ir.Argument] = self.function.args
        return arguments

    @property
    def instruction_count(self) -> int:
        return sum(len(block.instructions) for block in self.function.blocks)

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

    def interleave(self, emit: Callable[[T], R], items: Sequence[T], *, pinned: bool = False) -> list[R]:
        """The results of emit(item), with alternating instructions: the first of each item, then the second of each.

        Every call of `emit` must add the same instructions. Code with branches keeps its order. If instructions
        alternate, a processor with few free registers finds instructions that do not wait for each other. LLVM keeps
        the order while registers last. With `pinned`, LLVM keeps the order beyond that (x86 only).
        """
        block, results, parts = self.block, list[R](), list[list[ir.Instruction]]()
        for item in items:
            begin = len(block.instructions)
            results.append(emit(item))
            parts.append(block.instructions[begin:])
        if self.block is block and len(parts) > 1:
            begin = len(block.instructions) - sum(map(len, parts))
            groups = zip(*parts, strict=True)
            block.instructions[begin:] = self._pinned(groups) if pinned else itertools.chain.from_iterable(groups)
            self.position_at_end(block)
        return results

    def _pinned(self, groups: Iterable[tuple[ir.Instruction, ...]]) -> Iterator[ir.Instruction]:
        """The groups' instructions, with an empty assembly instruction after every PIN_EVERY groups of floats.

        The assembly instruction takes all floats of its group as operands and returns them unchanged. Later
        instructions use the returned values, so LLVM cannot finish one item before it begins the next. LLVM cannot see
        equal values across it. So if an instruction repeats an earlier one, its uses take the earlier value, and LLVM
        removes the repetition. The values that `emit` returned stay valid.
        """
        replaced: dict[int, ir.Value] = {}
        firsts: dict[Any, tuple[ir.Instruction, ...]] = {}  # the keys say what the instructions compute
        floats = 0
        for group in groups:
            for instruction in group:
                for operand in [o for o in instruction.operands if id(o) in replaced]:
                    instruction.replace_usage(operand, replaced[id(operand)])
            yield from group
            first = firsts.setdefault(_computed(group[0]), group)
            if first is not group:
                replaced |= {id(b): replaced.get(id(a), a) for a, b in zip(first, group, strict=True)}
                continue
            floats += _computes_floats(group[0])
            if floats == PIN_EVERY:
                floats = 0
                types = [result.type for result in group]
                constraints = ",".join(["=x"] * len(group) + [str(k) for k in range(len(group))])
                nothing = ir.InlineAsm(ir.FunctionType(ir.LiteralStructType(types), types), "", constraints)
                pin = ir.CallInstr(self.block, nothing, group)
                yield pin
                for k, result in enumerate(group):
                    replaced[id(result)] = part = ir.instructions.ExtractValue(self.block, pin, [k])
                    yield part

    def call_by_name(self, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        """Call an LLVM intrinsic, or a function of the process. The loader resolves its name."""
        function = self.module.globals.get(name)
        if function is None:
            function = ir.Function(self.module, ir.FunctionType(result, [a.type for a in arguments]), name)
        return self.call(function, arguments)

    def at(self, pointer: ir.Value, bytes_: ir.Value | int) -> ir.Value:
        """The address `bytes_` after `pointer`."""
        offset = I64(bytes_) if isinstance(bytes_, int) else bytes_
        return self.gep(pointer, [offset], source_etype=ir.IntType(8))

    def word(self, pointer: ir.Value, index: ir.Value | int, type_: ir.Type = I64) -> ir.Value:
        """The index-th 8-byte word, as an integer or a pointer."""
        return self.load(self.word_at(pointer, index), typ=type_)

    def word_at(self, pointer: ir.Value, index: ir.Value | int) -> ir.Value:
        """The address of the index-th 8-byte word."""
        return self.gep(pointer, [I64(index) if isinstance(index, int) else index], source_etype=I64)

    def minimum(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """The smaller of two signed integers."""
        return self.select(self.icmp_signed("<", a, b), a, b)

    def shuffle(self, a: ir.Value, b: ir.Value, lanes: Iterable[int]) -> ir.Value:
        """A vector of lanes of `a` and `b`; the lanes of `b` follow the lanes of `a`."""
        order = list(lanes)
        return self.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(order)), order))

    def stream(self, value: ir.Value, pointer: ir.Value, align: int) -> None:
        """A streaming store, which bypasses the caches."""
        self.store(value, pointer, align=align).set_metadata("nontemporal", self.module.add_metadata([I32(1)]))

    def prefetch(self, address: ir.Value, writes: bool = False) -> None:
        """Prefetch a cache line into the second-level cache. The address may be outside all memory."""
        self.call_by_name("llvm.prefetch.p0", VOID, address, I32(int(writes)), I32(2), I32(1))

    def stack_words(self, count: int, name: str) -> ir.Value:
        """An array of `count` 8-byte words on the stack; only the entry block may allocate."""
        array = self.alloca(ir.ArrayType(I64, count), name=name)
        array.align = 64
        array.type = PTR  # llvmlite would keep the element type
        return array

    def end(self, value: ir.Value | None = None) -> ir.Function:
        """Return here, and return the finished function."""
        if value is None:
            self.ret_void()
        else:
            self.ret(value)
        return self.function

    def leave(self, value: ir.Value | None = None) -> None:
        """Return here. The instructions that follow are unreachable."""
        self.end(value)
        self.position_at_end(self.append_basic_block("unreachable"))


def _computed(instruction: ir.Instruction) -> Any:
    """A key for the value of an instruction. Two instructions with equal keys have equal values."""
    callee = getattr(instruction, "callee", None)
    if callee is not None:
        is_repeatable = callee.name.startswith("llvm.") and "masked" not in callee.name  # the function reads no memory
    else:
        is_repeatable = instruction.opname not in ("load", "store", "alloca", "phi", "extractvalue")
    if not is_repeatable:
        return id(instruction)
    operands = [o.get_reference() if isinstance(o, ir.Constant) else id(o) for o in instruction.operands]
    how = callee.name if callee is not None else getattr(instruction, "op", "")  # the predicate of a comparison
    return instruction.opname, how, str(instruction.type), *operands


def _computes_floats(instruction: ir.Instruction) -> bool:
    """Whether the instruction computes a new vector of floats."""
    is_computing = instruction.opname in ("call", "fadd", "fsub", "fmul")
    return is_computing and getattr(instruction.type, "element", None) in (FLOAT, DOUBLE)


def external_data(module: ir.Module, name: str) -> ir.GlobalVariable:
    """Words of the process; the loader resolves their name."""
    variable = module.globals.get(name)
    if variable is None:
        variable = ir.GlobalVariable(module, I64, name)
        variable.linkage = "external"
    return variable
