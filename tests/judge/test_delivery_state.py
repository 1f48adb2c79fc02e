"""The state of a delivery: interrupted runs go on, and what has changed is judged anew."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.judge.delivery import trial
from tests.support.calls import status
from tests.support.deliveries import CASES, NAMES, edited, judged

pytestmark = pytest.mark.share(2)

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
    (folder / "state").write_text("{}")
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
    in_processes, judged_before = trial.in_processes, []

    def interrupted(function: Any, tasks: Any, jobs: int) -> Any:
        for number, entry in enumerate(in_processes(function, tasks, jobs)):
            if number == 5:
                raise KeyboardInterrupt
            yield entry

    def counted(function: Any, tasks: Any, jobs: int) -> Any:
        judged_before.extend(task[1].id for task in tasks if task[3] is not None)
        return in_processes(function, tasks, jobs)

    state = folder / "state"
    call = ["check", "--manifest", str(folder), "--jobs", "2", "--state", str(state)]
    monkeypatch.setattr(trial, "in_processes", interrupted)
    assert status(*call) == 130
    assert "5 of 32 cases were judged" in capsys.readouterr().err
    first = json.loads(state.read_text())["cases"]
    assert len(first) == 5
    monkeypatch.setattr(trial, "in_processes", counted)
    assert status(*call) == 0
    assert sorted(judged_before) == sorted(first)
    last = json.loads(state.read_text())["cases"]
    assert len(last) == 32
    assert {key: last[key] for key in first} == first


INTERRUPTIBLE = """
import signal
import sys
from actgrad.cli.main import main
from actgrad.judge.files import state

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests with SIGINT ignored
state.SAVE_SECONDS = 0.0
if __name__ == "__main__":
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
    program, state = folder.parent / "program.py", folder.parent / "state"
    program.write_text(INTERRUPTIBLE)
    command = [sys.executable, str(program), "check", "--manifest", str(folder), "--jobs", "2", "--state", str(state)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.poll() is None and not (has_child(process) if moment == "a process starts" else state.exists()):
        time.sleep(0.01)
    (os.killpg if target == "the group" else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in out + err
    judged_cases = json.loads(state.read_text())["cases"]
    assert f"interrupted: {len(judged_cases)} of {len(NAMES) * CASES} cases were judged" in err
    assert len([line for line in err.splitlines() if line.startswith("actgrad: check: ")]) == 1
    if moment == "a case was judged":
        assert judged_cases
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    last = json.loads(state.read_text())["cases"]
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


def ended(task: Any) -> None:
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


def damages(document: Any) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Changes of a state: for each key of an entry, the key removed, and its value replaced by another type."""
    first, entry = next(iter(document["cases"].items()))
    for key, value in entry.items():
        yield f"without {key}", lambda d, key=key: d["cases"][first].pop(key)
        for other in (None, 7, "x", [], {}):
            if type(other) is not type(value):
                yield f"{key} = {other!r}", lambda d, key=key, other=other: d["cases"][first].__setitem__(key, other)
    yield "another verdict", lambda d: d["cases"][first].__setitem__("verdict", "REJECTED")
    yield "a list of cases", lambda d: d.__setitem__("cases", [*d["cases"].values()])
    yield "no cases", lambda d: d.pop("cases")
    yield "no format", lambda d: d.pop("format")
    yield "no digest", lambda d: d.pop("sha256")
    yield "another digest", lambda d: d.__setitem__("sha256", "0" * 64)
    yield "a digest of another type", lambda d: d.__setitem__("sha256", 7)


def test_a_damaged_state_is_an_error(folder: Path, capsys: Capture) -> None:
    """Status 2 and one line, never a traceback, whose status would be that of a rejected delivery."""
    edited(folder, lambda d: d.__setitem__("cases", d["cases"][:2]))
    path = folder / "state"
    call = ["check", "--manifest", str(folder), "--jobs", "1", "--state", str(path)]
    assert status(*call) == 0
    text = path.read_text()
    for words, change in damages(json.loads(text)):
        document = json.loads(text)
        change(document)
        path.write_text(json.dumps(document))
        capsys.readouterr()
        assert status(*call) == 2, words
        said = capsys.readouterr().err
        assert "state: is damaged (" in said, words
        assert said.count("\n") == 1, words
    for content in ("", "[]", "7", "null", '"x"', "{", text[:-5], text + "}"):
        path.write_text(content)
        assert status(*call) == 2, content
    path.write_text(text)
    assert status(*call) == 0
