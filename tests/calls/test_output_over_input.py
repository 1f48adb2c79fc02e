"""Every output of every operator over every input: the bits of a call on separate memory, or refused.

A result that comes later must not read an input that an earlier result has overwritten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.calls import aliasing
from actgrad.calls.fast_path import PythonFastPath
from tests.support import overlaps
from tests.support.calls import EVERY, same_bits
from tests.support.overlaps import Case, Memory, out_of

pytestmark = pytest.mark.share(32)

Run = Callable[[Case, Memory], object]


def call(case: Case, at: Memory) -> None:
    case.operator(*at.inputs, out=out_of(at.outputs), **dict(case.attributes))


def after_a_call_like_it(case: Case, at: Memory) -> None:
    """The fast path: a call of the same layout on separate memory passed before."""
    apart = [None if x is None else x.copy("K") for x in at.inputs]
    outputs = [np.copy(y, "K") for y in at.outputs]
    for _ in range(2):
        case.operator(*apart, out=out_of(outputs), **dict(case.attributes))
    call(case, at)


def planned(case: Case, at: Memory) -> None:
    """The plan runs twice; before the second run the memory is what it was."""
    before = [block.copy() for block in at.blocks]
    plan = case.operator.plan(*at.inputs, out=out_of(at.outputs), **dict(case.attributes))
    for _ in range(2):
        for block, content in zip(at.blocks, before, strict=True):
            block[...] = content
        plan.run()


def by_reference(case: Case, at: Memory) -> None:
    case.operator(*at.inputs, out=out_of(at.outputs), backend="reference", **dict(case.attributes))


def by_torch(case: Case, at: Memory) -> None:
    torch = pytest.importorskip("torch")
    from actgrad.torch.kernels import interface_of

    interface = interface_of(case.operator)

    def on_torch(y: Any) -> Any:
        is_float8 = y.dtype.name.startswith("float8")
        return (
            torch.from_numpy(y.view(np.uint8)).view(getattr(torch, y.dtype.name)) if is_float8 else torch.from_numpy(y)
        )

    tensors = [None if x is None else torch.from_numpy(x) for x in at.inputs]
    named = {name: on_torch(y) for name, y in zip(interface.outputs, at.outputs, strict=True)}
    overload = getattr(getattr(torch.ops.actgrad, case.operator.name), interface.outputs[0])
    overload(*interface.row(tensors, dict(case.attributes)), **named)


WAYS: dict[str, Run] = {
    "call": call, "fast path": after_a_call_like_it, "plan": planned, "reference": by_reference, "torch": by_torch,
}  # fmt: skip


def outcome(case: Case, run: Run, backend: str | None = None) -> str:
    """Whether the case is computed or refused; a fault where the results are others."""
    if case.kind == "backwards" and run is by_torch:  # PyTorch has no such views
        return "skipped"
    at = overlaps.memory(case)
    case.operator(
        *[None if x is None else x.copy() for x in at.inputs],
        out=out_of(at.separate), backend=backend, **dict(case.attributes),
    )  # fmt: skip
    before = [block.copy() for block in at.blocks]
    try:
        run(case, at)
    except actgrad.InvalidArgument as error:
        fault, status = str(error), error.status
    else:
        fault, status = "", 0
    if fault:
        assert status == 161002, case
        assert re.search(r" overlaps \w+; .*; pass separate memory", fault), f"{case}: {fault}"
        assert all(map(same_bits, at.blocks, before)), case
        return "refused"
    for got, wanted in zip(at.outputs, at.separate, strict=True):
        assert same_bits(np.array(got), wanted), f"{case}: {np.array(got)}, on separate memory {wanted}"
    return "computed"


@pytest.mark.needs("torch")
@pytest.mark.share(64)
@pytest.mark.parametrize("operator", EVERY, ids=lambda operator: operator.name)
def test_the_bits_of_separate_memory_or_refused(operator: Any) -> None:
    """By every way of calling, with one decision for all of them."""
    found: Counter[str] = Counter()
    for case in overlaps.cases(operator):
        decisions = {way: outcome(case, run, "reference" if way == "reference" else None) for way, run in WAYS.items()}
        decided = set(decisions.values()) - {"skipped"}
        assert len(decided) == 1, f"{case}: {decisions}"
        found[decided.pop()] += 1
    assert found["refused"] > 0
    assert found.total() >= 10


@pytest.mark.parametrize("operator", EVERY, ids=lambda operator: operator.name)
def test_in_place_is_computed(operator: Any) -> None:
    """An elementwise result may be exactly an input of its own shape, which is not broadcast."""
    for case in overlaps.cases(operator):
        shape = case.shapes[case.input]
        results = overlaps.results(case.operator, case.shapes, case.attributes, case.dtype)
        name = operator.schema.outputs[case.output]
        is_counter = operator.ragged.counter and case.input == len(case.shapes) - 1
        is_like = results[case.output].shape == shape and not operator.access.is_statistic(name) and not is_counter
        if results[case.output].dtype.itemsize != overlaps.memory(case).inputs[case.input].itemsize:
            continue  # a byte of the output for each float of the input
        if case.kind in ("exactly", "every second") and is_like:
            assert outcome(case, call) == "computed", case


def test_the_python_fast_path_decides_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast path without the extension: it takes a call, or leaves it to the path that refuses it."""
    operator = actgrad.prelu_backward
    decided: Counter[bool] = Counter()
    for case in overlaps.cases(operator):
        at = overlaps.memory(case)
        path = PythonFastPath()
        monkeypatch.setattr(PythonFastPath, "_slow_path", lambda *_, **__: "slow", raising=False)
        monkeypatch.setattr(operator, "_remember", path._remember, raising=False)
        apart = [np.copy(x, "K") for x in at.inputs]
        operator._slow_path(*apart, out=out_of([np.copy(y, "K") for y in at.outputs]), **dict(case.attributes))
        fast = path(*at.inputs, out=out_of(at.outputs), **dict(case.attributes))
        if fast != "slow":
            assert outcome(case, call) == "computed", case
            for got, wanted in zip(at.outputs, _separate(case), strict=True):
                assert same_bits(np.array(got), wanted), case
        decided[fast != "slow"] += 1
        monkeypatch.undo()
    assert decided[True]
    assert decided[False]


def _separate(case: Case) -> list[np.ndarray]:
    at = overlaps.memory(case)
    case.operator(*at.inputs, out=out_of(at.separate), **dict(case.attributes))
    return at.separate


# The lines of the fault


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, bfloat16])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_weights_gradient_over_the_weights(dtype: Any, backend: str) -> None:
    g, x, w = np.ones((2, 3), dtype), np.full((2, 3), -2, dtype), np.full(3, 0.25, dtype)
    by_x = np.empty_like(x)
    actgrad.prelu_backward(g, x, w, out=(by_x, w), backend=backend)
    assert (by_x == 0.25).all()
    assert (w == -4).all()


@pytest.mark.parametrize("rows", [1, 3, 200])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_sum_over_a_tensor_that_other_rows_need(rows: int, backend: str) -> None:
    """The gradient of one weight for each column, over a grad_output of one element for each row."""
    memory = np.arange(rows, dtype=np.float32)
    x, w, by_x = (np.full((rows, rows), v, np.float32) for v in (-1, 0.25, 0))
    given = memory.reshape(rows, 1), x, w[0].copy()
    if rows == 1:
        actgrad.prelu_backward(*given, out=(by_x, memory), backend=backend)
        return
    says = r"^prelu_backward: grad_weight overlaps grad_output; results that come later need grad_output; pass separate"
    with pytest.raises(actgrad.InvalidArgument, match=says):
        actgrad.prelu_backward(*given, out=(by_x, memory), backend=backend)
    assert (memory == np.arange(rows)).all()


@pytest.mark.parametrize("tensor", ["features", "labels"])
@pytest.mark.parametrize("rows", [1, 5, 300])
def test_the_loss_over_a_column(tensor: str, rows: int) -> None:
    rng = np.random.default_rng(rows)
    given = {name: rng.random((rows, 1)).astype(np.float32) for name in ("features", "labels")}
    loss, by_features = actgrad.softmax_cross_entropy_with_logits(*[x.copy() for x in given.values()])
    out = given[tensor].reshape(rows), np.empty((rows, 1), np.float32)
    actgrad.softmax_cross_entropy_with_logits(*given.values(), out=out)
    assert same_bits(out[0], loss)
    assert same_bits(out[1], by_features)


@pytest.mark.parametrize("shape", [(1, 1000), (70, 1000), (1000, 70, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_rows_in_threads(shape: tuple[int, ...], order: Any) -> None:
    """Rows of many elements, along and across the lanes of vectors."""
    rng = np.random.default_rng(1)
    g, x = (np.asarray(rng.standard_normal(shape), np.float32, order) for _ in range(2))
    w = rng.standard_normal(shape[1]).astype(np.float32)
    wanted = actgrad.prelu_backward(g, x, w)
    actgrad.prelu_backward(g, x, w, out=(g, w))
    assert same_bits(np.ascontiguousarray(g), np.ascontiguousarray(wanted[0]))
    assert same_bits(w, wanted[1])


def test_the_layouts_of_a_call_tell_which_input_may_be_overwritten() -> None:
    g, x, w = np.ones((3, 1), np.float32), np.ones((3, 3), np.float32), np.ones(3, np.float32)
    layouts = actgrad.prelu_backward.plan(g, x, w).prepared.layouts
    assert [layout.alike for layout in layouts] == [1 << 3, 1 << 4, 0, 0, 0]  # by_x: x; by_weight: w, and never g
    assert layouts[0] == aliasing.ByteRange(0, 36, 1 << 3)
