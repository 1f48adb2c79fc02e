"""Faults of the user or of the place: one line on standard error and status 2 in every command, never a traceback."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad.cli import commands
from actgrad.cli.main import main
from actgrad.writing import terminal
from tests.support.calls import status

pytestmark = [pytest.mark.share(12), pytest.mark.needs("ascend", "judge", "kernel")]

Capture = pytest.CaptureFixture[str]
IS_LINUX = sys.platform.startswith("linux")
PRINTING = [
    ["list"], ["list", "--json"], ["list", "--markdown"], ["cache"], ["cache", "--json"], ["--version"], ["--help"],
    ["check", "--help"], ["check", "selu", "--dtype", "int8"], ["check", "selu", "--dtype", "int8", "--json", "-"],
    ["sdk", "--check", "lacking.c"],
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.zeros(4, np.float32))
    Path("x.bin").write_bytes(bytes(16))
    Path("lacking.c").write_text('#include "acl/acl_tomorrow.h"\n')
    return tmp_path


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "actgrad", *arguments]
    return subprocess.run(command, text=True, check=False, **{"stderr": subprocess.PIPE, **options})


def messages(text: str) -> list[str]:
    """The lines of standard error that are no progress."""
    return [line for line in text.splitlines() if line.startswith(("actgrad", "Traceback", "Exception"))]


# Standard output


@pytest.mark.skipif(not IS_LINUX, reason="/dev/full")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_standard_output_that_is_full(arguments: list[str], folder: Path) -> None:
    with open("/dev/full", "w") as full:
        done = run(*arguments, stdout=full)
    assert done.returncode == 2
    assert messages(done.stderr)[-1].startswith("actgrad: standard output: No space left on device; it must take")
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="descriptors are closed as POSIX does")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_standard_output_that_is_closed(arguments: list[str], folder: Path) -> None:
    done = run(*arguments, preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert messages(done.stderr)[-1].startswith("actgrad: standard output: is closed; it must take")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_pipe_without_a_reader_ends_quietly(arguments: list[str], folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(*arguments, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert messages(done.stderr) == []


@pytest.mark.skipif(not IS_LINUX, reason="/dev/full")
@pytest.mark.parametrize("arguments", [["list", "--nope"], ["check", "reloo"], ["sdk", "--run", "."]], ids=" ".join)
def test_standard_error_that_is_full_or_closed(arguments: list[str], folder: Path) -> None:
    with open("/dev/full", "w") as full:
        assert run(*arguments, stdout=subprocess.PIPE, stderr=full).returncode == 2
    done = run(*arguments, stdout=subprocess.PIPE, stderr=None, preexec_fn=lambda: os.close(2))
    assert (done.returncode, done.stdout) == (2, "")


def test_messages_never_reach_standard_output(folder: Path) -> None:
    done = run("check", "selu", "--dtype", "int8", "--json", "-", stdout=subprocess.PIPE, stderr=None,
               preexec_fn=lambda: os.close(2))  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("{")
    assert done.stdout.endswith("}\n")


def test_characters_that_the_terminal_lacks(folder: Path) -> None:
    options = {"stdout": subprocess.PIPE, "env": {**os.environ, "PYTHONIOENCODING": "ascii"}}
    for arguments in (["list", "--markdown"], ["check", "selu", "--dtype", "int8"], ["check", "--help"]):
        done = run(*arguments, **options)
        assert done.returncode == 0, done.stderr
    done = run("check", "--exhaustive", "elu", "--write", "d\u00fcnn", **options)
    assert (done.returncode, len(messages(done.stderr))) == (2, 1)


# The working folder


@pytest.mark.skipif(not IS_LINUX, reason="folders in use are not removed elsewhere")
@pytest.mark.parametrize("arguments", [
    ["cache"], ["cache", "--json"], ["list"], ["cases", "elu", "-o", "x.json"], ["sdk", "out"],
    ["check", "elu", "--inputs", "x.npy", "--actual", "x.npy", "--json", "r.json"],
], ids=" ".join)  # fmt: skip
def test_a_working_folder_that_is_gone(arguments: list[str], tmp_path: Path) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    # -m would look for the package in the folder first, in which Python itself fails.
    script = f"import sys, os; os.rmdir(os.getcwd()); from actgrad.__main__ import main; sys.exit(main({arguments!r}))"
    environment = {**os.environ, "ACTGRAD_CACHE_DIR": "relative"} if arguments[0] == "cache" else os.environ
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=place, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    # The cache need not exist: its relative name is all that is known of it.
    assert done.returncode in {"list": (0,), "cache": (0, 2)}.get(arguments[0], (2,)), done.stderr
    assert len(messages(done.stderr)) == (0 if done.returncode == 0 else 1)


# Wrong files and calls, in every command

FAULTS = {
    "digits": ["check", "elu", "--inputs", f"x.bin:float32:{'9' * 5000}", "--actual", "x.npy"],
    "a long name": ["check", "elu", "--inputs", f"{'9' * 5000}.npy", "--actual", "x.npy"],
    "a long attribute": ["check", "elu", "--inputs", "x.npy", "--actual", "x.npy", "--attr", f"alpha={'x' * 5000}"],
    "a long integer": ["check", "geglu", "--inputs", "x.npy", "--actual", "x.npy", "--attr", f"dim={'9' * 5000}"],
    "a large integer": ["check", "geglu", "--inputs", "x.npy", "--actual", "x.npy", "--attr", f"dim={'9' * 50}"],
    "a long report": ["check", "selu", "--dtype", "int8", "--json", "9" * 5000],
    "a folder for a page": ["check", "selu", "--dtype", "int8", "--html", "."],
    "a folder for cases": ["cases", "elu", "-o", "sub.json"],
    "a long file of cases": ["cases", "elu", "-o", f"{'9' * 5000}.json"],
    "cases that are a folder": ["check", "--cases", "sub.json"],
    "cases of a long name": ["check", "--cases", f"{'9' * 5000}.json"],
    "a document that is a folder": ["check", "--exhaustive", "elu", "--dtype", "float16", "--write", "."],
    "a document that is no text": ["check", "--exhaustive", "elu", "--dtype", "float16", "--write", "bytes"],
    "a document without markers": ["check", "--exhaustive", "elu", "--dtype", "float16", "--write", "x.bin"],
    "a state that is a file": ["check", "--exhaustive", "elu", "--dtype", "float16", "--state", "bytes"],
    "a state of a long name": ["check", "--exhaustive", "elu", "--dtype", "float16", "--state", "9" * 5000],
    "a program that is a folder": ["sdk", "--run", "."],
    "a program that is gone": ["sdk", "--run", "gone.c"],
    "a program of a long name": ["sdk", "--run", "9" * 5000],
    "an SDK over a file": ["sdk", "bytes"],
    "an SDK over a loop": ["sdk", "loop"],
    "an SDK of a long name": ["sdk", "9" * 5000],
    "a kernel that is gone": ["kernel", "run", "gone.cpp", "--entry", "gone"],
    "a kernel without an entry": ["kernel", "run", "bytes"],
    "no action of kernel": ["kernel"],
    "a benchmark": ["bench", "elu", "--quick"],
    "a plot of a benchmark": ["plot"],
    "a seed of thousands of digits": ["check", "elu", "--seed", "9" * 5000],
    "epochs of thousands of digits": ["demo", "--epochs", "9" * 5000],
    "no epochs": ["demo", "--epochs", "0"],
    "no operator": ["list", "quaternion"],
    "an option of the cache": ["cache", "--nope"],
    "a command": ["dance"],
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_one_line_and_2(kind: str, folder: Path, capsys: Capture) -> None:
    Path("sub.json").mkdir()
    Path("bytes").write_bytes(b"\xff\xfe\x00")
    Path("loop").symlink_to("loop")
    before = sorted(os.listdir())
    assert status(*FAULTS[kind]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len([line for line in captured.err.splitlines() if line.startswith("actgrad")]) == 1
    assert sorted(os.listdir()) == before


def test_every_command_has_a_fault_here() -> None:
    assert set(commands.listed()) == {call[0] for call in FAULTS.values() if call[0] not in ("dance", "bench", "plot")}


def test_memory_and_interrupts(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def end_with(error: BaseException) -> int:
        def fail(text: str) -> None:
            raise error

        monkeypatch.setattr(terminal, "show", fail)
        return main(["list"])

    assert end_with(MemoryError()) == 2
    assert end_with(KeyboardInterrupt()) == 130
    assert end_with(OSError(5, "Input/output error", "some\nfile")) == 2
    assert capsys.readouterr().err == (
        "actgrad: memory ran out; the command needs more; free memory or give it smaller inputs\n"
        "actgrad: some\\x0afile: Input/output error; the system must be able to use it; check the path\n"
    )


# Any words

WORDS = [
    "check", "list", "cases", "cache", "sdk", "elu", "elu_backward", "geglu", "gelu", "--inputs", "--actual", "--attr",
    "--json", "--html", "--results", "--cases", "--standard", "--strict", "--dtype", "--seed", "--product", "--rules",
    "--write", "--markdown", "--check", "--state", "-o", "--format", "--number", "--largest", "--backend",
    "x.npy", "x.npy:bfloat16", "x.bin:float16:8", "x.bin:float32:4", "x.bin:int8:16", "x.bin:int8:2x8", "y.npz",
    "y.npz:a", "c.json", "c.csv",
    "alpha=1", "alpha=nan", "dim=7", "is_result=1", "mixed", "ulp,mixed", "float16", "Ascend950",
    "document", "-", ".", "", "-1", "0", "1", "9" * 30, "\x1b[31m", "a:b", "reference", "lacking.c"
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_any_words_end_with_a_status(seed: int, folder: Path, capsys: Capture) -> None:
    rng = random.Random(seed)
    np.savez("y.npz", a=np.zeros(4, np.float32))
    heads = [
        ["check", "elu", "--inputs", "x.npy", "--actual"], ["check", "geglu", "--inputs", "x.npy", "--actual"],
        ["check", "--cases"], ["cases", "elu", "-o"], ["list"], ["sdk", "--check"], ["check", "--standard"], [],
    ]  # fmt: skip
    for _ in range(60):
        if rng.random() < 0.2:
            Path("c.json").write_text(rng.choice(["[]", "[{}]", '[{"id": [], "inputs": 3}]', "", "{", "[1]", "null"]))
            Path("c.csv").write_text(rng.choice(["", "api_name\n", "api_name,tensor_view_shapes,tensor_dtypes\n,,\n"]))
        words = [*rng.choice(heads), *rng.choices(WORDS, k=rng.randrange(5))]
        if words[:1] == ["check"] and not {"--actual", "--cases"} & set(words):
            words = ["check", "selu", "--dtype", "int8", *words[1:]]  # the least that our own backends judge
        code = status(*words)
        captured = capsys.readouterr()
        assert code in (0, 1, 2), words
        assert "\x1b[31m" not in captured.err + captured.out or "usage:" in captured.err, words
        if code == 2:
            assert len(messages(captured.err)) == 1, (words, captured.err)
