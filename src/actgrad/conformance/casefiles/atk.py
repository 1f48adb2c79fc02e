"""ATK's case files: a JSON list of cases, each a function with its inputs in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...aclnn.signatures import CParameter, Signature
from ..sizes import UnreadableFile
from . import fields, interface
from .described import Described, Scalar, Tensor
from .fields import Fault
from .interface import DTYPES
from .value_ranges import Values, written
from .value_ranges import number as as_number

#: The words of "standard": {"acc": ...}, and what decides here; "default" is the one in force.
STANDARDS = {"single_bm": ("mere-mare",), "mixed_tolerance_bm": ("mixed",), "default": ()}
_READ = {"id", "name", "aclnn_name", "standard", "inputs", "default_seed", "expected_error_msg"}
#: Fields that say who computes, or how it is timed and saved: nothing that changes a result.
_WITHOUT_EFFECT = {
    "api", "api_type", "aclnn_api_type", "triton_api_type", "fusion_api_type", "dist_api_type", "kernel_api_type",
    "triton_name", "kernel_name", "fusion_mode", "version", "backward", "compute_times", "save_name", "is_boundary",
    "strategy", "result",
}  # fmt: skip
_MUST_BE_NULL = {"outputs", "method_inputs", "tensor_input"}
_INPUT_READ = {"name", "type", "required", "dtype", "shape", "range_values", CASCADE := "actgrad_cascade"}
_INPUT_WITHOUT_EFFECT = {"backward", "format", "length"}
_INPUT_MUST_BE_NULL = {"align_32B", "outlier_values"}
_TYPES = ("tensor", "scalar", "attr", "attrs")


def read(path: Path, text: str) -> list[Described]:
    """The cases of a file; UnreadableFile for what is no such file."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path}: no JSON: {error}") from error
    if not isinstance(held, list) or not held:
        raise UnreadableFile(f"{path}: an ATK file is a list of cases, this is {fields.shown(held)}")
    return [_case(path, place, case) for place, case in enumerate(held)]


def _case(path: Path, place: int, case: Any) -> Described:
    where = f"{path}: case {place}"
    if not isinstance(case, dict):
        raise UnreadableFile(f"{where}: a case is an object, this is {fields.shown(case)}")
    if "id" in case:
        where += f" (id {fields.shown(case['id'])})"
    try:
        return _read(case, place)
    except Fault as fault:
        raise UnreadableFile(f"{where}: {fault}") from fault


def _read(case: dict[str, Any], place: int) -> Described:
    notes = [f"field {name!r} is unknown" for name in case if name not in _READ | _WITHOUT_EFFECT | _MUST_BE_NULL]
    number = fields.whole("id", case.get("id"))
    name = f"id {place if number is None else number}"
    for one in _MUST_BE_NULL:
        if case.get(one) not in (None, [], {}):
            notes.append(f"field {one!r} is {fields.shown(case[one])}, of which no meaning is published")
    word = fields.optional_text(case, "aclnn_name")
    alone = fields.optional_text(case, "name")
    if word is None:
        word = alone or fields.text(case, "name")
    inputs = case.get("inputs")
    if not isinstance(inputs, list) or not all(isinstance(one, dict) for one in inputs):
        raise Fault(f"inputs is {fields.shown(inputs)}; it must be a list of objects")
    for one in inputs:
        _check_input(one)
    standards = _standards(case.get("standard"), notes)
    seed = fields.whole("default_seed", case.get("default_seed"))
    refusal = fields.optional_text(case, "expected_error_msg")
    signature = interface.find(word)
    label = f"{name} {word}"
    if signature is None:
        return Described(label, case, problem=f"{word}: actgrad has no such function", notes=tuple(notes))
    tensors, scalars, problems = {}, {}, []
    for parameter, given in zip(*_matched(signature, inputs, notes), strict=True):
        kind = given.get("type")
        if (kind == "tensor") != (parameter.type == "Tensor"):
            raise Fault(
                f"inputs: type: {parameter.name} is a {fields.shown(kind)}; {signature} wants a {parameter.type}"
            )
        if kind not in _TYPES:
            notes.append(f"type {fields.shown(kind)} of inputs is unknown")
        for one in given:
            if one not in _INPUT_READ | _INPUT_WITHOUT_EFFECT | _INPUT_MUST_BE_NULL:
                notes.append(f"field {one!r} of inputs is unknown")
        problems += [
            f"{parameter.name}: {one} is {fields.shown(given[one])}, of which no meaning is published"
            for one in _INPUT_MUST_BE_NULL
            if given.get(one) is not None
        ]
        if parameter.type == "Tensor":
            if given.get("shape") is None and given.get("required") is False:
                continue
            tensors[parameter.argument] = _tensor(parameter, given)
        else:
            scalars[parameter.argument] = _scalar(parameter, given)
    return Described(
        label, case, signature, tensors, {}, scalars, standards, seed, refusal is not None,
        "; ".join(problems), tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _check_input(given: dict[str, Any]) -> None:
    """Raise for a field whose type is wrong in an input of any kind."""
    fields.optional_text(given, "name")
    fields.optional_text(given, "type")
    if given.get("type") != "tensor":
        fields.optional_text(given, "dtype")
        if given.get("shape") is not None:
            fields.shape("inputs: shape", given["shape"])
    fields.flag("inputs: required", given.get("required"))
    fields.flag(f"inputs: {CASCADE}", given.get(CASCADE))


def _standards(standard: Any, notes: list[str]) -> tuple[str, ...]:
    if standard is None:
        return ()
    word = standard.get("acc", "default") if isinstance(standard, dict) else standard
    if not isinstance(word, str) or not word.strip():
        what = "standard: acc" if isinstance(standard, dict) else "standard"
        raise Fault(f"{what} is {fields.shown(word)}; it must be a name, of {', '.join(STANDARDS)}")
    if word not in STANDARDS:
        notes.append(f"standard {fields.shown(word)} is unknown: judged by the one in force")
        return ()
    return STANDARDS[word]


def _matched(
    signature: Signature, inputs: Sequence[dict[str, Any]], notes: list[str]
) -> tuple[list[CParameter], list[dict[str, Any]]]:
    """Parameters and what is given for them: by name where all names are the function's, else in its order."""
    parameters = interface.inputs(signature)
    named = [interface.by_word(signature, str(one.get("name"))) for one in inputs]
    if all(p is not None and p in parameters for p in named) and len(set(named)) == len(named):
        return [p for p in named if p is not None], list(inputs)
    if len(inputs) > len(parameters):
        raise Fault(f"inputs has {len(inputs)} entries; {signature.name} takes {', '.join(p.name for p in parameters)}")
    if any(one.get("name") is not None for one in inputs):
        notes.append("inputs are called otherwise than the function's parameters: taken in its order")
    return list(parameters[: len(inputs)]), list(inputs)


def _tensor(parameter: CParameter, given: dict[str, Any]) -> Tensor:
    what = parameter.name
    shape = fields.shape(f"{what}: shape", given.get("shape"))
    dtype = fields.dtype(f"{what}: dtype", given.get("dtype"))
    return Tensor(dtype, shape, _values(f"{what}: range_values", given.get("range_values"), given.get(CASCADE)))


def _values(what: str, given: Any, cascade: Any) -> Values:
    is_result = cascade is True
    if isinstance(given, dict):
        if given.get("name") != "nd" or set(given) != {"name", "mean", "std"}:
            raise Fault(f"{what} is {fields.shown(given)}; of distributions only nd with mean and std is published")
        low, high = _pair(f"{what}: mean", given["mean"])
        least, most = _pair(f"{what}: std", given["std"])
        if least < 0:
            raise Fault(f"{what}: std is {fields.shown(given['std'])}; it must not be negative")
        return Values(low, high, (least, most), is_result=is_result)
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if not isinstance(given, list):
        value = as_number(given)
        if value is None:
            raise Fault(f"{what} is {fields.shown(given)}; it must be a range, a number or a distribution")
        return Values(value, value, is_result=is_result)
    low, high = _pair(what, given)
    return Values(low, high, is_result=is_result)


def _pair(what: str, given: Any) -> tuple[float, float]:
    """A range: two finite numbers of which the first is not larger, or one."""
    pair = given if isinstance(given, list) else [given, given]
    numbers = [as_number(one) for one in pair]
    if len(numbers) != 2 or None in numbers:
        raise Fault(f"{what} is {fields.shown(given)}; it must be a range of two numbers")
    return fields.ordered(what, float(numbers[0] or 0), float(numbers[1] or 0))


def _scalar(parameter: CParameter, given: dict[str, Any]) -> Scalar:
    what, value = f"{parameter.name}: range_values", given.get("range_values")
    word = given.get("dtype")
    dtype = "" if parameter.type != "Scalar" else fields.dtype(f"{parameter.name}: dtype", word)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if parameter.type == "bool":
        return Scalar(fields.boolean(what, value))
    if parameter.type == "int":
        if type(value) is not int:
            raise Fault(f"{what} is {fields.shown(value)}; it must be a whole number")
        return Scalar(value)
    if isinstance(value, list):
        low, high = _pair(what, value)
        return Scalar(None, dtype, Values(low, high))
    plain = float(value) if isinstance(value, bool) else as_number(value)
    if plain is None:
        raise Fault(f"{what} is {fields.shown(value)}; it must be a number or a range")
    return Scalar(plain, dtype)


# Writing

_WORDS = {DTYPES[word]: word for word in ("fp16", "fp32", "fp64", "bf16")}


def text(cases: Sequence[Described]) -> str:
    """A file of these cases, one to a line."""
    lines = [json.dumps({"id": k, **_written(case)}, allow_nan=False) for k, case in enumerate(cases)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _written(case: Described) -> dict[str, Any]:
    signature = case.signature
    assert signature is not None, "generated cases have one"
    is_own = signature.name.startswith(interface.OWN)
    return {
        "default_seed": case.seed,
        "name": f"{interface.OWN}{signature.operator.name}",
        "aclnn_name": None if is_own else signature.name,
        "api_type": "function",
        "standard": {"acc": "mixed_tolerance_bm", "perf": "not_key"},
        "inputs": [_input(case, p) for p in interface.inputs(signature)],
        "is_boundary": case.name.rpartition(" ")[2] not in ("uniform", "normal"),
    }


def _input(case: Described, parameter: CParameter) -> dict[str, Any]:
    entry = {
        "name": parameter.name, "type": "tensor", "required": True, "dtype": None, "shape": None, "range_values": None,
        "backward": False, "align_32B": None, "outlier_values": None,
    }  # fmt: skip
    if parameter.type != "Tensor":
        value = case.attributes[parameter.argument].value
        kind = {"Scalar": "scalar"}.get(parameter.type, "attr")
        return entry | {
            "type": kind,
            "dtype": {"Scalar": "fp32", "int": "int64_t", "bool": "bool"}[parameter.type],
            "range_values": written(value) if parameter.type == "Scalar" else value,
        }
    tensor = case.inputs[parameter.argument]
    values = tensor.values
    given: Any = [written(values.low), written(values.high)]
    if values.low != values.low or abs(values.low) == float("inf"):
        given = [written(values.low)]
    elif values.deviations is not None:
        given = {"name": "nd", "mean": given, "std": [written(d) for d in values.deviations]}
    entry |= {"dtype": _WORDS.get(tensor.dtype, tensor.dtype), "shape": list(tensor.shape), "range_values": given}
    return entry | ({CASCADE: True} if values.is_result else {})
