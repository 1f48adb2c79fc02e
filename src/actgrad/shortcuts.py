"""Short ways: calls like those that were checked before go straight to their kernel.

The long way (arguments, checks, preparation) costs some ten times what a kernel on a few elements does. Here calls are
told apart by their attributes, which Python compares; whether the arrays are as before is the backend's affair (see
Kernel.shortcut). What does not fit takes the long way, which is also the only one that raises an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import arrays, backends, pages, products
from .arrays import View
from .forks import forkable_lock
from .plan import Prepared

ENTRIES = 8  # layouts per set of attributes that have a short way at a time
SETS = 64  # sets of attributes, each with its kind of array

_lock = forkable_lock()


@dataclass(frozen=True, slots=True)
class Way:
    """The short way for one kind of array and one set of attributes."""

    try_kernels: Callable[..., bool]
    entries: tuple[bytes, ...]  # latest first
    empty_like: Callable[[Any], Any] | None  # allocates the one result; None where that takes more thought
    alike: int  # which of the inputs the result is like
    results: int
    note_written: Callable[[Any], None] | None
    forward_mode: Any  # PyTorch's module of forward-mode differentiation, None where PyTorch has no part

    def attempt(self, tensors: tuple[Any, ...], out: Any) -> Any:
        """The result, or None where the call must take the long way."""
        if self.forward_mode is not None and self.forward_mode._current_level >= 0:
            return None  # a tensor that is being differentiated does not show it
        if out is None:
            if (
                self.empty_like is None
                or len(tensors) <= self.alike
                or type(tensors[self.alike]) is not type(tensors[0])
            ):
                return None
            try:
                out = self.empty_like(tensors[self.alike])
            except RuntimeError:  # some of PyTorch's tensors have no like; the long way says what they are
                return None
            return out if self.try_kernels(self.entries, out, *tensors) else None
        outputs = out if self.results > 1 and type(out) is tuple else (out,)
        if not self.try_kernels(self.entries, *outputs, *tensors):
            return None
        if self.note_written is not None:
            self.note_written(outputs)
        return out


class Latest(NamedTuple):
    """The short way that was taken last, with the keyword arguments of that call."""

    types: list[type]
    attributes: dict[str, Any]
    way: Way


class Shortcuts:
    """The short ways of one operator."""

    def __init__(self, is_gated: bool):
        self._ways: dict[Any, Way] = {}
        self._latest: dict[type, Latest] = {}  # by kind of array
        self._is_gated = is_gated

    def find(self, tensors: tuple[Any, ...], attributes: dict[str, Any]) -> Way | None:
        """The short way of a call with these positional and keyword arguments, or None."""
        if not tensors or products.any_chosen():
            return None
        if not backends.torch_is_adopted:
            backends.adopt_torch()
        kind = type(tensors[0])
        if not attributes:
            return self._ways.get(kind)
        latest = self._latest.get(kind)
        # Types first: values of other types may not even be comparable. It costs half of what making a key does.
        if (
            latest is not None
            and list(map(type, attributes.values())) == latest.types
            and latest.attributes == attributes
        ):
            return latest.way
        try:
            way = self._ways.get(_key(kind, attributes))
        except TypeError:  # an unhashable argument: a tensor by name, say
            return None
        if way is not None:
            self._latest[kind] = Latest(list(map(type, attributes.values())), attributes, way)
        return way

    def add(
        self, attributes: dict[str, Any], prepared: Prepared, outputs: Sequence[View], inputs: Sequence[View | None]
    ) -> None:
        """Remember a call that has taken the long way."""
        if products.any_chosen() or not all(_is_plain(value) for value in attributes.values()):
            return
        shortcut = prepared.kernel.shortcut(outputs, inputs)
        if shortcut is None:
            return
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        key = _key(type(first.source), attributes) if attributes else type(first.source)
        known = self._ways.get(key)
        entries = known.entries if known is not None else ()
        if shortcut.entry in entries:
            return  # it is known, and cannot be taken: a tensor that requires grad under no_grad, say
        entries = (shortcut.entry, *entries[: ENTRIES - 1])
        alike = 1 if self._is_gated else 0
        allocate = _empty_like(outputs[0]) if len(outputs) == 1 else None
        forward_mode = sys.modules.get("torch.autograd.forward_ad")
        note_written = arrays.note_written(outputs[0].kind)
        with _lock:
            while len(self._ways) >= SETS and key not in self._ways:
                del self._ways[next(iter(self._ways))]
        self._latest.pop(type(first.source), None)
        self._ways[key] = Way(shortcut.attempt, entries, allocate, alike, len(outputs), note_written, forward_mode)


def _key(kind: type, attributes: dict[str, Any]) -> Hashable:
    """The kind of array, and keyword arguments by name, value and type: 1 and True are equal, but not both allowed."""
    return (kind, *attributes, *attributes.values(), *map(type, attributes.values()))


def _is_plain(value: Any) -> bool:
    """Whether a keyword argument is one whose equality says all: no float zero (signed) and no NaN."""
    return type(value) in (int, bool, str) or (type(value) is float and value == value and value != 0)


def _empty_like(result: View) -> Callable[[Any], Any]:
    """What allocates further results like this one."""
    if result.kind == "numpy":
        return np.empty_like
    is_large = result.meta.size * result.meta.dtype.itemsize >= pages.LARGE
    allocate: Callable[[Any], Any] = arrays.torch_empty_like if is_large else sys.modules["torch"].empty_like
    return allocate
