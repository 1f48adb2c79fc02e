"""The constants of `accurate` for each compute dtype, from coefficients.json.

scripts/fit_coefficients.py writes that file, with a description of each entry. Each number is exact in its dtype. A
polynomial's first coefficient is the coefficient of the highest power.
"""

import json
from pathlib import Path
from typing import Any


def _hashable(value: Any) -> Any:
    """`value` with tuples instead of lists."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


_TABLES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def _table(name: str) -> dict[str, Any]:
    return {constant: _hashable(entry["value"]) for constant, entry in _TABLES[name].items()}


FLOAT32, FLOAT64 = _table("FLOAT32"), _table("FLOAT64")
FLOAT32_PIECES = _table("FLOAT32_PIECES")  # coefficients for `primitives.piecewise`
