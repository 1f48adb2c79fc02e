"""Types of arguments of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path


def names(text: str) -> list[str]:
    """Words between commas, each once."""
    return list(dict.fromkeys(text.split(",")))


def device(text: str) -> str:
    """The name of a device."""
    if not re.fullmatch(r"cpu|cuda(:\d{1,4})?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is unknown; known: cpu, cuda, cuda:1")
    return text


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number within bounds, also as 1e6."""

    def number(text: str) -> int:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
        if not low <= value <= high or value != int(value):
            raise argparse.ArgumentTypeError(f"{text} is no whole number from {low} to {high}")
        return int(value)

    return number


def wholes(low: int, high: int) -> Callable[[str], list[int]]:
    """Whole numbers between commas."""
    return lambda text: [whole(low, high)(word) for word in names(text)]


def output(text: str) -> str:
    """A file to be written, or - for standard output; refused before hours are spent on measuring."""
    if text != "-" and Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text}: is a folder; name a file")
    if text != "-" and not Path(text).absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: no such folder")
    return text


def positive(text: str) -> float:
    """A positive number."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be positive, got {text}")
    return value


def deviation(text: str) -> float:
    """A standard deviation; a pool of normal numbers has none beyond 6 of them."""
    value = positive(text)
    if value > 5000:
        raise argparse.ArgumentTypeError(f"must be at most 5000, or float16 would overflow, got {text}")
    return value
