"""Attention with a softmax, and its gradients, as matrix products in float32."""

from __future__ import annotations

from math import inf, prod
from typing import Any

from ...base.errors import either, quantity
from ...base.loop import broadcast_shapes
from .entry import EACH, MIXED, Entry, Shape, TorchEntry
from .pytorch import torch
from .randomness import unpacked

#: For each layout, the dimensions of batch, heads, sequence and width. H is heads times width.
_LAYOUTS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}


def _heads(a: Any, layout: str, width: int) -> Any:
    """An array with the dimensions in the order batch, heads, sequence, width."""
    if layout.endswith("H"):
        a = a.reshape(*a.shape[:2], -1, width)
    return a.permute(_LAYOUTS[layout]).float()


def _packed(a: Any, layout: str, groups: int = 1) -> Any:
    """The inverse of `_heads`. If several groups share a head, the head gets the sum of their gradients."""
    a = a.reshape(a.shape[0], -1, groups, *a.shape[2:]).sum(2)
    a = a.permute(sorted(range(4), key=_LAYOUTS[layout].__getitem__))
    return a.reshape(*a.shape[:2], -1) if layout.endswith("H") else a


def _triangle(mode: int, rows: int, columns: int, ends: Any) -> Any:
    """The mask of modes 2 and 3: causal from the upper left corner, or from the lower right corner.

    The lower right corner is at the last key that counts: `ends` is the number of keys that count.
    """
    last = torch.arange(rows)[:, None] + (ends - rows if mode == 3 else 0)
    return torch.arange(columns) > last


class _Attention:
    """One call: the probability of each key for each query, and the factors of dropout.

    `shift` is added to the products of queries and keys before these are scaled, or afterwards if `shifts_scaled`.
    """

    def __init__(
        self, q: Any, k: Any, v: Any, shift: Any, drop: Any, mask: Any, scale: float, keep: float, count: int,
        layout: str, shifts_scaled: bool = False,
    ):  # fmt: skip
        self.scale, self.layout = scale, layout
        width = q.shape[-1] // (count if layout.endswith("H") else 1)
        self.q, k, v = (_heads(a, layout, width) for a in (q, k, v))
        self.groups = self.q.shape[1] // k.shape[1]
        self.k, self.v = k.repeat_interleave(self.groups, 1), v.repeat_interleave(self.groups, 1)
        scores = scale * (self.q @ self.k.mT)
        if shift is not None:
            scores = scores + (shift.float() if shifts_scaled else scale * shift.float())
        if mask is not None:
            scores = torch.where(mask != 0, -inf, scores)
        largest = torch.amax(scores, -1, True)
        powers = torch.exp(scores - torch.where(torch.isfinite(largest), largest, 0))
        total = torch.sum(powers, -1, True)
        self.chances = powers / torch.where(total == 0, 1, total)
        self.statistics = [each.expand(*each.shape[:-1], 8) for each in (largest, total)]
        self.dropout_factors: Any = 1
        if drop is not None and keep < 1:
            self.dropout_factors = unpacked(drop.reshape(-1), scores.numel()).reshape(scores.shape) / keep


def _training(q: Any, k: Any, v: Any, shift: Any, drop: Any, pad: Any, mask: Any, *settings: Any) -> _Attention:
    """A call of FlashAttentionScore or of its gradient. Without attenMask, sparseMode has no effect."""
    _, scale, keep, _, _, count, layout, _, mode = settings
    if mask is not None and mode in (2, 3):
        dim = layout.index("S")
        mask = _triangle(mode, q.shape[dim], k.shape[dim], k.shape[dim])
    return _Attention(q, k, v, shift, drop, mask, scale, keep, count, layout)


def _forward(*arguments: Any) -> Any:
    call = _training(*arguments)
    return *call.statistics, 0, _packed((call.chances * call.dropout_factors) @ call.v, call.layout)


def _backward(q: Any, k: Any, v: Any, gradient: Any, shift: Any, drop: Any, pad: Any, mask: Any, *rest: Any) -> Any:
    call = _training(q, k, v, shift, drop, pad, mask, *rest[4:])
    gradient = _heads(gradient, call.layout, call.q.shape[-1])
    by_chance = (gradient @ call.v.mT) * call.dropout_factors
    by_score = call.chances * (by_chance - torch.sum(by_chance * call.chances, -1, True))
    by_q = call.scale * (by_score @ call.k)
    by_k = call.scale * (by_score.mT @ call.q)
    by_v = (call.chances * call.dropout_factors).mT @ gradient
    return _packed(by_q, call.layout), *(_packed(a, call.layout, call.groups) for a in (by_k, by_v)), 0


def _sizes(name: str, shape: Shape, layout: str, width: int) -> Shape:
    """Batch, heads, sequence, width."""
    width = width if layout.endswith("H") else shape[-1] if shape else 0
    if len(shape) != len(layout) or not width or shape[-1] % width:
        expected = f"{layout} has {len(layout)} dimensions, and whole heads of {width} columns"
        raise ValueError(f"{name} has shape {shape}; {expected}; reshape {name}")
    full = (*shape[:2], shape[-1] // width, width) if layout.endswith("H") else shape
    return tuple(full[k] for k in _LAYOUTS[layout])


def _check_scores(q: Shape, k: Shape, v: Shape, layout: str, count: int, **terms: Any) -> Shape:
    """The shape of the scores. Each of `terms` must broadcast to it."""
    if layout.endswith("H") and q[-1] % count:
        raise ValueError(f"query has shape {q}; its last size must be a multiple of {count}, the heads; reshape query")
    tensors = {"query": q, "key": k, "value": v}.items()
    (batch, heads, rows, width), keys, values = (_sizes(n, shape, layout, q[-1] // count) for n, shape in tensors)
    if keys[0] != batch or values[:3] != keys[:3] or not keys[1] or heads % keys[1] or not keys[2] or keys[3] != width:
        expected = "batches and columns must be equal, and the heads of key must divide the heads of query"
        raise ValueError(f"query has shape {q}, key {k}, value {v}; {expected}; reshape them")
    scores = (batch, heads, rows, keys[2])
    for name, shape in terms.items():
        if shape is not None and broadcast_shapes(shape, scores) != scores:
            raise ValueError(f"{name} has shape {shape}; it must broadcast to {scores}, the scores; reshape {name}")
    return scores


def _result_shape(q: Shape, v: Shape, layout: str) -> Shape:
    """The shape of the result. In H layouts, it has the columns of the queries."""
    return q if layout.endswith("H") else (*q[:-1], v[-1])


def _check(q: Shape, k: Shape, v: Shape, shift: Any, drop: Any, pad: Any, mask: Any, *settings: Any) -> Shape:
    prefix, _, keep, *_, count, layout, _, mode = settings
    if layout not in _LAYOUTS or mode not in (0, 1, 2, 3) or pad is not None or prefix:
        expected = f"inputLayout must be {either(_LAYOUTS)}, sparseMode 0 to 3, without padding mask and prefix"
        raise ValueError(f"inputLayout is {layout}, sparseMode is {mode}; {expected}; change the arguments")
    width = q[-1] // (count if layout.endswith("H") else 1) if len(q) > 2 else 769
    if width > 768 or (not layout.endswith("H") and k[-1:] != q[-1:]):
        expected = "a head must have at most 768 columns, as many in query as in key"
        raise ValueError(f"query has shape {q} and key {k}; {expected}; reshape them")
    scores = _check_scores(q, k, v, layout, count, shift=shift, mask=mask if mode in (0, 1) else None)
    if drop is not None and keep < 1 and 8 * prod(drop) < prod(scores):
        expected = f"it must have a bit for each of {prod(scores)} scores"
        raise ValueError(f"dropMask has {quantity(prod(drop), 'byte')}; {expected}; create a larger mask")
    return scores


def _shapes(q: Shape, k: Shape, v: Shape, *rest: Any) -> tuple[Any, ...]:
    statistics = (*_check(q, k, v, *rest)[:3], 8)
    return statistics, statistics, ..., _result_shape(q, v, rest[-3])


def _gradient_shapes(
    q: Shape, k: Shape, v: Shape, gradient: Shape, shift: Any, drop: Any, pad: Any, mask: Any, *rest: Any
) -> Any:
    _check(q, k, v, shift, drop, pad, mask, *rest[4:])
    expected = _result_shape(q, v, rest[-3])
    if gradient != expected:
        raise ValueError(f"dy has shape {gradient}; it must be {expected}, as the result; reshape dy")
    return q, k, v, ...


def _masked_softmax(a: Any, mask: Any, scale: float, is_causal: bool) -> Any:
    """The softmax. A masked number counts as -10000, so if a whole row is masked, its results are equal."""
    return torch.softmax(torch.where(mask != 0, -10000.0, a * scale), -1)


def _masked_shape(shape: Shape, mask: Shape, scale: float, is_causal: bool) -> Shape:
    if is_causal:
        raise ValueError("fixTriuMask is true; it must be false; pass the triangle as mask")
    return shape


_REFUSED = "must be null, or off; actgrad computes attention of floating-point numbers only; change the arguments"


def _key_ends(lengths: Any, batch: int, columns: int) -> Any:
    """The number of keys that count, for each batch."""
    ends = [columns] if not lengths else lengths if len(lengths) == 1 else lengths[:batch]
    return torch.tensor(ends)[:, None, None, None]


def _inference_mask(mask: Any, mode: int, rows: int, ends: Any, columns: int) -> Any:
    """The scores that do not count.

    A single query has no sparseMode. Mode 3 counts from the last key that counts. A mask without a dimension of heads
    is for all heads: (batch, keys) for a single query, (queries, keys), or (batch, queries, keys).
    """
    is_hidden = torch.arange(columns) >= ends
    if rows > 1 and mode in (2, 3):
        return is_hidden | _triangle(mode, rows, columns, ends)
    return is_hidden if mask is None else is_hidden | (mask.reshape(_mask_shape(tuple(mask.shape), rows)) != 0)


def _mask_shape(shape: Shape, rows: int) -> Shape:
    """The shape of a mask with a dimension of heads."""
    if len(shape) == 2 and rows == 1:
        return (shape[0], 1, 1, shape[1])
    return (shape[0], 1, *shape[1:]) if len(shape) == 3 else shape


def _inference(q: Any, keys: Any, values: Any, shift: Any, mask: Any, *rest: Any) -> Any:
    lengths, count, scale, layout, mode, has_total = rest[1], rest[19], rest[20], rest[23], rest[25], rest[29]
    rows, columns = (a.shape[layout.index("S")] for a in (q, keys[0]))
    mask = _inference_mask(mask, mode, rows, _key_ends(lengths, len(q), columns), columns)
    call = _Attention(q, keys[0], values[0], shift, None, mask, scale, 1, count, layout, shifts_scaled=True)
    result = _packed(call.chances @ call.v, layout)
    largest, total = (each[..., :1] for each in call.statistics)
    return result, largest + torch.log(total) if has_total else None


def _inference_shapes(q: Shape, keys: Any, values: Any, shift: Any, mask: Any, *rest: Any) -> tuple[Any, Any]:
    """The shapes of the results.

    Each query length must be the whole sequence. Quantised numbers, pages, padding and prefixes fail.
    """
    pre, following, layout, mode, size, antiquant, *_ = rest[21], rest[22], rest[23], rest[25], rest[27], rest[28]
    if any(each is not None for each in rest[2:19]) or size or antiquant or any(rest[30:32]):
        raise ValueError(f"a scale, an offset, a table, a padding size, a prefix or a mode is given; each {_REFUSED}")
    if len(keys) != 1 or len(values) != 1:
        raise ValueError(f"key has {quantity(len(keys), 'tensor')}; it must have 1; concatenate the tensors")
    rows = q[layout.index("S")] if layout in ("BNSD", "BSND", "BSH") and len(q) == len(layout) else 0
    if layout not in ("BNSD", "BSND", "BSH") or (rows != 1 and mode not in (0, 1, 2, 3)):
        expected = "inputLayout must be BNSD, BSND or BSH, sparseMode 0 to 3; change the arguments"
        raise ValueError(f"inputLayout is {layout}, sparseMode is {mode}; {expected}")
    reads_mask = mask is not None and (mode in (0, 1) or rows == 1)
    terms = {"pseShift": shift, "attenMask": _mask_shape(mask, rows) if reads_mask else None}
    batch, heads, rows, columns = _check_scores(q, keys[0], values[0], layout, rest[19], **terms)
    lengths = rest[1] or ()
    if 1 < len(lengths) < batch or not all(0 <= length <= columns for length in lengths):
        expected = f"it must have 1 or {batch} numbers from 0 to {columns}, the keys"
        raise ValueError(f"actualSeqLengthsKv is {lengths}; {expected}; change the lengths")
    if mask is None and mode and rows > 1:
        raise ValueError(f"sparseMode is {mode} and attenMask is null; it must be a tensor; pass a mask")
    if rest[0] is not None and rows > 1 and set(rest[0]) != {rows}:
        raise ValueError(f"actualSeqLengths is {rest[0]}; each must be {rows}, query's sequence; slice query")
    if mask is not None and mode == 0 and rows > 1 and (pre < columns or following < columns):
        limits = f"both must be at least {columns}"
        raise ValueError(f"preTokens is {pre}, nextTokens is {following}; {limits}; put the band into attenMask")
    return _result_shape(q, values[0], layout), (batch, heads, rows, 1) if rest[29] else ...


def _rotated(a: Any, mode: int) -> Any:
    """The array with pairs of elements rotated by 90 degrees.

    Mode 0 pairs the elements of the two halves, mode 1 neighbours, mode 2 the halves of each half. Mode 3 pairs
    neighbours and returns the results as halves.
    """
    even, odd = a[..., ::2], a[..., 1::2]
    if mode == 1:
        return torch.stack([-odd, even], -1).reshape(a.shape)
    if mode == 3:
        return torch.cat([-odd, even], -1)
    parts = torch.chunk(a, 4 if mode == 2 else 2, -1)
    return torch.cat([part for k in range(0, len(parts), 2) for part in (-parts[k + 1], parts[k])], -1)


def _rotary(a: Any, cos: Any, sin: Any, mode: int) -> Any:
    straight = torch.cat([a[..., ::2], a[..., 1::2]], -1) if mode == 3 else a
    return straight * cos + _rotated(a, mode) * sin


def _masked_softmax_backward(gradient: Any, result: Any, mask: Any, scale: float, *_: Any) -> Any:
    inner = gradient - torch.sum(gradient * result, -1, True)
    return torch.where(mask != 0, 0, result * inner * scale)


RULES: dict[str, Entry] = {
    "attention": TorchEntry(_forward, EACH, _shapes),
    "inference": TorchEntry(_inference, EACH, _inference_shapes),
    "rotary": TorchEntry(_rotary, shape=lambda shape, *_: shape),
    "masked_softmax_backward": TorchEntry(_masked_softmax_backward, MIXED, lambda gradient, *_: gradient),
    "masked_softmax": TorchEntry(_masked_softmax, MIXED, _masked_shape),
    "attention_backward": TorchEntry(_backward, EACH, _gradient_shapes),
}
