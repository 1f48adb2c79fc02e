"""Real calls of the aclnn functions, on memory that is watched."""

from __future__ import annotations

import contextlib
import re
from math import prod
from typing import Any

import numpy as np

import actgrad
from actgrad import aclnn
from tests.support.aclnn.functions import FURTHER, INPUTS, OUTPUTS, UNREAD, python_call, tensors
from tests.support.aclnn.values import FLOATS, INTEGERS, ITEMSIZE, NUMPY, Call, Scalar, Tensor, promoted

FILL, GUARD = 0xA5, 32


class Live:
    """A call's real arguments. Memory is filled with one byte, inputs with numbers, and a copy is kept.

    `fill` must not be a byte of what the operators compute; where it is by chance, another fill tells.
    """

    def __init__(self, call: Call, fill: int = FILL, seed: int = 0):
        self.call, self.fill = call, fill
        self.memory = {n: np.full(size + 2 * GUARD, fill, np.uint8) for n, size in self._sizes().items()}
        for name in (*INPUTS[call.function], *FURTHER[call.function]):
            if (t := call[name]) is not None and {t.dtype} <= ITEMSIZE.keys() & NUMPY.keys() and self._fits(t):
                self.view(name)[...] = numbers(t.dtype, t.size, seed).reshape(t.shape)
                if name == "groupIndexOptional":  # rows
                    self.view(name)[...] = np.resize([1, 0, 2, -1], t.size).reshape(t.shape)
                seed += 1
        self.before = {name: memory.tobytes() for name, memory in self.memory.items()}
        self.arguments = [self._argument(name, value) for name, value in call.arguments.items()]

    def _sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for name in (*tensors(self.call.function), *UNREAD[self.call.function], *FURTHER[self.call.function]):
            if (t := self.call[name]) is not None:
                key = t.memory or name
                sizes[key] = max(sizes.get(key, 0), t.start + self._room(t))
        return sizes

    @staticmethod
    def _room(t: Tensor) -> int:
        return prod(t.storage_dims) * ITEMSIZE.get(t.dtype, 1) if t.room is None else t.room

    def _fits(self, t: Tensor) -> bool:
        """Whether the view lies in the memory that is there; a faulty one must not be written by the test either."""
        return t.size == 0 or t.reach * ITEMSIZE[t.dtype] <= self._room(t)

    def view(self, name: str) -> np.ndarray:
        """The bytes, or numbers where NumPy has them, that a tensor shows."""
        t = self.call[name]
        dtype = np.dtype(NUMPY.get(t.dtype) or f"V{ITEMSIZE[t.dtype]}")
        memory = self.memory[t.memory or name]
        strides = tuple(step * dtype.itemsize for step in t.steps)
        first = GUARD + t.start + (t.offset * dtype.itemsize if t.size else 0)
        return np.ndarray(t.shape, dtype, memory, first, strides)

    def given(self, name: str) -> np.ndarray:
        """An input as it was before the call."""
        t = self.call[name]
        dtype = np.dtype(NUMPY[t.dtype])
        strides = tuple(step * dtype.itemsize for step in t.steps)
        first = GUARD + t.start + (t.offset * dtype.itemsize if t.size else 0)
        return np.ndarray(t.shape, dtype, self.before[t.memory or name], first, strides).copy()

    def _argument(self, name: str, value: Any) -> Any:
        if isinstance(value, Scalar):
            scalar = aclnn.aclCreateScalar(value.value, number(value.dtype))
            assert scalar is not None, (value, aclnn.aclGetRecentErrMsg())
            return scalar
        if not isinstance(value, Tensor):
            return value
        first = GUARD + value.start
        storage = self.memory[value.memory or name][first : first + self._room(value)]
        tensor = aclnn.aclCreateTensor(
            value.shape, number(value.dtype), value.strides, value.offset, FORMATS[value.format], value.storage_dims,
            None if value.is_null else storage,
        )  # fmt: skip
        assert tensor is not None, (value, aclnn.aclGetRecentErrMsg())
        if value.is_destroyed:
            assert aclnn.aclDestroyTensor(tensor) == 0
        return tensor

    def first(self) -> tuple[int, int, Any]:
        with self.judged():
            return getattr(aclnn, f"{self.call.function}GetWorkspaceSize")(*self.arguments)

    def second(self, workspace_size: int, executor: Any) -> int:
        return getattr(aclnn, self.call.function)(None, workspace_size, executor, None)

    def judged(self) -> contextlib.AbstractContextManager[Any]:
        """By whose rules the call is judged."""
        stack = contextlib.ExitStack()
        stack.enter_context(actgrad.product(self.call.product))
        stack.enter_context(actgrad.rules("document" if self.call.document else "operator"))
        return stack

    def is_unchanged(self) -> bool:
        return all(memory.tobytes() == self.before[name] for name, memory in self.memory.items())

    def strays(self) -> list[str]:
        """Where something was written outside the outputs' views."""
        wrong = []
        for name, memory in self.memory.items():
            changed = memory != np.frombuffer(self.before[name], np.uint8)
            for out in OUTPUTS[self.call.function]:
                t = self.call[out]
                if (t.memory or out) == name and t.size:
                    places = GUARD + t.places()
                    for byte in range(ITEMSIZE[t.dtype]):
                        changed[places + byte] = False
            if changed.any():
                wrong.append(f"{name}: bytes {np.flatnonzero(changed) - GUARD}")
        return wrong

    def unwritten(self) -> set[tuple[str, int]]:
        """The elements of outputs all of whose bytes are still the fill."""
        missing = set()
        for name in OUTPUTS[self.call.function]:
            t = self.call[name]
            if t.size:
                words = np.ascontiguousarray(self.view(name)).view(np.uint8).reshape(t.size, -1)
                missing |= {(name, int(k)) for k in np.flatnonzero((words == self.fill).all(axis=1))}
        return missing


FORMATS = {
    name.removeprefix("ACL_FORMAT_").removeprefix("ACL_"): getattr(aclnn, name)
    for name in dir(aclnn)
    if name.startswith(("ACL_FORMAT_", "ACL_FRACTAL_"))
}


def number(dtype: str) -> int:
    return getattr(aclnn, f"ACL_{dtype}")


def numbers(dtype: str, size: int, seed: int) -> np.ndarray:
    """Numbers of both signs, zero, infinities and NaN among them, that repeat after a while."""
    pool = _POOLS.get(dtype)
    if pool is None:
        rng = np.random.default_rng(20)
        values = rng.normal(0, 2, 997)
        if dtype in FLOATS:
            values[::31], values[1::97], values[2::97], values[3::97] = 0, np.inf, -np.inf, np.nan
        elif dtype in INTEGERS:
            values = np.abs(values) * 20 if dtype[0] == "U" else values * 20
        pool = _POOLS[dtype] = values.astype(NUMPY[dtype])
    return np.resize(np.roll(pool, -37 * seed), size) if size > 900 else pool[37 * seed % 97 :][:size]


_POOLS: dict[str, np.ndarray] = {}


def functional(live: Live, **options: Any) -> list[np.ndarray]:
    """What the plain Python functions compute for a call, from the inputs as they were before it."""
    call = live.call
    name, attributes = python_call(call)
    if name in ("threshold", "add_relu"):
        attributes = {
            n: wrapped(value, [call[n].dtype for n in INPUTS[call.function]]) for n, value in attributes.items()
        }
    given = [live.given(n) for n in INPUTS[call.function]]
    given += [None if call[n] is None else live.given(n) for n in FURTHER[call.function]]
    if name == "gelu_backward":  # which in Python does not broadcast, and has a limit of rank
        together = NUMPY[promoted(*(call[n].dtype for n in INPUTS[call.function]))]
        given = [array.astype(together).ravel() for array in np.broadcast_arrays(*given)]
    sizes = [given[0].size if name == "gelu_backward" else call[n].shape for n in OUTPUTS[call.function]]
    outs = [filled(size, NUMPY[call[n].dtype], live) for size, n in zip(sizes, OUTPUTS[call.function], strict=True)]
    # The functions of C take outputs of more dtypes than the document of the one in Python.
    with actgrad.rules("operator") if name == "gelu_backward" else contextlib.nullcontext():
        getattr(actgrad, name)(*given, **attributes, out=outs[0] if len(outs) == 1 else tuple(outs), **options)
    return [out.reshape(call[n].shape) for out, n in zip(outs, OUTPUTS[call.function], strict=True)]


def wrapped(value: Any, dtypes: list[str]) -> Any:
    """A scalar beside these tensors: C converts one to integers modulo a power of two, Python refuses it."""
    result = dtypes[0] if len(dtypes) == 1 else promoted(*dtypes)
    if result not in INTEGERS:
        return value
    bits, number = 8 * ITEMSIZE[result], int(value) % (1 << 8 * ITEMSIZE[result])
    return number - (1 << bits) if result[0] != "U" and number >> bits - 1 else number


def filled(shape: Any, dtype: Any, live: Live) -> np.ndarray:
    """An array of the bytes that memory is filled with: some functions leave rows as they are."""
    flat = np.full(int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize, live.fill, np.uint8)
    return flat.view(dtype).reshape(shape)


#: Statuses.
OK, NULL, INVALID, STREAM, INNER, INNER_NULL = 0, 161001, 161002, 361001, 561000, 561103


def tensor(values: Any, dtype: int = aclnn.ACL_FLOAT) -> tuple[Any, np.ndarray]:
    """A contiguous tensor and its memory."""
    memory = np.array(values, np.float32) if isinstance(values, (list, tuple)) else values
    made = aclnn.aclCreateTensor(memory.shape, dtype, None, 0, aclnn.ACL_FORMAT_ND, memory.shape, memory)
    assert made is not None
    return made, memory


def failed(code: int, status: int, says: str = "") -> None:
    """A call failed as it should, and says why, once."""
    message = aclnn.aclGetRecentErrMsg()
    assert code == status, message
    assert message is not None
    assert re.search(says, message), message
    assert aclnn.aclGetRecentErrMsg() is None


def leaky(slope: Any = 0.5, values: Any = (-2.0, 3.0)) -> tuple[Any, Any, Any, np.ndarray, np.ndarray]:
    """An executor of aclnnLeakyRelu, its tensors and their memory."""
    (x, given), (out, memory) = tensor(values), tensor([9.0] * len(values))
    code, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, slope, out)
    assert (code, size) == (OK, 0), aclnn.aclGetRecentErrMsg()
    return executor, x, out, given, memory
