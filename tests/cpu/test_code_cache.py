"""Machine code on disk: used again, and survived in every state a folder can be in."""

import hashlib
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import actgrad
from actgrad.backends.cpu import code_cache, engine, jit
from actgrad.ops import elu, leaky_relu

pytestmark = pytest.mark.share(6)

KEY = "0" * 40
RUN = """
import sys, numpy as np, actgrad
from actgrad.backends.cpu import jit
compiled = []
optimised = jit.optimised
jit.optimised = lambda *a: (compiled.append(1), optimised(*a))[1]
x = np.linspace(-3, 3, 100, dtype=np.float32)
y = actgrad.elu(x, alpha=1.3)
assert np.allclose(y, actgrad.elu(x, alpha=1.3, backend="reference"), 1e-6)
print(len(compiled))
"""


def compilations(folder: Path | str, before: str = "", **more: str) -> int:
    """How many modules a new process compiles for one call, which must come out right, and without a word."""
    environment = {**os.environ, "ACTGRAD_CACHE_DIR": str(folder), **more}
    command = [sys.executable, "-c", before + RUN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return int(done.stdout)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cache"
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(place))
    return place


def test_a_second_process_compiles_nothing(folder: Path) -> None:
    assert compilations(folder) == 2  # the driver and the kernel
    assert compilations(folder) == 0
    assert len(list(folder.glob("*/*.o"))) == 2


def test_only_this_user_may_look(folder: Path) -> None:
    compilations(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("*/*")} == {0o600}


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:20],
        lambda content: b"",
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        lambda content: b"\x7fELF" + content,
    ],
    ids=["truncated", "header only", "empty", "one bit", "foreign"],
)
@pytest.mark.share(6)
def test_a_damaged_entry_is_written_anew(folder: Path, damage: object) -> None:
    compilations(folder)
    whole = {path: path.read_bytes() for path in folder.glob("*/*.o")}
    for path, content in whole.items():
        path.write_bytes(damage(content))  # type: ignore[operator]
    assert compilations(folder) == 2
    assert {path: path.read_bytes() for path in folder.glob("*/*.o")} == whole


SEVERAL = """
import numpy as np, actgrad
x = np.linspace(-3, 3, 96, dtype=np.float32)
arguments = {"elu": (x,), "gelu": (x,), "geglu_backward": (x[:48], x, x[:48]), "softmax": (x,)}
for name, given in arguments.items():
    operator = actgrad.operators[name]
    for dtype in ("float32", "float64"):
        given = [array.astype(dtype) for array in given]
        expected = operator(*given, backend="reference")
        assert np.allclose(operator(*given), expected, 1e-5, 1e-6), (name, dtype)
"""


@pytest.mark.slow
def test_whole_entries_under_each_others_names(folder: Path) -> None:
    """Each is code of its own compiler, and its checksum holds; run for another one it crashed the process."""

    def run() -> None:
        environment = {**os.environ, "ACTGRAD_CACHE_DIR": str(folder)}
        subprocess.run([sys.executable, "-c", SEVERAL], env=environment, check=True)

    run()
    whole = {path: path.read_bytes() for path in folder.glob("*/*.o")}
    assert len(whole) == 9  # the driver's, and one for each operator and dtype
    names = list(whole)
    for shift in (1, 2, 5):
        for path, other in zip(names, names[shift:] + names[:shift], strict=True):
            path.write_bytes(whole[other])
        run()
        assert {path: path.read_bytes() for path in folder.glob("*/*.o")} == whole


def test_two_entries_exchanged(folder: Path) -> None:
    assert compilations(folder) == 2
    first, second = folder.glob("*/*.o")
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    assert compilations(folder) == 1
    second.write_bytes(content)
    first.unlink()
    assert compilations(folder) == 2
    assert compilations(folder) == 0


OTHER_NAMES = {
    "of another compiler": f"{'1' * 16}-{KEY}.o",
    "of another key": f"{code_cache.COMPILER[:16]}-{'1' * 40}.o",
    "of both": f"{'1' * 16}-{'1' * 40}.o",
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_an_entry_under_another_name(folder: Path, name: str) -> None:
    """As of another version of actgrad or LLVM, another processor or another formula, with a checksum that holds."""
    assert code_cache.store(KEY, b"code")
    entry = next(folder.glob("*/*.o"))
    content, other = entry.read_bytes(), entry.with_name(OTHER_NAMES[name])
    entry.rename(other)
    for key in (KEY, "1" * 40):
        assert code_cache.load(key) is None
    # The other one's content under the name that is looked for.
    compiler, key = other.stem.split("-")
    foreign = hashlib.sha256(f"{compiler}-{key}.o".encode() + b"code").digest()
    entry.write_bytes(content[:8] + foreign + b"code")
    assert code_cache.load(KEY) is None
    entry.write_bytes(content)
    assert code_cache.load(KEY) == b"code"


def test_an_entry_without_its_name_in_the_checksum(folder: Path) -> None:
    """Those of version 0.2."""
    assert code_cache.store(KEY, b"code")
    entry = next(folder.glob("*/*.o"))
    entry.write_bytes(b"actgrad1" + hashlib.sha256(b"code").digest() + b"code")
    assert code_cache.load(KEY) is None
    assert code_cache.clear() == 1  # it is still one of ours


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as in a program that embeds Python
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, {bytes}))
"""


@pytest.mark.parametrize("limit", [0, 512, 6000])
def test_a_limit_on_the_size_of_files(folder: Path, limit: int) -> None:
    """`ulimit -f`: the system ends a process that writes more and does not ignore its signal."""
    assert compilations(folder, LIMITED.format(bytes=limit)) == 2
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert all(path.stat().st_size <= limit and ".part" not in path.name for path in files)
    stored = sum(path.suffix == ".o" for path in files)
    assert compilations(folder) == 2 - stored
    assert compilations(folder, LIMITED.format(bytes=limit)) == 0


def test_an_installation_without_sources(folder: Path, tmp_path: Path) -> None:
    """Nothing tells its versions apart: another one would run its machine code."""
    shutil.copytree(Path(actgrad.__file__).parent, tmp_path / "actgrad", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-b", str(tmp_path / "actgrad")], check=True)
    for path in (tmp_path / "actgrad").rglob("*.py"):
        path.unlink()
    for _ in range(2):
        assert compilations(folder, PYTHONPATH=str(tmp_path), ACTGRAD_FASTCALL="0") == 2
    assert not folder.exists()


CHANGED_AFTER_IMPORT = """
import pathlib, actgrad
path = pathlib.Path(actgrad.__file__).parent / {name!r}
path.write_text(path.read_text() + "# another version\\n")
"""


@pytest.mark.parametrize("name", ["base/loop.py", "backends/cpu/casting.py", "backends/formula/coefficients.json"])
def test_files_that_change_between_the_import_and_the_first_call(folder: Path, tmp_path: Path, name: str) -> None:
    """The process has loaded parts of two versions, as when it is installed anew meanwhile: it keeps its code."""
    shutil.copytree(Path(actgrad.__file__).parent, tmp_path / "actgrad", ignore=shutil.ignore_patterns("__pycache__"))
    before = CHANGED_AFTER_IMPORT.format(name=name).replace("# another version\\n", "\\n")
    assert compilations(folder, before, PYTHONPATH=str(tmp_path)) == 2
    assert not folder.exists()
    assert compilations(folder, PYTHONPATH=str(tmp_path)) == 2
    assert compilations(folder, PYTHONPATH=str(tmp_path)) == 0


def test_what_others_may_write_to_is_not_trusted(folder: Path) -> None:
    compilations(folder)
    entry = next(folder.glob("*/*.o"))
    entry.chmod(0o666)
    assert compilations(folder) == 1
    entry.chmod(0o600)
    for place in (folder, entry.parent):
        place.chmod(0o777)
        assert compilations(folder) == 2
        place.chmod(0o700)
    assert compilations(folder) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_another_user_owns_is_not_trusted(folder: Path) -> None:
    compilations(folder)
    entry = next(folder.glob("*/*.o"))
    os.chown(entry, 12345, 12345)
    assert code_cache.load(entry.stem.partition("-")[2]) is None
    for place in (folder, entry.parent):
        os.chown(place, 12345, 12345)
        assert not code_cache.store(KEY, b"code")
        os.chown(place, os.geteuid(), -1)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    assert compilations(file) == 2
    assert compilations(file / "below") == 2
    assert compilations("/proc/nowhere") == 2
    assert file.read_text() == "not a folder"


def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert not code_cache.store(KEY, b"code")
    assert not [path for path in folder.rglob("*") if path.is_file()]  # nothing half-written is left


def test_switched_off() -> None:
    assert compilations("") == 2


def test_keys_tell_formulas_apart() -> None:
    formulas = (elu.elu_formula, elu.elu_derivative, leaky_relu.leaky_relu_formula)
    keys = [code_cache.key(f, name) for f in formulas for name in ("avx2", "avx512")]
    assert len(set(keys)) == len(keys)
    assert code_cache.key(formulas[0], "avx2") == keys[0]


def test_keys_see_the_numbers_a_formula_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    from actgrad.ops import selu

    before = code_cache.key(selu.selu_formula)
    monkeypatch.setattr(selu, "ALPHA", 1.5)
    assert code_cache.key(selu.selu_formula) != before


@pytest.mark.parametrize(
    "name",
    ["base/xp.py", "backends/formula/accurate.py", "backends/formula/coefficients.json", "backends/cpu/casting.py"],
)
def test_keys_see_each_file_of_the_compiler(name: str, tmp_path: Path) -> None:
    """Its code, and the coefficients that it reads from a file of data."""
    package = Path(actgrad.__file__).parent
    for part in ("base", "backends"):
        shutil.copytree(package / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    assert code_cache._compiler(tmp_path) == code_cache.COMPILER
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content + b"\n")
    assert code_cache._compiler(tmp_path) != code_cache.COMPILER


CHANGED_BEFORE_FIRST_USE = """
import sys, numpy as np, actgrad
from pathlib import Path
from actgrad.backends import cpu
casting = Path(actgrad.__file__).parent / "backends/cpu/casting.py"
casting.write_text(casting.read_text() + "# another version\\n")
actgrad.elu(np.ones(100, np.float32))
"""


def test_a_checkout_that_changes_while_a_process_runs(folder: Path, tmp_path: Path) -> None:
    """The process stores its entries under the key of the code that it loaded, not of the files on disk by then."""
    shutil.copytree(Path(actgrad.__file__).parent, tmp_path / "actgrad", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "ACTGRAD_CACHE_DIR": str(folder), "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", CHANGED_BEFORE_FIRST_USE], env=environment, check=True)
    assert code_cache._compiler(tmp_path / "actgrad") != code_cache.COMPILER
    assert {name.partition("-")[0] for name in code_cache.entries()} == {code_cache.COMPILER[:16]}


def test_cached_code_computes_the_same(folder: Path) -> None:
    x = np.linspace(-5, 5, 1001, dtype=np.float32)
    fresh = actgrad.gelu.plan(x).run().copy()
    jit._compiled.clear()
    actgrad.gelu.prepared.clear()
    assert actgrad.gelu.plan(x).run().tobytes() == fresh.tobytes()


def test_attributes_of_one_have_an_entry_of_their_own(folder: Path) -> None:
    x = np.linspace(-5, 5, 1001, dtype=np.float32)
    engine._entry_points()  # the driver has an entry, too
    before = len(list(folder.glob("*/*.o")))
    for attributes in ({}, {"alpha": 1.3}, {"scale": 0.5}, {"alpha": 1.0}):
        jit._compiled.clear()
        actgrad.elu.forget()
        result = actgrad.elu.plan(x, **attributes).run()
        np.testing.assert_allclose(result, actgrad.elu(x, backend="reference", **attributes), 1e-6)
    assert len(list(folder.glob("*/*.o"))) == before + 2
