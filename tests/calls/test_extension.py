"""The extension of the fast path: used where it was compiled from the sources beside it, else Python's fast path."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from actgrad.calls import extension
from actgrad.cli import version_command
from tests.support.calls import run_script

needs_extension = pytest.mark.skipif(extension.native is None, reason=extension.state)


def test_the_report_names_the_fast_path() -> None:
    line = next(line for line in version_command.report().splitlines() if line.startswith("fast path"))
    assert line.endswith(extension.state)
    assert extension.state.startswith("Python; " if extension.native is None else "C, ")


@pytest.mark.parametrize("value", ["0", "1", ""])
def test_the_variable_switches_it_off(value: str) -> None:
    script = "from actgrad.calls import extension; print(extension.native is None, extension.state)"
    printed = run_script(script, ACTGRAD_FASTCALL=value)
    if value == "0":
        assert printed == "True Python; the extension is switched off by ACTGRAD_FASTCALL=0\n"
    else:
        assert "switched off" not in printed


@needs_extension
def test_a_stale_binary_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    assert extension._load()[0] is extension.native
    monkeypatch.setattr(extension, "hash_of_sources", lambda: "another")
    assert extension._load() == (
        None, "Python; the extension is older than its sources; install actgrad again"
    )  # fmt: skip


@needs_extension
@pytest.mark.parametrize("name", extension.SOURCES)
def test_the_hash_is_of_every_source(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    folder = Path(extension.__file__).parent
    for source in extension.SOURCES:
        (tmp_path / source).write_bytes((folder / source).read_bytes())
    monkeypatch.setattr(extension, "__file__", str(tmp_path / "extension.py"))
    assert extension.hash_of_sources() == extension.native.SOURCE
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
    assert extension.hash_of_sources() != extension.native.SOURCE
    (tmp_path / name).unlink()
    assert extension.hash_of_sources() == ""


def test_without_a_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, package: str | None = None) -> Any:
        raise ImportError("no module named _fastcall")

    monkeypatch.delenv("ACTGRAD_FASTCALL", raising=False)
    monkeypatch.setattr(importlib, "import_module", missing)
    assert extension._load() == (None, "Python; there is no extension: no module named _fastcall")
    assert extension.packed((1, 2), 3) is None or extension.native is not None
