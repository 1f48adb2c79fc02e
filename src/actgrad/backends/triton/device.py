"""The GPU that a kernel runs on: its name, its current stream, and a context that makes it the current device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from ...base.errors import BackendUnavailable


class GpuDevice(NamedTuple):
    """A GPU. Its functions come from Triton's driver, which uses PyTorch's functions if PyTorch is loaded."""

    number: int
    target: Any  # Triton's description of the GPU's architecture
    get_current: Callable[[], int]
    set_current: Callable[[int], None]
    get_stream: Callable[[int], int]

    @contextmanager
    def made_current(self) -> Iterator[None]:
        """A context in which this device is the current one."""
        before = self.get_current()
        self.set_current(self.number)
        try:
            yield
        finally:
            self.set_current(before)


@cache
def find(name: str) -> GpuDevice:
    """The device called `name`, such as "cuda:1"."""
    from triton.runtime import driver

    try:
        active = driver.active
        before = active.get_current_device()
        number = int(name.partition(":")[2] or before)
        active.set_current_device(number)
        target = active.get_current_target()
        active.set_current_device(before)
    except RuntimeError as error:  # no GPU, no driver, or an unknown one
        cause = " ".join(str(error).split())
        raise BackendUnavailable(
            f"backend is 'triton'; it needs a GPU {name} with its driver ({cause}); check nvidia-smi or move to the CPU"
        ) from error
    return GpuDevice(number, target, active.get_current_device, active.set_current_device, active.get_current_stream)
