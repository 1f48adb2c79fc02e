"""A kernel as a node of somebody else's graph, who compiles and launches it in ways of their own.

What the launcher of `engine` settles, the text must say here. Around the kernel comes a function of whole tensors and a
few numbers: it knows where the operands begin, and hands over all numbers in the types that the kernel means.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base.computation import Computation
from ...base.loop import Operand
from . import program
from .launcher import walk_of
from .machine import FUSING_CUDA, Machine
from .memory import as_bits
from .text_values import constant

NAME = "actgrad_kernel"  # what graphs and profilers show
_TYPES = {"i32": "tl.int32", "i64": "tl.int64", "fp32": "tl.float32", "fp64": "tl.float64"}


class Launch(NamedTuple):
    """What is launched: a function of Triton's, on the outputs' tensors, the inputs', and then numbers."""

    kernel: Any
    numbers: tuple[Any, ...]
    programs: Any


def launch(computation: Computation, machine: Machine = FUSING_CUDA) -> Launch:
    """The launch of a computation on at least one element, some sizes of which may be a tracer's.

    Whatever the kernel relies on is asked of them, which is how a tracer learns what to guard.
    """
    walk = walk_of(computation, machine)
    operands = computation.loop.coalesced().operands
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

    arguments = [pointer(name, operand) for (name, _), operand in zip(walk.pointers, operands, strict=True)]
    # Constants tell what divides them, and attributes keep their bits; a number of elements may vary.
    arguments += [
        number(p.name, _TYPES[p.type], p.value, p.is_hinted or p.type.startswith("fp")) for p in walk.parameters
    ]
    names = [*(f"tensor{k}" for k in sorted({operand.tensor for operand in operands})), *numbers]
    call = ["kernel(", *(f"    {each}," for each in arguments), ")"]
    text = "\n".join([walk.text, "", f"def {NAME}({', '.join(names)}):", *(f"    {line}" for line in call), ""])
    return Launch(program.for_others(text, NAME, walk.warps), tuple(numbers.values()), walk.tiles)
