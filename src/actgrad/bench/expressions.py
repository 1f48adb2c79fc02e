"""An operator's own formula as an expression of NumPy, JAX or PyTorch: what one would write without the operator.

Every operator has one, also one that is added later: `xp.bind` gives its formula the other library's functions.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import xp
from .cases import Case

Expression = Callable[..., Any]

_ROOT = math.sqrt(2 * math.pi)


def expression(case: Case, functions: dict[str, Any], join: Callable[[list[Any]], Any]) -> Expression:
    """The function of a case's given tensors that returns its outputs; `join` concatenates along the last dimension.

    KeyError where the formula uses what `functions` lacks.
    """
    operator, scalars = case.operator, case.scalars
    names = [a.name for a in operator.schema.tensors if case.with_optional or not a.is_optional]
    element, formulas = operator.element_and_formulas(dict.fromkeys(names, True), case.all_attributes, None)
    bound = [_bind(formula, functions) for formula in formulas]
    if not case.is_gated:
        return lambda *tensors: _one_or_all(element(*bound, *tensors, *scalars))
    packed, is_forward = names.index(operator.definition.main), operator.gradient_of is None

    def gated(*tensors: Any) -> Any:
        lower, upper = _halves(tensors[packed])
        results = element(*bound, *tensors[:packed], upper, lower, *tensors[packed + 1 :], *scalars)
        return _one_or_all(results) if is_forward else join(list(results)[::-1])

    return gated


def _one_or_all(results: tuple[Any, ...]) -> Any:
    return results if len(results) > 1 else results[0]


def _halves(packed: Any) -> tuple[Any, Any]:
    half = packed.shape[-1] // 2
    return packed[..., :half], packed[..., half:]


def _bind(formula: Callable[..., Any], functions: dict[str, Any]) -> Callable[..., Any]:
    missing = xp.missing(formula, functions)
    if missing is not None:
        raise KeyError(missing)
    return xp.bind(formula, functions)


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
        return xp.with_factors(functions)
    return xp.with_factors({**functions, "erfc": special.erfc, "normal_cdf": special.ndtr})


def of_jax(jax: Any) -> dict[str, Any]:
    """JAX's functions."""
    numpy = jax.numpy
    functions = {
        **_shared(numpy.where, numpy.exp, numpy.tanh),
        **{name: getattr(numpy, name) for name in ("abs", "minimum", "maximum", "expm1", "log1p")},
        "erfc": jax.lax.erfc,
        "normal_cdf": lambda x: 0.5 * jax.lax.erfc(-math.sqrt(0.5) * x),  # its ndtr does not take bfloat16
    }
    return xp.with_factors(functions)


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
    return xp.with_factors(functions)
