"""RMSNorm as an author would write it: the length of a row, and square roots of tiny numbers, on every backend."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import actgrad
from actgrad.author.linter import validate
from actgrad.base.errors import InvalidOperator
from actgrad.base.rows import Rows, length, once, total
from tests.support.calls import BFLOAT16, status

pytestmark = pytest.mark.share(6)

Operators = dict[str, actgrad.Operator]


@pytest.fixture(scope="module")
def rms_norm(author_operators: Operators) -> actgrad.Operator:
    return author_operators["rms_norm_of_tests"]


def exact(x: np.ndarray, weight: np.ndarray, eps: float, dim: int = -1) -> np.ndarray:
    wide = x.astype(np.longdouble)
    result: np.ndarray = wide / np.sqrt(np.mean(wide * wide, dim, keepdims=True) + eps) * weight.astype(np.longdouble)
    return result


def call(operator: actgrad.Operator, *tensors: np.ndarray, backend: str, **attributes: Any) -> np.ndarray:
    if backend == "triton":
        pytest.importorskip("triton", minversion="3.9")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        result: np.ndarray = operator(*tensors, backend=backend, **attributes)
    return result


@pytest.mark.parametrize("backend", ["cpu", "reference", "triton"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-7, 1e-8, 1e-15, 1e10])
@pytest.mark.parametrize("eps", [1e-6, 1e-12, 0.0])
def test_rows_of_any_scale(rms_norm: actgrad.Operator, backend: str, scale: float, eps: float) -> None:
    rng = np.random.default_rng(3)
    for shape in ((4, 7), (3, 1000), (2, 3, 17)):
        x = (scale * rng.standard_normal(shape)).astype(np.float32)
        weight = rng.standard_normal(shape[-1]).astype(np.float32)
        got = call(rms_norm, x, weight, backend=backend, eps=eps)
        np.testing.assert_allclose(got, exact(x, weight, np.float32(eps)), rtol=5e-7)


@pytest.mark.parametrize("dtype", [np.float16, BFLOAT16, np.float64])
def test_other_dtypes(rms_norm: actgrad.Operator, dtype: Any) -> None:
    rng = np.random.default_rng(4)
    x, weight = rng.standard_normal((5, 64)).astype(dtype), rng.standard_normal(64).astype(dtype)
    tolerance = {2: 2.0**-8 if dtype is BFLOAT16 else 2.0**-11, 8: 1e-14}[np.dtype(dtype).itemsize]
    for backend in ("cpu", "reference"):
        got = call(rms_norm, x, weight, backend=backend).astype(np.float64)
        np.testing.assert_allclose(got, exact(x, weight, 1e-6).astype(np.float64), rtol=tolerance)


@pytest.mark.parametrize("shape", [(5, 9), (9, 5), (130, 33), (1, 64), (64, 1), (3, 4, 5), (), (1,)])
def test_rows_along_any_dimension_and_in_any_layout(rms_norm: actgrad.Operator, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    x = rng.standard_normal(shape).astype(np.float32)
    weight = np.ones((1,) * len(shape), np.float32)
    for dim in range(-len(shape), len(shape)) if shape else (0,):
        expected = exact(x.reshape(shape or (1,)), weight, np.float32(1e-6), dim).reshape(shape)
        for layout in (np.ascontiguousarray, np.asfortranarray, lambda a: a[..., ::-1][..., ::-1] if a.ndim else a):
            for backend in ("cpu", "triton"):
                got = call(rms_norm, layout(x), weight, backend=backend, dim=dim)
                np.testing.assert_allclose(got, expected, rtol=5e-7)


def test_rows_without_elements_and_without_rows(rms_norm: actgrad.Operator) -> None:
    for shape in ((0, 4), (4, 0), (0,)):
        assert rms_norm(np.ones(shape, np.float32), np.ones(1, np.float32)).shape == shape


def identity(x):
    """x"""
    return x


def length_of_row(x, s, n):
    """n, the length of the row"""
    return x * 0.0 + n


def share(x, n):
    """x / n, whose total is the mean"""
    return x / n


def doubled(n, mean):
    """2 * mean"""
    return 2.0 * mean


def reflected(x, n, mean, double):
    """2 * mean - x"""
    return double - x


def held(x, s, n):
    """No element: both outputs are statistics."""
    return ()


@pytest.mark.usefixtures("registry_as_before")
@pytest.mark.parametrize("backend", ["cpu", "reference", "triton"])
def test_a_length_is_seen_by_elements_terms_and_outputs(backend: str) -> None:
    last = Rows(passes=({"s": total(identity)}, {"n": length()}))
    first = Rows(passes=({"n": length()}, {"mean": total(share)}, {"double": once(doubled)}))
    text = "(Tensor self, int dim=-1) ->"
    by_element = actgrad.Operator(f"n_a{text} Tensor out", summary="", formula=length_of_row, layout=last)
    by_term = actgrad.Operator(f"n_b{text} Tensor out", summary="", formula=reflected, layout=first)
    by_output = actgrad.Operator(f"n_c{text} (Tensor s, Tensor n)", summary="", formula=held, layout=last)
    rng = np.random.default_rng(6)
    for shape in ((3, 5), (2, 100), (7, 2, 3)):
        x = rng.standard_normal(shape).astype(np.float32)
        for dim in range(len(shape)):
            rows = (*shape[:dim], *shape[dim + 1 :])
            got = call(by_element, x, backend=backend, dim=dim)
            np.testing.assert_array_equal(got, np.full(shape, shape[dim], np.float32))
            np.testing.assert_array_equal(call(by_output, x, backend=backend, dim=dim)[1], np.full(rows, shape[dim]))
            mirrored = 2 * x.astype(np.float64).mean(dim, keepdims=True) - x
            np.testing.assert_allclose(call(by_term, x, backend=backend, dim=dim), mirrored, rtol=1e-6, atol=1e-6)


@pytest.mark.usefixtures("registry_as_before")
def test_a_length_is_alone_in_its_pass() -> None:
    rows = Rows(passes=({"s": total(identity), "n": length()},))
    faulty = actgrad.Operator("n_d(Tensor x, int dim=-1) -> Tensor out", summary="", formula=length_of_row, layout=rows)
    with pytest.raises(
        InvalidOperator,
        match=r"n_d: length\(\) shares a pass with others \(s, n\); it must be the only statistic of its",
    ):
        validate(faulty.definition)
    rows = Rows(passes=({"n": length()},))
    faulty = actgrad.Operator("n_e(Tensor x, int dim=-1) -> Tensor out", summary="", formula=share, layout=rows)
    with pytest.raises(InvalidOperator, match=r"n_e: layout has only once\(\); a pass must read elements"):
        validate(faulty.definition)


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # PyTorch's own, when it loads forward mode
def test_derivatives(rms_norm: actgrad.Operator) -> None:
    """Against finite differences of both orders, and against mpmath for tiny rows, where differences say nothing."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("actgrad.torch")
    operator = torch.ops.actgrad.rms_norm_of_tests
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 5, dtype=torch.float64, generator=generator).requires_grad_()
    weight = torch.randn(5, dtype=torch.float64, generator=generator).requires_grad_()
    assert torch.autograd.gradcheck(operator, (x, weight), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(operator, (x, weight))
    tiny = torch.tensor([[3e-8, -1e-8, 2e-8, 5e-9]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(operator(tiny, torch.ones(4, dtype=torch.float64), -1, 1e-15)[0, 0], tiny)

    def first(*row: Any) -> Any:
        return row[0] / mpmath.sqrt(sum(v * v for v in row) / 4 + mpmath.mpf(1e-15))

    with mpmath.workdps(60):
        numbers = [mpmath.mpf(v) for v in tiny[0].tolist()]
        expected = [float(mpmath.diff(first, numbers, tuple(int(k == j) for j in range(4)))) for k in range(4)]
    np.testing.assert_allclose(slope[0].numpy(), expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, when it compiles
def test_it_is_compiled_and_mapped(rms_norm: actgrad.Operator) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("actgrad.torch")
    operator = torch.ops.actgrad.rms_norm_of_tests
    x, weight = torch.randn(2, 3, 8), torch.randn(8)
    torch.testing.assert_close(torch.func.vmap(operator, (0, None))(x, weight), operator(x, weight))
    compiled = torch.compile(lambda a, b: operator(a, b).sin(), backend="aot_eager", fullgraph=True, dynamic=True)
    for columns in (8, 5):
        x, weight = torch.randn(3, columns, requires_grad=True), torch.randn(columns, requires_grad=True)
        slopes = torch.autograd.grad(compiled(x, weight).sum(), (x, weight))
        expected = torch.autograd.grad(operator(x, weight).sin().sum(), (x, weight))
        torch.testing.assert_close(slopes, expected)


@pytest.mark.needs("judge")
def test_check_accepts_it(rms_norm: actgrad.Operator) -> None:
    standards = "mixed,mere-mare,ulp,nonfinite"
    assert status("check", rms_norm.name, "--dtype", "float32,bfloat16", "--standard", standards) == 0
