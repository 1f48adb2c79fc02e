"""Programs that misuse, repeat, race, fork and end: small C programs that check themselves, in every host."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from actgrad.ascend.sdk import builder
from tests.support.sdk_programs import MODES, Sdk, environment, needs_compiler, needs_library

pytestmark = [needs_compiler, pytest.mark.share(6)]

SELF_CHECKING = ("misuse", "texts", "repeatable", "races", "threads", "forking_host", "forking_bystander", "stacks",
                 "plain_parameters", "refusals")  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", SELF_CHECKING)
@pytest.mark.share(6)
def test_program(sdk: Sdk, program: str, mode: str) -> None:
    assert sdk.run(program, mode=mode) == "ok\n"


@pytest.mark.parametrize("mode", MODES)
def test_failures_in_a_thread_of_torch_npu(sdk: Sdk, mode: str) -> None:
    """With this setting phase one is called there, too, so that its failure is one of work."""
    assert sdk.run("refusals", mode=mode, TASK_QUEUE_ENABLE="2") == "ok\n"
    assert sdk.run("refusals", mode=mode, TASK_QUEUE_ENABLE="1") == "ok\n"


@pytest.mark.parametrize("mode", MODES)
def test_view_beyond_its_declared_storage(sdk: Sdk, mode: str) -> None:
    """Is a warning to a strict program alone, since standard error is the program's."""
    binary = sdk.compile(Path(__file__).parent / "programs" / "beyond.c", "-std=gnu11")
    done = subprocess.run([str(binary)], capture_output=True, text=True, env=environment(**MODES[mode]), check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    reaches = "needs 32 bytes, but storageDims (4,) has 16; actgrad uses the memory behind it; enlarge storageDims"
    said = [f"actgrad: aclnnElu: {name} {reaches}" for name in ("self", "out")]
    assert done.stderr.splitlines() == (said if "strict" in mode else [])


@pytest.mark.parametrize("mode", MODES)
def test_a_copy_before_the_synchronize(sdk: Sdk, mode: str) -> None:
    """The result of a matrix product: a strict program prints one warning."""
    binary = sdk.compile(Path(__file__).parent / "programs" / "early_copies.c", "-std=gnu11")
    done = subprocess.run([str(binary)], capture_output=True, text=True, env=environment(**MODES[mode]), check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert done.stderr.count("before a queued task has written it") == ("strict" in mode)
    assert len(done.stderr.splitlines()) == ("strict" in mode)


CHIPS = {"Ascend910B3": "Ascend910B3", "Ascend910_9391": "Ascend910_9391", "Ascend910_93": "Ascend910_9391",
         "Ascend950": "Ascend950PR_9589", "Ascend910": "Ascend910A", "Ascend310P3": "Ascend310P3",
         "": "Ascend910B1"}  # fmt: skip


def test_products_by_full_names(sdk: Sdk) -> None:
    for given, chip in CHIPS.items():
        assert sdk.run("visible", ACTGRAD_PRODUCT=given) == f"8 devices, {chip}\n"
    for wrong in ("Ascend910C", "Ascend9", "ascend910b", "Ascend950\n"):
        assert f'ACTGRAD_PRODUCT is "{wrong}"; it must be Ascend950,' in sdk.run(
            "visible", status=1, ACTGRAD_PRODUCT=wrong
        )


@pytest.mark.parametrize(
    ("listed", "count"), [("0", 1), ("1,3", 2), ("7,6,5,4", 4), ("0,0", 1), ("0,9,1", 1), ("x", 0), ("", 8)]
)
def test_visible_devices(sdk: Sdk, listed: str, count: int) -> None:
    """A list ends at its first wrong entry; the devices that are left count from 0."""
    assert sdk.run("visible", ASCEND_RT_VISIBLE_DEVICES=listed) == f"{count} devices, Ascend910B1\n"


@pytest.mark.parametrize("mode", MODES)
def test_calls_are_remembered(sdk: Sdk, mode: str) -> None:
    """More of them than there is room for, and with the interpreter held by somebody else where it is here."""
    assert sdk.run("remembered", "5000" if mode == "inprocess" else "16", mode=mode) == "ok\n"


@pytest.mark.parametrize("mode", ["inprocess", "strict"])
def test_no_call_needs_much_address_space(sdk: Sdk, mode: str) -> None:
    """With `ulimit -v` of two gigabytes, of which the compiler of kernels alone maps one."""
    binary = sdk.compile(Path(__file__).parent / "programs" / "thirteen.c", "-std=gnu11")
    limited = subprocess.run(
        ["sh", "-c", 'ulimit -v 2000000; exec "$0"', str(binary)],
        capture_output=True, text=True, check=False, env=environment(**MODES[mode], OMP_NUM_THREADS="1"),
    )  # fmt: skip
    assert limited.returncode == 0, limited.stderr
    assert limited.stdout == sdk.run(binary)


@pytest.mark.parametrize("mode", ["strict", "strict server"])
def test_leaks_are_reported(sdk: Sdk, mode: str) -> None:
    binary = sdk.compile(Path(__file__).parent / "programs" / "leaks.c", "-std=gnu11")
    done = subprocess.run([str(binary)], capture_output=True, text=True, env=environment(**MODES[mode]), check=True)
    memory, *objects = done.stdout.split()
    names = ("aclTensor", "aclScalar", "array or list", "aclOpExecutor")
    ends = ("aclDestroyTensor", "aclDestroyScalar", "aclDestroy and its type, for example aclDestroyIntArray")
    of_memory, *of_objects = done.stderr.splitlines()
    beginning, code, end = of_memory.split(", ")
    assert beginning == f"actgrad: 16 bytes of device memory at {memory}"
    assert re.fullmatch(rf"allocated at {re.escape(str(binary))}\+0x[0-9a-f]+", code)
    assert end == "were never freed; free all memory before aclFinalize; call aclrtFree"
    assert of_objects == [
        f"actgrad: {name} {address} was never destroyed; destroy all objects before aclFinalize; call {end}"
        for name, address, end in zip(names, objects, (*ends, "aclDestroyAclOpExecutor"), strict=True)
    ]


def test_leaks_are_reported_when_asked_for_alone(sdk: Sdk) -> None:
    assert len(sdk.run("leaks").split()) == 5  # and not a word on stderr


@pytest.mark.parametrize("mode", ["inprocess", "server"])
@pytest.mark.parametrize("how", ["return", "exit", "_exit", "thread"])
def test_ends_while_threads_compute(sdk: Sdk, how: str, mode: str) -> None:
    assert sdk.run("exits", how, mode=mode, status=7) == ""


@needs_library
@pytest.mark.parametrize("how", ["return", "exit", "thread", "late"])
def test_ends_while_a_thread_compiles(sdk: Sdk, how: str) -> None:
    """LLVM aborts where its library ends during a compilation; later calls are a status."""
    for milliseconds in ("-1", "0", "20"):
        assert sdk.run("ends_compiling", how, milliseconds, status=7, ACTGRAD_CACHE_DIR="") == ""


@needs_library
@pytest.mark.parametrize("blocks", [0, 1, 8])
def test_a_limit_on_the_size_of_files(sdk: Sdk, tmp_path: Path, blocks: int) -> None:
    """SIGXFSZ ended the program when the cache stored machine code."""
    binary = sdk.compile(Path(__file__).parent / "programs" / "first_text.c", "-std=gnu11")
    done = subprocess.run(
        ["sh", "-c", f'ulimit -f {blocks}; exec "$0"', str(binary)], capture_output=True, text=True, check=False,
        env=environment(ACTGRAD_SDK_HOST="inprocess", ACTGRAD_CACHE_DIR=str(tmp_path / "cache")),
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 \n0 \n", "")


class Running:
    """A program that has said "ready"."""

    def __init__(self, sdk: Sdk, program: str, *arguments: str, **settings: str | None):
        binary = sdk.compile(Path(__file__).parent / "programs" / f"{program}.c", "-std=gnu11")
        self.process = subprocess.Popen(
            [str(binary), *arguments], env=environment(**settings), text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n", self.process.communicate()

    def end(self, text: str = "") -> tuple[int, str, str]:
        out, err = self.process.communicate(text, timeout=60)
        return self.process.returncode, out, err


@pytest.mark.parametrize("mode", ["inprocess", "server"])
def test_interrupt(sdk: Sdk, mode: str) -> None:
    """SIGINT ends a program that computes, as it ends others; one that catches it goes on as it likes."""
    running = Running(sdk, "endless", **MODES[mode])
    running.process.send_signal(signal.SIGINT)
    assert running.end() == (-signal.SIGINT, "", "")
    running = Running(sdk, "endless", "handled", **MODES[mode])
    running.process.send_signal(signal.SIGINT)
    assert running.end() == (0, "ended\n", "")


def servers(mark: str) -> list[int]:
    """The processes that compute for programs with this environment variable."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, variables = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            if b"seam.serve" in command and mark.encode() in variables:
                found.append(int(folder.name))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def wait_until_gone(mark: str) -> None:
    end = time.monotonic() + 20
    while servers(mark):
        assert time.monotonic() < end, "the server outlives its program"
        time.sleep(0.02)


def test_server_is_killed(sdk: Sdk, tmp_path: Path) -> None:
    mark = f"MARK={tmp_path}"
    running = Running(sdk, "gone", ACTGRAD_SDK_HOST="server", MARK=str(tmp_path))
    (server,) = servers(mark)
    os.kill(server, signal.SIGKILL)
    wait_until_gone(mark)
    assert running.end("\n") == (0, "ok\n", "")


def test_server_ends_with_its_program(sdk: Sdk, tmp_path: Path) -> None:
    """However that ends; and it is nobody's child, nor in the program's process group."""
    mark = f"MARK={tmp_path}"
    running = Running(sdk, "endless", ACTGRAD_SDK_HOST="server", MARK=str(tmp_path))
    (server,) = servers(mark)
    fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    parent, group = int(fields[1]), int(fields[2])
    assert running.process.pid not in (parent, group)
    files = {os.readlink(path) for path in Path(f"/proc/{server}/fd").iterdir()}
    of_program = {os.readlink(f"/proc/{running.process.pid}/fd/{number}") for number in (0, 1)}
    assert not files & of_program  # whoever reads the program's output need not wait for the server
    running.process.kill()
    running.end()
    wait_until_gone(mark)


def test_loaded_by_name(sdk: Sdk) -> None:
    """By dlopen of each of the operators' libraries, which are closed and opened again."""
    names = ["libopapi_nn.so", "libopapi.so", "libcust_opapi.so", "libopapi_nn.so"]
    for mode in MODES:
        printed = sdk.run("loaded", mode=mode, LD_LIBRARY_PATH=str(sdk.prefix / "lib64"))
        assert re.findall(r"(\S+) 2\.101402", printed) == names


MINE = builder.Interpreter.current()
OTHERS = [
    path
    for path in sorted(Path(sys.base_prefix).parent.glob("3.*/lib/libpython3.??.so.1.0"))
    if not path.name.startswith(f"libpython{MINE.version}.")
]


@needs_library
@pytest.mark.parametrize("when", ["runs", "waits", "ends", "keeps"])
def test_program_with_a_python_of_its_own(sdk: Sdk, when: str) -> None:
    """A server computes: no call needs the lock of the program's Python."""
    assert sdk.run("embedding", MINE.library, when) == "ok\n"


@needs_library
@pytest.mark.parametrize("when", ["runs", "ends"])
def test_program_that_computes_in_its_python(sdk: Sdk, when: str) -> None:
    assert sdk.run("embedding", MINE.library, when, ACTGRAD_SDK_HOST="inprocess") == "ok\n"


@pytest.mark.parametrize("when", ["runs", "waits", "keeps"])
def test_program_with_another_python(sdk: Sdk, when: str) -> None:
    """A version that the SDK was not built for stays the program's own: a server computes."""
    if not OTHERS:
        pytest.skip("needs another Python's shared library")
    for library in OTHERS:
        assert sdk.run("embedding", str(library), when) == "ok\n"
    printed = sdk.run("embedding", str(OTHERS[-1]), when, status=1, ACTGRAD_SDK_HOST="inprocess")
    assert "set ACTGRAD_SDK_HOST=server" in printed
