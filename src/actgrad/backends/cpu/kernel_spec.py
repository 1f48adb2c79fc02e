"""The specification of an inner loop: the key under which computations share machine code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...base.dtypes import Dtype


@dataclass(frozen=True)
class KernelSpec:
    """Everything that determines an inner loop's code, except the target."""

    element: Callable[..., Any]  # see base/computation.py
    formulas: tuple[Callable[..., Any], ...]
    scalars: int
    compute: str  # dtype of the arithmetic
    outputs: tuple[Dtype, ...]
    inputs: tuple[Dtype, ...]
    broadcast: tuple[bool, ...]  # per input: whether one element serves the whole row
    has_table: bool = False  # a table holds the formulas' values (half_tables.py); its address follows the scalars
    scalars_are_one: bool = False  # each scalar is the constant 1.0, and the code reads none from the call block
    streams: bool = False  # whether the code has `row_streaming` too. Compiling it takes as long as compiling `row`

    @property
    def dtypes(self) -> tuple[Dtype, ...]:
        """The dtypes of all operands: outputs, then inputs."""
        return (*self.outputs, *self.inputs)
