"""Errors as pictures, readable in black and white: against x, and how many there are of each size."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from ...base.errors import library
from ..verdict import ULP_EDGES, OutputVerdict

_TOP = 1e10  # ULP; larger errors and NaN are drawn there
_FAR = 1e3  # the same for x, infinities included
_MOST = 3000  # points of a label
#: Marker, hatch and grey of each label in its turn.
_STYLES = ((".", "", "0.1"), ("x", "///", "0.55"), ("+", "...", "0.35"), ("1", "xxx", "0.75"), ("s", "ooo", "0.2"))
Series = dict[str, list[OutputVerdict]]  # the outputs of each label


def load() -> Any:
    """matplotlib's Figure, which draws to files and needs no display; an error names the extra where it is missing."""
    return library("matplotlib.figure", "check: --html needs matplotlib", "check").Figure


def picture(series: Series) -> str:
    """Both pictures as a data: address."""
    figure = load()(figsize=(10, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    width = 0.8 / max(1, len(series))
    for k, (label, outputs) in enumerate(series.items()):
        marker, hatch, grey = _STYLES[k % len(_STYLES)]
        points = np.concatenate([output.points for output in outputs])
        x, ulps, _ = points[~np.isnan(points[:, 0])][:: max(1, len(points) // _MOST)].T
        ulps = np.minimum(np.nan_to_num(ulps, nan=_TOP, posinf=_TOP), _TOP)
        left.plot(np.clip(x, -_FAR, _FAR), ulps, linestyle="none", marker=marker, markersize=3, color=grey, label=label)
        counts = np.sum([output.histogram for output in outputs], axis=0)
        positions = np.arange(len(counts)) + (k - (len(series) - 1) / 2) * width
        right.bar(positions, counts / max(1, counts.sum()), width, color=grey, hatch=hatch, edgecolor="black")
    left.set_xscale("symlog", linthresh=1)
    left.set_yscale("symlog", linthresh=1)
    left.set_ylim(-0.1, None)
    left.set_title("error in ULP against x (dotted: 0.5, rounding alone)", fontsize="small")
    left.axhline(0.5, color="black", linewidth=0.6, linestyle=":")
    names = [*(f"to {edge:g}" for edge in ULP_EDGES[1:]), f"over {ULP_EDGES[-1]:g}"]
    right.set_xticks(range(len(names)), names, rotation=45, ha="right")
    right.set_yscale("symlog", linthresh=1e-5)
    right.set_title("share of elements by error in ULP", fontsize="small")
    for axes in (left, right):
        axes.tick_params(labelsize="x-small")
    figure.legend(loc="outside lower left", fontsize="x-small", ncols=len(series), markerscale=2)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=90, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")
