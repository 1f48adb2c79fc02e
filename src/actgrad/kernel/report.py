"""What a run of a kernel found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..base.errors import InvalidArgument, did_you_mean, either, quote, some


@dataclass(frozen=True)
class Fault:
    """Something that the kernel did and the documents forbid, at a line of the kernel."""

    kind: str
    severity: str  # "error", "warning" or "note"
    message: str
    file: str
    line: int
    block: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.message} [{self.kind}, block {self.block}]"


@dataclass(frozen=True)
class Assumption:
    """Something that the documents leave open, and what the run assumed."""

    name: str
    value: str
    text: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value}: {self.text}"


@dataclass(frozen=True)
class RunReport:
    """The result of a run.

    `seconds` is the time of all blocks, without the start of the process and the copies of the arguments.
    """

    faults: tuple[Fault, ...]
    seconds: float
    assumptions: tuple[Assumption, ...]

    @property
    def ok(self) -> bool:
        """Whether the run has no error. Warnings and notes do not count."""
        return all(fault.severity != "error" for fault in self.faults)

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.faults, *self.assumptions)))


#: In the order of the headers' `Assumption`: name -> value -> what it means. The first value is the default.
ASSUMPTIONS: dict[str, dict[str, str]] = {
    "nan_in_compare": {
        "ieee": "only NE is true for NaN",
        "complement": "LE, GE and NE are true for NaN, as the complements of GT, LT and EQ",
    },
    "nan_in_max_min": {
        "propagate": "Max, Min and Relu of NaN are NaN",
        "other": "Max, Min and Relu of NaN return the other operand",
    },
    "subnormals": {
        "keep": "Exp, Ln, Sqrt, Div and Reciprocal return subnormal results",
        "flush": "Exp, Ln, Sqrt, Div and Reciprocal return 0 for subnormal results",
    },
    "half_overflow": {
        "infinity": "half and bfloat16 results that overflow become infinity, and NaN stays NaN",
        "saturate": "half and bfloat16 results that overflow become the largest number, and NaN becomes 0",
    },
    "zero_length": {"nothing": "a call with a length or number of repeats of 0 does nothing"},
    "accuracy": {"exact": "Exp, Ln, Div and other functions are correctly rounded; a chip's results may differ"},
    "float_to_integer": {"saturate": "numbers beyond the range of an integer saturate, and NaN becomes 0"},
    "compare_tail": {"compared": "Compare also compares an incomplete piece of 256 bytes"},
    "ub_size": {"262144": "the documents do not state the size of the UB of Ascend310P"},
}


def choices(chosen: Mapping[str, str]) -> dict[str, str]:
    """The value of each assumption. Raises InvalidArgument for an unknown name or value."""
    values = {name: next(iter(allowed)) for name, allowed in ASSUMPTIONS.items()}
    for name, value in chosen.items():
        if name not in ASSUMPTIONS:
            cure = did_you_mean(name, ASSUMPTIONS, "name one of these")
            raise InvalidArgument(f"assumption {quote(name)} is unknown; known are {some(ASSUMPTIONS, name)}; {cure}")
        if value not in ASSUMPTIONS[name]:
            allowed = either(ASSUMPTIONS[name])
            raise InvalidArgument(f"assumption {name} is {quote(value)}; it must be {allowed}; choose one of these")
        values[name] = value
    return values


def read(content: Mapping[str, Any], faults: list[Fault], values: Mapping[str, str]) -> RunReport:
    """The report of a program, which writes JSON."""
    met = tuple(
        Assumption(name, values[name], ASSUMPTIONS[name][values[name]])
        for bit, name in enumerate(ASSUMPTIONS)
        if content["assumptions"] >> bit & 1
    )
    return RunReport(tuple(faults), content["seconds"], met)
