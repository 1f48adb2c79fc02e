"""Copies, fills, arithmetic and sums of the C SDK: against PyTorch, by dtypes, layouts and promotion."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sdk_programs import MODES, Sdk, needs_compiler

from actgrad import aclnn
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import InvalidArgument, NullArgument
from actgrad.sdk import clients
from actgrad.sdk.glue import elementary
from actgrad.sdk.glue.work import Work

torch = pytest.importorskip("torch")

DTYPES = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64", "bool")


def tensor_of(given: Any) -> Any:
    """An aclTensor on a torch.Tensor's memory, with its layout."""
    storage = torch.tensor([], dtype=given.dtype).set_(given.untyped_storage())
    number = BY_NAME[str(given.dtype).removeprefix("torch.")].acl
    return aclnn.aclCreateTensor(
        tuple(given.shape), number, given.stride(), given.storage_offset(), 2, (storage.numel(),), storage
    )


def call(name: str, *given: Any) -> None:
    """Both phases of a call; torch.Tensors are tensors, numbers are scalars."""
    parameters = [parameter.name for parameter in clients.glue()[f"aclnn{name}"]]
    kinds = [parameter.type for parameter in clients.glue()[f"aclnn{name}"]]
    values = [
        tensor_of(value) if kind == "Tensor" else scalar_of(value) if kind == "Scalar" else value
        for kind, value in zip(kinds, given, strict=True)
    ]
    Work(f"aclnn{name}", parameters, values).run(0)


def scalar_of(value: Any) -> Any:
    dtype = {bool: "bool", int: "int64", float: "float64"}[type(value)]
    return aclnn.aclCreateScalar(value, BY_NAME[dtype].acl)


def sample(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    made = torch.from_numpy(np.random.default_rng(seed).integers(-3, 9, shape)) + (0.3 if "float" in dtype else 0)
    return made.abs().to(getattr(torch, dtype)) if dtype == "uint8" else made.to(getattr(torch, dtype))


def test_every_function_has_a_prototype() -> None:
    assert clients.glue().keys() == elementary.TABLE.keys()
    for name, parameters in clients.glue().items():
        assert elementary.TABLE[name].result in {parameter.name for parameter in parameters}


RULES: dict[str, Callable[[Any, Any], Any]] = {"Mul": torch.mul, "Div": torch.div}


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, repeat=2)))
def test_promotion_of_tensors(a: str, b: str) -> None:
    """As PyTorch's, for each two dtypes; shapes broadcast."""
    x, y = sample(a, (3, 4), 1), sample(b, (4,), 2)
    for name, rule in RULES.items():
        wanted = rule(x, y)
        out = torch.zeros_like(wanted)
        call(name, x, y, out)
        np.testing.assert_array_equal(out.double().numpy(), wanted.double().numpy(), f"{name} {a} {b}")
    if "bool" not in (a, b):
        for name, rule in (("Add", torch.add), ("Sub", torch.sub)):
            wanted = rule(x, y, alpha=2)
            out = torch.zeros_like(wanted)
            call(name, x, y, 2, out)
            largest = np.abs(wanted.double().numpy()).max()
            tolerance = 0.0 if wanted.dtype in (torch.float64, torch.int64) else largest * 2**-7
            np.testing.assert_allclose(out.double().numpy(), wanted.double().numpy(), rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [2, 1.5])
def test_promotion_with_numbers(dtype: str, number: float) -> None:
    x = sample(dtype, (5,), 3)
    for name, wanted in (("Muls", x * number), ("Divs", x / number)):
        out = torch.zeros_like(wanted)
        call(name, x, number, out)
        np.testing.assert_array_equal(out.double().numpy(), wanted.double().numpy())
    wanted = x + number
    out = torch.zeros_like(wanted)
    call("Adds", x, number, 1, out)
    np.testing.assert_array_equal(out.double().numpy(), wanted.double().numpy())


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, repeat=2)))
def test_copies_and_casts(a: str, b: str) -> None:
    """Between all dtypes, from and to strided memory, with broadcast; nothing else is written."""
    source = sample(a, (6, 4), 4).t()[:, ::2]
    memory = torch.full((4, 9), 7).to(getattr(torch, b))
    to = memory[:, 1:7:2]
    wanted = memory.clone()
    wanted[:, 1:7:2] = source
    call("InplaceCopy", to, source)
    assert torch.equal(memory, wanted)
    out = torch.zeros(source.shape, dtype=getattr(torch, b))
    call("Cast", source, BY_NAME[b].acl, out)
    assert torch.equal(out, source.to(out.dtype))
    call("InplaceCopy", out, sample(a, (1,), 5))
    assert torch.equal(out, sample(a, (1,), 5).to(out.dtype).expand(out.shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_fills_and_in_place(dtype: str) -> None:
    x = sample(dtype, (2, 3), 6).t()
    call("InplaceFillScalar", x, 1)
    assert torch.equal(x, torch.ones_like(x))
    call("InplaceZero", x)
    assert torch.equal(x, torch.zeros_like(x))
    call("InplaceOne", x)
    assert torch.equal(x, torch.ones_like(x))
    if dtype != "bool":
        call("InplaceAdds", x, 3, 2)
        call("InplaceMul", x, x)
        call("InplaceSub", x, torch.ones_like(x), 1)
        assert torch.equal(x, torch.full_like(x, 48))
        negative = torch.empty_like(x)
        call("Neg", x, negative)
        assert torch.equal(negative, -x)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("dims", [(), (0,), (-1,), (0, 2)])
@pytest.mark.parametrize("keep", [False, True])
def test_sums(dtype: str, dims: tuple[int, ...], keep: bool) -> None:
    x = sample(dtype, (3, 4, 5), 7)
    axes = dims or (0, 1, 2)
    for name, rule in (("ReduceSum", torch.sum), ("Mean", torch.mean)):
        wanted = rule(x, axes, keep)
        out = torch.zeros_like(wanted)
        call(name, x, dims, keep, BY_NAME[dtype].acl, out)
        torch.testing.assert_close(out, wanted)


UNARY = {"Exp": torch.exp, "Log": torch.log, "Sqrt": torch.sqrt, "Rsqrt": torch.rsqrt, "Square": torch.square,
         "Reciprocal": torch.reciprocal, "Sign": torch.sign, "Abs": torch.abs}  # fmt: skip


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name: str, dtype: str) -> None:
    x = sample(dtype, (3, 5), 8).t()
    wanted = UNARY[name](x)
    out = torch.zeros_like(wanted)
    call(name, x, out)
    torch.testing.assert_close(out, wanted, equal_nan=True)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES[:-1], repeat=2)))
def test_comparisons(a: str, b: str) -> None:
    x, y = sample(a, (3, 4), 9), sample(b, (4,), 10)
    same = torch.zeros(3, 4)
    call("EqTensor", x, y, same)
    assert torch.equal(same, (x == y).float())
    for name, rule in (("Maximum", torch.maximum), ("Minimum", torch.minimum)):
        wanted = rule(x, y)
        out = torch.zeros_like(wanted)
        call(name, x, y, out)
        assert torch.equal(out, wanted)
    for name, wanted in (("GtScalar", x > 2), ("LtScalar", x < 2), ("EqScalar", x == 2)):
        truth = torch.zeros(3, 4, dtype=torch.bool)
        call(name, x, 2, truth)
        assert torch.equal(truth, wanted)


def test_what_is_refused() -> None:
    x, y = torch.zeros(2, 3), torch.zeros(2, 4)
    with pytest.raises(InvalidArgument, match=r"aclnnMul: shapes \[\(2, 3\), \(2, 4\)\] do not broadcast together"):
        call("Mul", x, y, x)
    with pytest.raises(InvalidArgument, match=r"aclnnAdds: out has shape \(2, 4\); it must have \(2, 3\)"):
        call("Adds", x, 1, 1, y)
    with pytest.raises(InvalidArgument, match=r"aclnnReduceSum: dims is \(2,\); self has 2 dimensions"):
        call("ReduceSum", x, (2,), False, 0, torch.zeros(2))
    with pytest.raises(NullArgument, match="aclnnInplaceZero: selfRef is a null pointer"):
        Work("aclnnInplaceZero", ["selfRef"], [None])
    gone = tensor_of(x)
    aclnn.aclDestroyTensor(gone)
    with pytest.raises(InvalidArgument, match="aclnnInplaceZero: selfRef was destroyed"):
        Work("aclnnInplaceZero", ["selfRef"], [gone])


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_from_c(sdk: Sdk, mode: str) -> None:
    """On device memory, which a strict host may not touch, and in a process of its own."""
    assert sdk.run("glue", mode=mode) == "ok\n"
