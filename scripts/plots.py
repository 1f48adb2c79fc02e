"""docs/images/NAME.svg: the plot of each activation function and its derivative, with their default attributes.

python scripts/plots.py    draw all

The numbers are those of the float64 reference. A picture's metadata hold a checksum of them, by which a test sees that
it is fresh: other versions of Matplotlib draw the same numbers with other bytes.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from actgrad import Operator, operators

FOLDER = Path(__file__).parents[1] / "docs" / "images"
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "actgrad", "font.family": "sans-serif", "font.size": 11}
FROM, TO, POINTS = -4.0, 3.0, 281


def plotted() -> dict[str, Operator]:
    """The operators that are functions of one number, each with the gradient that is computed from its input."""
    found = {}
    for operator in operators.values():
        forward = operator.gradient_of
        if forward is None or forward.multiplies or forward.access.packed or len(forward.schema.tensors) != 1:
            continue
        if not operator.reads_result or operator.result_flag:  # computed from the input, perhaps by a flag
            found[forward.name] = operator
    return found


def numbers(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, the function there and its derivative, to six digits after the point."""
    x = np.linspace(FROM, TO, POINTS)
    x = np.where(x == 0, 0.0, x)
    y = operators[name](x, backend="reference")
    derivative = plotted()[name](np.ones_like(x), x, backend="reference")
    return x, y.round(6) + 0.0, derivative.round(6) + 0.0  # one sign of zero


def checksum(name: str) -> str:
    """A checksum of what is plotted."""
    rows = zip(*numbers(name), strict=True)
    return hashlib.sha256("\n".join(f"{x:.6f} {y:.6f} {d:.6f}" for x, y, d in rows).encode()).hexdigest()


def checksum_of(picture: str) -> str | None:
    """The checksum that an SVG has in its metadata."""
    found = re.search(r"sha256 ([0-9a-f]{64})", picture)
    return found and found[1]


def draw(name: str) -> None:
    """Write the plot of a function."""
    x, y, derivative = numbers(name)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 3.0))
        axes = figure.add_axes((0.08, 0.11, 0.9, 0.86))
        axes.axhline(0, color="0.75", linewidth=0.8)
        axes.axvline(0, color="0.75", linewidth=0.8)
        axes.plot(x, y, color="black", linewidth=2, label=name)
        # A jump at 0 is no line.
        axes.plot(x, _broken(x, derivative), color="#0072b2", linewidth=2, linestyle=(0, (4, 2)), label="derivative")
        axes.set_xlim(FROM, TO)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="upper left", frameon=False, handlelength=3)
        metadata = {"Date": None, "Creator": None, "Title": name, "Description": f"sha256 {checksum(name)}"}
        figure.savefig(FOLDER / f"{name}.svg", metadata=metadata)


def _broken(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The values, NaN before each that is far from the one before it."""
    jumps = np.abs(np.diff(y, prepend=y[0])) > 10 * (x[1] - x[0])
    return np.where(jumps, np.nan, y)


def main() -> None:
    """Draw all."""
    FOLDER.mkdir(exist_ok=True)
    for name in plotted():
        draw(name)


if __name__ == "__main__":
    main()
