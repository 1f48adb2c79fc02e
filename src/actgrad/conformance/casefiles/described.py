"""A case as a file describes it: which function, tensors and attributes, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...aclnn.signatures import Signature
from .value_ranges import UNTOLD, Values

MOST_DIMENSIONS = 32  # of NumPy's oldest versions; the operators take 8


@dataclass(frozen=True)
class Tensor:
    """A tensor; strides and offset are in elements of its storage, None for one that is contiguous."""

    dtype: str
    shape: tuple[int, ...]
    values: Values = UNTOLD
    strides: tuple[int, ...] | None = None
    offset: int = 0
    storage: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Scalar:
    """An attribute whose value is drawn, or which is rounded to a dtype."""

    value: Any  # None for one to be drawn
    dtype: str = ""  # "" for the dtype of the value itself
    values: Values = UNTOLD


@dataclass(frozen=True)
class Described:
    """A case; `problem` says why it cannot be run, as far as that is known from the file alone."""

    name: str
    raw: dict[str, Any]  # as it stands in the file
    signature: Signature | None = None
    inputs: dict[str, Tensor] = field(default_factory=dict)  # by names of the schema, in its order
    outputs: dict[str, Tensor] = field(default_factory=dict)
    attributes: dict[str, Scalar] = field(default_factory=dict)
    standards: tuple[str, ...] = ()  # those that the case names; none for the one in force
    seed: int | None = None
    expects_error: bool = False
    problem: str = ""
    notes: tuple[str, ...] = ()  # what was not read, and what is not as documented
