"""Arrays of other libraries that describe themselves wrongly: each field, by each interface."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

import numpy as np
import pytest

import actgrad
from tests.arrays.test_dlpack import Producer, versioned
from tests.support.array_kinds import X, elu
from tests.support.calls import same_bits


class Described:
    """An array by CUDA's interface."""

    def __init__(self, interface: Any):
        self.__cuda_array_interface__ = interface


GOOD = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": None}
FIELD = "__cuda_array_interface__"
WRONG_FIELDS: list[tuple[dict[str, Any], str]] = [
    *[({"shape": w}, r"\['shape'\] is .*; it must be a tuple of integers") for w in
      (None, 3, "abc", 2.0, ("a",), (2.5,), (None,), [[3]], {3}, object())],
    *[({"shape": w}, r"has shape \(.*\); sizes must be 0 or more") for w in ((-1,), (3, -2), (-(2**70),))],
    ({"shape": (1,) * 65}, r"has 65 dimensions; it must have at most 64"),
    *[({"typestr": w}, r"\['typestr'\] is .*; it must be a string") for w in (None, 4, b"<f4", np.float32, ["<f4"])],
    *[({"typestr": w}, r"\['typestr'\] is .*; it must be a data type") for w in ("<x4", "f4f4f4", "<f3", "<", "?!")],
    *[({"typestr": w}, r"; it must be a dtype that actgrad knows") for w in ("|V4", "<U3", "|O", "<M8[s]")],
    ({"typestr": ">f4"}, r"is float32 in the other byte order"),
    *[({"data": w}, r"\['data'\] is .*; it must be a tuple of an address") for w in
      (None, 4096, (4096,), (4096, False, 1), ("4096", False), (None, False), (4096.0, False), "ab")],
    *[({"data": w}, r"its elements must lie in memory") for w in
      ((0, False), (-4096, False), (2**64 - 4, False), (10**30, False))],
    *[({"strides": w}, r"\['strides'\] is .*; it must be None or a tuple of 1 integers") for w in
      (4, "4", (4.0,), (None,), (4, 4), (), object())],
    *[({"strides": w}, r"its elements must lie in memory") for w in ((2**62,), (-(2**40),), (10**30,))],
    *[({"stream": w}, r"\['stream'\] is .*; it must be an integer or None") for w in ("1", 1.0, object(), [1])],
    ({"mask": X}, r"is a masked array; it must have no mask"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"), WRONG_FIELDS, ids=lambda v: next(iter(v)) if isinstance(v, dict) else ""
)
def test_fields_of_cuda_array_interfaces(changes: dict[str, Any], message: str) -> None:
    for call in (actgrad.elu, actgrad.elu.plan):
        with pytest.raises(
            (actgrad.InvalidCall, actgrad.InvalidArgument, actgrad.InvalidDtype), match=message
        ) as caught:
            call(Described({**GOOD, **changes}))
        assert str(caught.value).startswith("elu: self")
    with pytest.raises(actgrad.ActgradError, match=r"^elu: out"):
        actgrad.elu(X, out=Described({**GOOD, **changes}))


@pytest.mark.parametrize("missing", ["shape", "typestr", "data"])
def test_missing_fields_of_cuda_array_interfaces(missing: str) -> None:
    interface = {name: value for name, value in GOOD.items() if name != missing}
    with pytest.raises(actgrad.InvalidCall, match=rf"^elu: self: {FIELD}\['{missing}'\] is None; it must be"):
        actgrad.elu(Described(interface))


@pytest.mark.parametrize("interface", [0, "abc", (), [("shape", (3,))], object(), dict, lambda: GOOD])
def test_cuda_array_interfaces_that_are_no_dictionary(interface: Any) -> None:
    with pytest.raises(actgrad.InvalidCall, match=rf"^elu: self: {FIELD} is .*; it must be a dictionary"):
        actgrad.elu(Described(interface))


@pytest.mark.parametrize("error", [RuntimeError("not today"), KeyError("shape"), ValueError(), BufferError("x")])
@pytest.mark.parametrize("name", ["__cuda_array_interface__", "__dlpack__"])
def test_properties_that_raise(name: str, error: Exception) -> None:
    def fail(_: Any) -> Any:
        raise error

    kind = type("Failing", (), {name: property(fail)})
    message = rf"^elu: self \(Failing\) raises {type(error).__name__}.* for {name}"
    with pytest.raises(actgrad.InvalidCall, match=message) as caught:
        actgrad.elu(kind())
    assert caught.value.__cause__ is error


def test_a_right_description_is_taken() -> None:
    """As far as a machine without a GPU takes it."""
    for changes in ({}, {"strides": (4,)}, {"shape": [3]}, {"shape": (np.int64(3),)}, {"data": [4096, 0]}):
        assert actgrad.arrays.view(Described({**GOOD, **changes}), "elu", "self").address == 4096
    empty = actgrad.arrays.view(Described({**GOOD, "shape": (0,), "data": (0, False)}), "elu", "self")
    assert empty.meta.size == 0


# DLPack


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tensor__ndim": -1}, "has -1 dimensions"),
        ({"tensor__ndim": 65}, "has 65 dimensions; it must have at most 64"),
        ({"tensor__shape": ctypes.POINTER(ctypes.c_int64)()}, "has 2 dimensions and no shape"),
        ({"tensor__data": None}, "its elements must lie in memory"),
        ({"tensor__data": 2**64 - 8}, "its elements must lie in memory"),
        ({"tensor__byte_offset": 2**64 - 8}, "its elements must lie in memory"),
        ({"tensor__shape__contents": ctypes.c_int64(-4)}, r"has shape \(-4, "),
        ({"tensor__strides__contents": ctypes.c_int64(2**62)}, "its elements must lie in memory"),
        ({"tensor__strides__contents": ctypes.c_int64(-(2**62))}, "its elements must lie in memory"),
    ],
    ids=lambda v: next(iter(v)) if isinstance(v, dict) else "",
)
def test_dlpack_structs(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=rf"^elu: self .*{message}"):
        actgrad.elu(versioned(X.copy(), **changes))


class FakeCapsule:
    pass


FakeCapsule.__name__ = "PyCapsule"
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_NAMES = {name: ctypes.create_string_buffer(name) for name in (b"used_dltensor", b"\xff\xfe")}  # capsules point to them


@pytest.mark.parametrize(
    ("capsule", "message"),
    [
        (None, "None"),
        (3, "an int"),
        ("dltensor", "a str"),
        (X, "an ndarray"),
        (FakeCapsule(), "a PyCapsule"),
        (_new(1, None, None), "a capsule without a name"),
        (_new(1, ctypes.cast(_NAMES[b"used_dltensor"], ctypes.c_char_p), None), "a capsule named 'used_dltensor'"),
        (_new(1, ctypes.cast(_NAMES[b"\xff\xfe"], ctypes.c_char_p), None), "a capsule named '.*'"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_dlpack_capsules(capsule: Any, message: str) -> None:
    class Giving(Producer):
        def __dlpack__(self, **_: Any) -> Any:
            return capsule

    with pytest.raises(actgrad.InvalidCall, match=rf"^elu: self \(Giving\): __dlpack__ returned {message}; it must"):
        actgrad.elu(Giving(X))


@pytest.mark.parametrize("export", [3, "abc", lambda: None, lambda **_: (), np.ndarray.__dlpack__])
def test_dlpack_that_is_no_method(export: Any) -> None:
    kind = type("Odd", (), {"__dlpack__": export})
    with pytest.raises(actgrad.InvalidCall, match=r"^elu: self \(Odd\) raises .*__dlpack__"):
        actgrad.elu(kind())


@pytest.mark.parametrize("device", [None, 3, "cpu", (1,), (1, 2, 3), ("cpu", 0), (None, None), (2, "a"), ([], 0)])
def test_dlpack_devices(device: Any) -> None:
    """They matter where a GPU may be; else the tensor itself says where it is."""
    pytest.importorskip("torch")

    class Elsewhere(Producer):
        def __dlpack_device__(self) -> Any:
            return device

    with contextlib.suppress(actgrad.InvalidCall):
        assert same_bits(actgrad.elu(Elsewhere(X)), elu(X))


# NumPy's own interface


class Misdescribed(np.ndarray):
    """An array whose class says wrong things of it."""

    __array_interface__ = property(lambda self: {"data": None})  # type: ignore[assignment]
    shape = property(lambda self: (10**9,))  # type: ignore[assignment]
    strides = property(lambda self: "none")  # type: ignore[assignment]
    dtype = property(lambda self: "float64")  # type: ignore[assignment]


class Interface:
    def __init__(self, interface: Any):
        self.__array_interface__ = interface


def test_subclasses_are_seen_as_numpy_sees_them() -> None:
    x = X.copy().view(Misdescribed)
    assert same_bits(actgrad.elu(x), elu(X))
    out = np.zeros_like(X)
    actgrad.elu(X, out=out.view(Misdescribed))
    assert same_bits(out, elu(X))


@pytest.mark.parametrize("interface", [None, 3, {}, {"shape": (3,)}, X.__array_interface__])
def test_numpys_interface_alone_is_no_array(interface: Any) -> None:
    """Operators do not guess whether a copy is wanted; numpy.asarray says so."""
    with pytest.raises(actgrad.InvalidCall, match=r"^elu: self is an Interface; it must be a NumPy array"):
        actgrad.elu(Interface(interface))
