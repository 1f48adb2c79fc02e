"""Elements by their indices: gathered, scattered, sorted, found."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rule import OWN, Rule, Shape


def _along(index: Any, dim: int) -> tuple[Any, ...]:
    """The place of each entry of `index`, which counts along a dimension."""
    positions = list(np.ogrid[tuple(map(slice, index.shape))])
    if positions:
        positions[dim] = index.astype(np.int64)
    return tuple(positions)


def _scattered(a: Any, dim: int, index: Any, source: Any, reduction: int) -> Any:
    """Reduction 0 replaces, 1 adds, 2 multiplies."""
    result, positions = np.array(a), _along(index, dim)
    values = source[tuple(map(slice, index.shape))] if np.ndim(source) else source
    if reduction:
        (np.add if reduction == 1 else np.multiply).at(result, positions, values)
    else:
        result[positions] = values
    return result


def _key(a: Any, indices: Any) -> tuple[Any, ...]:
    """NumPy's index; a tensor without elements stands for a whole dimension."""
    return tuple(slice(None) if each is None or (not each.size and a.size) else _plain(each) for each in indices)


def _plain(index: Any) -> Any:
    return index if index.dtype == np.bool_ else index.astype(np.int64)


def _put(a: Any, indices: Any, values: Any, accumulates: bool, *_: Any) -> Any:
    result, key = np.array(a), _key(a, indices)
    if accumulates:
        np.add.at(result, key, values)
    else:
        result[key] = values
    return result


def _chosen(a: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(a.shape, mask.shape)
    return np.broadcast_to(a, shape)[np.broadcast_to(mask != 0, shape)]


def _sorted(a: Any, stable: bool, dim: int, descending: bool) -> Any:
    order = np.argsort(np.flip(a, dim) if descending else a, dim, kind="stable")
    if descending:  # equal elements keep their order
        order = np.flip(a.shape[dim] - 1 - order, dim)
    return np.take_along_axis(a, order, dim), order


def _top(a: Any, k: int, dim: int, largest: bool, *_: Any) -> Any:
    values, order = _sorted(a, True, dim, largest)
    return np.take(values, range(k), dim), np.take(order, range(k), dim)


def _top_shapes(shape: Shape, k: int, dim: int, *_: Any) -> tuple[Shape, Shape]:
    dim %= len(shape)
    result = (*shape[:dim], k, *shape[dim + 1 :])
    return result, result


def _embedding_backward(gradient: Any, index: Any, rows: int, padding: int, scales: bool) -> Any:
    flat, width = index.reshape(-1).astype(np.int64), gradient.shape[-1]
    result = np.zeros((rows, width), np.float32)
    shares = gradient.reshape(-1, width).astype(np.float32)
    if scales:
        shares = shares / np.bincount(flat, minlength=rows)[flat, None]
    is_counted = flat != padding
    np.add.at(result, flat[is_counted], shares[is_counted])
    return result


def _one_hot(a: Any, classes: int, on: Any, off: Any, dim: int) -> Any:
    values = np.where(a[..., None] == np.arange(classes), on.reshape(()), off.reshape(()))
    return np.moveaxis(values, -1, dim)


def _one_hot_shape(shape: Shape, classes: int, on: Shape, off: Shape, dim: int) -> Shape:
    position = dim % (len(shape) + 1)
    return (*shape[:position], classes, *shape[position:])


RULES: dict[str, Rule] = {
    "gather": Rule(lambda a, dim, index: a[_along(index, dim)], OWN, lambda shape, dim, index: index),
    "scatter": Rule(_scattered, OWN, lambda shape, *_: shape),
    "scatter_add": Rule(lambda a, dim, index, b: _scattered(a, dim, index, b, 1), OWN, lambda shape, *_: shape),
    "index": Rule(lambda a, indices: a[_key(a, indices)], OWN, lambda *_: ...),
    "index_put": Rule(_put, OWN, lambda shape, *_: shape),
    "sort": Rule(_sorted, OWN, lambda shape, *_: (shape, shape)),
    "argsort": Rule(lambda a, dim, descending: _sorted(a, True, dim, descending)[1], OWN, lambda shape, *_: shape),
    "topk": Rule(_top, OWN, _top_shapes),
    "one_hot": Rule(_one_hot, OWN, _one_hot_shape),
    "embedding_backward": Rule(_embedding_backward, OWN, lambda g, index, rows, *_: (rows, *g[-1:])),
    "masked_select": Rule(_chosen, OWN, lambda a, mask: (int(np.prod(np.broadcast_shapes(a, mask))),), is_found=True),
    "nonzero_v2": Rule(np.nonzero, OWN, lambda a: (len(a), int(np.prod(a))), is_found=True),
    "nonzero": Rule(lambda a: np.stack(np.nonzero(a), -1), OWN, lambda a: (int(np.prod(a)), len(a)), is_found=True),
}
