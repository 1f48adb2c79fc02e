"""`actgrad sdk`: the build, --run and --check, as users call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from actgrad.ascend.sdk.lacking import KINDS
from actgrad.cli.main import main
from tests.support.sdk_programs import EXAMPLES, PROGRAMS, Sdk, environment, needs_compiler

pytestmark = pytest.mark.share(6)

PROGRAM = """\
#include <stdio.h>
#include <string.h>
#include "acl/acl.h"
#ifndef MARK
#define MARK ""
#endif
int main(int count, char** arguments) {
    printf("%d" MARK, count);
    for (int k = 1; k < count; k++) printf(" [%s]", arguments[k]);
    printf("\\n");
    fflush(stdout);
    if (count > 1 && strcmp(arguments[1], "fault") == 0) __builtin_trap();
    return count;
}
"""


@pytest.fixture(autouse=True)
def _home(sdk_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--run` finds the SDK of this run, or builds it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(sdk_cache))


def actgrad(
    *arguments: object, timeout: float | None = None, **settings: str | None
) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    settings.setdefault("XDG_CACHE_HOME", os.environ["XDG_CACHE_HOME"])
    command = [sys.executable, "-m", "actgrad", "sdk", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=timeout, env=environment(**settings)
    )


@needs_compiler
def test_run(tmp_path: Path) -> None:
    """Arguments go to the program, also those that look like ours; its exit status is the command's."""
    program = tmp_path / "program.c"
    program.write_text(PROGRAM)
    done = actgrad("--run", program, "one", "--json", "-x", "")
    assert (done.returncode, done.stdout, done.stderr) == (5, "5 [one] [--json] [-x] []\n", "")
    done = actgrad("--run", program)
    assert (done.returncode, done.stdout) == (1, "1\n")
    done = actgrad("--run", program, "fault")
    assert done.returncode in (128 + 4, 128 + 5)  # as shells count signals
    assert done.stdout == "2 [fault]\n"


@needs_compiler
def test_run_of_cpp(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text("#include <string>\n" + PROGRAM)
    assert actgrad("--run", program, "x").stdout == "2 [x]\n"
    assert actgrad('--flag=-DMARK="?"', "--run", program, "x").stdout == "2? [x]\n"


@needs_compiler
def test_run_of_an_example() -> None:
    done = actgrad("--run", EXAMPLES / "selu_backward.c", ACTGRAD_STRICT="1")
    assert (done.returncode, done.stdout.count("1.050701"), done.stderr) == (0, 8, "")


@needs_compiler
def test_run_of_what_does_not_compile(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "broken.c"
    program.write_text('#include "aclnnop/aclnn_ledger.h"\nint main(void) { return aclnnLedger(1); }\n')
    assert main(["sdk", "--run", str(program)]) == 2
    said = capfd.readouterr().err
    assert "broken.c: does not compile" in said
    assert "fatal error" in said  # the compiler's own words
    assert f"{program}:1: header aclnnop/aclnn_ledger.h is not in the SDK" in said
    assert main(["sdk", "--run", str(tmp_path / "none.c")]) == 2
    assert "none.c: no such file" in capfd.readouterr().err
    assert main(["sdk", "--run"]) == 2
    assert "--run has no value; it must have a program" in capfd.readouterr().err


@pytest.mark.parametrize("variable", ["PATH", "CC"])
def test_no_compiler(
    tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "none"))
    assert main(["sdk", str(tmp_path / "sdk")]) == 2
    said = capfd.readouterr().err
    missing = "no C compiler is on PATH; cc, gcc or clang is expected; install one"
    wanted = {"PATH": missing, "CC": "must be on PATH; install it or unset CC"}
    assert wanted[variable] in said
    assert not (tmp_path / "sdk").exists()


LACKING = """\
#include "acl/acl.h"
#include <aclnnop/aclnn_ledger.h>
#include "aclnn_elu.h"  /* the folders of operators are on the usual command lines too */
#include "acl_helper.h"
#include "acl/acl_dvpp.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include <dlfcn.h>
// #include "acl/acl_tdt.h"
static const char* text = "aclmdlLoad(3) // and \\" aclmdlUnload(4)";
#define aclRound(x) (x)
int aclMine(int a) { return aclRound(a); }
auto aclLambda = [](int a) { return a; };
extern "C" int aclOwn(int);
struct Model { void aclMethod(int) {} };
#define CALL(name, ...) aclnn##name##GetWorkspaceSize(__VA_ARGS__)
#define LOOK(name) dlsym(RTLD_DEFAULT, #name "GetWorkspaceSize")
int main() {
    Model().aclMethod(1);
    aclInit(nullptr);
    aclmdlExecute(1);
    aclLambda(aclMine(aclmdlExecute(2))) + aclOwn(3);
    CALL(Ledger, 1, 2);
    auto phase = &aclnnUpsampleNearest2d;
    LOOK(aclnnRelu) ;
    LOOK(aclnnLedgerTwo);
    aclmdlDesc* description = nullptr;
    return ACL_NO_SUCH_CONSTANT;
}
"""
WANTED = [
    (2, "header", "aclnnop/aclnn_ledger.h", ""),
    (5, "header", "acl/acl_dvpp.h", ""),
    (20, "function", "aclmdlExecute", ""),
    (22, "function", "aclnnLedgerGetWorkspaceSize", ""),
    (23, "function", "aclnnUpsampleNearest2d", "resampling of images"),
    (25, "function", "aclnnLedgerTwoGetWorkspaceSize", ""),
    (26, "type", "aclmdlDesc", ""),
    (27, "constant", "ACL_NO_SUCH_CONSTANT", ""),
]


def said(path: Path, line: int, kind: str, name: str, reason: str) -> str:
    return f"{path}:{line}: {kind} {name} " + (f"always fails in the SDK: {reason}" if reason else "is not in the SDK")


@needs_compiler
def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names behind macros, in strings and behind addresses, once each; what the program has itself does not count."""
    program = tmp_path / "program.cpp"
    program.write_text(LACKING)
    (tmp_path / "acl_helper.h").write_text("")
    assert main(["sdk", "--check", str(program)]) == 1
    assert capsys.readouterr().out.splitlines() == [said(program, *row) for row in WANTED]
    assert main(["sdk", "--check", str(program), "--json"]) == 1
    names = ("file", "line", "kind", "name", "reason")
    rows = [dict(zip(names, (str(program), *row), strict=True)) for row in WANTED]
    assert json.loads(capsys.readouterr().out) == rows


@needs_compiler
def test_check_of_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.c"
    program.write_text('#include "acl/acl.h"\nint main(void) { aclFoo x; return aclrtNothing(ACL_NONE_AT_ALL); }\n')
    assert main(["sdk", "--check", str(program)]) == 1
    rows = ((2, "type", "aclFoo", ""), (2, "function", "aclrtNothing", ""), (2, "constant", "ACL_NONE_AT_ALL", ""))
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(said(program, *row) for row in rows)


@needs_compiler
def test_check_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], sdk: Sdk) -> None:
    """Sources, built programs and libraries below it; headers of the folder are found, foreign ones named."""
    (tmp_path / "src").mkdir()
    (tmp_path / "include" / "deep").mkdir(parents=True)
    (tmp_path / "include" / "deep" / "own.h").write_text('#include "acl/acl.h"\n')
    (tmp_path / "src" / "a.c").write_text('#include "deep/own.h"\nint a(void) { return aclrtNothing(); }\n')
    (tmp_path / "src" / "b.c").write_text('#include "foreign.h"\nint b(void) { return foreign(); }\n')
    (tmp_path / "src" / "notes.txt").write_text("aclrtNothing()")
    library = tmp_path / "libbuilt.so"
    source = tmp_path / "built.c"
    source.write_text("int aclrtNothing(void), aclInit(int); int f(void) { return aclrtNothing() + aclInit(0); }\n")
    command = ["gcc", "-shared", "-fPIC", "-w", str(source), "-o", str(library), f"-L{sdk.prefix}/lib64", "-lascendcl"]
    subprocess.run(command, check=True)
    source.unlink()
    assert main(["sdk", "--check", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{library}: function aclrtNothing is not in the SDK",
        f"{tmp_path}/src/a.c:2: function aclrtNothing is not in the SDK",
        f"{tmp_path}/src/b.c:1: header foreign.h was not found; it must be in an include folder; add --flag=-IFOLDER",
    ]
    (tmp_path / "foreign.h").write_text("static int foreign(void) { return 0; }\n")
    assert main(["sdk", f"--flag=-I{tmp_path}", "--check", str(tmp_path / "src" / "b.c")]) == 0


@needs_compiler
@pytest.mark.parametrize("is_folder", [False, True])
def test_check_beside_what_does_not_compile(
    is_folder: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {
        "a.c": "int main(void) { return }\n",
        "b.c": '#include "acl/acl.h"\nint b(void) { return aclrtNothing(); }\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert main(["sdk", "--check", *([str(tmp_path)] if is_folder else [str(tmp_path / name) for name in texts])]) == 2
    out, err = capsys.readouterr()
    assert out == f"{tmp_path}/b.c:2: function aclrtNothing is not in the SDK\n"
    assert "a.c: does not compile" in err


@needs_compiler
@pytest.mark.parametrize("suffix", [".c", ".cpp"])
def test_check_of_a_wrong_call(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function that is there is not called missing where its arguments are wrong."""
    source = tmp_path / f"wrong{suffix}"
    source.write_text('#include "acl/acl.h"\nint main(void) { return aclInit("", 3); }\n')
    assert main(["sdk", "--check", str(source)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "too many arguments to function" in err


def test_check_of_what_does_not_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No judgement: the compiler stumbles over something else."""
    program = tmp_path / "broken.c"
    program.write_text("int main(void) { return }\n")
    assert main(["sdk", "--check", str(program)]) == 2
    assert "broken.c: does not compile" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["sdk", "--check", str(tmp_path / "empty")]) == 2
    assert "it must have a C or C++ source, a built program or a folder of these" in capsys.readouterr().err


@needs_compiler
@pytest.mark.parametrize("option", ["--check", "--run"])
def test_bytes_of_no_encoding(tmp_path: Path, option: str) -> None:
    """In the compiler's words, and in the name of a header."""
    program = tmp_path / "bytes.c"
    program.write_bytes(b'int main(void) { return "\xe9" + ; }\n')
    done = actgrad(option, program)
    assert (done.returncode, done.stdout) == (2, "")
    assert "bytes.c: does not compile" in done.stderr
    assert "Traceback" not in done.stderr
    program.write_bytes(b'#include "caf\xe9.h"\nint main(void) { return 0; }\n')
    done = actgrad(option, program)
    assert done.returncode == (1 if option == "--check" else 2)
    assert f"{program}:1: header caf\\udce9.h was not found" in done.stdout + done.stderr.replace("xdc", "udc")
    assert "Traceback" not in done.stderr


NO_PROGRAMS = {
    "x.npy": (b"\x93NUMPY", "it must be a C or C++ source, a built program"),
    "x.svg": (b"<svg/>", "it must be a C or C++ source, a built program"),
    "x": (bytes(range(200)), "it must be a C or C++ source, a built program"),
    "x.so": (b"\x7fELF", "it must be a valid built program"),
    "y.so": (b"\x7fELF" + bytes(300), "it must name the functions that it uses"),
}


@needs_compiler
@pytest.mark.parametrize("name", NO_PROGRAMS)
def test_check_of_no_program(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, said = NO_PROGRAMS[name]
    (tmp_path / name).write_bytes(content)
    assert main(["sdk", "--check", str(tmp_path / name)]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"actgrad: {tmp_path / name}: ")
    assert said in message


@needs_compiler
def test_check_of_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.c")
    done = actgrad("--check", tmp_path / "pipe.c", timeout=60)
    assert (done.returncode, done.stderr) == (
        2,
        f"actgrad: {tmp_path}/pipe.c: is not a regular file; it must be {KINDS}; name another file\n",
    )


@needs_compiler
def test_check_of_an_object_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.c"
    source.write_text("int aclrtNothing(void), aclInit(int); int f(void) { return aclrtNothing() + aclInit(0); }\n")
    subprocess.run(["gcc", "-c", str(source), "-o", str(tmp_path / "a.o")], check=True)
    assert main(["sdk", "--check", str(tmp_path / "a.o")]) == 1
    assert capsys.readouterr().out == f"{tmp_path}/a.o: function aclrtNothing is not in the SDK\n"


@needs_compiler
@pytest.mark.parametrize("name", ["plain.c", "a name with $spaces #1.cpp", "é.c"])
@pytest.mark.share(6)
def test_check_of_headers_that_are_nowhere(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are missing, also where the compiler would find no fault without them; no file is made outside."""
    program, outside = tmp_path / name, tmp_path / "outside"
    headers = ["no such.h", "no/such$.h", "../outside/none.h", f"{outside}/none.h"]
    program.write_text("int main(void) { return 0; }\n")
    assert main(["sdk", "--check", str(program)]) == 0
    program.write_text("".join(f'#include "{header}"\n' for header in headers))
    capsys.readouterr()
    assert main(["sdk", "--check", str(program)]) == 1
    where = [f"{program}:{k}: header {header} was not found" for k, header in enumerate(headers, 1)]
    assert [line.partition(";")[0] for line in capsys.readouterr().out.splitlines()] == where
    assert not outside.exists()
    program.write_text('#include <dlfcn.h>\nvoid* f(void) { return dlsym(0, "aclrtNothing"); }\n')
    assert main(["sdk", "--check", str(program)]) == 1
    assert capsys.readouterr().out == f"{program}:2: function aclrtNothing is not in the SDK\n"


@pytest.mark.slow
@needs_compiler
def test_check_of_what_lacks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Of our own programs, all of which compile, but for the one that calls what always fails."""
    programs = [path for path in PROGRAMS.glob("*.c") if path.stem != "refusals"]
    ours = [str(path) for path in (*sorted(EXAMPLES.glob("*.[ch]*")), *sorted(programs))]
    assert main(["sdk", "--check", *ours]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "the SDK has every name of" in captured.err
    assert main(["sdk", "--check", ours[0], "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_check_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sdk", "--check", str(tmp_path / "none.c")]) == 2
    assert "none.c: no such file; it must exist" in capsys.readouterr().err


def test_wrong_calls() -> None:
    for arguments in ([], ["--json"], ["a", "--check", "b"], ["--check", ""]):
        with pytest.raises(SystemExit) as ended:
            main(["sdk", *arguments])
        assert ended.value.code == 2


def test_an_empty_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Is not the current folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["sdk", ""])
    assert ended.value.code == 2
    assert "PREFIX: got an empty text; it must name a file or a folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
