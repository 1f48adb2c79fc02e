"""The processor of this machine as the device: tensors are NumPy's arrays."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import actgrad

from .. import buffers, machine
from ..buffers import Tensors
from ..cases import traffic
from ..peers import peer
from ..results import CEILING
from ..timing import WALL, Call, Contender

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


class Cpu:
    """The processor. `torch` is the library of its tensors, None for NumPy."""

    name = kind = "cpu"
    torch = None
    clock = launch_clock = WALL  # for throughput, and for calls on few elements
    describe = staticmethod(machine.describe)
    take = staticmethod(buffers.take)  # some elements of an array, on the host
    spoil = staticmethod(buffers.spoil)
    arrays = staticmethod(peer.to_numpy)  # the result of a call, as arrays for `take`

    @property
    def cache_bytes(self) -> int:
        """The size of the last-level cache."""
        return machine.last_cache_bytes()

    @property
    def lacks(self) -> dict[str, str]:
        """Measurements that cannot be made here, and why."""
        return {} if can_reset_peak() else {"memory": "this system does not let a process reset its own peak"}

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """A context in which measurements are made; numbers of threads are restored."""
        torch = sys.modules.get("torch")
        before = int(torch.get_num_threads()) if torch else 0
        try:
            yield
        finally:
            self.set_threads(0)
            if before:
                sys.modules["torch"].set_num_threads(before)

    def set_threads(self, threads: int) -> None:
        """The same number of threads for actgrad and PyTorch; 0 is the default."""
        actgrad.set_num_threads(threads)
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(threads or actgrad.get_num_threads())

    def threads(self, threads: int) -> int:
        """The number of threads, 0 being the default."""
        return threads or actgrad.get_num_threads()

    def put(self, tensors: Tensors) -> Tensors:
        """The tensors on the device, with the same layout."""
        return tensors

    def ceilings(self, tensors: Tensors, sets: int) -> list[Contender]:
        """Calls that move as many bytes as a call on `tensors`, and compute next to nothing.

        Leaky ReLU with slope 1 for as many bytes read as written, its gradient for twice as many; in float32 on
        contiguous memory. PyTorch's copy or sum is timed too: the faster one is the ceiling.
        """
        read, written = traffic(tensors)
        is_double = read > 1.4 * written
        size = max(1, (read + written) // (12 if is_double else 8))
        ones = np.ones(buffers.POOL, np.float32)
        memory = [[buffers.room((size,), ones) for _ in range(2 + is_double)] for _ in range(sets)]
        operator = actgrad.leaky_relu_backward if is_double else actgrad.leaky_relu
        calls = [operator.plan(*inputs, out=out, negative_slope=1.0).run for *inputs, out in memory]
        found = [Contender(f"{CEILING} {operator.name}", calls)]
        torch = sys.modules.get("torch")
        if torch is not None:

            def theirs(*tensors: Any) -> Call:
                *inputs, out = (torch.from_numpy(t) for t in tensors)
                return (lambda: torch.add(*inputs, out=out)) if is_double else (lambda: out.copy_(*inputs))

            found.append(Contender(f"{CEILING} torch.{'add' if is_double else 'copy_'}", [theirs(*m) for m in memory]))
        return found

    def peak(self, call: Call) -> int:
        """The bytes by which a call raises the process's resident memory at its peak.

        Linux counts the pages that a process has touched (VmHWM in /proc/self/status, reset through clear_refs), so
        every allocator's memory counts, and pages that are never written do not.
        """
        gc.collect()
        _RESET.write_text(_RESET_PEAK)
        before = _status("VmRSS")
        result = call()
        after = _status("VmHWM")
        del result
        return max(0, after - before)


def can_reset_peak() -> bool:
    """Whether the system lets a process reset its own peak."""
    try:
        _RESET.write_text(_RESET_PEAK)
        return "VmHWM" in _STATUS.read_text()
    except OSError:
        return False


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) << 10
