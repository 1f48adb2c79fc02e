"""Names that programs ask for beside the activations: each declared, each there; stubs fail with their names."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from actgrad.ascend.aclnn import signatures
from actgrad.ascend.sdk import builder, declared_functions, descriptions
from actgrad.ascend.sdk import prefix as prefixes
from tests.support.sdk_programs import MODES, Sdk, needs_compiler, run

pytestmark = needs_compiler

#: The libraries, what torch_npu links, what it looks up and cannot miss, and ggml's aclnn headers.
LIBRARIES = """acl_op_compiler hccl ge_runner graph acl_tdt_channel runtime aclnn_ops_infer aclnn_ops_train aclnn_math
    aclnn_rand aclnn_sparse aclnn_fft opapi_transformer opapi_cv platform register tiling_api msprofiler ascend_hal
    error_manager ascendalog c_sec acl_mdl acl_cblas"""
LINKED = """MsprofGetHashId MsprofRegisterCallback MsprofReportAdditionalInfo MsprofReportApi MsprofReportCompactInfo
    MsprofSysCycleTime aclAppLog aclCreateDataBuffer aclCreateTensorDesc aclDestroyDataBuffer aclDestroyTensorDesc
    aclGetDeviceCapability aclGetTensorDescDimV2 aclGetTensorDescFormat aclGetTensorDescNumDims aclGetTensorDescType
    aclSetTensorDescName aclSetTensorFormat aclSetTensorPlaceMent aclSetTensorShape aclmdlFinalizeDump aclmdlInitDump
    aclmdlSetDump aclopCompileAndExecute aclopCreateAttr aclopDestroyAttr aclopSetAttrBool aclopSetAttrDataType
    aclopSetAttrFloat aclopSetAttrInt aclopSetAttrListBool aclopSetAttrListFloat aclopSetAttrListInt
    aclopSetAttrListListInt aclopSetAttrString aclrtBinaryGetFunction aclrtBinaryLoadFromData aclrtDeviceCanAccessPeer
    aclrtDeviceEnablePeerAccess aclrtDeviceGetBareTgid aclrtFreePhysical aclrtGetFunctionAddr aclrtMallocPhysical
    aclrtMapMem aclrtMemExportToShareableHandle aclrtMemImportFromShareableHandle aclrtMemSetPidToShareableHandle
    aclrtProcessReport aclrtReleaseMemAddress aclrtReserveMemAddress aclrtUnmapMem rtDevBinaryRegister
    rtFunctionRegister rtGetC2cCtrlAddr rtKernelLaunch aclrtSetDeviceSatMode aclSetCompileopt aclGetCompileopt
    aclGetCompileoptSize aclrtSetOpExecuteTimeOut aclrtSetOpWaitTimeout aclrtSetStreamFailureMode
    aclrtMemGetAllocationGranularity aclmdlRICaptureBegin aclmdlRICaptureEnd aclmdlRIExecuteAsync aclmdlRIDestroy
    aclrtLaunchCallback aclrtSubscribeReport aclrtUnSubscribeReport aclrtMemcpy2d"""
HEADERS = """abs add add_rms_norm addcdiv arange argmax argsort avgpool2d batch_matmul cast cat clamp constant_pad_nd
    convolution copy cos cumsum div embedding eq_tensor exp fill_scalar fused_infer_attention_score_v2 gather_v2 gelu
    gelu_v2 ger group_norm grouped_matmul_v3 gt_scalar hardsigmoid hardswish im2col index_copy index_fill_tensor
    index_select layer_norm log logical_not logsoftmax masked_fill_scalar matmul max_pool mean mm mul mv neg norm
    permute pow pow_tensor_tensor recurrent_gated_delta_rule reduce_sum reflection_pad1d relu repeat repeat_interleave
    rms_norm roll scatter sigmoid sign silu sin slice softmax softmax_cross_entropy_with_logits softplus sqrt sub sum
    swi_glu tanh threshold trans_matmul_weight triangular_solve tril triu upsample_nearest_2d
    weight_quant_batch_matmul_v2 zero"""
FUNCTIONS = """Abs Add AddRmsNorm Arange ArgMax Argsort AvgPool2d BatchMatMul Cast Cat Clamp ClampMin ConstantPadNd
    Convolution Cos Cumsum Div EqTensor Exp FusedInferAttentionScoreV2 GatherV2 GroupNorm GtScalar Im2col IndexSelect
    InplaceAdd InplaceAdds InplaceClampMax InplaceCopy InplaceCos InplaceDiv InplaceDivs InplaceExp InplaceFillScalar
    InplaceIndexCopy InplaceIndexFillTensor InplaceMul InplaceMuls InplacePowTensorTensor InplaceSin InplaceSub
    InplaceSubs InplaceTriu InplaceZero LayerNorm Log Matmul MaxPool Mean Mm Mul Muls Mv Neg Norm Permute
    PowScalarTensor ReduceSum ReflectionPad1d Repeat RepeatInterleaveIntWithDim RmsNorm Roll RotaryPositionEmbedding
    Sign Sin Slice Sqrt Sub TransMatmulWeight TriangularSolve Tril Triu UpsampleNearest2d WeightQuantBatchMatmulV2"""


def declared(prefix: Path) -> set[str]:
    texts = (path.read_text() for path in (prefix / "include").rglob("*.h"))
    return {name for text in texts for name in re.findall(r"\b\w+(?=\()", text)}


def test_every_name(sdk: Sdk) -> None:
    names = declared(sdk.prefix)
    assert {name for name in LIBRARIES.split() if not (sdk.prefix / f"lib64/lib{name}.so").exists()} == set()
    assert set(LINKED.split()) - names == set()
    wanted = {f"aclnn{name}{end}" for name in FUNCTIONS.split() for end in ("", "GetWorkspaceSize")}
    assert (wanted | {"aclnnCalculateMatmulWeightSizeV2"}) - names == set()
    folder = sdk.prefix / "include" / "aclnnop"
    assert {name for name in HEADERS.split() if not (folder / f"aclnn_{name}.h").exists()} == set()


def test_functions_without_parameters_at_hand() -> None:
    """Is this one; a prototype that is found leaves the list."""
    unknown = {row.name for row in declared_functions.functions() if row.parameters == ("...",)}
    assert unknown == {"aclnnRecurrentGatedDeltaRule"}


def test_the_registry_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator that is added leaves the table by itself."""
    assert "aclnnMm" in {row.name for row in declared_functions.functions()}
    like = replace(signatures.all_signatures()[0], name="aclnnMm")
    monkeypatch.setattr(signatures, "all_signatures", lambda: (like,))
    assert "aclnnMm" not in {row.name for row in declared_functions.functions()}


@pytest.mark.parametrize("library", ["opapi", "opapi_nn", "cust_opapi", "aclnn_math", "opapi_math"])
def test_objects_are_found_in_each_library(sdk: Sdk, library: str) -> None:
    """Programs ask the library that they loaded for aclCreateTensor."""
    assert sdk.run("looked_up", str(sdk.prefix / f"lib64/lib{library}.so"), "aclCreateTensor", "aclInit") == "ok\n"


@pytest.mark.parametrize("mode", MODES)
def test_stubs(sdk: Sdk, mode: str) -> None:
    """Each phase of each function fails with its name; so do those of the runtime."""
    rows = [row for row in declared_functions.functions() if row.fails and not row.is_computed]
    names = [name for row in rows for name in row.names if row.fails and row.library in ("opapi", "ascendcl")]
    printed = sdk.run("stubs", *names, mode=mode).splitlines()
    assert len(printed) == len(names) > 90
    for name, line in zip(names, printed, strict=True):
        status, text = line.split(" ", 1)
        row = declared_functions.not_computed()[name]
        assert status == ("561103" if name.startswith("aclnn") else "207000"), name
        assert f"{row.name} is not in actgrad: {row.reason}" in text
        if row.has_phases:
            phase = "phase one" if name.endswith("GetWorkspaceSize") else "phase two"
            assert f"; called at {phase}; run actgrad sdk --check" in text


@pytest.mark.parametrize("mode", MODES)
def test_the_older_interface(sdk: Sdk, mode: str) -> None:
    assert sdk.run("single_operators", mode=mode) == "ok\n"


def test_any_call_of_an_unknown_prototype_compiles(sdk: Sdk, tmp_path: Path) -> None:
    source = tmp_path / "any.cpp"
    source.write_text(
        '#include "aclnnop/aclnn_recurrent_gated_delta_rule.h"\n'
        "int main() { return aclnnRecurrentGatedDeltaRuleGetWorkspaceSize(1, 2.5, nullptr) == 561103 ? 0 : 1; }\n"
    )
    assert sdk.run(sdk.compile(source)) == ""


FOLDERS = """runtime/lib64/libascendcl.so compiler/lib64/libascendcl.so acllib/include/acl/acl.h
    opp/lib64/libopapi.so opp/vendors/actgrad/op_api/lib/libcust_opapi.so op_api/lib/libcust_opapi.so
    op_api/include/aclnnop/aclnn_elu.h"""


def test_folders(sdk: Sdk) -> None:
    machine = f"{os.uname().machine}-linux/lib64/libascendcl.so"
    assert [name for name in [*FOLDERS.split(), machine] if not (sdk.prefix / name).exists()] == []
    assert (sdk.prefix / "opp/vendors/config.ini").read_text() == "load_priority=actgrad\n"
    variables = descriptions.environment(sdk.prefix)
    assert all(Path(folder).is_dir() for folder in variables.values())
    assert {"DDK_PATH", "NPU_HOST_LIB", "ASCEND_OPP_PATH"} <= variables.keys()


# A moved SDK, and another build at the same time


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_set_env_follows_a_moved_prefix(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "_write_libraries", lambda *_: None)
    builder.build(tmp_path / "old")
    moved = tmp_path / "a new place"
    (tmp_path / "old").rename(moved)
    script = f'set -eu; cd /; . "{moved}/set_env.sh"; echo "$ASCEND_OPP_PATH $LD_LIBRARY_PATH ${{_actgrad:-}}"'
    assert run([shell, "-c", script]) == f"{moved}/opp {moved}/lib64 \n"
    text = (moved / "lib64/pkgconfig/actgrad.pc").read_text()
    assert str(tmp_path) not in text


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Builds an SDK without libraries; returns the names beside it."""
    monkeypatch.setattr(builder, "_write_libraries", lambda *_: None)

    def made() -> list[str]:
        builder.build(tmp_path / "sdk")
        return sorted(path.name for path in tmp_path.iterdir())

    return made


def test_a_running_build_is_left_alone(tmp_path: Path, build: Callable[[], list[str]]) -> None:
    with prefixes.temporary_folder(tmp_path / "other") as folder:
        assert build() == sorted([folder.name, "sdk"])
    assert build() == ["sdk"]


def test_a_program_of_cann_links_with_every_library(sdk: Sdk, tmp_path: Path) -> None:
    """Each by its usual name, also where the linker drops those without use."""
    source = tmp_path / "all.c"
    source.write_text('#include "acl/acl.h"\nint main(void) { return aclInit(0); }\n')
    names = [f"-l{name}" for name in LIBRARIES.split()]
    done = subprocess.run(
        ["gcc", str(source), f"-I{sdk.prefix}/include", f"-L{sdk.prefix}/lib64", *names, "-lascendcl", "-o",
         str(tmp_path / "all"), f"-Wl,-rpath,{sdk.prefix}/lib64"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert run([str(tmp_path / "all")]) == ""
