"""Tiling data without a tiling function: from JSON, or from a function in Python.

JSON is an object with the fields of the struct. A value that is a text stands for a number of the case: an attribute,
or one of `NAMES`. A file in Python has a function `tiling(case)`, which returns the fields as a dict, or a
`TilingResult`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import ActgradError, did_you_mean, kind_of, quote, some, system_fault
from ...kernel import TilingResult

NAMES = {
    "elements": "elements of the first output",
    "rows": "rows of the first output",
    "columns": "elements of a row of the first output",
    "blocks": "blocks of the run",
    "elements_per_block": "elements of a block, rounded up",
    "rows_per_block": "rows of a block, rounded up",
    "itemsize": "bytes of an element of the first output",
}


@dataclass(frozen=True)
class TilingCase:
    """A case, for a function `tiling(case)`."""

    inputs: dict[str, np.ndarray[Any, Any]]  # by the names of the operator's schema
    outputs: dict[str, np.ndarray[Any, Any]]
    attributes: dict[str, Any]
    blocks: int

    @property
    def _first(self) -> np.ndarray[Any, Any]:
        return next(iter(self.outputs.values()))

    @property
    def elements(self) -> int:
        return self._first.size

    @property
    def columns(self) -> int:
        return self._first.shape[-1] if self._first.ndim else 1

    @property
    def rows(self) -> int:
        return prod(self._first.shape[:-1])

    @property
    def elements_per_block(self) -> int:
        return -(-self.elements // self.blocks)

    @property
    def rows_per_block(self) -> int:
        return -(-self.rows // self.blocks)

    @property
    def itemsize(self) -> int:
        return self._first.itemsize


#: From a case to the fields, the bytes, or a complete result.
FixedTiling = Callable[[TilingCase], "dict[str, Any] | bytes | TilingResult"]


def read(text: str) -> FixedTiling:
    """The tiling of `--tiling`: JSON, a file with JSON, a file of bytes, or a file in Python."""
    if text.lstrip().startswith("{"):
        return _of_json(text, "--tiling")
    path = Path(text)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ActgradError(f"--tiling {path}: {system_fault(error)}") from error
    if path.suffix == ".bin":
        return lambda _: content
    return _of_python(path) if path.suffix == ".py" else _of_json(content.decode(errors="replace"), str(path))


def _of_json(text: str, name: str) -> FixedTiling:
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise ActgradError(f"{name}: {error}; it must be JSON; correct it") from error
    if not isinstance(fields, dict):
        raise ActgradError(f"{name}: is {kind_of(fields)}; it must be an object with the struct's fields; change it")
    return lambda case: _filled(fields, case, name)


def _filled(fields: Mapping[str, Any], case: TilingCase, name: str) -> dict[str, Any]:
    """The fields with numbers for the texts."""
    return {key: _value(key, value, case, name) for key, value in fields.items()}


def _value(key: str, value: Any, case: TilingCase, name: str) -> Any:
    if isinstance(value, Mapping):
        return _filled(value, case, name)
    if isinstance(value, list):
        return [_value(key, each, case, name) for each in value]
    if not isinstance(value, str):
        return value
    known = [*NAMES, *case.attributes]
    if value not in known:
        cure = did_you_mean(value, known, "name one of these, or write a function tiling(case) in a Python file")
        raise ActgradError(f"{name}: field {key} is {quote(value)}; known are {some(known, value)}; {cure}")
    number = case.attributes[value] if value in case.attributes else getattr(case, value)
    if not isinstance(number, bool | int | float):
        raise ActgradError(
            f"{name}: field {key} is {value}, which is {quote(number)} here; it must be a number; write a function "
            "tiling(case) in a Python file"
        )
    return number


def _of_python(path: Path) -> FixedTiling:
    names = run_file(path, "--tiling")
    function = names.get("tiling")
    if not callable(function):
        raise ActgradError(f"--tiling {path}: has no function tiling(case); it must have one; add it")

    def tiling(case: TilingCase) -> Any:
        result = _guarded(lambda: function(case), path, "--tiling")
        if not isinstance(result, Mapping | bytes | TilingResult):
            raise ActgradError(
                f"--tiling {path}: tiling(case) returns {kind_of(result)}; it must be a dict of fields, bytes or "
                "a TilingResult; change it"
            )
        return result

    return tiling


def run_file(path: Path, option: str) -> dict[str, Any]:
    """The names that a file in Python defines. An exception in it becomes one line with its place."""
    name = f"actgrad_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise ActgradError(f"{option} {path}: no such file; it must be a file in Python; check the path")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # functions of the file find their module
    loader = spec.loader
    _guarded(lambda: loader.exec_module(module), path, option)
    return vars(module)


def _guarded(function: Callable[[], Any], path: Path, option: str) -> Any:
    try:
        return function()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        places = [frame for frame in frames if os.path.abspath(frame.filename) == os.path.abspath(path)]
        line = places[-1].lineno if places else getattr(error, "lineno", None)
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise ActgradError(f"{option} {path}:{line or 1}: {cause}; the file must run; correct it") from error
