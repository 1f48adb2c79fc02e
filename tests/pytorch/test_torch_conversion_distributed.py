"""Converted models in two processes: DDP, FSDP2 and tensor parallelism have the losses of one unconverted process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import actgrad

torch = pytest.importorskip("torch")
distributed = pytest.importorskip("torch.distributed")

pytestmark = pytest.mark.share(3)

if not distributed.is_available():
    pytest.skip("PyTorch has no torch.distributed", allow_module_level=True)

from actgrad.torch import convert  # noqa: E402
from tests.pytorch.test_torch_conversion import LLAMA, GatedBlock  # noqa: E402

nn = torch.nn
BLOCKS = (2, 5)


def make_model() -> Any:
    torch.manual_seed(0)
    layers = nn.Linear(4, 4), nn.ELU(), GatedBlock(width=16), nn.Linear(4, 4), nn.GELU("tanh"), GatedBlock(width=16)
    return nn.Sequential(*layers)


def losses(model: Any, x: Any) -> Any:
    """The losses of a few steps of training."""
    optimizer, found = torch.optim.SGD(model.parameters(), lr=0.05), []
    for _ in range(4):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return torch.tensor(found)


def train(rank: int, folder: str) -> None:
    """Train in each way, and compare with one process that has all data."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    data = [torch.randn(8, 4, generator=torch.Generator().manual_seed(each)) for each in range(2)]
    wanted = losses(make_model(), torch.cat(data))
    for way in ("DDP", "FSDP2", "tensor parallelism"):
        model = make_model()
        assert len(convert(model, only="all", gates={GatedBlock: LLAMA}).swapped) == 6
        if way == "DDP":
            found = losses(nn.parallel.DistributedDataParallel(model), data[rank])
        elif way == "FSDP2":
            for index in BLOCKS:
                fully_shard(model[index])
            fully_shard(model)
            with pytest.raises(actgrad.InvalidCall, match=r"sharded by fully_shard; .*; run it before fully_shard"):
                convert(model, inputs=data[rank])
            other = nn.Sequential(nn.PReLU(4), nn.PReLU(), GatedBlock(width=16))
            fully_shard(other[0])
            fully_shard(other[2])
            fully_shard(other)
            reasons = [row.reason for row in convert(other, only="all", gates={GatedBlock: LLAMA}).left]
            assert [each.partition("; ")[0] for each in reasons[:3]] == [
                "fully_shard gave it a class of its own",
                "its parameters are distributed over processes",
                "fully_shard gave it a class of its own",
            ]
            found = losses(model, data[rank])
        else:
            mesh = init_device_mesh("cpu", (2,))
            plan = {"gate_proj": ColwiseParallel(), "up_proj": ColwiseParallel(), "down_proj": RowwiseParallel()}
            for index in BLOCKS:
                parallelize_module(model[index], mesh, plan)
            found = losses(model, torch.cat(data))
        if way != "tensor parallelism":
            distributed.all_reduce(found)
            found /= 2
        torch.testing.assert_close(found, wanted, msg=lambda text, way=way: f"{way}: {text}")
    distributed.barrier()
    distributed.destroy_process_group()
    (Path(folder) / f"done{rank}").touch()


def test_two_processes_train_as_one(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(train, (str(tmp_path),), nprocs=2)
    assert sorted(path.name for path in tmp_path.glob("done*")) == ["done0", "done1"]
