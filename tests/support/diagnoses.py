"""Wrong results, and the diagnosis of a verdict."""

from __future__ import annotations

from typing import Any

import numpy as np

from actgrad import conformance
from actgrad.conformance import Verdict

OFF = {"alpha": 1.3, "scale": 0.7, "input_scale": 0.6}
ALPHA, SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
Array = np.ndarray


def judge(*arguments: Any, **options: Any) -> Verdict:
    """The judge, actgrad's own bounds counting."""
    return conformance.judge(*arguments, strict=True, **options)


def numbers(seed: int = 0, count: int = 3000, dtype: Any = np.float32) -> tuple[Array, Array]:
    """grad_output and x, with zeros of both signs among x."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.uniform(-5, 5, count), [0.0, -0.0] * 4])
    return rng.standard_normal(x.size).astype(dtype), x.astype(dtype)


def elu_gradient(g: Array, x: Array, alpha: float = 1.3, scale: float = 0.7, input_scale: float = 0.6) -> Array:
    """In float32 steps, as a kernel would compute it."""
    a, s, i = (np.float32(v) for v in (alpha, scale, input_scale))
    g, x = g.astype(np.float32), x.astype(np.float32)
    return np.asarray(g * np.where(x > 0, s, s * a * i * np.exp(i * np.minimum(x, 0))), np.float32)


def mistakes(verdict: Verdict) -> list[str]:
    return [d.mistake for d in verdict.diagnoses]


def assert_named(verdict: Verdict, mistake: str, words: str = "") -> None:
    """One diagnosis, which explains all that fails."""
    assert not verdict.holds
    assert mistakes(verdict) == [mistake], verdict.diagnoses
    (found,) = verdict.diagnoses
    assert words in found.says
    assert found.explained == found.looked_at > 0
