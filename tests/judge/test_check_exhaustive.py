"""`actgrad check --exhaustive`: its findings, its resumption, and the table in docs/accuracy.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError
from actgrad.judge import golden, oracle, state
from actgrad.judge.exhaustive import mpmath_check, resumption, sweep, table
from actgrad.judge.exhaustive.resumption import has_sweep
from actgrad.judge.exhaustive.sweep import Item, Sweep, SweepErrors
from actgrad.writing import documents
from tests.support.calls import status
from tests.support.sweeps import finished, plant

Capture = pytest.CaptureFixture[str]
BEGIN, END = documents.markers(table.PART)
DOCUMENT = Path(__file__).parents[2] / "docs" / "accuracy.md"
CASES = [
    pytest.param(operator, attributes, id="-".join([operator.name, *map(str, attributes.values())]))
    for operator in actgrad.operators.values()
    if has_sweep(operator)
    for attributes in oracle.attribute_cases(operator)
]


# Which numbers


def test_all_numbers_are_tried_once() -> None:
    half = Sweep(Item(actgrad.leaky_relu, actgrad.leaky_relu.defaults, "float16", "ones"))
    assert half.bits(0, 65536).tolist() == list(range(65536))
    single = Sweep(Item(actgrad.leaky_relu, actgrad.leaky_relu.defaults, "float32", "ones"))
    assert single.item.count == 1 << 32
    assert single.bits((1 << 32) - 3, 3).tolist() == [0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF]


@pytest.mark.parametrize("every", [2, 256, 1000])
def test_one_in_so_many_is_one_of_each_stretch(every: int) -> None:
    item = Item(actgrad.leaky_relu, actgrad.leaky_relu.defaults, "float32", "ones", every)
    assert item.count == -(-(1 << 32) // every)
    bits = Sweep(item).bits(1000, 5000).astype(np.int64)
    assert (bits // every == np.arange(1000, 6000)).all()
    assert len(np.unique(bits % every)) > min(every, 1000) / 2  # not the same digits all over


# Findings


def reference(item: Item, bits: np.ndarray) -> list[SweepErrors]:
    """What the numbers of these bits come to, by another way: golden.expected on the whole call."""
    x = bits.view(BY_NAME[item.dtype].numpy)
    tensors = oracle.tensors(item.operator, item.attributes, x)
    results = oracle.as_tuple(item.operator(*tensors, **item.attributes))
    found = []
    for e, result in zip(golden.expected(item.operator, tensors, item.attributes), results, strict=True):
        parts = [slice(None)]
        if result.size > x.size:  # a gated tensor: the gradients of its halves
            parts = [slice(0, x.size), slice(x.size, None)]
        for part in parts:
            errors, cancels = e.errors(result).ravel()[part], e.cancels.ravel()[part]
            ulps = errors[~cancels]
            largest = {"ulps": (float(ulps.max()), 0)}
            if cancels.any():
                largest["terms"] = float(e.term_errors(result).ravel()[part][cancels].max()), 0
            found.append(SweepErrors(len(errors), len(ulps), float(ulps.sum()), largest=largest))
    return found


@pytest.mark.parametrize(("operator", "attributes"), CASES)
@pytest.mark.share(18)
def test_the_same_is_found_in_another_way(operator: Any, attributes: dict[str, Any], tmp_path: Path) -> None:
    item = Item(operator, attributes, "float16", "ones")
    found = finished(item, tmp_path).errors
    expected = sum(reference(item, np.arange(65536, dtype=np.uint16)), SweepErrors())
    assert (found.elements, found.count, found.faults) == (expected.elements, expected.count, 0)
    assert found.error("ulps") == pytest.approx(expected.error("ulps"), rel=1e-9)
    assert found.mean == pytest.approx(expected.mean, rel=1e-6)
    if expected.error("terms") is None:
        assert found.error("terms") is None
    else:
        assert found.error("terms") == pytest.approx(expected.error("terms"), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("operator", "attributes"),
    [(actgrad.gelu_backward, {"approximate": "tanh"}), (actgrad.elu_backward, {"is_result": True, "alpha": 0.6})],
    ids=["gelu_backward", "elu_backward"],
)
def test_float32_is_measured_as_the_whole_call_is(operator: Any, attributes: Any, tmp_path: Path) -> None:
    item = Item(operator, {**operator.defaults, **attributes}, "float32", "ones", 1 << 14)
    got = finished(item, tmp_path)
    (expected,) = reference(item, Sweep(item).bits(0, item.count))
    (found,) = got.outputs.values()
    assert found.elements == item.count == 1 << 18
    largest, wanted = found.error("ulps"), expected.error("ulps")
    assert largest is not None
    assert wanted is not None
    # Elements within a quarter of the bound count also where terms cancel.
    quarter = 0.25 * sweep.standards.bounds(operator, "float32")[0]
    assert largest == pytest.approx(max(wanted, min(quarter, largest)), rel=1e-6)
    assert found.mean == pytest.approx(expected.mean, rel=0.05)
    assert expected.error("terms") is not None
    assert (found.error("terms") or 0.0) == pytest.approx(expected.error("terms"))


BAD = 0x4248  # 3.140625 in float16


def one_wrong(of: Sweep) -> None:
    if of.item.kind == "ones":
        at = of.x.view(np.uint16) == BAD
        of.outputs[0][at] *= of.outputs[0].dtype.type(1.01)


def test_one_wrong_number_among_all_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    plant(monkeypatch, one_wrong)
    call = ["check", "--exhaustive", "gelu", "--dtype", "float16", "--state", str(tmp_path)]
    assert status(*call) == 1
    captured = capsys.readouterr()
    says = "gelu(approximate=none), float16: out is beyond the bound at 1 numbers, the first x = 3.140625"
    assert says in captured.out
    assert "1 BEYOND" in captured.out
    assert "gelu float16" in captured.err  # the progress bar


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_a_fault(value: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(of: Sweep) -> None:
        of.outputs[0][of.x.view(np.uint16) == BAD] = value

    plant(monkeypatch, spoil)
    found = finished(Item(actgrad.elu, actgrad.elu.defaults, "float16", "ones"), tmp_path).outputs["out"]
    assert (found.faults, found.first) == (1, [BAD])
    if np.isnan(value):
        assert found.largest["ulps"] == [float("inf"), BAD]


def test_the_derivative_of_gelu_is_held_absolutely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = Item(actgrad.gelu_backward, {"approximate": "none"}, "float32", "ones", 1 << 12)
    done = finished(item, tmp_path / "right")
    assert 1e-8 < (done.errors.error("absolute") or 0) <= sweep.ABSOLUTE
    assert table.fault_count(done) == 0

    def off(of: Sweep) -> None:
        of.outputs[0][(of.x > 2) & (of.x < 4)] += np.float32(2.0**-21)  # 4 ULP, of 12

    plant(monkeypatch, off)
    done = finished(item, tmp_path / "off")
    assert done.errors.faults == 0
    assert table.fault_count(done) == 1
    assert not Item(actgrad.gelu, {"approximate": "none"}, "float32", "ones").is_absolute
    assert not Item(actgrad.elu_backward, actgrad.elu_backward.defaults, "float32", "ones").is_absolute
    assert not Item(actgrad.sigmoid_backward, {}, "float32", "ones").is_absolute  # its result may be any number
    assert Item(actgrad.silu_backward, {}, "float32", "ones").is_absolute
    assert not Item(actgrad.clipped_swiglu_backward, {}, "float32", "ones").is_absolute  # times the other half


def test_pytorch_is_measured_at_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    item = Item(actgrad.gelu, {"approximate": "none"}, "bfloat16", "PyTorch")
    errors = finished(item, tmp_path).errors
    assert errors.elements == 65536 - 2 - 256  # without zeros, infinities and NaN
    assert (errors.error("ulps") or 0) > 100  # 1 + erf has no digits left in the negative tail


# The exact values


@pytest.mark.parametrize(("operator", "attributes"), CASES)
@pytest.mark.parametrize("kind", ["ones", "random"])
@pytest.mark.share(8)
def test_exact_values_are_those_of_mpmath(operator: Any, attributes: Any, kind: str) -> None:
    one = Sweep(Item(operator, attributes, "float32", kind))
    one.fill(np.random.default_rng(1).integers(0, 1 << 32, sweep.CHUNK, np.uint32))
    finite = np.flatnonzero(np.isfinite(one.x))[:16]
    assert mpmath_check.verify(one.golden, [lane[finite] for lane in one.lanes(slice(0, sweep.CHUNK))], operator.name)


def test_exact_values_that_are_not_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    values = sweep.Golden.values
    monkeypatch.setattr(sweep.Golden, "verify", lambda self, lanes: None)  # which would take NumPy instead
    monkeypatch.setattr(sweep.Golden, "values", lambda self, lanes: [v * (1 + 1e-10) for v in values(self, lanes)])
    with pytest.raises(ActgradError, match=r"gelu: the exact value at .* in mpmath"):
        finished(Item(actgrad.gelu, {"approximate": "none"}, "float16", "ones"), tmp_path)


# The command and its table


def test_the_table_goes_between_the_markers_and_holds_what_is_finished(tmp_path: Path, capsys: Capture) -> None:
    document = tmp_path / "a.md"
    document.write_text(f"before\n{BEGIN}\nstale\n{END}\nafter\n", encoding="utf-8")
    call = ["check", "--exhaustive", "--state", str(tmp_path / "s"), "--write", str(document), "--dtype"]
    assert status(*call, "float16", "leaky_relu") == 0
    assert status(*call, "bfloat16", "selu") == 0
    text = document.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n| operator |")
    assert text.endswith(f"{END}\nafter\n")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    # Of earlier runs too, in the order of dtypes.
    assert [(row[0], row[2]) for row in rows] == [("| leaky_relu", "float16")] * 4 + [("| selu", "bfloat16")]
    assert {len(row) for row in rows} == {len(table.HEADINGS)}
    assert {row[3] for row in rows} == {"all 65,536"}
    captured = capsys.readouterr()
    out = captured.out
    assert "left out" not in captured.err
    assert "negative_slope=-1.2" in out
    assert "compared with NumPy on a sample, and against mpmath at" in out


def test_what_other_code_has_found_is_left_out_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    document = tmp_path / "a.md"
    document.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    call = ["check", "--exhaustive", "--state", str(tmp_path / "s"), "--write", str(document), "--dtype", "float16"]
    assert status(*call, "selu") == 0
    monkeypatch.setattr(state, "code_digest", lambda *patterns: "changed")
    assert status(*call, "gelu") == 0
    text = document.read_text(encoding="utf-8")
    assert "| gelu |" in text
    assert "selu" not in text
    assert "of other code, such as selu float16; the table has only finished sweeps" in capsys.readouterr().err


def test_one_in_n_of_float32(tmp_path: Path, capsys: Capture) -> None:
    call = ["check", "--exhaustive", "leaky_relu_backward", "--dtype", "float32", "--every", "65536"]
    assert status(*call, "--state", str(tmp_path)) == 0
    assert capsys.readouterr().out.count("65,536, one in 65536") == 7  # cases of attributes
    assert status(*call, "--state", str(tmp_path), "--defaults") == 0
    assert capsys.readouterr().out.count("65,536, one in 65536") == 1


WRONG = {
    "nothing left": (["--every", "0"], "--every: got '0'; it must be a whole number from 1"),
    "a dtype": (
        ["--dtype", "float64"],
        "--dtype is float64; with --exhaustive it must be float16, bfloat16 or float32",
    ),
    "a standard": (["--standard", "ulp"], "--standard and --exhaustive cannot be combined"),
    "a report": (["--json", "x"], "--json and --exhaustive cannot be combined"),
    "a backend": (["--backend", "cpu"], "--backend and --exhaustive cannot be combined"),
    "a file": (["--actual", "x.npy"], "--actual and --exhaustive cannot be combined"),
    "no markers": (["--write", "plain.md"], "plain.md: has no place for the table"),
    "no document": (["--write", "gone.md"], "gone.md: no such file"),
    "a state that is a file": (["--state", "plain.md"], "plain.md: is a file; it must be a folder"),
    "an operator that has no such dtype": (
        ["--product", "Ascend310P", "--dtype", "bfloat16"],
        "cannot be swept in bfloat16",
    ),
}


@pytest.mark.needs("ascend")
@pytest.mark.parametrize("kind", WRONG)
def test_wrong_calls_end_with_2(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("plain.md").write_text("no place\n")
    arguments, words = WRONG[kind]
    assert status("check", "--exhaustive", "geglu", *arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["plain.md"]


@pytest.mark.parametrize("option", ["--every", "--state", "--write", "--defaults"])
def test_its_options_go_with_it(option: str, capsys: Capture) -> None:
    assert status("check", option, *["1"] * (option != "--defaults")) == 2
    modes = "--manifest or --exhaustive" if option == "--state" else "--exhaustive"
    assert f"{option} is given without {modes}; it needs {modes}; " in capsys.readouterr().err


def test_the_document_has_all_16_bit_numbers_of_every_case_within_the_bounds() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = {tuple(line[2:-2].split(" | ")[:3]): line[2:-2].split(" | ") for line in text.splitlines()}
    for operator in actgrad.operators.values():
        if operator.part_of is not None or not has_sweep(operator):
            continue
        for attributes in oracle.attribute_cases(operator):
            for dtype in ("float16", "bfloat16"):
                row = rows[operator.name, Item(operator, attributes, dtype, "ones").words, dtype]
                assert row[3] == "all 65,536"
                assert float(row[4]) <= 0.51
                assert row[7] == "0.51"
    assert "BEYOND" not in text


@pytest.mark.slow
def test_one_in_256_of_all_float32_numbers_is_within_the_bounds(tmp_path: Path) -> None:
    for item in resumption.items(list(actgrad.operators.values()), ["float32"], 256):
        if item.kind == "PyTorch":
            continue
        done = finished(item, tmp_path)
        assert table.fault_count(done) == 0, list(table.fault_lines(done))
