"""Elements by their indices: gather, scatter, sort, search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from actgrad.ascend.network.entry import category, working

from .rearrangement import with_dimension


def indices_within(index: Any, size: int) -> Any:
    """Indices of a dimension of this size. They must not be negative, because NumPy would count from the end."""
    index = np.asarray(index, np.int64)
    if index.size and not 0 <= index.min() <= index.max() < size:
        wrong = index[(index < 0) | (index >= size)].flat[0]
        raise ValueError(f"an index is {wrong}; each must lie in [0, {size - 1}]; change the indices")
    return index


def selection(a: Any, dim: int, index: Any) -> Any:
    """The parts of an array at these indices of a dimension. A number has one part, which is the number.

    An empty array has no parts, because hardware writes no result.
    """
    if not a.size:
        return None
    return np.take(a, indices_within(index, a.shape[dim]), dim) if a.ndim else a


def selection_from_both_ends(a: Any, dim: int, index: Any) -> Any:
    """Like `selection`, but a negative index counts from the end."""
    if a.ndim:
        index = np.asarray(index, np.int64)
        index = np.where(index < 0, index + a.shape[dim], index)
    return selection(a, dim, index)


def _along(a: Any, index: Any, dim: int) -> tuple[Any, ...]:
    """NumPy's key for the elements of `a` whose index along `dim` is in `index`."""
    positions = list(np.ogrid[tuple(map(slice, index.shape))])
    if positions:
        positions[dim] = indices_within(index, a.shape[dim])
    return tuple(positions)


_REDUCTIONS = {1: np.add, 2: np.multiply, 3: np.maximum, 4: np.minimum}


def _scattered(a: Any, dim: int, index: Any, source: Any, reduction: int) -> Any:
    """Combine the elements by `reduction`: 1 adds, 2 multiplies, 3 takes the maximum, 4 the minimum, others replace."""
    if not index.size:
        return a
    result, positions = np.array(a, working(a.dtype)), _along(a, index, dim)
    values = source[tuple(map(slice, index.shape))] if np.ndim(source) else source
    if reduction in _REDUCTIONS:
        _REDUCTIONS[reduction].at(result, positions, values)
    else:
        result[positions] = values
    return result


def _scatter_reduced(a: Any, dim: int, index: Any, source: Any, reduction: int, counts_self: bool) -> Any:
    """Like `_scattered`, but reduction 5 takes the mean. Unless `counts_self`, only elements of `source` count."""
    if not index.size:
        return a
    start, positions = np.array(a, working(a.dtype)), _along(a, index, dim)
    if not counts_self:  # an extreme may start from any of its numbers
        start[positions] = {1: 0, 2: 1, 5: 0}.get(reduction, source[tuple(map(slice, index.shape))])
    result = _scattered(start, dim, index, source, 1 if reduction == 5 else reduction)
    if reduction != 5:
        return result
    counts = np.full(a.shape, int(counts_self))
    np.add.at(counts, positions, 1)
    counts = np.maximum(counts, 1).astype(result.dtype)
    return result // counts if category(result.dtype) < 2 else result / counts


def _key(a: Any, indices: Any) -> tuple[Any, ...]:
    """NumPy's index. A tensor without elements means a whole dimension."""
    return tuple(slice(None) if each is None or (not each.size and a.size) else _plain(each) for each in indices)


def _plain(index: Any) -> Any:
    return index if index.dtype == np.bool_ else index.astype(np.int64)


def _put(a: Any, indices: Any, values: Any, accumulates: bool, *_: Any) -> Any:
    if not (a.size and values.size):  # hardware ends the call
        return a
    result, key = np.array(a, working(a.dtype)), _key(a, indices)
    if accumulates:
        np.add.at(result, key, values)
    else:
        result[key] = values
    return result


def _chosen(a: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(a.shape, mask.shape)
    return np.broadcast_to(a, shape)[np.broadcast_to(mask != 0, shape)]


def _sorted(a: Any, stable: bool, dim: int, descending: bool) -> Any:
    a = with_dimension(a)
    keys = a.astype(working(a.dtype))  # NumPy cannot sort NaNs of bfloat16
    order = np.argsort(np.flip(keys, dim) if descending else keys, dim, kind="stable")
    if descending:  # the sort must keep the order of equal elements
        order = np.flip(a.shape[dim] - 1 - order, dim)
    return np.take_along_axis(a, order, dim), order


def _top(a: Any, k: int, dim: int, largest: bool, *_: Any) -> Any:
    values, order = _sorted(a, True, dim, largest)
    return np.take(values, range(k), dim), np.take(order, range(k), dim)


def _embedding_backward(gradient: Any, index: Any, rows: int, padding: int, scales: bool) -> Any:
    flat, width = index.reshape(-1).astype(np.int64), gradient.shape[-1]
    result = np.zeros((rows, width), np.float64)
    is_counted = flat != padding
    shares = gradient.reshape(flat.size, width)[is_counted]
    flat = indices_within(flat[is_counted], rows)
    np.add.at(result, flat, shares / np.bincount(flat, minlength=rows)[flat, None] if scales else shares)
    return result


def _one_hot(a: Any, classes: int, on: Any, off: Any, dim: int) -> Any:
    values = np.where(a[..., None] == np.arange(classes), on.reshape(()), off.reshape(()))
    return np.moveaxis(values, -1, dim)


def _rows(a: Any, dim: int) -> Any:
    """A view with the dimension `dim` first. A number counts as one dimension."""
    return np.moveaxis(with_dimension(a), dim, 0)


def _index_add(a: Any, dim: int, index: Any, source: Any, alpha: Any, *_: Any) -> Any:
    result = np.array(a, working(a.dtype))
    values = (_rows(source, dim) * alpha).astype(result.dtype)
    rows = _rows(result, dim)
    np.add.at(rows, indices_within(index.reshape(-1), len(rows)), values)
    return result


def _index_copy(a: Any, dim: int, index: Any, values: Any) -> Any:
    if not a.size:
        return a
    result = np.array(a)
    rows = _rows(result, dim)
    rows[indices_within(index.reshape(-1), len(rows))] = _rows(values, dim) if values.ndim else values
    return result


def _index_fill(a: Any, dim: int, index: Any, values: Any) -> Any:
    """Fill a copy. A negative index counts from the end."""
    if not a.size:
        return a
    result = np.array(a)
    _rows(result, dim)[np.asarray(index, np.int64).reshape(-1)] = _rows(values, dim) if values.ndim else values
    return result


def _by_rank(a: Any, rank: Callable[[Any], Any], dim: int, keep: bool) -> tuple[Any, Any]:
    """The elements of a rank, and their positions.

    NaN ranks last. `rank` takes the number of elements that are not NaN.
    """
    a = a.reshape(a.shape or (1,)).astype(working(a.dtype))
    order = np.argsort(a.astype(working(a.dtype)), dim, kind="stable")
    count = a.shape[dim] - np.isnan(a).sum(dim, keepdims=True)
    positions = np.take_along_axis(order, rank(count), dim)
    values = np.take_along_axis(a, positions, dim)
    return (values, positions) if keep else (values.squeeze(dim), positions.squeeze(dim))


def _nan_median(a: Any, dim: int, keep: bool) -> tuple[Any, Any]:
    return _by_rank(a, lambda count: np.maximum((count - 1) // 2, 0), dim, keep)


def _median(a: Any, dim: int, keep: bool) -> tuple[Any, Any]:
    """The median: the smaller of the two middle numbers, or the first NaN."""
    n = a.shape[dim] if a.ndim else 1
    return _by_rank(a, lambda count: np.where(count < n, count, (n - 1) // 2), dim, keep)


def _median_of_none(a: Any) -> Any:
    """What aclnn_median.cpp writes for an empty tensor."""
    if a.dtype.kind in "fV":
        return np.full((), np.nan)
    return np.asarray(np.iinfo(a.dtype).min if a.dtype.name in ("int32", "int64") else 0)


def _unique(a: Any, dim: int | None, has_inverse: bool, has_counts: bool = False) -> tuple[Any, Any, Any]:
    """The unique elements, or parts along a dimension, in order, with their indices and counts."""
    parts = a.reshape(1) if a.ndim == 0 else a  # CANN takes dim 0 of a tensor without dimensions
    values, inverse, counts = np.unique(
        parts.astype(working(a.dtype)), return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    inverse = inverse.reshape(a.shape if dim is None else -1)
    return values, inverse if has_inverse else None, counts if has_counts else None


_ALL = 1000  # the dim of UniqueConsecutive that means no dim


def _unique_runs(a: Any, has_inverse: bool, has_counts: bool, dim: int) -> tuple[Any, Any, Any]:
    """Like `_unique`, but merges only neighbours that are equal."""
    parts = a.reshape(-1) if dim == _ALL else _rows(a, dim)
    is_new = np.ones(len(parts), np.bool_)
    is_new[1:] = (parts[1:] != parts[:-1]).any(tuple(range(1, parts.ndim)))
    values, inverse = parts[is_new], np.cumsum(is_new) - 1
    values = values if dim == _ALL else np.moveaxis(values, 0, dim)
    inverse = inverse.reshape(a.shape if dim == _ALL else -1)
    return values, inverse if has_inverse else None, np.bincount(inverse.reshape(-1)) if has_counts else None


def _flat_put(a: Any, index: Any, source: Any, accumulates: bool) -> Any:
    result = np.array(a).reshape(-1)
    return _put(result, (index.reshape(-1),), source.reshape(-1), accumulates).reshape(a.shape)


def _masked_scatter(a: Any, mask: Any, source: Any) -> Any:
    result, mask = np.array(a), np.broadcast_to(mask != 0, a.shape)
    result[mask] = source.reshape(-1)[: mask.sum()]
    return result


def _points(a: Any, index: Any) -> tuple[Any, ...]:
    """The key of elements whose coordinates are along the last dimension."""
    return tuple(map(indices_within, np.moveaxis(index, -1, 0), a.shape))


def _gathered_points(a: Any, index: Any, counts_from_end: bool) -> Any:
    """One part after the other, by the formula of aclnnGatherNd's document."""
    rank = index.shape[-1]
    result = np.zeros((*index.shape[:-1], *a.shape[rank:]), a.dtype)
    for place in np.ndindex(index.shape[:-1]) if a.size else ():
        point = tuple(map(int, index[place]))
        if any(not (-n if counts_from_end else 0) <= k < n for k, n in zip(point, a.shape, strict=False)):
            raise IndexError(point)
        result[place] = a[point]
    return result if a.size else None


def _scattered_points(a: Any, index: Any, values: Any) -> Any:
    result = np.array(a)
    result[_points(a, index)] = values
    return result


def _search(row: Any, values: Any, is_int32: bool, is_right: bool, sorter: Any) -> Any:
    """The position at which to insert each value into sorted numbers, or into each row of sorted numbers."""
    if not row.size:
        return np.zeros(values.shape, np.int64)
    side: Literal["left", "right"] = "right" if is_right else "left"
    if row.ndim == 1:
        return np.searchsorted(row, values, side, sorter)
    rows, parts = row.reshape(-1, row.shape[-1]), values.reshape(-1, values.shape[-1])
    orders = [None] * len(rows) if sorter is None else sorter.reshape(rows.shape)
    positions = [np.searchsorted(a, b, side, order) for a, b, order in zip(rows, parts, orders, strict=True)]
    return np.reshape(positions, values.shape)


def _unpooled(a: Any, index: Any, sizes: Sequence[int], *_: Any) -> Any:
    """Zeros of these last sizes, with each element of `a` at its index."""
    rows, columns, n = prod(a.shape[: -len(sizes)]), prod(a.shape[-len(sizes) :]), prod(sizes)
    result = np.zeros((rows, n), a.dtype)
    np.put_along_axis(result, indices_within(index, n).reshape(rows, columns), a.reshape(rows, columns), -1)
    return result.reshape(*a.shape[: -len(sizes)], *sizes)


def _unpooled_backward(gradient: Any, a: Any, index: Any, sizes: Sequence[int], *_: Any) -> Any:
    rows, columns, n = prod(a.shape[: -len(sizes)]), prod(a.shape[-len(sizes) :]), prod(sizes)
    index = indices_within(index, n).reshape(rows, columns)
    return np.take_along_axis(gradient.reshape(rows, n), index, -1).reshape(a.shape)


def _counts(a: Any, weights: Any, minimum: int, out: Any) -> Any:
    return np.bincount(a.astype(np.int64), weights, len(out)) if a.size or minimum else None


RULES: dict[str, Callable[..., Any]] = {
    "search": _search,
    "count_numbers": _counts,
    "gather": lambda a, dim, index: a[_along(a, index, dim)],
    "scatter": _scattered,
    "scatter_reduce": _scatter_reduced,
    "unpool": _unpooled,
    "unpool_backward": _unpooled_backward,
    "scatter_add": lambda a, dim, index, b: _scattered(a, dim, index, b, 1),
    "index": lambda a, indices: a[_key(a, indices)] if a.size else None,
    "index_put": _put,
    "sort": _sorted,
    "argsort": lambda a, dim, descending: _sorted(a, True, dim, descending)[1],
    "topk": _top,
    "one_hot": _one_hot,
    "embedding_backward": _embedding_backward,
    "masked_select": _chosen,
    "nonzero_v2": lambda a: np.argwhere(a).T,
    "nonzero": np.argwhere,
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_fill,
    "index_fill_list": _index_fill,
    "median": _median,
    "median_of_all": lambda a: _median(a.reshape(-1), 0, False)[0] if a.size else _median_of_none(a),
    "nan_median": _nan_median,
    "nan_median_of_all": lambda a: _nan_median(a.reshape(-1), 0, False)[0] if a.size else _median_of_none(a) * 0,
    "kth_value": lambda a, k, dim, keep: _by_rank(a, lambda count: np.full_like(count, k - 1), dim, keep),
    "unique": lambda a, _, inverse: _unique(a, None, inverse)[:2],
    "unique_and_counts": lambda a, _, *flags: _unique(a, None, *flags),
    "unique_along": lambda a, _, i, dim: _unique(a, dim, i, True),
    "unique_runs": _unique_runs,
    "put": _flat_put,
    "take": lambda a, index: a.reshape(-1)[index.astype(np.int64)],
    "masked_scatter": _masked_scatter,
    "gather_points": _gathered_points,
    "scatter_points": _scattered_points,
}
