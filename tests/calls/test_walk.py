"""How far a call walks: the Python functions of the package that it calls, and the files in which they are."""

from __future__ import annotations

import pytest

from tests.support.calls import run_script

COUNT = """
import os, sys
import numpy as np
import actgrad

calls, files, folder = 0, set(), os.path.dirname(actgrad.__file__)
shared = {"<string>", os.path.join(folder, "base", "records.py")}  # the methods of data classes, and of records

def count(frame, event, _):
    global calls
    name = frame.f_code.co_filename
    if event == "call" and (name.startswith(folder) or name in shared):
        calls += 1
        files.add(name)

def walk(call):
    global calls
    calls = 0
    files.clear()
    sys.setprofile(count)
    call()
    sys.setprofile(None)
    return calls, len(files - shared)

x = np.ones((3, 5), np.float32)
other, out = np.ones((7, 3), np.float32), np.empty_like(x)
actgrad.silu(x)
"""
TWO_PHASES = """
from actgrad import aclnn

def two_phases():
    status, size, executor = aclnn.aclnnSiluGetWorkspaceSize(x, out)
    assert (status, aclnn.aclnnSilu(None, size, executor, None)) == (0, 0)
"""


def test_the_import_loads_nothing_that_only_calls_need() -> None:
    late = "calls.prepare", "calls.precompile", "calls.counted_kernel", "arrays.foreign", "backends.cpu"
    run_script(f"""
import sys
import actgrad
assert not [name for name in {late!r} if "actgrad." + name in sys.modules]
assert actgrad.precompile.__module__ == "actgrad.calls.precompile"
""")


def test_a_new_shape() -> None:
    run_script(
        COUNT + "calls, files = walk(lambda: actgrad.silu(other)); assert calls <= 128 and files <= 27, (calls, files)"
    )


@pytest.mark.needs("ascend")
def test_a_first_call_of_a_function_of_two_phases() -> None:
    run_script(
        COUNT + TWO_PHASES + "calls, files = walk(two_phases); assert calls <= 400 and files <= 38, (calls, files)"
    )


def test_a_call_like_an_earlier_one_walks_nowhere() -> None:
    run_script(COUNT + "assert walk(lambda: actgrad.silu(x))[0] <= 2")


def test_the_first_call_of_an_operator_in_a_process() -> None:
    run_script(
        COUNT
        + "calls, files = walk(lambda: actgrad.elu_backward(x, x, alpha=1.3)); assert calls <= 900, (calls, files)"
    )


@pytest.mark.needs("ascend")
def test_the_first_function_of_two_phases_in_a_process() -> None:
    call = "aclnn.aclnnEluBackwardGetWorkspaceSize(x, 1.3, 1.0, 1.0, False, x, out)"
    run_script(
        COUNT
        + TWO_PHASES
        + f"calls, files = walk(lambda: {call}); assert calls <= 750 and files <= 44, (calls, files)",
    )
