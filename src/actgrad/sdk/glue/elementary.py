"""The functions by the names of clients.txt. Each takes its parameters in order: arrays, numbers, flags.

`meets` says how the shapes of its tensors meet. Results are written into the last tensor, or into the first of a
function in place; the rules of dtypes are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .promotion import FLOAT32, category, promoted, with_scalar, working

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Quantity:
    """A scalar argument."""

    value: Any
    dtype: np.dtype[Any]


Operand = Array | Quantity


@dataclass(frozen=True)
class Glue:
    """A function and how the shapes of its tensors meet: "broadcast", "same" or "reduce"."""

    compute: Callable[..., None]
    meets: str
    result: str  # the parameter that is written


TABLE: dict[str, Glue] = {}


def _add(name: str, compute: Callable[..., None], meets: str = "broadcast", result: str = "out") -> None:
    TABLE[f"aclnn{name}"] = Glue(compute, meets, result)


def _common(*operands: Operand) -> np.dtype[Any]:
    """The dtype of a result of these."""
    dtype = promoted(*[each.dtype for each in operands if not isinstance(each, Quantity)])
    for each in operands:
        if isinstance(each, Quantity):
            dtype = with_scalar(dtype, each.dtype)
    return dtype


def _in(dtype: np.dtype[Any], operand: Operand) -> Any:
    if isinstance(operand, Quantity):
        return np.asarray(operand.value).astype(dtype)
    return operand.astype(dtype)


def _write(out: Array, values: Any, dtype: np.dtype[Any]) -> None:
    """Round values once to their dtype and then convert them as a copy does."""
    _copy(out, np.asarray(values).astype(dtype))


def _copy(to: Array, source: Array) -> None:
    if source.dtype.kind == "c" and to.dtype.kind != "c":
        source = source.real
    to[...] = source != 0 if to.dtype == np.bool_ else source


def _cast(source: Array, dtype: int, out: Array) -> None:
    _copy(out, source)


def _fill(to: Array, value: Quantity) -> None:
    _copy(to, np.asarray(value.value))


def _sum(a: Any, b: Any, alpha: Any) -> Any:
    return a + alpha * b


def _difference(a: Any, b: Any, alpha: Any) -> Any:
    return a - alpha * b


def _with_alpha(rule: Callable[[Any, Any, Any], Any], in_place: bool) -> Callable[..., None]:
    def compute(a: Array, b: Operand, alpha: Quantity, out: Array | None = None) -> None:
        dtype = _common(a, b)
        work = working(dtype)
        _write(a if out is None else out, rule(_in(work, a), _in(work, b), _in(work, alpha)), dtype)

    return compute if not in_place else lambda a, b, alpha: compute(a, b, alpha)


def _product(a: Array, b: Operand, out: Array | None = None) -> None:
    dtype = _common(a, b)
    work = working(dtype)
    _write(a if out is None else out, _in(work, a) * _in(work, b), dtype)


def _quotient(a: Array, b: Operand, out: Array | None = None) -> None:
    dtype = _common(a, b)
    dtype = FLOAT32 if category(dtype) < 2 else dtype  # integers divide to float32
    work = working(dtype)
    _write(a if out is None else out, _in(work, a) / _in(work, b), dtype)


def _total(a: Array, dims: tuple[int, ...], keep: bool, dtype: int, out: Array) -> None:
    """Halves are summed in float32, integers in int64."""
    work = working(out.dtype) if category(out.dtype) >= 2 else np.dtype(np.int64)
    axes = tuple(dims) if dims else tuple(range(a.ndim))
    _write(out, np.sum(a, axis=axes, dtype=work, keepdims=keep).reshape(out.shape), out.dtype)


def _mean(a: Array, dims: tuple[int, ...], keep: bool, dtype: int, out: Array) -> None:
    axes = tuple(dims) if dims else tuple(range(a.ndim))
    _write(out, np.mean(a, axis=axes, dtype=working(out.dtype), keepdims=keep).reshape(out.shape), out.dtype)


def _of_one(rule: Callable[[Any], Any], to_float: bool = False) -> Callable[..., None]:
    def compute(a: Array, out: Array) -> None:
        dtype = FLOAT32 if to_float and category(a.dtype) < 2 else a.dtype
        _write(out, rule(a.astype(working(dtype))), dtype)

    return compute


def _of_two(rule: Callable[[Any, Any], Any]) -> Callable[..., None]:
    def compute(a: Array, b: Operand, out: Array) -> None:
        dtype = _common(a, b)
        _write(out, rule(_in(dtype, a), _in(dtype, b)), dtype)

    return compute


def _comparison(rule: Callable[[Any, Any], Any]) -> Callable[..., None]:
    """Truth values, converted to the output's dtype."""

    def compute(a: Array, b: Operand, out: Array) -> None:
        dtype = _common(a, b)
        _copy(out, np.asarray(rule(_in(dtype, a), _in(dtype, b))))

    return compute


_add("InplaceCopy", _copy, result="selfRef")
_add("Cast", _cast, "same")
_add("InplaceFillScalar", _fill, "same", "selfRef")
_add("InplaceZero", lambda to: to.fill(0), "same", "selfRef")
_add("InplaceOne", lambda to: to.fill(1), "same", "selfRef")
for _name, _rule in (("Add", _sum), ("Sub", _difference)):
    for _ending in ("", "s"):
        _add(f"{_name}{_ending}", _with_alpha(_rule, False))
        _add(f"Inplace{_name}{_ending}", _with_alpha(_rule, True), result="selfRef")
for _name, _function in (("Mul", _product), ("Div", _quotient)):
    for _ending in ("", "s"):
        _add(f"{_name}{_ending}", _function)
        _add(f"Inplace{_name}{_ending}", _function, result="selfRef")
_add("Abs", _of_one(np.abs), "same")
_add("Neg", _of_one(np.negative), "same")
_add("Square", _of_one(np.square), "same")
_add("Sign", _of_one(np.sign), "same", "result")
for _name, _unary in (("Exp", np.exp), ("Log", np.log), ("Sqrt", np.sqrt), ("Reciprocal", np.reciprocal)):
    _add(_name, _of_one(_unary, True), "same")
_add("Rsqrt", _of_one(lambda a: 1 / np.sqrt(a), True), "same")
for _name, _compared in (("Gt", np.greater), ("Lt", np.less), ("Eq", np.equal)):
    _add(f"{_name}Scalar", _comparison(_compared), "same")
_add("EqTensor", _comparison(np.equal))
_add("Maximum", _of_two(np.maximum))
_add("Minimum", _of_two(np.minimum))
_add("ReduceSum", _total, "reduce")
_add("Mean", _mean, "reduce")
