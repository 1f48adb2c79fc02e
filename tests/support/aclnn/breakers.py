"""Ways of breaking good calls of the aclnn functions: for each check, calls that it is the first to reject."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.support.aclnn.checks import Row
from tests.support.aclnn.functions import FURTHER, INPUTS, OUTPUTS, UNREAD, WHOLE, good, is_gated, tensors
from tests.support.aclnn.model import faults
from tests.support.aclnn.values import Scalar

Changes = dict[str, Any]


def shaped(function: str, shape: tuple[int, ...], names: tuple[str, ...] = ()) -> Changes:
    """Tensors that all agree on a shape."""
    return {
        f"{n}.shape": (*shape[:-1], 2 * shape[-1]) if shape and n in WHOLE.get(function, ()) else shape
        for n in names or tensors(function)
    }


def changes(function: str) -> Iterator[Changes]:
    """Ways of breaking a call, and some that break nothing but help others to."""
    call, names = good(function), tensors(function)
    for dtype in ("UINT8", "BF16", "FLOAT16", "DOUBLE", "INT8", "INT64", "COMPLEX64", "STRING", "FLOAT8_E5M2", "BOOL"):
        yield {f"{n}.dtype": dtype for n in names}
        yield {f"{n}.dtype": dtype for n in INPUTS[function]}
        yield from ({f"{n}.dtype": dtype} for n in names)
    for shape in ((1,) * 7 + (2, 2), (), (0, 2)):
        yield shaped(function, shape)
        yield shaped(function, shape, INPUTS[function])
        yield shaped(function, shape, INPUTS[function][1:])
    yield {**shaped(function, (1,) * 7 + (2, 2), INPUTS[function]), **shaped(function, (2, 2), OUTPUTS[function])}
    yield {f"{n}.format": "FRACTAL_NZ" for n in names}
    for n in names:
        shape = call[n].shape
        yield {n: None}
        for other in ((7, *shape[1:]), (*shape, 2), (shape[0], 5), (1,) * 8 + shape, (3, 7), (), (0, *shape[1:])):
            yield {f"{n}.shape": other}
            if n in OUTPUTS[function] and not is_gated(function):  # a shape that the other one is broadcast to
                yield {f"{n}.shape": other, f"{INPUTS[function][-1]}.shape": other}
        yield {f"{n}.format": "NCHW"}
        yield {f"{n}.format": "FRACTAL_NZ"}
        yield {f"{n}.is_destroyed": True}
        yield {f"{n}.is_null": True}
        yield {f"{n}.storage": (1,)}
        yield {f"{n}.room": 3}
        yield {f"{n}.strides": (0,) if len(shape) == 1 else (0, 1)}
        for other in OUTPUTS[function]:
            if n != other:
                yield {f"{n}.memory": "m", f"{other}.memory": "m", f"{other}.start": 4}
    yield from both_changed(function)
    for n, value in call.arguments.items():
        if isinstance(value, Scalar):
            yield {n: None}
            yield {n: Scalar("COMPLEX64", 1 + 1j)}
            yield {n: Scalar("UINT64", 1)}
            yield {n: Scalar("BF16", 1.0)}
            yield {n: Scalar("FLOAT", 1e20), **{f"{other}.dtype": "INT8" for other in names}}
            yield {n: Scalar("INT8", -1)}
            yield {n: Scalar("FLOAT", 0.0)}
        if isinstance(value, str):
            yield from ({n: other} for other in (None, "erf", "", "none"))
    yield from ({n: None} for n in UNREAD[function])
    for n in FURTHER[function]:
        yield from further_changes(function, n)
    if "dim" in call.arguments:
        yield from ({"dim": 2}, {"dim": -3})
    if "limit" in call.arguments or "clampLimit" in call.arguments:
        yield from ({n: -0.75} for n in ("limit", "clampLimit") if n in call.arguments)
    if "clampMode" in call.arguments:
        yield {"clampMode": 2}
    if "interleaved" in call.arguments:
        for n in names:
            yield {"dim": 0, **{f"{m}.shape": (1, 4) for m in names if call[m].shape == (2, 2)},
                   f"{n}.strides": (9, 2)}  # fmt: skip
            yield {"dim": 0, f"{n}.strides": (9, 1), **{f"{m}.shape": (4, 2) for m in WHOLE[function]}}
    if "training" in call.arguments:
        yield {"training": True}
        yield {"training": True, "noise.shape": (3,)}
        yield from ({f"{n}.shape": (1,) * 31 + (2, 4)} for n in ("self", "noise"))
        yield {f"{n}.shape": (1,) * 31 + (2, 4) for n in names}
    if function in ("aclnnGeluMul", "aclnnFatreluMul"):  # with limits of its own
        for shape in ((2, 1026), (200_001, 2), (2, 0), (2,), (2, 3)):
            yield {"input.shape": shape}
            yield {"input.shape": shape, "out.shape": (4,)}
    if "approximate" in call.arguments:
        yield from ({"approximate": 2}, {"approximate": -1}, {"approximate": 0})


def further_changes(function: str, n: str) -> Iterator[Changes]:
    """Changes of a tensor that has a shape or a dtype of its own."""
    yield {n: None}
    yield from ({f"{n}.dtype": dtype} for dtype in ("INT32", "FLOAT16", "DOUBLE", "BF16", "STRING"))
    yield from ({f"{n}.shape": shape} for shape in ((2, 2), (0,), (), (9000,), (7,)))
    yield from ({f"{n}.{fault}": True} for fault in ("is_destroyed", "is_null"))
    yield from ({f"{n}.storage": (1,)}, {f"{n}.room": 3}, {f"{n}.format": "NCHW"})
    for start in (4, 0):
        yield from ({f"{n}.memory": "m", f"{out}.memory": "m", f"{out}.start": start} for out in OUTPUTS[function])


def both_changed(function: str) -> Iterator[Changes]:
    """Two tensors that agree, but with nothing else."""
    whole = WHOLE.get(function, ())
    halves = [n for n in tensors(function) if n not in whole]
    for both in (whole, halves) if len(whole) == 2 else (halves[:2],):
        for shape in ((2, 2, 2), (2, 5)):
            yield {f"{n}.shape": shape for n in both}
        yield {f"{n}.dtype": dtype for n, dtype in zip(both, ("FLOAT16", "BF16"), strict=False)}


@cache
def breakers(function: str, product: str, document: bool) -> dict[Row, list[Changes]]:
    """How each row is broken: best are calls with no other fault, else the others come later."""
    call = good(function, product, document)
    found: dict[Row, list[tuple[int, Changes]]] = {}
    for change in ({}, *changes(function)):
        # Where the function is missing, that is the first fault of nearly all calls: here what comes behind it counts.
        wrong = [row for row in faults(call.but(change)) if row.stage != "product" or not change]
        for row in wrong[:1]:
            found.setdefault(row, []).append((len(wrong), change))
    return {row: [change for _, change in sorted(ways, key=lambda way: way[0])][:8] for row, ways in found.items()}
