"""The benchmark on a GPU, shown on a machine without one: peers that are only there, the command, and finding a GPU.

No test looks at how long anything took.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")
pytest.importorskip("rich")

import torch
from benchmarks import plots, report
from benchmarks.__main__ import main
from benchmarks.devices import cuda
from benchmarks.measurements import contenders, peak_memory
from benchmarks.peers import composition, liger, peer

import actgrad
from tests.support import cuda_stand_in
from tests.support.bench_cells import TINY, case_of, empty, measure
from tests.support.cuda_stand_in import StandIn


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> cuda.Cuda:
    """What --device cuda finds."""
    found = cuda_stand_in.device()
    monkeypatch.setattr(cuda, "find", lambda name: found)
    return found


# Peers that are only there


LONGEST_ROW = 300  # of the real one 65,536


def liger_stand_in() -> Any:
    """With the signatures of liger_kernel.ops.geglu 0.8, and as careless with what it is given."""

    def gelu(x: Any) -> Any:
        return torch.nn.functional.gelu(x, approximate="tanh")

    def geglu_forward(a: Any, b: Any) -> Any:
        assert a.shape[-1] <= LONGEST_ROW
        a, b = (t.view(-1, a.shape[-1]) for t in (a, b))
        return a, b, (gelu(a) * b).view(a.shape)

    def geglu_backward(a: Any, b: Any, dc: Any) -> Any:
        assert dc.shape[-1] <= LONGEST_ROW
        assert a.is_contiguous()
        assert b.is_contiguous()
        of_b = dc * gelu(a)
        a.copy_(torch.ops.aten.gelu_backward(dc * b, a, approximate="tanh"))
        b.copy_(of_b)
        return a.view(dc.shape), b.view(dc.shape)

    return SimpleNamespace(geglu_forward=geglu_forward, geglu_backward=geglu_backward)


LIGER = ("geglu_packed tanh", "geglu_two tanh", "geglu_backward tanh no gelu", "geglu_two_backward tanh")
NOT_LIGER = ("geglu tanh", "geglu_backward tanh", "geglu_two none", "elu")


@pytest.mark.parametrize("title", [*LIGER, *NOT_LIGER])
def test_liger(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "liger_kernel.ops.geglu", liger_stand_in())
    monkeypatch.setattr(liger, "LONGEST_ROW", LONGEST_ROW)
    peer.load.cache_clear()
    cell, notes = measure(case_of(title), ("liger",), cuda_stand_in.device(), size=600, cache="cold")
    peer.load.cache_clear()
    form = "out" if "backward" in title else "new"
    assert list(cell.ratios) == ([f"liger {form}"] if title in LIGER else []), notes
    assert not notes


@pytest.mark.filterwarnings("ignore:.*[Oo]verrid")
@pytest.mark.parametrize("title", ["elu_backward is_result", "leaky_relu", "geglu none"])
def test_flag_gems_replaces_for_its_own_runs_only(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    replaced: list[str] = []

    class UseGems:
        def __init__(self, include: list[str]):
            self.include, self.library = include, torch.library.Library("aten", "IMPL")

        def __enter__(self) -> None:
            for name in {"elu_backward"} & set(self.include):
                replaced.append(name)
                self.library.impl(name, elu_backward, "CPU")

        def __exit__(self, *_: object) -> None:
            replaced.clear()
            self.library._destroy()

    def elu_backward(g: Any, alpha: Any, scale: Any, input_scale: Any, is_result: Any, y: Any) -> Any:
        called.append("elu_backward")
        assert is_result
        return torch.where(y > 0, g * scale, g * (y + scale * alpha) * input_scale)

    gems = SimpleNamespace(use_gems=UseGems, all_registered_keys=lambda: replaced)
    monkeypatch.setitem(sys.modules, "flag_gems", gems)
    peer.load.cache_clear()
    cell, notes = measure(case_of(title), ("flaggems", "aten"), cuda_stand_in.device())
    peer.load.cache_clear()
    assert not notes
    is_there = title.startswith("elu")
    assert ("flaggems new" in cell.ratios) == is_there == bool(called)
    if is_there:
        t = cell.times["flaggems new"]
        assert len(called) == 1 + 2 + 3 + t.runs * (t.calls + 1), "aten's own runs were not its"


def test_aten_through_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the part of the compiler that needs no C++ compiler."""

    def compiled(library: Any, function: Callable[..., Any]) -> Any:
        return library.compile(function, dynamic=False, fullgraph=True, backend="aot_eager")

    monkeypatch.setattr(composition, "through_compiler", compiled)
    for title in ("elu_backward", "gelu tanh"):
        cell, notes = measure(case_of(title), ("inductor",), cuda_stand_in.device())
        assert list(cell.ratios) == ["inductor out"], notes
    assert not measure(case_of("geglu none"), ("inductor",), cuda_stand_in.device())[0].ratios


def test_a_peer_whose_import_fails_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(module: str) -> Any:
        raise RuntimeError("no device\nfound")

    monkeypatch.setattr("importlib.import_module", fail)
    run = empty()
    peer.load.cache_clear()
    assert contenders.load(["flaggems"], run) == {}
    peer.load.cache_clear()
    assert run.notes == ["flaggems: FlagGems cannot be imported: RuntimeError: no device"]


# The command


@pytest.mark.slow
def test_all_measurements(gpu: cuda.Cuda, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(peak_memory, "SIZE", 1 << 12)
    document, plot = tmp_path / "gpu.json", tmp_path / "gpu.svg"
    arguments = ["elu", "geglu_two_backward", *TINY, "--device", "cuda", "--peer", "aten,eager", "--size", "64,600"]
    assert main(["run", *arguments, "--json", str(document), "--plot", str(plot)]) == 0
    printed = capsys.readouterr().out
    for word in ("NVIDIA H200, capability 9.0", "Throughput (layout contiguous)", "Calls on 16", "Peak memory"):
        assert word in printed
    assert "…" not in printed
    found = json.loads(document.read_text())
    assert found["settings"]["device"] == "cuda"
    assert {"processor", "driver", "runtime", "capability", "caches", "versions"} <= set(found["machine"])
    assert "triton" in found["machine"]["versions"]
    assert {(c["size"], c["cache"], c["ceiling"]) for c in found["cells"]} == {
        (size, cache, "device copy") for size in (64, 600) for cache in ("warm", "cold")
    }
    assert set(found["latencies"][0]["times"]) >= {"actgrad plan.run()", "aten out"}
    assert found["memories"][0]["peak"] == dict.fromkeys(found["memories"][0]["peak"], 500)
    assert found["starts"] == []
    assert found["notes"] == ["start: the first call of a process is not measured on a GPU"]
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    assert report.machine_line(found["machine"]).startswith(
        "NVIDIA H200, capability 9.0, 132 multiprocessors, L2 4 KiB"
    )


def test_a_plot_of_many_cases(gpu: cuda.Cuda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[int] = []
    panel = plots._share_panel
    monkeypatch.setattr(plots, "MOST_PANELS", 1)
    monkeypatch.setattr(plots, "_share_panel", lambda axes, cells: (drawn.append(len(cells)), panel(axes, cells)))
    file = tmp_path / "gpu.png"
    arguments = ["elu", *TINY, "--device", "cuda", "--peer", "aten", "--size", "64,128", "--measure", "throughput"]
    assert main(["run", *arguments, "--dtype", "float32,float64", "--plot", str(file)]) == 0
    assert drawn == [8]
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--device", "gpu"], "'gpu' is unknown; known: cpu, cuda, cuda:1"),
        (["--device", "cuda:"], "'cuda:' is unknown"),
        (["--device", "cuda", "--threads", "2"], "--threads is for the CPU: not together with --device cuda"),
        (["--device", "cuda", "--peer", "numpy"], "'numpy' is unknown; known: aten, eager, compile, inductor, liger"),
        (["--peer", "liger"], "'liger' is unknown; known: aten"),
    ],
)
def test_what_does_not_go_together(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


# Finding a GPU


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("is_available", True), ("device_count", 2), ("current_device", 1)):
        monkeypatch.setattr(torch.cuda, name, lambda value=value: value)
    monkeypatch.setattr(cuda, "Cuda", lambda library, number: (library, number))


@pytest.mark.parametrize(("name", "number"), [("cuda", 1), ("cuda:0", 0), ("cuda:1", 1)])
def test_a_gpu_is_found_by_its_number(name: str, number: int, two_gpus: None) -> None:
    assert cuda.find(name) == (torch, number)


def test_a_number_that_is_too_high(two_gpus: None) -> None:
    with pytest.raises(actgrad.ActgradError, match="PyTorch sees cuda:0, cuda:1 only; leave --device out"):
        cuda.find("cuda:2")


def test_without_a_gpu_the_way_out_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    assert main(["run", "--device", "cuda"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "sees no GPU; install its build for CUDA" in captured.err
    assert captured.err.count("\n") == 1


def test_without_pytorch_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(actgrad.ActgradError, match=r"--device cuda needs PyTorch and Triton .*make .venv/dev"):
        cuda.find("cuda")


def test_the_driver_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "version"
    monkeypatch.setattr(cuda, "_DRIVER", file)
    file.write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\nGCC version: 12"
    )
    assert cuda.driver() == "570.86.15"
    file.write_text("nothing")
    program = tmp_path / "nvidia-smi"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert cuda.driver() is None
    program.write_text("#!/bin/sh\necho 535.104.05\necho 535.104.05\n")
    program.chmod(0o755)
    assert cuda.driver() == "535.104.05"
    program.write_text("#!/bin/sh\nexit 9\n")
    assert cuda.driver() is None


def test_rocm_and_an_unknown_cache_are_named() -> None:
    device = cuda_stand_in.device()
    device.torch.version = SimpleNamespace(cuda=None, hip="6.2")
    assert device.describe()["runtime"] == "ROCm 6.2"
    bare = SimpleNamespace(name="a", major=1, minor=2)
    device.torch = SimpleNamespace(cuda=SimpleNamespace(get_device_properties=lambda number: bare))
    assert device.cache_bytes == 64 << 20


def test_the_stand_in_has_what_pytorch_has_and_no_more() -> None:
    with pytest.raises(AttributeError):
        StandIn().utilisation()
    with pytest.raises(TypeError):
        StandIn().memory_allocated(0, 1)
    assert "L2_cache_size: " in cuda_stand_in.PROPERTIES
