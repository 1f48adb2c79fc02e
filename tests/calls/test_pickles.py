"""Pickles: version 0.1's load, and new ones name public places alone."""

from __future__ import annotations

import pickle
import pickletools
from typing import Any

import pytest

import actgrad

#: What `pickle.dumps(object, 4)` of version 0.1 gave.
OF_0_1 = {
    "elu": b"\x80\x04\x95(\x00\x00\x00\x00\x00\x00\x00\x8c\nactgrad.op\x94\x8c"
    b"\x0b_registered\x94\x93\x94\x8c\x03elu\x94\x85\x94R\x94.",
    "InvalidArgument": b"\x80\x04\x95&\x00\x00\x00\x00\x00\x00\x00\x8c\x0eactgrad.errors\x94"
    b"\x8c\x0fInvalidArgument\x94\x93\x94.",
}


@pytest.mark.parametrize("name", OF_0_1)
def test_pickles_of_version_0_1_load(name: str) -> None:
    assert pickle.loads(OF_0_1[name]) is getattr(actgrad, name)


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
