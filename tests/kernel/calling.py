"""Compiles the test kernels of the folder `calls`, and models of the strided form in NumPy."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np

from actgrad.kernel import Kernel

FOLDER = Path(__file__).parent / "calls"
BYTES = 8192
C_TYPES = {
    "float32": "float", "float16": "half", "bfloat16": "bfloat16_t", "int8": "int8_t", "uint8": "uint8_t",
    "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t",
}  # fmt: skip
NUMPY = {name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name) for name in C_TYPES}

Array = np.ndarray


@cache
def kernel(file: str, product: str, *defines: tuple[str, str], entry: str = "") -> Kernel:
    return Kernel(FOLDER / f"{file}.cpp", entry or file, product=product, defines=dict(defines))


def call(
    file: str,
    arrays: list[Array],
    out: Array,
    tiling: dict,
    *,
    dtypes: dict[str, str],
    product: str = "Ascend910B",
    assumptions: dict | None = None,
):
    """Run one call; returns the result and the report."""
    defines = tuple((name, C_TYPES[dtype]) for name, dtype in dtypes.items())
    inputs = [each.copy() for each in arrays]
    for each in inputs:
        each.flags.writeable = False
    filled = {
        "call": 0, "form": 0, "count": 0, "repeats": 1, "mode": 0, "scalar": 0.0, "mask": [0, 0],
        "strides": [1, 1, 1, 8, 8, 8], "bytes": BYTES, **tiling,
    }  # fmt: skip
    report = kernel(file, product, *defines).run(
        *inputs, out, tiling=filled, tiling_struct="CallTiling", assumptions=assumptions
    )
    return out, report


def lanes(dtype: np.dtype, mask: int | tuple[int, int]) -> list[int]:
    """The elements of a repeat that a mask picks."""
    of_repeat = 256 // dtype.itemsize
    if isinstance(mask, int):
        return list(range(min(mask, of_repeat)))
    return [lane for lane in range(of_repeat) if mask[lane // 64] >> (lane % 64) & 1]


def places(dtype: np.dtype, mask: int | tuple[int, int], repeats: int, block: int, repeat: int) -> Array:
    """The indices of the elements of one operand, repeat by repeat."""
    per_block = 32 // dtype.itemsize
    return np.array([
        (r * repeat + lane // per_block * block) * per_block + lane % per_block
        for r in range(repeats)
        for lane in lanes(dtype, mask)
    ])  # fmt: skip
