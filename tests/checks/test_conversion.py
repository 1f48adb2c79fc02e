"""Operands and outputs that differ in shape or dtype: broadcasting, promotion, rounding to the output's dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.base.dtypes import BY_NAME
from tests.support.calls import (
    BFLOAT16,
    OPERATORS,
    Memory,
    contiguous,
    inputs,
    off_defaults,
    random_values,
    run_script,
    same_bits,
    untouched,
)

pytestmark = pytest.mark.share(18)

# LeakyReLU's backward: the one operator that broadcasts and promotes

BROADCASTS = [
    ((), (5,)), ((5,), ()), ((1,), (0,)), ((0,), (1,)), ((3, 1), (1, 40)), ((40,), (3, 40)), ((3, 40), (40,)),
    ((3, 1), (3, 40)), ((2, 1, 5, 1), (3, 1, 33)), ((1, 1), (7, 130)), ((64, 1), (64, 64)),
    ((5, 1, 5, 1, 5, 1), (5,) * 6),
]  # fmt: skip


@pytest.mark.parametrize(("grad_shape", "self_shape"), BROADCASTS)
def test_broadcast(grad_shape: tuple[int, ...], self_shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(8)
    for dtype in ("float32", "float16"):
        grad, self = random_values(rng, grad_shape, dtype), random_values(rng, self_shape, dtype)
        shape = np.broadcast_shapes(grad_shape, self_shape)
        whole = [np.array(np.broadcast_to(a, shape)) for a in (grad, self)]
        expected = actgrad.leaky_relu_backward(*whole, negative_slope=0.3)
        assert expected.shape == shape
        got = actgrad.leaky_relu_backward(grad, self, negative_slope=0.3)
        assert same_bits(got, expected)
        view, memory = Memory(tuple(reversed(range(len(shape)))), (-1,) * len(shape), 2).room(shape, grad.dtype)
        actgrad.leaky_relu_backward(grad, self, negative_slope=0.3, out=view)
        assert same_bits(view, expected)
        assert untouched(view, memory)


FLOATS = ("float16", "bfloat16", "float32", "float64")


@pytest.mark.parametrize("second", FLOATS)
@pytest.mark.parametrize("first", FLOATS)
def test_promotion(first: str, second: str) -> None:
    rng = np.random.default_rng(9)
    # All of these numbers are exact in both dtypes, so the result is that of the wider one.
    grad, self = rng.integers(-128, 128, (2, 7, 50)) / 64
    shared = {"float16", "bfloat16"} >= {first, second}
    promoted = first if first == second else "float32" if shared else max(first, second, key=lambda n: int(n[-2:]))
    promoted = BY_NAME[promoted].numpy
    got = actgrad.leaky_relu_backward(
        grad.astype(BY_NAME[first].numpy), self.astype(BY_NAME[second].numpy), negative_slope=0.5
    )
    assert same_bits(got, np.where(self > 0, grad, grad / 2).astype(promoted))
    # The same with rows that are one element of one operand, and strided rows of the other.
    column = grad[:, :1].astype(BY_NAME[first].numpy)
    got = actgrad.leaky_relu_backward(column, self.astype(BY_NAME[second].numpy)[:, ::-1], negative_slope=0.5)
    assert same_bits(got, np.where(self[:, ::-1] > 0, grad[:, :1], grad[:, :1] / 2).astype(promoted))


@pytest.mark.parametrize("integers", ["int8", "int32", "uint8", "int64"])
@pytest.mark.parametrize("floats", ["float32", "float64"])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_integers_beside_floats_as_pytorch(integers: str, floats: str, is_reversed: bool) -> None:
    """Either tensor may have integers. Two tensors of integers have no dtype in which the operator computes."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    pair = [rng.integers(0, 100, 40).astype(integers), rng.standard_normal(40).astype(floats)]
    grad, self = pair[::-1] if is_reversed else pair
    wanted = torch.ops.aten.leaky_relu_backward(torch.from_numpy(grad), torch.from_numpy(self), 0.25, False)
    assert same_bits(actgrad.leaky_relu_backward(grad, self, negative_slope=0.25), wanted.numpy())
    with pytest.raises(actgrad.InvalidDtype, match=f"which promote to {integers}; the common dtype must be float32"):
        actgrad.leaky_relu_backward(pair[0], pair[0])


# Outputs of another dtype


TARGETS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


CONVERTING = [(operator, target) for operator in OPERATORS for target in TARGETS]


@pytest.mark.parametrize(("operator", "target"), CONVERTING, ids=lambda value: getattr(value, "name", value))
def test_out_of_another_dtype(operator: actgrad.Operator, target: str) -> None:
    """Rounded once to the output's dtype: what a wider output holds, rounded by NumPy, is what a narrower one holds."""
    rng = np.random.default_rng(10)
    numpy = BY_NAME[target].numpy
    for dtype in FLOATS:
        tensors = inputs(rng, operator, (9, 75), dtype)
        # The compute dtype is float64 where any tensor is: a result in it, before any rounding, is its own output.
        is_double = "float64" in (dtype, target) or target == "complex128"
        shapes = [result.shape for result in samples.as_tuple(operator(*tensors.values()))]
        results = [np.empty(shape, np.float64 if is_double else np.float32) for shape in shapes]
        operator(*tensors.values(), out=as_out(results), **off_defaults(operator))
        for memory in (contiguous(2), Memory((1, 0), (1, -2), 5)):
            rooms = [memory.room(shape, numpy) for shape in shapes]
            operator(*tensors.values(), out=as_out([view for view, _ in rooms]), **off_defaults(operator))
            for exact, (view, around) in zip(results, rooms, strict=True):
                if target == "bfloat16" and is_double:
                    wanted = rounded_to_odd(exact).astype(numpy)  # ml_dtypes rounds float64 twice, by way of float32
                else:
                    with np.errstate(all="ignore"):
                        wanted = exact.astype(numpy)
                assert np.array_equal(view, wanted, equal_nan=True) if numpy != BFLOAT16 else same_numbers(view, wanted)
                assert untouched(view, around)


def as_out(arrays: list[np.ndarray]) -> Any:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def same_numbers(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a.astype(np.float32), b.astype(np.float32), equal_nan=True)


def rounded_to_odd(values: np.ndarray) -> np.ndarray:
    """float64 in float32, truncated, the last bit set where anything was lost: rounding that again rounds once."""
    with np.errstate(all="ignore"):
        nearest = values.astype(np.float32)
        toward_zero = np.where(
            np.abs(np.float64(nearest)) > np.abs(values), np.nextafter(nearest, np.float32(0)), nearest
        )
    bits = toward_zero.view(np.uint32) | (np.float64(toward_zero) != values) & ~np.isnan(values)
    return bits.astype(np.uint32).view(np.float32)


INTEGER_OUTPUTS = [(source, target) for source in ("int8", "int32") for target in ("int8", "int32")]


@pytest.mark.parametrize(("source", "target"), INTEGER_OUTPUTS)
def test_selu_to_integers(source: str, target: str) -> None:
    """Rounded to nearest even and saturated."""
    rng = np.random.default_rng(11)
    x = random_values(rng, (5000,), source)
    exact = np.empty(x.shape, np.float64)
    actgrad.selu(x, out=exact)
    limits = np.iinfo(target)
    wanted = np.clip(np.rint(exact), limits.min, limits.max)
    got = actgrad.selu(x, out=np.empty(x.shape, target))
    # Where int8 is computed in float32, a tie of the exact value may be missed by its last bit.
    ties = np.abs(np.abs(exact % 1) - 0.5) < 1e-4
    assert np.array_equal(got[~ties], wanted[~ties])
    assert np.abs(got.astype(np.float64) - wanted).max() <= 1


def test_complex32_output_is_refused_or_right() -> None:
    """In a process of its own: memory beyond the output may be written otherwise."""
    pytest.importorskip("torch")
    script = """
import warnings; warnings.simplefilter("ignore")
import torch, actgrad
x = torch.linspace(-3, 3, 1000)
out = torch.zeros(1000, dtype=torch.complex32)
try:
    actgrad.elu(x, out=out)
except actgrad.ActgradError:
    assert torch.view_as_real(out).abs().max() == 0
else:
    assert torch.equal(torch.view_as_real(out)[:, 0], actgrad.elu(x, out=torch.empty(1000, dtype=torch.float16)))
    assert torch.view_as_real(out)[:, 1].abs().max() == 0
"""
    run_script(script)


@pytest.mark.parametrize("name", [n for n, op in actgrad.operators.items() if op.definition.integers.dtype])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint8"])
def test_no_output_of_fractions_has_integers(name: str, dtype: str) -> None:
    """Whether the input has integers or floats, no result is cut to integers, also not in place."""
    operator = actgrad.operators[name]
    integers = np.array([0, 1, 1, 0], dtype)
    for x in (integers, integers.astype(np.float32)):
        before = integers.copy()
        with pytest.raises(actgrad.InvalidDtype, match=f"{operator.schema.outputs[0]} is {dtype}"):
            operator(*[x] * len(operator.schema.tensors), out=integers)
        assert (integers == before).all()
    assert operator(*[integers] * len(operator.schema.tensors)).dtype == np.float32
