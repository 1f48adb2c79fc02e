"""TTK's published methods: exact integers, quantised results, FLOAT8, the cross check; and its files for kernels."""
# ruff: noqa: E501  the rows of case files are long

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import float8_e4m3fn

import actgrad
from actgrad.ascend.cases import case_files, execution
from actgrad.judge import cross_check, judge
from actgrad.judge.standards import SOURCES
from tests.support import delivery_vendor
from tests.support.calls import status
from tests.support.deliveries import judged

Capture = pytest.CaptureFixture[str]
X = np.random.default_rng(0).normal(0, 2, (8, 128)).astype(np.float16)


@pytest.mark.parametrize(("step", "accepted"), [(0, ("binary", "quant")), (1, ("quant",)), (2, ())])
def test_integers_exact_and_quantised_results_within_1(step: int, accepted: tuple[str, ...]) -> None:
    out, scale = actgrad.dynamic_quant(X)
    wrong = out.copy()
    wrong[3, :5] = np.where(wrong[3, :5] > 0, wrong[3, :5] - step, wrong[3, :5] + step)
    for name in ("binary", "quant"):
        verdict = judge(actgrad.dynamic_quant, {}, [X], [wrong, scale], deciding=[name, "mixed"])
        assert verdict.holds is (name in accepted), (name, step)
        if not verdict.holds:
            assert verdict.outputs[0].worst[0].index[0] == 3


def test_float8_has_the_published_tolerance_and_by_default_the_bounds() -> None:
    out, scale = actgrad.dynamic_quant(X, dst_type=36)
    assert out.dtype == float8_e4m3fn
    bits = out.view(np.uint8).copy()
    bits[2, :40] = np.where((bits[2, :40] & 0x7F) > 8, bits[2, :40] - 1, bits[2, :40])  # one step nearer to 0
    wrong = bits.view(float8_e4m3fn)
    assert judge(actgrad.dynamic_quant, {"dst_type": 36}, [X], [wrong, scale], deciding=["mixed"]).holds
    assert not judge(actgrad.dynamic_quant, {"dst_type": 36}, [X], [wrong, scale]).holds
    far = np.where(np.arange(128) < 40, float8_e4m3fn(448), wrong)
    assert not judge(actgrad.dynamic_quant, {"dst_type": 36}, [X], [far, scale], deciding=["mixed"]).holds


def test_every_published_standard_states_its_source() -> None:
    for name in ("mixed", "mere-mare", "thousandth", "binary", "quant", "nonfinite", cross_check.CROSS_CHECK):
        source = SOURCES[name]
        assert source.document
        assert source.repository.startswith("hicann/")
        assert source.path.endswith(".md")
        assert len(source.commit) == 40


def test_the_errors_are_compared_with_those_of_a_second_device(tmp_path: Path, capsys: Capture) -> None:
    folder, second = tmp_path / "d", tmp_path / "second"
    assert status("cases", "silu", "--tensors", str(folder), "--dtypes", "float32", "--number", "4") == 0
    delivery_vendor.fill(folder)
    shutil.copytree(folder, second)

    def with_errors(path: Path, size: float) -> None:
        out, rng = np.load(path), np.random.default_rng(1)
        np.save(path, (out * (1 + size * rng.uniform(-1, 1, out.shape))).astype(np.float32))

    for path in sorted(second.glob("*/out.npy")):
        with_errors(path, 1e-6)
    for path in sorted(folder.glob("*/out.npy")):
        with_errors(path, 1.4e-6)
    options = ("--baseline", str(second))
    assert judged(folder, *options, "--level", "L0")[0] == 0
    assert judged(folder, *options)[0] == 0
    code, report = judged(folder, *options, "--level", "L2")
    assert code == 1
    rejected = [case for case in report["cases"] if case["verdict"] == "REJECTED"]
    assert rejected
    assert all("TTK cross check" in case["why"] and case["worst"]["index"] for case in rejected)
    assert status("check", "--manifest", str(folder), "--level", "L2") == 2
    assert status("check", "--manifest", str(folder), "--baseline", str(tmp_path / "none")) == 2
    assert "no such file" in capsys.readouterr().err.lower()


AXES = "{'dim': 1}"
KERNELS = f"""testcase_name,op_name,input_dtypes,input_shapes,output_dtypes,output_shapes,attributes,input_data_ranges
one,elu_grad,"('float16', 'float16')","((20, 29), (20, 29))","('float16',)","((20, 29),)",{{}},"((-1, 1),)"
two,swi_glu_grad,"('float32', 'float32')","((2, 3, 5), (2, 6, 5))","('float32',)","((2, 6, 5),)",{AXES},"((-1, 1, nan), (-1, 1))"
three,swiglu_group,"('bfloat16','float32','int64')","((6,32),None,(2,))","('bfloat16',)","((6,16),)",{{'clamp_limit': -1.0}},"((-2,2),None,(0,3))"
four,relu_v2,"('int32',)","((4, 32),)","('int32', 'uint1')","((4, 32), (4, 32))",{{}},"((-2147483648, 2147483647),)"
five,softmax_v2,"('float32',)","((4, 32),)","('float32',)","((4, 32),)","{{'axes': [1], 'half_to_float': False}}","((-1000, 1000, inf),)"
six,unheard_of,"('float32',)","((4, 32),)","('float32',)","((4, 32),)",{{}},"((-1, 1),)"
"""


def test_files_for_kernels_are_read(tmp_path: Path) -> None:
    file = tmp_path / "ttk_kernel.csv"
    file.write_text(KERNELS)
    cases = case_files.read(file)
    assert [case.signature.operator.name if case.signature else None for case in cases] == [
        "elu_backward", "swiglu_backward", "swiglu_group", "relu_with_mask", "softmax", None,
    ]  # fmt: skip
    assert "masks in bytes" in cases[3].problem
    assert "kernel unheard_of is unknown" in cases[5].problem
    assert list(cases[2].inputs) == ["x", "group_index"]
    assert cases[1].attributes["dim"].value == 1
    outcomes = [execution.execute(case, "cpu", None, 0) for case in cases]
    assert [outcome.holds for outcome in outcomes] == [True, True, True, None, True, None], [o.reason for o in outcomes]
    assert status("check", "--cases", str(file)) == 0


ACLNN = """testcase_name,api_name,tensor_view_shapes,tensor_dtypes,tensor_formats,attributes,output_tensor_indexes,input_data_ranges
a,aclnnSwigluGroup,"((2,256),None,None,(2,128))","('float16','float32','int64','float16')","('ND',)",{'clampLimit':-1.0},"(3,)","((-2,2),None,None,(0,0))"
b,aclnnSwigluGroup,"((8,512),(8,1),None,(8,256))","('float16','float32','int64','float16')","('ND',)",{'clampLimit':2.0},"(3,)","((-2,2),(-1,1),None,(0,0))"
c,aclnnSwigluGroup,"((8,512),None,(2,),(8,256))","('float32','float32','int64','float32')","('ND',)",{'clampLimit':-1.0},"(3,)","((-2,2),None,(0,3),(0,0))"
"""


def test_files_for_aclnn_functions_may_list_optional_tensors(tmp_path: Path) -> None:
    file = tmp_path / "ttk_aclnn.csv"
    file.write_text(ACLNN)
    cases = case_files.read(file)
    assert [list(case.inputs) for case in cases] == [["x"], ["x", "weight"], ["x", "group_index"]]
    outcomes = [execution.execute(case, "cpu", None, 0) for case in cases]
    assert [outcome.holds for outcome in outcomes] == [True, True, True], [outcome.reason for outcome in outcomes]
    assert status("check", "--cases", str(file), "--json", str(tmp_path / "r.json")) == 0
    assert json.loads((tmp_path / "r.json").read_text())["verdict"] == "ACCEPTED"
