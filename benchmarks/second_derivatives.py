"""Steps with second and third derivatives, by actgrad.torch and by PyTorch: `python -m benchmarks.second_derivatives`.

A PINN (a network that solves a differential equation) needs third derivatives of its activation. The gradient penalty
of a WGAN-GP and a Hessian-vector product need second ones. Both contenders take turns, and a ratio is ours / PyTorch's:
of the medians of processor time, and of the peaks of memory. Gradients are compared first. `--write` makes the table of
docs/models.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

import actgrad.torch as ours
from actgrad.torch.models.comparison import _peak
from actgrad.writing.documents import write_part

from .machine import processor
from .verify import WrongResult

Activation = Callable[[Any], Any]
Step = Callable[[], list[Any]]
#: PyTorch's function and ours, by name.
PAIRS: dict[str, tuple[Activation, Activation]] = {
    "GELU": (functional.gelu, ours.gelu),
    "GELU, tanh": (partial(functional.gelu, approximate="tanh"), partial(ours.gelu, approximate="tanh")),
    "SiLU": (functional.silu, ours.silu),
    "tanh": (torch.tanh, ours.tanh),
    "sigmoid": (torch.sigmoid, ours.sigmoid),
    "softplus": (functional.softplus, ours.softplus),
    "ELU": (functional.elu, ours.elu),
    "mish": (functional.mish, ours.mish),
    "LeakyReLU": (functional.leaky_relu, ours.leaky_relu),
}


class Network:
    """A multilayer perceptron with one output."""

    def __init__(self, activation: Activation, inputs: int, width: int, layers: int = 3):
        torch.manual_seed(0)
        sizes = [inputs, *[width] * layers, 1]
        self.layers = [torch.nn.Linear(a, b) for a, b in pairwise(sizes)]
        self.parameters = [parameter for layer in self.layers for parameter in layer.parameters()]
        self.activation = activation

    def __call__(self, x: Any) -> Any:
        *hidden, last = self.layers
        for layer in hidden:
            x = self.activation(layer(x))
        return last(x)


def pinn(activation: Activation, points: int = 2048) -> Step:
    """The gradients of a residual of Burgers' equation, u_t + u * u_x = 0.01 * u_xx."""
    network, x = Network(activation, 2, 64), torch.randn(points, 2, requires_grad=True)

    def step() -> list[Any]:
        u = network(x)
        (slopes,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (curvatures,) = torch.autograd.grad(slopes[:, 0].sum(), x, create_graph=True)
        residual = slopes[:, 1] + u[:, 0] * slopes[:, 0] - 0.01 * curvatures[:, 0]
        return [*torch.autograd.grad(residual.square().mean(), network.parameters, allow_unused=True)]

    return step


def gradient_penalty(activation: Activation, rows: int = 256) -> Step:
    """The gradients of a WGAN-GP critic."""
    network, (real, fake) = Network(activation, 64, 256), (torch.randn(rows, 64) for _ in range(2))
    between = ((real + fake) / 2).requires_grad_()

    def step() -> list[Any]:
        (slopes,) = torch.autograd.grad(network(between).sum(), between, create_graph=True)
        loss = network(fake).mean() - network(real).mean() + 10 * (slopes.norm(dim=1) - 1).square().mean()
        return [*torch.autograd.grad(loss, network.parameters, allow_unused=True)]

    return step


def hessian_vector(activation: Activation, rows: int = 512) -> Step:
    """The product of the Hessian of a squared error and a vector."""
    network, x, y = Network(activation, 64, 256), torch.randn(rows, 64), torch.randn(rows, 1)
    vector = [torch.randn_like(parameter) for parameter in network.parameters]

    def step() -> list[Any]:
        gradients = torch.autograd.grad((network(x) - y).square().mean(), network.parameters, create_graph=True)
        total = torch.stack([(a * b).sum() for a, b in zip(gradients, vector, strict=True)]).sum()
        return [*torch.autograd.grad(total, network.parameters)]

    return step


WORKLOADS = {"PINN": pinn, "WGAN-GP": gradient_penalty, "Hessian-vector product": hessian_vector}


def compare(workload: str, name: str, rounds: int) -> tuple[float, float, float]:
    """PyTorch's time of a step in milliseconds, and the ratios of time and peak memory."""
    theirs, mine = (WORKLOADS[workload](activation) for activation in PAIRS[name])
    for wanted, found in zip(theirs(), mine(), strict=True):
        if (wanted is None) != (found is None):
            raise WrongResult(f"{workload}, {name}: only one of the gradients exists")
        if wanted is not None and (wanted - found).abs().max() > 2e-3 * wanted.abs().max():
            raise WrongResult(f"{workload}, {name}: gradients differ by more than 0.2 %")
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        for step, row in zip((theirs, mine), times, strict=True):
            start = time.process_time()
            step()
            row.append(time.process_time() - start)
    medians = [statistics.median(row) for row in times]
    peaks = [_peak(theirs), _peak(mine)]
    return 1e3 * medians[0], medians[1] / medians[0], peaks[1] / peaks[0]


def table(rounds: int) -> Iterator[str]:
    yield f"{processor()}, 1 thread, PyTorch {torch.__version__}. The load of the machine was {os.getloadavg()[1]:.1f}."
    yield ""
    yield f"| time / peak memory, ours / PyTorch's | {' | '.join(WORKLOADS)} |"
    yield "| --- " + "| ---: " * len(WORKLOADS) + "|"
    for name in PAIRS:
        cells = []
        for workload in WORKLOADS:
            milliseconds, ratio, peak = compare(workload, name, rounds)
            cells.append(f"{ratio:.2f} / {peak:.2f} (of {milliseconds:.0f} ms)")
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="steps of each contender (%(default)s)")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="put the table into this document")
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = []
    for line in table(options.rounds):
        print(line, file=sys.stdout, flush=True)
        lines.append(line)
    if options.write:
        write_part(options.write, "second-derivatives", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
