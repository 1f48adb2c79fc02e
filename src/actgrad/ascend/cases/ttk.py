"""TTK's case files: CSV with one case in each row, and values as Python literals.

A file is in the mode for aclnn functions, with a column api_name, or in the mode for kernels, with a column op_name.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...base.errors import did_you_mean, quantity, quote
from ...judge.files import fields
from ...judge.files.fields import FieldError
from ..aclnn.signatures import CParameter, Signature
from ..rules.graph_lines import GraphSignature
from . import interface
from .case_model import DEFAULT, FileCase, Scalar, Tensor, Values

REQUIRED = ("api_name", "tensor_view_shapes", "tensor_dtypes")
REQUIRED_OF_KERNELS = ("op_name", "input_shapes", "input_dtypes")
BITS = ("uint1", "bit")  # dtypes of masks, which actgrad keeps in bytes
CASCADE = "actgrad_cascade"


def _dtype(field: str, word: Any) -> str:
    return fields.dtype(field, _TTK_DTYPES.get(word, word) if isinstance(word, str) else word)


def _layout(field: str, value: Any) -> tuple[int, ...] | None:
    return None if value is None else fields.shape(field, value)


#: Columns with an entry for each tensor. The values are a field of Tensor, its parser, and its value for an empty cell.
_OF_TENSORS: dict[str, tuple[str, Callable[[str, Any], Any], Any]] = {
    "tensor_dtypes": ("dtype", _dtype, None),
    "tensor_view_strides": ("strides", _layout, None),
    "tensor_storage_shapes": ("storage", _layout, None),
    "tensor_view_offsets": ("offset", fields.natural, 0),
    CASCADE: ("is_result", fields.bit, False),
}
#: Columns of Python literals.
_LITERALS = (
    "tensor_view_shapes", *_OF_TENSORS, "tensor_formats", "output_tensor_indexes", "attributes", "scalar_dtypes",
    "scalar_data_ranges", "input_data_ranges", "is_enabled", "manual_tensor_binaries",
    "input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes", "output_formats",
    "manual_input_binaries",
)  # fmt: skip
#: Columns that change no result: names, priorities, and tolerances that the mixed tolerance, TTK's default, ignores.
_WITHOUT_EFFECT = (
    "network_name", "remark", "priority", "dump_file_prefix", "manual_golden_binaries", "precision_tolerances",
    "absolute_precision", "output_inplace_indexes", "input_ori_shapes", "input_ori_formats", "output_ori_shapes",
    "output_ori_formats", "output_shape_unknown_indexes", "batch_seed", "batch_axis", "batch_slice_info",
    "precision", "precision_status", "soc", "fail_reason",
)  # fmt: skip
_KNOWN = {"testcase_name", "api_name", "op_name", "soc_series", *_LITERALS, *_WITHOUT_EFFECT}
_CALL = re.compile(r"float\(\s*(['\"][+-]?(?:inf|nan)['\"])\s*\)")  # Python has no literal for infinity and NaN
_BARE = re.compile(r"(?<![\w'\"+-])([+-]?(?:inf|nan))(?![\w'\"])")  # published files write them without quotes
_TTK_DTYPES = {"float8_e8m0": "float8_e8m0fnu"}  # TTK's names of dtypes that have another name here


def entries(text: str) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yield for each case of a file its position in words, its cells and its line number."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise FieldError(f"is not CSV ({error}); it must be a table with a header; write it again") from error
    header = [name.strip().removeprefix("\ufeff") for name in rows[0]] if rows else []
    required = REQUIRED_OF_KERNELS if "op_name" in header and "api_name" not in header else REQUIRED
    if missing := [name for name in required if name not in header]:
        expected = f"{', '.join(required)} must be among them"
        raise FieldError(f"its columns are {quote(header)}; {expected}; add {', '.join(missing)}")
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise FieldError(f"column {quote(twice)} occurs twice; each column must occur once; rename one")
    case_rows = [(line, row) for line, row in enumerate(rows[1:], 2) if any(cell.strip() for cell in row)]
    if not case_rows:
        raise FieldError("has only a header; it must have cases; add a row")
    for line, row in case_rows:
        if len(row) != len(header):
            fault = f"row {line}: has {quantity(len(row), 'cell')}"
            raise FieldError(
                f"{fault}; it must have {len(header)}, as many as the header; quote cells that contain commas"
            )
        case = dict(zip(header, (cell.strip() for cell in row), strict=True))
        name = case.get("testcase_name")
        yield f"row {line}" + (f" ({quote(name)})" if name else ""), case, line


def describe(case: dict[str, Any], line: int) -> FileCase:
    """A case. A FieldError names the column that breaks the format."""
    notes = [f"column {name!r} is unknown" for name in case if name not in _KNOWN]
    if "api_name" not in case:
        return _of_kernel(case, line, notes)
    name, api = case.get("testcase_name") or f"row {line}", fields.text("api_name", case["api_name"])
    signature = interface.find(api)
    if signature is None:
        return FileCase(name, case, problem=interface.unknown(api), notes=tuple(notes))
    cells = {column: value for column in _LITERALS if (value := _literal(column, case.get(column))) is not None}
    problems = []
    if not fields.flag("is_enabled", cells.get("is_enabled", True)):
        problems.append("is_enabled is False")
    if fields.texts("manual_tensor_binaries", cells.get("manual_tensor_binaries")):
        problems.append("manual_tensor_binaries names files, which actgrad does not read")
    formats = fields.texts("tensor_formats", cells.get("tensor_formats"))
    if set(formats) - {"ND"}:
        notes.append(f"tensor_formats is {quote(formats)}; actgrad reads every format as ND")
    tensors, outputs = _tensors(signature, cells)
    scalars = _scalars(signature, cells)
    return FileCase(name, case, signature, tensors, outputs, scalars, problem="; ".join(problems), notes=tuple(notes))


def _of_kernel(case: dict[str, Any], line: int, notes: list[str]) -> FileCase:
    """A case of the mode for kernels. `op_name` is the name of a graph operator in small letters, such as elu_grad."""
    name, word = case.get("testcase_name") or f"row {line}", fields.text("op_name", case["op_name"])
    found = interface.find_kernel(word)
    if found is None:
        return FileCase(name, case, problem=interface.unknown_kernel(word), notes=tuple(notes))
    signature, graph = found
    cells = {column: value for column in _LITERALS if (value := _literal(column, case.get(column))) is not None}
    problems = []
    if not fields.bit("is_enabled", cells.get("is_enabled", True)):
        problems.append("is_enabled is False")
    if fields.texts("manual_input_binaries", cells.get("manual_input_binaries")):
        problems.append("manual_input_binaries names files, which actgrad does not read")
    for column in ("input_formats", "output_formats"):
        if set(formats := _several(cells.get(column, ()), ())) - {"ND", None}:
            notes.append(f"{column} is {quote(formats)}; actgrad reads every format as ND")
    dtypes = [*_several(cells.get("input_dtypes", ()), ()), *_several(cells.get("output_dtypes", ()), ())]
    if unknown := [one for one in dtypes if one is not None and not _is_dtype(one)]:
        is_mask = unknown[0] in BITS
        reason = "actgrad keeps masks in bytes of 8 bits" if is_mask else "actgrad does not judge this dtype"
        problems.append(f"a tensor is {quote(unknown[0])}; {reason}")
        return FileCase(name, case, signature, problem="; ".join(problems), notes=tuple(notes))
    inputs = _kernel_tensors("input", cells, list(graph.tensors.items()), graph)
    by_graph = zip(graph.outputs, signature.operator.schema.outputs, strict=True)
    outputs = _kernel_tensors("output", cells, [*by_graph, *((one, "") for one in graph.unwritten)], graph)
    scalars = _kernel_attributes(signature, graph, cells, problems)
    return FileCase(name, case, signature, inputs, outputs, scalars, problem="; ".join(problems), notes=tuple(notes))


def _is_dtype(word: Any) -> bool:
    try:
        _dtype("dtype", word)
    except FieldError:
        return False
    return True


def _kernel_tensors(
    side: str, cells: dict[str, Any], names: Sequence[tuple[str, str]], graph: GraphSignature
) -> dict[str, Tensor]:
    """The inputs or the outputs, by their names in the schema. `names` are pairs of graph name and schema name."""
    shapes = _several(cells.get(f"{side}_shapes", ()), int)
    needed = sum(one not in graph.optional for one, _ in names) if side == "input" else 0
    if not needed <= len(shapes) <= len(names):
        fault = f"{side}_shapes has {quantity(len(shapes), 'shape')}"
        expected = f"{graph.name} has {', '.join(one for one, _ in names)}"
        raise FieldError(f"{fault}; {expected}; write one shape per tensor, None for one that is absent")
    dtypes = _each(cells, f"{side}_dtypes", len(shapes))
    ranges = _ranges("input_data_ranges", cells, len(shapes)) if side == "input" else [DEFAULT] * len(shapes)
    tensors = {}
    for (one, name), shape, dtype, values in zip(names, shapes, dtypes, ranges, strict=False):
        if shape is None and (one in graph.optional or side != "input"):
            continue
        if name:
            sizes = fields.shape(f"{side}_shapes of {one}", shape)
            tensors[name] = Tensor(_dtype(f"{side}_dtypes of {one}", dtype), sizes, values)
    return tensors


def _kernel_attributes(
    signature: Signature, graph: GraphSignature, cells: dict[str, Any], problems: list[str]
) -> dict[str, Scalar]:
    """The attributes of a call. An attribute that the row lacks has the default of the graph operator."""
    given = cells.get("attributes", {})
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        fields.refuse("attributes", given, "names with values")
    for name in given:
        if name not in graph.attributes:
            known = ", ".join(graph.attributes) or "no attributes"
            problems.append(f"attributes: {name!r} is unknown; {graph.name} has {known}")
    operator, scalars = signature.operator, {}
    for name, default in graph.attributes.items():
        value, argument = given.get(name, default), graph.renamed[name]
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]  # a dimension may be a list
        if not argument:
            if name in given and value != default:
                problems.append(f"{name} is {quote(value)}; actgrad computes only {name}={default}")
            continue
        is_choice = bool(operator.choices) and argument == operator.switch and value in operator.choices
        kind = operator.schema.attributes_by_name[argument].type
        scalars[argument] = Scalar(value if is_choice else fields.attribute(f"attributes: {name}", kind, value))
    return scalars


def _literal(column: str, cell: str | None) -> Any:
    """The value of a cell, or None for an empty cell."""
    try:
        return ast.literal_eval(_BARE.sub(r"'\1'", _CALL.sub(r"\1", cell))) if cell else None
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise FieldError(
            f"{column} is {quote(cell)}; it must be a Python literal; quote names, close brackets"
        ) from error


def _several(value: Any, kind: Any) -> tuple[Any, ...]:
    """Entries of this kind. A single entry, which published files write without a tuple, becomes a tuple."""
    is_several = isinstance(value, (tuple, list)) and not (value and all(isinstance(one, kind) for one in value))
    return tuple(value) if is_several else (value,)


def _each(cells: dict[str, Any], column: str, count: int, default: Any = None, kind: Any = ()) -> tuple[Any, ...]:
    """`count` entries. A single entry is repeated. If the cell is empty, `default` is repeated.

    A tuple that has only values of `kind` is one entry.
    """
    entries = _several(cells.get(column, ()), kind) or (default,)
    if len(entries) == 1:
        return entries * count
    if len(entries) < count:
        fault = f"{column} has {quantity(len(entries), 'value')}"
        raise FieldError(f"{fault}; it must have 1 or {count}, one per tensor; correct the row")
    return entries


def _tensors(signature: Signature, cells: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The inputs and the outputs, by their names in the schema."""
    parameters = usual = [p for p in interface.case_parameters(signature) if p.type == "Tensor"]
    shapes = _several(cells.get("tensor_view_shapes", ()), int)
    every = [p for p in signature.parameters if p.type == "Tensor"]
    if len(shapes) == len(every) or None in shapes:  # the file lists optional tensors too, None for one that is absent
        parameters = every
    minimum = len(parameters) if signature.in_place else sum(not p.is_output for p in parameters)
    if not minimum <= len(shapes) <= len(parameters):
        names = ", ".join(p.name for p in parameters)
        fault = f"tensor_view_shapes has {quantity(len(shapes), 'shape')}"
        raise FieldError(f"{fault}; {signature.name} has {names}; write one shape per tensor")
    count = len(shapes)
    _check_indexes(cells, parameters[:count])
    values = [*_ranges("input_data_ranges", cells, minimum), *[DEFAULT] * count]
    columns = {column: _each(cells, column, count, default) for column, (*_, default) in _OF_TENSORS.items()}
    inputs: dict[str, Tensor] = {}
    outputs: dict[str, Tensor] = {}
    for k, parameter in enumerate(parameters[:count]):
        what = parameter.name
        if shapes[k] is None and (parameter.is_output or _may_be_absent(signature, parameter)):
            continue
        if parameter.is_unread and parameter not in usual:  # no result depends on it
            continue
        shape = fields.shape(f"tensor_view_shapes of {what}", shapes[k])
        details = {f: typed(f"{c} of {what}", columns[c][k]) for c, (f, typed, _) in _OF_TENSORS.items()}
        is_input = not parameter.is_output or signature.in_place
        (inputs if is_input else outputs)[parameter.argument] = Tensor(shape=shape, values=values[k], **details)
    return inputs, outputs


def _may_be_absent(signature: Signature, parameter: CParameter) -> bool:
    """Whether a tensor may be None: an optional tensor, or one that the operator does not read."""
    optional = {argument.name for argument in signature.operator.schema.tensors if argument.is_optional}
    return parameter.is_unread or parameter.argument in optional


def _check_indexes(cells: dict[str, Any], parameters: Sequence[CParameter]) -> None:
    """Raise if the file has other positions of the outputs than the function. It may leave out unread outputs."""
    indexes, count = cells.get("output_tensor_indexes"), len(parameters)
    is_output = [p.is_output for p in parameters]
    if indexes is None:
        return
    positions = _several(indexes, ())
    if not all(type(n) is int and -count <= n < count for n in positions):
        fields.refuse("output_tensor_indexes", indexes, f"positions from {-count} to {count - 1}")
    needed = {k for k, p in enumerate(parameters) if p.is_output and not p.is_unread}
    if not needed <= {n % count for n in positions} <= {k for k, out in enumerate(is_output) if out}:
        expected = f"the function's outputs are {', '.join(str(k) for k, out in enumerate(is_output) if out) or 'none'}"
        raise FieldError(f"output_tensor_indexes is {quote(indexes)}; {expected}; correct the row")


def _ranges(column: str, cells: dict[str, Any], count: int) -> list[Values]:
    """The ranges of a column. The first two numbers are the ends. Further numbers must occur among the values."""
    ranges = []
    for listed in _each(cells, column, count, (None, None), (int, float, str)):
        entry = (None, None) if listed is None else listed  # for a tensor that is absent
        if not isinstance(entry, (tuple, list)) or len(entry) < 2:
            raise FieldError(
                f"{column} has {quote(entry)}; it must be (LOW, HIGH) or (LOW, HIGH, NUMBERS...); correct the row"
            )
        ends = (default if v is None else v for v, default in zip(entry, (DEFAULT.low, DEFAULT.high), strict=False))
        numbers = [number for v in (*ends, *entry[2:]) if (number := fields.number(v)) is not None]
        if len(numbers) != len(entry):
            raise FieldError(f"{column} has {quote(entry)}; all must be numbers; correct the row")
        ranges.append(Values(*fields.ordered(column, *numbers[:2]), None, tuple(numbers[2:])))
    return ranges


def _scalars(signature: Signature, cells: dict[str, Any]) -> dict[str, Scalar]:
    """The attributes of a call."""
    attributes = cells.get("attributes", {})
    if not isinstance(attributes, dict) or not all(isinstance(name, str) for name in attributes):
        fields.refuse("attributes", attributes, "names with values")
    scalar_names = [p.argument for p in signature.parameters if p.type == "Scalar"]
    words = _each(cells, "scalar_dtypes", len(scalar_names))
    dtypes = ["" if word is None else fields.dtype("scalar_dtypes", word) for word in words]
    ranges = _ranges("scalar_data_ranges", cells, len(scalar_names))
    drawn_scalars = (Scalar(None, dtype, values) for dtype, values in zip(dtypes, ranges, strict=False))
    scalars = dict(zip(scalar_names, drawn_scalars, strict=False))
    for name, value in attributes.items():
        target = interface.by_word(signature, name)
        if target is None or target.type == "Tensor":
            names = [p.name for p in signature.parameters if p.type != "Tensor"]
            expected = f"{signature.name} has {', '.join(names) or 'no attributes'}"
            raise FieldError(
                f"attributes: {name!r} is unknown; {expected}; {did_you_mean(name, names, 'leave it out')}"
            )
        if target.is_unread:
            continue
        drawn = scalars.pop(target.argument, None)
        if value is None and interface.may_be_null(signature, target):
            continue
        plain = fields.attribute(f"attributes: {target.name}", target.type, value)
        scalars[target.argument] = Scalar(plain, drawn.dtype if drawn else "")
    return scalars


# Writing

COLUMNS = (
    "testcase_name", "api_name", "tensor_view_shapes", "tensor_dtypes", "tensor_formats", "output_tensor_indexes",
    "attributes", "scalar_dtypes", "input_data_ranges", "remark", CASCADE,
)  # fmt: skip


def text(cases: Sequence[FileCase]) -> str:
    """A file of these cases."""
    return in_rows([COLUMNS, *map(_written, cases)])


def in_rows(rows: Iterable[Iterable[Any]]) -> str:
    """A CSV file."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _written(case: FileCase) -> tuple[Any, ...]:
    signature = case.signature
    assert signature is not None, "a generated case has a signature"
    parameters = [p for p in interface.case_parameters(signature) if p.type == "Tensor"]
    by_name = {**case.outputs, **case.inputs}
    tensors = [by_name[p.argument] for p in parameters]
    inputs = [by_name[p.argument] for p in interface.inputs(signature) if p.type == "Tensor"]
    scalars = [p for p in signature.parameters if p.type == "Scalar"]
    attribute_parameters = [p for p in interface.case_parameters(signature) if p.type != "Tensor"]
    settings = {p.name: case.attributes.get(p.argument) for p in attribute_parameters}
    attributes = {name: None if one is None else one.value for name, one in settings.items()}
    cascades = tuple(t.is_result for t in tensors)
    return (
        case.name.replace(" ", "_"), signature.name, tuple(t.shape for t in tensors), tuple(t.dtype for t in tensors),
        ("ND",), tuple(k for k, p in enumerate(parameters) if p.is_output), attributes, ("float32",) * len(scalars),
        tuple(_ends(t.values) for t in inputs), case.name.rpartition(" ")[2], cascades if any(cascades) else "",
    )  # fmt: skip


def _ends(values: Values) -> tuple[Any, ...]:
    """The range of values. For a normal distribution, the range has nearly all of its numbers."""
    low, high = values.low, values.high
    if values.deviations is not None:
        low, high = low - 3 * values.deviations[1], high + 3 * values.deviations[1]
    return (fields.written(low), fields.written(high), *map(fields.written, values.among))
