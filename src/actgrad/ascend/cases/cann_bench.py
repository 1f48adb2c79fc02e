"""cann-bench's case files: cases.yaml with a list of cases, and next to it proto.yaml with the operator's interface.

The inputs of a case have the order of `inputs` in proto.yaml. An optional input that is absent is null.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...base.errors import library, quantity, quote
from ...calls.operator import Operator
from ...judge.files import fields, sizes
from ...judge.files.fields import FieldError
from . import interface
from .case_model import FileCase, Scalar, Tensor, Values

PROTO = "proto.yaml"
_REQUIRED = ("operator", "case_id", "input_shape", "dtype")
_KNOWN = (*_REQUIRED, "attrs", "value_range", "note", "inputs", "result")
#: Attributes that a task fixes, although its interface does not have them. The task's golden.py says so.
_FIXED = {"dequant_swiglu_quant": {"quant_mode": 1}}
_UNIT = Values(-1.0, 1.0)  # what cann-bench draws among NaN and infinities


def entries(text: str, inputs: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yield for each case of a file its position in words, its fields and its number.

    `inputs` are the names of proto.yaml. They go into each case as the field "inputs".
    """
    document = _document(text, "a list of cases under cases")
    cases = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(cases, list) or not cases:
        got = f"cases is {quote(cases)}" if isinstance(document, dict) else f"it is {quote(document)}"
        raise FieldError(f"{got}; it must be a list of cases; write cases: and one entry for each case")
    for number, case in enumerate(cases):
        if not isinstance(case, dict) or not all(isinstance(name, str) for name in case):
            raise FieldError(
                f"case {number}: is {quote(case)}; it must be an object with {', '.join(_REQUIRED)}; correct it"
            )
        yield f"case {case.get('case_id', number)}", {**case, **({"inputs": list(inputs)} if inputs else {})}, number


def input_names(path: Path) -> list[str]:
    """The names of the operator's inputs in the proto.yaml next to a file of cases. Empty if there is none."""
    proto = path.with_name(PROTO)
    if not proto.exists():
        return []
    with sizes.reading(proto):
        text = proto.read_text(encoding="utf-8-sig")
    try:
        document = _document(text, "the interface of an operator")
        operator = document.get("operator") if isinstance(document, dict) else None
        inputs = operator.get("inputs") if isinstance(operator, dict) else None
        if not isinstance(inputs, list) or not all(isinstance(one, dict) and "name" in one for one in inputs):
            raise FieldError(f"operator.inputs is {quote(inputs)}; it must be a list of inputs with names; correct it")
        return [fields.text("name of an input", one["name"]) for one in inputs]
    except FieldError as fault:
        raise sizes.UnreadableFile(f"{proto}: {fault}") from fault


def _document(text: str, must: str) -> Any:
    """The content of a YAML file. Aliases are refused, because a short text with aliases may stand for a huge one."""
    yaml = library("yaml", "check --cases needs PyYAML for .yaml", "check")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise FieldError("has an alias; each case must be written out; replace *NAME by what it stands for")
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        cause = " ".join(str(error).split())
        raise FieldError(f"is not YAML ({cause}); it must be {must}; write it again") from error


def describe(case: dict[str, Any], number: int) -> FileCase:
    """A case. A FieldError names the field that breaks the format."""
    if missing := [name for name in _REQUIRED if name not in case]:
        raise FieldError(f"has no {missing[0]}; it must have {', '.join(_REQUIRED)}; add {missing[0]}")
    word = fields.text("operator", case["operator"])
    name = f"{word} {case['case_id']}"
    notes = tuple(f"field {one!r} is unknown" for one in case if one not in _KNOWN)
    operator = interface.find_operator(word)
    if operator is None:
        return FileCase(name, case, problem=interface.unknown_operator(word), notes=notes)
    signature = interface.own_signature(operator)
    shapes = case["input_shape"]
    if not isinstance(shapes, list) or not shapes:
        fields.refuse("input_shape", shapes, "a list with a shape, or null, for each input")
    targets, problem = _targets(operator, case.get("inputs"), len(shapes))
    if any(isinstance(one, list) and any(isinstance(n, list) for n in one) for one in shapes):
        problem = problem or "input_shape has a list of tensors; actgrad's operators take single tensors"
    if problem:
        return FileCase(name, case, signature, problem=problem, notes=notes)
    dtypes = _each("dtype", case["dtype"], len(shapes))
    ranges = _ranges(case.get("value_range"), len(shapes))
    inputs = {}
    for target, shape, dtype, listed in zip(targets, shapes, dtypes, ranges, strict=True):
        if shape is not None:
            kind = fields.dtype(f"dtype of {target}", dtype)
            inputs[target] = Tensor(kind, fields.shape(f"input_shape of {target}", shape), _values(kind, listed))
    scalars, problem = _attributes(operator, case.get("attrs"))
    return FileCase(name, case, signature, inputs, {}, scalars, seed=None, problem=problem, notes=notes)


def _targets(operator: Operator, names: Sequence[str] | None, count: int) -> tuple[list[str], str]:
    """The tensor of the operator for each input of a case, and the reason why there is none.

    A name of proto.yaml may be a tensor's name. Otherwise the inputs are the required tensors, in order.
    """
    tensors = operator.schema.tensors
    if not names:
        every = list(operator.schema.tensor_names)
        if count > len(every):
            raise FieldError(
                f"input_shape has {quantity(count, 'shape')}; {operator.name} has {', '.join(every)}; correct it"
            )
        return every[:count], ""
    if count > len(names):
        raise FieldError(f"input_shape has {quantity(count, 'shape')}; {PROTO} has {', '.join(names)}; correct it")
    left = [argument.name for argument in tensors if not argument.is_optional and argument.name not in names]
    targets = []
    for name in names:
        if name in operator.schema.tensor_names:
            targets.append(name)
        elif left:
            targets.append(left.pop(0))
        else:
            own = ", ".join(operator.schema.tensor_names)
            return [], f"{PROTO} has the input {name!r}; {operator.name} of actgrad has {own}"
    return targets[:count], ""


def _each(field: str, value: Any, count: int) -> list[Any]:
    """An entry for each input. The last one is repeated."""
    if not isinstance(value, list) or not 0 < len(value) <= count:
        fields.refuse(field, value, f"a list with 1 to {count} entries, one for each input")
    return [*value, *value[-1:] * (count - len(value))]


def _ranges(value: Any, count: int) -> list[Any]:
    """The range of each input, or None. One range holds for all inputs, and the last one is repeated."""
    if value is None:
        return [None] * count
    if isinstance(value, list) and value and not isinstance(value[0], list) and value[0] is not None:
        return [value] * count
    return _each("value_range", value, count)


def _values(dtype: str, listed: Any) -> Values:
    """The numbers of a tensor. Infinite ends mean some infinities, and NaN means that half of the numbers are NaN."""
    is_integer = "float" not in dtype
    if listed is None:
        return Values(0.0, 100.0 if is_integer else 1.0)
    ends = listed if isinstance(listed, list) else [listed]
    numbers = [fields.number(end) for end in ends]
    if not 1 <= len(numbers) <= 2 or any(number is None for number in numbers):
        fields.refuse("value_range", listed, "[LOW, HIGH], or such a pair for each input")
    low, high = float(numbers[0] or 0), float(numbers[-1] or 0)
    if not is_integer and math.isnan(low) and math.isnan(high):
        return Values(_UNIT.low, _UNIT.high, special="nan")
    if not is_integer and (low == -math.inf or high == math.inf):
        return Values(_UNIT.low, _UNIT.high, special="inf")
    return Values(*fields.ordered("value_range", low, high))


def _attributes(operator: Operator, given: Any) -> tuple[dict[str, Scalar], str]:
    """The attributes of a call by their names in the schema, and the reason why they cannot be computed."""
    fixed = {name: Scalar(value) for name, value in _FIXED.get(operator.name, {}).items()}
    if given is None:
        return fixed, ""
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        fields.refuse("attrs", given, "names with values")
    known, scalars = operator.schema.attributes_by_name, fixed
    for name, value in given.items():
        if name not in known:
            has = ", ".join(known) or "no attributes"
            return {}, f"attrs: {name!r} is unknown; {operator.name} of actgrad has {has}"
        is_choice = bool(operator.choices) and name == operator.switch and value in operator.choices
        scalars[name] = Scalar(value if is_choice else fields.attribute(f"attrs: {name}", known[name].type, value))
    return scalars, ""


def in_yaml(cases: Sequence[dict[str, Any]]) -> str:
    """A file of cases."""
    yaml = library("yaml", "check --results needs PyYAML for .yaml", "check")
    plain = [{name: value for name, value in case.items() if name != "inputs"} for case in cases]
    text: str = yaml.safe_dump(
        {"cases": plain}, allow_unicode=True, sort_keys=False, default_flow_style=None, width=120
    )
    return text
