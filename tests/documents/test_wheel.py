"""What a stranger installs: the wheel and the sdist, built as they are published, in an environment of nothing else.

Everything runs in another folder, in Python's isolated mode, so that the checkout is on no path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import actgrad
from actgrad.ascend.sdk.builder import OPERATOR_LIBRARIES
from actgrad.cli import commands

pytest.importorskip("build")

pytestmark = pytest.mark.share(6)

ROOT = Path(__file__).parents[2]
VERSION = actgrad.__version__
CORE = {"actgrad", "numpy", "ml_dtypes", "llvmlite"}
MOST_BYTES = 260 << 20
#: Of a checkout, what is no part of the source that is published.
NOT_PUBLISHED = (".ci/", ".github/")

#: Runs in the new environment; the numbers are those of the definitions, worked out with the decimals that are there.
COMPUTES = """
import sys
from importlib.util import find_spec
from pathlib import Path
import numpy as np
import ml_dtypes
import actgrad

assert Path(actgrad.__file__).is_relative_to(sys.prefix), actgrad.__file__
assert not [name for name in ("torch", "triton", "scipy", "rich") if find_spec(name)]
x, one = np.array([-2, -1, 0, 1, 2], np.float32), np.ones(5, np.float32)
half = np.array([1, 0], np.float32)
wanted = {
    "elu": (actgrad.elu(x, alpha=2), [-1.7293294, -1.2642411, 0, 1, 2]),
    "elu_backward": (actgrad.elu_backward(one, x, alpha=2), [0.27067057, 0.73575888, 2, 1, 1]),
    "selu": (actgrad.selu(x), [-1.5201665, -1.1113307, 0, 1.0507010, 2.1014020]),
    "leaky_relu": (actgrad.leaky_relu(x, negative_slope=0.125), [-0.25, -0.125, 0, 1, 2]),
    "gelu": (actgrad.gelu(x), [-0.045500264, -0.15865525, 0, 0.84134475, 1.9544997]),
    "geglu": (actgrad.geglu(np.array([3, 4, 1, -1], np.float32))[0], [2.5240342, -0.63462101]),
    "geglu_backward": (actgrad.geglu_backward(half, np.array([3, 4, 0, 0], np.float32), None), [0, 0, 1.5, 0]),
    "bfloat16": (actgrad.elu(x.astype(ml_dtypes.bfloat16)).astype(np.float32), [-0.86328125, -0.6328125, 0, 1, 2]),
}
for name, (got, exact) in wanted.items():
    np.testing.assert_allclose(got, exact, rtol=3e-7, atol=1e-7, err_msg=name)
plan = actgrad.elu_backward.plan(one, x)
assert "cpu" in str(plan), plan
try:
    actgrad.elu(x, backend="triton")
except actgrad.BackendUnavailable:
    print("computed")
"""


class Installed:
    """A virtual environment with the wheel, and what its commands print."""

    def __init__(self, folder: Path):
        self.prefix, self.home = folder / "env", folder / "elsewhere"
        self.home.mkdir()
        self.python = self.prefix / "bin" / "python"
        self.site = Path(sysconfig.get_path("purelib", vars={"base": str(self.prefix)}))

    def run(self, *command: str | Path, status: int = 0) -> str:
        """What a command prints; on standard error, where it is to fail."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ACTGRAD_", "PYTHON", "LD_", "ASCEND_"))}
        settings = {"XDG_CACHE_HOME": str(self.home / "cache")}
        done = subprocess.run(
            list(map(str, command)), cwd=self.home, env=kept | settings, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stderr if status else done.stdout

    def actgrad(self, *arguments: str | Path, status: int = 0) -> str:
        """The command as pip has installed it."""
        return self.run(self.prefix / "bin" / "actgrad", *arguments, status=status)


def quiet(*command: str | Path) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel, built from the sdist alone, and that sdist."""
    folder = tmp_path_factory.mktemp("archives")
    # Only this may be missing: what fails after it is a fault.
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder / "index", "hatchling"]
    if subprocess.run(list(map(str, pip)), capture_output=True).returncode:
        pytest.skip("needs pip and an index that it can download from")
    quiet(sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def installed(archives: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment without pip, so that all that is there came with it."""
    new = Installed(tmp_path_factory.mktemp("installed"))
    quiet(sys.executable, "-m", "venv", "--without-pip", new.prefix)
    quiet(sys.executable, "-m", "pip", "--python", new.python, "install", "--quiet", archives[0])
    return new


def test_the_wheel_is_the_package_and_nothing_else(archives: tuple[Path, Path]) -> None:
    wheel, _ = archives
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    source = {path.relative_to(ROOT / "src") for path in (ROOT / "src" / "actgrad").rglob("*") if path.is_file()}
    wanted = {path.as_posix() for path in source if "__pycache__" not in path.parts and path.suffix != ".so"}
    wanted.add("actgrad/examples/digits.py")  # which `actgrad demo` runs
    binary = f"actgrad/calls/_fastcall{sysconfig.get_config_var('EXT_SUFFIX')}"
    if binary in names:  # it was compiled
        wanted.add(binary)
        assert not wheel.name.endswith("-any.whl")
    else:
        assert wheel.name == f"actgrad-{VERSION}-py3-none-any.whl"
    data = {"backends/formula/coefficients.json", "ascend/sdk/include/acl/acl_base.h.in", "py.typed"}
    data.add("ascend/sdk/c/nnopbase/interpreter.c")
    data |= {"kernel/program.cpp", "kernel/products.json", "kernel/include/kernel_operator.h"}
    data |= {"kernel/include/lib/math/tanh.h", "kernel/include/actgrad_ascendc/queues_bodies.h"}
    assert {f"actgrad/{name}" for name in data} <= wanted
    described = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    assert names == wanted | {f"actgrad-{VERSION}.dist-info/{name}" for name in described}


def test_the_links_of_the_page_on_an_index_are_absolute(archives: tuple[Path, Path]) -> None:
    wheel, _ = archives
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"actgrad-{VERSION}.dist-info/METADATA").decode("utf-8")
    (repository,) = re.findall(r"^Project-URL: Repository, (\S+)$", text, flags=re.M)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 20
    assert all(link.startswith(("https://", "#")) for link in links)
    for link in links:
        if link.startswith(f"{repository}/blob/main/"):
            assert (ROOT / link.removeprefix(f"{repository}/blob/main/").partition("#")[0]).exists(), link
    tracked = [ROOT / "README.md", ROOT / "README.zh-CN.md", *(ROOT / "docs").rglob("*.md")]
    assert not [path.name for path in tracked if repository in path.read_text(encoding="utf-8")], "one place has it"


def test_the_sdist_has_all_that_is_tracked(archives: tuple[Path, Path]) -> None:
    _, sdist = archives
    assert sdist.name == f"actgrad-{VERSION}.tar.gz"
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    needed = {"pyproject.toml", "LICENSE", "README.md", "CITATION.cff", "CHANGELOG.md", "tests/conftest.py", "Makefile"}
    assert needed <= names
    listed = ["git", "-C", str(ROOT), "ls-files"]
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("needs a checkout: of an sdist nothing says what belongs to it")
    tracked = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    there = {name for name in tracked if (ROOT / name).exists() and not name.startswith(NOT_PUBLISHED)}
    assert not there - names


@pytest.fixture(scope="module")
def hatchling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with what builds a wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("hatchling")
    quiet(sys.executable, "-m", "venv", "--without-pip", folder)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet", "hatchling"]
    if subprocess.run([*map(str, pip), "numpy>=2"], capture_output=True).returncode:
        pytest.skip("needs pip and an index that it can download from")
    return folder / "bin" / "python"


@pytest.mark.parametrize(
    ("variables", "warning"),
    [
        ({"ACTGRAD_PURE": "1"}, ""),
        ({"CC": "no-such-compiler"}, "actgrad: no extension, calls will be slower: "),
        ({"CC": "false"}, "actgrad: no extension, calls will be slower: false failed"),
        ({"CFLAGS": "-nostdinc"}, "actgrad: no extension, calls will be slower: "),
    ],
    ids=["pure", "no compiler", "a compiler that fails", "no headers"],
)
@pytest.mark.slow
def test_a_wheel_without_the_extension(
    variables: dict[str, str], warning: str, hatchling: Path, archives: tuple[Path, Path], tmp_path: Path
) -> None:
    """It is pure, and says why it is."""
    with tarfile.open(archives[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    command = [str(hatchling), "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    folder, environment = tmp_path / f"actgrad-{VERSION}", {**os.environ, **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert warning in done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"actgrad-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]
        assert "Root-Is-Purelib: true" in archive.read(f"actgrad-{VERSION}.dist-info/WHEEL").decode()


def test_nothing_else_is_installed(installed: Installed) -> None:
    folders = installed.site.glob("*.dist-info")
    assert {folder.name.partition("-")[0].replace("-", "_") for folder in folders} == CORE
    size = sum(path.stat().st_size for path in installed.site.rglob("*") if path.is_file())
    assert size < MOST_BYTES, f"{size >> 20} MiB"


def test_it_computes(installed: Installed) -> None:
    assert installed.run(installed.python, "-I", "-c", COMPUTES) == "computed\n"


def test_the_command_line(installed: Installed) -> None:
    assert installed.actgrad("--version") == f"actgrad {VERSION}\n"
    listed = installed.actgrad("list").splitlines()
    assert {str(operator.schema) for operator in actgrad.operators.values()} <= set(listed)
    report = dict(line.split(maxsplit=1) for line in installed.actgrad("--version", "--verbose").splitlines())
    assert report["package"] == str(installed.site / "actgrad")
    assert report["PyTorch"] == report["Triton"] == "not installed"
    assert "-bit vectors" in report["processor"]
    assert report["cache"].startswith(str(installed.home))


def test_every_command_has_its_help(installed: Installed) -> None:
    """Also those that need more than is there."""
    script = "from actgrad.cli import commands; print(*commands.listed())"
    assert installed.run(installed.python, "-I", "-c", script).split() == list(commands.listed())
    for name in commands.listed():
        assert installed.actgrad(name, "--help").startswith(f"usage: actgrad {name}")


@pytest.mark.needs("judge")
@pytest.mark.parametrize(
    ("command", "status", "extra"),
    [("check elu_backward --dtype float16", 2, "check"), ("demo", 2, "demo")],
)
def test_a_missing_extra_is_named(installed: Installed, command: str, status: int, extra: str) -> None:
    said = installed.actgrad(*command.split(), status=status)
    assert said.startswith("actgrad: ")
    assert said.endswith(f"pip install '.[{extra}]' in a clone of actgrad\n")
    assert said.count("\n") == 1


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.slow
def test_the_sdk(installed: Installed) -> None:
    example = installed.home / "selu_backward.c"
    shutil.copy(ROOT / "examples" / "selu_backward.c", example)
    printed = installed.actgrad("sdk", "--run", example)
    assert printed.splitlines() == [f"result[{k}] is: 1.050701" for k in range(8)]
    (prefix,) = (installed.home / "cache" / "actgrad").glob("sdk-*")
    assert all((prefix / "lib64" / f"lib{name}.so").exists() for name in OPERATOR_LIBRARIES)
    assert (prefix / "include" / "acl" / "acl_base.h").exists()
