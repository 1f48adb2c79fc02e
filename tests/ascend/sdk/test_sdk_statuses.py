"""Random calls in C: statuses, texts and every byte of memory as in actgrad.aclnn, and statuses as the model says."""

from __future__ import annotations

import pickle
import re
import sys
from collections import Counter
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad import aclnn
from tests.ascend.aclnn.test_aclnn_fuzz import Generator
from tests.support.aclnn.functions import good
from tests.support.aclnn.live_calls import FORMATS, Live, number
from tests.support.aclnn.model import faults
from tests.support.aclnn.values import Call, Scalar, Tensor
from tests.support.sdk_programs import MODES, Sdk, needs_compiler, run

pytestmark = [needs_compiler, pytest.mark.share(6)]

DRIVER = Path(__file__).parent / "programs" / "driver.py"
IN_PROCESS = {"ACTGRAD_SDK_HOST": "inprocess"}  # for a program that is Python itself, a server is the default
PRODUCTS = ("Ascend910B", "Ascend310P", "Ascend910", "Ascend950", "Ascend310B")


def calls(seed: int, count: int, product: str, document: bool) -> list[Call]:
    """Calls of one product: half of them good, half broken in some way."""
    generator, found = Generator(seed), []
    while len(found) < count:
        call = generator.call()
        if generator.chance(0.5):
            call = generator.broken(call)
        call = Call(call.function, call.arguments, product, document)
        if all(fits(value) for value in call.arguments.values()) and not has_number_for_text(call):
            found.append(call)
    return found


def fits(value: Any) -> bool:
    """Whether C can make the argument as Python does: the size of memory is its own to know."""
    return not isinstance(value, Tensor) or (value.room is None and value.reach <= prod(value.storage_dims))


def has_number_for_text(call: Call) -> bool:
    """Whether a number stands where C wants a text, so that its compiler would refuse the call."""
    usual = good(call.function).arguments
    return any(isinstance(usual[name], str) and isinstance(value, int) for name, value in call.arguments.items())


def plain(live: Live) -> dict[str, Any]:
    """A call as the driver takes it. Each block of memory has just the bytes that its tensors were given."""
    call, arguments, blocks = live.call, [], {}
    for name, value in call.arguments.items():
        if isinstance(value, Tensor):
            blocks[value.memory or name] = live.memory[value.memory or name].tobytes()
    for name, value in call.arguments.items():
        if isinstance(value, Tensor):
            made = {"shape": value.shape, "strides": value.strides, "offset": value.offset, "start": 32 + value.start,
                    "dtype": number(value.dtype), "format": FORMATS[value.format], "storage": value.storage_dims,
                    "memory": value.memory or name, "is_null": value.is_null,
                    "is_destroyed": value.is_destroyed}  # fmt: skip
            arguments.append(("tensor", made))
        elif isinstance(value, Scalar):
            arguments.append(("scalar", {"dtype": number(value.dtype), "bits": value.stored.tobytes()}))
        elif isinstance(value, bool):
            arguments.append(("bool", value))
        elif isinstance(value, (str, float)):
            arguments.append(("text" if isinstance(value, str) else "double", value))
        else:
            arguments.append(("int", value))
    return {"function": call.function, "arguments": arguments, "memory": blocks}


def driven(sdk: Sdk, lives: list[Live], folder: Path, product: str, document: bool, mode: str) -> list[dict[str, Any]]:
    """What C answers."""
    (folder / "calls").write_bytes(pickle.dumps([plain(live) for live in lives]))
    settings = {"ACTGRAD_PRODUCT": product, "ACTGRAD_RULES": "document" if document else "operator"}
    command = [sys.executable, str(DRIVER), str(sdk.prefix / "lib64"), str(folder / "calls"), str(folder / "answers")]
    run(command, **IN_PROCESS | MODES[mode], **settings)
    return pickle.loads((folder / "answers").read_bytes())


def text_of(message: str | None) -> str:
    """A text without process and time."""
    return re.sub(r"^\[PID: \d+\] \S+ ", "", message or "")


def compare(live: Live, answer: dict[str, Any]) -> str:
    """What C did otherwise than Python."""
    with live.judged():
        status, size, executor = live.first()
        text = text_of(aclnn.aclGetRecentErrMsg()) if status else ""
        second = live.second(size, executor) if status == 0 else None
    if (answer["status"], answer["second"]) != (status, second):
        return f"C says {answer['status']}, {answer['second']} {answer['text']}; Python {status}, {second} {text}"
    expected = next((row.status for row in faults(live.call)), 0)
    if status != expected:
        return f"{status}, but the model says {expected}"
    said, is_of_memory = text_of(answer["text"]), "bytes of storage" in text or "destroyed" in text
    if said != text and not is_of_memory:  # C knows the end of an allocation, Python that of an object
        return f"C says {said!r}; Python {text!r}"
    for name, memory in live.memory.items():
        if name in answer["memory"] and memory.tobytes() != answer["memory"][name]:
            return f"{name}: C computed {answer['memory'][name]!r}, Python {memory.tobytes()!r}"
    return "" if status or answer["size"] == size else f"workspaceSize {answer['size']}"


def check(sdk: Sdk, folder: Path, seed: int, count: int, product: str, document: bool, mode: str) -> Counter[int]:
    lives = [Live(call) for call in calls(seed, count, product, document)]
    with np.errstate(all="ignore"):
        answers = driven(sdk, lives, folder, product, document, mode)
        wrong = [(fault, live.call) for live, a in zip(lives, answers, strict=True) if (fault := compare(live, a))]
    assert not wrong, f"{len(wrong)} of {count}: {wrong[0]}"
    return Counter(answer["status"] for answer in answers)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.share(4)
def test_statuses_of_random_calls(sdk: Sdk, tmp_path: Path, mode: str) -> None:
    statuses = check(sdk, tmp_path, 11, 400, "Ascend910B", False, mode)
    assert min(statuses[code] for code in (0, 161001, 161002)) > 10


@pytest.mark.parametrize("product", PRODUCTS[1:])
@pytest.mark.parametrize("document", [False, True])
def test_statuses_by_product_and_rules(sdk: Sdk, tmp_path: Path, product: str, document: bool) -> None:
    statuses = check(sdk, tmp_path, 12, 150, product, document, "inprocess")
    assert len(statuses) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("document", [False, True])
def test_statuses_of_very_many_calls(sdk: Sdk, tmp_path: Path, product: str, document: bool) -> None:
    for mode in ("inprocess", "server"):
        statuses = check(sdk, tmp_path, 13, 5000, product, document, mode)
        assert statuses.total() == 5000


def test_the_driver_covers_much() -> None:
    """Dtypes, ranks, gaps, stretched and empty tensors, formats: all are among the calls that are compared."""
    found: Counter[str] = Counter()
    for call in calls(11, 800, "Ascend910B", False):
        for value in call.arguments.values():
            if isinstance(value, Tensor):
                found[value.dtype] += 1
                found[f"rank {len(value.shape)}"] += 1
                found["empty"] += value.size == 0
                found["offset"] += value.offset > 0
                found["stretched"] += bool(value.strides) and 0 in value.strides
                found["gaps"] += bool(value.strides) and value.reach - value.offset > prod(value.shape) > 0
                found["null"] += value.is_null
                found[f"format {value.format}"] += 1
            found["text"] += isinstance(value, str)
    wanted = {"FLOAT", "FLOAT16", "BF16", "DOUBLE", "INT8", "INT32", "COMPLEX64", *(f"rank {k}" for k in range(10))}
    wanted |= {"empty", "offset", "stretched", "gaps", "null", "text"}
    assert {name for name in wanted if not found[name]} == set()
    assert sum(name.startswith("format ") for name in found) > 5
