"""Programs and libraries under AddressSanitizer, UndefinedBehaviorSanitizer and Valgrind: not a word from them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.sdk_programs import EXAMPLES, MODES, PROGRAMS, Sdk, needs_compiler, needs_library, run

pytestmark = [needs_compiler, pytest.mark.share(6)]

SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g", "-O1")
CHECKED = ("thirteen", "misuse", "repeatable", "remembered", "races", "texts", "arithmetic")


def in_hosts(program: str) -> list[object]:
    """The runs of a program: all in a server, which leaves C alone to be looked at; some with Python inside."""
    alone = [] if program in ("misuse", "remembered") else [pytest.mark.slow]
    marks = {"server": [], "inprocess": [needs_library, *alone], "strict": [needs_library, *alone]}
    return [pytest.param(program, host, marks=found, id=f"{program}-{host}") for host, found in marks.items()]


def sanitizes(folder: Path) -> bool:
    """Whether gcc has the sanitizers here, and they run."""
    source = folder / "probe.c"
    source.write_text("int main(void) { return 0; }\n")
    command = ["gcc", *SANITIZE, str(source), "-o", str(folder / "probe")]
    return (
        not subprocess.run(command, capture_output=True).returncode
        and not subprocess.run([folder / "probe"], capture_output=True).returncode
    )


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Sdk:
    """An SDK whose libraries watch themselves."""
    folder = tmp_path_factory.mktemp("sanitized")
    if not sanitizes(folder):
        pytest.skip("needs gcc's sanitizers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", " ".join(["gcc", *SANITIZE]))
        return Sdk.built(folder)


@pytest.mark.parametrize(("program", "host"), [run for program in CHECKED for run in in_hosts(program)])
@pytest.mark.slow
def test_with_sanitizers(sanitized: Sdk, sdk: Sdk, program: str, host: str) -> None:
    binary = sanitized.compile(PROGRAMS / f"{program}.c", "-std=gnu11", *SANITIZE)
    assert sanitized.run(binary, **MODES[host]) == sdk.run(program)


@pytest.mark.parametrize(
    "source",
    [path for path in sorted(EXAMPLES.glob("*.c*")) if path.stem != "vendor_silu"],  # it calls no aclnn function
    ids=lambda path: path.stem,
)
@pytest.mark.slow
def test_example_with_sanitizers(sanitized: Sdk, source: Path) -> None:
    """The examples are models: they give everything back."""
    binary = sanitized.compile(source, *SANITIZE)
    assert sanitized.run(binary, mode="server")


@pytest.mark.parametrize(
    "host",
    [
        "server",
        pytest.param("inprocess", marks=needs_library),
        pytest.param("strict", marks=[needs_library, pytest.mark.slow]),
    ],
)
def test_leaks_are_the_program_s(sdk: Sdk, tmp_path: Path, host: str) -> None:
    """AddressSanitizer blames a program for what it lost, and not for what the operators' Python keeps."""
    if not sanitizes(tmp_path):
        pytest.skip("needs gcc's sanitizers")
    binary = sdk.compile(PROGRAMS / "keeping.c", "-std=gnu11", "-fsanitize=address", "-g")
    assert sdk.run(binary, mode=host) == ""
    said = sdk.run(binary, "and lose", mode=host, status=1)
    summaries = re.findall(r"SUMMARY: AddressSanitizer: (\d+) byte", said)
    assert list(map(int, summaries)) == [1 + 2 + 4 + 8, 1 + 2 + 4 + 16], said  # the child ends first


needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs Valgrind")
VALGRIND = ("valgrind", "-q", "--leak-check=full", "--error-exitcode=9", f"--suppressions={PROGRAMS / 'valgrind.supp'}")


@needs_valgrind
@pytest.mark.parametrize("program", CHECKED)
@pytest.mark.share(6)
def test_under_valgrind(sdk: Sdk, program: str) -> None:
    binary = sdk.compile(PROGRAMS / f"{program}.c", "-std=gnu11")
    assert run([*VALGRIND, str(binary)], **MODES["server"]) == sdk.run(binary)


@needs_valgrind
@needs_library
@pytest.mark.slow
@pytest.mark.parametrize("program", ["thirteen", "misuse"])
def test_whole_process_under_valgrind(sdk: Sdk, program: str) -> None:
    """With the interpreter and the kernels inside. Takes minutes."""
    binary = sdk.compile(PROGRAMS / f"{program}.c", "-std=gnu11")
    assert run([*VALGRIND, "--num-callers=40", str(binary)], timeout=900, OMP_NUM_THREADS="1") == sdk.run(binary)
