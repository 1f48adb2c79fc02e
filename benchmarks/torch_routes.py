"""The two routes of actgrad.torch, and its two nodes of one tensor, in turn: `python -m benchmarks.torch_routes`.

src/actgrad/torch/README.md says why there are two of each. A line has the medians of both and their ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import torch

import actgrad.torch
from actgrad.torch import autograd, kernels
from actgrad.torch.derivatives import derivations

ROUNDS, CALLS = 400, 20


def compare(
    title: str, contenders: Mapping[str, Callable[[], object]], rounds: int = ROUNDS, calls: int = CALLS
) -> None:
    """Time the calls in turn, so that other work on the machine slows all of them."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            start = time.perf_counter()
            for _ in range(calls):
                call()
            times[name].append((time.perf_counter() - start) / calls)
    (first, a), (second, b) = ((name, 1e6 * statistics.median(rows)) for name, rows in times.items())
    print(f"{title}: {first} {a:.1f} µs, {second} {b:.1f} µs, ratio {b / a:.2f}")


def main() -> None:
    torch.set_num_threads(1)
    x, gradient = torch.randn(16), torch.ones(16)
    weight = x.clone().requires_grad_()
    function, overload = actgrad.torch.elu, torch.ops.actgrad.elu.default

    def step(call: Callable[[Any], Any]) -> Callable[[], object]:
        return lambda: torch.autograd.grad(call(weight), weight, gradient)

    compare("forward, not recorded", {"direct": lambda: function(x), "dispatcher": lambda: overload(x)})
    compare("forward, recorded", {"direct": lambda: function(weight), "dispatcher": lambda: overload(weight)})
    compare("forward and backward", {"direct": step(function), "dispatcher": step(overload)})
    interface = kernels.interface_of(actgrad.elu)
    derivation = derivations.derive(interface, (1.0, 1.0, 1.0), x.dtype, "auto")
    nodes = [(kind.__name__, autograd.node_of(interface, kind)) for kind in (autograd.UnaryNode, autograd.Node)]

    def record(node: Any) -> Callable[[Any], Any]:
        return lambda tensor: node.apply(derivation, derivation.compute, tensor)

    compare("the node alone, forward and backward", {name: step(record(node)) for name, node in nodes})


if __name__ == "__main__":
    main()
