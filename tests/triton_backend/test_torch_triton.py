"""What torch.compile sees of the operators on CUDA tensors: Triton's kernels, which inductor writes into its own code.

There is no GPU here. A graph's kernels are run by Triton's interpreter on CPU tensors that are taken for CUDA's; the
code that inductor writes for fake CUDA tensors is compiled as it says, to machine code that is only looked at.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from tests.support.calls import OPERATORS, ids, off_defaults
from tests.support.torch_calls import (
    attribute_cases,
    call,
    channels_last,
    chunked,
    contiguous,
    exact_in_graphs,
    ignore_deprecation,
    permuted,
    tensors,
)

pytest.importorskip("triton", minversion="3.9")
pytest.importorskip("torch", minversion="2.13")

import torch
from torch._subclasses import FakeTensorMode
from triton.runtime import driver

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.backends import triton as backend
from actgrad.backends.triton import graph, launcher, machines, program
from actgrad.torch import graphs
from tests.support.traced_graphs import TARGET, Graphs, inductor_code, machine_codes

pytestmark = [
    pytest.mark.share(12),
    ignore_deprecation,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


@pytest.fixture(autouse=True)
def _gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """What PyTorch asks Triton's driver of when it looks into a kernel."""
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")  # as inductor has it, which Triton warns of
    asked = SimpleNamespace(get_current_target=lambda: TARGET, get_current_device=lambda: 0)
    monkeypatch.setattr(driver, "_active", asked)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Graphs:
    """CPU tensors are taken for CUDA's; kernels have the tiles of a GPU, and the interpreter's arithmetic."""
    monkeypatch.setattr(graphs, "DEVICE", "cpu")
    monkeypatch.setattr(backend, "launch", partial(graph.launch, machine=machines.INTERPRETER._replace()))
    return Graphs()


def interpreted(operator: actgrad.Operator, given: list[Any], attributes: dict[str, Any]) -> tuple[Any, ...]:
    """What the backend computes when nobody compiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        return samples.as_tuple(operator(*given, **attributes, backend="triton"))


def assert_same(ours: Any, theirs: Any) -> None:
    for a, b in zip(samples.as_tuple(ours), samples.as_tuple(theirs), strict=True):
        assert a.stride() == b.stride()
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
        assert (torch.signbit(a) == torch.signbit(b)).all()


# Results


SOME = [actgrad.elu, actgrad.geglu_backward]
LAYOUTS = [(operator, chunked) for operator in OPERATORS]
LAYOUTS += [(operator, make) for operator in SOME for make in (contiguous, permuted, channels_last)]


@pytest.mark.parametrize(("operator", "make"), LAYOUTS, ids=lambda value: getattr(value, "__name__", value))
def test_the_same_results_in_any_layout(seen: Graphs, operator: actgrad.Operator, make: Any) -> None:
    attributes = attribute_cases(operator)[-1]
    given = tensors(operator, (6, 20), make)
    assert_same(seen.compiled(call(operator, attributes))(*given), interpreted(operator, given, attributes))
    seen.assert_no_operator()
    assert seen.launches == 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("operator", SOME, ids=ids)
def test_the_same_results_in_any_dtype(seen: Graphs, operator: actgrad.Operator, dtype: Any) -> None:
    attributes = off_defaults(operator)
    given = tensors(operator, (3, 1000), dtype=dtype, optional=True)
    assert_same(seen.compiled(call(operator, attributes))(*given), interpreted(operator, given, attributes))


def test_integers_and_more_than_two_dimensions(seen: Graphs) -> None:
    x = torch.arange(-60, 60).reshape(2, 3, 4, 5).transpose(1, 3).to(torch.int8)
    assert_same(seen.compiled(torch.ops.actgrad.selu)(x), interpreted(actgrad.selu, [x], {}))
    x = torch.randn(2, 6, 4, 5).transpose(0, 3)
    attributes = {"dim": 1, "activate_left": True}
    assert_same(seen.compiled(call(actgrad.geglu, attributes))(x), interpreted(actgrad.geglu, [x], attributes))
    assert seen.launches == 2


@pytest.mark.parametrize("slope", [-0.0, float("inf"), float("nan"), 3.0000001])
def test_attributes_keep_their_bits(seen: Graphs, slope: float) -> None:
    x = torch.tensor([-2.0, -0.0, 0.0, 3.0, float("inf")])
    for dtype in (torch.float32, torch.float64):
        given, attributes = [x.to(dtype)], {"negative_slope": slope}
        ours = seen.compiled(call(actgrad.leaky_relu, attributes))(*given)
        assert_same(ours, interpreted(actgrad.leaky_relu, given, attributes))


def test_tensors_of_no_elements(seen: Graphs) -> None:
    x = torch.randn(0, 8)
    assert seen.compiled(actgrad.torch.geglu)(x).shape == (0, 4)
    seen.assert_no_operator()


def test_variants_that_write_to_their_tensors(seen: Graphs) -> None:
    def function(x: Any, out: Any) -> Any:
        torch.ops.actgrad.elu_(x, 1.3)
        torch.ops.actgrad.gelu.out(x[1:], 1, out=out)

    given = [torch.randn(5, 6), torch.zeros(4, 6)]
    ours = [tensor.clone() for tensor in given]
    seen.compiled(function)(*ours)
    function(*given)
    torch.testing.assert_close(ours, given)
    seen.assert_no_operator()
    assert seen.launches == 2


# Training, and sizes that vary


def network() -> Any:
    return torch.nn.Sequential(
        torch.nn.Linear(6, 16), actgrad.torch.ELU(1.3), actgrad.torch.GEGLU(approximate="tanh"), torch.nn.Linear(8, 8),
        actgrad.torch.SELU(inplace=True), actgrad.torch.LeakyReLU(0.2), actgrad.torch.GELU(),
    )  # fmt: skip


def slopes(function: Any, module: Any, x: Any) -> list[Any]:
    module.zero_grad()
    function(x).square().sum().backward()
    return [parameter.grad.clone() for parameter in module.parameters()]


def test_training(seen: Graphs) -> None:
    module = network()
    function = seen.compiled(module, dynamic=True)
    for batch in (3, 70):
        x = torch.randn(batch, 6)
        torch.testing.assert_close(slopes(function, module, x), slopes(module, module, x))
    seen.assert_no_operator()
    assert seen.launches == 10
    assert len(seen.seen) == 2


@pytest.mark.parametrize("operator", [*SOME, actgrad.leaky_relu_backward], ids=ids)
def test_one_kernel_for_sizes_that_vary(seen: Graphs, operator: actgrad.Operator) -> None:
    attributes = off_defaults(operator)
    function = seen.compiled(call(operator, attributes), dynamic=True)
    for shape in ((3, 10), (12, 40), (90, 2)):
        given = tensors(operator, shape)
        assert_same(function(*given), interpreted(operator, given, attributes))
    seen.assert_no_operator()
    assert seen.launches == len(seen.seen) <= 2  # halves of two columns are another layout


def test_strides_that_vary(seen: Graphs) -> None:
    function = seen.compiled(actgrad.torch.gelu, dynamic=True)
    for rows, columns in ((5, 6), (70, 40)):
        x = torch.randn(columns, 2 * rows).T[:rows]
        assert_same(function(x), interpreted(actgrad.gelu, [x], {}))
    assert seen.launches == len(seen.seen) == 1


# Where the operator stays


def test_the_operator_stays_on_the_cpu() -> None:
    ours = Graphs()
    with exact_in_graphs():
        ours.compiled(actgrad.torch.gelu)(torch.randn(3))
    assert ours.targets == ["actgrad.gelu.default"]


@pytest.mark.needs("ascend")
@pytest.mark.parametrize("why", ["setting", "product", "interpreter", "no Triton"])
def test_the_operator_stays(seen: Graphs, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    with ExitStack() as stack:
        if why == "setting":
            stack.enter_context(torch._functorch.config.patch(decompose_custom_triton_ops=False))
        if why == "product":
            stack.enter_context(actgrad.product("Ascend950"))
        if why == "interpreter":
            monkeypatch.setenv("TRITON_INTERPRET", "1")
        monkeypatch.setattr(graphs, "DEVICE", "meta")
        if why == "no Triton":
            missing = mock.Mock(side_effect=actgrad.base.errors.BackendUnavailable("none"))
            monkeypatch.setattr(graphs.backends, "load", missing)
        seen.compiled(call(actgrad.elu, {}))(torch.ones(3, device="meta"))
    assert seen.targets == ["actgrad.elu.default"]


def test_the_operator_stays_for_attributes_that_vary(seen: Graphs) -> None:
    x = torch.randn(3, 4)
    function = seen.compiled(lambda x: actgrad.torch.elu(x, x.shape[0]), dynamic=True)
    torch.testing.assert_close(function(x), actgrad.torch.elu(x, 3))
    assert "actgrad.elu.default" in seen.targets


def test_the_operator_stays_for_sizes_that_only_the_data_tells(seen: Graphs) -> None:
    x = torch.randn(6, 8)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        function = seen.compiled(lambda x: actgrad.torch.geglu(x[x[:, 0] > 0]))
        torch.testing.assert_close(function(x), actgrad.torch.geglu(x[x[:, 0] > 0]))
    assert "actgrad.geglu_packed.default" in seen.targets


@pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch's own
def test_the_operator_stays_in_exported_graphs(seen: Graphs) -> None:
    exported = torch.export.export(network().eval(), (torch.randn(4, 6),))
    for program_ in (exported, exported.run_decompositions({})):
        targets = {str(node.target) for node in program_.graph.nodes}
        assert {"actgrad.elu.default", "actgrad.geglu_packed.default", "actgrad.gelu.default"} <= targets


# What inductor makes of it


def own_machine_code(operator: actgrad.Operator, given: list[Any], attributes: dict[str, Any]) -> Any:
    plan = operator.plan(*given, backend="reference", **attributes)
    return program.compiled(launcher.tiled_kernel(plan.computation, machines.CUDA), TARGET, 16)


FUSED = re.compile(r"\bfma\.rn")
SUMS = re.compile(r"\b(?:add|sub)\.(?:rn\.)?f(?:32|64)")
PRODUCTS = re.compile(r"\bmul\.rn\.f(?:32|64)")
WIDE = re.compile(r"(?:ld|st)\.global\.(?:v4\.b32|v2\.b64)")
FEW = [(actgrad.elu, torch.float32, (64, 1024)), (actgrad.geglu_backward, torch.bfloat16, (64, 1024))]
EVERY = [(operator, dtype, (48, 1000)) for operator in OPERATORS for dtype in (torch.float16, torch.float64)]


@pytest.mark.parametrize(
    ("operator", "dtype", "shape"),
    [*FEW, *(pytest.param(*case, marks=pytest.mark.slow) for case in EVERY)],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_inductor_compiles_the_same_arithmetic(
    operator: actgrad.Operator, dtype: Any, shape: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    attributes = off_defaults(operator)
    given = tensors(operator, shape)
    with FakeTensorMode():
        fakes = [None if x is None else torch.empty(x.shape, dtype=dtype, device="cuda") for x in given]
        present = [x for x in fakes if x is not None]
        code = inductor_code(lambda *some: call(operator, attributes)(*some, *fakes[len(some) :]), *present)
    assert "torch.ops.actgrad" not in code
    assert "clone" not in code
    (theirs,) = machine_codes(code, tmp_path)
    real = [None if x is None else x.to(dtype) for x in given]
    ours = own_machine_code(operator, real, attributes)
    counts = [
        [len(re.findall(pattern, each.asm["ptx"])) for pattern in (FUSED, SUMS, PRODUCTS, WIDE)]
        for each in (theirs, ours)
    ]
    assert counts[0][:2] == counts[1][:2]
    assert counts[0][2] >= counts[1][2]  # equal products may be computed twice
    assert counts[0][3] >= counts[1][3]
    assert not re.search(r"\bmul\.f(32|64)", theirs.asm["ptx"])  # which an assembler may fuse with a sum
    assert theirs.asm["cubin"]


def test_inductor_compiles_for_the_warps_of_a_transposed_tile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    with FakeTensorMode():
        given = torch.empty(512, 256, device="cuda"), torch.empty(256, 512, device="cuda").T
        code = inductor_code(call(actgrad.leaky_relu_backward, {}), *given)
    (theirs,) = machine_codes(code, tmp_path)
    assert theirs.metadata.num_warps == 8
    assert {f"{kind}.v4.b32" for kind in ("ld.global", "st.global")} <= set(
        re.findall(r"\w+\.global\.v4\.b32", theirs.asm["ptx"])
    )


def test_inductor_compiles_kernels_for_sizes_that_vary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    from torch._dynamo.source import ConstantSource
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    varies = StatelessSymbolicContext([DimDynamic.DYNAMIC, DimDynamic.STATIC])
    mode = FakeTensorMode(shape_env=ShapeEnv())
    rows = mode.from_tensor(torch.empty(64, 1024), symbolic_context=varies, source=ConstantSource("x")).shape[0]
    with mode:
        code = inductor_code(actgrad.torch.geglu, torch.empty(rows, 1024, device="cuda"), dynamic=True)
    assert re.search(rf"{graph.NAME}_0\.run\(buf\d, arg\d_1, s\d+, ", code)
    (theirs,) = machine_codes(code, tmp_path)
    assert "ld.global.v4.b32" in theirs.asm["ptx"]


def test_inductor_allocates_results_once_and_nothing_else() -> None:
    def function(x: Any) -> Any:
        return actgrad.torch.geglu(actgrad.torch.elu(x, 1.3))

    with FakeTensorMode():
        code = inductor_code(function, torch.empty(64, 100, device="cuda"))
    assert code.count(f"{graph.NAME}_0.run(buf0, arg0_1, 6400, ") == 1
    assert code.count(f"{graph.NAME}_1.run(") == 1
    assert "@triton.jit\ndef element(" in code
    assert len(set(re.findall(r"buf\d+ = empty_strided_cuda", code))) == 2
