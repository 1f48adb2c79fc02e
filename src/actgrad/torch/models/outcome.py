"""The report of `convert`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import gate_products


class ConvertedModule(NamedTuple):
    """A row of the report: one module."""

    name: str  # the names of the module in the model. A shared module has several names
    was: str  # the class of the module before
    becomes: str  # the new class of the module, or "" if the module was not swapped
    reason: str  # why the module was not swapped
    candidates: str = ""  # functions of actgrad.torch that could compute it


@dataclass(frozen=True)
class Report:
    """The outcome of a conversion. `print` shows it as a table. `rows`, `swapped` and `left` are the data.

    `looked_at` counts the model's modules. The other fields need a forward pass, and are empty if `convert` had no
    inputs. `calls` counts the functional calls that `patched` would pass to actgrad. `convert` does not change them.
    `refused_calls` counts the functional calls that PyTorch would still compute. `unused` names the swapped modules
    that the forward pass did not call.
    """

    rows: tuple[ConvertedModule, ...]
    looked_at: int = 0
    calls: Mapping[str, int] = field(default_factory=dict)
    refused_calls: Mapping[str, int] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    modules: Mapping[str, Any] = field(default_factory=dict, repr=False)  # weak references to the swapped modules

    @property
    def fallbacks(self) -> dict[str, int]:
        """The number of calls until now that PyTorch computed because actgrad refused them, by the modules' names."""
        counts = {name: gate_products.fallbacks.get(module(), 0) for name, module in self.modules.items() if module()}
        return {name: count for name, count in counts.items() if count}

    @property
    def swapped(self) -> tuple[ConvertedModule, ...]:
        """The modules with a new class."""
        return tuple(row for row in self.rows if row.becomes)

    @property
    def left(self) -> tuple[ConvertedModule, ...]:
        """The activation modules that were not swapped."""
        return tuple(row for row in self.rows if not row.becomes)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ConvertedModule]:
        return iter(self.rows)

    def __str__(self) -> str:
        lines = []
        if self.rows:
            rows = ((r.name, r.was, r.becomes or "-", r.reason, r.candidates) for r in self.rows)
            table = [("module", "from", "to", "why not", "candidates"), *rows]
            size = 5 if any(row.candidates for row in self.rows) else 4
            widths = [max(map(len, column)) for column in zip(*table, strict=True)][:size]
            lines = ["  ".join(map(str.ljust, row[:size], widths)).rstrip() for row in table]
            lines.insert(1, "  ".join("-" * width for width in widths))
        lines.append(f"{self.looked_at} modules examined, {len(self.swapped)} swapped, {len(self.left)} not swapped")
        if not self.rows and not self.calls and not self.refused_calls:
            lines.append("to count functional calls too, pass the model's inputs: convert(model, inputs=...)")
        if self.unused:
            lines.append(f"swapped, but not called in a forward pass: {', '.join(self.unused)}")
        if self.fallbacks:
            lines.append(f"calls that actgrad refused and PyTorch computed: {_listed(self.fallbacks)}")
        if self.calls:
            cure = "actgrad computes them inside actgrad.torch.patched()"
            lines.append(f"functional calls in a forward pass: {_listed(self.calls)}; {cure}")
        if self.refused_calls:
            lines.append(f"functional calls that only PyTorch computes: {_listed(self.refused_calls)}")
        return "\n".join(lines)

    __repr__ = __str__


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
