"""Normalisations over the last dimensions, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .rule import WIDE, Rule, Shape


def _last(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _spread_out(statistic: Any, a: Any, axes: tuple[int, ...]) -> Any:
    """With a dimension of size 1 for each axis, which programs may leave out."""
    return statistic.reshape(*a.shape[: a.ndim - len(axes)], *(1,) * len(axes))


def _layer_norm(a: Any, normalized: Sequence[int], weight: Any, bias: Any, epsilon: float) -> Any:
    axes = _last(len(normalized))
    mean = a.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(np.square(a - mean).mean(axes, keepdims=True) + epsilon)
    result = (a - mean) * rstd * (1 if weight is None else weight)
    return result + (0 if bias is None else bias), mean, rstd


def _layer_norm_shapes(shape: Shape, normalized: Shape, *_: Any) -> Any:
    if shape[len(shape) - len(normalized) :] != normalized:
        expected = "it must be the last sizes of input"
        raise ValueError(
            f"normalizedShape is {normalized}, but input has shape {shape}; {expected}; change one of them"
        )
    return shape, ..., ...


def _layer_norm_backward(
    gradient: Any, a: Any, normalized: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> Any:
    axes, batch_axes = _last(len(normalized)), tuple(range(a.ndim - len(normalized)))
    mean, rstd = _spread_out(mean, a, axes), _spread_out(rstd, a, axes)
    normal = (a - mean) * rstd
    inner = gradient if weight is None else gradient * weight
    shift = inner.mean(axes, keepdims=True) + normal * (inner * normal).mean(axes, keepdims=True)
    return rstd * (inner - shift), (gradient * normal).sum(batch_axes), gradient.sum(batch_axes)


def _rms_norm(a: Any, gamma: Any, epsilon: float) -> Any:
    rstd = 1 / np.sqrt(np.square(a).mean(_last(gamma.ndim), keepdims=True) + epsilon)
    return a * rstd * gamma, rstd


def _add_rms_norm(a: Any, b: Any, gamma: Any, epsilon: float) -> Any:
    return (*_rms_norm(a + b, gamma, epsilon), a + b) if a.size and gamma.size else (None,) * 3


def _rms_norm_grad(gradient: Any, a: Any, rstd: Any, gamma: Any) -> Any:
    rstd = _spread_out(rstd, a, _last(gamma.ndim))
    normal, inner = a * rstd, gradient * gamma
    along = (inner * normal).mean(_last(gamma.ndim), keepdims=True)
    return rstd * (inner - normal * along), (gradient * normal).sum(tuple(range(a.ndim - gamma.ndim)))


def _group_norm(
    a: Any, gamma: Any, beta: Any, batch: int, channels: int, size: int, groups: int, epsilon: float
) -> Any:
    normal, mean, rstd = _layer_norm(a.reshape(batch, groups, -1), (0,), None, None, epsilon)
    result = normal.reshape(batch, channels, size) * (1 if gamma is None else gamma[:, None])
    return (result + (0 if beta is None else beta[:, None])).reshape(a.shape), mean, rstd


def _group_norm_backward(
    gradient: Any,
    a: Any,
    mean: Any,
    rstd: Any,
    gamma: Any,
    batch: int,
    channels: int,
    size: int,
    groups: int,
    mask: Any,
) -> Any:
    rows = (batch, groups, -1)
    inner = gradient.reshape(batch, channels, size) * (1 if gamma is None else gamma[:, None])
    by_a, *_ = _layer_norm_backward(inner.reshape(rows), a.reshape(rows), (0,), mean, rstd, None, None, mask)
    normal = ((a.reshape(rows) - mean.reshape(rows)) * rstd.reshape(rows)).reshape(batch, channels, size)
    gradient = gradient.reshape(batch, channels, size)
    return by_a.reshape(a.shape), (gradient * normal).sum((0, 2)), gradient.sum((0, 2))


RULES: dict[str, Rule] = {
    "layer_norm": Rule(_layer_norm, WIDE, _layer_norm_shapes),
    "layer_norm_backward": Rule(_layer_norm_backward, WIDE, lambda g, a, normalized, *_: (a, normalized, normalized)),
    "group_norm": Rule(_group_norm, WIDE, lambda a, *_: (a, ..., ...)),
    "group_norm_backward": Rule(
        _group_norm_backward, WIDE, lambda g, a, mean, rstd, gamma, batch, channels, *_: (a, (channels,), (channels,))
    ),
    "rms_norm": Rule(_rms_norm, WIDE, lambda a, *_: (a, ...)),
    "add_rms_norm": Rule(_add_rms_norm, WIDE, lambda a, *_: (a, ..., a)),
    "rms_norm_grad": Rule(_rms_norm_grad, WIDE, lambda g, a, rstd, gamma: (a, gamma)),
}
