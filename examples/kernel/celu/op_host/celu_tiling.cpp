// The tiling function: how many blocks work on a tensor, and how large their tiles are.
#include <algorithm>

#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/celu_tiling_data.h"

namespace optiling {
constexpr uint64_t BYTES_PER_ELEMENT = 24;  // two queues with two buffers of at most 4 bytes, and two float buffers
constexpr uint64_t ALIGNMENT = 128;         // elements: whole blocks of 32 bytes in every dtype
constexpr uint64_t FEWEST = 1024;           // elements that are worth a block

static ge::graphStatus CeluTilingFunc(gert::TilingContext* context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    CeluTilingData* tiling = context->GetTilingData<CeluTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, tiling);

    const uint64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint64_t most = platform.GetCoreNumAiv();
    const uint64_t blocks = std::max<uint64_t>(1, std::min(most, total / FEWEST));
    const uint64_t share = (total + blocks - 1) / blocks;
    tiling->total = total;
    tiling->perBlock = (share + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tiling->tile = static_cast<uint32_t>(ub / 2 / BYTES_PER_ELEMENT / ALIGNMENT * ALIGNMENT);
    tiling->alpha = *context->GetAttrs()->GetFloat(0);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Celu).Tiling(CeluTilingFunc);
}  // namespace optiling
