"""All functions around the activations against NumPy in float64 and int64.

The oracle of a function that computes with PyTorch shares no code with it (tests/support/numpy_rules). A function that
computes with NumPy is held against its own formula in the wider numbers, which shows its dtypes, layouts and rounding.

Each call is varied in its dtypes, shapes and memory. A result must be near the oracle's: for floating-point numbers
within the bound of a sum in float32, rounded once to the result's dtype, and for other numbers equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from actgrad.ascend.aclnn.objects import AclTensor
from actgrad.ascend.network.arrays import array_of
from actgrad.ascend.network.rules import RULES
from actgrad.ascend.network.work import Work, WrongNumbers
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError, InvalidArgument, KernelMissing
from tests.support.network_calls import CALLS, ROWS, S, T, call_of, product_of
from tests.support.numpy_rules.rules import RULES as IN_NUMPY
from tests.support.wrong_calls import of_all, of_dtype, of_shape

NAMES = {rule: name for name, rule in RULES.items()}

pytest.importorskip("torch")

FLOATS = ("float32", "float16", "bfloat16", "float64")
INTEGERS = ("int8", "uint8", "int16", "int32", "int64", "bool")
LAYOUTS = ("dense", "strided", "broadcast")


def variations(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of a function that differ in dtypes and shapes."""
    call = call_of(name)
    yield "usual", call
    for dtype in (*FLOATS[1:], *INTEGERS, *["complex64"][: name in ROWS]):
        yield dtype, of_all(call, "", of_dtype("float32", dtype, False))
        yield f"{dtype} with numbers", of_all(call, "", of_dtype("float32", dtype, True))
    for what, change in {
        "larger": lambda shape: tuple(n * 2 if n > 1 else n for n in shape),
        "ones": lambda shape: (1,) * len(shape),
        "empty": lambda shape: (0,) * len(shape),
        "rows of 0": lambda shape: (*shape[:-1], 0) if shape else (),
        "0 rows": lambda shape: (0, *shape[1:]) if shape else (),
        "a number": lambda shape: (),
    }.items():
        yield what, of_all(call, "", of_shape(change))


def memory_of(given: T, layout: str, is_output: bool, random: np.random.Generator) -> AclTensor:
    """A tensor with random numbers, in a layout."""
    row = BY_NAME[given.dtype]
    if row.kind in ("float", "complex"):
        values = random.normal(size=given.shape) * 2
        values = values + 1j * random.normal(size=given.shape) if row.kind == "complex" else values
    else:
        values = random.integers(0, 2, given.shape)
    array = np.asarray(values).astype(row.numpy)
    rank = len(given.shape)
    if layout == "broadcast" and rank and not is_output and given.shape[0] > 1:
        memory = np.ascontiguousarray(array[:1])
        view = np.broadcast_to(memory, given.shape)
    elif layout == "strided" and rank:
        memory = np.full((*array.shape[::-1], 3), 1).astype(row.numpy)
        view = memory.transpose(*range(rank)[::-1], rank)[..., 1]
    else:
        memory = view = np.ascontiguousarray(array).reshape(given.shape)
    if layout != "broadcast" or not rank or is_output or given.shape[0] <= 1:
        view[...] = array
    itemsize = row.itemsize
    offset = (view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]) // itemsize
    strides = [stride // itemsize for stride in view.strides]
    storage = memory.reshape(-1).view(np.uint8) if memory.size else np.zeros(16, np.uint8)
    made = aclnn.aclCreateTensor(
        given.shape, row.acl, strides, offset, given.format, (max(memory.size, 1),), storage
    )  # fmt: skip
    assert isinstance(made, AclTensor), aclnn.aclGetRecentErrMsg()
    return made


def value_of(given: Any, layout: str, is_output: bool, random: np.random.Generator) -> Any:
    if isinstance(given, T):
        return memory_of(given, layout, is_output, random)
    if isinstance(given, S):
        return aclnn.aclCreateScalar(given.value, BY_NAME[given.dtype].acl)
    return tuple(value_of(each, layout, is_output, random) for each in given) if isinstance(given, tuple) else given


def wide(dtype: Any) -> Any:
    return np.dtype({"f": np.float64, "V": np.float64, "c": np.complex128, "b": np.bool_}.get(dtype.kind, np.int64))


def expected(work: Work, rule: str, call: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """The oracle's values, and the dtype in which the function computes, for each result that is written."""
    compute = IN_NUMPY[rule] if work.rule.uses_torch else work.rule.compute
    results = [each and array_of(each, 0) for each in work._targets(call)]
    dtype = work._dtype(call, np.dtype(np.float32) if results[0] is None else results[0].dtype)
    is_real = all(result is None or result.dtype.kind != "c" for result in results)

    def of(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(of, value))
        if isinstance(value, AclTensor):
            array = array_of(value, 0)
            array = array.real if dtype is not None and dtype.kind != "c" and array.dtype.kind == "c" else array
            if dtype is None and array.dtype.kind in "iub":
                return array
            return array.astype(wide(array.dtype if dtype is None else dtype))
        if isinstance(value, aclnn.AclScalar):
            number = np.asarray(value.value)
            number = number.real if is_real else number
            return number if dtype is None else number.astype(wide(dtype))
        return value

    inputs = [of(value) for value in work._inputs(call)]
    computed = compute(*inputs)
    computed = computed if len(results) > 1 or work.rule.writes_list else [computed]
    return [
        (each if each is None or result is None else np.asarray(each), dtype)
        for each, result in zip(computed, results, strict=not work.rule.writes_list)
    ]


def near(actual: Any, value: Any, dtype: Any, what: str) -> None:
    """Compare a result with the oracle's value."""
    value = value.reshape(actual.shape) if value.size == actual.size else np.broadcast_to(value, actual.shape)
    if value.dtype.kind == "c" and actual.dtype.kind != "c":
        value = value.real
    if actual.dtype == np.bool_:
        np.testing.assert_array_equal(actual, value != 0, what)
    elif actual.dtype.kind in "iu" and value.dtype.kind in "iub":
        np.testing.assert_array_equal(actual, value.astype(np.int64).astype(actual.dtype), what)
    elif actual.dtype.kind in "iu":  # floating-point numbers that are cut off
        finite = np.isfinite(value) & (np.abs(value) < 100)
        assert (np.abs(actual.astype(np.float64) - np.trunc(value))[finite] <= 1).all(), what
    else:
        is_double = actual.dtype.kind in "fc" and actual.dtype.itemsize == (8 if actual.dtype.kind == "f" else 16)
        narrow = actual if dtype is None or dtype.kind not in "fVc" else np.empty(0, dtype)
        eps = max(_EPS.get(each.name, 2.0**-23) for each in (actual.dtype, narrow.dtype))
        wide_type = np.complex128 if actual.dtype.kind == "c" else np.float64
        with np.errstate(over="ignore"):
            value = value.astype(actual.dtype) if actual.dtype.itemsize == 2 else value
        actual, value = actual.astype(wide_type), value.astype(wide_type)
        is_double = is_double and narrow.dtype.itemsize >= 8
        finite = np.isfinite(value)
        scale = np.abs(value[finite]).max(initial=0)
        atol = scale * (1e-11 if is_double else 3e-6)
        np.testing.assert_allclose(actual, value, 2 * eps, atol, err_msg=what)


_EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-40, "complex128": 2.0**-40}


def is_large_enough(work: Work, result: Any, value: Any) -> bool:
    """Whether a result whose size depends on numbers fits in its tensor."""
    if result is None or value is None:
        return True
    size = int(np.prod(result.view_dims))
    return size >= value.size if work.rule.is_found else value.size in (1, size)


@pytest.mark.share(8)
@pytest.mark.parametrize("name", CALLS)
def test_values(name: str) -> None:
    function = declared_functions.computed()[f"aclnn{name}"]
    compared = 0
    for what, given in variations(name):
        for layout in LAYOUTS if what in ("usual", "larger") else LAYOUTS[:1]:
            random = np.random.default_rng(len(what))
            values = [value_of(given[p.name], layout, p.is_output, random) for p in function.arguments]
            with actgrad.product(product_of(name) if name in ROWS else "Ascend910B"):
                try:
                    if name == "SearchSorted" and values[0].view_dims:
                        array_of(values[0], 0).sort()
                    work = Work(f"aclnn{name}", function.rule, function.arguments, values)
                except ActgradError:
                    continue
                with np.errstate(all="ignore"):
                    calls = [c for c in work._calls if work._has_results(c)]
                    try:
                        wanted = [expected(work, NAMES[function.rule], call) for call in calls]
                    except (ArithmeticError, IndexError, TypeError, ValueError):
                        continue
                if not all(
                    is_large_enough(work, *pair)
                    for c, r in zip(calls, wanted, strict=True)
                    for pair in zip(work._targets(c), [row[0] for row in r], strict=False)
                ):
                    continue
                try:
                    work.run(0)
                except (KernelMissing, WrongNumbers, InvalidArgument) as error:
                    if name not in ROWS:  # phase one may accept a wrong call
                        continue
                    pytest.fail(f"{what}, {layout}: {error}")
                for call, rows in zip(calls, wanted, strict=True):
                    for result, (value, dtype) in zip(work._targets(call), rows, strict=False):
                        if result is not None and value is not None:
                            actual = array_of(result, 0)
                            if work.rule.is_found:
                                actual = actual.reshape(-1)[: value.size]
                            near(actual, value, None if work.rule.dtype == "mixed" else dtype, f"{what}, {layout}")
                            compared += 1
    assert compared or name in NOT_COMPARED


#: Functions that write no result, or whose random calls are refused: other tests call them.
NOT_COMPARED = ("TransMatmulWeight", "RepeatInterleave", "RepeatInterleaveWithDim", "RepeatInterleaveTensor")
