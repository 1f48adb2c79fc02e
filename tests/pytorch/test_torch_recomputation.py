"""A gated module computes its product again in the backward pass: the same gradients, without the product in memory."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

import actgrad
from actgrad.torch import convert, exact_in_graphs, swiglu_two

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


class Gate(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self, bias: bool = True):
        super().__init__()
        self.act = nn.SiLU()
        self.g, self.u, self.d = nn.Linear(4, 6, bias), nn.Linear(4, 6, bias), nn.Linear(6, 4, bias)

    def forward(self, x: Any) -> Any:
        return self.d(self.act(self.g(x)) * self.u(x))


class Biasless(Gate):
    def __init__(self) -> None:
        super().__init__(False)


class Packed(Gate):
    def forward(self, x: Any) -> Any:
        a, b = torch.cat([self.g(x), self.u(x)], -1).chunk(2, -1)
        return self.d(functional.gelu(a) * b), x


class Residual(Gate):
    def forward(self, x: Any) -> Any:
        return x + self.d(self.act(self.g(x)) * self.u(x))


class Batched(Gate):
    def forward(self, x: Any) -> Any:
        x = x if x.dim() == 3 else x[None]
        return torch.bmm(self.act(self.g(x)) * self.u(x), self.d.weight.T.expand(len(x), 6, 4)) + self.d.bias


class TwoReaders(Gate):
    def forward(self, x: Any) -> Any:
        h = self.act(self.g(x)) * self.u(x)
        return self.d(h) + self.d(h * h)


class Overwritten(Gate):
    def forward(self, x: Any) -> Any:
        h = self.act(self.g(x)) * self.u(x)
        h.mul_(2)
        return self.d(h)


def deep() -> Any:
    return nn.Sequential(*[Residual() for _ in range(5)])


def same_gradients(ours: Any, theirs: Any, x: Any) -> None:
    """First and second derivatives, and those of a graph that is used several times."""
    results = []
    for model in (ours, theirs):
        leaf = x.clone().requires_grad_()
        y, parameters = model(leaf), list(model.parameters())
        y = y[0] if isinstance(y, tuple) else y
        row = [leaf, *parameters]
        first = torch.autograd.grad(y.square().sum(), row, create_graph=True)
        second = torch.autograd.grad(sum(g.square().sum() for g in first), row, allow_unused=True, retain_graph=True)
        last = torch.autograd.grad(y.sum(), parameters[-2:])
        results.append([y, *first, *[s for s in second if s is not None], *last])
        with pytest.raises(RuntimeError, match="second time"):
            torch.autograd.grad(y.sum(), row)
    torch.testing.assert_close(*results, rtol=1e-12, atol=1e-12)


def converted(make: Callable[[], Any]) -> tuple[Any, Any]:
    torch.manual_seed(0)
    theirs = make().double()
    ours = copy.deepcopy(theirs)
    assert convert(ours).swapped
    return ours, theirs


KINDS = [Gate, Biasless, Packed, Residual, Batched, TwoReaders, Overwritten, deep]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_gradients(kind: Any, shape: tuple[int, ...]) -> None:
    ours, theirs = converted(kind)
    for _ in range(2):  # the first call takes another route
        same_gradients(ours, theirs, torch.randn(shape, dtype=torch.float64))


def is_freed(model: Any, x: Any) -> bool:
    """Whether the input of the last layer is gone after the forward pass."""
    from torch.multiprocessing.reductions import StorageWeakRef

    storages = []
    handle = model.d.register_forward_pre_hook(
        lambda _, args: storages.append(StorageWeakRef(args[0].untyped_storage()))
    )
    y = model(x)
    handle.remove()
    (storage,) = storages
    is_gone = storage.expired()
    y[0].sum().backward()
    return bool(is_gone)


@pytest.mark.parametrize("kind", [Gate, Biasless, Packed, Residual])
def test_the_product_is_not_in_memory(kind: Any) -> None:
    ours, theirs = converted(kind)
    for shape in ((3, 4), (2, 3, 4)):
        x = torch.randn(shape, dtype=torch.float64)
        assert (is_freed(ours, x), is_freed(theirs, x)) == (True, False)


def test_what_else_watches_saved_tensors() -> None:
    """A checkpoint and a user's hooks see all saved tensors, the product too."""
    ours, theirs = converted(Gate)
    x = torch.randn(3, 4, dtype=torch.float64)
    counts = []
    for model in (ours, theirs):
        shapes: list[Any] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t, shapes=shapes: shapes.append(t.shape) or t, lambda t: t
        ):
            model(x)
        counts.append(shapes.count((3, 6)))
    assert counts[0] == 3  # gate, up, product
    for reentrant in (True, False):
        results = []
        for model in (ours, theirs):
            leaf = x.clone().requires_grad_()
            y = torch.utils.checkpoint.checkpoint(model, leaf, use_reentrant=reentrant)
            results.append(torch.autograd.grad(y.sum(), leaf) if not reentrant else (y.sum().backward(), leaf.grad)[1:])
        torch.testing.assert_close(*results)


class ChangedFactor(Gate):
    def forward(self, x: Any) -> Any:
        u = self.u(x)
        y = self.d(self.act(self.g(x)) * u)
        u.data.mul_(2)
        return y


class ChangedProduct(Gate):
    def forward(self, x: Any) -> Any:
        h = self.act(self.g(x)) * self.u(x)
        h.data.mul_(2)
        return self.d(h)


class ChangedElement(Gate):
    def forward(self, x: Any) -> Any:
        h = self.act(self.g(x)) * self.u(x)
        h.detach().numpy()[0, 1] += 1
        return self.d(h)


@pytest.mark.parametrize("kind", [ChangedFactor, ChangedProduct, ChangedElement])
def test_a_change_that_pytorch_does_not_count_raises(kind: Any) -> None:
    ours, _ = converted(kind)
    y = ours(torch.randn(3, 4, dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"overwritten through \.data"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("forward", "backward", "dtype", "refusal"),
    [
        (None, "Ascend950", "float32", ""),
        ("Ascend950", None, "float32", ""),
        ("Ascend950", "Ascend910", "float32", ""),
        (None, "Ascend950", "float64", "swiglu_two_backward: grad_output is float64"),
        ("Ascend910B", "Ascend910", "bfloat16", "swiglu_two_backward: grad_output is bfloat16"),
    ],
)
def test_another_ascend_product_in_the_backward_pass(
    forward: str | None, backward: str | None, dtype: str, refusal: str
) -> None:
    """The product is computed again by the rules of the forward pass; the gradient's operator has those in force."""

    def on(name: str | None) -> Any:
        return actgrad.product(name) if name else nullcontext()

    ours, theirs = (model.to(getattr(torch, dtype)) for model in converted(Gate))
    x = torch.randn(3, 4, dtype=getattr(torch, dtype))
    with on(forward):
        y = ours(x)
    expected = torch.autograd.grad(theirs(x).sum(), list(theirs.parameters()))
    with on(backward):
        (last,) = torch.autograd.grad(y.sum(), [ours.d.weight], retain_graph=True)
        torch.testing.assert_close(last, expected[4], rtol=2e-2, atol=1e-2)
        with pytest.raises(actgrad.ActgradError, match=refusal) if refusal else nullcontext():
            got = torch.autograd.grad(y.sum(), list(ours.parameters()))
            torch.testing.assert_close(got, expected)


def test_a_changed_weight_raises() -> None:
    ours, _ = converted(Gate)
    y = ours(torch.randn(3, 4, dtype=torch.float64))
    with torch.no_grad():
        ours.d.weight.mul_(2)
    with pytest.raises(RuntimeError, match="inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("is_exact", [False, True])
def test_a_compiled_graph_does_not_save_the_product(is_exact: bool) -> None:
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    outputs, gates = [], []

    def keep(graph: Any, _: Any) -> Any:
        outputs.append([node.meta["val"].shape for node in graph.graph.output_node().args[0] if hasattr(node, "meta")])
        gates.append([node.target for node in graph.graph.nodes].count(torch.ops.actgrad.swiglu_two.default))
        return make_boxed_func(graph.forward)

    ours, theirs = converted(Gate)
    backend = aot_autograd(fw_compiler=keep, bw_compiler=keep, partition_fn=min_cut_rematerialization_partition)
    x = torch.randn(3, 4, dtype=torch.float64)
    torch._dynamo.reset()
    exact_in_graphs(is_exact)
    try:
        y = torch.compile(ours, backend=backend)(x)
    finally:
        exact_in_graphs(False)
    got = torch.autograd.grad(y.square().sum(), list(ours.parameters()))
    torch.testing.assert_close(got, torch.autograd.grad(theirs(x).square().sum(), list(theirs.parameters())))
    assert outputs[0].count((3, 6)) == (3 if is_exact else 2)
    assert gates == [1, not is_exact]  # a kernel of its own, which inductor does not fuse with the gradients


@pytest.mark.parametrize("are_products", [True, False])
def test_a_compiled_gate_is_a_formula_unless_its_factors_are_matrix_products(are_products: bool) -> None:
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    targets: list[str] = []

    def keep(graph: Any, _: Any) -> Any:
        targets.extend(str(node.target) for node in graph.graph.nodes)
        return make_boxed_func(graph.forward)

    layers, x = converted(Gate)[1], torch.randn(3, 4, dtype=torch.float64)

    def run(x: Any) -> Any:
        a, b = layers.g(x), layers.u(x)
        return layers.d(swiglu_two(b, a if are_products else a + x[..., :1]))

    torch._dynamo.reset()
    y = torch.compile(run, backend=aot_autograd(fw_compiler=keep))(x)
    torch.testing.assert_close(y, run(x))
    assert ("actgrad.swiglu_two.default" in targets) == are_products


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")  # PyTorch's own
def test_graphs_of_make_fx_and_linearize_take_converted_gates() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    torch.manual_seed(0)
    theirs, x = Gate().double(), torch.randn(3, 4, dtype=torch.float64)
    ours = copy.deepcopy(theirs)
    convert(ours)

    def gradient(model: Any, x: Any) -> Any:
        leaf = x.detach().requires_grad_()
        return torch.autograd.grad(model(leaf).square().sum(), leaf)[0]

    graph = make_fx(lambda x: gradient(ours, x))(x)
    torch.testing.assert_close(graph(2 * x), gradient(theirs, 2 * x))
    expected, linear = torch.func.linearize(theirs, x)[1](x), torch.func.linearize(ours, x)[1](x)
    torch.testing.assert_close(linear, expected)


def test_fake_tensors_train_converted_gates() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    model = Gate()
    convert(model)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        x = torch.randn(3, 4)
    y = model(mode.from_tensor(torch.randn(3, 4)))
    assert y.shape == x.shape
    y.sum().backward()


def test_sharded_gates_keep_their_product(tmp_path: Any) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    torch.manual_seed(0)
    model, x = Gate().double(), torch.randn(3, 4, dtype=torch.float64)
    expected = torch.autograd.grad(model(x).square().sum(), model.d.weight)[0]
    convert(model)
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        column = ColwiseParallel(use_local_output=False)
        parallelize_module(model, init_device_mesh("cpu", (1,)), {"g": column, "u": column, "d": RowwiseParallel()})
        gradient = torch.autograd.grad(model(x).square().sum(), model.d.weight)[0].full_tensor()
    finally:
        torch.distributed.destroy_process_group()
    torch.testing.assert_close(gradient, expected)
