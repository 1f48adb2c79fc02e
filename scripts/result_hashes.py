"""Hashes of the results of every operator, dtype, layout and attribute case: equal hashes mean the same bits.

    python scripts/result_hashes.py > after.txt
    PYTHONPATH=../before/src python scripts/result_hashes.py > before.txt
    diff before.txt after.txt

One line an operator and dtype. NaNs count as one value: their payloads differ between processors.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

import actgrad

DTYPES = ("float32", "float16", "bfloat16", "float64", "int8", "int32")
SCALARS = ((1.3, 0.7, 0.5), (0.6, 1.9, 1.1), (1.0, 1.0, 1.0), (-0.6, 1.7, 0.9))
SHAPES = ((), (1,), (7,), (33,), (1000,), (3, 5), (37, 66), (2, 3, 40), (1 << 18,))
Array = np.ndarray[Any, np.dtype[Any]]
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "contiguous": np.ascontiguousarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a,
    "every second": lambda a: np.repeat(a, 2, -1)[..., ::2] if a.ndim else a,
}


def main() -> int:
    """Print the hashes."""
    names = sys.argv[1:] or list(actgrad.operators)
    for name, dtype in itertools.product(names, DTYPES):
        digest, calls = hashlib.sha256(), 0
        for result in results(actgrad.operators[name], dtype):
            calls += 1
            for array in result if isinstance(result, tuple) else (result,):
                digest.update(repr((array.shape, array.strides, str(array.dtype))).encode())
                digest.update(np.where(array == array, array, array.dtype.type(0)).tobytes())
        if calls:
            print(f"{name:26} {dtype:9} {calls:5} calls  {digest.hexdigest()[:32]}", flush=True)
    return 0


def results(operator: Any, dtype: str) -> Iterator[Any]:
    """The results of all cases; a call that is refused has none."""
    rng = np.random.default_rng(11)
    tensors = [argument.name for argument in operator.schema.tensors]
    optional = [argument.name for argument in operator.schema.tensors if argument.is_optional]
    for shape, attributes in itertools.product(SHAPES, cases(operator)):
        for number, (layout, left_out) in enumerate(itertools.product(LAYOUTS.values(), {bool(optional), False})):
            given = []
            for place, tensor in enumerate(tensors):
                values = numbers(rng, whole(operator, tensor, shape), dtype)
                values = layout(values) if place % 2 == number % 2 or place == 0 else values
                given.append(None if tensor in optional and left_out else values)
            try:
                yield operator(*given, **attributes)
            except actgrad.ActgradError:
                continue


def cases(operator: Any) -> Iterator[dict[str, Any]]:
    """Attributes: all flags and choices, with scalars at and off their defaults."""
    flags = {a.name: (False, True) for a in operator.schema.attributes if a.type == "bool"}
    if operator.choices:
        flags[operator.switch] = operator.choices
    scalars = [a.name for a in operator.schema.attributes if a.type == "Scalar"]
    for chosen in itertools.product(*flags.values()):
        for row in SCALARS if scalars else ((),):
            yield {**dict(zip(flags, chosen, strict=True)), **dict(zip(scalars, row, strict=False))}


def whole(operator: Any, tensor: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a tensor for elements of `shape`; packed tensors are twice as long along the last dimension."""
    access = operator.access
    is_packed = access.part_count(tensor) > 1 if hasattr(access, "part_count") else tensor in access.packed  # 0.2
    return (*shape[:-1], 2 * shape[-1]) if is_packed and shape else shape


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Normal numbers, with one in eight of random bits."""
    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64))
    bits = np.frombuffer(rng.bytes(size * kind.itemsize), kind).reshape(shape)
    if kind.kind == "i":
        return bits.copy()
    normal = (2 * rng.standard_normal(shape)).astype(kind)
    return np.where(rng.random(shape) < 0.125, bits, normal).reshape(shape)


if __name__ == "__main__":
    sys.exit(main())
