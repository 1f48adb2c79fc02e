// Gradient of selu from its result y: grad * (y > 0 ? scale : y + scale * alpha).
// Both inputs of a tile share one buffer: grad in its first half, y in its second.
#include "kernel_operator.h"

using namespace AscendC;

struct SeluBackwardTilingData {
    int64_t total;
    int64_t perBlock;
    int64_t tile;
};

extern "C" __global__ __aicore__ void selu_backward(GM_ADDR grad, GM_ADDR y, GM_ADDR gradX, GM_ADDR workspace,
                                                    GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(SeluBackwardTilingData);
    GET_TILING_DATA_WITH_STRUCT(SeluBackwardTilingData, t, tiling);
    constexpr float scale = 1.0507009873554805f;
    constexpr float scaleAlpha = 1.7580993408473766f;
    const int32_t tile = static_cast<int32_t>(t.tile);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<> slopeBuf;
    TBuf<> scaleBuf;
    TBuf<> maskBuf;
    pipe.InitBuffer(inQueue, 2, 2 * tile * sizeof(float));
    pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
    pipe.InitBuffer(slopeBuf, tile * sizeof(float));
    pipe.InitBuffer(scaleBuf, tile * sizeof(float));
    pipe.InitBuffer(maskBuf, tile / 8);
    GlobalTensor<float> gradGm, yGm, outGm;
    gradGm.SetGlobalBuffer((__gm__ float*)grad, t.total);
    yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
    outGm.SetGlobalBuffer((__gm__ float*)gradX, t.total);
    LocalTensor<float> scales = scaleBuf.Get<float>();
    Duplicate(scales, scale, tile);

    const int64_t first = GetBlockIdx() * t.perBlock;
    const int64_t last = first + t.perBlock < t.total ? first + t.perBlock : t.total;
    for (int64_t at = first; at < last; at += tile) {
        const int32_t count = last - at < tile ? static_cast<int32_t>(last - at) : tile;
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPadExtParams<float> pad{true, 0, static_cast<uint8_t>((8 - count % 8) % 8), 0.0f};
        LocalTensor<float> pair = inQueue.AllocTensor<float>();
        DataCopyPad(pair, gradGm[at], copy, pad);
        DataCopyPad(pair[tile], yGm[at], copy, pad);
        inQueue.EnQue(pair);

        LocalTensor<float> both = inQueue.DeQue<float>();
        LocalTensor<float> result = both[tile];
        LocalTensor<float> slope = slopeBuf.Get<float>();
        LocalTensor<uint8_t> mask = maskBuf.Get<uint8_t>();
        CompareScalar(mask, result, 0.0f, CMPMODE::GT, (count + 63) / 64 * 64);
        Adds(slope, result, scaleAlpha, count);
        Select(slope, mask, scales, slope, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        LocalTensor<float> out = outQueue.AllocTensor<float>();
        Mul(out, both, slope, count);
        inQueue.FreeTensor(both);
        outQueue.EnQue(out);

        LocalTensor<float> ready = outQueue.DeQue<float>();
        DataCopyPad(outGm[at], ready, copy);
        outQueue.FreeTensor(ready);
    }
}
