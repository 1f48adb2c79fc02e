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

from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME
from tests.support.sdk_programs import Sdk, environment

DRIVER = Path(__file__).parents[1] / "ascend" / "sdk" / "programs" / "driver.py"


class SdkCall(NamedTuple):
    """A function, its arguments, and what the results must be.

    `...` stands for a result, and results at the end may be left out. Others are changed in place.
    """

    name: str
    arguments: tuple[Any, ...]
    wanted: tuple[Any, ...]
    format: int = 2  # ND


def _number(dtype: torch.dtype) -> int:
    return BY_NAME[str(dtype).removeprefix("torch.")].acl


def _bytes(given: torch.Tensor) -> bytes:
    return bytes(torch.tensor([], dtype=torch.uint8).set_(given.untyped_storage()).numpy())


_IMAGES = {3: 47, 4: 0, 5: 30}  # NCL, NCHW, NCDHW


class _Memory:
    """The blocks of a call's tensors, by name."""

    def __init__(self, format: int) -> None:
        self.format = format
        self.blocks: dict[str, bytes] = {}
        self.tensors: list[tuple[str, torch.Tensor]] = []
        self.results: list[int] = []  # their positions among the tensors

    def tensor(self, given: torch.Tensor) -> dict[str, Any]:
        name = f"block {len(self.blocks)}"
        self.blocks[name] = _bytes(given) or b"\0"
        self.tensors.append((name, given))
        rank = given.ndim
        return {
            "shape": tuple(given.shape), "strides": given.stride(), "offset": given.storage_offset(), "start": 0,
            "dtype": _number(given.dtype), "format": _IMAGES.get(rank, 2) if self.format == 0 else 2, "memory": name,
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


def _with_results(function: declared_functions.DeclaredFunction, call: SdkCall) -> list[Any]:
    """The call's arguments with fresh tensors for its results."""
    count = len(function.arguments)
    values = [*call.arguments, *[...] * (count - len(call.arguments))]
    wanted = iter(call.wanted)
    pairs = zip(function.arguments, values, strict=True)
    expected = {k: next(wanted) for k, (row, _) in enumerate(pairs) if row.is_output}
    return [fresh(expected[k]) if value is ... else value for k, value in enumerate(values)]


def made_in_c(sdk: Sdk, calls: Sequence[SdkCall], folder: Path, **settings: str) -> list[dict[str, Any]]:
    """By call the statuses, the text of an error, and the results."""
    memories, plain = [], []
    for call in calls:
        function = declared_functions.computed()[f"aclnn{call.name}"]
        memory = _Memory(call.format)
        values = _with_results(function, call)
        rows = zip(function.arguments, function.parameters, values, strict=True)
        arguments = []
        for row, text, value in rows:
            first = len(memory.tensors)
            arguments.append(memory.argument(row.type, text.removeprefix("const "), value))
            memory.results += range(first, len(memory.tensors)) if row.is_output else ()
        plain.append({"function": function.name, "arguments": arguments, "memory": memory.blocks})
        memories.append(memory)
    (folder / "calls").write_bytes(pickle.dumps(plain))
    command = [sys.executable, str(DRIVER), str(sdk.prefix / "lib64"), str(folder / "calls"), str(folder / "answers")]
    variables = environment(ACTGRAD_SDK_HOST="inprocess", **settings)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[dict[str, Any]] = pickle.loads((folder / "answers").read_bytes())
    for answer, memory in zip(answers, memories, strict=True):
        tensors = [_view(answer["memory"][name], given) for name, given in memory.tensors]
        answer["results"] = [tensors[k] for k in memory.results]
    return answers


def _view(content: bytes, given: torch.Tensor) -> torch.Tensor:
    if not math.prod(given.shape):
        return given.clone()
    flat = torch.frombuffer(bytearray(content), dtype=given.dtype)
    return flat.as_strided(given.shape, given.stride(), given.storage_offset())
