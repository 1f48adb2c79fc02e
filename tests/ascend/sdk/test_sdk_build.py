"""Building the SDK, and building programs with it: flags, shells, pkg-config, CMake."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import actgrad
from actgrad.ascend import C, Law
from actgrad.ascend.sdk import builder, declared_functions, descriptions, prototypes
from actgrad.ascend.sdk import prefix as prefixes
from actgrad.ascend.sdk.prefix import SdkError
from actgrad.cli.main import main
from tests.ascend.sdk.test_sdk_examples import check_thirteen
from tests.support.sdk_programs import EXAMPLES, PROGRAMS, Sdk, needs_compiler, run

pytestmark = [pytest.mark.share(3), needs_compiler]

THIRTEEN = str(PROGRAMS / "thirteen.c")
INCLUDE = "-I $ASCEND_HOME_PATH/include -I $ASCEND_HOME_PATH/include/aclnnop -I $ASCEND_HOME_PATH/include/aclnn"
LIBRARIES = "-L $ASCEND_OPP_PATH/lib64 -L $ASCEND_HOME_PATH/lib64"
LINES = [
    "-lopapi_nn -lopapi_math -lascendcl -lnnopbase",
    "-lopapi -lascendcl -lnnopbase",
    "-lcust_opapi -lnnopbase -lacl_rt",
    "-lopapi_nn -lnnopbase -lacl_rt -lascendcl",
]


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("libraries", LINES)
@pytest.mark.share(8)
def test_usual_command_lines(sdk: Sdk, libraries: str, shell: str, tmp_path: Path) -> None:
    """After set_env.sh, in shells that allow no variable to be missing; run where nothing of the SDK is near."""
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = f"""set -eu
    . {sdk.prefix}/set_env.sh
    test "$ASCEND_TOOLKIT_HOME$ASCEND_CUSTOM_PATH$ASCEND_AICPU_PATH$ASCEND_INSTALL_PATH$ASCEND_DIR" = \
         "{str(sdk.prefix) * 5}"
    gcc {THIRTEEN} -I{PROGRAMS} {INCLUDE} {LIBRARIES} {libraries} -lm -o {tmp_path}/program
    cd /
    PATH=/nowhere {tmp_path}/program
    """
    check_thirteen(run([shell, "-c", script]))
    check_thirteen(run([shell, "-c", script], LD_LIBRARY_PATH="/elsewhere"))


def test_pkg_config(sdk: Sdk, tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip("needs pkg-config")
    settings = {"PKG_CONFIG_PATH": str(sdk.prefix / "lib64" / "pkgconfig")}
    words = run(["pkg-config", "--cflags", "--libs", "actgrad"], **settings).split()
    run(["gcc", THIRTEEN, f"-I{PROGRAMS}", *words, "-lm", "-o", str(tmp_path / "program")])
    check_thirteen(run([str(tmp_path / "program")]))
    assert run(["pkg-config", "--modversion", "actgrad"], **settings).strip() == actgrad.__version__


CMAKE = {
    "find_package": """
        find_package(actgrad REQUIRED CONFIG PATHS {prefix})
        add_executable(program {source})
        target_link_libraries(program PRIVATE actgrad::opapi_nn m)
    """,
    "ASCEND_CUSTOM_PATH": """
        include_directories($ENV{{ASCEND_CUSTOM_PATH}}/include $ENV{{ASCEND_CUSTOM_PATH}}/include/aclnn)
        link_directories($ENV{{ASCEND_CUSTOM_PATH}}/lib64)
        add_executable(program {source})
        target_link_libraries(program PRIVATE opapi_nn ascendcl nnopbase m)
    """,
}


@pytest.mark.parametrize("way", CMAKE)
def test_cmake(sdk: Sdk, way: str, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("needs CMake")
    text = "cmake_minimum_required(VERSION 3.14)\nproject(program C)\nset(CMAKE_C_STANDARD 99)\n"
    text += f"include_directories({PROGRAMS})\n" + CMAKE[way].format(prefix=sdk.prefix, source=THIRTEEN)
    (tmp_path / "CMakeLists.txt").write_text(text)
    settings = descriptions.environment(sdk.prefix)
    run(["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build")], **settings)
    run(["cmake", "--build", str(tmp_path / "build")], **settings)
    check_thirteen(run([str(tmp_path / "build" / "program")]))


@pytest.mark.parametrize("name", ["group_norm_backward", "logsigmoid_backward", "adaptive_max_pool3d"])
def test_headers_that_include_array(sdk: Sdk, name: str, tmp_path: Path) -> None:
    """Programs of CANN use std::array with no include but these."""
    header = f'#include "aclnnop/aclnn_{name}.h"\n'
    for suffix, rest in (("cpp", "std::array<bool, 3> mask;\n"), ("c", "int mask[3];\n")):
        source = tmp_path / f"program.{suffix}"
        source.write_text(header + rest)
        run(["gcc" if suffix == "c" else "g++", "-fsyntax-only", f"-I{sdk.prefix / 'include'}", str(source)])


def test_names_of_libraries(sdk: Sdk) -> None:
    """As programs that were linked elsewhere ask for them."""
    library = sdk.prefix / "lib64"
    for name in ("ascendcl", "nnopbase", "opapi_nn", "opapi", "cust_opapi", "opapi_math"):
        shown = run(["readelf", "-d", str(library / f"lib{name}.so")])
        assert f"Library soname: [lib{name}.so]" in shown
    assert (library / "libacl_rt.so").resolve() == library / "libascendcl.so"


def test_every_declared_function_is_there(sdk: Sdk) -> None:
    """And nothing else of the SDK's is seen by programs, but what its libraries share."""
    declared, defined = set(), set()
    for header in (sdk.prefix / "include").rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        declared |= set(re.findall(r"\b((?:acl|Acl|rt|Msprof|Hccl)\w+)\s*\(", text))
    for library in (sdk.prefix / "lib64").glob("*.so"):
        for line in run(["nm", "-D", "--defined-only", str(library)]).splitlines():
            defined.add(line.split()[-1])
    public = {name for name in defined if not name.startswith("actgrad_")}
    assert declared <= public
    text = declared_functions.TABLE.read_text(encoding="utf-8")
    table = set(re.findall(r"\w+", text))  # programs look these up by name alone
    stems = {name.removesuffix("GetWorkspaceSize") for name in public - declared}
    assert {stem for stem in stems if not {stem, stem.removeprefix("aclnn")} & table} == set()
    assert len(declared) > 120


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("compiler", ["gcc", "g++"])
@pytest.mark.share(10)  # two cases of eight, one for each compiler
def test_each_header_alone(sdk: Sdk, compiler: str, part: int, tmp_path: Path) -> None:
    """Compiles, twice in a row, without a warning. A part is every fourth header."""
    include = sdk.prefix / "include"
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))[part::4]
    assert len(headers) > 20
    standard, suffix = ("-std=c99", "c") if compiler == "gcc" else ("-std=c++11", "cpp")
    for k, header in enumerate(headers):
        (tmp_path / f"{k}.{suffix}").write_text(f'#include "{header}"\n#include "{header}"\nint main(void);\n')
    files = [str(tmp_path / f"{k}.{suffix}") for k in range(len(headers))]
    run([compiler, standard, "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{include}", *files])


def test_a_new_operator_is_in_c_too(tmp_path: Path, smooth_relu: ModuleType) -> None:
    """By its schema and its name alone: a header of its own, and functions that agree with it."""
    Law(smooth_relu.smooth_relu, functions=(C("SmoothRelu"),))
    builder.write_files(tmp_path / "include", dict(builder.headers()))
    header = (tmp_path / "include" / "aclnnop" / "aclnn_smooth_relu.h").read_text()
    assert "aclnnSmoothReluGetWorkspaceSize(const aclTensor* self," in header
    (tmp_path / "opapi.c").write_text(prototypes.stubs())
    folders = (f"-I{tmp_path / 'include'}", f"-I{builder.SOURCES}")
    run(["gcc", "-std=gnu11", "-c", *folders, str(tmp_path / "opapi.c"), "-o", str(tmp_path / "opapi.o")])
    assert "aclnnInplaceSmoothRelu" in run(["nm", str(tmp_path / "opapi.o")])


# Where it is built


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds without libraries, for tests of where they go."""
    monkeypatch.setattr(builder, "_write_libraries", lambda *_: None)


@pytest.fixture
def prefix(tmp_path: Path, quick: None) -> Path:
    """An SDK with an empty folder of the user's in it."""
    folder = tmp_path / "sdk"
    builder.build(folder)
    (folder / "empty").mkdir()
    return folder


def relist(prefix: Path) -> None:
    """Have an SDK's marker name what is there, as one of another version would."""
    (prefix / prefixes.MARKER).unlink()
    prefixes.finish(prefix)


def test_over_an_existing_one(prefix: Path) -> None:
    (prefix / "include" / "old.h").write_text("of an earlier version")
    relist(prefix)
    builder.build(prefix)
    assert not (prefix / "include" / "old.h").exists()
    assert (prefix / "include" / "acl" / "acl.h").exists()
    assert [path.name for path in prefix.parent.iterdir()] == ["sdk"]


def test_over_one_of_version_0_1(prefix: Path) -> None:
    """Its marker names no files."""
    (prefix / prefixes.MARKER).write_text("0.1.0\n")
    (prefix / "bin").mkdir()
    (prefix / "bin" / "program").write_text("built by the user")
    with pytest.raises(SdkError, match=r"has files of yours \(bin/program\); .*; move them"):
        builder.build(prefix)
    (prefix / "bin" / "program").unlink()
    builder.build(prefix)
    assert len((prefix / prefixes.MARKER).read_text().splitlines()) > 20


def add_file(prefix: Path) -> str:
    (prefix / "include" / "mine.h").write_text("mine")
    return "include/mine.h"


def change_file(prefix: Path) -> str:
    (prefix / "set_env.sh").write_text("export MORE=1\n")
    return "set_env.sh"


def replace_by_a_link(prefix: Path) -> str:
    (prefix / "set_env.sh").rename(prefix.parent / "set_env.sh")
    (prefix / "set_env.sh").symlink_to(prefix.parent / "set_env.sh")
    return "set_env.sh"


def link_to_a_folder(prefix: Path) -> str:
    (prefix.parent / "thesis").mkdir()
    (prefix.parent / "thesis" / "thesis.txt").write_text("years of work")
    (prefix / "include" / "thesis").symlink_to(prefix.parent / "thesis")
    return "include/thesis"


def add_fifo(prefix: Path) -> str:
    os.mkfifo(prefix / "lib64" / "fifo")
    return "lib64/fifo"


def replace_by_a_fifo(prefix: Path) -> str:
    (prefix / "set_env.sh").unlink()
    os.mkfifo(prefix / "set_env.sh")
    return "set_env.sh"


@pytest.mark.parametrize(
    "change", [add_file, change_file, replace_by_a_link, link_to_a_folder, add_fifo, replace_by_a_fifo]
)
def test_over_one_with_files_of_the_user(change: Callable[[Path], str], prefix: Path) -> None:
    name = change(prefix)

    def tree() -> set[tuple[str, int]]:
        return {(str(path), path.lstat().st_ino) for path in prefix.parent.rglob("*")}

    before = tree()
    with pytest.raises(SdkError, match=rf"has files of yours \({name}\); .*; move them"):
        builder.build(prefix)
    assert tree() == before


@pytest.mark.parametrize("content", ["", "my notes\n", "0\n", None])
def test_over_a_folder_with_a_foreign_marker(content: str | None, prefix: Path) -> None:
    marker = prefix / prefixes.MARKER
    marker.unlink()
    if content is None:
        os.mkfifo(marker)
    else:
        marker.write_text(content)
    with pytest.raises(SdkError, match="exists already; it must be empty or an SDK"):
        builder.build(prefix)
    assert (prefix / "set_env.sh").exists()


def test_a_failure_at_the_last_step_leaves_what_was_there(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name == "fresh":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(SdkError, match="No space left"):
        builder.build(prefix)
    assert (prefix / "set_env.sh").exists()
    assert (prefix / "empty").is_dir()


@pytest.mark.usefixtures("quick")
def test_over_something_else(tmp_path: Path) -> None:
    """Is refused, and nothing of it touched; an empty folder will do, and so does a link to one."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(SdkError, match="exists already; it must be empty or an SDK"):
        builder.build(folder)
    with pytest.raises(SdkError, match="exists already; it must be empty or an SDK"):
        builder.build(folder / "thesis.txt")
    with pytest.raises(SdkError, match="the system must be able to use it"):
        builder.build(folder / "thesis.txt" / "sdk")
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "thesis.txt"]
    assert (folder / "thesis.txt").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    builder.build(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "empty" / "set_env.sh").exists()


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho no space left >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    prefix = tmp_path / "sdk"
    prefix.mkdir()
    (prefix / prefixes.MARKER).write_text("0.1.0\n")
    with pytest.raises(SdkError, match=r"no space left"):
        builder.build(prefix)
    assert [path.name for path in prefix.iterdir()] == [prefixes.MARKER]
    assert {path.name for path in tmp_path.iterdir()} == {"cc", "sdk"}


@pytest.mark.slow
def test_relative_prefix_with_spaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And every way of using it."""
    monkeypatch.chdir(tmp_path)
    assert main(["sdk", "my own sdk/here"]) == 0
    prefix = tmp_path / "my own sdk" / "here"
    assert capsys.readouterr().out == f"{prefix}\n"
    monkeypatch.chdir("/")
    quoted = INCLUDE.replace("$ASCEND_HOME_PATH", '"$ASCEND_HOME_PATH"')
    script = f"""set -eu
    . '{prefix}/set_env.sh'
    gcc {THIRTEEN} -I{PROGRAMS} {quoted} -L "$ASCEND_HOME_PATH/lib64" {LINES[0]} -lm -o "{tmp_path}/a program"
    "{tmp_path}/a program"
    """
    check_thirteen(run(["sh", "-c", script]))
    if shutil.which("pkg-config"):
        command = f'eval gcc {THIRTEEN} -I{PROGRAMS} $(pkg-config --cflags --libs actgrad) -lm -o "{tmp_path}/b"'
        run(["sh", "-c", command], PKG_CONFIG_PATH=str(prefix / "lib64" / "pkgconfig"))
        check_thirteen(run([str(tmp_path / "b")]))


# Where its sources are


@pytest.mark.slow
def test_sources_are_in_the_wheel_and_the_sdist(tmp_path: Path) -> None:
    """And an installation from the wheel builds an SDK. The build backend must be installed: nothing is downloaded."""
    pytest.importorskip("hatchling")
    root = Path(__file__).parents[3]
    for kind in ("wheel", "sdist"):
        command = f"from hatchling import build; print(build.build_{kind}({str(tmp_path)!r}))"
        subprocess.run([sys.executable, "-c", command], cwd=root, check=True, capture_output=True)
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    wanted = {str(path.relative_to(root / "src")) for path in (root / "src/actgrad/ascend/sdk").rglob("*")
              if path.suffix in (".c", ".h", ".in", ".py")}  # fmt: skip
    assert "actgrad/ascend/sdk/include/acl/acl_base.h.in" in wanted
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())
    import tarfile

    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in wanted} <= names
    assert f"examples/{next(EXAMPLES.glob('*.c')).name}" in names
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    command = (
        "import sys; from actgrad.ascend.sdk import builder; from pathlib import Path; builder.build(Path(sys.argv[1]))"
    )
    run([sys.executable, "-P", "-c", command, str(tmp_path / "sdk")], PYTHONPATH=str(tmp_path / "site"))
    assert (tmp_path / "sdk" / "lib64" / "libopapi_nn.so").exists()
