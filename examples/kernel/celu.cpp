// celu(x) = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0), in float32. docs/tutorials/kernel.md explains this file.
#include "kernel_operator.h"

using namespace AscendC;

struct CeluTiling {
    uint32_t total;     // elements of the tensor
    uint32_t perBlock;  // elements of a block
    uint32_t tile;      // elements that a block works on at a time
    float alpha;
};

extern "C" __global__ __aicore__ void celu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CeluTiling, t, tiling);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
    yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 2, t.tile * sizeof(float));
    pipe.InitBuffer(outQueue, 2, t.tile * sizeof(float));

    const uint32_t first = GetBlockIdx() * t.perBlock;
    const uint32_t last = first + t.perBlock < t.total ? first + t.perBlock : t.total;
    for (uint32_t at = first; at < last; at += t.tile) {
        const uint32_t count = last - at < t.tile ? last - at : t.tile;
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};

        LocalTensor<float> in = inQueue.AllocTensor<float>();
        DataCopyPad(in, xGm[at], copy, {false, 0, 0, 0.0f});
        inQueue.EnQue(in);

        in = inQueue.DeQue<float>();
        LocalTensor<float> out = outQueue.AllocTensor<float>();
        Muls(out, in, 1.0f / t.alpha, count);
        Exp(out, out, count);
        Adds(out, out, -1.0f, count);
        Muls(out, out, t.alpha, count);
        Mins(out, out, 0.0f, count);
        Maxs(in, in, 0.0f, count);
        Add(out, out, in, count);
        inQueue.FreeTensor(in);
        outQueue.EnQue(out);

        out = outQueue.DeQue<float>();
        DataCopyPad(yGm[at], out, copy);
        outQueue.FreeTensor(out);
    }
}
