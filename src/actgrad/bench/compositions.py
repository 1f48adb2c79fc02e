"""GeGLU and its gradient as PyTorch code computes them: eager, and written for torch.compile.

Functions of the inputs and the outputs, which they write to. The gate of a packed tensor is the upper half, as by
default.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .cases import Case

Composition = Callable[..., None]


def _geglu(library: Any, approximate: str) -> Composition:
    def eager(packed: Any, out: Any, gelu: Any) -> None:
        left, right = packed.chunk(2, -1)
        library.ops.aten.gelu.out(right, approximate=approximate, out=gelu)
        library.mul(left, gelu, out=out)

    return eager


def _geglu_packed(library: Any, approximate: str) -> Composition:
    def eager(packed: Any, out: Any) -> None:
        left, right = packed.chunk(2, -1)
        library.mul(left, library.nn.functional.gelu(right, approximate=approximate), out=out)

    return eager


def _geglu_backward(library: Any, approximate: str) -> Composition:
    gelu, gelu_backward = library.nn.functional.gelu, library.ops.aten.gelu_backward

    def eager(grad_output: Any, packed: Any, activated: Any, out: Any) -> None:
        left, right = packed.chunk(2, -1)
        if activated is None:
            activated = gelu(right, approximate=approximate)
        gradient = gelu_backward(grad_output * left, right, approximate=approximate)
        library.cat([grad_output * activated, gradient], -1, out=out)

    return eager


def _geglu_to_compile(library: Any, approximate: str) -> Composition:
    functional = library.nn.functional

    def compiled(packed: Any, out: Any, gelu: Any) -> None:
        left, right = packed.chunk(2, -1)
        activated = functional.gelu(right, approximate=approximate)
        gelu.copy_(activated)
        out.copy_(left * activated)

    return compiled


def _geglu_packed_to_compile(library: Any, approximate: str) -> Composition:
    def compiled(packed: Any, out: Any) -> None:
        left, right = packed.chunk(2, -1)
        out.copy_(left * library.nn.functional.gelu(right, approximate=approximate))

    return compiled


def _geglu_backward_to_compile(library: Any, approximate: str) -> Composition:
    gelu, gelu_backward = library.nn.functional.gelu, library.ops.aten.gelu_backward

    def compiled(grad_output: Any, packed: Any, activated: Any, out: Any) -> None:
        left, right = packed.chunk(2, -1)
        if activated is None:
            activated = gelu(right, approximate=approximate)
        gradient = gelu_backward(grad_output * left, right, approximate=approximate)
        # Into both halves, with no buffer for their concatenation, so that one pass can do it all.
        below, above = out.chunk(2, -1)
        below.copy_(grad_output * activated)
        above.copy_(gradient)

    return compiled


def _geglu_two(library: Any, approximate: str) -> Composition:
    def eager(other: Any, gate: Any, out: Any) -> None:
        library.mul(other, library.nn.functional.gelu(gate, approximate=approximate), out=out)

    return eager


def _geglu_two_backward(library: Any, approximate: str) -> Composition:
    gelu, gelu_backward = library.nn.functional.gelu, library.ops.aten.gelu_backward

    def eager(grad_output: Any, other: Any, gate: Any, of_other: Any, of_gate: Any) -> None:
        library.mul(grad_output, gelu(gate, approximate=approximate), out=of_other)
        gelu_backward.grad_input(grad_output * other, gate, approximate=approximate, grad_input=of_gate)

    return eager


def _geglu_two_to_compile(library: Any, approximate: str) -> Composition:
    def compiled(other: Any, gate: Any, out: Any) -> None:
        out.copy_(other * library.nn.functional.gelu(gate, approximate=approximate))

    return compiled


def _geglu_two_backward_to_compile(library: Any, approximate: str) -> Composition:
    gelu, gelu_backward = library.nn.functional.gelu, library.ops.aten.gelu_backward

    def compiled(grad_output: Any, other: Any, gate: Any, of_other: Any, of_gate: Any) -> None:
        of_other.copy_(grad_output * gelu(gate, approximate=approximate))
        of_gate.copy_(gelu_backward(grad_output * other, gate, approximate=approximate))

    return compiled


_COMPOSITIONS = {
    "geglu": (_geglu, _geglu_to_compile),
    "geglu_packed": (_geglu_packed, _geglu_packed_to_compile),
    "geglu_backward": (_geglu_backward, _geglu_backward_to_compile),
    "geglu_two": (_geglu_two, _geglu_two_to_compile),
    "geglu_two_backward": (_geglu_two_backward, _geglu_two_backward_to_compile),
}


def exists(case: Case) -> bool:
    """Whether a composition is written out here."""
    return case.operator.name in _COMPOSITIONS


def eager(library: Any, case: Case) -> Composition:
    """The composition that PyTorch code runs."""
    return _COMPOSITIONS[case.operator.name][0](library, case.all_attributes["approximate"])


def compiled(library: Any, case: Case) -> Composition:
    """The composition through torch.compile; it compiles when first called."""
    return through_compiler(library, _COMPOSITIONS[case.operator.name][1](library, case.all_attributes["approximate"]))


def through_compiler(library: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """torch.compile of a function, for the shapes that it is first called with."""
    # One function is compiled anew only so often, and the functions above share their code between cases.
    importlib.import_module("torch._dynamo").reset()
    result: Callable[..., Any] = library.compile(function, dynamic=False, fullgraph=True)
    return result
