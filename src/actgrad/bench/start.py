"""The start of a process: importing this package, and an operator's first call with and without the object cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import actgrad

from ..base.errors import ActgradError
from . import buffers
from .cases import Case
from .results import Import, Start
from .timing import times

_IMPORT = """
import sys, time
begin = time.perf_counter()
__import__(sys.argv[1])
print(time.perf_counter() - begin)
"""

_FIRST_CALL = """
import json, sys, time
import numpy, llvmlite.binding, llvmlite.ir, actgrad
name, attributes, dtype, shapes = json.loads(sys.argv[1])
dtype = actgrad.base.dtypes.BY_NAME[dtype].numpy
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
    """A case's first calls: each uncached one with an empty cache folder, each cached one with what that one left."""
    shape = buffers.shape_of("contiguous", 1000, case.is_gated)
    tensors = buffers.make(case.operator, "contiguous", shape, case.pool(dtype), case.with_optional)
    shapes = [t is not None and t.shape for t in tensors.inputs]
    argument = json.dumps([case.operator.name, dict(case.attributes), dtype, [s or None for s in shapes]])
    uncached, cached = [], []
    with tempfile.TemporaryDirectory(prefix="actgrad-bench-") as folder:
        for k in range(repeats):
            environment = {"ACTGRAD_CACHE_DIR": str(Path(folder) / str(k))}
            uncached.append(_child(_FIRST_CALL, [argument], environment))
            if not any((Path(folder) / str(k)).glob("*")):
                raise ActgradError(f"bench: nothing was written to the object cache in {folder}: cannot compare")
            cached.append(_child(_FIRST_CALL, [argument], environment))
    return Start(case.title, case.operator.name, dict(case.attributes), dtype, times(uncached), times(cached))


def _child(code: str, arguments: list[str], environment: dict[str, str] | None = None) -> float:
    """What a new Python process prints, which is a number of seconds."""
    source = str(Path(actgrad.__file__).parents[1])  # the package measured is this one, installed or not
    path = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path, **(environment or {})},
    )  # fmt: skip
    if done.returncode:
        raise ActgradError(f"bench: a new process failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)
