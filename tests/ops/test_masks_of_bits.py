"""ReLU with a mask of bits, its gradient, and operators of an author with such a mask.

NumPy's packbits and where are the expected values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad import ir
from actgrad.base.access import Bits
from actgrad.base.definition import Roles
from actgrad.base.xp import tanh, where
from actgrad.calls.operator import REGISTRY
from actgrad.torch.derivatives import saving
from tests.support.calls import Memory, same_bits, status, untouched

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")  # PyTorch's own
FLOATS = [np.float32, np.float16, bfloat16, np.float64]
INTEGERS = [np.int8, np.uint8, np.int32]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.0, -1.0]
LAYOUTS = [
    Memory((0, 1, 2), (1, 1, 1)), Memory((2, 0, 1), (1, 1, 1), 2), Memory((1, 2, 0), (1, -1, 2), 4),
    Memory((0, 1, 2), (2, 1, 3)), Memory((0, 1, 2), (1, -1, -1), 1),
]  # fmt: skip


def numbers(dtype: Any, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        values = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        values.flat[:3] = 0, limits.min, limits.max
        return values
    values = rng.normal(size=shape)
    values.flat[: len(SPECIAL)] = SPECIAL
    rng.shuffle(values.reshape(-1))
    return values.astype(dtype)


def packed(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.packbits(x > 0, axis=-1, bitorder="little")


def selected(x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.where(x > 0, grad, np.zeros_like(grad))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("shape", [(8,), (3, 16), (2, 3, 40), (1, 2, 1, 8), (5, 264), (0, 8), (4, 0), (2, 8016)])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, np.int64])
def test_values(dtype: Any, shape: tuple[int, ...], backend: str) -> None:
    x, grad = numbers(dtype, shape), numbers(dtype, shape, 1)
    out, mask = np.empty(shape, dtype), np.full((*shape[:-1], shape[-1] // 8), 0xA5, np.uint8)
    out.view(np.uint8)[...] = 0xA5
    actgrad.relu_with_mask(x, out=(out, mask), backend=backend)
    assert same_bits(mask, packed(x))
    assert same_bits(out, actgrad.relu(x))
    assert not np.signbit(out.astype(np.float64)[~np.isnan(out.astype(np.float64))]).any()
    if dtype != np.int64:
        got = np.empty(shape, dtype)
        got.view(np.uint8)[...] = 0xA5
        actgrad.relu_with_mask_backward(grad, mask, out=got, backend=backend)
        assert same_bits(got, selected(x, grad))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8])
@pytest.mark.parametrize("layouts", [(0, 1, 2), (1, 0, 3), (2, 3, 4), (3, 4, 1), (4, 2, 0)])
def test_layouts(layouts: tuple[int, ...], dtype: Any) -> None:
    a, b, c = (LAYOUTS[k] for k in layouts)
    shape, bytes_ = (3, 4, 24), (3, 4, 3)
    x, grad = numbers(dtype, shape), numbers(dtype, shape, 1)
    out, memory = b.room(shape, np.dtype(dtype))
    mask, mask_memory = c.room(bytes_, np.dtype(np.uint8))
    actgrad.relu_with_mask(a.holding(x), out=(out, mask))
    assert same_bits(mask, packed(x))
    assert same_bits(out, actgrad.relu(x))
    assert untouched(out, memory)
    assert untouched(mask, mask_memory)
    got = b.holding(grad)
    actgrad.relu_with_mask_backward(got, mask, out=got)
    assert same_bits(got, selected(x, grad))


def test_a_transposed_result_has_rows_of_bits() -> None:
    x = numbers(np.float32, (16, 24)).T
    out, mask = actgrad.relu_with_mask(x)
    assert out.strides == x.strides
    assert mask.shape == (24, 2)
    assert same_bits(mask, packed(x))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_do_not_depend_on_threads(threads: int) -> None:
    x = numbers(np.float32, (37, 8000))
    before = actgrad.get_num_threads()
    actgrad.set_num_threads(threads)
    try:
        assert same_bits(actgrad.relu_with_mask(x)[1], packed(x))
    finally:
        actgrad.set_num_threads(before)


def test_refused_calls() -> None:
    x, mask = np.ones((3, 16), np.float32), np.ones((3, 2), np.uint8)
    with pytest.raises(actgrad.InvalidArgument, match="x has 0 dimensions; it must have at least 1"):
        actgrad.relu_with_mask(np.ones(()))
    for shape in ((12,), (8, 7)):
        with pytest.raises(
            actgrad.InvalidArgument, match=r"x has shape .*; the last dimension must be a multiple of 8"
        ):
            actgrad.relu_with_mask(np.ones(shape))
    for shape in ((3, 1), (2,), (3, 16), (1, 2)):
        with pytest.raises(actgrad.InvalidArgument, match=r"mask has shape .*; it must be \(3, 2\)"):
            actgrad.relu_with_mask_backward(x, np.ones(shape, np.uint8))
    for dtype in (np.int8, np.bool_, np.float32):
        with pytest.raises(actgrad.InvalidDtype, match=r"mask is .*; it must be uint8"):
            actgrad.relu_with_mask_backward(x, mask.astype(dtype))
        with pytest.raises(actgrad.InvalidDtype, match=r"mask is .*; it must be uint8"):
            actgrad.relu_with_mask(x, out=(None, mask.astype(dtype)))
    with pytest.raises(actgrad.InvalidArgument, match=r"mask has shape \(3, 16\); it must be \(3, 2\)"):
        actgrad.relu_with_mask(x, out=(None, np.ones((3, 16), np.uint8)))
    with pytest.raises(actgrad.InvalidDtype, match="grad_output is int64"):
        actgrad.relu_with_mask_backward(x.astype(np.int64), mask)
    shared = np.zeros((3, 16), np.uint8)
    with pytest.raises(actgrad.InvalidArgument, match="mask overlaps x"):
        actgrad.relu_with_mask(shared, out=(None, shared[:, :2]))
    with actgrad.product("Ascend310B"), pytest.raises(actgrad.UnsupportedOnProduct):
        actgrad.relu_with_mask(x)
    with actgrad.product("Ascend910"), pytest.raises(actgrad.InvalidDtype, match="x is bfloat16"):
        actgrad.relu_with_mask(x.astype(bfloat16))


def test_graph_operators() -> None:
    x = numbers(np.float16, (2, 24))
    y, mask = ir.ReluV2(x)
    assert same_bits(mask, packed(x))
    assert same_bits(ir.ReluGradV2(x, mask), selected(x, x))
    assert same_bits(y, actgrad.relu(x))
    assert ir.ReluV2.infer_shape((4, 64)) == ((4, 64), (4, 8))
    assert ir.ReluV2.infer_shape((-1, -1, 16)) == ((-1, -1, 16), (-1, -1, 2))
    assert ir.ReluV2.infer_shape((4, -1)) == ((4, -1), (4, -1))
    assert ir.ReluV2.infer_dtype("BF16") == ("BF16", "UINT8")
    assert ir.ReluGradV2.infer_shape((4, 64), (4, 8)) == ((4, 64),)
    with pytest.raises(actgrad.InvalidArgument, match="the last dimension must be a multiple of 8"):
        ir.ReluV2.infer_shape((4, 63))


def test_pytorch_saves_an_eighth_of_a_byte_for_each_element() -> None:
    x = torch.from_numpy(numbers(np.float64, (2, 3, 16))).nan_to_num(0.5, 2.0, -2.0).requires_grad_()

    def relu(x: torch.Tensor) -> torch.Tensor:
        return actgrad.torch.relu_with_mask(x)[0]

    out, mask = actgrad.torch.relu_with_mask(x)
    assert [(t.dtype, t.numel()) for t in out.grad_fn.saved_tensors] == [(torch.uint8, x.numel() // 8)]
    assert not mask.requires_grad
    assert [*saving.ways(actgrad.relu_with_mask)] == ["mask"]
    (gradient,) = torch.autograd.grad(out, x, torch.full_like(out, torch.inf))
    assert torch.equal(gradient, torch.where(x > 0, torch.inf, 0.0))
    away = torch.where(x.abs() < 0.1, 0.3, x).detach().requires_grad_()
    assert torch.autograd.gradcheck(relu, away, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: relu(x) ** 2, away)
    assert torch.equal(torch.func.grad(lambda x: relu(x).sum())(x.detach()), (x > 0).double())
    for dim in (0, 1):
        got = torch.func.vmap(actgrad.torch.relu_with_mask, in_dims=dim)(x.detach())
        assert torch.equal(got[1], mask.movedim(dim, 0))
    into = torch.empty_like(x), torch.empty_like(mask)
    with torch.no_grad():
        torch.ops.actgrad.relu_with_mask.out(x, out=into[0], mask=into[1])
    assert torch.equal(into[0], out)
    assert torch.equal(into[1], mask)


@pytest.mark.share(6)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
def test_graphs() -> None:
    for overload, arguments in (
        (torch.ops.actgrad.relu_with_mask, (torch.randn(3, 16, requires_grad=True),)),
        (torch.ops.actgrad.relu_with_mask_backward, (torch.randn(3, 16), torch.ones(3, 2, dtype=torch.uint8))),
    ):
        torch.library.opcheck(overload.default, arguments)
    for dynamic in (False, True):
        torch._dynamo.reset()
        compiled = torch.compile(actgrad.torch.relu_with_mask, backend="aot_eager", fullgraph=True, dynamic=dynamic)
        for size in (16, 40):
            x = torch.randn(3, size, requires_grad=True)
            out, mask = compiled(x)
            assert torch.equal(mask, actgrad.torch.relu_with_mask(x)[1])
            assert torch.equal(torch.autograd.grad(out.sum(), x)[0], (x > 0).float())

    class Network(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return actgrad.torch.relu_with_mask(x)

    x = torch.randn(3, 16)
    exported = torch.export.export(Network(), (x,)).run_decompositions()
    assert not any("actgrad" in str(node.target) for node in exported.graph.nodes)
    for got, expected in zip(exported.module()(x), actgrad.torch.relu_with_mask(x), strict=True):
        assert torch.equal(got, expected)


def sum_formula(x, y, scale):
    """tanh(x + scale * y) if x > 0, else y, and whether x > 0"""
    return where(x > 0, tanh(x + scale * y), y), where(x > 0, 1.0, 0.0)


@pytest.fixture(scope="module")
def authors() -> Iterator[dict[str, actgrad.Operator]]:
    """An operator of two tensors with an attribute, and a function of its mask."""
    forward = actgrad.Operator(
        "sum_of_tests(Tensor x, Tensor y, Scalar scale=0.5) -> (Tensor out, Tensor mask)",
        summary="out = tanh(x + scale * y) if x > 0, else y, and mask = 1 if x > 0, else 0",
        formula=sum_formula,
        layout=Bits("mask"),
    )
    selection = actgrad.Operator(
        "selection_of_tests(Tensor x, Tensor y, Tensor mask, Scalar scale=0.5) -> Tensor out",
        summary="scale * y if mask > 0, else x",
        formula=selection_formula,
        layout=Bits("mask"),
    )
    yield {"sum": forward, "selection": selection}
    for operator in (forward, selection):
        REGISTRY.pop(operator.name, None)


def selection_formula(x, y, bit, scale):
    """scale * y if bit > 0, else x, where bit is the element's bit of the mask"""
    return where(bit > 0, scale * y, x)


@pytest.mark.needs("judge")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.share(8)
def test_operators_of_an_author(authors: dict[str, actgrad.Operator], dtype: Any) -> None:
    x, y = (numbers(np.float32, (3, 40), seed).astype(dtype) for seed in (3, 4))
    wide = x.astype(np.float64), y.astype(np.float64)
    out, mask = authors["sum"](x, y, scale=1.5)
    assert same_bits(mask, packed(x))
    with np.errstate(invalid="ignore"):
        expected = np.where(wide[0] > 0, np.tanh(wide[0] + 1.5 * wide[1]), wide[1])
        tolerance = 2 * float(np.finfo(np.float32).eps if np.dtype(dtype).itemsize > 2 else 2.0**-8)
        np.testing.assert_allclose(out.astype(np.float64), expected, rtol=tolerance, atol=tolerance)
        for backend in ("cpu", "reference"):
            got = authors["selection"](x, y, mask, scale=1.0, backend=backend)
            assert same_bits(got, np.where(wide[0] > 0, y, x))
    if dtype == np.float32:
        for operator in authors.values():
            assert status("check", operator.name, "--dtype", "float32") == 0
    tensors = [torch.randn(2, 8, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert torch.autograd.gradcheck(lambda x, y: authors["sum"](x, y)[0], tensors)
    bits = torch.randint(0, 256, (2, 1), dtype=torch.uint8)
    assert torch.autograd.gradcheck(lambda x, y: authors["selection"](x, y, bits), tensors)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("(Tensor x) -> (Tensor mask, Tensor out)", r"layout=Bits names 'mask'; .* write it last"),
        ("(Tensor mask) -> Tensor out", r"layout=Bits names 'mask'; .* write it last"),
        ("(Tensor x) -> Tensor out", r"layout=Bits names 'mask'; it must be the last"),
        ("(Tensor x, Tensor? mask) -> Tensor out", "layout=Bits has optional tensors"),
        ("(Tensor a, Tensor b, Tensor c, Tensor mask) -> Tensor out", "more than 3 tensors and outputs"),
    ],
)
def test_wrong_accesses(arguments: str, message: str) -> None:
    with pytest.raises(actgrad.InvalidOperator, match=message):
        actgrad.Operator(f"wrong_of_tests{arguments}", summary="x", formula=sum_formula, layout=Bits("mask"))


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (Roles(), "state takes_gradient=True"),
        (Roles(takes_gradient=True, multiplies="grad_output"), "has no multiplies"),
    ],
)
def test_wrong_gradients(roles: Roles, message: str) -> None:
    try:
        wrong = actgrad.Operator(
            "wrong_of_tests(Tensor grad_output, Tensor mask) -> Tensor grad_input",
            summary="x",
            formula=selection_formula,
            gradient_of=actgrad.relu_with_mask,
            layout=Bits("mask"),
            roles=roles,
        )
        with pytest.raises(actgrad.InvalidOperator, match=message):
            wrong(np.ones(8), np.ones(1, np.uint8))
    finally:
        REGISTRY.pop("wrong_of_tests", None)
