"""Calls of the C SDK's functions with tensors of PyTorch, made in C by a process of their own."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from actgrad.base.dtypes import BY_NAME
from actgrad.sdk import clients
from tests.support.sdk_programs import Sdk, environment

DRIVER = Path(__file__).parents[1] / "sdk" / "programs" / "driver.py"


class SdkCall(NamedTuple):
    """A function, its arguments up to the results, and what the results must be. In place they come first."""

    name: str
    arguments: tuple[Any, ...]
    wanted: tuple[Any, ...]
    format: int = 2  # ND


def _number(dtype: torch.dtype) -> int:
    return BY_NAME[str(dtype).removeprefix("torch.")].acl


def _bytes(given: torch.Tensor) -> bytes:
    return bytes(torch.tensor([], dtype=torch.uint8).set_(given.untyped_storage()).numpy())


class _Memory:
    """The blocks of a call's tensors, by name."""

    def __init__(self, format: int) -> None:
        self.format = format
        self.blocks: dict[str, bytes] = {}
        self.tensors: list[tuple[str, torch.Tensor]] = []

    def tensor(self, given: torch.Tensor) -> dict[str, Any]:
        name = f"block {len(self.blocks)}"
        self.blocks[name] = _bytes(given) or b"\0"
        self.tensors.append((name, given))
        rank = given.ndim
        return {
            "shape": tuple(given.shape), "strides": given.stride(), "offset": given.storage_offset(), "start": 0,
            "dtype": _number(given.dtype), "format": self.format if rank in (3, 4) else 2, "memory": name,
            "storage": (len(self.blocks[name]) // given.element_size(),), "is_null": False, "is_destroyed": False,
        }  # fmt: skip

    def argument(self, kind: str, c_type: str, value: Any) -> tuple[str, Any]:
        if value is None:
            return kind, None
        if kind == "Tensor":
            return "tensor", self.tensor(value)
        if kind == "Scalar":
            return "scalar", scalar(value)
        if kind == "tensors":
            return kind, [self.tensor(each) for each in value]
        if kind == "scalars":
            return kind, [scalar(each) for each in value]
        return "float" if c_type.startswith("float ") else kind, value


def scalar(value: float) -> dict[str, Any]:
    name = {bool: "bool", int: "int64", float: "float64"}[type(value)]
    return {"bits": np.asarray(value, name).tobytes(), "dtype": BY_NAME[name].acl}


def fresh(wanted: Any) -> Any:
    """A tensor for a result, full of another number."""
    return [fresh(each) for each in wanted] if isinstance(wanted, list) else torch.full_like(wanted, 1)


def made_in_c(sdk: Sdk, calls: Sequence[SdkCall], folder: Path, **settings: str) -> list[dict[str, Any]]:
    """By call the statuses, the text of an error, and the tensors afterwards, which lists make longer."""
    memories, plain = [], []
    for call in calls:
        function = clients.glue()[f"aclnn{call.name}"]
        memory = _Memory(call.format)
        missing = len(function.arguments) - len(call.arguments)
        values = [*call.arguments, *map(fresh, call.wanted[len(call.wanted) - missing :])]
        rows = zip(function.arguments, function.parameters, values, strict=True)
        arguments = [memory.argument(row.type, text.removeprefix("const "), value) for row, text, value in rows]
        plain.append({"function": function.name, "arguments": arguments, "memory": memory.blocks})
        memories.append(memory)
    (folder / "calls").write_bytes(pickle.dumps(plain))
    command = [sys.executable, str(DRIVER), str(sdk.prefix / "lib64"), str(folder / "calls"), str(folder / "answers")]
    variables = environment(ACTGRAD_SDK_HOST="inprocess", **settings)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[dict[str, Any]] = pickle.loads((folder / "answers").read_bytes())
    for answer, memory in zip(answers, memories, strict=True):
        answer["tensors"] = [_view(answer["memory"][name], given) for name, given in memory.tensors]
    return answers


def _view(content: bytes, given: torch.Tensor) -> torch.Tensor:
    if not math.prod(given.shape):
        return given.clone()
    flat = torch.frombuffer(bytearray(content), dtype=given.dtype)
    return flat.as_strided(given.shape, given.stride(), given.storage_offset())


def results(call: SdkCall, answer: dict[str, Any]) -> list[Any]:
    """The tensors of an answer that the call's results are."""
    count = sum(len(each) if isinstance(each, list) else 1 for each in call.wanted)
    tensors: list[Any] = answer["tensors"]
    comes_first = clients.glue()[f"aclnn{call.name}"].arguments[0].is_output
    return tensors[:count] if comes_first else tensors[-count:]
