"""A GPU as the device: tensors are PyTorch's, times are those between two events on its stream."""

from __future__ import annotations

import gc
import importlib
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from numpy.lib.stride_tricks import as_strided

import actgrad

from .. import buffers, machine
from ..buffers import Array, Index, Tensors
from ..cases import traffic
from ..peers import peer
from ..results import CEILING
from ..timing import Call, Contender

HEAD, LONGEST_HEAD = 1e-4, 4e-3  # seconds that the GPU is kept busy for while calls are put into its queue
ATTEMPTS = 3  # at a run for which the host was fast enough
SPIN, WARM_UP = 2_000_000, 40_000_000  # clock cycles: about 1 and 20 ms
_UNKNOWN_CACHE = 64 << 20
_DRIVER = Path("/proc/driver/nvidia/version")

COPY = "device copy"


class EventClock:
    """Times a run between two events on the current stream; how long the host takes to launch is no part of it.

    The GPU first spins while the host fills its queue; a spin that ended too early is repeated, longer. The clock has
    steps of about half a microsecond.
    """

    most_calls = 32
    overhead = HEAD + 3e-5

    def __init__(self, cuda: Any):
        self._cuda = cuda
        self._begin, self._end = (cuda.Event(enable_timing=True) for _ in range(2))
        self._spin(WARM_UP)  # an idle GPU runs at a lower clock frequency
        self._cycles = SPIN / max(self._spin(SPIN), 1e-6)  # per second

    def _spin(self, cycles: int) -> float:
        self._begin.record()
        self._cuda._sleep(cycles)
        self._end.record()
        return self._elapsed()

    def _elapsed(self) -> float:
        self._end.synchronize()
        return float(self._begin.elapsed_time(self._end)) * 1e-3

    def seconds(self, ahead: Sequence[Call], calls: Sequence[Call]) -> float:
        """The seconds of `calls`, after calls that are not timed."""
        head, seconds = HEAD, 0.0
        for _ in range(ATTEMPTS):
            started = time.perf_counter()
            self._cuda._sleep(int(head * self._cycles))
            for call in ahead:
                call()
            self._begin.record()
            for call in calls:
                call()
            was_idle = self._begin.query()  # the GPU is past this event: it may have waited for a call
            self._end.record()
            launching = time.perf_counter() - started
            seconds = self._elapsed()
            if not was_idle or head == LONGEST_HEAD:
                break
            head = min(max(2 * head, 1.5 * launching), LONGEST_HEAD)
        return seconds


class LaunchClock:
    """Times the host while it puts calls into the queue; so few that the queue is never full."""

    most_calls = 50
    overhead = 5e-5

    def __init__(self, cuda: Any):
        self._cuda = cuda

    def seconds(self, ahead: Sequence[Call], calls: Sequence[Call]) -> float:
        """The host's seconds for `calls`, after calls that are not timed."""
        self._cuda.synchronize()
        for call in ahead:
            call()
        begin = time.perf_counter()
        for call in calls:
            call()
        seconds = time.perf_counter() - begin
        self._cuda.synchronize()
        return seconds


class Cuda:
    """A GPU that PyTorch sees. `place` is PyTorch's name of the memory; tests without a GPU name another."""

    kind = "cuda"

    def __init__(self, torch: Any, number: int, place: str | None = None):
        self.torch = torch
        self.number = number
        self.name = f"cuda:{number}"
        self._place = place or self.name
        with self.measuring():
            self.clock = EventClock(torch.cuda)
            self.launch_clock = LaunchClock(torch.cuda)
        self.lacks = {"start": "the first call of a process is not measured on a GPU"}

    @property
    def _properties(self) -> Any:
        return self.torch.cuda.get_device_properties(self.number)

    @property
    def cache_bytes(self) -> int:
        """The size of the level-2 cache, or a usual one where PyTorch does not tell it."""
        return int(getattr(self._properties, "L2_cache_size", 0)) or _UNKNOWN_CACHE

    def describe(self) -> dict[str, Any]:
        """The GPU, its driver, the versions and the host."""
        properties, version = self._properties, self.torch.version
        return {
            "processor": properties.name,
            "capability": f"{properties.major}.{properties.minor}",
            "multiprocessors": properties.multi_processor_count,
            "caches": {"L2": self.cache_bytes},
            "memory": properties.total_memory,
            "driver": driver(),
            "runtime": f"CUDA {version.cuda}" if version.cuda else f"ROCm {version.hip}",
            "host": machine.processor(),
            **machine.surroundings(),
        }

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """A context in which this is the current device: events and launches are its own."""
        with self.torch.cuda.device(self.number):
            yield

    def set_threads(self, threads: int) -> None:
        """Nothing: the host's threads do not compute."""

    def threads(self, threads: int) -> int:
        """0: the host's threads do not count."""
        return 0

    def put(self, tensors: Tensors) -> Tensors:
        """The tensors on the device: each in memory of its own, with its strides and its alignment."""
        inputs = tuple(None if a is None else self._copied(a) for a in tensors.inputs)
        return Tensors(inputs, tuple(map(self._copied, tensors.outputs)))

    def _copied(self, array: Array) -> Any:
        itemsize = array.itemsize
        reach = 1 + sum((n - 1) * s // itemsize for n, s in zip(array.shape, array.strides, strict=True))
        memory = peer.to_torch(self.torch, as_strided(array, (reach,), (itemsize,)))
        lead = array.ctypes.data % buffers.ALIGNMENT // itemsize  # how wide an access may be depends on it
        room = self.torch.empty(lead + reach, dtype=memory.dtype, device=self._place)
        room[lead:].copy_(memory)
        return room.as_strided(array.shape, [s // itemsize for s in array.strides], lead)

    def spoil(self, outputs: Sequence[Any]) -> None:
        """Overwrite outputs before a call."""
        for output in outputs:
            output.fill_(nan if output.dtype.is_floating_point else 85)

    def arrays(self, returned: Any) -> tuple[Any, ...]:
        """The result of a call, as tensors for `take`."""
        return tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)

    def take(self, array: Any, index: Index) -> Array:
        """Some elements of a tensor, as a NumPy array."""
        places = tuple(self.torch.tensor(i, device=array.device) for i in index)
        return peer.from_torch(self.torch, array[places].cpu())

    def ceilings(self, tensors: Tensors, sets: int) -> list[Contender]:
        """A copy on the device that reads and writes as many bytes together as a call on `tensors`."""
        half = max(1, sum(traffic(tensors)) // 2)

        def copy() -> Call:
            # Random bytes: zeros cost less power, and so less time.
            source = self.torch.randint(0, 256, (half,), dtype=self.torch.uint8, device=self._place)
            return partial(self.torch.empty_like(source).copy_, source)

        return [Contender(f"{CEILING} {COPY}", [copy() for _ in range(sets)])]

    def peak(self, call: Call) -> int:
        """The bytes of PyTorch's allocator at its peak: all tensors, without the memory of kernels."""
        cuda = self.torch.cuda
        gc.collect()
        cuda.synchronize()
        cuda.reset_peak_memory_stats()
        before = cuda.memory_allocated()
        result = call()
        cuda.synchronize()
        after = cuda.max_memory_allocated()
        del result
        return max(0, int(after) - int(before))


def driver() -> str | None:
    """The version of NVIDIA's driver; None where it is unknown."""
    try:
        words = _DRIVER.read_text(encoding="utf-8").split()
        return next(word for word in words if word[0].isdigit() and "." in word)
    except (OSError, StopIteration):
        pass
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next(iter(done.stdout.split()), None) if done.returncode == 0 else None


def find(name: str) -> Cuda:
    """The GPU called "cuda" or "cuda:1"; an error with the way out where there is none."""
    way_out = "leave --device out to measure the CPU"
    try:
        torch = importlib.import_module("torch")
        importlib.import_module("triton")
    except ImportError as error:
        raise actgrad.ActgradError(
            f"--device {name} needs PyTorch and Triton ({error}); make .venv/dev installs them"
        ) from error
    if not torch.cuda.is_available():
        raise actgrad.ActgradError(
            f"--device {name}: PyTorch {torch.__version__} sees no GPU; install its build for CUDA and the "
            f"driver where there is one, else {way_out}"
        )
    _, _, digits = name.partition(":")
    number, count = int(digits or torch.cuda.current_device()), torch.cuda.device_count()
    if number >= count:
        known = ", ".join(f"cuda:{k}" for k in range(count))
        raise actgrad.ActgradError(f"--device {name}: PyTorch sees {known} only; {way_out}")
    return Cuda(torch, number)
