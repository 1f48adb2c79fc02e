"""Steps of optimisers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _adam_w(
    a: Any, m: Any, v: Any, largest: Any, gradient: Any, step: Any, rate: float, beta1: float, beta2: float,
    decay: float, epsilon: float, amsgrad: bool, maximize: bool,
) -> Any:  # fmt: skip
    """The parameters, their two moments, and the largest second moment. `step` is the number of earlier steps."""
    gradient, step = -gradient if maximize else gradient, float(step.reshape(())) + 1
    scales = 1 - np.float64(beta1) ** step, 1 - np.float64(beta2) ** step  # 0 if a beta is 1
    m = m + (1 - beta1) * (gradient - m)
    v = beta2 * v + (1 - beta2) * np.square(gradient)
    largest = np.maximum(largest, v) if amsgrad else largest
    root = np.sqrt((largest if amsgrad else v) / scales[1]) + epsilon
    return a * (1 - rate * decay) - rate / scales[0] * (m / root), m, v, largest


def _unscaled(gradient: Any, is_bad: Any, factor: Any) -> Any:
    """Gradients times a factor, and 1.0 if any gradient is infinite or NaN."""
    return gradient * factor.reshape(()), is_bad if np.isfinite(gradient).all() else np.ones_like(is_bad)


def _scale(scale: Any, steps: Any, is_bad: Any, growth: float, backoff: float, interval: int) -> tuple[Any, Any]:
    """The loss scale, and the number of consecutive good steps. The scale grows after `interval` good steps."""
    larger, count = (scale * growth).astype(np.float64), steps + 1
    is_due = count == interval
    grown = np.where(is_due & np.isfinite(larger), larger, scale)
    return np.where(is_bad != 0, scale * backoff, grown), np.where((is_bad != 0) | is_due, 0, count)


RULES: dict[str, Callable[..., Any]] = {
    "adam_w": _adam_w,
    "unscale": _unscaled,
    "loss_scale": _scale,
}
