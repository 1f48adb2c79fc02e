"""Calls with one fault each: every rule of every operator, broken."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import checks, samples
from tests.support.calls import BFLOAT16, OPERATORS, input_shapes, inputs


def f4(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def of(dtype: Any, *shape: int) -> np.ndarray:
    return np.ones(shape, dtype)


@dataclass(frozen=True)
class Bad:
    """A call with one fault. `says` must be in the message, after the operator's name."""

    operator: str
    tensors: tuple[Any, ...]
    error: type[actgrad.ActgradError]
    says: str
    attributes: dict[str, Any] = field(default_factory=dict)
    product: str = ""
    rules: str = ""

    def __str__(self) -> str:
        return f"{self.operator}: {self.says[:40]}"


NULL, INVALID, DTYPE = actgrad.NullArgument, actgrad.InvalidArgument, actgrad.InvalidDtype
UNSUPPORTED = actgrad.UnsupportedOnProduct
A = f4(3, 4)
HALF, PACKED = f4(3, 4), f4(3, 8)
BF16 = of(BFLOAT16, 3, 4)

#: The products.
ALL = ("Ascend950", "Ascend910_93", "Ascend910B", "Ascend310B", "Ascend310P", "Ascend910")

BAD = [
    # ELU
    Bad("elu", (None,), NULL, "self is None; it is required"),
    Bad("elu", (), NULL, "self is None; it is required"),
    Bad("elu", (A,), NULL, "alpha is None; it is required", {"alpha": None}),
    Bad("elu", (A,), NULL, "scale is None; it is required", {"scale": None}),
    Bad("elu", (A,), NULL, "input_scale is None; it is required", {"input_scale": None}),
    Bad("elu", (A,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("elu", (of("i4", 3),), DTYPE, "self is int32; it must be float32, float16"),
    Bad("elu", (of("i4", 3),), DTYPE, "self is int32; it must be ", product="Ascend910B"),
    Bad("elu", (A,), DTYPE, "alpha is complex (1j); it must be a real number", {"alpha": 1j}),
    Bad("elu", (A,), DTYPE, "scale is complex", {"scale": np.complex64(1)}),
    Bad("elu", (A,), DTYPE, "input_scale is complex", {"input_scale": complex(1, 0)}),
    Bad("elu", (A,), DTYPE, "out is int32, but the result is float32", {"out": of("i4", 3, 4)}),
    Bad("elu", (A,), DTYPE, "out is bool, but the result is float32", {"out": of("?", 3, 4)}),
    Bad("elu", (A,), DTYPE, "out is complex64; it must be ", {"out": of("c8", 3, 4)}, rules="document"),
    Bad("elu", (A,), INVALID, "out has shape (4, 3); it must be (3, 4), the shape of self", {"out": f4(4, 3)}),
    Bad("elu", (A,), INVALID, "out has shape (12,); it must be (3, 4), the shape of self", {"out": f4(12)}),
    Bad("elu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", product="Ascend910B"),
    # ELU backward
    Bad("elu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("elu_backward", (A, None), NULL, "self_or_result is None; it is required"),
    Bad("elu_backward", (A,), NULL, "self_or_result is None; it is required"),
    Bad("elu_backward", (A, A), NULL, "alpha is None; it is required", {"alpha": None}),
    Bad("elu_backward", (A, A), NULL, "is_result is None; it is required", {"is_result": None}),
    Bad("elu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("elu_backward", (A, of("f2", 3, 4)), DTYPE, "self_or_result is float16, but grad_output is float32; their"),
    Bad("elu_backward", (of("i1", 3), of("i1", 3)), DTYPE, "grad_output is int8; it must be "),
    Bad("elu_backward", (BF16, BF16), DTYPE, "grad_output is bfloat16; it must be ", product="Ascend910"),
    Bad(
        "elu_backward", (of("f8", 3), of("f8", 3)), DTYPE,
        "is float64; it must be ", product="Ascend910B",
    ),
    Bad("elu_backward", (A, A), DTYPE, "alpha is complex", {"alpha": 1j}),
    Bad("elu_backward", (A, A), DTYPE, "grad_input is int32, but the result is float32", {"out": of("i4", 3, 4)}),
    Bad("elu_backward", (A, f4(16)), INVALID, "self_or_result has shape (16,); it must be (3, 4), the shape of"),
    Bad("elu_backward", (A, f4(4)), INVALID, "self_or_result has shape (4,); it must be (3, 4), the shape of"),
    Bad("elu_backward", (A, A), INVALID, "grad_input has shape (4,); it must be (3, 4), the shape of", {"out": f4(4)}),
    Bad("elu_backward", (f4(*[1] * 9),) * 2, INVALID, "grad_output has 9 dimensions", product="Ascend910B"),
    Bad(
        "elu_backward", (A, A), INVALID,
        "alpha is -0.5 and is_result is True; the operator needs alpha >= 0 when", {"alpha": -0.5, "is_result": True},
    ),
    Bad("elu_backward", (f4(0), f4(0)), INVALID, "needs alpha >= 0 when is_result", {"alpha": -1, "is_result": True}),
    Bad("elu_backward", (A, A), INVALID, "needs alpha >= 0", {"alpha": -np.inf, "is_result": True}),
    # SELU
    Bad("selu", (None,), NULL, "self is None; it is required"),
    Bad("selu", (A,), UNSUPPORTED, "not available on Ascend310P", product="Ascend310P"),
    Bad("selu", (A,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("selu", (of("u1", 3),), DTYPE, "self is uint8; it must be "),
    Bad("selu", (of("f8", 3),), DTYPE, "self is float64; it must be ", product="Ascend910B"),
    Bad("selu", (A,), DTYPE, "out is int8, but the result is float32", {"out": of("i1", 3, 4)}),
    Bad("selu", (A,), DTYPE, "out is complex64; it must be ", {"out": of("c8", 3, 4)}, "Ascend910B"),
    Bad("selu", (BF16,), DTYPE, "self is bfloat16; it must be ", product="Ascend910"),
    Bad("selu", (A,), DTYPE, "out is uint8; it must be ", {"out": of("u1", 3, 4)}, "Ascend910B"),
    Bad("selu", (A,), DTYPE, "out is uint8, but the result is float32", {"out": of("u1", 3, 4)}),
    Bad("selu", (A,), INVALID, "out has shape (3,); it must be (3, 4), the shape of self", {"out": f4(3)}),
    # SELU backward
    Bad("selu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("selu_backward", (A, None), NULL, "result is None; it is required"),
    Bad("selu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("selu_backward", (A, of("i4", 3, 4)), DTYPE, "result is int32, but grad_output is float32"),
    Bad(
        "selu_backward", (A, A), DTYPE,
        "grad_input is float16, but grad_output is float32", {"out": of("f2", 3, 4)}, "Ascend910B",
    ),
    Bad("selu_backward", (A, A), DTYPE, "grad_input is int32, but the result is float32", {"out": of("i4", 3, 4)}),
    Bad("selu_backward", (of("u1", 3), of("u1", 3)), DTYPE, "grad_output is uint8; it must be "),
    Bad(
        "selu_backward", (BF16, BF16), DTYPE,
        "it must be float32, float16, int32 or int8 on Ascend310P", product="Ascend310P",
    ),
    Bad("selu_backward", (A, f4(1, 4)), INVALID, "result has shape (1, 4); it must be (3, 4), the shape"),
    Bad("selu_backward", (A, A), INVALID, "grad_input has shape (1,); it must be (3, 4), the shape", {"out": f4(1)}),
    Bad("selu", (A,), DTYPE, "out is float16, but self is float32", {"out": of("f2", 3, 4)}, rules="document"),
    Bad("selu", (f4(),), INVALID, "self has 0 dimensions; it must have 1 to 8", rules="document"),
    Bad("elu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("leaky_relu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("selu_backward", (f4(), f4()), INVALID, "grad_output has 0 dimensions; it must have 1 to 8", rules="document"),
    Bad("selu_backward", (f4(*[1] * 9),) * 2, INVALID, "grad_output has 9 dimensions", rules="document"),
    Bad("selu_backward", (f4(0), f4(0)), INVALID, "result is empty (shape (0,))", rules="document"),
    # GELU
    Bad("gelu", (None,), NULL, "self is None; it is required"),
    Bad("gelu_backward", (A, A), INVALID, "grad_input has shape (4,); it must be (3, 4), the shape", {"out": f4(4)}),
    Bad("gelu", (A,), NULL, "approximate is None; it is required", {"approximate": None}),
    Bad("gelu", (of("i4", 3),), DTYPE, "self is int32; it must be "),
    Bad("gelu", (A,), DTYPE, "out is int8, but the result is float32", {"out": of("i1", 3, 4)}),
    Bad("gelu", (A,), INVALID, "out has shape (3, 5); it must be (3, 4), the shape of self", {"out": f4(3, 5)}),
    Bad(
        "gelu", (A,), INVALID,
        "approximate is 'erf'; it must be 'none' (0) or 'tanh' (1)", {"approximate": "erf"},
    ),
    Bad("gelu", (A,), INVALID, "approximate is 2; it must be ", {"approximate": 2}),
    Bad("gelu", (A,), INVALID, "approximate is -1; it must be ", {"approximate": -1}),
    Bad("gelu_backward", (A, None), NULL, "self is None; it is required"),
    Bad("gelu_backward", (A, of("f2", 3, 4)), DTYPE, "self is float16, but grad_output is float32"),
    Bad("gelu_backward", (A, f4(3, 1)), INVALID, "self has shape (3, 1); it must be (3, 4), the shape of grad_output"),
    Bad("gelu_backward", (A, A), INVALID, "approximate is 'Tanh'", {"approximate": "Tanh"}),
    # LeakyReLU
    Bad("leaky_relu", (None,), NULL, "self is None; it is required"),
    Bad("leaky_relu", (A,), NULL, "negative_slope is None; it is required", {"negative_slope": None}),
    Bad("leaky_relu", (A,), UNSUPPORTED, "not available on Ascend310P", product="Ascend310P"),
    Bad("leaky_relu", (of("i8", 3),), DTYPE, "self is int64; it must be "),
    Bad("leaky_relu", (BF16,), DTYPE, "self is bfloat16; it must be ", product="Ascend910"),
    Bad("leaky_relu", (A,), DTYPE, "negative_slope is complex", {"negative_slope": 0j}),
    Bad("leaky_relu", (A,), DTYPE, "out is int16, but the result is float32", {"out": of("i2", 3, 4)}),
    Bad("leaky_relu", (A,), INVALID, "out has shape (3, 4, 1); it must be (3, 4), the shape of", {"out": f4(3, 4, 1)}),
    Bad("leaky_relu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", product="Ascend950"),
    # LeakyReLU backward
    Bad("leaky_relu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("leaky_relu_backward", (A, None), NULL, "self is None; it is required"),
    Bad("leaky_relu_backward", (A, A), NULL, "negative_slope is None; it is required", {"negative_slope": None}),
    Bad("leaky_relu_backward", (A, A), NULL, "self_is_result is None; it is required", {"self_is_result": None}),
    Bad("leaky_relu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("leaky_relu_backward", (of("i4", 3), of("i4", 3)), DTYPE, "grad_output is int32, self is int32, which promote"),
    Bad("leaky_relu_backward", (f4(3), of("i4", 3)), DTYPE, "self is int32; it must be ", product="Ascend910B"),
    Bad("leaky_relu_backward", (f4(3), of("c8", 3)), DTYPE, "self is complex64, which promote to complex64; the"),
    Bad("leaky_relu_backward", (A, BF16), DTYPE, "self is bfloat16; it must be ", product="Ascend310P"),
    Bad("leaky_relu_backward", (A, A), DTYPE, "negative_slope is complex", {"negative_slope": 1j}),
    Bad(
        "leaky_relu_backward", (A, of("f8", 3, 4)), DTYPE,
        "out is int8, but the result is float64", {"out": of("i1", 3, 4)},
    ),
    Bad(
        "leaky_relu_backward", (f4(3), f4(4)), INVALID,
        "self has shape (4,), but grad_output has shape (3,); they must broadcast",
    ),
    Bad("leaky_relu_backward", (f4(0), f4(2)), INVALID, "they must broadcast; reshape one of them"),
    Bad(
        "leaky_relu_backward", (f4(3, 1), f4(4)), INVALID,
        "out has shape (4,); it must be (3, 4), the shape of the result", {"out": f4(4)},
    ),
    Bad("leaky_relu_backward", (f4(*[1] * 9), f4(1)), INVALID, "grad_output has 9 dimensions", product="Ascend910B"),
    Bad("leaky_relu_backward", (f4(1), f4(*[1] * 9)), INVALID, "self has 9 dimensions", product="Ascend910B"),
    Bad(
        "leaky_relu_backward", (A, A), INVALID, "the operator needs negative_slope >= 0 when self_is_result; change",
        {"negative_slope": -0.5, "self_is_result": True},
    ),
    # GeGLU
    Bad("geglu", (None,), NULL, "self is None; it is required"),
    Bad("geglu", (PACKED,), NULL, "dim is None; it is required", {"dim": None}),
    Bad("geglu", (PACKED,), NULL, "activate_left is None; it is required", {"activate_left": None}),
    Bad("geglu", (PACKED,), UNSUPPORTED, "not available on Ascend910 ", product="Ascend910"),
    Bad("geglu", (PACKED,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("geglu", (of("i4", 8),), DTYPE, "self is int32; it must be "),
    Bad("geglu", (of("f8", 8),), DTYPE, "self is float64; it must be ", product="Ascend910B"),
    Bad(
        "geglu", (of(BFLOAT16, 8),), DTYPE,
        "self is bfloat16; it must be ", {"approximate": 1}, "Ascend310P",
    ),
    Bad("geglu", (PACKED,), DTYPE, "out is float16, but self is", {"out": (of("f2", 3, 4), HALF)}, "Ascend910B"),
    Bad("geglu", (PACKED,), DTYPE, "gelu is float16, but self is", {"out": (HALF, of("f2", 3, 4))}, "Ascend910B"),
    Bad("geglu", (PACKED,), DTYPE, "out is int8, but the result is float32", {"out": (of("i1", 3, 4), HALF)}),
    Bad("geglu", (PACKED,), DTYPE, "out_gelu is bool, but the result is float", {"out": (HALF, of("?", 3, 4))}),
    Bad("geglu", (PACKED,), INVALID, "dim is 2, but self has shape (3, 8); it must lie in [-2, 1]", {"dim": 2}),
    Bad("geglu", (PACKED,), INVALID, "dim is -3, but self has shape (3, 8); it must lie in [-2, 1]", {"dim": -3}),
    Bad("geglu", (f4(),), INVALID, "self has shape (); it must have a dimension to halve"),
    Bad("geglu", (f4(3, 7),), INVALID, "self has odd size 7 in dimension -1 (shape (3, 7))"),
    Bad("geglu", (PACKED,), INVALID, "self has odd size 3 in dimension 0", {"dim": 0}),
    Bad("geglu", (PACKED,), INVALID, "out has shape (3, 8); it must be (3, 4), the", {"out": (f4(3, 8), HALF)}),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has shape (4,); it must be (3, 4)", {"out": (HALF, f4(4))}),
    *(
        Bad("geglu", (PACKED,), INVALID, says, {"out": out}, "Ascend910B")
        for says, out in (
            ("out has size 8 in dimension -1, but self has 8; it", (f4(3, 8), HALF)),
            ("out_gelu has size 3 in dimension -1, but self has", (HALF, f4(4, 3))),
            ("out has 1 dimension (shape (4,)), but self has 2", (f4(4), HALF)),
            ("out_gelu has 1 dimension (shape (4,))", (HALF, f4(4))),
            ("out has shape (1, 4), but self has shape (3, 8); it", (f4(1, 4), HALF)),
            ("out_gelu has shape (1, 4), but self has shape (3,", (HALF, f4(1, 4))),
        )
    ),
    Bad("geglu", (f4(*[2] * 9),), INVALID, "self has 9 dimensions", product="Ascend910B"),
    Bad("geglu", (f4(*[2] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("geglu", (PACKED,), INVALID, "approximate is 7; it must be 'none' (0) or 'tanh' (1)", {"approximate": 7}),
    Bad("geglu", (PACKED,), INVALID, "the operator needs approximate='tanh' on Ascend310P; change", {}, "Ascend310P"),
    # GeGLU backward
    Bad("geglu_backward", (None, PACKED, HALF), NULL, "grad_output is None; it is required"),
    Bad("geglu_backward", (HALF, None, HALF), NULL, "self is None; it is required"),
    Bad("geglu_backward", (HALF,), NULL, "self is None; it is required"),
    Bad("geglu_backward", (HALF, PACKED), UNSUPPORTED, "not available on Ascend910 ", product="Ascend910"),
    Bad("geglu_backward", (of("i4", 3), of("i4", 6)), DTYPE, "grad_output is int32; it must be "),
    Bad("geglu_backward", (HALF, of("f2", 3, 8)), DTYPE, "self is float16, but grad_output is float32"),
    Bad("geglu_backward", (HALF, PACKED, of("f2", 3, 4)), DTYPE, "gelu is float16, but grad_output is float32"),
    Bad(
        "geglu_backward", (HALF, PACKED), DTYPE,
        "grad_input is float64, but grad_output", {"out": of("f8", 3, 8)}, "Ascend910B",
    ),
    Bad("geglu_backward", (HALF, PACKED), DTYPE, "grad_input is int32, but the result", {"out": of("i4", 3, 8)}),
    Bad(
        "geglu_backward", (HALF, PACKED, PACKED), INVALID,
        "gelu has shape (3, 8); it must be (3, 4), the shape", product="Ascend910B",
    ),
    Bad("geglu_backward", (HALF, PACKED, PACKED), INVALID, "gelu has shape (3, 8), but self has shape (3, 8); it must"),
    Bad(
        "geglu_backward", (HALF, PACKED), INVALID,
        "grad_input has shape (3, 4); it must be (3, 8), the shape of self", {"out": f4(3, 4)}, "Ascend910B",
    ),
    Bad(
        "geglu_backward", (HALF, PACKED), INVALID,
        "grad_input has shape (3, 4); it must be (3, 8), the shape of the result", {"out": f4(3, 4)},
    ),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "dim is 2, but self has shape (3, 8); it must lie", {"dim": 2}),
    Bad("geglu_backward", (f4(), f4()), INVALID, "self has shape (); it must have a dimension to halve"),
    Bad("geglu_backward", (f4(3, 4), f4(3, 9)), INVALID, "self has odd size 9 in dimension -1"),
    Bad(
        "geglu_backward", (f4(12), PACKED), INVALID,
        "grad_output has 1 dimension (shape (12,)), but self has 2", product="Ascend910B",
    ),
    Bad("geglu_backward", (f4(12), PACKED), INVALID, "grad_output has shape (12,), but self has shape (3, 8); it must"),
    Bad("geglu_backward", (f4(3, 5), PACKED), INVALID, "grad_output has shape (3, 5)"),
    Bad("geglu_backward", (f4(1, 4), PACKED), INVALID, "grad_output has shape (1, 4)"),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "approximate is 2; it must be ", {"approximate": 2}),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "needs approximate='tanh' on Ascend310P", {}, "Ascend310P"),
    Bad(
        "geglu_backward", (f4(*[1] * 9), f4(*[1] * 8, 2)), INVALID,
        "has 9 dimensions; it must have 1 to 8", rules="document",
    ),
]  # fmt: skip


@contextlib.contextmanager
def judged(product: str = "", rules: str = "") -> Any:
    with contextlib.ExitStack() as stack:
        if product:
            stack.enter_context(actgrad.product(product))
        if rules:
            stack.enter_context(actgrad.rules(rules))
        yield


#: The calls that break an operator's own rules, and the calls that break only rules of CANN.
OWN = [bad for bad in BAD if not bad.product and not bad.rules]
OF_LAWS = [bad for bad in BAD if bad.product or bad.rules]

SENTINEL = 0x5A

STATUS = {NULL: 161001, INVALID: 161002, DTYPE: 161002, UNSUPPORTED: 561103}


def good_output(operator: actgrad.Operator, tensors: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An output as the call would have it, were its fault mended; what no output fits gets any."""
    given = [t for t in tensors if isinstance(t, np.ndarray)] or [A]
    if not operator.access.is_packed:
        return np.empty(given[0].shape, given[0].dtype)
    if operator.gradient_of is not None:
        return np.empty(given[min(1, len(given) - 1)].shape, given[0].dtype)
    shape = list(given[0].shape) or [1]
    shape[(attributes.get("dim") or -1) % len(shape)] //= 2
    return np.empty(shape, given[0].dtype), np.empty(shape, given[0].dtype)


def assert_refused(bad: Bad) -> None:
    """A call and a plan of each backend raise the error of a bad call, and write nothing."""
    operator = actgrad.operators[bad.operator]
    given = bad.attributes.get("out")
    out = good_output(operator, bad.tensors, bad.attributes) if given is None else given
    for array in samples.as_tuple(out):
        array.reshape(-1).view(np.uint8)[...] = SENTINEL
    # A call like it, but good: what follows must not pass for that one.
    shape = next((t.shape for t in bad.tensors if isinstance(t, np.ndarray)), (3, 4))
    for attributes in ({}, {name: value for name, value in bad.attributes.items() if name != "out"}):
        with contextlib.suppress(actgrad.ActgradError):
            good = inputs(np.random.default_rng(0), operator, shape or (2,))
            for _ in range(2):
                operator(*good.values(), **attributes)
    for call in (operator, operator.plan):
        for backend in (None, "cpu", "reference"):
            with pytest.raises(actgrad.ActgradError) as caught, judged(bad.product, bad.rules):
                call(*bad.tensors, **{**bad.attributes, "out": out, "backend": backend})
            assert caught.type is bad.error
            assert caught.value.status == STATUS[bad.error]
            assert str(caught.value).startswith(f"{bad.operator}: ")
            assert bad.says in str(caught.value)
    for array in samples.as_tuple(out):
        assert (array.reshape(-1).view(np.uint8) == SENTINEL).all()


def broken_rules(bad_calls: list[Bad], monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """The operators and rules of which these calls break at least one, by the first broken rule of each."""
    broken = set()

    def run(call: checks.Call, early: bool = False) -> None:
        for check in checks.checks_under(call.definition, call.law):
            if early and check.error not in checks.EARLY:
                break
            if check.test(call) is not None:
                broken.add((call.definition.name, check.rule))
                raise check.error("seen")

    monkeypatch.setattr(checks, "run", run)
    for bad in bad_calls:
        with contextlib.suppress(actgrad.ActgradError), judged(bad.product, bad.rules):
            actgrad.operators[bad.operator](*bad.tensors, **bad.attributes)
    return broken


#: What is left out of the table: rules that say of one more argument or operator what the table shows of another.
LEFT_OUT = (
    "is not null",
    "can be converted",
    "has a supported dtype",
    "has the shape of the result",
    "to 8 dimensions",
    "unless it is empty",  # floats of 8 bits, in tests/ops/test_float8.py
    "has format ND",  # Python's arrays have no format
)


# The order: null, product, dtype, shape, value

STAGES = ["null", "product", "dtype", "shape", "value"]
ERRORS = {"null": NULL, "product": UNSUPPORTED, "dtype": DTYPE, "shape": INVALID, "value": INVALID}


def faulty(operator: actgrad.Operator, faults: set[str]) -> tuple[list[Any], dict[str, Any], str]:
    """A call with these faults at once: its tensors, attributes and product."""
    dtype = "uint8" if "dtype" in faults else "float32"
    tensors: list[Any] = [np.ones(shape, dtype) for shape in input_shapes(operator, (3, 4)).values()]
    attributes: dict[str, Any] = {}
    if "shape" in faults:
        out = tuple(of(dtype, 7) for _ in operator.schema.outputs)
        attributes["out"] = out if len(out) > 1 else out[0]
    if "value" in faults:
        if operator.choices:
            attributes["approximate"] = 5
        else:
            flag, number = next(
                (a.name, b.name)
                for a in operator.schema.attributes
                for b in operator.schema.attributes
                if a.type == "bool" and b.type == "Scalar"
            )
            attributes |= {flag: True, number: -1}
    if "null" in faults:
        tensors[0] = None
    product = next(name for name in ALL if name not in operator.products) if "product" in faults else ""
    return tensors, attributes, product


def pairs_of_stages(stages: list[str]) -> list[tuple[actgrad.Operator, str, str]]:
    """Two stages in order, for each operator of the table that has such rules."""
    operators = [operator for operator in OPERATORS if operator.name in {bad.operator for bad in BAD}]
    return [
        (operator, first, second)
        for operator in operators
        for first, second in itertools.combinations(stages, 2)
        if "value" not in (first, second) or operator.choices or operator.requires
    ]


def assert_earlier_stage_wins(operator: actgrad.Operator, first: str, second: str) -> None:
    """A call with the faults of two stages has the message of the first one."""
    messages = []
    for faults in ({first}, {first, second}):
        tensors, attributes, product = faulty(operator, faults)
        with pytest.raises(actgrad.ActgradError) as caught, judged(product):
            operator(*tensors, **attributes)
        assert caught.type is ERRORS[first]
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    # The second fault alone is one, else the pair would show nothing.
    tensors, attributes, product = faulty(operator, {second})
    with pytest.raises(ERRORS[second]), judged(product):
        operator(*tensors, **attributes)
