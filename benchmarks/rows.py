"""`python -m benchmarks rows`: softmax and its like compared with PyTorch's own operators, time and errors.

A ratio is that of the medians of interleaved runs into given outputs, ours / theirs: below 1 is faster.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib import import_module
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

import actgrad

from . import machine, subject
from .timing import Contender, interleaved

PART = "rows"
SIZES = (64, 512, 1000, 4096, 131072)
ELEMENTS = (1 << 14, 1 << 22)
DTYPES = ("float32", "bfloat16")
NAMES = ("softmax", "softmax_backward", "log_softmax", "log_softmax_backward")
DOCUMENT = Path("docs/rows.md")
Table = dict[tuple[str, str, int, int, int], float]  # operator, dtype, dim, row, elements -> ratio


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `rows`."""
    parser = subparsers.add_parser(
        "rows", help="compare softmax and its like with PyTorch's", description=__doc__,
        epilog="examples:\n  python -m benchmarks rows\n  python -m benchmarks rows --write",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, default=0.3, help="of each contender in a cell (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write the tables into {DOCUMENT}")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    documents, terminal = (import_module(f"actgrad.writing.{name}") for name in ("documents", "terminal"))
    if given.write:
        documents.read(DOCUMENT, PART)  # refused before minutes of work
    cells = list(_cells())
    ratios: Table = {}
    onednn = {dtype: [onednn_ratio(dtype, size, given.seconds) for size in SIZES] for dtype in onednn_dtypes()}
    with terminal.progress("rows", len(cells)) as advance:
        for name, dtype, dim, size, elements in cells:
            ratios[name, dtype, dim, size, elements] = ratio(name, dtype, dim, size, elements, given.seconds)
            advance(1, f"{name} {dtype}")
    text = markdown(ratios, onednn, {name: errors(name) for name in NAMES})
    print(text)
    if given.write:
        documents.write_part(DOCUMENT, PART, text)
    return 0


def _cells() -> Iterator[tuple[str, str, int, int, int]]:
    for name in NAMES:
        for dtype in DTYPES:
            for dim in (1, 0):
                for size in SIZES:
                    for elements in ELEMENTS:
                        if elements >= size:
                            yield name, dtype, dim, size, elements


def calls(name: str, dtype: str, dim: int, size: int, elements: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The call of ours and of PyTorch's, into given outputs; both were compared."""
    torch = import_module("torch")
    generator = torch.Generator().manual_seed(size)
    shape = (elements // size, size) if dim else (size, elements // size)
    x, g = (torch.randn(shape, generator=generator).mul(3).to(getattr(torch, dtype)) for _ in range(2))
    ours, theirs = torch.empty_like(x), torch.empty_like(x)
    aten = torch.ops.aten
    forward = name.removesuffix("_backward")
    given = (x,) if name == forward else (g, getattr(torch, forward)(x, dim))
    plan = getattr(actgrad, name).plan(*given, out=ours, dim=dim)
    function = getattr(aten, f"_{forward}" if name == forward else f"_{name}_data").out
    last: Any = False if name == forward else x.dtype
    name_of_out = {"softmax_backward": "grad_input"}.get(name, "out")

    def call() -> Any:
        return function(*given, dim, last, **{name_of_out: theirs})

    plan.run()
    call()
    torch.testing.assert_close(ours, theirs, atol=0.02, rtol=0.02)
    return plan.run, call


def ratio(name: str, dtype: str, dim: int, size: int, elements: int, seconds: float) -> float:
    """Our time / PyTorch's."""
    contenders = [Contender(str(k), [call]) for k, call in enumerate(calls(name, dtype, dim, size, elements))]
    first, second = interleaved(contenders, seconds)
    return first.median / second.median


def onednn_dtypes() -> list[str]:
    """The dtypes that oneDNN computes on this processor: without AVX-512, bfloat16 is none of them."""
    has_bfloat16 = import_module("torch").ops.mkldnn._is_mkldnn_bf16_supported()
    return [dtype for dtype in DTYPES if dtype != "bfloat16" or has_bfloat16]


def onednn_ratio(dtype: str, size: int, seconds: float) -> float:
    """Our softmax's time / oneDNN's, of rows along the last dimension; both allocate the result."""
    torch = import_module("torch")
    x = torch.randn(ELEMENTS[-1] // size, size).to(getattr(torch, dtype))
    theirs = x.to_mkldnn()
    torch.testing.assert_close(actgrad.softmax(x), torch.softmax(theirs, -1).to_dense(x.dtype), atol=0.02, rtol=0.02)
    calls = (lambda: actgrad.softmax(x)), (lambda: torch.softmax(theirs, -1))
    first, second = interleaved([Contender(str(k), [call]) for k, call in enumerate(calls)], seconds)
    return first.median / second.median


def errors(name: str) -> dict[str, float]:
    """The largest errors in ULP on random rows, where terms do not cancel."""
    operator, golden = actgrad.operators[name], import_module("actgrad.judge.golden")
    found: dict[str, float] = {}
    for dtype in ("float32", "float16", "bfloat16"):
        rng = np.random.default_rng(0)
        for size in (*SIZES, 1_000_000):
            x, g = (3 * rng.standard_normal((max(1, 65536 // size), size)) for _ in range(2))
            as_dtype = subject.NUMPY[dtype]
            given: tuple[Any, ...] = (x.astype(as_dtype),)
            if operator.gradient_of is not None:
                given = (g.astype(as_dtype), operator.gradient_of(x).astype(as_dtype))
            (exact,) = golden.expected(operator, given, dict(operator.defaults))
            ulps = np.where(exact.cancels, 0, exact.errors(operator(*given)))
            found[dtype] = max(found.get(dtype, 0.0), float(ulps.max()))
    return found


def geometric_mean(numbers: list[float]) -> float:
    """The geometric mean."""
    return exp(sum(map(log, numbers)) / len(numbers))


def markdown(ratios: Table, onednn: dict[str, list[float]], largest: dict[str, dict[str, float]]) -> str:
    """All tables."""
    lines = [
        f"`python -m benchmarks rows --write`: {machine.line()}.", "",
        "Our time / PyTorch's, results into given memory. Each cell: 16,384 elements, 4,194,304 elements.", "",
        f"| operator | dtype | dim | {' | '.join(f'rows of {size}' for size in SIZES)} |",
        f"| --- | --- | --- | {' | '.join('---' for _ in SIZES)} |",
    ]  # fmt: skip
    for name in NAMES:
        for dtype in DTYPES:
            for dim in (1, 0):
                found = [
                    ", ".join(
                        f"{ratios[name, dtype, dim, size, elements]:.2f}"
                        for elements in ELEMENTS
                        if (name, dtype, dim, size, elements) in ratios
                    )
                    for size in SIZES
                ]
                place = "last" if dim else "first"
                lines.append(f"| {name} | {dtype} | {place} | {' | '.join(found)} |")
    every = list(ratios.values())
    lines += ["", f"Geometric mean {geometric_mean(every):.2f}, largest {max(every):.2f}.", ""]
    lines += [
        f"softmax along the last dimension, our time / oneDNN's, {ELEMENTS[-1]:,} elements. Both libraries allocate "
        "the result:", "",
        f"| dtype | {' | '.join(f'rows of {size}' for size in SIZES)} |",
        f"| --- | {' | '.join('---' for _ in SIZES)} |",
        *(f"| {dtype} | {' | '.join(f'{ratio:.2f}' for ratio in found)} |" for dtype, found in onednn.items()), "",
    ]  # fmt: skip
    lines += [
        "Largest error in ULP on normal random rows of 64 to 1,000,000 elements, where terms do not cancel:", "",
        "| operator | float32 | float16 | bfloat16 |", "| --- | --- | --- | --- |",
    ]  # fmt: skip
    lines += [
        f"| {name} | {' | '.join(f'{error:.2f}' for error in by_dtype.values())} |"
        for name, by_dtype in largest.items()
    ]
    return "\n".join(lines)
