"""The version stands in one place, and `actgrad --version --verbose` tells what a fault may depend on."""

from __future__ import annotations

import os
import re
import sys
from importlib import metadata, util
from pathlib import Path

import llvmlite
import pytest

import actgrad
from actgrad.ascend.sdk import builder
from actgrad.backends.cpu import code_cache, target, threads
from actgrad.base.errors import BackendUnavailable
from actgrad.cli import version_command
from actgrad.cli.main import main
from tests.support.calls import run_script

ROOT = Path(__file__).parents[2]


def told() -> dict[str, str]:
    """The report's lines, by what they are of."""
    lines = version_command.report().splitlines()
    return {line[: version_command.WIDTH].rstrip(): line[version_command.WIDTH + 1 :] for line in lines}


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_one_version() -> None:
    """In __init__.py; what cannot read it there says the same."""
    version = re.escape(actgrad.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {version}$", citation, flags=re.M)
    changes = re.findall(r"^## (\S+) - \S+$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)
    assert changes[0] == actgrad.__version__, "a heading ends in (not released) until then"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"' in project
    assert not re.search(r"^version\s*=", project, flags=re.M)
    quoted = re.compile(rf"""["']v?{version}["']""")
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".c", ".h", ".in")]
    assert [path.name for path in sources if quoted.search(path.read_text(encoding="utf-8"))] == ["__init__.py"]


def test_every_line_says_something() -> None:
    lines = told()
    assert list(lines) == [
        "actgrad", "package", "Python", "NumPy", "ml_dtypes", "llvmlite", "PyTorch", "Triton", "fast path", "processor",
        "OpenMP", "cache", "GPU", "C compiler", "C++ compiler", "SDK programs", "environment",
    ]  # fmt: skip
    assert all(lines.values())
    assert lines["actgrad"] == actgrad.__version__
    assert lines["package"] == str(Path(actgrad.__file__).parent)
    assert lines["Python"].startswith(sys.version.split()[0] + " (CPython")
    assert lines["NumPy"] == metadata.version("numpy")
    assert lines["ml_dtypes"] == metadata.version("ml_dtypes")
    assert re.fullmatch(rf"{re.escape(llvmlite.__version__)}, LLVM \d+\.\d+\.\d+", lines["llvmlite"])
    assert lines["processor"] == f"{target.host()} ({target.host().cpu})"
    assert "-bit vectors" in lines["processor"]


def test_the_command_prints_the_report(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "entries", lambda: dict.fromkeys("ab", 1))  # tests beside fill it
    assert main(["--version", "--verbose"]) == 0
    assert capsys.readouterr().out == version_command.report() + "\n"


def test_pytorch_is_not_imported() -> None:
    report = "from actgrad.cli import version_command; version_command.report()"
    run_script(f"import sys; {report}; assert 'torch' not in sys.modules")


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("cuda = None\nhip = None", "9.9, built for the CPU only"),
        ("cuda = '12.8'\nhip = None", "9.9, built for CUDA 12.8"),
        ("hip = '6.4'", "9.9, built for ROCm 6.4"),
        ("raise OSError", "9.9, whose kind of build is unknown: OSError"),
        (None, "9.9, whose kind of build is unknown: FileNotFoundError"),
    ],
)
def test_pytorch_by_its_own_note(note: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise RuntimeError('it was imported')", encoding="utf-8")
    if note is not None:
        (tmp_path / "torch" / "version.py").write_text(note, encoding="utf-8")
    (tmp_path / "torch-9.9.dist-info").mkdir()
    (tmp_path / "torch-9.9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.9\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert told()["PyTorch"] == words


def test_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No PyTorch, no Triton, no OpenMP, no compiler, no variables."""

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    find_spec = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: find_spec(name) if name == "actgrad.ascend.sdk" else None)
    monkeypatch.setattr(threads, "runtime", lambda: "none")
    monkeypatch.setattr(builder, "_shared_library", lambda: "")
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in [name for name in os.environ if name.startswith((*version_command.VARIABLES, "CC", "CXX"))]:
        monkeypatch.delenv(name)
    lines = told()
    assert lines["PyTorch"] == lines["Triton"] == lines["NumPy"] == "not installed"
    assert lines["OpenMP"] == "no runtime found: one thread"
    assert lines["C compiler"] == "no C compiler is on PATH"
    assert lines["C++ compiler"] == "no C++ compiler is on PATH"
    assert "server" in lines["SDK programs"]
    assert lines["environment"] == "no variable that changes results is set"
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    assert told()["C compiler"] == "CC is 'no-such-compiler -m64'"


def test_programs_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "mycc", 'test "$1 $2" = "-m64 --version" && printf "my compiler 7.1\\nmore\\n"')
    program(tmp_path, "mute", "exit 1")
    program(tmp_path, "nvidia-smi", 'printf "GeForce A, 570.1\\nGeForce B, 570.1\\n"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("CC", "mycc -m64")
    monkeypatch.setenv("CXX", "mute")
    lines = told()
    assert lines["C compiler"] == "mycc -m64: my compiler 7.1"
    assert lines["C++ compiler"] == "mute: does not print its version"
    assert (
        lines["GPU"] == "NVIDIA's driver names GeForce A, driver 570.1; NVIDIA's driver names GeForce B, driver 570.1"
    )


def test_a_program_that_fails_names_no_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "nvidia-smi", "echo NVIDIA-SMI has failed; exit 9")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "NVIDIA" not in told()["GPU"]


def test_the_variables_as_a_shell_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(version_command.VARIABLES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", "")
    monkeypatch.setenv("ACTGRAD_RULES", "a b")
    monkeypatch.setenv("SECRET_TOKEN", "never shown")
    assert told()["environment"] == "ACTGRAD_CACHE_DIR='' ACTGRAD_RULES='a b' OMP_NUM_THREADS=2"
    assert "never shown" not in version_command.report()


def test_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(tmp_path / "kept"))
    folder = code_cache.folder()
    assert folder is not None
    assert told()["cache"] == f"{folder}, 0 entries, usable"
    assert not folder.exists()
    assert code_cache.store("0" * 40, b"code")
    assert told()["cache"] == f"{folder}, 1 entries, usable"
    folder.chmod(0o777)
    fault = f"not usable: {folder} belongs to another user, or others may write to it; "
    fault += "it must be writable for you only; run chmod go-w on it, or set ACTGRAD_CACHE_DIR to a folder of your own"
    assert told()["cache"] == f"{folder}, 0 entries, {fault}"
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", "")
    assert told()["cache"].startswith("none: ")


@pytest.mark.parametrize("fault", [BackendUnavailable("no code for riscv64"), ImportError("no libLLVM")])
def test_a_processor_without_code_leaves_the_rest(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def host() -> target.Target:
        raise fault

    monkeypatch.setattr(target, "host", host)
    lines = told()
    assert str(fault) in lines["processor"]
    assert {"actgrad", "NumPy", "C compiler", "environment"} <= set(lines)


def test_a_fault_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ACTGRAD_CPU", "abacus")
    target.host.cache_clear()
    assert main(["--version", "--verbose"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("actgrad: ACTGRAD_CPU is 'abacus'; on this machine it must be ")
    assert captured.err.count("\n") == 1
