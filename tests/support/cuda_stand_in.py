"""PyTorch's view of a GPU on a machine without one: what is asked of it must be there, and be called as it can be."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from benchmarks.devices.cuda import Cuda

_STUBS = (Path(torch.__file__).parent / "_C" / "__init__.pyi").read_text(encoding="utf-8")
#: What PyTorch tells of a GPU, by its own stubs: the class is not there in a build without CUDA.
PROPERTIES = _STUBS.partition("class _CudaDeviceProperties:")[2].partition("\n\n")[0]


class Gpu:
    """A queue of work. Time is the host's `now`, or passes by `pass_time` alone."""

    def __init__(self, now: Callable[[], float] = time.perf_counter):
        self.now = now
        self.busy_until = 0.0
        self.slept: list[float] = []
        self.asked: list[str] = []

    def work(self, seconds: float) -> None:
        self.busy_until = max(self.busy_until, self.now()) + seconds


class Virtual(Gpu):
    """A GPU in a time of its own."""

    def __init__(self) -> None:
        self.time = 1.0
        super().__init__(lambda: self.time)

    def launch(self, host: float, work: float) -> Callable[[], None]:
        """A call that takes the host and then the GPU this long."""

        def call() -> None:
            self.time += host
            self.work(work)

        return call

    def wait(self) -> None:
        self.time = max(self.time, self.busy_until)


class Event:
    """As torch.cuda.Event."""

    def __init__(self, gpu: Gpu):
        self.gpu = gpu
        self.at = 0.0

    def record(self) -> None:
        self.at = max(self.gpu.now(), self.gpu.busy_until)

    def query(self) -> bool:
        return self.at <= self.gpu.now() and isinstance(self.gpu, Virtual)

    def synchronize(self) -> None:
        if isinstance(self.gpu, Virtual):
            self.gpu.wait()

    def elapsed_time(self, end_event: Event) -> float:
        return (end_event.at - self.at) * 1e3


class StandIn:
    """As torch.cuda."""

    CYCLES = 1e9  # per second

    def __init__(self, gpu: Gpu | None = None):
        self.gpu = gpu or Gpu()
        self.peak = 0

    def __getattr__(self, name: str) -> Any:
        real, mine = getattr(torch.cuda, name), type(self).__dict__[f"as_{name}"]
        signature = inspect.signature(real)

        def call(*arguments: Any, **by_name: Any) -> Any:
            signature.bind(*arguments, **by_name)
            self.gpu.asked.append(name)
            return mine(self, *arguments, **by_name)

        return call

    def as_Event(self, enable_timing: bool = False) -> Event:
        assert enable_timing
        for name in ("record", "query", "synchronize", "elapsed_time"):
            theirs, ours = (inspect.signature(getattr(c, name)).parameters for c in (torch.cuda.Event, Event))
            assert list(theirs)[: len(ours)] == list(ours)
        return Event(self.gpu)

    def as__sleep(self, cycles: int) -> None:
        assert type(cycles) is int
        self.gpu.slept.append(cycles / self.CYCLES)
        if isinstance(self.gpu, Virtual):
            self.gpu.work(cycles / self.CYCLES)

    def as_device(self, device: Any) -> Any:
        return nullcontext()

    def as_get_device_properties(self, device: int) -> Any:
        told = {
            "name": "NVIDIA H200", "major": 9, "minor": 0, "multi_processor_count": 132, "total_memory": 139 << 30,
            "L2_cache_size": 1 << 12,
        }  # fmt: skip
        assert all(f"{name}: " in PROPERTIES for name in told)
        return SimpleNamespace(**told)

    def as_synchronize(self) -> None:
        if isinstance(self.gpu, Virtual):
            self.gpu.wait()

    def as_reset_peak_memory_stats(self) -> None:
        self.peak = 1000

    def as_memory_allocated(self) -> int:
        return 1000

    def as_max_memory_allocated(self) -> int:
        return self.peak + 500


class Torch:
    """PyTorch with another `cuda`."""

    def __init__(self, gpu: Gpu | None = None):
        self.cuda = StandIn(gpu)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def device(gpu: Gpu | None = None) -> Cuda:
    """A GPU whose tensors lie on the CPU."""
    return Cuda(Torch(gpu), 0, place="cpu")
