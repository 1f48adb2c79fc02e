"""Train a small GeGLU network on several processes: tensor parallel within groups, sharded by FSDP2 across them.

Each process computes the activation of its own part of the hidden units, as a DTensor, without communication. Both
commands print the losses, so that you can compare the losses of one process and of several processes:

    python examples/train_sharded.py
    torchrun --nproc-per-node 4 examples/train_sharded.py --tensor-parallel 2
"""

from __future__ import annotations

import argparse
import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DeviceMesh, Replicate, Shard, init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import actgrad.torch

WIDTH, HIDDEN, BATCH, LAYERS = 32, 64, 16, 3


class Block(nn.Module):
    """A residual gated MLP: x + down(gelu(gate(x)) * up(x))."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, HIDDEN)
        self.up = nn.Linear(WIDTH, HIDDEN)
        self.down = nn.Linear(HIDDEN, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(actgrad.torch.geglu_gemma(self.gate(x), self.up(x)))


def network() -> nn.Module:
    """The network. It has the same weights in every process."""
    torch.manual_seed(0)
    return nn.Sequential(*[Block() for _ in range(LAYERS)], nn.Linear(WIDTH, WIDTH), actgrad.torch.ELU())


def shard(model: nn.Module, mesh: DeviceMesh) -> None:
    """Shard the blocks: the hidden units over the second dimension of the mesh, all parameters over the first."""
    plan = {
        "gate": ColwiseParallel(use_local_output=False),  # DTensors, sharded in their last dimension
        "up": ColwiseParallel(use_local_output=False),
        "down": RowwiseParallel(input_layouts=Shard(-1), output_layouts=Replicate()),
    }
    for block in model:
        if isinstance(block, Block):
            parallelize_module(block, mesh["tensor"], plan)
        fully_shard(block, mesh=mesh["data"])
    fully_shard(model, mesh=mesh["data"])


def train(model: nn.Module, steps: int, mesh: DeviceMesh | None) -> list[float]:
    """Train, and return the loss of each step. The batches are the same for any number of processes."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    groups, own = (1, 0) if mesh is None else (mesh["data"].size(), mesh["data"].get_local_rank())
    losses = []
    for _ in range(steps):
        x = torch.randn(BATCH, WIDTH, generator=generator).chunk(groups)[own]
        loss = nn.functional.mse_loss(model(x), x.roll(1, -1).clamp(min=-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total = loss.detach()
        if mesh is not None:
            dist.all_reduce(total, group=mesh["data"].get_group())
        losses.append(total.item() / groups)
    return losses


def main() -> None:
    """Train, and let one process print the losses as a JSON list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensor-parallel", type=int, default=2, metavar="N", help="processes per block (%(default)s)")
    parser.add_argument("--steps", type=int, default=8, metavar="N", help="steps to train (%(default)s)")
    arguments = parser.parse_args()
    model = network()
    if "RANK" not in os.environ:
        print(json.dumps(train(model, arguments.steps, None)))
        return
    dist.init_process_group("gloo")
    tensor = arguments.tensor_parallel
    mesh = init_device_mesh("cpu", (dist.get_world_size() // tensor, tensor), mesh_dim_names=("data", "tensor"))
    shard(model, mesh)
    losses = train(model, arguments.steps, mesh)
    if dist.get_rank() == 0:
        print(json.dumps(losses), flush=True)
    dist.barrier()  # if a process ends while another one communicates with it, the other one fails
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
