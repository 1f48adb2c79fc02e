// relu(x) = max(x, 0) in half, float or int32. The shortest kernel: no class, one tensor in place.
#include "kernel_operator.h"

using namespace AscendC;

struct ReluTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void relu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(ReluTilingData, t, tiling);
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, t.tile * sizeof(DTYPE_X));
    GlobalTensor<DTYPE_X> source, target;
    source.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    target.SetGlobalBuffer((__gm__ DTYPE_X*)y);
    uint32_t end = Std::min(t.total, static_cast<uint32_t>((GetBlockIdx() + 1) * t.perBlock));
    for (uint32_t at = GetBlockIdx() * t.perBlock; at < end; at += t.tile) {
        uint32_t count = Std::min(t.tile, end - at);
        DataCopyExtParams copy(1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0);
        auto in = queue.AllocTensor<DTYPE_X>();
        DataCopyPad(in, source[at], copy, DataCopyPadExtParams<DTYPE_X>(false, 0, 0, 0));
        queue.EnQue<QuePosition::GM, QuePosition::VECIN>(in);
        auto tile = queue.DeQue<QuePosition::GM, QuePosition::VECIN, DTYPE_X>();
        Relu(tile, tile, count);
        queue.EnQue<QuePosition::VECOUT, QuePosition::GM>(tile);
        auto out = queue.DeQue<QuePosition::VECOUT, QuePosition::GM, DTYPE_X>();
        DataCopyPad(target[at], out, copy);
        queue.FreeTensor(out);
    }
}
