"""Elements by their indices: gather, scatter, sort, search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan, prod
from typing import Any

import numpy as np

from ..rules.scalars import as_element
from .entry import EACH, Entry, Shape, TorchEntry
from .pytorch import as_signed, torch, wide_enough
from .rearrangement import dimension, with_dimension, with_size


def indices_within(index: Any, size: int) -> Any:
    """Indices of a dimension of this size, as INT64. They must not be negative."""
    index = index.long()
    if index.numel():
        low, high = torch.aminmax(index)
        if low < 0 or high >= size:
            wrong = index[(index < 0) | (index >= size)][0].item()
            raise ValueError(f"an index is {wrong}; each must lie in [0, {size - 1}]; change the indices")
    return index


def _wide(a: Any, terms: int = 1) -> Any:
    """16-bit dtypes as float32, so that sums of up to `terms` numbers are rounded once, at the end."""
    return wide_enough(a.float() if a.dtype in (torch.float16, torch.bfloat16) else a, terms)


def _most_repeated(index: Any) -> int:
    """How often the most frequent index occurs."""
    return int(torch.bincount(index.reshape(-1)).max()) if index.numel() else 0


def selection(a: Any, dim: int, index: Any) -> Any:
    """The parts of a tensor at these indices of a dimension. A number has one part, which is the number.

    An empty tensor has no parts, because hardware writes no result.
    """
    if not a.numel():
        return None
    if not a.ndim:
        return a
    dim %= a.ndim
    parts = torch.index_select(a, dim, indices_within(index, a.shape[dim]).reshape(-1))
    return parts.reshape(*a.shape[:dim], *index.shape, *a.shape[dim + 1 :])


def selection_from_both_ends(a: Any, dim: int, index: Any) -> Any:
    """Like `selection`, but a negative index counts from the end."""
    if a.ndim:
        index = torch.where(index < 0, index.long() + a.shape[dim], index.long())
    return selection(a, dim, index)


def _along(a: Any, index: Any, dim: int) -> tuple[Any, int, Any]:
    """The arguments of PyTorch's functions for indices along a dimension."""
    return a, dim, indices_within(index, a.shape[dim] if a.ndim else 1)


def _source(a: Any, index: Any, source: Any) -> Any:
    """The numbers to scatter, one for each index, in the dtype of `a`."""
    if not isinstance(source, torch.Tensor):
        return torch.full(index.shape, source, dtype=a.dtype)
    return (source[tuple(map(slice, index.shape))] if source.ndim else source.expand(index.shape)).to(a.dtype)


def _scattered(a: Any, dim: int, index: Any, source: Any, reduction: int) -> Any:
    """Combine the elements by `reduction`: 1 adds, 2 multiplies, 3 takes the maximum, 4 the minimum, others replace."""
    if not index.numel():
        return a
    result = _wide(a, index.shape[dim] if index.ndim and reduction == 1 else 1)
    where, source = _along(result, index, dim), _source(result, index, source)
    if reduction == 1:
        return torch.scatter_add(*where, source)
    if reduction in (2, 3, 4):
        return torch.scatter_reduce(*where, source, _REDUCTIONS[reduction])
    return torch.scatter(*where, source)


_REDUCTIONS = {1: "sum", 2: "prod", 3: "amax", 4: "amin", 5: "mean"}


def _scatter_reduced(a: Any, dim: int, index: Any, source: Any, reduction: int, counts_self: bool) -> Any:
    """Like `_scattered`, but reduction 5 takes the mean. Unless `counts_self`, only elements of `source` count."""
    if reduction not in _REDUCTIONS or not index.numel():
        return _scattered(a, dim, index, source, reduction)
    result = _wide(a, index.shape[dim] if index.ndim and reduction in (1, 5) else 1)
    source = _source(result, index, source)
    where = _along(result, index, dim)
    return torch.scatter_reduce(*where, source, _REDUCTIONS[reduction], include_self=counts_self)


def _scattered_shape(shape: Shape, dim: int, index: Shape, source: Any, reduction: int) -> Shape:
    if reduction == 5:
        raise ValueError("reduce is 5, the mean; it must be 0 to 4, which actgrad computes; use another reduce")
    return shape


def _key(a: Any, indices: Any) -> tuple[Any, ...]:
    """PyTorch's index. A tensor without elements means a whole dimension."""
    return tuple(slice(None) if each is None or not each.numel() else _plain(each) for each in indices)


def _plain(index: Any) -> Any:
    return index if index.dtype == torch.bool else index.long()


def _put(a: Any, indices: Any, values: Any, accumulates: bool, *_: Any) -> Any:
    """Write or add `values` at the indices.

    Programs pass a tensor without elements for a dimension without index. If no tensor has elements, the call has an
    empty selection, because a call of PyTorch has at least one index.
    """
    if not (a.numel() and values.numel()) or all(each is None or not each.numel() for each in indices):
        return a
    key = _key(a, indices)
    terms = max(int(np.prod(each.shape)) for each in indices if each is not None) if accumulates else 1
    result = _wide(a, terms).clone()
    values = values.to(result.dtype)
    if not accumulates:
        result[key] = values
        return result
    return torch.index_put(result, _all_indices(result, key), values, accumulate=True)


def _all_indices(a: Any, key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The indices of `torch.index_put`, for which None is a whole dimension."""
    return tuple(None if isinstance(each, slice) else each for each in key)


def _put_flat(a: Any, index: Any, source: Any, accumulates: bool) -> Any:
    """Write or add at places of the flat tensor."""
    flat = _wide(a, index.numel() if accumulates else 1).reshape(-1)
    places = (index.reshape(-1).long(),)  # torch.put refuses programs that ask for deterministic algorithms
    return torch.index_put(flat, places, source.reshape(-1).to(flat.dtype), accumulates).reshape(a.shape)


def _sorted(a: Any, stable: bool, dim: int, descending: bool) -> Any:
    return torch.sort(with_dimension(a), dim=dim, descending=descending, stable=True)


def _top(a: Any, k: int, dim: int, largest: bool, *_: Any) -> Any:
    """The first of equal values counts, while PyTorch's topk takes any of them."""
    return [each.narrow(dim, 0, k) for each in _sorted(a, True, dim, largest)]


def _top_shapes(shape: Shape, k: int, dim: int, *_: Any) -> tuple[Shape, Shape]:
    result = with_size(shape, dim, k) if shape or k != 1 else ()
    return result, result


def _embedding_backward(gradient: Any, index: Any, rows: int, padding: int, scales: bool) -> Any:
    index = torch.where(index == padding, padding, indices_within(torch.where(index == padding, 0, index), rows))
    index = index.long()
    terms = _most_repeated(index[index != padding])
    return torch.ops.aten.embedding_dense_backward(_wide(gradient, terms), index, rows, padding, scales)


def _one_hot(a: Any, classes: int, on: Any, off: Any, dim: int) -> Any:
    values = torch.where(a[..., None] == torch.arange(classes), on.reshape(()), off.reshape(()))
    return torch.movedim(values, -1, dim)


def _one_hot_shape(shape: Shape, classes: int, on: Shape, off: Shape, dim: int) -> Shape:
    position = dim % (len(shape) + 1)
    return (*shape[:position], classes, *shape[position:])


def _index_add(a: Any, dim: int, index: Any, source: Any, alpha: Any, *_: Any) -> Any:
    """`alpha` is converted to the dtype of `a`, if that has integers."""
    result = with_dimension(a)
    index = indices_within(index.reshape(-1), result.shape[dim])
    result = _wide(result, _most_repeated(index))
    values = with_dimension(source).to(result.dtype)
    if not (a.is_floating_point() or a.is_complex()):
        alpha = as_element(alpha, a.numpy().dtype).item()
    sums = result.byte() if result.dtype == torch.bool else result  # PyTorch multiplies no truth values
    return torch.index_add(sums, dim, index, values.to(sums.dtype) * alpha)


def _index_copy(a: Any, dim: int, index: Any, values: Any) -> Any:
    if not a.numel():
        return a
    result = with_dimension(a)
    index = indices_within(index.reshape(-1), result.shape[dim])
    shape = with_size(tuple(result.shape), dim, index.numel())
    return torch.index_copy(result, dim, index, values.reshape(values.shape or (1,) * len(shape)).expand(shape))


def _index_fill(a: Any, dim: int, index: Any, value: Any) -> Any:
    """Fill a copy. A negative index counts from the end."""
    if not a.numel():
        return a
    index = index.reshape(-1).long() if isinstance(index, torch.Tensor) else torch.tensor(index, dtype=torch.int64)
    return torch.index_fill(with_dimension(a), dim, index, value)


def _source_shape(shape: Shape, dim: int, index: Shape, source: Shape, *_: Any) -> Shape:
    expected = with_size(shape, dim, int(np.prod(index)))
    if source and source != expected:
        fault = f"source has shape {source}, but self has shape {shape} and index {index}"
        raise ValueError(f"{fault}; it must be {expected}; reshape source")
    return shape


def _fill_shape(shape: Shape, dim: int, index: Shape, *_: Any) -> Shape:
    """The shape of the result. `index` has numbers, not a shape."""
    n = (shape or (1,))[dimension(shape, dim)]
    if any(not -n <= number < n for number in index):
        limits = f"each must lie in [{-n}, {n - 1}]"
        raise ValueError(f"index is {index}, but self has shape {shape}; {limits}; change index")
    return shape


def _by_rank(a: Any, rank: Callable[[Any], Any], dim: int, keep: bool) -> tuple[Any, Any]:
    """The elements of a rank, and the first of their positions.

    NaN ranks last. `rank` takes the number of elements that are not NaN. Without elements, there are no results.
    """
    if not a.numel():
        return None, None
    a = with_dimension(a)
    order = torch.sort(a, dim=dim, stable=True).indices
    count = a.shape[dim] - torch.isnan(a).sum(dim, keepdim=True)
    positions = torch.gather(order, dim, rank(count))
    values = torch.gather(as_signed(a), dim, positions)
    return (values, positions) if keep else (values.squeeze(dim), positions.squeeze(dim))


def _nan_median(a: Any, dim: int, keep: bool) -> tuple[Any, Any]:
    return _by_rank(a, lambda count: torch.clamp((count - 1) // 2, 0), dim, keep)


def _median_of_all(function: Callable[..., Any], lowest: Any) -> Entry:
    """The median of all elements. `lowest` has the median of no integers, by their dtype. The others are 0, or NaN."""

    def compute(a: Any) -> Any:
        if a.numel():
            return function(a.reshape(-1), 0, False)[0]
        return torch.tensor(nan if a.is_floating_point() else lowest.get(a.dtype.itemsize, 0), dtype=a.dtype)

    return TorchEntry(compute, EACH, lambda shape: ())


def _median(a: Any, dim: int, keep: bool) -> tuple[Any, Any]:
    """The median: the smaller of the two middle numbers, or the first NaN."""
    n = a.shape[dim] if a.ndim else 1
    return _by_rank(a, lambda count: torch.where(count < n, count, (n - 1) // 2), dim, keep)


def _rank_shapes(shape: Shape, dim: int, keep: bool) -> tuple[Shape, Shape]:
    dim = dimension(shape, dim)
    result = (*shape[:dim], *(1,) * keep, *shape[dim + 1 :]) if shape else ()
    return result, result


def _unique(a: Any, dim: int | None, has_inverse: bool, has_counts: bool = False) -> tuple[Any, Any, Any]:
    """The unique elements, or parts along a dimension, in order, with their indices and counts."""
    parts = a if dim is None else with_dimension(a)  # CANN takes dim 0 of a tensor without dimensions
    if dim is not None and not parts.numel():
        values, inverse, counts = _empty_parts(parts, dim)
    else:
        values, inverse, counts = torch.unique(parts, True, True, True, dim)
    return values, inverse if has_inverse else None, counts if has_counts else None


def _empty_parts(a: Any, dim: int) -> tuple[Any, Any, Any]:
    """Parts without elements are equal."""
    count = a.shape[dim]
    return torch.narrow(a, dim, 0, min(count, 1)), torch.zeros(count, dtype=torch.int64), torch.tensor([count][:count])


_ALL = 1000  # the dim of UniqueConsecutive that means no dim


def _unique_runs(a: Any, has_inverse: bool, has_counts: bool, dim: int) -> tuple[Any, Any, Any]:
    """Like `_unique`, but merges only neighbours that are equal."""
    parts = a if dim == _ALL else with_dimension(a)
    if dim != _ALL and not parts.numel():
        values, inverse, counts = _empty_parts(parts, dim)
        return values, inverse if has_inverse else None, counts if has_counts else None
    if a.is_complex():  # PyTorch orders no complex numbers
        parts, is_flat = torch.view_as_real(parts.reshape(-1) if dim == _ALL else parts), dim == _ALL
        values, inverse, counts = torch.unique_consecutive(parts, True, True, 0 if is_flat else dim % (parts.ndim - 1))
        values, inverse = torch.view_as_complex(values.contiguous()), inverse.reshape(a.shape if is_flat else -1)
        return values, inverse if has_inverse else None, counts if has_counts else None
    values, inverse, counts = torch.unique_consecutive(parts, True, True, None if dim == _ALL else dim)
    return values, inverse if has_inverse else None, counts if has_counts else None


def _masked_scatter(a: Any, mask: Any, source: Any) -> Any:
    return torch.masked_scatter(a, mask != 0, source.to(a.dtype))


def _points(a: Any, index: Any) -> tuple[Any, ...]:
    """The key of elements whose coordinates are along the last dimension."""
    return tuple(map(indices_within, torch.movedim(index, -1, 0), a.shape))


def _gathered_points(a: Any, index: Any, counts_from_end: bool) -> Any:
    """The elements at these points. If `counts_from_end`, a negative coordinate counts from the end."""
    if not a.numel():
        return None
    if counts_from_end:
        sizes = torch.tensor(a.shape[: index.shape[-1]])
        index = torch.where(index < 0, index.long() + sizes, index.long())
    return a[_points(a, index)]


def _gathered_points_shape(shape: Shape, index: Shape, _: bool) -> Shape:
    if not index or not 1 <= index[-1] <= len(shape):
        fault = f"indices has shape {index}, but self has shape {shape}"
        raise ValueError(f"{fault}; its last size must lie in [1, {len(shape)}]; change indices")
    return (*index[:-1], *shape[index[-1] :])


def _scattered_points(a: Any, index: Any, values: Any) -> Any:
    result = a.clone()
    result[_points(a, index)] = values.to(a.dtype)
    return result


def _scattered_points_shape(shape: Shape, index: Shape, values: Shape) -> Shape:
    if not index or index[-1] > len(shape):
        fault = f"indices has shape {tuple(index)}, but varRef has shape {tuple(shape)}"
        raise ValueError(f"{fault}; its last size must be at most {len(shape)}; change indices")
    expected = (*index[:-1], *shape[index[-1] :])
    if tuple(values) != expected:
        raise ValueError(f"updates has shape {tuple(values)}; it must be {expected}; reshape updates")
    return shape


def _search(row: Any, values: Any, is_int32: bool, is_right: bool, sorter: Any) -> Any:
    """The position at which to insert each value into sorted numbers, or into each row of sorted numbers."""
    if not row.numel():
        return torch.zeros(values.shape, dtype=torch.int64)
    dtype = torch.promote_types(row.dtype, values.dtype)
    row, values = row.to(dtype).contiguous(), values.to(dtype).contiguous()
    sorter = sorter if sorter is None else sorter.long().contiguous()
    return torch.searchsorted(row, values, right=is_right, sorter=sorter)


def _search_shape(row: Shape, values: Shape, is_int32: bool, is_right: bool, sorter: Any) -> Shape:
    if len(row) != 1 and (len(row) != len(values) or row[:-1] != values[:-1]):
        fault = f"sortedSequence has shape {row}, but self has shape {values}"
        raise ValueError(f"{fault}; all sizes but the last must be equal; reshape self")
    return values


def _unpooled(a: Any, index: Any, sizes: Sequence[int], *_: Any) -> Any:
    """Zeros of these last sizes, with each element of `a` at its index."""
    rows, columns, n = prod(a.shape[: -len(sizes)]), prod(a.shape[-len(sizes) :]), prod(sizes)
    index = indices_within(index, n).reshape(rows, columns)
    result = torch.scatter(torch.zeros((rows, n), dtype=a.dtype), -1, index, a.reshape(rows, columns))
    return result.reshape(*a.shape[: -len(sizes)], *sizes)


def _unpooled_backward(gradient: Any, a: Any, index: Any, sizes: Sequence[int], *_: Any) -> Any:
    rows, columns, n = prod(a.shape[: -len(sizes)]), prod(a.shape[-len(sizes) :]), prod(sizes)
    index = indices_within(index, n).reshape(rows, columns)
    return torch.gather(gradient.reshape(rows, n), -1, index).reshape(a.shape)


def _unpooled_shape(shape: Shape, index: Shape, sizes: Shape, *_: Any) -> Shape:
    if prod(sizes) < prod(shape[-len(sizes) :]):
        expected = "it must have as many elements or more"
        raise ValueError(f"outputSize is {tuple(sizes)}, but self has shape {shape}; {expected}; change outputSize")
    return *shape[: -len(sizes)], *sizes


def _unpooled_backward_shape(gradient: Shape, shape: Shape, index: Shape, sizes: Shape, *_: Any) -> Shape:
    expected = (*shape[: -len(sizes)], *sizes)
    if gradient != expected:
        raise ValueError(f"gradOutput has shape {gradient}; it must be {expected}; reshape gradOutput")
    return shape


def _counts(a: Any, weights: Any, minimum: int, out: Any) -> Any:
    """The counts of 0, 1, ... in all elements of `out`, which may be more than the numbers need."""
    if not a.numel() and not minimum:  # CANN's phase one ends the call
        return None
    numbers = indices_within(a, len(out))
    return torch.bincount(numbers, weights if weights is None else weights.double(), len(out))


RULES: dict[str, Entry] = {
    "search": TorchEntry(_search, EACH, _search_shape),
    "count_numbers": TorchEntry(_counts, EACH, lambda *_: ..., is_in_place=True),
    "gather": TorchEntry(
        lambda a, dim, index: torch.gather(*_along(a, index, dim)), EACH, lambda shape, dim, index: index
    ),
    "scatter": TorchEntry(_scattered, EACH, _scattered_shape, fills=True),
    "scatter_reduce": TorchEntry(_scatter_reduced, EACH, lambda shape, *_: shape),
    "unpool": TorchEntry(_unpooled, EACH, _unpooled_shape),
    "unpool_backward": TorchEntry(_unpooled_backward, EACH, _unpooled_backward_shape),
    "scatter_add": TorchEntry(lambda a, dim, index, b: _scattered(a, dim, index, b, 1), EACH, lambda shape, *_: shape),
    "index": TorchEntry(lambda a, indices: a[_key(a, indices)] if a.numel() else None, EACH, lambda *_: ...),
    "index_put": TorchEntry(_put, EACH, lambda shape, *_: shape),
    "sort": TorchEntry(_sorted, EACH, lambda shape, *_: (shape, shape), keeps_unsigned=True),
    "argsort": TorchEntry(
        lambda a, dim, descending: _sorted(a, True, dim, descending)[1],
        EACH,
        lambda shape, *_: shape,
        keeps_unsigned=True,
    ),
    "topk": TorchEntry(_top, EACH, _top_shapes, keeps_unsigned=True),
    "one_hot": TorchEntry(_one_hot, EACH, _one_hot_shape),
    "embedding_backward": TorchEntry(_embedding_backward, EACH, lambda g, index, rows, *_: (rows, *g[-1:])),
    "masked_select": TorchEntry(
        lambda a, mask: torch.masked_select(a, mask != 0),
        EACH,
        lambda a, mask: (int(np.prod(np.broadcast_shapes(a, mask))),),
        is_found=True,
    ),
    "nonzero_v2": TorchEntry(lambda a: torch.nonzero(a).T, EACH, lambda a: ..., is_found=True),
    "nonzero": TorchEntry(lambda a: torch.nonzero(a), EACH, lambda a: ..., is_found=True),
    "index_add": TorchEntry(_index_add, EACH, _source_shape),
    "index_copy": TorchEntry(_index_copy, EACH, _source_shape),
    "index_fill": TorchEntry(_index_fill, EACH, lambda shape, *_: shape, fills=True),
    "index_fill_list": TorchEntry(_index_fill, EACH, _fill_shape, fills=True),
    "median": TorchEntry(_median, EACH, _rank_shapes),
    "median_of_all": _median_of_all(_median, {4: -(2**31), 8: -(2**63)}),
    "nan_median": TorchEntry(_nan_median, EACH, _rank_shapes),
    "nan_median_of_all": _median_of_all(_nan_median, {}),
    "kth_value": TorchEntry(
        lambda a, k, dim, keep: _by_rank(a, lambda count: torch.full_like(count, k - 1), dim, keep),
        EACH,
        lambda shape, k, *rest: _rank_shapes(shape, *rest),
        keeps_unsigned=True,
    ),
    "unique": TorchEntry(
        lambda a, _, inverse: _unique(a, None, inverse)[:2],
        EACH,
        lambda *_: (..., ...),
        is_found=True,
        keeps_unsigned=True,
    ),
    "unique_and_counts": TorchEntry(
        lambda a, _, *flags: _unique(a, None, *flags),
        EACH,
        lambda *_: (..., ..., ...),
        is_found=True,
        keeps_unsigned=True,
    ),
    "unique_along": TorchEntry(
        lambda a, _, i, dim: _unique(a, dim, i, True),
        EACH,
        lambda *_: (..., ..., ...),
        is_found=True,
        keeps_unsigned=True,
    ),
    "unique_runs": TorchEntry(_unique_runs, EACH, lambda *_: (..., ..., ...), is_found=True, keeps_unsigned=True),
    "put": TorchEntry(_put_flat, EACH, lambda shape, *_: shape),
    "take": TorchEntry(lambda a, index: torch.take(a, index.long()), EACH, lambda shape, index: index),
    "masked_scatter": TorchEntry(_masked_scatter, EACH, lambda shape, *_: shape),
    "gather_points": TorchEntry(_gathered_points, EACH, _gathered_points_shape),
    "scatter_points": TorchEntry(_scattered_points, EACH, _scattered_points_shape),
}
