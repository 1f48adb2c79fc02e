"""An array for the tests of what kinds of arrays are taken, and one of another library."""

from __future__ import annotations

from typing import Any

import numpy as np

import actgrad

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)


def elu(x: Any) -> np.ndarray:
    """The result for an ordinary array of the same values."""
    return actgrad.elu(np.array(x, order="C"))


class Producer:
    """An array of another library, known only by its DLPack methods."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()
