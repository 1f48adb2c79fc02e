"""Rows of the model of phase one: when a call is at fault, with which status, and what the message must then say.

These are the rows that several functions have; model.py puts them into tables. Written from the operators'
contract alone, sharing nothing with the package under test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from tests.support.aclnn.functions import FUNCTIONS, FURTHER, GENERATED, INPUTS, OUTPUTS, tensors
from tests.support.aclnn.values import COMPLEX, FLOATS, INTEGERS, ITEMSIZE, OTHERS, Call, Tensor, convertible, promoted

PRODUCTS = ("Ascend950", "Ascend910_93", "Ascend910B", "Ascend310B", "Ascend310P", "Ascend910")
SUCCESS, NULL, INVALID, NO_KERNEL, TILING, NOT_CONFIGURED = 0, 161001, 161002, 561103, 561002, 561003

#: What several messages say: a dtype of no list, two dtypes that differ, a number of dimensions out of range.
DTYPE_LISTED = r"[A-Z]\w*; (it|the common dtype) must be|needs Ascend"
DTYPES_EQUAL = "dtypes must be equal"
RANK = "dimensions?; it must have|must have a dimension|rank"

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
    rules: str = "both"  # or "document", or "operator": where the documents' letter does not hold
    products: tuple[str, ...] = PRODUCTS

    def holds(self, call: Call) -> bool:
        """Whether this call is at fault here."""
        if self.rules == ("operator" if call.document else "document") or call.product not in self.products:
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
_WITHOUT_BF16 = tuple(p for p in PRODUCTS if p not in _WITH_BF16)
_FORWARD = (*_WITH_BF16, "Ascend910")
_GATED = (*_WITH_BF16, "Ascend310P")
_FIRST = {  # the matrix of the first five families
    "Elu": _ALL_BUT_310B, "EluBackward": _ALL_BUT_310B, "Selu": _FORWARD, "SeluBackward": _ALL_BUT_310B,
    "LeakyRelu": _FORWARD, "LeakyReluBackward": _ALL_BUT_310B,
    "GeGlu": _GATED, "GeGluV3": _GATED, "GeGluBackward": _GATED, "GeGluV3Backward": _GATED,
}  # fmt: skip


def short(function: str) -> str:
    """A function's name without what all have, and without what says that it is in place."""
    return function.removeprefix("aclnn").removeprefix("Inplace")


#: Other functions that are written by hand know the product by their dtypes alone. Fast GELU has none elsewhere.
_ON_THE_NEWER = ("FastGelu", "FastGeluBackward", "SquaredRelu", "GeluMul", "SituGlu", "SituGluGrad",
                 "ClippedSwiglu", "ClippedSwigluGrad")  # fmt: skip
_OTHER = dict.fromkeys(_ON_THE_NEWER, _WITH_BF16) | {
    "ClippedSwigluV2": ("Ascend950",), "SwigluGroup": ("Ascend950",), "FatreluMul": ("Ascend910_93", "Ascend910B"),
}  # fmt: skip
EXISTS = {f: (_FIRST | _OTHER).get(short(f), _GATED if f in GENERATED else PRODUCTS) for f in FUNCTIONS}

_HALF = "FLOAT FLOAT16 BF16"
_COMPLEX = f"{_HALF} DOUBLE COMPLEX64 COMPLEX128"
_ALL = f"{_COMPLEX} INT8 INT16 INT32 INT64 UINT8 BOOL"
_INTEGERS = f"{_HALF} INT8 UINT8 INT32 INT64"
#: The dtypes of a function's tensors, or of one of them. The others': _HALF. BF16 only where the chip has it, but BF16!
#: everywhere, and BF16+ but on Ascend310P and Ascend910.
LISTS = {
    "Elu": "FLOAT FLOAT16 BF16! DOUBLE",
    "Selu": f"{_HALF} INT32 INT8", "SeluBackward": f"{_HALF} INT32 INT8",
    "LeakyRelu": f"{_HALF} DOUBLE", "LeakyReluBackward": f"{_HALF} DOUBLE",
    "Sigmoid.self": _ALL, "Sigmoid.out": _COMPLEX.replace("BF16", "BF16!"), "Sigmoid.selfRef": _COMPLEX,
    "SigmoidBackward.gradOutput": _COMPLEX, "SigmoidBackward": _COMPLEX.replace("BF16", "BF16!"),
    "Tanh": f"{_INTEGERS} INT16 BOOL", "Tanh.selfRef": _HALF, "TanhBackward": f"{_HALF} DOUBLE",
    "Hardtanh": f"{_INTEGERS} INT16 DOUBLE",
    "Relu": _INTEGERS, "AddRelu": f"{_INTEGERS} INT16", "Threshold": f"{_INTEGERS} INT16",
    "ThresholdBackward": f"{_HALF} INT8 UINT8 INT32", "Hardsigmoid": f"{_HALF} INT32",
    "Heaviside": "FLOAT FLOAT16 BF16!", "Celu": "FLOAT FLOAT16 BF16+", "Hardshrink": "FLOAT FLOAT16 BF16+",
    "SoftshrinkBackward": "FLOAT FLOAT16 BF16+",
    "Erfinv": f"{_HALF} BOOL INT8 INT16 INT32 INT64 UINT8", "Shrink": "FLOAT FLOAT16",
    "Softmax": f"{_HALF} DOUBLE", "LogSoftmax": f"{_HALF} DOUBLE",
    "SoftmaxBackward.out": _ALL, "LogSoftmaxBackward.out": _ALL,
    "Glu": f"{_HALF} DOUBLE", "GluBackward": f"{_HALF} DOUBLE", "SoftplusBackward": f"{_HALF} DOUBLE",
    "SoftplusBackward.self": f"{_HALF} DOUBLE INT8 INT16 INT32 INT64 UINT8 BOOL",
}  # fmt: skip


def has_bf16(call: Call) -> bool:
    return call.product in _WITH_BF16


def with_bf16(call: Call, *names: str) -> tuple[str, ...]:
    """A list of dtypes that has BF16 on those products whose chip has it."""
    return (*names, "BF16") if has_bf16(call) else names


def listed(call: Call, name: str = "", anywhere: bool = False) -> tuple[str, ...]:
    """The dtypes that a tensor may have on the call's product, or anywhere; with no name those of all tensors alike."""
    if not name:
        lists = [listed(call, n, anywhere) for n in tensors(call.function)]
        return tuple(dtype for dtype in lists[0] if all(dtype in one for one in lists))
    family = short(call.function)
    names = LISTS.get(f"{family}.{name}", LISTS.get(family, _HALF)).split()
    if family == "ThresholdBackward" and call.product == "Ascend950" and takes_zero(call):
        names.append("INT64")
    if family.startswith("FastGelu") and not has_bf16(call):
        return ()
    left_out = () if anywhere or has_bf16(call) else ("BF16", *["BF16+"] * (call.product != "Ascend310B"))
    return tuple(dtype.rstrip("!+") for dtype in names if dtype not in left_out)


def takes_zero(call: Call) -> bool:
    return call["threshold"] is not None and call["threshold"].single == 0


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

    status = NOT_CONFIGURED if function in GENERATED else NO_KERNEL
    return Row("product", status, (), lacks, (), "not available on Ascend", "product")


def dtype_listed(name: str, anywhere: bool = False, **options: Any) -> Row:
    def is_wrong(c: Call) -> bool:
        return c[name].dtype not in listed(c, name, anywhere)

    return Row(f"{name} dtype", INVALID, (name,), is_wrong, (name,), DTYPE_LISTED, "dtype", **options)


def chip_has(name: str) -> Row:
    """BF16 where the chip has it: for functions whose list names it on every chip."""
    return Row(f"{name} BF16", INVALID, (name,), lambda c: c[name].dtype == "BF16" and not has_bf16(c), (name,),
               DTYPE_LISTED, "dtype", products=_WITHOUT_BF16)  # fmt: skip


def dtypes_equal(name: str, other: str, **options: Any) -> Row:
    def differ(c: Call) -> bool:
        return c[name].dtype != c[other].dtype

    return Row(f"{name} {other} dtypes", INVALID, (name, other), differ, (name,), DTYPES_EQUAL, "dtype", **options)


def casts(source: str, target: str) -> Row:
    def cannot(c: Call) -> bool:
        return not convertible(c[source].dtype, c[target].dtype)

    return Row(f"{target} conversion", INVALID, (source, target), cannot, (target,), "convert", "dtype")


def real(name: str) -> Row:
    return Row(f"{name} complex", INVALID, (name,), lambda c: c[name].dtype in COMPLEX, (name,), "(?i)complex", "dtype")


def shapes_equal(name: str, other: str) -> Row:
    def differ(c: Call) -> bool:
        return c[name].shape != c[other].shape

    # Earlier rows may have found a third tensor to have the shape of `other`: the message may name that.
    return Row(f"{name} {other} shapes", INVALID, (name, other), differ, (name,), r"shape \(", "shape")


def rank_limit(name: str, **options: Any) -> Row:
    return Row(f"{name} rank", INVALID, (name,), lambda c: len(c[name].shape) > 8, (name,), RANK, "shape",
               **options)  # fmt: skip


def document_rank(function: str, minimum: int = 1, *, of: tuple[str, ...] = ()) -> Row:
    """Rank 1 to 8. The tensors' ranks are equal by other checks, so the message may name any of them."""
    names = of or tensors(function)

    def outside(c: Call) -> bool:
        return any(not minimum <= len(c[name].shape) <= 8 for name in names)

    says = rf"\b({'|'.join(names)})\b.*({RANK})"
    return Row("rank in document", INVALID, names, outside, (), says, "shape", is_numbered=False, rules="document")


def document_nonempty(name: str) -> Row:
    return Row(f"{name} empty", INVALID, (name,), lambda c: c[name].size == 0, (name,), "empty|elements", "shape",
               is_numbered=False, rules="document")  # fmt: skip


def output_listed(name: str, stage: str | None = "dtype") -> Row:
    row = dtype_listed(name, is_numbered=False, rules="document")
    return replace(row, name=f"{name} dtype in document", stage=stage)


def unnumbered(row: Row, **options: object) -> Row:
    return replace(row, is_numbered=False, **options)  # type: ignore[arg-type]


def broadcasts(a: str, b: str, out: str) -> Iterator[Row]:
    """Two tensors are broadcast together, to the shape of the output."""

    def shape(c: Call) -> tuple[int, ...] | None:
        return broadcast(c[a].shape, c[b].shape)

    yield Row("broadcast", INVALID, (a, b), lambda c: shape(c) is None, (a, b), "broadcast", "shape")
    yield Row(f"{out} shape", INVALID, (a, b, out), lambda c: shape(c) is not None and c[out].shape != shape(c),
              (out,), r"shape \(", "shape")  # fmt: skip


def meets(a: str, b: str) -> Row:
    """Two tensors have dtypes that are promoted together, to one that the function's tensors may have."""

    def apart(c: Call) -> bool:
        return promoted(c[a].dtype, c[b].dtype) not in listed(c, a)

    return Row("promotion", INVALID, (a, b), apart, (a, b), "promote|common dtype", "dtype")


def result_casts(a: str, b: str, out: str, stage: str | None = "dtype", **options: Any) -> Row:
    """The dtype in which two tensors meet may be cast to the output's; if there is none, other rows tell."""

    def cannot(c: Call) -> bool:
        result = promoted(c[a].dtype, c[b].dtype)
        return result in (*FLOATS, *INTEGERS, *COMPLEX, "BOOL") and not convertible(result, c[out].dtype)

    return Row(f"{out} conversion", INVALID, (a, b, out), cannot, (out,), "convert", stage, **options)


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
    shapes = [tuple(n for n in t.shape if n != 1) for t in (a, b)]
    return ITEMSIZE[a.dtype] == ITEMSIZE[b.dtype] and shapes[0] == shapes[1] and bool((a.places() == b.places()).all())


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

    for n in (*tensors(function), *FURTHER[function]):
        yield own(f"{n} destroyed", (n,), lambda c, n=n: c[n].is_destroyed, (n,), "destroyed")
        yield own(f"{n} address", (n,), lambda c, n=n: null_address(c, n), (n,), "null pointer")
        yield own(f"{n} storage", (n,), lambda c, n=n: past(c, n), (n,), "storage")
    for n in OUTPUTS[function]:
        yield own(f"{n} on itself", (n,), lambda c, n=n: itself(c, n), (n,), "overlaps itself")
    for out in OUTPUTS[function]:
        for other in (*INPUTS[function], *FURTHER[function], *OUTPUTS[function]):
            if other == out or (other in OUTPUTS[function] and other < out):
                continue
            is_input = other not in OUTPUTS[function] or other in INPUTS[function]

            def partly(c: Call, out: str = out, other: str = other, is_input: bool = is_input) -> bool:
                return share(c[out], c[other]) and not (is_input and same_view(c[out], c[other]))

            yield own(f"{out} on {other}", (out, other), partly, (out, other), "overlaps")


def kernel(name: str) -> Row:
    """A dtype that passes the conversion rule, but that no kernel writes. An empty call looks for no kernel."""

    def missing(c: Call) -> bool:
        return c[name].dtype in OTHERS and c[name].size > 0

    return Row(f"{name} kernel", NO_KERNEL, (name,), missing, (name,), "kernel", "kernel")
