"""Every check of every aclnn function broken once alone, and every two together: status, message, nothing written."""

from __future__ import annotations

import itertools
import math
import os
import re
from typing import Any

import numpy as np
import pytest

from actgrad import aclnn
from tests.support.aclnn.breakers import Changes, breakers, shaped
from tests.support.aclnn.checks import (
    EXISTS,
    INVALID,
    NO_KERNEL,
    NULL,
    PRODUCTS,
    SUCCESS,
    TILING,
    Row,
    listed,
    precedes,
)
from tests.support.aclnn.formulas import formula
from tests.support.aclnn.functions import FUNCTIONS, FURTHER, INPUTS, OUTPUTS, UNREAD, good, tensors
from tests.support.aclnn.live_calls import Live, functional
from tests.support.aclnn.model import faults, rows, status
from tests.support.aclnn.values import OTHERS, Call, Scalar, Tensor
from tests.support.calls import same_bits

pytestmark = pytest.mark.share(16)

LAYOUT = re.compile(
    r"\[PID: (?P<pid>\d+)\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} "
    r"(?P<title>AclNN_Parameter_Error\(EZ1001\)|AclNN_Inner_Error\(EZ9999\)): (?P<function>\w+): (?P<text>.+)",
    re.DOTALL,
)
#: Ascend910_93 has the rows of Ascend910B, and but for two functions Ascend950 too.
DIFFERENT = ("Ascend910B", "Ascend310B", "Ascend310P", "Ascend910")
OF_950 = ("aclnnSiluBackward", "aclnnThresholdBackward")
FORMULAS = {"FLOAT": 1e-6, "DOUBLE": 1e-14}
SITUATIONS = [(f, p, document) for f in FUNCTIONS for p in PRODUCTS for document in (False, True)]


def with_quick(situations: list[Any], *products: str) -> list[Any]:
    """The situations as parameters; those of other products than these are slow."""
    return [pytest.param(*s, marks=() if s[1] in products else pytest.mark.slow) for s in situations]


def first_ones(call: Call) -> list[Row]:
    """The faults that may be reported: those that no other one certainly precedes."""
    wrong, order = faults(call), rows(call.function)
    return [row for row in wrong if not any(precedes(other, row, order) for other in wrong if other is not row)]


def call_first(call: Call) -> tuple[int, str]:
    """Status and message of phase one, after a look at all that a failure promises besides."""
    live = Live(call)
    with live.judged():
        answer = live.first()
    assert live.is_unchanged(), call
    message = aclnn.aclGetRecentErrMsg()
    assert aclnn.aclGetRecentErrMsg() is None
    code, size, executor = answer
    assert size == 0
    if code == SUCCESS:
        assert executor is not None
        assert message is None
        assert aclnn.aclDestroyAclOpExecutor(executor) == SUCCESS
        return code, ""
    assert executor is None
    parts = LAYOUT.fullmatch(message)
    assert parts, message
    assert int(parts["pid"]) == os.getpid()
    assert ("EZ1001" in parts["title"]) == (code in (NULL, INVALID)), message
    assert parts["function"] in (call.function, f"{call.function}GetWorkspaceSize"), message
    return code, parts["text"]


def tells(text: str, row: Row) -> bool:
    """Whether a message says what a row demands."""
    return all(re.search(rf"\b{name}\b", text) for name in row.names) and re.search(row.says, text) is not None


@pytest.mark.parametrize(
    ("function", "product", "document"), with_quick(SITUATIONS, "Ascend950", "Ascend910B", "Ascend310P")
)
def test_each_check_alone(function: str, product: str, document: bool) -> None:
    ways = breakers(function, product, document)
    wrong = []
    for row, found in ways.items():
        if product not in EXISTS[function] and row.stage not in ("null", "product"):
            continue
        for change in found:
            call = good(function, product, document).but(change)
            code, text = call_first(call)
            if code != row.status or not any(tells(text, r) for r in first_ones(call)):
                wrong.append(f"{row.name} {change}: {code} {text!r}")
    assert not wrong, "\n".join(wrong)
    # And none was left out, but those that cannot be broken here or only behind another.
    assert {r.name for r in rows(function) if r not in ways} == unbreakable(function, product, document)


def unbreakable(function: str, product: str, document: bool) -> set[str]:
    """Rows that no call on a product can break first."""
    names = {row.name for row in rows(function)}
    left = names & {"product"} if product in EXISTS[function] else set()
    order, wrong = rows(function), faults(good(function, product, document))
    if wrong and wrong[0].stage != "product":  # a list of dtypes is empty here: nothing behind it can be first
        left |= {row.name for row in order[order.index(wrong[0]) + 1 :]}
    for row in rows(function):
        # By the document such a dtype may be in no list.
        listed_first = row.stage == "kernel" and document and f"{row.uses[0]} dtype in document" in names
        if product not in row.products or row.rules == ("operator" if document else "document") or listed_first:
            left.add(row.name)
    return left


@pytest.mark.parametrize(
    ("function", "product", "document"),
    with_quick([s for s in SITUATIONS if s[1] in DIFFERENT or s[0] in OF_950], "Ascend910B"),
)
def test_of_two_faults_the_earlier_is_reported(function: str, product: str, document: bool) -> None:
    ways = breakers(function, product, document)
    texts = {row: call_first(good(function, product, document).but(found[0]))[1] for row, found in ways.items()}
    order = rows(function)
    wrong, counts = [], {"told apart": 0, "same words": 0, "order open": 0, "contradictory": 0}
    for a, b in itertools.combinations(ways, 2):
        early, late = (a, b) if order.index(a) < order.index(b) else (b, a)
        if product not in EXISTS[function] and early.stage not in ("null", "product"):
            continue  # behind a third fault
        call = both(function, product, document, ways[early], ways[late], early, late)
        if call is None:  # only where both speak of the same argument, or of shapes, which hang together
            counts["contradictory"] += 1
            is_shapes = {early.stage, late.stage} <= {"shape", "value", None}
            assert is_shapes or set(early.uses) & set(late.uses), (early.name, late.name)
            continue
        code, text = call_first(call)
        allowed = first_ones(call)
        if code != status(call) or not any(tells(text, r) for r in allowed):
            wrong.append(f"{early.name} + {late.name}: {code} {text!r}, but {[r.name for r in allowed]}")
        if precedes(early, late, order) is None:
            counts["order open"] += 1
        else:
            counts["same words" if product in EXISTS[function] and tells(texts[late], early) else "told apart"] += 1
    assert not wrong, "\n".join(wrong)
    # Where the late fault's message would do for the early one, this proves less; it must stay rare.
    assert counts["same words"] <= 8, counts


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def both(
    function: str, product: str, document: bool, ways: list[Changes], others: list[Changes], a: Row, b: Row
) -> Call | None:
    """A call with two faults, and no other that would come first; None where each rules out the other."""
    best: Call | None = None
    for way, other, turned in itertools.product(ways, others, (False, True)):
        change = {**other, **way} if turned else {**way, **other}
        nulls = {path for path, value in change.items() if value is None}
        change = {path: v for path, v in change.items() if path in nulls or path.partition(".")[0] not in nulls}
        call = good(function, product, document).but(change)
        if any(t.strides and len(t.strides) != len(t.shape) for t in call.arguments.values() if is_tensor(t)):
            continue
        wrong = faults(call)
        if a in wrong and b in wrong and wrong[0] is a:
            if len(wrong) == 2:
                return call
            best = best or call
    return best


@pytest.mark.parametrize(
    ("function", "product", "document"),
    with_quick([s for s in SITUATIONS if s[1] in EXISTS[s[0]]], "Ascend950", "Ascend910B"),
)
@pytest.mark.share(24)
def test_good_calls_compute(function: str, product: str, document: bool) -> None:
    for dtype in listed(good(function, product)):
        for layout in (None, (1, 3), (200, 2)):
            call = good(function, product, document).but(
                {f"{n}.dtype": dtype for n in (*tensors(function), *FURTHER[function]) if not n.endswith("Optional")}
            )
            if faults(call):  # a dtype that the document lacks
                continue
            if layout:
                call = call.but({f"{n}.strides": layout for n in tensors(function) if len(call[n].shape) == 2})
                call = call.but({f"{n}.offset": 22 for n in tensors(function)})
            live = Live(call)
            with live.judged():
                code, size, executor = live.first()
                expected = functional(live)
            assert (code, size) == (SUCCESS, 0), aclnn.aclGetRecentErrMsg()
            assert live.is_unchanged()  # phase one computes nothing
            assert live.second(size, executor) == SUCCESS
            assert live.strays() == []
            for name, values in zip(OUTPUTS[function], expected, strict=True):
                assert same_bits(live.view(name), values), (call, live.view(name), values)


@pytest.mark.parametrize(("function", "dtype"), [(f, d) for f in FUNCTIONS for d in FORMULAS if d in listed(good(f))])
def test_numbers_against_formulas_in_double(function: str, dtype: str) -> None:
    call = good(function)
    changes: Changes = {f"{n}.dtype": dtype for n in tensors(function)}
    for name in FURTHER[function]:
        changes |= {name: None} if name.endswith("Optional") else {f"{name}.dtype": dtype}
    for flag in ("isResult", "activateLeft", "approximate", "approximateOptional", "linearBeta",
                 "interleaved", "clampMode", "dim"):  # fmt: skip
        if flag not in call.arguments:
            continue
        choices = ("none", "tanh") if isinstance(call[flag], str) else (0, 1)
        for value in {"approximate": choices, "approximateOptional": (None, "none", "tanh"), "dim": (1, 0),
                      "linearBeta": (0.0, -1.0, 0.5), "clampMode": (0, 1)}.get(flag, (False, True)):  # fmt: skip
            if flag == "dim" and value == 0:
                changes |= {f"{n}.shape": (1, 4) for n in tensors(function) if call[n].shape == (2, 2)}
            check_against_formula(call.but({**changes, flag: value}), FORMULAS[dtype])
    if "dim" not in call.arguments:
        check_against_formula(call.but(changes), FORMULAS[dtype])


def check_against_formula(call: Call, tolerance: float) -> None:
    live, rng = Live(call), np.random.default_rng(7)
    for name in INPUTS[call.function]:
        live.view(name)[...] = rng.normal(0, 1.5, call[name].shape)
    names = (*INPUTS[call.function], *(n for n in FURTHER[call.function] if n == "threshold"))
    given = [live.view(name).astype(np.float64) for name in names]
    code, size, executor = live.first()
    assert code == SUCCESS
    assert live.second(size, executor) == SUCCESS
    for name, values in zip(OUTPUTS[call.function], formula(call, given), strict=True):
        np.testing.assert_allclose(live.view(name), values, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if any(r.name.endswith(" kernel") for r in rows(f))])
def test_an_empty_call_needs_no_kernel(function: str) -> None:
    (out,) = OUTPUTS[function]
    for dtype in OTHERS:
        for shape, expected in (((0, 4), SUCCESS), ((2, 4), NO_KERNEL)):
            call = good(function).but({**shaped(function, shape), f"{out}.dtype": dtype})
            assert call_first(call)[0] == status(call) == expected, (dtype, shape)


def test_arrays_and_numbers_may_be_passed_directly() -> None:
    x, out = np.array([-1.0, 2.0], np.float32), np.zeros(2, np.float32)
    code, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, 0.5, out)
    assert (code, size) == (SUCCESS, 0)
    assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == SUCCESS
    assert out.tolist() == [-0.5, 2.0]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_whatever_is_passed_nothing_is_raised(function: str) -> None:
    junk = [
        object(),
        "x",
        b"",
        (),
        [1.0],
        {},
        1.5,
        -(2**70),
        math.nan,
        1j,
        np.float32,
        aclnn,
        np.zeros(3, np.uint64)[::-1],
        True,
    ]
    for position, name in enumerate(good(function).arguments):
        for value in junk:
            live = Live(good(function))
            live.arguments[position] = value
            code, size, executor = live.first()
            assert code in (SUCCESS, INVALID, NO_KERNEL, TILING, 561000), (name, value)
            assert (code == SUCCESS) == (executor is not None) == (aclnn.aclGetRecentErrMsg() is None)
            assert size == 0
            assert live.is_unchanged()
            is_number = isinstance(good(function)[name], (Scalar, int, float))
            assert is_number or code or name in UNREAD[function], f"{name} was {value!r}, no tensor of the right shape"
