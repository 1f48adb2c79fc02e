"""`actgrad cases` and `actgrad check --cases`: both formats written and read back, published files, damaged ones."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.ascend.cases import case_files, execution, generation, interface
from actgrad.ascend.cases.case_model import FileCase, Tensor, Values
from actgrad.calls.operator import REGISTRY, Operator
from actgrad.judge import backend_cases, oracle
from actgrad.judge.elements import case_dtypes
from tests.support.calls import OPERATORS as REPRESENTATIVES
from tests.support.calls import status
from tests.support.case_files import BACKWARD, atk_case, captured, results, rows, statuses, tensor, ttk_text

pytestmark = pytest.mark.share(6)

Capture = pytest.CaptureFixture[str]
FORMATS = {"atk": "json", "ttk": "csv"}
OPERATORS = list(REGISTRY)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Written, read back and run


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.share(36)
def test_generated_cases_pass_on_the_cpu(name: str, folder: Path, capsys: Capture) -> None:
    is_representative = REGISTRY[name] in (*REPRESENTATIVES, actgrad.prelu, actgrad.swiglu, actgrad.relu)
    for form, suffix in FORMATS.items() if is_representative else [("atk", "json")]:
        file, results = f"cases.{suffix}", f"results.{suffix}"
        assert status("cases", name, "-o", file, "--format", form, "--largest", "128") == 0
        assert status("check", "--cases", file, "--results", results) == 0
        found = statuses(results)
        assert found == ["PASS"] * len(generation.generate(REGISTRY[name], None, 128, 0))
        assert f"{len(found)} of {len(found)} cases pass, 0 fail, 0 were not run" in capsys.readouterr().err


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_read_is_what_was_generated(name: str, form: str) -> None:
    cases = generation.generate(REGISTRY[name], None, 512, 3)
    again = case_files.parse(Path("cases"), form, case_files.FORMATS[form].text(cases))
    assert len(again) == len(cases)
    for case, read in zip(cases, again, strict=True):
        assert read.signature == case.signature
        assert read.problem == ""
        assert read.notes == ()
        assert {n: s.value for n, s in read.attributes.items()} == {n: s.value for n, s in case.attributes.items()}
        for given, found in zip(case.inputs.items(), read.inputs.items(), strict=True):
            assert (given[0], given[1].dtype, given[1].shape) == (found[0], found[1].dtype, found[1].shape)
            if form == "atk":
                assert repr(given[1].values) == repr(found[1].values)  # NaN equals itself in words only
            assert given[1].is_result == found[1].is_result
        if form == "atk":
            assert read.seed == case.seed
            assert read.standards == ("mixed",)
        else:
            shapes = {n: (t.dtype, t.shape) for n, t in case.outputs.items()}
            assert {n: (t.dtype, t.shape) for n, t in read.outputs.items()} == shapes


def test_results_have_the_shape_of_the_cases(folder: Path) -> None:
    for form, suffix in FORMATS.items():
        assert status("cases", "geglu", "selu", "-o", f"c.{suffix}", "--number", "7", "--largest", "64") == 0
        assert status("check", "--cases", f"c.{suffix}", "--results", f"r.{suffix}") == 0
        if form == "atk":
            cases, results = (json.loads(Path(f"{n}.json").read_text()) for n in "cr")
            assert [{n: v for n, v in case.items() if n != "result"} for case in results] == cases
            assert all(s["holds"] is not False for case in results for s in case["result"]["standards"])
        else:
            cases, results = (rows(f"{n}.csv") for n in "cr")
            assert [{n: row[n] for n in cases[0]} for row in results] == cases
            assert {row["precision"] for row in results} == {"100.0%"}
        # Results can be run as cases.
        assert status("check", "--cases", f"r.{suffix}", "--results", f"rr.{suffix}") == 0
        assert Path(f"rr.{suffix}").read_text() == Path(f"r.{suffix}").read_text()


def test_an_operator_that_is_added_needs_no_line(smooth_relu: Any, folder: Path) -> None:
    for suffix in FORMATS.values():
        call = ["smooth_relu", "smooth_relu_backward", "-o", f"c.{suffix}", "--largest", "64"]
        assert status("cases", *call) == 0
        assert status("check", "--cases", f"c.{suffix}", "--results", f"r.{suffix}") == 0
        assert set(statuses(f"r.{suffix}")) == {"PASS"}


# Generated cases


def test_the_same_seed_gives_the_same_file(folder: Path) -> None:
    for suffix in FORMATS.values():
        texts = []
        for seed in ("5", "5", "6"):
            assert status("cases", "elu_backward", "-o", f"c.{suffix}", "--seed", seed) == 0
            texts.append(Path(f"c.{suffix}").read_text())
        assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("number", [1, 2, 10, 500])
def test_as_many_cases_as_were_asked_for(number: int) -> None:
    cases = generation.generate(actgrad.geglu_backward, number, 128, 0)
    assert len(cases) == number
    assert len({case.name for case in cases}) == number
    assert len({case.seed for case in cases}) == number


def kinds(cases: list[FileCase]) -> set[str]:
    return {case.name.split(" ")[-1] for case in cases}


@pytest.mark.parametrize("name", OPERATORS)
def test_every_dtype_class_of_attributes_size_and_special_value(name: str) -> None:
    operator = REGISTRY[name]
    cases = generation.generate(operator, None, 1 << 12, 0)
    usual = [case for case in cases if case.name.endswith(("uniform", "normal"))]
    for kind in ("uniform", "normal"):
        of_kind = [case for case in usual if case.name.endswith(kind)]
        assert 2 * len(of_kind) == len(usual)
        for dtype in case_dtypes(operator):
            of_dtype = [c for c in of_kind if next(iter(c.inputs.values())).dtype == dtype]
            assert len(of_dtype) == len(oracle.attribute_cases(operator))
    floats = {"bounds", "tail", "inf", "-inf", "nan"} if "float32" in operator.law.dtype_names else set()
    assert kinds(cases) >= {"empty", "one", "zeros", "bounds"} | floats
    shapes = [next(iter(case.inputs.values())).shape for case in generation.generate(operator, 400, 1 << 12, 0)]
    assert {len(shape) for shape in shapes} >= set(range(1, 9))
    allowed = {n * gate for k in range(10) for n in (2**k, 2**k - 1) for gate in (1, 2, 8)}
    mixed = {7, 8, 31, 32, 63, 15, 16, 3, 4, 1, 2, 0, 6} | ({24} if operator.access.has_bits else set())
    assert {n for shape in shapes for n in shape} <= allowed | mixed
    assert all(np.prod(shape) <= 1 << 13 for shape in shapes)
    assert ("in-place" in kinds(cases)) == any(signature.in_place for signature in interface.functions_of(operator))


def low(case: FileCase, name: str) -> float:
    return case.inputs[name].values.low


def test_what_published_suites_lack() -> None:
    elu = generation.generate(actgrad.elu_backward, None, 256, 0)
    from_result = [case for case in elu if case.attributes["is_result"].value]
    assert any(low(case, "self_or_result") < 0 and case.attributes["alpha"].value != 1 for case in from_result)
    geglu = generation.generate(actgrad.geglu_backward, None, 256, 0)
    chosen = [(c.attributes["approximate"].value, c.attributes.get("activate_left")) for c in geglu]
    assert any(approximate == 1 and left is not None and left.value for approximate, left in chosen)
    assert {c.signature.name for c in geglu if c.signature} == {"aclnnGeGluBackward", "aclnnGeGluV3Backward"}
    selu = generation.generate(actgrad.selu_backward, None, 256, 0)
    assert any(low(case, "result") < -1 for case in selu)
    assert any(case.inputs["result"].is_result for case in selu)
    leaky = generation.generate(actgrad.leaky_relu_backward, None, 256, 0)
    assert kinds(leaky) >= {"broadcast", "promotion"}
    assert any(len({t.shape for t in case.inputs.values()}) == 2 for case in leaky)
    pairs = {tuple(t.dtype for t in case.inputs.values()) for case in leaky}
    assert {("float16", "bfloat16"), ("float32", "float16"), ("float64", "bfloat16")} <= pairs | {
        p[::-1] for p in pairs
    }
    assert {t.dtype for c in leaky for t in c.outputs.values() if {x.dtype for x in c.inputs.values()} == {
        "float16", "bfloat16"}} == {"float32"}  # fmt: skip


@pytest.mark.parametrize(("name", "product", "has_mixtures"), [
    ("threshold_backward", "", False),  # calls of NumPy promote the tensors, and no product does
    ("silu_backward", "", True),
    ("silu_backward", "Ascend950", True),
    ("silu_backward", "Ascend910B", False),
])  # fmt: skip
def test_different_dtypes_only_where_a_product_takes_them(name: str, product: str, has_mixtures: bool) -> None:
    with actgrad.product(product) if product else nullcontext():
        cases = generation.generate(REGISTRY[name], None, 256, 0)
    assert any(len({tensor.dtype for tensor in case.inputs.values()}) > 1 for case in cases) is has_mixtures


def test_cascades_give_what_the_forward_pass_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = generation.generate(actgrad.selu_backward, None, 256, 0)
    case = next(c for c in cases if c.name.endswith("cascade") and c.inputs["result"].dtype == "float32")
    _, result = captured(case, monkeypatch)
    assert result.min() >= -1.7581
    assert result.size > 10
    plain = case.inputs["result"].values
    alone = FileCase("", {}, case.signature, {**case.inputs, "result": Tensor("float32", result.shape, Values(
        plain.low, plain.high, plain.deviations))}, {}, seed=case.seed)  # fmt: skip
    _, drawn = captured(alone, monkeypatch)
    np.testing.assert_allclose(result, actgrad.selu(drawn), rtol=1e-6)
    cases = generation.generate(actgrad.geglu_backward, None, 256, 0)
    case = next(c for c in cases if c.name.endswith("cascade"))
    grad, packed, gelu = captured(case, monkeypatch)
    own = {n: s.value for n, s in case.attributes.items()}
    np.testing.assert_allclose(gelu, actgrad.geglu(packed, **own)[1], rtol=1e-5)
    assert grad.shape == gelu.shape


# The numbers of a tensor


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int32"])
def test_values(dtype: str) -> None:
    rng = np.random.default_rng(0)

    def draw(*arguments: Any) -> np.ndarray:
        return Values(*arguments).draw((64, 64), dtype, rng).astype(np.float64)

    uniform = draw(-3.0, 7.0)
    assert -3 <= uniform.min() < -2.8
    assert 6.8 < uniform.max() <= 7
    assert abs(uniform.mean() - 2) < 0.2
    normal = draw(4.0, 4.0, (1.0, 1.0))
    assert abs(normal.mean() - 4) < 0.1
    assert 0.9 < normal.std() < 1.1
    assert (draw(5.0, 5.0) == 5).all()
    among = draw(0.0, 1.0, None, (9.0, -9.0))
    assert {9, -9} < set(among.ravel())
    assert np.count_nonzero(np.abs(among) == 9) == 2
    beyond = draw(-3.4e38, 3.4e38)
    assert np.isfinite(beyond).all()
    if dtype.startswith(("f", "b")):
        assert np.isposinf(draw(np.inf, np.inf)).all()
        assert np.isnan(draw(np.nan, np.nan)).all()


def test_few_elements_hold_as_many_of_the_numbers_that_must_occur_as_they_can() -> None:
    rng = np.random.default_rng(0)
    assert Values(0.0, 1.0, None, (2.0, 3.0)).draw((1,), "float32", rng)[0] in (2, 3)
    assert Values(0.0, 1.0, None, (2.0,)).draw((0,), "float32", rng).shape == (0,)


# Files in the shape of published ones


def test_an_atk_file_as_published(folder: Path, capsys: Capture) -> None:
    one = tensor(dtype="bf16", range_values=["nan"])
    cases = [atk_case(), atk_case(id=4, inputs=[one]), atk_case(id=5, inputs=[tensor(dtype="int8")]),
             atk_case(id=6, **BACKWARD), atk_case(id=7, inputs=[tensor(range_values=[59, 59])])]  # fmt: skip
    code, found = results(folder, cases)
    assert code == 0
    assert statuses("r.json") == ["PASS"] * 5
    assert [s["standard"] for s in found[0]["result"]["standards"]] == ["mere-mare"]
    assert [s["standard"] for s in found[2]["result"]["standards"]] == ["mere-mare", "ulp"]  # int8 has no MERE
    assert "different names" in found[0]["result"]["notes"][0]
    assert "notes" not in found[3]["result"]  # without names the order is what the format says
    err = capsys.readouterr().err
    words = "inputs and the function's parameters have different names; they are matched by position"
    assert f"{words} (in 1 of 5 cases)" in err


def test_standards_of_the_command_replace_those_of_the_cases(folder: Path) -> None:
    _, found = results(folder, [atk_case()], "--standard", "ulp,nonfinite")
    assert [s["standard"] for s in found[0]["result"]["standards"]] == ["ulp", "nonfinite"]
    _, found = results(folder, [atk_case(standard={"acc": "default"}), atk_case(standard={"acc": "luck"})])
    assert [s["standard"] for case in found for s in case["result"]["standards"]] == ["mixed", "mixed"]
    assert "standard 'luck' is unknown" in found[1]["result"]["notes"][0]


def test_names_decide_over_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [{**entry, "name": name} for entry, name in zip(BACKWARD["inputs"], (
        "grad_output", "alpha", "scale", "inputScale", "is_result", "selfOrResult"), strict=True)]  # fmt: skip
    entries[0]["range_values"] = [7, 7]
    (case,) = case_files.parse(Path("f"), "atk", json.dumps([atk_case(**{**BACKWARD, "inputs": entries[::-1]})]))
    grad, _ = captured(case, monkeypatch)
    assert (grad == 7).all()
    assert {n: s.value for n, s in case.attributes.items()} == {
        "alpha": 1.3, "scale": 0.7, "input_scale": 0.5, "is_result": True}  # fmt: skip


PUBLISHED_TTK = """\
testcase_name,api_name,tensor_dtypes,tensor_formats,tensor_view_shapes,input_data_ranges,output_tensor_indexes,\
output_dtypes,absolute_precision,attributes,scalar_dtypes,scalar_data_ranges
one,aclnnEluBackward,"('float32', 'float32','float32')","('ND',)","((6, 2, 1, 7),(6, 2, 1, 7),(6, 2, 1, 7))",\
"((-1000, -10),)","(-1,)","('float32',)",0.0001,{'isResult':True},"('float32', 'float32','float32')",\
"((1,2),(3,4),(0,2))"
two,aclnnInplaceLeakyRelu,('float16'),"('ND',)","((9, 4, 1))","((-3.4e+38, 3.4e+38),)","(-1,)","('float16',)",0.001,\
{'negative_slope': 0.0071},('float16'),"(0, 1)"
three,aclnnGeGlu,"('bfloat16', 'bfloat16', 'bfloat16')","('ND',)","((4,), (2,), (2,))","((-1, 1, 0.5),)","(-2,-1)",,\
1e-4,"{'dim': 0, 'approximate': 1}",,
"""


def test_a_ttk_file_as_published(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("c.csv").write_text(PUBLISHED_TTK)
    assert status("check", "--cases", "c.csv", "--results", "r.csv", "--product", "Ascend910B") == 0
    assert statuses("r.csv") == ["PASS"] * 3
    assert {row["soc"] for row in rows("r.csv")} == {"Ascend910B"}
    one, two, three = case_files.parse(Path("f"), "ttk", PUBLISHED_TTK)
    grad, result = captured(one, monkeypatch)
    assert grad.max() <= -10
    assert result.min() < -900
    (x,) = captured(two, monkeypatch)
    assert x.shape == (9, 4, 1)
    assert x.dtype == np.float16
    assert np.abs(x.astype(float)).max() > 6e4
    (packed,) = captured(three, monkeypatch)
    assert 0.5 in packed.astype(float)
    assert {n: (s.dtype, s.values.low, s.values.high) for n, s in one.attributes.items() if n != "is_result"} == {
        "alpha": ("float32", 1, 2), "scale": ("float32", 3, 4), "input_scale": ("float32", 0, 2)}  # fmt: skip


def test_views_as_the_case_lays_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ttk_text(
        tensor_view_strides="((4, 1), (1, 2))", tensor_view_offsets="(5, 0)", tensor_storage_shapes="((3, 6), (6,))",
        input_data_ranges="((-3, -1, 'inf', float('-inf')),)",
    )  # fmt: skip
    (case,) = case_files.parse(Path("f"), "ttk", text)
    seen: list[Any] = []
    compute = backend_cases.compute

    def spy(whole: Any, backend: str, outputs: Any) -> None:
        seen.extend([*whole.inputs, *outputs])
        compute(whole, backend, outputs)

    monkeypatch.setattr(backend_cases, "compute", spy)
    assert execution.execute(case, "cpu", None, 0).holds
    x, out = seen
    assert (x.strides, out.strides) == ((16, 4), (4, 8))
    assert np.isinf(x).sum() == 2


def test_a_cast_that_the_outputs_ask_for(folder: Path) -> None:
    Path("c.csv").write_text(ttk_text(tensor_dtypes="('float32', 'float16')"))
    assert status("check", "--cases", "c.csv", "--standard", "ulp") == 0


def test_reports_of_cases(folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([atk_case()]))
    assert status("check", "--cases", "c.json", "--json", "-") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["results"][0]["case"] == "id 3 aclnnSelu"
    assert document["cases"] == "c.json"


def test_every_function_is_found_by_its_name() -> None:
    for operator in REGISTRY.values():
        for signature in interface.functions_of(operator):
            assert interface.find(signature.name) == signature
            names = [p.name for p in signature.parameters]
            assert all(a != b for a, b in pairwise(names))
    assert interface.find("aclnnGeluV9") is None
    assert isinstance(interface.own_signature(actgrad.gelu).operator, Operator)
