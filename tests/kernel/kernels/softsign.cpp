// softsign(x) = x / (1 + |x|) by Reciprocal, in float; the older chips bound its relative error by 2e-4 only.
// A lambda is the body of a loop over tiles; the queue has depth 0 and hands tensors out by reference.
#include "kernel_operator.h"

using namespace AscendC;

struct SoftsignTilingData {
    uint64_t total;
    uint64_t perBlock;
    uint32_t tile;
};

template <typename Body>
__aicore__ inline void ForEachTile(const SoftsignTilingData& t, Body body)
{
    const uint64_t begin = GetBlockIdx() * t.perBlock;
    const uint64_t end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
    for (uint64_t at = begin; at < end; at += t.tile) {
        body(at, static_cast<uint32_t>(end - at < t.tile ? end - at : t.tile));
    }
}

extern "C" __global__ __aicore__ void softsign(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(SoftsignTilingData, data, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 0> inQueue;
    TQue<TPosition::VECOUT, 0> outQueue;
    pipe.InitBuffer(inQueue, 1, data.tile * sizeof(float));
    pipe.InitBuffer(outQueue, 1, data.tile * sizeof(float));
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, data.total);
    yGm.SetGlobalBuffer((__gm__ float*)y, data.total);
    LocalTensor<float> in, out;
    ForEachTile(data, [&](uint64_t at, uint32_t count) {
        inQueue.AllocTensor<float>(in);
        DataCopyPad(in, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(in);
        inQueue.DeQue<float>(in);
        outQueue.AllocTensor<float>(out);
        Abs(out, in, count);
        Adds(out, out, 1.0f, count);
        Reciprocal(out, out, count);
        Mul(out, out, in, count);
        inQueue.FreeTensor(in);
        outQueue.EnQue(out);
        outQueue.DeQue<float>(out);
        DataCopyPad(yGm[at], out, {1, count * 4, 0, 0, 0});
        outQueue.FreeTensor(out);
    });
}
