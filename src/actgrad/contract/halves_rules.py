"""Rules on the shapes of a gated operator: a packed tensor, `self`, is halved along `dim`."""

from __future__ import annotations

from .check import Call, Check
from .results import halved

PACKED = "self"


def dim_in_range() -> tuple[Check, ...]:
    """dim names a dimension of the packed tensor. One without dimensions counts as of rank 1 here, as it does there."""

    def test(call: Call) -> str | None:
        dim, rank = call.attributes["dim"], max(len(call.inputs[PACKED].shape), 1)
        return None if -rank <= dim < rank else f"dim is {dim}; it must lie in [{-rank}, {rank - 1}]"

    return (Check(f"dim lies in [-rank, rank - 1] of {PACKED}", test, about=("dim",)),)


def same_rank(*names: str) -> tuple[Check, ...]:
    """Each of these tensors has as many dimensions as the packed one."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            meta, packed = call.tensors.get(name), call.inputs[PACKED].shape
            if meta is None or len(meta.shape) == len(packed):
                return None
            return f"{name} has {len(meta.shape)} dimensions (shape {meta.shape}), but {PACKED} has {len(packed)}"

        return Check(f"{name} has as many dimensions as {PACKED}", test, about=(name, PACKED))

    return tuple(map(check, names))


def even() -> tuple[Check, ...]:
    """The packed tensor can be halved."""

    def test(call: Call) -> str | None:
        shape = call.inputs[PACKED].shape
        if not shape:
            return f"{PACKED} has no dimension to halve (shape ())"
        dim = call.attributes["dim"]
        return f"{PACKED} has odd size {shape[dim]} in dimension {dim} (shape {shape})" if shape[dim] % 2 else None

    return (Check(f"{PACKED} has an even size along dim", test, about=(PACKED, "dim")),)


def half_size(*names: str) -> tuple[Check, ...]:
    """Each of these tensors has, along dim, half the packed one's size."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            meta, packed, dim = call.tensors.get(name), call.inputs[PACKED].shape, call.attributes["dim"]
            if meta is None or not -len(meta.shape) <= dim < len(meta.shape) or 2 * meta.shape[dim] == packed[dim]:
                return None
            return f"{name} has size {meta.shape[dim]} in dimension {dim}, but half of {PACKED} has {packed[dim] // 2}"

        return Check(f"{name} has half the size of {PACKED} along dim", test, about=(name, PACKED, "dim"))

    return tuple(map(check, names))


def half(*names: str) -> tuple[Check, ...]:
    """Each of these tensors has the packed one's shape, halved along dim."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            meta, packed, dim = call.tensors.get(name), call.inputs[PACKED].shape, call.attributes["dim"]
            if meta is None or meta.shape == halved(packed, dim % len(packed)):
                return None
            expected = halved(packed, dim % len(packed))
            return f"{name} has shape {meta.shape}, but half of {PACKED} along dimension {dim} has {expected}"

        return Check(f"{name} has the shape of {PACKED}, halved along dim", test, about=(name, PACKED, "dim"))

    return tuple(map(check, names))
