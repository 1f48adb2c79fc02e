"""Losses and their gradients. Reduction 0 means none, 1 the mean, 2 the sum."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .entry import EACH, FLOATING, Entry, Shape, TorchEntry
from .indices import indices_within
from .pytorch import torch


def _reduced_loss(loss: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*arguments: Any) -> Any:
        *tensors, reduction = arguments
        values = loss(*tensors)
        return (lambda a: a, torch.mean, torch.sum)[reduction](values)

    return compute


def _loss_shape(*arguments: Any) -> Shape:
    *shapes, reduction = arguments
    return () if reduction else np.broadcast_shapes(*filter(None, shapes))


def _shape_where_none(reduction: int, *shapes: Shape) -> Any:
    """The shape of a loss. A reduced result may have any shape."""
    shape = np.broadcast_shapes(*shapes)
    return ... if reduction else shape


def _share(reduction: int, *tensors: Any) -> float:
    """The factor of an element's gradient. The mean is over the elements of the tensors after broadcasting."""
    return 1.0 / max(prod(np.broadcast_shapes(*(t.shape for t in tensors))), 1) if reduction == 1 else 1.0


def _smooth_l1(a: Any, b: Any, beta: float) -> Any:
    distance = torch.abs(a - b)
    return torch.where(distance < beta, distance * distance / (2 * beta or 1), distance - beta / 2)


def _smooth_l1_backward(gradient: Any, a: Any, b: Any, reduction: int, beta: float) -> Any:
    """The mean counts the elements of `a` before broadcasting, in CANN as in PyTorch."""
    slope = torch.where(torch.abs(a - b) < beta, (a - b) / (beta or 1), torch.sign(a - b))
    return gradient * slope * _share(reduction, a)


def _divergence(a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    """The Kullback-Leibler divergence.

    Reduction 3 divides the sum by the first size. Targets of 0 give NaN, as CANN documents. PyTorch gives 0.
    """
    values = torch.exp(target) * (target - a) if is_log else target * (torch.log(target) - a)
    if reduction == 3 and values.ndim:
        return torch.sum(values) / values.shape[0]
    return _reduced_loss(lambda x: x)(values, reduction)


def _divergence_share(a: Any, target: Any, reduction: int) -> float:
    shape = np.broadcast_shapes(a.shape, target.shape)
    return 1 / shape[0] if reduction == 3 and shape else _share(reduction, a, target)


def _divergence_backward(gradient: Any, a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    slopes = -gradient * (torch.exp(target) if is_log else target) * _divergence_share(a, target, reduction)
    return (slopes + torch.zeros_like(a)).sum_to_size(a.shape)


def _divergence_by_target(gradient: Any, a: Any, target: Any, reduction: int, is_log: bool) -> Any:
    """Targets of 0 give NaN, because CANN divides by them. PyTorch gives 0."""
    difference = target - a + 1 if is_log else torch.log(target) - a + target / target
    slopes = gradient * (torch.exp(target) * difference if is_log else difference)
    return (slopes * _divergence_share(a, target, reduction)).sum_to_size(target.shape)


def _chance_entropy(a: Any, target: Any, weight: Any) -> Any:
    """Binary cross entropy of probabilities. Logarithms are at least -100. PyTorch refuses numbers outside [0, 1]."""
    loss = -(target * torch.clamp(torch.log(a), -100) + (1 - target) * torch.clamp(torch.log1p(-a), -100))
    return loss if weight is None else loss * weight


def _chance_entropy_backward(gradient: Any, a: Any, target: Any, weight: Any, reduction: int) -> Any:
    slope = (a - target) / torch.clamp((1 - a) * a, 1e-12)
    return gradient * (slope if weight is None else slope * weight) * _share(reduction, a)


def _soft_margin(a: Any, target: Any) -> Any:
    return torch.logaddexp(torch.zeros((), dtype=a.dtype), -target * a)


def _soft_margin_backward(gradient: Any, a: Any, target: Any, reduction: int) -> Any:
    slope = -target * torch.sigmoid(-target * a)
    return gradient * slope * _share(reduction, gradient, slope)


def _squares_over_batch(a: Any, b: Any, reduction: int) -> Any:
    """Squares of differences. A reduction is only over the first dimension."""
    if not (a.numel() and b.numel()):  # hardware ends the call
        return None
    squares = torch.atleast_1d(torch.square(a - b))
    return (lambda a: a, lambda a: torch.mean(a, 0), lambda a: torch.sum(a, 0))[reduction](squares)


def _mse_backward(gradient: Any, a: Any, b: Any, reduction: int) -> Any:
    return gradient * (2 * _share(reduction, a)) * (a - b)


def _entropy(a: Any, target: Any, weight: Any, positive: Any) -> Any:
    """Binary cross entropy with logits. A complex tensor counts with its real part."""
    a, target, weight, positive = (
        t if t is None or not t.is_complex() else t.real for t in (a, target, weight, positive)
    )
    loss = torch.binary_cross_entropy_with_logits(*torch.broadcast_tensors(a, target), None, positive, 0)
    return loss if weight is None else loss * weight


def _entropy_backward(gradient: Any, a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    share, chance = _share(reduction, a), torch.sigmoid(a)
    by_a = chance - target if positive is None else (positive * target + 1 - target) * chance - positive * target
    return gradient * share * (by_a if weight is None else by_a * weight)


def _entropy_by_target(gradient: Any, a: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    more = torch.log1p(torch.exp(-torch.abs(a)))
    slope = (1 if positive is None else positive) * (more + torch.relu(-a)) - (more + torch.relu(a))
    return gradient * (slope if weight is None else slope * weight) * _share(reduction, a)


def _rows_of_classes(a: Any, target: Any, weight: Any, ignored: int) -> tuple[Any, Any, Any]:
    """Rows of numbers by class, the class of each row, and the weights, in PyTorch's dtypes."""
    dtype = torch.float64 if a.dtype == torch.float64 else torch.float32
    classes = indices_within(torch.where(target == ignored, 0, target.long()), a.shape[-1])
    classes = torch.where(target == ignored, ignored, classes)
    return a.reshape(prod(a.shape[:-1]), a.shape[-1]).to(dtype), classes.reshape(-1), weight.to(dtype)


def _nll(a: Any, target: Any, weight: Any, reduction: int, ignored: int) -> Any:
    rows, classes, weights = _rows_of_classes(a, target, weight, ignored)
    result, total = torch.ops.aten.nll_loss_forward(rows, classes, weights, reduction, ignored)
    if reduction == 0:
        total = torch.where(classes == ignored, 0, weights[torch.where(classes == ignored, 0, classes)]).sum()
    return result.reshape(() if reduction else target.shape), total


def _nll_shapes(a: Shape, target: Shape, weight: Shape, reduction: int, ignored: int) -> tuple[Shape, Shape]:
    if a[:-1] != (target if len(a) > 1 else ()):
        expected = a[:-1] if len(a) > 1 else ()
        raise ValueError(f"target has shape {target}, but self has {a}; it must be {expected}; reshape target")
    return (() if reduction else target), ()


def _nll_backward(gradient: Any, a: Any, target: Any, weight: Any, reduction: int, ignored: int, total: Any) -> Any:
    rows, classes, weights = _rows_of_classes(a, target, weight, ignored)
    gradient, total = gradient.to(rows.dtype), total.to(rows.dtype).reshape(())
    gradient = gradient.reshape(()) if reduction else gradient.reshape(-1)
    result = torch.ops.aten.nll_loss_backward(gradient, rows, classes, weights, reduction, ignored, total)
    return result.reshape(a.shape)


def _classes_last(rule: Callable[..., Any], tensors: int) -> Callable[..., Any]:
    """A rule on rows of classes. Dimension 1 of argument number `tensors`, counted from 1, is the classes."""

    def compute(*arguments: Any) -> Any:
        a = torch.movedim(arguments[tensors - 1], 1, -1)
        return rule(*arguments[: tensors - 1], a, *arguments[tensors:])

    return compute


RULES: dict[str, Entry] = {
    "mse_loss": TorchEntry(_reduced_loss(lambda a, b: torch.square(a - b)), FLOATING, _loss_shape),
    "mse_loss_backward": TorchEntry(_mse_backward, FLOATING),
    "squares_over_batch": TorchEntry(
        _squares_over_batch, FLOATING, lambda a, b, reduction: np.broadcast_shapes(a, b)[1 if reduction else 0 :]
    ),
    "l1_loss": TorchEntry(_reduced_loss(lambda a, b: torch.abs(a - b)), FLOATING, _loss_shape),
    "l1_loss_backward": TorchEntry(
        lambda g, a, b, reduction: g * _share(reduction, g, a, b) * torch.sign(a - b), FLOATING
    ),
    "soft_margin": TorchEntry(
        lambda a, b, reduction: _reduced_loss(_soft_margin)(a, b, reduction if reduction in (0, 1) else 2),
        FLOATING,
        _loss_shape,
    ),
    "soft_margin_backward": TorchEntry(_soft_margin_backward, FLOATING),
    "entropy": TorchEntry(_reduced_loss(_entropy), FLOATING, _loss_shape),
    "entropy_backward": TorchEntry(_entropy_backward, FLOATING),
    "entropy_by_target": TorchEntry(_entropy_by_target, FLOATING),
    "smooth_l1": TorchEntry(
        lambda a, b, reduction, beta: _reduced_loss(_smooth_l1)(a, b, beta, reduction),
        FLOATING,
        lambda a, b, reduction, beta: _shape_where_none(reduction, a, b),
    ),
    "smooth_l1_backward": TorchEntry(_smooth_l1_backward, FLOATING),
    "divergence": TorchEntry(_divergence, FLOATING, lambda a, b, reduction, *_: _shape_where_none(reduction, a, b)),
    "divergence_backward": TorchEntry(_divergence_backward, FLOATING, lambda gradient, a, *_: a),
    "divergence_by_target": TorchEntry(_divergence_by_target, FLOATING, lambda gradient, a, target, *_: target),
    "chance_entropy": TorchEntry(
        _reduced_loss(_chance_entropy), FLOATING, lambda a, b, weight, reduction: _shape_where_none(reduction, a, b)
    ),
    "chance_entropy_backward": TorchEntry(_chance_entropy_backward, FLOATING),
    "nll_loss": TorchEntry(_nll, EACH, _nll_shapes),
    "nll_loss_backward": TorchEntry(_nll_backward, EACH, lambda gradient, a, *_: a),
    "nll_loss_2d": TorchEntry(
        _classes_last(_nll, 1), EACH, lambda a, target, *rest: _nll_shapes((a[0], *a[2:], a[1]), target, *rest)
    ),
    "nll_loss_2d_backward": TorchEntry(
        lambda *arguments: torch.movedim(_classes_last(_nll_backward, 2)(*arguments), -1, 1),
        EACH,
        lambda gradient, a, *_: a,
    ),
}
