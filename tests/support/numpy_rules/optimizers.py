"""Steps of optimisers, one element after the other, by the formulas of CANN's documents."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf, isfinite, nan, sqrt
from typing import Any

import numpy as np


def _quotient(a: float, b: float) -> float:
    """a / b as hardware divides."""
    if b:
        return a / b
    return nan if not a or a != a else copysign(inf, a)


def _adam_w(
    a: Any, m: Any, v: Any, largest: Any, gradient: Any, step: Any, rate: float, beta1: float, beta2: float,
    decay: float, epsilon: float, amsgrad: bool, maximize: bool,
) -> Any:  # fmt: skip
    """Document of aclnnApplyAdamWV2. The kernel adds 1 to `step` first (apply_adam_w_v2_fp.h)."""
    results: list[Any] = [np.array(each, np.float64) for each in (a, m, v, v)]
    t = float(step.reshape(())) + 1
    for place in np.ndindex(a.shape):
        theta, g = float(a[place]), float(gradient[place]) * (-1 if maximize else 1)
        mean = beta1 * float(m[place]) + (1 - beta1) * g
        square = beta2 * float(v[place]) + (1 - beta2) * g * g
        peak = max(float(largest[place]), square) if amsgrad else square
        root = sqrt(_quotient(peak, 1 - beta2**t)) + epsilon
        new = theta - _quotient(rate * _quotient(mean, 1 - beta1**t), root) - rate * decay * theta
        for result, value in zip(results, (new, mean, square, peak), strict=True):
            result[place] = value
    return (*results[:3], results[3] if amsgrad else largest)


def _unscaled(gradient: Any, is_bad: Any, factor: Any) -> Any:
    """Document of aclnnForeachNonFiniteCheckAndUnscale: foundInf becomes 1, or stays."""
    found = any(not isfinite(float(each)) for each in gradient.ravel())
    return gradient * float(factor.reshape(())), np.ones_like(is_bad) if found else is_bad


def _scale(scale: Any, steps: Any, is_bad: Any, growth: float, backoff: float, interval: int) -> tuple[Any, Any]:
    """Document of aclnnAmpUpdateScale."""
    now, count = float(scale.reshape(())), int(steps.reshape(())) + 1
    if float(is_bad.reshape(())) != 0:
        now, count = now * backoff, 0
    elif count == interval:
        grown = now * growth
        now, count = grown if abs(grown) <= float(np.finfo(np.float32).max) else now, 0
    return np.full(scale.shape, now), np.full(steps.shape, count)


RULES: dict[str, Callable[..., Any]] = {
    "adam_w": _adam_w,
    "unscale": _unscaled,
    "loss_scale": _scale,
}
