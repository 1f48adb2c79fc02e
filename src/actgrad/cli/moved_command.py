"""`actgrad bench` and `actgrad plot`: where benchmarks went. Out with version 0.3."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import ActgradError

NOW = {
    "bench": "python -m benchmarks run, with the same options (compare, with --base)",
    "plot": "python -m benchmarks plot RESULTS.json PICTURE.svg",
}


def refuse(arguments: Sequence[str]) -> None:
    """Raise for a command that left, whatever follows its name. No help lists these names."""
    name = arguments[0] if arguments else ""
    if name in NOW:
        expected = "benchmarks belong to the repository now"
        raise ActgradError(f"{name}: this command was removed; {expected}; type in a clone of the project: {NOW[name]}")
