"""Matrix products, also with quantised weights, and the shapes of their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import Shape


def product(a: Any, b: Any) -> Any:
    """a @ b, for all rules that multiply matrices."""
    return np.matmul(a, b)


def product_shape(a: Shape, b: Shape, *_: Any) -> Shape:
    """The shape of a product of two matrices, two vectors, or batches of matrices."""
    if not a or not b or a[-1] != b[max(len(b) - 2, 0)]:
        expected = "columns of the first must equal rows of the second"
        raise ValueError(f"the matrices have shapes {a} and {b}; {expected}; transpose or reshape one")
    return (*np.broadcast_shapes(a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _weighted_sum(c: Any, shape: Shape, compute: Callable[[], Any], beta: Any, alpha: Any) -> Any:
    """beta * c + alpha * (what `compute` returns, of this shape). A part whose factor is 0 may hold NaN."""
    scaled = alpha * compute() if alpha else np.zeros(shape, c.dtype)
    return scaled + beta * c if beta else scaled


def addmm(c: Any, a: Any, b: Any, beta: Any, alpha: Any, *_: Any) -> Any:
    return _weighted_sum(c, product_shape(a.shape, b.shape), lambda: product(a, b), beta, alpha)


def addbmm(c: Any, a: Any, b: Any, beta: Any, alpha: Any, *_: Any) -> Any:
    """Like `addmm`, with the sum of the products of a batch."""
    return _weighted_sum(c, product_shape(a.shape, b.shape)[1:], lambda: product(a, b).sum(0), beta, alpha)


def addr(c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """beta * c + alpha * (the products of each element of a with each of b). A factor of None is 1."""
    products = np.multiply.outer(a, b) if alpha is None else alpha * np.multiply.outer(a, b)
    if beta is not None and not beta:  # c may hold NaN
        return products
    return (c if beta is None else beta * c) + products


def triangular(b: Any, a: Any, is_upper: bool, transposes: bool, has_ones: bool) -> tuple[Any, Any]:
    """The solution x of A x = b by substitution, and a. A is a triangle of a, or the transpose of this triangle.

    With `has_ones`, the diagonal of A counts as 1.
    """
    order = slice(None, None, -1 if is_upper != transposes else 1)  # reversed, an upper triangle is a lower one
    lower = (np.swapaxes(a, -1, -2) if transposes else a)[..., order, order]
    x = np.array(np.broadcast_to(b, triangular_shapes(b.shape, a.shape)[0]))[..., order, :]
    for k in range(a.shape[-1]):
        row = x[..., k : k + 1, :] - product(lower[..., k : k + 1, :k], x[..., :k, :])
        x[..., k : k + 1, :] = row if has_ones else row / lower[..., k : k + 1, k : k + 1]
    return x[..., order, :], a


def triangular_shapes(b: Shape, a: Shape, *_: Any) -> tuple[Shape, Shape]:
    batch = np.broadcast_shapes(b[:-2], a[:-2])
    return (*batch, *b[-2:]), (*batch, *a[-2:])


def dequantized_product(
    a: Any, weight: Any, scale: Any, offset: Any, quant_scale: Any, quant_offset: Any, bias: Any, group: int
) -> Any:
    """a @ ((weight + offset) * scale) + bias. `scale` and `offset` have a row for each `group` rows of `weight`."""

    def spread(b: Any) -> Any:
        b = b.astype(np.float64)
        return np.repeat(b, group or len(weight), 0)[: len(weight)] if b.ndim == 2 and len(b) > 1 else b

    numbers = weight.astype(np.float64) + (0 if offset is None else spread(offset))
    result = product(a.astype(np.float64), numbers * spread(scale))
    return result if bias is None else result + bias.astype(np.float64)
