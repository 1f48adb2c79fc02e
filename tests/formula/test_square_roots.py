"""`sqrt` and `rsqrt` on every backend: exactly rounded, and within 1.5 ULP; their derivatives, and their bounds."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.judge import golden
from tests.support import sample_values
from tests.support.calls import BFLOAT16, status

BACKENDS = ("cpu", "reference", "triton")
FLOATS = {"float32": np.float32, "float64": np.float64}
Operators = dict[str, actgrad.Operator]


def positive(dtype: Any) -> np.ndarray:
    """Numbers of every exponent, subnormal ones too, and those around squares."""
    rng = np.random.default_rng(0)
    x = np.abs(samples.stratified(dtype, 4000, rng))
    squares = (np.arange(1, 200, dtype=dtype) / 8) ** 2
    near = [np.nextafter(squares, dtype(end)) for end in (0, np.inf)]
    minimum = np.finfo(dtype).smallest_subnormal * np.arange(1, 50, dtype=dtype)
    every = np.concatenate([x, squares, *near, minimum, [np.finfo(dtype).max, np.finfo(dtype).tiny]]).astype(dtype)
    return every[every > 0]


def call(operator: actgrad.Operator, x: np.ndarray, backend: str) -> np.ndarray:
    if backend == "triton":
        pytest.importorskip("triton", minversion="3.9")
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setenv("TRITON_INTERPRET", "1")
        result: np.ndarray = operator(x, backend=backend)
    return result


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_square_roots_are_rounded_exactly(author_operators: Operators, dtype: str, backend: str) -> None:
    x = positive(FLOATS[dtype])
    with mpmath.workdps(60):
        if dtype == "float32":  # a double has more than twice the digits: rounding its root once more changes nothing
            exact = np.sqrt(x.astype(np.float64)).astype(np.float32)
        else:
            exact = np.array([float(mpmath.sqrt(mpmath.mpf(v))) for v in x.tolist()])
    got = call(author_operators["author_sqrt"], x, backend)
    if (dtype, backend) == ("float64", "reference"):  # it rounds to longdouble, and then once more
        assert np.max(np.abs(got - exact) / np.spacing(exact)) <= 1
        assert np.mean(got == exact) > 0.99
    else:
        np.testing.assert_array_equal(got, exact)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_inverse_roots_are_within_bounds(author_operators: Operators, dtype: str, backend: str) -> None:
    x = positive(FLOATS[dtype])
    got = call(author_operators["author_rsqrt"], x, backend)
    with mpmath.workdps(40):
        exact = [1 / mpmath.sqrt(mpmath.mpf(v)) for v in x.astype(np.float64).tolist()]
        errors = [abs(mpmath.mpf(float(g)) - e) / float(np.spacing(g)) for g, e in zip(got, exact, strict=True)]
    assert max(errors) <= (0.5 if (backend, dtype) == ("reference", "float32") else 1.5) + 1e-3


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_ends_and_negative_numbers(author_operators: Operators, dtype: str, backend: str) -> None:
    kind = {**FLOATS, "float16": np.float16, "bfloat16": BFLOAT16}[dtype]
    inf, nan = np.inf, np.nan
    x = np.array([0.0, -0.0, inf, -inf, nan, -1.0, -1e-7, 4.0], kind)
    root = call(author_operators["author_sqrt"], x, backend).astype(np.float64)
    np.testing.assert_array_equal(root, [0, 0, inf, nan, nan, nan, nan, 2])
    np.testing.assert_array_equal(np.signbit(root[:2]), [False, True])
    inverse = call(author_operators["author_rsqrt"], x, backend).astype(np.float64)
    np.testing.assert_array_equal(inverse, [inf, -inf, 0, nan, nan, nan, nan, 0.5])


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_the_old_recipe_lost(author_operators: Operators, backend: str) -> None:
    """exp(0.5 * log1p(x - 1)) was 9 % off at 1e-7, and 0 at 1e-8."""
    x = np.array([1e-7, 1e-8, 1e-20, 1e-40, 3e38], np.float32)
    exact = np.sqrt(x.astype(np.float64))
    np.testing.assert_allclose(call(author_operators["author_sqrt"], x, backend), exact, rtol=2**-24)
    np.testing.assert_allclose(call(author_operators["author_rsqrt"], x, backend), 1 / exact, rtol=2**-23)


@pytest.mark.parametrize("name", ["author_sqrt", "author_rsqrt"])
@pytest.mark.parametrize("dtype", [np.float16, BFLOAT16])
def test_halves_are_rounded_once(author_operators: Operators, name: str, dtype: Any) -> None:
    x = sample_values.every_value(dtype)
    operator = author_operators[name]
    (expectation,) = golden.expected(operator, (x,), {})
    for backend in ("cpu", "reference"):
        assert not expectation.faults(call(operator, x, backend), 0.51).any()


def test_bounds_hold_where_an_argument_is_rounded(author_operators: Operators) -> None:
    operator = author_operators["author_hypotenuse"]
    x = sample_values.samples(np.float32, 20_000, np.random.default_rng(1))
    for floor in (0.0, 1e-6, 1.0):
        for y in (x[::-1].copy(), np.zeros_like(x), np.ones_like(x)):
            attributes = {"floor": floor}
            with np.errstate(all="ignore"):
                keep = (np.abs(x) < 1e18) & (np.abs(y) < 1e18) & (np.abs(x) > 1e-17)
            (expectation,) = golden.expected(operator, (x[keep], y[keep]), attributes)
            assert np.isfinite(expectation.argument_error).all()
            assert not expectation.faults(operator(x[keep], y[keep], **attributes), 4.5).any()


def test_check_accepts_them_and_mpmath_verifies_them(author_operators: Operators, tmp_path: Any) -> None:
    for name in ("author_sqrt", "author_rsqrt"):
        assert status("check", name, "--dtype", "float32,float16", "--standard", "mixed,ulp,nonfinite") == 0
    state = str(tmp_path)
    assert status("check", "--exhaustive", "author_sqrt", "author_rsqrt", "--dtype", "float16", "--state", state) == 0


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # PyTorch's own, when it loads forward mode
def test_derivatives_of_any_order(author_operators: Operators) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("actgrad.torch")
    x = torch.tensor([1e-3, 0.3, 1.0, 2.5, 400.0], dtype=torch.float64, requires_grad=True)
    for name, function in (("author_sqrt", mpmath.sqrt), ("author_rsqrt", lambda v: 1 / mpmath.sqrt(v))):
        operator = getattr(torch.ops.actgrad, name)
        assert torch.autograd.gradcheck(operator, x[1:4].detach().requires_grad_(), check_forward_ad=True)
        value = operator(x)
        for order in range(1, 5):
            (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
            with mpmath.workdps(60):
                exact = [float(mpmath.diff(function, mpmath.mpf(v), order)) for v in x.tolist()]
            torch.testing.assert_close(value.detach(), torch.tensor(exact, dtype=torch.float64), rtol=1e-13, atol=0)
    y = torch.tensor([0.5, -2.0, 1e-4], dtype=torch.float64, requires_grad=True)
    z = torch.tensor([-1.5, 0.25, 3.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(torch.ops.actgrad.author_hypotenuse, (y, z))


@pytest.mark.parametrize(("dtype", "instruction"), [("float32", "sqrt.rn.f32"), ("float64", "sqrt.rn.f64")])
@pytest.mark.parametrize("name", ["author_sqrt", "author_rsqrt"])
def test_gpus_round_square_roots_exactly(author_operators: Operators, name: str, dtype: str, instruction: str) -> None:
    pytest.importorskip("triton", minversion="3.9")
    from triton.backends.compiler import GPUTarget

    from actgrad.backends.triton import launcher, machines, program

    plan = author_operators[name].plan(np.ones(4096, FLOATS[dtype]), backend="reference")
    kernel = launcher.tiled_kernel(plan.computation, machines.CUDA)
    ptx = program.compiled(kernel, GPUTarget("cuda", 80, 32), 16).asm["ptx"]
    assert instruction in ptx
    assert "approx" not in ptx
    assert ("div.rn" in ptx or "rcp.rn" in ptx) == (name == "author_rsqrt")
