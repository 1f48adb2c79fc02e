"""The names that a program uses and the SDK lacks.

The compiler's diagnostics show the names in a source file, and symbols show the names in a built file. Missing headers
become empty files, and each function that always fails is declared as deprecated. So the compiler handles macros,
pasted names, addresses, types and constants.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...base.errors import suffix_of, system_fault
from . import builder, declared_functions
from .builder import CPP_SUFFIXES
from .prefix import SdkError

SUFFIXES = (".c", *CPP_SUFFIXES)
KINDS = "a C or C++ source, a built program or a folder of these"
HEADER_SUFFIXES = (".h", ".hh", ".hpp", ".hxx")  # searched only if the command line names them

#: Patterns of the names of functions and types of CANN, of its headers, and of its libraries.
_NAME = re.compile(r"(?:struct |enum )?((?:aclnn|aclop|aclrt|aclmdl|aclprof|acl|ACL|Hccl|HCCL|Msprof|rt)_?[A-Z]\w*)")
_HEADER = re.compile(r"(?:acl|aclnn|aclnnop|hccl|runtime|profiling)/.+|(?:acl|hccl)\w*\.h")
_LIBRARY = re.compile(r"lib(?:acl|ascend|opapi|cust_opapi|nnopbase|hccl|ge_|msprof)\w*\.so.*")

_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?P<level>(?:fatal )?error|warning): (?P<text>.*)$", re.M
)
_QUOTED = re.compile(r"'([^']+)'")
_WORD = re.compile(r"(?:\\[ #\\]|\S)+")  # a word of a line for make
_ESCAPED = re.compile(r"\\([ #\\])|\$(\$)")


@dataclass(frozen=True, slots=True)
class Finding:
    """A name that a program uses and the SDK lacks."""

    file: Path
    line: int  # 0 in a built file
    kind: str  # "header", "function", "type", "constant", "library" or "foreign header", which may hide names
    name: str
    reason: str = ""  # why a function is listed: it always fails, or its calls are not checked

    @property
    def is_note(self) -> bool:
        """Whether the SDK has the name, but does not check its calls."""
        return self.reason == declared_functions.UNCHECKED

    def __str__(self) -> str:
        location = f"{self.file}:{self.line}" if self.line else str(self.file)
        if self.kind == "foreign header":
            return f"{location}: header {self.name} was not found; it must be in an include folder; add --flag=-IFOLDER"
        if self.is_note:
            return f"{location}: {self.kind} {self.name} is {self.reason}: hardware may refuse a call that passes here"
        sentence = f"always fails in the SDK: {self.reason}" if self.reason else "is not in the SDK"
        if self.reason.startswith(declared_functions.NEEDS_TORCH):
            sentence = self.reason
        return f"{location}: {self.kind} {self.name} {sentence}"


def findings(program: Path, flags: Sequence[str] = (), faults: list[SdkError] | None = None) -> Iterator[Finding]:
    """The names that a source, a built file, or the files of a folder use and the SDK lacks, each at its first use.

    `faults` gets the faults of files that cannot be read or compiled. Without it, the first fault is raised.
    """
    root, paths = None, [program]
    if program.is_dir():
        root, paths = program, [path for path in sorted(program.rglob("*")) if path.is_file() and _is_program(path)]
        if not paths:
            raise SdkError(f"{program}: is a folder without programs; it must have {KINDS}; name another folder")
    elif program.exists() and not program.is_file():
        raise SdkError(f"{program}: is not a regular file; it must be {KINDS}; name another file")
    elif not _is_built(program) and program.suffix not in (*SUFFIXES, *HEADER_SUFFIXES):
        raise SdkError(f"{program}: has {suffix_of(program)}; it must be {KINDS}; name another file")
    for path in paths:
        try:
            yield from _of_file(path, root, flags)
        except SdkError as fault:
            if faults is None:
                raise
            faults.append(fault)


def _is_program(path: Path) -> bool:
    return path.suffix in SUFFIXES or (not path.is_symlink() and _is_built(path))


def _is_built(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError as error:
        raise SdkError(f"{path}: {system_fault(error)}") from error


def _of_file(path: Path, root: Path | None, flags: Sequence[str]) -> Iterator[Finding]:
    names: set[str] = set()
    for finding in _of_built(path) if _is_built(path) else _of_source(path, root, flags):
        name = finding.name.removesuffix("GetWorkspaceSize")  # both phases are one function
        if name not in names:
            names.add(name)
            yield finding


@cache
def _incomplete_functions() -> dict[str, declared_functions.DeclaredFunction]:
    """The functions that always fail, that need PyTorch where it is absent, and whose calls are not checked."""
    return declared_functions.not_computed() | declared_functions.unchecked() | declared_functions.without_torch()


def _of_built(path: Path) -> Iterator[Finding]:
    """Undefined symbols, and libraries that the file needs."""
    done = _run(["readelf", "--wide", "--dynamic", "--dyn-syms", "--syms", str(path)])
    if done.returncode or "Error:" in done.stderr:
        raise SdkError(
            f"{path}: readelf failed; it must be a valid built program; see its message:\n{done.stderr.strip()}"
        )
    said = done.stdout
    if "Dynamic section" not in said and "Symbol table" not in said:
        raise SdkError(f"{path}: has no symbol table; it must name the functions that it uses; build it without -s")
    has = {f"lib{name}.so" for name in (*builder.libraries(), "acl_rt")}
    for library in re.findall(r"\(NEEDED\).*\[(.+)\]", said):
        if _LIBRARY.fullmatch(library) and library not in has:
            yield Finding(path, 0, "library", library)
    for name in sorted(filter(_is_lacking, set(re.findall(r"\bUND +([\w.]+)", said)))):
        yield _finding(path, 0, "function", name)


@cache
def _sdk_names() -> set[str]:
    """The names in the SDK's headers, except functions that always fail or are not checked."""
    return {name for _, text in builder.headers() for name in re.findall(r"\w+", text)} - _incomplete_functions().keys()


def _is_lacking(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in _sdk_names()


def _headers() -> dict[str, str]:
    """The SDK's headers by name. They declare the functions of `_incomplete_functions` as deprecated."""
    texts = dict(builder.headers())
    for name, row in _incomplete_functions().items():
        if row.header:
            inside, guard, _ = texts[row.header].rpartition("#endif")
            again = f'extern __typeof__({name}) {name} __attribute__((deprecated("{row.reason}")));\n'
            texts[row.header] = f"{inside}{again}{guard}\n"
    return texts


def _finding(file: Path, line: int, kind: str, name: str) -> Finding:
    row = _incomplete_functions().get(name)
    return Finding(file, line, kind, name, row.reason if row else "")


def _of_source(path: Path, root: Path | None, flags: Sequence[str]) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="actgrad-") as folder:
        include, stubs = Path(folder) / "include", Path(folder) / "stubs"
        builder.write_files(include, _headers())
        command = builder.compile_command(path, include)
        if "clang" not in command[0]:
            command.append("-ftrack-macro-expansion=0")  # reports the line that uses a macro
        if path.suffix not in CPP_SUFFIXES:
            command.append("-Werror=implicit-function-declaration")
        command += [*flags, str(path)]
        missing = _complete(command, root, stubs)
        results = [_finding(path, _line(path, name), "header", name) for name in missing if _HEADER.fullmatch(name)]
        headers = [name for name in missing if not _HEADER.fullmatch(name)]
        results += _undeclared(command, path, headers)
        results += _looked_up(command, path)
        yield from sorted(results, key=lambda finding: finding.line)


def _complete(command: list[str], root: Path | None, stubs: Path) -> list[str]:
    """Make an empty file for each header that does not exist.

    If a folder of `root` has the header, add it to the command.
    """
    stubs.mkdir()
    command.append(f"-I{stubs}")
    missing: list[str] = []
    while True:
        names = [name for name in _included(command) if not os.path.exists(name)]
        if not names or set(names) <= set(missing):
            return missing
        for name in names:
            in_root = root.rglob(Path(name).name) if root else ()
            folders = [str(p).removesuffix(f"/{name}") for p in sorted(in_root) if str(p).endswith(f"/{name}")]
            if folders and f"-I{folders[0]}" not in command:
                command.append(f"-I{folders[0]}")
                continue
            missing.append(name)
            if not os.path.isabs(name) and ".." not in Path(name).parts:
                (stubs / name).parent.mkdir(parents=True, exist_ok=True)
                (stubs / name).touch()


def _included(command: list[str]) -> list[str]:
    """The source and the headers that the preprocessor reads, from its output for make."""
    said = _run([*command, "-M", "-MG", "-MT", "it"]).stdout.replace("\\\n", " ")
    return [_ESCAPED.sub(r"\1\2", word) for word in _WORD.findall(said)[1:]]


def _undeclared(command: list[str], path: Path, headers: Sequence[str]) -> Iterator[Finding]:
    """Names in the compiler's diagnostics, and foreign headers, without which the program does not compile.

    A name that the headers declare is not missing: the program uses it wrongly.
    """
    done = _run([*command, "-fsyntax-only"])
    results = []
    for match in _DIAGNOSTIC.finditer(done.stderr):
        quoted = _QUOTED.search(match["text"])
        name = _NAME.fullmatch(re.sub(r"\(.*|.* (?=\w+\()", "", quoted[1])) if quoted else None
        is_judged = match["level"] != "warning" or match["text"].endswith("[-Wdeprecated-declarations]")
        is_member = "has no member" in match["text"] or "no member named" in match["text"]
        if name is None or name[1] in _sdk_names() or not is_judged or is_member:
            continue
        results.append(_finding(Path(match["file"]), int(match["line"]), _kind(match["text"], name[1], path), name[1]))
    if done.returncode and not results and not headers:
        said = os.fsencode(done.stderr).decode(errors="replace").strip()
        raise SdkError(f"{path}: does not compile; the compiler must accept it; see its messages:\n{said}")
    yield from results
    yield from (Finding(path, _line(path, name), "foreign header", name) for name in headers)


def _kind(text: str, name: str, path: Path) -> str:
    if name.startswith(("ACL_", "HCCL_")):
        return "constant"
    used = re.search(rf"\b{name}\s*\(", path.read_text(encoding="utf-8", errors="replace"))
    is_function = name in _incomplete_functions() or name.startswith("aclnn") or "function" in text or used is not None
    return "function" if is_function else "type"


_STRINGS = re.compile(r'"\w+"(?:\s*"\w*")*')


def _looked_up(command: list[str], path: Path) -> Iterator[Finding]:
    """Names in strings of the preprocessed source, which a program passes to dlsym."""
    line, is_own = 0, False
    for text in _run([*command, "-E"]).stdout.splitlines():
        if marker := re.match(r'# (\d+) "(.*)"', text):
            line, is_own = int(marker[1]) - 1, marker[2] == str(path)
            continue
        line += 1
        for match in _STRINGS.finditer(text) if is_own else ():
            name = "".join(re.findall(r"\w+", match[0]))
            if _is_lacking(name):
                yield _finding(path, line, "function", name)


def _line(path: Path, header: str) -> int:
    """The line that includes a header, or 0 if another file includes it."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    match = re.search(rf'^\s*#\s*include\s*[<"]{re.escape(header)}[>"]', text, re.M)
    return text.count("\n", 0, match.end()) + 1 if match else 0


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a tool, with messages in English. Bytes that are not valid text become surrogates."""
    settings = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="surrogateescape", check=False, env=settings
        )  # fmt: skip
    except OSError as error:
        fault = f"{command[0]} was not started ({error.strerror})"
        raise SdkError(
            f"{fault}; it must be on PATH; install it (on Debian and Ubuntu: apt install binutils)"
        ) from error
