// hardsigmoid(x) = min(max(alpha * x + beta, 0), 1), computed in the dtype of x without a cast: half or float.
// The older parameters of DataCopyPad, whose lengths have 16 bits, so a tile is below 64 KB.
#include "kernel_operator.h"

using namespace AscendC;

#pragma pack(push, 8)
struct HardsigmoidTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
    float alpha;
    float beta;
};
#pragma pack(pop)

template <typename T>
__aicore__ inline void HardsigmoidTile(const LocalTensor<T>& y, const LocalTensor<T>& x, T alpha, T beta, int32_t count)
{
    Muls(y, x, alpha, count);
    Adds(y, y, beta, count);
    Maxs(y, y, static_cast<T>(0), count);
    Mins(y, y, static_cast<T>(1), count);
}

extern "C" __global__ __aicore__ void hardsigmoid(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    using T = DTYPE_X;
    GET_TILING_DATA_WITH_STRUCT(HardsigmoidTilingData, t, tiling);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 2, t.tile * sizeof(T));
    pipe.InitBuffer(outQueue, 2, t.tile * sizeof(T));
    GlobalTensor<T> xGm, yGm;
    uint32_t begin = GetBlockIdx() * t.perBlock;
    uint32_t end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
    if (begin >= end) {
        return;
    }
    xGm.SetGlobalBuffer((__gm__ T*)x + begin, end - begin);
    yGm.SetGlobalBuffer((__gm__ T*)y + begin, end - begin);
    for (uint32_t at = 0; at < end - begin; at += t.tile) {
        int32_t count = static_cast<int32_t>(end - begin - at < t.tile ? end - begin - at : t.tile);
        DataCopyParams copy{1, static_cast<uint16_t>(count * sizeof(T)), 0, 0};
        LocalTensor<T> in = inQueue.AllocTensor<T>();
        DataCopyPad(in, xGm[at], copy, DataCopyPadParams{});
        inQueue.EnQue(in);
        LocalTensor<T> loaded = inQueue.DeQue<T>();
        LocalTensor<T> out = outQueue.AllocTensor<T>();
        HardsigmoidTile(out, loaded, static_cast<T>(t.alpha), static_cast<T>(t.beta), count);
        inQueue.FreeTensor(loaded);
        outQueue.EnQue(out);
        LocalTensor<T> ready = outQueue.DeQue<T>();
        DataCopyPad(yGm[at], ready, copy);
        outQueue.FreeTensor(ready);
    }
}
