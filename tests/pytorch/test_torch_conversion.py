"""convert and revert: what is swapped, what is left alone, and that all else stays what it was."""

from __future__ import annotations

import copy
import pickle
from types import MethodType
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad.torch import convert, revert
from tests.support.foreign_modules import (
    GEGLU,
    FunctionalDropout,
    GEGLUOfTheOtherHalf,
    GemmaMLP,
    GemmaSparseMLP,
    ModernBertBlock,
    Noisy,
    OtherActivation,
    Projected,
    T5Block,
)
from tests.support.torch_calls import compiled

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional

SIMPLE = [
    nn.ELU(), nn.ELU(1.3, inplace=True), nn.SELU(), nn.SELU(inplace=True), nn.LeakyReLU(0.2),
    nn.LeakyReLU(0.3, inplace=True), nn.GELU(), nn.GELU("tanh"),
]  # fmt: skip


def results(model: Any, x: Any, function: Any = None) -> tuple[Any, list[Any]]:
    """What a model makes of somebody's result, and the gradients of that and of the parameters."""
    x = x.clone().requires_grad_()
    y = model(x * 1.0) if function is None else function(x)
    return y, list(torch.autograd.grad(y.square().sum(), [x, *model.parameters()], retain_graph=True))


GATED = [
    GEGLU(4, 3), GEGLU(4, 3, bias=False).double(), GEGLUOfTheOtherHalf(4, 3), GemmaMLP(), GemmaMLP(nn.GELU()),
    T5Block(), T5Block().eval(), ModernBertBlock(nn.GELU()), ModernBertBlock(nn.SiLU()), Projected(),
]  # fmt: skip


@pytest.mark.parametrize("module", [*SIMPLE, *GATED], ids=lambda module: repr(module).partition("\n")[0])
def test_computes_the_same(module: Any) -> None:
    module = copy.deepcopy(module)
    dtype = next(module.parameters(), torch.ones(())).dtype
    x = torch.randn(5, 4, dtype=dtype)
    was = type(module)
    torch.manual_seed(1)
    wanted = results(module, x)
    (row, *_) = convert(module).swapped
    assert (row.name, row.was, row.becomes, row.reason) == (
        "(the model itself)", was.__name__, f"Actgrad{was.__name__}", "",
    )  # fmt: skip
    assert isinstance(module, was)
    for converted in (module, copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        torch.manual_seed(1)  # for dropouts
        got = results(converted, x)
        torch.testing.assert_close(got, wanted)
        assert "Actgrad" in graph(got[0])
    clone = pickle.loads(pickle.dumps(module))
    revert(clone)
    revert(module)
    assert type(module) is type(clone) is was
    torch.manual_seed(1)
    assert torch.equal(results(module, x)[0], wanted[0])
    assert "Actgrad" not in graph(results(module, x)[0])


def test_half_precision_block_with_a_projection_in_float32() -> None:
    module = T5Block().eval().half()
    module.wo.float()
    x = torch.randn(5, 4).half()
    wanted = module(x)
    assert convert(module).swapped
    assert module(x).dtype == wanted.dtype == torch.float32
    torch.testing.assert_close(module(x), wanted, rtol=2e-3, atol=2e-3)  # 2 roundings to float16


def test_dropouts_that_only_training_shows() -> None:
    assert not convert(FunctionalDropout(4, 3).eval()).swapped


def graph(result: Any) -> str:
    """The names of the nodes behind a result."""
    found, todo = set(), [result.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return " ".join(node.name() for node in found)


def test_compiles() -> None:
    model = nn.Sequential(*map(copy.deepcopy, SIMPLE), nn.Linear(4, 4), GEGLU(4, 4), GemmaMLP())
    x = torch.randn(5, 4)
    wanted = results(model, x)
    convert(model, save="input")
    torch.testing.assert_close(results(model, x, compiled(lambda x: model(x * 1.0))), wanted)


def test_models_that_write_into_results() -> None:
    class Model(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.act = nn.LeakyReLU(0.2)

        def forward(self, x: Any) -> Any:
            y = self.act(x)
            y += x
            return y

    model = Model()
    x = torch.randn(9)
    wanted = results(model, x)
    convert(model)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*ActgradLeakyRelu.*save='input'"):
        results(model, x)
    assert [row.becomes for row in convert(model, save="input").swapped] == ["ActgradLeakyReLU"]
    assert not convert(model, save="input").swapped
    assert not convert(model).swapped
    torch.testing.assert_close(results(model, x), wanted)
    with pytest.raises(actgrad.InvalidArgument, match="convert: save is 'result'"):
        convert(model, save="result")


@pytest.mark.parametrize("then", [nn.ReLU(inplace=True), nn.Dropout(0.5, inplace=True)], ids=repr)
def test_the_next_module_of_a_sequential_writes_into_the_result(then: Any) -> None:
    model = nn.Sequential(nn.Linear(9, 9), nn.Sequential(nn.Identity(), nn.ELU()), nn.Sequential(then), nn.ELU())
    x = torch.randn(4, 9)
    torch.manual_seed(1)
    wanted = results(model, x)
    assert len(convert(model).swapped) >= 2
    assert [module.actgrad_option for module in (model[1][1], model[3])] == ["input", "auto"]
    torch.manual_seed(1)
    torch.testing.assert_close(results(model, x), wanted)


def test_inplace_modules_stay_in_place() -> None:
    in_place = [copy.deepcopy(module) for module in SIMPLE if getattr(module, "inplace", False)]
    assert len(in_place) == 3
    for module in in_place:
        convert(module)
        x = torch.randn(4)
        assert module(x) is x


class Model(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.act = nn.GELU()
        self.blocks = nn.ModuleList([GEGLU(4, 4), nn.Sequential(nn.Linear(4, 4), self.act), GemmaMLP()])
        self.tail = nn.ELU(1.3, inplace=True)
        self.norm = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
        self.blocks[0].proj = nn.utils.parametrizations.weight_norm(self.blocks[0].proj)

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return functional.gelu(self.tail(self.norm(self.act(x))))


def test_all_else_stays() -> None:
    """Objects, hooks of every kind, sharing, names, parametrisations, mode; and back again."""
    torch.manual_seed(0)
    model = Model().eval()
    called: list[str] = []
    gated, elu = model.blocks[0], model.tail
    gated.register_forward_pre_hook(lambda *_: called.append("pre"))
    gated.register_forward_hook(lambda *_: called.append("forward"))
    gated.register_full_backward_hook(lambda *_: called.append("backward"))
    gated.register_state_dict_post_hook(lambda *_: called.append("state"))
    gated.proj.register_forward_hook(lambda *_: called.append("proj"))
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
    report = convert(model)
    assert {row.name for row in report.swapped} == {
        "act, blocks.1.1",
        "blocks.0",
        "blocks.2",
        "blocks.2.act_fn",
        "tail",
    }
    assert not report.left
    after = run()
    torch.testing.assert_close(after[0], before[0])
    assert after[1:] == before[1:]
    assert set(after[1]) == {"pre", "forward", "backward", "state", "proj", "elu"}
    now = dict(model.named_modules(remove_duplicate=False))
    assert list(now) == list(modules)
    assert all(now[name] is modules[name] for name in modules)
    assert all(value is parameters[name] for name, value in model.named_parameters())
    assert model.act is model.blocks[1][1]
    assert not any(module.training for module in model.modules())
    assert len(convert(model)) == 0
    swapped = {"ActgradGELU", "ActgradGEGLU", "ActgradGemmaMLP", "ActgradGELUTanh", "ActgradELU"}
    assert {row.was for row in revert(model)} == swapped
    assert {name: type(module) for name, module in model.named_modules(remove_duplicate=False)} == classes
    assert len(revert(model)) == 0
    assert torch.equal(run()[0], before[0])


class OddGELU(nn.GELU):  # type: ignore[misc,name-defined]
    def forward(self, input: Any) -> Any:
        return functional.gelu(input).clamp(-10, 10)


class Labelled(nn.GELU):  # type: ignore[misc,name-defined]
    label = "one"


def _patched() -> Any:
    module = nn.ELU()
    module.forward = MethodType(lambda self, x: x, module)
    return module


def _hooked() -> Any:
    module = GemmaMLP()
    module.act_fn.register_forward_hook(lambda *_: None)
    return module


LEFT = [
    (OddGELU, "it is a subclass of GELU with another forward"),
    (_patched, "its forward was replaced on the instance"),
    (lambda: GemmaMLP(nn.Tanh()), "it does not compute a gate"),
    (GemmaSparseMLP, "it does not compute a gate"),
    (lambda: GemmaMLP(OtherActivation(lambda x: x.missing)), "its forward cannot be tried: AttributeError"),
    (lambda: OtherActivation(torch.sin), "its forward is not one of actgrad.torch"),
    (lambda: OtherActivation(lambda x: functional.gelu(x).clamp(-10, 10)), "its forward is not one of actgrad.torch"),
    (lambda: nn.Softmin(1), "actgrad.torch has the function softmin, but no module Softmin"),
    (nn.RReLU, "actgrad.torch has the function rrelu, but no module RReLU"),
    (lambda: Noisy().eval(), "its forward is not one of actgrad.torch"),
    (_hooked, "its act_fn has hooks"),
]


@pytest.mark.parametrize(("make", "reason"), LEFT, ids=[reason for _, reason in LEFT])
def test_left_alone(make: Any, reason: str) -> None:
    model = nn.Sequential(make())
    was = type(model[0])
    report = convert(model)
    assert report.left[0].name == "0"
    assert report.left[0].reason.startswith(reason)
    assert type(model[0]) is was


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, on scripting
def test_scripted_modules_are_left_alone() -> None:
    model = nn.Sequential(torch.jit.script(nn.ELU()), nn.ELU())
    assert [row.name for row in convert(model).swapped] == ["1"]


def test_subclasses_without_a_forward_of_their_own() -> None:
    module = Labelled("tanh")
    assert convert(module).swapped
    assert (isinstance(module, Labelled), module.label) == (True, "one")
    x = torch.randn(9)
    assert torch.equal(module(x), actgrad.torch.gelu(x, approximate="tanh"))
    revert(module)
    assert type(module) is Labelled


def test_classes_made_of_converted_ones_are_not_reverted() -> None:
    """As FSDP2 does: the class of a module becomes another one's sub-class."""
    model = nn.Sequential(nn.GELU())
    convert(model)
    model[0].__class__ = type("FSDPActgradGELU", (type(model[0]),), {})
    (row,) = revert(model)
    assert row.reason.startswith("FSDPActgradGELU was made from the converted class")


def test_report() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ELU(), OddGELU())
    report = convert(model)
    assert str(report).splitlines() == [
        "module  from     to          why not                                        candidates",
        "------  -------  ----------  ---------------------------------------------  ----------",
        "1       ELU      ActgradELU",
        "2       OddGELU  -           it is a subclass of GELU with another forward  gelu",
        "4 modules examined, 1 swapped, 1 not swapped",
    ]
    assert repr(report) == str(report)
    assert [row.name for row in report] == ["1", "2"]
    nothing, hint = str(convert(nn.Linear(2, 2))).splitlines()
    assert nothing == "1 modules examined, 0 swapped, 0 not swapped"
    assert hint == "to count functional calls too, pass the model's inputs: convert(model, inputs=...)"


def test_functional_calls_are_counted_and_patched() -> None:
    class Model(nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any, y: Any) -> Any:
            return functional.gelu(x, approximate="tanh") + torch.sigmoid(x) + functional.elu(y.sigmoid(), 0.3)

    model, x = Model(), torch.randn(3, 4, requires_grad=True)
    wanted = model(x, x)
    for inputs in ((x, x), {"x": x, "y": x}):
        report = convert(model, inputs=inputs)
        assert report.calls == {"gelu": 1, "sigmoid": 2, "elu": 1}
        assert "gelu 1, sigmoid 2, elu 1" in str(report)
    with actgrad.torch.patched():
        got = model(x, x)
        integers = functional.relu(torch.tensor([-1, 2]))  # of no dtype of ours
        assert graph(got).count("Actgrad") == 4
    assert integers.tolist() == [0, 2]
    torch.testing.assert_close(got, wanted)
    assert "Actgrad" not in graph(model(x, x))


def test_deprecated_arguments_reach_the_original() -> None:
    module = GEGLU(4, 3)
    convert(module)
    with pytest.raises(DeprecationWarning, match="scale"):
        module(torch.randn(4), scale=1.0)


# The libraries' own classes, tiny and randomly initialised


def test_diffusers() -> None:
    attention = pytest.importorskip("diffusers.models.attention", exc_type=ImportError)
    block = attention.BasicTransformerBlock(16, 2, 8, activation_fn="geglu", dropout=0.1).eval()
    x = torch.randn(2, 5, 16)
    wanted = results(block, x)
    report = convert(block)
    assert [(row.name, row.was) for row in report.swapped] == [("ff.net.0", "GEGLU")]
    torch.testing.assert_close(results(block, x), wanted)
    assert revert(block).swapped
    assert torch.equal(results(block, x)[0], wanted[0])


@pytest.mark.parametrize("family", ["gemma", "gemma2", "gemma3"])
def test_gemma(family: str) -> None:
    transformers = pytest.importorskip("transformers", exc_type=ImportError)
    names = {"gemma": "Gemma", "gemma2": "Gemma2", "gemma3": "Gemma3"}
    suffix = "TextConfig" if family == "gemma3" else "Config"
    sizes = {
        "vocab_size": 40, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "head_dim": 8,
        "num_attention_heads": 2, "num_key_value_heads": 1, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    config = getattr(transformers, names[family] + suffix)(**sizes)
    model = getattr(transformers, names[family] + "ForCausalLM")(config).eval()
    tokens = torch.randint(40, (2, 7))

    def run() -> tuple[Any, list[Any]]:
        loss = model(tokens, labels=tokens).loss
        return loss, torch.autograd.grad(loss, [p for p in model.parameters() if p.requires_grad], allow_unused=True)

    wanted, keys = run(), list(model.state_dict())
    report = convert(model)
    assert {row.was for row in report.swapped} == {f"{names[family]}MLP", "GELUTanh"}
    torch.testing.assert_close(run(), wanted)
    assert list(model.state_dict()) == keys
    assert graph(model(tokens).logits).count("ActgradGegluTwoBackward") == 2
    assert len(revert(model).swapped) == len(report.swapped)
    assert torch.equal(run()[0], wanted[0])


def test_a_block_gated_by_silu() -> None:
    class LlamaMLP(GemmaMLP):
        pass

    torch.manual_seed(1)
    module = LlamaMLP(nn.SiLU()).double()
    x = torch.randn(3, 4, dtype=torch.float64)
    before = module(x)
    assert {row.name for row in convert(module).swapped} == {"(the model itself)", "act_fn"}
    torch.testing.assert_close(module(x), before)


@pytest.mark.parametrize("given", [None, 3, "x", nn.ELU, torch.ones(2)], ids=repr)
@pytest.mark.parametrize(
    "function",
    [convert, revert, lambda model: actgrad.torch.report(model, torch.ones(1))],
    ids=["convert", "revert", "report"],
)
def test_what_is_no_module(function: Any, given: Any) -> None:
    with pytest.raises(actgrad.InvalidCall, match=r"actgrad\.torch\.\w+: model is .*; it must be a torch\.nn\.Module"):
        function(given)
