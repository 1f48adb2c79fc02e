"""Errors as pictures, readable in black and white: against x, and how many there are of each size."""

from __future__ import annotations

import base64
import importlib
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...base.errors import ActgradError, installation
from ..elements import Array
from ..verdict import ULP_EDGES

_MARKERS = (".", "x", "+", "1", "s", "^")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
_GREYS = ("0.1", "0.55", "0.35", "0.75", "0.2", "0.65")
_TOP = 1e10  # ULP; larger errors and NaN are drawn there
_FAR = 1e3  # the same for x, infinities included
Series = Mapping[str, tuple[Array, tuple[int, ...]]]  # by label: points (x, ULP), histogram


def load() -> Any:
    """matplotlib's Figure, which draws to files and needs no display; an error names the extra where it is missing."""
    try:
        return importlib.import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise ActgradError(f"check: --html needs matplotlib ({error}); {installation('check')}") from error


def picture(series: Series) -> str:
    """Both pictures as a data: address."""
    figure = load()(figsize=(10, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    _against_x(left, series)
    _histogram(right, series)
    labels = left.get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower left", fontsize="x-small", ncols=len(series), markerscale=2)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=90, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def _against_x(axes: Any, series: Series) -> None:
    for k, (label, (points, _)) in enumerate(series.items()):
        some = points[~np.isnan(points[:, 0])]
        ulps = np.minimum(np.nan_to_num(some[:, 1], nan=_TOP, posinf=_TOP), _TOP)
        axes.plot(
            np.clip(some[:, 0], -_FAR, _FAR), ulps, linestyle="none", marker=_MARKERS[k % len(_MARKERS)], markersize=3,
            color=_GREYS[k % len(_GREYS)], label=label, markeredgewidth=0.6,
        )  # fmt: skip
    axes.set_xscale("symlog", linthresh=1)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(-0.1, None)
    axes.axhline(0.5, color="black", linewidth=0.6, linestyle=":")
    axes.set_title("error in ULP against x (dotted: 0.5, rounding alone)", fontsize="small")
    axes.tick_params(labelsize="x-small")


def _histogram(axes: Any, series: Series) -> None:
    width = 0.8 / max(1, len(series))
    for k, (label, (_, counts)) in enumerate(series.items()):
        share = np.asarray(counts) / max(1, sum(counts))
        axes.bar(
            np.arange(len(counts)) + (k - (len(series) - 1) / 2) * width, share, width, label=label,
            color=_GREYS[k % len(_GREYS)], hatch=_HATCHES[k % len(_HATCHES)], edgecolor="black", linewidth=0.4,
        )  # fmt: skip
    edges = [f"{edge:g}" for edge in ULP_EDGES]
    names = [f"to {high}" for high in edges[1:]] + [f"over {edges[-1]}"]
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize="x-small")
    axes.set_yscale("symlog", linthresh=1e-5)
    axes.set_ylim(0, 1.5)
    axes.tick_params(axis="y", labelsize="x-small")
    axes.set_title("share of elements by error in ULP", fontsize="small")
