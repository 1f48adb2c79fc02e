"""ATK's case files. A file is a JSON list of cases. A case names a function and lists its inputs in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...base.dtypes import ALIASES
from ...base.errors import quote
from ...judge.files import fields
from ...judge.files.fields import FieldError
from ..aclnn.signatures import CParameter, Signature
from . import interface
from .case_model import FileCase, Scalar, Tensor, Values

#: The words of "standard": {"acc": ...}, and the standards that decide here. () means the standard in force.
STANDARDS = {"single_bm": ("mere-mare",), "mixed_tolerance_bm": ("mixed",), "default": ()}
CASCADE = "actgrad_cascade"
NULL = "null"  # the value of a parameter that is left out
#: The types of fields that may be missing.
_TYPES = {
    "id": fields.natural, "name": fields.text, "aclnn_name": fields.text, "default_seed": fields.natural,
    "expected_error_msg": fields.text,
}  # fmt: skip
_INPUT_TYPES = {
    "name": fields.text, "type": fields.text, "required": fields.flag, "dtype": fields.text, "shape": fields.shape,
    CASCADE: fields.flag,
}  # fmt: skip
#: Fields that change no result. They choose who computes, or how a run is timed and saved.
_WITHOUT_EFFECT = {
    "api", "api_type", "aclnn_api_type", "triton_api_type", "fusion_api_type", "dist_api_type", "kernel_api_type",
    "triton_name", "kernel_name", "fusion_mode", "version", "backward", "compute_times", "save_name", "is_boundary",
    "strategy", "result",
}  # fmt: skip
_MUST_BE_NULL, _INPUT_MUST_BE_NULL = ("outputs", "method_inputs", "tensor_input"), ("align_32B", "outlier_values")
_KNOWN = {*_TYPES, "standard", "inputs", *_WITHOUT_EFFECT, *_MUST_BE_NULL}
_INPUT_KNOWN = {*_INPUT_TYPES, "range_values", "backward", "format", "length", *_INPUT_MUST_BE_NULL}


def entries(text: str) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yield for each case of a file its position in words, its fields and its number."""
    document = fields.json_document(text, "a JSON list of cases")
    if not isinstance(document, list) or not document:
        raise FieldError(f"is {quote(document)}; an ATK file must be a list of cases; write [CASE, ...]")
    for index, case in enumerate(document):
        if not isinstance(case, dict):
            raise FieldError(f"case {index}: is {quote(case)}; a case must be an object; write {{...}}")
        yield f"case {index}" + (f" (id {quote(case['id'])})" if "id" in case else ""), case, index


def describe(case: dict[str, Any], number: int) -> FileCase:
    """A case. A FieldError names the field that breaks the format."""
    notes = [f"field {name!r} is unknown" for name in case if name not in _KNOWN]
    case_fields = _typed(case, _TYPES)
    notes += [
        f"field {name!r} {says}" for name, says in _unpublished(case, _MUST_BE_NULL) if case[name] not in ([], {})
    ]
    word = case_fields.get("aclnn_name") or case_fields.get("name") or fields.text("name", None)
    inputs = case.get("inputs")
    if not isinstance(inputs, list) or not all(isinstance(one, dict) for one in inputs):
        fields.refuse("inputs", inputs, "a list of objects")
    standards = _standards(case.get("standard"), notes)
    name, signature = f"id {case_fields.get('id', number)} {word}", interface.find(word)
    if signature is None:
        return FileCase(name, case, problem=interface.unknown(word), notes=tuple(notes))
    tensors, scalars, problems = {}, {}, []
    for parameter, entry in _matched(signature, inputs, notes):
        what = parameter.name
        typed = _typed(entry, _INPUT_TYPES, f"{what}: ")
        kind, shape, dtype = typed.get("type"), typed.get("shape"), typed.get("dtype")
        if (kind == "tensor") != (parameter.type == "Tensor"):
            expected = f"{signature.name} takes a {parameter.type}"
            raise FieldError(f"inputs: type of {what} is {quote(kind)}; {expected}; correct the type")
        if kind not in ("tensor", "scalar", "attr", "attrs"):
            notes.append(f"type {quote(kind)} of inputs is unknown")
        notes += [f"field {one!r} of inputs is unknown" for one in entry if one not in _INPUT_KNOWN]
        problems += [f"{what}: {name} {says}" for name, says in _unpublished(entry, _INPUT_MUST_BE_NULL)]
        if parameter.type != "Tensor":
            if _single(entry.get("range_values")) != NULL or not interface.may_be_null(signature, parameter):
                scalars[parameter.argument] = _scalar(parameter, entry)
        elif shape is not None or typed.get("required") is not False:
            values = _values(f"{what}: range_values", entry.get("range_values"))
            dtype, shape = fields.dtype(f"{what}: dtype", dtype), fields.shape(f"{what}: shape", shape)
            tensors[parameter.argument] = Tensor(dtype, shape, values, is_result=typed.get(CASCADE, False))
    return FileCase(
        name, case, signature, tensors, {}, scalars, standards, case_fields.get("default_seed"),
        "expected_error_msg" in case_fields, "; ".join(problems), tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _unpublished(entry: dict[str, Any], names: Sequence[str]) -> list[tuple[str, str]]:
    """The fields with these names that are not null, each with a remark."""
    values = [(name, entry[name]) for name in names if entry.get(name) is not None]
    return [(name, f"is {quote(value)}, whose meaning is not published") for name, value in values]


def _typed(entry: dict[str, Any], types: Mapping[str, Callable[[str, Any], Any]], where: str = "") -> dict[str, Any]:
    """The values of the fields that are not null. Raises a FieldError for a value of the wrong type."""
    return {n: typed(where + n, entry[n]) for n, typed in types.items() if entry.get(n) is not None}


def _standards(standard: Any, notes: list[str]) -> tuple[str, ...]:
    word = standard.get("acc") if isinstance(standard, dict) else standard
    if word is None:
        return ()
    if fields.text("standard", word) not in STANDARDS:
        notes.append(f"standard {quote(word)} is unknown; the standard in force decides")
    return STANDARDS.get(word, ())


def _matched(
    signature: Signature, inputs: Sequence[dict[str, Any]], notes: list[str]
) -> Iterable[tuple[CParameter, dict[str, Any]]]:
    """Pairs of parameters and entries: by name if the function has all the names, otherwise in the function's order."""
    parameters = interface.inputs(signature)
    matches = [p for one in inputs if (p := interface.by_word(signature, str(one.get("name")))) in parameters and p]
    if len({p.name for p in matches}) == len(inputs):
        return zip(matches, inputs, strict=True)
    if len(inputs) > len(parameters):
        expected = f"{signature.name} takes {', '.join(p.name for p in parameters)}"
        raise FieldError(f"inputs has {len(inputs)} parameters; {expected}; leave the others out")
    if any(one.get("name") is not None for one in inputs):
        notes.append("inputs and the function's parameters have different names; they are matched by position")
    return zip(parameters, inputs, strict=False)


def _single(value: Any) -> Any:
    """The entry, if the value is a list with one entry, otherwise the value."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _values(what: str, value: Any) -> Values:
    value = _single(value)
    if isinstance(value, dict):
        if value.get("name") != "nd" or set(value) != {"name", "mean", "std"}:
            expected = "a distribution must be nd with mean and std"
            raise FieldError(f"{what} is {quote(value)}; {expected}; use one, or a range [LOW, HIGH]")
        deviations = _pair(f"{what}: std", value["std"])
        if deviations[0] < 0:
            raise FieldError(f"{what}: std is {quote(value['std'])}; it must be 0 or more; correct the case")
        return Values(*_pair(f"{what}: mean", value["mean"]), deviations)
    if not isinstance(value, list) and fields.number(value) is None:
        fields.refuse(what, value, "a range, a number or a distribution")
    return Values(*_pair(what, value))


def _pair(what: str, value: Any) -> tuple[float, float]:
    """The ends of a range. The value is two finite numbers, the smaller one first, or one number for both ends."""
    numbers = [fields.number(one) for one in (value if isinstance(value, list) else [value, value])]
    if len(numbers) != 2 or None in numbers:
        fields.refuse(what, value, "a range of two numbers")
    return fields.ordered(what, float(numbers[0] or 0), float(numbers[1] or 0))


def _scalar(parameter: CParameter, entry: dict[str, Any]) -> Scalar:
    what, value = f"{parameter.name}: range_values", _single(entry.get("range_values"))
    if parameter.type != "Scalar":
        return Scalar(fields.attribute(what, parameter.type, value))
    dtype = fields.dtype(f"{parameter.name}: dtype", entry.get("dtype"))
    if isinstance(value, list):
        return Scalar(None, dtype, Values(*_pair(what, value)))
    return Scalar(fields.attribute(what, "Scalar", value, "a number or a range"), dtype)


# Writing

_WORDS = {ALIASES[word]: word for word in ("fp16", "fp32", "fp64", "bf16")}
_TYPE_WORDS = {
    "Scalar": ("scalar", "fp32"), "int": ("attr", "int64_t"), "bool": ("attr", "bool"), "double": ("attr", "double"),
    "text": ("attr", "string"),
}  # fmt: skip


def text(cases: Sequence[FileCase]) -> str:
    """A file of these cases."""
    return in_lines({"id": k, **_written(case)} for k, case in enumerate(cases))


def in_lines(cases: Iterable[dict[str, Any]]) -> str:
    """A JSON list with one case on each line."""
    return "[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n"


def _written(case: FileCase) -> dict[str, Any]:
    signature = case.signature
    assert signature is not None, "a generated case has a signature"
    is_own = signature.name.startswith(interface.ACTGRAD_PREFIX)
    return {
        "default_seed": case.seed,
        "name": f"{interface.ACTGRAD_PREFIX}{signature.operator.name}",
        "aclnn_name": None if is_own else signature.name,
        "api_type": "function",
        "standard": {"acc": "mixed_tolerance_bm", "perf": "not_key"},
        "inputs": [_input(case, p) for p in interface.inputs(signature)],
        "is_boundary": case.name.rpartition(" ")[2] not in ("uniform", "normal"),
    }


def _input(case: FileCase, parameter: CParameter) -> dict[str, Any]:
    entry = {
        "name": parameter.name, "type": "tensor", "required": True, "dtype": None, "shape": None, "range_values": None,
        "backward": False, "align_32B": None, "outlier_values": None,
    }  # fmt: skip
    if parameter.type != "Tensor":
        kind, dtype = _TYPE_WORDS[parameter.type]
        scalar = case.attributes.get(parameter.argument)
        value = NULL if scalar is None else scalar.value
        plain = fields.written(value) if isinstance(value, float) else value
        return entry | {"type": kind, "dtype": dtype, "range_values": plain}
    tensor = case.inputs[parameter.argument]
    values = tensor.values
    range_values: Any = [fields.written(values.low), fields.written(values.high)]
    if isinstance(range_values[0], str):  # infinite, or NaN
        range_values = range_values[:1]
    elif values.deviations is not None:
        range_values = {"name": "nd", "mean": range_values, "std": [fields.written(d) for d in values.deviations]}
    dtype = _WORDS.get(tensor.dtype, tensor.dtype)
    entry |= {"dtype": dtype, "shape": list(tensor.shape), "range_values": range_values}
    return entry | ({CASCADE: True} if tensor.is_result else {})
