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
from benchmarks import machine, plots, run_command, subject
from benchmarks.__main__ import main
from benchmarks.cases import Case, cases
from benchmarks.devices import cpu
from benchmarks.devices.cpu import Cpu
from benchmarks.measurements import contenders, latency, peak_memory, start
from benchmarks.peers import peer

import actgrad
from actgrad import aten
from tests.support.bench_cells import ALL_CASES, TINY, case_of, empty, measure
from tests.support.calls import OPERATORS

pytestmark = pytest.mark.share(2)


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def refuse(package: str) -> None:
        """Importing the package fails from now on."""
        for module in [m for m in sys.modules if m.partition(".")[0] == package]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, package, None)

    return refuse


# Peers


KNOWN_TO_PYTORCH = [case for case in ALL_CASES if case.operator in OPERATORS and case.operator.name in aten.ATEN]


@pytest.mark.parametrize("case", KNOWN_TO_PYTORCH, ids=[case.title for case in KNOWN_TO_PYTORCH])
@pytest.mark.share(10)
def test_peers_compute_the_same(case: Case) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("scipy")
    gated = case.operator.name.startswith("geglu")
    expected = {"numpy new", *(["eager out"] if gated else ["aten out", "aten new"])}
    for dtype, layout in (("float32", "contiguous"), ("bfloat16", "one-transposed"), ("float64", "chunk")):
        cell, notes = measure(case, ("aten", "eager", "numpy"), dtype=dtype, layout=layout, size=96)
        assert set(cell.ratios) == expected, notes


def test_jax_computes_the_same() -> None:
    pytest.importorskip("jax")
    for title in ("elu_backward", "gelu none", "geglu tanh", "geglu_backward none"):
        for dtype in ("float32", "float64", "bfloat16"):
            with_all_cores = measure(case_of(title), ("jax",), dtype=dtype, threads=0)
            if actgrad.get_num_threads() == subject.cores():
                assert list(with_all_cores[0].ratios) == ["jax new"], with_all_cores[1]
    actgrad.set_num_threads(subject.cores() + 1)
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
    assert list(cell.ratios) == ["compile out"], notes


def test_missing_libraries_are_noted(refuse: Callable[[str], None]) -> None:
    peer.load.cache_clear()
    refuse("torch")
    try:
        cell, notes = measure(case_of("elu"), ("aten", "eager", "numpy"))
    finally:
        peer.load.cache_clear()
    assert list(cell.ratios) == ["numpy new"]
    assert notes[0].startswith("aten: PyTorch is not installed")


def test_without_scipy_numpy_has_no_error_function(refuse: Callable[[str], None]) -> None:
    refuse("scipy")
    cell, notes = measure(case_of("gelu none"), ("numpy",))
    assert not cell.ratios
    assert notes == ["numpy: NumPy has no normal_cdf, and SciPy is not installed"]
    assert measure(case_of("gelu tanh"), ("numpy",))[0].ratios


def test_an_operator_that_is_added_has_peers(smooth_relu: Any) -> None:
    pytest.importorskip("torch")
    for operator in (smooth_relu.smooth_relu, smooth_relu.smooth_relu_backward):
        cell, notes = measure(cases(operator)[0], ("aten", "eager", "numpy"))
        assert list(cell.ratios) == ["eager new", "numpy new"], notes


# The other measurements


@pytest.mark.parametrize("title", ["elu", "selu_backward", "geglu_backward tanh"])
def test_latency_compares_each_way_with_peers_of_its_form(title: str) -> None:
    pytest.importorskip("torch")
    case = case_of(title)
    loaded = contenders.load(["aten", "eager", "numpy"], empty())
    row = latency.measure(case, "float32", loaded, Cpu(), 1e-6, empty())
    pairs = [pair.split(" / ") for pair in row.ratios]
    direct = "eager out" if case.is_gated else "aten out"
    ways = ("plan.run()", "out", "aclnn both phases", "aclnn phase two")
    assert {"actgrad NumPy new / numpy new", *(f"actgrad {way} / {direct}" for way in ways)} <= {*row.ratios}
    assert ("actgrad new / functional new" in row.ratios) == (title == "elu")
    assert not any(ours.startswith("actgrad NumPy") != theirs.startswith("numpy") for ours, theirs in pairs)


def test_latency_without_pytorch() -> None:
    row = latency.measure(case_of("elu"), "float32", contenders.load(["numpy"], empty()), Cpu(), 1e-6, empty())
    assert {pair.split(" / ")[0] for pair in row.ratios} == {
        "actgrad NumPy plan.run()", "actgrad NumPy out", "actgrad NumPy new",
    }  # fmt: skip


def test_start_uses_the_object_cache_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(tmp_path / "elsewhere"))
    row = start.measure(case_of("geglu_backward none"), "bfloat16", 1)
    assert row.uncached.runs == row.cached.runs == 1
    assert row.cached.median > 0
    assert not (tmp_path / "elsewhere").exists()
    assert start.imports(1).actgrad.median > 0


def test_a_failing_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_IMPORT", "raise SystemExit('out of order')")
    with pytest.raises(actgrad.ActgradError, match="out of order"):
        start.imports(1)


@pytest.mark.skipif(not cpu.can_reset_peak(), reason="the system does not let a process reset its peak")
def test_memory_sees_what_a_call_allocates() -> None:
    size = 64 << 20
    assert Cpu().peak(lambda: np.ones(size, np.uint8)) == pytest.approx(size, rel=0.05)
    assert Cpu().peak(lambda: None) < size / 20


@pytest.mark.skipif(not cpu.can_reset_peak(), reason="the system does not let a process reset its peak")
def test_memory_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak_memory, "SIZE", 80 << 20)
    row = peak_memory.measure(case_of("elu_backward"), "float32", contenders.load(["numpy"], empty()), Cpu(), empty())
    assert row.output == 80 << 20
    assert row.peak["actgrad out"] < 0.05 * row.output
    assert row.peak["actgrad new"] == pytest.approx(row.output, rel=0.05)
    assert row.peak["numpy new"] > 1.9 * row.output


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
    assert main(["run", *arguments, str(file)]) == 0
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
    assert main(["run", "leaky_relu_backward", *TINY, *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [c["threads"] for c in document["cells"]] == [1, 2]
    assert actgrad.get_num_threads() == threads


def test_deviation_is_that_of_the_numbers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    pool, taken = Case.pool, []
    monkeypatch.setattr(Case, "pool", lambda *given: taken.append(given[2:]) or pool(*given))
    options = ["--peer", "none", "--measure", "throughput", "--cache", "warm", "--deviation", "3", "--json", "-"]
    assert main(["run", "leaky_relu", *TINY, *options]) == 0
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
    assert main(["run", "elu", *options, "--plot", str(file)]) == 0
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
@pytest.mark.share(6)
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
    assert main(["run", "elu", *options]) == 0
    assert drawn == panels


def test_options_that_are_given_overrule_quick() -> None:
    top = argparse.ArgumentParser()
    run_command.add_parser(top.add_subparsers())
    given = top.parse_args(["run", "--quick", "--size", "1e5", "--dtype", "float16,float64"])
    options = run_command._options(top, given)
    assert (options.sizes, options.dtypes) == ([100_000], ["float16", "float64"])
    assert options.caches == ["warm"]
    assert options.seconds < 0.1
    assert "compile" not in options.peers
    assert all(subject.takes(case.operator, dtype) for case, dtype in options.cases())


WRONG = [
    (["elo"], "OPERATOR: 'elo' is unknown; known: "),
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
    (["--json", "/no/such/folder/x.json"], "--json: /no/such/folder/x.json: no such folder"),
    (["--json", "."], "--json: .: is a folder; name a file"),
    (["--plot", "/no/such/folder/x.png"], "--plot: /no/such/folder/x.png: no such folder"),
    (["--plot", "x.png", "--json", "./x.png"], "--plot x.png: is the file of --json too"),
    (["--size", "9" * 5000], "is no whole number from 1"),
    (["--plot", "x.png", "--measure", "latency"], "--plot draws throughput"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong_options_end_with_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", *arguments])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


def test_a_plot_is_looked_at_before_measuring(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--plot", "plot.pdf"]) == 2
    assert "the suffix must be .png or .svg" in capsys.readouterr().err


@pytest.mark.parametrize(("package", "options"), [("rich", ["elu", *TINY]), ("matplotlib", ["--plot", "x.png"])])
def test_a_missing_library_is_named(
    package: str, options: list[str], refuse: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    refuse(package)
    assert main(["run", "--peer", "none", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    last = captured.err.splitlines()[-1]
    assert package in last
    assert last.endswith("make .venv/dev installs all that the benchmarks need")


def test_every_command_has_its_help_and_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("run", "compare", "plot", "page", "training", "sdk"):
        with pytest.raises(SystemExit) as end:
            main([name, "--help"])
        assert end.value.code == 0
        assert f"  python -m benchmarks {name} " in capsys.readouterr().out.partition("example")[2]


def test_help_loads_nothing_heavy() -> None:
    heavy = {"torch", "jax", "llvmlite", "matplotlib", "rich", "scipy"}
    code = f"import sys, benchmarks.__main__ as m; m.parser(); print({heavy} & set(sys.modules))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "set()"


def test_the_machine_is_named() -> None:
    described = machine.describe()
    assert described["cores"] >= 1
    assert "-bit vectors" in described["target"]
    assert described["versions"]["numpy"] == np.__version__
    assert machine.last_cache_bytes() >= 1 << 16
