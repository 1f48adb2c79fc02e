"""Whose rules hold: the products, and the documents' letter."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.base import products
from actgrad.base.dtypes import BY_NAME
from actgrad.conformance import oracle
from tests.support.bad_calls import ALL, PACKED, A, f4, judged, of
from tests.support.calls import OPERATORS, ids, input_shapes, inputs, run_script

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
                oracle.as_tuple(operator(*tensors, **attributes))
            else:
                with pytest.raises(actgrad.InvalidDtype if has_it else actgrad.UnsupportedOnProduct) as caught:
                    operator(*tensors, **attributes)
                assert product in str(caught.value)


def test_every_product_is_in_the_matrix() -> None:
    assert tuple(products.BY_NAME) == ALL
    assert products.DEFAULT.name == "Ascend910B"
    named = {name for name, operator in actgrad.operators.items() if operator.aclnn and operator.products != ALL}
    generated = {name for name, operator in actgrad.operators.items() if operator.generated and operator.aclnn}
    assert named == set(MATRIX) | generated | {"gelu_quant"}  # its own test has its status


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
        assert all(array.ndim == 9 for array in oracle.as_tuple(result))


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
        seen.append(products.current())

    with actgrad.product("Ascend310B"):
        thread = threading.Thread(target=other_thread)
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize("name", ["", "ascend910b", "A2", "Ascend910C1", None, 910])
def test_unknown_product(name: Any) -> None:
    with (
        pytest.raises(actgrad.InvalidArgument, match=r"it must be Ascend950, Ascend910_93, Ascend910B, Ascend310B"),
        actgrad.product(name),
    ):
        raise AssertionError("entered")


@pytest.mark.parametrize("name", ["", "documents", None])
def test_unknown_rules(name: Any) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=r"it must be operator or document"), actgrad.rules(name):
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


CHIPS = {"Ascend910B3": "Ascend910B", "Ascend910_9391": "Ascend910_93", "Ascend950PR_9589": "Ascend950",
         "Ascend310P3": "Ascend310P", "Ascend310B1": "Ascend310B", "Ascend910A": "Ascend910",
         "Ascend910ProB": "Ascend910"}  # fmt: skip


def test_products_by_the_names_of_their_chips() -> None:
    """As aclrtGetSocName returns them."""
    for chip, name in CHIPS.items():
        with actgrad.product(chip) as chosen:
            assert chosen.name == name
    assert {products.of_chip(chip) for chip, _ in products.CHIPS.values()} == products.BY_NAME.keys()
    for name in products.BY_NAME:
        assert products.of_chip(name) == name
    for wrong in ("Ascend910C", "Ascend910B3 ", "ascend910b3"):
        with pytest.raises(actgrad.InvalidArgument, match="it must be "), actgrad.product(wrong):
            pass
