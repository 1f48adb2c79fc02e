"""scripts/gpu_check.py itself, on a machine without a GPU."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks import gpu_check, page, suite
from benchmarks.devices import cuda
from benchmarks.measurements import peak_memory
from benchmarks.peers import composition
from benchmarks.results import CEILING, OURS, Cell, Latency, Run
from benchmarks.timing import times
from benchmarks.verify import WrongResult

import actgrad
from tests.support.calls import script

pytest.importorskip("triton", minversion="3.9")  # the interpreter's fma rounded twice before

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gpu_check.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_part_on_correctness_runs_in_the_interpreter() -> None:
    done = run("--interpret")
    assert done.returncode == 0, done.stderr
    first, _, total, _ = done.stdout.split()
    assert first == total


def test_without_a_gpu_it_says_so() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    done = run()
    assert done.returncode == 2
    assert "no GPU" in done.stderr


# Rows of correctness, in a process of their own


@pytest.fixture
def check() -> Any:
    return gpu_check


def rows_program(check: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Another program in the place of gpu_correctness.py."""
    program = folder / "rows.py"
    program.write_text("import json, os, sys, time\n" + "\n".join(lines))
    monkeypatch.setattr(check, "CORRECTNESS", program)


ROW = "print(json.dumps({'row': %r, %r: %r}), flush=True)"


def test_rows_are_counted(check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    lines = ["assert sys.argv[1:] == ['--seconds', '30']", "print({'rows': 3}.__repr__().replace(chr(39), chr(34)))"]
    lines += [ROW % ("a", "ulp", 0.5), "print('a library says hello')", ROW % ("b", "ulp", None)]
    rows_program(check, tmp_path, monkeypatch, *lines, ROW % ("c", "wrong", "Fault: 1 fault"))
    assert check.correctness(30.0) == ({"a": 0.5, "b": None}, ["c: Fault: 1 fault"])
    captured = capsys.readouterr()
    assert captured.out == "2 of 3 right\n"
    assert "hello" in captured.err


def test_rows_that_were_not_tried_are_not_right(check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows_program(
        check, tmp_path, monkeypatch, "print('{\"rows\": 3}', flush=True)", ROW % ("a", "ulp", 0.5), "os.abort()"
    )
    assert check.correctness(30.0).wrong == ["2 of 3 rows not tried; the process ended with -6"]
    rows_program(check, tmp_path, monkeypatch, "sys.exit(1)")
    assert check.correctness(30.0).wrong == ["0 of 0 rows not tried; the process ended with 1"]


def test_rows_that_hang_are_ended(check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "GRACE", 0.5)
    rows_program(check, tmp_path, monkeypatch, "print('{\"rows\": 3}', flush=True)", "time.sleep(100)")
    assert check.correctness(0.1).wrong == ["3 of 3 rows not tried; the process ended with -9"]


@pytest.mark.needs("judge")
def test_the_row_of_repeated_runs_is_one(check: Any) -> None:
    rows = script("gpu_correctness")
    assert check.REPEATED in [part.__doc__ for part in rows.BEYOND]


class OnCpu:
    """PyTorch, which makes on the CPU what is to be on a GPU."""

    def __getattr__(self, name: str) -> Any:
        import torch

        found = getattr(torch, name)
        return (lambda *a, device, **b: found(*a, **b)) if name == "randn" else found


@pytest.mark.needs("judge")
@pytest.mark.parametrize("number", [0, 3])
def test_the_rows_on_layouts_and_bits(number: int) -> None:
    pytest.importorskip("torch")
    part = script("gpu_correctness").BEYOND[number]
    assert part.__name__ in ("layouts", "repeated")
    part(OnCpu())


@pytest.mark.needs("judge")
def test_rows_of_layouts_see_a_difference() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(Exception, match="the bits differ"):
        script("gpu_correctness").same(torch, torch.zeros(3), -torch.zeros(3))


@pytest.mark.needs("judge")
def test_no_time_no_rows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")  # which is what the program sets, for good
    assert script("gpu_correctness").main(["--interpret", "--seconds", "-1"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["rows"] > 20


# Measuring, on a GPU that is none


@pytest.fixture
def gpu(check: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few and small cells, on one thread of the CPU: threads that wait for each other would take long."""
    torch = pytest.importorskip("torch")
    from tests.support import cuda_stand_in

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    actgrad.set_num_threads(1)
    device = cuda_stand_in.device()
    few = ("elu_backward", "geglu_backward")
    stages = [
        s._replace(operators=tuple(o for o in few if o in s.operators), dtypes=s.dtypes[:: len(s.dtypes) - 1 or 1])
        for s in check.stages()
    ]
    monkeypatch.setenv("TORCHINDUCTOR_COMPILE_THREADS", "1")  # which is what the program sets, for good
    monkeypatch.setattr(cuda, "find", lambda name: device)
    monkeypatch.setattr(check, "correctness", lambda seconds, *more: check.Correctness({check.REPEATED: None}, []))
    monkeypatch.setattr(check, "stages", lambda: stages)
    monkeypatch.setattr(check, "MIB", 1 << 8)
    monkeypatch.setattr(check, "ROW", 64)
    monkeypatch.setattr(check, "SECONDS", 1e-6)
    monkeypatch.setattr(peak_memory, "SIZE", 1 << 12)
    monkeypatch.setattr(composition, "through_compiler", lambda library, function: function)
    yield
    torch.set_num_threads(threads)
    actgrad.set_num_threads(0)


@pytest.mark.slow
def test_everything_is_measured_and_written(check: Any, gpu: None, tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("matplotlib")
    assert check.main(["--folder", str(tmp_path)]) == 0, capsys.readouterr().err
    document = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))
    assert document["settings"]["command"] == "python scripts/gpu_check.py"
    assert document["settings"]["stages"][0]["name"] == "launches"
    by_size: dict[int, set[str]] = {}
    for c in document["cells"]:
        itemsize = actgrad.base.dtypes.BY_NAME[c["dtype"]].itemsize
        by_size.setdefault(c["size"] * itemsize >> 8, set()).add(f"{c['case']}, {c['dtype']}")
    assert set(by_size) == {64, 128, 256}
    assert by_size[64] == by_size[256] >= {"elu_backward is_result, float64", "geglu_backward none, float32"}
    assert by_size[128] == {c for c in by_size[64] if c.endswith("float32")} | {
        c.replace("float32", "bfloat16") for c in by_size[64] if c.endswith("float32")
    }
    peers = {peer for c in document["cells"] for peer in c["ratios"]}
    assert {"aten out", "eager out", "compile out", "inductor out"} <= peers
    assert len(document["latencies"]) == len(document["memories"]) == 6
    assert all(c["holds"] is not None for c in document["claims"])
    assert document["wrong"] == []
    assert (tmp_path / "gpu.svg").exists()
    assert (tmp_path / "gpu.png").exists()
    assert not (tmp_path / "gpu.json.part").exists()
    printed = capsys.readouterr().out
    assert "elu_backward, float32, 4096, contiguous, cold: " in printed
    assert "elu_backward is_result: actgrad plan.run() " in printed
    assert "holds: repeated runs give the same bits: 21 runs" in printed
    assert list(document["settings"]["seconds_taken"]) == ["correctness", *(s.name for s in check.stages())]
    rendered = page.section(tmp_path / "gpu.json")
    assert "Measured on: NVIDIA H200, capability 9.0" in rendered
    assert " inductor out " in rendered


def test_when_the_time_is_over_what_there_is_is_written(
    check: Any, gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    clock = [0.0]
    measured = suite.latency.measure

    def slow(*arguments: Any) -> Any:
        clock[0] += 10.0
        return measured(*arguments)

    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr(suite.latency, "measure", slow)
    assert check.main(["--folder", str(tmp_path), "--minutes", "0.4"]) == 0
    document = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))
    assert document["settings"]["command"] == "python scripts/gpu_check.py --minutes 0.4"
    assert len(document["latencies"]) == 3
    assert "the time was over at launches, geglu_backward, float32: the rest was left out" in document["notes"]
    assert "not measured: GeGLU backward" in capsys.readouterr().out


def test_a_failure_costs_its_own_cells_only(
    check: Any, gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = suite.measure

    def failing(options: Any, *others: Any) -> None:
        if options.dtypes == ["float64"]:
            raise WrongResult("half of it")
        measure(options, *others)

    stages = check.stages()[:2]
    monkeypatch.setattr(check, "stages", lambda: stages)
    monkeypatch.setattr(check.suite, "measure", failing)
    assert check.main(["--folder", str(tmp_path)]) == 1
    document = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))
    assert "64 MiB, elu_backward, float64: WrongResult: half of it" in document["wrong"]
    assert {c["dtype"] for c in document["cells"]} == {"float32"}


def test_many_failures_end_it(check: Any, gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any) -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(check.suite, "measure", failing)
    assert check.main(["--folder", str(tmp_path)]) == 1
    document = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))
    assert len(document["wrong"]) == check.MOST_FAILURES
    assert document["notes"][-3] == "5 failures one after the other: the rest was left out"
    assert "gpu.svg" in document["notes"][-2]


# What is hoped for


def cell(operator: str, share: float, size: int = 1 << 24, **ratios: float) -> Cell:
    """With our time 1 and what is given as a share of the ceiling, and of peers that write into given memory."""
    taken = {f"{OURS} out": times([1.0]), CEILING: times([share])}
    taken |= {f"{name} out": times([1 / ratio]) for name, ratio in ratios.items()}
    return Cell(
        operator, operator, {}, "float32", "contiguous", size, (size,), 0, "cold", 1, 4, 4, "device copy", taken
    )


def launch(ratio: float) -> Latency:
    found = {f"{OURS} plan.run() / aten out": ratio, f"{OURS} new / aten new": 9.0}
    return Latency("elu", "elu", {}, "float32", 16, {}, found)


CLAIMS: list[tuple[Callable[[Run], None], int, bool | None]] = [
    (lambda run: None, 0, True),
    (lambda run: run.cells.append(cell("elu", 0.91)), 0, False),
    (lambda run: run.cells.append(cell("elu", 0.5, size=1 << 23)), 0, True),  # 32 MiB
    (lambda run: run.cells.clear(), 0, None),
    (lambda run: None, 1, True),
    (lambda run: run.cells.append(cell("elu", 1.0, aten=1.03)), 1, False),
    (lambda run: None, 2, True),
    (lambda run: run.cells.append(cell("geglu_backward", 1.0, eager=0.46)), 2, False),
    (lambda run: run.cells.append(cell("geglu", 1.0, eager=0.46)), 2, True),
    (lambda run: None, 3, True),
    (lambda run: run.latencies.append(launch(1.1)), 3, False),
    (lambda run: None, 4, None),
]


@pytest.mark.parametrize(("change", "number", "holds"), CLAIMS, ids=range(len(CLAIMS)))
def test_claims(check: Any, change: Callable[[Run], None], number: int, holds: bool | None) -> None:
    good = Run({}, {}, [cell("elu", 0.95, aten=1.01), cell("geglu_backward", 0.93, eager=0.44)], [launch(0.9)])
    change(good)
    claim = check.claims(good, check.Correctness({}, []))[number]
    assert claim.holds is holds, claim


def test_the_claim_on_bits_is_that_of_its_row(check: Any) -> None:
    for found, holds in ((({check.REPEATED: None}, []), True), (({}, [f"{check.REPEATED}: Fault: bits"]), False)):
        assert check.claims(Run({}, {}), check.Correctness(*found))[-1].holds is holds
