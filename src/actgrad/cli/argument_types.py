"""Types of arguments that commands share, and their parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from ..base.dtypes import ALIASES, BY_NAME, FLOATS
from ..base.errors import ActgradError, InvalidArgument, UnsupportedOnProduct, did_you_mean, either, nearest, some
from ..calls.operator import REGISTRY
from ..checks import law


def operator(text: str) -> str:
    """The name of an operator. CANN's names (Elu, aclnnEluBackward) and hyphens are allowed."""
    name = resolved(text)
    if name is None:
        near = nearest(_plain(text), _by_other_names())
        cure = f"did you mean {_by_other_names()[near[0]]}?" if near else "see actgrad list"
        raise argparse.ArgumentTypeError(f"{text!r} is unknown; it must be an operator of actgrad list; {cure}")
    return name


def resolved(text: str) -> str | None:
    """The operator with this name in any spelling, or None if it does not exist."""
    return text if text in REGISTRY else _by_other_names().get(_plain(text))


def _plain(text: str) -> str:
    """A name without the characters in which spellings differ."""
    word = text.lower().replace("-", "").replace("_", "")
    return word.removeprefix("aclnn").removeprefix("inplace").removesuffix("getworkspacesize")


def _by_other_names() -> dict[str, str]:
    """Operators by their plain names. Our names take precedence over names in C, and these over names in graphs."""
    return _of_operators(tuple(REGISTRY))


@cache
def _of_operators(names: tuple[str, ...]) -> dict[str, str]:
    operators = [REGISTRY[name] for name in names]
    pairs = [(o.name, o.name) for o in operators]
    if law.slots is not None:
        pairs += [(c.name, o.name) for o in operators for c in o.law.functions]
        pairs += [(graph.name, o.name) for o in operators for graph in o.law.graphs]
    return {_plain(name): operator for name, operator in reversed(pairs)}


def pairs(words: list[str], option: str) -> dict[str, str]:
    """The values of an option that occurs once for each NAME=VALUE, by their names."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidArgument(f"{option} {word}: expected NAME=VALUE; write the name, = and the value")
        found[name] = value
    return found


def dtype(text: str) -> str:
    """A dtype. Other usual names are allowed: fp16, bf16, half, double."""
    word = text.lower()
    name = word if word in BY_NAME else ALIASES.get(word, "")
    if not name:
        names = dict.fromkeys((*FLOATS, *BY_NAME))  # floating dtypes first, because a message shows only a few names
        alike = [each for each in (*names, *ALIASES) if _digits(each) == _digits(text)]
        cure = did_you_mean(text, alike, "name one of these")
        raise argparse.ArgumentTypeError(f"{text!r} is unknown; known are {some(names)}; {cure}")
    return name


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def product(text: str) -> str:
    """A product. The name of a chip means its product: Ascend910B3 means Ascend910B."""
    if law.slots is None:
        raise argparse.ArgumentTypeError(
            f"{text} is a product; actgrad.ascend knows products; install the whole package"
        )
    name = law.slots.of_chip(text)
    if name not in law.slots.PRODUCTS:
        names = list(law.slots.PRODUCTS)
        number = text.lower().removeprefix("ascend").upper()
        alike = f"Ascend{number}"
        is_chip = law.slots.of_chip(alike) in names
        sold_as = law.slots.sold_as(text)
        near = [alike] if is_chip else sold_as
        cure = f"did you mean {either(near)}?" if near else "name one of these or one of their chips"
        raise argparse.ArgumentTypeError(f"{text!r} is unknown; known are {', '.join(names)}; {cure}")
    return name


@contextmanager
def choosing(product: str | None, rules: str | None = None) -> Iterator[None]:
    """A context in which the rules of a product, or a set of rules, judge calls. None keeps the choice."""
    if product is None and rules is None:
        yield
        return
    if law.slots is None:
        raise ActgradError(f"rules are {rules!r}; actgrad.ascend knows rules; install the whole package")
    with law.slots.choosing(product, rules):
        yield


def require_product(name: str, chip: str | None) -> None:
    """Raise if the product `name` does not have an operator."""
    names = REGISTRY[name].law.product_names
    if chip is not None and chip not in names:
        has = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} it"
        raise UnsupportedOnProduct(f"{name}: not available on {chip}; {has}; choose one of these products")


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    """A parser that accepts only these names."""

    def name(text: str) -> str:
        if text not in names:
            cure = did_you_mean(text, names, "name one of these")
            raise argparse.ArgumentTypeError(f"{text!r} is unknown; known are {some(names, text)}; {cure}")
        return text

    return name


def file_name(text: str) -> str:
    """The name of a file, which must not be empty."""
    if not text:
        raise argparse.ArgumentTypeError("got an empty text; it must name a file or a folder; write . for this folder")
    return text


def path(text: str) -> Path:
    """The path of a file or a folder."""
    return Path(file_name(text))


def several(read: Callable[[str], str]) -> Callable[[str], list[str]]:
    """A parser of names that are separated by commas. A repeated name counts once."""
    return lambda text: list(dict.fromkeys(read(name) for name in text.split(",")))


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """A parser of integers within bounds."""
    bounds = f"at least {low}" if high is None else f"from {low} to {high}"

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:  # not a number, or more digits than Python reads
            value = low - 1
        if value < low or (high is not None and value > high):
            excerpt = text if len(text) <= 40 else f"{text[:37]}..."
            raise argparse.ArgumentTypeError(f"got {excerpt!r}; it must be a whole number {bounds}; change it")
        return value

    return number
