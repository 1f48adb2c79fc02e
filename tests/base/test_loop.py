"""Loops: broadcast shapes, and dimensions that become one."""

from __future__ import annotations

import numpy as np
import pytest

from actgrad.base import access
from actgrad.base.access import access_loop
from actgrad.base.dtypes import BY_NAME
from actgrad.base.loop import Loop, Operand, TensorMeta, broadcast_shapes


def test_broadcast_shapes() -> None:
    for a, b in [
        ((), ()),
        ((3,), ()),
        ((1,), (0,)),
        ((2, 1), (1, 3)),
        ((5, 1, 4), (6, 1)),
        ((0, 1), (1, 7)),
        ((1,) * 9, (2,)),
    ]:
        assert broadcast_shapes(a, b) == broadcast_shapes(b, a) == np.broadcast_shapes(a, b)
    for a, b in [((2,), (3,)), ((0,), (2,)), ((2, 3), (2,)), ((4, 1, 2), (3, 2, 2))]:
        assert broadcast_shapes(a, b) is None


def meta(array: np.ndarray) -> TensorMeta:
    return TensorMeta(BY_NAME[array.dtype.name], array.shape, array.strides)


def addresses(loop: Loop) -> set[tuple[int, ...]]:
    """The offsets of all operands, element by element."""
    return {
        tuple(o.offset + sum(i * s for i, s in zip(index, o.strides, strict=True)) for o in loop.operands)
        for index in np.ndindex(*loop.shape)
    }


COALESCED: list[tuple[list[np.ndarray], int]] = [
    ([np.empty((3, 4, 5), "f4")] * 2, 1),
    ([np.empty((3, 4, 5), "f4").T] * 2, 1),
    ([np.empty((3, 4, 5), "f4")[::-1, :, ::-1]] * 2, 1),
    ([np.empty((3, 4, 5), "f4")[::-1, ::-1, ::-1]] * 2, 1),
    ([np.empty((3, 4, 5), "f4"), np.empty((5, 4, 3), "f4").T], 3),
    ([np.empty((3, 4, 5), "f4"), np.empty((3, 4, 5), "f2")], 1),
    ([np.empty((3, 4, 5), "f4"), np.broadcast_to(np.empty(5, "f4"), (3, 4, 5))], 2),
    ([np.empty((3, 4, 5), "f4"), np.empty((3, 4, 10), "f4")[..., ::2]], 1),
    ([np.empty((3, 4, 5), "f4"), np.empty((3, 8, 5), "f4")[:, ::2]], 2),
    ([np.empty((1, 1, 1), "f4")] * 2, 0),
    ([np.empty((), "f4")] * 2, 0),
    ([np.empty((1, 7, 1), "f4"), np.empty((1, 14, 1), "f4")[:, ::2]], 1),
    ([np.empty((2, 3, 4, 5), "f4").transpose(2, 3, 0, 1), np.empty((2, 3, 4, 5), "f2").transpose(2, 3, 0, 1)], 1),
]


@pytest.mark.parametrize(("arrays", "dimensions"), COALESCED)
def test_coalesced(arrays: list[np.ndarray], dimensions: int) -> None:
    """The same elements of every operand together, in as few dimensions as they allow."""
    output, *others = map(meta, arrays)
    loop = access_loop.loop(access.Elementwise(), {"out": output}, dict(zip("abc", others, strict=False)), {})
    coalesced = loop.coalesced()
    assert addresses(coalesced) == addresses(loop)
    assert len(coalesced.shape) == dimensions
    assert coalesced.size == loop.size


def test_loop_says_what_it_is() -> None:
    operand = Operand(0, BY_NAME["float32"], 0, ())
    assert str(Loop((), (operand,), (operand,))) == "scalar, float32 -> float32"
