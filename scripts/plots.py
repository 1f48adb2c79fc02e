"""The pictures of docs/images: each activation function with its derivative, and the bar chart of the READMEs.

python scripts/plots.py    draw all

A function's numbers come from the float64 reference, the bar chart's numbers from the kept results of the benchmarks.
The metadata of a picture hold a checksum of its numbers, because other versions of Matplotlib draw the same numbers
with other bytes. A test compares the checksums.
"""

from __future__ import annotations

import hashlib
import re
import statistics
import sys
from pathlib import Path

import matplotlib
import numpy as np
from families import DOCS, ROOT, cells
from matplotlib.figure import Figure

from actgrad import Operator, operators

FOLDER = Path(__file__).parents[1] / "docs" / "images"
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "actgrad", "font.family": "sans-serif", "font.size": 11}
FROM, TO, POINTS = -4.0, 3.0, 281
SPEED = "speed"  # the bar chart
CALLS = ("mish", "tanh", "elu", "gelu", "softplus", "sigmoid", "silu", "relu", "leaky_relu", "hardswish")
CALLS_FROM = ("throughput_avx2", "families_avx2")  # files of docs/benchmarks


def plotted() -> dict[str, Operator]:
    """The operators that are functions of one number, each with the gradient that is computed from its input."""
    found = {}
    for operator in operators.values():
        forward = operator.gradient_of
        if forward is None or forward.roles.multiplies or forward.access.is_packed:
            continue
        if len(forward.schema.tensors) != 1 or len(forward.schema.outputs) != 1:
            continue
        if not operator.result.tensor or operator.result.flag:  # computed from the input, perhaps by a flag
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


def bars() -> dict[str, float]:
    """The bar chart: our time / PyTorch's, of single calls and of whole training steps."""
    sys.path.insert(0, str(ROOT))
    from benchmarks import results

    ratios: dict[str, list[float]] = {}
    for file in CALLS_FROM:
        for cell in results.read(DOCS / "benchmarks" / f"{file}.json").cells:
            if "aten out" in cell.ratios and cell.layout == "contiguous":
                ratios.setdefault(cell.operator, []).append(cell.ratios["aten out"])
    found = {name: results.geometric_mean(ratios[name]) for name in CALLS}
    (step,) = (row for row in cells("torch-reference.md", "training") if row[:2] == ["whole step", "float32"])
    found |= dict(zip(("GEGLU MLP: eager", "GEGLU MLP: torch.compile"), map(float, step[2:4]), strict=True))
    models = [row for row in cells("models.md", "model-times") if re.match(r"(transformers|timm|diffusers) ", row[0])]
    times = [float(re.findall(r"\((.+)\)", row[1])[0]) for row in models]
    found[f"{len(models)} models: eager"] = statistics.median(times)
    return {name: round(ratio, 2) for name, ratio in found.items()}


def version_of_calls() -> str:
    """The version of actgrad whose single calls the bar chart shows."""
    from benchmarks import results

    files = (results.read(DOCS / "benchmarks" / f"{name}.json") for name in CALLS_FROM)
    return ", ".join(sorted({file.machine["versions"]["actgrad"] for file in files}))


def bars_checksum() -> str:
    """A checksum of the bar chart's numbers."""
    return hashlib.sha256(repr((bars(), version_of_calls())).encode()).hexdigest()


def draw_bars() -> None:
    """Write the bar chart."""
    ratios = bars()
    calls = len(CALLS)
    rows = [k + 1.2 * (k >= calls) for k in range(len(ratios))]  # a gap between calls and training steps
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 5.0), facecolor="white")
        axes = figure.add_axes((0.34, 0.15, 0.64, 0.83))
        axes.barh(rows, ratios.values(), color=["#0072b2"] * calls + ["#b34700"] * (len(ratios) - calls))
        for row, ratio in zip(rows, ratios.values(), strict=True):
            axes.text(ratio - 0.01, row, f"{ratio:.2f}", ha="right", va="center", fontsize=10, color="white")
        axes.axvline(1, color="black", linewidth=1)
        axes.text(0.01, -1.0, "one call, compared with eager PyTorch", va="center", color="#0072b2", fontweight="bold")
        axes.text(
            0.01,
            calls + 0.2,
            "a whole training step (of the models: the median)",
            va="center",
            color="#b34700",
            fontweight="bold",
        )
        axes.set_yticks(rows, list(ratios))
        axes.set_ylim(max(rows) + 0.6, -1.7)
        axes.set_xlim(0, 1.05)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel("time of actgrad / time of PyTorch (shorter is faster)", loc="left")
        calls_on = f"actgrad {version_of_calls()}. Calls: no autograd, with out=, mean over sizes and dtypes."
        figure.text(0.012, 0.015, f"AMD EPYC with AVX2, PyTorch 2.13, {calls_on}", fontsize=8)
        metadata = {"Date": None, "Creator": None, "Title": SPEED, "Description": f"sha256 {bars_checksum()}"}
        figure.savefig(FOLDER / f"{SPEED}.svg", metadata=metadata)


def _broken(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The values, NaN before each that is far from the one before it."""
    jumps = np.abs(np.diff(y, prepend=y[0])) > 10 * (x[1] - x[0])
    return np.where(jumps, np.nan, y)


def main() -> None:
    """Draw all."""
    FOLDER.mkdir(exist_ok=True)
    for name in plotted():
        draw(name)
    draw_bars()


if __name__ == "__main__":
    main()
