"""Modules of other libraries known by a trial: their forward is run on a few numbers and compared with our functions.

No library is imported, and no class is known by its name. A gated block is run with stand-ins in place of its
projections and dropouts, so that its result tells the place of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import compress, permutations, product
from typing import Any, NamedTuple

import torch

from .. import decomposition, public_names
from ..kernels import interface_of

nn = torch.nn


class KnownActivation(NamedTuple):
    """A function of actgrad.torch with options."""

    function: str
    options: tuple[tuple[str, Any], ...] = ()


class BlockStructure(NamedTuple):
    """A block: projections, an activation or a gate, dropouts. `up` is "" for a packed gate, `down` where none is."""

    activation: KnownActivation
    gate: str  # the projection that is activated
    up: str = ""
    down: str = ""
    has_gate: bool = True
    is_lower: bool = False  # whether the lower half of a packed gate is activated
    before: tuple[str, ...] = ()  # dropouts before the last projection
    after: tuple[str, ...] = ()
    casts: bool = False  # whether the last projection is given its weight's dtype


@cache
def activations() -> dict[str, KnownActivation]:
    """The functions of actgrad.torch that a module may compute, by a name."""
    table: dict[str, KnownActivation] = {}
    for names in public_names.all_names():
        operator = names.operator
        is_elementwise = operator.is_unary_elementwise
        if names.module and is_elementwise and None not in operator.defaults.values():
            table[names.function] = KnownActivation(names.function)
            for choice in operator.choices[1:]:
                table[f"{names.function}_{choice}"] = KnownActivation(names.function, ((str(operator.switch), choice),))
    return table


@cache
def _formula(activation: KnownActivation) -> Callable[[torch.Tensor], torch.Tensor]:
    """The function in aten's operators, which need no compilation."""
    function, options = activation
    interface = interface_of(public_names.names_of(function).operator)
    template = interface.template(dict(options))
    return lambda x: decomposition.decomposed(interface, x, *template[1:])


#: The activations of gates with kernels of their own.
GATES = ("gelu", "gelu_tanh", "silu")


def activation(module: torch.nn.Module) -> tuple[str, str]:
    """The function of `activations` that a module without children computes, or the reason why it is none.

    Both are "" for a module that is no activation: one with parameters, or with other arguments than one tensor.
    """
    x = torch.linspace(-6, 6, 61, dtype=torch.float64, device="cpu").sinh()  # to 200: some are clipped at 10
    if module._parameters or module._buffers:
        return "", ""
    copy = x.clone()
    try:
        results = [_run(module, {}, copy, training) for training in (False, True)]
    except Exception:
        return "", ""
    if not torch.equal(copy, x):
        return "", "it writes into its input"
    if not all(torch.is_tensor(result) and result.shape == x.shape for result in results) or _is_close(results[0], x):
        return "", ""
    for name, candidate in activations().items():
        if all(_is_close(result, _formula(candidate)(x)) for result in results):
            return name, ""
    return "", "its forward is none of actgrad.torch's functions"


def block(module: torch.nn.Module) -> tuple[BlockStructure | None, str]:
    """The structure of a block, or the reason why it is none; "" where it does not look like a gate."""
    children = dict(module.named_children())
    projections = [name for name, child in children.items() if hasattr(child, "in_features")]
    dropouts = [name for name, child in children.items() if isinstance(child, nn.Dropout)]
    rest = [name for name in children if name not in projections and name not in dropouts]
    has_parameters = any(True for name in rest for _ in children[name].parameters())
    if not 1 <= len(projections) <= 3 or has_parameters or module._parameters or module._buffers:
        return None, ""
    looks_gated = len(projections) == 3 and bool(rest)
    numbers = iter(range(2, 9))
    stubs: dict[str, Any] = {name: _StandIn(next(numbers), 0.1) for name in projections}
    stubs.update({name: _StandIn(next(numbers), 0.0) for name in dropouts})
    x = torch.linspace(-5, 5, 32, dtype=torch.float64, device="cpu").sinh().reshape(1, 2, 16)
    try:
        results = [_run(module, stubs, x.clone(), training) for training in (False, True)]
    except Exception as fault:
        return None, f"its forward cannot be tried: {type(fault).__name__}" if looks_gated else ""
    for form in _forms(projections, dropouts, rest):
        if all(_is_close(result, _expected(form, stubs, x)) for result in results):
            return form._replace(casts=_casts(module, stubs, form, x)), _fault(children, rest)
    return None, f"it computes something else than a gate of {', '.join(GATES)}" if looks_gated else ""


def _fault(children: dict[str, torch.nn.Module], rest: list[str]) -> str:
    hooked = [name for name in rest if has_hooks(children[name])]
    return f"its {hooked[0]} has hooks, which would no longer be called" if hooked else ""


def _forms(projections: list[str], dropouts: list[str], rest: list[str]) -> Iterator[BlockStructure]:
    """The blocks that these children may make up."""
    for is_before, order in product(product((True, False), repeat=len(dropouts)), permutations(projections)):
        before = tuple(compress(dropouts, is_before))
        after = tuple(name for name in dropouts if name not in before)
        up, down = (order[1], order[2]) if len(order) == 3 else ("", "".join(order[1:]))
        for name, is_lower in product(GATES, (False,) if up else (False, True)):
            yield BlockStructure(activations()[name], order[0], up, down, True, is_lower, before, after)
        if not up and not rest:  # an activation that is a module is converted by itself
            for candidate in activations().values():
                yield BlockStructure(candidate, order[0], "", down, False, False, before, after)


def _expected(form: BlockStructure, stubs: dict[str, Any], x: torch.Tensor) -> torch.Tensor:
    """A form's result with stand-ins."""
    activate, y = _formula(form.activation), stubs[form.gate](x)
    if form.up:
        y = activate(y) * stubs[form.up](x)
    elif form.has_gate:
        lower, upper = y.chunk(2, -1)
        y = activate(lower) * upper if form.is_lower else lower * activate(upper)
    else:
        y = activate(y)
    for name in (*form.before, *filter(None, [form.down]), *form.after):
        y = stubs[name](y)
    return y


def _casts(module: torch.nn.Module, stubs: dict[str, Any], form: BlockStructure, x: torch.Tensor) -> bool:
    """Whether the last projection is given its weight's dtype, as T5's is."""
    if not form.down:
        return False
    last = stubs[form.down]
    last.weight = torch.zeros((), dtype=torch.float32, device="cpu")
    _run(module, stubs, x, False)
    return bool(last.input_dtype == torch.float32)


class _StandIn(torch.nn.Module):
    """A projection or dropout in a trial. Its shift tells the order of two of them."""

    def __init__(self, factor: int, shift: float):
        super().__init__()
        self.factor, self.shift = factor / 4, shift
        self.weight = torch.zeros((), dtype=torch.float64, device="cpu")
        self.input_dtype: Any = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.input_dtype = x.dtype
        return x * self.factor + self.shift


def _run(module: torch.nn.Module, stubs: dict[str, Any], x: torch.Tensor, training: bool) -> Any:
    """The result of a module's forward without hooks."""
    kind: Any = type(module)
    trial = kind.__new__(kind)
    trial.__dict__.update(module.__dict__, training=training)
    trial.__dict__["_modules"] = {**module._modules, **stubs}
    with torch.no_grad():
        return kind.forward(trial, x)


def _is_close(y: Any, reference: torch.Tensor) -> bool:
    """Whether numbers agree to float32's precision: some libraries write constants with eight digits."""
    return torch.is_tensor(y) and y.shape == reference.shape and torch.allclose(y.double(), reference, 1e-6, 1e-7)


def has_hooks(module: torch.nn.Module) -> bool:
    """Whether hooks run around a module's forward."""
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name, None) for name in names)
