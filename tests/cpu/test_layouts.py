"""The CPU backend computes the same bits whatever the memory looks like, and writes only the output's elements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import actgrad
from actgrad import samples
from actgrad.base.dtypes import BY_NAME
from tests.support.calls import (
    OPERATORS,
    Memory,
    contiguous,
    contiguous_result,
    doubled,
    ids,
    input_shapes,
    inputs,
    off_defaults,
    pairs,
    run_script,
    same_bits,
    supported,
    untouched,
)
from tests.support.memory_layouts import NAMED, OUTPUTS, laid_out, memories, shapes
from tests.support.surroundings import SURROUNDINGS

pytestmark = pytest.mark.share(6)

GATED_OPERATORS = [operator for operator in OPERATORS if operator.access.is_packed]

# The time of one example is LLVM's where it needs a new kernel.
LAYOUTS = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def check(
    operator: actgrad.Operator,
    tensors: dict[str, Any],
    memories: Any,
    surroundings: str = "as it is",
    **attributes: Any,
) -> None:
    """The call on `tensors`, into outputs in `memories`, against the call on contiguous copies."""
    expected = contiguous_result(operator, tensors, **attributes)
    rooms = [m.room(e.shape, e.dtype) for m, e in zip(memories, expected, strict=True)]
    out = tuple(view for view, _ in rooms)
    given = out if len(out) > 1 else out[0]
    returned = SURROUNDINGS[surroundings](lambda: operator(*tensors.values(), out=given, **attributes))
    for got, (view, memory), wanted in zip(samples.as_tuple(returned), rooms, expected, strict=True):
        assert got is view
        assert same_bits(view, wanted)
        assert untouched(view, memory)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@LAYOUTS
@given(data=st.data())
def test_any_layout(operator: actgrad.Operator, data: st.DataObject) -> None:
    shape = data.draw(shapes().filter(lambda s: s or not operator.access.is_packed))
    dtype = data.draw(st.sampled_from(supported(operator)))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1)) if shape else -1
    attributes = data.draw(st.sampled_from(samples.attribute_cases(operator)))
    if operator.access.is_packed:
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
    surroundings = data.draw(st.sampled_from(list(SURROUNDINGS)))
    check(operator, tensors, [data.draw(memories(rank)) for rank in ranks], surroundings, **attributes)


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
        attributes = off_defaults(operator) | ({"dim": 1} if operator.access.is_packed else {})
        got = samples.as_tuple(operator(*tensors.values(), **attributes))
        wanted = samples.as_tuple(operator(*tensors.values(), **attributes, backend="reference"))
        for g, w in zip(got, wanted, strict=True):
            np.testing.assert_allclose(g, w, rtol=2e-6, atol=2e-6)


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
        for dim in {0, rank // 2, -1} if operator.access.is_packed else {None}:
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
            for array in samples.as_tuple(result):
                assert array.size == 0
                assert array.dtype == BY_NAME[dtype].numpy
                assert array.shape in (shape, doubled(shape, -1))


@pytest.mark.parametrize("operator", GATED_OPERATORS, ids=ids)
def test_empty_half(operator: actgrad.Operator) -> None:
    """Size 0 along dim is even: both halves are empty."""
    empty = {name: np.empty(shape, np.float32) for name, shape in input_shapes(operator, (4, 0)).items()}
    for array in samples.as_tuple(operator(*empty.values())):
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
    packed = next((name for name in longest if operator.access.part_count(name) > 1), "")
    if packed:
        left, right = np.split(longest[packed], 2)
    attributes = off_defaults(operator)
    whole = samples.as_tuple(operator(*longest.values(), **attributes))
    for size in SIZES:
        tensors = {name: values[:size] for name, values in longest.items()}
        if packed:
            tensors[packed] = np.concatenate([left[:size], right[:size]])
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


# Memory that ends where the tensor ends


@pytest.mark.needs("judge")
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_nothing_beyond_the_tensors_is_touched(operator: actgrad.Operator) -> None:
    """Each tensor begins or ends at a page that may be neither read nor written: a wrong access ends the process."""
    script = f"""
import itertools, numpy as np
import actgrad
from actgrad import samples
from tests.support.calls import guarded, inputs, off_defaults, supported
from tests.support.surroundings import SURROUNDINGS
surroundings = itertools.cycle(SURROUNDINGS.values())
operator = actgrad.operators[{operator.name!r}]
shapes = [(1,), (3,), (15,), (17,), (31,), (33,), (63,), (65,), (1000,), (5, 33), (7, 3)]
for dtype, shape in itertools.product(supported(operator), shapes):
    tensors = inputs(np.random.default_rng(15), operator, shape, dtype)
    whole = samples.as_tuple(operator(*tensors.values(), **off_defaults(operator)))
    for at_end, turned in itertools.product([True, False], [False, True]):
        views = [guarded(values, at_end, turned) for values in tensors.values()]
        out = tuple(guarded(w, at_end, False) for w in whole)
        def call():
            operator(*views, out=out if len(out) > 1 else out[0], **off_defaults(operator))
        next(surroundings)(call)
        assert all(o.tobytes() == w.tobytes() for o, w in zip(out, whole)), (dtype, shape)
"""
    run_script(script)


def test_every_second_element_up_to_the_last_of_all_memory() -> None:
    """They are loaded with their neighbours, and the last one has none."""
    script = """
import numpy as np, actgrad
from tests.support.calls import guarded, random_values, supported
rng = np.random.default_rng(3)
for operator in (actgrad.selu, actgrad.elu):
    for dtype in supported(operator):
        for count in (1, 2, 15, 16, 17, 31, 33, 64, 65, 127, 129, 1000):
            for at_end in (True, False):
                for step in (2, -2, 3):
                    span = abs(step) * (count - 1) + 1
                    x = guarded(random_values(rng, (span,), dtype), at_end, False)[::step]
                    assert operator(x).tobytes() == operator(x.copy()).tobytes(), (dtype, count, step)
                    rows = guarded(random_values(rng, (3, span), dtype), at_end, False)[:, ::step]
                    assert operator(rows).tobytes() == operator(rows.copy()).tobytes(), (dtype, count, step)
"""
    run_script(script)
