"""`actgrad kernel check`: kernels, operator projects, faults, wrong numbers, refusals, reports."""

from __future__ import annotations

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("actgrad.kernel")

from actgrad.calls.operator import REGISTRY
from actgrad.cli.main import main
from actgrad.judge.kernels.fixed_tiling import TilingCase, read

EXAMPLES = Path(__file__).parents[2] / "examples/kernel"
KERNEL = (EXAMPLES / "celu.cpp").read_text(encoding="utf-8")
FIELDS = {"total": "elements", "perBlock": "elements_per_block", "tile": 2048, "alpha": "alpha"}
RIGHT = ("DataCopyPad(in, xGm[at], copy, {false, 0, 0, 0.0f});", "inQueue.EnQue(in);")

pytestmark = [pytest.mark.skipif(shutil.which("g++") is None, reason="no g++"), pytest.mark.share(6)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "celu.cpp").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "tiling.json").write_text(json.dumps(FIELDS), encoding="utf-8")
    return tmp_path


def check(*words: str, kernel: str = "celu.cpp", cases: int = 8, tiling: str = "tiling.json") -> int:
    return main([
        "kernel", "check", kernel, "--operator", "celu", "--tiling", tiling, "--tiling-struct", "CeluTiling",
        "--cases", str(cases), *words,
    ])  # fmt: skip


def report(capsys: pytest.CaptureFixture[str], *words: str, **options: Any) -> tuple[int, dict[str, Any]]:
    status = check("--json", "-", *words, **options)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, document


def planted(folder: Path, *changes: tuple[str, str]) -> None:
    text = KERNEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "celu.cpp").write_text(text, encoding="utf-8")


def line_of(folder: Path, part: str, file: str = "celu.cpp") -> int:
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    return next(number for number, text in enumerate(lines, 1) if part in text)


def test_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check() == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1].startswith("ACCEPTED: no fault in 9 cases; mixed tolerance, NaN and infinity hold")
    assert "assumed: nan_in_max_min = propagate" in printed


@pytest.mark.share(6)
@pytest.mark.parametrize(
    ("change", "kind", "at"),
    [
        ((RIGHT[0], "DataCopy(in, xGm[at], count);"), "copy-length", "DataCopy(in"),
        ((RIGHT[0], "DataCopyPad(in, xGm[at + 1], copy, {false, 0, 0, 0.0f});"), "gm-read-out-of-bounds", "at + 1"),
        (("DataCopyPad(yGm[at], out", "DataCopyPad(yGm[at + 1], out"), "gm-write-out-of-bounds", "at + 1"),
        (("GetBlockIdx() * t.perBlock", "GetBlockIdx() * t.perBlock / 2"), "gm-overlapping-writes", "yGm[at]"),
        (("inQueue.FreeTensor(in);", "inQueue.FreeTensor(in); inQueue.FreeTensor(in);"), "queue-double-free", "Free"),
        (("Adds(out, out, -1.0f, count);", "Adds(out, out, -1.0f, 4096);"), "ub-out-of-bounds", "4096"),
        (("outQueue, 2, t.tile", "outQueue, 2, 64 * t.tile"), "ub-capacity", "64 * t.tile"),
        (("        inQueue.FreeTensor(in);\n", ""), "deadlock", "inQueue.AllocTensor"),
        (("Exp(out, out, count);", "while (true) { }"), "timeout", ""),
        (("const uint32_t first", "*(volatile int*)8 = 1; const uint32_t first"), "crash", ""),
    ],
    ids=lambda value: value if isinstance(value, str) and "-" in value else None,
)
def test_faults_have_lines(
    folder: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], kind: str, at: str
) -> None:
    planted(folder, change)
    status, document = report(capsys, "--timeout", "2")
    assert (status, document["verdict"]) == (1, "REJECTED")
    faults = {fault["kind"]: fault for fault in document["faults"]}
    assert kind in faults, faults
    assert kind in document["why"]
    if at:
        assert Path(faults[kind]["file"]).name == "celu.cpp"
        assert at in source(folder)[faults[kind]["line"] - 1]


def source(folder: Path) -> list[str]:
    return (folder / "celu.cpp").read_text(encoding="utf-8").splitlines()


def test_the_text_shows_the_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted(folder, (RIGHT[1], ""), ("        in = inQueue.DeQue<float>();\n", ""))
    assert check() == 1
    printed = capsys.readouterr().out
    line = line_of(folder, "Muls(out, in")
    assert f"celu.cpp:{line}: error: V reads what MTE2 wrote" in printed
    assert "    Muls(out, in, 1.0f / t.alpha, count);" in printed
    assert "REJECTED: " in printed.splitlines()[-1]
    assert "sync-missing" in printed.splitlines()[-1]


def test_a_mistake_in_the_numbers_has_a_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--json", "report.json", tiling=json.dumps({**FIELDS, "alpha": 1.0}), cases=24) == 1
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert document["faults"] == []
    mistakes = {one["mistake"] for result in document["results"] for one in result["verdict"]["diagnoses"]}
    assert "missing-alpha" in mistakes
    assert "cases: looks like: " in capsys.readouterr().out


def test_elements_that_the_kernel_does_not_write(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted(folder, ("const uint32_t last = ", "const uint32_t last = GetBlockIdx() == 1 ? 0 : "))
    status, document = report(capsys)
    assert status == 1
    assert not all(result["verdict"]["holds"] for result in document["results"])


def test_timeouts_end_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted(folder, ("Exp(out, out, count);", "while (true) { }"))
    status, document = report(capsys, "--timeout", "1", cases=30)
    assert status == 1
    assert document["cases"] == {"drawn": 31, "run": 1, "judged": 0}
    assert "30 of 30 cases were not run" in document["why"]


def test_json_has_what_the_text_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--json", "report.json") == 0
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert document["verdict"] == "ACCEPTED"
    assert document["cases"] == {"drawn": 9, "run": 9, "judged": 9}
    assert document["instances"] == [{"entry": "celu", "tiling_key": 0}]
    assert document["parameters"] == "x = self, y = out"
    assert len(document["results"]) == 9
    assert {one["name"] for one in document["assumptions"]} >= {"nan_in_max_min", "accuracy"}


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_shows_faults_and_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted(folder, (RIGHT[0], "DataCopy(in, xGm[at], count); // <script>"))
    assert check("--html", "report.html") == 1
    page = Tags((folder / "report.html").read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert page.tags.count("svg") >= 2
    assert "actgrad check: REJECTED" in page.text
    assert f"celu.cpp:{line_of(folder, 'DataCopy(in')}: error: DataCopy of" in page.text
    assert "DataCopy(in, xGm[at], count); // <script>" in page.text
    assert "nan_in_max_min" in page.text


OWN = '''
from actgrad import Operator
from actgrad.base.xp import exp, minimum, maximum

def formula(x, alpha):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)"""
    return maximum(x, 0.0) + minimum(alpha * (exp(x / alpha) - 1.0), 0.0)

kernel_check_bent = Operator(
    "kernel_check_bent(Tensor self, Scalar alpha=1) -> Tensor out",
    summary="max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)",
    formula=formula,
    requires={"alpha > 0": lambda a: a["alpha"] > 0},
)
'''


def test_an_operator_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    (folder / "tiling.py").write_text(
        "def tiling(case):\n"
        "    assert case.inputs['self'].size == case.elements and case.rows * case.columns == case.elements\n"
        "    return {'total': case.elements, 'perBlock': -(-case.elements // case.blocks), 'tile': 1024,\n"
        "            'alpha': case.attributes['alpha']}\n"
    )
    words = ["kernel", "check", "celu.cpp", "--operators", "own.py", "--tiling", "tiling.py", "--cases", "8"]
    words += ["--tiling-struct", "CeluTiling", "--operator", "kernel_check_bent"]
    try:
        assert main(words) == 0
        assert "ACCEPTED" in capsys.readouterr().out
        (folder / "tiling.py").write_text("def tiling(case):\n    return {'total': case.nothing}\n")
        assert main([*words[:3], *words[5:]]) == 2
        assert "tiling.py:2: AttributeError" in capsys.readouterr().err
    finally:
        REGISTRY.pop("kernel_check_bent", None)


# Operator projects


def test_a_project_in_the_layout_of_ops_nn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EXAMPLES / "celu", "celu")
    assert main(["kernel", "check", "celu", "--cases", "9", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["operator"] == "celu"
    assert document["dtypes"] == ["float16", "bfloat16", "float32"]
    assert document["cases"]["judged"] == 12
    assert document["product"] == "Ascend910B"
    tiling = Path("celu/op_host/celu_tiling.cpp")
    tiling.write_text(
        tiling.read_text().replace("const uint64_t total =", "if (1) return ge::GRAPH_FAILED; auto total =")
    )
    assert main(["kernel", "check", "celu", "--cases", "3", "--dtypes", "float32"]) == 1
    printed = capsys.readouterr().out
    assert "the tiling function refuses 4 of 4 cases" in printed.splitlines()[-1]


def test_a_project_in_the_layout_of_msopgen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One file has tiling and definition; a header declares the tiling data with macros; the kernel names no struct."""
    monkeypatch.chdir(tmp_path)
    host, kernel = tmp_path / "op_host", tmp_path / "op_kernel"
    host.mkdir(), kernel.mkdir()
    (host / "celu_tiling.h").write_text(
        '#include "register/tilingdata_base.h"\nnamespace optiling {\nBEGIN_TILING_DATA_DEF(CeluTilingData)\n'
        "TILING_DATA_FIELD_DEF(uint64_t, total);\nTILING_DATA_FIELD_DEF(uint64_t, perBlock);\n"
        "TILING_DATA_FIELD_DEF(uint32_t, tile);\nTILING_DATA_FIELD_DEF(float, alpha);\nEND_TILING_DATA_DEF;\n"
        "REGISTER_TILING_DATA_CLASS(Celu, CeluTilingData)\n}\n"
    )
    definition = (EXAMPLES / "celu/op_host/celu_def.cpp").read_text()
    definition = definition.replace("this->AICore()", "this->AICore().SetTiling(optiling::TilingFunc)")
    (host / "celu.cpp").write_text(
        '#include "celu_tiling.h"\n#include "register/op_def_registry.h"\nnamespace optiling {\n'
        "static ge::graphStatus TilingFunc(gert::TilingContext* context)\n{\n    CeluTilingData tiling;\n"
        "    uint64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();\n"
        "    tiling.set_total(total); tiling.set_perBlock((total + 3) / 4); tiling.set_tile(1024);\n"
        "    tiling.set_alpha(*context->GetAttrs()->GetFloat(0));\n    context->SetBlockDim(4);\n"
        "    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());\n"
        "    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());\n    return ge::GRAPH_SUCCESS;\n}\n}\n"
        + definition
    )
    text = (EXAMPLES / "celu/op_kernel/celu.cpp").read_text()
    text = text.replace("    REGISTER_TILING_DEFAULT(CeluTilingData);\n", "").replace(
        '#include "celu_tiling_data.h"\n', ""
    )
    text = text.replace("GET_TILING_DATA_WITH_STRUCT(CeluTilingData, data, tiling);", "GET_TILING_DATA(data, tiling);")
    text = text.replace("const CeluTilingData& data", "const optiling::CeluTilingData& data")
    (kernel / "celu.cpp").write_text(text)
    assert main(["kernel", "check", ".", "--cases", "6", "--dtypes", "float32,float16", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["dtypes"] == ["float32", "float16"]
    assert document["cases"]["judged"] == 8


# What cannot be used


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.cpp", "--operator", "celu"], "missing.cpp: no such file; it must be a kernel's C++ file"),
        (["celu.cpp"], "--operator is missing"),
        (["celu.cpp", "--operator", "cellu"], "did you mean celu?"),
        (["celu.cpp", "--operator", "celu", "--entry", "selu", "--tiling", "tiling.json"], "selu"),
        (["celu.cpp", "--operator", "celu", "--tiling", '{"total": "element"}'], "did you mean elements?"),
        (["celu.cpp", "--operator", "celu", "--tiling", "{total"], "it must be JSON"),
        (["celu.cpp", "--operator", "celu", "--tiling", "none.json"], "no such file"),
        (["celu.cpp", "--operator", "celu", "--dtypes", "int8"], "does not take int8"),
        (["celu.cpp", "--operator", "celu", "--arguments", "self,y"], "--arguments has 'y'"),
        (["celu.cpp", "--operator", "celu", "--host", "celu.cpp", "--blocks", "3"], "--blocks and --host"),
        (["celu.cpp", "--operator", "celu", "--operators", "none.py"], "none.py: no such file"),
        (["celu.cpp", "--operator", "celu", "--json", "celu.cpp"], "is the input celu.cpp"),
        ([".", "--operator", "celu"], "is no operator project; it must have the folders op_host and op_kernel"),
    ],
)
def test_errors(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    try:
        status = main(["kernel", "check", *words])
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 2
    assert message in capsys.readouterr().err


def test_a_kernel_that_does_not_compile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted(folder, ("Exp(out, out, count);", "Expp(out, out, count);"))
    assert check() == 2
    said = capsys.readouterr().err
    assert f"celu.cpp:{line_of(folder, 'Expp')}: does not compile" in said
    assert "Expp" in said


def test_numbers_of_the_case() -> None:
    import numpy as np

    case = TilingCase({}, {"out": np.zeros((3, 5, 7), np.float16)}, {"alpha": 0.5, "approximate": "tanh"}, 4)
    text = (
        '{"a": "elements", "b": ["rows", "columns", "blocks"], "c": {"d": "elements_per_block"}, "e": "rows_per_block",'
    )
    filled = read(text + ' "f": "itemsize", "g": "alpha", "h": 3}')(case)
    assert filled == {"a": 105, "b": [15, 7, 4], "c": {"d": 27}, "e": 4, "f": 2, "g": 0.5, "h": 3}
    with pytest.raises(Exception, match="it must be a number"):
        read('{"a": "approximate"}')(case)
