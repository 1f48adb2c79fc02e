"""Compiling ahead: for programs that must not stop for a compiler later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import arrays, checks, preparation, products
from .dtypes import BY_NAME
from .errors import InvalidCall
from .layouts import GATED
from .loop import Meta
from .op import REGISTRY, Operator
from .products import Product

_SIZE = 1024  # elements; the machine code is the same for any size


def precompile(operators: Iterable[str] | None = None, dtypes: Iterable[str] | None = None) -> int:
    """The number of calls prepared: machine code for every case of `operators` and `dtypes` is made and kept.

    Afterwards calls of these operators, whose tensors have one dtype and are not broadcast, compile nothing in this
    process. `operators` and `dtypes` are names; None means all of them.
    """
    wanted = list(REGISTRY) if operators is None else list(operators)
    unknown = [name for name in wanted if name not in REGISTRY]
    if unknown:
        raise InvalidCall(f"precompile: no operator {unknown[0]!r}; known: {', '.join(REGISTRY)}")
    chosen = None if dtypes is None else list(dtypes)
    unknown = [name for name in chosen or () if name not in BY_NAME]
    if unknown:
        raise InvalidCall(f"precompile: no dtype {unknown[0]!r}; known: {', '.join(BY_NAME)}")
    count = 0
    for operator in map(REGISTRY.__getitem__, wanted):
        for name in checks.allowed_dtypes(operator, None):
            if chosen is not None and name not in chosen:
                continue
            for inputs in _inputs(operator, name):
                for attributes, product in _cases(operator):
                    preparation.prepare(operator, inputs, (), attributes, product=product)
                    count += 1
    return count


def _inputs(operator: Operator, dtype: str) -> Iterator[tuple[Meta | None, ...]]:
    """Contiguous inputs of one dtype, with and without the optional ones."""
    row = BY_NAME[dtype]

    def contiguous(*shape: int) -> Meta:
        return Meta(row, shape, arrays.row_major(shape, row.itemsize))

    required = [a.name for a in operator.schema.tensors if not a.is_optional]
    optional = [a.name for a in operator.schema.tensors if a.is_optional]
    for names in ([*required], [*required, *optional])[: 2 if optional else 1]:
        sizes = {name: _SIZE * (2 if operator.layout == GATED and name == "self" else 1) for name in names}
        yield tuple(contiguous(sizes[a.name]) if a.name in sizes else None for a in operator.schema.tensors)


def _cases(operator: Operator) -> Iterator[tuple[dict[str, Any], Product | None]]:
    """Attributes and product for each of an operator's formulas."""
    if callable(operator.switch):
        yield dict(operator.defaults), None
        for product in products.BY_NAME.values():
            if product.name in operator.products:
                yield dict(operator.defaults), product
        return
    keys = tuple(operator.formula) if isinstance(operator.formula, dict) else (None,)
    for key in keys:
        yield {**operator.defaults, **({} if key is None else {operator.switch: key})}, None
