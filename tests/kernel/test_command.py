"""`actgrad kernel run` and `actgrad kernel include`, and a unit test with tikicpulib.h."""

import json
import os
import subprocess

import ml_dtypes
import numpy as np
import pytest

from actgrad.cli.main import main
from actgrad.kernel import compiler

pytestmark = pytest.mark.share(6)

SCALE = """
#include "kernel_operator.h"
using namespace AscendC;
struct ScaleTiling { int32_t count; float factor; };
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, tiling);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, t.count * sizeof(float));
    pipe.InitBuffer(out, 1, t.count * sizeof(float));
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from, t.count);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Muls(b, a, t.factor, t.count);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(to, b, t.count);
    in.FreeTensor(a);
    out.FreeTensor(b);
}
"""
UNIT_TEST = """
#include "tikicpulib.h"
#include "scale.cpp"
int main()
{
    float* x = (float*)AscendC::GmAlloc(32);
    float* y = (float*)AscendC::GmAlloc(BYTES);
    ScaleTiling* tiling = (ScaleTiling*)AscendC::GmAlloc(sizeof(ScaleTiling));
    for (int i = 0; i < 8; ++i) x[i] = i;
    *tiling = {8, 3.0f};
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_SET_TILING_KEY(1);
    ICPU_RUN_KF(scale, 1, (uint8_t*)x, (uint8_t*)y, nullptr, (uint8_t*)tiling);
    const bool right = BYTES < 32 || (y[0] == 0 && y[7] == 21);
    AscendC::GmFree(x);
    return actgrad::number_of_errors() != 0 ? 1 : right ? 0 : 2;
}
"""


@pytest.fixture
def scale(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.cpp").write_text(SCALE)
    np.save("x.npy", np.arange(16, dtype=np.float32))
    return [
        "kernel", "run", "scale.cpp", "--entry", "scale", "--tiling-struct", "ScaleTiling", "--tiling",
        '{"count": 16, "factor": 0.5}',
    ]  # fmt: skip


def test_run_writes_the_output(scale, capsys):
    assert main([*scale, "x.npy", "out:float32:2x8:y.npy"]) == 0
    assert "no fault" in capsys.readouterr().out
    np.testing.assert_array_equal(np.load("y.npy"), np.arange(16, dtype=np.float32).reshape(2, 8) / 2)


def test_run_reports_faults(scale, capsys, tmp_path):
    assert main([*scale, "x.npy", "out:float32:15:y.npy", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [fault["kind"] for fault in report["faults"]] == ["gm-write-out-of-bounds"]
    line = next(n for n, text in enumerate(SCALE.splitlines(), 1) if "DataCopy(to" in text)
    assert (report["faults"][0]["file"], report["faults"][0]["line"]) == (str(tmp_path / "scale.cpp"), line)


def test_tiling_from_files_and_other_dtypes(scale, tmp_path):
    (tmp_path / "tiling.json").write_text('{"count": 8, "factor": 2}')
    (tmp_path / "tiling.bin").write_bytes(np.array([8], np.int32).tobytes() + np.array([2], np.float32).tobytes())
    for name in ("tiling.json", "tiling.bin"):
        assert main([*scale[:-1], name, "x.npy", "out:float32:8:y.npy"]) == 0
        assert np.load("y.npy")[3] == 6
    np.save("b.npy", np.zeros(32, ml_dtypes.bfloat16).view(np.uint16))
    assert main([*scale, "bfloat16:b.npy", "out:float32:16:y.npy"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.npy"], "no such file"),
        (["out:float33:4:y.npy"], "float33"),
        (["out:float32:4y:y.npy"], "8x512"),
        (["x.npy", "--define", "A"], "NAME=VALUE"),
        (["x.npy", "out:float32:16:y.npy", "--tiling", "{count"], "JSON"),
        (["x.npy", "out:float32:16:y.npy", "--assume", "half=1"], "half"),
    ],
)
def test_errors_are_one_line(scale, capsys, words, message):
    assert main([*scale, *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_include_and_unit_tests(scale, capsys, tmp_path):
    assert main(["kernel", "include"]) == 0
    include = capsys.readouterr().out.strip()
    (tmp_path / "test.cpp").write_text(UNIT_TEST)
    for size, status, words in ((32, 0, ""), (16, 1, "scale.cpp:24: error")):
        done = subprocess.run(
            [*compiler.command(), "-std=c++17", "-w", f"-DBYTES={size}", f"-I{include}", "test.cpp", "-o", "unit"],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        run = subprocess.run([os.path.abspath("unit")], capture_output=True, text=True)
        assert run.returncode == status, run.stderr
        assert words in run.stderr
