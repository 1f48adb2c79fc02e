"""Every operator compiles for NVIDIA's and AMD's GPUs, on a machine without one, to the instructions meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.support.calls import OPERATORS, Memory, input_shapes, off_defaults, pairs

pytest.importorskip("triton")

from triton.backends.compiler import GPUTarget

import actgrad
from actgrad.backends.triton import launcher, machines, program
from actgrad.base.computation import Computation
from actgrad.base.dtypes import BY_NAME
from actgrad.base.loop import Loop, Operand
from actgrad.samples import attribute_cases

pytestmark = pytest.mark.share(20)

TARGETS = {
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90": GPUTarget("cuda", 90, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
}
BINARIES = {"cuda": "cubin", "hip": "hsaco"}
ROWS = (64, 1024)


@pytest.fixture(autouse=True, scope="module")
def _no_kernel_of_before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


def computation(
    operator: actgrad.Operator, dtype: str, shape: tuple[int, ...] = ROWS, out: Any = None, **attributes: Any
) -> Computation:
    tensors = [np.zeros(s, BY_NAME[dtype].numpy) for s in input_shapes(operator, shape).values()]
    return operator.plan(*tensors, out=out, backend="reference", **attributes).computation


def compiled(what: Computation, target: str, alignment: int = 16) -> Any:
    kind = TARGETS[target].backend
    return program.compiled(launcher.tiled_kernel(what, machines.MACHINES[kind]), TARGETS[target], alignment)


def check(operator: actgrad.Operator, dtype: str, target: str, **attributes: Any) -> None:
    what = computation(operator, dtype, **attributes)
    result = compiled(what, target)
    assert result.asm[BINARIES[TARGETS[target].backend]]
    if target == "gfx942":
        assert re.search("(global|buffer)_load_dwordx4", result.asm["amdgcn"])
        assert re.search("(global|buffer)_store_dwordx4", result.asm["amdgcn"])
        assert ".amdhsa_float_denorm_mode_32 3" in result.asm["amdgcn"]  # subnormal numbers are kept
        assert not re.search(r"s_swappc|__ocml", result.asm["amdgcn"])
        return
    ptx = result.asm["ptx"]
    check_instructions(ptx, launcher.tiled_kernel(what, machines.CUDA).text)
    for kind, operands in (("ld", what.loop.inputs), ("st", what.loop.outputs)):
        widths = [width(o.dtype.itemsize) for o in operands]
        for suffix in set(widths):
            assert ptx.count(f"{kind}.global.{suffix}") >= widths.count(suffix), (kind, suffix)


def width(itemsize: int) -> str:
    """How PTX writes an access of 128 bits to elements of this size."""
    return "v2.b64" if itemsize == 8 else "v4.b32"


def check_instructions(ptx: str, text: str) -> None:
    exact = ptx.replace("rcp.approx.ftz.f32", "")  # the first guess of a reciprocal; one step makes it exact
    assert not re.search(r"\.approx|\.ftz|div\.full|\bex2\b", exact)
    assert not re.search(r"^\s*(\.extern|call)\b", ptx, re.MULTILINE)  # no libdevice
    if "tl.fma" not in text:
        assert "fma.rn" not in ptx  # a product and a sum stay two operations


@pytest.mark.parametrize(("operator", "dtype"), pairs(), ids=lambda v: getattr(v, "name", v))
def test_ptx_of_every_operator_and_dtype(operator: actgrad.Operator, dtype: str) -> None:
    check(operator, dtype, "sm_90")


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_ptx_for_other_targets(operator: actgrad.Operator, target: str) -> None:
    check(operator, "bfloat16", target, **off_defaults(operator))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("operator", "dtype"), pairs(), ids=lambda v: getattr(v, "name", v))
def test_ptx_of_everything(operator: actgrad.Operator, dtype: str, target: str) -> None:
    for attributes in attribute_cases(operator):
        check(operator, dtype, target, **attributes)


def test_ptx_is_wide_whatever_the_number_of_elements() -> None:
    """And the same kernel serves them all."""
    texts = set()
    for count in (1, 1001, 65536, 2**20 + 3):
        what = computation(actgrad.elu, "float32", (count,))
        assert "ld.global.v4.b32" in compiled(what, "sm_90").asm["ptx"]
        texts.add(launcher.tiled_kernel(what, machines.CUDA).text)
    assert len(texts) == 1


KINDS = {16: "v4.b32", 8: "v2.b32", 4: "b32", 2: "b16"}  # of accesses, by their bytes


@pytest.mark.parametrize(("alignment", "kind"), KINDS.items())
def test_ptx_is_as_wide_as_addresses_allow(alignment: int, kind: str) -> None:
    ptx = compiled(computation(actgrad.elu, "float16", (4096,)), "sm_90", alignment).asm["ptx"]
    assert f"ld.global.{kind}" in ptx
    assert f"st.global.{kind}" in ptx
    wider = [other for size, other in KINDS.items() if size > alignment]
    assert not [other for other in wider if re.search(rf"(ld|st)\.global\.{other}\b", ptx)]


def test_ptx_of_a_transposed_operand_reads_and_writes_in_runs() -> None:
    x = np.asfortranarray(np.zeros((512, 256), np.float32))
    out = np.zeros((512, 256), np.float32)
    ptx = compiled(actgrad.elu.plan(x, out=out, backend="reference").computation, "sm_90").asm["ptx"]
    assert "ld.global.v4.b32" in ptx
    assert "st.global.v4.b32" in ptx
    assert "st.shared" in ptx


def test_ptx_of_complex_results_writes_both_parts_at_once() -> None:
    out = np.zeros((64, 32), np.complex64)
    what = actgrad.elu.plan(np.zeros((64, 32), np.float32), out=out, backend="reference").computation
    assert "st.global.v2.b32" in compiled(what, "sm_90").asm["ptx"]


def test_ptx_counts_in_32_bits_unless_it_must_not() -> None:
    """Only what goes beyond 2**31 elements within a tile is counted in 64 bits."""

    def types(step: int) -> set[str]:
        strides = (step * 4, 8)
        operands = [Operand(k, BY_NAME["float32"], 0, strides) for k in range(2)]
        element = computation(actgrad.leaky_relu, "float32")
        loop = Loop((96, 100), (operands[0],), (operands[1],))
        what = Computation(element.element, element.formulas, element.scalars, "float32", loop)
        assert compiled(what, "sm_90").asm["cubin"]
        return {p.type for p in launcher.tiled_kernel(what, machines.CUDA).parameters if p.name.startswith("in")}

    assert types(5000) == {"i32"}
    assert types(2**31) == {"i64"}
    assert types(2**29) == {"i64"}


def test_ptx_of_many_dimensions_is_one_kernel() -> None:
    rank = 12
    order = tuple(int(d) for d in np.random.default_rng(0).permutation(rank))
    x = Memory(order, (1,) * rank).holding(np.zeros((2,) * rank, np.float32))
    what = actgrad.elu.plan(x, out=np.zeros(x.shape, np.float32), backend="reference").computation
    assert compiled(what, "sm_90").asm["cubin"]
    assert compiled(what, "gfx942").asm["hsaco"]


def test_ptx_is_the_same_for_other_attributes() -> None:
    """They are numbers that the kernel is given."""
    texts = {
        launcher.tiled_kernel(
            computation(actgrad.elu_backward, dtype, alpha=a, scale=s, input_scale=i), machines.CUDA
        ).text
        for dtype in ("float32",)
        for a, s, i in ((1.0, 1.0, 1.0), (1.3, 0.7, 0.5), (float("inf"), -1.0, 0.0))
    }
    assert len(texts) == 1


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.access.is_packed], ids=lambda o: o.name)
@pytest.mark.parametrize("columns", [1000, 1004, 11, 4096])
def test_ptx_of_halves_is_as_wide_as_their_rows_allow(operator: actgrad.Operator, columns: int) -> None:
    ptx = compiled(computation(operator, "float32", (64, columns)), "sm_90").asm["ptx"]
    assert ("ld.global.v4.b32" in ptx) == (columns % 4 == 0)


def test_sass_of_ptx_fuses_nothing() -> None:
    sass = compiled(computation(actgrad.leaky_relu_backward, "float32"), "sm_90").asm["sass"]
    assert "FMUL" in sass
    assert "FFMA" not in sass
