"""Sweeps of `actgrad check --exhaustive`, and wrong results in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from actgrad.judge.exhaustive import resumption
from actgrad.judge.exhaustive.resumption import SweepState
from actgrad.judge.exhaustive.sweep import Item, Sweep


def finished(item: Item, folder: Path) -> SweepState:
    """A sweep, done."""
    (swept,) = resumption.sweep_all([item], folder, lambda *_: None)
    return swept


def plant(monkeypatch: pytest.MonkeyPatch, change: Callable[[Sweep], None]) -> None:
    """Have every sweep compute something else."""
    compute = Sweep.compute

    def wrong(self: Sweep) -> None:
        compute(self)
        change(self)

    monkeypatch.setattr(Sweep, "compute", wrong)
