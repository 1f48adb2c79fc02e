#!/usr/bin/env python3
"""Times the CPU backend against PyTorch's own kernels and prints the ratios, ours / theirs: below 1 is faster.

Both sides write into a given output on the same number of threads; runs are interleaved, and the ratio is that of the
medians. Results are compared before anything is timed.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
import writing
from rich.console import Console
from rich.progress import Progress

import actgrad

DOCUMENT = Path(__file__).parents[1] / "docs" / "ratios.md"
PART = "ratios"  # of the document
SIZES = {"1e3": 10**3, "1e5": 10**5, "1e6": 10**6, "1.6e7": 16 * 10**6, "6.4e7": 64 * 10**6}
HALVES_AND_SINGLE = ("float32", "float16", "bfloat16")
aten = torch.ops.aten


class Case(NamedTuple):
    """Something to time: ours and theirs, each writing into an output of its own, which must agree."""

    ours: Callable[[], object]
    theirs: Callable[[], object]
    outputs: tuple[torch.Tensor, torch.Tensor]


def elu_backward(g: torch.Tensor, x: torch.Tensor, alpha: float, scale: float, is_result: bool) -> Case:
    mine, others = torch.empty_like(x), torch.empty_like(x)
    plan = actgrad.elu_backward.plan(g, x, out=mine, alpha=alpha, scale=scale, is_result=is_result)
    return Case(
        plan.run,
        lambda: aten.elu_backward.grad_input(g, alpha, scale, 1.0, is_result, x, grad_input=others),
        (mine, others),
    )


def leaky_relu_backward(g: torch.Tensor, x: torch.Tensor) -> Case:
    mine, others = torch.empty_like(x), torch.empty_like(x)
    plan = actgrad.leaky_relu_backward.plan(g, x, out=mine)
    return Case(
        plan.run, lambda: aten.leaky_relu_backward.grad_input(g, x, 0.01, False, grad_input=others), (mine, others)
    )


#: The rows of the table: what is timed, by dtype and size.
CASES: dict[str, tuple[tuple[str, ...], Callable[[torch.Tensor, torch.Tensor], Case]]] = {
    "elu_backward": (HALVES_AND_SINGLE, lambda g, x: elu_backward(g, x, 1.0, 1.0, False)),
    "elu_backward, from result": (HALVES_AND_SINGLE, lambda g, x: elu_backward(g, x, 1.0, 1.0, True)),
    "elu_backward, SELU's alpha and scale": (
        HALVES_AND_SINGLE, lambda g, x: elu_backward(g, x, 1.6732632423543772, 1.0507009873554805, False),
    ),
    "leaky_relu_backward": ((*HALVES_AND_SINGLE, "float64"), leaky_relu_backward),
}  # fmt: skip


def geglu_backward(dtype: torch.dtype, approximate: str, rows: int, half: int) -> Case:
    """Against the composition that eager PyTorch code runs: gradients of both halves, joined into the output."""
    x, g = torch.randn(rows, 2 * half).to(dtype), torch.randn(rows, half).to(dtype)
    gelu = torch.nn.functional.gelu(x.chunk(2, -1)[1], approximate=approximate)
    mine, others = torch.empty_like(x), torch.empty_like(x)

    def eager() -> None:
        left, right = x.chunk(2, -1)
        torch.cat([g * gelu, aten.gelu_backward(g * left, right, approximate=approximate)], -1, out=others)

    return Case(actgrad.geglu_backward.plan(g, x, gelu, out=mine, approximate=approximate).run, eager, (mine, others))


def ratio(case: Case, size: int) -> float:
    """The medians' ratio over interleaved runs, after both have been run and compared."""
    case.ours(), case.theirs()
    mine, others = (t.double() for t in case.outputs)
    eps = torch.finfo(case.outputs[0].dtype).eps
    # Absolute errors are PyTorch's: its GELU has no digits left in the negative tail.
    if not torch.allclose(mine, others, rtol=8 * eps, atol=64 * eps, equal_nan=True):
        raise SystemExit(f"results differ by {(mine - others).abs().max().item():.3g}: nothing was timed")
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(max(7, min(1001, 4 * 10**7 // size))):
        for call, taken in zip((case.ours, case.theirs), times, strict=True):
            begin = time.perf_counter()
            call()
            taken.append(time.perf_counter() - begin)
    return statistics.median(times[0]) / statistics.median(times[1])


def elementwise_ratio(make: Callable[[torch.Tensor, torch.Tensor], Case], dtype: torch.dtype, size: int) -> float:
    """The ratio of an elementwise case on fresh random tensors of `size` elements."""
    g, x = (torch.randn(size).to(dtype) for _ in range(2))
    return ratio(make(g, x), size)


def gated_ratio(approximate: str, dtype: torch.dtype, size: int) -> float:
    """The ratio of GeGLU backward; the packed input has `size` elements, in rows of 2 x 500."""
    return ratio(geglu_backward(dtype, approximate, size // 1000, 500), size)


def rows(sizes: list[str]) -> Iterator[tuple[str, str, list[Callable[[], float]]]]:
    """Name, dtype and the measurements of each row of the table."""
    for name, (dtypes, make) in CASES.items():
        for dtype in dtypes:
            measure = partial(elementwise_ratio, make, getattr(torch, dtype))
            yield name, dtype, [partial(measure, SIZES[s]) for s in sizes]
    for approximate in ("none", "tanh"):
        for dtype in HALVES_AND_SINGLE:
            measure = partial(gated_ratio, approximate, getattr(torch, dtype))
            yield f"geglu_backward {approximate}, of eager", dtype, [partial(measure, SIZES[s]) for s in sizes]


def table(sizes: list[str], console: Console) -> str:
    """The measured table as markdown."""
    lines = ["| operator | dtype | " + " | ".join(sizes) + " |", "| --- | --- |" + " ---: |" * len(sizes)]
    work = list(rows(sizes))
    with Progress(console=console) as progress:
        bar = progress.add_task("timing", total=sum(len(cells) for *_, cells in work))
        for name, dtype, cells in work:
            measured = []
            for cell in cells:
                measured.append(f"{cell():.2f}")
                progress.advance(bar)
            lines.append(f"| {name} | {dtype} | " + " | ".join(measured) + " |")
    return "\n".join(lines)


def machine() -> str:
    """What it was measured on."""
    from actgrad.backends.cpu.target import host

    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    threads = actgrad.get_num_threads()
    return f"{model}, {threads} threads, {host()}, PyTorch {torch.__version__}, Python {platform.python_version()}"


def main() -> int:
    parser = writing.parser(__doc__, DOCUMENT, "python scripts/ratios.py --sizes 1e3 1e6")
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES), help="elements per tensor")
    options = parser.parse_args()
    torch.manual_seed(0)
    result = f"Measured on: {machine()}.\n\n{table(options.sizes, Console(stderr=True))}"
    writing.give(result, DOCUMENT, PART, options.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
