"""Where is measured: what differs between a CPU and a GPU. Everything else in this folder asks a `Device`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from ..backends import get_num_threads, set_num_threads
from ..calls.plan import Plan
from . import buffers, ceiling, machine, peer, resident
from .buffers import Array, Index, Tensors
from .timing import WALL, Call, Clock, Contender


class Device(Protocol):
    """What the measurements ask of the place where they are made."""

    @property
    def name(self) -> str:
        """As `--device` has it, with its number: "cpu", "cuda:0"."""

    @property
    def kind(self) -> str:
        """Without its number."""

    @property
    def torch(self) -> Any:
        """PyTorch, where tensors are its own; None where they are NumPy's."""

    @property
    def clock(self) -> Clock:
        """Takes the times of throughput."""

    @property
    def launch_clock(self) -> Clock:
        """Takes the times of calls on few elements."""

    @property
    def cache_bytes(self) -> int:
        """The size of the last-level cache."""

    @property
    def lacks(self) -> Mapping[str, str]:
        """Measurements that cannot be made here, and why."""

    def describe(self) -> dict[str, Any]:
        """The machine, as every result names it."""

    def measuring(self) -> AbstractContextManager[None]:
        """A context in which measurements are made; it leaves everything as it was."""

    def set_threads(self, threads: int) -> None:
        """The same number of threads for both sides; 0 is the default."""

    def threads(self, threads: int) -> int:
        """The threads that this many stand for, 0 being the default; 0 where they do not count."""

    def put(self, tensors: Tensors) -> Tensors:
        """The tensors on the device, with the same layout; the given ones may be lost in it."""

    def spoil(self, outputs: Sequence[Any]) -> None:
        """Overwrite what a call is about to write, so that nothing right is left of another's."""

    def arrays(self, returned: Any) -> tuple[Any, ...]:
        """What a call returned, as arrays for `take`."""

    def take(self, array: Any, index: Index) -> Array:
        """Some elements of an array, on the host."""

    def ceilings(self, plan: Plan, sets: int) -> list[Contender]:
        """What moves the bytes that a plan must move, and does as little else as can be, on as many sets of buffers."""

    def peak(self, call: Call) -> int:
        """The bytes that a call takes at its peak, beyond what was taken before."""


class Cpu:
    """This machine's processor. Tensors are NumPy's arrays; their memory is what other libraries are given, too."""

    name = kind = "cpu"
    torch = None
    clock = launch_clock = WALL
    put = staticmethod(lambda tensors: tensors)
    spoil = staticmethod(buffers.spoil)
    arrays = staticmethod(peer.to_numpy)
    take = staticmethod(buffers.take)
    ceilings = staticmethod(ceiling.contenders)
    peak = staticmethod(resident.peak)
    describe = staticmethod(machine.describe)

    @property
    def cache_bytes(self) -> int:
        return machine.last_cache_bytes()

    @property
    def lacks(self) -> dict[str, str]:
        return {} if resident.is_available() else {"memory": "this system does not let a process reset its own peak"}

    @contextmanager
    def measuring(self) -> Iterator[None]:
        torch = sys.modules.get("torch")
        before = int(torch.get_num_threads()) if torch else 0
        try:
            yield
        finally:
            self.set_threads(0)
            if before:
                sys.modules["torch"].set_num_threads(before)

    def set_threads(self, threads: int) -> None:
        set_num_threads(threads)
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(threads or get_num_threads())

    def threads(self, threads: int) -> int:
        return threads or get_num_threads()


def find(name: str) -> Device:
    """The device called `name`; an error that says the way out where there is none."""
    if name == "cpu":
        return Cpu()
    from . import cuda

    return cuda.find(name)
