"""convert and revert: what is swapped, what is left, and that everything else stays what it was."""

from __future__ import annotations

import collections
import copy
import pickle
import random
from functools import partial
from types import MethodType
from typing import Any

import numpy as np
import pytest

import actgrad
import actgrad.torch
from actgrad.torch import Gate, convert, revert
from tests.support.torch_calls import compiled

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


class GatedBlock(nn.Module):  # type: ignore[misc,name-defined]
    """The block of Llama."""

    def __init__(self, act: Any = None, bias: bool = True, width: int = 6) -> None:
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(4, width, bias=bias), nn.Linear(4, width, bias=bias)
        self.down_proj, self.act_fn = nn.Linear(width, 4, bias=bias), act or nn.SiLU()

    def forward(self, x: Any) -> Any:
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class PackedBlock(nn.Module):  # type: ignore[misc,name-defined]
    """A block whose first layer computes both factors, with dropouts. The second half is activated."""

    def __init__(self, p: float = 0.0) -> None:
        super().__init__()
        self.first, self.second, self.act = nn.Linear(4, 12), nn.Linear(6, 4), nn.GELU()
        self.middle, self.last = nn.Dropout(p), nn.Dropout(p)

    def forward(self, x: Any) -> Any:
        other, active = self.first(x).chunk(2, -1)
        return self.last(self.second(self.middle(other * self.act(active))))


class MyGELU(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


LLAMA = Gate("down_proj", "gate_proj", "up_proj", act="act_fn")
PACKED = Gate("second", packed="first", act="act", is_first=False, between=("middle",), after=("last",))
convert_all = partial(
    convert, only="all", activations={MyGELU: "gelu_tanh"}, gates={GatedBlock: LLAMA, PackedBlock: PACKED}
)
MODULES = [
    nn.ELU(), nn.ELU(1.3, inplace=True), nn.SELU(), nn.LeakyReLU(0.2), nn.LeakyReLU(0.3, inplace=True), nn.GELU(),
    nn.GELU("tanh"), MyGELU(), GatedBlock(), GatedBlock(bias=False).double(), GatedBlock(nn.GELU()),
    GatedBlock(nn.GELU("tanh")), GatedBlock(nn.ReLU()), GatedBlock(nn.Sigmoid()), GatedBlock(nn.Tanh()),
    GatedBlock(MyGELU()), PackedBlock(), PackedBlock(0.5), PackedBlock(0.5).eval(),
]  # fmt: skip


def results(model: Any, x: Any, function: Any = None) -> tuple[Any, list[Any]]:
    """What a model makes of a result, and the gradients of that and of the parameters."""
    x = x.clone().requires_grad_()
    y = model(x * 1.0) if function is None else function(x)
    return y, list(torch.autograd.grad(y.square().sum(), [x, *model.parameters()], retain_graph=True))


def graph(result: Any) -> str:
    """The names of the nodes behind a result."""
    found, todo = set(), [result.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return " ".join(node.name() for node in found)


def is_ours(result: Any) -> bool:
    return "Actgrad" in graph(result) or "GatedLinearNode" in graph(result)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: repr(module).partition("\n")[0])
def test_computes_the_same(module: Any) -> None:
    module = copy.deepcopy(module)
    x = torch.randn(5, 4, dtype=next(module.parameters(), torch.ones(())).dtype)
    was = type(module)
    torch.manual_seed(1)
    wanted = results(module, x)
    (row, *_) = convert_all(module).swapped
    assert (row.name, row.was, row.reason) == ("(the model itself)", was.__name__, "")
    assert type(module) is was
    for converted in (module, copy.deepcopy(module)):
        torch.manual_seed(1)  # for dropouts
        found = results(converted, x)
        torch.testing.assert_close(found, wanted)
        assert is_ours(found[0])
    revert(module)
    assert "forward" not in vars(module)
    torch.manual_seed(1)
    assert torch.equal(results(module, x)[0], wanted[0])
    assert not is_ours(results(module, x)[0])


@pytest.mark.parametrize("module", [nn.ELU(), GatedBlock()], ids=["activation", "gate"])
def test_a_pickle_holds_the_plain_module_which_can_be_converted_again(module: Any) -> None:
    module, x = copy.deepcopy(module), torch.randn(5, 4)
    convert_all(module)
    loaded = pickle.loads(pickle.dumps(module))
    assert not is_ours(results(loaded, x)[0])
    torch.testing.assert_close(results(loaded, x), results(module, x))
    assert convert_all(loaded).swapped
    assert is_ours(results(loaded, x)[0])
    assert list(loaded.state_dict()) == list(module.state_dict())


def test_a_gated_block_saves_no_product() -> None:
    block, x = GatedBlock(width=64), torch.randn(50, 4)
    before = saved_bytes(block, x)
    convert_all(block)
    assert before - saved_bytes(block, x) == 2 * 50 * 64 * 4  # silu(gate) and the product, in float32


def saved_bytes(model: Any, x: Any) -> int:
    """The bytes of the tensors that a forward pass saves for backward."""
    found: dict[int, int] = {}

    def pack(tensor: Any) -> Any:
        found[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = model(x)
    assert y.requires_grad
    return sum(found.values())


@pytest.mark.parametrize("is_exact", [False, True])
def test_compiles(is_exact: bool) -> None:
    model = nn.Sequential(nn.ELU(), nn.LeakyReLU(0.2), nn.GELU("tanh"), nn.Linear(4, 4), GatedBlock(), PackedBlock())
    x = torch.randn(5, 4)
    wanted = results(model, x)
    assert len(convert_all(model).swapped) >= 5
    actgrad.torch.exact_in_graphs(is_exact)
    try:
        torch.testing.assert_close(results(model, x, compiled(lambda x: model(x * 1.0))), wanted)
    finally:
        actgrad.torch.exact_in_graphs(False)


class Writing(nn.Module):  # type: ignore[misc,name-defined]
    """A model that writes into the result of its activation."""

    def __init__(self) -> None:
        super().__init__()
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x: Any) -> Any:
        y = self.act(x)
        y += x
        return y


def test_models_that_write_into_results() -> None:
    model, x = Writing(), torch.randn(9)
    wanted = results(model, x)
    convert(model)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*ActgradLeakyRelu.*save='input'"):
        results(model, x)
    assert [row.name for row in convert(model, save="input").swapped] == ["act"]
    for save in ("input", "auto"):
        report = convert(model, save=save)
        assert (report.swapped, report.already) == ((), ("act",))
        assert "1 converted already" in str(report)
    torch.testing.assert_close(results(model, x), wanted)


@pytest.mark.parametrize("then", [nn.ReLU(inplace=True), nn.Dropout(0.5, inplace=True)], ids=repr)
def test_the_next_module_of_a_sequential_writes_into_the_result(then: Any) -> None:
    model = nn.Sequential(nn.Linear(9, 9), nn.Sequential(nn.Identity(), nn.ELU()), nn.Sequential(then), nn.ELU())
    x = torch.randn(4, 9)
    torch.manual_seed(1)
    wanted = results(model, x)
    assert len(convert(model, only="all").swapped) >= 2
    torch.manual_seed(1)
    torch.testing.assert_close(results(model, x), wanted)


def test_inplace_modules_stay_in_place() -> None:
    for module in (nn.ELU(inplace=True), nn.LeakyReLU(inplace=True), nn.SiLU(True), nn.ReLU(True)):
        convert(module, only="all")
        x = torch.randn(4)
        assert module(x) is x


def test_attributes_are_read_at_each_call() -> None:
    module, x = nn.LeakyReLU(0.2), torch.randn(9)
    convert(module)
    module.negative_slope = 0.7
    torch.testing.assert_close(module(x), functional.leaky_relu(x, 0.7))


def test_refused_calls_and_keywords_reach_the_class() -> None:
    module, x = nn.SiLU(), torch.ones(2) * 1j
    report = convert(module)
    torch.testing.assert_close(module(x), functional.silu(x))
    assert report.fallbacks == {"(the model itself)": 1}
    assert "PyTorch computed: (the model itself) 1" in str(report)
    torch.testing.assert_close(module(input=torch.ones(2)), functional.silu(torch.ones(2)))


class Model(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.act = nn.GELU()
        self.blocks = nn.ModuleList([PackedBlock(), nn.Sequential(nn.Linear(4, 4), self.act), GatedBlock()])
        self.tail = nn.ELU(1.3, inplace=True)
        self.norm = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return functional.gelu(self.tail(self.norm(self.act(x))))


def test_everything_else_stays() -> None:
    """Objects, classes, hooks on the swapped modules, sharing, names, parametrisations, mode; and back again."""
    torch.manual_seed(0)
    model = Model().eval()
    called: list[str] = []
    gated, elu = model.blocks[0], model.tail
    gated.register_forward_pre_hook(lambda *_: called.append("pre"))
    gated.register_forward_hook(lambda *_: called.append("forward"))
    gated.register_full_backward_hook(lambda *_: called.append("backward"))
    gated.register_state_dict_post_hook(lambda *_: called.append("state"))
    elu.register_forward_hook(lambda *_: called.append("elu"))
    x = torch.randn(3, 4, requires_grad=True)

    def run() -> tuple[Any, list[str], list[str]]:
        called.clear()
        y = model(x)
        y.sum().backward()
        keys = list(model.state_dict())
        return y, list(called), keys

    before = run()
    modules = dict(model.named_modules(remove_duplicate=False))
    classes = {name: type(module) for name, module in modules.items()}
    parameters = dict(model.named_parameters())
    report = convert_all(model)
    names = {"act, blocks.1.1", "blocks.0", "blocks.0.act", "blocks.2", "blocks.2.act_fn", "tail"}
    assert {row.name for row in report.swapped} == names
    assert not report.left
    after = run()
    torch.testing.assert_close(after[0], before[0])
    assert after[1:] == before[1:]
    assert set(after[1]) == {"pre", "forward", "backward", "state", "elu"}
    now = dict(model.named_modules(remove_duplicate=False))
    assert all(now[name] is modules[name] and type(now[name]) is classes[name] for name in modules)
    assert all(value is parameters[name] for name, value in model.named_parameters())
    assert not any(module.training for module in model.modules())
    assert len(convert_all(model)) == 0
    assert len(revert(model)) == len(names)
    assert len(revert(model)) == 0
    assert torch.equal(run()[0], before[0])


# What is left


class Labelled(nn.GELU):  # type: ignore[misc,name-defined]
    label = "one"


def _patched() -> Any:
    module = nn.ELU()
    module.forward = MethodType(lambda self, x: x, module)
    return module


def _block(change: Any) -> Any:
    block = GatedBlock()
    change(block)
    return block


def _tie(block: Any) -> None:
    block.up_proj.weight = block.gate_proj.weight


class OtherBlock(GatedBlock):
    def forward(self, x: Any) -> Any:
        return 2 * super().forward(x)


LEFT = [
    (Labelled, "it is a subclass of GELU; declare it"),
    (_patched, "its forward was replaced on the instance"),
    (lambda: GatedBlock(nn.Softplus()), "its act_fn is no activation of gated_linear"),
    (lambda: _block(lambda b: b.act_fn.register_forward_hook(lambda *_: None)), "its act_fn is no activation"),
    (lambda: _block(lambda b: b.down_proj.register_forward_hook(lambda *_: None)), "its down_proj has hooks"),
    (lambda: _block(lambda b: nn.utils.parametrizations.weight_norm(b.up_proj)), "its up_proj is a Parametrized"),
    (lambda: _block(_tie), "its linear layers share a weight"),
    (lambda: _block(lambda b: b.down_proj.double()), "its linear layers differ in dtype"),
    (lambda: _block(lambda b: setattr(b, "down_proj", None)), "has no module down_proj"),
    (lambda: GatedBlock().to("meta"), "its parameters have no memory"),
]


@pytest.mark.parametrize(("make", "reason"), LEFT, ids=[reason for _, reason in LEFT])
def test_left_alone(make: Any, reason: str) -> None:
    model = nn.Sequential(make())
    before = dict(vars(model[0]))
    report = convert_all(model)
    assert report.left[0].name == "0"
    assert report.left[0].reason.startswith(reason)
    assert vars(model[0]) == before


COMPOSED = {
    "RReLU": lambda: nn.RReLU(0.1, 0.4),
    "RReLU in place": lambda: nn.RReLU(inplace=True),
    "Softmin": lambda: nn.Softmin(1),
    "Tanhshrink": nn.Tanhshrink,
    "Softmax2d": nn.Softmax2d,
    "LogSigmoid": nn.LogSigmoid,
}


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("name", COMPOSED)
def test_classes_without_an_operator(name: str, is_training: bool) -> None:
    """Values, gradients and strides of contiguous, permuted and channels-last tensors are PyTorch's."""
    theirs, ours = (COMPOSED[name]().train(is_training) for _ in range(2))
    assert len(convert_all(ours).swapped) == 1
    x = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    for layout in (x, x.permute(0, 2, 3, 1), x.to(memory_format=torch.channels_last)):
        results = []
        for module in (theirs, ours):
            torch.manual_seed(0)
            leaf = layout.detach().clone().requires_grad_()
            y = module(leaf * 1.0)
            results.append((y, torch.autograd.grad(y.sin().sum(), leaf)[0]))
        assert [each.stride() for each in results[0]] == [each.stride() for each in results[1]]
        torch.testing.assert_close(*results)


@pytest.mark.parametrize("kind", [nn.Linear, nn.SiLU])
def test_a_method_of_a_class_that_is_replaced_later(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = GatedBlock()
    converted = copy.deepcopy(model)
    convert_all(converted)
    assert "forward" in vars(converted)
    original, x = kind.forward, torch.randn(3, 4)
    monkeypatch.setattr(kind, "forward", lambda self, x: 2 * original(self, x))
    torch.testing.assert_close(converted(x), model(x))


def test_a_model_made_in_inference_mode() -> None:
    with torch.inference_mode():
        model, copy_of_it = (nn.Sequential(nn.Linear(4, 4), nn.PReLU(), nn.GELU()) for _ in range(2))
        copy_of_it.load_state_dict(model.state_dict())
        report = convert_all(copy_of_it)
        assert [row.name for row in report.swapped] == ["1", "2"]
        x = torch.randn(3, 4)
        torch.testing.assert_close(copy_of_it(x), model(x))


def test_softmax2d_refuses_what_pytorch_refuses() -> None:
    module = nn.Softmax2d()
    convert_all(module)
    with pytest.raises(ValueError, match="expected input to be 3D or 4D"):
        module(torch.randn(2, 3))


def test_gradient_of_hardswish_at_nan() -> None:
    """NaN, as PyTorch's vectors of numbers have it. The single numbers at its end of a tensor have 1."""
    x = torch.full((64,), float("nan"), requires_grad=True)
    for function in (actgrad.torch.hardswish, nn.functional.hardswish):
        assert torch.autograd.grad(function(x).sum(), x)[0].isnan().all()


DECLARED = [
    (nn.Softsign, "gelu", "its value at"),
    (OtherBlock, LLAMA, "its value"),
    (nn.Flatten, "gelu", r"its result is torch.float32 \[2, 64\]"),
    (nn.Identity, "gelu", "its value"),
]


@pytest.mark.parametrize(("kind", "wrong", "reason"), DECLARED)
def test_a_trial_declines_a_wrong_declaration(kind: Any, wrong: Any, reason: str) -> None:
    table = {"gates" if isinstance(wrong, Gate) else "activations": {kind: wrong}}
    (row, *_) = convert(kind(), only="all", **table).left
    assert __import__("re").match(reason, row.reason), row.reason


def test_unknown_modules_are_not_in_the_report() -> None:
    report = convert(nn.Sequential(nn.Linear(2, 2), nn.MultiheadAttention(4, 2), PackedBlock(), MyGELU()), only="all")
    assert [row.was for row in report] == ["GELU"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, on scripting
def test_scripted_modules_are_left_alone() -> None:
    model = nn.Sequential(torch.jit.script(nn.ELU()), nn.ELU())
    report = convert(model)
    assert [row.name for row in report.swapped] == ["1"]
    assert [row.reason for row in report.left] == ["it is scripted"]


# The guard of each call: whoever changes a block later gets the class's own forward


class LoRA(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self, base: Any) -> None:
        super().__init__()
        self.base, self.a, self.b = base, nn.Linear(base.in_features, 2), nn.Linear(2, base.out_features)

    def forward(self, x: Any) -> Any:
        return self.base(x) + self.b(self.a(x))


def _later(name: str, change: Any) -> Any:
    def apply(block: Any) -> None:
        setattr(block, name, change(getattr(block, name)))

    return apply


def _double(module: Any, args: Any, result: Any) -> Any:
    return result * 2


def _sine(layer: Any, x: Any) -> Any:
    return functional.linear(x.sin(), layer.weight, layer.bias)


CHANGES = {
    "LoRA down": _later("down_proj", LoRA),
    "LoRA gate": _later("gate_proj", LoRA),
    "hook on the activation": lambda block: block.act_fn.register_forward_hook(_double),
    "hook on the projection": lambda block: block.down_proj.register_forward_hook(_double),
    "pre-hook": lambda block: block.up_proj.register_forward_pre_hook(lambda module, args: (args[0] * 3,)),
    "other activation": _later("act_fn", lambda _: nn.Softplus()),
    "another gate": _later("act_fn", lambda _: nn.GELU()),
    "in-place activation": _later("act_fn", lambda _: nn.SiLU(inplace=True)),
    "parametrisation": lambda block: nn.utils.parametrizations.weight_norm(block.down_proj),
    "old parametrisation": lambda block: nn.utils.spectral_norm(block.down_proj),
    "tied": _tie,
    "forward": lambda block: setattr(block.down_proj, "forward", partial(_sine, block.down_proj)),
    "parts": lambda block: setattr(block, "up_proj", nn.Sequential(block.up_proj, nn.ReLU(inplace=True))),
}


@pytest.mark.filterwarnings("ignore:.*spectral_norm.*:FutureWarning")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_later_changes_have_their_effect(change: Any) -> None:
    torch.manual_seed(3)
    theirs = GatedBlock()
    ours = copy.deepcopy(theirs)
    assert len(convert_all(ours).swapped) == 2
    found = []
    for block in (theirs, ours):
        torch.manual_seed(4)
        change(block)
        torch.manual_seed(5)
        found.append(results(block, torch.randn(3, 4)))
    torch.testing.assert_close(*found)


def test_hooks_for_all_modules_have_their_effect() -> None:
    block, x = GatedBlock(), torch.randn(3, 4)
    convert_all(block)
    seen: list[Any] = []
    handle = nn.modules.module.register_module_forward_hook(lambda module, *_: seen.append(type(module)))
    try:
        block(x)
    finally:
        handle.remove()
    assert seen == [nn.Linear, nn.SiLU, nn.Linear, nn.Linear, GatedBlock]


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode], ids=["no_grad", "inference"])
def test_contexts_without_gradients(context: Any) -> None:
    block, x = GatedBlock(), torch.randn(3, 4)
    wanted = block(x)
    with context():
        assert len(convert_all(block).swapped) == 2
        torch.testing.assert_close(block(x), wanted)


@pytest.mark.parametrize("is_reentrant", [False, True])
def test_under_a_checkpoint(is_reentrant: bool) -> None:
    block = nn.Sequential(nn.Linear(4, 4), GatedBlock(), nn.ELU())
    x = torch.randn(3, 4)
    wanted = results(block, x)
    convert_all(block)

    def run(x: Any) -> Any:
        return torch.utils.checkpoint.checkpoint(block, x, use_reentrant=is_reentrant)

    x.requires_grad_()
    run(x).square().sum().backward()
    torch.testing.assert_close([x.grad, *(p.grad for p in block.parameters())], wanted[1])
    with torch.autograd.graph.save_on_cpu():
        torch.testing.assert_close(results(block, x.detach()), wanted)


# State


class Stateful(nn.Module):  # type: ignore[misc,name-defined]
    """A model whose forward changes what it can: its input, buffers, attributes, random numbers, gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm, self.act = nn.Linear(4, 4), nn.BatchNorm1d(4), nn.GELU()
        self.calls, self.history = 0, torch.zeros(4)
        self.kept = {"sums": [torch.zeros(4)], "last": collections.deque([1], maxlen=2)}
        self.generators = [torch.Generator(), np.random.default_rng(0), random.Random(0)]
        self.register_buffer("mean", torch.zeros(4))
        self.fails = False

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.history += 1
        x.mul_(2.0)
        self.kept["sums"][0].add_(1)
        self.kept["sums"].append(torch.ones(4))
        self.kept["last"].append(self.calls)
        torch.rand(3, generator=self.generators[0])
        self.generators[1].random()
        self.generators[2].random()
        self.mean.add_(x.mean(0).detach())
        x = x + torch.randn_like(x) + random.random() + np.random.rand()  # noqa: NPY002
        y = self.act(self.norm(self.layer(x)))
        with torch.enable_grad():
            (self.layer(x).sum()).backward()
        if self.fails:
            raise ValueError("the forward fails")
        return y


def _state(model: Any) -> list[Any]:
    tensors = [*model.parameters(), *model.buffers(), model.history, *model.kept["sums"]]
    values = [each.detach().clone() for each in tensors]
    grads = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
    numbers = [torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()]  # noqa: NPY002
    first, second, third = model.generators
    numbers += [first.get_state(), second.bit_generator.state["state"]["state"], third.getstate()]
    return [*map(id, tensors), values, grads, model.calls, list(model.kept["last"]), numbers]


@pytest.mark.parametrize("fails", [False, True])
def test_a_forward_pass_leaves_everything_as_it_was(fails: bool) -> None:
    model, x = Stateful(), torch.randn(5, 4)
    model.layer.weight.grad = torch.ones(4, 4)
    model.fails = fails
    before, given = _state(model), x.clone()
    with torch.no_grad():
        if fails:
            with pytest.raises(ValueError, match="the forward fails"):
                convert(model, inputs=x, only="all")
            assert "forward" not in vars(model.act)
        else:
            assert convert(model, inputs=x, only="all").swapped
    torch.testing.assert_close(_state(model), before, rtol=0, atol=0)
    torch.testing.assert_close(x, given, rtol=0, atol=0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, on scripting
def test_a_forward_pass_leaves_the_buffers_of_a_scripted_module() -> None:
    scripted = torch.jit.script(nn.Sequential(nn.BatchNorm1d(4)))
    assert convert(nn.Sequential(scripted, nn.ELU()), inputs=torch.randn(5, 4), only="all").swapped
    assert int(scripted[0].num_batches_tracked) == 0
    assert not scripted[0].running_mean.any()


def test_a_wrapper_that_keeps_the_method_under_another_name_stays() -> None:
    module, x = nn.ELU(), torch.linspace(-3, 3, 7)
    convert(module, only="all")
    module.kept = module.forward  # as hooks of accelerate do
    module.forward = lambda x: module.kept(2 * x)
    actgrad.torch.report(nn.Sequential(nn.Linear(7, 7), module), x)
    assert module.kept.actgrad_swap.becomes == "elu"
    actgrad.torch.revert(module)
    assert not hasattr(module.kept, "actgrad_swap")
    torch.testing.assert_close(module(x), functional.elu(2 * x), rtol=0, atol=0)


class Odd(nn.Module):  # type: ignore[misc,name-defined]
    """An activation that changes state in each call, and raises when the caller asks for it."""

    def __init__(self, fault: str = "") -> None:
        super().__init__()
        self.count, self.fault, self.weight = 0, fault, nn.Parameter(torch.ones(1))
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: Any) -> Any:
        self.count += 1
        self.seen += 1
        with torch.no_grad():
            self.weight.mul_(2)
        if self.fault == "raises":
            raise ValueError("no")
        if self.fault == "differentiates":
            (self.weight * x).sum().backward(retain_graph=True)
        torch.rand(3)
        return functional.gelu(x)


@pytest.mark.parametrize("fault", ["", "raises", "differentiates"])
def test_a_trial_leaves_everything_as_it_was(fault: str) -> None:
    module = Odd(fault)
    numbers, weight = torch.get_rng_state(), module.weight
    report = convert(module, only="all", activations={Odd: "gelu"})
    assert len(report.swapped) == (fault != "raises")
    assert (module.count, float(module.seen), module.weight.item(), module.weight.grad) == (0, 0.0, 1.0, None)
    assert module.weight is weight
    assert torch.equal(torch.get_rng_state(), numbers)
    if fault == "raises":
        assert report.left[0].reason == "its own forward cannot be tried: ValueError: no"


# Only what pays, and the report


def test_a_network_with_relu_only_stays() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(inplace=True))
    report = convert(model, inputs=torch.randn(2, 4))
    assert str(report).splitlines() == [
        "2 x ReLU: left, no gain (1, 3)",
        "5 modules examined, 0 swapped, 2 not swapped",
        "expect no change of time and memory",
    ]


def test_the_sizes_of_the_inputs_decide() -> None:
    model = nn.Sequential(nn.Linear(4, 64), nn.ELU(), nn.Linear(64, 4))
    small, large = (convert(copy.deepcopy(model), inputs=torch.randn(n, 4)) for n in (8, 2048))
    assert [row.reason for row in small] == ["no gain at 512 elements of float32"]
    (row,) = large.swapped
    assert (row.name, row.becomes) == ("1", "elu")
    assert large.saved_bytes == 2048 * 64 * 4  # the input of ELU, in float32
    assert str(large).splitlines()[-1].startswith("expect 0.5 MiB less saved for backward with these inputs")
    assert convert(copy.deepcopy(model), inputs=torch.randn(8, 4), only="all").swapped
    assert "pass the model's inputs" in str(convert(model))


def test_modules_that_a_forward_pass_does_not_call() -> None:
    model = nn.Sequential(nn.Linear(4, 4))
    model.unused = nn.ELU()
    model.forward = MethodType(lambda self, x: self[0](x), model)
    (row,) = convert(model, inputs=torch.randn(2, 4)).rows
    assert row.reason == "the forward pass did not call it"
    assert convert(model, inputs=torch.randn(2, 4), only="all").unused == ("unused",)


def test_functional_calls_are_counted_and_patched() -> None:
    class Functional(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.act = nn.GELU()

        def forward(self, x: Any, y: Any) -> Any:
            functional.silu(torch.ones(1) * 1j)
            return functional.gelu(self.act(x), approximate="tanh") + torch.sigmoid(x) + functional.elu(y.sigmoid(), 3)

    model, x = Functional(), torch.randn(3, 4, requires_grad=True)
    for inputs in ((x, x), {"x": x, "y": x}):
        report = convert(model, inputs=inputs)
        assert report.calls == {"gelu": 1, "sigmoid": 2, "elu": 1}
        assert report.refused_calls == {"silu": 1}
        assert "gelu 1, sigmoid 2, elu 1" in str(report)
        assert "only PyTorch computes: silu 1" in str(report)
    with actgrad.torch.patched():
        assert graph(model(x, x)).count("Actgrad") == 5


def test_a_public_function_has_the_same_bits_at_every_size() -> None:
    x = torch.randn(300_000)
    for name in ("elu", "leaky_relu", "gelu", "silu", "tanh", "sigmoid", "hardswish", "relu"):
        function = getattr(actgrad.torch, name)
        assert torch.equal(function(x)[:100], function(x[:100]))


# Other libraries


@pytest.mark.filterwarnings("ignore::UserWarning")  # Captum's, on what it changes for a moment
def test_captum_finds_the_classes() -> None:
    attribution = pytest.importorskip("captum.attr", exc_type=ImportError)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.ELU(), nn.Linear(8, 2)).eval()
    x, baseline = torch.randn(5, 6), torch.zeros(5, 6)
    assert len(convert(model, only="all").swapped) == 2
    found, delta = attribution.DeepLift(model).attribute(x, baseline, target=1, return_convergence_delta=True)
    wanted = attribution.DeepLift(copy.deepcopy(model).apply(revert)).attribute(x, baseline, target=1)
    torch.testing.assert_close(found, wanted)
    assert float(delta.abs().max()) < 1e-5
    relu = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
    convert(relu, only="all")
    attribution.LRP(relu).attribute(x, target=1)


# Errors


@pytest.mark.parametrize("given", [None, 3, "x", nn.ELU, torch.ones(2)], ids=repr)
@pytest.mark.parametrize(
    "function",
    [convert, revert, lambda model: actgrad.torch.report(model, torch.ones(1))],
    ids=["convert", "revert", "report"],
)
def test_what_is_no_module(function: Any, given: Any) -> None:
    with pytest.raises(actgrad.InvalidCall, match=r"actgrad\.torch\.\w+: model is .*; it must be a torch\.nn\.Module"):
        function(given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"save": "result"}, "save is 'result'; it must be 'auto' or 'input'; "),
        ({"only": "some"}, "only is 'some'; it must be 'pays' or 'all'; "),
        ({"activations": 3}, "activations is 3; it must be a dict from classes"),
        ({"activations": {"GELU": "gelu"}}, "activations has the key 'GELU'; it must be a class of modules; "),
        ({"activations": {MyGELU: "gellu"}}, "activations has the name 'gellu'; it must be one of "),
        ({"activations": {MyGELU: torch.tanh}}, "activations has the name .*; it must be one of "),
        ({"gates": {GatedBlock: "silu"}}, "gates has 'silu'; it must be an actgrad.torch.Gate; "),
    ],
)
def test_wrong_options(options: Any, message: str) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=f"^convert: {message}"):
        convert(nn.ELU(), **options)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"gate": "g", "act": "a"}, "gate is 'g', up is '', packed is ''; it must have gate and up, or packed; "),
        ({"gate": "g", "up": "u", "packed": "p", "act": "a"}, "gate is 'g', up is 'u', packed is 'p'; "),
        ({"packed": "p"}, "act is '' and activation is ''; one of them must be empty; "),
        ({"packed": "p", "act": "a", "activation": "silu"}, "act is 'a' and activation is 'silu'; "),
        ({"packed": "p", "activation": "mish"}, "activation is 'mish'; it must be one of 'silu', "),
        ({"packed": 3, "act": "a"}, "packed is 3; it must be the name of an attribute of the block; "),
    ],
)
def test_wrong_gates(parts: Any, message: str) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=f"^Gate: {message}"):
        Gate(**parts)
