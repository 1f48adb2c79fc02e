"""The text of a kernel over rows. A program takes one row, in blocks: once for each pass, and once for the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ...base.computation import LENGTH, ONCE, TOTAL, Computation, RowStatistics, forward
from ...base.dtypes import BY_NAME, Dtype
from ...base.loop import Loop, Operand
from .element import element
from .grid import INTERPRETED_TILE, REACH, VARYING, WARPS, KernelArgument, KernelWriter, TiledKernel, indented
from .machines import INTERPRETER, Machine

_NUMBERS = {"float32": "tl.float32", "float64": "tl.float64"}
MOST_LANES = 4096  # elements of a row that a program computes at a time
#: The text of functions that combine two numbers. Triton's own sum and max run in the interpreter only if
#: TRITON_INTERPRET was set before the import of Triton.
COMBINATIONS = """\
def add(a, b):
    return a + b


def larger(a, b):
    return tl.maximum(a, b)
"""


def row_kernel(computation: Computation, machine: Machine) -> TiledKernel:
    """The kernel of a computation whose elements use statistics of their rows."""
    assert computation.statistics is not None
    return _RowWriter(computation, computation.statistics, machine).written()


def _identity(x):  # type: ignore[no-untyped-def]  # a formula
    """x"""
    return x


def _without_scalars(function, x, *scalars):  # type: ignore[no-untyped-def]
    """The function of x."""
    return (function(x),)


class _RowWriter(KernelWriter):
    """Writes the kernel, and the functions of its terms and its elements."""

    def __init__(self, computation: Computation, rows: RowStatistics, machine: Machine):
        super().__init__(computation.loop)
        self.computation, self.rows, self.machine = computation, rows, machine
        self.number = BY_NAME[computation.compute]
        self.outputs, self.inputs = self.loop.outputs, self.loop.inputs
        self.functions.append(COMBINATIONS)
        self.statistics = [f"s{k}" for k in range(sum(map(len, rows.passes)))]

    def _function(
        self, name: str, formula: Callable[..., object], inputs: Sequence[Dtype], outputs: Sequence[Dtype],
        compute: Callable[..., object] = forward,
    ) -> Callable[[Sequence[str]], str]:  # fmt: skip
        """Write a function of one block's elements. Returns a function that makes the text of a call."""
        operands = [Operand(k, dtype, 0, (dtype.itemsize,)) for k, dtype in enumerate((*outputs, *inputs))]
        loop = Loop((1,), tuple(operands[: len(outputs)]), tuple(operands[len(outputs) :]))
        single = self.computation._replace(element=compute, formulas=(formula,), loop=loop, statistics=None)
        return self.call(name, element(single, self.machine))

    def written(self) -> TiledKernel:
        """The kernel."""
        loop, rows = self.loop, self.rows
        formula, *terms = self.computation.formulas
        first = len(loop.shape) - rows.dims
        size = prod(loop.shape[first:])
        most = INTERPRETED_TILE if self.machine is INTERPRETER else MOST_LANES
        block = min(1 << max(size - 1, 1).bit_length(), most) if isinstance(size, int) else VARYING
        body = [*self._row(first), f"lane = tl.arange(0, {block})"]
        loads = [operand.dtype for operand in self.inputs]
        number = self.number
        compute = _NUMBERS[number.name]
        calls = []
        count = 0
        for combinations in rows.passes:
            if combinations == (LENGTH,):
                calls.append(lambda arguments: "")  # this statistic has no term
                body.append(f"s{count} = size.to({compute})")
                count += 1
                continue
            if combinations == (ONCE,):
                calls.append(self._function(f"term{count}", terms[count], [number] * count, [number]))
                written = self.computation.written_dtype(count)
                cast = f".to({_NUMBERS[written.name]}).to({compute})" if written else ""
                body.append(f"s{count} = {calls[-1](self.statistics[:count])}{cast}")
                count += 1
                continue
            for k, _ in enumerate(combinations, count):
                calls.append(self._function(f"term{k}", terms[k], [*loads, *[number] * count], [number]))
            body += self._pass(combinations, count, calls, block, compute)
            count += len(combinations)
        of_elements = [k for k, s in enumerate(rows.output_statistics) if s < 0]
        if of_elements:
            types = [number] if rows.replaces_inputs else loads
            call = self._function(
                "element", formula, [*types, *[number] * count], [self.outputs[k].dtype for k in of_elements],
                self.computation.element,
            )  # fmt: skip
            arguments = [f"x{k}" for k in range(len(self.inputs))]
            lines = self._loads()
            if rows.replaces_inputs:
                term, earlier = rows.formula_term
                lines.append(f"e = {calls[term]([*arguments, *self.statistics[:earlier]])}")
                arguments = ["e"]
            lines.append(f"{', '.join(f'y{k}' for k in of_elements)} = {call([*arguments, *self.statistics])}")
            lines += [f"tl.store(out{k} + {self._offset(f'out{k}')}, y{k}, inside)" for k in of_elements]
            body += self._blocks(block, lines)
        row_outputs = [(k, s) for k, s in enumerate(rows.output_statistics) if s >= 0]
        if row_outputs:
            body.append("tl.debug_barrier()")  # an input may be this output: all threads have read the input by now
        for k, statistic in row_outputs:
            call = self._function(f"held{k}", _identity, [number], [self.outputs[k].dtype], _without_scalars)
            body.append(f"tl.store(out{k}, {call([f's{statistic}'])})")
        return self.kernel(body, prod(loop.shape[:first]), WARPS, f"rows in blocks of {block}")

    def _number(self, name: str, value: int) -> str:
        """A parameter of the kernel."""
        is_wide = isinstance(value, int) and abs(value) >= REACH
        self.numbers.append(KernelArgument(name, "i64" if is_wide else "i32", value, True))
        return name

    def _row(self, first: int) -> list[str]:
        """Lines for the program's row: its pointers, and the sizes and strides within the row."""
        shape = self.loop.shape
        lines = ["rest = tl.program_id(0).to(tl.int64)"]
        for d in reversed(range(first)):
            size = self._number(f"n{d}", shape[d])
            lines += [f"i{d} = rest % {size}", f"rest = rest // {size}"]
        self.sizes = {d: self._number(f"n{d}", shape[d]) for d in range(first, len(shape))}
        lines.append(f"size = {' * '.join(f'{n}.to(tl.int64)' for n in self.sizes.values())}")
        self.steps: dict[str, list[tuple[int, str]]] = {}
        for name, operand in self.operands.items():
            strides = [stride // operand.dtype.itemsize for stride in operand.strides]
            terms = [f"i{d} * {self._number(f'{name}_{d}', strides[d])}" for d in range(first) if strides[d]]
            lines += [f"{name} += {' + '.join(terms)}"] if terms else []
            row_dims = [d for d in self.sizes if strides[d]]
            self.steps[name] = [(d, self._number(f"{name}_{d}", strides[d])) for d in row_dims]
        return lines

    def _offset(self, name: str) -> str:
        return " + ".join(f"at{d} * {step}" for d, step in self.steps[name]) or "at * 0"

    def _loads(self) -> list[str]:
        """Lines that load a block of each input, with zeros beyond the row."""
        pointers = [f"in{k} + {self._offset(f'in{k}')}" for k in range(len(self.inputs))]
        return [f"x{k} = tl.load({pointer}, inside, other=0)" for k, pointer in enumerate(pointers)]

    def _blocks(self, block: int, lines: Sequence[str]) -> list[str]:
        """A loop over the row's blocks; `at0`, ... are the indices of the block's elements."""
        inner = ["at = start + lane.to(tl.int64)", "inside = at < size"]
        rest = "at"
        for d, size in reversed(self.sizes.items()):
            is_first = d == next(iter(self.sizes))
            inner.append(f"at{d} = {rest}" if is_first else f"at{d} = ({rest}) % {size}")
            rest = f"({rest}) // {size}"
        return [f"for start in range(0, size, {block}):", *indented([*inner, *lines])]

    def _pass(
        self, combinations: Sequence[str], count: int, calls: Sequence[Callable[[Sequence[str]], str]], block: int,
        compute: str,
    ) -> list[str]:  # fmt: skip
        """A pass over the row: its statistics s0, ... in the compute dtype; totals are summed in double."""
        before, lines, after = [], self._loads(), []
        arguments = [*(f"x{k}" for k in range(len(self.inputs))), *self.statistics[:count]]
        for k, combine in enumerate(combinations, count):
            is_total = combine == TOTAL
            start, dtype = ("0.0", "tl.float64") if is_total else ("float('-inf')", compute)
            before.append(f"a{k} = tl.full([{block}], {start}, {dtype})")
            lines.append(f"t{k} = tl.where(inside, {calls[k](arguments)}, {start}).to({dtype})")
            lines.append(f"a{k} = a{k} + t{k}" if is_total else f"a{k} = tl.where(t{k} > a{k}, t{k}, a{k})")
            reduced = f"tl.reduce(a{k}, 0, {'add' if is_total else 'larger'})"
            after.append(f"s{k} = {reduced}.to({compute})" if is_total else f"s{k} = {reduced} + 0.0")
        return [*before, *self._blocks(block, lines), *after]
