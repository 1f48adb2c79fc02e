"""C prototypes, headers and graph operators against a table of CANN's own: cann_interfaces.json, with its source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actgrad import ir
from actgrad.ascend.aclnn import signatures

TABLE = json.loads(Path(__file__).with_name("cann_interfaces.json").read_text(encoding="utf-8"))
OURS = {signature.name.removeprefix("aclnn"): signature for signature in signatures.all_signatures()}


@pytest.mark.parametrize("name", sorted(OURS.keys() & TABLE["functions"].keys()))
def test_prototype_and_header(name: str) -> None:
    wanted = TABLE["functions"][name]
    assert str(OURS[name]) == wanted["prototype"]
    assert OURS[name].header in wanted["headers"]


def test_every_function_of_ours_is_one_of_cann() -> None:
    unknown = sorted(OURS.keys() - TABLE["functions"].keys())
    cure = "correct the name, or add CANN's prototype and header to the file"
    assert not unknown, f"laws name {', '.join(unknown)}; cann_interfaces.json lacks this; {cure}"


def test_every_graph_operator_of_ours_is_one_of_cann() -> None:
    unknown = sorted(set(ir.names()) - TABLE["graph"].keys())
    cure = "correct the name, or add CANN's inputs, outputs and attributes to the file"
    assert not unknown, f"laws name {', '.join(unknown)}; cann_interfaces.json lacks this; {cure}"


def value(text: str) -> Any:
    """A default as the table writes it."""
    text = text.strip("{}")  # a list of one
    named = {"true": True, "false": False, "DT_FLOAT8_E4M3FN": 36}
    if text in named or text.startswith('"'):
        return named.get(text, text.strip('"'))
    return float(text.rstrip("f")) if "." in text else int(text)


@pytest.mark.parametrize("name", sorted(set(ir.names()) & TABLE["graph"].keys()))
def test_graph_operator(name: str) -> None:
    wanted, signature = TABLE["graph"][name], getattr(ir, name).signature
    inputs = [f"{each}?" if each in signature.optional else each for each in signature.inputs]
    assert (inputs, [*signature.outputs, *signature.unwritten]) == (wanted["inputs"], wanted["outputs"])
    defaults = {}
    for attribute in wanted["attributes"]:
        kind_and_name, _, default = attribute.partition(" = ")
        defaults[kind_and_name.split()[1] if " " in kind_and_name else kind_and_name] = default
    assert list(signature.attributes) == list(defaults)
    for attribute, default in defaults.items():
        if default:
            assert signature.attributes[attribute] == value(default)
