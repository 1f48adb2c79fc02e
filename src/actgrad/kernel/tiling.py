"""`Tiling`: an operator project's own tiling function, compiled against our headers and run for one case at a time."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..base.dtypes import BY_NAME
from ..base.errors import InvalidArgument, InvalidCall, kind_of, quote
from . import compiler
from .compiler import KernelError, Source
from .products import product as facts_of

#: A shape and a dtype's name, or an array.
Tensor = Any
_TIMEOUT = 60.0


@dataclass(frozen=True)
class TilingResult:
    """What a tiling function computes for one case."""

    data: bytes  # the tiling data; bytes that the function does not set are 0xA5
    key: int  # for TILING_KEY_IS
    blocks: int
    workspace: int  # bytes
    instance: tuple[str, ...]  # template arguments of the kernel, if the project declares template parameters
    operator: str


class TilingError(KernelError):
    """The tiling function refuses a case. The message is the first one that the function logs."""


class Tiling:
    """A tiling function, compiled for this computer.

    Args:
        file: The C++ file with the tiling function and its registration.
        product: The product whose cores and UB the function sees.
        include: Folders for the file's includes, next to its own folder.
        defines: Macros.

    Raises:
        KernelError: The file does not compile; `file` and `line` tell where.
        InvalidArgument: The product is unknown, or the file does not exist.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        product: str = "Ascend910B",
        include: Sequence[str | os.PathLike[str]] = (),
        defines: Mapping[str, object] | None = None,
    ) -> None:
        self.file = Path(os.path.abspath(file))
        self.product = product
        if not self.file.is_file():
            raise InvalidArgument(f"{self.file}: no such file; it must be the C++ file of a tiling function; check it")
        facts = facts_of(product)
        driver = (
            '#include "actgrad_ascendc/host_program.h"\n'
            f'#include "{self.file}"\n'
            "int main(int count, char** words) { return actgrad::host::run_tiling(count, words); }\n"
        )
        source = Source(
            driver, compiler.include_folders(self.file, include), compiler.defines_of(defines or {}, facts),
            str(self.file), is_host=True,
        )  # fmt: skip
        self._program = compiler.program(source)

    def __repr__(self) -> str:
        return f"Tiling({str(self.file)!r}, product={self.product!r})"

    @cached_property
    def definitions(self) -> list[dict[str, Any]]:
        """The operators that the file defines with OP_ADD: name, inputs, outputs, attributes and products."""
        found: list[dict[str, Any]] = compiler.description(self._program, str(self.file), "--definition")
        return found

    def run(
        self,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        attributes: Sequence[Any] = (),
        *,
        operator: str | None = None,
    ) -> TilingResult:
        """Run the tiling function.

        Args:
            inputs: A pair of shape and dtype, or an array, for each input; None for an absent optional input.
            outputs: The same for each output.
            attributes: The attributes in the order of the operator's definition.
            operator: The operator's name, if the file registers several.

        Raises:
            TilingError: The function refuses the case.
            InvalidCall: A tensor or an attribute has an unknown type.
        """
        lines = [f"op {operator}"] if operator else []
        lines += [f"input {_described(each)}" for each in inputs]
        lines += [f"output {_described(each)}" for each in outputs]
        lines += [_attribute(each) for each in attributes]
        try:
            done = subprocess.run(
                [str(self._program)], input="\n".join(lines), capture_output=True, text=True, errors="replace",
                check=False, timeout=_TIMEOUT,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise TilingError(f"{self.file}: the tiling function did not end within {_TIMEOUT:g} seconds") from error
        try:
            result = json.loads(done.stdout)
        except ValueError as error:
            raise TilingError(f"{self.file}: the tiling function crashed with status {done.returncode}") from error
        if result["status"] != 0:
            reason = result["error"] or f"status {result['status']}"
            raise TilingError(f"{self.file}: the tiling function refuses the case: {reason}")
        return TilingResult(
            bytes.fromhex(result["data"]), result["key"], result["blocks"], sum(result["workspaces"]),
            tuple(result["instance"]), result["op"],
        )  # fmt: skip


def _described(tensor: Tensor | None) -> str:
    """A tensor for the program: the number of its dtype, and its dimensions."""
    if tensor is None:
        return "none"
    shape, dtype = (tensor.shape, tensor.dtype) if isinstance(tensor, np.ndarray) else tensor
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    if name not in BY_NAME:
        raise InvalidCall(f"a tensor has the dtype {quote(dtype)}; it must be a dtype of CANN; change it")
    return " ".join(map(str, (BY_NAME[name].acl, *shape)))


def _attribute(value: Any) -> str:
    """An attribute for the program, by its type in Python."""
    if isinstance(value, bool | np.bool_):
        return f"bool {int(value)}"
    if isinstance(value, int | np.integer):
        return f"int {int(value)}"
    if isinstance(value, float | np.floating):
        return f"float {float(value)!r}"
    if isinstance(value, str):
        return f"string {value}"
    if isinstance(value, list | tuple) and all(isinstance(each, int) for each in value):
        return " ".join(["ints", *map(str, value)])
    if isinstance(value, list | tuple) and all(isinstance(each, int | float) for each in value):
        return " ".join(["floats", *(repr(float(each)) for each in value)])
    raise InvalidCall(f"an attribute is {kind_of(value)}; it must be a number, a bool, a text or a list; convert it")
