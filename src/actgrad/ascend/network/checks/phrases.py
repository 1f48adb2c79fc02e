"""What a row says of a function's checks.

A phrase is a word and its arguments. words.py, shape_words.py and dtype_words.py have a function for each word, which
makes the checks. Patterns and the judge read the last group of words here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dtypes import DtypeList
from .row import Phrase
from .terms import Relation


def _said(word: str) -> Callable[..., Phrase]:
    def phrase(*arguments: Any) -> Phrase:
        return (word, *arguments)

    return phrase


def must(*comparisons: Relation) -> Phrase:
    """These comparisons hold."""
    return ("must", *comparisons)


def columns(names: tuple[str, ...], *combinations: tuple[DtypeList, ...]) -> Phrase:
    """The dtypes of these tensors are one of several combinations."""
    return ("columns", names, *combinations)


def when(comparison: Relation, phrase: Phrase) -> Phrase:
    """Only if a comparison holds."""
    return ("when", comparison, *phrase)


def where(name: str, phrase: Phrase) -> Phrase:
    """Only if an optional pointer is passed."""
    return ("where", name, *phrase)


def unless(name: str, dtypes: DtypeList, phrase: Phrase) -> Phrase:
    """Unless a tensor has one of these dtypes."""
    return ("unless", name, dtypes, *phrase)


def on(chips: str | tuple[str, ...], phrase: Phrase) -> Phrase:
    """Only on this product, or on these."""
    return ("on", chips if isinstance(chips, tuple) else (chips,), *phrase)


def tiling(phrase: Phrase) -> Phrase:
    """At the stage where a generated function plans its kernel."""
    return ("tiling", *phrase)


def masked(mask: str, *names: str, length_status: int = 161002) -> Phrase:
    """Each output that a mask selects is not null. `length_status`: for a mask of another length."""
    return ("masked", mask, names, length_status)


def rank(*names: str, exactly: int = -1, between: tuple[int, int] = (0, 8)) -> Phrase:
    """Tensors, or the tensors of lists, have this number of dimensions, or a number between two."""
    return ("rank", names, *(between if exactly < 0 else (exactly, exactly)))


def one_format(*names: str, unless_nd: bool = False) -> Phrase:
    """Each tensor has the format of the last tensor. `unless_nd`: or the last tensor has the format ND."""
    return ("one_format", names, unless_nd)


def images(*names: str, only_3d: bool = False) -> Phrase:
    """Each tensor has the image format of its rank. `only_3d`: tensors of other ranks may have any format."""
    return ("images", names, only_3d)


# Pointers, products, lists and values
one_of, chips, only, cube = map(_said, ("one_of", "chips", "only", "cube"))
dims, product, positive, lists = map(_said, ("dims", "product", "positive", "lists"))
# Dtypes
dtype, equal, same, casts, promoted = map(_said, ("dtype", "equal", "same", "casts", "promoted"))
alpha, real, promotable, copyable = map(_said, ("alpha", "real", "promotable", "copyable"))
part, float32_or_dtype_of, scalar_fits = map(_said, ("part", "float32_or_dtype_of", "scalar_fits"))
ranged, representable, stepped, interval = map(_said, ("ranged", "representable", "stepped", "interval"))
# Formats and shapes
public, contiguous, nd, formats = map(_said, ("public", "contiguous", "nd", "formats"))
shape, broadcast, broadcastable, fits, into = map(_said, ("shape", "broadcast", "broadcastable", "fits", "into"))
multiplied, reducible, statistics, within = map(_said, ("multiplied", "reducible", "statistics", "within"))
last, one_or_size_of, filled, masks, indexed = map(_said, ("last", "one_or_size_of", "filled", "masks", "indexed"))

null = _said("null")  # a status, and pointers that have it if they are null
null_entries = _said("null_entries")  # a status, and lists that have it if they have a null pointer
lengths = _said("lengths")  # lists of one length, which counts as a pointer
optional = _said("optional")  # pointers that may be null
free = _said("free")  # no common dtype is computed
unconverted_on = _said("unconverted_on")  # on these products, the result need not convert
any_rank = _said("any_rank")  # any number of dimensions
ones = _said("ones")  # outputs of one element fit in shape
empty_first = _said("empty_first")  # if one of these tensors is empty, the checks end
empty = _said("empty")  # if one of these tensors is empty, the checks end here
any_shape = _said("any_shape")  # outputs of any shape with as many elements
twice = _said("twice")  # a dimension may occur twice
reductions = _said("reductions")  # the highest reduction. Without a number, any
