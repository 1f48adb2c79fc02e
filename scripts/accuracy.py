"""The largest error of every operator, dtype and attribute case, and PyTorch's error, as a Markdown table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.sample_values import every_value, samples

import actgrad
from actgrad import aten
from actgrad.backends.cpu.target import host
from actgrad.calls.operator import Operator
from actgrad.judge import golden, oracle
from actgrad.judge.exhaustive.resumption import has_sweep
from actgrad.writing.documents import write_part

DOCUMENT = Path(__file__).parents[1] / "docs" / "accuracy.md"
PART = "accuracy"  # of the document
DTYPES = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}


def inputs(dtype: np.dtype[Any], count: int) -> np.ndarray:
    """All finite values of a 16-bit dtype, else a sample; without 0, where SELU's derivative is a convention."""
    x = every_value(dtype) if dtype.itemsize == 2 else samples(dtype, count, np.random.default_rng(0))
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return x[np.isfinite(x.astype(np.float64)) & (x != 0)]


@dataclass(frozen=True)
class Errors:
    """The largest errors of an operator: in ULP, and where terms cancel in units of the larger one (None: nowhere)."""

    ulps: float
    terms: float | None


def measured(expectations: tuple[oracle.Expected, ...], results: tuple[np.ndarray, ...]) -> Errors:
    """The errors of results."""
    ulps, terms = 0.0, None
    for expectation, result in zip(expectations, results, strict=True):
        cancels = expectation.cancels
        ulps = max(ulps, float(np.max(expectation.errors(result)[~cancels], initial=0)))
        if cancels.any():
            terms = max(terms or 0.0, float(np.max(expectation.term_errors(result)[cancels])))
    return Errors(ulps, terms)


def largest_errors(operator: Operator, attributes: dict[str, Any], x: np.ndarray, torch: Any) -> list[Errors]:
    """Ours, and PyTorch's where it is there and has such an operator."""
    tensors = oracle.tensors(operator, attributes, x)
    expectations = golden.expected(operator, tensors, attributes)
    errors = [measured(expectations, oracle.as_tuple(operator(*tensors, backend="cpu", **attributes)))]
    if torch is not None and operator.name in aten.ATEN:
        errors.append(measured(expectations, aten.results(torch, operator, tensors, attributes)))
    return errors


def cases() -> list[tuple[Operator, dict[str, Any]]]:
    """Every operator with every case of attributes, except operators on rows and operators that quantise.

    `python -m benchmarks rows` measures rows. A quantised result has no error in ULP.
    """
    return [(o, a) for o in actgrad.operators.values() if has_sweep(o) for a in oracle.attribute_cases(o)]


def rows(count: int, torch: Any, console: Console) -> Iterator[str]:
    """The table, line by line."""
    yield f"| operator | attributes | {' | '.join(DTYPES)} | cancelling terms, float32 |"
    yield "| --- " * (3 + len(DTYPES)) + "|"
    for operator, attributes in track(cases(), "measuring", console=console):
        errors = {name: largest_errors(operator, attributes, inputs(d, count), torch) for name, d in DTYPES.items()}
        cells = [" / ".join(oracle.few_digits(e.ulps) for e in errors[name]) for name in DTYPES]
        cells.append(" / ".join(oracle.few_digits(e.terms) for e in errors["float32"] if e.terms is not None))
        words = ", ".join(f"{name}={value}" for name, value in attributes.items() if name != "dim")
        yield f"| {operator.name} | {words} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, or write it into docs/accuracy.md."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python scripts/accuracy.py --write",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name} between its markers")
    parser.add_argument(
        "--count", type=int, default=200_000, metavar="N", help="values of float32 and float64 to try (%(default)s)"
    )
    arguments = parser.parse_args()
    console = Console(stderr=True)
    try:
        import torch
    except ImportError:
        torch = None
        console.print("PyTorch is not installed: its errors are left out")
    made_with = f"Measured on {host()}, with {'no PyTorch' if torch is None else f'PyTorch {torch.__version__}'}.\n\n"
    table = made_with + "\n".join(rows(arguments.count, torch, console)) + "\n"
    if arguments.write:
        if torch is None:
            sys.exit("the document has PyTorch's errors too: pip install 'actgrad[torch]'")
        write_part(DOCUMENT, PART, table)
    else:
        print(table, end="")


if __name__ == "__main__":
    main()
