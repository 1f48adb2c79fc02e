"""Builds the SDK: headers, libraries and descriptions for build systems, under one folder."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...base.errors import either, system_fault
from . import declared_functions, descriptions, prototypes
from . import prefix as prefixes
from .prefix import SdkError

HERE = Path(__file__).parent
SOURCES, HEADERS = prototypes.SOURCES, HERE / "include"

CPP_SUFFIXES = (".cc", ".cpp", ".cxx", ".c++", ".C")

#: The libraries of the operators. All of them have the same content.
OPERATOR_LIBRARIES = ("opapi_nn", "opapi", "cust_opapi")


_OBJECTS = ("opapi", "missing")  # generated sources of all operator libraries

#: The sources of the older interface that are in libascendcl. The other sources are in libacl_op_compiler.
OF_ASCENDCL = ("attributes.c", "descriptions.c")


@dataclass(frozen=True)
class Interpreter:
    """The Python that the SDK's programs start."""

    executable: str
    library: str  # its shared library, or "" if there is none
    version: str  # such as "3.12". Libraries and modules depend only on this part of the version
    stdlib: str  # the folder of its standard library, or "" if there is none
    path: tuple[str, ...]  # the folders of actgrad and its requirements

    @classmethod
    def current(cls) -> Interpreter:
        """The interpreter that runs this code."""
        stdlib = sysconfig.get_path("stdlib")
        return cls(
            sys.executable,
            _shared_library(),
            f"{sys.version_info.major}.{sys.version_info.minor}",
            stdlib if os.path.isdir(os.path.join(stdlib, "encodings")) else "",
            _module_folders(),
        )


def _module_folders() -> tuple[str, ...]:
    """The folders of actgrad and its requirements. sys.path would also contain the folder of a script."""
    folders = [str(HERE.parents[2])]  # a source checkout has the same folder
    for name in ("numpy", "ml_dtypes", "llvmlite"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            folders.append(str(Path(spec.origin).absolute().parents[1]))
    return tuple(dict.fromkeys(folders))


def _shared_library() -> str:
    """This interpreter's shared library, even if its executable does not use the library."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
    names = (sysconfig.get_config_var("INSTSONAME") or "", f"libpython{version}.so.1.0")
    for folder in (sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")):
        for name in names:
            if ".so" in name and (library := Path(folder) / name).is_file():
                return str(library)
    return ""


def compiler(language: str) -> list[str]:
    """The command of a C or C++ compiler: CC or CXX, otherwise the first one on PATH."""
    variable, candidates = {"c": ("CC", ("cc", "gcc", "clang")), "c++": ("CXX", ("c++", "g++", "clang++"))}[language]
    setting = os.environ.get(variable)
    if setting:
        command = shlex.split(setting)
        if shutil.which(command[0]) is None:
            raise SdkError(f"{variable} is {setting!r}; {command[0]} must be on PATH; install it or unset {variable}")
        return command
    for name in candidates:
        if shutil.which(name):
            return [name]
    name = {"c": "C", "c++": "C++"}[language]
    raise SdkError(
        f"no {name} compiler is on PATH; {either(candidates)} is expected; install one (on Debian and Ubuntu: "
        f"apt install gcc g++) or name it in {variable}"
    )


def compile_command(program: Path, include: Path) -> list[str]:
    """The beginning of a command that compiles a program of C or C++ with the headers in `include`."""
    is_cpp = program.suffix in CPP_SUFFIXES
    folders = [f"-I{include / name}" for name in ("", "aclnn", "aclnnop")]
    return [*compiler("c++" if is_cpp else "c"), "-std=c++17" if is_cpp else "-std=gnu11", *folders]


def build(prefix: Path, interpreter: Interpreter | None = None) -> None:
    """Build the SDK next to `prefix`, then move it to `prefix`. After a failure, the old content is still there."""
    prefix = Path(os.path.realpath(prefix))  # unlike Path.resolve, this raises no OSError for a loop of links
    command = compiler("c")
    try:
        prefixes.refuse_occupied(prefix)
        prefix.parent.mkdir(parents=True, exist_ok=True)
        with prefixes.temporary_folder(prefix) as folder, tempfile.TemporaryDirectory(prefix="actgrad-") as sources:
            fresh = folder / prefixes.FRESH
            texts = {f"include/{name}": text for name, text in headers()}
            texts |= dict(descriptions.files(prefix, libraries()))
            links = {"lib64/libacl_rt.so": "libascendcl.so", **dict(descriptions.links())}
            prefixes.announce(fresh, texts, links, _library_files())
            write_files(fresh, texts)
            for name, target in links.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).symlink_to(target)
            _write_libraries(fresh, Path(sources), command, interpreter or Interpreter.current())
            prefixes.finish(fresh)
            prefixes.put(fresh, prefix, folder / prefixes.OLD)
    except OSError as error:
        raise SdkError(f"{error.filename or prefix}: {system_fault(error)}") from error


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts into files below a folder. The keys are the names of the files in the folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def headers() -> Iterator[tuple[str, str]]:
    """The public headers: names under the folder `include`, and texts."""
    for path in sorted(HEADERS.rglob("*.in")):
        name = path.relative_to(HEADERS).as_posix().removesuffix(".in")
        yield name, prototypes.header(name, path.read_text(encoding="utf-8"))
    yield "aclnn/opdev/op_errno.h", prototypes.status_header()
    for name, text in prototypes.operator_headers():
        yield f"aclnnop/{name}", text
        yield f"aclnnop/level2/{name}", f'/* Made by `actgrad sdk`. */\n#include "aclnnop/{name}"\n'


def libraries() -> tuple[str, ...]:
    """The libraries by name, the lowest first."""
    return ("ascendcl", "nnopbase", *OPERATOR_LIBRARIES, *declared_functions.libraries())


def _library_files() -> list[str]:
    """The file names of the libraries in an SDK."""
    return [f"lib64/lib{name}.so" for name in libraries()]


def _write_libraries(fresh: Path, source_folder: Path, command: list[str], interpreter: Interpreter) -> None:
    """Compile the libraries. Generated sources go into `source_folder`."""
    library = fresh / "lib64"
    texts = {
        "data_types.h": prototypes.data_types(),
        "products.h": prototypes.products_header(),
        "opapi.c": prototypes.stubs(),
        "missing.c": declared_functions.stubs("opapi"),
    }
    write_files(
        source_folder,
        texts | {f"{n}.c": declared_functions.stubs(n) for n in ("ascendcl", *declared_functions.libraries())},
    )
    folders = [f"-I{folder}" for folder in (SOURCES, fresh / "include", source_folder)]
    macros = {
        "ACTGRAD_PYTHON": interpreter.executable,
        "ACTGRAD_LIBPYTHON": interpreter.library,
        "ACTGRAD_VERSION": interpreter.version,
        "ACTGRAD_STDLIB": interpreter.stdlib,
        "ACTGRAD_PATH": ascii(list(interpreter.path)).replace("%", "%%"),  # a Python list in a format string of printf
    }
    quoted = [f'-D{name}="{_escaped(value)}"' for name, value in macros.items()]
    compiled = [*command, "-std=gnu11", "-O2", "-fPIC", "-fno-plt", *folders]
    common = [
        *compiled, "-shared", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra",
        "-Wno-unused-parameter",
        "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed,-z,defs,-z,nodelete", *quoted, f"-L{library}",
    ]  # fmt: skip

    def link(name: str, sources: Sequence[Path], *libraries: str) -> None:
        target = f"lib{name}.so"
        output = ["-o", str(library / target), f"-Wl,-soname,{target}"]
        _run([*common, *output, *map(str, sources), *[f"-l{other}" for other in libraries]], target)

    beneath = [*sorted((SOURCES / "ascendcl").glob("*.c")), *(SOURCES / "acl_op" / name for name in OF_ASCENDCL)]
    link("ascendcl", [*beneath, source_folder / "ascendcl.c"], "m", "dl")
    link("nnopbase", sorted((SOURCES / "nnopbase").glob("*.c")), "ascendcl", "dl")
    objects = []  # all operator libraries link the same objects
    for name in _OBJECTS:
        objects.append(source_folder / f"{name}.o")
        # The functions only pass their arguments on. gcc takes half the time with -O1.
        _run([*compiled, "-O1", "-c", str(source_folder / f"{name}.c"), "-o", str(objects[-1])], objects[-1].name)
    for name in OPERATOR_LIBRARIES:
        link(name, objects, "nnopbase", "ascendcl")
    for name, needed in declared_functions.libraries().items():
        c_sources = [SOURCES / "acl_op" / "single_operators.c"] if name == "acl_op_compiler" else []
        link(name, [*c_sources, source_folder / f"{name}.c"], *needed)


def _run(command: list[str], artifact: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        words = f"{shlex.join(command)}\n{done.stderr.strip()}"
        raise SdkError(f"{artifact} was not built; the compiler must accept it; see its messages:\n{words}")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
