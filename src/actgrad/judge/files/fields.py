"""The fields of manifests and of case files. A function returns a value, or raises a FieldError that names it."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from ...base.dtypes import ALIASES, BY_NAME
from ...base.errors import did_you_mean, either, quote

MOST_DIMENSIONS = 32  # the limit of NumPy's oldest versions. Operators take 8 dimensions
NAMED = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # numbers for which JSON and CSV have only names


class FieldError(Exception):
    """A field that breaks its format. The reader adds the names of file and case to the message."""


def refuse(field: str, value: Any, must: str) -> NoReturn:
    """Raise a FieldError about a field."""
    raise FieldError(f"{field} is {quote(value)}; it must be {must}; correct the case")


def json_document(text: str, must: str, **hooks: Any) -> Any:
    """The content of a JSON file. `hooks` are passed to json.loads."""
    try:
        return json.loads(text, **hooks)
    except (ValueError, RecursionError) as error:
        raise FieldError(f"is not JSON ({error}); it must be {must}; write it again") from error


def text(field: str, value: Any) -> str:
    """A name."""
    return value if isinstance(value, str) and value.strip() else refuse(field, value, "a name")


def natural(field: str, value: Any) -> int:
    """An integer that is at least 0."""
    return value if type(value) is int and value >= 0 else refuse(field, value, "an integer that is at least 0")


def flag(field: str, value: Any) -> bool:
    """True or false."""
    return value if type(value) is bool else refuse(field, value, "true or false")


def texts(field: str, value: Any) -> tuple[str, ...]:
    """A tuple of names. The value may be None, one name or several names."""
    entries = () if value is None else tuple(value) if isinstance(value, (list, tuple)) else (value,)
    return entries if all(isinstance(e, str) and e.strip() for e in entries) else refuse(field, value, "names")


def dtype(field: str, word: Any) -> str:
    """A data type, by its name in either format."""
    name = ALIASES.get(word, word) if isinstance(word, str) else None
    if name not in BY_NAME:
        names = (*BY_NAME, *ALIASES)
        raise FieldError(
            f"{field} is {quote(word)}; it must be {either(names)}; {did_you_mean(word, names, 'correct it')}"
        )
    return name


def shape(field: str, value: Any) -> tuple[int, ...]:
    """A shape. Its sizes are integers that are at least 0."""
    if not isinstance(value, (list, tuple)) or not all(type(n) is int and 0 <= n < 1 << 62 for n in value):
        refuse(field, value, "a list of integers that are at least 0")
    if len(value) > MOST_DIMENSIONS:
        raise FieldError(
            f"{field} has {len(value)} dimensions; it must have at most {MOST_DIMENSIONS}; correct the case"
        )
    return tuple(value)


def bit(field: str, value: Any) -> bool:
    """True or False. C's 1 and 0 are allowed too."""
    return bool(value) if type(value) in (bool, int) and value in (0, 1) else refuse(field, value, "true or false")


def attribute(field: str, kind: str, value: Any, must: str = "a number") -> Any:
    """The value of an attribute that has the type `kind` in the schema."""
    if kind == "bool":
        return bit(field, value)
    if kind == "int":
        return value if type(value) is int else refuse(field, value, "an integer")
    if kind == "text":
        return text(field, value)
    plain = float(value) if isinstance(value, bool) else number(value)
    return refuse(field, value, must) if plain is None else plain


def ordered(field: str, low: float, high: float) -> tuple[float, float]:
    """The ends of a range. They must be finite numbers in ascending order, or equal."""
    if low == high or (math.isnan(low) and math.isnan(high)):
        return low, high
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        expected = "it must be two finite numbers in ascending order, or the same number twice"
        raise FieldError(f"{field} is from {low} to {high}; {expected}; correct the range")
    return low, high


def number(value: Any) -> float | None:
    """A number of a case file, or None for anything else. True and False are not numbers."""
    if isinstance(value, str):
        return NAMED.get(value.strip().lower().removeprefix("+"))
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer that no float can represent
        return None


def written(value: float) -> Any:
    """The inverse of `number`. Infinity and NaN become names, because JSON has no numbers for them."""
    if math.isfinite(value):
        return int(value) if value == int(value) and abs(value) < 1 << 53 else value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
