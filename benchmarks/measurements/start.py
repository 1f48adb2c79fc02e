"""The start of a process: importing actgrad, and an operator's first call with and without the cache on disk."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import actgrad

from .. import subject
from ..cases import Case
from ..results import Import, Start
from ..timing import times

_IMPORT = """
import sys, time
begin = time.perf_counter()
__import__(sys.argv[1])
print(time.perf_counter() - begin)
"""

_FIRST_CALL = """
import json, sys, time
import ml_dtypes, numpy, llvmlite.binding, llvmlite.ir, actgrad
name, attributes, dtype, shapes = json.loads(sys.argv[1])
tensors = [shape and numpy.ones(shape, dtype) for shape in shapes]
operator = actgrad.operators[name]
begin = time.perf_counter()
operator(*tensors, **attributes)
print(time.perf_counter() - begin)
"""


def imports(repeats: int) -> Import:
    """The import times, each in `repeats` new processes, taking turns."""
    names = ("actgrad", "numpy")
    with tempfile.TemporaryDirectory(prefix="actgrad-bench-") as folder:
        # Bytecode as an installation leaves it, also where this environment writes none.
        environment = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for name in names:
            _child(_IMPORT, [name], environment)
        found = [[_child(_IMPORT, [name], environment) for name in names] for _ in range(repeats)]
    ours, numpy = (times(list(column)) for column in zip(*found, strict=True))
    return Import(ours, numpy)


def measure(case: Case, dtype: str, repeats: int) -> Start:
    """A case's first calls: each uncached one with an empty cache folder, each cached one with the filled folder."""
    tensors = case.tensors("contiguous", 1000, case.pool(dtype))
    shapes = [None if t is None else t.shape for t in tensors.inputs]
    argument = json.dumps([case.operator.name, dict(case.attributes), dtype, shapes])
    uncached, cached = [], []
    with tempfile.TemporaryDirectory(prefix="actgrad-bench-") as folder:
        for k in range(repeats):
            environment = {"ACTGRAD_CACHE_DIR": str(Path(folder) / str(k))}
            uncached.append(_child(_FIRST_CALL, [argument], environment))
            if not any((Path(folder) / str(k)).glob("*")):
                raise actgrad.ActgradError(f"nothing was written to the object cache in {folder}: cannot compare")
            cached.append(_child(_FIRST_CALL, [argument], environment))
    return Start(case.title, case.operator.name, dict(case.attributes), dtype, times(uncached), times(cached))


def _child(code: str, arguments: list[str], environment: dict[str, str]) -> float:
    """The number of seconds that a new Python process prints."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**subject.environment(), **environment})
    if done.returncode:
        raise actgrad.ActgradError(f"a new process failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)
