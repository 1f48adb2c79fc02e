"""Normalisations and their gradients, from the formulas of CANN's documents, one row of numbers at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np


def _rows(a: Any, rank: int) -> Any:
    """The tensor as a matrix: a row for each index of the dimensions before the last `rank`."""
    return a.reshape(prod(a.shape[: a.ndim - rank]), prod(a.shape[a.ndim - rank :]))


def _one_for_each(numbers: Any, a: Any, rank: int) -> Any:
    """A statistic of each row, with a size-1 dimension for each of the last `rank`."""
    return np.reshape(numbers, (*a.shape[: a.ndim - rank], *(1,) * rank))


def _mean(row: Any) -> Any:
    return row.sum() / np.float64(row.size)


def _normal(row: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """(x - E(x)) * rstd, E(x) and rstd = 1 / sqrt(Var(x) + epsilon)"""
    mean = _mean(row)
    rstd = 1 / np.sqrt(_mean((row - mean) * (row - mean)) + epsilon)
    return (row - mean) * rstd, mean, rstd


def _slope(gradient: Any, normal: Any, rstd: Any) -> Any:
    """The gradient of (x - E(x)) * rstd: (I - 1/n - normal normal^T / n) gradient * rstd."""
    n = np.float64(gradient.size)
    return rstd * (gradient - gradient.sum() / n - normal * (normal @ gradient) / n)


def _layer_norm(a: Any, normalized: Sequence[int], weight: Any, bias: Any, epsilon: float, *mode: int) -> Any:
    rank = len(normalized)
    parts = [_normal(row, epsilon) for row in _rows(a, rank)]
    result = np.array([part[0] for part in parts]).reshape(a.shape)
    result = result if weight is None else weight * result
    statistics = (_one_for_each([part[k] for part in parts], a, rank) for k in (1, 2))
    return result if bias is None else result + bias, *statistics


def _layer_norm_backward(
    gradient: Any, a: Any, normalized: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> Any:
    rank = len(normalized)
    rows, gradients, by_a = _rows(a, rank), _rows(gradient, rank), []
    by_weight, by_bias = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    flat = np.ones(rows.shape[1]) if weight is None else weight.reshape(-1)
    for row, g, m, r in zip(rows, gradients, np.ravel(mean), np.ravel(rstd), strict=True):
        normal = (row - m) * r
        by_a.append(_slope(g * flat, normal, r))
        by_weight, by_bias = by_weight + g * normal, by_bias + g
    return np.reshape(by_a, a.shape), by_weight.reshape(normalized), by_bias.reshape(normalized)


def _rms(row: Any, epsilon: float) -> Any:
    return np.sqrt((row @ row) / np.float64(row.size) + epsilon)


def _rms_norm(a: Any, gamma: Any, epsilon: float) -> Any:
    """x / Rms(x) * gamma, and 1 / Rms(x)"""
    roots = _one_for_each([_rms(row, epsilon) for row in _rows(a, gamma.ndim)], a, gamma.ndim)
    return a / roots * gamma, 1 / roots


def _add_rms_norm(a: Any, b: Any, gamma: Any, epsilon: float) -> Any:
    """x1 + x2, then RmsNorm: y, rstd, and the sum. Hardware writes nothing without elements."""
    total = np.add(a, b)
    if 0 in (total.size, gamma.size):
        return None, None, None
    result, rstd = _rms_norm(total, gamma, epsilon)
    return result, rstd, total


def _add_rms_norm_in_place(a: Any, b: Any, gamma: Any, epsilon: float, *_: Any) -> Any:
    """x1 becomes y, and x2 becomes the sum."""
    total = np.add(a, b)
    result, rstd = _rms_norm(total, gamma, epsilon)
    return result, total, rstd


def _add_layer_norm(a: Any, b: Any, gamma: Any, beta: Any, bias: Any, epsilon: float, writes_sum: bool) -> Any:
    total = np.add(a, b) + (0 if bias is None else bias)
    result, mean, rstd = _layer_norm(total, gamma.shape, gamma, beta, epsilon)
    return result, mean, rstd, total if writes_sum else None


def _deep_norm(a: Any, b: Any, beta: Any, gamma: Any, alpha: float, epsilon: float) -> Any:
    result, mean, rstd = _layer_norm(alpha * a + b, gamma.shape, gamma, beta, epsilon)
    return mean, rstd, result


def _rms_norm_grad(gradient: Any, a: Any, rstd: Any, gamma: Any) -> Any:
    """dx = (dy * g - x / Rms * mean(dy * g * x / Rms)) / Rms, and dg = sum(x / Rms * dy)"""
    rows, gradients = _rows(a, gamma.ndim), _rows(gradient, gamma.ndim)
    by_a, by_gamma = [], np.zeros(gamma.size)
    for row, g, r in zip(rows, gradients, np.ravel(rstd), strict=True):
        inner, scaled = g * gamma.reshape(-1), row * r
        by_a.append((inner - scaled * (inner @ scaled) / np.float64(row.size)) * r)
        by_gamma = by_gamma + scaled * g
    return np.reshape(by_a, a.shape), by_gamma.reshape(gamma.shape)


def _groups(batch: int, channels: int, groups: int) -> Iterator[tuple[int, int, slice]]:
    """Each batch, each group, and its channels."""
    for n in range(batch):
        for k in range(groups):
            yield n, k, slice(k * (channels // groups), (k + 1) * (channels // groups))


def _group_norm(
    a: Any, gamma: Any, beta: Any, batch: int, channels: int, size: int, groups: int, epsilon: float
) -> Any:
    """Each group of channels is normalised, and each channel has a gamma and a beta."""
    planes = a.reshape(batch, channels, size)
    result, mean, rstd = np.empty(planes.shape), np.empty((batch, groups)), np.empty((batch, groups))
    for n, k, part in _groups(batch, channels, groups):
        normal, mean[n, k], rstd[n, k] = _normal(planes[n, part].reshape(-1), epsilon)
        result[n, part] = normal.reshape(-1, size)
    for c in range(channels):
        result[:, c] = result[:, c] * (1 if gamma is None else gamma[c]) + (0 if beta is None else beta[c])
    return result.reshape(a.shape), mean, rstd


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
    gradient: Any, a: Any, mean: Any, rstd: Any, gamma: Any, batch: int, channels: int, size: int, groups: int,
    mask: Any,
) -> Any:  # fmt: skip
    planes, gradients = a.reshape(batch, channels, size), gradient.reshape(batch, channels, size)
    mean, rstd = mean.reshape(batch, groups), rstd.reshape(batch, groups)
    weight = np.ones(channels) if gamma is None else gamma.reshape(channels)
    by_a, normal = np.empty(planes.shape), np.empty(planes.shape)
    for n, k, part in _groups(batch, channels, groups):
        normal[n, part] = (planes[n, part] - mean[n, k]) * rstd[n, k]
        inner = np.concatenate([weight[c] * gradients[n, c] for c in range(part.start, part.stop)])
        by_a[n, part] = _slope(inner, normal[n, part].reshape(-1), rstd[n, k]).reshape(-1, size)
    sums = (np.array([each[:, c].sum() for c in range(channels)]) for each in (gradients * normal, gradients))
    return by_a.reshape(a.shape), *sums


def _batch_norm(
    a: Any, weight: Any, bias: Any, running_mean: Any, running_variance: Any, training: bool, momentum: float,
    epsilon: float, *results: Any,
) -> Any:  # fmt: skip
    """The running statistics, the result, and the batch's statistics.

    Only training changes the running statistics. If they are null, they count as 0 and 1. They take the unbiased
    variance.
    """
    channels, result = a.shape[1], np.empty(a.shape)
    means = np.zeros(channels) if running_mean is None else running_mean.astype(np.float64)
    variances = np.ones(channels) if running_variance is None else running_variance.astype(np.float64)
    new_means, new_variances, batch_means, rstds = (np.empty(channels) for _ in range(4))
    for c in range(channels):
        numbers, count = a[:, c], a[:, c].size
        mean, variance = means[c], variances[c]
        if training and count:
            mean = _mean(numbers.reshape(-1))
            variance = _mean(np.square(numbers.reshape(-1) - mean))
        rstds[c], batch_means[c] = 1 / np.sqrt(variance + epsilon), mean
        scale, shift = (1 if weight is None else weight[c]), (0 if bias is None else bias[c])
        result[:, c] = (numbers - mean) * rstds[c] * scale + shift
        new_means[c] = (1 - momentum) * means[c] + momentum * mean
        new_variances[c] = (1 - momentum) * variances[c] + momentum * variance * count / max(count - 1, 1)
    if not training:
        return None, None, result, None, None
    return new_means, new_variances, result, batch_means, rstds


def _batch_norm_backward(
    gradient: Any, a: Any, weight: Any, running_mean: Any, running_variance: Any, mean: Any, rstd: Any, training: bool,
    epsilon: float, mask: Any,
) -> Any:  # fmt: skip
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None, None, None
    by_a, by_weight, by_bias = np.empty(a.shape), np.empty(a.shape[1]), np.empty(a.shape[1])
    for c in range(a.shape[1]):
        numbers, g = a[:, c].reshape(-1), gradient[:, c].reshape(-1)
        m, r = (mean[c], rstd[c]) if training else (running_mean[c], 1 / np.sqrt(running_variance[c] + epsilon))
        normal, scale = (numbers - m) * r, 1 if weight is None else weight[c]
        slope = _slope(g, normal, r) if training else g * r
        by_a[:, c] = (scale * slope).reshape(a[:, c].shape)
        by_weight[c], by_bias[c] = normal @ g, g.sum()
    return tuple(
        value if is_needed else None for value, is_needed in zip((by_a, by_weight, by_bias), mask, strict=True)
    )


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
