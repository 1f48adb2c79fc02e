"""Programs of others: compiled and run against the SDK, or searched for headers and functions that it lacks."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..base.folders import user_cache
from . import builder, clients, descriptions
from .builder import HERE
from .prefix import SdkError

#: The libraries of a program.
LIBRARIES = ("opapi_nn", "opapi_math", "acl_op_compiler", "nnopbase", "ascendcl")
CPP_SUFFIXES = (".cc", ".cpp", ".cxx", ".c++", ".C")


def kept_sdk() -> Path:
    """An SDK of this installation in the user's cache folder, built if it is missing."""
    base = user_cache()
    if base is None:
        raise SdkError("no home folder to keep the SDK in: set XDG_CACHE_HOME, or build it with actgrad sdk PREFIX")
    interpreter = builder.Interpreter.current()
    digest = hashlib.sha256(f"{__version__} {interpreter}".encode())
    sources = [path for kind in ("*.py", "*.c", "*.h", "*.in", "*.txt") for path in HERE.parent.rglob(kind)]
    for path in sorted(sources):
        digest.update(path.read_bytes())
    prefix = base / "actgrad" / f"sdk-{digest.hexdigest()[:16]}"
    if not prefix.exists():
        try:
            builder.build(prefix)
        except SdkError:
            if not prefix.exists():  # no other process has built the same meanwhile
                raise
    return prefix


def run(program: Path, arguments: Sequence[str], flags: Sequence[str] = ()) -> int:
    """Compile a program, run it with `arguments`, and return its exit status (128 and more: ended by a signal)."""
    if not program.is_file():
        raise SdkError(f"{program}: no such file")
    prefix = kept_sdk()
    with tempfile.TemporaryDirectory(prefix="actgrad-") as folder:
        binary = Path(folder) / program.stem
        compile_program(program, binary, prefix, flags)
        environment = {**os.environ, **descriptions.environment(prefix)}
        status = subprocess.run([str(binary), *arguments], env=environment, check=False).returncode
    return status if status >= 0 else 128 - status


def compile_program(program: Path, binary: Path, prefix: Path, flags: Sequence[str] = ()) -> None:
    """Compile a C or C++ program against the SDK in `prefix`. An error has the compiler's messages."""
    is_cpp = program.suffix in CPP_SUFFIXES
    folders = [f"-I{prefix / 'include' / name}" for name in ("", "aclnn", "aclnnop")]
    library = prefix / "lib64"
    command = [
        *builder.compiler("c++" if is_cpp else "c"),
        *(["-std=c++17"] if is_cpp else ["-std=gnu11"]), *folders, str(program), "-o", str(binary), *flags,
        f"-L{library}", f"-Wl,-rpath,{library}", *[f"-l{name}" for name in LIBRARIES], "-lm", "-pthread",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lacking = list(findings(program))
        hint = "".join(f"\n{finding}" for finding in lacking)
        raise SdkError(f"{program} does not compile:\n{done.stderr.strip()}{hint}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A header or a function of a program that the SDK lacks."""

    file: Path
    line: int
    kind: str  # "header" or "function"
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind} {self.name} is not in the SDK"


_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]((?:acl|aclnn|aclnnop)(?:_\w+)?/[^>"]+|(?:acl|aclnn)\w*\.h)[>"]', re.M)
_CALL = re.compile(r"(?<![\w.>])(acl[a-zA-Z]\w*)\s*\(")  # not a method: objects have functions of their own
_NAME = re.compile(r"\bacl\w+")


def findings(program: Path) -> Iterator[Finding]:
    """Headers and functions of the program that the SDK lacks, each at its first use."""
    try:
        text = program.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SdkError(f"{program}: {error.strerror}") from error
    headers, known = _sdk_names()
    seen = set()
    directives, code = _without(text, "comment"), _without(text, "comment", "string")
    for kind, pattern, has, part in (
        ("header", _INCLUDE, headers, directives),
        ("function", _CALL, known, code),
    ):
        for match in pattern.finditer(part):
            name = match[1]
            if name not in has and name not in seen and not _is_own(kind, name, code, program.parent):
                seen.add(name)
                yield Finding(program, part.count("\n", 0, match.start(1)) + 1, kind, name)


def _sdk_names() -> tuple[set[str], set[str]]:
    """The SDK's headers, and every name that they declare, but functions that always fail."""
    with tempfile.TemporaryDirectory(prefix="actgrad-") as folder:
        include = Path(folder)
        builder.write_headers(include)
        paths = list(include.rglob("*.h"))
        headers = {str(path.relative_to(include)) for path in paths}
        for sub in ("aclnn", "aclnnop"):  # the usual command lines name these folders too
            headers |= {str(path.relative_to(include / sub)) for path in (include / sub).rglob("*.h")}
        declared = {name for path in paths for name in _NAME.findall(path.read_text(encoding="utf-8"))}
    return headers, declared - clients.not_computed().keys()


_PARTS = re.compile(
    r'(?P<string>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<comment>/\*.*?\*/|//[^\n]*)",
    re.S,
)


def _without(text: str, *kinds: str) -> str:
    """The text without its comments, or its strings too; lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        return ("\n" * match[0].count("\n") or " ") if match.lastgroup in kinds else match[0]

    return _PARTS.sub(blank, text)


def _is_own(kind: str, name: str, code: str, folder: Path) -> bool:
    """Whether the program has the header beside it, or defines the function: as a body, a macro or a pointer."""
    if kind == "header":
        return (folder / name).exists()
    body = rf"\b{name}\s*\([^;{{}}]*\)\s*(?:const\s*|noexcept\s*|->\s*[\w:<>*&\s]+)*\{{"
    others = rf"#\s*define\s+{name}\b|\bauto\s+{name}\s*=|\(\s*\*\s*{name}\s*\)"
    return re.search(f"{body}|{others}", code) is not None
