"""Sums, means, extremes, variances and norms along dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from actgrad.ascend.choice import current_product

from .rearrangement import mean, with_dimension


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(a: Any, dims: Sequence[int], keep: bool, *_: Any) -> Any:
        a = with_dimension(a)
        return function(a, axis=tuple({d % a.ndim for d in dims}) or None, keepdims=keep)

    return compute


def _unless_kept(reduction: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction whose last argument says that a call without dimensions reduces nothing."""

    def compute(a: Any, dims: Sequence[int], keep: bool, keeps_all: bool) -> Any:
        return a if keeps_all and not dims else reduction(a, dims, keep)

    return compute


def _log_of_sum(a: Any, axis: Any, keepdims: bool) -> Any:
    """The logarithm of a sum. Without elements, the result is 0."""
    return np.log(np.sum(a, axis, keepdims=keepdims)) if a.size else np.sum(a, axis, keepdims=keepdims)


def _over_space(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction of (batch, channels, ...) over all dimensions after the channels. They stay, with size 1."""
    return _of_elements(lambda a: function(a, tuple(range(2, a.ndim)), keepdims=True))


def _histogram(a: Any, bins: int, low: Any, high: Any) -> Any:
    """The number of elements in each of `bins` equal parts of [low, high].

    If low = high, the parts divide the range of the elements.
    """
    values = a.reshape(-1).astype(np.float64)
    low, high = (float(np.asarray(each).astype(a.dtype)) for each in (low, high))
    if low == high and values.size:
        low, high = values.min(), values.max()
    low, high = (low - 1, high + 1) if low == high else (low, high)
    positions = np.floor((values - low) / (high - low) * bins)[(low <= values) & (values <= high)]
    return np.bincount(np.minimum(positions, bins - 1).astype(np.int64), minlength=bins)


def _of_elements(function: Callable[..., Any], count: int = 1) -> Callable[..., Any]:
    """`function`, but without results if the array has no elements, because hardware writes none."""
    return lambda a, *rest: function(with_dimension(a), *rest) if a.size else (None if count == 1 else (None,) * count)


def _extremes(value: Callable[..., Any], position: Callable[..., Any]) -> Callable[..., Any]:
    """Values and indices along a dimension."""
    return _of_elements(lambda a, dim, keep: (value(a, dim, keepdims=keep), position(a, dim, keepdims=keep)), 2)


def _min_and_max(a: Any, dims: Sequence[int], keep: bool) -> tuple[Any, Any]:
    """The minimum and the maximum. (None, None) if `a` has no elements."""
    if not a.size:
        return None, None
    axes = tuple({d % max(a.ndim, 1) for d in dims} if a.ndim else ()) or None
    return np.min(a, axes, keepdims=keep), np.max(a, axes, keepdims=keep)


def _variance(a: Any, dims: Sequence[int] | None, correction: int, keep: bool) -> Any:
    a, axis = with_dimension(a), tuple(dims or ()) or None
    squares = np.square(np.abs(a - mean(a, axis, True)))
    total = np.sum(squares, axis, keepdims=keep)
    count = a.size // max(total.size, 1)
    if count <= max(correction, 0):  # aclnn_var.cpp fills the result
        return np.full_like(total, np.inf if count > 1 else np.nan)
    return total / (count - correction)


def _deviation(*arguments: Any) -> Any:
    return np.sqrt(_variance(*arguments))


def _with_mean(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(a: Any, dims: Any, correction: int, keep: bool) -> tuple[Any, Any]:
        return function(a, dims, correction, keep), mean(with_dimension(a), tuple(dims or ()) or None, keep)

    return compute


def _log_sum_exp(a: Any, axis: Any, keepdims: bool) -> Any:
    largest = np.max(a, axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0)
    total = np.log(np.sum(np.exp(a - largest), axis, keepdims=keepdims))
    return total + largest.reshape(total.shape)


def _vector_norm(a: Any, order: Any, dims: Sequence[int], keep: bool, *_: Any) -> Any:
    """The norm of any order along some dimensions. Without `dims`, along all dimensions."""
    sizes = np.abs(with_dimension(a))
    axis = tuple(dims) or tuple(range(sizes.ndim))
    if not a.size:  # aclnn_norm.cpp fills the result with 0
        return np.sum(sizes, axis, keepdims=keep)
    if np.isinf(order):
        return (np.max if order > 0 else np.min)(sizes, axis, keepdims=keep)
    powers = sizes != 0 if order == 0 else sizes**order
    total = np.sum(powers, axis, keepdims=keep)
    return total if order == 0 else total ** (1 / order)


def _norm_of_all(a: Any, order: Any) -> Any:
    """The norm as CANN's kernels of ForeachNorm compute it, whatever the order: 1 if it truncates to 1, otherwise 2.

    Ascend950 also computes p = infinity: max(abs(x)). The norm of no elements is 0.
    """
    product = current_product()
    is_largest = order == np.inf and product is not None and product.name == "Ascend950"
    is_sum = np.isfinite(order) and int(order) == 1
    return _vector_norm(a, order if is_largest else 1 if is_sum else 2, (), False) if a.size else 0


def _renorm(a: Any, order: Any, dim: int, largest: Any) -> Any:
    """The parts along a dimension. A part whose norm is above `largest` shrinks to this norm."""
    norms = _vector_norm(a, order, [k for k in range(a.ndim) if k != dim % a.ndim], True)
    return np.where(norms > largest, a * (largest / (norms + 1e-7)), a)


def _running_sum(a: Any, dim: int, is_exclusive: bool, is_reverse: bool) -> Any:
    """The running sum, from the end if reverse. An exclusive sum leaves out the element itself."""
    a = np.flip(with_dimension(a), dim) if is_reverse else with_dimension(a)
    total = np.cumsum(a, dim)
    if is_exclusive:
        total = np.roll(total, 1, dim)
        np.moveaxis(total, dim, 0)[0] = 0
    return np.flip(total, dim) if is_reverse else total


def _running_extreme(function: np.ufunc) -> Callable[..., Any]:
    """The running extreme along a dimension, and its last position. NaN wins."""

    def compute(a: Any, dim: int) -> tuple[Any, Any]:
        values = function.accumulate(a, dim)
        positions = np.arange(a.shape[dim]).reshape(-1, *(1,) * (a.ndim - 1 - dim % a.ndim))
        is_new = (a == values) | np.isnan(a)
        return values, np.maximum.accumulate(np.where(is_new, positions, 0), dim)

    return compute


RULES: dict[str, Callable[..., Any]] = {
    "sum": _reduction(np.sum),
    "mean": _reduction(mean),
    "cumprod": lambda a, dim, *_: np.cumprod(a, int(dim)),
    "cummax": _running_extreme(np.maximum),
    "cummin": _running_extreme(np.minimum),
    "sum_without_nan": _reduction(np.nansum),
    "cumsum": lambda a, dim, dtype: np.cumsum(a, dim),
    "running_sum": _running_sum,
    "renorm": _renorm,
    "prod_of_all": lambda a, dtype: np.prod(a),
    "prod": lambda a, dim, keep, dtype: np.prod(with_dimension(a), dim, keepdims=keep),
    "extremes_of_all": lambda a: _min_and_max(a, (), False),
    "extremes": _min_and_max,
    "extremes_along": lambda a, dim, keep: _min_and_max(a, (dim,), keep),
    "max_of_all": _of_elements(np.max),
    "min_of_all": _of_elements(np.min),
    "max": _reduction(np.max),
    "min": _reduction(np.min),
    "all": _reduction(np.all),
    "any": _reduction(np.any),
    "argmax": _of_elements(lambda a, dim, keep: np.argmax(a, dim, keepdims=keep)),
    "argmin": _of_elements(lambda a, dim, keep: np.argmin(a, dim, keepdims=keep)),
    "max_unless_kept": _unless_kept(_of_elements(_reduction(np.max))),
    "mean_unless_kept": _unless_kept(_reduction(mean)),
    "log_of_sum": _unless_kept(_reduction(_log_of_sum)),
    "mean_over_space": _over_space(mean),
    "max_over_space": _over_space(np.max),
    "histogram": _histogram,
    "max_dim": _extremes(np.max, np.argmax),
    "min_dim": _extremes(np.min, np.argmin),
    "std": _deviation,
    "var": _variance,
    "var_and_mean": _with_mean(_variance),
    "std_and_mean": _with_mean(_deviation),
    "log_sum_exp": _reduction(_log_sum_exp),
    "vector_norm": _vector_norm,
    "norm_of_all": _norm_of_all,
}
