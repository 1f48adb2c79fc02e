"""The runtime library of the C SDK and its headers: small C programs, compiled and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from actgrad.ascend.sdk import builder, declared_functions, prototypes

PROGRAMS = Path(__file__).parent / "programs" / "runtime"
SOURCES = [*sorted((builder.SOURCES / "ascendcl").glob("*.c")),
           *(builder.SOURCES / "acl_op" / name for name in builder.OF_ASCENDCL)]  # fmt: skip
ORDINARY = (
    "memory", "memcpy", "streams", "events", "contexts", "half", "errors", "forks", "threads", "faults", "limits",
)  # fmt: skip
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter")
SANITIZE = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
MODES = ("inprocess", "server", "strict")
HEADERS = ("acl/acl.h", "acl/acl_base.h", "acl/acl_rt.h", "acl/error_codes/rt_error_codes.h", "aclnn/acl_meta.h",
           "aclnn/aclnn_base.h", "aclnnop/aclnn_util.h")  # fmt: skip

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


@pytest.fixture(scope="session")
def headers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdk") / "include"
    builder.write_files(folder, dict(builder.headers()))
    (folder / "missing.c").write_text(declared_functions.stubs("ascendcl"))
    (folder / "products.h").write_text(prototypes.products_header())
    (folder / "data_types.h").write_text(prototypes.data_types())
    return folder


class Runtime:
    """The runtime as a library, and the programs linked with it, each compiled when first asked for."""

    def __init__(self, folder: Path, headers: Path, *flags: str):
        self.folder, self.flags = folder, (*FLAGS, *flags, f"-I{headers}", f"-I{builder.SOURCES}", "-pthread")
        macros = ('-DACTGRAD_PYTHON="python3"', '-DACTGRAD_LIBPYTHON=""', '-DACTGRAD_VERSION="3"')
        library = ("-fPIC", "-shared", "-fvisibility=hidden", *macros, *map(str, SOURCES), str(headers / "missing.c"))
        self._compile("libascendcl.so", *library, "-lm")

    def _compile(self, output: str, *arguments: str) -> None:
        command = ["gcc", *self.flags, *arguments, "-o", str(self.folder / output)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def run(self, program: str, mode: str = "inprocess", before: tuple[str, ...] = (), **settings: str):
        binary = self.folder / program
        if not binary.exists():
            link = (f"-L{self.folder}", "-lascendcl", "-lm", f"-Wl,-rpath,{self.folder}")
            self._compile(program, str(PROGRAMS / f"{program}.c"), *link)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ACTGRAD_")}
        environment["ACTGRAD_SDK_LIBPYTHON"] = str(self.folder / "libascendcl.so")  # a file that is there
        environment |= {"strict": {"ACTGRAD_STRICT": "1"}, "server": {"ACTGRAD_SDK_HOST": "server"}}.get(mode, {})
        command = [*before, str(binary)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment | settings)
        assert done.returncode == 0, f"{program} ({mode}): {done.returncode}\n{done.stdout}{done.stderr}"
        return done


@pytest.fixture(scope="session")
def runtime(tmp_path_factory, headers):
    return Runtime(tmp_path_factory.mktemp("runtime"), headers, "-O2")


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory, headers):
    return Runtime(tmp_path_factory.mktemp("sanitized"), headers, *SANITIZE)


@pytest.mark.share(3)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", ORDINARY)
def test_runtime(runtime, program, mode):
    done = runtime.run(program, mode)
    said = [line for line in done.stderr.splitlines() if "was destroyed with" not in line]
    assert not said


@pytest.mark.parametrize("mode", ["inprocess", "strict"])
@pytest.mark.parametrize("program", ORDINARY)
@pytest.mark.slow
def test_with_sanitizers(sanitized, program, mode):
    checks = {"ASAN_OPTIONS": "handle_segv=0:allocator_may_return_null=1", "UNDER_A_CHECKER": "1"}
    sanitized.run(program, mode, **checks)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
@pytest.mark.parametrize("program", [program for program in ORDINARY if program not in ("half", "faults")])
@pytest.mark.share(10)
def test_under_valgrind(runtime, program):
    leaks = "no" if program == "forks" else "full"  # a child has what its parent's other threads held
    valgrind = ("valgrind", "-q", f"--leak-check={leaks}", "--error-exitcode=9")
    runtime.run(program, before=valgrind, UNDER_A_CHECKER="1")


def test_leaks_are_listed(runtime):
    done = runtime.run("leaks", "strict")
    block, on_host, stream, event, context = done.stdout.split()
    dropped, *leaks = done.stderr.splitlines()
    assert dropped.endswith("was destroyed with 2 tasks left; all must end first; call aclrtSynchronizeStream")
    first = "destroy all objects before aclFinalize; call"
    of_memory = "were never freed; free all memory before aclFinalize; call"
    code = re.compile(r", allocated at \S+/leaks\S*\+0x[0-9a-f]+,")
    assert [bool(code.search(line)) for line in leaks] == [" memory at " in line for line in leaks]
    assert [code.sub("", line) for line in leaks] == [
        f"actgrad: context {context} was never destroyed; {first} aclrtDestroyContext",
        f"actgrad: 12345 bytes of device memory at {block} {of_memory} aclrtFree",
        f"actgrad: 321 bytes of host memory at {on_host} {of_memory} aclrtFreeHost",
        f"actgrad: stream {stream} was never destroyed; {first} aclrtDestroyStream",
        f"actgrad: event {event} was never destroyed; {first} aclrtDestroyEvent",
        f"actgrad: stream {stream} has 1 task left at the end; all must end first; call aclrtSynchronizeStream",
    ]
    assert runtime.run("leaks").stderr == ""


def test_settings(runtime, tmp_path):
    def settings(**environment):
        done = runtime.run("settings", **environment)
        return done.stdout.split(" "), done.stderr

    library = str(runtime.folder / "libascendcl.so")
    assert settings() == (["0", "0", "python3", library, "Ascend910B1\n"], "")
    chosen = {"ACTGRAD_SDK_PYTHON": "/a/python", "ACTGRAD_STRICT": "1", "ACTGRAD_SDK_HOST": "server"}
    assert settings(**chosen, ACTGRAD_PRODUCT="Ascend950")[0] == ["1", "1", "/a/python", library, "Ascend950PR_9589\n"]
    assert settings(ACTGRAD_SDK_LIBPYTHON=str(tmp_path / "none"))[0][1] == "1"
    assert settings(ACTGRAD_SDK_LIBPYTHON="")[0][1] == "1"  # none was built in either
    values, said = settings(ACTGRAD_STRICT="yes", ACTGRAD_SDK_HOST="remote")
    assert values[:2] == ["0", "0"]
    assert 'ACTGRAD_STRICT is "yes"; it must be 0 or 1; ' in said
    assert 'ACTGRAD_SDK_HOST is "remote"; it must be inprocess or server; ' in said


def test_the_soc_is_one_of_the_product(runtime):
    from actgrad.ascend.products import BY_NAME

    for name in BY_NAME:
        assert runtime.run("settings", ACTGRAD_PRODUCT=name).stdout.split()[-1].startswith(name)
        runtime.run("contexts", ACTGRAD_PRODUCT=name)


@pytest.mark.parametrize("standard", ["c99", "c11", "c++11", "c++14", "c++17", "c++20"])
@pytest.mark.parametrize("header", HEADERS)
def test_header_alone(headers, tmp_path, header, standard):
    compiler = "g++" if "++" in standard else "gcc"
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    source = tmp_path / ("alone.cpp" if "++" in standard else "alone.c")
    source.write_text(f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n')
    command = [compiler, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    done = subprocess.run([*command, f"-I{headers}", str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_declared_function_is_there(runtime, headers):
    """What acl.h and acl_rt.h declare, the library has."""
    declared = set()
    for header in ("acl/acl.h", "acl/acl_rt.h", "acl/acl_base.h"):
        words = (headers / header).read_text().replace("(", " ( ").replace("*", " ").split()
        declared |= {a for a, b in pairwise(words) if b == "(" and a.startswith("acl") and a.isidentifier()}
    output = subprocess.run(["nm", "-D", "--defined-only", str(runtime.folder / "libascendcl.so")],
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert declared <= {line.split()[-1] for line in output.splitlines()}
    assert len(declared) > 55
