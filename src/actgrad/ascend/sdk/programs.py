"""Compiles other people's programs against the SDK, and runs them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ... import __version__
from ...base.errors import NO_FILE, suffix_of
from ...base.folders import user_cache
from . import builder, descriptions, lacking
from . import prefix as prefixes
from .builder import HERE
from .prefix import SdkError

#: The libraries that a program links.
LIBRARIES = ("opapi_nn", "opapi_math", "acl_op_compiler", "nnopbase", "ascendcl")


def kept_sdk() -> Path:
    """An SDK of this installation in the user's cache folder, built if it is missing.

    Raises SdkError if another user could have written it.
    """
    base = user_cache()
    if base is None:
        raise SdkError(
            "no home folder was found; the SDK needs a cache folder; set XDG_CACHE_HOME, or build it with actgrad sdk "
            "PREFIX"
        )
    interpreter = builder.Interpreter.current()
    digest = hashlib.sha256(f"{__version__} {interpreter}".encode())
    sources = [path for kind in ("*.py", "*.c", "*.h", "*.in", "*.txt") for path in HERE.parent.rglob(kind)]
    for path in sorted(sources):
        digest.update(path.read_bytes())
    prefix = base / "actgrad" / f"sdk-{digest.hexdigest()[:16]}"
    try:
        prefix.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        prefixes.refuse_foreign_folder(prefix.parent)
        if not os.path.lexists(prefix):
            _build_kept(prefix)
        prefixes.refuse_foreign(prefix)
    except OSError as error:
        raise SdkError(f"the SDK cannot be kept in {prefix}: {error}") from error
    return prefix


def _build_kept(prefix: Path) -> None:
    try:
        builder.build(prefix)
    except SdkError:
        if not prefix.exists():  # another process may have built the same SDK meanwhile
            raise


def run_program(program: Path, arguments: Sequence[str], flags: Sequence[str] = ()) -> int:
    """Compile a program, run it with `arguments`, and return its exit status (128 or more if a signal ended it)."""
    if program.suffix not in lacking.SUFFIXES:
        expected = f"a C or C++ program is expected ({', '.join(lacking.SUFFIXES)})"
        raise SdkError(f"{program}: has {suffix_of(program)}; {expected}; name its source")
    if not program.is_file():
        raise SdkError(
            f"{program}: {'is a folder; it must be a file; name a program' if program.exists() else NO_FILE}"
        )
    prefix = kept_sdk()
    with tempfile.TemporaryDirectory(prefix="actgrad-") as folder:
        binary = Path(folder) / program.stem
        compile_program(program, binary, prefix, flags)
        environment = {**os.environ, **descriptions.environment(prefix)}
        status = subprocess.run([str(binary), *arguments], env=environment, check=False).returncode
    return status if status >= 0 else 128 - status


def compile_program(program: Path, binary: Path, prefix: Path, flags: Sequence[str] = ()) -> None:
    """Compile a C or C++ program against the SDK in `prefix`. An error contains the compiler's messages."""
    library = prefix / "lib64"
    command = [
        *builder.compile_command(program, prefix / "include"), str(program), "-o", str(binary), *flags,
        f"-L{library}", f"-Wl,-rpath,{library}", *[f"-l{name}" for name in LIBRARIES], "-lm", "-pthread",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        try:
            hint = "".join(f"\n{finding}" for finding in lacking.findings(program, flags))
        except SdkError:  # the compiler's messages name nothing of the SDK
            hint = ""
        raise SdkError(
            f"{program}: does not compile; the compiler must accept it; see its messages:\n{done.stderr.strip()}{hint}"
        )
