"""A kernel as a node of a graph that another compiler compiles and launches.

A function of whole tensors and a few numbers wraps the kernel and replaces the launcher: it adds the operands' offsets,
and passes all numbers in the kernel's types.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base.computation import Computation
from ...base.loop import Operand
from . import program
from .launcher import tiled_kernel, walked
from .machines import FUSING_CUDA, Machine
from .text_emitter import constant
from .widening import as_bits

NAME = "actgrad_kernel"  # graphs and profilers show it
_TYPES = {"i32": "tl.int32", "i64": "tl.int64", "fp32": "tl.float32", "fp64": "tl.float64"}


class Launch(NamedTuple):
    """A launch: a Triton function, called with the outputs' tensors, the inputs' tensors, and numbers."""

    kernel: Any
    numbers: tuple[Any, ...]
    programs: Any


def launch(computation: Computation, machine: Machine = FUSING_CUDA) -> Launch:
    """The launch of a computation on at least one element. Sizes may be a tracer's symbols.

    This function tests each property of a size that the kernel relies on, so that the tracer guards the property.
    """
    kernel = tiled_kernel(computation, machine)
    operands = walked(computation).operands
    numbers: dict[str, Any] = {}

    def number(name: str, type_: str, value: Any, is_constant: bool) -> str:
        if not is_constant or not isinstance(value, (int, float)):
            numbers[name] = value
            return f"tl.full((), {name}, {type_})"
        return constant(value, type_)

    def pointer(name: str, operand: Operand) -> str:
        start = f"tensor{operand.tensor}"
        if not isinstance(operand.offset, int) or operand.offset:
            offset = number(f"{name}_offset", "tl.int64", operand.offset // operand.dtype.itemsize, True)
            start = f"{start} + {offset}"
        return as_bits(start, operand.dtype)

    arguments = [pointer(name, operand) for (name, _), operand in zip(kernel.pointers, operands, strict=True)]
    # Constants let the compiler know their divisors, and attributes keep their bits. A number of elements may vary.
    arguments += [
        number(p.name, _TYPES[p.type], p.value, p.is_hinted or p.type.startswith("fp")) for p in kernel.parameters
    ]
    names = [*(f"tensor{k}" for k in sorted({operand.tensor for operand in operands})), *numbers]
    call = ["kernel(", *(f"    {each}," for each in arguments), ")"]
    text = "\n".join([kernel.text, "", f"def {NAME}({', '.join(names)}):", *(f"    {line}" for line in call), ""])
    return Launch(program.for_others(text, NAME, kernel.warps), tuple(numbers.values()), kernel.tiles)
