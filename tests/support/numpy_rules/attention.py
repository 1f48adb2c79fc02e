"""Attention with a softmax, and its gradients, as matrix products in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .matmul import product

#: For each layout, the dimensions of batch, heads, sequence and width. H is heads times width.
_LAYOUTS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}


def _heads(a: Any, layout: str, width: int) -> Any:
    """An array with the dimensions in the order batch, heads, sequence, width."""
    if layout.endswith("H"):
        a = a.reshape(*a.shape[:2], -1, width)
    return a.transpose(_LAYOUTS[layout]).astype(np.float64)


def _packed(a: Any, layout: str, groups: int = 1) -> Any:
    """The inverse of `_heads`. If several groups share a head, the head gets the sum of their gradients."""
    a = a.reshape(a.shape[0], -1, groups, *a.shape[2:]).sum(2)
    a = a.transpose(np.argsort(_LAYOUTS[layout]))
    return a.reshape(*a.shape[:2], -1) if layout.endswith("H") else a


def _triangle(mode: int, rows: int, columns: int) -> Any:
    """The mask of modes 2 and 3: causal from the upper left corner, or from the lower right corner."""
    return ~np.tri(rows, columns, columns - rows if mode == 3 else 0, dtype=np.bool_) if mode in (2, 3) else None


class _Attention:
    """One call: the probability of each key for each query, and the factors of dropout."""

    def __init__(self, q: Any, k: Any, v: Any, shift: Any, drop: Any, pad: Any, mask: Any, *settings: Any):
        _, self.scale, keep, _, _, count, layout, _, mode = settings
        self.layout, width = layout, q.shape[-1] // (count if layout.endswith("H") else 1)
        self.q, k, v = (_heads(a, layout, width) for a in (q, k, v))
        self.groups = self.q.shape[1] // k.shape[1]
        self.k, self.v = np.repeat(k, self.groups, 1), np.repeat(v, self.groups, 1)
        scores = self.scale * product(self.q, np.swapaxes(self.k, -1, -2))
        if shift is not None:
            scores = scores + shift.astype(np.float64)
        rows, columns = scores.shape[-2:]
        if (triangle := _triangle(mode, rows, columns)) is not None:
            mask = triangle
        if mask is not None:
            scores = np.where(mask != 0, np.float64(-np.inf), scores)
        largest = scores.max(-1, keepdims=True)
        powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
        total = powers.sum(-1, keepdims=True)
        self.chances = powers / np.where(total == 0, 1, total)
        self.statistics = [np.broadcast_to(each, (*each.shape[:-1], 8)) for each in (largest, total)]
        self.dropout_factors: Any = 1
        if drop is not None and keep < 1:
            bits = np.unpackbits(drop.reshape(-1).view(np.uint8), count=scores.size, bitorder="little")
            self.dropout_factors = bits.reshape(scores.shape) / np.float64(keep)


def _forward(*arguments: Any) -> Any:
    call = _Attention(*arguments)
    return *call.statistics, 0, _packed(product(call.chances * call.dropout_factors, call.v), call.layout)


def _backward(q: Any, k: Any, v: Any, gradient: Any, shift: Any, drop: Any, pad: Any, mask: Any, *rest: Any) -> Any:
    call = _Attention(q, k, v, shift, drop, pad, mask, *rest[4:])
    gradient = _heads(gradient, call.layout, call.q.shape[-1])
    by_chance = product(gradient, np.swapaxes(call.v, -1, -2)) * call.dropout_factors
    by_score = call.chances * (by_chance - (by_chance * call.chances).sum(-1, keepdims=True))
    by_q = call.scale * product(by_score, call.k)
    by_k = call.scale * product(np.swapaxes(by_score, -1, -2), call.q)
    by_v = product(np.swapaxes(call.chances * call.dropout_factors, -1, -2), gradient)
    return _packed(by_q, call.layout), *(_packed(a, call.layout, call.groups) for a in (by_k, by_v)), 0


def _masked_softmax(a: Any, mask: Any, scale: float, is_causal: bool) -> Any:
    """The softmax. A masked number counts as -10000, so if a whole row is masked, its results are equal."""
    scores = np.where(mask, np.float64(-10000), a * np.float64(scale))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _inference(q: Any, keys: Any, values: Any, shift: Any, mask: Any, *rest: Any) -> Any:
    lengths, count, scale, layout, mode, has_total = rest[1], rest[19], rest[20], rest[23], rest[25], rest[29]
    heads = _heads(q, layout, q.shape[-1] // (count if layout.endswith("H") else 1))
    if lengths is not None:  # keys beyond the lengths do not count
        batch, columns = len(heads), _heads(keys[0], layout, heads.shape[-1]).shape[2]
        is_behind = np.arange(columns) >= np.resize(lengths, batch)[:, None, None, None]
        by_mode = _triangle(mode, heads.shape[2], columns)
        base_mask = 0 if mask is None and by_mode is None else by_mode if by_mode is not None else mask != 0
        mask, mode = is_behind | base_mask, 0
    call = _Attention(q, keys[0], values[0], shift, None, None, mask, None, scale, 1, 0, 0, count, layout, 0, mode)
    result = _packed(product(call.chances, call.v), layout)
    largest, total = (each[..., :1] for each in call.statistics)
    return result, largest + np.log(total) if has_total else None


def _rotated(a: Any, mode: int) -> Any:
    """The array with pairs of elements rotated by 90 degrees.

    Mode 0 pairs the elements of the two halves, mode 1 neighbours, mode 2 the halves of each half. Mode 3 pairs
    neighbours and returns the results as halves.
    """
    even, odd = a[..., ::2], a[..., 1::2]
    if mode == 1:
        return np.stack([-odd, even], -1).reshape(a.shape)
    if mode == 3:
        return np.concatenate([-odd, even], -1)
    parts = np.split(a, 4 if mode == 2 else 2, -1)
    return np.concatenate([part for k in range(0, len(parts), 2) for part in (-parts[k + 1], parts[k])], -1)


def _rotary(a: Any, cos: Any, sin: Any, mode: int) -> Any:
    straight = np.concatenate([a[..., ::2], a[..., 1::2]], -1) if mode == 3 else a
    return straight * cos + _rotated(a, mode) * sin


def _masked_softmax_backward(gradient: Any, result: Any, mask: Any, scale: float, *_: Any) -> Any:
    inner = gradient - np.sum(gradient * result, -1, keepdims=True)
    return np.where(mask != 0, 0, result * inner * scale)


RULES: dict[str, Callable[..., Any]] = {
    "attention": _forward,
    "inference": _inference,
    "rotary": _rotary,
    "masked_softmax_backward": _masked_softmax_backward,
    "masked_softmax": _masked_softmax,
    "attention_backward": _backward,
}
