"""The benchmark: its peers, every measurement, and the command.

No test looks at how long anything took.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench_cells import ALL_CASES, TINY, case_of, measure

import actgrad
from actgrad import testing
from actgrad.__main__ import main
from actgrad.bench import command, latency, machine, memory, peer, plots, resident, start, throughput
from actgrad.bench.cases import Case, cases
from actgrad.bench.devices import Cpu
from actgrad.bench.results import OURS, Notes
from actgrad.checks import allowed_dtypes


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def refuse(package: str) -> None:
        """Importing the package fails from now on."""
        for module in [m for m in sys.modules if m.partition(".")[0] == package]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, package, None)

    return refuse


# Peers


KNOWN_TO_PYTORCH = [case for case in ALL_CASES if case.operator.name in testing.ATEN]


@pytest.mark.parametrize("case", KNOWN_TO_PYTORCH, ids=[case.title for case in KNOWN_TO_PYTORCH])
def test_peers_compute_the_same(case: Case) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("scipy")
    gated = case.operator.name.startswith("geglu")
    expected = {("numpy", "new"), *({("eager", "out")} if gated else {("aten", "out"), ("aten", "new")})}
    for dtype, layout in (("float32", "contiguous"), ("bfloat16", "one-transposed"), ("float64", "chunk")):
        cell, notes = measure(case, ("aten", "eager", "onednn", "numpy"), dtype=dtype, layout=layout, size=96)
        has_onednn = dtype == "float32" and case.title in ("gelu none", "gelu_backward none")
        assert set(cell.ratios) == expected | ({("onednn", "new")} if has_onednn else set()), notes


def test_jax_computes_the_same() -> None:
    pytest.importorskip("jax")
    for title in ("elu_backward", "gelu none", "geglu tanh", "geglu_backward none"):
        for dtype in ("float32", "float64", "bfloat16"):
            with_all_cores = measure(case_of(title), ("jax",), dtype=dtype, threads=0)
            if actgrad.get_num_threads() == machine.cores():
                assert list(with_all_cores[0].ratios) == [("jax", "new")], with_all_cores[1]
    actgrad.set_num_threads(machine.cores() + 1)
    try:
        cell, notes = measure(case_of("elu"), ("jax",))
    finally:
        actgrad.set_num_threads(0)
    assert not cell.ratios
    assert "cores" in notes[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the compiler's own
@pytest.mark.parametrize("title", ["geglu none", "geglu_backward tanh", "geglu_backward none no gelu"])
def test_compiled_compositions_compute_the_same(title: str) -> None:
    pytest.importorskip("torch")
    cell, notes = measure(case_of(title), ("compile",), size=256)
    assert list(cell.ratios) == [("compile", "out")], notes


def test_missing_libraries_are_noted(refuse: Callable[[str], None]) -> None:
    peer.load.cache_clear()
    refuse("torch")
    try:
        cell, notes = measure(case_of("elu"), ("aten", "eager", "numpy"))
    finally:
        peer.load.cache_clear()
    assert list(cell.ratios) == [("numpy", "new")]
    assert notes[0].startswith("aten: PyTorch is not installed")


def test_without_scipy_numpy_has_no_error_function(refuse: Callable[[str], None]) -> None:
    refuse("scipy")
    cell, notes = measure(case_of("gelu none"), ("numpy",))
    assert not cell.ratios
    assert notes == ["numpy: NumPy has no normal_cdf, and SciPy is not installed"]
    assert measure(case_of("gelu tanh"), ("numpy",))[0].ratios


def test_an_operator_that_is_added_has_peers(softplus: Any) -> None:
    pytest.importorskip("torch")
    for operator in (softplus.softplus, softplus.softplus_backward):
        cell, notes = measure(cases(operator)[0], ("aten", "eager", "numpy"))
        assert list(cell.ratios) == [("eager", "new"), ("numpy", "new")], notes


# The other measurements


@pytest.mark.parametrize("title", ["elu", "selu_backward", "geglu_backward tanh"])
def test_latency_compares_each_way_with_peers_of_its_form(title: str) -> None:
    pytest.importorskip("torch")
    case = case_of(title)
    loaded = throughput.load(["aten", "eager", "numpy"], Notes())
    row = latency.measure(case, "float32", loaded, Cpu(), 1e-6, Notes())
    pairs = {(ours[1], peer) for ours, peer in row.ratios}
    direct = ("eager" if case.is_gated else "aten", "out")
    assert {("plan.run()", direct), ("out", direct), ("NumPy new", ("numpy", "new"))} <= pairs
    assert (("new", ("functional", "new")) in pairs) == (title == "elu")
    assert not any((way.startswith("NumPy")) != (peer[0] == "numpy") for way, peer in pairs)


def test_latency_without_pytorch() -> None:
    row = latency.measure(case_of("elu"), "float32", throughput.load(["numpy"], Notes()), Cpu(), 1e-6, Notes())
    assert {ours[1] for ours, _ in row.ratios} == {"NumPy plan.run()", "NumPy out", "NumPy new"}


def test_start_uses_the_object_cache_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(tmp_path / "elsewhere"))
    row = start.measure(case_of("geglu_backward none"), "bfloat16", 1)
    assert row.uncached.runs == row.cached.runs == 1
    assert row.ratio > 0
    assert not (tmp_path / "elsewhere").exists()
    assert start.imports(1).actgrad.median > 0


def test_a_failing_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_IMPORT", "raise SystemExit('out of order')")
    with pytest.raises(actgrad.ActgradError, match="out of order"):
        start.imports(1)


@pytest.mark.skipif(not resident.is_available(), reason="the system does not let a process reset its peak")
def test_memory_sees_what_a_call_allocates() -> None:
    size = 64 << 20
    assert resident.peak(lambda: np.ones(size, np.uint8)) == pytest.approx(size, rel=0.05)
    assert resident.peak(lambda: None) < size / 20


@pytest.mark.skipif(not resident.is_available(), reason="the system does not let a process reset its peak")
def test_memory_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SIZE", 80 << 20)
    row = memory.measure(case_of("elu_backward"), "float32", throughput.load(["numpy"], Notes()), Cpu(), Notes())
    assert row.output == 80 << 20
    assert row.peak[OURS, "out"] < 0.05 * row.output
    assert row.peak[OURS, "new"] == pytest.approx(row.output, rel=0.05)
    assert row.peak["numpy", "new"] > 1.9 * row.output


# The command


def test_json_in_a_file_and_tables_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    file = tmp_path / "bench.json"
    arguments = [
        "elu",
        "geglu_backward",
        *TINY,
        "--peer",
        "numpy",
        "--measure",
        "throughput,latency",
        "--cache",
        "warm",
        "--json",
    ]
    assert main(["bench", *arguments, str(file)]) == 0
    captured = capsys.readouterr()
    assert "throughput" in captured.err
    for word in ("Throughput", "Geometric means", "numpy", "geglu_backward tanh no gelu", "Calls on 16 elements"):
        assert word in captured.out
    assert "…" not in captured.out
    document = json.loads(file.read_text())
    assert set(document["machine"]) >= {"processor", "threads", "target", "caches", "versions", "date"}
    assert document["settings"]["operators"] == ["elu", "geglu_backward"]
    assert {c["case"] for c in document["cells"]} >= {"elu", "geglu_backward none"}
    first = document["cells"][0]
    assert first["bytes"] == first["read"] + first["written"] == 512
    assert set(first["times"]) == {"actgrad out", "actgrad new", "numpy new", "ceiling"}
    assert set(first["ratios"]) == {"numpy new"}
    assert document["means"][0]["peer"] == "numpy new"
    assert document["latencies"][0]["ratios"]["actgrad NumPy new / numpy new"] > 0
    assert {c["cache"] for c in document["cells"]} == {"warm"}


def test_json_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    options = ["--peer", "none", "--measure", "throughput", "--cache", "warm", "--threads", "1,2", "--json", "-"]
    threads = actgrad.get_num_threads()
    assert main(["bench", "leaky_relu_backward", *TINY, *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [c["threads"] for c in document["cells"]] == [1, 2]
    assert actgrad.get_num_threads() == threads


def test_deviation_is_that_of_the_numbers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    pool, taken = Case.pool, []
    monkeypatch.setattr(Case, "pool", lambda *given: taken.append(given[2:]) or pool(*given))
    options = ["--peer", "none", "--measure", "throughput", "--cache", "warm", "--deviation", "3", "--json", "-"]
    assert main(["bench", "leaky_relu", *TINY, *options]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["deviation"] == 3
    assert taken == [(3.0,)]


@pytest.mark.parametrize(
    ("suffix", "options"),
    [(".png", ["--size", "64,128"]), (".svg", ["--size", "64", "--threads", "1,2", "--layout", "contiguous,rank-3"])],
)
def test_plot(suffix: str, options: list[str], tmp_path: Path) -> None:
    pytest.importorskip("rich")
    pytest.importorskip("matplotlib")
    file = tmp_path / f"bench{suffix}"
    options = [*TINY, *options, "--measure", "throughput", "--cache", "warm", "--peer", "numpy"]
    assert main(["bench", "elu", *options, "--plot", str(file)]) == 0
    assert file.read_bytes().startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")


@pytest.mark.parametrize(
    ("options", "panels"),
    [
        (["--size", "64", "--peer", "numpy"], ["ratio"]),
        (["--size", "64", "--peer", "none"], ["ratio"]),  # empty, but there is nothing else
        (["--size", "64,128", "--peer", "none"], ["rate"]),
        (["--size", "64,128", "--peer", "none", "--threads", "1,2"], ["rate", "growth"]),
        (["--size", "64,128", "--peer", "numpy", "--threads", "1,2"], ["rate", "ratio", "growth"]),
    ],
)
def test_plot_has_no_empty_panel(
    options: list[str], panels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    pytest.importorskip("matplotlib")
    drawn = []
    for name in ("rate", "ratio", "growth"):
        panel = getattr(plots, f"_{name}_panel")
        monkeypatch.setattr(
            plots, f"_{name}_panel", lambda *given, name=name, panel=panel: (drawn.append(name), panel(*given))
        )
    options = [*TINY, *options, "--measure", "throughput", "--cache", "warm", "--plot", str(tmp_path / "bench.svg")]
    assert main(["bench", "elu", *options]) == 0
    assert drawn == panels


def test_options_that_are_given_overrule_quick() -> None:
    top = argparse.ArgumentParser()
    command.add_parser(top.add_subparsers())
    given = top.parse_args(["bench", "--quick", "--size", "1e5", "--dtype", "float16,float64"])
    options = command._options(top, given)
    assert (options.sizes, options.dtypes) == ([100_000], ["float16", "float64"])
    assert options.caches == ["warm"]
    assert options.seconds < 0.1
    assert "compile" not in options.peers
    assert all(dtype in allowed_dtypes(case.operator, None) for case, dtype in options.cases())


WRONG = [
    (["elo"], "OPERATOR: 'elo' is unknown; known: elu"),
    (["--dtype", "float8"], "--dtype: 'float8' is unknown"),
    (["elu", "--dtype", "int8"], "none of elu takes int8"),
    (["--layout", "spiral"], "--layout: 'spiral' is unknown; known: contiguous"),
    (["--peer", "abacus"], "--peer: 'abacus' is unknown; known: aten"),
    (["--measure", "beauty"], "--measure: 'beauty' is unknown"),
    (["--cache", "tepid"], "--cache: 'tepid' is unknown"),
    (["--size", "1.5"], "1.5 is no whole number"),
    (["--size", "many"], "'many' is no number"),
    (["--size", "0"], "0 is no whole number from 1"),
    (["--threads", "0"], "0 is no whole number from 1"),
    (["--seconds", "-1"], "must be positive"),
    (["--deviation", "wide"], "'wide' is no number"),
    (["--deviation", "5001"], "must be at most 5000, or float16 would overflow"),
    (["--base", "HEAD", "--peer", "aten"], "not together with --peer"),
    (["--plot", "x.png", "--measure", "latency"], "--plot draws throughput"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong_options_end_with_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["bench", *arguments])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--json", "/no/such/folder/x.json"], "no such folder"),
        (["--plot", "plot.pdf"], "the suffix must be .png or .svg"),
    ],
)
def test_files_are_looked_at_before_measuring(
    option: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich")
    assert main(["bench", *option]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "extra", "options"), [("rich", "demo", []), ("matplotlib", "plot", ["--plot", "x.png"])]
)
def test_a_missing_extra_is_named(
    package: str, extra: str, options: list[str], refuse: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    if package != "rich":
        pytest.importorskip("rich")
    refuse(package)
    assert main(["bench", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith(f"pip install 'actgrad[{extra}]'\n")
    assert captured.err.count("\n") == 1


def test_importing_the_command_loads_nothing_heavy() -> None:
    heavy = {"torch", "jax", "llvmlite", "matplotlib", "rich", "scipy"}
    code = f"import sys, actgrad.bench; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_machine_is_named() -> None:
    described = machine.describe()
    assert described["cores"] >= 1
    assert "-bit vectors" in described["target"]
    assert described["versions"]["numpy"] == np.__version__
    assert machine.last_cache_bytes() >= 1 << 16
