"""Sizes that a graph does not know yet. The rules on shapes judge them with the known ones."""

from __future__ import annotations

Shape = tuple[int, ...]


class UnknownSize(int):
    """A size that may be any number: it equals every size, and a product with it is unknown, too.

    As a condition it is true, as a size above 0 is.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __ge__ = __le__ = __eq__
    __gt__ = __lt__ = __ne__
    __hash__ = int.__hash__

    def __mul__(self, other: int) -> int:
        return other and self  # 0 times any size is 0

    __rmul__ = __floordiv__ = __mul__

    def __mod__(self, other: int) -> int:
        return 0


UNKNOWN = UnknownSize(-1)
#: The shape of unknown rank. It is compared by identity: `==` would ask a tracer for the value of its sizes.
UNKNOWN_RANK: Shape = (-2,)


def first_known(sizes: tuple[int, ...]) -> int:
    """The first size that is known, if one is."""
    return next((size for size in sizes if size is not UNKNOWN), UNKNOWN)
