"""An operator's own formula as an expression of NumPy, JAX or PyTorch: what one would write without the operator.

Every operator has one, also one that is added later: `xp.bind` gives its formula the other library's functions.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from .. import layouts, xp
from ..layouts import GATED_PAIR
from .cases import Case

Expression = Callable[..., Any]

_ROOT = math.sqrt(2 * math.pi)


def expression(case: Case, functions: dict[str, Any], join: Callable[[list[Any]], Any]) -> Expression:
    """The function of a case's given tensors that returns its outputs; `join` concatenates along the last dimension.

    KeyError where the formula uses what `functions` lacks.
    """
    gated_forward: Expression = layouts.gated_forward
    gated_backward: Expression = layouts.gated_backward_given
    pair_forward: Expression = layouts.pair_forward
    pair_backward: Expression = layouts.pair_backward
    formula = case.operator.formula_for(case.all_attributes, None)
    forward, scalars = case.operator.gradient_of, case.scalars
    derivative = _bind(formula, functions)
    if case.operator.layout == GATED_PAIR:
        if forward is None:
            return lambda *tensors: pair_forward(derivative, *tensors)[0]
        activation = _bind(forward.formula_for(case.all_attributes, None), functions)
        return lambda *tensors: pair_backward(activation, derivative, *tensors)
    if not case.is_gated:
        element = layouts.forward if forward is None else layouts.backward
        return lambda *tensors: element(derivative, *tensors, *scalars)[0]
    if forward is None:
        return lambda packed: gated_forward(derivative, *_halves(packed)[::-1], *scalars)
    function = _bind(forward.formula_for(case.all_attributes, None), functions)

    def backward(grad_output: Any, packed: Any, activated: Any = None) -> Any:
        other, active = _halves(packed)
        given = function(active, *scalars) if activated is None else activated
        results = gated_backward(derivative, grad_output, active, other, given, *scalars)
        return join(list(results)[::-1])

    return backward


def _halves(packed: Any) -> tuple[Any, Any]:
    half = packed.shape[-1] // 2
    return packed[..., :half], packed[..., half:]


def _bind(formula: Callable[..., Any], functions: dict[str, Any]) -> Callable[..., Any]:
    missing = next(_missing(formula, functions), None)
    if missing is not None:
        raise KeyError(missing.removesuffix("_times"))
    return xp.bind(formula, functions)


def _missing(formula: Any, functions: dict[str, Any]) -> Iterator[str]:
    """What a formula, or one that it uses, takes from xp and `functions` lacks."""
    for name in formula.__code__.co_names:
        if name not in xp.NAMES:
            used = formula.__globals__.get(name)
            yield from _missing(used, functions) if isinstance(used, FunctionType) else ()
        elif name not in functions:
            yield name


def _with_factors(functions: dict[str, Any]) -> dict[str, Any]:
    """`functions`, and those that are one of them times a factor: their last argument."""

    def times(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: function(*arguments[:-1]) * arguments[-1]

    stems = {name: name.removesuffix("_times") for name in xp.NAMES if name.endswith("_times")}
    return {**functions, **{name: times(functions[stem]) for name, stem in stems.items() if stem in functions}}


def _shared(where: Any, exp: Any, tanh: Any) -> dict[str, Any]:
    """What is written the same way with any library."""
    return {
        "where": where,
        "exp": exp,
        "tanh": tanh,
        "normal_pdf": lambda x: exp(-0.5 * x * x) / _ROOT,
        "sigmoid_cubic": lambda x, c1, c3: 0.5 * (1.0 + tanh(0.5 * (c1 * x + c3 * x * x * x))),
    }


def of_numpy() -> dict[str, Any]:
    """NumPy's functions; those that NumPy lacks come from SciPy where that is installed."""
    functions = {
        **_shared(np.where, np.exp, np.tanh),
        **{name: getattr(np, name) for name in ("abs", "minimum", "maximum", "expm1", "log1p")},
    }
    try:
        special = importlib.import_module("scipy.special")
    except ImportError:
        return _with_factors(functions)
    return _with_factors({**functions, "erfc": special.erfc, "normal_cdf": special.ndtr})


def of_jax(jax: Any) -> dict[str, Any]:
    """JAX's functions."""
    numpy = jax.numpy
    functions = {
        **_shared(numpy.where, numpy.exp, numpy.tanh),
        **{name: getattr(numpy, name) for name in ("abs", "minimum", "maximum", "expm1", "log1p")},
        "erfc": jax.lax.erfc,
        "normal_cdf": lambda x: 0.5 * jax.lax.erfc(-math.sqrt(0.5) * x),  # its ndtr does not take bfloat16
    }
    return _with_factors(functions)


def of_torch(torch: Any) -> dict[str, Any]:
    """PyTorch's functions; its minimum and maximum take no numbers, its clamp does."""

    def bounded(pairwise: Any, bound: str) -> Callable[[Any, Any], Any]:
        def function(a: Any, b: Any) -> Any:
            if isinstance(a, (int, float)):
                a, b = b, a
            return torch.clamp(a, **{bound: b}) if isinstance(b, (int, float)) else pairwise(a, b)

        return function

    functions = {
        **_shared(torch.where, torch.exp, torch.tanh),
        **{name: getattr(torch, name) for name in ("abs", "expm1", "log1p")},
        "minimum": bounded(torch.minimum, "max"),
        "maximum": bounded(torch.maximum, "min"),
        "erfc": torch.special.erfc,
        "normal_cdf": torch.special.ndtr,
    }
    return _with_factors(functions)
