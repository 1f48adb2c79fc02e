"""Case files for the tests of `actgrad check --cases`, and what a run of them says."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from actgrad.ascend.cases import execution
from actgrad.ascend.cases.case_model import FileCase
from actgrad.judge import backend_cases
from tests.support.calls import status


def statuses(path: str) -> list[str]:
    """What a file of results says of each case."""
    if path.endswith(".json"):
        return [case["result"]["precision_status"] for case in json.loads(Path(path).read_text())]
    return [row["precision_status"] for row in rows(path)]


def rows(path: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def captured(case: FileCase, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """The tensors that a case is computed from."""
    found: list[Any] = []
    compute = backend_cases.compute

    def spy(whole: Any, backend: str, outputs: Any) -> None:
        found.append(tuple(None if a is None else a.copy() for a in whole.inputs))
        compute(whole, backend, outputs)

    monkeypatch.setattr(backend_cases, "compute", spy)
    outcome = execution.execute(case, "cpu", None, 0)
    assert outcome.holds, outcome.reason
    return found[0]


def atk_case(**changes: Any) -> dict[str, Any]:
    entry = {
        "name": "x", "type": "tensor", "required": True, "dtype": "fp16", "shape": [9, 15], "backward": True,
        "range_values": {"name": "nd", "mean": [-100, 100], "std": [1, 25]}, "align_32B": None, "outlier_values": None,
    }  # fmt: skip
    standard = {"acc": "single_bm", "perf": "not_key"}
    case = {"id": 3, "name": "torch.selu", "aclnn_name": "aclnnSelu", "api_type": "function", "standard": standard}
    return case | {"inputs": [entry]} | changes


def scalar(value: Any, dtype: str = "fp32", kind: str = "scalar") -> dict[str, Any]:
    return {"name": None, "type": kind, "required": True, "dtype": dtype, "shape": None, "range_values": value,
            "backward": False, "align_32B": None}  # fmt: skip


def tensor(**changes: Any) -> dict[str, Any]:
    return {**scalar([-5, 5], "fp32", "tensor"), "shape": [8, 9], **changes}


BACKWARD = {
    "name": "torch.ops.aten.elu_backward", "aclnn_name": "EluBackward",
    "inputs": [tensor(), scalar(1.3), scalar(0.7), scalar(0.5), scalar(True, "bool", "attr"), tensor()],
}  # fmt: skip


def results(folder: Path, cases: Any, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit status of an ATK file, and its cases with their results."""
    (folder / "c.json").write_text(json.dumps(cases))
    code = status("check", "--cases", "c.json", "--results", "r.json", *options)
    return code, json.loads((folder / "r.json").read_text())


def ttk_text(**cells: Any) -> str:
    row = {
        "testcase_name": "t", "api_name": "aclnnElu", "tensor_view_shapes": "((2, 3), (2, 3))",
        "tensor_dtypes": "('float32',)", "attributes": "{'alpha': 1.3, 'scale': 1, 'inputScale': 1}", **cells,
    }  # fmt: skip
    return ",".join(row) + "\n" + ",".join('"' + str(cell).replace('"', '""') + '"' for cell in row.values()) + "\n"
