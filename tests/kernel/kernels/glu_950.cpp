// glu of interleaved pairs on the newest chip: DeInterleave, Neg, and Prelu, which takes a tensor
// of slopes: y = a * sigmoid(b) for pairs (a, b), then prelu with one slope for each element.
#include "kernel_operator.h"

using namespace AscendC;

struct Glu950TilingData {
    uint32_t pairs;
    uint32_t perBlock;
    uint32_t tile;
};

class Glu950 {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR slopes, GM_ADDR y, const Glu950TilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.pairs);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ float*)x, 2 * t.pairs);
        slopesGm.SetGlobalBuffer((__gm__ float*)slopes, t.pairs);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.pairs);
        pipe.InitBuffer(xQueue, 2, 2 * tile * sizeof(float));
        pipe.InitBuffer(slopeQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(yQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(aBuf, tile * sizeof(float));
        pipe.InitBuffer(bBuf, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tile) {
            const uint32_t count = Std::min(tile, end - at);
            LocalTensor<float> x = xQueue.AllocTensor<float>();
            DataCopyPad(x, xGm[2 * at], {1, count * 8, 0, 0, 0}, {false, 0, 0, 0.0f});
            xQueue.EnQue(x);
            LocalTensor<float> slopes = slopeQueue.AllocTensor<float>();
            DataCopyPad(slopes, slopesGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            slopeQueue.EnQue(slopes);
            Compute(static_cast<int32_t>(count));
            LocalTensor<float> y = yQueue.DeQue<float>();
            DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});
            yQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Compute(int32_t count)
    {
        LocalTensor<float> x = xQueue.DeQue<float>();
        LocalTensor<float> slopes = slopeQueue.DeQue<float>();
        LocalTensor<float> y = yQueue.AllocTensor<float>();
        LocalTensor<float> a = aBuf.Get<float>();
        LocalTensor<float> b = bBuf.Get<float>();
        DeInterleave(a, b, x, 2 * count);
        Neg(b, b, count);
        Exp(b, b, count);
        Adds(b, b, 1.0f, count);
        Div(a, a, b, count);
        Prelu(y, a, slopes, count);
        xQueue.FreeTensor(x);
        slopeQueue.FreeTensor(slopes);
        yQueue.EnQue(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue, slopeQueue;
    TQue<TPosition::VECOUT, 1> yQueue;
    TBuf<TPosition::VECCALC> aBuf, bBuf;
    GlobalTensor<float> xGm, slopesGm, yGm;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void glu_950(GM_ADDR x, GM_ADDR slopes, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(Glu950TilingData, data, tiling);
    Glu950 op;
    op.Init(x, slopes, y, data);
    op.Process();
}
