"""TTK's case files: CSV, a row to a case, values written as Python writes them. The mode of aclnn functions."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...aclnn.signatures import CParameter, Signature
from ..sizes import UnreadableFile
from . import fields, interface
from .described import Described, Scalar, Tensor
from .fields import Fault
from .value_ranges import UNTOLD, Values, number, written

REQUIRED = ("api_name", "tensor_view_shapes", "tensor_dtypes")
_READ = {
    *REQUIRED, "testcase_name", "tensor_formats", "tensor_storage_shapes", "tensor_view_offsets",
    "tensor_view_strides", "output_tensor_indexes", "output_inplace_indexes", "attributes", "scalar_dtypes",
    "scalar_data_ranges", "input_data_ranges", "is_enabled", "manual_tensor_binaries", "soc_series",
    CASCADE := "actgrad_cascade",
}  # fmt: skip
#: Names and priorities; tolerances of comparisons other than the mixed tolerance, TTK's default, which ignores them.
_WITHOUT_EFFECT = {
    "network_name", "remark", "priority", "dump_file_prefix", "manual_golden_binaries", "precision_tolerances",
    "absolute_precision", "output_dtypes", "batch_seed", "batch_axis", "batch_slice_info", "precision",
    "precision_status", "soc", "fail_reason",
}  # fmt: skip
_CALL = re.compile(r"float\(\s*(['\"][+-]?(?:inf|nan)['\"])\s*\)")  # what Python has no literal for
_DEFAULT = ((None, None),)


def read(path: Path, text: str) -> list[Described]:
    """The cases of a file; UnreadableFile for what is no such file."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise UnreadableFile(f"{path}: no CSV: {error}") from error
    header = [name.strip().removeprefix("\ufeff") for name in rows[0]] if rows else []
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise UnreadableFile(f"{path}: its columns are {fields.shown(header)}; {', '.join(missing)} must be among them")
    if len(set(header)) != len(header):
        raise UnreadableFile(f"{path}: a column is there twice: {fields.shown(header)}")
    found = []
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        where = f"{path}: row {line}"
        if len(row) != len(header):
            raise UnreadableFile(f"{where}: has {len(row)} cells, the header {len(header)}")
        case = dict(zip(header, (cell.strip() for cell in row), strict=True))
        if case.get("testcase_name"):
            where += f" ({fields.shown(case['testcase_name'])})"
        try:
            found.append(_read(case, line))
        except Fault as fault:
            raise UnreadableFile(f"{where}: {fault}") from fault
    if not found:
        raise UnreadableFile(f"{path}: has no cases, only a header")
    return found


def _read(case: dict[str, str], line: int) -> Described:
    notes = [f"column {name!r} is unknown" for name in case if name not in _READ | _WITHOUT_EFFECT]
    name, api = case.get("testcase_name") or f"row {line}", fields.text(case, "api_name")
    signature = interface.find(api)
    if signature is None:
        return Described(name, dict(case), problem=f"{api}: actgrad has no such function", notes=tuple(notes))
    problems = []
    if fields.flag("is_enabled", _value(case, "is_enabled", True)) is False:
        problems.append("is_enabled is False")
    if fields.texts("manual_tensor_binaries", _value(case, "manual_tensor_binaries", ())):
        problems.append("manual_tensor_binaries: numbers from files are not read")
    formats = _value(case, "tensor_formats", ("ND",))
    if any(word != "ND" for word in fields.texts("tensor_formats", formats)):
        notes.append(f"tensor_formats is {fields.shown(formats)}: read as ND")
    tensors, outputs = _tensors(signature, case)
    scalars = _scalars(signature, case)
    return Described(
        name, dict(case), signature, tensors, outputs, scalars, problem="; ".join(problems), notes=tuple(notes)
    )


def _value(case: dict[str, str], column: str, default: Any) -> Any:
    """A cell, which is a Python literal; `default` where it is empty or missing."""
    cell = case.get(column, "")
    if not cell:
        return default
    try:
        return ast.literal_eval(_CALL.sub(r"\1", cell))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise Fault(f"{column} is {fields.shown(cell)}, no literal of Python") from error


def _each(given: Any) -> tuple[Any, ...]:
    """One entry for each tensor; an entry alone stands for a tuple of one, as published files have it."""
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def _spread(column: str, given: Any, count: int) -> tuple[Any, ...]:
    """An entry for each of `count`; one alone is that of all."""
    entries = _each(given)
    if len(entries) == 1:
        return entries * count
    if len(entries) < count:
        raise Fault(f"{column} has {len(entries)} entries for {count} tensors")
    return entries


def _tensors(signature: Signature, case: dict[str, str]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Inputs and outputs by their names in the schema."""
    parameters = [p for p in signature.parameters if p.type == "Tensor"]
    given = _value(case, "tensor_view_shapes", ())
    if isinstance(given, (tuple, list)) and given and all(type(n) is int for n in given):
        given = (given,)  # published so for functions of one tensor
    shapes = _each(given)
    least = len(parameters) if signature.in_place else sum(not p.is_output for p in parameters)
    if not least <= len(shapes) <= len(parameters):
        names = ", ".join(p.name for p in parameters)
        raise Fault(f"tensor_view_shapes has {len(shapes)} entries; {signature.name} has {names}")
    count = len(shapes)
    indexes = _value(case, "output_tensor_indexes", None)
    _check_outputs(indexes, [p.is_output for p in parameters[:count]])
    in_place = _value(case, "output_inplace_indexes", None)
    if not _is_absent(in_place) and not all(type(n) is int for n in _each(in_place)):
        raise Fault(f"output_inplace_indexes is {fields.shown(in_place)}; it must be places of tensors")
    dtypes = _spread("tensor_dtypes", _value(case, "tensor_dtypes", ()), count)
    ranges = _ranges("input_data_ranges", _value(case, "input_data_ranges", _DEFAULT), least)
    strides = _value(case, "tensor_view_strides", None)
    storages, offsets = _value(case, "tensor_storage_shapes", None), _value(case, "tensor_view_offsets", None)
    cascades = _spread(CASCADE, _value(case, CASCADE, False), count)
    inputs: dict[str, Tensor] = {}
    outputs: dict[str, Tensor] = {}
    for k, parameter in enumerate(parameters[:count]):
        what = parameter.name
        is_input = not parameter.is_output or signature.in_place
        values = ranges[k] if is_input and k < len(ranges) else UNTOLD
        tensor = Tensor(
            fields.dtype(f"tensor_dtypes of {what}", dtypes[k]),
            fields.shape(f"tensor_view_shapes of {what}", shapes[k]),
            Values(values.low, values.high, None, values.among, fields.boolean(f"{CASCADE} of {what}", cascades[k])),
            *_layout(what, k, strides, offsets, storages, count),
        )
        (inputs if is_input else outputs)[parameter.argument] = tensor
    return inputs, outputs


def _layout(
    what: str, k: int, strides: Any, offsets: Any, storages: Any, count: int
) -> tuple[tuple[int, ...] | None, int, tuple[int, ...] | None]:
    one = None if _is_absent(strides) else _spread("tensor_view_strides", strides, count)[k]
    offset = 0 if _is_absent(offsets) else _spread("tensor_view_offsets", offsets, count)[k]
    storage = None if _is_absent(storages) else _spread("tensor_storage_shapes", storages, count)[k]
    if type(offset) is not int or not 0 <= offset < 1 << 62:
        raise Fault(f"tensor_view_offsets of {what} is {fields.shown(offset)}; it must be a whole number from 0")
    return (
        None if one is None else fields.shape(f"tensor_view_strides of {what}", one),
        offset,
        None if storage is None else fields.shape(f"tensor_storage_shapes of {what}", storage),
    )


def _is_absent(given: Any) -> bool:
    """Whether a cell says nothing: None, or an empty tuple."""
    return given is None or (isinstance(given, (tuple, list)) and not given)


def _check_outputs(indexes: Any, is_output: list[bool]) -> None:
    """Outputs must be those of the function: their places follow from it."""
    if indexes is None:
        return
    count, entries = len(is_output), _each(indexes)
    if not all(type(n) is int and -count <= n < count for n in entries):
        raise Fault(f"output_tensor_indexes is {fields.shown(indexes)}; it must be places among {count} tensors")
    if {n % count for n in entries} != {k for k, out in enumerate(is_output) if out}:
        raise Fault(f"output_tensor_indexes is {fields.shown(indexes)}, where the function has its outputs elsewhere")


def _ranges(column: str, given: Any, count: int) -> list[Values]:
    entries = _each(given)
    if not any(isinstance(entry, (tuple, list)) for entry in entries):
        entries = (entries,)  # published so for functions of one tensor or scalar
    return list(_spread(column, [_range(column, entry) for entry in entries], count))


def _range(column: str, given: Any) -> Values:
    """From the first to the second number; further ones must occur."""
    if not isinstance(given, (tuple, list)) or len(given) < 2:
        raise Fault(f"{column}: {fields.shown(given)} must be (from, to), and numbers that must occur")
    ends = [default if v is None else number(v) for v, default in zip(given[:2], (-2.0, 2.0), strict=True)]
    among = [number(v) for v in given[2:]]
    if None in ends or None in among:
        raise Fault(f"{column}: {fields.shown(given)} must be numbers")
    low, high = fields.ordered(column, *(float(v or 0) for v in ends))
    return Values(low, high, None, tuple(float(v or 0) for v in among))


def _scalars(signature: Signature, case: dict[str, str]) -> dict[str, Scalar]:
    """What the function takes besides tensors."""
    given = _value(case, "attributes", {})
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        raise Fault(f"attributes is {fields.shown(given)}; it must be names with values")
    wanted = [p for p in signature.parameters if p.type == "Scalar"]
    dtypes = _value(case, "scalar_dtypes", None)
    known = () if _is_absent(dtypes) else tuple(fields.dtype("scalar_dtypes", word) for word in _each(dtypes))
    words = _spread("scalar_dtypes", known, len(wanted)) if known else ()
    ranges = _ranges("scalar_data_ranges", _value(case, "scalar_data_ranges", _DEFAULT), len(wanted))
    found = {}
    for k, parameter in enumerate(wanted):
        found[parameter.argument] = Scalar(None, words[k] if words else "", ranges[k])
    for name, value in given.items():
        target = interface.by_word(signature, name)
        if target is None or target.type == "Tensor":
            takes = ", ".join(p.name for p in signature.parameters if p.type != "Tensor") or "none"
            raise Fault(f"attributes: {name!r} is none of {signature.name}'s, which are {takes}")
        found[target.argument] = _attribute(target, value, found.get(target.argument))
    return found


def _attribute(parameter: CParameter, value: Any, drawn: Scalar | None) -> Scalar:
    what = f"attributes: {parameter.name}"
    if parameter.type == "bool":
        return Scalar(fields.boolean(what, value))
    if parameter.type == "int":
        if type(value) is not int:
            raise Fault(f"{what} is {fields.shown(value)}; it must be a whole number")
        return Scalar(value)
    plain = float(value) if isinstance(value, bool) else number(value)
    if plain is None:
        raise Fault(f"{what} is {fields.shown(value)}; it must be a number")
    return Scalar(plain, drawn.dtype if drawn else "")


# Writing

COLUMNS = (
    "testcase_name", "api_name", "tensor_view_shapes", "tensor_dtypes", "tensor_formats", "output_tensor_indexes",
    "attributes", "scalar_dtypes", "input_data_ranges", "remark", CASCADE,
)  # fmt: skip


def text(cases: Sequence[Described]) -> str:
    """A file of these cases."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_written(case) for case in cases)
    return file.getvalue()


def _written(case: Described) -> tuple[Any, ...]:
    signature = case.signature
    assert signature is not None, "generated cases have one"
    parameters = [p for p in signature.parameters if p.type == "Tensor"]
    known = {**case.outputs, **case.inputs}
    tensors = [known[p.argument] for p in parameters]
    inputs = [known[p.argument] for p in interface.inputs(signature) if p.type == "Tensor"]
    scalars = [p for p in signature.parameters if p.type == "Scalar"]
    attributes = {p.name: case.attributes[p.argument].value for p in signature.parameters if p.type != "Tensor"}
    return (
        case.name.replace(" ", "_"),
        signature.name,
        tuple(t.shape for t in tensors),
        tuple(t.dtype for t in tensors),
        ("ND",),
        tuple(k for k, p in enumerate(parameters) if p.is_output),
        attributes,
        ("float32",) * len(scalars),
        tuple(_ends(t.values) for t in inputs),
        case.name.rpartition(" ")[2],
        tuple(t.values.is_result for t in tensors) if any(t.values.is_result for t in tensors) else "",
    )


def _ends(values: Values) -> tuple[Any, ...]:
    """A range. A normal distribution has none: here it is where nearly all of its numbers are."""
    low, high = values.low, values.high
    if values.deviations is not None:
        low, high = low - 3 * values.deviations[1], high + 3 * values.deviations[1]
    return (written(low), written(high), *map(written, values.among))
