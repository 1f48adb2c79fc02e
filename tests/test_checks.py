"""Bad calls: each rule of each operator broken, the error's class, status and words, and that nothing was written."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from calls import BFLOAT16, OPERATORS, ids, input_shapes, inputs, run_script

import actgrad
from actgrad import checks, products, testing
from actgrad.dtypes import BY_NAME
from actgrad.layouts import GATED

SENTINEL = 0x5A


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


NULL, INVALID, DTYPE, CALL = (
    actgrad.NullArgument,
    actgrad.InvalidArgument,
    actgrad.InvalidDtype,
    actgrad.InvalidCall,
)
UNSUPPORTED = actgrad.UnsupportedOnProduct
A = f4(3, 4)
HALF, PACKED = f4(3, 4), f4(3, 8)
BF16 = of(BFLOAT16, 3, 4)

BAD = [
    # ELU
    Bad("elu", (None,), NULL, "self is None; it is required"),
    Bad("elu", (), NULL, "self is None; it is required"),
    Bad("elu", (A,), NULL, "alpha is None; it is required", {"alpha": None}),
    Bad("elu", (A,), NULL, "scale is None; it is required", {"scale": None}),
    Bad("elu", (A,), NULL, "input_scale is None; it is required", {"input_scale": None}),
    Bad("elu", (A,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("elu", (of("i4", 3),), DTYPE, "self is int32; supported: float32, float16"),
    Bad("elu", (of("i4", 3),), DTYPE, "self is int32; supported on Ascend910B: ", product="Ascend910B"),
    Bad("elu", (A,), DTYPE, "alpha is complex (1j); it must be a real number", {"alpha": 1j}),
    Bad("elu", (A,), DTYPE, "scale is complex", {"scale": np.complex64(1)}),
    Bad("elu", (A,), DTYPE, "input_scale is complex", {"input_scale": complex(1, 0)}),
    Bad("elu", (A,), DTYPE, "out is int32, to which the result (float32) cannot be converted", {"out": of("i4", 3, 4)}),
    Bad("elu", (A,), DTYPE, "out is bool, to which the result (float32) cannot", {"out": of("?", 3, 4)}),
    Bad("elu", (A,), DTYPE, "out is complex64; supported: ", {"out": of("c8", 3, 4)}, rules="document"),
    Bad("elu", (A,), INVALID, "out has shape (4, 3), but self has (3, 4)", {"out": f4(4, 3)}),
    Bad("elu", (A,), INVALID, "out has shape (12,), but self has (3, 4)", {"out": f4(12)}),
    Bad("elu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", product="Ascend910B"),
    # ELU backward
    Bad("elu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("elu_backward", (A, None), NULL, "self_or_result is None; it is required"),
    Bad("elu_backward", (A,), NULL, "self_or_result is None; it is required"),
    Bad("elu_backward", (A, A), NULL, "alpha is None; it is required", {"alpha": None}),
    Bad("elu_backward", (A, A), NULL, "is_result is None; it is required", {"is_result": None}),
    Bad("elu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("elu_backward", (A, of("f2", 3, 4)), DTYPE, "self_or_result is float16, but grad_output is float32; they must"),
    Bad("elu_backward", (of("i1", 3), of("i1", 3)), DTYPE, "grad_output is int8; supported: "),
    Bad("elu_backward", (BF16, BF16), DTYPE, "grad_output is bfloat16; supported on Ascend910: ", product="Ascend910"),
    Bad(
        "elu_backward", (of("f8", 3), of("f8", 3)), DTYPE,
        "is float64; supported on Ascend910B: ", product="Ascend910B",
    ),
    Bad("elu_backward", (A, A), DTYPE, "alpha is complex", {"alpha": 1j}),
    Bad("elu_backward", (A, A), DTYPE, "grad_input is int32, to which the result (float32)", {"out": of("i4", 3, 4)}),
    Bad("elu_backward", (A, f4(16)), INVALID, "self_or_result has shape (16,), but grad_output has (3, 4)"),
    Bad("elu_backward", (A, f4(4)), INVALID, "self_or_result has shape (4,), but grad_output has (3, 4)"),
    Bad("elu_backward", (A, A), INVALID, "grad_input has shape (4,), but grad_output has (3, 4)", {"out": f4(4)}),
    Bad("elu_backward", (f4(*[1] * 9),) * 2, INVALID, "grad_output has 9 dimensions", product="Ascend910B"),
    Bad(
        "elu_backward", (A, A), INVALID,
        "needs alpha >= 0 when is_result; got alpha=-0.5", {"alpha": -0.5, "is_result": True},
    ),
    Bad("elu_backward", (f4(0), f4(0)), INVALID, "needs alpha >= 0 when is_result", {"alpha": -1, "is_result": True}),
    Bad("elu_backward", (A, A), INVALID, "needs alpha >= 0", {"alpha": -np.inf, "is_result": True}),
    # SELU
    Bad("selu", (None,), NULL, "self is None; it is required"),
    Bad("selu", (A,), UNSUPPORTED, "not available on Ascend310P", product="Ascend310P"),
    Bad("selu", (A,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("selu", (of("u1", 3),), DTYPE, "self is uint8; supported: "),
    Bad("selu", (of("f8", 3),), DTYPE, "self is float64; supported on Ascend910B: ", product="Ascend910B"),
    Bad("selu", (A,), DTYPE, "out is int8, to which the result (float32) cannot be", {"out": of("i1", 3, 4)}),
    Bad("selu", (A,), DTYPE, "out is complex64; supported: ", {"out": of("c8", 3, 4)}),
    Bad("selu", (BF16,), DTYPE, "self is bfloat16; supported on Ascend910: ", product="Ascend910"),
    Bad("selu", (A,), DTYPE, "out is uint8; supported: ", {"out": of("u1", 3, 4)}),
    Bad("selu", (A,), DTYPE, "out is complex64; supported: ", {"out": of("c8", 3, 4)}),
    Bad("selu", (A,), INVALID, "out has shape (3,), but self has (3, 4)", {"out": f4(3)}),
    # SELU backward
    Bad("selu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("selu_backward", (A, None), NULL, "result is None; it is required"),
    Bad("selu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("selu_backward", (A, of("i4", 3, 4)), DTYPE, "result is int32, but grad_output is float32"),
    Bad("selu_backward", (A, A), DTYPE, "grad_input is float16, but grad_output is float32", {"out": of("f2", 3, 4)}),
    Bad("selu_backward", (of("u1", 3), of("u1", 3)), DTYPE, "grad_output is uint8; supported: "),
    Bad(
        "selu_backward", (BF16, BF16), DTYPE,
        "supported on Ascend310P: float32, float16, int32, int8", product="Ascend310P",
    ),
    Bad("selu_backward", (A, f4(1, 4)), INVALID, "result has shape (1, 4), but grad_output has (3, 4)"),
    Bad("selu_backward", (A, A), INVALID, "grad_input has shape (1,), but grad_output has (3, 4)", {"out": f4(1)}),
    Bad("selu", (A,), DTYPE, "out is float16, but self is float32", {"out": of("f2", 3, 4)}, rules="document"),
    Bad("selu", (f4(),), INVALID, "self has 0 dimensions; it must have 1 to 8", rules="document"),
    Bad("elu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("leaky_relu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("selu_backward", (f4(), f4()), INVALID, "grad_output has 0 dimensions; it must have 1 to 8", rules="document"),
    Bad("selu_backward", (f4(*[1] * 9),) * 2, INVALID, "grad_output has 9 dimensions", rules="document"),
    Bad("selu_backward", (f4(0), f4(0)), INVALID, "result is empty (shape (0,))", rules="document"),
    # GELU
    Bad("gelu", (None,), NULL, "self is None; it is required"),
    Bad("gelu_backward", (A, A), INVALID, "grad_input has shape (4,), but grad_output has", {"out": f4(4)}),
    Bad("gelu", (A,), NULL, "approximate is None; it is required", {"approximate": None}),
    Bad("gelu", (of("i4", 3),), DTYPE, "self is int32; supported: "),
    Bad("gelu", (A,), DTYPE, "out is int8, to which the result (float32) cannot", {"out": of("i1", 3, 4)}),
    Bad("gelu", (A,), INVALID, "out has shape (3, 5), but self has (3, 4)", {"out": f4(3, 5)}),
    Bad(
        "gelu", (A,), INVALID,
        "approximate is 'erf'; it must be one of 'none' (0), 'tanh' (1)", {"approximate": "erf"},
    ),
    Bad("gelu", (A,), INVALID, "approximate is 2; it must be one of", {"approximate": 2}),
    Bad("gelu", (A,), INVALID, "approximate is -1; it must be one of", {"approximate": -1}),
    Bad("gelu_backward", (A, None), NULL, "self is None; it is required"),
    Bad("gelu_backward", (A, of("f2", 3, 4)), DTYPE, "self is float16, but grad_output is float32"),
    Bad("gelu_backward", (A, f4(3, 1)), INVALID, "self has shape (3, 1), but grad_output has (3, 4)"),
    Bad("gelu_backward", (A, A), INVALID, "approximate is 'Tanh'", {"approximate": "Tanh"}),
    # LeakyReLU
    Bad("leaky_relu", (None,), NULL, "self is None; it is required"),
    Bad("leaky_relu", (A,), NULL, "negative_slope is None; it is required", {"negative_slope": None}),
    Bad("leaky_relu", (A,), UNSUPPORTED, "not available on Ascend310P", product="Ascend310P"),
    Bad("leaky_relu", (of("i8", 3),), DTYPE, "self is int64; supported: "),
    Bad("leaky_relu", (BF16,), DTYPE, "self is bfloat16; supported on Ascend910: ", product="Ascend910"),
    Bad("leaky_relu", (A,), DTYPE, "negative_slope is complex", {"negative_slope": 0j}),
    Bad("leaky_relu", (A,), DTYPE, "out is int16, to which the result (float32) cannot", {"out": of("i2", 3, 4)}),
    Bad("leaky_relu", (A,), INVALID, "out has shape (3, 4, 1), but self has (3, 4)", {"out": f4(3, 4, 1)}),
    Bad("leaky_relu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", product="Ascend950"),
    # LeakyReLU backward
    Bad("leaky_relu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("leaky_relu_backward", (A, None), NULL, "self is None; it is required"),
    Bad("leaky_relu_backward", (A, A), NULL, "negative_slope is None; it is required", {"negative_slope": None}),
    Bad("leaky_relu_backward", (A, A), NULL, "self_is_result is None; it is required", {"self_is_result": None}),
    Bad("leaky_relu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("leaky_relu_backward", (of("i4", 3), f4(3)), DTYPE, "grad_output is int32; supported: "),
    Bad("leaky_relu_backward", (f4(3), of("i4", 3)), DTYPE, "self is int32; supported: "),
    Bad("leaky_relu_backward", (A, BF16), DTYPE, "self is bfloat16; supported on Ascend310P: ", product="Ascend310P"),
    Bad("leaky_relu_backward", (A, A), DTYPE, "negative_slope is complex", {"negative_slope": 1j}),
    Bad(
        "leaky_relu_backward", (A, of("f8", 3, 4)), DTYPE,
        "out is int8, to which the result (float64)", {"out": of("i1", 3, 4)},
    ),
    Bad(
        "leaky_relu_backward", (f4(3), f4(4)), INVALID,
        "self has shape (4,), but grad_output has (3,); they cannot be broadcast",
    ),
    Bad("leaky_relu_backward", (f4(0), f4(2)), INVALID, "they cannot be broadcast together"),
    Bad(
        "leaky_relu_backward", (f4(3, 1), f4(4)), INVALID,
        "out has shape (4,), but the result has (3, 4)", {"out": f4(4)},
    ),
    Bad("leaky_relu_backward", (f4(*[1] * 9), f4(1)), INVALID, "grad_output has 9 dimensions", product="Ascend910B"),
    Bad("leaky_relu_backward", (f4(1), f4(*[1] * 9)), INVALID, "self has 9 dimensions", product="Ascend910B"),
    Bad(
        "leaky_relu_backward", (A, A), INVALID, "needs negative_slope >= 0 when self_is_result; got negative_slope=-0",
        {"negative_slope": -0.5, "self_is_result": True},
    ),
    # GeGLU
    Bad("geglu", (None,), NULL, "self is None; it is required"),
    Bad("geglu", (PACKED,), NULL, "dim is None; it is required", {"dim": None}),
    Bad("geglu", (PACKED,), NULL, "activate_left is None; it is required", {"activate_left": None}),
    Bad("geglu", (PACKED,), UNSUPPORTED, "not available on Ascend910 ", product="Ascend910"),
    Bad("geglu", (PACKED,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("geglu", (of("i4", 8),), DTYPE, "self is int32; supported: "),
    Bad("geglu", (of("f8", 8),), DTYPE, "self is float64; supported on Ascend910B: ", product="Ascend910B"),
    Bad(
        "geglu", (of(BFLOAT16, 8),), DTYPE,
        "self is bfloat16; supported on Ascend310P: ", {"approximate": 1}, "Ascend310P",
    ),
    Bad("geglu", (PACKED,), DTYPE, "out is float16, but self is float32", {"out": (of("f2", 3, 4), HALF)}),
    Bad("geglu", (PACKED,), DTYPE, "gelu is float16, but self is float32", {"out": (HALF, of("f2", 3, 4))}),
    Bad("geglu", (PACKED,), INVALID, "dim is 2; it must lie in [-2, 1]", {"dim": 2}),
    Bad("geglu", (PACKED,), INVALID, "dim is -3; it must lie in [-2, 1]", {"dim": -3}),
    Bad("geglu", (f4(),), INVALID, "self has no dimension to halve (shape ())"),
    Bad("geglu", (f4(3, 7),), INVALID, "self has odd size 7 in dimension -1 (shape (3, 7))"),
    Bad("geglu", (PACKED,), INVALID, "self has odd size 3 in dimension 0", {"dim": 0}),
    Bad("geglu", (PACKED,), INVALID, "out has size 8 in dimension -1, but half of self", {"out": (f4(3, 8), HALF)}),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has size 3 in dimension -1, but half", {"out": (HALF, f4(4, 3))}),
    Bad(
        "geglu", (PACKED,), INVALID,
        "out has 1 dimensions (shape (4,)), but self has 2", {"out": (f4(4), HALF)},
    ),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has 1 dimensions (shape (4,))", {"out": (HALF, f4(4))}),
    Bad("geglu", (PACKED,), INVALID, "out has shape (1, 4), but half of self along", {"out": (f4(1, 4), HALF)}),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has shape (1, 4), but half of self", {"out": (HALF, f4(1, 4))}),
    Bad("geglu", (f4(*[2] * 9),), INVALID, "self has 9 dimensions", product="Ascend910B"),
    Bad("geglu", (f4(*[2] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("geglu", (PACKED,), INVALID, "approximate is 7; it must be one of 'none' (0), 'tanh' (1)", {"approximate": 7}),
    Bad("geglu", (PACKED,), INVALID, "needs approximate='tanh' on Ascend310P; got ", {}, "Ascend310P"),
    # GeGLU backward
    Bad("geglu_backward", (None, PACKED, HALF), NULL, "grad_output is None; it is required"),
    Bad("geglu_backward", (HALF, None, HALF), NULL, "self is None; it is required"),
    Bad("geglu_backward", (HALF,), NULL, "self is None; it is required"),
    Bad("geglu_backward", (HALF, PACKED), UNSUPPORTED, "not available on Ascend910 ", product="Ascend910"),
    Bad("geglu_backward", (of("i4", 3), of("i4", 6)), DTYPE, "grad_output is int32; supported: "),
    Bad("geglu_backward", (HALF, of("f2", 3, 8)), DTYPE, "self is float16, but grad_output is float32"),
    Bad("geglu_backward", (HALF, PACKED, of("f2", 3, 4)), DTYPE, "gelu is float16, but grad_output is float32"),
    Bad("geglu_backward", (HALF, PACKED), DTYPE, "grad_input is float64, but grad_output", {"out": of("f8", 3, 8)}),
    Bad("geglu_backward", (HALF, PACKED, PACKED), INVALID, "gelu has shape (3, 8), but grad_output has (3, 4)"),
    Bad(
        "geglu_backward", (HALF, PACKED), INVALID,
        "grad_input has shape (3, 4), but self has (3, 8)", {"out": f4(3, 4)},
    ),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "dim is 2; it must lie in [-2, 1]", {"dim": 2}),
    Bad("geglu_backward", (f4(), f4()), INVALID, "self has no dimension to halve"),
    Bad("geglu_backward", (f4(3, 4), f4(3, 9)), INVALID, "self has odd size 9 in dimension -1"),
    Bad(
        "geglu_backward", (f4(12), PACKED), INVALID,
        "grad_output has 1 dimensions (shape (12,)), but self has 2",
    ),
    Bad("geglu_backward", (f4(3, 5), PACKED), INVALID, "grad_output has shape (3, 5), but half of self"),
    Bad("geglu_backward", (f4(1, 4), PACKED), INVALID, "grad_output has shape (1, 4), but half of self"),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "approximate is 2; it must be one of", {"approximate": 2}),
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


STATUS = {
    NULL: 161001,
    INVALID: 161002,
    DTYPE: 161002,
    CALL: 161002,
    UNSUPPORTED: 561103,
    actgrad.BackendUnavailable: 561003,
}


def good_output(operator: actgrad.Operator, tensors: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An output as the call would have it, were its fault mended; what no output fits gets any."""
    given = [t for t in tensors if isinstance(t, np.ndarray)] or [A]
    if operator.layout != GATED:
        return np.empty(given[0].shape, given[0].dtype)
    if operator.gradient_of is not None:
        return np.empty(given[min(1, len(given) - 1)].shape, given[0].dtype)
    shape = list(given[0].shape) or [1]
    shape[(attributes.get("dim") or -1) % len(shape)] //= 2
    return np.empty(shape, given[0].dtype), np.empty(shape, given[0].dtype)


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_call(bad: Bad) -> None:
    operator = actgrad.operators[bad.operator]
    given = bad.attributes.get("out")
    out = good_output(operator, bad.tensors, bad.attributes) if given is None else given
    for array in testing.as_tuple(out):
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
    for array in testing.as_tuple(out):
        assert (array.reshape(-1).view(np.uint8) == SENTINEL).all()


def test_every_rule_is_broken_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = set()

    def run(call: checks.Call, early: bool = False) -> None:
        for check in call.operator.checks:
            if early and check.error not in checks.EARLY:
                break
            if check.when.applies(call.terms) and check.test(call) is not None:
                broken.add((call.operator.name, check))
                raise check.error("seen")

    monkeypatch.setattr(checks, "run", run)
    for bad in BAD:
        with contextlib.suppress(actgrad.ActgradError), judged(bad.product, bad.rules):
            actgrad.operators[bad.operator](*bad.tensors, **bad.attributes)
    left_out = [
        f"{operator.name}: {check.rule}"
        for operator in OPERATORS
        for check in operator.checks
        if operator.name in {bad.operator for bad in BAD}
        and (operator.name, check) not in broken
        and not (check.error is UNSUPPORTED and len(operator.products) == len(ALL))
        and check.when is not checks.When.TYPED  # those of the C interface
    ]
    # What is left out says of one more argument or operator what the table shows of another.
    patterns = (
        "is not null",
        "can be converted",
        "has a supported dtype",
        "has the shape of the result",
        "to 8 dimensions",
        "has format ND",  # Python's arrays have no format
    )
    assert [rule for rule in left_out if not any(p in rule for p in patterns)] == []


# The order: null, product, dtype, shape, value

STAGES = ["null", "product", "dtype", "shape", "value"]
ERRORS = {"null": NULL, "product": UNSUPPORTED, "dtype": DTYPE, "shape": INVALID, "value": INVALID}


def faulty(operator: actgrad.Operator, faults: set[str]) -> tuple[list[Any], dict[str, Any], str]:
    """A call with these faults at once: its tensors, attributes and product."""
    dtype = "uint8" if "dtype" in faults else "float32"
    tensors: list[Any] = [np.ones(shape, dtype) for shape in input_shapes(operator, (3, 4)).values()]
    attributes: dict[str, Any] = {}
    if "shape" in faults:
        attributes["out"] = tuple(f4(7) for _ in operator.schema.outputs)
        attributes["out"] = attributes["out"] if len(operator.schema.outputs) > 1 else attributes["out"][0]
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
    missing = [name for name in products.BY_NAME if name not in operator.products]
    return tensors, attributes, missing[0] if "product" in faults else ""


def faults_of(operator: actgrad.Operator) -> list[str]:
    has_value = bool(operator.choices or operator.requires)
    has_product = len(operator.products) < len(products.BY_NAME)
    return [s for s in STAGES if (s != "value" or has_value) and (s != "product" or has_product)]


#: Of the operators in the table above; what others require is not known here.
PAIRS = [
    (operator, first, second)
    for operator in OPERATORS
    if operator.name in {bad.operator for bad in BAD}
    for k, first in enumerate(faults_of(operator))
    for second in faults_of(operator)[k + 1 :]
]


@pytest.mark.parametrize(("operator", "first", "second"), PAIRS, ids=lambda v: getattr(v, "name", v))
def test_the_earlier_stage_wins(operator: actgrad.Operator, first: str, second: str) -> None:
    messages = []
    for faults in ({first}, {first, second}):
        tensors, attributes, product = faulty(operator, faults)
        with pytest.raises(actgrad.ActgradError) as caught, judged(product):
            operator(*tensors, **attributes)
        assert caught.type is ERRORS[first]
        messages.append(str(caught.value))
    # The second fault alone is one, else the pair would show nothing.
    tensors, attributes, product = faulty(operator, {second})
    with pytest.raises(ERRORS[second]), judged(product):
        operator(*tensors, **attributes)


def test_null_wins_over_everything_that_an_array_may_be() -> None:
    for other in ("nonsense", 5, np.ma.masked_invalid(A), A.astype(">f4"), A.astype(object)):
        for tensors in ((None, other), (other, None)):
            with pytest.raises(actgrad.NullArgument):
                actgrad.elu_backward(*tensors)


def test_first_null_in_the_order_of_the_schema() -> None:
    with pytest.raises(actgrad.NullArgument, match=r"^elu_backward: grad_output is None"):
        actgrad.elu_backward(None, None, alpha=None)
    with pytest.raises(actgrad.NullArgument, match=r"^elu_backward: alpha is None"):
        actgrad.elu_backward(A, None, alpha=None, scale=None)
    with pytest.raises(actgrad.NullArgument, match=r"^elu_backward: is_result is None"):
        actgrad.elu_backward(A, None, is_result=None)


# Products

ALL = ("Ascend950", "Ascend910_93", "Ascend910B", "Ascend310B", "Ascend310P", "Ascend910")
NUMPY_DTYPES = [name for name in BY_NAME if name != "complex32"]
WITH_BFLOAT16 = ("Ascend950", "Ascend910_93", "Ascend910B")

#: Which product has which operator, as the documents' tables say: 950, A3, A2, 310B, 310P, 910.
MATRIX = {
    "elu": "yes yes yes - yes yes",
    "elu_backward": "yes yes yes - yes yes",
    "selu": "yes yes yes - - yes",
    "selu_backward": "yes yes yes - yes yes",
    "leaky_relu": "yes yes yes - - yes",
    "leaky_relu_backward": "yes yes yes - yes yes",
    "geglu": "yes yes yes - yes -",
    "geglu_backward": "yes yes yes - yes -",
}

#: The dtypes that the operators take; bfloat16 only where a product has it, but ELU's forward pass everywhere.
DTYPES = {
    "elu": "float32 float16 float64 bfloat16",
    "elu_backward": "float32 float16 bfloat16",
    "selu": "float32 float16 int32 int8 bfloat16",
    "selu_backward": "float32 float16 int32 int8 bfloat16",
    "leaky_relu": "float32 float16 float64 bfloat16",
    "leaky_relu_backward": "float32 float16 float64 bfloat16",
    "geglu": "float32 float16 bfloat16",
    "geglu_backward": "float32 float16 bfloat16",
}


@pytest.mark.parametrize("product", ALL)
@pytest.mark.parametrize("name", MATRIX)
def test_products_matrix(name: str, product: str) -> None:
    operator = actgrad.operators[name]
    has_it = MATRIX[name].split()[ALL.index(product)] == "yes"
    attributes = {"approximate": "tanh"} if operator.choices else {}
    for dtype in NUMPY_DTYPES:
        tensors = [np.ones(s, BY_NAME[dtype].numpy) for s in input_shapes(operator, (2, 3)).values()]
        taken = dtype in DTYPES[name].split() and (dtype != "bfloat16" or product in WITH_BFLOAT16 or name == "elu")
        with actgrad.product(product):
            if has_it and taken:
                testing.as_tuple(operator(*tensors, **attributes))
            else:
                with pytest.raises(actgrad.InvalidDtype if has_it else actgrad.UnsupportedOnProduct) as caught:
                    operator(*tensors, **attributes)
                assert product in str(caught.value)


def test_every_product_is_in_the_matrix() -> None:
    assert tuple(products.BY_NAME) == ALL
    assert products.DEFAULT.name == "Ascend910B"
    assert {name for name, operator in actgrad.operators.items() if operator.aclnn} == set(MATRIX)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_without_a_product_every_floating_dtype(operator: actgrad.Operator) -> None:
    takes = set()
    for dtype in NUMPY_DTYPES:
        tensors = [np.ones(s, BY_NAME[dtype].numpy) for s in input_shapes(operator, (2, 3)).values()]
        with contextlib.suppress(actgrad.InvalidDtype):
            operator(*tensors)
            takes.add(dtype)
    integers = {"int8", "int32"} if operator.name.startswith("selu") else set()
    assert takes == {"float16", "bfloat16", "float32", "float64"} | integers


def test_rank_without_a_product() -> None:
    for operator in OPERATORS:
        result = operator(*inputs(np.random.default_rng(0), operator, (1,) * 9).values())
        assert all(array.ndim == 9 for array in testing.as_tuple(result))


def test_rank_where_the_operator_sets_no_limit() -> None:
    """SELU and GeGLU's gradient take more than 8 dimensions also where a product judges."""
    for name in ("selu", "selu_backward", "geglu_backward"):
        operator = actgrad.operators[name]
        with actgrad.product("Ascend910B"):
            operator(*inputs(np.random.default_rng(0), operator, (1,) * 9).values())


def test_selu_at_zero_depends_on_the_product() -> None:
    g, y = f4(3), np.float32([0.0, -0.0, np.nan])
    scale, negative = np.float32(1.0507009873554805), np.float32(1.7580993408473766)
    for product in ("", *ALL):
        if product == "Ascend310B":
            continue
        with judged(product):
            got = actgrad.selu_backward(g, y)
        assert list(got[:2]) == [negative if product == "Ascend950" else scale] * 2
        assert np.isnan(got[2])


def test_products_nest() -> None:
    with actgrad.product("Ascend310P") as outer:
        assert outer.name == "Ascend310P"
        with actgrad.product("Ascend910B"):
            actgrad.geglu(PACKED)
        with pytest.raises(actgrad.InvalidArgument, match=r"approximate='tanh' on Ascend310P"):
            actgrad.geglu(PACKED)
    actgrad.geglu(PACKED)


def test_a_product_holds_for_its_own_context_only() -> None:
    seen: list[Any] = []

    def other_thread() -> None:
        seen.append(products.chosen())

    with actgrad.product("Ascend310B"):
        thread = threading.Thread(target=other_thread)
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize("name", ["", "ascend910b", "A2", "Ascend910B1", None, 910])
def test_unknown_product(name: Any) -> None:
    with (
        pytest.raises(actgrad.InvalidArgument, match=r"known: Ascend950, Ascend910_93, Ascend910B, Ascend310B"),
        actgrad.product(name),
    ):
        raise AssertionError("entered")


@pytest.mark.parametrize("name", ["", "documents", None])
def test_unknown_rules(name: Any) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=r"known: operator, document"), actgrad.rules(name):
        raise AssertionError("entered")


ENVIRONMENT = """
import numpy as np, actgrad
for call, tensor in ((actgrad.elu, np.ones(3)), (actgrad.selu_backward, np.ones(())), (actgrad.elu, np.ones(3, "f4"))):
    try:
        call(*[tensor.astype("f4")] * len(call.schema.tensors))
        print("ok", end=" ")
    except actgrad.ActgradError as error:
        print(error.status, str(error).split(";")[0], end=" | ")
"""


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("ACTGRAD_PRODUCT", "Ascend310B", "561103 elu: not available on Ascend310B"),
        ("ACTGRAD_PRODUCT", "", "ok ok ok"),
        ("ACTGRAD_PRODUCT", "Ascend910B", "ok ok ok"),
        ("ACTGRAD_PRODUCT", "nonsense", "161002 ACTGRAD_PRODUCT is 'nonsense'"),
        ("ACTGRAD_RULES", "document", "ok 161002 selu_backward: grad_output has 0 dimensions"),
        ("ACTGRAD_RULES", "operator", "ok ok ok"),
        ("ACTGRAD_RULES", "nonsense", "161002 ACTGRAD_RULES is 'nonsense'"),
        ("ACTGRAD_CPU", "nonsense", "161002 ACTGRAD_CPU is 'nonsense'"),
    ],
)
def test_environment(variable: str, value: str, expected: str) -> None:
    assert run_script(ENVIRONMENT, **{variable: value}).startswith(expected)


# The documents' letter


def test_document_rules() -> None:
    """What only the documents forbid is computed otherwise."""
    cases: list[Callable[[], Any]] = [
        lambda: actgrad.selu_backward(f4(), f4()),
        lambda: actgrad.selu_backward(f4(0), f4(0)),
        lambda: actgrad.selu_backward(f4(*[1] * 9), f4(*[1] * 9)),
        lambda: actgrad.elu(A, out=of("c8", 3, 4)),
        lambda: actgrad.elu_backward(A, A, out=of("c16", 3, 4)),
        lambda: actgrad.leaky_relu(A, out=of("c8", 3, 4)),
        lambda: actgrad.leaky_relu_backward(A, A, out=of("c8", 3, 4)),
        lambda: actgrad.geglu_backward(f4(*[1] * 9), f4(*[1] * 8, 2)),
    ]
    for case in cases:
        case()
        with actgrad.rules("document"), pytest.raises(actgrad.InvalidArgument) as caught:
            case()
        assert caught.value.status == 161002
        with actgrad.rules("document"), actgrad.rules("operator"):
            case()


# Calls that are no calls

WRONG_CALLS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: actgrad.elu(A, A),
        r"elu: takes 1 tensor by position \(self\), got 2; attributes go by name: alpha, ",
    ),
    (lambda: actgrad.elu(A, 1.0), "elu: takes 1 tensor by position"),
    (lambda: actgrad.selu(A, A), "selu: takes 1 tensor by position .* it has none"),
    (lambda: actgrad.elu_backward(A, A, 1.0), "elu_backward: takes 2 tensors by position"),
    (lambda: actgrad.elu(A, beta=1), "elu: beta is unknown; it takes self, alpha, scale, input_scale"),
    (lambda: actgrad.selu(A, alpha=1), "selu: alpha is unknown; it takes self"),
    (lambda: actgrad.elu_backward(A, A, grad_output=A), "elu_backward: grad_output is given twice"),
    (lambda: actgrad.elu(A, alpha="1"), "elu: alpha is a str; it must be a number"),
    (lambda: actgrad.elu(A, alpha=[1.0]), "elu: alpha is a list; it must be a number"),
    (lambda: actgrad.elu(A, alpha=A), "elu: alpha is a ndarray; it must be a number"),
    (lambda: actgrad.elu(A, alpha=f4()), "elu: alpha is a ndarray; it must be a number"),
    (lambda: actgrad.elu_backward(A, A, is_result=2), "elu_backward: is_result is 2; it must be True or False"),
    (lambda: actgrad.elu_backward(A, A, is_result="yes"), "elu_backward: is_result is 'yes'; it must be True or False"),
    (lambda: actgrad.elu_backward(A, A, is_result=1.0), "elu_backward: is_result is 1.0; it must be True or False"),
    (lambda: actgrad.geglu(PACKED, dim=1.0), "geglu: dim is 1.0; it must be an integer"),
    (lambda: actgrad.geglu(PACKED, dim=True), "geglu: dim is True; it must be an integer"),
    (lambda: actgrad.geglu(PACKED, dim="last"), "geglu: dim is 'last'; it must be an integer"),
    (lambda: actgrad.geglu(PACKED, dim=PACKED), "geglu: dim is a ndarray; it must be an integer"),
    (
        lambda: actgrad.geglu(PACKED, approximate=1.0),
        "geglu: approximate is 1.0; it must be an integer or one of 'none', 'tanh'",
    ),
    (lambda: actgrad.geglu(PACKED, out=HALF), r"geglu: out must be a tuple \(out, out_gelu\), got a ndarray"),
    (lambda: actgrad.geglu(PACKED, out=(HALF,)), r"geglu: out must be a tuple \(out, out_gelu\), got "),
    (lambda: actgrad.geglu(PACKED, out=(HALF, HALF, HALF)), r"geglu: out must be a tuple \(out, out_gelu\), got "),
    (lambda: actgrad.elu(A, out=(f4(3, 4),)), "elu: out is a tuple; it must be a NumPy array"),
    (lambda: actgrad.elu(A, out=0.0), "elu: out is a float; it must be a NumPy array"),
    (lambda: actgrad.elu(A, backend="gpu"), "elu: backend is 'gpu'; known: cpu, reference, triton"),
    (lambda: actgrad.elu(A, backend=3), "elu: backend is 3; known: cpu, reference, triton"),
    (lambda: actgrad.elu(A, backend=["cpu"]), "elu: backend is "),
    (lambda: actgrad.elu(A, backend=""), "elu: backend is ''; known: "),
]


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS, ids=[m[:50] for _, m in WRONG_CALLS])
def test_wrong_calls(call: Callable[[], Any], message: str) -> None:
    for _ in range(2):  # what follows must not pass for a call like these
        actgrad.elu(A)
        actgrad.elu(A, out=f4(3, 4))
        actgrad.geglu(PACKED, out=(f4(3, 4), f4(3, 4)))
    with pytest.raises(actgrad.InvalidCall, match=rf"^{message}") as caught:
        call()
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.status == 161002


def test_backend_for_another_device() -> None:
    with pytest.raises(
        actgrad.BackendUnavailable, match=r"^elu: backend 'triton' computes on cuda and rocm, but .* cpu"
    ):
        actgrad.elu(A, backend="triton")


def test_tensors_by_name() -> None:
    """As the signature says."""
    x = np.linspace(-2, 2, 5, dtype=np.float32)
    assert np.array_equal(actgrad.elu(self=x), actgrad.elu(x))
    assert np.array_equal(actgrad.elu.plan(self=x).run(), actgrad.elu(x))
    assert np.array_equal(actgrad.elu_backward(x, self_or_result=x), actgrad.elu_backward(x, x))
    assert np.array_equal(actgrad.elu_backward(self_or_result=x, grad_output=2 * x), actgrad.elu_backward(2 * x, x))
    packed = np.linspace(-2, 2, 10, dtype=np.float32)
    assert np.array_equal(actgrad.geglu_backward(x, packed, gelu=None), actgrad.geglu_backward(x, packed))
    assert np.array_equal(actgrad.geglu_backward(x, gelu=x, self=packed), actgrad.geglu_backward(x, packed, x))


# Attributes in the kinds that a caller has them in

NUMBERS = [2, 2.0, np.float16(2), np.float32(2), np.float64(2), np.int8(2), np.uint64(2), BFLOAT16.type(2), Fraction(2)]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda v: type(v).__name__)
def test_kinds_of_numbers(number: Any) -> None:
    x = np.linspace(-2, 2, 9, dtype=np.float32)
    assert np.array_equal(actgrad.elu(x, alpha=number), actgrad.elu(x, alpha=2.0))


@pytest.mark.parametrize("true", [True, np.True_, 1, np.int32(1)])
def test_kinds_of_truth(true: Any) -> None:
    assert np.array_equal(actgrad.elu(A, alpha=true), actgrad.elu(A, alpha=1.0))
    expected = actgrad.elu_backward(A, -A, is_result=True)
    assert np.array_equal(actgrad.elu_backward(A, -A, is_result=true), expected)


@pytest.mark.parametrize("one", [1, np.int64(1), np.uint8(1), np.asarray(1)])
def test_kinds_of_integers(one: Any) -> None:
    x = np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4)
    for got, wanted in zip(actgrad.geglu(x, dim=one * 2), actgrad.geglu(x, dim=2), strict=True):
        assert np.array_equal(got, wanted)
    assert np.array_equal(actgrad.gelu(x, approximate=one), actgrad.gelu(x, approximate="tanh"))


def test_extreme_attributes() -> None:
    """Numbers of any size are numbers: too large for the compute dtype is infinity there."""
    x = np.float32([-1, 0, 1])
    for huge in (10**400, 1e300, np.inf):
        assert np.array_equal(actgrad.elu(x, alpha=huge), np.float32([-np.inf, np.nan, 1]), equal_nan=True)
    assert np.array_equal(actgrad.elu(x, alpha=-(10**400)), np.float32([np.inf, np.nan, 1]), equal_nan=True)
    assert np.isnan(actgrad.elu(x, alpha=np.nan)[0])
    for passing in (-0.0, np.nan, 0, False):
        actgrad.elu_backward(x, x, alpha=passing, is_result=True)
        actgrad.leaky_relu_backward(x, x, negative_slope=passing, self_is_result=True)
    for negative in (-1e-300, -5e-324):
        with pytest.raises(actgrad.InvalidArgument):
            actgrad.leaky_relu_backward(x, x, negative_slope=negative, self_is_result=True)


def test_flags_that_need_no_sign_do_not_look_at_it() -> None:
    x = np.float32([-1, 0, 1])
    assert np.isfinite(actgrad.elu_backward(x, x, alpha=-2, is_result=False)).all()
    assert np.isfinite(actgrad.elu_backward(x, x, scale=-2, input_scale=-1, is_result=True)).all()
    assert np.isfinite(actgrad.leaky_relu_backward(x, x, negative_slope=-2)).all()


# The tree of errors


def test_error_tree() -> None:
    for error, bases, status in [
        (actgrad.ActgradError, (Exception,), 561000),
        (actgrad.NullArgument, (actgrad.ActgradError, TypeError), 161001),
        (actgrad.InvalidArgument, (actgrad.ActgradError, ValueError), 161002),
        (actgrad.InvalidDtype, (actgrad.InvalidArgument, TypeError), 161002),
        (actgrad.InvalidCall, (actgrad.InvalidArgument, TypeError), 161002),
        (actgrad.UnsupportedOnProduct, (actgrad.ActgradError,), 561103),
        (actgrad.BackendUnavailable, (actgrad.ActgradError, ImportError), 561003),
    ]:
        assert error.status == status
        assert all(issubclass(error, base) for base in bases)
