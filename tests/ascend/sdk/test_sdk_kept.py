"""The SDK that `actgrad sdk --run` keeps: its libraries are loaded, so it must be this user's alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from actgrad.ascend.sdk import builder, programs
from actgrad.ascend.sdk import prefix as prefixes
from actgrad.ascend.sdk.prefix import SdkError
from actgrad.cli.main import main
from tests.support.sdk_programs import needs_compiler

pytestmark = needs_compiler

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
OTHER = 65534  # a user who is not this one


def libraries(fresh: Path, *_: object) -> None:
    """Instead of real ones, which take a compiler's time."""
    (fresh / "lib64" / "libopapi.so").write_text("a library")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with a kept SDK."""
    folder = tmp_path_factory.mktemp("kept") / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setattr(builder, "_write_libraries", libraries)
        programs.kept_sdk()
    return folder


@pytest.fixture
def sdk(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kept SDK, in a cache folder of the test's own."""
    shutil.copytree(original, tmp_path / "cache", symlinks=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(builder, "build", lambda *_: pytest.fail("it is built again"))
    (prefix,) = (tmp_path / "cache" / "actgrad").iterdir()
    assert programs.kept_sdk() == prefix
    return prefix


def refused(
    path: Path, says: str = "belongs to another user, or others may write to it; it must be writable for you only"
) -> None:
    with pytest.raises(SdkError) as error:
        programs.kept_sdk()
    assert str(error.value) == f"{path} {says}; move it away, or set XDG_CACHE_HOME to a folder of your own"


PARTS = ("..", ".", "lib64", "lib64/libopapi.so", "include/acl/acl.h", "set_env.sh", prefixes.MARKER)


@needs_root
@pytest.mark.parametrize("part", [*PARTS, "opp/lib64"])
def test_another_owner(part: str, sdk: Path) -> None:
    path = sdk.parent if part == ".." else sdk / part
    os.chown(path, OTHER, OTHER, follow_symlinks=False)
    refused(path)


@pytest.mark.parametrize("bits", [0o020, 0o002])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.share(8)
def test_others_may_write(part: str, bits: int, sdk: Path) -> None:
    path = sdk.parent if part == ".." else sdk / part
    path.chmod(path.stat().st_mode | bits)
    refused(path)
    path.chmod(path.stat().st_mode & ~bits)
    assert programs.kept_sdk() == sdk


def test_the_sdk_is_a_link(sdk: Path, tmp_path: Path) -> None:
    """Whatever it leads to; the folder around the SDK may be one, if it leads to a folder of this user."""
    sdk.rename(tmp_path / "sdk")
    for target in (tmp_path / "sdk", Path("/nowhere")):
        sdk.symlink_to(target)
        refused(sdk, "is a file or a link; it must be a folder")
        sdk.unlink()
    (tmp_path / "sdk").rename(sdk)
    sdk.parent.rename(tmp_path / "elsewhere")
    sdk.parent.symlink_to(tmp_path / "elsewhere")
    assert programs.kept_sdk() == sdk
    (tmp_path / "elsewhere").chmod(0o777)
    refused(sdk.parent)


def linked_library(sdk: Path) -> str:
    (sdk / "lib64" / "libopapi.so").unlink()
    (sdk / "lib64" / "libopapi.so").symlink_to("/tmp/libopapi.so")
    return "lib64/libopapi.so"


def linked_folder(sdk: Path) -> str:
    (sdk / "lib64").rename(sdk.parents[2] / "lib64")
    (sdk / "lib64").symlink_to(sdk.parents[2] / "lib64")
    return "lib64"


def changed_library(sdk: Path) -> str:
    (sdk / "lib64" / "libopapi.so").write_text("another library")
    return "lib64/libopapi.so"


def another_library(sdk: Path) -> str:
    (sdk / "lib64" / "libpthread.so").write_text("another library")
    return "lib64/libpthread.so"


def another_target(sdk: Path) -> str:
    (sdk / "opp" / "lib64").unlink()
    (sdk / "opp" / "lib64").symlink_to("/tmp")
    return "opp/lib64"


@pytest.mark.parametrize("change", [linked_library, linked_folder, changed_library, another_library, another_target])
def test_it_was_changed(change: Callable[[Path], str], sdk: Path) -> None:
    refused(sdk / change(sdk), "was changed; it must be as actgrad built it")


def test_no_sdk_at_all(sdk: Path) -> None:
    shutil.rmtree(sdk)
    sdk.mkdir()
    refused(sdk, "has no actgrad-sdk; it must be an SDK of actgrad")
    sdk.rmdir()
    sdk.write_text("a file")
    refused(sdk, "is a file or a link; it must be a folder")


@pytest.mark.parametrize("mask", [0o002, 0o000, 0o077])
def test_what_is_built_is_this_users_alone(mask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the process' mask of modes is."""
    monkeypatch.setattr(builder, "_write_libraries", libraries)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = os.umask(mask)
    try:
        built = programs.kept_sdk()
    finally:
        os.umask(before)
    assert built.is_dir()
    assert programs.kept_sdk() == built


def test_nothing_is_built_in_a_folder_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "build", lambda *_: pytest.fail("it is built"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "actgrad").mkdir()
    (tmp_path / "actgrad").chmod(0o777)
    refused(tmp_path / "actgrad")
    (tmp_path / "actgrad").rmdir()
    (tmp_path / "actgrad").write_text("a file")
    with pytest.raises(SdkError, match="the SDK cannot be kept in"):
        programs.kept_sdk()


def test_the_command_says_so(sdk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In one line, with a status of its own; the program is not compiled."""
    program = tmp_path / "program.c"
    program.write_text("int main(void) { return 0; }\n")
    sdk.chmod(0o777)
    assert main(["sdk", "--run", str(program)]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"actgrad: {sdk} belongs to another user")
