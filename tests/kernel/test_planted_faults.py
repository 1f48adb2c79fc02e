"""Faults planted in kernels are reported with their kind and line; right programs that look wrong are not reported."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.kernel import faults
from tests.kernel.faults import BENIGN, BENIGN_CASES, KERNELS, PLANTED, FaultyKernel, Planted

kernel_wing = pytest.importorskip("actgrad.kernel")

TIMEOUT = 2.0


def _run(kernel: FaultyKernel, defines: dict[str, str], timeout: float = 60.0):
    compiled = kernel_wing.Kernel(
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


def _outcome(fault: Planted) -> tuple[bool, str]:
    """Whether a report has the fault with its kind and line, and the report in short."""
    name = fault.kernel.path.name
    try:
        report, _, _ = _run(fault.kernel, {"FAULT": str(fault.number)}, TIMEOUT if fault.kind == "timeout" else 60.0)
    except Exception as error:  # a dtype that the product lacks may be refused by the compiler
        message = str(error)
        refused = fault.kind == "dtype-unsupported" and any(f"{name}:{line}" in message for line in fault.lines)
        return refused, f"{type(error).__name__}: {message.splitlines()[0][:200]}"
    found = [(f.kind, Path(f.file).name if f.file else "", f.line) for f in report.faults]
    right = any(
        kind == fault.kind and (not fault.lines or (file == name and line in fault.lines)) for kind, file, line in found
    )
    return right, ", ".join(f"{kind} at {file}:{line}" for kind, file, line in found[:4]) or "no fault"


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.file)
def test_the_kernels_are_right_without_a_fault(kernel):
    report, x, y = _run(kernel, {})
    assert not report.faults
    assert report.ok
    wide = kernel.oracle(x.astype(np.float64), kernel.per_block)
    tolerance = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 8e-3}[kernel.dtype]
    np.testing.assert_allclose(y.astype(np.float64), wide, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.file)
def test_planted_faults_are_reported_with_kind_and_line(kernel, record_property):
    missed = []
    for fault in PLANTED:
        if fault.kernel is kernel:
            right, text = _outcome(fault)
            if not right:
                missed.append(f"{fault} at {fault.lines or 'any line'}: {text}")
    assert not missed, "\n".join(missed)


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
