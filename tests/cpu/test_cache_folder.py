"""The folder of machine code among a user's own files: nothing of theirs goes, nothing in its place stops a call."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from actgrad.__main__ import main
from actgrad.backends.cpu import code_cache

pytestmark = pytest.mark.share(6)

KEY, OTHER = "0" * 40, "1" * 40
HEADER = b"actgrad1"
OLD_NAME = f"{'a' * 16}-{KEY}.o"  # an entry of another compiler


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's that ACTGRAD_CACHE_DIR names."""
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(place))
    return place


def own(base: Path) -> Path:
    return base / code_cache.NAME


def make_file(path: Path, content: bytes = b"precious") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def age(path: Path) -> None:
    """Have all under a folder be as old as files can be."""
    for found in [*path.rglob("*"), path]:
        if not found.is_symlink():
            os.utime(found, (0, 0))


def contents(path: Path) -> dict[str, bytes | None]:
    """All under a folder, links not followed."""
    return {
        str(found.relative_to(path)): None if found.is_symlink() or not found.is_file() else found.read_bytes()
        for found in path.rglob("*")
    }


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    capsys.readouterr()
    assert main(["cache", "--json", *arguments]) == 0
    state: dict[str, object] = json.loads(capsys.readouterr().out)
    return state


def foreign_folders(base: Path) -> None:
    make_file(base / "photos" / "holiday.jpg")
    make_file(base / "project" / "build" / "main.o")
    make_file(base / ("a" * 16) / "main.o")  # a folder named as those of version 0.1 were
    make_file(base / ("b" * 16) / (KEY + ".o"), HEADER + b"version 0.1")


def foreign_files(base: Path) -> None:
    make_file(base / "main.o")
    make_file(base / OLD_NAME, HEADER)
    make_file(base / f".{'0' * 16}.part", b"")


def inside_ours(base: Path) -> None:
    assert code_cache.store(OTHER, b"code")
    place = own(base)
    make_file(place / "main.o")
    make_file(place / "main.c")
    make_file(place / OLD_NAME)  # an entry's name, but not its header
    make_file(place / OLD_NAME.upper(), HEADER)
    make_file(place / (OLD_NAME + ".bak"), HEADER)
    make_file(place / ".0123456789abcdef.part", b"no header")
    make_file(place / "folder" / OLD_NAME, HEADER)
    make_file(place / f"{'c' * 16}-{KEY}.o" / "file", HEADER)


def links_inside_ours(base: Path) -> None:
    assert code_cache.store(OTHER, b"code")
    outside = base.parent / "outside"
    make_file(outside / OLD_NAME, HEADER + b"outside")
    (own(base) / "linked").symlink_to(outside)
    (own(base) / OLD_NAME).symlink_to(outside / OLD_NAME)
    (own(base) / f"{'d' * 16}-{KEY}.o").symlink_to(outside)


def ours_is_a_link(base: Path) -> None:
    outside = base.parent / "outside"
    make_file(outside / code_cache.MARKER, code_cache.MARKER_CONTENT)
    make_file(outside / OLD_NAME, HEADER + b"outside")
    own(base).symlink_to(outside)


def no_marker(base: Path) -> None:
    make_file(own(base) / OLD_NAME, HEADER)
    make_file(own(base) / "notes.txt")


def foreign_marker(base: Path) -> None:
    no_marker(base)
    make_file(own(base) / code_cache.MARKER, b"Signature: 8a477f597d28d172789f06886806bc55\n# of another program\n")


def marker_is_a_link(base: Path) -> None:
    no_marker(base)
    make_file(base.parent / "outside" / "tag", code_cache.MARKER_CONTENT)
    (own(base) / code_cache.MARKER).symlink_to(base.parent / "outside" / "tag")


FOREIGN = [
    foreign_folders, foreign_files, inside_ours, links_inside_ours, ours_is_a_link, no_marker, foreign_marker,
    marker_is_a_link,
]  # fmt: skip


@pytest.mark.parametrize("fill", FOREIGN, ids=lambda f: f.__name__)
def test_nothing_of_the_users_goes(
    fill: Callable[[Path], None], base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(base)
    ours = {str(path.relative_to(base.parent)) for path in own(base).glob(f"*-{OTHER}.o")}
    age(base)
    before = contents(base.parent)
    kept = {name: content for name, content in before.items() if name not in ours}
    stored = code_cache.store(KEY, b"code")  # which removes what is old
    assert stored == (code_cache.load(KEY) == b"code") == (told(capsys)["fault"] is None)
    after = contents(base.parent)
    assert {name: after.get(name, b"gone") for name in kept} == kept
    state = told(capsys)
    assert state["entries"] == len(code_cache.entries()) == stored + len(ours)
    removed = told(capsys, "--clear")
    assert removed["removed"] == state["entries"]
    assert (removed["entries"], removed["bytes"]) == (0, 0)
    after = contents(base.parent)
    assert {name: after.get(name, b"gone") for name in kept} == kept
    assert not [name for name in set(after) - set(kept) if name.endswith(".o")]


def test_old_entries_of_other_compilers_go_with_the_first_of_a_new_one(base: Path) -> None:
    assert code_cache.store(OTHER, b"code")
    mine = next(iter(code_cache.entries()))
    old, part, recent = OLD_NAME, ".0123456789abcdef.part", f"{'b' * 16}-{KEY}.o"
    for name in (old, part, recent):
        make_file(own(base) / name, HEADER)
        (own(base) / name).chmod(0o600)
    os.utime(own(base) / old, (0, 0))
    os.utime(own(base) / part, (0, 0))
    assert code_cache.store(KEY, b"code")
    assert (own(base) / old).exists()  # there is an entry of this compiler already
    for name in [name for name in code_cache.entries() if name.startswith(mine[:16])]:
        (own(base) / name).unlink()
    assert code_cache.store(KEY, b"code")
    assert sorted(code_cache.entries()) == sorted([mine[:16] + f"-{KEY}.o", recent])
    assert not (own(base) / part).exists()


def test_what_a_killed_process_left_is_cleared(base: Path) -> None:
    assert code_cache.store(KEY, b"code")
    for k, content in enumerate((b"", HEADER[:3], HEADER + b"half")):
        make_file(own(base) / f".{k:016x}.part", content)
    assert code_cache.clear() == 1
    assert sorted(contents(own(base))) == [code_cache.MARKER]


def test_the_marker_is_written_where_it_is_missing_and_nothing_else_is_there(base: Path) -> None:
    own(base).mkdir(mode=0o700)
    make_file(own(base) / ".0123456789abcdef.part", b"")
    assert code_cache.why_unusable() is None
    assert code_cache.store(KEY, b"code")
    assert code_cache.load(KEY) == b"code"


def test_a_link_that_the_user_names_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(tmp_path / "link"))
    assert code_cache.store(KEY, b"code")
    assert code_cache.load(KEY) == b"code"
    assert code_cache.clear() == 1


# What a path can be instead of a file or folder


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # a socket's name must be short
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(before)


def make_device(path: Path) -> None:
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # as /dev/zero
    except PermissionError:
        pytest.skip("only root makes devices")


def make_folder(path: Path) -> None:
    path.mkdir(mode=0o700)


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_endless_link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_huge(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    path.chmod(0o600)


KINDS = [make_fifo, make_socket, make_device, make_folder, make_loop, make_endless_link, make_huge]
PLACES = ["base", "folder", "marker", "entry"]
CHILD = f"""
import resource
from actgrad.backends.cpu import code_cache
resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))  # reading without end fails before memory does
print(code_cache.load({KEY!r}), code_cache.store({KEY!r}, b"code"), code_cache.load({KEY!r}))
code_cache.entries(), code_cache.why_unusable(), code_cache.clear()
"""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("make", KINDS, ids=lambda f: f.__name__)
@pytest.mark.share(6)
def test_nothing_in_place_of_a_file_stops_a_call(
    make: Callable[[Path], None], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own, which is ended should it hang."""
    base = tmp_path / "home"
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(base))
    assert code_cache.store(KEY, b"code")
    entry = own(base) / next(iter(code_cache.entries()))
    path = {"base": base, "folder": own(base), "marker": own(base) / code_cache.MARKER, "entry": entry}[place]
    path.rename(tmp_path / "aside")
    make(path)
    before = path.lstat()
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found = done.stdout.split()
    assert found[0] == "None"
    is_usable = (place == "entry" and make is make_huge) or (place in ("base", "folder") and make is make_folder)
    assert found[1:] == (["True", "b'code'"] if is_usable else ["False", "None"])
    if not is_usable:
        after = path.lstat()
        assert (after.st_mode, after.st_ino, after.st_mtime_ns) == (before.st_mode, before.st_ino, before.st_mtime_ns)


def test_a_call_beside_fifos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call of a process whose every entry is a FIFO compiles, and computes."""
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(tmp_path))
    call = "import numpy, actgrad; print(actgrad.leaky_relu(numpy.float32([-1.0]), negative_slope=0.5)[0])"
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "-0.5\n", "")
        for entry in own(tmp_path).glob("*.o"):
            entry.unlink()
            os.mkfifo(entry)


# The command


def test_the_command_tells_what_is(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = {"folder": str(own(base)), "is_usable": True, "fault": None, "entries": 0, "bytes": 0, "removed": 0}
    assert told(capsys) == empty
    assert not own(base).exists()
    assert code_cache.store(KEY, b"code")
    size = len(HEADER) + 32 + len(b"code")
    assert told(capsys) == {**empty, "entries": 1, "bytes": size}
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"{own(base)}\n1 entries, {size} bytes\n"
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"1 entries removed\n{own(base)}\n0 entries, 0 bytes\n"
    assert told(capsys) == empty


def test_the_command_tells_why_a_folder_is_unusable(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    no_marker(base)
    for arguments in ([], ["--clear"]):
        assert main(["cache", *arguments]) == 0
        assert (
            f"0 entries, 0 bytes\nnot usable: {own(base)} has files, but no CACHEDIR.TAG of actgrad"
            in capsys.readouterr().out
        )
    base.chmod(0o770)
    assert (
        told(capsys)["fault"]
        == f"{base} belongs to another user, or others may write to it; it must be writable for you only; "
        "run chmod go-w on it, or set ACTGRAD_CACHE_DIR to a folder of your own"
    )


def test_the_command_where_the_working_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", "relative")
    assert code_cache.why_unusable() is not None
    assert (code_cache.store(KEY, b"code"), code_cache.load(KEY), code_cache.entries(), code_cache.clear()) == (
        False,
        None,
        {},
        0,
    )


def test_a_system_that_opens_no_files_in_an_open_folder(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no cache, and says so."""
    assert code_cache.store(KEY, b"code")
    monkeypatch.setattr(os, "supports_dir_fd", set())
    assert code_cache.load(KEY) is None
    assert not code_cache.store(OTHER, b"code")
    assert code_cache.why_unusable().startswith("this system cannot open files relative to a folder;")
    assert code_cache.clear() == 0
    monkeypatch.undo()
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(base))
    assert code_cache.load(KEY) == b"code"
