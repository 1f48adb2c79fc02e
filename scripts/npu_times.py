#!/usr/bin/env python3
"""Times of torch_npu's wheel on the C SDK: the import, with empty libraries too, and 16M elements, with actgrad too.

    PYTHONPATH=.venv/npu python scripts/npu_times.py

Contenders take turns; a ratio is that of the medians.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from actgrad.ascend.sdk import builder, descriptions

ROUNDS = 15
IMPORT = "import torch, time; start = time.perf_counter(); import torch_npu; print(time.perf_counter() - start)"
LARGE = """
import time, torch, torch_npu, actgrad
x = torch.randn(16 * 10**6)
there, y = x.npu(), torch.empty_like(x)
def on_npu():
    torch.nn.functional.silu(there)
    torch.npu.synchronize()
def directly():
    actgrad.silu(x, out=y)
for rule in (on_npu, directly):
    rule()
for _ in range(25):
    for rule in (on_npu, directly):
        start = time.perf_counter()
        rule()
        print(time.perf_counter() - start)
"""


def empty(library: Path, folder: Path) -> None:
    """Libraries with the same names and functions, which return 0."""
    folder.mkdir()
    for path in sorted(library.glob("lib*.so")):
        listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
        source = folder / f"{path.stem}.c"
        names = re.findall(r" T (\w+)$", listed.stdout, re.M)
        source.write_text("\n".join(f"long {name}(void) {{ return 0; }}" for name in names) + "\n")
        command = ["gcc", "-shared", "-fPIC", "-w", source, "-o", folder / path.name, f"-Wl,-soname,{path.name}"]
        subprocess.run(command, check=True)


def printed(code: str, sdk: Path, library: Path) -> list[float]:
    """The numbers that Python code prints."""
    variables = os.environ | descriptions.environment(sdk)
    variables |= {"LD_LIBRARY_PATH": str(library), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=variables, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [float(line) for line in done.stdout.splitlines()]


def show(what: str, contenders: dict[str, list[float]]) -> None:
    medians = {name: statistics.median(times) for name, times in contenders.items()}
    ours, other = medians.values()
    times = ", ".join(f"{name} {1000 * median:.1f} ms" for name, median in medians.items())
    print(f"{what}: {times}, ratio {ours / other:.2f}", flush=True)


def main() -> None:
    processor = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line)
    print(f"{processor.partition(': ')[2]}, {os.cpu_count()} threads, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        sdk, stubs = Path(name) / "sdk", Path(name) / "empty"
        builder.build(sdk)
        empty(sdk / "lib64", stubs)
        measured: dict[str, Callable[[], list[float]]] = {
            "ours": lambda: printed(IMPORT, sdk, sdk / "lib64"),
            "empty libraries": lambda: printed(IMPORT, sdk, stubs),
        }
        times: dict[str, list[float]] = {name: [] for name in measured}
        for _ in range(ROUNDS):
            for name, measure in measured.items():
                times[name] += measure()
        show("import torch_npu", times)
        large = printed(LARGE, sdk, sdk / "lib64")
        show("SiLU of 16M elements", {"on npu": large[::2], "actgrad.silu": large[1::2]})


if __name__ == "__main__":
    main()
