"""Conversion of the activations in an existing model, in place, and back.

`convert` replaces a module's class by a subclass with another `forward`. The object stays, with its parameters,
buffers, hooks and names; so do references to it, and `isinstance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import torch

from ..base.errors import InvalidArgument
from . import functions, saving

nn = torch.nn


class ConvertedModule(NamedTuple):
    """A row of the report: one module."""

    name: str  # in the model; several for a shared module
    was: str  # its class
    becomes: str  # its new class; "" without one
    reason: str  # for leaving it alone


@dataclass(frozen=True)
class Report:
    """The outcome of a conversion; printed, it is a table. `rows`, `swapped` and `left` are the data.

    Only modules are converted: calls such as `torch.nn.functional.gelu` in a `forward` are not in the report.
    """

    rows: tuple[ConvertedModule, ...]

    @property
    def swapped(self) -> tuple[ConvertedModule, ...]:
        """The modules with a new class."""
        return tuple(row for row in self.rows if row.becomes)

    @property
    def left(self) -> tuple[ConvertedModule, ...]:
        """The activation modules that were left alone."""
        return tuple(row for row in self.rows if not row.becomes)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ConvertedModule]:
        return iter(self.rows)

    def __str__(self) -> str:
        if not self.rows:
            return "no activation modules to swap (functional calls are not looked at)"
        table = [("module", "from", "to", "why not"), *((r.name, r.was, r.becomes or "-", r.reason) for r in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
        return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])

    __repr__ = __str__


def convert(model: torch.nn.Module, *, save: str = saving.AUTO) -> Report:
    """Convert a model's activation modules to actgrad, in place; the report lists those converted and those left.

    It converts torch.nn's ELU, SELU, LeakyReLU and GELU, diffusers' GEGLU, and the gelu-gated MLP of Hugging Face's
    Gemma models; a trial on a few numbers confirms the last two. Scripted modules and subclasses with a `forward` of
    their own are left alone. Calls of `torch.nn.functional` are not modules, and stay.

    `save` is that of the functions. "auto" may save a result in place of the input. Where a model writes into an
    activation's result (`y = elu(x); y += residual`), the backward pass raises PyTorch's error; pass "input" then.
    """
    if save not in (saving.AUTO, saving.INPUT):
        raise InvalidArgument(f"convert: save is {save!r}; it must be {saving.AUTO!r} or {saving.INPUT!r}")
    return _each(model, partial(_converted, save))


def revert(model: torch.nn.Module) -> Report:
    """Undo `convert`: the modules, still the same objects, get their own classes back."""
    return _each(model, _reverted)


def _each(model: torch.nn.Module, change: Callable[[torch.nn.Module], tuple[Any, str]]) -> Report:
    """Give each module the class that `change` returns; None leaves it. A class or a reason makes a row."""
    names: dict[torch.nn.Module, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name or "(the model itself)")
    rows = []
    for module, known in names.items():
        was = type(module)
        kind, reason = change(module)
        if kind is not None:
            module.__class__ = kind
        if kind is not None or reason:
            rows.append(
                ConvertedModule(", ".join(known), was.__name__, kind.__name__ if kind is not None else "", reason)
            )
    return Report(tuple(rows))


# The classes


class _Marker:
    """The base of converted classes."""

    original: type


@cache
def _class(original: Any, forward: Callable[..., Any], option: str) -> type:
    """A subclass with another forward. `option` is its `save`, or GELU's form.

    Its name begins with ours, as the names that torch.nn.utils.parametrize makes begin with "Parametrized".
    """
    members = {
        "forward": forward,
        "original": original,
        "actgrad_option": option,
        "__module__": original.__module__,
        "__doc__": original.__doc__,
        "__reduce_ex__": lambda self, _: (_rebuilt, (original, forward, option), self.__dict__.copy()),
    }
    return type(f"Actgrad{original.__name__}", (original, _Marker), members)


def _rebuilt(original: Any, forward: Callable[..., Any], option: str) -> Any:
    """A converted module without its state, for pickles and copies."""
    kind: Any = _class(original, forward, option)
    return kind.__new__(kind)


def _reverted(module: torch.nn.Module) -> tuple[type | None, str]:
    if not isinstance(module, _Marker):
        return None, ""
    if "original" not in vars(type(module)):
        return None, f"{type(module).__name__} was made from the converted class; undo that first"
    return type(module).original, ""


def _converted(save: str, module: torch.nn.Module) -> tuple[type | None, str]:
    kind: Any = type(module)
    if isinstance(module, _Marker):
        return None, ""
    simple = next((base for base in _FORWARDS if isinstance(module, base)), None)
    is_gelu_gate = kind.__name__ == "GEGLU" or (kind.__name__.startswith("Gemma") and kind.__name__.endswith("MLP"))
    if simple is None and not is_gelu_gate:
        return None, ""
    if isinstance(module, torch.jit.ScriptModule):
        return None, "it is scripted"
    if "forward" in vars(module):
        return None, "its forward was replaced on the instance"
    if simple is not None:
        if kind.forward is not simple.forward:
            return None, f"a sub-class of {simple.__name__} with a forward of its own"
        return _class(kind, _FORWARDS[simple], save), ""
    children = set(dict(module.named_children()))
    if kind.__name__ == "GEGLU":
        if children != {"proj"}:
            return None, "it is no projection named proj and a gelu"
        return _if_it_is(module, _packed_forward, ("proj",), lambda x, gelu: _lower(x) * gelu(_upper(x)))
    if not children >= {"gate_proj", "up_proj", "down_proj"}:
        return None, "it is no gate_proj, up_proj and down_proj"
    if _has_hooks(getattr(module, "act_fn", None)):
        return None, "its act_fn has hooks, which would no longer be called"
    return _if_it_is(module, _two_forward, ("gate_proj", "up_proj", "down_proj"), lambda x, gelu: gelu(x) * (3.0 * x))


# Their forwards


def _elu(self: Any, input: torch.Tensor) -> torch.Tensor:
    return functions.elu(input, self.alpha, self.inplace, save=self.actgrad_option)


def _selu(self: Any, input: torch.Tensor) -> torch.Tensor:
    return functions.selu(input, self.inplace, save=self.actgrad_option)


def _leaky_relu(self: Any, input: torch.Tensor) -> torch.Tensor:
    return functions.leaky_relu(input, self.negative_slope, self.inplace, save=self.actgrad_option)


def _gelu(self: Any, input: torch.Tensor) -> torch.Tensor:
    return functions.gelu(input, approximate=self.approximate)


_FORWARDS: dict[Any, Callable[..., Any]] = {
    nn.ELU: _elu,
    nn.SELU: _selu,
    nn.LeakyReLU: _leaky_relu,
    nn.GELU: _gelu,
}


def _packed_forward(self: Any, hidden_states: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    if args or kwargs:  # deprecated: the original warns
        return self.original.forward(self, hidden_states, *args, **kwargs)
    return functions.geglu(self.proj(hidden_states), approximate=self.actgrad_option)


def _two_forward(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.down_proj(functions.geglu_two(self.up_proj(x), self.gate_proj(x), self.actgrad_option))


# Trials


def _if_it_is(
    module: torch.nn.Module,
    forward: Callable[..., Any],
    projections: tuple[str, ...],
    formula: Callable[[Any, Callable[..., Any]], Any],
) -> tuple[type | None, str]:
    """The converted class, if the module without its weights computes the formula with one of GELU's forms.

    The trial is necessary: libraries differ in the half that is the gate, and in the form of GELU.
    """
    kind: Any = type(module)
    trial = kind.__new__(kind)
    trial.__dict__.update(module.__dict__)
    stubs = {name: nn.Identity() if name != "up_proj" else _Threefold() for name in projections}
    trial.__dict__["_modules"] = {**module._modules, **stubs}
    # A call of `forward` runs no hooks.
    x = torch.linspace(-3, 3, 32, dtype=torch.float64, device="cpu")
    try:
        with torch.no_grad():
            got = kind.forward(trial, x)
    except Exception as fault:
        return None, f"its forward cannot be tried: {type(fault).__name__}"
    for approximate in ("none", "tanh"):

        def gelu(t: Any, approximate: str = approximate) -> Any:
            return nn.functional.gelu(t, approximate=approximate)

        wanted = formula(x, gelu)
        if torch.is_tensor(got) and got.shape == wanted.shape and torch.allclose(got.double(), wanted, 1e-9, 1e-9):
            return _class(kind, forward, approximate), ""
    return None, "it computes something else than that GeGLU"


class _Threefold(torch.nn.Module):
    """A projection that differs from the identity beside it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 3.0 * x


def _lower(x: torch.Tensor) -> torch.Tensor:
    return x.chunk(2, -1)[0]


def _upper(x: torch.Tensor) -> torch.Tensor:
    return x.chunk(2, -1)[1]


def _has_hooks(module: Any) -> bool:
    """Whether hooks run around a module's forward."""
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name, None) for name in names)
