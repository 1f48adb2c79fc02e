"""An SDK that is built once per run, and programs against it: compiled when first asked for, run in every host."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from actgrad.ascend.sdk import builder, programs

PROGRAMS = Path(__file__).parents[1] / "ascend" / "sdk" / "programs"
EXAMPLES = Path(__file__).parents[2] / "examples"
WARNINGS = ("-Wall", "-Wextra", "-Werror")
MODES = {
    "inprocess": {},
    "strict": {"ACTGRAD_STRICT": "1"},
    "server": {"ACTGRAD_SDK_HOST": "server"},
    "strict server": {"ACTGRAD_SDK_HOST": "server", "ACTGRAD_STRICT": "1"},
}

needs_compiler = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("g++")), reason="needs gcc and g++")
#: With a library of Python the program computes in its own process; otherwise there is nothing to test of that.
has_library = bool(builder.Interpreter.current().library)
needs_library = pytest.mark.skipif(not has_library, reason="this Python has no shared library")


def environment(**settings: str | None) -> dict[str, str]:
    """An environment of which nothing but `settings` concerns the SDK."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ACTGRAD_", "PYTHON", "LD_", "ASCEND_", "OMP_"))}
    kept["ACTGRAD_CACHE_DIR"] = os.environ["ACTGRAD_CACHE_DIR"]  # what one program compiles the others need not
    changed = kept | {k: v for k, v in settings.items() if v is not None}
    return {k: v for k, v in changed.items() if settings.get(k, v) is not None}


def kept_sdk(cache: Path) -> Path:
    """The SDK that `actgrad sdk --run` keeps in a cache folder. One process builds it, and the others wait."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        patch.setenv("XDG_CACHE_HOME", str(cache))
        return programs.kept_sdk()


class Sdk:
    """An SDK and the programs compiled against it."""

    def __init__(self, prefix: Path, folder: Path):
        self.prefix, self.folder = prefix, folder
        folder.mkdir(parents=True, exist_ok=True)

    @classmethod
    def built(cls, folder: Path, interpreter: builder.Interpreter | None = None) -> Sdk:
        """A new SDK in a folder."""
        builder.build(folder / "sdk", interpreter)
        return cls(folder / "sdk", folder / "programs")

    def compile(self, source: Path, *flags: str, compiler: str = "") -> Path:
        """A program's executable."""
        is_cpp = source.suffix == ".cpp" or any("c++" in flag for flag in flags)
        compiler = compiler or ("g++" if is_cpp else "gcc")
        binary = self.folder / "-".join([source.stem, compiler, *(f.replace("/", "_") for f in flags)])
        if not binary.exists():
            language = ("-x", "c++") if is_cpp else ("-x", "c")
            include = (f"-I{self.prefix / 'include'}", f"-I{PROGRAMS}", f"-I{EXAMPLES}")
            library = self.prefix / "lib64"
            link = (f"-L{library}", f"-Wl,-rpath,{library}", *(f"-l{name}" for name in programs.LIBRARIES))
            command = [compiler, *WARNINGS, "-pthread", *flags, *include, *language, str(source), "-x", "none"]
            run([*command, *link, "-lm", "-ldl", "-o", str(binary)])
        return binary

    def run(
        self, program: str | Path, *arguments: str, mode: str = "inprocess", status: int = 0, **settings: str | None
    ) -> str:
        """What a program prints; `program` is one of tests/ascend/sdk/programs by its name, or an executable."""
        binary = self.compile(PROGRAMS / f"{program}.c", "-std=gnu11") if isinstance(program, str) else program
        return run([str(binary), *arguments], status, **MODES[mode] | settings)


def run(
    command: list[str],
    status: int = 0,
    cwd: Path | None = None,
    stdin: str | None = None,
    timeout: float = 120,
    **settings: str | None,
) -> str:
    """What a command prints. It must end with `status`; when that is 0 it must not print to stderr either."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=environment(**settings), check=False
    )  # fmt: skip
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    warnings = (
        "has format FRACTAL_NZ; actgrad reads it as ND; create it with ACL_FORMAT_ND",
        "enlarge storageDims",
        "check the arguments yourself",
        "call aclrtSynchronizeStream before",
    )
    said = [line for line in done.stderr.splitlines() if not line.endswith(warnings)]  # a strict program's warnings
    assert status or not said, done.stderr
    return done.stdout + (done.stderr if status else "")
