"""Pickles name public places only."""

from __future__ import annotations

import pickle
import pickletools
from typing import Any

import pytest

import actgrad


@pytest.mark.parametrize(
    "thing", [actgrad.elu, actgrad.operators["selu_backward_from_input"], actgrad.InvalidCall("x"), actgrad.OutOfMemory]
)
def test_new_pickles_name_public_places(thing: Any) -> None:
    pickled = pickle.dumps(thing, 4)
    loaded = pickle.loads(pickled)
    assert loaded is thing or (type(loaded) is type(thing) and loaded.args == thing.args)
    strings = [argument for code, argument, _ in pickletools.genops(pickled) if "UNICODE" in code.name]
    modules = {text for text in strings if str(text).startswith("actgrad")}
    assert modules == {"actgrad"}
