"""The peak of this process's resident memory.

The kernel counts the pages that a process has touched (VmHWM in /proc/self/status, reset through clear_refs); so it
sees every allocator's memory, and pages that are never written to cost nothing.
"""

from __future__ import annotations

import gc
from pathlib import Path

from .timing import Call

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def is_available() -> bool:
    """Whether the kernel lets a process reset its own peak."""
    try:
        _RESET.write_text(_RESET_PEAK)
        return "VmHWM" in _STATUS.read_text()
    except OSError:
        return False


def peak(call: Call) -> int:
    """The bytes by which a call raises the process's resident memory at its peak."""
    gc.collect()
    _RESET.write_text(_RESET_PEAK)
    before = _status("VmRSS")
    result = call()
    after = _status("VmHWM")
    del result
    return max(0, after - before)


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) << 10
