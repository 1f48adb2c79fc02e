"""The decision of `actgrad check`: the standard in force decides, others only by name, a diagnosis never."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.conformance import judge
from actgrad.judge import backend_cases
from tests.support.calls import status
from tests.support.case_files import atk_case, tensor

Capture = pytest.CaptureFixture[str]
CALL = ["check", "elu_backward", "--inputs", "g.npy", "x.npy", "--actual", "y.npy"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(dtype: Any, change: Any = None, count: int = 1000) -> None:
    """A call of elu_backward in the current folder; `change` spoils its result in place."""
    rng = np.random.default_rng(0)
    g, x = (1 + rng.random((2, count))).astype(dtype)
    x *= np.asarray([-1, 1] * (count // 2), dtype)
    y = actgrad.elu_backward(g, x)
    if change is not None:
        change(y)
    for name, array in (("g", g), ("x", x), ("y", y)):
        np.save(f"{name}.npy", array.view(np.uint16) if dtype is bfloat16 else array)


def ulps(count: int, by: int = 1) -> Any:
    """Some numbers, `by` units in the last place too large."""

    def change(y: np.ndarray) -> None:
        bits = y.view(f"i{y.itemsize}")
        bits[:count] += by

    return change


def last_line(captured: Any) -> str:
    return str(captured.out.splitlines()[-1])


@pytest.mark.parametrize(("dtype", "count"), [(np.float16, 1), (np.float16, 1000), (np.float32, 1000), (bfloat16, 1)])
def test_what_only_our_own_bounds_refuse_is_accepted(dtype: Any, count: int, folder: Path, capsys: Capture) -> None:
    saved(dtype, ulps(count, 1 if dtype is not np.float32 else 60))
    suffix = [":bfloat16"] * 3 if dtype is bfloat16 else [""] * 3
    call = ["check", "elu_backward", "--inputs", f"g.npy{suffix[0]}", f"x.npy{suffix[1]}", "--actual",
            f"y.npy{suffix[2]}"]  # fmt: skip
    assert status(*call) == 0
    captured = capsys.readouterr()
    end = "NaN and infinity hold; ULP is exceeded, which counts only with --strict"
    assert last_line(captured) == f"ACCEPTED: mixed tolerance, {end}"
    assert re.search(r"ULP\s+exceeded", captured.out)
    assert "FAILS" not in captured.out
    assert status(*call, "--strict") == 1
    captured = capsys.readouterr()
    assert last_line(captured).startswith("REJECTED: ULP fails; mixed tolerance, NaN and infinity hold")
    assert re.search(r"ULP\s+FAILS", captured.out)
    # A standard that is named counts.
    assert status(*call, "--standard", "ulp") == 1
    assert status(*call, "--standard", "all") == 1
    assert status(*call, "--standard", "mixed") == 0


def spoiled(name: str) -> Any:
    def change(y: np.ndarray) -> None:
        if name == "mixed":
            y[:11] += 1
        elif name == "mere-mare":
            y[0] *= np.float32(1.01)  # within 1 % of the elements, and the limit for large errors
        elif name == "thousandth":
            y[:1] *= np.float32(1.0002)  # one in a thousand: not below 1e-4
        else:
            y[0] = np.nan

    return change


@pytest.mark.parametrize(
    ("name", "title"),
    [("mixed", "mixed tolerance"), ("mere-mare", "MERE and MARE"), ("thousandth", "double thousandth"),
     ("nonfinite", "NaN and infinity")],
)  # fmt: skip
def test_each_published_standard_rejects_alone(name: str, title: str, folder: Path, capsys: Capture) -> None:
    saved(np.float32, spoiled(name))
    assert status(*CALL, "--standard", name) == 1
    assert last_line(capsys.readouterr()) == f"REJECTED: {title} fails"
    assert status(*CALL, "--standard", "all") == 1
    assert re.match(f"REJECTED: .*{title}.* fails?", last_line(capsys.readouterr()))


@pytest.mark.parametrize(("name", "title"), [("mere-mare", "MERE and MARE"), ("thousandth", "double thousandth")])
def test_a_standard_that_is_not_in_force_warns(name: str, title: str, folder: Path, capsys: Capture) -> None:
    saved(np.float32, spoiled(name))
    assert status(*CALL, "--json", "r.json") == 0
    captured = capsys.readouterr()
    assert re.search(rf"warning: elu_backward float32 y.npy: .*{title} is exceeded: .*; looks like: ", captured.out)
    assert re.search(rf"{title}.* exceeded, which counts? only with --standard all", last_line(captured))
    assert last_line(captured).startswith("ACCEPTED: mixed tolerance, NaN and infinity hold")
    (warning,) = json.loads(Path("r.json").read_text())["warnings"]
    assert title in warning


def test_a_warning_names_the_mistake(folder: Path, capsys: Capture) -> None:
    saved(np.float32)  # alpha is 1: within the mixed tolerance
    assert status(*CALL, "--attr", "alpha=0.9995") == 0
    assert re.search("warning: .* looks like: missing alpha", capsys.readouterr().out)


FLUSHED = [np.float16, bfloat16, np.float32]


@pytest.mark.parametrize("dtype", FLUSHED)
@pytest.mark.parametrize("name", ["gelu", "silu", "sigmoid", "tanh", "gelu_backward", "softmax", "elu_backward"])
def test_flush_to_zero_is_accepted(name: str, dtype: Any) -> None:
    operator, rng = actgrad.operators[name], np.random.default_rng(1)
    count = len(operator.schema.tensors)
    inputs = [
        (rng.standard_normal((40, 25)) * 10.0 ** rng.uniform(-8, 1, (40, 25))).astype(dtype) for _ in range(count)
    ]
    normal = np.float32(np.finfo(dtype).smallest_normal) if dtype is not bfloat16 else np.float32(2**-126)

    def flushed(array: np.ndarray) -> np.ndarray:
        return np.where(np.abs(array.astype(np.float32)) < normal, dtype(0), array)

    out = flushed(operator(*map(flushed, inputs)))
    verdict = judge(operator, {}, inputs, [out])
    assert verdict.holds, verdict.outcomes


@pytest.mark.parametrize("name", ["gelu_backward", "gelu", "silu", "mish", "softmax", "elu", "hardswish"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_pytorchs_own_results_are_accepted(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    functions = {
        "gelu_backward": torch.ops.aten.gelu_backward, "hardswish": torch.nn.functional.hardswish,
        "softmax": lambda x: torch.softmax(x, -1), "silu": torch.ops.aten.silu, "mish": torch.ops.aten.mish,
        "gelu": torch.ops.aten.gelu, "elu": torch.ops.aten.elu,
    }  # fmt: skip
    torch.manual_seed(3)
    inputs = [(3 * torch.randn(64, 50)).to(getattr(torch, dtype)) for _ in range(1 + (name == "gelu_backward"))]

    def numbers(tensor: Any) -> np.ndarray:
        if dtype == "bfloat16":
            return np.asarray(tensor.view(torch.int16).numpy().view(bfloat16))
        return np.asarray(tensor.numpy())

    verdict = judge(actgrad.operators[name], {}, list(map(numbers, inputs)), [numbers(functions[name](*inputs))])
    assert verdict.holds, verdict.outcomes


@pytest.mark.parametrize("name", ["silu", "gelu", "mish", "swish"])
def test_the_sign_of_zero_is_judged_at_minus_infinity(name: str) -> None:
    x = np.array([-np.inf, -0.0, 0.0, 1.0], np.float32)
    out = actgrad.operators[name](x)
    assert np.signbit(out[0])
    assert judge(actgrad.operators[name], {}, [x], [out]).holds
    verdict = judge(actgrad.operators[name], {}, [x], [out + np.float32(0)])
    assert not verdict.holds
    assert verdict.failing == 1
    out[1:3] = 0.0, -0.0  # the contract says nothing of these
    assert judge(actgrad.operators[name], {}, [x], [out]).holds


def test_a_diagnosis_alone_rejects_nothing(folder: Path, capsys: Capture) -> None:
    def shorter(y: np.ndarray) -> None:
        y[...] = (y.view(np.uint32) & np.uint32(0xFFFFFF00)).view(np.float32)  # 15 bits remain

    saved(np.float32, shorter)
    verdict = judge(actgrad.elu_backward, {}, [np.load("g.npy"), np.load("x.npy")], [np.load("y.npy")])
    assert verdict.holds
    assert verdict.failing
    assert status(*CALL) == 0
    out = capsys.readouterr().out
    assert "looks like:" in out
    assert out.splitlines()[-1].startswith("ACCEPTED: ")


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int8])
def test_without_a_published_standard_our_own_decides(dtype: Any, folder: Path, capsys: Capture) -> None:
    x = np.arange(-50, 50).astype(dtype)
    np.save("x.npy", x)
    np.save("y.npy", actgrad.selu(x))
    call = ["check", "selu", "--inputs", "x.npy", "--actual", "y.npy"]
    assert status(*call) == 0
    name = np.dtype(dtype).name
    end = f"ULP, NaN and infinity hold; no published standard is defined for {name}"
    assert last_line(capsys.readouterr()) == f"ACCEPTED: {end}"
    wrong = actgrad.selu(x)
    wrong[3] += 1
    np.save("y.npy", wrong)
    assert status(*call) == 1
    assert last_line(capsys.readouterr()).startswith("REJECTED: ULP fails")
    assert not judge(actgrad.selu, {}, [x], [wrong]).holds


@pytest.mark.parametrize("is_right", [True, False])
def test_reports_say_what_the_last_line_says(is_right: bool, folder: Path, capsys: Capture) -> None:
    saved(np.float16, ulps(1) if is_right else ulps(999, 30))
    code = status(*CALL, "--json", "r.json", "--html", "r.html")
    last = last_line(capsys.readouterr())
    document, page = json.loads(Path("r.json").read_text()), Path("r.html").read_text()
    assert code == int(not is_right)
    assert document["holds"] is is_right
    assert f"{document['verdict']}: {document['why']}" == last
    assert f"<h1>actgrad check: {document['verdict']}</h1>\n<p>{document['why']}.</p>" in page
    (result,) = document["results"]
    assert result["verdict"]["holds"] is is_right
    counts = {o["standard"]: o["counts"] for output in result["verdict"]["outputs"] for o in output["outcomes"]}
    assert counts == {"mixed": True, "mere-mare": False, "thousandth": False, "ulp": False, "nonfinite": True}
    assert document["strict"] is False
    assert status(*CALL, "--json", "-") == code
    captured = capsys.readouterr()
    assert json.loads(captured.out)["why"] == document["why"]
    assert f"actgrad: {last}" in captured.err


# Our own backends, and cases


@pytest.fixture
def one_unit_off(monkeypatch: pytest.MonkeyPatch) -> None:
    compute = backend_cases.compute

    def near(case: Any, backend: str, outputs: Any) -> None:
        compute(case, backend, outputs)
        one = outputs[0].reshape(-1)
        if one.size and outputs[0].flags.c_contiguous and case.dtype == "float16" and abs(one[0]) > 1e-3:
            one[0] = np.nextafter(one[0], np.float16(np.inf))

    monkeypatch.setattr(backend_cases, "compute", near)


def test_backends(one_unit_off: None, folder: Path, capsys: Capture) -> None:
    call = ["check", "elu", "--dtype", "float16"]
    assert status(*call) == 0
    assert last_line(capsys.readouterr()).startswith("ACCEPTED: ")
    assert status(*call, "--strict") == 1
    assert re.match(r"REJECTED: \d+ of \d+ cases fail; ULP fails; ", last_line(capsys.readouterr()))


def test_cases(one_unit_off: None, folder: Path, capsys: Capture) -> None:
    cases = [atk_case(), atk_case(id=4, inputs=[tensor(dtype="fp32")]), atk_case(id=5, aclnn_name="aclnnReloo")]
    Path("c.json").write_text(json.dumps(cases))
    assert status("check", "--cases", "c.json", "--results", "r.json") == 0
    assert last_line(capsys.readouterr()) == "ACCEPTED: MERE and MARE holds; 1 of 3 cases were not run"
    assert status("check", "--cases", "c.json", "--results", "r.json", "--strict") == 1
    assert last_line(capsys.readouterr()).startswith("REJECTED: 1 of 2 cases fail; ULP fails; MERE and MARE holds; ")
    found = [case["result"]["precision_status"] for case in json.loads(Path("r.json").read_text())]
    assert found == ["FAIL", "PASS", "NOT_RUN"]


def test_a_call_that_should_be_refused_rejects_in_the_report_too(folder: Path, capsys: Capture) -> None:
    Path("c.json").write_text(json.dumps([atk_case(expected_error_msg="161002")]))
    assert status("check", "--cases", "c.json", "--json", "r.json") == 1
    document = json.loads(Path("r.json").read_text())
    assert (document["holds"], document["verdict"]) == (False, "REJECTED")
    assert "0 of 1 calls that must be refused were refused" in document["why"]


def test_strict_goes_with_what_is_judged_by_standards(folder: Path, capsys: Capture) -> None:
    assert status("check", "--exhaustive", "--strict") == 2
    assert "--strict and --exhaustive cannot be combined" in capsys.readouterr().err
