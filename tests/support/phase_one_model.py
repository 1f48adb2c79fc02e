"""What phase one of an aclnn function returns, by the statuses in tests/ascend/sdk/phase_one_statuses.txt.

The file has each check of a function in order, as a status and an expression that is true where the check ends the
call. This module knows the words of the expressions; it imports nothing of actgrad, so that the two can be compared.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

FILE = Path(__file__).parents[1] / "ascend" / "sdk" / "phase_one_statuses.txt"
PRODUCTS = {"Ascend910": "910", "Ascend910B": "910B", "Ascend910_93": "910B", "Ascend310P": "310P", "Ascend950": "950"}
FLOATS = ("FLOAT16", "BF16", "FLOAT", "DOUBLE")
SIGNED = ("INT8", "INT16", "INT32", "INT64")
UNSIGNED = ("UINT16", "UINT32", "UINT64")
COMPLEX = ("COMPLEX32", "COMPLEX64", "COMPLEX128")
DTYPES = ("UNDEFINED", "BOOL", "UINT8", *SIGNED, *UNSIGNED, *FLOATS, *COMPLEX)
PRIVATE_FORMATS = (3, 4, 29)
FORMATS = {"NCHW": 0, "NHWC": 1, "NDHWC": 27, "NCDHW": 30, "NCL": 47}
LARGEST = {"FLOAT16": 65504.0, "BF16": 3.3895313892515355e38, "FLOAT": 3.4028234663852886e38}
INTEGER_BITS = {"INT8": 8, "INT16": 16, "INT32": 32, "INT64": 64}


class AbsentArgument(Exception):
    """A check reads an argument that is null; it ends no call."""


@dataclass(frozen=True)
class Tensor:
    shape: tuple[int, ...]
    dtype: str
    format: int = 2

    def __getitem__(self, position: int) -> int:
        return self.shape[position]


@dataclass(frozen=True)
class Scalar:
    value: Any
    dtype: str


class Check(NamedTuple):
    status: int
    kind: str
    text: str
    code: CodeType


class Function(NamedTuple):
    prototype: tuple[str, ...]  # its parameters, with types
    header: str
    checks: list[Check]

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in expressions: those of words end with an underscore."""
        names = [each.split()[-1] for each in self.prototype]
        return [f"{name}_" if keyword.iskeyword(name) or name in WORDS else name for name in names]


@cache
def functions() -> dict[str, Function]:
    result: dict[str, Function] = {}
    checks: list[Check] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            status, kind, text = line.split(maxsplit=2)
            checks.append(Check(int(status), kind, text, compile(text, FILE.name, "eval")))
        elif line.startswith("aclnn"):
            name, parameters, header = re.fullmatch(r"(\w+)\((.*)\) in (\S+)", line).groups()  # type: ignore[union-attr]
            checks = []
            result[name] = Function(tuple(filter(None, parameters.split(", "))), header, checks)
    return result


@cache
def lists(product: str) -> list[frozenset[str]]:
    """The dtype lists of the file, on a product."""
    result = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("list "):
            _, _, text = line.partition(": ")
            parts = [part.partition(" ") for part in text.split("; ")]
            by_product = {chip: names for chips, _, names in parts for chip in chips.split("/")}
            names = by_product.get(product, "") if text[:1].isdigit() else text
            result.append(frozenset(names.split()))
    return result


def ending(name: str, arguments: dict[str, Any], product: str) -> Check | None:
    """The check that ends a call, None where all pass."""
    names = words(PRODUCTS[product]) | arguments
    for check in functions()[name].checks:
        try:
            if eval(check.code, names):
                return check
        except (AbsentArgument, IndexError):
            continue
    return None


def size(shape: Any) -> int:
    result = 1
    for each in shape:
        result *= each
    return result


def shape_of(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, Tensor) else value


def promote(*dtypes: str) -> str:
    result = dtypes[0]
    for each in dtypes[1:]:
        result = _two(result, each)
    return result


def _two(a: str, b: str) -> str:
    if a == b:
        return a
    if {a, b} & {*UNSIGNED, "UNDEFINED"}:
        return "UNDEFINED"
    if a in COMPLEX or b in COMPLEX:
        if {a, b} & {"COMPLEX128", "DOUBLE"}:
            return "COMPLEX128"
        return "COMPLEX64" if {a, b} & {"COMPLEX64", "FLOAT", "BF16"} else "COMPLEX32"
    floats = [each for each in (a, b) if each in FLOATS]
    if len(floats) == 2:
        return "DOUBLE" if "DOUBLE" in floats else "FLOAT"
    if floats:
        return floats[0]
    integers = [each for each in (a, b) if each != "BOOL"]
    if len(integers) == 1:
        return integers[0]
    if "UINT8" in integers:
        return "INT16" if set(integers) & {"INT8", "INT16"} else next(each for each in integers if each != "UINT8")
    return max(integers, key=SIGNED.index)


def category(dtype: str) -> int:
    return 3 if dtype in COMPLEX else 2 if dtype in FLOATS else 0 if dtype == "BOOL" else 1


def castable(source: str, target: str) -> bool:
    return not (
        category(source) == 3 > category(target)
        or category(source) == 2 > category(target)
        or (target == "BOOL" and source != "BOOL")
    )


def broadcast(*values: Any) -> tuple[int, ...] | None:
    shapes = [shape_of(value) for value in values]
    rank = max(map(len, shapes), default=0)
    result = []
    for sizes in zip(*[(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes], strict=True):
        different = {each for each in sizes if each != 1}
        if len(different) > 1:
            return None
        result.append(different.pop() if different else 1)
    return tuple(result)


def in_dims(dim: Any, tensor: Tensor) -> bool:
    limit = max(len(tensor.shape), 1)
    return -limit <= dim < limit


def positions(dims: Any, tensor: Tensor) -> list[int]:
    values = dims if isinstance(dims, tuple) else (dims,)
    return [dim % max(len(tensor.shape), 1) for dim in values]


def twice(dims: Any, tensor: Tensor) -> bool:
    return len(set(positions(dims, tensor))) < len(dims)


def reduced(tensor: Tensor, dims: Any, keep: bool) -> tuple[int, ...]:
    places = positions(dims, tensor) or list(range(len(tensor.shape)))
    sizes = [(k, 1 if k in places else each) for k, each in enumerate(tensor.shape)]
    return tuple(each for k, each in sizes if keep or k not in places)


def fits(shape: tuple[int, ...], tensor: Tensor) -> bool:
    """Equal shapes, or one element on both sides."""
    return shape == tensor.shape or size(shape) == size(tensor.shape) == 1


def joined(tensors: tuple[Tensor, ...], dim: int) -> tuple[int, ...]:
    first = tensors[0].shape
    return tuple(sum(t[k] for t in tensors) if k == dim % len(first) else each for k, each in enumerate(first))


def stacked(tensors: tuple[Tensor, ...], dim: int) -> tuple[int, ...]:
    place = dim % (len(tensors[0].shape) + 1)
    return (*tensors[0].shape[:place], len(tensors), *tensors[0].shape[place:])


def padded(tensor: Tensor, pads: tuple[int, ...]) -> tuple[int, ...]:
    sizes = list(tensor.shape)
    for k in range(0, len(pads) - 1, 2):
        sizes[-1 - k // 2] += pads[k] + pads[k + 1]
    return tuple(sizes)


def sliced(tensor: Tensor, starts: Any, ends: Any, axes: Any, steps: Any) -> tuple[int, ...]:
    sizes = list(tensor.shape)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=False):
        sizes[axis] = len(range(*slice(start, end, step).indices(sizes[axis])))
    return tuple(sizes)


def repeated(tensor: Tensor, repeats: tuple[int, ...]) -> tuple[int, ...]:
    sizes = (1,) * (len(repeats) - len(tensor.shape)) + tensor.shape
    return tuple(a * b for a, b in zip(sizes, repeats, strict=True))


def chosen(tensor: Tensor, dim: int, k: int) -> tuple[int, ...]:
    return tuple(k if p == dim % len(tensor.shape) else each for p, each in enumerate(tensor.shape))


def inserted(tensor: Tensor, axis: int, count: int) -> tuple[int, ...]:
    place = axis % (len(tensor.shape) + 1)
    return (*tensor.shape[:place], count, *tensor.shape[place:])


def gathered(tensor: Tensor, dim: int, index: Tensor) -> tuple[int, ...]:
    if not tensor.shape:
        return ()
    place = dim % len(tensor.shape)
    return (*tensor.shape[:place], *(index.shape or (1,)), *tensor.shape[place + 1 :])


def matrices(a: Tensor, b: Tensor) -> tuple[int, ...]:
    """The shape of a product of matrices, of vectors, or of batches of matrices."""
    batch = broadcast(a.shape[:-2], b.shape[:-2]) or ()
    return (*batch, *a.shape[-2:-1], *(b.shape[-1:] if len(b.shape) > 1 else ()))


def pooled(
    tensor: Tensor, kernel: Any, stride: Any, pads: Any, rounds_up: bool, dilation: Any = (1,)
) -> tuple[int, ...]:
    """The shape of pooling. Four pads are top, left, bottom, right."""
    sizes = []
    kernel, stride, dilation = ((*each, *each)[:2] for each in (kernel, stride, dilation))
    starts, ends = ((*pads, *pads)[:2], (*pads, *pads)[-2:])
    for n, k, s, p, q, d in zip(tensor.shape[-2:], kernel, stride, starts, ends, dilation, strict=True):
        count = (n + p + q - d * (k - 1) - 1 + (s - 1) * rounds_up) // s + 1
        sizes.append(count - 1 if rounds_up and (count - 1) * s >= n + p else count)
    return (*tensor.shape[:-2], *sizes) if min(sizes) > 0 else (-1,)


def spread3(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(values) * 3 if len(values) == 1 else tuple(values)


def pooled3(
    tensor: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], pads: tuple[int, ...], rounds_up: bool
) -> tuple[int, ...]:
    """The shape of pooling over three dimensions. A window must begin in the tensor or in the padding before it."""
    sizes = []
    for n, k, s, p in zip(tensor.shape[-3:], *map(spread3, (kernel, stride or kernel, pads)), strict=True):
        count = (n + 2 * p - k + (s - 1) * rounds_up) // s + 1
        sizes.append(count - 1 if rounds_up and (count - 1) * s >= n + p else count)
    return (*tensor.shape[:-3], *sizes)


def masked_ranks(indices: tuple[Tensor, ...]) -> int:
    if all(each.dtype != "BOOL" for each in indices):
        return 0
    return sum(len(each.shape) if each.dtype == "BOOL" else 1 for each in indices)


def masks_match(indices: tuple[Tensor, ...], tensor: Tensor) -> bool:
    place = 0
    for each in indices:
        if each.dtype == "BOOL" and each.shape != tensor.shape[place : place + len(each.shape)]:
            return False
        place += len(each.shape) if each.dtype == "BOOL" else 1
    return True


def head(tensor: Tensor, layout: str, heads: int, query: Tensor | None = None) -> int:
    """The last dimension of one head. Keys of layouts without heads have as many heads as the sizes allow."""
    if layout in ("BSH", "SBH"):
        return tensor[-1] // heads if query is None or tensor[-1] != query[-1] else query[-1] // heads
    return tensor[-1]


def in_range(scalar: Scalar, dtype: str) -> bool:
    if dtype == "INT32":
        return -(2**31) <= scalar.value < 2**31
    return not abs(scalar.value) > LARGEST[dtype]  # NaN passes


def overflows(scalar: Scalar, dtype: str) -> bool:
    """Whether a dtype cannot hold a scalar, although the scalar is not infinite."""
    if category(dtype) != 1:
        return math.isfinite(abs(scalar.value)) and abs(scalar.value) > LARGEST.get(real(dtype), math.inf)
    if dtype == "UINT8":
        return not -255 * (category(scalar.dtype) == 1) <= scalar.value <= 255
    return not -(2 ** (INTEGER_BITS[dtype] - 1)) <= scalar.value < 2 ** (INTEGER_BITS[dtype] - 1)


def present(function: Callable[..., Any]) -> Callable[..., Any]:
    """A word that needs its arguments."""

    def checked(*values: Any) -> Any:
        if any(value is None for value in values):
            raise AbsentArgument
        return function(*values)

    return checked


def dtype_of(value: Any) -> str:
    return value if isinstance(value, str) else value.dtype


def converted(scalar: Scalar, target: Tensor) -> Any:
    """A scalar's value in the dtype of a tensor."""
    return int(scalar.value) if category(target.dtype) == 1 else scalar.value


@cache
def words(product: str) -> dict[str, Any]:
    """The words of the file, on a product."""

    def listed(*values: Any) -> bool:
        *tensors, names = values
        allowed = frozenset(names.split()) if isinstance(names, str) else lists(product)[names]
        return all(dtype_of(tensor) in allowed for tensor in tensors)

    def scalar_promote(tensor: Any, scalar: Any) -> str:
        a, b = dtype_of(tensor), dtype_of(scalar)
        if a == b:
            return a
        return promote(a, b) if category(b) > category(a) else a

    def division(a: Any, b: Any) -> str:
        """What products cast a quotient from: 950 the floating dtype, the others the promoted one."""
        result = scalar_promote(a, b) if isinstance(b, Scalar) else promote(dtype_of(a), dtype_of(b))
        return floating(result) if product == "950" else result

    needing = {
        f.__name__: present(f)
        for f in (
            size, promote, castable, category, broadcast, in_dims, twice, reduced, fits, joined, stacked, padded,
            sliced, repeated, chosen, inserted, gathered, masked_ranks, masks_match, matrices, head, in_range, listed,
            pooled, pooled3, spread3, scalar_promote, division, floating, real, overflows,
        )
    }  # fmt: skip
    return {
        **{name: name for name in DTYPES},
        **FORMATS,
        **needing,
        "rank": present(lambda x: len(shape_of(x))),
        "count": present(lambda x: size(shape_of(x))),
        "shape": present(shape_of),
        "dtype": present(dtype_of),
        "format": present(lambda x: x.format),
        "empty": present(lambda x: 0 in x.shape),
        "converted": present(converted),
        "len": present(lambda x: len(shape_of(x))),
        "private_format": lambda x: x in PRIVATE_FORMATS,
        "broadcastable": present(lambda a, b: broadcast(a, b) is not None),
        "expands": present(lambda a, b: broadcast(a, b) == b),
        "scalar_fits": present(scalar_fits),
        "limits": lambda tensor, *scalars: reduce(scalar_promote, filter(None, scalars), tensor),
        "null": lambda *values: any(value is None for value in values),
        "product": lambda *names: product in names,
        "IsFloatingType": present(lambda x: category(x) == 2),
        "IsComplexType": present(lambda x: category(x) == 3),
        "IsIntegralType": present(lambda x, _=True: category(x) < 2),
    }


def scalar_fits(scalar: Scalar, tensor: Tensor, has_wide: bool = False) -> bool:
    """Whether a scalar of a list's function has a dtype for the list's."""
    by_dtype = {"FLOAT": ("FLOAT", "DOUBLE"), "BF16": ("FLOAT", "DOUBLE"), "FLOAT16": ("FLOAT16", "DOUBLE")}
    wide = ("FLOAT",) if has_wide and tensor.dtype == "FLOAT16" else ()
    return scalar.dtype in (*by_dtype.get(tensor.dtype, ("INT32", "INT64")), *wide)


def floating(dtype: str) -> str:
    return dtype if category(dtype) >= 2 else "FLOAT"


def real(dtype: str) -> str:
    return {"COMPLEX32": "FLOAT16", "COMPLEX64": "FLOAT", "COMPLEX128": "DOUBLE"}.get(dtype, dtype)


WORDS = frozenset(words("910B"))
