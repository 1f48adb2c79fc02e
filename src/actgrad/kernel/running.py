"""Runs a compiled kernel in a process of its own, and reads the results and the report.

The arguments go through a file in memory, which the program maps with guards around each argument. See
include/actgrad_ascendc/program.h for the layout.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .compiler import INCLUDE
from .report import Fault, RunReport, read

_PAGE = 4096
_REQUEST = struct.Struct("<9Qd")
_SLOT = struct.Struct("<4Q64s")
_GRACE = 10.0  # seconds that a program may take to report a timeout


@dataclass(frozen=True)
class Slot:
    """One parameter of a kernel: an argument in global memory, or the bytes of a value."""

    name: str
    array: np.ndarray[Any, Any] | None = None
    content: bytes = b""  # of a value, or of an argument without an array
    is_pointer: bool = True
    read_only: bool = True
    is_null: bool = False  # an optional argument that is absent

    @property
    def nbytes(self) -> int:
        return len(self.content) if self.array is None else self.array.nbytes


def run(
    program: Path,
    slots: Sequence[Slot],
    *,
    blocks: int,
    key: int,
    checks: bool,
    ub_bytes: int,
    timeout: float,
    values: Mapping[str, str],
) -> RunReport:
    """Run a program on these parameters. Writable arrays are changed in place."""
    places, size = _layout(slots)
    with _memory_file("actgrad-kernel") as memory, _memory_file("actgrad-report") as answer:
        os.ftruncate(memory, size)
        with mmap.mmap(memory, size) as mapped:
            mapped[: _REQUEST.size] = _REQUEST.pack(
                len(slots), blocks, key, checks, ub_bytes,
                values["nan_in_compare"] == "complement", values["nan_in_max_min"] == "other",
                values["subnormals"] == "flush", values["half_overflow"] == "saturate", timeout,
            )  # fmt: skip
            for number, (slot, place) in enumerate(zip(slots, places, strict=True)):
                at = _REQUEST.size + number * _SLOT.size
                mapped[at : at + _SLOT.size] = _SLOT.pack(
                    2 if slot.is_null else slot.is_pointer,
                    place.region,
                    slot.nbytes,
                    slot.read_only,
                    slot.name.encode()[:63],
                )
                if place.is_first:
                    _bytes(mapped, place.data, slot.nbytes)[...] = _content(slot)
            status, is_late = _execute(program, memory, answer, timeout)
            for slot, place in zip(slots, places, strict=True):
                if slot.array is not None and not slot.read_only and place.is_first:
                    result = _bytes(mapped, place.data, slot.nbytes).view(slot.array.dtype)
                    slot.array[...] = result.reshape(slot.array.shape)
                    del result  # the mapping cannot be closed while an array uses it
        written = os.lseek(answer, 0, os.SEEK_END)
        text = os.pread(answer, written, 0).decode(errors="replace")
    empty: dict[str, Any] = {"seconds": 0.0, "assumptions": 0, "addresses": [], "located": 0, "faults": []}
    content: dict[str, Any] = json.loads(text) if text else empty
    faults = [Fault(**fault) for fault in content["faults"]]
    if not text:
        faults.append(_unreported(status, timeout if is_late else 0.0))
    if content["addresses"]:
        at = content["located"]
        faults[at] = _located(program, content["addresses"], faults[at])
    return read(content, faults, values)


@dataclass(frozen=True)
class _Place:
    region: int  # offset of the first page in the memory file
    data: int  # offset of the data
    is_first: bool  # False if an earlier parameter is the same array


def _layout(slots: Sequence[Slot]) -> tuple[list[_Place], int]:
    """Where the parameters lie in the memory file: each one ends at the end of a page, rounded up to 32 bytes."""
    offset = _pages(_REQUEST.size + len(slots) * _SLOT.size)
    places: list[_Place] = []
    known: dict[tuple[Any, ...], _Place] = {}
    for slot in slots:
        identity = _identity(slot)
        if identity in known:
            places.append(_Place(known[identity].region, known[identity].data, False))
            continue
        room = -(-slot.nbytes // 32) * 32 if slot.is_pointer else slot.nbytes
        region = _pages(room)
        place = _Place(offset, offset + (region - room if slot.is_pointer else 0), True)
        known[identity] = place
        places.append(place)
        offset += region
    return places, max(offset, _PAGE)


def _identity(slot: Slot) -> tuple[Any, ...]:
    """Equal for two parameters that are the same memory."""
    array = slot.array
    if array is None or array.nbytes == 0:
        return (id(slot),)
    return (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)


def _pages(count: int) -> int:
    return -(-count // _PAGE) * _PAGE


def _bytes(mapped: mmap.mmap, start: int, count: int) -> np.ndarray[Any, Any]:
    return np.frombuffer(mapped, np.uint8, count, start)


def _content(slot: Slot) -> np.ndarray[Any, Any]:
    if slot.array is None:
        return np.frombuffer(slot.content, np.uint8)
    return np.ascontiguousarray(slot.array).reshape(-1).view(np.uint8)


@contextmanager
def _memory_file(name: str) -> Iterator[int]:
    descriptor = os.memfd_create(name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _execute(program: Path, memory: int, answer: int, timeout: float) -> tuple[int, bool]:
    """Start the program and wait for its end. Returns its status, and whether it was killed because it did not end."""
    words = [str(program), str(memory), str(answer)]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=(memory, answer)) as process:
        try:
            return process.wait(timeout + _GRACE if timeout else None), False
        except BaseException as error:  # also an interrupt: the program must not outlive the call
            process.kill()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return process.wait(), True


def _unreported(status: int, timeout: float) -> Fault:
    """The fault of a program that ended without a report. `timeout` is 0 unless the program was killed after it."""
    if timeout:
        return Fault("timeout", "error", f"the kernel did not end within {timeout:g} seconds", "", 0, 0)
    how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
    return Fault("crash", "error", f"the kernel's process {how}", "", 0, 0)


def _located(program: Path, addresses: Sequence[str], fault: Fault) -> Fault:
    """The fault at the kernel's line, from the addresses where the processor was, the innermost one first.

    Frames of the C and C++ libraries do not count. If the innermost frame with a line is in our own code, the fault
    keeps its position, which is the last call of the interface.
    """
    tool = shutil.which("addr2line")
    if tool is None:
        return fault
    done = subprocess.run([tool, "-e", str(program), *addresses], capture_output=True, text=True, check=False)
    for place in done.stdout.splitlines():
        file, _, line = place.partition(" ")[0].rpartition(":")
        if not line.isdigit() or int(line) == 0 or file.startswith(("?", "/usr/")):
            continue
        if os.path.abspath(file).startswith(str(INCLUDE.parent)):
            return fault
        return Fault(fault.kind, fault.severity, fault.message, os.path.abspath(file), int(line), fault.block)
    return fault
