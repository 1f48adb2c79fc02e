"""Normalisations over the last dimensions, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np


def _last(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _spread_out(statistic: Any, a: Any, axes: tuple[int, ...]) -> Any:
    """A tensor with a size-1 dimension for each of the axes. Programs may leave these dimensions out."""
    return statistic.reshape(*a.shape[: a.ndim - len(axes)], *(1,) * len(axes))


def _layer_norm(a: Any, normalized: Sequence[int], weight: Any, bias: Any, epsilon: float, *mode: int) -> Any:
    axes = _last(len(normalized))
    mean = a.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(np.square(a - mean).mean(axes, keepdims=True) + epsilon)
    result = (a - mean) * rstd * (1 if weight is None else weight)
    return result + (0 if bias is None else bias), mean, rstd


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


def _add_rms_norm_in_place(a: Any, b: Any, gamma: Any, epsilon: float, *_: Any) -> Any:
    result, rstd = _rms_norm(a + b, gamma, epsilon)
    return result, a + b, rstd


def _add_layer_norm(a: Any, b: Any, gamma: Any, beta: Any, bias: Any, epsilon: float, writes_sum: bool) -> Any:
    total = a + b if bias is None else a + b + bias
    return *_layer_norm(total, gamma.shape, gamma, beta, epsilon), total if writes_sum else None


def _deep_norm(a: Any, b: Any, beta: Any, gamma: Any, alpha: float, epsilon: float) -> Any:
    result, mean, rstd = _layer_norm(a * alpha + b, gamma.shape, gamma, beta, epsilon)
    return mean, rstd, result


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


def _group_norm_silu(
    a: Any, gamma: Any, beta: Any, groups: int, epsilon: float, has_silu: bool = True, scale: float = 1
) -> Any:
    """Group norm, and swish of it. Without elements, the mean is 0 and the deviation's inverse is NaN."""
    if not a.size:
        return None, np.zeros(()), np.full((), np.nan)
    batch, channels, *sizes = a.shape
    result, mean, rstd = _group_norm(a, gamma, beta, batch, channels, prod(sizes), groups, epsilon)
    return result / (1 + np.exp(-scale * result)) if has_silu else result, mean, rstd


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


def _by_channel(statistic: Any, a: Any) -> Any:
    """A tensor whose dimensions have size 1, except for dimension 1."""
    return statistic.reshape(-1, *(1,) * (a.ndim - 2))


def _batch_norm(
    a: Any, weight: Any, bias: Any, running_mean: Any, running_variance: Any, training: bool, momentum: float,
    epsilon: float, *results: Any,
) -> Any:  # fmt: skip
    """The running statistics, the result, and the batch's statistics.

    Only training changes the running statistics. If they are null, they count as 0 and 1.
    """
    axes, channels = (0, *range(2, a.ndim)), a.shape[1]
    mean = np.zeros(channels, a.dtype) if running_mean is None else running_mean
    variance = np.ones(channels, a.dtype) if running_variance is None else running_variance
    batch_mean, batch_variance = (a.mean(axes), a.var(axes)) if training and a.size else (mean, variance)
    rstd = 1 / np.sqrt(batch_variance + epsilon)
    result = (a - _by_channel(batch_mean, a)) * _by_channel(rstd, a)
    result = result if weight is None else result * _by_channel(weight, a)
    result = result if bias is None else result + _by_channel(bias, a)
    if not training:
        return None, None, result, None, None
    count = a.size // max(channels, 1)
    unbiased = batch_variance * (count / max(count - 1, 1))
    new = ((1 - momentum) * old + momentum * each for old, each in ((mean, batch_mean), (variance, unbiased)))
    return *new, result, batch_mean, rstd


def _batch_norm_backward(
    gradient: Any, a: Any, weight: Any, running_mean: Any, running_variance: Any, mean: Any, rstd: Any, training: bool,
    epsilon: float, mask: Any,
) -> Any:  # fmt: skip
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None, None, None
    if not training:
        mean, rstd = running_mean, 1 / np.sqrt(running_variance + epsilon)
    axes = (0, *range(2, a.ndim))
    normal = (a - _by_channel(mean, a)) * _by_channel(rstd, a)
    inner = gradient if weight is None else gradient * _by_channel(weight, a)
    if training:
        inner = inner - inner.mean(axes, keepdims=True) - normal * (inner * normal).mean(axes, keepdims=True)
    values = (inner * _by_channel(rstd, a), (gradient * normal).sum(axes), gradient.sum(axes))
    return tuple(value if is_needed else None for value, is_needed in zip(values, mask, strict=True))


RULES: dict[str, Callable[..., Any]] = {
    "layer_norm": _layer_norm,
    "layer_norm_backward": _layer_norm_backward,
    "group_norm": _group_norm,
    "group_norm_silu": _group_norm_silu,
    "group_norm_swish": lambda a, gamma, beta, n, layout, *more: _group_norm_silu(a, gamma, beta, n, *more),
    "group_norm_backward": _group_norm_backward,
    "batch_norm": _batch_norm,
    "batch_norm_backward": _batch_norm_backward,
    "rms_norm": _rms_norm,
    "add_rms_norm": _add_rms_norm,
    "add_rms_norm_in_place": _add_rms_norm_in_place,
    "gemma_rms_norm": lambda a, gamma, epsilon: _rms_norm(a, 1 + gamma, epsilon),
    "add_layer_norm": _add_layer_norm,
    "deep_norm": _deep_norm,
    "rms_norm_grad": _rms_norm_grad,
}
