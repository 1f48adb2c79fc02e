"""Training with actgrad.torch and with PyTorch: memory, exactness and time.

Contenders take turns, and a ratio is that of the medians, ours / theirs: below 1 is faster or smaller. Gradients are
compared with float64 before anything is timed.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import torch
from torch.nn import functional

import actgrad
import actgrad.torch

from .timing import Contender, interleaved

TOKENS, WIDTH, HIDDEN = 4096, 512, 2048
SIZES = {"1e6": 10**6, "8": 8}
#: Without AVX-512, PyTorch's product of two bfloat16 matrices takes 50 times as long as that of two float32 matrices.
TOO_SLOW = "needs AVX-512"
Function = Callable[..., Any]


def eager_geglu(packed: torch.Tensor) -> torch.Tensor:
    """diffusers' GEGLU."""
    hidden_states, gate = packed.chunk(2, dim=-1)
    return hidden_states * functional.gelu(gate)


def eager_two(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """The gated MLP of the Gemma family."""
    return functional.gelu(gate) * x


class BareELU(torch.autograd.Function):  # type: ignore[misc]
    """PyTorch's ELU behind a Function in Python: the cost of the Function alone."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = torch.ops.aten.elu.default(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.elu_backward.default(grad, 1.0, 1.0, 1.0, True, *ctx.saved_tensors)


#: Ours and PyTorch's, by name.
PAIRS: dict[str, tuple[Function, Function]] = {
    "ELU": (actgrad.torch.elu, functional.elu),
    "SELU": (actgrad.torch.selu, functional.selu),
    "LeakyReLU": (actgrad.torch.leaky_relu, functional.leaky_relu),
    "GELU": (actgrad.torch.gelu, functional.gelu),
    "GeGLU": (actgrad.torch.geglu, eager_geglu),
}


# Memory


def kept(function: Function, *tensors: torch.Tensor, parameters: Any = ()) -> int:
    """The bytes that a forward pass keeps for the backward pass, each storage once, parameters apart."""
    storages: dict[int, torch.Tensor] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storages[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = function(*tensors)
    del result
    known = {parameter.untyped_storage().data_ptr() for parameter in parameters}
    return sum(tensor.untyped_storage().nbytes() for place, tensor in storages.items() if place not in known)


def of_mlp(activation: Function, dtype: torch.dtype, layers: int = 12) -> int:
    """The bytes that a plain MLP's layers keep, less its input."""
    linears = [torch.nn.Linear(64, 64, dtype=dtype) for _ in range(layers)]

    def network(x: torch.Tensor) -> torch.Tensor:
        for linear in linears:
            x = activation(linear(x))
        return x

    x = torch.randn(32, 64, dtype=dtype)
    return kept(network, x, parameters=[p for linear in linears for p in linear.parameters()]) - x.nbytes


def memory() -> Iterator[str]:
    """The bytes kept for the gradient, as a share of PyTorch's."""
    dtypes = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    yield f"| memory saved for backward, ours / PyTorch's | `save` | {' | '.join(dtypes)} |"
    yield "| --- | --- |" + " ---: |" * len(dtypes)
    for name in ("ELU", "SELU", "LeakyReLU"):
        ours, theirs = PAIRS[name]
        for save in ("auto", "result", "input"):
            shares = [of_mlp(lambda x: ours(x, save=save), d) / of_mlp(theirs, d) for d in dtypes.values()]  # noqa: B023
            yield f"| {name} in an MLP | {save} | {' | '.join(f'{share:.2f}' for share in shares)} |"
    tensors: tuple[Literal["auto", "gelu"], ...] = ("auto", "gelu")
    for save in tensors:
        cells = [_share(lambda x: actgrad.torch.geglu(x, save=save), eager_geglu, 1, d) for d in dtypes.values()]  # noqa: B023
        yield f"| GeGLU | {save} | {' | '.join(cells)} |"
    cells = [_share(actgrad.torch.geglu_two, eager_two, 2, dtype) for dtype in dtypes.values()]
    yield f"| geglu_two | | {' | '.join(cells)} |"


def _share(ours: Function, theirs: Function, count: int, dtype: torch.dtype) -> str:
    """The bytes that ours keeps of this many tensors, as a share of theirs."""
    tensors = [torch.randn(32, 64, dtype=dtype, requires_grad=True) for _ in range(count)]
    mine, others = (kept(lambda *t, f=f: f(*(x * 1.0 for x in t)), *tensors) for f in (ours, theirs))
    return f"{mine / others:.2f}"


# Exactness


def exactness() -> Iterator[str]:
    """The largest error of a gradient over [-16, 16], by the tensor kept for it."""
    dtypes = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
    yield f"| largest absolute error of the gradient | saved | {' | '.join(dtypes)} |"
    yield "| --- | --- |" + " ---: |" * len(dtypes)
    for name, standard in (("ELU", functional.elu), ("SELU", functional.selu), ("LeakyReLU", functional.leaky_relu)):
        ours = PAIRS[name][0]
        for save in ("input", "result"):
            errors = []
            for dtype in dtypes.values():
                x = torch.linspace(-16, 16, 400_000, dtype=torch.float64).to(dtype)
                x = x[x != 0].requires_grad_()
                exact = x.detach().double().requires_grad_()
                (wanted,) = torch.autograd.grad(standard(exact).sum(), exact)
                (slope,) = torch.autograd.grad(ours(x, save=save).sum(), x)
                errors.append(f"{(slope.double() - wanted).abs().max().item():.2g}")
            yield f"| {name} | {save} | {' | '.join(errors)} |"


# Time


def trained(function: Function, *tensors: torch.Tensor, grad: torch.Tensor) -> Callable[[], Any]:
    """One forward and backward pass."""
    leaves = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    return lambda: torch.autograd.grad(function(*leaves), leaves, grad)


def compare(name: str, runs: dict[str, Callable[[], Any]], standard: list[torch.Tensor]) -> None:
    """Raise where gradients are wrong."""
    for who, run in runs.items():
        for got, wanted in zip(run(), standard, strict=True):
            eps = torch.finfo(got.dtype).eps
            if not torch.allclose(got.double(), wanted.double(), rtol=16 * eps, atol=64 * eps):
                difference = (got.double() - wanted.double()).abs().max().item()
                fault = f"{name}: the gradients of {who} differ by {difference:.3g}: nothing was timed"
                raise actgrad.ActgradError(fault)


def ratios(runs: Mapping[str, Callable[[], Any]], seconds: float = 5.0) -> dict[str, float]:
    """The time of "ours" as a multiple of each other one's."""
    taken = interleaved([Contender(name, [run]) for name, run in runs.items()], seconds, least_runs=11)
    times = dict(zip(runs, taken, strict=True))
    return {name: times["ours"].median / times[name].median for name in runs}


def step() -> Iterator[str]:
    """The training step of a GEGLU MLP, and its activation part."""
    yield f"| GEGLU MLP, {TOKENS} tokens, {WIDTH} x {HIDDEN} | dtype | time: ours / eager | ours / `torch.compile` |"
    yield "| --- | --- | ---: | ---: |"
    for dtype in (torch.float32, torch.bfloat16):
        print(f"training step, {dtype}", file=sys.stderr)
        up = torch.nn.Linear(WIDTH, 2 * HIDDEN, dtype=dtype)
        down = torch.nn.Linear(HIDDEN, WIDTH, dtype=dtype)
        packed, grad = torch.randn(TOKENS, 2 * HIDDEN, dtype=dtype), torch.randn(TOKENS, HIDDEN, dtype=dtype)
        wanted = trained(eager_geglu, packed.double(), grad=grad.double())()
        functions: dict[str, Function] = {"ours": actgrad.torch.geglu, "eager": eager_geglu}
        if shutil.which("g++"):
            functions["compile"] = torch.compile(eager_geglu, fullgraph=True, dynamic=False)
        part = {who: trained(function, packed, grad=grad) for who, function in functions.items()}
        exact = {who: run for who, run in part.items() if dtype == torch.float32 or who == "ours"}
        compare("activation part", exact, list(wanted))  # in bfloat16 PyTorch's rounds in between
        yield _row("activation part, forward and backward", dtype, ratios(part))
        if dtype == torch.bfloat16 and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            yield f"| whole step | bfloat16 | {TOO_SLOW} | {TOO_SLOW} |"
            continue
        x, target = torch.randn(TOKENS, WIDTH, dtype=dtype), torch.randn(TOKENS, WIDTH, dtype=dtype)

        def whole(activation: Function, x: Any = x, up: Any = up, down: Any = down, target: Any = target) -> Any:
            parameters = [*up.parameters(), *down.parameters()]
            return torch.autograd.grad((down(activation(up(x))) * target).sum(), parameters)

        runs = {who: partial(whole, function) for who, function in functions.items()}
        yield _row("whole step", dtype, ratios(runs, 10.0))


def _row(name: str, dtype: torch.dtype, measured: dict[str, float]) -> str:
    cells = [f"{measured[who]:.2f}" if who in measured else "-" for who in ("eager", "compile")]
    return f"| {name} | {str(dtype).removeprefix('torch.')} | {' | '.join(cells)} |"


def calls() -> Iterator[str]:
    """Forward and backward of each activation, of many elements and of few."""
    yield f"| forward and backward, time: ours / PyTorch's | {' | '.join(f'{size} elements' for size in SIZES)} |"
    yield "| --- |" + " ---: |" * len(SIZES)
    pairs = {**PAIRS, "a bare `autograd.Function` around PyTorch's ELU": (BareELU.apply, functional.elu)}
    for name, (ours, theirs) in pairs.items():
        print(name, file=sys.stderr)
        cells = []
        for size in SIZES.values():
            shape = (max(1, size // 1000), min(size, 1000))
            x = torch.randn(shape)
            x += torch.where(x > 0, 1e-3, -1e-3)  # SELU's gradient at 0 is a convention
            grad = torch.randn_like(theirs(x))
            wanted = trained(theirs, x.double(), grad=grad.double())()
            runs = {"ours": trained(ours, x, grad=grad), "theirs": trained(theirs, x, grad=grad)}
            compare(name, runs, list(wanted))
            cells.append(f"{ratios(runs)['theirs']:.2f}")
        yield f"| {name} | {' | '.join(cells)} |"


def tables() -> str:
    """All tables, as Markdown."""
    torch.manual_seed(0)
    parts = [memory(), exactness(), step(), calls()]
    return "\n\n".join("\n".join(part) for part in parts)
