"""Numbers of dtypes (aclDataType) in attributes: all numbers, all operators with such an attribute, all entry points.

A number is computed, or the call is refused: with KernelMissing (561103) if CANN has the dtype, otherwise as CANN does.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, ir
from actgrad.base.dtypes import BY_NUMBER
from actgrad.base.errors import InvalidArgument, KernelMissing
from tests.support.sdk_programs import Sdk, needs_compiler, run

#: All numbers of CANN's acl_base.h, and numbers that it does not have.
NUMBERS = (*BY_NUMBER, 5, 14, 31, 42, 77, -2, 2**31, 2**40)
INT4, HIFLOAT8, E5M2, E4M3FN, FLOAT4 = 29, 34, 35, 36, (40, 41)


class Case(NamedTuple):
    """An operator, the numbers that it computes, and the further numbers that CANN's source takes."""

    operator: str
    graph: str
    computed: tuple[int, ...]
    known: tuple[int, ...]
    attributes: Mapping[str, Any] = MappingProxyType({})


ROWS = np.random.default_rng(5).normal(size=(4, 512)).astype(np.float16)
SCALE = np.ones(1, np.float16)
MX = {"quant_mode": 1, "round_scale": True}
CASES = (
    Case("static_gelu_quant", "", (2, E5M2, E4M3FN), (HIFLOAT8,)),
    Case("gelu_quant", "GeluQuant", (2, E5M2, E4M3FN), (HIFLOAT8,)),
    Case("dynamic_quant", "DynamicQuant", (2, E5M2, E4M3FN), (INT4, HIFLOAT8)),
    Case("dynamic_quant_asymmetric", "DynamicQuantV2", (2, E5M2, E4M3FN), (INT4, HIFLOAT8)),
    Case("swiglu_quant", "SwiGluQuant", (2,), (INT4,)),
    Case("swiglu_group_quant", "SwigluGroupQuant", (E5M2, E4M3FN), ()),
    Case("swiglu_group_quant", "SwigluGroupQuant", (E5M2, E4M3FN), FLOAT4, MX),
    # The source does not read the number on the products that have the function.
    Case("dequant_swiglu_quant", "DequantSwigluQuant", (2,), tuple(n for n in NUMBERS if n != 2)),
)


def inputs(case: Case) -> list[Any]:
    """The tensors of a call in Python."""
    return [ROWS, SCALE] if case.operator == "static_gelu_quant" else [ROWS]


def first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def check(case: Case, number: int, call: Any, dtype_of: Any) -> None:
    """A computed number gives its dtype, other numbers the error that belongs to them."""
    if number in case.computed:
        assert dtype_of(first(call())) == BY_NUMBER[number]
        return
    with pytest.raises(KernelMissing if number in case.known else InvalidArgument, match=r"dst_type is -?\d+"):
        call()


def test_the_cases_have_every_operator_and_graph_operator_with_such_an_attribute() -> None:
    names = {name for name, o in actgrad.operators.items() if o.definition.dtypes.attribute}
    assert names == {n for n, o in actgrad.operators.items() if "dst_type" in o.defaults}
    assert {case.operator for case in CASES} == names | {"dequant_swiglu_quant"}
    graphs = {graph.name for o in actgrad.operators.values() for graph in o.graphs if "dst_type" in graph.attributes}
    assert {case.graph for case in CASES} == graphs | {""}


@pytest.mark.share(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.operator + case.graph * bool(case.attributes))
def test_every_number_in_python(case: Case) -> None:
    by_name = {row.acl_name: row for row in BY_NUMBER.values()} | {row.name: row for row in BY_NUMBER.values()}

    def dtype_of(y: Any) -> Any:
        return by_name[y.dtype.name]

    for number in NUMBERS:
        given = {**case.attributes, "dst_type": number}
        if case.operator != "dequant_swiglu_quant":  # it has the number only in C and in graphs
            operator = getattr(actgrad, case.operator)
            for backend in ("cpu", "reference"):
                check(case, number, partial(operator, *inputs(case), backend=backend, **given), dtype_of)
            plan = partial(operator.plan, *inputs(case), **given)
            check(case, number, lambda plan=plan: plan().result, dtype_of)
        if case.graph:
            graph = getattr(ir, case.graph)
            check(case, number, partial(graph, *inputs(case), **given), dtype_of)
            for spelling in ("FLOAT16", "float16"):
                check(case, number, partial(graph.infer_dtype, spelling, **given), by_name.__getitem__)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("case", CASES[:-1], ids=lambda case: case.operator + case.graph * bool(case.attributes))
def test_every_number_in_pytorch(case: Case) -> None:
    torch = pytest.importorskip("torch")
    importlib.import_module("actgrad.torch")  # registers the operators
    tensors = list(map(torch.from_numpy, inputs(case)))
    names = {getattr(torch, row.name): row for row in BY_NUMBER.values() if hasattr(torch, row.name)}
    operator = getattr(torch.ops.actgrad, case.operator)
    schema = actgrad.operators[case.operator].schema
    function = getattr(actgrad.torch, case.operator)
    has_number = case.operator != "swiglu_quant"  # actgrad.torch leaves the number out
    for number in NUMBERS:
        given = {**case.attributes, "dst_type": number}
        for each in (tensors, [t.to("meta") for t in tensors]):
            padded = each + [None] * (len(schema.tensors) - len(each))
            check(case, number, partial(operator, *padded, **given), lambda y: names[y.dtype])
        if has_number:
            check(case, number, partial(function, *tensors, **given), lambda y: names[y.dtype])


# The C interface


def c_calls() -> list[tuple[str, str, list[tuple[str, Any]], int]]:
    """Product, function, arguments and status: for each number with a y of its dtype, and with a y of INT8 or FLOAT8.

    An argument is its kind and its value. A tensor is its shape and the number of its dtype.
    """
    x, rows, half, null = ("tensor", ((4, 512), 1)), ("tensor", ((4,), 0)), (4, 256), ("null", None)
    calls: list[tuple[str, str, list[tuple[str, Any]], int]] = []

    def add(product: str, name: str, number: int, y: int, status: int, shape: tuple[int, ...], *arguments: Any) -> None:
        filled = [
            ("int", number) if each == "number" else ("tensor", (shape, y)) if each == "y" else each
            for each in arguments
        ]
        calls.append((product, name, filled, status))

    def statuses(number: int, computed: Any, known: Any, wrong: int) -> int:
        return 0 if number in computed else 561103 if number in known else wrong

    true, false, text = ("bool", True), ("bool", False), lambda word: ("text", word)
    for number in NUMBERS:
        for y in dict.fromkeys([number if number in BY_NUMBER else 2, 2, E4M3FN]):
            is_equal = y == number
            quantises = {
                "Ascend950": ((2, E5M2, E4M3FN), (INT4, HIFLOAT8)),
                "Ascend910B": ((2,), (INT4,)),
                "Ascend310P": ((2,), ()),
            }
            for product, (computed, known) in quantises.items():  # the dtype of y decides, the number is not read
                status = statuses(y, computed, known, 161002)
                add(product, "DynamicQuantV2", number, y, status, (4, 512), x, null, null, "number", "y", rows, null)
                add(product, "DynamicQuantV2", number, y, status, (4, 512), x, null, null, "number", "y", rows, rows)
            for mode, scale in (("dynamic", rows), ("static", null)):
                rounding = text("hybrid" if y == HIFLOAT8 else "rint")
                status = statuses(y, (2, E5M2, E4M3FN), (HIFLOAT8,), 161002) if is_equal else 161002
                arguments = (x, ("tensor", ((1,), 1)), null, text("none"), text(mode), rounding, "number", "y", scale)
                add("Ascend950", "GeluQuant", number, y, status, (4, 512), *arguments)
            for product in ("Ascend910B", "Ascend950"):
                status = 161002 if y not in (2, INT4) else statuses(number, (2,) if y == 2 else (), (2, INT4), 561002)
                arguments = (x, null, null, null, false, text("dynamic"), ("int", 0), "number", "y", rows)
                add(product, "SwiGluQuantV2", number, y, status, half, *arguments)
            floats = (E5M2, E4M3FN, HIFLOAT8, *FLOAT4)
            for mode, scale, is_rounded in ((0, ((4, 2), 0), false), (1, ((4, 4, 2), 37), true)):
                status = statuses(number, (E5M2, E4M3FN), FLOAT4 if mode else (), 561002) if is_equal else 561002
                status = status if y in floats and (mode == 0 or y != HIFLOAT8) else 161002
                status = 161002 if mode == 0 and y in FLOAT4 else status  # only beside scales of FLOAT8_E8M0
                arguments = (x, null, null, null, "number", ("int", mode), ("int", 0), is_rounded, ("double", -1.0),
                             ("double", 15.0), false, "y", ("tensor", scale), ("tensor", (half, 1)))  # fmt: skip
                add("Ascend950", "SwigluGroupQuant", number, y, status, half, *arguments)
            status = 161002 if y != 2 else statuses(number, (2,), NUMBERS, 0)
            arguments = (x, *[null] * 6, true, text("dynamic"), "number", text("rint"), ("int", -1), ("int", 0),
                         *[("double", v) for v in (7.0, 1.702, 1.0)], "y", rows)  # fmt: skip
            add("Ascend910B", "DequantSwigluQuantV2", number, y, status, half, *arguments)
    short = ("tensor", ((4, 6), 1))
    for function, offset in (("DynamicQuant", ()), ("DynamicQuantV2", (null,)), ("DynamicQuantV2", (rows,))):
        between = [null, ("int", 2)] if offset else []
        for product in ("Ascend950", "Ascend910B", "Ascend310P"):
            has_int4 = product != "Ascend310P"
            for row, y, shape, status in (
                (x, 3, (4, 64), 561103), (x, 3, (4, 512), 161002), (x, 3, (4, 65), 161002),  # eight numbers in an INT32
                (short, INT4, (4, 6), 561103), (short, 3, (4, 1), 161002), (short, INT4, (4, 3), 161002),
                (("tensor", ((4, 5), 1)), INT4, (4, 5), 161002),  # no whole bytes
            ):  # fmt: skip
                arguments = (row, null, *between, "y", rows, *offset)
                add(product, function, 2, y, status if has_int4 else 161002, shape, *arguments)
    for size, status in ((512, 561103), (6, 561002)):
        row = ("tensor", ((4, size), 1))
        arguments = (row, null, null, null, false, text("dynamic"), ("int", 0), "number", "y", rows)
        add("Ascend910B", "SwiGluQuantV2", INT4, INT4, status, (4, size // 2), *arguments)
    return calls


def test_the_calls_have_every_c_function_with_such_a_parameter() -> None:
    named = {
        s.function.name
        for s in aclnn.signatures.all_signatures()
        if any(parameter.name == "dstType" for parameter in s.parameters)
    }
    assert named | {"DynamicQuant"} == {name for _, name, _, _ in c_calls()}


def array(shape: tuple[int, ...], dtype: int) -> aclnn.AclTensor:
    steps = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    memory = np.zeros(int(np.prod(shape)), np.complex128)  # enough for every dtype
    return aclnn.aclCreateTensor(shape, dtype, steps, 0, aclnn.ACL_FORMAT_ND, shape, memory)


def test_every_number_in_actgrad_aclnn() -> None:
    for product, name, arguments, status in c_calls():
        values = [array(*value) if kind == "tensor" else value for kind, value in arguments]
        with actgrad.product(product):
            found, size, executor = getattr(aclnn, f"aclnn{name}GetWorkspaceSize")(*values)
            assert found == status, (product, name, arguments, aclnn.aclGetRecentErrMsg())
            if not found:
                assert getattr(aclnn, f"aclnn{name}")(None, size, executor, None) == 0


@needs_compiler
def test_every_number_in_the_c_sdk(sdk: Sdk, tmp_path: Path) -> None:
    driver = Path(__file__).parents[1] / "sdk" / "programs" / "driver.py"
    for product in ("Ascend950", "Ascend910B", "Ascend310P"):
        mine = [call for call in c_calls() if call[0] == product]
        (tmp_path / "calls").write_bytes(pickle.dumps([plain(name, arguments) for _, name, arguments, _ in mine]))
        command = [
            sys.executable,
            str(driver),
            str(sdk.prefix / "lib64"),
            str(tmp_path / "calls"),
            str(tmp_path / "to"),
        ]
        run(command, ACTGRAD_SDK_HOST="inprocess", ACTGRAD_PRODUCT=product)
        answers = pickle.loads((tmp_path / "to").read_bytes())
        for (_, name, arguments, status), answer in zip(mine, answers, strict=True):
            assert answer["status"] == status, (product, name, arguments, answer["text"])
            assert status or answer["second"] == 0


def plain(name: str, arguments: list[tuple[str, Any]]) -> dict[str, Any]:
    """A call as the driver of the SDK's tests takes it."""
    memory: dict[str, bytes] = {}
    made: list[tuple[str, Any]] = []
    for kind, value in arguments:
        if kind != "tensor":
            made.append((kind, value))
            continue
        shape, dtype = value
        block, count = f"block {len(memory)}", int(np.prod(shape))
        memory[block] = bytes(16 * count)
        strides = tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))
        tensor = {"shape": shape, "strides": strides, "offset": 0, "start": 0, "dtype": dtype, "format": 2}
        tensor |= {"storage": shape, "memory": block, "is_null": False, "is_destroyed": False}
        made.append(("tensor", tensor))
    return {"function": f"aclnn{name}", "arguments": made, "memory": memory}
