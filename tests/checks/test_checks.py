"""Bad calls: the error's class, status and words, and that nothing was written."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import checks
from actgrad.ascend import products
from actgrad.ascend.rules.rule import When
from actgrad.conformance import oracle
from tests.support.bad_calls import ALL, BAD, DTYPE, INVALID, NULL, UNSUPPORTED, A, Bad, judged, of
from tests.support.calls import OPERATORS, input_shapes, inputs

SENTINEL = 0x5A

STATUS = {
    NULL: 161001,
    INVALID: 161002,
    DTYPE: 161002,
    UNSUPPORTED: 561103,
}


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


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_call(bad: Bad) -> None:
    operator = actgrad.operators[bad.operator]
    given = bad.attributes.get("out")
    out = good_output(operator, bad.tensors, bad.attributes) if given is None else given
    for array in oracle.as_tuple(out):
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
    for array in oracle.as_tuple(out):
        assert (array.reshape(-1).view(np.uint8) == SENTINEL).all()


def test_every_rule_is_broken_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = set()

    def run(call: checks.Call, early: bool = False) -> None:
        for check in checks.checks_under(call.definition, call.law):
            if early and check.error not in checks.EARLY:
                break
            if check.test(call) is not None:
                broken.add((call.definition.name, check))
                raise check.error("seen")

    monkeypatch.setattr(checks, "run", run)
    for bad in BAD:
        with contextlib.suppress(actgrad.ActgradError), judged(bad.product, bad.rules):
            actgrad.operators[bad.operator](*bad.tensors, **bad.attributes)
    left_out = [
        f"{operator.name}: {check.rule}"
        for operator in OPERATORS
        for check in {**dict.fromkeys(operator.checks), **dict.fromkeys(operator.law.rules)}
        if operator.name in {bad.operator for bad in BAD}
        and (operator.name, check) not in broken
        and not (check.error is UNSUPPORTED and len(operator.products) == len(ALL))
        and getattr(check, "when", None) is not When.TYPED  # those of the C interface
    ]
    # What is left out says of one more argument or operator what the table shows of another.
    patterns = (
        "is not null",
        "can be converted",
        "has a supported dtype",
        "has the shape of the result",
        "to 8 dimensions",
        "unless it is empty",  # floats of 8 bits, in tests/ops/test_float8.py
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
    assert messages[0] == messages[1]
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
