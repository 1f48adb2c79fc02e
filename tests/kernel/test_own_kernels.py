"""Kernels of our own are right for all sizes and shares of blocks, without any fault, and over all halves."""

import numpy as np
import pytest

from actgrad.kernel import Kernel, RunReport
from tests.kernel import kernels
from tests.kernel.kernels import BLOCKS, FOLDER, KERNELS, SIZES, OwnKernel

pytestmark = pytest.mark.slow  # g++ compiles each kernel

CASES = [pytest.param(kernel, dtype, id=f"{kernel.name}-{dtype}") for kernel in KERNELS for dtype in kernel.dtypes]
HALVES = [pytest.param(kernel, id=kernel.name) for kernel in KERNELS if kernel.halves]


def _compiled(kernel: OwnKernel, dtype: str) -> Kernel:
    return Kernel(
        str(FOLDER / f"{kernel.file}.cpp"),
        entry=kernel.entry or kernel.file,
        product=kernel.product,
        defines=kernel.defines(dtype),
        include=[str(FOLDER)],
    )


def _run(compiled: Kernel, kernel: OwnKernel, run: kernels.Run, size: int, blocks: int, dtype: str) -> RunReport:
    return compiled.run(
        *run.arguments,
        workspace=kernel.workspace(blocks),
        tiling=kernel.tiling(size, blocks, kernels.NUMPY[dtype].itemsize),
        tiling_struct=kernel.struct,
        tiling_key=kernel.key,
        blocks=blocks,
        timeout=120,
    )


def _mistakes(run: kernels.Run, bad: list[np.ndarray]) -> list[str]:
    mistakes = []
    for number, (output, exact) in enumerate(zip(run.outputs, run.exact, strict=True)):
        where = np.flatnonzero(bad[number])
        if where.size:
            first = [(int(i), float(output.flat[i]), float(exact.flat[i])) for i in where[:4]]
            mistakes.append(f"output {number}: {where.size} of {output.size}; index, number, right number: {first}")
    return mistakes


@pytest.mark.share(16)
@pytest.mark.parametrize(("kernel", "dtype"), CASES)
def test_right_for_all_sizes_and_blocks(kernel, dtype):
    compiled = _compiled(kernel, dtype)
    for size in SIZES:
        for blocks in BLOCKS:
            run = kernels.prepare(kernel, size, dtype)
            report = _run(compiled, kernel, run, size, blocks, dtype)
            mistakes = _mistakes(run, [kernels.wrong(kernel, run, i) for i in range(len(run.outputs))])
            faults = [fault for fault in report.faults if fault.severity != "note"]
            assert not faults + mistakes, f"size {size}, {blocks} blocks"
            assert report.ok


@pytest.mark.share(8)
@pytest.mark.parametrize("kernel", HALVES)
def test_right_for_all_halves(kernel):
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    run = kernels.prepare(kernel, every.size, "float16", every)
    report = _run(_compiled(kernel, "float16"), kernel, run, every.size, 3, "float16")
    assert not report.faults
    judged = ~(kernel.nan_is_open & np.isnan(every))
    mistakes = _mistakes(run, [kernels.wrong(kernel, run, i) & judged for i in range(len(run.outputs))])
    assert not mistakes


def test_enough_kernels():
    assert len({kernel.file for kernel in KERNELS}) >= 22
    assert len(HALVES) >= 6
