"""PyTorch's own operators as peers: as they are, through torch.compile, and as FlagGems replaces them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from ..buffers import Tensors
from ..cases import Case
from ..timing import Call
from . import composition, peer
from .peer import Bind, NotApplicable

ALPHA, SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946  # SELU's


class Counterpart(NamedTuple):
    """PyTorch's operator for one of ours."""

    name: str
    output: str  # its name for the output
    arguments: Callable[..., tuple[Any, ...]]  # of our attributes and tensors


def _elu_backward(a: dict[str, Any], g: Any, x: Any) -> tuple[Any, ...]:
    return g, a["alpha"], a["scale"], a["input_scale"], a["is_result"], x


def _alike(name: str) -> Counterpart:
    """PyTorch's operator of the same name and arguments."""
    output = "grad_input" if name.endswith("_backward") else "out"
    return Counterpart(name, output, lambda a, *tensors: (*tensors, *a.values()))


ALIKE = (
    "celu",
    "erfinv",
    "glu",
    "glu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardswish",
    "hardtanh",
    "hardtanh_backward",
    "mish",
    "relu",
    "sigmoid",
    "silu",
    "silu_backward",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
)

TABLE = {
    **{name: _alike(name) for name in ALIKE},
    "relu_backward": Counterpart("threshold_backward", "grad_input", lambda a, g, y: (g, y, 0)),
    "sigmoid_backward": Counterpart("sigmoid_backward", "grad_input", lambda a, g, y: (g, y)),
    "hardsigmoid": Counterpart("hardsigmoid", "out", lambda a, x: (x,)),
    "hardsigmoid_backward": Counterpart("hardsigmoid_backward", "grad_input", lambda a, g, x: (g, x)),
    "hardswish_backward": Counterpart("hardswish_backward", "out", lambda a, g, x: (g, x)),
    "elu": Counterpart("elu", "out", lambda a, x: (x, a["alpha"], a["scale"], a["input_scale"])),
    "elu_backward": Counterpart("elu_backward", "grad_input", _elu_backward),
    "selu": Counterpart("elu", "out", lambda a, x: (x, ALPHA, SCALE, 1.0)),
    "selu_backward": Counterpart("elu_backward", "grad_input", lambda a, g, y: (g, ALPHA, SCALE, 1.0, True, y)),
    "leaky_relu": Counterpart("leaky_relu", "out", lambda a, x: (x, a["negative_slope"])),
    "leaky_relu_backward": Counterpart(
        "leaky_relu_backward", "grad_input", lambda a, g, x: (g, x, a["negative_slope"], a["self_is_result"])
    ),
    "gelu": Counterpart("gelu", "out", lambda a, x: (x,)),
    "gelu_backward": Counterpart("gelu_backward", "grad_input", lambda a, g, x: (g, x)),
}


def _counterpart(case: Case) -> tuple[Counterpart, dict[str, Any], dict[str, Any]]:
    """PyTorch's operator, the attributes, and the arguments that go by name."""
    if case.operator.name not in TABLE:
        raise NotApplicable
    attributes = case.all_attributes
    return TABLE[case.operator.name], attributes, {k: attributes[k] for k in ("approximate",) if k in attributes}


def call(form: str, library: Any, case: Case) -> Bind:
    """The operator itself."""
    theirs, attributes, by_name = _counterpart(case)
    function = getattr(getattr(library.ops.aten, theirs.name), theirs.output if form == "out" else "default")

    def bind(tensors: Tensors) -> Call:
        given = theirs.arguments(attributes, *[peer.to_torch(library, t) for t in tensors.inputs if t is not None])
        results = {theirs.output: peer.to_torch(library, tensors.outputs[0])} if form == "out" else {}
        return partial(function, *given, **by_name, **results)

    return bind


def compiled(library: Any, case: Case) -> Bind:
    """The operator through torch.compile, writing straight into the output."""
    theirs, attributes, by_name = _counterpart(case)
    function = getattr(library.ops.aten, theirs.name).default

    def into_output(*tensors: Any) -> None:
        *inputs, out = tensors
        out.copy_(function(*theirs.arguments(attributes, *inputs), **by_name))

    made = composition.through_compiler(library, into_output)
    return lambda tensors: partial(made, *[peer.to_torch(library, t) for t in (*tensors.inputs, *tensors.outputs)])


def flag_gems(library: Any, case: Case) -> Bind:
    """The operator, for calls within `using_gems`."""
    return call("new", peer.torch(), case)


@contextmanager
def using_gems(library: Any, case: Case) -> Iterator[None]:
    """PyTorch's operator of a case replaced, and no other: to replace all takes longer than many a run."""
    name = _counterpart(case)[0].name
    with library.use_gems(include=[name]):
        if name not in library.all_registered_keys():
            raise NotApplicable
        yield
