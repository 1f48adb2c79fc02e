"""A call that passes phase one here computes. Some numbers in tensors can be judged in phase two only."""

from __future__ import annotations

import re
from typing import Any

import pytest

import actgrad
from actgrad.base.errors import InvalidArgument
from actgrad.sdk import clients
from actgrad.sdk.glue.work import Work
from tests.support.glue_calls import ROWS, status, value_of
from tests.support.wrong_calls import variations

#: Calls that phase two refuses because of the numbers in tensors, which are 0.
BY_NUMBERS = {
    "InplaceScatter": "selfRef: shape",
    "InplaceScatterValue": "selfRef: shape",
    "Index": ".*dtype bool",
    "IndexPutImpl": ".*dtype bool|a mask",
    "Bincount": "minlength",
    "RepeatInterleave": "",
    "RepeatInterleaveWithDim": "",
    "RepeatInterleaveTensor": "",
}


def refusal(name: str, call: dict[str, Any]) -> str:
    """The text of phase two's refusal, "" where it computes or where phase one refuses."""
    function = clients.glue()[f"aclnn{name}"]
    if status(name, call):
        return ""
    arguments = [value_of(call[parameter.name]) for parameter in function.arguments]
    try:
        Work(f"aclnn{name}", function.rule, function.arguments, arguments).run(0)
    except (InvalidArgument, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.share(8)
@pytest.mark.parametrize("name", ROWS)
def test_what_passes_computes(name: str) -> None:
    with actgrad.product("Ascend910B"):
        refusals = {what: text for what, call in variations(name) if (text := refusal(name, call))}
    assert not [what for what in refusals if not re.match(BY_NUMBERS.get(name, "(?!)"), what)]
    assert all(text.count("; ") >= 2 for text in refusals.values())  # what was given; what is expected; what to do
