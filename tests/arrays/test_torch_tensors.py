"""PyTorch's tensors as inputs and outputs of the plain functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.base.errors import kind_of
from tests.support.array_kinds import Producer, X, elu
from tests.support.calls import BFLOAT16, OPERATORS, ids, inputs, run_script, same_bits


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


@pytest.mark.needs("torch")
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


@pytest.mark.needs("torch")
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
    (lambda t: t.ones(3, device="meta"), "the tensors are on meta; they must be on"),
    (lambda t: t.ones(3).to(t.float8_e4m3fn), "is float8_e4m3fn"),
    (lambda t: t.ones(3, dtype=t.int64), "is int64; it must be "),
    (lambda t: t.ones(3, dtype=t.bool), "is bool; it must be "),
    (freed, "without memory; a tensor must have memory"),
]


@pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning", "ignore:The PyTorch API of nested:UserWarning")
@pytest.mark.filterwarnings("ignore:.*quantiz.*", "ignore:.*Quantiz.*", "ignore:.*ao.quantization.*")
@pytest.mark.parametrize(("make", "message"), REFUSED_TENSORS, ids=lambda v: v if isinstance(v, str) else "")
def test_refused_tensors(torch: Any, make: Any, message: str) -> None:
    tensor = make(torch)
    with pytest.raises(actgrad.ActgradError, match=rf"^elu: .*{message}") as caught:
        actgrad.elu(tensor)
    assert caught.value.status in (161002, 561003)


@pytest.mark.needs("torch")
def test_refused_tensors_after_good_ones(torch: Any) -> None:
    """In a process of its own, because what has no memory ends it where that is not noticed."""
    script = """
import warnings; warnings.simplefilter("ignore")
import torch, actgrad
from tests.arrays.test_torch_tensors import REFUSED_TENSORS
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


@pytest.mark.needs("torch")
def test_torch_subclass(torch: Any) -> None:
    class Named(torch.Tensor):
        pass

    x = torch.from_numpy(X.copy()).as_subclass(Named)
    assert np.array_equal(actgrad.elu(x).numpy(), elu(X))


def test_mixed_libraries(torch: Any) -> None:
    tensor = torch.from_numpy(X.copy())
    for g, x in ((X, tensor), (tensor, X), (Producer(X), X), (tensor, Producer(X))):
        message = f"self_or_result is {kind_of(x)}, but grad_output is {kind_of(g)}; all must be of one"
        with pytest.raises(actgrad.InvalidCall, match=rf"^elu_backward: {message}"):
            actgrad.elu_backward(g, x)
    with pytest.raises(actgrad.InvalidCall, match=r"^elu: out is an ndarray, but self is a Tensor; all must be of one"):
        actgrad.elu(tensor, out=X.copy())


def test_devices_are_not_mixed(torch: Any) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=r"self_or_result is on meta, but grad_output is on cpu"):
        actgrad.elu_backward(torch.ones(3), torch.ones(3, device="meta"))


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_kind_of_every_result(torch: Any, operator: actgrad.Operator) -> None:
    plain = inputs(np.random.default_rng(1), operator, (3, 4))
    expected = samples.as_tuple(operator(*plain.values()))
    tensors = samples.as_tuple(operator(*map(torch.from_numpy, plain.values())))
    exchanged = samples.as_tuple(operator(*map(Producer, plain.values())))
    for wanted, tensor, array in zip(expected, tensors, exchanged, strict=True):
        assert isinstance(tensor, torch.Tensor)
        assert same_bits(tensor.numpy(), wanted)
        assert same_bits(array, wanted)
