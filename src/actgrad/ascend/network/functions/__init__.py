"""The table of all functions: one file for each family. A row has name, header, rule, parameters and checks.

The families are imported when the first call, or the build of an SDK, needs the table.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from ..function import Function, with_checks

FAMILIES = (
    "copies", "arithmetic", "elementary", "comparison", "reductions", "matrices", "losses", "random_numbers", "lists",
    "optimizers", "norms", "attention", "convolution", "pooling", "rearrangement", "indices",
)  # fmt: skip


@cache
def families() -> dict[str, tuple[Function, ...]]:
    """The functions of each family, by its subject."""
    modules: list[ModuleType | Any] = [import_module(f"{__name__}.{name}") for name in FAMILIES]
    by_name = {row.name: row for module in modules for row in module.FUNCTIONS}
    return {module.SUBJECT: with_checks(module.FUNCTIONS, by_name) for module in modules}


@cache
def functions() -> dict[str, Function]:
    """All functions, by their names in C."""
    return {f"aclnn{row.name}": row for rows in families().values() for row in rows}
