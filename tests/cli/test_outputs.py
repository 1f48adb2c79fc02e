"""Files that commands write: no input is ever replaced, no two outputs are one file, and each is written whole."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from actgrad.writing import documents, outputs
from actgrad.writing.outputs import UnwritableFile
from tests.support.calls import status
from tests.support.case_files import atk_case, ttk_text

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two tensors and cases of both formats, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.linspace(-2, 2, 16, dtype=np.float32))
    np.save("y.npy", np.linspace(-2, 2, 16, dtype=np.float32))
    Path("c.json").write_text(json.dumps([atk_case(save_name="x.npy")]))
    Path("c.csv").write_text(ttk_text(manual_golden_binaries="('x.npy', 'y.npy')"))
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


#: Other names of a file: each makes one and returns it.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "the same": lambda name: name,
    "dotted": lambda name: f"./{name}",
    "absolute": lambda name: os.path.abspath(name),
    "through a folder": lambda name: f"../{Path.cwd().name}/{name}",
    "a symbolic link": lambda name: linked(os.symlink, os.path.abspath(name), "soft" + Path(name).suffix),
    "a link to a link": lambda name: linked(os.symlink, SPELLINGS["a symbolic link"](name), "two" + Path(name).suffix),
    "a hard link": lambda name: linked(os.link, name, "hard" + Path(name).suffix),
    "a linked folder": lambda name: f"{linked(os.symlink, os.getcwd(), 'folder')}/{name}",
}


def linked(how: Callable[[str, str], None], name: str, link: str) -> str:
    how(name, link)
    return link


CALLS = {
    "inputs": (["check", "elu", "--inputs", "x.npy", "--actual", "y.npy"], "x.npy"),
    "actual": (["check", "elu", "--inputs", "x.npy", "--actual", "y.npy"], "y.npy"),
    "bits": (["check", "elu", "--inputs", "x.npy:bfloat16", "--actual", "y.npy"], "x.npy"),
    "atk": (["check", "--cases", "c.json"], "c.json"),
    "ttk": (["check", "--cases", "c.csv"], "c.csv"),
    "what an atk case names": (["check", "--cases", "c.json"], "x.npy"),
    "what a ttk case names": (["check", "--cases", "c.csv"], "y.npy"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("option", ["--json", "--html"])
@pytest.mark.parametrize("kind", CALLS)
def test_an_input_is_never_written_over(kind: str, option: str, spelling: str, folder: Path, capsys: Capture) -> None:
    call, name = CALLS[kind]
    written = SPELLINGS[spelling](name)
    before = contents(folder)
    assert status(*call, option, written) == 2
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines() if line.startswith("actgrad: ")]
    assert len(lines) == 1
    assert lines[0].startswith(f"actgrad: {option} {os.path.normpath(written)}: is the input ") or spelling in (
        "dotted", "through a folder"
    )  # fmt: skip
    assert "is the input" in lines[0]
    assert captured.out == ""
    assert contents(folder) == before


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("suffix", "other"), [("json", "--json"), ("csv", "--html")])
def test_results_are_not_written_over_cases_or_reports(
    suffix: str, other: str, spelling: str, folder: Path, capsys: Capture
) -> None:
    cases = f"c.{suffix}"
    written = SPELLINGS[spelling](cases)
    before = contents(folder)
    assert status("check", "--cases", cases, "--results", written) == 2
    Path(f"r.{suffix}").touch()
    for name in ("folder", f"soft.{suffix}", f"hard.{suffix}", f"two.{suffix}"):
        if os.path.lexists(name):
            os.unlink(name)
    assert status("check", "--cases", cases, "--results", f"r.{suffix}", other, SPELLINGS[spelling](f"r.{suffix}")) == 2
    assert "is the file of --" in capsys.readouterr().err
    assert Path(f"r.{suffix}").read_bytes() == b""
    assert all(
        contents(folder)[name] == held for name, held in before.items() if Path(name).name in ("c.json", "c.csv")
    )


@pytest.mark.parametrize("first", ["r", "./r", "link", "sub/../r"])
def test_two_outputs_are_not_one_file_even_before_it_exists(first: str, folder: Path, capsys: Capture) -> None:
    Path("sub").mkdir()
    Path("link").symlink_to("r")  # to a file that does not exist
    call = ["check", "elu", "--inputs", "x.npy", "--actual", "y.npy"]
    assert status(*call, "--json", first, "--html", "r") == 2
    assert "--html r: is the file of --json too" in capsys.readouterr().err
    assert not Path("r").exists()


def test_nothing_is_read_before_a_refusal(folder: Path, capsys: Capture) -> None:
    Path("x.npy").write_bytes(b"damaged")
    Path("c.json").write_bytes(b"damaged")
    assert status("check", "elu", "--inputs", "x.npy", "--actual", "y.npy", "--json", "y.npy") == 2
    assert "is the input" in capsys.readouterr().err
    assert status("check", "--cases", "c.json", "--json", "c.json") == 2
    assert "is the input" in capsys.readouterr().err


BAD = {
    ".": "is a folder", "sub": "is a folder", "sub/": "is a folder", "": "got an empty text",
    "gone/r.json": "no such folder", "x.npy/r.json": "no such folder", "loop": "is a loop of symbolic links",
}  # fmt: skip


@pytest.mark.parametrize("path", BAD)
@pytest.mark.parametrize(
    "call",
    [["check", "elu", "--inputs", "x.npy", "--actual", "y.npy", "--json"],
     ["check", "elu", "--inputs", "x.npy", "--actual", "y.npy", "--html"],
     ["check", "--exhaustive", "elu", "--write"]],
    ids=lambda call: f"{call[0]} {call[-1]}",
)  # fmt: skip
def test_what_is_no_file_is_refused(call: list[str], path: str, folder: Path, capsys: Capture) -> None:
    Path("sub").mkdir()
    Path("loop").symlink_to("loop")
    before = sorted(os.listdir())
    assert status(*call, path) == 2
    captured = capsys.readouterr()
    assert BAD[path] in captured.err
    assert captured.err.count("\n") == 1
    assert sorted(os.listdir()) == before


# Writing


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.html"
    outputs.write(target, "first")
    assert target.read_text() == "first"
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UnwritableFile, match=r"report\.html: was not written \(No space left on device\)"):
        outputs.write(target, "second")
    assert target.read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660, 0o755])
def test_permissions_are_kept(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "r"
    target.write_text("old")
    target.chmod(mode)
    outputs.write(target, b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode
    fresh, plain = tmp_path / "fresh", tmp_path / "plain"
    outputs.write(fresh, "new")
    plain.touch()
    assert fresh.stat().st_mode == plain.stat().st_mode  # as the umask has it


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "r"
    target.write_text("old")
    os.chown(target, 12345, 54321)
    target.chmod(0o640)
    outputs.write(target, "new")
    held = target.stat()
    assert (held.st_uid, held.st_gid, stat.S_IMODE(held.st_mode)) == (12345, 54321, 0o640)


def test_a_symbolic_link_stays_one_and_a_hard_link_keeps_the_old_content(tmp_path: Path) -> None:
    target, soft, hard = tmp_path / "sub" / "r", tmp_path / "soft", tmp_path / "hard"
    target.parent.mkdir()
    target.write_text("old")
    soft.symlink_to("sub/r")
    os.link(target, hard)
    outputs.write(soft, "new")
    assert soft.is_symlink()
    assert (target.read_text(), hard.read_text()) == ("new", "old")
    dangling = tmp_path / "dangling"
    dangling.symlink_to("sub/fresh")
    outputs.write(dangling, "new")
    assert dangling.is_symlink()
    assert (tmp_path / "sub/fresh").read_text() == "new"
    assert sorted(p.name for p in target.parent.iterdir()) == ["fresh", "r"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_a_pipe_is_written_directly_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        outputs.check_paths({"--json": pipe, "--html": tmp_path / "r"})
        outputs.write(pipe, "text")
        assert os.read(reading, 10) == b"text"
    finally:
        os.close(reading)
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_devices_may_be_named_twice() -> None:
    outputs.check_paths({"--json": "/dev/null", "--html": "/dev/null"})  # nothing is lost there


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_is_read_only_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "r"
    target.write_text("old")
    target.chmod(0o400)
    with pytest.raises(UnwritableFile, match="Permission denied"):
        outputs.check_paths({"-o": target})
    with pytest.raises(UnwritableFile, match="Permission denied"):
        outputs.write(target, "new")
    assert target.read_text() == "old"


def test_case_names_of_files_that_do_not_exist_refuse_nothing(folder: Path) -> None:
    Path("c.json").write_text(json.dumps([atk_case(save_name="r.json", version=["a\0b", "x" * 5000, {"deep": ["."]}])]))
    assert status("check", "--cases", "c.json", "--results", "r.json") == 0


def test_a_document_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    document, link = tmp_path / "d.md", tmp_path / "link.md"
    document.write_text("a\n<!-- rows -->\n<!-- /rows -->\nb\n")
    document.chmod(0o640)
    link.symlink_to("d.md")
    documents.write_part(link, "rows", "| operator |")
    assert link.is_symlink()
    assert stat.S_IMODE(document.stat().st_mode) == 0o640
    assert document.read_text() == "a\n<!-- rows -->\n| operator |\n<!-- /rows -->\nb\n"
