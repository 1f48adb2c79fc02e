"""GPTs that train on torch_npu's unmodified wheel: `python npu_training.py NAME`, a process a case.

The model is the one of docs/train-on-npu.md. Losses and generated tokens are compared with the CPU's.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch_npu
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

PAGE = (Path(__file__).parents[2] / "docs" / "train-on-npu.md").read_text(encoding="utf-8")
MODEL, TRAINING, TRANSFORMERS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
NAMES: dict[str, Any] = {}
exec(MODEL, NAMES)

EXACT, MIXED, COARSE = 1e-5, 2e-3, 0.1
CODES = (torch.arange(600) * 7 + torch.arange(600) // 13) % 65


class Rows(torch.utils.data.Dataset[Any]):
    """Parts of a text, with the letters that follow."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, number: int) -> Any:
        part = CODES[17 * number : 17 * number + 17]
        return part[:-1].clone(), part[1:].clone()


class Checkpointed(torch.nn.Module):
    """A block whose inner results are computed again in the backward pass."""

    def __init__(self, block: torch.nn.Module, is_reentrant: bool):
        super().__init__()
        self.block, self.is_reentrant = block, is_reentrant

    def forward(self, x: Any) -> Any:
        return checkpoint(self.block, x, use_reentrant=self.is_reentrant)


class Rotary(torch.nn.Module):
    """Attention with positions by complex numbers."""

    def __init__(self, width: int = 32, heads: int = 4):
        super().__init__()
        self.qkv, self.heads = torch.nn.Linear(width, 3 * width), heads
        angles = torch.outer(torch.arange(16.0), 100.0 ** -(torch.arange(0, 8, 2) / 8))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles), persistent=False)

    def turned(self, x: Any) -> Any:
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turns[: x.size(1), None]).flatten(3)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, self.heads, -1).unbind(2)
        scores = torch.einsum("bqhd,bkhd->bhqk", self.turned(q), self.turned(k)).softmax(-1)
        return torch.einsum("bhqk,bkhd->bqhd", scores, v).flatten(2)


class Heads(torch.nn.Module):
    """PyTorch's own attention, with a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x: Any) -> Any:
        mask = torch.ones(x.size(1), x.size(1), device=x.device).triu(1).bool()
        return self.inner(x, x, x, attn_mask=mask)[0]


def batches(workers: int) -> Iterator[Any]:
    yield from torch.utils.data.DataLoader(Rows(), batch_size=4, num_workers=workers)


def train(
    device: str, optimizer: str = "AdamW", dtype: torch.dtype | None = None, attention: bool = False,
    scales: bool = False, accumulates: int = 1, clips: bool = False, weights: torch.dtype = torch.float32,
    backend: str = "",
    change: Callable[[Any], None] | None = None, workers: int = 0, saves: bool = False, **settings: Any,
) -> tuple[list[float], Any]:  # fmt: skip
    """The losses of eight steps, and tokens that the model generates then."""
    torch.manual_seed(1337)
    model = NAMES["GPT"](fused=attention)
    if change is not None:
        change(model)
    model = model.to(device, weights)
    step = getattr(torch.optim, optimizer)(model.parameters(), **{"lr": 1e-2} | settings)
    scaler = torch.amp.GradScaler(device, 256.0, enabled=scales)
    forward = torch.compile(model, backend=backend) if backend else model
    losses = []
    for number, (tokens, targets) in enumerate(batches(workers)):
        with torch.autocast(device, dtype, enabled=dtype is not None):
            loss = forward(tokens.to(device), targets.to(device)) / accumulates
        scaler.scale(loss).backward()
        losses.append(loss.item())
        if (number + 1) % accumulates:
            continue
        if clips:
            scaler.unscale_(step)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(step)
        scaler.update()
        step.zero_grad()
        if saves and number == 3:
            with tempfile.TemporaryFile() as file:
                torch.save((model.state_dict(), step.state_dict()), file)
                file.seek(0)
                model_state, step_state = torch.load(file, map_location=device)
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.zero_()
            model.load_state_dict(model_state)
            step.load_state_dict(step_state)
    return losses, model.eval().generate(torch.zeros(1, 1, dtype=torch.long, device=device), 20).tolist()


def each_block(replace: Callable[[Any], Any]) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        for number, block in enumerate(model.blocks):
            model.blocks[number] = replace(block)

    return change


def each_attention(create: Callable[[], Any]) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        for block in model.blocks:
            block.attention = create()

    return change


#: By name: settings of `train`, and the largest difference of a loss.
TRAININGS: dict[str, tuple[dict[str, Any], float]] = {
    "by hand": ({}, EXACT),
    "scaled_dot_product_attention": ({"attention": True}, EXACT),
    "Adam": ({"optimizer": "Adam"}, EXACT),
    "AdamW foreach": ({"foreach": True, "weight_decay": 0.1}, EXACT),
    "AdamW fused": ({"fused": True, "weight_decay": 0.1}, EXACT),
    "SGD": ({"optimizer": "SGD", "lr": 0.1, "momentum": 0.9, "nesterov": True}, EXACT),
    "clipping": ({"clips": True}, EXACT),
    "accumulation": ({"accumulates": 2, "attention": True}, EXACT),
    "GradScaler": ({"scales": True, "dtype": torch.float16, "clips": True, "attention": True, "lr": 1e-3}, MIXED),
    "autocast bfloat16": ({"dtype": torch.bfloat16, "lr": 1e-3}, MIXED),
    "bfloat16": ({"weights": torch.bfloat16, "attention": True}, COARSE),
    "workers": ({"workers": 2}, EXACT),
    "checkpoint": ({"change": each_block(lambda block: Checkpointed(block, False))}, EXACT),
    "checkpoint, reentrant": ({"change": each_block(lambda block: Checkpointed(block, True))}, EXACT),
    "save and load": ({"saves": True}, EXACT),
    "compile eager": ({"backend": "eager"}, EXACT),
    "compile aot_eager": ({"backend": "aot_eager", "attention": True}, EXACT),
    "MultiheadAttention": ({"change": each_attention(Heads)}, EXACT),
    "rotary": ({"change": each_attention(Rotary)}, EXACT),
}


def training(settings: dict[str, Any], limit: float) -> None:
    wanted, tokens = train("cpu", **settings)
    losses, result = train("npu", **settings)
    assert wanted[-1] < wanted[0]
    assert max(abs(a - b) for a, b in zip(losses, wanted, strict=True)) < limit, (losses, wanted)
    assert limit > EXACT or result == tokens


def page() -> None:
    """The program of the page, as it stands."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(TRAINING, NAMES)
    assert re.fullmatch(r"loss \d\.\d{3} to [01]\.\d{3}: t.{24}\n", printed.getvalue()), printed.getvalue()


#: Of a matrix of numbers and one of integers.
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "einsum": lambda x, n: torch.einsum("ij,kj->ik", x, x),
    "einsum, diagonal": lambda x, n: torch.einsum("ii->i", x[:, :4]),
    "quantile": lambda x, n: torch.quantile(x, torch.tensor([0.1, 0.5], device=x.device), dim=1),
    "nanquantile": lambda x, n: torch.nanquantile(x, 0.3),
    "median": lambda x, n: (x.median(), x.median(1).values, x.nanmedian()),
    "cumprod": lambda x, n: x.cumprod(1),
    "cummax and cummin": lambda x, n: (x.cummax(1).values, x.cummin(0).values),
    "bincount": lambda x, n: (n[0].bincount(), n[0].bincount(n[0] / 2, 12)),
    "unique": lambda x, n: torch.unique(n, return_inverse=True, return_counts=True),
    "trigonometry": lambda x, n: torch.tan(x) + torch.atan2(x, x + 2) + torch.sinh(x) + torch.acos(x.tanh()),
    "powers": lambda x, n: torch.exp2(x) + torch.logaddexp(x, 2 * x) + torch.log2(x.abs() + 1) + torch.erfc(x),
    "remainders": lambda x, n: (torch.fmod(x, 0.3), torch.div(x, 0.3, rounding_mode="trunc"), x.round(decimals=1)),
    "bits": lambda x, n: (n ^ 3, n << 2, (n > 2).logical_xor(n < 5)),
    "statistics": lambda x, n: (*torch.std_mean(x, 1), x.argmin(1), x.nansum(0), x[:, :4].trace()),
    "in place": lambda x, n: x.detach().abs().add_(1).log_().sqrt_().reciprocal_().gt_(1),
    "dot": lambda x, n: torch.dot(x[0], x[1]),
    "group_norm": lambda x, n: functional.group_norm(x[None], 2, x[:, 0], x[:, 1]),
    "cross_entropy of sequences": lambda x, n: functional.cross_entropy(x[None], n[:1] % 4),
    "complex": lambda x, n: torch.view_as_real(torch.complex(x, x + 1) * torch.polar(x.abs(), x)),
}


def functions() -> None:
    numbers = torch.randint(0, 9, (4, 6))
    start = torch.randn(4, 6)
    for name, rule in FUNCTIONS.items():
        results = []
        for device in ("cpu", "npu"):
            x = start.to(device, copy=True).requires_grad_()
            result = rule(x, numbers.to(device))
            result = result if isinstance(result, tuple) else (result,)
            floats = [each.square().sum() for each in result if each.requires_grad]
            if floats:
                sum(floats).backward()
            results.append([*result, x.grad] if floats else result)
        for actual, wanted in zip(*reversed(results), strict=True):
            torch.testing.assert_close(
                actual.cpu(), wanted, rtol=1e-4, atol=1e-5, check_stride=False, msg=lambda text, name=name: name + text
            )


def digits(pool: Callable[[int], Any], dtype: torch.dtype, limit: float) -> None:
    """A LeNet with batch normalisation on digits (or noise): the losses of the CPU, and its results after training."""
    images, labels = torch.randn(128, 1, 8, 8), torch.randint(10, (128,))
    if importlib.util.find_spec("sklearn"):
        from sklearn.datasets import load_digits

        data, numbers = load_digits(return_X_y=True)
        images = torch.tensor(data[:128], dtype=torch.float32).reshape(-1, 1, 8, 8) / 16
        labels = torch.tensor(numbers[:128])
    outcomes = []
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        layers = [
            *(torch.nn.Conv2d(1, 6, 5, padding=2), torch.nn.BatchNorm2d(6), torch.nn.ReLU(), pool(2)),
            *(torch.nn.Conv2d(6, 16, 3, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU()),
            *(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(16, 10)),
        ]
        model = torch.nn.Sequential(*layers).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        losses = []
        for k in range(12):
            part = slice(k % 4 * 32, k % 4 * 32 + 32)
            with torch.autocast(device, dtype, enabled=dtype != torch.float32):
                loss = functional.cross_entropy(model(images[part].to(device)), labels[part].to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        outcomes.append((losses, model.eval()(images.to(device)).cpu()))
    (wanted, logits), (losses, actual) = outcomes
    assert max(abs(a - b) for a, b in zip(losses, wanted, strict=True)) < limit, (losses, wanted)
    assert losses[-1] < losses[0]
    torch.testing.assert_close(actual, logits, rtol=0, atol=100 * limit)


def hugging_face(name: str) -> None:
    """A tiny model trains four steps, and generates the CPU's tokens."""
    import transformers

    sizes = {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    more = {
        "Llama": {"intermediate_size": 64, "num_key_value_heads": 2},
        "Qwen2": {"intermediate_size": 64, "num_key_value_heads": 2},
        "Bert": {"intermediate_size": 64, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        "GPT2": {"attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0, "bos_token_id": 0, "eos_token_id": 0},
    }[name]
    head = {"GPT2": "GPT2LMHeadModel", "Bert": "BertForMaskedLM"}.get(name, f"{name}ForCausalLM")
    results = []
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(**sizes, **more)
        model = getattr(transformers, head)(config).to(device)
        tokens = torch.randint(1, 96, (2, 10)).to(device)
        mask = torch.ones_like(tokens)
        mask[0, :3] = 0
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        losses = []
        for _ in range(4):
            loss = model(input_ids=tokens, attention_mask=mask, labels=tokens).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        model.eval()
        if name == "Bert":
            generated = model(input_ids=tokens, attention_mask=mask).logits.argmax(-1)
        else:
            generated = model.generate(tokens, attention_mask=mask, max_new_tokens=8, do_sample=False, pad_token_id=0)
        results.append((losses, generated.tolist()))
    (wanted, wanted_tokens), (losses, generated) = results
    assert wanted[-1] < wanted[0]
    assert max(abs(a - b) for a, b in zip(losses, wanted, strict=True)) < EXACT, results
    assert generated == wanted_tokens


def hugging_face_page() -> None:
    exec(TRANSFORMERS, {"torch": torch})


CASES: dict[str, Callable[[], None]] = {
    **{name: lambda case=case: training(*case) for name, case in TRAININGS.items()},
    "page": page,
    "functions": functions,
    "LeNet, largest": lambda: digits(torch.nn.MaxPool2d, torch.float32, EXACT),
    "LeNet, mean": lambda: digits(torch.nn.AvgPool2d, torch.float32, EXACT),
    "LeNet, bfloat16": lambda: digits(torch.nn.MaxPool2d, torch.bfloat16, 0.02),
}
WITH_TRANSFORMERS: dict[str, Callable[[], None]] = {
    **{name: lambda name=name: hugging_face(name) for name in ("Llama", "GPT2", "Qwen2", "Bert")},
    "Hugging Face page": hugging_face_page,
}
if importlib.util.find_spec("transformers"):
    CASES |= WITH_TRANSFORMERS

if __name__ == "__main__":
    torch.manual_seed(0)
    torch.autograd.set_multithreading_enabled(False)  # PyTorch's thread may abort a process that ends
    CASES[sys.argv[1]]()
    torch_npu.npu.synchronize()
    print("done")
