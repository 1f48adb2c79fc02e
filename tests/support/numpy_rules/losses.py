"""Losses and their gradients. Reduction 0 means none, 1 the mean, 2 the sum."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import working

from .indices import indices_within
from .rearrangement import mean


def _reduced_loss(loss: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*arguments: Any) -> Any:
        *tensors, reduction = arguments
        values = loss(*tensors)
        return (lambda a: a, mean, np.sum)[reduction](values)

    return compute


def _share(size: int, reduction: int) -> float:
    """The factor of an element's gradient."""
    return 1.0 / max(size, 1) if reduction == 1 else 1.0


def _smooth_l1(a: Any, b: Any, beta: float) -> Any:
    distance = np.abs(a - b)
    return np.where(distance < beta, distance * distance / (2 * beta or 1), distance - beta / 2)


def _smooth_l1_backward(gradient: Any, a: Any, b: Any, reduction: int, beta: float) -> Any:
    slope = np.where(np.abs(a - b) < beta, (a - b) / (beta or 1), np.sign(a - b))
    return gradient * slope * _share(slope.size, reduction)


def _divergence(a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    """The Kullback-Leibler divergence.

    Reduction 3 divides the sum by the first size. Targets of 0 give NaN, as CANN documents.
    """
    values = np.exp(target) * (target - a) if is_log else target * (np.log(target) - a)
    return np.sum(values) / a.shape[0] if reduction == 3 and a.ndim else _reduced_loss(lambda x: x)(values, reduction)


def _divergence_share(a: Any, reduction: int) -> float:
    return 1 / a.shape[0] if reduction == 3 and a.ndim else _share(a.size, reduction)


def _divergence_backward(gradient: Any, a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    return -gradient * (np.exp(target) if is_log else target) * _divergence_share(a, reduction)


def _divergence_by_target(gradient: Any, a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    slope = np.exp(target) * (target - a + 1) if is_log else np.where(target == 0, 0, np.log(target) - a + 1)
    return gradient * slope * _divergence_share(a, reduction)


def _chance_entropy(a: Any, target: Any, weight: Any) -> Any:
    """Binary cross entropy of probabilities. As in PyTorch, logarithms are at least -100."""
    loss = -(target * np.maximum(np.log(a), -100) + (1 - target) * np.maximum(np.log1p(-a), -100))
    return loss if weight is None else loss * weight


def _chance_entropy_backward(gradient: Any, a: Any, target: Any, weight: Any, reduction: int) -> Any:
    slope = (a - target) / np.maximum((1 - a) * a, 1e-12)
    return gradient * (slope if weight is None else slope * weight) * _share(a.size, reduction)


def _soft_margin(a: Any, target: Any) -> Any:
    return np.logaddexp(np.zeros((), a.dtype), -target * a)


def _soft_margin_backward(gradient: Any, a: Any, target: Any, reduction: int) -> Any:
    slope = -target / (1 + np.exp(target * a))
    return gradient * slope * _share(slope.size, reduction)


def _squares_over_batch(a: Any, b: Any, reduction: int) -> Any:
    """Squares of differences. A reduction is only over the first dimension."""
    if not (a.size and b.size):  # hardware ends the call
        return None
    squares = np.atleast_1d(np.square(a - b))
    return (lambda a: a, lambda a: mean(a, 0), lambda a: np.sum(a, 0))[reduction](squares)


def _mse_backward(gradient: Any, a: Any, b: Any, reduction: int) -> Any:
    return gradient * (2 * _share(a.size, reduction)) * (a - b)


def _entropy(a: Any, target: Any, weight: Any, positive: Any) -> Any:
    """Binary cross entropy with logits."""
    more = 1 if positive is None else 1 + (positive - 1) * target
    loss = (1 - target) * a + more * (np.log1p(np.exp(-np.abs(a))) + np.maximum(-a, 0))
    return loss if weight is None else loss * weight


def _entropy_backward(gradient: Any, a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    share, chance = _share(a.size, reduction), 0.5 + 0.5 * np.tanh(0.5 * a)
    by_a = chance - target if positive is None else (positive * target + 1 - target) * chance - positive * target
    return gradient * share * (by_a if weight is None else by_a * weight)


def _entropy_by_target(gradient: Any, a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    more = np.log1p(np.exp(-np.abs(a)))
    slope = (1 if positive is None else positive) * (more + np.maximum(-a, 0)) - (more + np.maximum(a, 0))
    return gradient * (slope if weight is None else slope * weight) * _share(a.size, reduction)


def _picked(a: Any, target: Any, weight: Any, ignored: int) -> tuple[Any, Any, Any]:
    """Rows of `a`, and for each row its class and weight. The weight of an ignored row is 0."""
    classes = target.reshape(-1).astype(np.int64)
    is_counted = classes != ignored
    classes = indices_within(np.where(is_counted, classes, 0), a.shape[-1])
    rows = a.reshape(prod(a.shape[:-1]), a.shape[-1]).astype(working(a.dtype))
    return rows, classes, np.where(is_counted, weight.astype(rows.dtype)[classes], 0)


def _nll(a: Any, target: Any, weight: Any, reduction: int, ignored: int) -> Any:
    rows, classes, weights = _picked(a, target, weight, ignored)
    losses, total = -rows[np.arange(len(rows)), classes] * weights, weights.sum()
    return (losses.reshape(target.shape), losses.sum() / total, losses.sum())[reduction], total


def _nll_backward(gradient: Any, a: Any, target: Any, weight: Any, reduction: int, ignored: int, total: Any) -> Any:
    rows, classes, weights = _picked(a, target, weight, ignored)
    result = np.zeros_like(rows)
    shares = -weights * gradient.astype(rows.dtype).reshape(-1) / (total.astype(rows.dtype) if reduction == 1 else 1)
    result[np.arange(len(rows)), classes] = shares
    return result.reshape(a.shape)


def _classes_last(rule: Callable[..., Any], tensors: int) -> Callable[..., Any]:
    """A rule on rows of classes. Dimension 1 of argument number `tensors`, counted from 1, is the classes."""

    def compute(*arguments: Any) -> Any:
        a = np.moveaxis(arguments[tensors - 1], 1, -1)
        return rule(*arguments[: tensors - 1], a, *arguments[tensors:])

    return compute


RULES: dict[str, Callable[..., Any]] = {
    "mse_loss": _reduced_loss(lambda a, b: np.square(a - b)),
    "mse_loss_backward": _mse_backward,
    "squares_over_batch": _squares_over_batch,
    "l1_loss": _reduced_loss(lambda a, b: np.abs(a - b)),
    "l1_loss_backward": lambda g, a, b, reduction: g * _share(a.size, reduction) * np.sign(a - b),
    "soft_margin": lambda a, b, reduction: _reduced_loss(_soft_margin)(a, b, reduction if reduction in (0, 1) else 2),
    "soft_margin_backward": _soft_margin_backward,
    "entropy": _reduced_loss(_entropy),
    "entropy_backward": _entropy_backward,
    "entropy_by_target": _entropy_by_target,
    "smooth_l1": lambda a, b, reduction, beta: _reduced_loss(_smooth_l1)(a, b, beta, reduction),
    "smooth_l1_backward": _smooth_l1_backward,
    "divergence": _divergence,
    "divergence_backward": _divergence_backward,
    "divergence_by_target": _divergence_by_target,
    "chance_entropy": _reduced_loss(_chance_entropy),
    "chance_entropy_backward": _chance_entropy_backward,
    "nll_loss": _nll,
    "nll_loss_backward": _nll_backward,
    "nll_loss_2d": _classes_last(_nll, 1),
    "nll_loss_2d_backward": lambda *arguments: np.moveaxis(_classes_last(_nll_backward, 2)(*arguments), -1, 1),
}
