"""Runs Ascend C kernels on any Linux PC and names the line of each fault.

Kernel       compiles a kernel with g++ or clang; `run` runs it and returns a report
RunReport    the faults of a run, its time, and what it assumed where the documents leave something open
Tiling       compiles an operator project's tiling function; `run` returns tiling data, key and number of blocks
KernelError  a kernel or a tiling function does not compile

kernel       `Kernel`: the driver of a kernel, and its arguments
compiler     compiles drivers and links them; `cache` keeps the programs
tiling       `Tiling`; `tiling_data` makes the bytes of a tiling struct
running      runs a program in a process of its own
report       `RunReport`: faults, times and assumptions
kernel_command  `actgrad kernel`
products     facts of the products, and the header that has them
"""

from .compiler import INCLUDE, KernelError
from .kernel import Kernel
from .report import ASSUMPTIONS, Assumption, Fault, RunReport
from .tiling import Tiling, TilingError, TilingResult

Report = RunReport

__all__ = [
    "ASSUMPTIONS", "INCLUDE", "Assumption", "Fault", "Kernel", "KernelError", "Report", "RunReport", "Tiling",
    "TilingError", "TilingResult",
]  # fmt: skip
