"""Cells for the tests of the benchmark: small, quick, and right."""

from __future__ import annotations

from typing import Any

import actgrad
from actgrad.bench import buffers, results, throughput
from actgrad.bench.cases import Case, cases
from actgrad.bench.devices import Cpu, Device
from actgrad.bench.results import Notes
from actgrad.bench.throughput import Conditions

ALL_CASES = [case for operator in actgrad.operators.values() for case in cases(operator)]
TINY = ["--size", "64", "--dtype", "float32", "--seconds", "1e-6"]


def case_of(title: str) -> Case:
    return next(case for case in ALL_CASES if case.title == title)


def tensors_of(case: Case, layout: str, size: int, dtype: str = "float32", row: int = 1000) -> buffers.Tensors:
    shape = buffers.shape_of(layout, size, case.is_gated, row)
    return buffers.make(case.operator, layout, shape, case.pool(dtype), case.with_optional)


def measure(
    case: Case, peers: tuple[str, ...] = (), device: Device | None = None, **under: Any
) -> tuple[results.Cell, list[str]]:
    conditions = {"dtype": "float32", "layout": "contiguous", "size": 64, "cache": "warm", "threads": 0}
    notes = Notes()
    loaded = throughput.load(peers, notes)
    where = Conditions(**{**conditions, **under})
    cell = throughput.measure(case, where, loaded, device or Cpu(), 1e-6, notes, cache_bytes=1 << 12)
    return cell, notes.lines
