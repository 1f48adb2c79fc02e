"""Files of results: read again, held against each other. Another checkout of actgrad, measured by PYTHONPATH."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks import compare, page, results
from benchmarks.__main__ import main
from benchmarks.timing import times

import actgrad
from tests.support.bench_cells import TINY

ROOT = Path(__file__).parents[2]
KEPT = sorted((ROOT / "docs" / "benchmarks").glob("*.json"))
pytest.importorskip("rich")


def run(*seconds: float, latency: float = 1.0) -> results.Run:
    """One cell for each time, of growing size."""
    cells = [
        results.Cell("elu", "elu", {}, "float32", "contiguous", 10**k, (10**k,), 2, "warm", 1, 4, 4, "leaky_relu",
                     {"actgrad out": times([s]), "aten out": times([1.0]), "ceiling": times([0.5])})
        for k, s in enumerate(seconds)
    ]  # fmt: skip
    row = results.Latency("elu", "elu", {}, "float32", 16, {"actgrad new": times([latency])}, {})
    machine = {"processor": "a", "cores": 2, "caches": {}, "target": "b", "OpenMP": "c", "threads": 2, "load": 0,
               "date": "2026-01-01", "versions": {}, "revision": None}  # fmt: skip
    return results.Run(machine, {"command": "none"}, cells, [row])


def write(folder: Path, name: str, of: results.Run) -> str:
    file = folder / name
    file.write_text(json.dumps(of.document()))
    return str(file)


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_kept_results_are_read(path: Path) -> None:
    document, read = json.loads(path.read_text(encoding="utf-8")), results.read(path)
    assert [c.ratios for c in read.cells] == [pytest.approx(c["ratios"]) for c in document["cells"]]
    assert [c.of_ceiling for c in read.cells] == pytest.approx([c["of_ceiling"] for c in document["cells"]])
    assert [m.mean for m in results.means(read.cells)] == pytest.approx([m["mean"] for m in document["means"]])


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written = run(1.0, 2.0)
    read = results.read(Path(write(tmp_path, "a.json", written)))
    assert read.cells == [replace(c, shape=list(c.shape)) for c in written.cells]
    assert read.latencies == written.latencies


def test_ratios_are_second_over_first() -> None:
    (means, slowest), largest, alone = compare.comparison(run(1.0, 4.0), run(2.0, 2.0, latency=1.1), 2)
    assert alone == 0
    assert largest == pytest.approx(1.1)
    assert means.rows == [
        ["throughput, out, warm", "elu, float32, contiguous, 1, warm, 2 threads", "1.00", "2", "2.00"],
        ["call on 16, new", "elu, float32", "1.10", "1", "1.10"],
    ]
    assert [row[-1] for row in slowest.rows] == ["2.00", "1.10"]


def test_entries_of_one_file_alone_are_counted() -> None:
    assert compare.comparison(run(1.0), run(1.0, 1.0, 1.0), 9)[2] == 2


@pytest.mark.parametrize(("limit", "status"), [([], 0), (["--limit", "1.2"], 0), (["--limit", "1.05"], 3)])
def test_a_limit_decides_the_exit_status(tmp_path: Path, capsys: Any, limit: list[str], status: int) -> None:
    files = [write(tmp_path, "a.json", run(1.0)), write(tmp_path, "b.json", run(1.1))]
    assert main(["compare", *files, *limit]) == status
    printed = capsys.readouterr().out
    assert "Geometric means, second / first" in printed
    assert "1.10" in printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is no result of python -m benchmarks run"),
        ("[]", "is no result of python -m benchmarks run"),
        ('{"cells": []}', "is no result of python -m benchmarks run"),
        ('{"cells": [{}]}', "is no result of python -m benchmarks run"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, capsys: Any, text: str | None, message: str) -> None:
    good, bad = write(tmp_path, "good.json", run(1.0)), tmp_path / "bad.json"
    if text is not None:
        bad.write_text(text)
    assert main(["compare", good, str(bad)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"benchmarks: {bad}: {message}")
    assert said.err.count("\n") == 1


def test_files_without_a_common_measurement(tmp_path: Path, capsys: Any) -> None:
    files = [write(tmp_path, name, results.Run({}, {})) for name in ("a.json", "b.json")]
    assert main(["compare", *files]) == 2
    assert "no measurement in common" in capsys.readouterr().err


def test_a_plot_of_a_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "a.svg"
    assert main(["plot", write(tmp_path, "a.json", run(1.0, 2.0)), str(picture)]) == 0
    assert picture.read_bytes().startswith(b"<?xml")


def test_the_page_has_every_kept_file() -> None:
    made = page.page()
    assert all(f"\n## {path.stem}\n" in made for path in KEPT)


@pytest.mark.slow
def test_the_checkout_of_pythonpath_is_measured(tmp_path: Path) -> None:
    """A copy of the package elsewhere, in which one name tells it apart."""
    copy = tmp_path / "src"
    subprocess.run(["cp", "-r", str(Path(actgrad.__file__).parents[1]), str(copy)], check=True)
    file = copy / "actgrad" / "__init__.py"
    file.write_text(file.read_text().replace(f'"{actgrad.__version__}"', '"0.0.7"'))
    command = [sys.executable, "-m", "benchmarks", "run", "elu", *TINY, "--peer", "none", "--json", "-"]
    options = ["--measure", "throughput,latency,start", "--cache", "warm", "--quick"]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["machine"]["versions"]["actgrad"] == "0.0.7"
    assert document["cells"][0]["times"]["actgrad out"]["runs"] >= 7
    assert document["starts"]


def test_the_benchmarks_need_public_names_alone() -> None:
    """Else PYTHONPATH could not choose version 0.1, whose folders are others."""
    script = """
import sys
import actgrad, actgrad.aclnn
for name in [*sys.modules, "actgrad.conformance", "actgrad.writing"]:
    if name.startswith("actgrad.") and name not in ("actgrad.aclnn", "actgrad.xp"):
        sys.modules[name] = None
from benchmarks import __main__
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
