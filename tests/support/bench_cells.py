"""Cells for the tests of the benchmark: small, quick, and right."""

from __future__ import annotations

from typing import Any

from benchmarks import buffers, results
from benchmarks.cases import Case, cases
from benchmarks.devices.cpu import Cpu
from benchmarks.measurements import contenders, throughput
from benchmarks.measurements.throughput import Conditions

import actgrad

ALL_CASES = [case for operator in actgrad.operators.values() for case in cases(operator)]
TINY = ["--size", "64", "--dtype", "float32", "--seconds", "1e-6"]


def case_of(title: str) -> Case:
    return next(case for case in ALL_CASES if case.title == title)


def tensors_of(case: Case, layout: str, size: int, dtype: str = "float32", row: int = 1000) -> buffers.Tensors:
    return case.tensors(layout, size, case.pool(dtype), row)


def empty() -> results.Run:
    """A run without results, for its notes."""
    return results.Run({}, {})


def measure(
    case: Case, peers: tuple[str, ...] = (), device: Any = None, **under: Any
) -> tuple[results.Cell, list[str]]:
    conditions = {"dtype": "float32", "layout": "contiguous", "size": 64, "cache": "warm", "threads": 0}
    run = empty()
    loaded = contenders.load(peers, run)
    where = Conditions(**{**conditions, **under})
    cell = throughput.measure(case, where, loaded, device or Cpu(), 1e-6, run, cache_bytes=1 << 12)
    return cell, run.notes
