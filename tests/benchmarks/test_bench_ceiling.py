"""`python -m benchmarks ceiling`: its tensors, its table and its picture. No test looks at how long anything took."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import ceiling
from benchmarks.__main__ import main
from benchmarks.cases import cases
from benchmarks.results import CEILING, read

import actgrad

pytest.importorskip("torch")
SMALL = ["--size", "4096", "--memories", "1", "--runs", "2"]


@pytest.mark.parametrize("name", actgrad.operators)
@pytest.mark.share(8)
def test_the_bytes_of_every_operator(name: str) -> None:
    """The largest tensor has the size that was asked for; torch.add moves as many bytes, but for a rest below 12."""
    for case in (case for case in cases(actgrad.operators[name]) if not case.with_optional):
        inputs, outputs = ceiling.tensors(case, 4096, case.pool("float32"))
        sizes = [tensor.size for tensor in (*inputs, *outputs)]
        assert max(sizes) == 4096
        expected = actgrad.operators[name](*inputs, **case.attributes)
        outs = expected if isinstance(expected, tuple) else (expected,)
        assert [out.shape for out in outs] == [out.shape for out in outputs]
        cell = ceiling.measure(case, "float32", 4096, 1, 1)
        assert cell.bytes == sum(array.nbytes for array in (*inputs, *outs))
        assert (cell.times[CEILING].runs, cell.ceiling) == (1, "torch.add")


def test_a_file_that_grows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --add, the smaller ratio of a call counts."""
    file, picture = tmp_path / "kept.json", tmp_path / "bars.svg"
    assert main(["ceiling", "relu", "swiglu", *SMALL, "--dtype", "float32", "--json", str(file)]) == 0
    before = read(file)
    assert [(cell.case, cell.dtype) for cell in before.cells] == [("relu", "float32"), ("swiglu", "float32")]
    assert main(["ceiling", "relu", *SMALL, "--dtype", "float32,float16", "--json", str(file), "--add"]) == 0
    after = {(cell.case, cell.dtype): cell for cell in read(file).cells}
    assert list(after) == [("relu", "float32"), ("swiglu", "float32"), ("relu", "float16")]
    assert after["swiglu", "float32"] == before.cells[1]
    assert after["relu", "float32"].least_of_ceiling <= before.cells[0].least_of_ceiling
    assert "torch.add" in capsys.readouterr().out
    assert main(["plot", "--bars", str(file), str(picture)]) == 0
    assert picture.read_text(encoding="utf-8").count("swiglu") >= 1


def test_the_table_begins_with_the_slowest() -> None:
    case = cases(actgrad.relu)[0]
    cell = ceiling.measure(case, "float32", 4096, 1, 1)
    times = {key: replace(taken, least=2e-3) for key, taken in cell.times.items()}
    slow = {**times, "actgrad out": replace(times["actgrad out"], least=5e-3)}
    cells = [
        replace(cell, times=times),
        replace(cell, case="slow", times=slow),
        replace(cell, dtype="float16", times=times),
    ]
    table = ceiling.table(cells)
    assert table.numbers == ("float32", "float16", "time")
    assert table.rows == [["slow", "2.50", "", "5.00 ms"], ["relu", "1.00", "1.00", "2.00 ms"]]


def test_unknown_operators_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ceiling", "rilu", *SMALL]) == 2
    assert "rilu" in capsys.readouterr().err
