"""The table of other libraries' classes: digests of what is installed, and blocks of models, small and random."""

from __future__ import annotations

import copy
import importlib
from importlib import metadata
from typing import Any

import pytest

from actgrad.torch import convert
from actgrad.torch.models import known

torch = pytest.importorskip("torch")


def test_the_table_has_no_class_twice() -> None:
    names = [name for _, _, classes in known.BLOCKS for name in classes.split()] + known.EXPERTS.split()
    assert len(names) == len({*names})
    assert len(known.rows()) == len(known.ROWS) + len(names)


def _class(name: str, row: known.Foreign) -> Any:
    """The installed class. Skips the test if the version that was tried is not there."""
    library, version = row.tried.split()
    try:
        if metadata.version(library) != version:
            pytest.skip(f"{library} is not {version}")
    except metadata.PackageNotFoundError:
        pytest.skip(f"{library} is not installed")
    module, _, kind = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), kind)
    except (ImportError, RuntimeError) as fault:
        pytest.skip(f"{module} cannot be imported: {fault}")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.share(8)
@pytest.mark.parametrize("name", sorted(known.rows()))
def test_digests(name: str) -> None:
    row = known.rows()[name]
    kind = _class(name, row)
    assert kind.__qualname__ in name
    assert known.fault_of(kind, row) == ""


def test_another_text_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    class Foreign(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return torch.nn.functional.gelu(x)

    name = f"{Foreign.__module__}.{Foreign.__qualname__}"
    row = known.Foreign("foreign 1.0", "0" * 16, activation="gelu")
    monkeypatch.setitem(known.rows(), name, row)
    (left,) = convert(Foreign(), only="all").left
    text = r"the text of its forward has the digest \w{16}, and that of foreign 1.0 has 0000000000000000; declare it"
    assert __import__("re").match(text, left.reason)
    monkeypatch.setitem(known.rows(), name, row._replace(digest=known.digest_of(Foreign, row)))
    assert convert(Foreign(), only="all").swapped


class PackedGate(torch.nn.Module):  # type: ignore[misc,name-defined]
    """A block with the attributes of timm's GluMlp."""

    def __init__(self, gate_last: bool):
        super().__init__()
        self.gate_last, self.chunk_dim = gate_last, -1
        self.fc1, self.act, self.fc2 = torch.nn.Linear(16, 48), torch.nn.SiLU(), torch.nn.Linear(24, 16)
        self.drop1, self.norm, self.drop2 = torch.nn.Dropout(0.0), torch.nn.Identity(), torch.nn.Identity()

    def forward(self, x: Any) -> Any:
        first, second = self.fc1(x).chunk(2, dim=self.chunk_dim)
        product = first * self.act(second) if self.gate_last else self.act(first) * second
        return self.drop2(self.fc2(self.norm(self.drop1(product))))


@pytest.mark.parametrize("gate_last", [False, True])
def test_a_gate_that_depends_on_an_attribute(gate_last: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The half that is activated is asked at each call, so that it may change later."""
    name = f"{PackedGate.__module__}.{PackedGate.__qualname__}"
    row = known.ROWS["timm.layers.mlp.GluMlp"]
    monkeypatch.setitem(known.rows(), name, row._replace(digest=known.digest_of(PackedGate, row)))
    torch.manual_seed(0)
    block, x = PackedGate(gate_last), torch.randn(2, 48, 16)
    other = copy.deepcopy(block)
    report = convert(block, only="all")
    assert [each.was for each in report.swapped if each.was == "PackedGate"]
    for now, dim in ((gate_last, -1), (not gate_last, -1), (gate_last, -1)):
        for each in (block, other):
            each.gate_last, each.chunk_dim = now, dim
        torch.testing.assert_close(block(x), other(x))
    assert not report.fallbacks
    block.chunk_dim = 1
    with pytest.raises(RuntimeError):  # the class's own forward computes it, whose halves do not fit fc2
        block(x)
    declined = PackedGate(gate_last)
    declined.chunk_dim = 1
    (left,) = [each for each in convert(declined, only="all").left if each.was == "PackedGate"]
    assert left.reason == "its attributes choose another function than the one that convert knows"


SIZES = {
    "vocab_size": 40, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "head_dim": 8,
    "num_attention_heads": 2, "num_key_value_heads": 1, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
T5 = {"d_model": 16, "d_ff": 24, "d_kv": 8, "num_layers": 2, "num_heads": 2, "vocab_size": 40, "pad_token_id": 0}
MODELS: dict[str, tuple[dict[str, Any], str]] = {
    "llama": (SIZES, "LlamaMLP"),
    "gemma2": (SIZES, "Gemma2MLP"),
    "qwen2": (SIZES, "Qwen2MLP"),
    "phi3": (SIZES, "Phi3MLP"),
    "umt5": ({**T5, "feed_forward_proj": "gated-gelu", "decoder_start_token_id": 0}, "UMT5DenseGatedActDense"),
    "mixtral": ({**SIZES, "num_local_experts": 3}, "MixtralExperts"),
    "gpt_oss": ({**SIZES, "num_local_experts": 3, "num_experts_per_tok": 2}, "GptOssExperts"),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("kind", MODELS)
def test_models_of_transformers(kind: str) -> None:
    transformers = pytest.importorskip("transformers", exc_type=ImportError)
    sizes, block = MODELS[kind]
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(transformers.AutoConfig.for_model(kind, **sizes)).float().train()
    other = copy.deepcopy(model)
    tokens = torch.randint(3, 40, (2, 7))
    inputs = {"input_ids": tokens, **({"decoder_input_ids": tokens} if kind == "umt5" else {})}
    report = convert(model, only="all")
    assert [row.was for row in report.swapped].count(block) == 2 * (1 + (kind == "umt5"))
    found = []
    for each in (other, model):
        torch.manual_seed(1)
        y = each(**inputs).last_hidden_state
        wanted = [parameter for parameter in each.parameters() if parameter.requires_grad]
        found.append([y, *torch.autograd.grad(y.square().sum(), wanted, allow_unused=True)])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)
    assert not report.fallbacks
