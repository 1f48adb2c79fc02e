"""The computation of one element as a Triton function: widened inputs, formula, rounded outputs."""

from __future__ import annotations

from typing import NamedTuple

from ...base import xp
from ...base.computation import Computation
from .machines import Machine
from .text_emitter import TextEmitter, TextUniform
from .widening import narrow, widen


class ElementFunction(NamedTuple):
    """The text of `element(x0, ..., u0, ...)`, a function of loaded inputs and of uniform numbers."""

    text: str
    uniforms: tuple[float, ...]  # numbers in the compute dtype
    uniform_type: str
    results: int


def element(computation: Computation, machine: Machine) -> ElementFunction:
    """The function of a computation."""
    loop = computation.loop
    emitter = TextEmitter(computation.compute, machine)
    formulas = [xp.bind(formula, emitter.functions) for formula in computation.formulas]
    inputs = [widen(emitter, f"x{k}", operand.dtype) for k, operand in enumerate(loop.inputs)]
    scalars = [TextUniform(emitter, f"a{k}", value) for k, value in enumerate(computation.scalars)]
    values = [emitter.vector(value) for value in computation.element(*formulas, *inputs, *scalars)]
    results = [narrow(emitter, v, o.dtype) for v, o in zip(values, loop.outputs, strict=True)]
    uniforms = [f"u{k}" for k in range(len(emitter.uniforms))]
    lines = [
        f"def element({', '.join([f'x{k}' for k in range(len(inputs))] + uniforms)}):",
        *(f"    # u{k} = {how[1:-1] if how.startswith('(') else how}" for k, how in enumerate(emitter.uniforms)),
        *(f"    {line}" for line in emitter.constant_lines + emitter.lines),
        f"    return {', '.join(results)}",
    ]
    numbers = tuple(emitter.leading(float(uniform.value)) for uniform in emitter.uniforms.values())
    return ElementFunction("\n".join(lines), numbers, "fp64" if emitter.is_double else "fp32", len(results))
