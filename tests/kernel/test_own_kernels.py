"""Kernels of our own are right for all sizes and shares of blocks, without any fault, and over all halves."""

import numpy as np
import pytest

from tests.kernel import kernels
from tests.kernel.kernels import BLOCKS, FOLDER, KERNELS, SIZES, OwnKernel

kernel_wing = pytest.importorskip("actgrad.kernel")

CASES = [pytest.param(kernel, dtype, id=f"{kernel.name}-{dtype}") for kernel in KERNELS for dtype in kernel.dtypes]
HALVES = [pytest.param(kernel, id=kernel.name) for kernel in KERNELS if kernel.halves]


def _compiled(kernel: OwnKernel, dtype: str):
    return kernel_wing.Kernel(
        str(FOLDER / f"{kernel.file}.cpp"),
        entry=kernel.entry or kernel.file,
        product=kernel.product,
        defines=kernel.defines(dtype),
        include=[str(FOLDER)],
    )


def _run(compiled, kernel: OwnKernel, arrays: list[np.ndarray], size: int, blocks: int, dtype: str):
    return compiled.run(
        *arrays,
        workspace=kernel.workspace(blocks),
        tiling=kernel.tiling(size, blocks, kernels.NUMPY[dtype].itemsize),
        tiling_struct=kernel.struct,
        tiling_key=kernel.key,
        blocks=blocks,
        timeout=120,
    )


def _mistakes(kernel: OwnKernel, arrays: list[np.ndarray], exact: list[np.ndarray], dtype: str) -> list[str]:
    mistakes = []
    for number, (got, right) in enumerate(zip(kernels.outputs(kernel, arrays), exact, strict=True)):
        bad = kernels.wrong(kernel, got, right.reshape(got.shape), dtype if got.dtype.itemsize < 4 else str(got.dtype))
        if bad.any():
            first = tuple(int(i[0]) for i in np.nonzero(bad))
            mistakes.append(
                f"output {number}: {int(bad.sum())} of {bad.size} wrong, first at {first}: "
                f"{got[first]} instead of {right.reshape(got.shape)[first]}"
            )
    return mistakes


@pytest.mark.share(4)
@pytest.mark.parametrize(("kernel", "dtype"), CASES)
def test_right_for_all_sizes_and_blocks(kernel, dtype):
    compiled = _compiled(kernel, dtype)
    for size in SIZES:
        for blocks in BLOCKS:
            arrays, exact = kernels.arrays(kernel, size, dtype)
            report = _run(compiled, kernel, arrays, size, blocks, dtype)
            case = f"size {size}, {blocks} blocks"
            assert not [f for f in report.faults if f.severity != "note"], f"{case}: {report.faults}"
            assert report.ok
            mistakes = _mistakes(kernel, arrays, exact, dtype)
            assert not mistakes, f"{case}: {mistakes}"


@pytest.mark.parametrize("kernel", HALVES)
def test_right_for_all_halves(kernel):
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    arrays, exact = kernels.arrays(kernel, every.size, "float16", [every])
    report = _run(_compiled(kernel, "float16"), kernel, arrays, every.size, 3, "float16")
    assert not report.faults
    got = kernels.outputs(kernel, arrays)[0]
    judged = ~np.isnan(every) if kernel.nan_is_open else np.ones(every.shape, bool)
    bad = kernels.wrong(kernel, got, exact[0], "float16") & judged
    assert not bad.any(), [(float(every[i]), float(got[i]), float(exact[0][i])) for i in np.flatnonzero(bad)[:5]]


def test_enough_kernels():
    assert len({kernel.file for kernel in KERNELS}) >= 22
    assert len(HALVES) >= 6
