"""Attention from the formulas of CANN's documents, one head and one query at a time, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Each layout as letters of numpy.einsum: batch, heads, sequence, columns of a head.
_LETTERS = {"BNSD": "bnsd", "BSND": "bsnd", "BSH": "bsnd", "SBH": "sbnd"}


def _by_head(a: Any, layout: str, columns: int) -> Any:
    """The tensor as (batch, heads, sequence, columns)."""
    whole = a.reshape(*a.shape[:2], -1, columns) if len(layout) == 3 else a
    return np.einsum(f"{_LETTERS[layout]}->bnsd", whole.astype(np.float64))


def _in_layout(a: Any, layout: str) -> Any:
    laid = np.einsum(f"bnsd->{_LETTERS[layout]}", a)
    return laid.reshape(*laid.shape[:2], -1) if len(layout) == 3 else laid


def _columns(q: Any, layout: str, heads: int) -> int:
    return int(q.shape[-1]) // heads if len(layout) == 3 else int(q.shape[-1])


def _row(scores: Any, hidden: Any) -> tuple[Any, float, float]:
    """The probabilities of one query, its largest score, and the sum of its powers."""
    seen = scores[~hidden]
    if not seen.size:
        return np.zeros(scores.size), -np.inf, 0.0
    largest = seen.max()
    powers = np.where(hidden, 0.0, np.exp(np.where(hidden, 0.0, scores - largest)))
    return powers / powers.sum(), float(largest), float(powers.sum())


class _Training:
    """softmax(mask(scale * (pse + q k^T))): probabilities, statistics and dropout of FlashAttentionScore."""

    def __init__(self, q: Any, k: Any, v: Any, pse: Any, drop: Any, pad: Any, mask: Any, *settings: Any):
        _, self.scale, keep, _, _, count, layout, _, mode = settings
        self.layout, self.columns = layout, _columns(q, layout, count)
        self.q, self.k, self.v = (_by_head(a, layout, self.columns) for a in (q, k, v))
        batch, heads, rows, _ = self.q.shape
        self.group, keys = heads // self.k.shape[1], self.k.shape[2]
        full = (batch, heads, rows, keys)
        shift = np.zeros(full) if pse is None else np.broadcast_to(pse.astype(np.float64), full)
        masked = np.zeros(full, bool) if mask is None or mode in (2, 3) else np.broadcast_to(mask != 0, full)
        self.chances, self.largest, self.sums = np.zeros(full), np.zeros(full[:3]), np.zeros(full[:3])
        for b, n, i in np.ndindex(full[:3]):
            scores = self.scale * (shift[b, n, i] + self.k[b, n // self.group] @ self.q[b, n, i])
            hidden = masked[b, n, i].copy()
            if mask is not None and mode in (2, 3):  # a call without attenMask has no mode
                hidden = np.array([j > i + (keys - rows if mode == 3 else 0) for j in range(keys)])
            self.chances[b, n, i], self.largest[b, n, i], self.sums[b, n, i] = _row(scores, hidden)
        self.kept: Any = np.ones(full)
        if drop is not None and keep < 1:
            bits = [int(byte) >> bit & 1 for byte in np.ravel(drop).view(np.uint8) for bit in range(8)]
            self.kept = np.array(bits[: self.kept.size]).reshape(full) / keep


def _forward(*arguments: Any) -> Any:
    call = _Training(*arguments)
    result = np.zeros((*call.q.shape[:3], call.v.shape[-1]))
    for b, n, i in np.ndindex(call.q.shape[:3]):
        result[b, n, i] = (call.chances * call.kept)[b, n, i] @ call.v[b, n // call.group]
    eight = [np.stack([each] * 8, -1) for each in (call.largest, call.sums)]
    return *eight, 0, _in_layout(result, call.layout)


def _backward(q: Any, k: Any, v: Any, gradient: Any, pse: Any, drop: Any, pad: Any, mask: Any, *rest: Any) -> Any:
    """The gradients with the matrix of each row's derivatives, diag(p) - p p^T."""
    call = _Training(q, k, v, pse, drop, pad, mask, *rest[4:])
    gradient = _by_head(gradient, call.layout, call.v.shape[-1])
    by_q, by_k, by_v = (np.zeros(each.shape) for each in (call.q, call.k, call.v))
    for b, n, i in np.ndindex(call.q.shape[:3]):
        m, p, kept = n // call.group, call.chances[b, n, i], call.kept[b, n, i]
        by_scores = (np.diag(p) - np.outer(p, p)) @ (kept * (call.v[b, m] @ gradient[b, n, i]))
        by_q[b, n, i] = call.scale * (by_scores @ call.k[b, m])
        by_k[b, m] += call.scale * np.outer(by_scores, call.q[b, n, i])
        by_v[b, m] += np.outer(p * kept, gradient[b, n, i])
    return *(_in_layout(each, call.layout) for each in (by_q, by_k, by_v)), 0


def _masked_softmax(a: Any, mask: Any, scale: float, is_causal: bool) -> Any:
    """The softmax. A masked number counts as -10000, so if a whole row is masked, its results are equal."""
    scores = np.where(mask, np.float64(-10000), a * np.float64(scale))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _inference(q: Any, keys: Any, values: Any, pse: Any, mask: Any, *rest: Any) -> Any:
    """softmax(mask(scale * q k^T + pse)). A call with one query has no mode."""
    lengths, count, scale, layout, mode, has_total = rest[1], rest[19], rest[20], rest[23], rest[25], rest[29]
    columns = _columns(q, layout, count)
    q, k, v = (_by_head(a, layout, columns) for a in (q, keys[0], values[0]))
    batch, heads, rows, _ = q.shape
    size, group = k.shape[2], heads // k.shape[1]
    result, total = np.zeros((batch, heads, rows, v.shape[-1])), np.zeros((batch, heads, rows, 1))
    for b, n, i in np.ndindex(batch, heads, rows):
        length = size if not lengths else lengths[0 if len(lengths) == 1 else b]
        scores = scale * (k[b, n // group] @ q[b, n, i])
        if pse is not None:
            scores = scores + np.broadcast_to(pse, (batch, heads, rows, size))[b, n, i]
        hidden = np.arange(size) >= length
        if rows > 1 and mode in (2, 3):
            hidden |= np.array([j > i + (length - rows if mode == 3 else 0) for j in range(size)])
        elif mask is not None:
            by_head = mask if mask.ndim == 4 else mask[:, None] if mask.ndim == 3 else mask
            by_head = mask[:, None, None] if mask.ndim == 2 and rows == 1 else by_head
            hidden = hidden | (np.broadcast_to(by_head, (batch, heads, rows, size))[b, n, i] != 0)
        chances, largest, powers = _row(scores, hidden)
        result[b, n, i], total[b, n, i] = chances @ v[b, n // group], largest + np.log(powers)
    return _in_layout(result, layout), total if has_total else None


#: By mode of RotaryPositionEmbedding and length of a row: the places of an element's partner, and its sign.
def _partner(mode: int, place: int, size: int) -> tuple[int, int]:
    if mode in (1, 3):  # neighbours
        return (place + 1, -1) if place % 2 == 0 else (place - 1, 1)
    part = size // (2 if mode == 0 else 4)  # halves, or the halves of each half
    return (place + part, -1) if place // part % 2 == 0 else (place - part, 1)


def _rotary(a: Any, cos: Any, sin: Any, mode: int) -> Any:
    """y = x * cos + sign * partner * sin. Mode 3 writes the even places first, then the odd ones."""
    size = a.shape[-1]
    cos, sin = np.broadcast_to(cos, a.shape), np.broadcast_to(sin, a.shape)
    result = np.empty(a.shape, np.result_type(a, cos))
    for place in range(size):
        partner, sign = _partner(mode, place, size)
        to = place if mode != 3 else place // 2 + (size // 2 if place % 2 else 0)
        result[..., to] = a[..., place] * cos[..., to] + sign * a[..., partner] * sin[..., to]
    return result


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
