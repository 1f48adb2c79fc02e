"""The state of a delivery: interrupted runs go on, and what has changed is judged anew."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.judge import runner, state
from actgrad.judge.delivery import trial
from tests.support.calls import status
from tests.support.deliveries import CASES, NAMES, edited, judged

pytestmark = [pytest.mark.share(2), pytest.mark.needs("ascend")]

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(right_outputs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(right_outputs, tmp_path / "d"))


def test_a_state_is_believed_only_for_the_same_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    judge = trial.judge

    def counted(operator: Any, *arguments: Any, **options: Any) -> Any:
        calls.append(operator.name)
        return judge(operator, *arguments, **options)

    monkeypatch.setattr(trial, "judge", counted)
    state = ["--state", str(folder / "state")]
    assert judged(folder, *state)[0] == 0
    assert len(calls) == 32
    assert judged(folder, *state)[0] == 0
    assert len(calls) == 32
    right = np.load(folder / "swiglu-0003" / "out.npy")
    np.save(folder / "swiglu-0003" / "out.npy", np.zeros_like(right))
    assert judged(folder, *state)[0] == 1
    assert len(calls) == 33
    np.save(folder / "swiglu-0003" / "out.npy", right)
    assert judged(folder, *state)[0] == 0
    assert len(calls) == 34
    assert judged(folder, *state, "--strict")[0] in (0, 1)
    assert len(calls) == 66  # another question
    (folder / "state").write_text("{}")  # a state of version 0.3 was JSON
    assert status("check", "--manifest", str(folder), *state) == 2


def test_an_interruption_keeps_results(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    judge, calls = trial.judge, []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return judge(*arguments, **options)

    monkeypatch.setattr(trial, "judge", interrupted)
    state = ["--state", str(folder / "state")]
    call = ["check", "--manifest", str(folder), "--jobs", "1", *state]
    assert status(*call) == 130
    assert "5 of 32 cases were judged" in capsys.readouterr().err
    assert judged(folder, *state)[0] == 0
    assert len(calls) == 6 + 27


def test_an_interruption_of_two_processes_keeps_results(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    in_processes = runner.in_processes

    def interrupted(function: Any, arguments: Any, jobs: int) -> Any:
        for number, result in enumerate(in_processes(function, arguments, jobs)):
            if number == 5:
                raise KeyboardInterrupt
            yield result

    path = folder / "state"
    call = ["check", "--manifest", str(folder), "--jobs", "2", "--state", str(path)]
    with monkeypatch.context() as context:
        context.setattr(runner, "in_processes", interrupted)
        assert status(*call) == 130
    assert "5 of 32 cases were judged" in capsys.readouterr().err
    first = results(path)
    assert len(first) == 5
    assert status(*call) == 0
    last = results(path)
    assert len(last) == 32
    assert {key: last[key] for key in first} == first  # with their times: nothing was judged again


def results(path: Path) -> dict[str, Any]:
    """The results that a state has."""
    with state.opened(path) as kept:
        return {name: kept.get(name) for name in kept.names("")}


#: With WAITS in its environment, the program makes this file after its first result, and waits for the signal.
INTERRUPTIBLE = """
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from actgrad.cli.main import main
from actgrad.judge import state
from actgrad.writing import terminal

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests with SIGINT ignored
state.SAVE_SECONDS = 0.0
progress = terminal.progress

@contextmanager
def waiting(*arguments):
    with progress(*arguments) as advance:
        def advance_and_wait(count):
            advance(count)
            Path(os.environ["WAITS"]).touch()
            signal.pause()
        yield advance_and_wait

if __name__ == "__main__":
    if "WAITS" in os.environ:
        terminal.progress = waiting
    sys.exit(main())
"""


def has_child(process: subprocess.Popen[str]) -> bool:
    """Whether a process that judges was started."""
    for path in Path(f"/proc/{process.pid}/task").glob("*/children"):
        for child in path.read_text().split():
            with suppress(OSError):
                if b"import serve" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return True
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")
@pytest.mark.parametrize("moment", ["a process starts", "a case was judged"])
@pytest.mark.parametrize("target", ["the group", "the parent"])
@pytest.mark.share(4)
def test_ctrl_c_keeps_results_and_the_same_command_goes_on(moment: str, target: str, folder: Path) -> None:
    program, path, waits = (folder.parent / name for name in ("program.py", "state", "waits"))
    program.write_text(INTERRUPTIBLE)
    command = [sys.executable, str(program), "check", "--manifest", str(folder), "--jobs", "2", "--state", str(path)]
    process = subprocess.Popen(
        command, env=os.environ | {"WAITS": str(waits)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    while process.poll() is None and not (has_child(process) if moment == "a process starts" else waits.exists()):
        time.sleep(0.01)
    (os.killpg if target == "the group" else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in out + err
    judged_cases = results(path)
    assert f"interrupted: {len(judged_cases)} of {len(NAMES) * CASES} cases were judged" in err
    assert len([line for line in err.splitlines() if line.startswith("actgrad: check: ")]) == 1
    if moment == "a case was judged":
        assert judged_cases
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    last = results(path)
    assert len(last) == len(NAMES) * CASES
    assert {key: last[key] for key in judged_cases} == judged_cases


def overwritten(name: str) -> Any:
    """Store other numbers in a file of a case, and its hash in the manifest if it is an input."""

    def change(folder: Path) -> None:
        path = folder / name
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        np.save(path, np.roll(np.load(path), 1))
        text = (folder / "manifest.json").read_text()
        (folder / "manifest.json").write_text(text.replace(before, hashlib.sha256(path.read_bytes()).hexdigest()))

    return change


LEAKY = "leaky_relu-0003"
CHANGES: dict[str, tuple[Any, list[str] | None, tuple[str, ...]]] = {
    "nothing": (lambda folder: None, [], ()),
    "an output": (overwritten(f"{LEAKY}/out.npy"), [LEAKY], ()),
    "an input": (overwritten(f"{LEAKY}/self.npy"), [LEAKY], ()),
    "an attribute": (
        lambda folder: edited(folder, lambda d: by_id(d, LEAKY)["attributes"].update(negative_slope=0.5)), [LEAKY], ()
    ),
    "a product": (lambda folder: edited(folder, lambda d: by_id(d, LEAKY).update(product="Ascend950")), [LEAKY], ()),
    "an id": (lambda folder: edited(folder, lambda d: by_id(d, LEAKY).update(id="new")), ["new"], ()),
    "--standard": (lambda folder: None, None, ("--standard", "mixed")),
    "--standard all": (lambda folder: None, None, ("--standard", "all")),
    "--strict": (lambda folder: None, None, ("--strict",)),
    "--product": (lambda folder: None, None, ("--product", "Ascend950")),
    "ACTGRAD_PRODUCT": (lambda folder: None, None, ()),
    "--rules": (lambda folder: None, None, ("--rules", "document")),
}  # fmt: skip


def by_id(document: Any, name: str) -> Any:
    return next(case for case in document["cases"] if case["id"] == name)


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_after_an_interruption_is_judged_anew(
    kind: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, expected, options = CHANGES[kind]
    edited(folder, lambda d: d.update(cases=[case for case in d["cases"] if case["operator"] == "leaky_relu"]))
    state = tmp_path / "state"
    names: list[str] = []
    judge_anew = trial._judged

    def recorded(folder: Path, case: Any, *rest: Any) -> Any:
        names.append(case.id)
        return judge_anew(folder, case, *rest)

    monkeypatch.setattr(trial, "_judged", recorded)
    assert judged(folder, "--state", str(state))[0] == 0
    names.clear()
    change(folder)
    with actgrad.product("Ascend950") if kind == "ACTGRAD_PRODUCT" else nullcontext():
        report = judged(folder, "--state", str(state), *options)[1]
    assert names == ([case["id"] for case in report["cases"]] if expected is None else expected)
    if kind in ("an output", "an attribute"):
        assert by_id(report, LEAKY)["verdict"] == "REJECTED"


def test_a_stale_output_is_named_anew_where_the_earlier_output_changes(folder: Path) -> None:
    """The diagnosis of a rejected case compares outputs of earlier cases: these belong to its key too."""
    edited(folder, lambda d: d.update(cases=[case for case in d["cases"] if case["operator"] == "gelu_backward"]))
    ids = [case["id"] for case in json.loads((folder / "manifest.json").read_text())["cases"]]
    outputs = [folder / name / "grad_input.npy" for name in (ids[0], ids[3])]  # of one dtype
    first = np.load(outputs[0])
    np.save(outputs[1], np.resize(first, np.load(outputs[1]).shape))
    state = folder / "state"
    assert by_id(judged(folder, "--state", str(state))[1], ids[3])["diagnosis"] == ["stale"]
    np.save(outputs[0], -first)
    assert by_id(judged(folder, "--state", str(state))[1], ids[3])["diagnosis"] != ["stale"]


def ended(argument: Any, before: Any) -> None:
    os._exit(3)


def test_a_dead_worker_is_one_error_message(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(trial, "_guarded", ended)
    assert status("check", "--manifest", str(folder), "--jobs", "2") == 2
    fault = "check: a process that judges ended with status 3"
    cure = "each must stay alive; free memory or use fewer --jobs"
    assert capsys.readouterr().err.splitlines()[-1] == f"actgrad: {fault}; {cure}"


def test_an_operator_that_the_program_defines(smooth_relu: Any, tmp_path: Path) -> None:
    """New processes do not have it, so this process judges it, also with several jobs."""
    folder = tmp_path / "d"
    assert status("cases", "smooth_relu", "--tensors", str(folder), "--number", "4", "--dtypes", "float32") == 0
    for case in json.loads((folder / "manifest.json").read_text())["cases"]:
        x, beta = np.load(folder / case["inputs"]["self"]["file"]).astype(np.float64), case["attributes"]["beta"]
        with np.errstate(invalid="ignore"):  # a signalling NaN
            y = np.logaddexp(0, np.float64(np.float32(beta)) * x) / np.float32(beta)
        np.save(folder / case["outputs"]["out"]["file"], y.astype(np.float32))
    assert status("check", "--manifest", str(folder), "--jobs", "2") == 0


def changed_row(path: Path, column: str, value: Any) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE results SET {column} = ?", (value,))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("{}") and None,
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-5000]) and None,
    "only a header": lambda path: path.write_bytes(path.read_bytes()[:100]) and None,
    "zeros in the middle": lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(4096)) and None,
    "another verdict": lambda path: changed_row(path, "result", '{"verdict": "ACCEPTED", "key": ""}'),
    "no JSON": lambda path: changed_row(path, "result", "{"),
    "bytes": lambda path: changed_row(path, "result", b"\xff"),
    "another digest": lambda path: changed_row(path, "sha256", "0" * 64),
    "another name": lambda path: changed_row(path, "name", "swiglu-0001"),
    "another database": lambda path: path.unlink() or sqlite3.connect(path).executescript("CREATE TABLE a (b)").close(),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_state_is_an_error(kind: str, folder: Path, capsys: Capture) -> None:
    """Status 2 and one line, never a traceback, whose status would be that of a rejected delivery."""
    edited(folder, lambda d: d.__setitem__("cases", d["cases"][1:2] if kind == "another name" else d["cases"][:1]))
    path = folder / "state"
    call = ["check", "--manifest", str(folder), "--jobs", "1", "--state", str(path)]
    assert status(*call) == 0
    if kind == "another name":
        edited(folder, lambda d: d["cases"][0].update(id="swiglu-0001"))
    DAMAGES[kind](path)
    capsys.readouterr()
    assert status(*call) == 2
    said = capsys.readouterr().err
    assert f"{path}: is damaged (" in said
    assert "it must be a file of check --state; remove it or name another file" in said
    assert said.count("\n") == 1
    path.unlink()
    assert status(*call) == 0


def test_a_killed_run_leaves_a_state_that_can_be_used(folder: Path) -> None:
    """Also if the process dies while it writes: SQLite then goes back to the results before."""
    path = folder.parent / "state"
    with state.opened(path) as kept:
        kept.put("first", {"n": 1})
    code = (
        "import os, pathlib, sys; from actgrad.judge import state\n"
        "with state.opened(pathlib.Path(sys.argv[1])) as kept:\n"
        "    kept._connection.execute('PRAGMA cache_size = 1')\n"
        "    kept._connection.execute('BEGIN IMMEDIATE')\n"
        "    for number in range(2000):\n"
        "        row = str(number), '[' * 500, ''\n"
        "        kept._connection.execute('INSERT INTO results VALUES (?, ?, ?)', row)\n"
        "    os._exit(9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert killed.returncode == 9
    assert path.with_name("state-journal").exists()  # the kill came in the middle of a transaction
    assert results(path) == {"first": {"n": 1}}


def test_two_runs_may_use_one_state(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with state.opened(path) as one, state.opened(path) as other:
        one.put("a", 1)
        other.put("b", [2.5, float("inf")])
    assert results(path) == {"a": 1, "b": [2.5, float("inf")]}
