"""Losses and their gradients, from the formulas of CANN's documents, element by element in float64.

Reduction 0 means none, 1 the mean, 2 the sum. A mean of a loss is over all elements after broadcasting. The gradients
of MseLoss and SmoothL1Loss count the elements of `self` alone, as CANN's kernels and PyTorch do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FLOAT64 = np.float64


def _reduced(values: Any, reduction: int) -> Any:
    if reduction == 0:
        return values
    total = np.sum(values, dtype=FLOAT64 if np.isrealobj(values) else None)
    return total if reduction == 2 else total / FLOAT64(np.size(values))


def _count(*arrays: Any) -> int:
    """The number of elements after broadcasting."""
    return np.broadcast(*arrays).size


def _mean_of(gradient: Any, reduction: int, count: int) -> Any:
    """The gradient that an element of the loss gets."""
    return gradient / FLOAT64(count) if reduction == 1 else gradient


def _back_to(values: Any, shape: tuple[int, ...]) -> Any:
    """The sum over the dimensions in which an operand of this shape was broadcast."""
    padded = (1,) * (values.ndim - len(shape)) + shape
    axes = tuple(k for k, (n, m) in enumerate(zip(values.shape, padded, strict=True)) if m == 1 and n != 1)
    return values.sum(axes, keepdims=True).reshape(shape)


def _smooth_l1(a: Any, b: Any, reduction: int, beta: float) -> Any:
    def loss(x: float, y: float) -> float:
        distance = abs(x - y)
        return 0.5 * distance**2 / beta if distance < beta else distance - 0.5 * beta

    return _reduced(
        np.vectorize(loss, [FLOAT64])(a, b) if _count(a, b) else np.zeros(np.broadcast(a, b).shape), reduction
    )


def _smooth_l1_backward(gradient: Any, a: Any, b: Any, reduction: int, beta: float) -> Any:
    shape = np.broadcast(gradient, a, b).shape
    result = np.zeros(shape)
    for place in np.ndindex(shape):
        g, x, y = (np.broadcast_to(each, shape)[place] for each in (gradient, a, b))
        result[place] = g * ((x - y) / beta if abs(x - y) < beta else np.sign(x - y))
    return _mean_of(result, reduction, a.size)


def _divergence(a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    """The Kullback-Leibler divergence. Without logTarget, targets of at most 0 give NaN."""
    if is_log:
        values = np.exp(target) * (target - a)
    else:
        values = np.where(target <= 0, np.nan, target * (np.log(np.where(target <= 0, 1, target)) - a))
    return values.sum() / (values.shape or (1,))[0] if reduction == 3 else _reduced(values, reduction)


def _divergence_count(a: Any, target: Any, reduction: int) -> float:
    shape = np.broadcast(a, target).shape
    return {1: FLOAT64(np.prod(shape)), 3: FLOAT64((shape or (1,))[0])}.get(reduction, 1.0)


def _divergence_backward(gradient: Any, a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    slope = -(np.exp(target) if is_log else target) + 0 * a
    return _back_to(gradient * slope / _divergence_count(a, target, reduction), a.shape)


def _divergence_by_target(gradient: Any, a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    """CANN's program divides target by target: a target of 0 gives NaN."""
    if is_log:
        slope = np.exp(target) * (target - a) + np.exp(target)
    else:
        slope = np.log(target) - a + np.where(target == 0, np.nan, 1)
    return _back_to(gradient * slope / _divergence_count(a, target, reduction), target.shape)


def _log_of_at_least_minus_100(x: Any) -> Any:
    return np.where(x < np.exp(-100), np.where(np.isnan(x) | (x < 0), np.nan, -100), np.log(x))


def _chance_entropy(a: Any, target: Any, weight: Any, reduction: int) -> Any:
    """Binary cross entropy of probabilities. As in PyTorch, a logarithm is at least -100."""
    weight = 1 if weight is None else weight
    return _reduced(
        -weight * (target * _log_of_at_least_minus_100(a) + (1 - target) * _log_of_at_least_minus_100(1 - a)), reduction
    )


def _chance_entropy_backward(gradient: Any, a: Any, target: Any, weight: Any, reduction: int) -> Any:
    slope = (1 if weight is None else weight) * (a - target) / np.maximum(a * (1 - a), 1e-12)
    return _mean_of(gradient * slope, reduction, a.size)


def _soft_margin(a: Any, target: Any, reduction: int) -> Any:
    product = -target * a
    values = np.where(product > 0, product + np.log1p(np.exp(-np.abs(product))), np.log1p(np.exp(-np.abs(product))))
    return _reduced(np.where(np.isnan(product), np.nan, values), reduction if reduction in (0, 1) else 2)


def _soft_margin_backward(gradient: Any, a: Any, target: Any, reduction: int) -> Any:
    slope = -target / (1 + np.exp(target * a))
    return _mean_of(gradient * slope, reduction, _count(gradient, a, target))


def _squares_over_batch(a: Any, b: Any, reduction: int) -> Any:
    """Squares of differences. A reduction is only over the first dimension."""
    if not (a.size and b.size):  # hardware ends the call
        return None
    squares = (a - b) ** 2
    squares = squares.reshape(squares.shape or (1,))
    return squares if reduction == 0 else squares.sum(0) / (len(squares) if reduction == 1 else 1)


def _log_of_sigmoid(a: Any) -> Any:
    return -np.logaddexp(0, -a)


def _entropy(a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    """-weight * (positive * target * log(sigmoid(a)) + (1 - target) * log(1 - sigmoid(a)))"""
    a, target = np.real(a), np.real(target)
    weight, positive = (1 if each is None else np.real(each) for each in (weight, positive))
    return _reduced(-weight * (positive * target * _log_of_sigmoid(a) + (1 - target) * _log_of_sigmoid(-a)), reduction)


def _entropy_backward(gradient: Any, a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    weight, positive = (1 if each is None else each for each in (weight, positive))
    chance = np.exp(_log_of_sigmoid(a))
    other = np.exp(_log_of_sigmoid(-a))
    return _mean_of(gradient, reduction, a.size) * -weight * (positive * target * other - (1 - target) * chance)


def _entropy_by_target(gradient: Any, a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    weight, positive = (1 if each is None else each for each in (weight, positive))
    slope = -weight * (positive * _log_of_sigmoid(a) - _log_of_sigmoid(-a))
    return _mean_of(gradient, reduction, a.size) * slope


def _rows(a: Any, target: Any, weight: Any, ignored: int, classes: int) -> list[tuple[Any, float]]:
    """For each target: the index of its number in `a`, and its weight. None and 0 if the target is ignored."""
    places: list[tuple[Any, float]] = []
    for place in np.ndindex(target.shape):
        number = int(target[place])
        if number == ignored:
            places.append((None, 0.0))
            continue
        if not 0 <= number < a.shape[classes]:
            raise ValueError(f"class {number}")
        row = place if a.ndim > 1 else ()
        places.append(((*row[:classes], number, *row[classes:]), float(weight[number])))
    return places


def _nll(a: Any, target: Any, weight: Any, reduction: int, ignored: int, classes: int = -1) -> Any:
    """-weight[target] * a[target]. `classes` is the dimension of the classes."""
    places = _rows(a, target, weight, ignored, classes % a.ndim)
    losses = np.array([0.0 if place is None else -w * float(a[place]) for place, w in places])
    total = FLOAT64(sum(w for _, w in places))
    return (losses.reshape(target.shape), losses.sum() / total, losses.sum())[reduction], total


def _nll_backward(
    gradient: Any, a: Any, target: Any, weight: Any, reduction: int, ignored: int, total: Any, classes: int = -1
) -> Any:
    places = _rows(a, target, weight, ignored, classes % a.ndim)
    gradients = np.broadcast_to(np.ravel(gradient).astype(FLOAT64), (len(places),))
    result = np.zeros(a.shape)
    for (place, w), g in zip(places, gradients, strict=True):
        if place is not None:
            result[place] = -g * w / (FLOAT64(np.ravel(total)[0]) if reduction == 1 else 1)
    return result if a.dtype.kind == "f" else result.astype(np.int64)


RULES: dict[str, Callable[..., Any]] = {
    "mse_loss": lambda a, b, reduction: _reduced((a - b) ** 2, reduction),
    "mse_loss_backward": lambda g, a, b, reduction: _mean_of(g, reduction, a.size) * (a - b) * 2,
    "squares_over_batch": _squares_over_batch,
    "l1_loss": lambda a, b, reduction: _reduced(np.where(a > b, a - b, b - a), reduction),
    "l1_loss_backward": lambda g, a, b, reduction: (
        _mean_of(g, reduction, _count(g, a, b)) * ((a > b).astype(FLOAT64) - (a < b))
    ),
    "soft_margin": _soft_margin,
    "soft_margin_backward": _soft_margin_backward,
    "entropy": _entropy,
    "entropy_backward": _entropy_backward,
    "entropy_by_target": _entropy_by_target,
    "smooth_l1": _smooth_l1,
    "smooth_l1_backward": _smooth_l1_backward,
    "divergence": _divergence,
    "divergence_backward": _divergence_backward,
    "divergence_by_target": _divergence_by_target,
    "chance_entropy": _chance_entropy,
    "chance_entropy_backward": _chance_entropy_backward,
    "nll_loss": _nll,
    "nll_loss_backward": _nll_backward,
    "nll_loss_2d": lambda *arguments: _nll(*arguments, classes=1),
    "nll_loss_2d_backward": lambda *arguments: _nll_backward(*arguments, classes=1),
}
