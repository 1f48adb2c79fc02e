"""Matrix products, also with quantised weights, and the shapes of their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.loop import broadcast_shapes
from .entry import Shape
from .pytorch import torch


def product_shape(a: Shape, b: Shape, *_: Any) -> Shape:
    """The shape of a product of two matrices, two vectors, or batches of matrices."""
    if not a or not b or a[-1] != b[max(len(b) - 2, 0)]:
        expected = "columns of the first must equal rows of the second"
        raise ValueError(f"the matrices have shapes {a} and {b}; {expected}; transpose or reshape one")
    return (*np.broadcast_shapes(a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def sum_shape(c: Shape, a: Shape, b: Shape, *_: Any) -> Shape:
    return np.broadcast_shapes(c, product_shape(a, b))


def _weighted_sum(c: Any, shape: Shape, compute: Callable[[], Any], beta: Any, alpha: Any) -> Any:
    """beta * c + alpha * (what `compute` returns, of this shape). A part whose factor is 0 may hold NaN."""
    scaled = alpha * compute() if alpha else torch.zeros(shape, dtype=c.dtype)
    return scaled + beta * c if beta else scaled


def addmm(c: Any, a: Any, b: Any, beta: Any, alpha: Any, *_: Any) -> Any:
    return _weighted_sum(c, product_shape(tuple(a.shape), tuple(b.shape)), lambda: torch.matmul(a, b), beta, alpha)


def addbmm(c: Any, a: Any, b: Any, beta: Any, alpha: Any, *_: Any) -> Any:
    """Like `addmm`, with the sum of the products of a batch."""
    return _weighted_sum(
        c, product_shape(tuple(a.shape), tuple(b.shape))[1:], lambda: torch.matmul(a, b).sum(0), beta, alpha
    )


def addbmm_shape(c: Shape, a: Shape, b: Shape, *_: Any) -> Shape:
    return np.broadcast_shapes(c, product_shape(a, b)[1:])


def addr(c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """beta * c + alpha * (the products of each element of a with each of b). A factor of None is 1."""
    products = torch.outer(a, b) if alpha is None else alpha * torch.outer(a, b)
    if beta is not None and not beta:  # c may hold NaN
        return products
    return (c if beta is None else beta * c) + products


def inverse(a: Any) -> Any:
    """The inverse of each matrix."""
    result, faults = torch.linalg.inv_ex(a)
    if faults.any():
        raise ValueError("a matrix of self has no inverse; its determinant must not be 0; change self")
    return result


def addr_shape(c: Shape, a: Shape, b: Shape, *_: Any) -> Shape:
    if broadcast_shapes(c, (*a, *b)) != (*a, *b):
        raise ValueError(f"self has shape {c}; it must broadcast to {(*a, *b)}; reshape self")
    return *a, *b


def triangular(b: Any, a: Any, is_upper: bool, transposes: bool, has_ones: bool) -> tuple[Any, Any]:
    """The solution x of A x = b and a. A is a triangle of a, or the transpose of this triangle.

    With `has_ones`, the diagonal of A counts as 1.
    """
    upper, triangle = (not is_upper, a.mT) if transposes else (is_upper, a)
    return torch.linalg.solve_triangular(triangle, b, upper=upper, unitriangular=has_ones), a


def triangular_shapes(b: Shape, a: Shape, *_: Any) -> tuple[Shape, Shape]:
    batch = np.broadcast_shapes(b[:-2], a[:-2])
    return (*batch, *b[-2:]), (*batch, *a[-2:])


def dequantized_product(
    a: Any, weight: Any, scale: Any, offset: Any, quant_scale: Any, quant_offset: Any, bias: Any, group: int
) -> Any:
    """a @ ((weight + offset) * scale) + bias. `scale` and `offset` have a row for each `group` rows of `weight`."""

    def spread(b: Any) -> Any:
        b = b.float()
        rows = len(weight)
        return b.repeat_interleave(group or rows, 0)[:rows] if b.ndim == 2 and len(b) > 1 else b

    numbers = weight.float() + (0 if offset is None else spread(offset))
    result = torch.matmul(a.float(), numbers * spread(scale))
    return result if bias is None else result + bias.float()


def dequantized_shape(
    a: Shape, weight: Shape, scale: Shape, offset: Any, quant_scale: Any, quant_offset: Any, bias: Any, group: int
) -> Shape:
    if quant_scale is not None or quant_offset is not None:
        raise ValueError("quantScale or quantOffset is given; they must be null; quantise the result afterwards")
    rows = -(-weight[0] // group) if group else 1
    for name, shape in {"antiquantScale": scale, "antiquantOffset": offset or ()}.items():
        if shape not in ((), (1,), (1, 1), (weight[1],), (1, weight[1]), (rows, weight[1])):
            expected = f"it must be {(rows, weight[1])}, {weight[1:]} or (1,)"
            raise ValueError(f"{name} has shape {shape}, but weight has {weight}; {expected}; reshape {name}")
    if bias not in (None, weight[1:], (1, *weight[1:])):
        raise ValueError(f"bias has shape {bias}; it must be {weight[1:]}, the columns of weight; reshape bias")
    return product_shape(a, weight)
