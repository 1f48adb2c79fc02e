"""Normalisations over the last dimensions, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, prod
from typing import Any

from .entry import MIXED, Entry, Shape, TorchEntry
from .pytorch import torch


def _last(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _spread_out(statistic: Any, a: Any, rank: int) -> Any:
    """A tensor with a size-1 dimension for each of the last `rank`. Programs may leave these dimensions out."""
    return statistic.reshape(*a.shape[: a.ndim - rank], *(1,) * rank)


def _scaled(a: Any, weight: Any, bias: Any) -> Any:
    a = a if weight is None else a * weight
    return a if bias is None else a + bias


def _layer_norm(a: Any, normalized: Sequence[int], weight: Any, bias: Any, epsilon: float, *mode: int) -> Any:
    if a.numel():
        result, mean, rstd = torch.native_layer_norm(a, tuple(normalized), None, None, epsilon)
    else:
        result, mean = a, torch.mean(a, _last(len(normalized)), True)
        rstd = mean
    return _scaled(result, weight, bias), mean, rstd


def _layer_norm_shapes(shape: Shape, normalized: Shape, *_: Any) -> Any:
    if shape[len(shape) - len(normalized) :] != normalized:
        expected = "it must be the last sizes of input"
        raise ValueError(
            f"normalizedShape is {normalized}, but input has shape {shape}; {expected}; change one of them"
        )
    return shape, ..., ...


def _total(a: Any, axes: tuple[int, ...]) -> Any:
    """The sum over some dimensions. Without dimensions, PyTorch's sum would be over all."""
    return torch.sum(a, axes) if axes else a


def _layer_norm_backward(
    gradient: Any, a: Any, normalized: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> Any:
    """PyTorch's own gradients of weight and bias add row after row, which is inexact for many rows."""
    rank = len(normalized)
    axes, batch_axes = _last(rank), tuple(range(a.ndim - rank))
    mean, rstd = _spread_out(mean, a, rank), _spread_out(rstd, a, rank)
    normal = (a - mean) * rstd
    inner = gradient if weight is None else gradient * weight
    shift = torch.mean(inner, axes, True) + normal * torch.mean(inner * normal, axes, True)
    return rstd * (inner - shift), _total(gradient * normal, batch_axes), _total(gradient, batch_axes)


def _rms_norm(a: Any, gamma: Any, epsilon: float) -> Any:
    rstd = torch.rsqrt(torch.mean(a.square(), _last(gamma.ndim), True) + epsilon)
    return a * rstd * gamma, rstd


def _add_rms_norm(a: Any, b: Any, gamma: Any, epsilon: float) -> Any:
    return (*_rms_norm(a + b, gamma, epsilon), a + b) if a.numel() and gamma.numel() else (None,) * 3


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
    rank = gamma.ndim
    rstd = _spread_out(rstd, a, rank)
    normal, inner = a * rstd, gradient * gamma
    along = torch.mean(inner * normal, _last(rank), True)
    return rstd * (inner - normal * along), _total(gradient * normal, tuple(range(a.ndim - rank)))


def _group_norm(
    a: Any, gamma: Any, beta: Any, batch: int, channels: int, size: int, groups: int, epsilon: float
) -> Any:
    rows = a.reshape(batch, groups, channels // groups * size)
    normal, mean, rstd = _layer_norm(rows, rows.shape[2:], None, None, epsilon)
    weights = [each if each is None else each[:, None] for each in (gamma, beta)]
    return _scaled(normal.reshape(batch, channels, size), *weights).reshape(a.shape), mean, rstd


def _group_norm_silu(
    a: Any, gamma: Any, beta: Any, groups: int, epsilon: float, has_silu: bool = True, scale: float = 1
) -> Any:
    """Group norm, and swish of it. Without elements, the mean is 0 and the deviation's inverse is NaN."""
    if not a.numel():
        return None, 0.0, nan
    batch, channels, *sizes = a.shape
    result, mean, rstd = _group_norm(a, gamma, beta, batch, channels, prod(sizes), groups, epsilon)
    return result * torch.sigmoid(scale * result) if has_silu else result, mean, rstd


def _group_norm_backward(
    gradient: Any, a: Any, mean: Any, rstd: Any, gamma: Any, batch: int, channels: int, size: int, groups: int,
    mask: Any,
) -> Any:  # fmt: skip
    rows = (batch, groups, channels // groups * size)
    gradient = gradient.reshape(batch, channels, size)
    inner = gradient if gamma is None else gradient * gamma[:, None]
    by_a, *_ = _layer_norm_backward(inner.reshape(rows), a.reshape(rows), rows[2:], mean, rstd, None, None, mask)
    normal = ((a.reshape(rows) - mean.reshape(*rows[:2], 1)) * rstd.reshape(*rows[:2], 1)).reshape(gradient.shape)
    return by_a.reshape(a.shape), torch.sum(gradient * normal, (0, 2)), torch.sum(gradient, (0, 2))


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
    mean = torch.zeros(channels, dtype=a.dtype) if running_mean is None else running_mean
    variance = torch.ones(channels, dtype=a.dtype) if running_variance is None else running_variance
    batch_mean, batch_variance = mean, variance
    if training and a.numel():
        batch_variance, batch_mean = torch.var_mean(a, axes, correction=0)
    rstd = torch.rsqrt(batch_variance + epsilon)
    weights = [each if each is None else _by_channel(each, a) for each in (weight, bias)]
    result = _scaled((a - _by_channel(batch_mean, a)) * _by_channel(rstd, a), *weights)
    if not training:
        return None, None, result, None, None
    count = a.numel() // max(channels, 1)
    unbiased = batch_variance * (count / max(count - 1, 1))
    new = ((1 - momentum) * old + momentum * each for old, each in ((mean, batch_mean), (variance, unbiased)))
    return *new, result, batch_mean, rstd


def _compare_channels(a: Shape, **statistics: Any) -> None:
    """Raise unless each tensor, if passed, has a number for each channel."""
    for name, shape in statistics.items():
        if shape is not None and shape != a[1:2]:
            fault = f"{name} has shape {shape}, but input has shape {a}"
            raise ValueError(f"{fault}; {name} must have shape {a[1:2]}; reshape {name}")


def _batch_norm_shapes(a: Shape, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, *_: Any) -> Any:
    _compare_channels(a, weight=weight, bias=bias, runningMean=mean, runningVar=variance)
    statistic = a[1:2] if training else ...
    return a[1:2], a[1:2], a, statistic, statistic


def _batch_norm_backward_shapes(gradient: Shape, a: Shape, weight: Any, *rest: Any) -> Any:
    running_mean, running_variance, saved_mean, saved_rstd, training, *_ = rest
    running = {"runningMean": running_mean, "runningVar": running_variance}
    saved = {"saveMean": saved_mean, "saveInvstd": saved_rstd}
    if None in (needed := saved if training else running).values():
        names = " and ".join(needed)
        raise ValueError(f"training is {training} and a statistic is null; {names} must be tensors; pass them")
    if not training:  # programs pass empty tensors
        saved = {name: None if shape == (0,) else shape for name, shape in saved.items()}
    _compare_channels(a, weight=weight, **running, **saved)
    return a, a[1:2], a[1:2]


def _batch_norm_backward(
    gradient: Any, a: Any, weight: Any, running_mean: Any, running_variance: Any, mean: Any, rstd: Any, training: bool,
    epsilon: float, mask: Any,
) -> Any:  # fmt: skip
    if not (a.numel() and gradient.numel()):  # hardware computes nothing in this case
        return None, None, None
    if not training:
        mean, rstd = running_mean, torch.rsqrt(running_variance + epsilon)
    axes = (0, *range(2, a.ndim))
    normal = (a - _by_channel(mean, a)) * _by_channel(rstd, a)
    inner = gradient if weight is None else gradient * _by_channel(weight, a)
    if training:
        inner = inner - torch.mean(inner, axes, True) - normal * torch.mean(inner * normal, axes, True)
    values = (inner * _by_channel(rstd, a), torch.sum(gradient * normal, axes), torch.sum(gradient, axes))
    return tuple(value if is_needed else None for value, is_needed in zip(values, mask, strict=True))


RULES: dict[str, Entry] = {
    "layer_norm": TorchEntry(_layer_norm, MIXED, _layer_norm_shapes),
    "layer_norm_backward": TorchEntry(
        _layer_norm_backward, MIXED, lambda g, a, normalized, *_: (a, normalized, normalized)
    ),
    "group_norm": TorchEntry(_group_norm, MIXED, lambda a, *_: (a, ..., ...)),
    "group_norm_silu": TorchEntry(_group_norm_silu, MIXED, lambda a, gamma, beta, n, *_: (a, (a[0], n), (a[0], n))),
    "group_norm_swish": TorchEntry(
        lambda a, gamma, beta, n, layout, *more: _group_norm_silu(a, gamma, beta, n, *more),
        MIXED,
        lambda a, gamma, beta, n, *_: (a, (a[0], n), (a[0], n)),
    ),
    "group_norm_backward": TorchEntry(
        _group_norm_backward, MIXED, lambda g, a, mean, rstd, gamma, batch, channels, *_: (a, (channels,), (channels,))
    ),
    "batch_norm": TorchEntry(_batch_norm, MIXED, _batch_norm_shapes, is_in_place=True),
    "batch_norm_backward": TorchEntry(_batch_norm_backward, MIXED, _batch_norm_backward_shapes),
    "rms_norm": TorchEntry(_rms_norm, MIXED, lambda a, *_: (a, ...)),
    "add_rms_norm": TorchEntry(_add_rms_norm, MIXED, lambda a, *_: (a, ..., a)),
    "add_rms_norm_in_place": TorchEntry(_add_rms_norm_in_place, MIXED, lambda a, *_: (a, a, ...), is_in_place=True),
    "gemma_rms_norm": TorchEntry(
        lambda a, gamma, epsilon: _rms_norm(a, 1 + gamma, epsilon), MIXED, lambda a, *_: (a, ...)
    ),
    "add_layer_norm": TorchEntry(_add_layer_norm, MIXED, lambda a, *_: (a, ..., ..., a)),
    "deep_norm": TorchEntry(_deep_norm, MIXED, lambda a, *_: (..., ..., a)),
    "rms_norm_grad": TorchEntry(_rms_norm_grad, MIXED, lambda g, a, rstd, gamma: (a, gamma)),
}
