"""NumPy's arrays of every kind: what is accepted, what comes back, how long it lives, what is refused and how."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from tests.support.array_kinds import X, elu
from tests.support.calls import BFLOAT16, OPERATORS, ids, inputs, same_bits


class Subclass(np.ndarray):
    pass


def memory_mapped(tmp_path: Any) -> np.memmap:
    mapped = np.memmap(tmp_path / "x", np.float32, "w+", shape=X.shape)
    mapped[...] = X
    return mapped


@pytest.mark.parametrize(
    "make",
    [
        lambda tmp_path: memory_mapped(tmp_path),
        lambda tmp_path: X.view(Subclass),
        lambda tmp_path: X.view(np.matrix),
        lambda tmp_path: X.astype("=f4"),
        lambda tmp_path: np.frombuffer(X.tobytes(), np.float32),  # read-only
        lambda tmp_path: np.broadcast_to(X[0], (3, 6)),
        lambda tmp_path: np.asarray(np.float32(-1)),
        lambda tmp_path: np.float32(-1),
        lambda tmp_path: np.float16(-1),
        lambda tmp_path: np.float64(-1),
        lambda tmp_path: BFLOAT16.type(-1),
    ],
    ids=["memmap", "subclass", "matrix", "native", "read-only", "broadcast", "rank 0", "f4", "f2", "f8", "bf16"],
)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_numpy_kinds(make: Any, tmp_path: Any) -> None:
    x = make(tmp_path)
    for backend in ("cpu", "reference"):
        got = actgrad.elu(x, backend=backend)
        assert type(got) is np.ndarray
        assert got.dtype == x.dtype
        assert got.shape == x.shape
        np.testing.assert_allclose(np.float64(got), np.float64(elu(x)), rtol=1e-6)
    assert same_bits(actgrad.elu(x), elu(x))


def test_memory_map_as_output(tmp_path: Any) -> None:
    mapped = memory_mapped(tmp_path)
    assert actgrad.elu(X, out=mapped) is mapped
    mapped.flush()
    assert np.array_equal(np.fromfile(tmp_path / "x", np.float32).reshape(X.shape), elu(X))


def foreign(dtype: str) -> np.ndarray:
    return X.astype(np.dtype(dtype).newbyteorder())


REFUSED_INPUTS = [
    (
        foreign("f4"),
        actgrad.InvalidDtype,
        "float32 in the other byte order; it must be in this machine's; pass .astype('float32')",
    ),
    (
        foreign("f2"),
        actgrad.InvalidDtype,
        "float16 in the other byte order; it must be in this machine's; pass .astype('float16')",
    ),
    (
        np.ma.masked_invalid(X),
        actgrad.InvalidCall,
        "is a masked array; it must be a plain array, without a mask; pass .filled(value)",
    ),
    (X.astype(np.longdouble), actgrad.InvalidDtype, "; it must be a dtype that actgrad knows"),
    (X.astype(object), actgrad.InvalidDtype, "is object"),
    (X.astype(str), actgrad.InvalidDtype, "; it must be a dtype that actgrad knows"),
    (X.astype("M8[s]"), actgrad.InvalidDtype, "; it must be a dtype that actgrad knows"),
    (np.zeros(3, [("a", "f4")]), actgrad.InvalidDtype, "; it must be a dtype that actgrad knows"),
    (X.astype(complex), actgrad.InvalidDtype, "is complex128; it must be "),
    (X.astype(int), actgrad.InvalidDtype, "is int64; it must be "),
    (X > 0, actgrad.InvalidDtype, "is bool; it must be "),
    (
        X.tolist(),
        actgrad.InvalidCall,
        "is a list; it must be a NumPy array, a torch.Tensor or an array with __dlpack__",
    ),
    (1.0, actgrad.InvalidCall, "is a float; it must be"),
    ("x", actgrad.InvalidCall, "is a str; it must be"),
    (X.data, actgrad.InvalidCall, "is a memoryview; it must be"),
    (np.ndarray, actgrad.InvalidCall, "is the class ndarray; it must be"),
]


class Raising:
    """No array, and one that says so in its own way to whoever asks."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise KeyError("none of your business")


REFUSED_INPUTS += [
    ([[1.0], [2.0, 3.0]], actgrad.InvalidCall, "is a list; it must be"),
    (Raising(), actgrad.InvalidCall, "is a Raising; it must be"),
]


@pytest.mark.parametrize(("x", "error", "message"), REFUSED_INPUTS)
def test_refused_inputs(x: Any, error: type[Exception], message: str) -> None:
    for _ in range(2):  # what follows must not pass for a call like these
        actgrad.elu(X)
        actgrad.elu(X, out=X.copy())
    for backend in (None, "cpu", "reference"):
        with pytest.raises(error) as caught:
            actgrad.elu(x, backend=backend)
        assert caught.type is error
        assert str(caught.value).startswith("elu: self ")
        assert message in str(caught.value)
    with pytest.raises(error, match=r"^elu_backward: self_or_result "):
        actgrad.elu_backward(X, x)


def test_foreign_byte_order_is_seen_behind_a_dtype_of_its_own() -> None:
    """A dtype object may be as short-lived as its array, and another may come to lie where it lay."""
    for _ in range(20):
        own = np.dtype("f4", metadata={"own": True})
        x = np.ndarray(X.shape, own)
        x[...] = X
        assert same_bits(actgrad.elu(x).astype(np.float32), elu(X))
        assert same_bits(actgrad.elu(x, out=np.ndarray(X.shape, own)).astype(np.float32), elu(X))
        del x, own
        foreign_dtype = np.dtype(">f4" if sys.byteorder == "little" else "<f4", metadata={"own": False})
        y = np.ndarray(X.shape, foreign_dtype)
        y[...] = X
        with pytest.raises(actgrad.InvalidDtype, match=r"in the other byte order"):
            actgrad.elu(y, out=np.ndarray(X.shape, foreign_dtype))
        del y, foreign_dtype


@pytest.mark.parametrize(
    "out",
    [np.frombuffer(X.tobytes(), np.float32).reshape(X.shape), np.broadcast_to(X[0], X.shape)],
    ids=["bytes", "view"],
)
def test_read_only_output(out: np.ndarray) -> None:
    before = out.tobytes()
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out (is read-only|overlaps itself)"):
        actgrad.elu(X, out=out)
    assert out.tobytes() == before


def test_scalar_output_is_refused() -> None:
    """A NumPy scalar cannot be written to; its result would be lost."""
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out is read-only"):
        actgrad.elu(np.float32(1), out=np.float32(0))


def test_refused_output_names_the_output() -> None:
    with pytest.raises(actgrad.InvalidCall, match=r"^elu_backward: grad_input is a list; it must be"):
        actgrad.elu_backward(X, X, out=[0.0])
    with pytest.raises(actgrad.InvalidCall, match=r"^geglu: out_gelu is a list; it must be"):
        actgrad.geglu(X, out=(X[:, :3].copy(), [0.0]))


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_memory_order_follows_the_input(operator: actgrad.Operator) -> None:
    """As NumPy's empty_like: dense, in the order of the input's strides."""
    rng = np.random.default_rng(0)
    for order in [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)]:
        plain = inputs(rng, operator, (4, 5, 6), dim=0)
        tensors = [
            np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order)) for values in plain.values()
        ]
        attributes = {"dim": 0} if operator.access.is_packed else {}
        for result in samples.as_tuple(operator(*tensors, **attributes)):
            assert result.transpose(order).flags.c_contiguous


def test_memory_order_of_views() -> None:
    whole = np.zeros((8, 10, 12), np.float32)
    for view in (whole[::2, ::-1, 1::3], whole.transpose(2, 0, 1)[::3], whole[:, :1], whole[:, None], whole[..., 0]):
        order = sorted(range(view.ndim), key=lambda d: -abs(view.strides[d]))
        assert actgrad.elu(view).transpose(order).flags.c_contiguous


# Lifetimes


def test_a_plan_keeps_its_arrays_alive() -> None:
    x = X.copy()
    expected = elu(x)
    alive = weakref.ref(x)
    plan = actgrad.elu.plan(x)
    del x
    gc.collect()
    assert alive() is not None
    junk = [np.full(X.shape, 9, np.float32) for _ in range(100)]
    assert np.array_equal(plan.run(), expected)
    del plan, junk
    gc.collect()
    assert alive() is None


def test_a_plan_keeps_its_output_alive() -> None:
    out = np.zeros_like(X)
    alive = weakref.ref(out)
    plan = actgrad.elu.plan(X, out=out)
    del out
    gc.collect()
    assert alive() is not None
    assert np.array_equal(plan.run(), elu(X))


def test_a_call_keeps_nothing_alive() -> None:
    x, out = X.copy(), np.zeros_like(X)
    alive = [weakref.ref(x), weakref.ref(out)]
    actgrad.elu(x, out=out)
    del x, out
    gc.collect()
    assert [ref() for ref in alive] == [None, None]
