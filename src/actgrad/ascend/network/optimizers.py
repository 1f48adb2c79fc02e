"""Steps of optimisers."""

from __future__ import annotations

from math import inf
from typing import Any

from .entry import EACH, MIXED, Entry, TorchEntry
from .pytorch import torch


def _adam_w(
    a: Any, m: Any, v: Any, largest: Any, gradient: Any, step: Any, rate: float, beta1: float, beta2: float,
    decay: float, epsilon: float, amsgrad: bool, maximize: bool,
) -> Any:  # fmt: skip
    """The parameters, their two moments, and the largest second moment. `step` is the number of earlier steps."""
    gradient, step = -gradient if maximize else gradient, float(step.reshape(())) + 1
    scales = 1 - beta1**step, 1 - beta2**step
    m = m + (1 - beta1) * (gradient - m)
    v = beta2 * v + (1 - beta2) * torch.square(gradient)
    largest = torch.maximum(largest, v) if amsgrad else largest
    root = torch.sqrt((largest if amsgrad else v) / scales[1]) + epsilon
    return a * (1 - rate * decay) - (rate / scales[0] if scales[0] else inf) * (m / root), m, v, largest


def _unscaled(gradient: Any, is_bad: Any, factor: Any) -> Any:
    """Gradients times a factor, and 1.0 if any gradient is infinite or NaN."""
    return gradient * factor.reshape(()), is_bad if torch.isfinite(gradient).all() else torch.ones_like(is_bad)


def _scale(scale: Any, steps: Any, is_bad: Any, growth: float, backoff: float, interval: int) -> tuple[Any, Any]:
    """The loss scale, and the number of consecutive good steps. The scale grows after `interval` good steps."""
    larger, count = (scale * growth).float(), steps + 1
    is_due = count == interval
    grown = torch.where(is_due & torch.isfinite(larger), larger, scale)
    return torch.where(is_bad != 0, scale * backoff, grown), torch.where((is_bad != 0) | is_due, 0, count)


RULES: dict[str, Entry] = {
    "adam_w": TorchEntry(_adam_w, MIXED, lambda a, m, v, largest, *_: (a,) * 4, is_in_place=True),
    "unscale": TorchEntry(_unscaled, MIXED, lambda gradient, *_: (gradient, ...), is_in_place=True),
    "loss_scale": TorchEntry(_scale, EACH, lambda scale, steps, *_: (scale, steps)),
}
