"""Rows of the model of phase one: when a call is at fault, with which status, and what the message must then say.

These are the rows that several functions have; aclnn_model.py puts them into tables. Written from the operators'
contract alone, sharing nothing with the package under test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from aclnn_calls import COMPLEX, FLOATS, INPUTS, INTEGERS, ITEMSIZE, OTHERS, OUTPUTS, Call, Tensor, tensors

PRODUCTS = ("Ascend950", "Ascend910_93", "Ascend910B", "Ascend310B", "Ascend310P", "Ascend910")
SUCCESS, NULL, INVALID, NO_KERNEL = 0, 161001, 161002, 561103

Test = Callable[[Call], bool]


@dataclass(frozen=True)
class Row:
    """A check. `names` must be in the message, and what `says` finds as a regular expression.

    `stage` tells where an unnumbered row stands among the numbered ones, whose order is the contract's: after null and
    product, dtypes before shapes before values. None: somewhere before the kernel is looked for.
    """

    name: str
    status: int
    uses: tuple[str, ...]
    when: Test
    names: tuple[str, ...]
    says: str
    stage: str | None
    is_numbered: bool = True
    rules: str = "both"  # or "document"
    products: tuple[str, ...] = PRODUCTS

    def holds(self, call: Call) -> bool:
        """Whether this call is at fault here."""
        if (self.rules == "document" and not call.document) or call.product not in self.products:
            return False
        if self.stage != "null" and any(call[name] is None for name in self.uses):
            return False
        return self.when(call)


STAGES = ("null", "product", "dtype", "shape", "value", "kernel")


def precedes(a: Row, b: Row, rows: tuple[Row, ...]) -> bool | None:
    """Whether row `a` is checked before row `b`; None where the contract leaves it open."""
    for stage in ("null", "product"):
        if stage in (a.stage, b.stage) and a.stage != b.stage:
            return a.stage == stage
    if "kernel" in (a.stage, b.stage) and a.stage != b.stage:
        return b.stage == "kernel"
    if a.is_numbered and b.is_numbered:
        return rows.index(a) < rows.index(b)
    if a.stage is None or b.stage is None or a.stage == b.stage:
        return None
    return STAGES.index(a.stage) < STAGES.index(b.stage)


_ALL_BUT_310B = tuple(p for p in PRODUCTS if p != "Ascend310B")
_WITH_BF16 = ("Ascend950", "Ascend910_93", "Ascend910B")
_FORWARD = (*_WITH_BF16, "Ascend910")
_GATED = (*_WITH_BF16, "Ascend310P")
EXISTS = {
    "aclnnElu": _ALL_BUT_310B, "aclnnInplaceElu": _ALL_BUT_310B, "aclnnEluBackward": _ALL_BUT_310B,
    "aclnnSelu": _FORWARD, "aclnnInplaceSelu": _FORWARD, "aclnnSeluBackward": _ALL_BUT_310B,
    "aclnnLeakyRelu": _FORWARD, "aclnnInplaceLeakyRelu": _FORWARD, "aclnnLeakyReluBackward": _ALL_BUT_310B,
    "aclnnGeGlu": _GATED, "aclnnGeGluV3": _GATED, "aclnnGeGluBackward": _GATED, "aclnnGeGluV3Backward": _GATED,
}  # fmt: skip


def with_bf16(call: Call, *names: str) -> tuple[str, ...]:
    """A list of dtypes that has BF16 on those products whose chip has it."""
    return (*names, "BF16") if call.product in _WITH_BF16 else names


def listed(call: Call) -> tuple[str, ...]:
    """The dtypes that a function's tensors may have on the call's product."""
    family = call.function.removeprefix("aclnn").removeprefix("Inplace")
    if family == "Elu":
        return FLOATS  # the one operator with the same list on every chip
    if family.startswith("Selu"):
        return with_bf16(call, "FLOAT", "FLOAT16", "INT32", "INT8")
    if family.startswith("LeakyRelu"):
        return with_bf16(call, "FLOAT", "FLOAT16", "DOUBLE")
    return with_bf16(call, "FLOAT", "FLOAT16")


def convertible(source: str, target: str) -> bool:
    """Whether a result may be cast: not complex to real, float to integer, or anything but BOOL to BOOL."""
    if target == "BOOL":
        return source == "BOOL"
    if source in COMPLEX:
        return target in COMPLEX
    return not (source in FLOATS and target in INTEGERS)


def promoted(a: str, b: str) -> str:
    """The dtype in which two of FLOAT, FLOAT16, BF16, DOUBLE meet."""
    if a == b:
        return a
    return "DOUBLE" if "DOUBLE" in (a, b) else "FLOAT"


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape in which two meet; None where they do not."""
    rank = max(len(a), len(b))
    pairs = list(zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True))
    if any(m != n and 1 not in (m, n) for m, n in pairs):
        return None
    return tuple(n if m == 1 else m for m, n in pairs)


# Rows that several functions have.


def null(*names: str) -> Iterator[Row]:
    for name in names:
        yield Row(f"{name} null", NULL, (name,), lambda c, n=name: c[n] is None, (name,), "null", "null")


def product(function: str) -> Row:
    def lacks(call: Call) -> bool:
        return call.product not in EXISTS[call.function]

    return Row("product", NO_KERNEL, (), lacks, (), "not available on Ascend", "product")


def dtype_listed(name: str, **options: Any) -> Row:
    return Row(f"{name} dtype", INVALID, (name,), lambda c: c[name].dtype not in listed(c), (name,),
               "supported", "dtype", **options)  # fmt: skip


def dtypes_equal(name: str, other: str, **options: Any) -> Row:
    def differ(c: Call) -> bool:
        return c[name].dtype != c[other].dtype

    return Row(f"{name} {other} dtypes", INVALID, (name, other), differ, (name, other), "equal", "dtype", **options)


def casts(source: str, target: str) -> Row:
    def cannot(c: Call) -> bool:
        return not convertible(c[source].dtype, c[target].dtype)

    return Row(f"{target} conversion", INVALID, (source, target), cannot, (target,), "convert", "dtype")


def real(name: str) -> Row:
    return Row(f"{name} complex", INVALID, (name,), lambda c: c[name].dtype in COMPLEX, (name,), "(?i)complex", "dtype")


def shapes_equal(name: str, other: str) -> Row:
    def differ(c: Call) -> bool:
        return c[name].shape != c[other].shape

    return Row(f"{name} {other} shapes", INVALID, (name, other), differ, (name, other), r"shape \(", "shape")


def rank_limit(name: str) -> Row:
    return Row(f"{name} rank", INVALID, (name,), lambda c: len(c[name].shape) > 8, (name,), "dimensions|rank", "shape")


def document_rank(function: str) -> Row:
    """Rank 1 to 8. The tensors' ranks are equal by other checks, so the message may name any of them."""
    names = tensors(function)

    def outside(c: Call) -> bool:
        return any(not 1 <= len(c[name].shape) <= 8 for name in names)

    says = rf"\b({'|'.join(names)})\b.*(dimensions|rank)"
    return Row("rank in document", INVALID, names, outside, (), says, "shape", is_numbered=False, rules="document")


def output_listed(name: str, stage: str | None = "dtype") -> Row:
    row = dtype_listed(name, is_numbered=False, rules="document")
    return replace(row, name=f"{name} dtype in document", stage=stage)


def format_nd(name: str) -> Row:
    return Row(f"{name} format", INVALID, (name,), lambda c: c[name].format != "ND", (name,), "(?i)format", None,
               is_numbered=False, rules="document")  # fmt: skip


def own(name: str, uses: tuple[str, ...], when: Test, names: tuple[str, ...], says: str) -> Row:
    """A decision of this project about memory, whose place among the other faults is open."""
    return Row(name, INVALID, uses, when, names, says, None, is_numbered=False)


def share(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have a byte in common."""
    if not a.memory or a.memory != b.memory or not (usable(a) and usable(b)):
        return False
    return not a.touched().isdisjoint(b.touched())


def usable(t: Tensor) -> bool:
    return t.has_memory and not (t.is_null or t.is_destroyed)


def same_view(a: Tensor, b: Tensor) -> bool:
    """Whether each element of an output lies exactly where the input's does that it is computed from."""
    if ITEMSIZE[a.dtype] != ITEMSIZE[b.dtype] or broadcast(a.shape, b.shape) != a.shape:
        return False
    return bool((a.places() == b.places(a.shape)).all())


def memory(function: str) -> Iterator[Row]:
    """What holds of the memory of every function's tensors."""

    def null_address(c: Call, n: str) -> bool:
        return c[n].has_memory and c[n].is_null

    def past(c: Call, n: str) -> bool:
        t: Tensor = c[n]
        if not usable(t):
            return False
        says, itemsize = prod(t.storage_dims), ITEMSIZE[t.dtype]
        has = says * itemsize if t.room is None else t.room
        return max(t.reach, says) * itemsize > has  # beyond the declared storage alone is a warning

    def itself(c: Call, n: str) -> bool:
        t: Tensor = c[n]
        return usable(t) and t.strides is not None and len(np.unique(t.places())) < t.size

    for n in tensors(function):
        yield own(f"{n} destroyed", (n,), lambda c, n=n: c[n].is_destroyed, (n,), "destroyed")
        yield own(f"{n} address", (n,), lambda c, n=n: null_address(c, n), (n,), "null address")
        yield own(f"{n} storage", (n,), lambda c, n=n: past(c, n), (n,), "storage")
    for n in OUTPUTS[function]:
        yield own(f"{n} on itself", (n,), lambda c, n=n: itself(c, n), (n,), "overlaps itself")
    for out in OUTPUTS[function]:
        for other in (*INPUTS[function], *OUTPUTS[function]):
            if other == out or (other in OUTPUTS[function] and other < out):
                continue
            is_input = other in INPUTS[function]

            def partly(c: Call, out: str = out, other: str = other, is_input: bool = is_input) -> bool:
                return share(c[out], c[other]) and not (is_input and same_view(c[out], c[other]))

            yield own(f"{out} on {other}", (out, other), partly, (out, other), "overlaps")


def kernel(name: str) -> Row:
    """A dtype that passes the conversion rule, but that no kernel writes. An empty call looks for no kernel."""

    def missing(c: Call) -> bool:
        return c[name].dtype in OTHERS and c[name].size > 0

    return Row(f"{name} kernel", NO_KERNEL, (name,), missing, (name,), "kernel", "kernel")
