"""Sums, means, extremes, variances and norms along dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite, nan, prod
from typing import Any

from ..choice import current_product
from ..rules.scalars import to_float
from .entry import COMMON, EACH, MIXED, RESULT, Entry, Shape, TorchEntry
from .pytorch import torch, wide_enough
from .rearrangement import with_dimension


def _reduced(shape: Shape, dims: Sequence[int], keep: bool, *_: Any) -> Shape:
    rank = len(shape)
    if any(not -max(rank, 1) <= d < max(rank, 1) for d in dims):
        limits = f"each must lie in [{-max(rank, 1)}, {max(rank, 1) - 1}]"
        raise ValueError(f"dims is {tuple(dims)}, but self has shape {tuple(shape)}; {limits}; change dims")
    gone = {d % rank for d in dims if rank} or set(range(rank))
    return tuple(1 if k in gone else n for k, n in enumerate(shape) if keep or k not in gone)


def _axes(a: Any, dims: Sequence[int]) -> tuple[int, ...]:
    """The dimensions to reduce. No dimensions mean all."""
    return tuple({d % a.ndim for d in dims} or range(a.ndim))


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that calls `function(a, dims, keepdim)` with at least one dimension."""

    def compute(a: Any, dims: Sequence[int] | None, keep: bool, *_: Any) -> Any:
        a = with_dimension(a)
        return function(a, _axes(a, dims or ()), keep)

    return compute


def mean(a: Any, dims: Sequence[int], keep: bool) -> Any:
    """The mean. The mean of integers is truncated when it is written."""
    return torch.mean(a if a.is_floating_point() or a.is_complex() else a.double(), dims, keep)


def _unless_kept(rule: Entry) -> Entry:
    """A rule whose last argument says that a call without dimensions reduces nothing."""
    shape = rule.shape or _reduced

    def compute(a: Any, dims: Sequence[int], keep: bool, keeps_all: bool) -> Any:
        return a if keeps_all and not dims else rule.compute(a, dims, keep)

    def reduced(a: Shape, dims: Sequence[int], keep: bool, keeps_all: bool) -> Shape:
        return a if keeps_all and not dims else shape(a, dims, keep)

    return TorchEntry(compute, rule.dtype, reduced)


def _log_of_sum(a: Any, dims: Sequence[int], keep: bool) -> Any:
    """The logarithm of a sum. Without elements, the result is 0."""
    total = torch.sum(a, dims, keep)
    return torch.log(total) if a.numel() else total


def _over_space(function: Callable[..., Any]) -> Entry:
    """A reduction of (batch, channels, ...) over all dimensions after the channels. They stay, with size 1."""
    return TorchEntry(
        _of_elements(lambda a: function(a, tuple(range(2, a.ndim)), True) if a.ndim > 2 else a),
        RESULT,
        lambda shape: (*shape[:2], *(1,) * len(shape[2:])),
    )


def _histogram(a: Any, bins: int, low: Any, high: Any) -> Any:
    """The number of elements in each of `bins` equal parts of [low, high].

    If low = high, the parts divide the range of the elements. Of floats, CANN takes a range below 1e-6 as equal.
    """
    is_equal = a.is_floating_point() and to_float(to_float(high) - to_float(low)) < to_float(1e-6)
    low, high = (torch.tensor(0 if is_equal else each, dtype=torch.float64).to(a.dtype).item() for each in (low, high))
    return torch.histc(a.double(), bins, low, high)


def _histogram_shape(shape: Shape, bins: int, low: Any, high: Any) -> Shape:
    return (bins,)


def _of_elements(function: Callable[..., Any], count: int = 1) -> Callable[..., Any]:
    """`function`, but without results if the tensor has no elements, because hardware writes none."""
    return lambda a, *rest: (
        function(with_dimension(a), *rest) if a.numel() else (None if count == 1 else (None,) * count)
    )


def _ordered(a: Any) -> Any:
    """A tensor that PyTorch can order: BOOL and UINT16 as other integers."""
    return a.view(torch.uint8) if a.dtype == torch.bool else a.int() if a.dtype == torch.uint16 else a


def _extremes(function: str) -> Entry:
    """Values and indices along a dimension. The first of equal values counts, and NaN wins."""
    return TorchEntry(
        _of_elements(lambda a, dim, keep: getattr(torch, function)(a, dim, keep), 2),
        EACH,
        lambda shape, dim, keep: (_reduced(shape, (dim,), keep),) * 2,
    )


def _min_and_max(a: Any, dims: Sequence[int], keep: bool) -> tuple[Any, Any]:
    """The minimum and the maximum. (None, None) if `a` has no elements."""
    if not a.numel():
        return None, None
    a = with_dimension(a)
    return torch.amin(a, _axes(a, dims), keep), torch.amax(a, _axes(a, dims), keep)


def _extremes_shapes(shape: Shape, dims: Sequence[int], keep: bool) -> tuple[Shape, Shape]:
    result = _reduced(shape, dims, keep)
    if shape and any(shape[d] == 0 for d in dims):
        raise ValueError(f"self has shape {shape} and dim is {dims}; no reduced size may be 0; change dim")
    return result, result


def _variance(a: Any, dims: Sequence[int] | None, correction: int, keep: bool) -> Any:
    """The variance. At most `correction` elements give Inf, but one or no element gives NaN."""
    a = with_dimension(a)
    axes = _axes(a, dims or ())
    count = prod(a.shape[d] for d in axes)
    if count > max(correction, 0):
        return torch.var(a, axes, correction=correction, keepdim=keep)
    return torch.full_like(torch.sum(a, axes, keep), inf if count > 1 else nan)


def _deviation(*arguments: Any) -> Any:
    return _variance(*arguments).sqrt()


def _spread_shape(shape: Shape, dims: Sequence[int] | None, correction: int, keep: bool) -> Shape:
    return _reduced(shape, dims or (), keep)


def _with_mean(function: Callable[..., Any]) -> Entry:
    return TorchEntry(
        lambda a, dims, correction, keep: (function(a, dims, correction, keep), _reduction(mean)(a, dims, keep)),
        MIXED,
        lambda *arguments: (_spread_shape(*arguments),) * 2,
    )


def _vector_norm(a: Any, order: Any, dims: Sequence[int], keep: bool, *_: Any) -> Any:
    """The norm of any order along some dimensions. Without `dims`, along all dimensions. Of no elements, it is 0."""
    if not a.numel():
        return torch.sum(with_dimension(a).abs(), tuple(dims) or None, keep)
    order, a = order.real if isinstance(order, complex) else order, with_dimension(a)
    a = wide_enough(a, prod(a.shape[d] for d in _axes(a, dims)))
    return torch.linalg.vector_norm(a, order, tuple(dims) or None, keep)


def _norm_of_all(a: Any, order: Any) -> Any:
    """The norm as CANN's kernels of ForeachNorm compute it, whatever the order: 1 if it truncates to 1, otherwise 2.

    Ascend950 also computes p = infinity: max(abs(x)). The norm of no elements is 0.
    """
    product = current_product()
    is_largest = order == inf and product is not None and product.name == "Ascend950"
    is_sum = isfinite(order) and int(order) == 1
    return _vector_norm(a, order if is_largest else 1 if is_sum else 2, (), False) if a.numel() else 0.0


def _renorm(a: Any, order: Any, dim: int, largest: Any) -> Any:
    """The parts along a dimension. A part whose norm is above `largest` shrinks to this norm."""
    norms = _vector_norm(a, order, [k for k in range(a.ndim) if k != dim % a.ndim], True)
    return torch.where(norms > largest, a * (largest / (norms + 1e-7)), a)


def _running_sum(a: Any, dim: int, is_exclusive: bool, is_reverse: bool) -> Any:
    """The running sum, from the end if reverse. An exclusive sum leaves out the element itself."""
    a = with_dimension(a)
    total = torch.cumsum(torch.flip(a, (dim,)) if is_reverse else a, dim)
    if is_exclusive and a.numel():
        total = torch.roll(total, 1, dim)
        total.select(dim, 0).zero_()
    return torch.flip(total, (dim,)) if is_reverse else total


def _running_extreme(function: str) -> Entry:
    """The running extreme along a dimension, and its last position. NaN wins."""
    return TorchEntry(lambda a, dim: getattr(torch, function)(a, dim), EACH, lambda shape, dim: (shape, shape))


def _position(function: str) -> Entry:
    """The index of an extreme along a dimension: of the first NaN, or of the first of equal values."""
    return TorchEntry(
        _of_elements(lambda a, dim, keep: getattr(torch, function)(_ordered(a), dim, keep)),
        EACH,
        lambda a, dim, keep: _reduced(a, (dim,), keep),
        keeps_unsigned=True,
    )


RULES: dict[str, Entry] = {
    "sum": TorchEntry(_reduction(lambda a, dims, keep: torch.sum(a, dims, keep)), RESULT, _reduced),
    "mean": TorchEntry(_reduction(mean), RESULT, _reduced),
    "cumprod": TorchEntry(lambda a, dim, *_: torch.cumprod(a, int(dim)), RESULT, lambda shape, *_: shape),
    "cummax": _running_extreme("cummax"),
    "cummin": _running_extreme("cummin"),
    "sum_without_nan": TorchEntry(_reduction(lambda a, dims, keep: torch.nansum(a, dims, keep)), RESULT, _reduced),
    "cumsum": TorchEntry(lambda a, dim, dtype: torch.cumsum(a, dim), RESULT),
    "running_sum": TorchEntry(_running_sum, RESULT, lambda shape, *_: shape),
    "renorm": TorchEntry(_renorm, COMMON, lambda shape, *_: shape),
    "prod_of_all": TorchEntry(lambda a, dtype: torch.prod(a), RESULT, lambda *_: ()),
    "prod": TorchEntry(
        lambda a, dim, keep, dtype: torch.prod(with_dimension(a), dim, keep),
        RESULT,
        lambda shape, dim, keep, dtype: _reduced(shape, (dim,), keep),
    ),
    "extremes_of_all": TorchEntry(lambda a: _min_and_max(a, (), False), EACH, lambda shape: ((), ())),
    "extremes": TorchEntry(_min_and_max, EACH, lambda shape, dims, keep: _extremes_shapes(shape, dims, keep)),
    "extremes_along": TorchEntry(
        lambda a, dim, keep: _min_and_max(a, (dim,), keep),
        EACH,
        lambda shape, dim, keep: _extremes_shapes(shape, (dim,), keep),
    ),
    "max_of_all": TorchEntry(_of_elements(lambda a: torch.amax(a)), COMMON, lambda shape: ()),
    "min_of_all": TorchEntry(_of_elements(lambda a: torch.amin(a)), COMMON, lambda shape: ()),
    "max": TorchEntry(_reduction(lambda a, dims, keep: torch.amax(a, dims, keep)), COMMON, _reduced),
    "min": TorchEntry(_reduction(lambda a, dims, keep: torch.amin(a, dims, keep)), COMMON, _reduced),
    "all": TorchEntry(_reduction(lambda a, dims, keep: torch.all(a != 0, dims, keep)), EACH, _reduced),
    "any": TorchEntry(_reduction(lambda a, dims, keep: torch.any(a != 0, dims, keep)), EACH, _reduced),
    "argmax": _position("argmax"),
    "argmin": _position("argmin"),
    "max_unless_kept": _unless_kept(
        TorchEntry(_of_elements(_reduction(lambda a, dims, keep: torch.amax(a, dims, keep))), COMMON)
    ),
    "mean_unless_kept": _unless_kept(TorchEntry(_reduction(mean), RESULT)),
    "log_of_sum": _unless_kept(TorchEntry(_reduction(_log_of_sum), MIXED)),
    "mean_over_space": _over_space(mean),
    "max_over_space": _over_space(lambda a, dims, keep: torch.amax(a, dims, keep)),
    "histogram": TorchEntry(_histogram, EACH, _histogram_shape),
    "max_dim": _extremes("max"),
    "min_dim": _extremes("min"),
    "std": TorchEntry(_deviation, MIXED, _spread_shape),
    "var": TorchEntry(_variance, MIXED, _spread_shape),
    "var_and_mean": _with_mean(_variance),
    "std_and_mean": _with_mean(_deviation),
    "log_sum_exp": TorchEntry(_reduction(lambda a, dims, keep: torch.logsumexp(a, dims, keep)), MIXED, _reduced),
    "vector_norm": TorchEntry(_vector_norm, MIXED, lambda shape, order, dims, keep, *_: _reduced(shape, dims, keep)),
    "norm_of_all": TorchEntry(_norm_of_all, MIXED, lambda shape, order: ()),
}
