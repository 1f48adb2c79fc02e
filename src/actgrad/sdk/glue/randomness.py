"""Random numbers: NumPy's Philox, a counter-based generator, from a call's seed and offset."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rule import OWN, Rule, Shape

_WORD = (1 << 64) - 1


def _generator(seed: int, offset: int) -> np.random.Generator:
    """The streams of other offsets are apart."""
    return np.random.Generator(np.random.Philox(key=seed & _WORD | (offset & _WORD) << 64))


def _normal(to: Any, mean: float, deviation: float, seed: int, offset: int) -> Any:
    return _generator(seed, offset).normal(mean, deviation, to.shape)


def _uniform(to: Any, low: float, high: float, seed: int, offset: int) -> Any:
    values = low + (high - low) * _generator(seed, offset).random(to.shape)
    return np.where(values.astype(to.dtype) < high, values, low)  # rounded, it may reach the end


def _bernoulli(to: Any, chance: Any, seed: int, offset: int) -> Any:
    return _generator(seed, offset).random(to.shape) < chance.astype(np.float64)


def _integers(to: Any, low: int, high: int, seed: int, offset: int) -> Any:
    return _generator(seed, offset).integers(low, high, to.shape)


def _packed_size(shape: Shape, *_: Any) -> Shape:
    """The bytes of a mask: a bit for each element, in pieces of 128."""
    return (-(-int(np.prod(shape)) // 128) * 16,)


def _mask(shape: Shape, chance: float, seed: int, offset: int, *_: Any) -> Any:
    bits = np.zeros(_packed_size(shape)[0] * 8, np.bool_)
    count = int(np.prod(shape))
    bits[:count] = _generator(seed, offset).random(count) >= chance
    return np.packbits(bits, bitorder="little")


def _masked(a: Any, mask: Any, chance: float) -> Any:
    is_kept = np.unpackbits(mask, count=a.size, bitorder="little").reshape(a.shape)
    return np.where(is_kept, a.astype(np.float32) / (1 - chance), 0)


def _same(shape: Shape, *_: Any) -> Shape:
    return shape


RULES: dict[str, Rule] = {
    "normal": Rule(_normal, OWN, _same),
    "uniform": Rule(_uniform, OWN, _same),
    "bernoulli": Rule(_bernoulli, OWN, _same),
    "integers": Rule(_integers, OWN, _same),
    "permutation": Rule(lambda n, seed, offset: _generator(seed, offset).permutation(n), OWN, lambda n, *_: (n,)),
    "dropout_mask": Rule(_mask, OWN, _packed_size),
    "dropout": Rule(_masked, OWN, _same),
}
