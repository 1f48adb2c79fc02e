"""GeGLU as code of a library, and any operator's own formula: the code of a user who has no such operator.

One composition serves all: `Library` says how a library multiplies, joins halves and writes into given memory, and
which functions it has for f(x) and for the chain rule g * f'(x).
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from actgrad import xp

from .. import subject
from ..buffers import Tensors
from ..cases import Case
from .peer import Bind, NotApplicable, to_torch


class Library(NamedTuple):
    """How a library computes; `out` is None, or memory for the result."""

    multiply: Callable[..., Any]  # (a, b, out)
    join: Callable[..., Any]  # (lower, upper, out): both halves as one tensor
    f: Callable[..., Any]  # (x, out)
    chain: Callable[..., Any]  # (g, x, out): g * f'(x)


def compute(case: Case, library: Library, inputs: list[Any], outputs: tuple[Any, ...]) -> Any:
    """The results of a case, by the operator's shape: gated or not, forward or backward."""
    multiply, join, f, chain = library
    results = len(case.operator.schema.outputs)
    first, second = (*outputs, None, None)[:2]
    if case.operator.gradient_of is None:
        if case.is_gated:
            other, gate = _halves(case, inputs[0])
            active = f(gate, second)
            out = multiply(other, active, first)
            return (out, active) if results > 1 else out
        return f(inputs[0], first) if len(inputs) == 1 else multiply(inputs[0], f(inputs[1], None), first)
    if case.is_gated:
        g, packed, *given = inputs
        other, gate = _halves(case, packed)
        active = given[0] if given else f(gate, None)
        gradients = (g * active, chain(g * other, gate, None))
        return join(*(reversed(gradients) if case.activates_lower else gradients), first)
    if results == 1:
        return chain(*inputs, first)
    g, other, gate = inputs
    return multiply(g, f(gate, None), first), chain(g * other, gate, second)


def _halves(case: Case, packed: Any) -> tuple[Any, Any]:
    """The half that stays as it is, and the half that is activated."""
    lower, upper = _split(packed)
    return (upper, lower) if case.activates_lower else (lower, upper)


def _split(packed: Any) -> tuple[Any, Any]:
    half = packed.shape[-1] // 2
    return packed[..., :half], packed[..., half:]


# GeGLU in PyTorch


def _gelu(torch: Any, case: Case, multiply: Any, join: Any, put: Callable[[Any, Any], Any] | None) -> Library:
    """PyTorch's GELU and its gradient; `put` writes a result into memory, None: by the operators' out forms."""
    if not case.operator.name.startswith("geglu"):
        raise NotApplicable  # PyTorch has one operator for the others, or none
    ops, form = torch.ops.aten, {"approximate": case.all_attributes["approximate"]}

    def f(x: Any, out: Any) -> Any:
        if out is None or put is not None:
            y = ops.gelu(x, **form)
            return y if out is None or put is None else put(y, out)
        return ops.gelu.out(x, **form, out=out)

    def chain(g: Any, x: Any, out: Any) -> Any:
        if out is None or put is not None:
            y = ops.gelu_backward(g, x, **form)
            return y if out is None or put is None else put(y, out)
        return ops.gelu_backward.grad_input(g, x, **form, grad_input=out)

    return Library(multiply, join, f, chain)


def eager(torch: Any, case: Case) -> Bind:
    """GeGLU as eager PyTorch code computes it, into given memory."""
    library = _gelu(
        torch, case, lambda a, b, out: torch.mul(a, b, out=out),
        lambda lower, upper, out: torch.cat([lower, upper], -1, out=out), None,
    )  # fmt: skip
    return _on_all(torch, case, library)


def compiled(torch: Any, case: Case) -> Bind:
    """GeGLU by torch.compile, writing straight into the outputs; compiled when first called."""

    def put(result: Any, out: Any) -> Any:
        out.copy_(result)
        return result

    def join(lower: Any, upper: Any, out: Any) -> None:
        # Into both halves, without a buffer for their concatenation: one pass can do it all.
        for result, half in zip((lower, upper), _split(out), strict=True):
            half.copy_(result)

    library = _gelu(torch, case, lambda a, b, out: put(a * b, out), join, put)
    count = len([name for name in case.operator.schema.tensors if case.with_optional or not name.is_optional])

    def into_outputs(*tensors: Any) -> None:
        compute(case, library, list(tensors[:count]), tensors[count:])

    function = through_compiler(torch, into_outputs)
    return lambda tensors: partial(function, *_given(torch, tensors), *[to_torch(torch, t) for t in tensors.outputs])


def _on_all(torch: Any, case: Case, library: Library) -> Bind:
    def bind(tensors: Tensors) -> Callable[[], Any]:
        outputs = tuple(to_torch(torch, t) for t in tensors.outputs)
        return partial(compute, case, library, _given(torch, tensors), outputs)

    return bind


def _given(torch: Any, tensors: Tensors) -> list[Any]:
    return [to_torch(torch, t) for t in tensors.inputs if t is not None]


def through_compiler(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """torch.compile of a function, for the shapes that it is first called with."""
    # One function is compiled anew only so often, and cases share the code of `compute`.
    importlib.import_module("torch._dynamo").reset()
    result: Callable[..., Any] = torch.compile(function, dynamic=False, fullgraph=True)
    return result


# Formulas in any library


def expression(case: Case, functions: dict[str, Any], join: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """The function of a case's tensors, allocating; KeyError with the name of a function that the library lacks."""

    def bound(operator: Any) -> Callable[..., Any]:
        values = {name: case.all_attributes[name] for name in operator.defaults if name in case.all_attributes}
        formula = operator.formula_for({**operator.defaults, **values}, None)
        missing = xp.missing(formula, functions)
        if missing is not None:
            raise KeyError(missing)
        scalars = [float(values[a.name]) for a in operator.schema.attributes if a.type == "Scalar"]
        if len(inspect.signature(formula).parameters) != 1 + len(scalars):
            raise NotApplicable  # a formula of more than one number, such as softmax's, which needs the row's sum
        function: Callable[..., Any] = xp.bind(formula, functions)
        return lambda x: function(x, *scalars)

    forward = case.operator.gradient_of or case.operator
    if len(forward.schema.tensors) > 1 and not subject.multiplies(forward):
        raise NotApplicable
    needs_forward = forward is case.operator or case.is_gated or len(case.operator.schema.tensors) > 2
    f: Callable[..., Any] = bound(forward) if needs_forward else lambda x: x
    derivative: Callable[..., Any] = bound(case.operator) if case.operator.gradient_of else f
    library = Library(
        lambda a, b, out: a * b, lambda lower, upper, out: join([lower, upper]), lambda x, out: f(x),
        lambda g, x, out: g * derivative(x),
    )  # fmt: skip
    return lambda *tensors: compute(case, library, list(tensors), ())


def _functions(where: Any, exp: Any, tanh: Any, more: dict[str, Any]) -> dict[str, Any]:
    """A library's functions by the names of actgrad.xp."""
    root = math.sqrt(2 * math.pi)
    return xp.with_factors({
        "where": where,
        "conjugate": lambda x: x,
        "exp": exp,
        "tanh": tanh,
        "sigmoid": lambda x: 1 / (1 + exp(-x)),
        "normal_pdf": lambda x: exp(-0.5 * x * x) / root,
        "sigmoid_cubic": lambda x, c1, c3: 0.5 * (1.0 + tanh(0.5 * (c1 * x + c3 * x * x * x))),
        **more,
    })  # fmt: skip


def of_numpy() -> dict[str, Any]:
    """NumPy's functions, and SciPy's where it is installed."""
    more = {name: getattr(np, name) for name in ("abs", "minimum", "maximum", "expm1", "log1p", "sqrt")}
    more["rsqrt"] = xp.rsqrt
    try:
        special = importlib.import_module("scipy.special")
        more |= {"erfc": special.erfc, "erfinv": special.erfinv, "normal_cdf": special.ndtr}
    except ImportError:
        pass  # a formula that calls them has no NumPy peer
    return _functions(np.where, np.exp, np.tanh, more)


def of_jax(jax: Any) -> dict[str, Any]:
    """JAX's functions."""
    numpy = jax.numpy
    more = {name: getattr(numpy, name) for name in ("abs", "minimum", "maximum", "expm1", "log1p", "sqrt")}
    more |= {
        "rsqrt": jax.lax.rsqrt,
        "erfc": jax.lax.erfc,
        "erfinv": jax.lax.erf_inv,
        "normal_cdf": lambda x: 0.5 * jax.lax.erfc(-math.sqrt(0.5) * x),  # its ndtr does not take bfloat16
    }
    return _functions(numpy.where, numpy.exp, numpy.tanh, more)


def of_torch(torch: Any) -> dict[str, Any]:
    """PyTorch's functions; its minimum and maximum take no numbers, its clamp does."""

    def bounded(pairwise: Any, bound: str) -> Callable[[Any, Any], Any]:
        def function(a: Any, b: Any) -> Any:
            if isinstance(a, (int, float)):
                a, b = b, a
            return torch.clamp(a, **{bound: b}) if isinstance(b, (int, float)) else pairwise(a, b)

        return function

    more = {name: getattr(torch, name) for name in ("abs", "expm1", "log1p", "sqrt", "rsqrt")}
    more |= {"minimum": bounded(torch.minimum, "max"), "maximum": bounded(torch.maximum, "min")}
    more |= {"erfc": torch.special.erfc, "erfinv": torch.special.erfinv, "normal_cdf": torch.special.ndtr}
    return _functions(torch.where, torch.exp, torch.tanh, more)
