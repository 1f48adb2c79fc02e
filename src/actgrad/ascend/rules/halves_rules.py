"""CANN's limits on the shapes of packed tensors."""

from __future__ import annotations

from math import prod

from ...checks.check import Call, Check
from ...checks.halves_rules import number_of
from .rule import Rule, When

BLOCK_BYTES = 64


def most_along(packed: str, maximum: int, most_rows: int, dim: str = "dim") -> tuple[Rule, ...]:
    """If a product is in force, `packed` has 1 to `maximum` elements along `dim`, and at most `most_rows` rows."""

    def test(call: Call) -> str | None:
        shape, number = call.inputs[packed].shape, number_of(call, dim)
        size = shape[number]
        if not 1 <= size <= maximum:
            fault = f"{packed} has size {size} in dimension {number}{call.place}"
            return f"{fault}; it must be 1 to {maximum}; split {packed}"
        rows = prod(shape) // size
        if rows <= most_rows:
            return None
        fault = f"{packed} has {rows} rows along dimension {number}{call.place}"
        return f"{fault}; it must have at most {most_rows}; split {packed}"

    rule = f"{packed} has 1 to {maximum} elements along {dim}, in at most {most_rows} rows"
    return (Rule(rule, test, about=(packed, dim), when=When.PRODUCT),)


def whole_blocks(packed: str, dim: str = "dim") -> tuple[Check, ...]:
    """Half of the packed tensor, with `dim` and later dimensions flattened, has a multiple of BLOCK_BYTES bytes."""

    def test(call: Call) -> str | None:
        meta = call.inputs[packed]
        size = prod(meta.shape[number_of(call, dim) % max(len(meta.shape), 1) :]) // 2 * meta.dtype.itemsize
        if size % BLOCK_BYTES == 0:
            return None
        fault = f"half of {packed} from dimension {number_of(call, dim)} on has {size} bytes"
        return f"{fault}; it must have a multiple of {BLOCK_BYTES}; pad {packed}"

    rule = f"half of {packed} from {dim} on is a multiple of {BLOCK_BYTES} bytes"
    return (Check(rule, test, about=(packed, dim)),)
