"""Deliveries as tests judge and change them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import delivery_vendor
from .calls import status

NAMES = ("swiglu", "gelu_backward", "softmax", "leaky_relu")
CASES = 8  # of each operator


def right_delivery(folder: Path) -> Path:
    """A delivery with right outputs."""
    assert status("cases", *NAMES, "--tensors", str(folder), "--seed", "7", "--number", str(CASES)) == 0
    delivery_vendor.fill(folder)
    return folder


def judged(folder: Path, *options: str) -> tuple[int, Any]:
    """The exit status and report.json."""
    code = status("check", "--manifest", str(folder), "--jobs", "1", "--json", str(folder / "report.json"), *options)
    return code, json.loads((folder / "report.json").read_text())


def edited(folder: Path, change: Any) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def without_hashes(document: Any) -> None:
    """Remove the hashes of inputs, so that a test can change inputs."""
    for case in document["cases"]:
        for one in case["inputs"].values():
            one.pop("sha256")
