"""Tiling functions of a project: shapes, attributes, keys, both kinds of tiling data, definitions, refusals."""

import struct

import numpy as np
import pytest

from actgrad.kernel import Kernel, KernelError, Tiling, TilingError
from actgrad.kernel.products import HEADER, facts, header

HOST = """
#include "register/tilingdata_base.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "log/log.h"
#include "share_key.h"
#include "share_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    OP_CHECK_IF(shape.GetDimNum() > 8, OP_LOGE(context, "rank %zu is too large", shape.GetDimNum()),
                return ge::GRAPH_FAILED);
    OP_CHECK_NULL_WITH_CONTEXT(context, context->GetOptionalInputShape(1));
    ShareTilingData tiling;
    tiling.set_total(shape.GetShapeSize());
    tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
    int32_t steps[3] = {static_cast<int32_t>(*context->GetAttrs()->GetInt(1)), 2, 3};
    tiling.set_steps(steps);
    tiling.set_small(context->GetAttrs()->GetStr(2)[0]);
    tiling.set_ub(ub);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    const uint32_t mode = shape.GetShapeSize() > 1000 ? 7 : 3;
    const bool is_half = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    ASCENDC_TPL_SEL_PARAM(context, mode, static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType()), is_half);
    context->SetBlockDim(std::min<uint32_t>(platform.GetCoreNumAiv(), 5));
    context->GetWorkspaceSizes(1)[0] = 96;
    std::printf("tiling for %u blocks\\n", 5u);
    return ge::GRAPH_SUCCESS;
}
}

namespace ops {
class Share : public OpDef {
public:
    explicit Share(const char* name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("scale").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
        this->Attr("alpha").AttrType(OPTIONAL).Float(0.5);
        this->Attr("steps").Int();
        this->Attr("axes").AttrType(OPTIONAL).ListInt({-1, 3});
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(Share);
}
"""
KEY = """
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(Share,
    ASCENDC_TPL_UINT_DECL(mode, 4, ASCENDC_TPL_UI_MIX, 1, 1, 3, 7, 9),
    ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0)),
    ASCENDC_TPL_BOOL_DECL(is_half, 0, 1), );
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 3, 7)));
"""
DATA = """
#ifndef SHARE_TILING_H
#define SHARE_TILING_H
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ShareTilingData)
TILING_DATA_FIELD_DEF(uint8_t, small);
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(float, alpha);
TILING_DATA_FIELD_DEF_ARR(int32_t, 3, steps);
TILING_DATA_FIELD_DEF(uint64_t, ub);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Share, ShareTilingData)
}
#endif
"""
KERNEL = """
#include "kernel_operator.h"
#include "share_key.h"
template <int mode, typename T, bool is_half>
__global__ __aicore__ void share(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    __gm__ double* out = (__gm__ double*)y;
    out[0] = mode, out[1] = sizeof(T), out[2] = is_half, out[3] = t.small, out[4] = t.total, out[5] = t.alpha;
    out[6] = t.steps[0] + t.steps[1] + t.steps[2], out[7] = t.ub;
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("share")
    for name, text in (
        ("share.cpp", HOST),
        ("share_key.h", KEY),
        ("share_tiling.h", DATA),
        ("share_kernel.cpp", KERNEL),
    ):
        (folder / name).write_text(text)
    return folder


def test_from_the_tiling_function_to_the_kernel(project):
    tiling = Tiling(project / "share.cpp", product="Ascend910B")
    half = np.zeros((40, 50), np.float16)
    result = tiling.run([half, ((1,), "float16")], [half], [0.25, 11, "q"])
    assert (result.blocks, result.workspace, result.operator) == (5, 96, "Share")
    assert result.instance == ("7", "half", "1")
    assert result.key == 3 | 1 << 4 | 1 << 12  # 1, 2, 3, 7, 9: the value 7 has the index 3
    y = np.zeros(8)
    kernel = Kernel(
        project / "share_kernel.cpp", f"share<{', '.join(result.instance)}>", include=[project / "share_tiling.h"]
    )
    report = kernel.run(y, tiling=result.data, tiling_struct="ShareTilingData", blocks=1)
    assert report.ok, report
    assert [*y] == [7, 2, 1, ord("q"), 2000, 0.25, 16, facts()["products"]["Ascend910B"]["ub_bytes"]]
    fields = {"total": 5, "steps": [1, 2, 3], "alpha": -1.5}
    assert kernel.run(y, tiling=fields, tiling_struct="ShareTilingData").ok
    assert [*y[3:7]] == [0, 5, -1.5, 6]


@pytest.mark.parametrize("size", [1, 999, 1001, 10**7])
def test_shapes(project, size):
    tiling = Tiling(project / "share.cpp", product="Ascend950")
    result = tiling.run([((size,), "float32"), ((), "float32")], [((size,), "float32")], [1.0, 0, "a"])
    assert struct.unpack_from("<Q", result.data, 8) == (size,)
    assert result.instance[:2] == ("7" if size > 1000 else "3", "float")


def test_refusals(project):
    tiling = Tiling(project / "share.cpp")
    with pytest.raises(TilingError, match="rank 9 is too large"):
        tiling.run([((1,) * 9, "float32"), ((), "float32")], [((1,) * 9, "float32")], [1.0, 0, "a"])
    with pytest.raises(TilingError, match="GetOptionalInputShape"):
        tiling.run([((1,), "float32"), None], [((1,), "float32")], [1.0, 0, "a"])
    with pytest.raises(TilingError, match="crashed"):
        tiling.run([((1,), "float32"), ((), "float32")], [((1,), "float32")], [])  # the function reads attribute 0


def test_definition(project):
    (share,) = Tiling(project / "share.cpp").definitions
    assert (share["name"], share["products"]) == ("Share", ["ascend910b"])
    assert [each["required"] for each in share["inputs"]] == [True, False]
    assert share["inputs"][0]["dtypes"] == [0, 1]
    assert share["attributes"][2]["default"] == [-1, 3]
    assert share["attributes"][0] == {"name": "alpha", "type": "float", "default": 0.5}


def test_a_tiling_function_that_does_not_compile(tmp_path):
    file = tmp_path / "broken.cpp"
    file.write_text('#include "log/log.h"\nint wrong = "text";\n')
    with pytest.raises(KernelError) as caught:
        Tiling(file)
    assert (caught.value.file, caught.value.line) == (str(file), 2)


@pytest.mark.share(3)
def test_a_tiling_function_in_two_files(tmp_path):
    (tmp_path / "split").mkdir()
    (tmp_path / "split" / "shares.h").write_text('#include "log/log.h"\nint64_t shares(int64_t total);\n')
    (tmp_path / "whole.cpp").write_text(
        '#include "register/op_def_registry.h"\n#include "split/shares.h"\n'
        "static ge::graphStatus TilingFunc(gert::TilingContext* context)\n"
        "{\n    context->SetBlockDim(shares(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));\n"
        "    return ge::GRAPH_SUCCESS;\n}\nIMPL_OP_OPTILING(Whole).Tiling(TilingFunc);\n"
    )
    with pytest.raises(KernelError, match=r"calls shares\(long\), which no file defines"):
        Tiling(tmp_path / "whole.cpp")
    (tmp_path / "split" / "shares.cpp").write_text(
        '#include "shares.h"\nint64_t shares(int64_t total) { return (total + 99) / 100; }\n'
    )
    assert Tiling(tmp_path / "whole.cpp").run([((250,), "float32")], [((250,), "float32")]).blocks == 3


def test_the_header_has_the_facts():
    assert HEADER.read_text() == header(), "run python -m actgrad.kernel.products"
