"""Mistakes in the layout of outputs: tiles, tails, rows and positions. `LAYOUT` has them with the right diagnoses."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def flat(change: Any) -> Any:
    """A mistake in the order of memory: `change` gets the flat result and the positions."""

    def planted(inputs: Any, attributes: Any, right: list[Array]) -> list[Array]:
        results = []
        for array in right:
            wrong = array.ravel().copy()
            change(wrong, np.arange(wrong.size))
            results.append(wrong.reshape(array.shape))
        return results

    return planted


def each(change: Any) -> Any:
    return lambda inputs, attributes, right: [change(array) for array in right]


def tail(first: int, tile: int, value: float = 0.0) -> Any:
    def change(wrong: Array, p: Array) -> None:
        wrong[p % tile >= first] = value

    return flat(change)


def stale_half(wrong: Array, p: Array) -> None:
    half = wrong.size // 2
    wrong[half:] = wrong[: wrong.size - half].copy()


def one_tile(wrong: Array, p: Array) -> None:
    wrong[192:256] *= -1.5


def nth_tile(every: int, tile: int, which: int) -> Any:
    def change(wrong: Array, p: Array) -> None:
        wrong[p // tile % every == which] *= -1.5

    return flat(change)


def off_by_one_in_a_tile(wrong: Array, p: Array) -> None:
    wrong[128:192] = wrong[127:191].copy()


def last_elements(wrong: Array, p: Array) -> None:
    wrong[wrong.size // 64 * 64 :] = 0


def column_major(array: Array) -> Array | None:
    if array.ndim < 2 or min(array.shape[-2:]) < 3:
        return None
    return np.swapaxes(array, -1, -2).reshape(array.shape)


def rows_rolled(array: Array) -> Array | None:
    return np.roll(array.reshape(-1, array.shape[-1]), 1, 0).reshape(array.shape) if array.ndim > 1 else None


def last_block(array: Array) -> Array | None:
    first = (array.shape[-1] - 1) // 8 * 8
    if array.ndim < 2 or array.shape[-1] < 13:
        return None
    wrong = array.copy()
    wrong[..., first:] = 7
    return wrong


def row_pairs(array: Array) -> Array | None:
    """Neighbouring rows in each other's place."""
    rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    if len(rows) < 4:
        return None
    order = np.arange(len(rows)) ^ 1
    return rows[np.where(order < len(rows), order, np.arange(len(rows)))].reshape(array.shape)


def every_sixth_tile(wrong: Array, p: Array) -> None:
    wrong[p // 32 % 6 == 2] *= -1.5


def third_of_128(wrong: Array, p: Array) -> None:
    wrong[p // 128 % 3 == 1] *= 1.25


LAYOUT = {
    "tail of 64": (tail(37, 64), "tile-tail"),
    "tail of 32": (tail(29, 32), "tile-tail"),
    "tail of 256, 7 in it": (tail(251, 256, 7), "tile-tail"),
    "rolled by one": (each(lambda r: np.roll(r, 1)), "shifted"),
    "rolled back by three": (each(lambda r: np.roll(r, -3)), "shifted"),
    "rows rolled": (each(rows_rolled), "rows-shifted shifted"),
    "column-major": (each(column_major), "dimensions-exchanged"),
    "stale half": (flat(stale_half), "stale"),
    "one tile": (flat(one_tile), "stretch factor"),
    "every third tile": (nth_tile(3, 64, 1), "tiles"),
    "every fourth tile": (nth_tile(4, 32, 2), "tiles tile-tail"),
    "off by one in a tile": (flat(off_by_one_in_a_tile), "shifted"),
    "last block": (each(last_block), "last-block"),
    "last elements": (flat(last_elements), "unwritten stretch"),
    "row pairs": (each(row_pairs), "rows-exchanged rows-shifted"),
    "every sixth tile of 32": (flat(every_sixth_tile), "tiles columns"),
    "every third tile of 128": (flat(third_of_128), "tiles columns"),
    "times 4": (each(lambda r: 4 * r), "factor"),
    "zeros": (each(lambda r: 0 * np.nan_to_num(r)), "unwritten"),
    "sign": (each(lambda r: -r), "sign"),
}
