"""Attention with a softmax, and its gradients, as matrix products of float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import either
from .rule import OWN, WIDE, Rule, Shape

#: Of a layout the dimensions of batch, heads, sequence and width; H is heads times width.
_LAYOUTS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}


def _heads(a: Any, layout: str, width: int) -> Any:
    """In the order batch, heads, sequence, width."""
    if layout.endswith("H"):
        a = a.reshape(*a.shape[:2], -1, width)
    return a.transpose(_LAYOUTS[layout]).astype(np.float32)


def _packed(a: Any, layout: str, groups: int = 1) -> Any:
    """The reverse. A head of several `groups` gets the sum of theirs."""
    a = a.reshape(a.shape[0], -1, groups, *a.shape[2:]).sum(2)
    a = a.transpose(np.argsort(_LAYOUTS[layout]))
    return a.reshape(*a.shape[:2], -1) if layout.endswith("H") else a


class _Attention:
    """One call: the chance of each key for each query, and their factors."""

    def __init__(self, q: Any, k: Any, v: Any, shift: Any, drop: Any, pad: Any, mask: Any, *settings: Any):
        _, self.scale, keep, _, _, count, layout, _, mode = settings
        self.layout, width = layout, q.shape[-1] // (count if layout.endswith("H") else 1)
        self.q, k, v = (_heads(a, layout, width) for a in (q, k, v))
        self.groups = self.q.shape[1] // k.shape[1]
        self.k, self.v = np.repeat(k, self.groups, 1), np.repeat(v, self.groups, 1)
        scores = self.scale * np.matmul(self.q, np.swapaxes(self.k, -1, -2))
        if shift is not None:
            scores = scores + shift.astype(np.float32)
        rows, columns = scores.shape[-2:]
        if mode in (2, 3):  # causal from the upper left corner, or from the lower right one
            mask = ~np.tri(rows, columns, columns - rows if mode == 3 else 0, dtype=np.bool_)
        if mask is not None:
            scores = np.where(mask != 0, np.float32(-np.inf), scores)
        largest = scores.max(-1, keepdims=True)
        powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
        total = powers.sum(-1, keepdims=True)
        self.chances = powers / np.where(total == 0, 1, total)
        self.statistics = [np.broadcast_to(each, (*each.shape[:-1], 8)) for each in (largest, total)]
        self.dropout_factors: Any = 1
        if drop is not None and keep < 1:
            bits = np.unpackbits(drop.reshape(-1).view(np.uint8), count=scores.size, bitorder="little")
            self.dropout_factors = bits.reshape(scores.shape) / np.float32(keep)


def _forward(*arguments: Any) -> Any:
    call = _Attention(*arguments)
    return *call.statistics, 0, _packed(np.matmul(call.chances * call.dropout_factors, call.v), call.layout)


def _backward(q: Any, k: Any, v: Any, gradient: Any, shift: Any, drop: Any, pad: Any, mask: Any, *rest: Any) -> Any:
    call = _Attention(q, k, v, shift, drop, pad, mask, *rest[4:])
    gradient = _heads(gradient, call.layout, call.q.shape[-1])
    by_chance = np.matmul(gradient, np.swapaxes(call.v, -1, -2)) * call.dropout_factors
    by_score = call.chances * (by_chance - (by_chance * call.chances).sum(-1, keepdims=True))
    by_q = call.scale * np.matmul(by_score, call.k)
    by_k = call.scale * np.matmul(np.swapaxes(by_score, -1, -2), call.q)
    by_v = np.matmul(np.swapaxes(call.chances * call.dropout_factors, -1, -2), gradient)
    return _packed(by_q, call.layout), *(_packed(a, call.layout, call.groups) for a in (by_k, by_v)), 0


def _check(pad: Any, settings: tuple[Any, ...]) -> None:
    prefix, *_, layout, _, mode = settings
    if layout not in _LAYOUTS or mode not in (0, 1, 2, 3) or pad is not None or prefix:
        expected = f"inputLayout must be {either(_LAYOUTS)}, sparseMode 0 to 3, without padding mask and prefix"
        raise ValueError(f"inputLayout is {layout}, sparseMode is {mode}; {expected}; change the arguments")


def _shapes(
    q: Shape, k: Shape, v: Shape, shift: Any, drop: Any, pad: Any, mask: Any, *settings: Any
) -> tuple[Any, ...]:
    _check(pad, settings)
    return ..., ..., ..., q


def _gradient_shapes(q: Shape, k: Shape, v: Shape, gradient: Any, shift: Any, drop: Any, pad: Any, *rest: Any) -> Any:
    _check(pad, rest[5:])
    return q, k, v, ...


def _masked_softmax(a: Any, mask: Any, scale: float, is_causal: bool) -> Any:
    """A masked number counts as -10000, so that a row of masked ones has equal results."""
    scores = np.where(mask, np.float32(-10000), a * np.float32(scale))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _masked_shape(shape: Shape, mask: Shape, scale: float, is_causal: bool) -> Shape:
    if is_causal:
        raise ValueError("fixTriuMask is true; it must be false; pass the triangle as mask")
    return shape


RULES: dict[str, Rule] = {
    "attention": Rule(_forward, OWN, _shapes),
    "masked_softmax": Rule(_masked_softmax, WIDE, _masked_shape),
    "attention_backward": Rule(_backward, OWN, _gradient_shapes),
}
