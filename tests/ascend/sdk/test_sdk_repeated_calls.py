"""Calls from C that repeat an earlier call: the checks run once, and the results are those of the call's own memory."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.ascend.network import work
from actgrad.ascend.sdk import seam
from tests.ascend.sdk.test_sdk_hosts import tensor_words

Array = np.ndarray[Any, Any]


def place(*arrays: Array) -> tuple[int, ...]:
    return tuple(number for array in arrays for number in (array.ctypes.data, array.nbytes))


def run(name: str, words: bytes, memory: tuple[int, ...]) -> tuple[int, str]:
    """Both phases. The status and the text of the phase that fails."""
    answer, text = seam.plan(name.encode(), words, memory, True)
    if answer.status == 0:
        failed, text = seam.run_plan(answer.handle)
        seam.release((answer.handle,))
        return failed.status, text
    return answer.status, text


def numbers(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


#: With NumPy and with PyTorch.
FUNCTIONS = {"aclnnMul": np.multiply, "aclnnAtan2": np.arctan2}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same memory with other numbers, other memory, and memory that is too small or freed."""
    words = 3 * tensor_words(2, 3)
    a, b, c, out, more = (numbers(k, 2, 3) for k in range(5))
    assert run(name, words, place(a, b, out)) == (0, "")
    monkeypatch.setattr(work.checks, "run", lambda *_: pytest.fail("the call is checked again"))
    for first, second, result in ((a, b, out), (b, c, out), (a, b, more), (c, c, c)):
        first += 0.5
        expected = FUNCTIONS[name](first.astype(np.float64), second)
        assert run(name, words, place(first, second, result)) == (0, "")
        np.testing.assert_allclose(result, expected, rtol=1e-6)
    monkeypatch.undo()
    small = (*place(a, b), out.ctypes.data, out.nbytes - 1)
    status, text = run(name, words, small)
    assert status == 161002
    assert "out has 23 bytes of storage" in text
    status, text = run(name, words, (a.ctypes.data, -1, *place(b, out)))
    assert status == 161002
    assert "it must be device memory that is not freed" in text
    status, text = run(name, words, (0, -2, *place(b, out)))
    assert status == 161002
    assert "its storage is a null pointer" in text


def test_other_rules() -> None:
    """A call that one product takes is judged again for another product."""
    words = b"".join([tensor_words(4), tensor_words(4)]).replace(
        struct.pack("<2q", seam.TENSOR, 0), struct.pack("<2q", seam.TENSOR, 27)
    )  # BF16
    a, out = np.ones(4, np.uint16), np.ones(4, np.uint16)
    for product, status in (("Ascend910B", 0), ("Ascend910", 161002), ("Ascend910B", 0)):
        with actgrad.product(product):
            assert run("aclnnAbs", words, place(a, out))[0] == status


def test_lists() -> None:
    """A tensor with an element for each tensor of a list, which lies in other memory at the second call."""
    parts = tensor_words(2) + tensor_words(2)
    words = struct.pack("<2q", seam.LIST, 2) + parts
    words = 3 * words + tensor_words(2) + words
    for seed in range(3):
        x, y, z = (numbers(seed + k, 2, 2) for k in range(3))
        scalars, out = numbers(seed + 9, 2), np.zeros((2, 2), np.float32)
        memory = place(*x, *y, *z, scalars, *out)
        assert run("aclnnForeachAddcmulScalarList", words, memory) == (0, "")
        np.testing.assert_allclose(out, x + scalars[:, None] * y * z, rtol=1e-6)


def test_memory_that_a_call_does_not_touch() -> None:
    """An empty tensor may have a null address, at the first call or at a later one."""
    words = 3 * tensor_words(0, 3)
    empty = np.empty((0, 3), np.float32)
    for memory in (place(empty, empty, empty), (0, -2) * 3, place(empty, empty, empty)):
        assert run("aclnnMul", words, memory) == (0, "")


def test_the_number_of_known_calls_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seam, "_MOST_KNOWN_CALLS", 4)
    for size in range(1, 12):
        a, b, out = numbers(1, size), numbers(2, size), np.zeros(size, np.float32)
        assert run("aclnnMul", 3 * tensor_words(size), place(a, b, out)) == (0, "")
        np.testing.assert_array_equal(out, a * b)
    assert len(seam._known_calls) <= 4
