"""The Python behind the operators: whatever is wrong with it, or around it, is a status and a text, or no matter."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad.ascend.aclnn import c_functions
from actgrad.ascend.sdk import builder, declared_functions, seam
from actgrad.base.errors import ActgradError
from tests.support.sdk_programs import MODES, Sdk, environment, needs_compiler, needs_library, run

pytestmark = [needs_compiler, pytest.mark.share(6)]

HOSTS = [pytest.param("inprocess", marks=needs_library), "server"]
WORKS = "0 \n0 \n"  # what first_text.c prints where nothing is wrong


def says(printed: str, *parts: str) -> None:
    """Two calls failed with ACLNN_ERR_INNER, and said why."""
    lines = [line for line in printed.splitlines() if line.startswith("561000 [PID: ")]
    assert len(lines) == 2, printed
    for line in lines:
        assert "AclNN_Inner_Error(EZ9999)" in line
        for part in parts:
            assert part in line


def test_no_library(sdk: Sdk, tmp_path: Path) -> None:
    """Without Python's library a server computes; without that Python too, nothing does."""
    nowhere = str(tmp_path / "none")
    assert sdk.run("first_text", ACTGRAD_SDK_LIBPYTHON=nowhere) == WORKS
    says(
        sdk.run("first_text", ACTGRAD_SDK_LIBPYTHON=nowhere, ACTGRAD_SDK_PYTHON=nowhere),
        nowhere, "No such file", "ACTGRAD_SDK_PYTHON",
    )  # fmt: skip
    no_python = tmp_path / "python"
    no_python.write_text("#!/bin/sh\nexit 0\n")
    no_python.chmod(0o755)
    says(sdk.run("first_text", mode="server", ACTGRAD_SDK_PYTHON=str(no_python)), str(no_python), "it gave no reason")


@needs_library
def test_no_usable_library(sdk: Sdk, tmp_path: Path) -> None:
    text = tmp_path / "libpython.so"
    text.write_text("no library")
    says(sdk.run("first_text", ACTGRAD_SDK_LIBPYTHON=str(text)), str(text), "set ACTGRAD_SDK_HOST=server")
    without = sdk.prefix / "lib64" / "libopapi_math.so"
    says(sdk.run("first_text", ACTGRAD_SDK_LIBPYTHON=str(without)), "it lacks functions")


@needs_library
@pytest.mark.parametrize("megabytes", [60, 120, 160, 300])
def test_little_address_space(sdk: Sdk, megabytes: int) -> None:
    """Is a status: Python or NumPy's linear algebra ended the process where they started without it."""
    program = sdk.compile(Path(__file__).parent / "programs" / "first_text.c", "-std=gnu11")
    says(run(["sh", "-c", f'ulimit -v {megabytes << 10}; exec "$0"', str(program)]), "too little address space")


@needs_library
def test_library_of_another_version(sdk: Sdk) -> None:
    found = sorted(Path(sys.base_prefix).parent.glob("3.*/lib/libpython3.??.so.1.0"))
    others = [path for path in found if not path.name.startswith(f"libpython3.{sys.version_info.minor}.")]
    if not others:
        pytest.skip("needs another Python's shared library")
    printed = sdk.run("first_text", ACTGRAD_SDK_LIBPYTHON=str(others[-1]))
    says(printed, "for which the SDK was built", "set ACTGRAD_SDK_HOST=server")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of modules and programs that end whoever loads them."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in ("encodings", "numpy", "os", "ctypes", "actgrad", "sitecustomize", "usercustomize", "llvmlite"):
        (folder / f"{name}.py").write_text("raise SystemExit('hostile')\n")
    (folder / "encodings").mkdir()
    (folder / "encodings" / "__init__.py").write_text("raise SystemExit('hostile')\n")
    for name in ("python", "python3", f"python3.{sys.version_info.minor}"):
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    return folder


SETTINGS = {
    "PYTHONPATH": "{folder}",
    "PYTHONHOME": "{folder}",
    "PYTHONSTARTUP": "{folder}/os.py",
    "PYTHONUSERBASE": "{folder}",
    "PYTHONEXECUTABLE": "{folder}/python3",
    "PYTHONPLATLIBDIR": "nowhere",
    "PYTHONMALLOC": "nonsense",
    "PYTHONUTF8": "7",
    "PYTHONHASHSEED": "nonsense",
    "PYTHONCOERCECLOCALE": "warn",
    "PYTHONWARNINGS": "error",
    "PYTHONVERBOSE": "1",
    "PYTHONINSPECT": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONNOUSERSITE": "",
    "PYTHONTRACEMALLOC": "5",
    "PYTHONDEVMODE": "1",
    "PYTHONIOENCODING": "nonsense",
    "PYTHONDUMPREFS": "1",
    "PYTHONPROFILEIMPORTTIME": "1",
    "PYTHONDEBUG": "3",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONOPTIMIZE": "2",
}


@pytest.mark.parametrize("host", HOSTS)
def test_environment_of_python(sdk: Sdk, hostile: Path, host: str) -> None:
    """None of Python's own variables matters, nor the folder, nor what PATH says."""
    every = {name: value.format(folder=hostile) for name, value in SETTINGS.items()}
    assert sdk.run("first_text", mode=host, **every) == WORKS
    assert sdk.run("first_text", mode=host, PYTHONPATH=str(hostile), PATH=str(hostile)) == WORKS
    assert sdk.run("first_text", mode=host, PATH=None, HOME=None) == WORKS


@pytest.mark.parametrize("host", HOSTS)
def test_folder_of_hostile_modules(sdk: Sdk, hostile: Path, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = sdk.compile(Path(__file__).parent / "programs" / "first_text.c", "-std=gnu11")
    monkeypatch.chdir(hostile)
    assert sdk.run(binary, mode=host) == WORKS


@pytest.mark.parametrize("mode", MODES)
def test_closed_files(sdk: Sdk, tmp_path: Path, mode: str) -> None:
    """A program without standard input, output and error: their numbers go to files of other kinds."""
    binary = sdk.compile(Path(__file__).parent / "programs" / "misuse.c", "-std=gnu11")
    script = '"$0" <&- >&- 2>&-; echo $?'
    assert run(["sh", "-c", script, str(binary)], **MODES[mode]) == "0\n"
    script = 'ulimit -n 24; "$0" <&-'
    assert run(["sh", "-c", script, str(binary)], **MODES[mode]) == "ok\n"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", ["C", "POSIX", "C.UTF-8", "nonsense"])
def test_locale(sdk: Sdk, name: str, host: str) -> None:
    assert sdk.run("untouched", mode=host, LC_ALL=name) == "ok\n"


@pytest.mark.parametrize("mode", MODES)
def test_nothing_else_changes(sdk: Sdk, mode: str) -> None:
    assert sdk.run("untouched", mode=mode) == "ok\n"
    assert sdk.run("untouched", mode=mode, OPENBLAS_NUM_THREADS="2", PYTHONHOME="/nowhere") == "ok\n"


MODULE = """\
import os, sys
if os.environ.get("RAISE_IN") == __name__:
    exec(os.environ["RAISE"])
sys.path.remove({folder!r})
del sys.modules[__name__]
import {name}
sys.path.insert(0, {folder!r})
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Sdk:
    """An SDK whose modules of that name raise what the environment says, from a folder with an odd name."""
    base = tmp_path_factory.mktemp("odd")
    folder = base / 'it\'s 100% "größer": \\n'
    folder.mkdir()
    for name in ("llvmlite", "numpy"):
        (folder / f"{name}.py").write_text(MODULE.format(folder=str(folder), name=name), encoding="utf-8")
    current = builder.Interpreter.current()
    interpreter = replace(current, path=(str(folder), *current.path))
    return Sdk.built(base, interpreter)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.slow
def test_path_with_an_odd_name(odd: Sdk, host: str) -> None:
    assert odd.run("first_text", mode=host) == WORKS


RAISED = {
    "raise ValueError('wrong')": "ValueError: wrong",
    "sys.exit(3)": "SystemExit: 3",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise MemoryError": "MemoryError",
    "def f(): f()\nf()": "RecursionError",
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("code", RAISED)
def test_exception_while_planning(odd: Sdk, code: str, host: str) -> None:
    """Whatever is raised in Python is a status; it does not end the program, and the next call is made as ever."""
    printed = odd.run("first_text", mode=host, RAISE_IN="llvmlite", RAISE=code)
    says(printed, f"aclnnInplaceSelu: {RAISED[code]}")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("code", list(RAISED)[:3])
def test_exception_at_the_start(odd: Sdk, code: str, host: str) -> None:
    printed = odd.run("first_text", mode=host, RAISE_IN="numpy", RAISE=code)
    says(printed, "actgrad was not imported", RAISED[code])


#: A Python that starts when the program that wants it has ended.
LATE = """\
#!/bin/sh
kill -KILL $PPID
while [ -e /proc/$PPID ] && ! grep -q '^State:.[ZX]' /proc/$PPID/status; do :; done
exec {python} "$@"
"""


@pytest.mark.parametrize("code", ["", *list(RAISED)[:3]])
def test_a_program_that_ends_while_the_server_starts(odd: Sdk, code: str, tmp_path: Path) -> None:
    """The server has nobody to speak to: it ends without a word, whether actgrad could be loaded or not."""
    late = tmp_path / "late"
    late.write_text(LATE.format(python=sys.executable))
    late.chmod(0o755)
    program = odd.compile(Path(__file__).parent / "programs" / "first_text.c", "-std=gnu11")
    failure = {"RAISE_IN": "numpy", "RAISE": code} if code else {}
    settings = environment(ACTGRAD_SDK_HOST="server", ACTGRAD_SDK_PYTHON=str(late), **failure)
    done = subprocess.run([str(program)], capture_output=True, text=True, env=settings, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, "", "")


@needs_library
@pytest.mark.slow
def test_python_that_lost_its_modules(tmp_path: Path) -> None:
    """The interpreter would end the process."""
    stdlib = tmp_path / "lib"
    (stdlib / "encodings").mkdir(parents=True)
    current = builder.Interpreter.current()
    made = Sdk.built(tmp_path, replace(current, stdlib=str(stdlib)))
    assert made.run("first_text") == WORKS
    shutil.rmtree(stdlib)
    says(made.run("first_text"), str(stdlib), "they must be in", "set ACTGRAD_SDK_HOST=server")


def test_folders_of_modules(tmp_path: Path) -> None:
    """An SDK takes modules from where actgrad and its packages are, not from where it was built."""
    code = "from actgrad.ascend.sdk.builder import Interpreter; print(*Interpreter.current().path, sep='\\n')"
    source = str(Path(builder.__file__).parents[3])
    command = f'cd "{tmp_path}" && "{sys.executable}" -c "{code}"'
    folders = run(["sh", "-c", command], PYTHONPATH=f"{source}:{tmp_path}").splitlines()
    assert folders[0] == source
    assert str(tmp_path) not in folders
    assert Path(np.__file__).parents[1] in map(Path, folders)


def test_another_version_of_actgrad() -> None:
    with pytest.raises(ActgradError, match="run `actgrad sdk` again"):
        seam.attach(seam.INTERFACE + 1, 112, 0, 0, 0)
    with pytest.raises(ActgradError, match="run `actgrad sdk` again"):
        seam.serve(seam.INTERFACE, 8, 0, 0, 0, 0)
    answer, text = seam.plan(b"aclnnOfTomorrow", b"", (), True)
    assert answer.status == ActgradError.status
    assert "aclnnOfTomorrow: is in the SDK, but not in this actgrad" in text


def test_handles_differ_between_processes() -> None:
    """A forked program has a server of its own, which must not take its parent's handles for its own."""
    assert next(seam._handles) >> 32 == os.getpid()
    found, text = seam.run_plan(1)
    assert found.status == ActgradError.status
    assert "the executor is of the process before a fork" in text


def tensor_words(*dims: int) -> bytes:
    """A float32 tensor of one or two sizes, as C describes it."""
    steps = [dims[-1], 1][-len(dims) :]
    words = [seam.TENSOR, 0, 2, 0, len(dims), len(dims), *dims, *steps, *dims]
    return struct.pack(f"<{len(words)}q", *words)


def test_the_table_of_functions_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read at each call made a small sum take milliseconds. Counted are readings of the file, and of its rows."""
    readings: Counter[str] = Counter()

    def counted(what: str, reader: Callable[..., Any]) -> Callable[..., Any]:
        def read(*given: Any, **named: Any) -> Any:
            readings[what] += 1
            return reader(*given, **named)

        return read

    declared_functions.computed()  # the first call's
    monkeypatch.setattr(declared_functions, "functions", counted("rows", declared_functions.functions))
    monkeypatch.setattr(Path, "read_text", counted("file", Path.read_text))
    x, y = np.array([-1, 2, -3, 4], np.float32), np.empty(4, np.float32)
    places = x.ctypes.data, x.nbytes, y.ctypes.data, y.nbytes
    for name, wanted in {"aclnnAbs": abs(x), "aclnnNeg": -x, "aclnnSquare": x * x}.items():
        for _ in range(3):
            answer, text = seam.plan(name.encode(), 2 * tensor_words(4), places, True)
            assert (answer.status, text) == (0, "")
            assert seam.run_plan(answer.handle)[0].status == 0
            seam.release((answer.handle,))
        assert y.tolist() == wanted.tolist()
    assert not readings


def test_what_is_known_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgetting a known call does not take the kernel from an executor that uses it."""
    import gc

    monkeypatch.setattr(c_functions.find("aclnnInplaceSelu").cache, "capacity", 4)
    values = np.arange(1, 9, dtype=np.float32)
    answers = []
    for rows in (1, 2, 4, 8):
        for rank in (1, 2):
            words = tensor_words(rows, 8 // rows) if rank == 2 else tensor_words(8)
            places = (values.ctypes.data, values.nbytes)
            answers.append(seam.plan(b"aclnnInplaceSelu", words, places, False)[0])
            assert answers[-1].status == 0
    assert len(c_functions._functions["aclnnInplaceSelu"].cache) <= 4
    gc.collect()
    before = values.copy()
    for answer in answers:
        assert seam.run_plan(answer.handle) == (seam.Answer(0), "")
    assert (values > before * 1.0507**7).all()
    kept = len(seam._executors)
    seam.release(tuple(answer.handle for answer in answers))
    assert len(seam._executors) == kept - len(answers)


@pytest.mark.slow
def test_other_interpreters(tmp_path: Path) -> None:
    """SDKs built by each Python of ACTGRAD_TEST_PYTHONS, a list as PATH; each has NumPy, ml_dtypes and llvmlite."""
    pythons = [python for python in os.environ.get("ACTGRAD_TEST_PYTHONS", "").split(":") if python]
    if not pythons:
        pytest.skip("ACTGRAD_TEST_PYTHONS names none")
    folder = Path(__file__).parent
    for k, python in enumerate(pythons):
        prefix = tmp_path / f"sdk{k}"
        package = str(folder.parents[2] / "src")
        done = subprocess.run(
            [python, "-m", "actgrad", "sdk", str(prefix)], check=True, capture_output=True, text=True,
            env=environment(PYTHONPATH=package),
        )  # fmt: skip
        assert done.stdout == f"{prefix}\n"
        for program, wanted in {"thirteen": None, "threads": "ok\n", "forking_host": "ok\n", "stacks": "ok\n"}.items():
            binary, link = tmp_path / f"{program}{k}", [f"-L{prefix / 'lib64'}", f"-Wl,-rpath,{prefix / 'lib64'}"]
            command = ["gcc", "-std=gnu11", str(folder / "programs" / f"{program}.c"), f"-I{prefix / 'include'}", *link]
            run([*command, "-lopapi_nn", "-lnnopbase", "-lascendcl", "-lm", "-o", str(binary)])
            for mode in MODES.values():
                printed = run([str(binary)], **mode, PYTHONHOME="/nowhere")
                assert printed == wanted if wanted else printed.count("\n") == 13
