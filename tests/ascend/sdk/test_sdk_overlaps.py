"""Outputs over inputs, and halves of any strides, in C: as in Python, and as on separate, contiguous memory."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from tests.support import overlaps
from tests.support.calls import EVERY, same_bits
from tests.support.overlaps import Case, Memory
from tests.support.sdk_programs import MODES, Sdk, needs_compiler, run

pytestmark = [needs_compiler, pytest.mark.share(6)]

DRIVER = Path(__file__).parent / "programs" / "driver.py"
KINDS = ("exactly", "one later", "every second")
PRODUCT = "Ascend950"


def plain(case: Case, signature: Any, at: Memory) -> dict[str, Any]:
    """A call as the driver takes it."""
    operator, arguments = case.operator, []
    names = (*operator.schema.tensor_names, *operator.schema.outputs)
    views = dict(zip(names, zip((*at.inputs, *at.outputs), at.places, strict=True), strict=True))
    values = overlaps.c_arguments(case, signature, at.inputs, at.outputs)
    for parameter, value in zip(signature.parameters, values, strict=True):
        if value is None:
            arguments.append(("tensor", None))
        elif parameter.type == "Tensor":
            arguments.append(("tensor", described(value, *views[parameter.argument][1])))
        elif parameter.type == "Scalar":
            arguments.append(("scalar", {"dtype": aclnn.ACL_DOUBLE, "bits": np.float64(value).tobytes()}))
        else:
            arguments.append((parameter.type, value))
    blocks = {str(number): block.tobytes() for number, block in enumerate(at.blocks)}
    return {"function": signature.name, "arguments": arguments, "memory": blocks}


NUMBERS = {
    "int8": aclnn.ACL_INT8, "int32": aclnn.ACL_INT32, "int64": aclnn.ACL_INT64, "float32": aclnn.ACL_FLOAT,
}  # fmt: skip


def described(view: np.ndarray, block: int, first: int) -> dict[str, Any]:
    strides = tuple(stride // view.itemsize for stride in view.strides)
    reach = 1 + sum((n - 1) * stride for n, stride in zip(view.shape, strides, strict=True))
    return {
        "shape": view.shape, "strides": strides, "offset": 0, "start": first, "storage": (reach,),
        "dtype": NUMBERS[view.dtype.name], "format": aclnn.ACL_FORMAT_ND,
        "memory": str(block), "is_null": False, "is_destroyed": False,
    }  # fmt: skip


def calls() -> list[tuple[Case, Any]]:
    """Every C function that Python's call on separate memory passes."""
    found = []
    for operator in EVERY:
        for case in overlaps.cases(operator):
            if case.kind not in KINDS or (operator.access.sees_rows and case.kind == "every second"):
                continue
            for signature in overlaps.functions(operator):
                if any(parameter.is_unread for parameter in signature.parameters):
                    continue
                at = overlaps.memory(case)
                given = overlaps.c_arguments(case, signature, at.inputs, at.separate)
                with actgrad.product(PRODUCT):
                    status, *_ = getattr(aclnn, f"{signature.name}GetWorkspaceSize")(*given)
                if status == 0:
                    found.append((case, signature))
    return found


@pytest.mark.parametrize("mode", ["inprocess", "server"])
def test_the_bits_of_separate_memory_or_refused(sdk: Sdk, tmp_path: Path, mode: str) -> None:
    """Each call twice: the second one is like a cached one."""
    found = calls()
    at = [overlaps.memory(case) for case, _ in found]
    made = [plain(case, signature, memory) for (case, signature), memory in zip(found, at, strict=True)]
    (tmp_path / "calls").write_bytes(pickle.dumps([call for call in made for _ in range(2)]))
    command = [
        sys.executable,
        str(DRIVER),
        str(sdk.prefix / "lib64"),
        str(tmp_path / "calls"),
        str(tmp_path / "answers"),
    ]
    run(command, **{"ACTGRAD_SDK_HOST": "inprocess"} | MODES[mode], ACTGRAD_PRODUCT=PRODUCT)
    answers = pickle.loads((tmp_path / "answers").read_bytes())
    statuses: Counter[int] = Counter()
    for (case, signature), memory, first, second in zip(found, at, answers[::2], answers[1::2], strict=True):
        assert (first["status"], first["memory"]) == (second["status"], second["memory"]), case
        statuses[first["status"]] += 1
        if first["status"]:
            assert (first["status"], " overlaps " in first["text"]) == (161002, True), (case, first["text"])
            continue
        assert first["second"] == 0, case
        given = overlaps.c_arguments(case, signature, memory.inputs, memory.separate)
        with actgrad.product(PRODUCT):
            _, size, executor = getattr(aclnn, f"{signature.name}GetWorkspaceSize")(*given)
            assert getattr(aclnn, signature.name)(None, size, executor, None) == 0
        inputs = len(memory.inputs)
        for view, place, wanted in zip(memory.outputs, memory.places[inputs:], memory.separate, strict=True):
            assert place is not None
            block = first["memory"][str(place[0])]
            got = np.ndarray(view.shape, view.dtype, block, place[1], view.strides)
            assert same_bits(np.array(got), wanted), case
    assert statuses[0] > 100
    assert statuses[161002] > 100


def test_an_executor_whose_outputs_move_onto_its_inputs(sdk: Sdk) -> None:
    for mode in MODES:
        assert sdk.run("moved_outputs", mode=mode) == "ok\n"
