"""What a run does with its process, its arguments and its cache: the host lives, and the report tells."""

import os
import threading

import numpy as np
import pytest

from actgrad.base.errors import InvalidArgument, InvalidCall
from actgrad.kernel import Kernel, KernelError, compiler
from tests.kernel.calling import FOLDER

FILE = FOLDER / "running.cpp"
TEXT = FILE.read_text().splitlines()


def _line(name):
    return next(number for number, text in enumerate(TEXT, 1) if text.endswith(f"// line {name}"))


@pytest.fixture(scope="module")
def kernel():
    return Kernel(FILE, "running")


def _run(kernel, what, value=0, blocks=1, timeout=60.0, workspace=0, size=4, **tiling):
    x, y = np.ones(8, np.float32), np.zeros(size, np.float32)
    x.flags.writeable = False
    report = kernel.run(
        x, y, tiling={"what": what, "value": value, **tiling}, tiling_struct="RunningTiling", blocks=blocks,
        timeout=timeout, workspace=workspace,
    )  # fmt: skip
    return report, y


@pytest.mark.share(4)
@pytest.mark.parametrize(
    ("what", "value", "kind", "line", "words"),
    [
        (1, 64, "crash", "wild", "writes address 0x40"),
        (3, 0, "crash", "thrown", "thrown by the kernel"),
        (4, 0, "crash", None, "ended the program"),
        (5, 0, "crash", None, "abort"),
        (6, 0, "inputs-modified", "input", "argument 1"),
        (7, 5000, "gm-write-out-of-bounds", "behind", "argument 2"),
        (8, 1, "crash", "assert", "t.value == 0"),
        (10, 1, "crash", "division", "zero"),
        (13, 0, "inputs-modified", "tiling", "the tiling data"),
        (14, 10**9, "crash", None, "stack"),
        (15, 0, "crash", "frame", "stack"),
        (16, 10**6, "crash", None, "bad_alloc"),
        (18, 0, "crash", "forks", "starts another process"),
        (25, 0, "crash", None, "killed by signal 9"),
        (26, 0, "crash", None, "ended with status 0"),
    ],
)
def test_the_host_lives(kernel, what, value, kind, line, words):
    report, _ = _run(kernel, what, value)
    assert not report.ok
    assert [f.kind for f in report.faults] == [kind]
    assert words in report.faults[0].message
    if line is not None:
        assert (report.faults[0].file, report.faults[0].line) == (str(FILE), _line(line))


def test_a_kernel_that_prints(kernel, capfd):
    report, y = _run(kernel, 17, 20_000)
    assert report.ok
    assert y[0] == 1
    assert "line 19999" in capfd.readouterr().err  # the caller's standard output stays clean


@pytest.mark.parametrize(("script", "words"), [("exit 3", "with status 3"), ("echo [", "with status 0")])
def test_a_program_that_does_not_say_what_it_is(script, words, tmp_path):
    """A global object of the kernel may end or crash the program before it begins."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(KernelError, match=f"celu.cpp: its program does not say what it is, and ends {words}"):
        compiler.description(program, "celu.cpp", "--signature")


def test_an_endless_loop_is_a_timeout(kernel):
    report, _ = _run(kernel, 2, timeout=0.5)
    assert [(f.kind, f.line - _line("endless") in (0, 1)) for f in report.faults] == [("timeout", True)]


def test_a_pointer_next_to_an_argument(kernel):
    report, _ = _run(kernel, 7, 4, size=5)
    assert report.ok
    report, y = _run(kernel, 7, 5, size=5)  # 20 bytes end inside a block of 32
    assert [f.kind for f in report.faults] == ["gm-write-out-of-bounds"]
    assert not y.any()


def test_workspace(kernel):
    assert _run(kernel, 9, 99, workspace=100)[0].ok
    assert not _run(kernel, 9, 4096, workspace=100)[0].ok


def test_many_blocks_and_threads(kernel):
    results = {}

    def work(number):
        results[number] = [_run(kernel, 0, number, blocks=64, size=64, numbers=[0, 0.5, 0])[1] for _ in range(3)]

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, arrays in results.items():
        for array in arrays:
            np.testing.assert_array_equal(array, number + 0.5 + 100.0 * np.arange(64, dtype=np.float32))


def test_blocks_meet_or_the_run_is_a_deadlock(kernel):
    assert _run(kernel, 11, blocks=40)[0].ok
    report, _ = _run(kernel, 12, blocks=4)
    assert [(f.kind, f.line) for f in report.faults] == [("deadlock", _line("deadlock"))]
    report, _ = _run(kernel, 11, blocks=49)  # more blocks than the product has cores
    assert [f.kind for f in report.faults] == ["deadlock"]


def test_flags_between_blocks(kernel):
    assert _run(kernel, 19, blocks=40)[0].ok
    for what, line in ((20, "unpaired"), (21, "id")):
        report, _ = _run(kernel, what)
        assert [(f.kind, f.line) for f in report.faults] == [("flag-unpaired", _line(line))]


@pytest.mark.parametrize(
    ("value", "kinds", "line"),
    [
        (0, set(), None),
        (1, {"gm-race", "gm-overlapping-writes", "flag-unpaired"}, "sum"),
        (2, {"deadlock"}, "waits"),
        (3, {"flag-unpaired"}, "set"),
    ],
)
def test_a_block_waits_for_another(kernel, value, kinds, line):
    y, flags = np.zeros(1, np.float32), np.zeros(4096, np.uint8)
    tiling = {"what": 24, "value": value}
    report = kernel.run(np.ones(1, np.float32), y, flags, tiling=tiling, tiling_struct="RunningTiling", blocks=4)
    assert {f.kind for f in report.faults} == kinds
    assert line is None or _line(line) in {f.line for f in report.faults}
    assert y[0] == (1 if value == 2 else 4)


def test_parameters_that_are_no_pointers():
    y = np.zeros(5, np.float32)
    assert Kernel(FILE, "values").run(y, 4, 0.25).ok
    np.testing.assert_array_equal(y, [0, 0.25, 0.5, 0.75, 0])


def test_one_array_twice_and_views():
    kernel = Kernel(FILE, "same_memory")
    x = np.zeros(8, np.float32)
    kernel.run(x, x)
    assert list(x[:2]) == [1, 2]
    wide = np.zeros((4, 4), np.float32)
    kernel.run(np.ones(2, np.float32), wide[:, 1])
    np.testing.assert_array_equal(wide[:, 1], [2, 2, 0, 0])
    assert wide.sum() == 4


def test_null_pointers(kernel):
    y = np.zeros(1, np.float32)
    report = kernel.run(None, y, tiling={"what": 22}, tiling_struct="RunningTiling")
    assert report.ok
    assert y[0] == 1
    report = kernel.run(None, y, tiling={"what": 23}, tiling_struct="RunningTiling")
    assert [(f.kind, f.line) for f in report.faults] == [("gm-read-out-of-bounds", _line("null"))]


def test_empty_arrays(kernel):
    report, _ = _run(kernel, 11, size=0)
    assert report.ok


def test_tiling_as_bytes_and_structured_scalar(kernel):
    dtype = np.dtype([("what", "i4"), ("value", "i8"), ("numbers", "f4", 3)], align=True)
    record = np.zeros((), dtype)
    record["value"] = 7
    x, y = np.ones(2, np.float32), np.zeros(2, np.float32)
    for tiling in (record.tobytes(), record[()]):
        kernel.run(x, y, tiling=tiling)
        assert y[0] == 7
    report = kernel.run(x, y, tiling=record.tobytes()[:8])
    assert [f.kind for f in report.faults] == ["gm-read-out-of-bounds"]


@pytest.mark.parametrize(
    ("error", "words", "change"),
    [
        (InvalidCall, "must be a NumPy array or None", {"x": [1.0]}),
        (InvalidCall, "tiling_struct is missing", {"tiling_struct": None}),
        (KernelError, "lenght", {"tiling": {"lenght": 4}}),
        (InvalidArgument, "does not fit into int32", {"tiling": {"what": 1 << 40}}),
        (InvalidArgument, "blocks is 0", {"blocks": 0}),
        (InvalidArgument, "half_overflow", {"assumptions": {"half_overflow": "wrap"}}),
    ],
)
def test_wrong_calls(kernel, error, words, change):
    given = {
        "x": np.ones(2, np.float32), "tiling": {"what": 0}, "tiling_struct": "RunningTiling", **change
    }  # fmt: skip
    with pytest.raises(error, match=words):
        kernel.run(given.pop("x"), np.zeros(2, np.float32), **given)


def test_too_many_arguments(kernel):
    with pytest.raises(InvalidCall, match="4 parameters"):
        kernel.run(*[np.ones(2, np.float32)] * 5)


def test_a_kernel_that_does_not_compile(tmp_path):
    file = tmp_path / "broken.cpp"
    file.write_text(
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        'extern "C" __global__ __aicore__ void broken(GM_ADDR x)\n{\n    LocalTensor<float> a;\n'
        "    Adds(a, a, a, 4);\n}\n"
    )
    with pytest.raises(KernelError) as caught:
        Kernel(file, "broken")
    assert (caught.value.file, caught.value.line) == (str(file), 6)
    assert f"{file}:6" in str(caught.value)
    with pytest.raises(KernelError, match="another"):
        Kernel(FILE, "another")
    with pytest.raises(InvalidArgument, match="no such file"):
        Kernel(tmp_path / "missing.cpp", "missing")
    with pytest.raises(InvalidArgument, match="Ascend910B"):
        Kernel(FILE, "running", product="Ascend910X")


@pytest.mark.share(3)
def test_the_cache_knows_included_files(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTGRAD_CACHE_DIR", str(tmp_path / "cache"))
    header, file = tmp_path / "number.h", tmp_path / "number.cpp"
    file.write_text(
        '#include "kernel_operator.h"\n#include "number.h"\n'
        "__global__ __aicore__ void number(GM_ADDR y) { *(__gm__ float*)y = NUMBER; }\n"
    )
    y = np.zeros(1, np.float32)
    for value in (1, 2):
        header.write_text(f"#define NUMBER {value}\n")
        Kernel(file, "number").run(y)
        assert y[0] == value
    assert (tmp_path / "cache" / "actgrad-kernels" / "CACHEDIR.TAG").is_file()
    os.chmod(tmp_path / "cache" / "actgrad-kernels", 0o777)  # a folder that others may write to is not used
    Kernel(file, "number").run(y)
    assert y[0] == 2
