"""Rules on the shapes of packed tensors, which an operator halves along the dimension in the attribute `dim`."""

from __future__ import annotations

from ..base.errors import quantity
from ..base.loop import TensorMeta
from .check import Call, Check, change, of_each

LAST = "the last dimension"


def number_of(call: Call, dim: str) -> int:
    """The dimension in the attribute `dim`, or -1 if `dim` is ""."""
    return int(call.attributes[dim]) if dim else -1


def dim_in_range(packed: str, dim: str = "dim") -> tuple[Check, ...]:
    """The attribute `dim` is a dimension of the packed tensor. For a tensor without dimensions, it is 0 or -1."""

    def test(call: Call) -> str | None:
        number, shape = number_of(call, dim), call.inputs[packed].shape
        rank = max(len(shape), 1)
        if -rank <= number < rank:
            return None
        return f"{dim} is {number}, but {packed} has shape {shape}; it must lie in [{-rank}, {rank - 1}]; change {dim}"

    return (Check(f"{dim} lies in [-rank, rank - 1] of {packed}", test, about=(dim,)),)


def same_rank(*names: str, to: str) -> tuple[Check, ...]:
    """Each of these tensors has as many dimensions as the tensor `to`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        other = call.inputs[to].shape
        if len(meta.shape) == len(other):
            return None
        fault = f"{name} has {quantity(len(meta.shape), 'dimension')} (shape {meta.shape}), but {to} has {len(other)}"
        return f"{fault} (shape {other}); the two numbers must be equal; reshape {name}"

    return of_each(names, f"{{name}} has as many dimensions as {to}", test, about=(to,))


def even(packed: str, dim: str = "dim") -> tuple[Check, ...]:
    """The packed tensor has an even size along `dim`."""

    def test(call: Call) -> str | None:
        shape = call.inputs[packed].shape
        if not shape:
            return f"{packed} has shape (); it must have a dimension to halve; reshape {packed}"
        number = number_of(call, dim)
        if shape[number] % 2 == 0:
            return None
        fault = f"{packed} has odd size {shape[number]} in dimension {number} (shape {shape})"
        return (
            f"{fault}; it must be even, because the operator halves it; {f'change {dim} or ' * bool(dim)}pad {packed}"
        )

    return (Check(f"{packed} has an even size along {dim or LAST}", test, about=(packed, dim) if dim else (packed,)),)


def half_size(*names: str, of: str, dim: str = "dim") -> tuple[Check, ...]:
    """Along `dim`, each of these tensors has half the size of the packed tensor `of`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        packed, number = call.inputs[of].shape, number_of(call, dim)
        if not -len(meta.shape) <= number < len(meta.shape) or 2 * meta.shape[number] == packed[number]:
            return None
        fault = f"{name} has size {meta.shape[number]} in dimension {number}, but {of} has {packed[number]}"
        return f"{fault}; it must have half of that, {packed[number] // 2}; {change(call, name)}"

    return of_each(names, f"{{name}} has half the size of {of} along {dim}", test, about=(of, dim))


def half(*names: str, of: str, dim: str = "dim") -> tuple[Check, ...]:
    """Each of these tensors has the shape of the packed tensor `of`, halved along `dim`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        packed = call.inputs[of].shape
        expected = call.definition.access.part_shape(of, packed, call.attributes)
        if meta.shape == expected:
            return None
        number = number_of(call, dim) % len(packed)
        fault = f"{name} has shape {meta.shape}, but {of} has shape {packed}"
        return f"{fault}; it must be {expected}, which is {of} halved along dimension {number}; {change(call, name)}"

    return of_each(
        names, f"{{name}} has the shape of {of}, halved along {dim or LAST}", test, about=(of, dim) if dim else (of,)
    )


def one_element(name: str) -> tuple[Check, ...]:
    """A tensor has one element."""

    def test(call: Call) -> str | None:
        meta = call.inputs[name]
        return None if meta.size == 1 else f"{name} has shape {meta.shape}; it must have one element; pass one number"

    return (Check(f"{name} has one element", test, about=(name,)),)


def counting(name: str) -> tuple[Check, ...]:
    """The tensor that counts rows must have one dimension."""

    def test(call: Call) -> str | None:
        meta = call.tensors.get(name)
        if meta is None or len(meta.shape) == 1:
            return None
        return f"{name} has {len(meta.shape)} dimensions (shape {meta.shape}); it must have 1; reshape {name}"

    return (Check(f"{name} has one dimension", test, about=(name,)),)


def groups(name: str, minimum: int = 1, maximum: int = 1 << 63) -> tuple[Check, ...]:
    """The tensor that counts rows has `minimum` to `maximum` elements."""
    limits = f"at least {minimum}" if maximum == 1 << 63 else f"{minimum} to {maximum}"

    def test(call: Call) -> str | None:
        meta = call.tensors.get(name)
        if meta is None or minimum <= meta.size <= maximum:
            return None
        return f"{name} has {quantity(meta.size, 'element')}; it must have {limits}; pass one count per group"

    return (Check(f"{name} has {limits} elements", test, about=(name,)),)
