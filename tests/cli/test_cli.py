"""The command line: what it prints where, and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import actgrad
from actgrad.cli import commands, list_command
from actgrad.cli.main import main
from tests.support.calls import run_script

#: What a command asks of a module that is no command.
NOT_LISTED = {"--version": "lines", "check --cases": "judged"}
COMMAND_NAMES = list(commands.listed())


def process(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-m", "actgrad", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.needs("ascend")
def test_list_prints_every_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for operator in actgrad.operators.values():
        assert str(operator.schema) in lines
        assert all(any(f"aclnn{c.name}" in line for line in lines) for c in operator.aclnn)


@pytest.mark.needs("ascend")
def test_list_does_not_depend_on_the_environment() -> None:
    """Only --product lists what a product takes. A wrong variable is an error of the commands that judge calls."""
    usual = run_script("from actgrad.cli.main import main\nmain(['list', 'gelu'])")
    assert "float64" in usual
    for product in ("Ascend310P", "nonsense"):
        assert run_script("from actgrad.cli.main import main\nmain(['list', 'gelu'])", ACTGRAD_PRODUCT=product) == usual


@pytest.mark.needs("ascend")
def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    captured = capsys.readouterr()
    rows = {row["name"]: row for row in json.loads(captured.out)}
    assert list(rows) == list(actgrad.operators)
    assert captured.err == ""
    for name, operator in actgrad.operators.items():
        assert rows[name]["schema"] == str(operator.schema)
        assert rows[name]["dtypes"] == list(operator.input_dtypes)
        assert rows[name]["products"] == list(operator.products)
    assert rows["geglu_backward"]["aclnn"] == ["aclnnGeGluBackward", "aclnnGeGluV3Backward"]
    assert rows["geglu_backward"]["ir"] == ["GeGluGradV2"]
    assert rows["geglu_packed"]["aclnn"] == []


def test_summaries_are_one_line_each_and_have_a_source() -> None:
    for row in list_command.rows():
        assert row["summary"]
        assert "\n" not in row["summary"]
        assert not row["summary"].endswith(".")
        assert "https://" in row["paper"] or "http://" in row["paper"]


def test_markdown_table_has_a_row_per_operator(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--markdown"]) == 0
    header, rule, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(actgrad.operators)
    assert {line.count(" | ") for line in (header, rule, *rows)} == {4}


@pytest.mark.parametrize("command", [[], *([name] for name in COMMAND_NAMES)], ids=" ".join)
def test_help_has_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    _, _, examples = capsys.readouterr().out.partition("examples:\n")
    assert f"  actgrad {' '.join(command)}" in examples


def test_the_help_of_all_commands_imports_no_wing() -> None:
    run_script(
        "import sys; from actgrad.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {f'actgrad.{wing}' for wing in ('ascend', 'judge', 'kernel', 'torch')} & set(sys.modules)"
    )


def test_every_entry_has_its_module() -> None:
    for each in commands._all():
        assert callable(getattr(each.load(), "add_arguments" if each.summary else NOT_LISTED[each.words])), each
    assert NOT_LISTED.keys() >= {each.words for each in commands._all() if not each.summary}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"actgrad {actgrad.__version__}\n"


def test_verbose_version_tells_what_computes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "--verbose"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["actgrad"] == actgrad.__version__
    assert lines["Python"].startswith(sys.version.split()[0])
    assert {"NumPy", "ml_dtypes", "llvmlite", "PyTorch"} <= set(lines)
    assert "-bit vectors" in lines["processor"]
    assert "thread" in lines["OpenMP"]


@pytest.mark.parametrize("wrong", [["dance"], ["list", "--loud"], ["list", "--json", "--markdown"]], ids=" ".join)
def test_a_wrong_call_ends_with_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(wrong)
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("actgrad: ")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["--help"], ["cache"]], ids=" ".join)
def test_a_pipe_without_a_reader_ends_quietly(arguments: list[str]) -> None:
    with process(*arguments) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.close()
        assert command.stderr.read() == ""
    assert command.returncode == 141  # the shell's number for SIGPIPE
