"""What graph operators infer of shapes and dtypes agrees with their calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import ir
from actgrad.base.dtypes import BY_NAME
from actgrad.samples import as_tuple

pytestmark = pytest.mark.share(16)

NAMES = [name for name in BY_NAME if name != "complex32"]  # NumPy has none
NEEDED = {"SwigluGroupQuantGrad": ("weight", "y_origin")}
SHAPES = [(), (1,), (3,), (5,), (6,), (4, 1), (4, 3), (4, 5), (4, 6), (2, 4, 6), (2, 3, 1), (0, 6)]


def outcome(call: Any) -> Any:
    """The results of a call, or the class of its error."""
    try:
        return as_tuple(call())
    except actgrad.InvalidArgument as error:
        return type(error)


def required(operator: ir.GraphOperator) -> list[str]:
    """The inputs that no call may leave out; the others come last, and some have dtypes of their own.

    CANN has two more optional inputs. actgrad refuses calls without these.
    """
    left_out = {*operator.signature.optional} - {*NEEDED.get(operator.signature.name, ())}
    return [name for name in operator.signature.inputs if name not in left_out]


@pytest.mark.parametrize("name", ir.names())
def test_shapes_are_those_of_the_call(name: str) -> None:
    operator, rng = getattr(ir, name), np.random.default_rng(1)
    accepted = 0
    for round_ in range(100):
        first = SHAPES[rng.integers(len(SHAPES))]
        half = (*first[:-1], first[-1] // 2) if first else first
        channels = first[1:2] or (1,)
        likely = [first, half, first if round_ % 3 else SHAPES[rng.integers(len(SHAPES))], channels]
        shapes = [likely[rng.integers(4)] if round_ % 5 else first for _ in required(operator)]
        if not round_ % 7:
            shapes = infer_likely_shapes(operator, (2, 16))
        dtypes = [operator.operator.definition.dtypes_of(operator.signature.tensors[n]) for n in required(operator)]
        tensors = [np.ones(s, BY_NAME[d[0] if d else "float32"].numpy) for s, d in zip(shapes, dtypes, strict=True)]
        given = outcome(lambda: operator.plan(*tensors).result)  # noqa: B023  called at once
        inferred = outcome(lambda: operator.infer_shape(*shapes))  # noqa: B023
        if isinstance(given, tuple):
            accepted += 1
            assert inferred == tuple(result.shape for result in given), shapes
            hidden = [tuple(-1 if rng.random() < 0.4 else n for n in shape) for shape in shapes]
            hidden[rng.integers(len(hidden))] = (-2,)
            for guess, result in zip(operator.infer_shape(*hidden), given, strict=True):
                assert guess == (-2,) or len(guess) == result.ndim, hidden
                assert guess == (-2,) or all(n in (-1, m) for n, m in zip(guess, result.shape, strict=True)), hidden
        else:
            assert not isinstance(inferred, tuple), (shapes, inferred)
    assert accepted


@pytest.mark.parametrize("name", ir.names())
def test_dtypes_are_those_of_the_call(name: str) -> None:
    operator, rng = getattr(ir, name), np.random.default_rng(1)
    access = operator.operator.access
    shape = (2, 16) if access.has_bits else (2, 6) if access.is_packed else (2, 3)
    accepted = 0
    for round_ in range(len(NAMES) + 40):
        count = len(required(operator))
        dtypes = [NAMES[round_]] * count if round_ < len(NAMES) else list(rng.choice(NAMES, count))
        shapes = infer_likely_shapes(operator, shape)
        tensors = [np.zeros(s, BY_NAME[d].numpy) for s, d in zip(shapes, dtypes, strict=True)]
        given = outcome(lambda: operator.plan(*tensors).result)  # noqa: B023
        inferred = outcome(lambda: operator.infer_dtype(*dtypes))  # noqa: B023
        if isinstance(given, tuple):
            accepted += 1
            assert inferred == tuple(result.dtype.name for result in given), dtypes
        elif given is actgrad.InvalidDtype:  # int32 alone is a dtype of dequant_swiglu_quant, but needs weight_scale
            assert inferred is actgrad.InvalidDtype, (dtypes, inferred)
    assert accepted


def infer_likely_shapes(operator: ir.GraphOperator, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Shapes that a call takes: of packed tensors `shape`, of others half, of those along a dimension its size.

    Bits have an eighth.
    """
    access = operator.operator.access
    parts = 8 if access.has_bits else 2
    found = []
    for tensor in [operator.signature.tensors[name] for name in required(operator)]:
        whole = not access.is_packed or access.part_count(tensor) > 1
        likely = shape if whole else (*shape[:-1], shape[-1] // parts)
        if access.is_per_row(tensor):
            likely = shape[:-1]
        found.append((1,) if tensor and not access.brings_elements(tensor) and likely != shape[:-1] else likely)
    return found


CASES = [
    (lambda: ir.PReluGrad.infer_shape((4, 5), (4, 5), (5,)), ((4, 5), (5,))),
    (lambda: ir.PReluGrad.infer_shape((-2,), (-2,), (-1,)), ((-2,), (-1,))),
    (lambda: ir.PReluGrad.infer_shape((4, -1), (4, 5), (-2,)), ((4, 5), (-2,))),
    (lambda: ir.SoftmaxCrossEntropyWithLogits.infer_shape((4, 5), (4, 5)), ((4,), (4, 5))),
    (lambda: ir.SoftmaxCrossEntropyWithLogits.infer_shape((-1, 5), (-1, 5)), ((-1,), (-1, 5))),
    (lambda: ir.SoftmaxCrossEntropyWithLogits.infer_shape((-2,), (-2,)), ((-2,), (-2,))),
    (lambda: ir.Erfinv.infer_dtype("int32"), ("float32",)),
    (lambda: ir.Erfinv.infer_dtype("INT32"), ("FLOAT",)),
    (lambda: ir.Erfinv.infer_dtype(np.int32), (np.dtype(np.float32),)),
    (lambda: ir.LeakyReluGrad.infer_dtype("float16", "BF16"), ("float32",)),
]


@pytest.mark.parametrize(("infer", "wanted"), CASES)
def test_results_of_other_shapes_and_dtypes_than_the_inputs(infer: Any, wanted: Any) -> None:
    assert infer() == wanted


def test_messages_have_the_graphs_words() -> None:
    with pytest.raises(
        actgrad.InvalidArgument, match=r"^PRelu: weight has shape \(3,\); it must be \(5,\) or \(1,\); "
    ):
        ir.PRelu.infer_shape((4, 5), (3,))
    with pytest.raises(actgrad.InvalidDtype, match=r"^EluGradV2: activations is float16, but grads is float32"):
        ir.EluGradV2.infer_dtype("float32", "float16")
    torch = pytest.importorskip("torch")
    assert ir.Tanh.infer_dtype(torch.int8) == (torch.float32,)
