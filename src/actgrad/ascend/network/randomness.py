"""Random numbers: NumPy's Philox, a counter-based generator, from a call's seed and offset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .entry import EACH, Entry, Shape, TorchEntry
from .pytorch import torch

_WORD = (1 << 64) - 1


def _generator(seed: int, offset: int) -> np.random.Generator:
    """A generator. Different offsets give different random numbers."""
    return np.random.Generator(np.random.Philox(key=seed & _WORD | (offset & _WORD) << 64))


def _normal(to: Any, mean: float, deviation: float, seed: int, offset: int) -> Any:
    return _generator(seed, offset).normal(mean, deviation, to.shape)


def _uniform(to: Any, low: float, high: float, seed: int, offset: int) -> Any:
    values = low + (high - low) * _generator(seed, offset).random(to.shape)
    return np.where(values.astype(to.dtype) < high, values, low)  # rounding may give the end of the range


def _bernoulli(to: Any, chance: Any, seed: int, offset: int) -> Any:
    if not (to.size and chance.size):  # hardware ends the call
        return to
    return _generator(seed, offset).random(to.shape) < chance.astype(np.float64)


def _sample(a: Any, count: int, has_replacement: bool, seed: int, offset: int) -> Any:
    """Sample positions in each row by weights. Without replacement, each position at most once."""
    if not a.size:  # hardware ends the call
        return None
    rows, generator = a.reshape(-1, a.shape[-1]).astype(np.float64), _generator(seed, offset)
    if not has_replacement:  # each quotient is a random arrival time with the weight as rate; take the first ones
        return np.argsort(generator.exponential(size=rows.shape) / rows, -1, kind="stable")[:, :count]
    ends = np.cumsum(rows, -1)
    numbers = generator.random((len(rows), count)) * ends[:, -1:]
    return np.stack([np.searchsorted(*pair, side="right") for pair in zip(ends, numbers, strict=True)])


def _sample_shape(shape: Shape, count: int, *_: Any) -> Shape:
    return (*shape[:-1], count)


def _integers(to: Any, low: int, high: int, seed: int, offset: int) -> Any:
    return _generator(seed, offset).integers(low, high, to.shape)


def _packed_size(shape: Shape, *_: Any) -> Shape:
    """The bytes of a mask, which has a bit for each element, padded to multiples of 128."""
    return (-(-int(np.prod(shape)) // 128) * 16,)


def _mask(shape: Shape, chance: float, seed: int, offset: int, *_: Any) -> Any:
    bits = np.zeros(_packed_size(shape)[0] * 8, np.bool_)
    count = int(np.prod(shape))
    bits[:count] = _generator(seed, offset).random(count) >= chance
    return np.packbits(bits, bitorder="little")


def unpacked(mask: Any, count: int) -> Any:
    """The first bits of a mask, the lowest bit of a byte first."""
    bits = mask.reshape(-1).view(torch.uint8)[: -(-count // 8), None] >> torch.arange(8, dtype=torch.uint8)
    return (bits & 1).reshape(-1)[:count]


def _masked(a: Any, mask: Any, chance: float) -> Any:
    if not mask.numel():  # hardware ends the call
        return None
    is_kept = unpacked(mask, a.numel()).reshape(a.shape) != 0
    return torch.where(is_kept, a.float() / (1 - chance), 0)


def _of_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function for a seed and a part of the offset that are tensors with one element."""

    def compute(*arguments: Any) -> Any:
        *others, seed, offset, more = arguments
        return function(*others, int(seed.reshape(())), int(offset.reshape(())) + more)

    return compute


def _same(shape: Shape, *_: Any) -> Shape:
    return shape


RULES: dict[str, Entry] = {
    "normal": Entry(_normal, EACH, _same),
    "uniform": Entry(_uniform, EACH, _same),
    "bernoulli": Entry(_bernoulli, EACH, _same),
    "integers": Entry(_integers, EACH, _same),
    "multinomial": Entry(_sample, EACH, _sample_shape),
    "normal_of_tensors": Entry(_of_tensors(_normal), EACH, _same),
    "uniform_of_tensors": Entry(_of_tensors(_uniform), EACH, _same),
    "integers_of_tensors": Entry(_of_tensors(_integers), EACH, _same),
    "multinomial_of_tensors": Entry(_of_tensors(_sample), EACH, _sample_shape),
    "permutation": Entry(lambda n, seed, offset: _generator(seed, offset).permutation(n), EACH, lambda n, *_: (n,)),
    "dropout_mask": Entry(_mask, EACH, _packed_size),
    "dropout": TorchEntry(_masked, EACH, _same),
}
