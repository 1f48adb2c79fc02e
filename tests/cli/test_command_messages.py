"""A wrong command line is one line, which says what to type; other spellings of names are accepted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import actgrad
from actgrad.ascend.products import CHIPS
from actgrad.base.dtypes import ALIASES, BY_NAME
from actgrad.cli import argument_types
from actgrad.cli.main import main
from tests.support.calls import status
from tests.support.messages import check

pytestmark = pytest.mark.needs("judge")

Capture = pytest.CaptureFixture[str]

#: A wrong call, and words that its message has.
WRONG = {
    "a command": (["chek"], ["chek", "check"]),
    "an option": (["list", "--jsn"], ["--jsn", "--json"]),
    "an option far from all": (["cache", "--zzz"], ["--zzz"]),
    "two forms": (["list", "--json", "--markdown"], ["--json", "--markdown"]),
    "a value left out": (["check", "elu", "--seed"], ["--seed"]),
    "a value too many": (["check", "elu", "--strict=1"], ["--strict"]),
    "an option with a value": (["check", "--standrd", "mixed"], ["--standrd", "did you mean --standard?"]),
    "an option with =": (["check", "elu", "--dtpe=fp16"], ["--dtpe", "did you mean --dtype?"]),
    "an option late with a value": (["check", "--manifest", "d", "--jbs", "2"], ["--jbs", "did you mean --jobs?"]),
    "a chip in small letters": (["check", "elu", "--product", "ascend910b3"], ["did you mean Ascend910B3?"]),
    "a chip's number": (["check", "elu", "--product", "910B"], ["did you mean Ascend910B?"]),
    "a short option": (["check", "elu", "--st"], ["--st", "--strict"]),
    "an operator": (["check", "reloo"], ["reloo", "relu"]),
    "a name of CANN, misspelled": (["check", "aclnnEluBackwrd"], ["did you mean elu_backward?"]),
    "an operator late": (["check", "elu", "--json", "-", "reloo"], ["reloo", "relu"]),
    "a dtype": (["check", "elu", "--dtype", "fp17"], ["fp17", "bfloat16"]),
    "a dtype of 8 bits": (["check", "elu", "--dtype", "float8"], ["float8", "bfloat16", "name one of these"]),
    "a product": (["check", "elu", "--product", "ascend910b"], ["ascend910b", "Ascend910B"]),
    "a standard": (["check", "elu", "--standard", "mixd"], ["mixd", "mixed"]),
    "a seed": (["check", "elu", "--seed", "x"], ["--seed"]),
    "a backend": (["check", "elu", "--backend", "gpu"], ["--backend"]),
    "a dtype of none": (["check", "elu", "--dtype", "int8"], ["elu", "int8", "--dtype"]),
    "inputs alone": (["check", "elu", "--inputs", "x.npy"], ["--inputs", "--actual"]),
    "actual alone": (["check", "elu", "--actual", "x.npy"], ["--inputs", "--actual"]),
    "one input too few": (["check", "elu_backward", "--inputs", "x.npy", "--actual", "x.npy"], ["1 file"]),
    "an attribute without a value": (
        ["check", "elu", "--inputs", "x.npy", "--actual", "x.npy", "--attr", "alpha"], ["NAME=VALUE"],
    ),
    "an attribute": (
        ["check", "elu", "--inputs", "x.npy", "--actual", "x.npy", "--attr", "alfa=1"], ["alfa", "alpha"],
    ),
    "a file": (["check", "elu", "--inputs", "gone.npy", "--actual", "x.npy"], ["gone.npy", "no such file"]),
    "a truncated file": (["check", "elu", "--inputs", "cut.npy", "--actual", "x.npy"], ["cut.npy", "truncated"]),
    "a truncated header": (["check", "elu", "--inputs", "head.npy", "--actual", "x.npy"], ["head.npy", "truncated"]),
    "a folder": (["check", "elu", "--inputs", "sub.npy", "--actual", "x.npy"], ["sub.npy"]),
    "a case file": (["check", "--cases", "gone.json"], ["gone.json", "no such file"]),
    "cases without a file": (["cases", "elu"], ["-o"]),
    "cases of an operator that the product lacks": (
        ["cases", "elu", "-o", "c.json", "--product", "Ascend310B1"], ["elu", "Ascend310B"],
    ),
    "a product's market name": (["list", "gelu", "--product", "Atlas A3 series"], ["did you mean Ascend910_93?"]),
    "a market name of two products": (["list", "--product", "A2"], ["did you mean Ascend910B or Ascend310B?"]),
    "a chip among names": (["list", "gelu", "Ascend310P3"], ["--product Ascend310P3"]),
    "a status": (["list", "161002"], ["docs/statuses.md", "aclGetRecentErrMsg()"]),
    "a program without --run": (["sdk", "prog.py"], ["--run prog.py"]),
    "run without its hyphens": (["sdk", "run", "prog.py"], ["actgrad sdk --run program.cpp"]),
    "a name of no operator": (["list", "reloo"], ["reloo", "relu"]),
    "a program in Python": (["sdk", "--run", "prog.py"], ["prog.py", "C or C++ program"]),
    "no program": (["sdk", "--run"], ["--run"]),
    "a program that is gone": (["sdk", "--run", "gone.c"], ["gone.c", "no such file"]),
    "no findings as JSON": (["sdk", "--json", "out"], ["--json", "--check"]),
    "a flag for no program": (["sdk", "--flag=-O2", "out"], ["--flag", "--run"]),
    "no name of a program": (["sdk", "--run", ""], ["--run has no value"]),
    "no name of a file": (["check", "--cases", ""], ["--cases", "empty text"]),
    "a file without a suffix": (["check", "elu", "--inputs", "x", "--actual", "x.npy"], ["x", "no suffix"]),
    "nothing to do": (["sdk"], ["PREFIX"]),
    "a removed command": (["bench"], ["bench"]),
    "epochs": (["demo", "--epochs", "0"], ["--epochs"]),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.zeros(4, np.float32))
    whole = Path("x.npy").read_bytes()
    Path("cut.npy").write_bytes(whole[:-3])
    Path("head.npy").write_bytes(whole[:40])
    Path("sub.npy").mkdir()
    Path("prog.py").write_text("print(1)\n")
    return tmp_path


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_call_is_one_line(kind: str, folder: Path, capsys: Capture) -> None:
    words, names = WRONG[kind]
    assert status(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = [line for line in captured.err.splitlines() if not line.startswith("checking")]
    assert line.startswith("actgrad: ")
    assert "usage" not in line
    check(line.removeprefix("actgrad: "))
    assert all(name in line for name in names), line


@pytest.mark.parametrize("command", ["chek", "nonsense"])
def test_removed_commands_are_not_listed(command: str, capsys: Capture) -> None:
    assert status(command) == 2
    assert not {"bench", "plot"} & set(capsys.readouterr().err.replace(",", " ").replace(";", " ").split())


def test_help_and_versions(capsys: Capture) -> None:
    assert status() == 0
    text = capsys.readouterr().out
    assert text.startswith("usage: actgrad ")
    assert "bench" not in text
    assert status("help") == 0
    assert capsys.readouterr().out == text
    assert status("-V") == 0
    assert capsys.readouterr().out == f"actgrad {actgrad.__version__}\n"


#: A newcomer's question, the command whose help answers it, and the words of the answer in the first ten lines.
QUESTIONS = {
    "run my C program": ([], "actgrad sdk --run program.cpp"),
    "run my C program, with the command known": (["sdk"], "--run PROGRAM "),
    "check my kernel": ([], "actgrad kernel check kernel.cpp"),
    "judge outputs": (["check"], "  --actual "),
    "status 161002": ([], "docs/statuses.md"),
    "data types on my chip": ([], "actgrad list gelu --product Ascend310P"),
    "lower memory": ([], "actgrad.torch.convert(model)"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_first_ten_lines_answer(question: str, capsys: Capture) -> None:
    words, answer = QUESTIONS[question]
    status(*words, "--help")
    assert answer in "".join(capsys.readouterr().out.splitlines(keepends=True)[:10])


@pytest.mark.parametrize("operator", actgrad.operators.values(), ids=lambda one: one.name)
def test_other_names_of_operators(operator: actgrad.Operator) -> None:
    names = [operator.name, operator.name.replace("_", "-"), operator.name.upper()]
    assert [argument_types.resolved(name) for name in names] == [operator.name] * 3
    for name in [f"aclnn{c.name}" for c in operator.aclnn] + [graph.name for graph in operator.graphs]:
        resolved = argument_types.resolved(name)
        assert resolved is not None, name
        known = actgrad.operators[resolved]
        aclnn, graphs = {f"aclnn{c.name}" for c in known.aclnn}, {graph.name for graph in known.graphs}
        assert argument_types.resolved(f"{name}GetWorkspaceSize") == resolved
        is_of_both = f"aclnn{name}" in aclnn  # the C function of one operator, the graph operator of another
        assert name in aclnn | graphs or is_of_both or resolved in names or resolved.replace("_", "") == name.lower()


def test_other_names_of_dtypes_and_products() -> None:
    assert [argument_types.dtype(name) for name in (*BY_NAME, *ALIASES)] == [*BY_NAME, *ALIASES.values()]
    assert {"fp16", "bf16", "half", "fp32", "double"} <= ALIASES.keys()
    for product, (chip, _) in CHIPS.items():
        assert argument_types.product(chip) == argument_types.product(product) == product
    assert argument_types.product("Ascend910B3") == "Ascend910B"


@pytest.mark.parametrize("before", [True, False])
def test_json_may_stand_anywhere(before: bool, capsys: Capture) -> None:
    words = ["--json", "list", "Elu"] if before else ["list", "aclnnElu", "--json"]
    assert main(words) == 0
    assert next(row["name"] for row in json.loads(capsys.readouterr().out)) == "elu"


def test_list_filters(capsys: Capture) -> None:
    def names(*words: str) -> list[str]:
        assert main(["list", *words, "--json"]) == 0
        return [row["name"] for row in json.loads(capsys.readouterr().out)]

    assert names("elu") == names("Elu") == names("aclnnElu") == ["elu", "elu_backward"]
    assert names("elu-backward") == ["elu_backward"]
    assert set(names("glu_back")) == {name for name in actgrad.operators if "glu_back" in name}
    assert names() == list(actgrad.operators)
    assert names("--product", "Ascend310P3") == [
        one.name for one in actgrad.operators.values() if "Ascend310P" in one.products
    ]
    assert main(["list", "leaky_relu", "--product", "Ascend910A", "--json"]) == 0
    assert all("bfloat16" not in row["dtypes"] for row in json.loads(capsys.readouterr().out))


def test_cases_of_a_product_have_its_dtypes(folder: Path, capsys: Capture) -> None:
    assert main(["cases", "aclnnLeakyRelu", "-o", "c.json", "--product", "Ascend910A"]) == 0
    cases = json.loads(Path("c.json").read_text(encoding="utf-8"))
    dtypes = {tensor["dtype"] for case in cases for tensor in case["inputs"] if tensor["type"] == "tensor"}
    assert dtypes
    assert "bf16" not in dtypes


def test_no_figure_is_cut_at_80_columns(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    for words in (["check", "selu", "--dtype", "half"], ["check", "selu", "--dtype", "half", "-v"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert "\N{HORIZONTAL ELLIPSIS}" not in out
        assert "selu" in out
        assert "float16" in out
        tables = [line for line in out.splitlines() if line.startswith(" ")]
        assert max(len(line.rstrip()) for line in tables) <= 80
    assert main(["check", "selu", "--dtype", "half"]) == 0
    table = capsys.readouterr().out.splitlines()[:-1]
    assert max(len(line.rstrip()) for line in table) <= 80
    assert os.environ["COLUMNS"] == "80"
    assert any("verdict" in line and "cases" in line and "worst error" in line for line in table)
