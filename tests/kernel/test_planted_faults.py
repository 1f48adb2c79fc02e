"""Faults planted in kernels are reported with their kind and line; right programs that look wrong are not reported."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from actgrad.kernel import Kernel, KernelError, RunReport
from tests.kernel import faults
from tests.kernel.faults import BENIGN, BENIGN_CASES, KERNELS, PLANTED, FaultyKernel, Planted

pytestmark = pytest.mark.slow  # g++ compiles each kernel

TIMEOUT = 2.0  # seconds, for the kernels that never end


def _run(
    kernel: FaultyKernel, defines: dict[str, str], timeout: float = 60.0
) -> tuple[RunReport, np.ndarray, np.ndarray]:
    compiled = Kernel(
        str(kernel.path),
        entry=kernel.file,
        product="Ascend910B",
        defines={**kernel.defines, **defines},
        include=[str(faults.FOLDER)],
    )
    x, y = kernel.arrays()
    report = compiled.run(
        x,
        y,
        workspace=kernel.workspace,
        tiling=kernel.tiling,
        tiling_struct="FaultyTilingData",
        blocks=kernel.blocks,
        timeout=timeout,
    )
    return report, x, y


@pytest.mark.share(6)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.file)
def test_the_kernels_are_right_without_a_fault(kernel):
    report, x, y = _run(kernel, {})
    assert not report.faults
    assert report.ok
    wide = kernel.oracle(x.astype(np.float64), kernel.per_block)
    tolerance = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 8e-3}[kernel.dtype]
    np.testing.assert_allclose(y.astype(np.float64), wide, rtol=tolerance, atol=tolerance)


@pytest.mark.share(20)
@pytest.mark.parametrize("fault", PLANTED, ids=str)
def test_a_planted_fault_is_reported_with_kind_and_line(fault: Planted):
    name, refused = fault.kernel.path.name, ""
    try:
        report, _, _ = _run(fault.kernel, {"FAULT": str(fault.number)}, TIMEOUT if fault.kind == "timeout" else 60.0)
    except KernelError as error:
        refused = str(error)
    if refused:  # the compiler may refuse a dtype that the product lacks
        assert fault.kind == "dtype-unsupported", refused
        assert any(f"{name}:{line}" in refused for line in fault.lines), refused
        return
    assert not report.ok or fault.kind == "compare-remainder"
    found = [(f.kind, Path(f.file).name if f.file else "", f.line) for f in report.faults]
    if fault.lines:
        assert {(fault.kind, name, line) for line in fault.lines} & set(found), found
    else:
        assert fault.kind in {kind for kind, _, _ in found}, found


@pytest.mark.share(12)
@pytest.mark.parametrize("case", BENIGN_CASES)
def test_right_programs_that_look_wrong_are_not_reported(case):
    report, x, y = _run(BENIGN, {"CASE": str(case)})
    assert not [fault for fault in report.faults if fault.severity != "note"]
    assert report.ok
    np.testing.assert_array_equal(y, 2 * x)


def test_enough_faults():
    kernels_by_kind: dict[str, Counter] = {}
    for fault in PLANTED:
        kernels_by_kind.setdefault(fault.kind, Counter())[fault.kernel.file] += 1
    assert set(kernels_by_kind) == set(faults.KINDS)
    assert len(PLANTED) >= 66
    for kind, kernels in kernels_by_kind.items():
        assert kernels.total() >= 3, kind
        assert len(kernels) >= 2, kind
