"""Temporary folders beside a prefix: a build deletes what a killed build left, and nothing that is not a build's."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from actgrad.ascend.sdk import builder
from actgrad.ascend.sdk import prefix as prefixes
from tests.support.sdk_programs import Sdk, needs_compiler

pytestmark = [pytest.mark.share(3), needs_compiler]

#: Builds an SDK, and is killed at a step. The libraries are no libraries: compilers take their time.
KILLED = """\
import os, signal, sys
from pathlib import Path
from actgrad.ascend.sdk import builder, prefix
def end(*given): os.kill(os.getpid(), signal.SIGKILL)
def libraries(fresh, *others):
    builder.write_files(fresh, dict.fromkeys(builder._library_files(), "half a libr"))
builder._write_libraries = libraries
step = sys.argv[2]
if step == "marker":
    builder.write_files = end
elif step == "empty file":
    def write(folder, texts):
        path = folder / "include/acl/acl.h"
        path.parent.mkdir(parents=True)
        path.touch()
        end()
    builder.write_files = write
elif step == "sources":
    builder._write_libraries = end
elif step == "libraries":
    prefix.finish = end
elif step == "finished":
    prefix.put = end
elif step == "exchange":
    rename = Path.rename
    Path.rename = lambda path, target: end() if path.name == "fresh" else rename(path, target)
builder.build(Path(sys.argv[1]))
"""
STEPS = ("marker", "empty file", "sources", "libraries", "finished", "exchange")


def libraries(fresh: Path, *_: object) -> None:
    builder.write_files(fresh, dict.fromkeys(builder._library_files(), "a library"))


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Builds an SDK without real libraries; returns the names beside it."""
    monkeypatch.setattr(builder, "_write_libraries", libraries)

    def names() -> list[str]:
        builder.build(tmp_path / "sdk")
        return sorted(path.name for path in tmp_path.iterdir() if path.name != "sdk")

    return names


def kill(folder: Path, step: str) -> Path:
    """The temporary folder of a build that was killed at that step."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder / "sdk"), step], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = folder.glob(".actgrad-sdk-*")
    return left


def test_killed_builds_are_cleaned_up(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    """At whatever step they were killed."""
    assert build() == []
    for step in STEPS:  # the last one moves the old SDK away
        kill(tmp_path, step).rename(tmp_path / f"left by {step}")
    for step in STEPS:
        (tmp_path / f"left by {step}").rename(tmp_path / f".actgrad-sdk-{step}")
    assert build() == []
    assert (tmp_path / "sdk" / prefixes.MARKER).is_file()


def test_folders_of_the_user(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    """Of the same beginning, with files of any name, or empty."""
    names = [f".actgrad-sdk-{end}" for end in ("notes", "", "abcd1234", "old", "build")]
    contents = ["thesis.txt", "fresh/thesis.txt", "old/opapi.c", prefixes.MARKER, f"fresh/{prefixes.MARKER}"]
    for name, content in zip(names, contents, strict=True):
        (tmp_path / name / content).parent.mkdir(parents=True)
        (tmp_path / name / content).write_text("years of work")
    (tmp_path / ".actgrad-sdk-empty" / "fresh").mkdir(parents=True)
    assert build() == sorted([*names, ".actgrad-sdk-empty"])
    for name, content in zip(names, contents, strict=True):
        assert (tmp_path / name / content).read_text() == "years of work"
    assert (tmp_path / ".actgrad-sdk-empty" / "fresh").is_dir()


def add_file(left: Path) -> Path:
    (left / "thesis.txt").write_text("years of work")
    return left / "thesis.txt"


def add_file_inside(left: Path) -> Path:
    (left / "fresh" / "include" / "thesis.h").write_text("years of work")
    return left / "fresh" / "include" / "thesis.h"


def add_hidden_file(left: Path) -> Path:
    (left / "fresh" / "lib64" / ".thesis").write_text("years of work")
    return left / "fresh" / "lib64" / ".thesis"


def change_file(left: Path) -> Path:
    (left / "fresh" / "include" / "acl" / "acl.h").write_text("years of work")
    return left / "fresh" / "include" / "acl" / "acl.h"


def file_instead_of_a_link(left: Path) -> Path:
    path = left / "fresh" / "opp" / "lib64"
    path.unlink()
    path.write_text("years of work")
    return path


def link_instead_of_a_file(left: Path) -> Path:
    path = left / "fresh" / "set_env.sh"
    path.rename(left.parent / "thesis.sh")
    path.symlink_to(left.parent / "thesis.sh")
    return path


def link_instead_of_a_library(left: Path) -> Path:
    path = left / "fresh" / "lib64" / "libopapi.so"
    path.unlink()
    path.symlink_to("/nowhere")
    return path


def link_instead_of_a_folder(left: Path) -> Path:
    path = left / "fresh" / "lib64"
    path.rename(left.parent / "thesis")
    path.symlink_to(left.parent / "thesis")
    return path / "libopapi.so"


def link_instead_of_the_sdk(left: Path) -> Path:
    path = left / "fresh"
    path.rename(left.parent / "thesis")
    path.symlink_to(left.parent / "thesis")
    return path / prefixes.MARKER


def unfinished_as_old(left: Path) -> Path:
    """No library is as the marker of a finished SDK would say."""
    (left / "fresh").rename(left / "old")
    return left / "old"


def fifo(left: Path) -> Path:
    (left / "fresh" / "set_env.sh").unlink()
    os.mkfifo(left / "fresh" / "set_env.sh")
    return left / "fresh" / "set_env.sh"


def no_marker(left: Path) -> Path:
    (left / "fresh" / prefixes.MARKER).unlink()
    return left / "fresh"


def foreign_marker(left: Path) -> Path:
    (left / "fresh" / prefixes.MARKER).write_text("what I still have to do\n")
    return left / "fresh" / prefixes.MARKER


def marker_of_other_bytes(left: Path) -> Path:
    (left / "fresh" / prefixes.MARKER).write_bytes(b"0.3.0\n\xff\xfe")
    return left / "fresh" / prefixes.MARKER


def linked_marker(left: Path) -> Path:
    marker = left / "fresh" / prefixes.MARKER
    marker.rename(left.parent / "marker")
    marker.symlink_to(left.parent / "marker")
    return marker


def fifo_marker(left: Path) -> Path:
    (left / "fresh" / prefixes.MARKER).unlink()
    os.mkfifo(left / "fresh" / prefixes.MARKER)
    return left / "fresh" / prefixes.MARKER


def writable_by_others(left: Path) -> Path:
    left.chmod(0o777)
    return left


def old_folder_of_the_user(left: Path) -> Path:
    (left / "old").mkdir()
    (left / "old" / "thesis.txt").write_text("years of work")
    return left / "old" / "thesis.txt"


CHANGES = [
    add_file, add_file_inside, add_hidden_file, change_file, file_instead_of_a_link, link_instead_of_a_file,
    link_instead_of_a_library, link_instead_of_a_folder, link_instead_of_the_sdk, unfinished_as_old, fifo, no_marker,
    foreign_marker, marker_of_other_bytes, linked_marker, fifo_marker, writable_by_others, old_folder_of_the_user,
]  # fmt: skip


def test_what_killed_builds_left_with_something_else(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    (tmp_path / "elsewhere").mkdir()
    original = kill(tmp_path, "libraries").rename(tmp_path / "elsewhere" / "left")
    kept: dict[str, Path] = {}
    for change in CHANGES:
        (tmp_path / change.__name__).mkdir()
        left = tmp_path / change.__name__ / "left"
        shutil.copytree(original, left, symlinks=True)
        path = change(left)
        moved = left.rename(tmp_path / f".actgrad-sdk-{change.__name__}")
        kept[moved.name] = moved / path.relative_to(left)
    shutil.copytree(original, tmp_path / ".actgrad-sdk-whole", symlinks=True)

    def tree() -> set[tuple[str, int]]:
        return {(str(path), path.lstat().st_ino) for name in kept for path in (tmp_path / name).rglob("*")}

    before = tree()
    assert set(kept) == {name for name in build() if name.startswith(".")}
    assert tree() == before
    assert [name for name, path in kept.items() if not (path.exists() or path.is_symlink())] == []


def test_an_old_sdk_that_the_user_changed(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    build()
    left = kill(tmp_path, "exchange")
    (left / "old" / "set_env.sh").write_text("export MORE=1\n")
    assert build() == [left.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_what_another_user_owns(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    names = []
    original = kill(tmp_path, "libraries").rename(tmp_path / "original")
    for k, part in enumerate([".", "fresh/include/acl/acl.h", "fresh/lib64"]):
        names.append(f".actgrad-sdk-{k}")
        shutil.copytree(original, tmp_path / names[-1], symlinks=True)
        os.chown(tmp_path / names[-1] / part, 65534, 65534)
    assert build() == [*names, "original"]


def test_links_and_files(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    """Of the name that temporary folders have: nothing is followed, opened or deleted."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kill(tmp_path, "libraries").rename(elsewhere / "left")
    (tmp_path / ".actgrad-sdk-link").symlink_to(elsewhere / "left")
    (tmp_path / ".actgrad-sdk-nowhere").symlink_to("/nowhere")
    (tmp_path / ".actgrad-sdk-file").write_text("years of work")
    os.mkfifo(tmp_path / ".actgrad-sdk-fifo")
    before = sorted(path.name for path in tmp_path.iterdir())
    assert build() == before
    assert (elsewhere / "left" / "fresh" / prefixes.MARKER).is_file()


def test_the_marker_lists_every_file(tmp_path: Path, sdk: Sdk) -> None:
    """Of a whole build, with its libraries: no file of ours keeps a folder from being cleaned up."""

    def copied(fresh: Path, *_: object) -> None:
        """The libraries of the SDK of this run, instead of a compiler's."""
        for path in (sdk.prefix / "lib64").rglob("*"):
            if path.is_file() and not path.is_symlink():
                target = fresh / path.relative_to(sdk.prefix)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)

    differences: list[str] = []
    finish = prefixes.finish

    def look(fresh: Path) -> None:
        names = {path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if not path.is_dir()}
        links = {path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_symlink()}
        differences.extend((names | links) ^ set(prefixes._listed(fresh / prefixes.MARKER)) ^ {prefixes.MARKER})
        assert prefixes._is_left_by_a_build(fresh.parent)
        finish(fresh)
        assert prefixes._is_left_by_a_build(fresh.parent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "finish", look)
        patch.setattr(builder, "_write_libraries", copied)
        builder.build(tmp_path / "sdk")
    assert differences == []
