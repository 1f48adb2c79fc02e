"""Short ways: calls like those that were checked before go straight to their kernel.

The long way (arguments, checks, preparation) costs some ten times what a kernel on a few elements does. Here is kept
what calls that took it were like; to find one that is like them is the backend's affair, which makes a door of its own
for an operator's callers (see plan.Shortcut). What does not fit takes the long way, the only one that raises an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from . import arrays, pages, products
from .arrays import View
from .forks import forkable_lock
from .plan import Prepared, Way

ENTRIES = 8  # layouts per set of attributes that have a short way at a time
WAYS = 64  # sets of attributes, each with its kind of array

_lock = forkable_lock()


class Shortcuts:
    """The short ways of one operator."""

    def __init__(self, long_way: Callable[..., Any], is_gated: bool):
        self.door: Callable[..., Any] = long_way  # what callers are to call: a backend's once a call was remembered
        self._long_way = long_way
        self._is_gated = is_gated
        self._held: list[tuple[Way, ...]] = [()]  # latest first; replaced as a whole, because the door reads it

    @property
    def ways(self) -> tuple[Way, ...]:
        """What the calls were like that may be taken."""
        return self._held[0]

    def forget(self) -> None:
        """Have all calls take the long way again."""
        self._held[0] = ()

    def add(
        self, attributes: dict[str, Any], prepared: Prepared, outputs: Sequence[View], inputs: Sequence[View | None]
    ) -> None:
        """Remember a call that took the long way with these keyword arguments."""
        if products.any_chosen() or not all(_is_plain(value) for value in attributes.values()):
            return
        shortcut = prepared.kernel.shortcut(outputs, inputs)
        if shortcut is None:
            return
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        way = Way(
            type(first.source),
            tuple(attributes),
            tuple(attributes.values()),
            (shortcut.entry,),
            _empty_like(outputs[0]) if len(outputs) == 1 else None,
            arrays.note_written(outputs[0].kind),
            1 if self._is_gated else 0,
            len(outputs),
        )
        with _lock:
            known = {_key(way): way for way in self.ways}
            before = known.pop(_key(way), None)
            entries = () if before is None else before.entries
            if shortcut.entry in entries:
                return  # it is known, and cannot be taken: a tensor that requires grad under no_grad, say
            way = way._replace(entries=(shortcut.entry, *entries[: ENTRIES - 1]))
            if before is not None and before.empty_like is arrays.torch_empty_like:
                way = way._replace(empty_like=before.empty_like)  # there are large results among them
            self._held[0] = (way, *list(known.values())[: WAYS - 1])
            if self.door is self._long_way:
                self.door = shortcut.door(self._long_way, self._held, products.selected)


def _key(way: Way) -> Hashable:
    """What tells a way from others: 1 and True are equal, but not both allowed."""
    return way.kind, way.names, way.values, tuple(map(type, way.values))


def _is_plain(value: Any) -> bool:
    """Whether a keyword argument is one whose equality says all.

    Not zero, which is signed; not NaN; nor a subnormal number, which equals zero where a thread flushes these.
    """
    return type(value) in (int, bool, str) or (type(value) is float and abs(value) >= sys.float_info.min)


def _empty_like(result: View) -> Callable[[Any], Any]:
    """What allocates further results like this one."""
    if result.kind == "numpy":
        return np.empty_like
    is_large = result.meta.size * result.meta.dtype.itemsize >= pages.LARGE
    allocate: Callable[[Any], Any] = arrays.torch_empty_like if is_large else sys.modules["torch"].empty_like
    return allocate
