"""Calls of the aclnn functions as plain data, and the same calls as real ones, on memory that is watched."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

import actgrad
from actgrad import aclnn

FLOATS = ("FLOAT", "FLOAT16", "BF16", "DOUBLE")
INTEGERS = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64")
COMPLEX = ("COMPLEX32", "COMPLEX64", "COMPLEX128")
SMALL_FLOATS = (
    "HIFLOAT8", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E8M0", "FLOAT6_E3M2", "FLOAT6_E2M3", "FLOAT4_E2M1",
    "FLOAT4_E1M2",
)  # fmt: skip
#: No kernel reads or writes these.
OTHERS = (*SMALL_FLOATS, "STRING", "DT_UNDEFINED", "INT4", "UINT1")
DTYPES = (*FLOATS, *INTEGERS, "BOOL", *COMPLEX, *OTHERS)
SCALARS = (*FLOATS, *INTEGERS, "BOOL", "COMPLEX64", "COMPLEX128", "FLOAT8_E5M2", "FLOAT8_E4M3FN")

ITEMSIZE = {
    "FLOAT": 4, "FLOAT16": 2, "BF16": 2, "DOUBLE": 8, "BOOL": 1, "COMPLEX32": 4, "COMPLEX64": 8, "COMPLEX128": 16,
    **{name: int(name.lstrip("UINT")) // 8 for name in INTEGERS},
}  # fmt: skip
NUMPY = {
    "FLOAT": np.float32, "FLOAT16": np.float16, "BF16": ml_dtypes.bfloat16, "DOUBLE": np.float64,
    "FLOAT8_E5M2": ml_dtypes.float8_e5m2, "FLOAT8_E4M3FN": ml_dtypes.float8_e4m3fn, "BOOL": np.bool_,
    "COMPLEX64": np.complex64, "COMPLEX128": np.complex128, **{name: np.dtype(name.lower()).type for name in INTEGERS},
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """A tensor: a view on storage. Strides and offset count elements, `start` and `room` bytes."""

    dtype: str = "FLOAT"
    shape: tuple[int, ...] = (2, 4)
    strides: tuple[int, ...] | None = None  # None: contiguous
    offset: int = 0
    format: str = "ND"
    storage: tuple[int, ...] | None = None  # the storage's dimensions; None: just what the view reaches
    room: int | None = None  # bytes that are really there; None: as many as the storage's dimensions say
    memory: str = ""  # tensors of the same memory may overlap; empty: one of its own
    start: int = 0  # where in that memory the storage begins
    is_null: bool = False  # whether the address is
    is_destroyed: bool = False

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def steps(self) -> tuple[int, ...]:
        if self.strides is not None:
            return self.strides
        return tuple(prod(n or 1 for n in self.shape[k + 1 :]) for k in range(len(self.shape)))

    @property
    def reach(self) -> int:
        """How many elements of the storage the view needs."""
        return self.offset + 1 + sum((n - 1) * s for n, s in zip(self.shape, self.steps, strict=True)) * (self.size > 0)

    @property
    def storage_dims(self) -> tuple[int, ...]:
        return (self.reach,) if self.storage is None else self.storage

    @property
    def has_memory(self) -> bool:
        """Whether any memory is touched through it."""
        return self.size > 0 and self.dtype in ITEMSIZE

    def places(self, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """Where its elements begin, in bytes of its memory, in order; stretched to a shape."""
        at = np.full((1,) * len(self.shape), self.offset, np.int64)
        for axis, (n, step) in enumerate(zip(self.shape, self.steps, strict=True)):
            at = at + np.arange(n).reshape([-1 if k == axis else 1 for k in range(len(self.shape))]) * step
        at = self.start + at * ITEMSIZE[self.dtype]
        return np.broadcast_to(at, self.shape if shape is None else shape).ravel()

    def touched(self) -> set[int]:
        """The bytes of its memory that the view covers."""
        return set((self.places()[:, None] + np.arange(ITEMSIZE[self.dtype])).ravel().tolist())


@dataclass(frozen=True)
class Scalar:
    """A number with a dtype."""

    dtype: str = "FLOAT"
    value: Any = 1.0

    @property
    def stored(self) -> Any:
        with np.errstate(all="ignore"):
            return NUMPY[self.dtype](self.value)

    @property
    def single(self) -> float:
        """As float: what C's conversion gives, in one rounding; a complex number counts as 0."""
        with np.errstate(all="ignore"):
            return 0.0 if self.dtype in COMPLEX else float(np.float32(self.stored))

    @property
    def double(self) -> float:
        return 0.0 if self.dtype in COMPLEX else float(self.stored)


@dataclass(frozen=True)
class Call:
    """A call of phase one. Arguments by their C names, in order; None is the null pointer."""

    function: str
    arguments: dict[str, Any]
    product: str = "Ascend910B"
    document: bool = False

    def but(self, changes: dict[str, Any]) -> Call:
        """This call with other arguments: {"self": None, "self.dtype": "INT8"}."""
        arguments = dict(self.arguments)
        for path, value in changes.items():
            name, _, attribute = path.partition(".")
            arguments[name] = replace(arguments[name], **{attribute: value}) if attribute else value
        return replace(self, arguments=arguments)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]


# The tensors that a function writes; the others it reads. In place, one does both.
OUTPUTS = {
    "aclnnElu": ("out",), "aclnnInplaceElu": ("selfRef",), "aclnnEluBackward": ("gradInput",),
    "aclnnSelu": ("out",), "aclnnInplaceSelu": ("selfRef",), "aclnnSeluBackward": ("gradInput",),
    "aclnnLeakyRelu": ("out",), "aclnnInplaceLeakyRelu": ("selfRef",), "aclnnLeakyReluBackward": ("out",),
    "aclnnGeGlu": ("out", "outGelu"), "aclnnGeGluV3": ("out", "outGelu"),
    "aclnnGeGluBackward": ("gradInput",), "aclnnGeGluV3Backward": ("gradInput",),
}  # fmt: skip
INPUTS = {
    "aclnnElu": ("self",), "aclnnInplaceElu": ("selfRef",), "aclnnEluBackward": ("gradOutput", "selfOrResult"),
    "aclnnSelu": ("self",), "aclnnInplaceSelu": ("selfRef",), "aclnnSeluBackward": ("gradOutput", "result"),
    "aclnnLeakyRelu": ("self",), "aclnnInplaceLeakyRelu": ("selfRef",),
    "aclnnLeakyReluBackward": ("gradOutput", "self"), "aclnnGeGlu": ("self",), "aclnnGeGluV3": ("self",),
    "aclnnGeGluBackward": ("gradOutput", "self", "gelu"), "aclnnGeGluV3Backward": ("gradOutput", "self", "gelu"),
}  # fmt: skip
FUNCTIONS = tuple(OUTPUTS)


def tensors(function: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*INPUTS[function], *OUTPUTS[function])))


def good(function: str, product: str = "Ascend910B", document: bool = False) -> Call:
    """A call with no fault, wherever the function exists. Arguments in C's order."""
    x, half, one = Tensor(), Tensor(shape=(2, 2)), Scalar("FLOAT", 0.75)
    elu = {"alpha": Scalar("FLOAT", 1.5), "scale": Scalar("DOUBLE", 1.25), "inputScale": one}
    gated = {"dim": -1, "approximate": 1, **({"activateLeft": True} if "V3" in function else {})}
    arguments: dict[str, Any] = {
        "aclnnElu": {"self": x, **elu, "out": x},
        "aclnnInplaceElu": {"selfRef": x, **elu},
        "aclnnEluBackward": {"gradOutput": x, **elu, "isResult": True, "selfOrResult": x, "gradInput": x},
        "aclnnSelu": {"self": x, "out": x},
        "aclnnInplaceSelu": {"selfRef": x},
        "aclnnSeluBackward": {"gradOutput": x, "result": x, "gradInput": x},
        "aclnnLeakyRelu": {"self": x, "negativeSlope": one, "out": x},
        "aclnnInplaceLeakyRelu": {"selfRef": x, "negativeSlope": one},
        "aclnnLeakyReluBackward": {
            "gradOutput": x, "self": x, "negativeSlope": one, "selfIsResult": True, "out": x,
        },
    }.get(function) or (
        {"gradOutput": half, "self": x, "gelu": half, **gated, "gradInput": x}
        if function.endswith("Backward")
        else {"self": x, **gated, "out": half, "outGelu": half}
    )  # fmt: skip
    return Call(function, arguments, product, document)


FILL, GUARD = 0xA5, 32


class Live:
    """A call's real arguments. Memory is filled with one byte, inputs with numbers, and a copy is kept.

    `fill` must not be a byte of what the operators compute; where it is by chance, another fill tells.
    """

    def __init__(self, call: Call, fill: int = FILL, seed: int = 0):
        self.call, self.fill = call, fill
        self.memory = {n: np.full(size + 2 * GUARD, fill, np.uint8) for n, size in self._sizes().items()}
        for name in INPUTS[call.function]:
            if (t := call[name]) is not None and {t.dtype} <= ITEMSIZE.keys() & NUMPY.keys() and self._fits(t):
                self.view(name)[...] = numbers(t.dtype, t.size, seed).reshape(t.shape)
                seed += 1
        self.before = {name: memory.tobytes() for name, memory in self.memory.items()}
        self.arguments = [self._argument(name, value) for name, value in call.arguments.items()]

    def _sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for name in tensors(self.call.function):
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

    def unwritten(self) -> list[str]:
        """Outputs that have elements all of whose bytes are still the fill."""
        missing = []
        for name in OUTPUTS[self.call.function]:
            t = self.call[name]
            if t.size:
                words = np.ascontiguousarray(self.view(name)).view(np.uint8).reshape(t.size, -1)
                if (words == self.fill).all(axis=1).any():
                    missing.append(name)
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
    values = {name: value.single if isinstance(value, Scalar) else value for name, value in call.arguments.items()}
    kinds = {"alpha": "alpha", "scale": "scale", "inputScale": "input_scale", "isResult": "is_result", "dim": "dim"}
    kinds |= {"negativeSlope": "negative_slope", "selfIsResult": "self_is_result", "approximate": "approximate"}
    kinds |= {"activateLeft": "activate_left"}
    name = call.function.removeprefix("aclnn").removeprefix("Inplace").replace("V3", "")
    name = {"Elu": "elu", "Selu": "selu", "LeakyRelu": "leaky_relu", "GeGlu": "geglu"}[name.replace("Backward", "")]
    function = getattr(actgrad, name + "_backward" * call.function.endswith("Backward"))
    outs = [np.empty(call[n].shape, NUMPY[call[n].dtype]) for n in OUTPUTS[call.function]]
    function(
        *(live.given(n) for n in INPUTS[call.function]),
        **{kinds[n]: value for n, value in values.items() if n in kinds},
        out=outs[0] if len(outs) == 1 else tuple(outs),
        **options,
    )
    return outs


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
