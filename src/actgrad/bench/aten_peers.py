"""PyTorch's own operators as peers: as they are, through torch.compile, and as FlagGems replaces them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..ops.selu import ALPHA, SCALE
from . import compositions, peer
from .buffers import Tensors
from .cases import Case
from .peer import Bind, NotApplicable
from .timing import Call

#: Operator -> aten's name, its name for the output, and its arguments from attributes and tensors.
TABLE: dict[str, tuple[str, str, Callable[..., tuple[Any, ...]]]] = {
    "elu": ("elu", "out", lambda a, x: (x, a["alpha"], a["scale"], a["input_scale"])),
    "elu_backward": (
        "elu_backward",
        "grad_input",
        lambda a, g, x: (g, a["alpha"], a["scale"], a["input_scale"], a["is_result"], x),
    ),
    "selu": ("elu", "out", lambda a, x: (x, ALPHA, SCALE, 1.0)),
    "selu_backward": ("elu_backward", "grad_input", lambda a, g, y: (g, ALPHA, SCALE, 1.0, True, y)),
    "leaky_relu": ("leaky_relu", "out", lambda a, x: (x, a["negative_slope"])),
    "leaky_relu_backward": (
        "leaky_relu_backward",
        "grad_input",
        lambda a, g, x: (g, x, a["negative_slope"], a["self_is_result"]),
    ),
    "gelu": ("gelu", "out", lambda a, x: (x,)),
    "gelu_backward": ("gelu_backward", "grad_input", lambda a, g, x: (g, x)),
}


def _named(case: Case) -> tuple[str, str, Callable[..., tuple[Any, ...]], dict[str, Any]]:
    """The row of a case, and the arguments that go by name; NotApplicable where there is none."""
    if case.operator.name not in TABLE:
        raise NotApplicable
    attributes = case.all_attributes
    return *TABLE[case.operator.name], {k: attributes[k] for k in ("approximate",) if k in attributes}


def call(form: str, library: Any, case: Case, layout: str) -> Bind:
    """The operator itself."""
    name, output, arguments, by_name = _named(case)
    attributes = case.all_attributes
    function = getattr(getattr(library.ops.aten, name), output if form == "out" else "default")

    def bind(tensors: Tensors) -> Call:
        given = arguments(attributes, *[peer.to_torch(library, t) for t in tensors.inputs if t is not None])
        results = {output: peer.to_torch(library, tensors.outputs[0])} if form == "out" else {}
        return partial(function, *given, **by_name, **results)

    return bind


def compiled(library: Any, case: Case, layout: str) -> Bind:
    """The operator through torch.compile, writing straight into the output."""
    name, _, arguments, by_name = _named(case)
    function, attributes = getattr(library.ops.aten, name).default, case.all_attributes

    def into_output(*tensors: Any) -> None:
        *inputs, out = tensors
        out.copy_(function(*arguments(attributes, *inputs), **by_name))

    return peer.on_all(library, compositions.through_compiler(library, into_output))


def flag_gems(library: Any, case: Case, layout: str) -> Bind:
    """The operator, for calls within `using_gems`."""
    return call("new", peer.torch(), case, layout)


@contextmanager
def using_gems(library: Any, case: Case) -> Iterator[None]:
    """PyTorch's operator of a case replaced, and no other: to replace all takes longer than many a run."""
    name = _named(case)[0]
    with library.use_gems(include=[name]):
        if name not in library.all_registered_keys():
            raise NotApplicable
        yield
