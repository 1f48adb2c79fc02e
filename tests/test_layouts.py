"""The CPU backend computes the same bits whatever the memory looks like, and writes only the output's elements."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import (
    BFLOAT16,
    OPERATORS,
    Memory,
    contiguous,
    doubled,
    ids,
    input_shapes,
    inputs,
    off_defaults,
    pairs,
    random_values,
    run_script,
    same_bits,
    supported,
    untouched,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import actgrad
from actgrad import testing
from actgrad.backends.cpu import engine, tiling
from actgrad.checks import Check, Origin
from actgrad.dtypes import BY_NAME
from actgrad.layouts import GATED

GATED_OPERATORS = [operator for operator in OPERATORS if operator.layout == GATED]

# The time of one example is LLVM's where it needs a new kernel.
LAYOUTS = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def contiguous_result(operator: actgrad.Operator, tensors: dict[str, Any], **attributes: Any) -> tuple[np.ndarray, ...]:
    """What the operator returns for contiguous copies of `tensors`."""
    copies = [None if t is None else np.array(t, order="C") for t in tensors.values()]
    return testing.as_tuple(operator(*copies, **attributes))


def check(operator: actgrad.Operator, tensors: dict[str, Any], memories: Any, **attributes: Any) -> None:
    """The call on `tensors`, into outputs in `memories`, against the call on contiguous copies."""
    expected = contiguous_result(operator, tensors, **attributes)
    rooms = [m.room(e.shape, e.dtype) for m, e in zip(memories, expected, strict=True)]
    out = tuple(view for view, _ in rooms)
    returned = operator(*tensors.values(), out=out if len(out) > 1 else out[0], **attributes)
    for got, (view, memory), wanted in zip(testing.as_tuple(returned), rooms, expected, strict=True):
        assert got is view
        assert same_bits(view, wanted)
        assert untouched(view, memory)


# Any layout


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, ...]:
    """Ranks 0 to 8; one dimension may be long enough for several tiles, the others are short."""
    rank = draw(st.integers(0, 8))
    longest = {0: 1, 1: 70, 2: 24, 3: 9}.get(rank, 3)
    shape = draw(st.lists(st.integers(0, longest), min_size=rank, max_size=rank))
    if rank and rank <= 4 and draw(st.booleans()):
        shape[draw(st.integers(0, rank - 1))] = draw(st.sampled_from([33, 129, 1025, 2050]))
    return tuple(shape)


def memories(rank: int) -> st.SearchStrategy[Memory]:
    steps = st.lists(st.sampled_from([1, 1, 1, 2, 3, -1, -2]), min_size=rank, max_size=rank).map(tuple)
    offsets = st.sampled_from([0, 0, 1, 2, 4, 7, 8, 64])
    ascending = st.just(tuple(range(rank)))
    return st.builds(Memory, ascending | st.permutations(range(rank)).map(tuple), steps, offsets)


@st.composite
def laid_out(draw: st.DrawFn, values: np.ndarray) -> np.ndarray:
    """`values` in some layout; a quarter of the time with some dimensions spread over one element (stride 0)."""
    if values.ndim and draw(st.integers(0, 3)) == 0:
        kept = draw(st.lists(st.booleans(), min_size=values.ndim, max_size=values.ndim))
        one = tuple(slice(None) if k else slice(0, 1) for k in kept)
        return np.broadcast_to(draw(laid_out_exactly(values[one])), values.shape)
    return draw(laid_out_exactly(values))


@st.composite
def laid_out_exactly(draw: st.DrawFn, values: np.ndarray) -> np.ndarray:
    return draw(memories(values.ndim)).holding(values)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@LAYOUTS
@given(data=st.data())
def test_any_layout(operator: actgrad.Operator, data: st.DataObject) -> None:
    shape = data.draw(shapes().filter(lambda s: s or operator.layout != GATED))
    dtype = data.draw(st.sampled_from(supported(operator)))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1)) if shape else -1
    attributes = data.draw(st.sampled_from(testing.attribute_cases(operator)))
    if operator.layout == GATED:
        attributes = {**attributes, "dim": dim}
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    tensors: dict[str, Any] = {
        name: data.draw(laid_out(values), label=name)
        for name, values in inputs(rng, operator, shape, dtype, dim).items()
    }
    for argument in operator.schema.tensors:
        if argument.is_optional and data.draw(st.booleans()):
            tensors[argument.name] = None
    ranks = [len(shape)] * len(operator.schema.outputs)
    check(operator, tensors, [data.draw(memories(rank)) for rank in ranks], **attributes)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_agrees_with_reference_in_every_layout(operator: actgrad.Operator) -> None:
    """Not only with itself: the elements belong where the reference puts them."""
    rng = np.random.default_rng(0)
    orders = itertools.permutations(range(3))
    for number, order in enumerate(orders):
        tensors = {
            name: Memory(order[k % 3 :] + order[: k % 3], (1, -2, 1), number).holding(values.clip(-3, 3))
            for k, (name, values) in enumerate(inputs(rng, operator, (5, 6, 40), "float32", 1).items())
        }
        tensors = {name: np.nan_to_num(values) for name, values in tensors.items()}
        attributes = off_defaults(operator) | ({"dim": 1} if operator.layout == GATED else {})
        got = testing.as_tuple(operator(*tensors.values(), **attributes))
        wanted = testing.as_tuple(operator(*tensors.values(), **attributes, backend="reference"))
        for g, w in zip(got, wanted, strict=True):
            np.testing.assert_allclose(g, w, rtol=2e-6, atol=2e-6)


# Named layouts, each for every operator


def transposed(values: np.ndarray) -> np.ndarray:
    return np.asfortranarray(values)


def every_second(values: np.ndarray) -> np.ndarray:
    return Memory(tuple(range(values.ndim)), (*(1,) * (values.ndim - 1), 2)).holding(values)


def backwards(values: np.ndarray) -> np.ndarray:
    return Memory(tuple(range(values.ndim)), (-1,) * values.ndim).holding(values)


def unaligned(values: np.ndarray) -> np.ndarray:
    return Memory(tuple(range(values.ndim)), (1,) * values.ndim, 1).holding(values)


def chunk(values: np.ndarray) -> np.ndarray:
    """The upper half of a tensor of twice the columns, as `.chunk(2, -1)` gives it."""
    whole = np.concatenate([np.full_like(values, 7), values], axis=-1)
    return whole[..., values.shape[-1] :]


def field(values: np.ndarray) -> np.ndarray:
    """A field of packed records: its stride is no multiple of its size."""
    records = np.zeros(values.shape, [("tag", "i1"), ("value", values.dtype)])
    records["value"] = values
    return records["value"]


NAMED = [np.ascontiguousarray, transposed, every_second, backwards, unaligned, chunk, field]


@pytest.mark.parametrize("layout", NAMED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_named_layouts(operator: actgrad.Operator, layout: Any) -> None:
    """Every tensor in the layout, then each one alone, so that operands disagree."""
    rng = np.random.default_rng(1)
    plain = inputs(rng, operator, (37, 66))
    cases = [dict.fromkeys(plain, layout)] + [{name: layout} for name in plain]
    for case in cases:
        tensors = {name: case.get(name, np.ascontiguousarray)(values) for name, values in plain.items()}
        outputs = [contiguous(2)] * len(operator.schema.outputs)
        check(operator, tensors, outputs, **off_defaults(operator))


OUTPUTS = {
    "transposed": Memory((1, 0), (1, 1)),
    "step 2": Memory((0, 1), (1, 2)),
    "padded rows": Memory((0, 1), (3, 1)),
    "backwards": Memory((0, 1), (1, -1)),
    "upside down": Memory((0, 1), (-1, 1)),
    "odd address": Memory((0, 1), (1, 1), 1),
    "transposed, step 3, odd address": Memory((1, 0), (-1, 3), 3),
}


@pytest.mark.parametrize("memory", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_outputs_of_any_stride(operator: actgrad.Operator, memory: Memory) -> None:
    rng = np.random.default_rng(2)
    for dtype in ("float32", "float16"):
        tensors = inputs(rng, operator, (33, 70), dtype)
        others = [contiguous(2)] * (len(operator.schema.outputs) - 1)
        check(operator, tensors, [memory, *others], **off_defaults(operator))
        if others:  # two outputs that disagree, the other way round
            check(operator, tensors, [*others, memory], **off_defaults(operator))


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_rank_ten_and_dimensions_of_one_element(operator: actgrad.Operator) -> None:
    rng = np.random.default_rng(3)
    for shape in ((2, 1, 3, 2, 1, 2, 2, 1, 2, 3), (1,) * 12, (1, 5, 1), (3, 1), (1, 1, 40)):
        rank = len(shape)
        order = tuple(int(d) for d in rng.permutation(rank))
        layout = Memory(order, (1,) * rank)
        for dim in {0, rank // 2, -1} if operator.layout == GATED else {None}:
            tensors = inputs(rng, operator, shape, "float32", -1 if dim is None else dim)
            tensors = {name: layout.holding(values) for name, values in tensors.items()}
            attributes = off_defaults(operator) | ({} if dim is None else {"dim": dim})
            outputs = [contiguous(rank)] * len(operator.schema.outputs)
            check(operator, tensors, outputs, **attributes)


@pytest.mark.parametrize(("operator", "dtype"), pairs(), ids=lambda v: getattr(v, "name", v))
def test_empty(operator: actgrad.Operator, dtype: str) -> None:
    rng = np.random.default_rng(4)
    for shape in ((0,), (3, 0), (0, 3), (2, 0, 4)):
        for backend in ("cpu", "reference"):
            result = operator(*inputs(rng, operator, shape, dtype).values(), backend=backend)
            for array in testing.as_tuple(result):
                assert array.size == 0
                assert array.dtype == BY_NAME[dtype].numpy
                assert array.shape in (shape, doubled(shape, -1))


@pytest.mark.parametrize("operator", GATED_OPERATORS, ids=ids)
def test_empty_half(operator: actgrad.Operator) -> None:
    """Size 0 along dim is even: both halves are empty."""
    empty = {name: np.empty(shape, np.float32) for name, shape in input_shapes(operator, (4, 0)).items()}
    for array in testing.as_tuple(operator(*empty.values())):
        assert array.shape == (4, 0)


# Tails

SIZES = [*range(71), *(m * k + d for m in (1024, 16384) for k in (1, 2, 3) for d in (-1, 0, 1))]


@pytest.mark.parametrize(("operator", "dtype"), pairs(), ids=lambda v: getattr(v, "name", v))
def test_tails(operator: actgrad.Operator, dtype: str) -> None:
    """An element's bits do not depend on how many follow it, nor on whether it is computed in a whole vector."""
    rng = np.random.default_rng(5)
    most = max(SIZES)
    # Halves and gradients are taken from the front, so that each size computes the same elements.
    longest = inputs(rng, operator, (most,), dtype)
    if operator.layout == GATED:
        left, right = np.split(longest["self"], 2)
    attributes = off_defaults(operator)
    whole = testing.as_tuple(operator(*longest.values(), **attributes))
    for size in SIZES:
        tensors = {name: values[:size] for name, values in longest.items()}
        if operator.layout == GATED:
            tensors["self"] = np.concatenate([left[:size], right[:size]])
        rooms = [contiguous(1).room((size,) if w.shape == (most,) else (2 * size,), w.dtype) for w in whole]
        out = tuple(view for view, _ in rooms)
        operator(*tensors.values(), out=out if len(out) > 1 else out[0], **attributes)
        for (view, memory), w in zip(rooms, whole, strict=True):
            wanted = w[:size] if len(view) == size else np.concatenate([w[:size], w[most : most + size]])
            assert same_bits(view, wanted), size
            assert untouched(view, memory), size


def test_nans_have_the_same_bits_in_body_and_tail() -> None:
    rng = np.random.default_rng(5)
    nans = (
        rng.integers(1, 2**23, 3000, np.uint32) | np.uint32(0x7F800000) | rng.choice(np.uint32([0, 2**31]), 3000)
    ).view("f4")
    grad, x = nans, rng.permutation(nans)
    for operator in (actgrad.elu_backward, actgrad.selu_backward, actgrad.gelu_backward, actgrad.leaky_relu_backward):
        whole = operator(grad, x)
        pieces = [operator(grad[k : k + 7], x[k : k + 7]) for k in range(0, 3000, 7)]
        assert np.concatenate(pieces).tobytes() == whole.tobytes(), operator.name


# Gated tensors


PRECISION = {"float32": 1e-6, "float16": 2**-10, "bfloat16": 2**-7, "float64": 1e-13}


@pytest.mark.parametrize("activate_left", [False, True])
@pytest.mark.parametrize("dim", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("dtype", PRECISION)
def test_geglu_halves(dtype: str, dim: int, activate_left: bool) -> None:
    """GeGLU along every dimension is GELU of one half times the other; its gradients lie where the halves lay."""
    rng, shape = np.random.default_rng(6), (5, 7, 9)
    numpy = BY_NAME[dtype].numpy
    self, grad = (rng.standard_normal(s).astype(numpy) for s in (doubled(shape, dim), shape))
    lower, upper = np.split(self, 2, axis=dim)
    active, other = (lower, upper) if activate_left else (upper, lower)
    close = {"rtol": PRECISION[dtype], "atol": PRECISION[dtype]}
    wide = [np.asarray(a, np.float64) for a in (grad, active, other)]

    out, gelu = actgrad.geglu(self, dim=dim, activate_left=activate_left)
    assert same_bits(gelu, actgrad.gelu(active))
    np.testing.assert_allclose(np.float64(out), actgrad.gelu(wide[1]) * wide[2], **close)

    of_active, of_other = actgrad.gelu_backward(*wide[:2]) * wide[2], wide[0] * actgrad.gelu(wide[1])
    wanted = np.concatenate([of_active, of_other] if activate_left else [of_other, of_active], axis=dim)
    for activated in (gelu, None):
        got = actgrad.geglu_backward(grad, self, activated, dim=dim, activate_left=activate_left)
        np.testing.assert_allclose(np.float64(got), wanted, **close)


def test_gelu_given_is_used() -> None:
    grad, self = np.ones(40, np.float32), np.ones(80, np.float32)
    marked = np.arange(40, dtype=np.float32)
    assert same_bits(actgrad.geglu_backward(grad, self, marked)[:40], marked)
    assert same_bits(actgrad.geglu_backward(grad, self, marked, activate_left=True)[40:], marked)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_recomputed_is_gelu_given(approximate: str) -> None:
    rng = np.random.default_rng(7)
    self, grad = random_values(rng, (33, 80), "float32"), random_values(rng, (33, 40), "float32")
    _, gelu = actgrad.geglu(self, approximate=approximate)
    given = actgrad.geglu_backward(grad, self, gelu, approximate=approximate)
    assert same_bits(given, actgrad.geglu_backward(grad, self, approximate=approximate))


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


# Outputs of another dtype


def is_converted(check: Check) -> bool:
    return "can be converted to" in check.rule and check.origin is not Origin.ACTGRAD


CONVERTING = [operator for operator in OPERATORS if any(map(is_converted, operator.checks))]
TARGETS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("operator", CONVERTING, ids=ids)
def test_out_of_another_dtype(operator: actgrad.Operator, target: str) -> None:
    """Rounded once to the output's dtype: what a wider output holds, rounded by NumPy, is what a narrower one holds."""
    rng = np.random.default_rng(10)
    numpy = BY_NAME[target].numpy
    for dtype in FLOATS:
        tensors = inputs(rng, operator, (9, 75), dtype)
        # The compute dtype is float64 where any tensor is: a result in it, before any rounding, is its own output.
        is_double = "float64" in (dtype, target) or target == "complex128"
        results = [np.empty((9, 75), np.float64 if is_double else np.float32) for _ in operator.schema.outputs]
        operator(*tensors.values(), out=as_out(results), **off_defaults(operator))
        for memory in (contiguous(2), Memory((1, 0), (1, -2), 5)):
            rooms = [memory.room((9, 75), numpy) for _ in results]
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


# In place

IN_PLACE = [
    (operator, argument.name)
    for operator in OPERATORS
    for argument in operator.schema.tensors
    if len(operator.schema.outputs) == 1 and (operator.layout != GATED or argument.name == "self")
]


@pytest.mark.parametrize("memory", [contiguous(2), *OUTPUTS.values()])
@pytest.mark.parametrize(("operator", "argument"), IN_PLACE, ids=lambda v: getattr(v, "name", v))
def test_in_place(operator: actgrad.Operator, argument: str, memory: Memory) -> None:
    """The output is exactly an input."""
    rng = np.random.default_rng(12)
    for dtype in ("float32", "float16"):
        for optional in (True, False):
            tensors: dict[str, Any] = dict(inputs(rng, operator, (40, 130), dtype))
            for a in operator.schema.tensors:
                if a.is_optional and not optional:
                    tensors[a.name] = None
            expected = contiguous_result(operator, tensors, **off_defaults(operator))[0]
            view, around = memory.room(tensors[argument].shape, tensors[argument].dtype)
            view[...] = tensors[argument]
            tensors[argument] = view
            assert operator(*tensors.values(), out=view, **off_defaults(operator)) is view
            assert same_bits(view, expected)
            assert untouched(view, around)


def test_in_place_with_another_dtype_of_the_same_size() -> None:
    x = random_values(np.random.default_rng(13), (3000,), "float16")
    expected = actgrad.elu(x, out=np.empty(3000, BFLOAT16))
    assert same_bits(actgrad.elu(x, out=x.view(BFLOAT16)), expected)


def test_one_array_for_every_input_and_the_output() -> None:
    x = random_values(np.random.default_rng(14), (100, 99), "float32")
    expected = actgrad.elu_backward(x.copy(), x.copy(), alpha=1.3)
    assert same_bits(actgrad.elu_backward(x, x, alpha=1.3, out=x), expected)


# Memory that ends where the tensor ends


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_nothing_beyond_the_tensors_is_touched(operator: actgrad.Operator) -> None:
    """Each tensor begins or ends at a page that may be neither read nor written: a wrong access ends the process."""
    script = f"""
import itertools, numpy as np
import actgrad
from actgrad import testing
from calls import guarded, inputs, off_defaults, supported
operator = actgrad.operators[{operator.name!r}]
shapes = [(1,), (3,), (15,), (17,), (31,), (33,), (63,), (65,), (1000,), (5, 33), (7, 3)]
for dtype, shape in itertools.product(supported(operator), shapes):
    tensors = inputs(np.random.default_rng(15), operator, shape, dtype)
    whole = testing.as_tuple(operator(*tensors.values(), **off_defaults(operator)))
    for at_end, turned in itertools.product([True, False], [False, True]):
        views = [guarded(values, at_end, turned) for values in tensors.values()]
        out = tuple(guarded(w, at_end, False) for w in whole)
        operator(*views, out=out if len(out) > 1 else out[0], **off_defaults(operator))
        assert all(o.tobytes() == w.tobytes() for o, w in zip(out, whole)), (dtype, shape)
"""
    run_script(script)


# Large tensors: several threads, streaming stores

LARGE = 1 << 22


def large_inputs(operator: actgrad.Operator, shape: tuple[int, ...], dtype: Any = np.float32) -> dict[str, np.ndarray]:
    """Cheaper than random numbers: a sawtooth of a length that no vector or tile divides."""
    tooth = np.linspace(-4, 4, 10007).astype(dtype)
    tensors = {}
    for number, (name, whole) in enumerate(input_shapes(operator, shape).items()):
        size = int(np.prod(whole))
        tensors[name] = np.resize(np.roll(tooth, number), size).reshape(whole)
    return tensors


def large_expected(operator: actgrad.Operator, tensors: dict[str, np.ndarray], rows: int) -> list[np.ndarray]:
    """The result computed some rows at a time, which is neither threaded nor streamed."""
    count = next(iter(tensors.values())).shape[0]
    parts = [
        testing.as_tuple(operator(*(t[k : k + rows] for t in tensors.values()), **off_defaults(operator)))
        for k in range(0, count, rows)
    ]
    return [np.concatenate(p) for p in zip(*parts, strict=True)]


@pytest.mark.parametrize("offset", [0, 4, 2])
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_large(operator: actgrad.Operator, offset: int) -> None:
    """Large enough for streaming stores; the output begins at a cache line, beside one, or at no element of one."""
    shape = (64, LARGE // 64 + 24) if operator.layout == GATED else (LARGE + 1537,)
    tensors = large_inputs(operator, shape)
    expected = large_expected(operator, tensors, 1 if operator.layout == GATED else 10007)
    rooms = []
    for wanted in expected:
        memory = np.full(wanted.nbytes + 256, 0xA5, np.uint8)
        start = -memory.__array_interface__["data"][0] % 64 + 64 + offset
        rooms.append((np.ndarray(wanted.shape, wanted.dtype, memory, start), memory))
    out = tuple(view for view, _ in rooms)
    plan = operator.plan(*tensors.values(), out=out if len(out) > 1 else out[0], **off_defaults(operator))
    plan.run()
    for (view, memory), wanted in zip(rooms, expected, strict=True):
        assert np.array_equal(view.view(np.uint32), wanted.view(np.uint32))
        assert untouched_ends(view, memory)


def untouched_ends(view: np.ndarray, memory: np.ndarray) -> bool:
    start = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return bool((memory[:start] == 0xA5).all() and (memory[start + view.nbytes :] == 0xA5).all())


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_streaming_stores(operator: actgrad.Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits as ordinary stores, wherever the outputs begin; asked for on small arrays too."""
    monkeypatch.setattr(tiling, "_last_cache_bytes", lambda: 0)
    rng = np.random.default_rng(16)
    shapes = [(1,), (31,), (32,), (33,), (1000,), (4099,), (5, 67), (3, 1030)]
    for dtype, shape in itertools.product(supported(operator), shapes):
        rank, itemsize = len(shape), BY_NAME[dtype].itemsize
        tensors = inputs(rng, operator, shape, dtype)
        expected = testing.as_tuple(operator(*tensors.values(), **off_defaults(operator)))
        for offset in {0, itemsize, 64 - itemsize, 1}:
            # Rows of two dimensions stand apart, so that each begins elsewhere.
            memories = [Memory(tuple(range(rank)), (1,) * rank, offset + k) for k in range(len(expected))]
            widths = [(*e.shape[:-1], e.shape[-1] + 3 * (rank == 2)) for e in expected]
            rooms = [m.room(w, e.dtype) for m, w, e in zip(memories, widths, expected, strict=True)]
            rooms = [(view[..., : e.shape[-1]], around) for (view, around), e in zip(rooms, expected, strict=True)]
            out = tuple(view for view, _ in rooms)
            out = out if len(out) > 1 else out[0]
            plan = operator.plan(*tensors.values(), out=out, backend="reference", **off_defaults(operator))
            kernel = engine.prepare(plan.computation)
            assert ("streaming" in str(kernel)) == bool(kernel.target.fence)
            kernel.run(*plan.addresses)
            for (view, memory), wanted in zip(rooms, expected, strict=True):
                assert same_bits(view, wanted), (dtype, shape, offset)
                assert untouched(view, memory), (dtype, shape, offset)


# More elements than 32 bits count


@pytest.mark.slow
def test_more_than_two_to_the_31_elements() -> None:
    """Needs 9 GB. Every index, size and address is a 64-bit number: the end of the array is right."""
    size = 2**31 + 12345
    meminfo = Path("/proc/meminfo").read_text()
    available = int(re.search(r"MemAvailable: +(\d+) kB", meminfo)[1])
    if available << 10 < 5 * size:
        pytest.skip("not enough memory")
    x, out = np.zeros(size, np.int8), np.full(size, 77, np.int8)
    values = np.arange(-128, 128, dtype=np.int8)
    x[:256] = x[-256:] = x[2**31 - 128 : 2**31 + 128] = values
    expected = actgrad.selu(values)
    actgrad.selu(x, out=out)
    for part in (slice(0, 256), slice(-256, None), slice(2**31 - 128, 2**31 + 128)):
        assert np.array_equal(out[part], expected)
    assert not out[256 : 2**31 - 128].any()
    # Strided, from the other end, and halves of a gated tensor that begin beyond 2**32 bytes.
    out[:] = 77
    actgrad.selu(x[::-1], out=out)
    assert np.array_equal(out[:256], expected[::-1])
    assert np.array_equal(out[2**31 : 2**31 + 100], actgrad.selu(x[::-1][2**31 : 2**31 + 100]))
    actgrad.selu(x[: 2**31].reshape(2**16, 2**15).T, out=out[: 2**31].reshape(2**15, 2**16))
    assert np.array_equal(out[: 2**16 : 2**14], actgrad.selu(x[: 2**31 : 2**29]))
    assert np.array_equal(out[2**31 - 2**16 : 2**31], actgrad.selu(x[2**15 - 1 : 2**31 : 2**15]))
