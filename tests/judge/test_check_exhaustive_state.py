"""`actgrad check --exhaustive` keeps its state, and continues after an interruption."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import actgrad
from actgrad.judge import state
from actgrad.judge.exhaustive import resumption
from actgrad.judge.exhaustive.resumption import SweepState
from actgrad.judge.exhaustive.sweep import Item, Sweep, SweepErrors
from tests.support.calls import status
from tests.support.sweeps import finished, plant

Capture = pytest.CaptureFixture[str]


def loaded(folder: Path, item: Item) -> SweepState:
    with state.opened(resumption.state_file(folder)) as kept:
        return resumption.load(kept, item)


# Interruptions


class Interrupted(Exception):
    """Somebody has pressed a key."""


def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = Item(actgrad.elu_backward, actgrad.elu_backward.defaults, "float32", "random", 1 << 12)
    monkeypatch.setattr(resumption, "PART", 1 << 17)
    whole = finished(item, tmp_path / "whole")
    left = [3]

    def interrupt(_: Item, count: int) -> None:
        left[0] -= bool(count)
        if left[0] == 0:
            raise Interrupted

    folder = tmp_path / "parts"
    with pytest.raises(Interrupted):
        list(resumption.sweep_all([item], folder, interrupt))
    kept = loaded(folder, item)
    assert kept.done >= 3 << 17  # a part of another thread may have arrived at the same time
    assert kept.outputs["grad_input"].elements == kept.done < item.count
    computed = []
    measure = Sweep.measure
    monkeypatch.setattr(Sweep, "measure", lambda self, *at: computed.append(at) or measure(self, *at))  # type: ignore[func-returns-value]
    again = finished(item, folder)
    assert sum(stop - start for start, stop in computed) == item.count - kept.done
    assert (again.done, again.outputs) == (whole.done, whole.outputs)
    computed.clear()
    assert finished(item, tmp_path / "parts").outputs == whole.outputs
    assert computed == []


def test_ctrl_c_names_the_state_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def interrupt(_: Sweep) -> None:
        raise KeyboardInterrupt

    call = ["check", "--exhaustive", "elu", "--dtype", "float16", "--defaults", "--state", str(tmp_path)]
    with monkeypatch.context() as context:
        plant(context, interrupt)
        assert status(*call) == 130
    interrupted = capsys.readouterr()
    assert f"check: interrupted: {tmp_path} has the results; repeat the command to continue" in interrupted.err
    assert interrupted.out == ""
    assert status(*call) == 0
    assert "ACCEPTED" in capsys.readouterr().out


def test_other_code_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = Item(actgrad.elu, actgrad.elu.defaults, "float16", "ones")
    finished(item, tmp_path)
    assert loaded(tmp_path, item).done == 65536
    other = Item(actgrad.elu, {**actgrad.elu.defaults, "alpha": 2.0}, "float16", "ones")
    assert loaded(tmp_path, other).done == 0
    monkeypatch.setattr(state, "code_digest", lambda *patterns: "changed")
    assert loaded(tmp_path, item).done == 0


@pytest.mark.parametrize("pattern", resumption.CODE)
def test_each_pattern_of_the_code_matches_files(pattern: str) -> None:
    """A file that moves would leave the fingerprint: states of other code would count as finished."""
    assert [*Path(actgrad.__file__).parent.glob(pattern)]


def test_a_state_is_what_was_kept() -> None:
    found = SweepErrors(5, 4, 1.5, 2, [1, 2], {"ulps": [float("inf"), 7], "beyond": [0.25, 8], "absolute": [1e-9, 9]})
    assert SweepErrors(**json.loads(json.dumps(vars(found)))) == found
    with pytest.raises(TypeError):
        SweepErrors(**vars(found), ulps=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "\x00"])
def test_a_damaged_state_is_named(content: str, tmp_path: Path, capsys: Capture) -> None:
    call = ["check", "--exhaustive", "selu", "--dtype", "float16", "--state", str(tmp_path)]
    assert status(*call) == 0
    path = tmp_path / "sweeps.sqlite"
    path.write_text(content)
    capsys.readouterr()
    assert status(*call) == 2
    captured = capsys.readouterr()
    assert f"{path}: is damaged" in captured.err
    assert captured.out == ""
    path.unlink()
    assert status(*call) == 0
