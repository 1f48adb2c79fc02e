"""Arrays of every kind as inputs and outputs: what is accepted, what comes back, what is refused and how."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from calls import BFLOAT16, OPERATORS, ids, inputs, run_script, same_bits

import actgrad
from actgrad import testing
from actgrad.arrays import _Tensor, _VersionedTensor
from actgrad.layouts import GATED

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)


def elu(x: Any) -> np.ndarray:
    """The result for an ordinary array of the same values."""
    return actgrad.elu(np.array(x, order="C"))


# NumPy


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
    (foreign("f4"), actgrad.InvalidDtype, "float32 in foreign byte order; pass .astype('float32')"),
    (foreign("f2"), actgrad.InvalidDtype, "float16 in foreign byte order; pass .astype('float16')"),
    (np.ma.masked_invalid(X), actgrad.InvalidCall, "masked array, whose mask would be lost; pass .filled(value)"),
    (X.astype(np.longdouble), actgrad.InvalidDtype, "no tensor dtype"),
    (X.astype(object), actgrad.InvalidDtype, "is object"),
    (X.astype(str), actgrad.InvalidDtype, "no tensor dtype"),
    (X.astype("M8[s]"), actgrad.InvalidDtype, "no tensor dtype"),
    (np.zeros(3, [("a", "f4")]), actgrad.InvalidDtype, "no tensor dtype"),
    (X.astype(complex), actgrad.InvalidDtype, "is complex128; supported: "),
    (X.astype(int), actgrad.InvalidDtype, "is int64; supported: "),
    (X > 0, actgrad.InvalidDtype, "is bool; supported: "),
    (
        X.tolist(),
        actgrad.InvalidCall,
        "is a list; it must be a NumPy array, a torch.Tensor or an array with __dlpack__",
    ),
    (1.0, actgrad.InvalidCall, "is a float; it must be"),
    ("x", actgrad.InvalidCall, "is a str; it must be"),
    (X.data, actgrad.InvalidCall, "is a memoryview; it must be"),
    (np.ndarray, actgrad.InvalidCall, "(type) gives no DLPack"),
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
        with pytest.raises(actgrad.InvalidDtype, match=r"foreign byte order"):
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
        attributes = {"dim": 0} if operator.layout == GATED else {}
        for result in testing.as_tuple(operator(*tensors, **attributes)):
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


# DLPack


class Producer:
    """An array of another library, known only by its DLPack methods."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


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
    with pytest.raises(actgrad.InvalidDtype, match=rf"^elu: self is {dtype}; supported: "):
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
    ({"major": 2}, actgrad.InvalidCall, "speaks DLPack 2"),
    ({"tensor__dtype__code": 3}, actgrad.InvalidDtype, "DLPack type 3, 32 bits, 1 lanes"),
    ({"tensor__dtype__code": 10, "tensor__dtype__bits": 8}, actgrad.InvalidDtype, "DLPack type 10, 8 bits"),
    ({"tensor__dtype__bits": 24}, actgrad.InvalidDtype, "24 bits"),
    ({"tensor__dtype__lanes": 4}, actgrad.InvalidDtype, "4 lanes"),
    ({"tensor__device__type": 8}, actgrad.BackendUnavailable, "lives on DLPack device type 8"),
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

    with pytest.raises(actgrad.InvalidCall, match=r"^elu: self \(Failing\) gives no DLPack: not today"):
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


# PyTorch


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_torch(torch: Any, dtype: str) -> None:
    x = torch.from_numpy(X.copy()).to(getattr(torch, dtype))
    got = actgrad.elu(x)
    assert type(got) is torch.Tensor
    assert got.dtype == x.dtype
    array = x.view(torch.int16).numpy().view(BFLOAT16) if dtype == "bfloat16" else x.numpy()
    assert bytes(got.view(torch.uint8).flatten().tolist()) == actgrad.elu(array).tobytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.T,
        lambda x: x[1:, ::2],
        lambda x: x.chunk(2, -1)[1],
        lambda x: x[0, 0],
        lambda x: x[:0],
        lambda x: x[0].expand(5, 6),
        lambda x: x.reshape(1, 2, 2, 6).to(memory_format=__import__("torch").channels_last),
    ],
    ids=["transposed", "sliced", "chunk", "rank 0", "empty", "expanded", "channels last"],
)
def test_torch_views(torch: Any, change: Any) -> None:
    x = change(torch.from_numpy(X.copy()))
    for backend in ("cpu", "reference"):
        got = actgrad.elu(x, backend=backend)
        assert got.shape == x.shape
        assert got.stride() == torch.empty_like(x).stride()
        assert torch.allclose(got, torch.nn.functional.elu(x))
    out = torch.full(x.shape, float("nan"))
    assert actgrad.elu(x, out=out) is out
    assert torch.equal(out, actgrad.elu(x))


def test_torch_gated(torch: Any) -> None:
    pair = actgrad.geglu(torch.from_numpy(X))
    assert isinstance(pair, tuple)
    for got, wanted in zip(pair, actgrad.geglu(X), strict=True):
        assert np.array_equal(got.numpy(), wanted)


def test_torch_that_requires_grad(torch: Any) -> None:
    x = torch.from_numpy(X.copy()).requires_grad_()
    assert actgrad.elu(x).requires_grad
    refused = (
        lambda: actgrad.elu.plan(x),
        lambda: actgrad.elu(x, out=torch.empty_like(x)),
        lambda: actgrad.elu(x, backend="reference"),
        lambda: actgrad.elu(x.detach(), out=x),
    )
    for call in refused:
        with pytest.raises(actgrad.InvalidArgument, match=r"requires grad.*\.detach\(\).*torch\.no_grad\(\)"):
            call()
    with torch.no_grad():
        assert np.array_equal(actgrad.elu(x).numpy(), elu(X))
    with torch.inference_mode():
        assert np.array_equal(actgrad.elu(x).numpy(), elu(X))
    assert np.array_equal(actgrad.elu(x.detach()).numpy(), elu(X))
    assert np.array_equal(actgrad.elu(torch.nn.Parameter(x.detach(), requires_grad=False)).numpy(), elu(X))


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # PyTorch's own, when it loads this mode
def test_torch_with_a_tangent(torch: Any) -> None:
    """Forward-mode differentiation is not silently cut off either."""
    forward_mode = torch.autograd.forward_ad
    with forward_mode.dual_level():
        dual = forward_mode.make_dual(torch.ones(3), torch.ones(3))
        assert forward_mode.unpack_dual(actgrad.elu(dual)).tangent.tolist() == [1, 1, 1]
        with pytest.raises(actgrad.InvalidArgument, match=r"^elu: self requires grad"):
            actgrad.elu(dual, out=torch.ones(3))
        assert forward_mode.unpack_dual(actgrad.elu(torch.ones(3))).tangent is None


def test_torch_output_is_known_to_have_changed(torch: Any) -> None:
    """Autograd must see that a tensor it saved was written to, or it computes a wrong gradient without a word."""
    weight, x = torch.ones(3, requires_grad=True), torch.full((3,), -2.0)
    product = weight * x
    actgrad.elu(x, out=x)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation"):
        product.sum().backward()


def freed(torch: Any) -> Any:
    tensor = torch.ones(5)
    tensor.untyped_storage().resize_(0)
    return tensor


REFUSED_TENSORS = [
    (lambda t: t.eye(3).to_sparse(), "sparse.*to_dense"),
    (lambda t: t.eye(3).to_sparse_csr(), "sparse.*to_dense"),
    (lambda t: t.quantize_per_tensor(t.ones(4), 0.1, 0, t.qint8), "quantised.*dequantize"),
    (lambda t: t.nested.nested_tensor([t.ones(2), t.ones(3)]), "nested"),
    (lambda t: t.nested.nested_tensor([t.ones(2), t.ones(3)], layout=t.jagged), "nested"),
    (lambda t: t.conj(t.ones(3, dtype=t.complex64)).imag, "resolve_neg"),
    (lambda t: t.conj(t.ones(3, dtype=t.complex64)), "resolve_conj"),
    (lambda t: t.ones(3, device="meta"), "no backend computes on device meta"),
    (lambda t: t.ones(3).to(t.float8_e4m3fn), "is float8_e4m3fn"),
    (lambda t: t.ones(3, dtype=t.int64), "is int64; supported: "),
    (lambda t: t.ones(3, dtype=t.bool), "is bool; supported: "),
    (freed, "without memory of its own"),
]


@pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning", "ignore:The PyTorch API of nested:UserWarning")
@pytest.mark.filterwarnings("ignore:.*quantiz.*", "ignore:.*Quantiz.*", "ignore:.*ao.quantization.*")
@pytest.mark.parametrize(("make", "message"), REFUSED_TENSORS, ids=lambda v: v if isinstance(v, str) else "")
def test_refused_tensors(torch: Any, make: Any, message: str) -> None:
    tensor = make(torch)
    with pytest.raises(actgrad.ActgradError, match=rf"^elu: .*{message}") as caught:
        actgrad.elu(tensor)
    assert caught.value.status in (161002, 561003)


def test_refused_tensors_after_good_ones(torch: Any) -> None:
    """In a process of its own, because what has no memory ends it where that is not noticed."""
    script = """
import warnings; warnings.simplefilter("ignore")
import torch, actgrad
from test_arrays import REFUSED_TENSORS
def refused(name, shape, call):
    print(name, flush=True)
    x = torch.ones(shape)
    for dtype in (torch.float32, torch.complex64):
        for _ in range(2):
            actgrad.elu(x)
            actgrad.elu(x, out=torch.empty(shape, dtype=dtype))
    try:
        call()
    except actgrad.ActgradError:
        return
    raise SystemExit(name + " was accepted")
for number, (make, message) in enumerate(REFUSED_TENSORS):
    bad = make(torch)
    shape = (3,) if bad.is_nested else tuple(bad.shape)
    refused(f"input {number}: {message}", shape, lambda: actgrad.elu(bad))
    refused(f"output {number}: {message}", shape, lambda: actgrad.elu(torch.ones(shape), out=bad))
x, transforms = torch.ones(5), torch.func
for name in ("vmap", "functionalize"):
    refused(name + " out", 5, lambda: getattr(transforms, name)(lambda y: actgrad.elu(x, out=y))(torch.ones(5, 5)))
refused("functionalize out", 5, lambda: transforms.functionalize(lambda y: actgrad.elu(x, out=y))(torch.ones(5)))
refused("grad out", 5, lambda: transforms.grad(lambda y: actgrad.elu(y, out=torch.ones(5)).sum())(x))
refused("jvp out", 5, lambda: transforms.jvp(lambda y: actgrad.elu(y, out=torch.ones(5)), (x,), (x,)))
refused("requires grad out", 5, lambda: actgrad.elu(x.clone().requires_grad_(), out=torch.ones(5)))
refused("output requires grad", 5, lambda: actgrad.elu(x, out=x.clone().requires_grad_()))
refused("lazy conjugate as output", 5, lambda: actgrad.elu(x, out=torch.empty(5, dtype=torch.complex64).conj()))
refused("shared", 5, lambda: (lambda y: actgrad.elu(y[:5], out=y[1:6]))(torch.ones(7)))
"""
    run_script(script)


def test_torch_through_dlpack(torch: Any) -> None:
    """PyTorch's bfloat16, which NumPy does not export."""
    x = torch.from_numpy(X.copy()).bfloat16()

    class Other:
        def __dlpack__(self, **options: Any) -> Any:
            return x.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return x.__dlpack_device__()

    got = actgrad.elu(Other())
    assert got.dtype == BFLOAT16
    assert got.tobytes() == bytes(actgrad.elu(x).view(torch.uint8).flatten().tolist())


def test_torch_subclass(torch: Any) -> None:
    class Named(torch.Tensor):
        pass

    x = torch.from_numpy(X.copy()).as_subclass(Named)
    assert np.array_equal(actgrad.elu(x).numpy(), elu(X))


def test_mixed_libraries(torch: Any) -> None:
    tensor = torch.from_numpy(X.copy())
    for g, x in ((X, tensor), (tensor, X), (Producer(X), X), (tensor, Producer(X))):
        message = f"self_or_result is a {type(x).__name__}, but grad_output is a {type(g).__name__}; pass arrays of one"
        with pytest.raises(actgrad.InvalidCall, match=rf"^elu_backward: {message}"):
            actgrad.elu_backward(g, x)
    with pytest.raises(actgrad.InvalidCall, match=r"^elu: out is a ndarray, but self is a Tensor; pass arrays of one"):
        actgrad.elu(tensor, out=X.copy())


def test_devices_are_not_mixed(torch: Any) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=r"self_or_result is on meta, but grad_output is on cpu"):
        actgrad.elu_backward(torch.ones(3), torch.ones(3, device="meta"))


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_kind_of_every_result(torch: Any, operator: actgrad.Operator) -> None:
    plain = inputs(np.random.default_rng(1), operator, (3, 4))
    expected = testing.as_tuple(operator(*plain.values()))
    tensors = testing.as_tuple(operator(*map(torch.from_numpy, plain.values())))
    exchanged = testing.as_tuple(operator(*map(Producer, plain.values())))
    for wanted, tensor, array in zip(expected, tensors, exchanged, strict=True):
        assert isinstance(tensor, torch.Tensor)
        assert same_bits(tensor.numpy(), wanted)
        assert same_bits(array, wanted)
