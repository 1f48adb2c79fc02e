"""Cases for torch_npu's unmodified wheel: work is in its queue while the main thread keeps Python's lock and waits.

Each runs in a process of its own, `python npu_queue.py NAME`, and must not hang.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch
import torch_npu

CAPACITY = 4096  # of the wheel's queue


def fill(count: int = 20) -> None:
    """Give slow work, which another thread passes on."""
    a = torch.ones(1024, 1024, device="npu")
    for _ in range(count):
        a = a @ a


def end() -> None:
    """The wheel waits when the process ends."""
    a = torch.ones(64, 64, device="npu")
    for _ in range(300):
        a @ a


def full() -> None:
    """A full queue: a record waits for a place in it."""
    event = torch_npu.npu.Event()
    fill()
    for _ in range(2 * CAPACITY):
        event.record()


def query() -> None:
    fill()
    torch_npu.npu.current_stream().query()


def elapsed() -> None:
    first, second = (torch_npu.npu.Event(enable_timing=True) for _ in range(2))
    first.record()
    fill()
    second.record()
    assert first.elapsed_time(second) >= 0


def handle() -> None:
    stream = torch_npu.npu.current_stream()
    fill()
    assert stream.npu_stream


def empty_cache() -> None:
    fill()
    torch_npu.npu.empty_cache()


CASES: dict[str, Callable[[], None]] = {
    function.__name__: function for function in (end, full, query, elapsed, handle, empty_cache)
}

if __name__ == "__main__":
    torch.ones(1).npu()
    CASES[sys.argv[1]]()
    print("done", flush=True)
