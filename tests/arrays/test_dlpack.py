"""Arrays of other libraries, by way of DLPack."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.arrays.foreign import _Tensor, _VersionedTensor
from tests.support.array_kinds import Producer, X, elu
from tests.support.calls import BFLOAT16, same_bits


class OldProducer(Producer):
    """One from before DLPack 1.0."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return self.array.__dlpack__()


VIEWS = {
    "contiguous": X,
    "transposed": X.T,
    "sliced": X[1:, ::2],
    "backwards": X[::-1, ::-1],
    "rank 0": X[0, 0, ...],
    "empty": X[:0],
    "rank 6": X.reshape(1, 4, 1, 3, 2, 1),
}


@pytest.mark.parametrize("x", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("producer", [Producer, OldProducer])
def test_dlpack(producer: type[Producer], x: np.ndarray) -> None:
    x = x.copy() if x.ndim == 0 else x
    for backend in ("cpu", "reference"):
        assert np.allclose(actgrad.elu(producer(x), backend=backend), elu(x))
    assert same_bits(actgrad.elu(producer(x)), elu(x))
    target = np.full(x.shape[::-1], np.nan, np.float32).T
    out = producer(target)
    assert actgrad.elu(producer(x), out=out) is out
    assert same_bits(target, elu(x))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dlpack_dtypes(dtype: str) -> None:
    assert same_bits(actgrad.elu(Producer(X.astype(dtype))), elu(X.astype(dtype)))


@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_dlpack_integers(dtype: str) -> None:
    assert same_bits(actgrad.selu(Producer(X.astype(dtype))), actgrad.selu(X.astype(dtype)))


@pytest.mark.parametrize("dtype", ["bool", "uint16", "complex64", "int64"])
def test_dlpack_dtypes_of_no_operator(dtype: str) -> None:
    with pytest.raises(actgrad.InvalidDtype, match=rf"^elu: self is {dtype}; it must be "):
        actgrad.elu(Producer(X.astype(dtype)))


def versioned(array: np.ndarray, **changes: Any) -> Producer:
    """A producer whose DLPack struct is changed before it is handed over; `major`, `flags`, or fields of the tensor."""

    class Changed(Producer):
        def __dlpack__(self, **options: Any) -> Any:
            capsule = self.array.__dlpack__(**options)
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
            struct = _VersionedTensor.from_address(get(capsule, b"dltensor_versioned"))
            for name, value in changes.items():
                place: Any = struct
                *path, last = name.split("__")
                for part in path:
                    place = getattr(place, part)
                setattr(place, last, value)
            return capsule

    return Changed(array)


def test_dlpack_read_only() -> None:
    target = np.zeros_like(X)
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out is read-only"):
        actgrad.elu(Producer(X), out=versioned(target, flags=1))
    assert not target.any()
    assert same_bits(actgrad.elu(versioned(X.copy(), flags=1)), elu(X))
    read_only = X.copy()
    read_only.flags.writeable = False
    assert same_bits(actgrad.elu(Producer(read_only)), elu(X))
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out is read-only"):
        actgrad.elu(Producer(X), out=Producer(read_only))


def test_dlpack_byte_offset() -> None:
    first_column_but_one = versioned(X.copy(), tensor__byte_offset=4, tensor__ndim=1)
    assert same_bits(actgrad.elu(first_column_but_one), elu(X[:, 1]))


def test_dlpack_without_strides_is_contiguous() -> None:
    strides = dict(_Tensor._fields_)["strides"]
    assert same_bits(actgrad.elu(versioned(X.copy(), tensor__strides=strides())), elu(X))


DLPACK_REFUSALS = [
    ({"major": 2}, actgrad.InvalidCall, "exports DLPack version 2; actgrad reads versions 0 and 1"),
    ({"tensor__dtype__code": 3}, actgrad.InvalidDtype, "DLPack type code 3 with 32 bits and 1 lane; "),
    ({"tensor__dtype__code": 10, "tensor__dtype__bits": 8}, actgrad.InvalidDtype, "DLPack type code 10 with 8 bits"),
    ({"tensor__dtype__bits": 24}, actgrad.InvalidDtype, "24 bits"),
    ({"tensor__dtype__lanes": 4}, actgrad.InvalidDtype, "4 lanes"),
    (
        {"tensor__device__type": 8},
        actgrad.BackendUnavailable,
        "is on a device of DLPack type 8; it must be on cpu, cuda or rocm",
    ),
]


@pytest.mark.parametrize(
    ("changes", "error", "message"), DLPACK_REFUSALS, ids=lambda v: str(v) if isinstance(v, dict) else ""
)
def test_dlpack_refusals(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=rf"^elu: self .*{message}"):
        actgrad.elu(versioned(X.copy(), **changes))


def test_dlpack_producer_that_fails() -> None:
    class Failing(Producer):
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("not today")

    with pytest.raises(
        actgrad.InvalidCall, match=r"^elu: self \(Failing\) raises BufferError: not today from __dlpack__"
    ):
        actgrad.elu(Failing(X))


def test_dlpack_capsules_are_given_back() -> None:
    """A capsule that is looked at and dropped frees what it holds; a plan's lives as long as the plan."""
    x = X.copy()
    alive = weakref.ref(x)
    actgrad.elu(Producer(x))
    plan = actgrad.elu.plan(Producer(x))
    del x
    gc.collect()
    assert alive() is not None
    assert np.array_equal(plan.run(), elu(X))
    del plan
    gc.collect()
    assert alive() is None


def test_result_in_the_library_of_the_input() -> None:
    """A library of the array API standard converts the result itself."""

    class Wrapped(Producer):
        def __array_namespace__(self, api_version: Any = None) -> Any:
            return Namespace

    class Namespace:
        @staticmethod
        def from_dlpack(x: Any) -> Wrapped:
            return Wrapped(np.from_dlpack(x))

        @staticmethod
        def asarray(x: Any) -> Wrapped:
            return Wrapped(x)

    got = actgrad.elu(Wrapped(X))
    assert isinstance(got, Wrapped)
    assert same_bits(got.array, elu(X))
    pair = actgrad.geglu(Wrapped(X))
    assert [type(part) for part in pair] == [Wrapped, Wrapped]

    class Halves(Wrapped):
        """Of bfloat16, whose bits another library exports."""

        def __dlpack__(self, **options: Any) -> Any:
            capsule = self.array.view(np.int16).__dlpack__(**options)
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
            _VersionedTensor.from_address(get(capsule, b"dltensor_versioned")).tensor.dtype.code = 4
            return capsule

    halves = actgrad.elu(Halves(X.astype(BFLOAT16)))
    assert isinstance(halves, Wrapped)
    assert same_bits(halves.array, elu(X.astype(BFLOAT16)))


def test_a_producer_that_calls_the_operator_on_itself() -> None:
    """It fails as any endless recursion does; a second try at each level would never end."""

    class Endless:
        calls = 0

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **options: Any) -> Any:
            Endless.calls += 1
            return actgrad.elu(self)

    with pytest.raises((RecursionError, actgrad.InvalidCall)):
        actgrad.elu(Endless())
    assert Endless.calls < 2000
