// swish(x) = x / (1 + exp(-beta * x)); the struct of GET_TILING_DATA is declared by macros in swish_tiling.h.
// The operators of tensors work on whole tensors, so the tile is one tensor of its exact size.
#include "kernel_operator.h"
#include "swish_tiling.h"

using namespace AscendC;

class Swish {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t total, uint64_t perBlock, uint32_t tile, float beta)
    {
        this->tile = tile;
        this->beta = beta;
        uint64_t start = GetBlockIdx() * perBlock;
        length = start < total ? total - start : 0;
        length = length < perBlock ? length : perBlock;
        xGm.SetGlobalBuffer((__gm__ float*)x + start, length);
        yGm.SetGlobalBuffer((__gm__ float*)y + start, length);
        pipe.InitBuffer(inQueueX, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueueY, 2, tile * sizeof(float));
        pipe.InitBuffer(onesBuf, tile * sizeof(float));
        pipe.InitBuffer(expBuf, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        LocalTensor<float> ones = onesBuf.Get<float>();
        Duplicate<float>(ones, 1.0f, tile);
        for (uint64_t at = 0; at < length; at += tile) {
            uint32_t count = length - at < tile ? length - at : tile;
            LocalTensor<float> xLocal = inQueueX.AllocTensor<float>();
            Duplicate<float>(xLocal, 0.0f, tile);  // the operators below compute the whole tile, also its empty end
            int32_t event = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
            SetFlag<HardEvent::V_MTE2>(event);
            WaitFlag<HardEvent::V_MTE2>(event);
            DataCopyPad(xLocal, xGm[at], {1, static_cast<uint32_t>(count * 4), 0, 0, 0}, {false, 0, 0, 0});
            inQueueX.EnQue(xLocal);

            LocalTensor<float> x = inQueueX.DeQue<float>();
            LocalTensor<float> y = outQueueY.AllocTensor<float>();
            LocalTensor<float> e = expBuf.Get<float>();
            Muls<float>(e, x, -beta, tile);
            Exp<float>(e, e, tile);
            e = e + ones;
            y = x / e;
            inQueueX.FreeTensor(x);
            outQueueY.EnQue<float>(y);

            LocalTensor<float> done = outQueueY.DeQue<float>();
            DataCopyPad(yGm[at], done, {1, static_cast<uint32_t>(count * 4), 0, 0, 0});
            outQueueY.FreeTensor(done);
        }
    }

private:
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueueX;
    TQue<QuePosition::VECOUT, 1> outQueueY;
    TBuf<QuePosition::VECCALC> onesBuf, expBuf;
    GlobalTensor<float> xGm, yGm;
    uint64_t length;
    uint32_t tile;
    float beta;
};

extern "C" __global__ __aicore__ void swish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(tilingData, tiling);
    Swish op;
    op.Init(x, y, tilingData.total, tilingData.perBlock, tilingData.tile, tilingData.hasBeta ? tilingData.beta : 1.0f);
    op.Process();
}
