"""Liger-Kernel's GEGLU as a peer: the tanh form, on contiguous halves that lie apart.

Its backward writes the gradients over the halves: it gets copies, and computes on its own results from the second call
on. It allocates nothing: the form "out".
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..buffers import Tensors
from ..cases import Case
from ..timing import Call
from .peer import Bind, NotApplicable, torch

FORWARD, BACKWARD = ("geglu_packed", "geglu_two"), ("geglu_backward", "geglu_two_backward")
LONGEST_ROW = 8192  # elements of a row that is made of a vector; it takes 65,536


def forward(library: Any, case: Case) -> Bind:
    """Calls that allocate the result."""
    _check(case, FORWARD)

    def bind(tensors: Tensors) -> Call:
        other, gate = _halves(case, tensors.inputs)
        return partial(library.geglu_forward, gate, other)

    return bind


def backward(library: Any, case: Case) -> Bind:
    """Calls that overwrite the halves."""
    _check(case, BACKWARD)
    if case.is_gated and case.with_optional:
        raise NotApplicable  # it computes gelu anew

    def bind(tensors: Tensors) -> Call:
        other, gate = _halves(case, tensors.inputs[1:])
        return partial(library.geglu_backward, gate, other, _rows(tensors.inputs[0]))

    return bind


def results(case: Case, tensors: Tensors, returned: Any) -> Any:
    """The result of a call, as the operator's outputs."""
    if case.operator.name in FORWARD:
        return returned[2].view(tensors.outputs[0].shape)
    of_gate, of_other = returned
    if len(tensors.outputs) == 1:
        return torch().cat([of_other, of_gate], -1)
    shape = tensors.outputs[0].shape
    return of_other.view(shape), of_gate.view(shape)


def _check(case: Case, names: tuple[str, ...]) -> None:
    if case.operator.name not in names or case.all_attributes["approximate"] != "tanh":
        raise NotApplicable


def _halves(case: Case, inputs: tuple[Any, ...]) -> tuple[Any, Any]:
    """Copies of the two halves, the gate last; of a packed tensor that is the upper one."""
    other, gate = inputs[0].chunk(2, -1) if case.is_gated else inputs[:2]
    return _rows(other), _rows(gate)


def _rows(tensor: Any) -> Any:
    """A contiguous copy in rows: of a vector, whose parts it takes only up to a length."""
    copy = tensor.clone(memory_format=torch().contiguous_format)
    if copy.dim() > 1:
        return copy
    return copy.view(-1, next(n for n in range(min(copy.numel(), LONGEST_ROW), 0, -1) if copy.numel() % n == 0))
