"""Recognises modules of other libraries: follows their forward with `reading`, and compares it with our function.

This module imports no other library and does not depend on class names. It runs a model's code only after it has read
all of the code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch

from .. import decomposition, functions, public_names
from ..kernels import interface_of
from .reading import Declined, ForwardReader

nn = torch.nn


class KnownActivation(NamedTuple):
    """A function of actgrad.torch with options."""

    function: str
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, x: torch.Tensor) -> Any:
        return getattr(functions, self.function)(x, **dict(self.options))


class Proof(NamedTuple):
    """The function that a module's forward, or a method, computes."""

    name: str  # a key of `activations`
    test: Callable[[Any], bool]  # whether everything that the forward read is unchanged


_proofs: WeakKeyDictionary[FunctionType, list[tuple[type, Proof]]] = WeakKeyDictionary()


@cache
def activations() -> dict[str, KnownActivation]:
    """The functions of actgrad.torch that a module may compute, by names."""
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
    """The function as a composition of aten's operators, because actgrad's kernel would need to be compiled first."""
    function, options = activation
    interface = interface_of(public_names.names_of(function).operator)
    template = interface.template(dict(options))
    return lambda x: decomposition.decomposed(interface, x, *template[1:])


FAR = (1e3, 1e4, 1e5, 1e6, 1e9, 1e30)
KINKS = (0.0, 0.5, 1.0, 1.702, 2.0, 3.0, 6.0, 10.0, 20.0)


@cache
def ordinary_points() -> torch.Tensor:
    """Numbers up to 200, because some modules clip at 10. Also kinks, the numbers next to kinks, large numbers,
    infinities and NaN."""
    kinks = torch.tensor([*KINKS, *(-kink for kink in KINKS)], dtype=torch.float64, device="cpu")
    ends = torch.tensor([torch.inf, -torch.inf], dtype=torch.float64, device="cpu")
    ordinary = torch.linspace(-6, 6, 61, dtype=torch.float64, device="cpu").sinh()
    neighbours = [torch.nextafter(kinks, end) for end in ends]
    far = torch.tensor([*FAR, *(-number for number in FAR)], dtype=torch.float64, device="cpu")
    return torch.cat([ordinary, kinks, *neighbours, far, ends, ends.new_tensor([torch.nan])])


def _with_gradient(function: Callable[[torch.Tensor], Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Values at the points, and the product of a vector and the Jacobian matrix."""
    with torch.enable_grad(), torch.inference_mode(False):
        x = ordinary_points().clone().requires_grad_()
        y = function(x)
        if not (isinstance(y, torch.Tensor) and y.shape == x.shape and y.dtype == x.dtype and y.requires_grad):
            raise Declined("its result is not a differentiable tensor like the input")
        (slope,) = torch.autograd.grad(y, x, torch.linspace(0.5, 1.5, len(x), dtype=x.dtype, device="cpu"))
        return y.detach(), slope


@cache
def _reference(name: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The values and gradients of actgrad's function at the points."""
    return _with_gradient(lambda x: activations()[name](x))


def activation(module: torch.nn.Module) -> tuple[Proof | None, str]:
    """The function that a module without children computes, or the reason why it is unknown.

    The reason is "" if the module is no activation, because it has parameters or takes more than one tensor.
    """
    if module._parameters or module._buffers or module._modules:
        return None, ""
    forward = inspect.getattr_static(type(module), "forward")
    return function(module, "forward", forward) if isinstance(forward, FunctionType) else (None, "")


def function(module: torch.nn.Module, name: str, method: FunctionType) -> tuple[Proof | None, str]:
    """The function that a method of a module computes, or the reason why it is unknown."""
    for kind, proof in _proofs.get(method, ()):
        if kind is type(module) and proof.test(module):
            return proof, ""
    interpreters = [ForwardReader(module, device) for device in ("cpu", "cuda")]
    try:
        names = {_name(each, method) for each in interpreters}
        if len(names) == 1 and interpreters[0].reads.tests == interpreters[1].reads.tests:
            interpreters[0].reads.record(type(module), f"{{0}}.{name}", method)
            proof = Proof(names.pop(), interpreters[0].reads.test())
            _proofs.setdefault(method, []).append((type(module), proof))
            return proof, ""
        reason = "it depends on the device"
    except Declined as refused:
        reason = str(refused)
    if any(each.has_computed for each in interpreters) and not reason.startswith("its "):
        reason = f"its forward is not one of actgrad.torch's functions: {reason}"
    is_activation = any(each.has_computed for each in interpreters) or "tried" in reason
    return None, reason if is_activation or _calls_activations(method) else ""


def _calls_activations(method: FunctionType) -> bool:
    method = inspect.unwrap(method)
    return not {*method.__code__.co_names}.isdisjoint({*activations(), "apply"})


def _name(interpreter: ForwardReader, method: FunctionType) -> str:
    """The name of the function that a method computes. Raises Declined if it is unknown."""
    module = interpreter.module

    def forward(x: torch.Tensor) -> Any:
        version = x._version
        interpreter.depth = 0
        y = interpreter.run(method, (module, x), {})
        if x._version != version:
            raise Declined("it writes into its input")
        return y

    with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
        values, slopes = _with_gradient(forward)
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for shape in ((), (3,), (0,), (1, 2, 1, 2, 3)):
                x = torch.ones(shape, dtype=dtype, device="cpu")
                if forward(x).dtype != dtype or forward(x).shape != shape:
                    raise Declined("its result has another dtype or shape")
        x = ordinary_points()
        finite = x.abs() <= KINKS[-1] * 10
        if torch.equal(values[finite], x[finite]):
            interpreter.has_computed = False
            raise Declined("it returns its input")
        reason = ""
        for name, candidate in activations().items():
            if torch.allclose(values[finite], _formula(candidate)(x[finite]), 1e-6, 1e-7):
                reason = _difference((values, slopes), _reference(name), _formula(candidate))
                if not reason:
                    same_on_copy(module, method, forward, ordinary_points())
                    return name
                reason = f"{reason} differs from that of {name}"
    raise Declined(f"its forward is not one of actgrad.torch's functions{': ' if reason else ''}{reason}")


def same_on_copy(
    module: Any, method: FunctionType, forward: Callable[[torch.Tensor], Any], points: torch.Tensor
) -> None:
    """Compare with the method itself, on a copy of the module. The method must have been read before."""
    kind: Any = type(module)
    copy = kind.__new__(kind)
    copy.__dict__.update(module.__dict__)
    with torch.random.fork_rng([]), torch.no_grad():
        run: Any = method
        results = [run(copy, points.clone()), forward(points.clone())]
    if not torch.equal(*(result.nan_to_num(7.0) for result in results)):
        raise Declined("its forward and its source compute different results")


def _difference(expected: Any, actual: Any, formula: Callable[[torch.Tensor], torch.Tensor]) -> str:
    """The first difference of values and gradients that exceeds the rounding of constants, or "".

    If the module's formula gives NaN for an infinite number, or overflows for a large one, our function may return the
    limit or the number.
    """
    x = ordinary_points()
    is_far = x.isfinite() & (x.abs() >= FAR[0])
    is_lost = [(x.isinf() & each.isnan()) | (is_far & ~each.isfinite()) for each in expected]
    zero = (x.abs() <= 4) & (actual[0] == 0)  # PyTorch's own function may have the other sign
    signs = [values[zero].signbit() for values in (expected[0], actual[0], formula(x))]
    if not ((signs[0] == signs[1]) | (signs[0] == signs[2])).all():
        return "the sign of zero"
    for name, lost, their, our in zip(("value", "gradient"), is_lost, expected, actual, strict=True):
        wrong = ~torch.isclose(their, our, 1e-6, 1e-7, equal_nan=True) & ~lost
        if wrong.any():
            return f"its {name} at {x[wrong][0].item():g}"
    return ""


def has_hooks(module: torch.nn.Module) -> bool:
    """Whether hooks run around a module's forward."""
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name, None) for name in names)


class BlockStructure(tuple):  # type: ignore[type-arg]
    """A block in pickles of version 0.2."""

    def __new__(cls, *row: Any) -> BlockStructure:
        return super().__new__(cls, row)
