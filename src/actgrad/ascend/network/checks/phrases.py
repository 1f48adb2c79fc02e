"""What a row says of a function's checks.

A phrase is a word and its arguments. words.py, shape_words.py and dtype_words.py have a function for each word, which
makes the checks. Patterns and the judge read the last group of words here.
"""

from __future__ import annotations

from collections.abc import Callable

Phrase = tuple[str, ...]


def _said(word: str) -> Callable[..., Phrase]:
    def phrase(*arguments: str) -> Phrase:
        return (word, *arguments)

    return phrase


def must(comparison: str) -> Phrase:
    """A chain of comparisons of terms, such as `0 <= reduction <= 2`."""
    return ("must", *comparison.split())


def columns(names: str, *rows: str) -> Phrase:
    """The dtypes of these tensors are one of several rows."""
    return ("columns", *names.split(), *(each for row in rows for each in ("/", *row.split())))


def when(comparison: str, phrase: Phrase) -> Phrase:
    """Only if a comparison of two terms holds."""
    return ("when", *comparison.split(), *phrase)


def where(name: str, phrase: Phrase) -> Phrase:
    """Only if an optional pointer is passed."""
    return ("where", name, *phrase)


def unless(name: str, dtypes: str, phrase: Phrase) -> Phrase:
    """Unless a tensor has one of these dtypes, which stand with plus signs between them."""
    return ("unless", name, dtypes, *phrase)


def on(chips: str, phrase: Phrase) -> Phrase:
    """Only on these products, separated by commas."""
    return ("on", chips, *phrase)


def tiling(phrase: Phrase) -> Phrase:
    """At the stage where a generated function plans its kernel."""
    return ("tiling", *phrase)


# Pointers, products, lists and values
oneof, masked, chips, only, cube = map(_said, ("oneof", "masked", "chips", "only", "cube"))
dims, product, positive, lists = map(_said, ("dims", "product", "positive", "lists"))
# Dtypes
dtype, equal, same, casts, promoted = map(_said, ("dtype", "equal", "same", "casts", "promoted"))
alpha, real, promotable, copyable = map(_said, ("alpha", "real", "promotable", "copyable"))
part, orfloat, scalarof = map(_said, ("part", "orfloat", "scalarof"))
ranged, representable, stepped, interval = map(_said, ("ranged", "representable", "stepped", "interval"))
# Formats and shapes
public, contiguous, nd, oneformat, formats = map(_said, ("public", "contiguous", "nd", "oneformat", "formats"))
images, rank, shape, broadcast, fits, into = map(_said, ("images", "rank", "shape", "broadcast", "fits", "into"))
multiplied, reducible, statistics, within = map(_said, ("multiplied", "reducible", "statistics", "within"))
last, onesor, filled, masks, indexed = map(_said, ("last", "onesor", "filled", "masks", "indexed"))

null = _said("null")  # a status, and pointers that have it if they are null
lengths = _said("lengths")  # lists of one length, which counts as a pointer
optional = _said("optional")  # pointers that may be null
free = _said("free")  # no common dtype is computed
anyout = _said("anyout")  # on these products, the result need not convert
anyrank = _said("anyrank")  # any number of dimensions
ones = _said("ones")  # outputs of one element fit in shape
emptyfirst = _said("emptyfirst")  # if one of these tensors is empty, the checks end
empty = _said("empty")  # if one of these tensors is empty, the checks end here
anyshape = _said("anyshape")  # outputs of any shape with as many elements
twice = _said("twice")  # a dimension may occur twice
reductions = _said("reductions")  # the highest reduction. Without a number, any
