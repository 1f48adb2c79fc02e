"""`actgrad check --executor dask:ADDRESS`: the cases and the sweeps on the workers of a Dask cluster."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.base.errors import ActgradError
from actgrad.calls.operator import REGISTRY
from actgrad.judge import cluster, state
from actgrad.judge.files import operator_files
from tests.support.calls import status
from tests.support.deliveries import edited

CASES = 6
distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.filterwarnings("default"),  # the warnings of distributed and its libraries
    pytest.mark.needs("ascend"),
]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The scheduler of a cluster with two processes."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "scheduler_port": 0}
    with distributed.LocalCluster(**options) as running:
        yield f"dask:{running.scheduler_address}"


@pytest.fixture
def folder(right_outputs: Path, tmp_path: Path) -> Path:
    """A small delivery with a wrong, a stale and a missing output."""
    folder = Path(shutil.copytree(right_outputs, tmp_path / "d"))
    edited(folder, lambda d: d.update(cases=d["cases"][:CASES]))
    names = [case["id"] for case in json.loads((folder / "manifest.json").read_text())["cases"]]
    wrong, stale, missing = (folder / name / "out.npy" for name in names[1:4])
    np.save(wrong, np.load(wrong)[::-1])
    np.save(stale, np.resize(np.load(folder / names[0] / "out.npy"), np.load(stale).shape))
    missing.unlink()
    return folder


def results(path: Path) -> dict[str, Any]:
    with state.opened(path) as kept:
        return {name: kept.get(name) for name in kept.names("")}


def without_times(report: Any) -> Any:
    for key in ("date", "command"):
        report.pop(key)
    for case in report["cases"]:
        case.pop("seconds")
    return report


def test_the_report_is_the_same_as_without_a_cluster(address: str, folder: Path, tmp_path: Path) -> None:
    texts = {}
    for name, options in (("here", ["--jobs", "1"]), ("cluster", ["--executor", address])):
        files = {kind: tmp_path / f"{name}.{kind}" for kind in ("json", "html", "xml")}
        kinds = ["--json", str(files["json"]), "--html", str(files["html"]), "--junit", str(files["xml"])]
        assert status("check", "--manifest", str(folder), *options, *kinds, "--state", str(tmp_path / name)) == 1
        page = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "", files["html"].read_text())
        page = re.sub(r"<[a-z]+>actgrad check .*", "", page)
        junit = re.sub(r' time="[0-9.]+"', "", files["xml"].read_text())
        texts[name] = [json.dumps(without_times(json.loads(files["json"].read_text()))), page, junit]
    assert texts["here"] == texts["cluster"]
    # A run without the cluster judges nothing again: the results still have the times of the cluster.
    first = results(tmp_path / "cluster")
    assert len(first) == CASES
    assert status("check", "--manifest", str(folder), "--jobs", "1", "--state", str(tmp_path / "cluster")) == 1
    assert results(tmp_path / "cluster") == first


@pytest.fixture
def _forgetting() -> Iterator[None]:
    """Forget the operators that a file defines."""
    before = {*REGISTRY}
    yield
    for name in {*REGISTRY} - before:
        REGISTRY.pop(name)
    operator_files._loaded.clear()


@pytest.mark.usefixtures("_forgetting")
def test_a_sweep_of_operators_of_a_file(address: str, tmp_path: Path, capsys: Capture) -> None:
    own = tmp_path / "own.py"
    text = (Path(__file__).parents[1] / "support" / "smooth_relu_operator.py").read_text()
    own.write_text(text.replace('"smooth_relu', '"clustered_relu'))
    call = ["check", "--exhaustive", "--operators", str(own), "clustered_relu", "--dtype", "float16", "--defaults"]
    assert status(*call, "--state", str(tmp_path / "here")) == 0
    here = capsys.readouterr().out
    assert status(*call, "--state", str(tmp_path / "cluster"), "--executor", address) == 0
    assert capsys.readouterr().out == here
    assert "ACCEPTED" in here


@pytest.mark.parametrize("product", ["Ascend910B", "Ascend950"])
def test_the_chosen_product_holds_on_the_workers(product: str, address: str) -> None:
    """On Ascend950, the derivative of SELU at a result of 0 follows the negative branch."""
    with cluster.connected(address.removeprefix("dask:")) as execute, actgrad.product(product):
        (there,) = execute(slope_at_zero, [None])
        assert there == slope_at_zero(None)
    assert (there > 1.5) == (product == "Ascend950")


def slope_at_zero(_: None) -> float:
    one = np.ones(1, np.float32)
    return float(actgrad.selu_backward(one, 0 * one)[0])


def test_a_worker_with_other_code_is_refused(address: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    facts = cluster.facts()
    monkeypatch.setattr(cluster, "facts", lambda: facts | {"the code of actgrad": "other"})
    with cluster.connected(address.removeprefix("dask:")) as execute:
        expected = "on a worker of the Dask cluster, the code of actgrad is .*; it must be other"
        with pytest.raises(ActgradError, match=expected):
            list(execute(str, [1, 2]))


def test_an_error_of_a_worker_is_one_message(address: str) -> None:
    with (
        cluster.connected(address.removeprefix("dask:")) as execute,
        pytest.raises(ActgradError, match=r"a worker of the Dask cluster failed \(ZeroDivisionError"),
    ):
        list(execute(reciprocal, [0]))


def reciprocal(number: int) -> float:
    return 1 / number


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: Capture) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT_SECONDS", 0.2)
    assert status("check", "--manifest", str(folder), "--executor", "dask:tcp://127.0.0.1:9") == 2
    said = capsys.readouterr().err
    assert "--executor dask:tcp://127.0.0.1:9: no scheduler at this address" in said
    assert said.count("\n") == 1


def test_a_cluster_without_workers(folder: Path, capsys: Capture) -> None:
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, scheduler_port=0, processes=False) as empty:
        assert status("check", "--manifest", str(folder), "--executor", f"dask:{empty.scheduler_address}") == 2
    assert "the cluster has no workers; it must have at least one" in capsys.readouterr().err
