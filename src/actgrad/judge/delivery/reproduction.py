"""How to see a failing case again: a command, and a script that needs only NumPy."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..verdict import Failure, Verdict
from .manifest import DeliveryCase, bits_dtype

_SHOWN = 5


def command(folder: Path, case: str, options: Sequence[str]) -> str:
    """The command that judges only this case. `options` are those of the run that change a verdict."""
    return shlex.join(["actgrad", "check", "--manifest", str(folder), "--case", case, *options])


def script(case: DeliveryCase, verdict: Verdict) -> str:
    """Run it in the folder of the delivery. It prints the worst elements, and ends with 1 if they are still wrong."""
    attributes = ", ".join(f"{name}={value!r}" for name, value in case.attributes.items())
    checks = [line for output in verdict.outputs for line in _of_output(case, output.name, output.worst)]
    return "\n".join(
        [
            f"# {case.operator_name}({attributes}), case {case.id}",
            f"# {case.operator.definition.summary.splitlines()[0]}",
            "import sys",
            "",
            "import numpy as np",
            "",
            "",
            "def load(path, dtype):",
            "    array = np.load(path)",
            '    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == "bfloat16" else array',
            "",
            "",
            "wrong = 0",
            "for name, path, dtype, index, expected, inputs in [",
            *(f"    {line}," for line in checks),
            "]:",
            "    actual = load(path, dtype)[tuple(index)]",
            "    same = actual == expected or (np.isnan(actual) and np.isnan(expected))",
            "    near = abs(float(actual) - expected) <= 2.0**-7 * abs(expected)",
            "    wrong += not (same or near)",
            '    print(f"{name}{list(index)}: {actual} instead of {expected}; inputs: {inputs}")',
            "sys.exit(1 if wrong else 0)",
            "",
        ]
    )


def _of_output(case: DeliveryCase, name: str, worst: tuple[Failure, ...]) -> list[str]:
    """A line of the script for each of the worst elements of an output."""
    tensor = name.partition(",")[0]
    one = case.outputs[tensor]
    if bits_dtype(one.dtype or "") == "uint8":  # a float of 8 bits: NumPy shows its bits only
        return []
    pairs = [(failure.index, _number(failure.golden), dict(failure.inputs)) for failure in worst[:_SHOWN]]
    return [
        f"({tensor!r}, {one.file!r}, {one.dtype or ''!r}, {list(index)}, {golden}, {_inputs(inputs)!r})"
        for index, golden, inputs in pairs
    ]


def _number(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _inputs(inputs: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in inputs.items())
