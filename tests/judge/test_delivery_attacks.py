"""Deliveries of somebody who wants to be accepted: changed manifests, waivers for everything, damaged files."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.judge import judge
from actgrad.judge.delivery import manifest
from tests.support import delivery_vendor
from tests.support.calls import status
from tests.support.deliveries import edited, judged

pytestmark = pytest.mark.needs("ascend")

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("attacks") / "d"
    assert status("cases", "silu", "softmax", "--tensors", str(path), "--dtypes", "float32", "--number", "2") == 0
    delivery_vendor.fill(path)
    return path


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "d"))


def first(document: Any) -> Any:
    return document["cases"][0]


def half(folder: Path, case: Any) -> None:
    """The output in 16 bits, where the limits are wider."""
    file = folder / case["outputs"]["out"]["file"]
    np.save(file, np.load(file).astype(np.float16))
    case["outputs"]["out"]["dtype"] = "float16"


def small_inputs(folder: Path, case: Any) -> None:
    """Zeros for the inputs, with the right digest."""
    one = case["inputs"]["self"]
    file = folder / one["file"]
    np.save(file, np.zeros_like(np.load(file)))
    one["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()


CHANGES = {
    "dtype": lambda folder, document: half(folder, first(document)),
    "inputs": lambda folder, document: small_inputs(folder, first(document)),
    "attributes": lambda folder, document: document["cases"][-1]["attributes"].update(dim=0),
    "kind": lambda folder, document: first(document).update(special="zeros"),
    "fewer cases": lambda folder, document: document["cases"].pop(),
    "more cases": lambda folder, document: first(document).update(id="other"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_changed_manifest_is_refused_next_to_the_original(
    kind: str, original: Path, folder: Path, capsys: Capture
) -> None:
    edited(folder, lambda document: CHANGES[kind](folder, document))
    assert status("check", "--manifest", str(folder), "--original", str(original / "manifest.json")) == 2
    message = capsys.readouterr().err
    assert "restore" in message
    assert "original" in message


def test_the_original_manifest_is_accepted(original: Path, folder: Path) -> None:
    assert judged(folder, "--original", str(original))[0] == 0
    code, report = judged(folder, "--original", str(original), "--case", "silu-0001")
    assert (code, report["surplus"]) == (0, [])


def test_an_output_of_another_dtype_gives_a_warning(folder: Path) -> None:
    edited(folder, lambda document: half(folder, first(document)))
    report = judged(folder)[1]
    assert "out is float16, and the result is float32: the limits of float16 apply" in report["cases"][0]["warnings"]


def test_a_delivery_without_an_element_is_not_accepted(folder: Path) -> None:
    def empty(document: Any) -> None:
        document["cases"] = document["cases"][:1]
        for one in (*first(document)["inputs"].values(), *first(document)["outputs"].values()):
            np.save(folder / one["file"], np.zeros((0, 5), np.float32))
            one.pop("sha256", None)
            one.pop("strides", None)
            one["shape"] = [0, 5]

    edited(folder, empty)
    code, report = judged(folder)
    assert (code, report["verdict"]) == (1, "REJECTED")
    assert "no element that was judged is accepted" in report["why"]


def test_waivers_for_everything_accept_nothing(folder: Path, tmp_path: Path) -> None:
    def spoil(document: Any) -> None:
        for case in document["cases"]:
            np.save(folder / case["outputs"]["out"]["file"], np.zeros(case["outputs"]["out"]["shape"], np.float32))
            case["kind"] = "mine"

    edited(folder, spoil)
    waiver = {"operator": "*", "kind": "mine", "reason": "all", "until": "2999-12-31"}
    (tmp_path / "waivers.json").write_text(json.dumps([waiver]))
    code, report = judged(folder, "--waivers", str(tmp_path / "waivers.json"))
    assert (code, report["counts"]["WAIVED"]) == (1, 4)


def test_a_delivery_is_not_its_own_second_device(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert status("check", "--jobs", "1", "--manifest", str(folder), "--baseline", str(folder)) == 2
    assert "is the delivery's own file" in capsys.readouterr().err
    second = Path(shutil.copytree(folder, tmp_path / "second"))
    assert status("check", "--jobs", "1", "--manifest", str(folder), "--baseline", str(second)) == 0
    assert "equal bit for bit" in capsys.readouterr().err
    file = next(second.glob("silu-*/out.npy"))
    np.save(file, np.load(file) * np.float32(1 + 2**-20))
    assert status("check", "--jobs", "1", "--manifest", str(folder), "--baseline", str(second)) == 0
    assert "equal bit for bit" not in capsys.readouterr().err


def test_a_file_that_is_too_large_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sparse file of a terabyte takes no space and would take an hour to hash."""
    case = manifest.read(folder)[0]
    file = folder / case.outputs["out"].file
    os.truncate(file, 1 << 40)
    assert manifest.digest(file, 1 << 20) == f"{1 << 40} bytes"
    report = judged(folder)[1]
    assert report["cases"][0]["verdict"] == "MISSING"
    assert "too long a .npy file" in report["cases"][0]["why"]


def test_a_stale_tile_that_the_tolerance_ignores_gives_a_warning() -> None:
    """Twenty elements of 2,580 are fewer than the 1 % that may exceed the mixed tolerance."""
    x = np.random.default_rng(1).uniform(-1, 1, 2580).astype(np.float32)
    out = actgrad.silu(x)
    out[-20:] = out[-84:-64]
    verdict = judge(actgrad.silu, {}, [x], [out])
    own = next(outcome for outcome in verdict.outcomes if outcome.standard == "ulp")
    if verdict.holds:  # no error is above the limit
        assert verdict.needs_warning(own)
    out = actgrad.silu(x)
    out[-20:] = (out[-20:] + 0.004).astype(np.float32)
    verdict = judge(actgrad.silu, {}, [x], [out])
    assert verdict.holds
    assert verdict.needs_warning(next(outcome for outcome in verdict.outcomes if outcome.standard == "ulp"))
