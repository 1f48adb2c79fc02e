"""The report of `convert`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import swapping


class ConvertedModule(NamedTuple):
    """A row of the report: one module."""

    name: str  # the names of the module in the model. A shared module has several names
    was: str  # the class of the module
    becomes: str  # the function that computes the module now, or "" if the module was not swapped
    reason: str  # why the module was not swapped


@dataclass(frozen=True)
class Report:
    """The outcome of a conversion. `print` shows it as a table. `rows`, `swapped` and `left` are the data.

    `looked_at` counts the model's modules. `already` names the modules that an earlier call swapped. The other fields
    need a forward pass, and are empty if `convert` had no inputs. `saved_bytes` predicts how much less memory a forward
    pass saves for backward. `calls` counts the functional calls that `patched` would pass to actgrad. `convert` does
    not change them. `refused_calls` counts the functional calls that PyTorch would still compute. `unused` names the
    swapped modules that the forward pass did not call.
    """

    rows: tuple[ConvertedModule, ...]
    looked_at: int = 0
    already: tuple[str, ...] = ()
    saved_bytes: int | None = None
    calls: Mapping[str, int] = field(default_factory=dict)
    refused_calls: Mapping[str, int] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    modules: Mapping[str, Any] = field(default_factory=dict, repr=False)  # weak references to the swapped modules

    @property
    def fallbacks(self) -> dict[str, int]:
        """The number of calls until now that PyTorch computed because actgrad refused them, by the modules' names."""
        counts = {name: swapping.fallbacks.get(module(), 0) for name, module in self.modules.items() if module()}
        return {name: count for name, count in counts.items() if count}

    @property
    def swapped(self) -> tuple[ConvertedModule, ...]:
        """The modules that actgrad computes now."""
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
        groups: dict[tuple[str, str, str], list[str]] = {}
        for row in self.rows:
            groups.setdefault((row.was, row.becomes, row.reason), []).append(row.name)
        lines = []
        for (was, becomes, reason), names in groups.items():
            outcome = f"now {becomes}" if becomes else f"left, {reason}"
            lines.append(f"{len(names)} x {was}: {outcome} ({', '.join(names[:2])}{', ...' if len(names) > 2 else ''})")
        if self.already:
            lines.append(f"{len(self.already)} converted already")
        lines.append(f"{self.looked_at} modules examined, {len(self.swapped)} swapped, {len(self.left)} not swapped")
        if self.unused:
            lines.append(f"swapped, but not called in a forward pass: {', '.join(self.unused)}")
        if self.fallbacks:
            lines.append(f"calls that actgrad refused and PyTorch computed: {_listed(self.fallbacks)}")
        if self.calls:
            cure = "actgrad computes them inside actgrad.torch.patched()"
            lines.append(f"functional calls in a forward pass: {_listed(self.calls)}; {cure}")
        if self.refused_calls:
            lines.append(f"functional calls that only PyTorch computes: {_listed(self.refused_calls)}")
        lines.append(self._expectation)
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def _expectation(self) -> str:
        """What to expect of the converted model."""
        if not self.swapped:
            return "expect no change of time and memory"
        if self.saved_bytes is None:
            return "for a prediction of memory, pass the model's inputs: convert(model, inputs=...)"
        if self.saved_bytes < 1 << 16:
            return "expect less time in the activations with these inputs, and no change of memory"
        return (
            f"expect {self.saved_bytes / 2**20:.1f} MiB less saved for backward with these inputs; "
            "actgrad.torch.report(model, inputs) measures time and memory"
        )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
